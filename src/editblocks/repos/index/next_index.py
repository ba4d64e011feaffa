"""Stage files in a copy of the index first, and then the same entries in the real index, under git's own lock.

A failure in the copy leaves the real index unchanged. The caller must hold the lock of the working tree.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError, SelfCheckFailed
from editblocks.repos.files.directory import explain_errors
from editblocks.repos.files.tree_modes import NO_LIMIT, Contents, FileState, TreeEntry, to_text
from editblocks.repos.git.command import ANY_STATUS, Git
from editblocks.repos.git.repository import Repository
from editblocks.repos.git.trees import chunks, loaded_bytes, read_blobs
from editblocks.repos.index.staged_files import SKIPPED, filtered, index_rows, nul_ended, staged_entries

_PLAIN = ("core.ignoreStat=false",)  # otherwise git would assume that a new entry is unchanged
_FILTERS = r"^filter\..*\.(clean|process|required)$"


class NextIndex:
    """A copy of the index in which files are staged. `option` is the user's option that needs it, for messages."""

    def __init__(self, repository: Repository, copy: Path, option: str) -> None:
        self._repository = repository
        self._real = repository.git.with_environment(_no_filters(repository.git))
        self._git = self._real.with_environment({"GIT_INDEX_FILE": str(copy)})
        self._option = option
        self._staged_entries: dict[str, TreeEntry | None] = {}  # entries staged in the copy; None removes the file

    @property
    def is_installed(self) -> bool:
        """Whether the real index has the entries staged in the copy. False if git fails."""
        if not self._staged_entries:
            return False
        try:
            staged = staged_entries(self._real, list(self._staged_entries))
        except RepoError:
            return False
        return all(staged.get(path) == entry for path, entry in self._staged_entries.items())

    def refuse_unclean(self, on_disk: Mapping[str, bool]) -> None:
        """Raise `Refused` unless each file is the same in HEAD, in the index and on disk, and no git filter changes it.

        `on_disk` maps each path to whether the file exists. Contents are compared, because git's cached times and
        sizes of files may be out of date.
        """
        consequence = "the whole file would be part of this commit; commit it separately first"
        for path, _ in self._statuses(on_disk, consequence):
            raise _dirty(f"{path} has changes that are not committed; commit or stash them first")

    def refuse_unstaged(self, on_disk: Mapping[str, bool]) -> None:
        """Raise `Refused` unless each file is the same in the index and on disk. Else like `refuse_unclean`."""
        consequence = "the whole file would be staged, not only the change; git add it first"
        for path, status in self._statuses(on_disk, consequence):
            if "U" in status or status in ("AA", "DD"):
                raise Refused(f"{path} is in conflict; resolve it and stage it first", ReasonCode.PATH_CONFLICT)
            if status[1] != " ":
                raise _dirty(f"{path} has unstaged changes; git add it, or stash what is not staged")

    def without_unstaged_changes(self, paths: Iterable[str]) -> list[str]:
        """Return those of `paths` that are the same in the index and on disk."""
        all_paths = list(paths)
        unlike = {path for path, status in statuses(self._git, all_paths) if status[1] != " "}
        return [path for path in all_paths if path not in unlike]

    def _statuses(self, on_disk: Mapping[str, bool], consequence: str) -> Iterator[tuple[str, str]]:
        """Like `statuses`, but raise `Refused` for files with a git filter, untracked and skip-worktree files."""
        for path, name in filtered(self._git, on_disk):
            reason = f"{path} has the attribute {name}, so git would store it differently"
            raise Refused(f"{reason}; apply without {self._option}", ReasonCode.FILTERED)
        staged = {path: row for *row, path in index_rows(self._git, list(on_disk))}
        for path, is_there in on_disk.items():
            if is_there and path not in staged:
                raise _dirty(f"{path} is not tracked by git, so {consequence}")
            if path in staged and staged[path][0] == SKIPPED:
                raise _dirty(f"{path} has the skip-worktree bit; clear it with git update-index --no-skip-worktree")
        plain = {path: TreeEntry(mode, oid) for path, (_, mode, oid, stage) in staged.items() if stage == "0"}
        self._git.ask("update-index", "-z", "--index-info", stdin=_index_info(plain), options=_PLAIN)
        yield from statuses(self._git, list(on_disk))

    def stage(self, contents: Contents) -> dict[str, FileState | None]:
        """Stage these files from disk in the copy, and return mode and bytes of each as git stores it.

        Raises `SelfCheckFailed` if the stored bytes differ from `contents` in more than line ends.
        """
        self._git.ask("update-index", "--add", "--remove", "-z", "--stdin", stdin=nul_ended(contents), options=_PLAIN)
        entries = staged_entries(self._git, list(contents))
        blobs = read_blobs(self._git, {path: entry.oid for path, entry in entries.items()}, NO_LIMIT)
        files: dict[str, FileState | None] = {}
        for path, data in contents.items():
            stored = None
            files[path] = None
            if path in blobs:
                stored = loaded_bytes(blobs[path])
                files[path] = (entries[path].mode, stored)
            if _text(stored) != _text(data):
                reason = f"git would store {path} differently from the plan; apply without {self._option}"
                raise SelfCheckFailed(reason)
        self._staged_entries = {path: entries.get(path) for path in contents}
        return files

    def stage_in_real_index(self, contents: Contents) -> None:
        """Stage these files from disk in the real index."""
        if contents:
            self.stage(contents)
            self.install()

    def is_committed(self, paths: Sequence[str]) -> bool:
        """Whether each of `paths` is the same in HEAD and in the copy."""
        command = ("diff-index", "--cached", "--quiet", "--no-ext-diff", "HEAD", "--")
        answers = (self._git.run(*command, *part, ok_statuses=ANY_STATUS) for part in chunks(paths))
        return all(answer.status == 0 for answer in answers)

    def install(self) -> None:
        """Stage the entries of the copy in the real index, in one step under git's lock. Raises `RepoError`."""
        removal = TreeEntry("0", self._repository.null_id)
        entries = {path: entry or removal for path, entry in self._staged_entries.items()}
        try:
            wait_for_lock(self._repository)
            self._real.ask("update-index", "-z", "--index-info", stdin=_index_info(entries))
        except RepoError as error:
            if not self.is_installed:
                reason = f"the index cannot be written: {error.message}"
                if self._option == "--commit":
                    reason = f"{reason}; the commit was made; once the index can be written, run git reset"
                raise RepoError(reason) from error
        for part in chunks([path for path, entry in self._staged_entries.items() if entry]):
            self._real.run("add", "--refresh", "--", *part, ok_statuses=ANY_STATUS)  # so that git need not look again


@contextmanager
def next_index(repository: Repository, option: str = "--commit") -> Iterator[NextIndex]:
    """Yield a temporary copy of the index. Raises `RepoError` if the real index stays locked."""
    wait_for_lock(repository)
    with TemporaryDirectory() as folder:
        # copy2 keeps the modification time: git rereads files that are as new as the index
        with explain_errors(".git/index", "copied"), suppress(FileNotFoundError):
            shutil.copy2(repository.git_dir / "index", folder)
        yield NextIndex(repository, Path(folder, "index"), option)


def wait_for_lock(repository: Repository) -> None:
    """Wait until no other git process locks the index. Raises `RepoError` if the lock stays."""
    lock = repository.git_dir / "index.lock"
    deadline = time.monotonic() + repository.lock_seconds
    while os.path.lexists(lock):
        if time.monotonic() >= deadline:
            raise RepoError(f"{lock} exists; remove it if no other git process is running")
        time.sleep(0.05)


def statuses(git: Git, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield path and status (two letters, as in `git status`) of those of `paths` that have uncommitted changes."""
    command = ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all")
    for part in chunks(paths):
        for row in git.ask(*command, "--", *part, options=_PLAIN).split(b"\0")[:-1]:
            yield to_text(row[3:]), row[:2].decode("ascii")


def _no_filters(git: Git) -> dict[str, str]:
    """Return environment variables with which git runs no filters.

    It would run them when it writes an index, because it then reads all files that are as new as the index.
    """
    keys = os.fsdecode(git.run("config", "-z", "--name-only", "--get-regexp", _FILTERS, ok_statuses=(0, 1)).output)
    variables = {}
    for number, key in enumerate(keys.split("\0")[:-1]):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    return {"GIT_CONFIG_COUNT": str(len(variables) // 2), **variables}


def _index_info(entries: Mapping[str, TreeEntry]) -> bytes:
    """Return the input of `git update-index -z --index-info`."""
    return nul_ended(f"{entry.mode} {entry.oid}\t{path}" for path, entry in entries.items())


def _dirty(reason: str) -> Refused:
    return Refused(reason, ReasonCode.DIRTY_FILE)


def _text(data: bytes | None) -> bytes | None:
    return None if data is None else data.replace(b"\r\n", b"\n")
