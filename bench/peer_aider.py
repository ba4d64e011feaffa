"""Run aider's own functions; bench/peers.py starts this script with the Python of aider's environment.

It prints `"ready"`. Then it reads lines from standard input, each a JSON list of a task and its arguments. It answers
each with a line, a JSON list of the seconds that the task took (processor time, except for `apply_in`) and its result.
The tasks are the functions in `TASKS`. They return a text as its `digest`, so that long ones need not be sent back.

All but `udiff` use only `aider/coders/editblock_coder.py`, which needs only the standard library. A usual import of
that module would first import every coder, and with them dozens of packages. So the packages around the module are
created without running their `__init__`, and two modules that these tasks do not need are replaced by empty ones.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time
from types import ModuleType, SimpleNamespace
from typing import Any

MISSING = "aider-chat is not installed here; pip install --no-deps aider-chat"
FENCE = ("```", "```")


def main() -> None:
    """Answer requests until standard input ends."""
    coder = load_coder()
    say("ready")
    for line in sys.stdin:
        task, *arguments = json.loads(line)
        say(TASKS[task](coder, *arguments))


def say(answer: object) -> None:
    """Write an answer as one line of JSON, and flush it."""
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


def load_coder() -> ModuleType:
    """Import `aider.coders.editblock_coder` without the rest of aider. Raises SystemExit if aider is missing."""
    spec = find_spec("aider")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(MISSING)
    folder = Path(next(iter(spec.submodule_search_locations)))
    enter("aider", folder)
    enter("aider.coders", folder / "coders")
    sys.modules["aider"].__dict__["utils"] = sys.modules["aider.utils"] = ModuleType("aider.utils")
    base = sys.modules["aider.coders.base_coder"] = ModuleType("aider.coders.base_coder")
    base.__dict__["Coder"] = object
    return import_module("aider.coders.editblock_coder")


def enter(name: str, folder: Path) -> None:
    """Register an empty package for a folder: its modules can be imported, but its `__init__` is not run."""
    package = sys.modules[name] = ModuleType(name)
    package.__path__ = [str(folder)]


def parse(coder: Any, text: str) -> tuple[float, int]:
    """Parse a response, and return the number of its blocks."""
    start = process_time()
    # A result without a file name is a shell command, not a block.
    count = sum(1 for found in list(coder.find_original_update_blocks(text)) if found[0] is not None)
    return process_time() - start, count


def apply(coder: Any, text: str, files: Mapping[str, str]) -> tuple[float, Mapping[str, str]]:
    """Apply the blocks of a response, and return the digests of all files.

    A block that does not fit its file is skipped; aider itself would also try it on every other file.
    """
    now = dict(files)
    start = process_time()
    for path, old, new in coder.find_original_update_blocks(text, FENCE, list(now)):
        now[path] = coder.do_replace(path, now[path], old, new, FENCE) or now[path]
    return process_time() - start, {path: digest(text) for path, text in now.items()}


def fail(coder: Any, content: str, old: str, new: str) -> tuple[float, str]:
    """Return aider's message to the model about a block that does not fit, by its live path `apply_edits`.

    The text of the file is in memory. The file on disk is empty; aider only checks that it exists.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.py"
        path.touch()
        itself = coder.EditBlockCoder()
        itself.fence, itself.abs_fnames = FENCE, {str(path)}
        itself.abs_root_path, itself.get_rel_fname = lambda _name: str(path), lambda _path: path.name
        itself.io = SimpleNamespace(read_text=lambda _path: content)
        said = ""
        start = process_time()
        try:
            itself.apply_edits([(path.name, old, new)], dry_run=False)
        except ValueError as error:
            said = str(error)
        return process_time() - start, said


def apply_in(coder: Any, folder: str, answer: str, files: Sequence[str]) -> tuple[float, bool]:
    """Run aider's live path in a folder, `Coder.apply_updates`: `get_edits`, then `EditBlockCoder.apply_edits`.

    All files are in its chat, and it may edit others without a question. Texts are read and written as by its
    `InputOutput` by default. Return whether no block failed.
    """
    itself = coder.EditBlockCoder()
    itself.fence, itself.shell_commands, itself.partial_response_content = FENCE, [], answer
    itself.abs_fnames = {str(Path(folder, path).resolve()) for path in files}
    itself.get_inchat_relative_files = lambda: list(files)
    itself.abs_root_path = lambda path: str(Path(folder, path).resolve())
    itself.get_rel_fname = lambda path: str(Path(path).relative_to(Path(folder).resolve()))
    itself.io = SimpleNamespace(
        read_text=lambda path: Path(path).read_text("utf-8"),
        write_text=lambda path, new: Path(path).write_text(new, "utf-8"),
    )
    is_ok = True
    start = perf_counter()
    try:
        edits = itself.get_edits()
        itself.apply_edits(edits)
    except (ValueError, OSError):
        is_ok = False
    return perf_counter() - start, is_ok


def edit(coder: Any, path: str, content: str, old: str, new: str) -> tuple[float, str | None]:
    """Apply one block, and return the digest of the new text, None if the block does not fit."""
    start = process_time()
    after = coder.do_replace(path, content, old, new, FENCE)
    return process_time() - start, digest(after) if after else None


def udiff(_coder: Any, content: str, diff: str) -> tuple[float, str | None]:
    """Apply a fenced unified diff of one hunk, and return the digest of the new text, None if it does not fit."""
    for name, word in (("tqdm", "tqdm"), ("aider.dump", "dump")):
        sys.modules.setdefault(name, ModuleType(name)).__dict__.setdefault(word, None)
    sys.modules["aider.utils"].__dict__["GitTemporaryDirectory"] = None  # only for strategies that diffs do not use
    module = import_module("aider.coders.udiff_coder")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.py"
        path.write_text(content, "utf-8")
        itself = module.UnifiedDiffCoder()
        itself.partial_response_content = diff
        itself.abs_root_path = lambda _name: str(path)
        itself.io = SimpleNamespace(
            read_text=lambda _path: path.read_text("utf-8"), write_text=lambda _path, new: path.write_text(new, "utf-8")
        )
        start = process_time()
        try:
            edits = itself.get_edits()
            itself.apply_edits(edits)
        except ValueError:
            edits = []
        return process_time() - start, digest(path.read_text("utf-8")) if edits else None


def digest(text: str) -> str:
    """Return the SHA-256 of a text, which may have lone surrogates."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


TASKS: Mapping[str, Callable[..., object]] = {
    "parse": parse,
    "apply": apply,
    "apply_in": apply_in,
    "fail": fail,
    "edit": edit,
    "udiff": udiff,
}

if __name__ == "__main__":
    main()
