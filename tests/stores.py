"""Every store behind one handle, so that test_repos.py can ask the same of all of them.

A new store gets a row: a function from a temporary folder and a tree to a `Store`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import gitkit
from gitkit import Entry, Tree

from editblocks.repos.memory import MemoryRepo
from editblocks.repos.worktree import WorktreeRepo
from editblocks.run import Repo


class Store(Protocol):
    """One place with files, as somebody who owns it sees it."""

    commits: bool  # whether a write makes a commit and moves `head`

    def open(self) -> Repo:
        """A view of what is there now, on which a plan can be made."""

    def tree(self) -> dict[str, Entry]:
        """Everything that is there now, read without the code under test."""

    def push(self, changes: Mapping[str, Entry | None]) -> None:
        """Change it as somebody else would, behind the back of any view."""

    def rewind(self) -> None:
        """Take back the last `push`."""


Factory = Callable[[Path, Tree], Store]


class Memory:
    commits = True

    def __init__(self, _: Path, tree: Tree) -> None:
        files = {name: data for name, (_, data) in tree.items()}
        self.repo = MemoryRepo(files, {name: mode for name, (mode, _) in tree.items()}, head="0" * 40)
        self._before: Mapping[str, bytes | None] = {}

    def open(self) -> Repo:
        return self.repo

    def tree(self) -> dict[str, Entry]:
        return {name: (self.repo.modes.get(name, gitkit.FILE), data) for name, data in self.repo.files.items()}

    def push(self, changes: Mapping[str, Entry | None]) -> None:
        self._before = {name: self.repo.files.get(name) for name in changes}
        self.repo.push({name: entry and entry[1] for name, entry in changes.items()})

    def rewind(self) -> None:
        self.repo.push(self._before)


class Worktree:
    commits = False

    def __init__(self, path: Path, tree: Tree) -> None:
        self.path = path / "tree"
        self.path.mkdir()
        self._before: dict[str, Entry | None] = {}
        self.push(tree)

    def open(self) -> Repo:
        return WorktreeRepo(self.path)

    def tree(self) -> dict[str, Entry]:
        return gitkit.read_folder(self.path)

    def push(self, changes: Mapping[str, Entry | None]) -> None:
        now = self.tree()
        self._before = {name: now.get(name) for name in changes}
        for name, entry in changes.items():
            self._put(self.path / name, entry)

    def rewind(self) -> None:
        self.push(self._before)

    def _put(self, place: Path, entry: Entry | None) -> None:
        place.unlink(missing_ok=True)
        if entry is None:
            return
        mode, data = entry
        place.parent.mkdir(parents=True, exist_ok=True)
        if mode == gitkit.LINK:
            place.symlink_to(os.fsdecode(data))
        elif mode == gitkit.SUBMODULE:
            place.mkdir()
            (place / ".git").write_bytes(data)
        else:
            place.write_bytes(data)
            place.chmod(int(mode[-3:], 8))


class WorktreeByPath(Worktree):
    """As on a system without `dir_fd`."""

    def open(self) -> Repo:
        return WorktreeRepo(self.path, dir_fd=False)


LOCAL_STORES: tuple[Factory, ...] = (Memory, Worktree, WorktreeByPath)
STORES: tuple[Factory, ...] = (*LOCAL_STORES,)
