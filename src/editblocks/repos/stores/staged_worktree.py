"""A working tree in which only those files may be changed that are on disk as they are staged.

A hook that changes files needs this: what somebody left out of the index, with `git add -p` or not at all, would
else be mixed with the change, and could not be told from it any more. The index is only read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused
from editblocks.repos.files.names import to_text
from editblocks.repos.files.regular_files import refuse_odd_attributes
from editblocks.repos.git.repository import Repository
from editblocks.repos.git.trees import chunks
from editblocks.repos.index.staged_files import staged_entries
from editblocks.repos.stores.worktree import WorktreeRepo

# Contents are compared as git does it, line ends and filters included. `git diff` would write what it learned of
# times of change to the index; GIT_OPTIONAL_LOCKS keeps only `git status` from that.
_STATUS = ("--porcelain=v1", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all")


class AsStagedRepo:
    """The files of `files`, for which `repository` keeps an index.

    `ours` are paths that this run has changed already, and the only ones that may differ; a write adds to it.
    """

    listings = 20  # see run.flow.Repo

    def __init__(self, repository: Repository, files: WorktreeRepo, ours: set[str]) -> None:
        self._git = repository.git
        self._attributes = repository.attributes
        self._files = files
        self._ours = ours

    @property
    def receipt(self) -> str | None:
        """What the journal calls the last write."""
        return self._files.receipt

    @property
    def head(self) -> str | None:
        """None: a working tree is at no commit."""
        return self._files.head

    def prefetch(self, paths: Iterable[str]) -> None:
        """Nothing is far away."""
        self._files.prefetch(paths)

    def read(self, path: str) -> bytes | None:
        """The bytes on disk, as `WorktreeRepo.read`."""
        return self._files.read(path)

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names on disk with git's modes."""
        return self._files.entries(directory)

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """A reader of an earlier commit, as `run.flow.Repo.at`."""
        return self._files.at(commit)

    def write(self, contents: Mapping[str, bytes | None], message: str) -> None:
        """Change all of `contents` on disk or nothing, as `WorktreeRepo.write`; the index stays as it is.

        Raises `Refused` for a file that is not on disk as it is staged, too.
        """
        self.refuse_unstaged(contents)
        self._files.write(contents, message)
        self._ours.update(contents)

    def refuse_unstaged(self, paths: Iterable[str]) -> None:
        """Raise `Refused` for the first of `paths` that is not as it is staged."""
        asked = [path for path in paths if path not in self._ours]
        staged, changed = staged_entries(self._git, asked), self._paths_unlike_index(asked)
        for path in asked:
            is_there = self._is_there(path)
            if path in changed or (path in staged and not is_there):
                raise _dirty(f"{path} has unstaged changes; git add it, or stash what is not staged")
            if is_there and path not in staged:
                raise _dirty(f"{path} is not tracked by git; git add it first")

    def _is_there(self, path: str) -> bool:
        """Whether a name is on disk. It is not read again: what was read is what a write holds the file against."""
        directory, _, name = path.rpartition("/")
        return name in self._files.entries(directory)

    def _paths_unlike_index(self, paths: list[str]) -> set[str]:
        """Those that are on disk otherwise than in the index, conflicts among them."""
        refuse_odd_attributes(self._git.directory, paths, [self._attributes])
        outputs = [self._git.ask("status", *_STATUS, "--", *part) for part in chunks(paths)]
        rows = [to_text(row) for output in outputs for row in output.split(b"\0")[:-1]]  # `XY PATH`
        return {row[3:] for row in rows if row[1] != " "}


def _dirty(reason: str) -> Refused:
    return Refused(reason, ReasonCode.DIRTY_FILE)
