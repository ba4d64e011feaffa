"""Move a branch on GitHub by compare-and-swap, and find out what became of it.

An answer that is not a yes is settled by reading the ref, never by the text of an error: a time-out may have had its
effect, and a server that says no may have been too late. Table: docs/reference/action.md, "publishing".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from github.Repository import Repository

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, EditBlocksError, HeadMoved, Refused, RepoError, Trouble, Unresolved
from editblocks.repos.github.client import PAUSES, GitHubApi, oid, text
from editblocks.repos.github.queries import UPDATE_REFS

STALE_READS = 3


class GitHubBranch:
    """A branch of a repository, whose GraphQL id is `node_id`."""

    def __init__(self, api: GitHubApi, repository: Repository, node_id: str, name: str) -> None:
        self.api = api
        self.repository = repository
        self.name = name
        self._node_id = node_id
        self._is_lost = False  # a request to move it may have had its effect unseen

    def move(self, old: str, new: str, confirm: Callable[[], None]) -> None:
        """Move the branch from `old` to `new`; `confirm` is asked after every wait.

        Raises `HeadMoved` if it is elsewhere, `Refused` if the server will not have it, `Unresolved` if nobody knows.
        """
        try:
            for pause in PAUSES:
                error = self._try(old, new)
                if error is None:
                    return
                self.api.rest(error.wait or pause)
                confirm()
            error = self._try(old, new)
            if error is not None:
                raise Unresolved(new, error.server_message)
        except EditBlocksError:
            # an answer that was lost may have had its effect, and this is the last time to find out
            if not self._is_lost or not self._is_there(old, new):
                raise

    def _try(self, old: str, new: str) -> ApiError | None:
        """Try once; None if the branch is at `new`, else what may pass by waiting."""
        variables = {"repo": self._node_id, "name": f"refs/heads/{self.name}", "old": old, "new": new}
        try:
            self.api.mutate(UPDATE_REFS, variables, "moving the branch")
            return None
        except ApiError as caught:
            error = caught
        if error.trouble in {Trouble.RETRY, Trouble.BROKEN}:
            self._is_lost = True
        outdated = old if error.trouble is Trouble.CONFLICT else None
        now = self._now(outdated)
        if self._is_at(new, now):
            return None
        if now is None:
            raise Refused("the branch was deleted; push it again and send the blocks once more", ReasonCode.CLOSED)
        if now != old:
            raise HeadMoved(f"the branch is at {now[:7]} now; try again")
        if error.trouble is not Trouble.RETRY:
            raise Refused(error.message, ReasonCode.PUBLISH_FAILED) from error
        return error

    def _is_there(self, old: str, new: str) -> bool:
        try:
            return self._is_at(new, self._now(old))
        except RepoError as error:
            raise Unresolved(new) from error

    def _now(self, outdated: str | None) -> str | None:
        """Where the branch points, None if it is gone: after two looks, as reads lag behind writes.

        A server that just refused to move it from `outdated` may still show that commit.
        """
        seen: list[str | None] = []
        while len(seen) < STALE_READS and seen != [None, None]:
            if seen:
                self.api.rest(1.0)
            tip = self.api.find("reading the branch", self._tip)
            seen.append(tip)
            if tip not in {outdated, None}:
                break
        return seen[-1]

    def _tip(self) -> str:
        return text(self.repository.get_git_ref(f"heads/{self.name}").object.sha)

    def _is_at(self, commit: str, now: str | None) -> bool:
        """Whether the branch, which is at `now`, is at `commit` or has grown from it."""
        if now is None:
            return False
        if now == commit:
            return True
        found = self.api.find("comparing commits", lambda: relation(self.repository, commit, now))
        return found is not None and found.status in {"ahead", "identical"}


class Relation(NamedTuple):
    """How a commit is related to another one, and the paths of up to 300 files that differ, old and new names."""

    status: str
    ancestor: str
    ancestor_tree: str
    paths: frozenset[str]


def relation(repository: Repository, base: str, head: str) -> Relation:
    """Ask GitHub. The commits in between are in the answer, too, but not needed."""
    answer = repository.compare(base, head, comparison_commits_per_page=1)
    ancestor = answer.merge_base_commit
    paths = {text(file.filename) for file in answer.files}
    old_paths = {text(file.previous_filename) for file in answer.files if file.previous_filename is not None}
    return Relation(text(answer.status), oid(ancestor.sha), oid(ancestor.commit.tree.sha), frozenset(paths | old_paths))
