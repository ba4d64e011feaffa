"""What people see of an outcome: its status, comments on lines, threads that are closed, checks that start.

The status is one review, or one reply in a thread, found again by its marker and edited in place. If GitHub's answer to
a new one is lost, look again before creating another: a submitted review cannot be deleted, so a second one would stay.
Rules: docs/reference/action.md, "exactly once" and "what the status says".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

from github.Commit import Commit
from github.File import File
from github.GithubObject import NotSet, Opt
from github.PullRequestComment import PullRequestComment
from github.PullRequestReview import PullRequestReview
from github.Workflow import Workflow

from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.errors import ApiError, EditBlocksError, RepoError, Trouble
from editblocks.core.outcome import SUGGESTIONS, Outcome
from editblocks.core.typed import NamedTuple
from editblocks.hosts.github.cases import Case, command_prefix
from editblocks.hosts.github.history import commit_made_for, done_by_status, kept_commit
from editblocks.hosts.github.pull_request import PullReader
from editblocks.hosts.github.replies import Reactions
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
from editblocks.report.status.answers import refused_lines, with_refused_line
from editblocks.report.status.inline_comments import fixed_inline, hunks_of, inline_comments, read_inline
from editblocks.report.status.links import Links, Page, StartedCheck
from editblocks.report.status.markdown import LIMIT, status
from editblocks.report.view import OutcomeView
from editblocks.repos.github.client import text
from editblocks.repos.github.queries import answer_threads, resolve_threads

MOMENT = 3.0  # seconds that a run which has just committed gets to write its status
FILE_PAGES = 3  # of the files that the pull request changes


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

    reader: PullReader
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
        others = _look_again(desk, case, outcome, race)
        if others.has_reported:
            desk.reactions.forget()
            return published._replace(known=others.commit or case.done)
        number = _write(desk, published, case.post or others.post)
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
    is_of_threads = source.kind == SUGGESTIONS
    site, event = state.site, state.event
    links = Links(site.server, event.repository, event.number or 0, source.id, site.run_id, site.docs, source.path)
    page = Page(
        site.version,
        links=links,
        branch=state.pull.branch,
        # a commit by GITHUB_TOKEN starts no workflow
        checks_wait=state.pull.viewer.login == WORKFLOW_LOGIN,
        checks=published.checks,
        reply=None if is_edited or published.race.is_rewound or is_of_threads else command_prefix(state, desk.rules),
        done=kept_commit(case.post, outcome),
        role=desk.rules.settings.permission,
    )
    return status(OutcomeView(outcome), page, limit)


def refusal_code(outcome: Outcome) -> ReasonCode | None:
    return outcome.refusal.code if outcome.refusal is not None else None


def _write(desk: Desk, published: Published, post: Post | None) -> int:
    """Write the status, over `post` if there is one; gives the number of the review or the reply."""
    case, outcome = published.case, published.outcome
    body = rendered(desk, published)
    if case.post is not None and case.post.is_untouched:
        for line in refused_lines(case.post.body):
            body = with_refused_line(body, line) or body
    if post is not None:
        edit_status(desk.reader, case.place, post.id, body)
        number = post.id
    else:
        commit = outcome.head or desk.state.pull.head.commit
        number = _create(desk.reader, case.place, body, commit, _in_diff(desk, case, outcome))
    _shorten_inline(desk, outcome)
    return number


class _Others(NamedTuple):
    """What other runs did meanwhile for the same request."""

    has_reported: bool = False
    commit: str | None = None  # that they made
    post: Post | None = None  # the status that stands there now


def _look_again(desk: Desk, case: Case, outcome: Outcome, race: Race) -> _Others:
    """Find out whether another run reports the same request, so that this one must not write a status as well."""
    is_file, is_new = desk.state.event.comment is None, case.post is None
    is_sure = outcome.unresolved is not None or outcome.state is State.UNDONE
    has_lost_race = race.rounds > 1 and not outcome.written and not is_sure
    # if a push changed the response file, the run of that push reports on it
    is_of_another = is_file and refusal_code(outcome) is ReasonCode.SOURCE_EDITED and not is_sure
    if (race.is_rewound and not is_sure) or (is_of_another and not has_lost_race):
        return _Others(has_reported=True)
    # a second review could not be deleted; of a response file, GitHub's first answer may have lacked the status
    if case.unreported is None and not has_lost_race and not (is_new and (is_file or not outcome.written)):
        return _Others()
    if case.unreported is not None:  # the run that made it was killed, or is about to report it
        desk.reader.api.rest(MOMENT)
    try:
        pull = desk.reader.look()
        post = find_status(desk.reader, pull, case.place)
    except ApiError:
        return _Others(has_reported=is_of_another)  # two statuses are better than none
    event = desk.state.event
    in_status = done_by_status(post, case.request, event, pull)
    made = commit_made_for(case.request, event, pull.bot_commits) if has_lost_race else None
    commit = in_status or (made.commit if made is not None else None)
    return _Others(commit is not None or is_of_another, commit, post)


# the status


def find_status(reader: PullReader, pull: Pull, place: Place) -> Post | None:
    """Find our status; older pages of reviews are read back to when its source was written. Raises `RepoError`."""
    if place.thread is not None:
        return status_in(reversed(pull.threads), place)
    for page in reader.review_pages(pull):
        post = status_in(reversed(page), place)
        if post is not None or (page and page[0].created_at < place.since):
            return post
    return None


def edit_status(reader: PullReader, place: Place, number: int, body: str) -> None:
    """Give our status a new text. Raises `RepoError`."""
    _insist(reader, place, number, body, _edit(reader, place, number, body))


def _insist(reader: PullReader, place: Place, number: int, body: str, kept: str) -> None:
    """Send the text once more if GitHub keeps another one."""
    if not _is_same(kept, body) and not _is_same(_edit(reader, place, number, body), body):
        raise RepoError("GitHub keeps another text of the status than was sent; look at the pull request")


def _create(reader: PullReader, place: Place, body: str, commit: str, inline: Sequence[Mapping[str, object]]) -> int:
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


def _post(reader: PullReader, place: Place, request: Mapping[str, Any]) -> tuple[int, str]:
    pull = reader.rest_pull

    def send() -> tuple[int, str]:
        if place.thread is not None:
            return _id_and_body(pull.create_review_comment_reply(place.thread, request["body"]))
        commit: Opt[Commit] = NotSet
        if "commit_id" in request:
            commit = Commit(pull.requester, {}, {"sha": request["commit_id"]}, completed=True)
        return _id_and_body(pull.create_review(commit, request["body"], request["event"], request.get("comments", [])))

    return reader.api.once("writing the status", send)


def _edit(reader: PullReader, place: Place, number: int, body: str) -> str:
    """Edit the status; gives the text that GitHub keeps."""
    pull = reader.rest_pull

    def send() -> str:
        # each time a new object, so that no text but that of the answer is read
        status: PullRequestComment | PullRequestReview = pull.get_review_comment(number)
        if place.thread is None:
            status = PullRequestReview(pull.requester, {}, {"id": number, "pull_request_url": pull.url})
        status.edit(body)
        return _id_and_body(status)[1]

    def edit() -> str:
        return reader.api.once("editing the status", send)

    try:
        return reader.api.patiently(edit)
    except ApiError as error:
        if error.trouble is not Trouble.BROKEN:
            raise
    return edit()  # a broken answer does not show whether the text was saved; sending it twice does no harm


def _id_and_body(answer: PullRequestComment | PullRequestReview) -> tuple[int, str]:
    return int(answer.id), text(answer.body)


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
    reader, branch = desk.reader, desk.state.pull.branch
    checks: list[StartedCheck] = []
    for name in desk.rules.settings.start_checks:
        workflow = Workflow(reader.api.requester, {}, {"url": f"{reader.repository.url}/actions/workflows/{name}"})
        fault = ""
        try:
            reader.api.once("starting a workflow", partial(workflow.create_dispatch, branch, throw=True))
        except ApiError as error:
            fault = _NOT_STARTED.get(error.trouble, _NOT_KNOWN)
        except RepoError:
            fault = "this run has asked GitHub too often"
        checks.append(StartedCheck(name, fault))
    return tuple(checks)


# review threads whose suggestions are committed

_THREADS = 50  # in one request


def close_threads(desk: Desk, outcome: Outcome) -> list[str]:
    """Resolve the threads of the suggestions that a commit holds, or else answer in them; gives warnings."""
    threads = {each.part.id: each.thread for each in desk.state.suggestions or ()}
    rows = [row.block.line_number for row in outcome.result.results if row.status is EditStatus.APPLIED]
    parts = filter(None, map(outcome.response.part_at, rows))
    done = list(dict.fromkeys(threads[part.id] for part in parts))
    said = f"Applied in {outcome.commit}."
    for start in range(0, len(done), _THREADS):
        some = done[start : start + _THREADS]
        ids: dict[str, object] = {f"t{number}": thread for number, thread in enumerate(some)}
        try:
            try:
                desk.reader.api.mutate(resolve_threads(len(some)), ids, "resolving review threads")
            except ApiError as error:
                if error.trouble is not Trouble.REFUSED:
                    raise
                desk.reader.api.mutate(answer_threads(len(some)), {**ids, "body": said}, "answering in review threads")
        except RepoError as error:
            return [f"the review threads of the suggestions stay open: {error.message}"]
    return []


# comments on the lines that failed blocks are about: posted only together with a new status, later only shortened


def _in_diff(desk: Desk, case: Case, outcome: Outcome) -> list[dict[str, Any]]:
    """The comments for a new review; none if the diff cannot be read."""
    most = desk.rules.settings.inline_comments
    if not most or case.place.thread is not None or case.suggestions is not None:
        return []
    view = OutcomeView(outcome)
    wanted = {row.head_path for row in view.rows if row.result is not None and not row.ok and row.head_path}
    hunks = _hunks(desk.reader, wanted) if wanted else {}
    return inline_comments(view, hunks, reply=command_prefix(desk.state, desk.rules), most=most)


def _hunks(reader: PullReader, wanted: set[str]) -> Mapping[str, Sequence[range]]:
    hunks: dict[str, Sequence[range]] = {}
    pages = reader.api.pages("reading the diff", f"{reader.rest_pull.url}/files", File, _name_and_patch)
    with suppress(ApiError):
        for rows in islice(pages, FILE_PAGES):
            hunks.update((name, hunks_of(patch)) for name, patch in rows if name in wanted)
            if wanted <= set(hunks):
                break
    return hunks


def _name_and_patch(file: File) -> tuple[str, str]:
    return text(file.filename), file.patch or ""


def _shorten_inline(desk: Desk, outcome: Outcome) -> None:
    """Shorten the comments on blocks that are committed now; stop at the first edit that fails."""
    if outcome.commit is None or not outcome.written:
        return
    done = {(outcome.response.source.id, row.block.number) for row in outcome.result.results if row.ok}
    ours = [post.id for post in desk.state.pull.threads if post.is_ours and read_inline(post.body) in done]
    shorter = fixed_inline(outcome.commit)
    with suppress(ApiError):
        for number in ours[: desk.rules.settings.inline_comments]:
            edit = desk.reader.rest_pull.get_review_comment(number).edit
            desk.reader.api.once("commenting on lines", partial(edit, shorter))
