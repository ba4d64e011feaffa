"""One source while it is worked on, and what its status says that a new text must keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Outcome
from editblocks.core.selection import Selection
from editblocks.hosts.github.posting.status import GitHubStatus
from editblocks.hosts.github.pull.context import BotCommit, Context, Post, commit_of, status_of
from editblocks.hosts.github.pull.event import Comment, Task
from editblocks.report.status.answers import refused_lines, with_refused_line
from editblocks.report.status.links import Marker
from editblocks.run.flow import ApplyRequest


@dataclass(slots=True)
class Case:
    """One source while a run works on it.

    `comment` is the comment that asked for this, with the digest of its text; the run reads it again before it
    writes. None: the text cannot change unnoticed. `post` is our status as the run found it. `known_commit` is the
    commit that an earlier or a parallel run made for the same request; `bot_commit` is that commit once it is
    verified. `is_rewound`: a parallel run made a commit and reported it, and somebody has reverted it since.
    """

    request: ApplyRequest
    status: GitHubStatus
    comment: tuple[Comment, str] | None
    is_allowed: bool = False  # the permission was asked for already
    post: Post | None = None
    known_commit: str | None = None
    bot_commit: BotCommit | None = None
    is_rewound: bool = False
    outcome: Outcome | None = None

    @property
    def body(self) -> str:
        """What our status said; empty if there was none, or somebody else has edited it."""
        return self.post.body if self.post is not None and self.post.is_untouched else ""

    def commit_since(self, posts: Sequence[Post]) -> str | None:
        """The commit that our status names among these posts for the same text, and did not when it was found."""
        response = self.request.response
        commit = commit_of(status_of(response.source.id, posts), response)
        return commit if commit != commit_of(self.post, response) else None


def done_by_status(post: Post | None, request: ApplyRequest, task: Task, context: Context) -> str | None:
    """The commit that our status names for this request. What was undone, or done in part, may be asked for anew.

    So may what has gone from the branch, by a word about another source that was given since.
    """
    if post is None or post.marker is None:
        return None
    if task.comment is None:
        return commit_of(post, request.response) if is_over(post.marker) else None
    if not is_own(task, request):
        whole = request.select is None or request.select.every
        is_anew = context.has_lost(post.marker.commit) and post.written_at < task.comment.created_at
        if not whole or post.marker.state is not State.APPLIED or is_anew:
            return None
    return commit_of(post, request.response)


def kept_commit(post: Post | None, outcome: Outcome) -> str | None:
    """The commit that a status goes on to name when its source is only looked at: it counts once."""
    is_kept = outcome.commit is None and post is not None and post.marker is not None and is_over(post.marker)
    return commit_of(post, outcome.response) if is_kept else None


def with_skips(request: ApplyRequest, post: Post | None) -> ApplyRequest:
    """The request without the blocks that people left out earlier, as long as the text is still the same."""
    marker = post.marker if post is not None and post.is_untouched else None
    if marker is None or marker.digest != request.response.digest or not (request.skip or marker.skip):
        return request
    skip = request.skip | marker.skip
    select = request.select or Selection(every=True)
    return replace(request, skip=skip, select=replace(select, skip=skip))


def is_over(marker: Marker) -> bool:
    """Whether all of a source was committed or undone once; what is only looked at since keeps the commit."""
    is_done = marker.state in (State.APPLIED, State.UNDONE)
    return is_done or (marker.commit is not None and marker.state is not State.PARTIAL)


def is_own(task: Task, request: ApplyRequest) -> bool:
    """Whether the request is about what caused this run, and not about another source."""
    return task.comment is None or task.comment.source == request.response.source.id


def is_done_by_other_run(task: Task, outcome: Outcome) -> bool:
    """Whether a response file was changed by another push during the run, whose own run has the say."""
    refusal = outcome.refusal
    return task.comment is None and refusal is not None and refusal.code is ReasonCode.SOURCE_EDITED


def kept_lines(body: str, text: str) -> str:
    """A new text of a status with the lines of an earlier one about commands that were refused."""
    for line in refused_lines(body):
        text = with_refused_line(text, line) or text
    return text
