"""Time aider's parser; run by the Python of the environment that aider is installed in, see bench/peers.py.

`peer_aider.py RESPONSE` says `ready`, reads each line of standard input as a request to parse that file
once more, and answers with a line: the seconds of processor time it took and how many blocks were found.

The parser is a generator in `aider/coders/editblock_coder.py` that uses the standard library alone.
Importing that module the usual way would import every coder first, and with them dozens of packages,
so the packages around it are entered without running their `__init__`, and two modules that only the
rest of the file uses are empty.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from types import ModuleType

MISSING = "aider-chat is not installed here; pip install --no-deps aider-chat"

Parser = Callable[[str], Iterator[tuple[object, ...]]]


def main() -> None:
    """Answer requests until standard input ends."""
    text = Path(sys.argv[1]).read_bytes().decode()
    parse = load_parser()
    say("ready")
    for _ in sys.stdin:
        start = process_time()
        # A result without a file name is a shell command, not a block.
        count = sum(1 for found in list(parse(text)) if found[0] is not None)
        seconds = process_time() - start
        say(f"{seconds!r} {count}")


def say(line: str) -> None:
    """Answer at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def load_parser() -> Parser:
    """`find_original_update_blocks` out of its own file."""
    spec = find_spec("aider")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(MISSING)
    folder = Path(next(iter(spec.submodule_search_locations)))
    enter("aider", folder)
    enter("aider.coders", folder / "coders")
    sys.modules["aider"].__dict__["utils"] = sys.modules["aider.utils"] = ModuleType("aider.utils")
    base = sys.modules["aider.coders.base_coder"] = ModuleType("aider.coders.base_coder")
    base.__dict__["Coder"] = object
    parser: Parser = import_module("aider.coders.editblock_coder").find_original_update_blocks
    return parser


def enter(name: str, folder: Path) -> None:
    """Make a package of which only the modules that are imported by name are run."""
    package = sys.modules[name] = ModuleType(name)
    package.__path__ = [str(folder)]


if __name__ == "__main__":
    main()
