"""The files of one response after the blocks so far: read when they are first asked for, then planned.

Nothing is written. A file is what its blocks left of it up to the first that failed; later blocks are tried on it all
the same, and count for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from editblocks.applying.files import FilePlan, Read, TextFiles
from editblocks.core.settings import Settings
from editblocks.paths.policy import check_policy
from editblocks.paths.syntax import Operation, PathError, check_syntax
from editblocks.paths.tree import Entries, Overlay

_DEFAULT_MODE = "100644"


class FilePlans:
    """The files that `read` gives. Without `entries`, which lists directories, nothing is known but bytes."""

    def __init__(self, read: Read, entries: Entries | None, settings: Settings) -> None:
        self.entries, self._settings = entries, settings
        self.source = TextFiles(read, entries, settings)
        self.overlay = Overlay(entries or (lambda _: {}))
        self.failed: dict[str, list[int]] = {}  # path → the rows that failed, in reading order
        self.taken_away: dict[str, int] = {}  # path → the block that deleted or renamed the file
        self._plans: dict[str, FilePlan] = {}
        self._on_branch: dict[str, bytes | None] = {}
        self._kept: dict[str, bytes | None] = {}  # what is written of a file in which one failed
        self._checked: dict[tuple[str, Operation], PathError | None] = {}

    def __getitem__(self, path: str) -> FilePlan:
        """The plan of a file. Raises `UnreadableFile` if nothing can be read there."""
        if path not in self._plans:
            plan = self._plans[path] = self.source.plan(path)
            self._on_branch[path] = plan.original
            if path in self.failed:
                self._kept[path] = plan.original
        return self._plans[path]

    def fail(self, path: str, number: int) -> None:
        """Count a row as a failure of the file: it stays as it is now, whatever later blocks make of it."""
        if path not in self.failed and path in self._plans:
            self._kept[path] = self._plans[path].result()
        self.failed.setdefault(path, []).append(number)

    def path_refusal(self, path: str, operation: Operation) -> PathError | None:
        """Why no block may do this at a path, whatever is there."""
        asked = path, operation
        if asked not in self._checked:
            self._checked[asked] = check_syntax(*asked) or check_policy(path, self._settings)
        return self._checked[asked]

    def delete(self, path: str, number: int) -> None:
        """Take a file away; for later blocks it is absent."""
        self.overlay.record(path, "delete")
        self._plans[path] = FilePlan(path, None)
        self.taken_away[path] = number

    def rename(self, path: str, new_path: str, number: int) -> None:
        """Give a file that is there a name that is free."""
        plan = self[path]
        self.delete(path, number)
        self.overlay.record(new_path, "create")
        self._on_branch.setdefault(new_path, None)
        plan.path = new_path
        self._plans[new_path] = plan

    def was_there(self, path: str) -> bool:
        """Whether the branch has a file of this path, as far as it was read."""
        return self._on_branch.get(path) is not None

    def files_there(self) -> list[str]:
        """The files of the branch that were read."""
        return [path for path, data in self._on_branch.items() if data is not None]

    def old_path(self, path: str) -> str:
        """The path that the file has on the branch, if it is there."""
        old_path = self._plans[path].old_path if path in self._plans else path
        return old_path if self.was_there(old_path) else path

    def contents(self) -> dict[str, bytes | None]:
        """The new bytes of each file that changes, None for one that goes."""
        new = {path: self._kept[path] if path in self._kept else plan.result() for path, plan in self._plans.items()}
        return {path: data for path, data in new.items() if data != self._on_branch[path]}

    def originals(self, contents: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
        """What these files are on the branch; None for one that is not there."""
        return {path: self._on_branch[path] for path in contents}

    def renamed(self, contents: Mapping[str, bytes | None]) -> dict[str, str]:
        """Of these files, the path that each renamed one has on the branch."""
        paths = ((path, self.old_path(path)) for path, data in contents.items() if data is not None)
        return {path: old_path for path, old_path in paths if old_path != path}

    def modes(self, contents: Mapping[str, bytes | None], renamed: Mapping[str, str]) -> dict[str, str]:
        """The modes of those of these files that are renamed or go, if they are not 100644."""
        gone = {path: path for path, data in contents.items() if data is None}
        modes = {path: self.mode(old) for path, old in {**gone, **renamed}.items()}
        return {path: mode for path, mode in modes.items() if mode != _DEFAULT_MODE}

    def mode(self, path: str) -> str:
        """The mode that the file has on the branch, as far as that is known."""
        directory, _, name = path.rpartition("/")
        return (self.entries(directory) if self.entries else {}).get(name, _DEFAULT_MODE)
