"""Kill a process right before each effect of a write in turn, and check what remains after the next start.

`python -m support.killkit FOLDER SCENE` prints a JSON list of rows, one for each effect at which a child was killed.
It runs as a separate process, because only a process without threads may fork. The tests are in repos/test_kills.py.
"""

import json
import os
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

from support.gitkit import EXECUTABLE, FILE, Entry, git, make_repository, read_folder, read_tree
from support.posix import fork
from support.records import kept
from support.repositories import open_sealed

from editblocks.repos.git.repository import Launch, Mode, start
from editblocks.repos.records import Step
from editblocks.repos.stores.checkout import CheckoutRepo, IndexedRepo
from editblocks.repos.stores.worktree import Disk, WorktreeRepo
from editblocks.repos.undo import undo_write

TREE: Mapping[str, Entry] = {
    "README.md": (FILE, b"# Shop\n"),
    "bin/run": (EXECUTABLE, b"#!/bin/sh\n"),
    "old/only.txt": (FILE, b"goes\n"),
    "old/tool": (EXECUTABLE, b"#!/bin/sh\nexit 1\n"),
    "src/app.py": (FILE, b"x = 1\n"),
}
PLAN: Mapping[str, bytes | None] = {
    "src/app.py": b"x = 2\n",
    "bin/run": b"#!/bin/bash\n",
    "old/only.txt": None,
    "old/tool": None,
    "new/tool": b"#!/bin/sh\nexit 1\n",
    "new/deep/file.txt": b"new\n",
}
RENAMED = {"new/tool": EXECUTABLE}
STAGED = [  # PLAN in the words of `git status --porcelain`
    *("M  bin/run", "A  new/deep/file.txt", "A  new/tool", "D  old/only.txt", "D  old/tool", "M  src/app.py")
]
IDENTITY = ("Mona Lisa", "monalisa@example.com")
Effect = Callable[[str, str], None]


class Row(NamedTuple):
    """The state after a child was killed right before `effect` and the next process has started."""

    effect: str
    state: str  # old, new or torn
    left: Sequence[str]  # temporary files, locks and unfinished steps, which should be gone
    agrees: bool  # whether the files agree with the index and, for a commit, with the branch
    said: Sequence[str]  # the recoveries that the next process reports


def folder_state(root: Path) -> dict[str, object]:
    """Mode and text (None for a folder) of everything below `root` except in `.git`, by path."""
    found: dict[str, object] = {}
    for place in sorted(root.rglob("*")):
        name = str(place.relative_to(root))
        if name != "once-more" and not name.startswith(".git"):
            data = place.read_bytes().decode("latin-1") if place.is_file() else None
            found[name] = [stat.S_IMODE(place.lstat().st_mode), data]
    return found


def leftovers(root: Path) -> list[str]:
    """Temporary files, locks, and steps of writes that are not finished."""
    found = [str(place.relative_to(root)) for place in root.rglob("*editblocks-*") if "tmp_objdir" not in str(place)]
    found += [str(place) for place in (root / ".git").glob("*.lock")]
    found += [place.name for place in (root / ".git/editblocks").glob("*") if place.name != "lock"]
    owner = (root / ".git/editblocks/lock").read_text() if (root / ".git/editblocks/lock").is_file() else ""
    steps = [step.split(" ")[0] for step in kept(root).values()]
    return [*found, *filter(None, [owner]), *(step for step in steps if not Step(step).is_final)]


def make(folder: Path) -> Path:
    root = make_repository(folder, TREE)
    (root / "src/app.py").chmod(0o640)
    return root


def write(root: Path, effect: Effect) -> None:
    repo = WorktreeRepo(root, disk=Disk(effect))
    repo.recover()
    for path in PLAN:
        repo.read(path)
    repo.write(PLAN, "", RENAMED)


def launched(effect: Effect) -> Launch:
    """Return a way to start git that calls `effect` before and after each command."""

    def launch(
        command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float
    ) -> CompletedProcess[bytes]:
        effect("git", _name(command))
        answer = start(command, environment, stdin, seconds)
        effect("git done", _name(command))
        return answer

    return launch


def _name(command: Sequence[str]) -> str:
    """The name of a git command: the first word after the global options."""
    words = iter(command[1:])
    for word in words:
        if word in ("-c", "-C"):
            next(words)
        elif not word.startswith("-"):
            return word
    return ""


def commit(root: Path, effect: Effect) -> None:
    launch = launched(effect)
    repo = CheckoutRepo(root, repository=open_sealed(root, launch=launch, person=IDENTITY), disk=Disk(effect))
    repo.prefetch(PLAN)
    for path in PLAN:
        repo.read(path)
    repo.write(PLAN, "Apply 4 edit blocks\n", RENAMED)


def stage(root: Path, effect: Effect) -> None:
    launch = launched(effect)
    repo = IndexedRepo(root, repository=open_sealed(root, launch=launch), disk=Disk(effect))
    repo.prefetch(PLAN)
    for path in PLAN:
        repo.read(path)
    repo.write(PLAN, "", RENAMED)


def opened(root: Path, kind: str, lock_seconds: float = 0) -> WorktreeRepo | IndexedRepo | CheckoutRepo:
    """Open a repository that writes files (`files`), also stages them (`index`), or commits them (`commit`)."""
    if kind == "files":
        return WorktreeRepo(root)
    if kind == "commit":
        return CheckoutRepo(root, repository=open_sealed(root, person=IDENTITY, lock_seconds=lock_seconds))
    return IndexedRepo(root, repository=open_sealed(root, lock_seconds=lock_seconds))


def undo(root: Path, effect: Effect) -> None:
    undo_write(root, None, effect=effect)


def redo(root: Path, effect: Effect) -> None:
    undo_write(root, None, redo=True, effect=effect)


def recovery(root: Path, effect: Effect) -> None:
    WorktreeRepo(root, disk=Disk(effect)).recover()


def nothing(effect: str, path: str) -> None:
    """Let every effect happen."""


def dies(act: Callable[[Path, Effect], None], root: Path, doom: Callable[[int, str], bool]) -> str | None:
    """Run `act` in a child that kills itself before the first effect for which `doom(number, effect)` is true.

    Return that effect, None if the child finished. Effects are numbered from 1.
    """
    reader, writer = os.pipe()
    child = fork()
    if not child:
        numbers = count(1)

        def effect(name: str, path: str) -> None:
            if doom(next(numbers), f"{name} {path}"):
                os.write(writer, f"{name} {path}".encode())
                os._exit(9)

        act(root, effect)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        died = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == (9 if died else 0), died
    return died or None


def prepare(scene: str, root: Path) -> None:
    """Do what must happen before the write that is killed."""
    if scene in ("undo", "redo"):
        write(root, nothing)
    if scene == "redo":
        undo(root, nothing)
    if scene == "recovery":
        assert dies(write, root, lambda _, effect: effect == "replace new/deep/file.txt")


def once_more(root: Path, scene: str) -> Sequence[str]:
    """Write another file, `once-more`, as the next process would, and return the recoveries that it reports."""
    contents = {"once-more": b"1\n"}
    if scene == "commit":
        checkout = CheckoutRepo(root, repository=open_sealed(root, person=IDENTITY))
        checkout.write(contents, "Apply 1 edit block\n")
        return [str(it) for it in checkout.recoveries]
    files = WorktreeRepo(root, repository=open_sealed(root, Mode.USER))
    files.recover()
    files.write(contents, "")
    return [str(it) for it in files.recoveries]


def _is_number(wanted: int, number: int, effect: str) -> bool:
    return number == wanted


def rows(folder: Path, scene: str) -> list[Row]:
    """Kill the write of a scene at each effect in turn, until a child finishes."""
    model = make(folder / "model")
    old = folder_state(model)
    write(model, nothing)
    new = folder_state(model)
    found = []
    for number in range(1, 200):
        root = make(folder / str(number))
        prepare(scene, root)
        effect = dies(SCENES[scene], root, partial(_is_number, number))
        if effect is None:
            break
        said = once_more(root, scene)
        state = folder_state(root)
        kind = "old" if state == old else "new" if state == new else "torn"
        found.append(Row(effect, kind, leftovers(root), agrees(root, scene, kind), said))
    return found


def agrees(root: Path, scene: str, state: str) -> bool:
    """Whether files, index and HEAD agree after `commit`, and whether the index fits `state` after `index`.

    True for the other scenes.
    """
    if scene == "commit":
        return git(root, "status", "--porcelain", "-uall") == b"" and read_tree(root, "HEAD") == read_folder(root)
    return scene != "index" or staged(root) == (STAGED if state == "new" else [])


def staged(root: Path) -> list[str]:
    """The lines of `git status` about the files of PLAN."""
    said = git(root, "status", "--porcelain", "--no-renames", "-uall").decode().splitlines()
    return [line for line in said if not line.endswith("once-more")]


SCENES: Mapping[str, Callable[[Path, Effect], None]] = {
    "apply": write,
    "undo": undo,
    "redo": redo,
    "recovery": recovery,
    "commit": commit,
    "index": stage,
}


if __name__ == "__main__":
    print(json.dumps([row._asdict() for row in rows(Path(sys.argv[1]), sys.argv[2])]))
