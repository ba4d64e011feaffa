"""Run mpatch, purepatch and llm-patch-tool; bench/appliers.py starts this script with the Python of their environment.

It prints the names of those that are installed. Then it reads lines from standard input, each a JSON list of a task, a
folder, an answer and its pieces. It answers each with a line, a JSON list of the seconds and whether the peer reports
success. Each peer is called as its own documentation shows; the docstring of its function names the section.
"""

import importlib.machinery
import importlib.util
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

LIMIT = 60  # seconds of processor time for one answer, after which the call is interrupted
PACKAGES = {"mpatch": "mpatch", "purepatch": "purepatch", "llm-patch-tool": "patch_tool"}
ERRORS = ("MpatchError", "PatchError")  # the base classes of all errors of the packages
Pieces = Sequence[tuple[str, str, str]]


def main() -> None:
    """Answer requests until standard input ends."""
    sys.meta_path.insert(0, OlderPython())
    found = {name: import_module(package) for name, package in PACKAGES.items() if importlib.util.find_spec(package)}
    say(sorted(found))
    signal.signal(signal.SIGPROF, stop)
    for line in sys.stdin:
        task, folder, answer, pieces = json.loads(line)
        os.chdir(folder)
        name, work = TASKS[task]
        say(timed(work, found[name], answer, pieces))


def say(answer: object) -> None:
    """Write an answer as one line of JSON, and flush it."""
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


def stop(_signal: int, _frame: object) -> None:
    """Interrupt a call that has reached LIMIT."""
    raise TimeoutError


def timed(work: Callable[[Any, str, Pieces], bool], peer: Any, answer: str, pieces: Pieces) -> tuple[float, bool]:
    """Run `work`, and return the seconds and whether it reports success. An error of its package is a failure."""
    says_no = (OSError, ValueError, *(getattr(peer, name) for name in ERRORS if hasattr(peer, name)))
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    start = perf_counter()
    try:
        is_ok = work(peer, answer, pieces)
    except says_no:
        is_ok = False
    seconds = perf_counter() - start
    signal.setitimer(signal.ITIMER_PROF, 0)
    return seconds, is_ok


class OlderPython(importlib.machinery.SourceFileLoader):
    """Reads `type X = …`, the one statement of llm-patch-tool that needs Python 3.12, as an assignment."""

    def __init__(self) -> None:
        super().__init__("", "")

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Return the spec of the module with that statement if this Python cannot read it, otherwise None."""
        if sys.version_info >= (3, 12) or name != "patch_tool.apply":
            return None
        self.name, self.path = name, str(Path(sys.modules["patch_tool"].__path__[0]) / "apply.py")
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def get_code(self, _name: str) -> Any:
        """Compile the module from its source, never from a compiled file."""
        return compile(re.sub(r"(?m)^type (\w+) =", r"\1 =", Path(self.path).read_text("utf-8")), self.path, "exec")


def mpatch(peer: Any, answer: str, _pieces: Pieces) -> bool:
    """As in its README, "Applying to a Directory"; nothing is written unless every hunk of the answer applies."""
    return bool(peer.apply_directory(answer, ".", atomic=True))


def purepatch_diff(peer: Any, answer: str, _pieces: Pieces) -> bool:
    """As in its README: `apply_files(diff_text, root=".")`, and `ApplyReport.ok`."""
    return bool(peer.apply_files(answer, root=".").ok)


def purepatch_blocks(peer: Any, _answer: str, pieces: Pieces) -> bool:
    """As in its README: `apply_edit(text, search, replace)`. It knows no files: write them once all edits fit."""
    texts: dict[str, str] = {}
    for path, old, new in pieces:
        with Path(path).open(encoding="utf-8", newline="") as file:
            texts.setdefault(path, file.read())
        texts[path] = peer.apply_edit(texts[path], old, new)
    for path, new in texts.items():
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            file.write(new)
    return True


def llm_patch_tool(peer: Any, answer: str, _pieces: Pieces) -> bool:
    """As in its README, "Search/replace block formats": `parse_path_blocks`, then `apply_edits` for each path."""
    found = peer.parse_path_blocks(answer)
    for path, edits in found.items():
        peer.apply_edits(path, edits)
    return bool(found)


TASKS: Mapping[str, tuple[str, Callable[[Any, str, Pieces], bool]]] = {
    "mpatch": ("mpatch", mpatch),
    "purepatch diff": ("purepatch", purepatch_diff),
    "purepatch blocks": ("purepatch", purepatch_blocks),
    "llm-patch-tool": ("llm-patch-tool", llm_patch_tool),
}

if __name__ == "__main__":
    main()
