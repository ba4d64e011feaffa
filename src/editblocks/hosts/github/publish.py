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

from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ApiError, EditBlocksError, RepoError, Trouble
from editblocks.core.outcome import Outcome
from editblocks.core.typed import NamedTuple
from editblocks.hosts.github.event import COMMENT, REPLY
from editblocks.hosts.github.history import commit_made_for, done_by_status, kept_commit
from editblocks.hosts.github.plan import COMMITTED, NEEDS_YOU, Case, command_prefix
from editblocks.hosts.github.pull_request import PullRequest
from editblocks.hosts.github.state import (
    WORKFLOW_LOGIN,
    GitHubState,
    Head,
    Place,
    Post,
    Pull,
    Rules,
    fragment_of,
    status_in,
)
from editblocks.report.status.answers import read_answer, refused_lines, with_refused_line
from editblocks.report.status.inline_comments import fixed_inline, hunks_of, inline_comments, read_inline
from editblocks.report.status.links import Links, Page, StartedCheck
from editblocks.report.status.markdown import LIMIT, status
from editblocks.report.view import OutcomeView

SEEN = "eyes"
MOMENT = 3.0  # seconds that a run which has just committed gets to write its status
FILE_PAGES, FILES = 3, 100  # of the files that the pull request changes
_FOR_STATE = {
    **dict.fromkeys((State.APPLIED, State.PARTIAL, State.UNDONE), COMMITTED),
    **dict.fromkeys((State.FAILED, State.REFUSED, State.STALE), NEEDS_YOU),
}
_COMMENTS = {COMMENT: "issues/comments", REPLY: "pulls/comments"}


class Race(NamedTuple):
    """What a request met on its way: how often it was planned, and whether a parallel run's commit has gone again."""

    rounds: int = 0
    is_rewound: bool = False


class Published(NamedTuple):
    """What came of one source, and where people see it."""

    case: Case
    outcome: Outcome
    race: Race = Race()
    known: str | None = None  # the commit of another run that carried out the same
    address: str | None = None  # the URL fragment of the status
    checks: tuple[StartedCheck, ...] = ()
    warnings: tuple[str, ...] = ()
    error: EditBlocksError | None = None  # why the status could not be written


class Desk(NamedTuple):
    """What a plan is carried out with: GitHub, what it said, the settings in force, and our reactions."""

    reader: PullRequest
    state: GitHubState
    rules: Rules
    reactions: Reactions

    def at(self, head: Head) -> Desk:
        """The same after this run moved the branch to `head`."""
        pull = self.state.pull
        moved = pull._replace(head=head, commits=pull.commits | {head.commit})
        return self._replace(state=self.state._replace(pull=moved))


def publish(desk: Desk, case: Case, outcome: Outcome, race: Race, checks: tuple[StartedCheck, ...] = ()) -> Published:
    """Write the status and the reaction for an outcome, unless another run does; what fails is in the value."""
    published = Published(case, outcome, race, case.done, case.address, checks)
    event = desk.state.event
    desk.reader.api.last_words()
    if event.number is None or refusal_code(outcome) is ReasonCode.BAD_COMMAND:
        return published  # no pull request to write to, or a short answer is posted instead
    if desk.state.only_reads:
        warning = "no status: the token of a pull request from a fork only reads; see the job summary"
        return published._replace(warnings=(warning,))
    try:
        known = _reported(desk, case, outcome, race)
        if known is not None:
            desk.reactions.forget()
            return published._replace(known=known or case.done)
        number = _write(desk, published)
        desk.reactions.show_state(outcome.state)
    except EditBlocksError as error:
        # GitHub gives some runs of a push a token that only reads: the job itself says how it went
        if event.comment is None and isinstance(error, ApiError) and error.trouble is Trouble.REFUSED:
            return published._replace(warnings=(f"the status could not be written: {error.message}",))
        return published._replace(error=error)
    return published._replace(address=fragment_of(number, case.place.thread))


def rendered(desk: Desk, published: Published, limit: int = LIMIT) -> str:
    """Return the text of the status, at most `limit` characters."""
    case, outcome, state = published.case, published.outcome, desk.state
    source = outcome.response.source
    # during the run, so that the status shows an older text
    is_edited = refusal_code(outcome) is ReasonCode.SOURCE_EDITED and case.request.refusal is None
    site, event = state.site, state.event
    links = Links(site.server, event.repository, event.number or 0, source.id, site.run_id, site.docs, source.path)
    page = Page(
        site.version,
        links=links,
        branch=state.pull.branch,
        # a commit by GITHUB_TOKEN starts no workflow
        checks_wait=state.pull.viewer.login == WORKFLOW_LOGIN,
        checks=published.checks,
        reply=None if is_edited or published.race.is_rewound else command_prefix(state, desk.rules),
        done=kept_commit(case.post, outcome),
        role=desk.rules.settings.permission,
    )
    return status(OutcomeView(outcome), page, limit)


def refusal_code(outcome: Outcome) -> ReasonCode | None:
    return outcome.refusal.code if outcome.refusal is not None else None


def _write(desk: Desk, published: Published) -> int:
    """Write the status; gives the number of the review or the reply."""
    case, outcome = published.case, published.outcome
    post, body = case.post, rendered(desk, published)
    if post is not None and post.is_untouched:
        for line in refused_lines(post.body):
            body = with_refused_line(body, line) or body
    if post is not None:
        edit_status(desk.reader, case.place, post.id, body)
        number = post.id
    else:
        commit = outcome.head or desk.state.pull.head.commit
        number = _create(desk.reader, case.place, body, commit, _in_diff(desk, case, outcome))
    _shorten_inline(desk, outcome)
    return number


def _reported(desk: Desk, case: Case, outcome: Outcome, race: Race) -> str | None:
    """The commit that another run reports for the same request, "" if it made none; None if this run is to report."""
    is_file, is_new = desk.state.event.comment is None, case.post is None
    is_sure = outcome.unresolved is not None or outcome.state is State.UNDONE
    has_lost_race = race.rounds > 1 and not outcome.written and not is_sure
    # if a push changed the response file, the run of that push reports on it
    is_of_another = is_file and refusal_code(outcome) is ReasonCode.SOURCE_EDITED and not is_sure
    if (race.is_rewound and not is_sure) or (is_of_another and not has_lost_race):
        return ""
    # a second review could not be deleted; of a response file, GitHub's first answer may have lacked the status
    if case.unreported is None and not has_lost_race and not (is_new and (is_file or not outcome.written)):
        return None
    if case.unreported is not None:  # the run that made it was killed, or is about to report it
        desk.reader.api.rest(MOMENT)
    try:
        pull = desk.reader.look()
        post = find_status(desk.reader, pull, case.place)
    except ApiError:
        return "" if is_of_another else None  # two statuses are better than none
    event = desk.state.event
    in_status = done_by_status(post, case.request, event, pull)
    made = commit_made_for(case.request, event, pull.bot_commits) if has_lost_race else None
    if in_status is None and made is None and not is_of_another:
        return None
    return in_status or (made.commit if made is not None else "")


# the status


def find_status(reader: PullRequest, pull: Pull, place: Place) -> Post | None:
    """Find our status; older pages of reviews are read back to when its source was written. Raises `RepoError`."""
    if place.thread is not None:
        return status_in(reversed(pull.threads), place)
    for page in reader.review_pages(pull):
        post = status_in(reversed(page), place)
        if post is not None or (page and page[0].created_at < place.since):
            return post
    return None


def edit_status(reader: PullRequest, place: Place, number: int, body: str) -> None:
    """Give our status a new text. Raises `RepoError`."""
    _insist(reader, place, number, body, _edit(reader, place, number, body))


def _insist(reader: PullRequest, place: Place, number: int, body: str, kept: str) -> None:
    """Send the text once more if GitHub keeps another one."""
    if not _is_same(kept, body) and not _is_same(_edit(reader, place, number, body), body):
        raise RepoError("GitHub keeps another text of the status than was sent; look at the pull request")


def _create(reader: PullRequest, place: Place, body: str, commit: str, inline: Sequence[Mapping[str, object]]) -> int:
    """Create the status on `commit`, with comments on lines of the diff; gives its number. Raises `RepoError`."""
    request: dict[str, object] = {"body": body}
    if place.thread is None:
        request |= {"event": "COMMENT", "commit_id": commit} | ({"comments": list(inline)} if inline else {})
    try:
        number, kept = _post(reader, place, request)
    except ApiError as error:
        if error.trouble is Trouble.CONFLICT:
            # GitHub refuses the whole review if one commented line is outside the diff, or if a force-push
            # removed the commit from the pull request.
            if request.pop("comments", None) is not None:
                return _create(reader, place, body, commit, ())
            request.pop("commit_id", None)
        elif error.trouble in {Trouble.RETRY, Trouble.BROKEN}:  # it may have created the status
            if error.wait:
                reader.api.rest(error.wait)
            there = find_status(reader, reader.look_until(lambda pull: find_status(reader, pull, place)), place)
            if there is not None:
                edit_status(reader, place, there.id, body)
                return there.id
        else:
            raise
        number, kept = _post(reader, place, request)
    _insist(reader, place, number, body, kept)
    return number


def _post(reader: PullRequest, place: Place, request: Mapping[str, object]) -> tuple[int, str]:
    is_reply = place.thread is not None
    path = reader.path("comments", place.thread, "replies") if is_reply else reader.path("reviews")
    return reader.api.send("POST", path, request, "writing the status", _id_and_body)


def _edit(reader: PullRequest, place: Place, number: int, body: str) -> str:
    """Edit the status; gives the text that GitHub keeps."""
    verb, path = "PUT", reader.path("reviews", number)
    if place.thread is not None:
        verb, path = "PATCH", f"/repos/{reader.event.repository}/pulls/comments/{number}"

    def edit() -> str:
        return reader.api.send(verb, path, {"body": body}, "editing the status", _id_and_body)[1]

    try:
        return reader.api.patiently(edit)
    except ApiError as error:
        if error.trouble is not Trouble.BROKEN:
            raise
    return edit()  # a broken answer does not show whether the text was saved; sending it twice does no harm


def _id_and_body(answer: Any) -> tuple[int, str]:
    return int(answer["id"]), str(answer["body"])


def _is_same(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()


# checks of the new commit

_NOT_STARTED = {
    Trouble.MISSING: "the default branch has no such workflow",
    Trouble.REFUSED: "the token may not do it; give the job actions: write",
    Trouble.CONFLICT: "it has no workflow_dispatch, or it is turned off",
}
_NOT_KNOWN = "GitHub did not answer; look under Actions whether it runs"


def start_checks(desk: Desk) -> tuple[StartedCheck, ...]:
    """Have the workflows of the setting `start-checks` run on the branch: GitHub starts none for its own token."""
    event, branch = desk.state.event, desk.state.pull.branch
    checks: list[StartedCheck] = []
    for name in desk.rules.settings.start_checks:
        path, fault = f"/repos/{event.repository}/actions/workflows/{name}/dispatches", ""
        try:
            desk.reader.api.send("POST", path, {"ref": branch}, "starting a workflow", lambda _: None)
        except ApiError as error:
            fault = _NOT_STARTED.get(error.trouble, _NOT_KNOWN)
        except RepoError:
            fault = "this run has asked GitHub too often"
        checks.append(StartedCheck(name, fault))
    return tuple(checks)


# comments on the lines that failed blocks are about: posted only together with a new status, later only shortened


def _in_diff(desk: Desk, case: Case, outcome: Outcome) -> list[dict[str, Any]]:
    """The comments for a new review; none if the diff cannot be read."""
    most = desk.rules.settings.inline_comments
    if not most or case.place.thread is not None:
        return []
    view = OutcomeView(outcome)
    wanted = {row.head_path for row in view.rows if row.result is not None and not row.ok and row.head_path}
    hunks = _hunks(desk.reader, wanted) if wanted else {}
    return inline_comments(view, hunks, reply=command_prefix(desk.state, desk.rules), most=most)


def _hunks(reader: PullRequest, wanted: set[str]) -> Mapping[str, Sequence[range]]:
    hunks: dict[str, Sequence[range]] = {}
    for page in range(1, FILE_PAGES + 1):
        path = reader.path(f"files?per_page={FILES}&page={page}")
        try:
            rows = reader.api.get(
                path, "reading the diff", lambda rows: [(str(row["filename"]), row.get("patch") or "") for row in rows]
            )
        except ApiError:
            break
        hunks.update((name, hunks_of(patch)) for name, patch in rows if name in wanted)
        if len(rows) < FILES or wanted <= set(hunks):
            break
    return hunks


def _shorten_inline(desk: Desk, outcome: Outcome) -> None:
    """Shorten the comments on blocks that are committed now; stop at the first edit that fails."""
    if outcome.commit is None or not outcome.written:
        return
    done = {(outcome.response.source.id, row.block.number) for row in outcome.result.results if row.ok}
    ours = [post.id for post in desk.state.pull.threads if post.is_ours and read_inline(post.body) in done]
    body = {"body": fixed_inline(outcome.commit)}
    try:
        for number in ours[: desk.rules.settings.inline_comments]:
            path = f"/repos/{desk.state.event.repository}/pulls/comments/{number}"
            desk.reader.api.send("PATCH", path, body, "commenting on lines", lambda answer: answer["id"])
    except ApiError:
        return


# reactions


class Reactions:
    """Reactions on the comment of an event. If not `is_wanted` (the setting `reactions`), none is shown."""

    def __init__(self, reader: PullRequest, *, is_wanted: bool) -> None:
        self._api = reader.api
        self._path = reactions_path(reader) if is_wanted else ""
        comment = reader.event.comment
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
        return self._best_effort("POST", self._path, {"content": content}) if self._path else None

    def _best_effort(self, verb: str, path: str, body: dict[str, object] | None) -> int | None:
        try:
            return self._api.send(verb, path, body, "reacting", lambda row: int(row["id"]) if row else None)
        except RepoError:
            return None


def reactions_path(reader: PullRequest) -> str:
    """Where the reactions on the comment of an event are; "" for one that gets none."""
    comment = reader.event.comment
    if comment is None or comment.kind not in _COMMENTS:
        return ""
    return f"/repos/{reader.event.repository}/{_COMMENTS[comment.kind]}/{comment.id}/reactions"


# answers


def post_answer(reader: PullRequest, pull: Pull, text: str) -> None:
    """Post `text`, whose marker names the comment of this run, unless that has an answer already."""
    reader.api.last_words()
    if is_answered(reader, pull):
        return
    comment, path = reader.event.comment, _comments(reader)
    if comment is not None and comment.thread is not None:
        path = f"{path}/{comment.thread}/replies"

    def post() -> None:
        reader.api.send("POST", path, {"body": text}, "answering", lambda answer: int(answer["id"]))

    try:
        post()
    except ApiError as error:
        if error.trouble not in {Trouble.RETRY, Trouble.BROKEN}:
            raise
        if error.wait:
            reader.api.rest(error.wait)
        if not is_answered(reader, pull):
            post()


def is_answered(reader: PullRequest, pull: Pull) -> bool:
    """Whether the command of this run has a short answer: then it was not and will not be carried out. One request."""
    comment = reader.event.comment
    if comment is None:
        return False

    def pick(rows: Any) -> bool:
        return any(pull.viewer.wrote(row) and read_answer(str(row["body"])) == comment.source for row in rows)

    query = f"?since={quote(comment.created_at)}&per_page=100"
    return reader.api.get(_comments(reader) + query, "looking for an answer", pick)


def has_ended(reader: PullRequest, pull: Pull) -> bool:
    """Whether an earlier run left a final reaction on the comment; False if GitHub does not say. One request."""
    path = reactions_path(reader)

    def pick(rows: Any) -> bool:
        return any(row["content"] in {COMMITTED, NEEDS_YOU} and pull.viewer.wrote(row) for row in rows)

    try:
        return bool(path) and reader.api.get(f"{path}?per_page=100", "reading reactions", pick)
    except RepoError:
        return False


def _comments(reader: PullRequest) -> str:
    is_in_thread = reader.event.comment is not None and reader.event.comment.thread is not None
    return f"/repos/{reader.event.repository}/{'pulls' if is_in_thread else 'issues'}/{reader.event.number}/comments"
