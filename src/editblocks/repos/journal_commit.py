"""After a kill in the middle of a commit of a checked-out branch: whether it was made, and the index after it."""

from __future__ import annotations

from pathlib import Path

from editblocks.repos.git import ANY_STATUS
from editblocks.repos.next_index import next_index
from editblocks.repos.process import through_subprocess
from editblocks.repos.repository import open_repository


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
