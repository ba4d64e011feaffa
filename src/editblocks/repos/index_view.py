"""What only git's own folder knows of a working tree: submodules, what a sparse checkout leaves out, attributes.

A submodule that was not fetched is an empty directory, or not on disk at all. Git is asked once for all of
them, and not at all where there is no repository.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from editblocks.repos.files.regular_files import explain_errors
from editblocks.repos.files.tree_modes import SUBMODULE, is_inside, list_directory, obstacle, prefixes
from editblocks.repos.git.repository import git_folder, repository_at
from editblocks.repos.index.sparse_checkout import LeftOut
from editblocks.repos.index.staged_files import staged_submodules

if TYPE_CHECKING:
    from editblocks.repos.git.repository import Repository
    from editblocks.repos.index.sparse_checkout import LeftOut


class IndexView:
    """The index of `repository`, or of the one whose top is `root`, if there is one that can be used."""

    def __init__(self, root: Path, repository: Repository | None = None) -> None:
        self._root = root
        self._repository = repository

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

    def is_in_submodule(self, path: str) -> bool:
        """Whether `path` is a submodule, or below one."""
        return self._submodule_at(path) is not None

    def refuse_submodule(self, path: str) -> None:
        """Raise `UnreadableFile` if `path` is a submodule, or below one."""
        submodule = self._submodule_at(path)
        if submodule is not None:
            raise obstacle(path, submodule, SUBMODULE)

    def refuse_left_out(self, path: str, others: Collection[str]) -> None:
        """Raise `UnreadableFile` if `path`, where nothing is on disk, is left out, or a directory of what is."""
        if self._left_out is not None:
            self._left_out.refuse(path, others)

    @cached_property
    def _submodules(self) -> Mapping[str, str]:
        if self.repository is None:
            return {}

        return dict.fromkeys(staged_submodules(self.repository.git), SUBMODULE)

    @cached_property
    def _left_out(self) -> LeftOut | None:
        # a linked working tree has patterns of its own
        if self.repository is None or not os.path.lexists(self.repository.git_dir / "info/sparse-checkout"):
            return None

        return LeftOut(self.repository)

    def _submodule_at(self, path: str) -> str | None:
        names = prefixes(path) if is_inside(path) else []
        return next((name for name in names if name in self._submodules), None)
