"""What only git's own folder knows of a working tree: submodules, what a sparse checkout leaves out, attributes.

A submodule that was not fetched is an empty directory, or not on disk at all. Git is asked once for all of them, and
not at all where there is no repository. What a sparse checkout leaves out is in git, not on disk, and not to be edited
or made anew: `git add` refuses it too. Git is asked about it only where one was set up and nothing is on disk.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.repos.files.regular_files import explain_errors
from editblocks.repos.files.tree_modes import DIRECTORY, SUBMODULE, is_inside, list_directory, obstacle, prefixes
from editblocks.repos.git.repository import Repository, git_folder, repository_at
from editblocks.repos.git.trees import chunks, rows
from editblocks.repos.index.staged_files import SKIPPED, staged_submodules


class IndexView:
    """The index of `repository`, or of the one whose top is `root`, if there is one that can be used."""

    def __init__(self, root: Path, repository: Repository | None = None) -> None:
        self._root = root
        self._repository = repository
        self._known: set[str] = set()  # the paths on which git was asked what is left out
        self._left_out: set[str] = set()  # what is, of these and below them

    @cached_property
    def repository(self) -> Repository | None:
        """The repository, opened if it was not handed over."""
        if self._repository is not None or git_folder(self._root) is None:
            return self._repository
        return repository_at(self._root)

    @cached_property
    def attributes(self) -> bytes | None:
        """Git's own attributes, which are in no directory of the working tree; None if there are none."""
        if self.repository is None or not self.repository.attributes.is_file():
            return None
        with explain_errors(".git/info/attributes", "read"):
            return self.repository.attributes.read_bytes()

    def names(self, directory: str) -> Mapping[str, str]:
        """The submodules in `directory`, and the directories on the way to others, with git's modes."""
        return list_directory(self._submodules, directory)

    def submodule_at(self, path: str) -> str | None:
        """The submodule that `path` is, or is below."""
        names = prefixes(path) if is_inside(path) else []
        return next((name for name in names if name in self._submodules), None)

    def refuse_submodule(self, path: str) -> None:
        """Raise `UnreadableFile` if `path` is a submodule, or below one."""
        if submodule := self.submodule_at(path):
            raise obstacle(path, submodule, SUBMODULE)

    def refuse_left_out(self, path: str, others: Collection[str]) -> None:
        """Raise `UnreadableFile` if `path`, where nothing is on disk, is left out, or a directory of what is.

        Git is asked about `others` at once.
        """
        if not self._is_sparse or self.repository is None:
            return
        for part in chunks(sorted(filter(is_inside, {path, *others} - self._known))):
            listed = rows(self.repository.git.ask("ls-files", "-t", "--stage", "-z", "--", *part))
            self._left_out.update(name for head, name in listed if head[0] == SKIPPED)
        self._known.update(others, [path])
        if path in self._left_out:
            what = f"{path} is left out of this working tree by git sparse-checkout"
            raise UnreadableFile(ReasonCode.NOT_A_FILE, what, "bring it in with git sparse-checkout add")
        if any(name.startswith(f"{path}/") for name in self._left_out):
            raise obstacle(path, path, DIRECTORY)

    @cached_property
    def _submodules(self) -> Mapping[str, str]:
        return dict.fromkeys(staged_submodules(self.repository.git), SUBMODULE) if self.repository else {}

    @cached_property
    def _is_sparse(self) -> bool:
        # a linked working tree has patterns of its own
        return self.repository is not None and os.path.lexists(self.repository.git_dir / "info/sparse-checkout")
