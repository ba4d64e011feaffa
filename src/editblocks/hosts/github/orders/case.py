"""One source while a run works on it, and the parts of its old status that a new text must keep."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editblocks.core.codes import State
from editblocks.core.outcome import Outcome
from editblocks.core.selection import Selection
from editblocks.hosts.github.posting.status import GitHubStatus
from editblocks.hosts.github.pull.context import BotCommit, Context, Post
from editblocks.hosts.github.pull.event import Task
from editblocks.report.status.answers import refused_lines, with_refused_line
from editblocks.report.status.links import Marker
from editblocks.run.flow import ApplyRequest


@dataclass(slots=True)
class Case:
    """One source while a run works on it.

    `post` is our status as the run found it. `known_commit` is the commit that an earlier or a parallel run made for
    the same request; `unreported` is that commit if no status names it. `is_rewound`: a parallel run made a commit and
    reported it, but the commit has gone from the branch since.
    """

    request: ApplyRequest
    status: GitHubStatus
    is_allowed: bool = False  # the permission was checked already
    post: Post | None = None
    known_commit: str | None = None
    unreported: BotCommit | None = None
    is_rewound: bool = False
    outcome: Outcome | None = None

    @property
    def body(self) -> str:
        """The text of our status before this run; empty if there was none, or somebody else has edited it."""
        return self.post.body if self.post is not None and self.post.is_untouched else ""


def done_by_status(post: Post | None, request: ApplyRequest, task: Task, context: Context) -> str | None:
    """The commit that our status names for this request; None if there is none or the request may run again.

    A later command from another comment may ask again for a source that was undone or applied in part, or whose commit
    has gone from the branch.
    """
    if post is None or post.marker is None:
        return None
    if task.comment is None:
        return post.commit_for(request.response) if is_over(post.marker) else None
    if not is_own(task, request):
        whole = request.select is None or request.select.every
        is_anew = context.has_lost(post.marker.commit) and post.written_at < task.comment.created_at
        if not whole or post.marker.state is not State.APPLIED or is_anew:
            return None
    return post.commit_for(request.response)


def kept_commit(post: Post | None, outcome: Outcome) -> str | None:
    """The commit that a status keeps naming when this run made none and the source was applied or undone before."""
    if outcome.commit is not None or post is None or post.marker is None or not is_over(post.marker):
        return None
    return post.commit_for(outcome.response)


def with_skips(request: ApplyRequest, post: Post | None) -> ApplyRequest:
    """Leave out the blocks that people skipped earlier, if the text is the same and nobody else edited the status."""
    marker = post.marker if post is not None and post.is_untouched else None
    if marker is None or marker.digest != request.response.digest or not (request.skip or marker.skip):
        return request
    skip = request.skip | marker.skip
    select = request.select or Selection(every=True)
    return replace(request, skip=skip, select=replace(select, skip=skip))


def is_over(marker: Marker) -> bool:
    """Whether all of a source was committed or undone once; its marker keeps the commit through later checks."""
    is_done = marker.state in (State.APPLIED, State.UNDONE)
    return is_done or (marker.commit is not None and marker.state is not State.PARTIAL)


def is_own(task: Task, request: ApplyRequest) -> bool:
    """Whether the request is about the comment or push that caused this run, and not about another source."""
    return task.comment is None or task.comment.source == request.response.source.id


def kept_lines(body: str, text: str) -> str:
    """Add to a new status text the lines about refused commands that the old text (`body`) has."""
    for line in refused_lines(body):
        text = with_refused_line(text, line) or text
    return text
