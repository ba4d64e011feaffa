"""After a kill in the middle of a write that goes with git: whether a commit was made, or the index replaced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editblocks.repos.git import ANY_STATUS
from editblocks.repos.journal import Record, Step
from editblocks.repos.next_index import next_index
from editblocks.repos.process import through_subprocess
from editblocks.repos.repository import open_repository
from editblocks.repos.staged_text import staged_digest


def has_stood(root: Path, record: Record, paths: Sequence[str]) -> bool | None:
    """Whether git has what `record`, which has a note, promises; None if that cannot be told.

    `paths`: all that it changed. Raises `RepoError`, see `follow_commit`.
    """
    note = record.note or ""
    if record.step is Step.COMMITTING:
        return follow_commit(root, note)
    now = staged_digest(open_repository(root, launch=through_subprocess).git, paths)
    return {note[32:]: True, note[:32]: False}.get(now)  # where both are equal, nothing was to be staged


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
