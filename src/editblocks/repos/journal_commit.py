"""After a kill in the middle of a write that goes with git: whether a commit was made, or the index replaced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editblocks.errors import RepoError
from editblocks.repos.git import ANY_STATUS
from editblocks.repos.git_trees import Loaded, chunks, read_blobs
from editblocks.repos.journal import Record, Step
from editblocks.repos.journal_entry import Change
from editblocks.repos.names import to_text
from editblocks.repos.next_index import next_index
from editblocks.repos.process import through_subprocess
from editblocks.repos.repository import open_repository
from editblocks.repos.staged_text import staged_digest, staged_entries
from editblocks.repos.tree import EXECUTABLE, FILE

_STAGED = ("--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")


def has_stood(root: Path, record: Record, changes: Sequence[Change]) -> bool | None:
    """Whether git has what `record`, which has a note, promises; None if that cannot be told.

    `changes`: all of it. What was committed and is part of another commit by now, amended or rebased, is staged.
    Raises `RepoError`, see `follow_commit`.
    """
    note = record.note or ""
    if record.step is Step.COMMITTING:
        return follow_commit(root, note) or len(staged_as_new(root, changes)) == len(changes)
    git = open_repository(root, launch=through_subprocess).git
    now = staged_digest(git, [change.path for change in changes])
    return {note[32:]: True, note[:32]: False}.get(now)  # where both are equal, nothing was to be staged


def staged_as_new(root: Path, changes: Sequence[Change]) -> set[str]:
    """The paths of which the new side is what is staged, whatever the line ends: somebody has taken them over.

    Raises `RepoError`.
    """
    git = open_repository(root, launch=through_subprocess).git
    entries = staged_entries(git, [change.path for change in changes])
    ids = {path: entry.id for path, entry in entries.items() if entry.mode in (FILE, EXECUTABLE)}
    blobs = read_blobs(git, ids, max((len(change.new.data) for change in changes if change.new), default=0))
    return {change.path for change in changes if _is_new(blobs.get(change.path), change.path in entries, change)}


def still_staged(root: Path, changes: Sequence[Change]) -> list[str]:
    """The paths of which the new side is staged, and not committed; none where no repository can be used."""
    try:
        git = open_repository(root, launch=through_subprocess).git
        parts = chunks([change.path for change in changes])
        rows = [row for part in parts for row in git.ask("diff", *_STAGED, "--", *part).split(b"\0")[:-1]]
        return sorted(staged_as_new(root, changes).intersection(map(to_text, rows))) if rows else []
    except RepoError:
        return []


def _is_new(blob: Loaded | None, is_staged: bool, change: Change) -> bool:
    """Whether the blob is the new side and not the old one, too, which differs by its line ends alone."""
    if change.new is None or not isinstance(blob, bytes):
        return change.new is None and not is_staged
    old = None if change.old is None else _plain(change.old.data)
    return old != _plain(blob) == _plain(change.new.data)


def _plain(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def follow_commit(root: Path, commit: str) -> bool:
    """Whether what is checked out at `root` has `commit`; if so, the index is brought in step with it.

    What somebody staged since stays staged. Raises `RepoError`, also while another git is at work.
    """
    repository = open_repository(root, launch=through_subprocess)
    ancestry = ("--is-ancestor", commit, "HEAD")
    if repository.git.run("merge-base", *ancestry, fine=ANY_STATUS).status:
        return False
    with next_index(repository, 0) as index:
        index.follow(commit)
        index.install()
    return True
