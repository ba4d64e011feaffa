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
    waits: bool = False  # an earlier one that it corrects is only committed after a command
    skip: frozenset[int] = frozenset()  # the blocks of it that people skipped

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

    @property
    def has_gone_on(self) -> bool:
        """Whether a later answer corrects it: it is planned there, and no more by itself."""
        marker = self.post.marker if self.post is not None else None
        own = response_digest(self.request.response)
        return marker is not None and marker.next is not None and marker.digest == own


class SkippedFile(NamedTuple):
    """A response file that this run leaves alone, as an earlier one applied it. `is_kept`: the settings keep it."""

    path: str
    code: str
    explanation: str
    is_kept: bool = False


def is_there(repo: GitHubRepo, response: Response) -> bool:
    """Whether the files of a response are unchanged in `repo`; True if it came from no file. Raises `RepoError`."""
    return not changed_file(repo, response)


def changed_file(repo: GitHubRepo, response: Response) -> str:
    """The first file of a response, or of those that it corrects, that is another one in `repo`; empty if none is."""
    files = [(each.source.path, each.blob) for each in response.rounds if each.source.path is not None and each.blob]
    if files:
        repo.prefetch([path.rpartition("/")[0] for path, _ in files])
    return next((path for path, blob in files if repo.oid(path) != blob), "")


def with_skips(request: ApplyRequest, post: Post | None) -> ApplyRequest:
    """Leave out the blocks that people skipped earlier, if the text is the same and nobody else edited the status."""
    marker = post.marker if post is not None and post.is_untouched else None
    if marker is None or marker.digest != response_digest(request.response) or not (request.skip or marker.skip):
        return request
    skip = request.skip | marker.skip
    select = request.select or Selection(every=True)
    return request._replace(skip=skip, select=select._replace(skip=skip))
