"""What git has of a write that goes with it: whether a commit was made and stands, or the index was replaced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editblocks.core.errors import RepoError
from editblocks.repos.files.names import to_text
from editblocks.repos.files.tree_modes import EXECUTABLE, FILE
from editblocks.repos.git.command import ANY_STATUS, Git
from editblocks.repos.git.process import through_subprocess
from editblocks.repos.git.repository import open_repository
from editblocks.repos.git.trees import Loaded, chunks, read_blobs
from editblocks.repos.index.next_index import next_index
from editblocks.repos.index.staged_files import staged_digest, staged_entries
from editblocks.repos.journal.entry import FileChange
from editblocks.repos.journal.journal import Record, WritePhase

_STAGED = ("--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")


def has_stood(root: Path, record: Record, changes: Sequence[FileChange]) -> bool | None:
    """Whether git has what `record`, which has a note, promises; None if that cannot be told.

    `changes`: all of it. What was committed and is part of another commit by now, amended or rebased, is staged.
    Raises `RepoError`, see `follow_commit`.
    """
    note = record.note or ""
    if record.step is WritePhase.COMMITTING:
        return follow_commit(root, note) or len(staged_as_new(root, changes)) == len(changes)
    git = open_repository(root, launch=through_subprocess).git
    now = staged_digest(git, [change.path for change in changes])
    return {note[32:]: True, note[:32]: False}.get(now)  # where both are equal, nothing was to be staged


def staged_as_new(root: Path, changes: Sequence[FileChange]) -> set[str]:
    """The paths of which the new side is what is staged, whatever the line ends: somebody has taken them over.

    Raises `RepoError`.
    """
    git = open_repository(root, launch=through_subprocess).git
    entries = staged_entries(git, [change.path for change in changes])
    ids = {path: entry.oid for path, entry in entries.items() if entry.mode in (FILE, EXECUTABLE)}
    blobs = read_blobs(git, ids, max((len(change.new.data) for change in changes if change.new), default=0))
    return {change.path for change in changes if _is_new(blobs.get(change.path), change.path in entries, change)}


def still_staged(root: Path, changes: Sequence[FileChange]) -> list[str]:
    """The paths of which the new side is staged, and not committed; none where no repository can be used."""
    try:
        git = open_repository(root, launch=through_subprocess).git
        parts = chunks([change.path for change in changes])
        rows = [row for part in parts for row in git.ask("diff", *_STAGED, "--", *part).split(b"\0")[:-1]]
        return sorted(staged_as_new(root, changes).intersection(map(to_text, rows))) if rows else []
    except RepoError:
        return []


def _is_new(blob: Loaded | None, is_staged: bool, change: FileChange) -> bool:
    """Whether the blob is the new side and not the old one, too, which differs by its line ends alone."""
    if change.new is None or not isinstance(blob, bytes):
        return change.new is None and not is_staged
    old = None if change.old is None else _plain(change.old.data)
    return old != _plain(blob) == _plain(change.new.data)


def _plain(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def why_gone(root: Path, commit: str, changes: Sequence[FileChange]) -> str | None:
    """Why there is nothing left of `commit`, all of whose changes are `changes`, to take back; None if there is.

    Amended or rebased it is another one, which still has them. Raises `RepoError`.
    """
    git = open_repository(root, launch=through_subprocess).git
    if _is_reached(git, commit):
        return "which is reverted" if _is_reverted(git, commit) else None
    return None if len(staged_as_new(root, changes)) == len(changes) else "which is not in the history of HEAD"


def _is_reverted(git: Git, commit: str) -> bool:
    """Whether the history of HEAD has a `git revert` of `commit` that is not itself reverted since."""
    is_reverted = False
    while True:
        words = f"--grep=This reverts commit {commit}"  # git goes on with a dot, or with a comma after a merge
        commits = git.ask("rev-list", "--max-count=1", "--fixed-strings", words, f"{commit}..HEAD").decode("ascii")
        if not commits:
            return is_reverted
        commit, is_reverted = commits.strip(), not is_reverted


def _is_reached(git: Git, commit: str) -> bool:
    return git.run("merge-base", "--is-ancestor", commit, "HEAD", ok_statuses=ANY_STATUS).status == 0


def follow_commit(root: Path, commit: str) -> bool:
    """Whether what is checked out at `root` has `commit`; if so, the index is brought in step with it.

    What somebody staged since stays staged. Raises `RepoError`, also while another git is at work.
    """
    repository = open_repository(root, launch=through_subprocess)
    if not _is_reached(repository.git, commit):
        return False
    with next_index(repository, 0) as index:
        index.follow(commit)
        index.install()
    return True
