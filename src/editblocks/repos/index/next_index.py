"""The index as it is to be: made beside the real one, which stays locked until it is replaced.

This is git's own protocol: whoever holds `index.lock` is the only one who stages or commits in a working tree, and the
new index takes the place of the old one by a rename. A failure before that leaves the real index as it was, whatever
the user had staged in it. Only who holds the lock of the working tree (`repos.journal.lock`) comes here.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, Refused, RepoError, SelfCheckFailed, reason_of
from editblocks.repos.files.names import to_bytes, to_text
from editblocks.repos.files.regular_files import explain_errors
from editblocks.repos.files.tree_modes import TreeEntry
from editblocks.repos.git.command import ANY_STATUS, Git
from editblocks.repos.git.repository import Repository
from editblocks.repos.git.trees import chunks, read_blobs, rows
from editblocks.repos.index.sparse_checkout import SKIPPED

FOLDER = "editblocks"  # ours, in the git directory of a working tree

_WATCHED = ("filter", "ident", "working-tree-encoding")
_UNSET = (b"unspecified", b"unset")
_PLAIN = ("core.ignoreStat=false",)  # else git would take a new entry for unchanged without looking
_FILTERS = r"^filter\..*\.(clean|process|required)$"
_NO_LIMIT = 1 << 62  # it was measured when it was planned


class NextIndex:
    """A copy of the index, and what `git add` makes of files in it. `option` is what a person asked for it with."""

    def __init__(self, repository: Repository, copy: Path, option: str) -> None:
        variables = {"GIT_INDEX_FILE": str(copy), **_no_filters(repository.git)}
        self._repository = replace(repository, git=repository.git.with_environment(variables))
        self._index = repository.git_dir / "index"
        self._copy = copy
        self._option = option
        self._is_complete = False

    @property
    def is_installed(self) -> bool:
        """Whether it has taken the place of the real index."""
        return self._is_complete and not self._copy.exists()

    def refuse_unclean(self, on_disk: Mapping[str, bool]) -> None:
        """Raise `Refused` unless each of these files is what HEAD has, staged and on disk, and stored as it is.

        `on_disk` says which of them are there. Contents are compared, not times of change: git's notes about
        a file may be out of date or told to ignore it.
        """
        for path, _ in self._statuses(on_disk, "the commit would take all of it along; commit it first"):
            raise _dirty(f"{path} has changes that are not committed; commit or stash them first")

    def refuse_unstaged(self, on_disk: Mapping[str, bool]) -> None:
        """Raise `Refused` unless each of these files is on disk what is staged, whatever HEAD has; see above."""
        for path, status in self._statuses(on_disk, "all of it would be staged; git add it first"):
            if "U" in status or status in ("AA", "DD"):
                raise Refused(f"{path} is in conflict; resolve it and stage it first", ReasonCode.PATH_CONFLICT)
            if status[1] != " ":
                raise _dirty(f"{path} has unstaged changes; git add it, or stash what is not staged")

    def as_on_disk(self, paths: Iterable[str]) -> list[str]:
        """Those of `paths` that are staged as they are on disk."""
        asked = list(paths)
        unlike = {path for path, status in self._status(asked) if status[1] != " "}
        return [path for path in asked if path not in unlike]

    def _statuses(self, on_disk: Mapping[str, bool], untracked: str) -> Iterator[tuple[str, str]]:
        """Path and status (two letters, as `git status` has them) of those files that are not what HEAD has."""
        self._refuse_filtered(list(on_disk))
        staged = self._entries(list(on_disk))
        for path, is_there in on_disk.items():
            if is_there and path not in staged:
                raise _dirty(f"{path} is not tracked by git, so {untracked}")
            if path in staged and staged[path][0] == SKIPPED:
                command = self._repository.command_line("update-index", "--no-skip-worktree", path)
                raise _dirty(f"{path} has the skip-worktree bit; clear it with: {command}")
        plain = [f"{entry.mode} {entry.oid}\t{path}\0" for path, (_, entry, stage) in staged.items() if stage == "0"]
        self._run("update-index", "-z", "--index-info", stdin=to_bytes("".join(plain)))
        yield from self._status(list(on_disk))

    def _status(self, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
        for part in chunks(paths):
            output = self._run("status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames", "--", *part)
            for row in output.split(b"\0")[:-1]:
                yield to_text(row[3:]), row[:2].decode("ascii")

    def stage(self, contents: Mapping[str, bytes | None]) -> dict[str, tuple[str, bytes] | None]:
        """Stage these files from the disk, and give back mode and bytes of each as git stores it.

        Nothing but line ends may differ from `contents`; raises `SelfCheckFailed` if something does.
        """
        names = to_bytes("".join(f"{path}\0" for path in contents))
        self._run("update-index", "--add", "--remove", "-z", "--stdin", stdin=names)
        entries = {path: entry for path, (_, entry, _) in self._entries(list(contents)).items()}
        blobs = read_blobs(self._repository.git, {path: entry.oid for path, entry in entries.items()}, _NO_LIMIT)
        files: dict[str, tuple[str, bytes] | None] = {}
        for path, data in contents.items():
            stored = blobs.get(path)
            if isinstance(stored, EditBlocksError):
                raise stored
            if _text(stored) != _text(data):
                reason = f"git would store {path} otherwise than was planned; apply without {self._option}"
                raise SelfCheckFailed(reason)
            files[path] = None if stored is None else (entries[path].mode, stored)
        return files

    def is_committed(self, paths: Sequence[str]) -> bool:
        """Whether HEAD has of each of `paths` what is staged here."""
        command = ("diff-index", "--cached", "--quiet", "--no-ext-diff", "HEAD", "--")
        answers = (self._repository.git.run(*command, *part, ok_statuses=ANY_STATUS) for part in chunks(paths))
        return all(answer.status == 0 for answer in answers)

    def install(self) -> None:
        """Let it take the place of the real index."""
        self._is_complete = True
        try:
            self._copy.replace(self._index)
        except OSError as error:
            reason = f"{self._index} cannot be replaced: {reason_of(error)}"
            is_made = self._option == "--commit"
            raise RepoError(f"the commit is made, but {reason}; run git reset" if is_made else reason) from error

    def _run(self, *command: str, stdin: bytes = b"") -> bytes:
        return self._repository.git.ask(*command, stdin=stdin, options=_PLAIN)

    def _entries(self, paths: Sequence[str]) -> dict[str, tuple[str, TreeEntry, str]]:
        """Tag, entry and stage of each path that is in the index; of a conflict one of its entries."""
        entries: dict[str, tuple[str, TreeEntry, str]] = {}
        for part in chunks(paths):
            for head, path in rows(self._run("ls-files", "-v", "--stage", "-z", "--", *part)):
                tag, mode, object_id, stage = head.split()
                if path in part:
                    entries[path] = tag, TreeEntry(mode, object_id), stage
        return entries

    def _refuse_filtered(self, paths: Sequence[str]) -> None:
        """Raise `Refused` where git would change a file on its way to the index by more than its line ends."""
        names = to_bytes("".join(f"{path}\0" for path in paths))
        fields = self._run("check-attr", "-z", "--stdin", *_WATCHED, stdin=names).split(b"\0")
        for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            if value not in _UNSET:
                reason = f"{to_text(path)} has the attribute {to_text(name)}, which changes it on its way to git"
                raise Refused(f"{reason}; apply without {self._option}", ReasonCode.FILTERED)


@contextmanager
def next_index(
    repository: Repository, option: str = "--commit", sleep: Callable[[float], None] = time.sleep
) -> Iterator[NextIndex]:
    """Lock the index for as long as the block lasts, waiting for whoever else has it locked. Raises `RepoError`."""
    lock, ours = _locks(repository.git_dir)
    copy = ours.with_name("index")
    _take(lock, ours, repository.lock_seconds, sleep)
    try:
        # with its time: an entry as young as the index is one that git looks at again
        with explain_errors(".git/index", "copied"), suppress(FileNotFoundError):
            shutil.copy2(repository.git_dir / "index", copy)
        yield NextIndex(repository, copy, option)
    finally:
        lock.unlink(missing_ok=True)
        _remove(ours)


def remove_dead_lock(git_dir: Path) -> None:
    """Remove what one of us that was killed left of the index; with its lock, git would refuse to stage and commit."""
    lock, ours = _locks(git_dir)
    with suppress(OSError):
        if os.path.samestat(ours.lstat(), lock.lstat()):
            lock.unlink()
    with suppress(OSError):
        _remove(ours)


def _remove(ours: Path) -> None:
    for name in ("index", "index.lock", ours.name):
        ours.with_name(name).unlink(missing_ok=True)


def _locks(git_dir: Path) -> tuple[Path, Path]:
    """Git's lock of the index, and the file that ours is a second name of, so that it is known for ours."""
    return git_dir / "index.lock", git_dir / FOLDER / "index.ours"


def _take(lock: Path, ours: Path, seconds: float, sleep: Callable[[float], None]) -> None:
    deadline = time.monotonic() + seconds
    remove_dead_lock(lock.parent)
    while True:
        try:
            _make(lock, ours)
        except FileExistsError:
            if time.monotonic() >= deadline:
                raise RepoError(_lock_message(lock)) from None
            sleep(random.SystemRandom().uniform(0.02, 0.1))
        except OSError as error:
            raise RepoError(f"{lock} cannot be made: {reason_of(error)}; nothing was changed") from error
        else:
            return


def _make(lock: Path, ours: Path) -> None:
    ours.parent.mkdir(exist_ok=True)
    ours.touch(0o600)
    try:
        os.link(ours, lock)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: a lock as git has it, which we cannot tell from others'
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))


def _lock_message(lock: Path) -> str:
    age = 0.0
    with suppress(OSError):
        age = time.time() - lock.stat().st_mtime
    return f"{lock} is there since {age:.0f} s; remove it if no other git is at work"


def _no_filters(git: Git) -> dict[str, str]:
    """Variables under which git runs no filter of its configuration.

    Whenever git writes an index, it looks into files that are as young as that, whoever changed them. A file that a
    block touches has no filter, see `_refuse_filtered`; another one that git cannot compare is looked at again later.
    """
    keys = os.fsdecode(git.run("config", "-z", "--name-only", "--get-regexp", _FILTERS, ok_statuses=(0, 1)).output)
    settings = [(key, "false" if key.endswith(".required") else "") for key in keys.split("\0")[:-1]]
    numbered = [
        (f"GIT_CONFIG_{what}_{number}", text)
        for number, setting in enumerate(settings)
        for what, text in zip(("KEY", "VALUE"), setting, strict=True)
    ]
    return {"GIT_CONFIG_COUNT": str(len(settings)), **dict(numbered)}


def _dirty(reason: str) -> Refused:
    return Refused(reason, ReasonCode.DIRTY_FILE)


def _text(data: object) -> bytes | None:
    return data.replace(b"\r\n", b"\n") if isinstance(data, bytes) else None
