"""What people see: the status of a source, and at the comment that caused a run one reaction or a short answer.

The status is one review, or one reply in a thread, found again by its marker and edited in place. If GitHub's answer to
a new one is lost, look again before creating another: a submitted review cannot be deleted, so a second one would stay.
A reaction that fails does not fail the run; reviews get none, a reply in a thread gets only the last one. Rules:
docs/reference/action.md, "exactly once", "commands" and "what the status says".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from github.Commit import Commit
from github.GithubObject import NotSet, Opt
from github.IssueComment import IssueComment
from github.PullRequestComment import PullRequestComment
from github.PullRequestReview import PullRequestReview
from github.Reaction import Reaction

from editblocks.core.codes import State
from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github.context import Context, Post, fragment_of
from editblocks.hosts.github.event import COMMENT, REPLY, REVIEW, Comment
from editblocks.hosts.github.pull_request import PullRequest
from editblocks.report.status.answers import read_answer
from editblocks.repos.github.client import T, text

SEEN, COMMITTED, NEEDS_YOU = "eyes", "rocket", "confused"
_FOR_STATE = {
    **dict.fromkeys((State.APPLIED, State.PARTIAL, State.UNDONE), COMMITTED),
    **dict.fromkeys((State.FAILED, State.REFUSED, State.STALE), NEEDS_YOU),
}


class GitHubStatus:
    """Our status for `source`. `about`: the comment that is the source, or the status that is known already.

    It stands in the thread of `about`, and is no older.
    """

    def __init__(self, pull: PullRequest, source: str, about: Comment | Post | None) -> None:
        self.pull = pull
        self.thread = about.thread if about is not None else None
        self._source = source
        self._since = about.created_at if about is not None else ""
        self.id: int | None = None  # of the review or the reply

    @property
    def address(self) -> str | None:
        """The URL fragment of the status, such as `discussion_r7`; None before it exists."""
        return None if self.id is None else fragment_of(self.id, self.thread)

    def find(self, context: Context) -> Post | None:
        """Find our status for the source; older pages of reviews are read back to when the source was written."""
        self.id = None
        pages = iter([context.threads]) if self.thread is not None else self.pull.review_pages(context)
        for page in pages:
            ours = [post for post in page if post.is_ours and (post.source, post.thread) == (self._source, self.thread)]
            if ours:
                self.id = ours[-1].id
                return ours[-1]
            if page and page[0].created_at < self._since:
                break
        return None

    def write(self, body: str, commit: str, inline: Sequence[Mapping[str, object]] = ()) -> None:
        """Create the status on `commit`, with comments on lines of the diff, or edit it. Raises `RepoError`."""
        kept = self._create(body, commit, inline) if self.id is None else self._edit(body)
        if not _is_same(kept, body) and not _is_same(self._edit(body), body):
            raise RepoError("GitHub keeps another text of the status than was sent; look at the pull request")

    def _create(self, body: str, commit: str, inline: Sequence[Mapping[str, object]]) -> str:
        request: dict[str, object] = {"body": body}
        if self.thread is None:
            request |= {"event": "COMMENT", "commit_id": commit} | ({"comments": list(inline)} if inline else {})
        try:
            return self._post(request)
        except ApiError as error:
            if error.trouble is Trouble.CONFLICT:
                # GitHub refuses the whole review if one commented line is outside the diff, or if a force-push
                # removed the commit from the pull request.
                if request.pop("comments", None) is not None:
                    return self._create(body, commit, ())
                request.pop("commit_id", None)
            elif error.trouble in {Trouble.RETRY, Trouble.BROKEN}:  # it may have created the status
                if error.wait:
                    self.pull.api.rest(error.wait)
                self.pull.look_until(self.find)
                if self.id is not None:
                    return self._edit(body)
            else:
                raise
        return self._post(request)

    def _post(self, request: Mapping[str, object]) -> str:
        self.id, kept = self.pull.api.once("writing the status", lambda: _id_and_body(self._send(request)))
        return kept

    def _send(self, request: Mapping[str, Any]) -> PullRequestComment | PullRequestReview:
        pull = self.pull.rest_pull
        if self.thread is not None:
            return pull.create_review_comment_reply(self.thread, request["body"])
        commit: Opt[Commit] = NotSet
        if "commit_id" in request:
            commit = Commit(pull.requester, {}, {"sha": request["commit_id"]}, completed=True)
        comments = request.get("comments", [])
        return pull.create_review(commit, request["body"], request["event"], comments)

    def _edit(self, body: str) -> str:
        pull = self.pull.rest_pull
        if self.id is None:
            raise ValueError("there is no status yet")
        number = self.id

        def send() -> str:
            # each time a new object, so that no text but that of the answer is read
            status: PullRequestComment | PullRequestReview = pull.get_review_comment(number)
            if self.thread is None:
                status = PullRequestReview(pull.requester, {}, {"id": number, "pull_request_url": pull.url})
            status.edit(body)
            return _id_and_body(status)[1]

        def edit() -> str:
            return self.pull.api.once("editing the status", send)

        try:
            return self.pull.api.patiently(edit)
        except ApiError as error:
            if error.trouble is not Trouble.BROKEN:
                raise
        return edit()  # a broken answer does not show whether the text was saved; sending it twice does no harm


def _id_and_body(answer: PullRequestComment | PullRequestReview) -> tuple[int, str]:
    return int(answer.id), text(answer.body)


def _is_same(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()


class Reactions:
    """Reactions on the comment of a task. If not `is_wanted` (the setting `reactions`), none is shown."""

    def __init__(self, pull: PullRequest, is_wanted: bool) -> None:
        comment = pull.task.comment
        self._pull = pull
        self._is_wanted = is_wanted
        self._kind = comment.kind if comment is not None else REVIEW
        self._number = comment.id if comment is not None else 0
        self._seen: int | None = None

    @property
    def _comment(self) -> IssueComment | PullRequestComment | None:
        """The comment, of which nothing is read; None where GitHub has no reactions."""
        if self._kind == COMMENT:
            return self._pull.rest_issue.get_comment(self._number)
        if self._kind == REPLY:
            return self._pull.rest_pull.get_review_comment(self._number)
        return None

    def see(self) -> None:
        if self._kind == COMMENT:
            self._seen = self._react(SEEN)

    def forget(self) -> None:
        """Remove the "seen" reaction: there is nothing to do, or another reaction replaces it."""
        comment = self._comment
        if self._seen is not None and comment is not None:
            number = self._seen
            self._best_effort(lambda: comment.delete_reaction(number))
            self._seen = None

    def stop(self) -> None:
        """Remove the "seen" reaction and add no more: the policy, which is read later, turns reactions off."""
        self.forget()
        self._is_wanted = False

    def has_ended(self) -> bool:
        """Whether an earlier run left a final reaction on the comment; False if GitHub does not say. One request."""
        comment = self._comment
        viewer = self._pull.context.viewer
        if comment is None:
            return False

        def is_final(row: Reaction) -> bool:
            return row.content in {COMMITTED, NEEDS_YOU} and viewer.wrote(row)

        pages = self._pull.api.pages("reading reactions", f"{comment.url}/reactions", Reaction, is_final)
        try:
            return any(map(any, pages))
        except RepoError:
            return False

    def show(self, content: str) -> None:
        self._react(content)
        self.forget()

    def show_state(self, state: State) -> None:
        """Show the reaction for the state of a response; after a check "seen" stays, as a person still decides."""
        if state in _FOR_STATE:
            self.show(_FOR_STATE[state])
        elif state is not State.CHECKED:
            self.forget()

    def _react(self, content: str) -> int | None:
        comment = self._comment
        if comment is None or not self._is_wanted:
            return None
        return self._best_effort(lambda: int(comment.create_reaction(content).id))

    def _best_effort(self, step: Callable[[], T]) -> T | None:
        try:
            return self._pull.api.once("reacting", step)
        except RepoError:
            return None


def answer(pull: PullRequest, text: str) -> None:
    """Post `text`, whose marker names the comment of this run, unless that has an answer already."""
    pull.api.last_words()
    if is_answered(pull):
        return
    comment = pull.task.comment
    thread = comment.thread if comment is not None else None

    def send() -> int:
        if thread is not None:
            return int(pull.rest_pull.create_review_comment_reply(thread, text).id)
        return int(pull.rest_issue.create_comment(text).id)

    def post() -> None:
        pull.api.once("answering", send)

    try:
        post()
    except ApiError as error:
        if error.trouble not in {Trouble.RETRY, Trouble.BROKEN}:
            raise
        if error.wait:
            pull.api.rest(error.wait)
        if not is_answered(pull):
            post()


def is_answered(pull: PullRequest) -> bool:
    """Whether the command of this run has a short answer: then it was not and will not be carried out. One request."""
    comment = pull.task.comment
    viewer = pull.context.viewer
    if comment is None:
        return False

    def is_answer(row: IssueComment | PullRequestComment) -> bool:
        return viewer.wrote(row) and read_answer(text(row.body)) == comment.source

    query = f"/comments?since={quote(comment.created_at)}"
    what = "looking for an answer"
    if comment.thread is not None:
        return any(map(any, pull.api.pages(what, pull.rest_pull.url + query, PullRequestComment, is_answer)))
    return any(map(any, pull.api.pages(what, pull.rest_issue.url + query, IssueComment, is_answer)))
