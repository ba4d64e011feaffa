"""What people see: the status of a source, and at the comment that caused a run one reaction or a short answer.

The status is one review, or one reply in a thread, found again by its marker and edited in place. If GitHub's answer to
a new one is lost, look again before creating another: a submitted review cannot be deleted, so a second one would stay.
A reaction that fails does not fail the run; reviews get none, a reply in a thread gets only the last one. Rules:
docs/reference/action.md, "exactly once", "commands" and "what the status says".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from editblocks.core.codes import State
from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github.context import Context, Post, fragment_of
from editblocks.hosts.github.event import COMMENT, REPLY, Comment
from editblocks.hosts.github.pull_request import PullRequest
from editblocks.report.status.answers import read_answer

SEEN, COMMITTED, NEEDS_YOU = "eyes", "rocket", "confused"
_FOR_STATE = {
    **dict.fromkeys((State.APPLIED, State.PARTIAL, State.UNDONE), COMMITTED),
    **dict.fromkeys((State.FAILED, State.REFUSED, State.STALE), NEEDS_YOU),
}
_PATHS = {COMMENT: "issues/comments", REPLY: "pulls/comments"}


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
        is_reply = self.thread is not None
        path = self.pull.path("comments", self.thread, "replies") if is_reply else self.pull.path("reviews")
        self.id, kept = self.pull.api.send("POST", path, request, "writing the status", _id_and_body)
        return kept

    def _edit(self, body: str) -> str:
        verb, path = "PUT", self.pull.path("reviews", self.id)
        if self.thread is not None:
            verb, path = "PATCH", f"/repos/{self.pull.task.repository}/pulls/comments/{self.id}"

        def edit() -> str:
            return self.pull.api.send(verb, path, {"body": body}, "editing the status", _id_and_body)[1]

        try:
            return self.pull.api.patiently(edit)
        except ApiError as error:
            if error.trouble is not Trouble.BROKEN:
                raise
        return edit()  # a broken answer does not show whether the text was saved; sending it twice does no harm


def _id_and_body(answer: Any) -> tuple[int, str]:
    return int(answer["id"]), str(answer["body"])


def _is_same(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()


class Reactions:
    """Reactions on the comment of a task. If not `is_wanted` (the setting `reactions`), none is shown."""

    def __init__(self, pull: PullRequest, is_wanted: bool) -> None:
        comment = pull.task.comment
        self._pull = pull
        self._is_wanted = is_wanted
        self._path = ""
        if comment is not None and comment.kind in _PATHS:
            self._path = f"/repos/{pull.task.repository}/{_PATHS[comment.kind]}/{comment.id}/reactions"
        self._can_take_back = comment is not None and comment.kind == COMMENT
        self._seen: int | None = None

    def see(self) -> None:
        if self._can_take_back:
            self._seen = self._react(SEEN)

    def forget(self) -> None:
        """Remove the "seen" reaction: there is nothing to do, or another reaction replaces it."""
        if self._seen is not None:
            self._best_effort("DELETE", f"{self._path}/{self._seen}", None)
            self._seen = None

    def stop(self) -> None:
        """Remove the "seen" reaction and add no more: the policy, which is read later, turns reactions off."""
        self.forget()
        self._is_wanted = False

    def has_ended(self) -> bool:
        """Whether an earlier run left a final reaction on the comment; False if GitHub does not say. One request."""
        viewer = self._pull.context.viewer

        def pick(rows: Any) -> bool:
            return any(row["content"] in {COMMITTED, NEEDS_YOU} and viewer.wrote(row) for row in rows)

        try:
            return bool(self._path) and self._pull.api.get(f"{self._path}?per_page=100", "reading reactions", pick)
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
        is_shown = self._is_wanted and self._path
        return self._best_effort("POST", self._path, {"content": content}) if is_shown else None

    def _best_effort(self, verb: str, path: str, body: dict[str, object] | None) -> int | None:
        try:
            return self._pull.api.send(verb, path, body, "reacting", lambda row: int(row["id"]) if row else None)
        except RepoError:
            return None


def answer(pull: PullRequest, text: str) -> None:
    """Post `text`, whose marker names the comment of this run, unless that has an answer already."""
    pull.api.last_words()
    if is_answered(pull):
        return
    comment, path = pull.task.comment, _comments(pull)
    if comment is not None and comment.thread is not None:
        path = f"{path}/{comment.thread}/replies"

    def post() -> None:
        pull.api.send("POST", path, {"body": text}, "answering", lambda answer: int(answer["id"]))

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
    comment, viewer = pull.task.comment, pull.context.viewer
    if comment is None:
        return False

    def pick(rows: Any) -> bool:
        return any(viewer.wrote(row) and read_answer(str(row["body"])) == comment.source for row in rows)

    query = f"?since={quote(comment.created_at)}&per_page=100"
    return pull.api.get(_comments(pull) + query, "looking for an answer", pick)


def _comments(pull: PullRequest) -> str:
    is_in_thread = pull.task.comment is not None and pull.task.comment.thread is not None
    return f"/repos/{pull.task.repository}/{'pulls' if is_in_thread else 'issues'}/{pull.task.number}/comments"
