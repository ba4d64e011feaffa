"""The index as it will be after a commit: made beside the real one, which stays locked until it is replaced.

This is git's own protocol: whoever holds `index.lock` is the only one who stages or commits in a
working tree, and the new index takes the place of the old one by a rename. A failure before that
leaves the real index as it was, whatever the user had staged in it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, Refused, RepoError, SelfCheckFailed, reason_of
from editblocks.repos.files.names import to_bytes, to_text
from editblocks.repos.files.regular_files import explain_errors, refuse_odd_attributes
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES, TreeEntry
from editblocks.repos.git.command import ANY_STATUS, Git, Mode
from editblocks.repos.git.quarantine import quarantine
from editblocks.repos.git.repository import Repository
from editblocks.repos.git.trees import chunks, read_blobs, rows
from editblocks.repos.index.lock import remove_copies, take_index
from editblocks.repos.index.sparse_checkout import SKIPPED
from editblocks.repos.index.staged_files import staged_digest

_WATCHED = ("filter", "ident", "working-tree-encoding")
_UNSET = (b"unspecified", b"unset")
_PLAIN = ("core.ignoreStat=false",)  # else git would take a new entry for unchanged without looking
_FILTERS = r"^filter\..*\.(clean|process|required)$"
_ABSENT = "000000"


class NextIndex:
    """A copy of the index, and what `git add` makes of files in it. `option` is what a person asked for it with."""

    def __init__(self, repository: Repository, index: Path, temp: Path, option: str = "--commit") -> None:
        variables = {"GIT_INDEX_FILE": str(temp), **_no_filters(repository.git)}
        self._repository = replace(repository, git=repository.git.with_environment(variables))
        self._options = (*_PLAIN, *attributes_file(repository.git))
        self._index = index
        self._temp = temp
        self._option = option
        self._is_complete = False

    @property
    def is_installed(self) -> bool:
        """Whether it has taken the place of the real index."""
        return self._is_complete and not self._temp.exists()

    def refuse_unclean(self, before: Mapping[str, bytes | None]) -> None:
        """Raise `Refused` unless each of these files is what HEAD has, staged and on disk, and stored as it is.

        `before` holds what is on disk. Contents are compared, not times of change: git's notes about
        a file may be out of date or told to ignore it.
        """
        for path, _ in self._statuses(before, "the commit would take all of it along; commit it first"):
            raise _dirty(f"{path} has changes that are not committed; commit or stash them first")

    def refuse_unstaged(self, before: Mapping[str, bytes | None]) -> None:
        """Raise `Refused` unless each of these files is on disk what is staged, whatever HEAD has; see above."""
        output = b"".join(
            self._repository.git.ask("ls-files", "--unmerged", "-z", "--", *part) for part in chunks(list(before))
        )
        for _, path in rows(output):
            raise Refused(f"{path} is in conflict; resolve it and stage it first", ReasonCode.PATH_CONFLICT)
        for path, status in self._statuses(before, "all of it would be staged; git add it first"):
            if status[1:] != " ":
                raise _dirty(f"{path} has unstaged changes; git add it, or stash what is not staged")

    def _statuses(self, before: Mapping[str, bytes | None], untracked: str) -> Iterator[tuple[str, str]]:
        """Path and status (two letters, as `git status` has them) of those files that are not what HEAD has."""
        self._refuse_filtered(list(before))
        git, staged = self._repository.git, self._entries(list(before))
        for path, data in before.items():
            if data is not None and path not in staged:
                raise _dirty(f"{path} is not tracked by git, so {untracked}")
            if path in staged and staged[path][0] == SKIPPED:
                command = self._repository.command_line("update-index", "--no-skip-worktree", path)
                raise _dirty(f"{path} has the skip-worktree bit; clear it with: {command}")
        lines = [f"{entry.mode} {entry.oid}\t{path}\0" for path, (_, entry) in staged.items()]
        git.run("update-index", "-z", "--index-info", stdin=to_bytes("".join(lines)), options=self._options)
        for part in chunks(list(before)):
            status = ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames")
            for row in git.run(*status, "--", *part, options=self._options).output.split(b"\0")[:-1]:
                yield to_text(row[3:]), row[:2].decode("ascii")

    def add(self, contents: Mapping[str, bytes | None], *, stores: bool = False) -> dict[str, tuple[str, bytes] | None]:
        """Stage these files from the disk, and give back mode and bytes of each as git is going to store it.

        Nothing but line ends may differ from `contents`; raises `SelfCheckFailed` if something does. Unless it
        `stores` the objects, they have to come again with the commit.
        """
        with quarantine(self._repository) as (apart, take_in):
            names = to_bytes("".join(f"{path}\0" for path in contents))
            apart.git.run("update-index", "--add", "--remove", "-z", "--stdin", stdin=names, options=self._options)
            entries = {path: entry for path, (_, entry) in self._entries(list(contents)).items()}
            ids = {path: entry.oid for path, entry in entries.items()}
            blobs = read_blobs(apart.git, ids, MAX_FILE_BYTES)
            files: dict[str, tuple[str, bytes] | None] = {}
            for path, data in contents.items():
                stored = blobs.get(path)
                if isinstance(stored, EditBlocksError):
                    raise stored
                if _text(stored) != _text(data):
                    reason = f"git would store {path} otherwise than was planned; apply without {self._option}"
                    raise SelfCheckFailed(reason)
                files[path] = None if stored is None else (entries[path].mode, stored)
            if stores:
                take_in()
        return files

    def digest(self, paths: Collection[str]) -> str:
        """What stands for the entries of `paths`, see `staged_text.staged_digest`."""
        return staged_digest(self._repository.git, list(paths))

    def install(self) -> None:
        """Let it take the place of the real index."""
        self._is_complete = True
        try:
            self._temp.replace(self._index)
        except OSError as error:
            reason = f"{self._index} cannot be replaced: {reason_of(error)}"
            is_made = self._option == "--commit"
            raise RepoError(f"the commit is made, but {reason}; run git reset" if is_made else reason) from error

    def follow(self, commit: str) -> None:
        """Stage what `commit` changed, as far as what is staged there now is what was there before it."""
        rows = _changes(self._repository.git, commit)
        staged = self._entries(list(rows))
        lines = [
            f"{new.mode} {new.oid}\t{path}\0"
            for path, (old, new) in rows.items()
            if (staged[path][1] if path in staged else None) == (None if old.mode == _ABSENT else old)
        ]
        git = self._repository.git
        git.run("update-index", "-z", "--index-info", stdin=to_bytes("".join(lines)), options=self._options)
        git.run(
            "update-index", "-q", "--refresh", options=self._options, ok_statuses=ANY_STATUS
        )  # not what the files hold

    def _entries(self, paths: Sequence[str]) -> dict[str, tuple[str, TreeEntry]]:
        """Tag and entry of each path that is in the index; conflicting ones have more than one, and one is kept."""
        entries: dict[str, tuple[str, TreeEntry]] = {}
        for part in chunks(paths):
            output = self._repository.git.ask("ls-files", "-v", "--stage", "-z", "--", *part)
            for head, path in rows(output):
                tag, mode, object_id, _ = head.split()
                if path in part:
                    entries[path] = tag, TreeEntry(mode, object_id)
        return entries

    def _refuse_filtered(self, paths: Sequence[str]) -> None:
        """Attributes outside the tree count here too: git's own info/attributes, and the user's."""
        users = (Path(option.partition("=")[2]).expanduser() for option in self._options[len(_PLAIN) :])
        refuse_odd_attributes(self._repository.git.directory, paths, (self._repository.attributes, *users))
        names = to_bytes("".join(f"{path}\0" for path in paths))
        answer = self._repository.git.run("check-attr", "-z", "--stdin", *_WATCHED, stdin=names, options=self._options)
        fields = answer.output.split(b"\0")
        for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            if value not in _UNSET:
                reason = f"{to_text(path)} has the attribute {to_text(name)}, which changes it on its way to git"
                raise Refused(f"{reason}; apply without {self._option}", ReasonCode.FILTERED)


@contextmanager
def next_index(
    repository: Repository,
    seconds: float,
    sleep: Callable[[float], None] = time.sleep,
    option: str = "--commit",
) -> Iterator[NextIndex]:
    """Lock the index for as long as the block lasts, waiting at most `seconds` for whoever else has it locked."""
    index = repository.git_dir / "index"
    lock = index.with_name("index.lock")
    temp = index.with_name(f"editblocks-{secrets.token_hex(8)}.index")
    descriptor = take_index(lock, seconds, sleep)
    try:
        remove_copies(index.parent)  # of a process that was killed
        # with its time: an entry as young as the index is one that git looks at again
        with explain_errors(".git/index", "copied"), suppress(FileNotFoundError):
            shutil.copy2(index, temp)
        yield NextIndex(repository, index, temp, option)
    finally:
        for left in (temp, temp.with_name(f"{temp.name}.lock"), lock):
            left.unlink(missing_ok=True)
        os.close(descriptor)


def attributes_file(git: Git) -> tuple[str, ...]:
    """The setting that gives git the user's own attributes again: with others it would store other line ends."""
    if git.mode is not Mode.USER:
        return ()
    answer = git.run("config", "--show-scope", "-z", "--get-all", "core.attributesFile", ok_statuses=(0, 1))
    fields = [os.fsdecode(field) for field in answer.output.split(b"\0")[:-1]]
    values = [value for scope, value in zip(fields[::2], fields[1::2], strict=True) if scope != "command"]
    home = git.environment.get("XDG_CONFIG_HOME") or f"{git.environment.get('HOME', '')}/.config"
    return (f"core.attributesFile={values[-1] if values else f'{home}/git/attributes'}",)


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


def _changes(git: Git, commit: str) -> dict[str, tuple[TreeEntry, TreeEntry]]:
    """What `commit` did to each path: mode and id before and after, the mode 000000 where there is no file."""
    options = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv")
    fields = git.ask("diff-tree", "--root", "--no-commit-id", *options, commit).split(b"\0")[:-1]
    rows = {}
    for head, path in zip(fields[::2], fields[1::2], strict=True):
        old_mode, mode, old_id, object_id, _ = head.decode("ascii").removeprefix(":").split()
        rows[to_text(path)] = TreeEntry(old_mode, old_id), TreeEntry(mode, object_id)
    return rows


def _dirty(reason: str) -> Refused:
    return Refused(reason, ReasonCode.DIRTY_FILE)


def _text(data: object) -> bytes | None:
    return data.replace(b"\r\n", b"\n") if isinstance(data, bytes) else None
