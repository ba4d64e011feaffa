"""What a run works on: a source with its status, its request, and the commit that an earlier run made for it."""

from __future__ import annotations

from dataclasses import dataclass

from editblocks.core.blocks import Problem
from editblocks.core.digests import response_digest
from editblocks.core.outcome import Outcome, Refusal, Response
from editblocks.core.selection import Selection
from editblocks.core.typed import NamedTuple
from editblocks.hosts.github.context import BotCommit, Post
from editblocks.hosts.github.event import Comment
from editblocks.hosts.github.status import GitHubStatus
from editblocks.repos.stores.github_repo import GitHubRepo
from editblocks.run.plan import ApplyRequest


class SourceResponse(NamedTuple):
    """A response, and the comment that it came from. `problem`: why a file cannot be read; its text is empty then."""

    response: Response
    comment: Comment | None = None
    problem: Problem | None = None

    @property
    def fault(self) -> Refusal | None:
        """Why it cannot be used as a whole."""
        if self.problem is not None:
            return Refusal(self.problem.code, self.problem.what, self.problem.advice)
        return self.comment.fault if self.comment is not None else None


@dataclass(slots=True)
class Case:
    """One source while a run works on it."""

    request: ApplyRequest
    status: GitHubStatus
    is_allowed: bool = False  # the permission was checked already
    post: Post | None = None  # our status as the run found it
    known_commit: str | None = None  # that an earlier or a parallel run made for the same request
    unreported: BotCommit | None = None  # that commit if no status names it
    is_rewound: bool = False  # a parallel run reported a commit that has gone from the branch since
    outcome: Outcome | None = None


class SkippedFile(NamedTuple):
    """A response file that this run leaves alone, as an earlier one applied it. `is_kept`: the settings keep it."""

    path: str
    code: str
    explanation: str
    is_kept: bool = False


def is_there(repo: GitHubRepo, response: Response) -> bool:
    """Whether the file of a response is unchanged in `repo`; True if it came from no file. Raises `RepoError`."""
    path = response.source.path
    if path is None or not response.blob:
        return True
    repo.prefetch([path.rpartition("/")[0]])
    return repo.oid(path) == response.blob


def with_skips(request: ApplyRequest, post: Post | None) -> ApplyRequest:
    """Leave out the blocks that people skipped earlier, if the text is the same and nobody else edited the status."""
    marker = post.marker if post is not None and post.is_untouched else None
    if marker is None or marker.digest != response_digest(request.response) or not (request.skip or marker.skip):
        return request
    skip = request.skip | marker.skip
    select = request.select or Selection(every=True)
    return request._replace(skip=skip, select=select._replace(skip=skip))
