"""Publish the results of a run: status, comments on lines, resolved threads, started checks, reactions, replies.

The status is one review, or one reply in a thread, found again by its marker and edited in place. If the response to
its creation is lost, look for it before creating another: a submitted review cannot be deleted, so a second one would
stay. A reply is also posted only once. A failed reaction does not fail the run.
Rules: docs/reference/action.md, "exactly once", "what the status says" and "commands".
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from github.Commit import Commit
from github.File import File
from github.GithubObject import NotSet, Opt
from github.IssueComment import IssueComment
from github.PullRequestComment import PullRequestComment
from github.PullRequestReview import PullRequestReview

from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ApiError, EditBlocksError, RepoError, Trouble
from editblocks.core.outcome import Outcome
from editblocks.hosts.github.cases import Case, command_prefix, earlier_commit_for, reply_with_status
from editblocks.hosts.github.event import holds_suggestion
from editblocks.hosts.github.pull_request import PullReader
from editblocks.hosts.github.state import COMMITTED, NEEDS_YOU, WORKFLOW_LOGIN, GitHubState, Head, Post, fragment_of
from editblocks.report.status.links import Links, Page
from editblocks.report.status.markdown import LIMIT, status
from editblocks.report.status.replies import (
    fixed_inline,
    hunks_of,
    inline_comments,
    read_inline,
    refused_lines,
    with_refused_line,
)
from editblocks.report.view import OutcomeView
from editblocks.repos.github.client import PAGE_ROWS, GitHubApi, T, as_text
from editblocks.repos.github.objects import ANSWER, RESOLVE, in_threads

SEEN = "eyes"
_FOR_STATE = {
    **dict.fromkeys((State.APPLIED, State.PARTIAL, State.UNDONE), COMMITTED),
    **dict.fromkeys((State.FAILED, State.REFUSED, State.STALE), NEEDS_YOU),
}
MOMENT = 3.0  # seconds to wait for another run that has just committed to write its status
FILE_PAGES = 3  # pages of the files changed by the pull request
_THREADS = 50  # review threads in one request
_NOT_STARTED = {
    Trouble.MISSING: "the default branch has no such workflow",
    Trouble.REFUSED: "the token may not do it; give the job the permission actions: write",
    Trouble.CONFLICT: "it has no workflow_dispatch, or it is turned off",
}
_NOT_KNOWN = "GitHub did not answer; check under Actions whether it runs"


class SourceResult(NamedTuple):
    """The result for one source, and where it was published."""

    case: Case
    outcome: Outcome
    rounds: int = 0  # how often it was planned
    is_rewound: bool = False  # a parallel run committed it, and that commit is no longer on the branch
    checks: tuple[tuple[str, str], ...] = ()  # see `Page`
    other_commit: str | None = None  # the commit of another run for the same request
    address: str | None = None  # the URL fragment of the status
    warnings: tuple[str, ...] = ()
    error: EditBlocksError | None = None  # why the status could not be written

    @property
    def refusal_code(self) -> ReasonCode | None:
        refusal = self.outcome.refusal
        return None if refusal is None else refusal.code

    @property
    def may_have_committed(self) -> bool:
        """Whether this run has made a commit, or does not know if it has."""
        return self.outcome.written or self.outcome.unresolved is not None or self.outcome.state is State.UNDONE

    @property
    def has_lost_race(self) -> bool:
        """Whether another run moved the branch, and this one has nothing of its own to report."""
        return self.rounds > 1 and not self.may_have_committed


class Reactions:
    """Reactions to the comment of an event, if `is_wanted`. A reply in a thread gets only the last reaction."""

    def __init__(self, reader: PullReader, *, is_wanted: bool) -> None:
        self._api = reader.api
        self._comment = reader.rest_comment if is_wanted else None
        self._seen: int | None = None  # the number of the "seen" reaction

    def see(self) -> None:
        if isinstance(self._comment, IssueComment):
            self._seen = self._react(SEEN)

    def forget(self) -> None:
        """Remove the "seen" reaction, because there is nothing to do or another reaction replaces it."""
        if self._comment is not None and self._seen is not None:
            with suppress(RepoError):
                self._api.send_once("reacting", partial(self._comment.delete_reaction, self._seen))
            self._seen = None

    def show(self, content: str) -> None:
        self._react(content)
        self.forget()

    def show_state(self, state: State) -> None:
        """Show the reaction for the state of a response. After a check "seen" stays, because a person has to decide."""
        if state in _FOR_STATE:
            self.show(_FOR_STATE[state])
        elif state is not State.CHECKED:
            self.forget()

    def _react(self, content: str) -> int | None:
        comment = self._comment
        if comment is not None:
            with suppress(RepoError):
                return self._api.send_once("reacting", lambda: int(comment.create_reaction(content).id))
        return None


class RunContext(NamedTuple):
    """The things needed to carry out a plan: access to GitHub, what was read, reactions."""

    reader: PullReader
    state: GitHubState
    reactions: Reactions

    def at(self, head: Head) -> "RunContext":
        """Return the context after this run has moved the branch to `head`."""
        pull = self.state.pull
        moved = pull._replace(head=head, commits={**pull.commits, head.commit: head.tree})
        return self._replace(state=self.state._replace(pull=moved))


def publish(context: RunContext, result: SourceResult) -> SourceResult:
    """Write the status and the reaction for a result, unless another run does so. Raises `RepoError`."""
    event = context.state.event
    context.reader.api.requester.allow_status_requests()
    if event.number is None or result.refusal_code is ReasonCode.BAD_COMMAND:
        return result  # there is no pull request, or a reply is posted instead
    if context.state.only_reads:
        warning = "no status: the token of a pull request from a fork can only read; see the job summary"
        if event.comment is not None:
            warning += ", or post the blocks as a comment below the pull request"
        return result._replace(warnings=(warning,))
    try:
        result, is_reported = _look_again(context, result)
        if is_reported:
            return result
        result = _write(context, result)
    except ApiError as error:
        # Some runs of a push get a token that can only read. The job summary still shows the result.
        if event.comment is not None or error.trouble is not Trouble.REFUSED:
            raise
        return result._replace(warnings=(f"the status could not be written: {error.message}",))
    context.reactions.show_state(result.outcome.state)
    return result


def _look_again(context: RunContext, result: SourceResult) -> tuple[SourceResult, bool]:
    """Return the result with its status as it is now, and whether another run reports it, so that this one must not."""
    case = result.case
    event = context.state.event
    is_file = event.comment is None
    # If a push changed the response file, the run of that push reports it.
    is_of_push = is_file and result.refusal_code is ReasonCode.SOURCE_EDITED
    if result.is_rewound or (is_of_push and not result.has_lost_race):
        context.reactions.forget()
        return result, True
    # Look for a status before creating one: a second review could not be deleted, and the first read may be stale.
    is_new = case.post is None and (is_file or not result.outcome.written)
    is_unreported = case.earlier.unreported is not None
    if result.may_have_committed and not (is_new or is_unreported):
        return result, False
    if is_unreported:  # the run that made the commit was killed, or is about to report it
        context.reader.api.wait(MOMENT)
    try:
        pull = context.reader.look()
    except ApiError:  # two statuses are better than no status
        return result, is_of_push
    post = pull.statuses.get(case.request.response.source.id, case.post)
    if post is not None and case.post is not None:
        post = _newest(post, case.post)
    earlier = earlier_commit_for(case.request, post, event, pull)
    if earlier.is_reported or (result.has_lost_race and earlier.commit is not None):
        context.reactions.forget()
        return result._replace(other_commit=earlier.commit), True
    if post is not None and not may_replace(result, post, list(pull.commits)):
        _leave(context, result, post)
        return result._replace(address=post.address), True
    return result._replace(case=case._replace(post=post)), is_of_push


def _newest(found: Post, known: Post) -> Post:
    """Return the newer of two versions of a status, because a read may show an old one."""
    return known if found.written_at < known.written_at else found


def may_replace(result: SourceResult, post: Post, commits: Sequence[str]) -> bool:
    """Whether a run writes its result over `post`, the newest status of the source. `commits`: oldest first.

    A commit is always written, because no other run names it. A check is written over the status that the run read at
    its start, but not over a later one, which may be the answer to another command. A push checks a response file
    again, so that check also replaces the status of an older commit.
    """
    case = result.case
    is_known = case.post is not None and case.post.marker == post.marker
    if is_known or result.may_have_committed:
        return True
    if case.command is not None or case.request.response.source.path is None:
        return False
    places = {commit: place for place, commit in enumerate(commits)}
    return places.get(result.outcome.head or "", -1) > places.get(post.marker.head or "", -1)


def _leave(context: RunContext, result: SourceResult, post: Post) -> None:
    """Leave the status of another run. The author of a command gets a reply, unless `post` is about that comment."""
    command = result.case.command
    if command is None or result.case.post is None:
        context.reactions.show_state(post.state)
        return
    post_reply(context, reply_with_status(context.state, "changed-since", command, post))
    context.reactions.show(NEEDS_YOU)


def _write(context: RunContext, result: SourceResult) -> SourceResult:
    """Write the status, overwriting the one of the case if there is one. Raises `RepoError`."""
    case = result.case
    post = case.post
    body = rendered(context, result)
    if post is not None and post.is_untouched:
        for line in refused_lines(post.body):
            body = with_refused_line(body, line) or body
    if post is not None:
        number = post.id
        edit_status(context.reader, case.thread, number, body)
    else:
        commit = result.outcome.head or context.state.pull.head.commit
        comments, warnings = _comments_on_blocks(context, result)
        result = result._replace(warnings=warnings)
        on_lines = [each for each in comments if "line" in each]
        number = _create(context.reader, case, body, commit, on_lines)
        _reply_in_threads(context.reader, [each for each in comments if "in_reply_to" in each])
    _shorten_inline(context, result.outcome)
    return result._replace(address=fragment_of(number, case.thread))


def rendered(context: RunContext, result: SourceResult, limit: int = LIMIT) -> str:
    """Return the text of the status, at most `limit` characters."""
    case = result.case
    event = context.state.event
    site = context.state.site
    source = result.outcome.response.source
    page = Page(
        site.version,
        links=Links(site.server, event.repository, event.number or 0, source.id, site.run_id, site.docs, source.path),
        branch=context.state.pull.branch,
        checks_wait=context.state.pull.viewer.login == WORKFLOW_LOGIN,  # commits by GITHUB_TOKEN start no workflows
        checks=result.checks,
        prefix=command_prefix(context.state),
        kept_commit=_commit_to_keep(case.post, result.outcome),
        role=context.state.settings.permission,
    )
    # The source was edited during the run, so the status is about an older text.
    is_outdated = result.refusal_code is ReasonCode.SOURCE_EDITED and case.request.refusal is None
    is_unwritten = case.is_of_threads and result.outcome.commit is None  # no command but `/undo` is about suggestions
    if is_outdated or result.is_rewound or is_unwritten:
        page = page._replace(prefix=None)
    return status(OutcomeView(result.outcome), page, limit)


def _commit_to_keep(post: Post | None, outcome: Outcome) -> str | None:
    """Return the commit that the status named before and keeps naming, if this run made none, else None."""
    if outcome.commit is not None or post is None or post.state is State.PARTIAL:
        return None
    return post.commit_for(outcome.response)


# the status


def edit_status(reader: PullReader, thread: int | None, number: int, body: str, tries: int = 2) -> None:
    """Change the text of our status, a reply in a thread or a review. Send it again if GitHub stored another text.

    Raises `RepoError`.
    """
    pull = reader.rest_pull

    def send() -> str:
        # a new object each time, so that the text comes from the response and not from an earlier read
        post: PullRequestComment | PullRequestReview = pull.get_review_comment(number)
        if thread is None:
            post = PullRequestReview(pull.requester, {}, {"id": number, "pull_request_url": pull.url})
        post.edit(body)
        return as_text(post.body)

    edit = partial(reader.api.read, "editing the status", send)
    for _ in range(tries):
        # a broken response does not show whether the text was saved, and sending it twice does no harm
        kept = reader.api.with_retries(edit, trouble=Trouble.BROKEN)
        if _is_same(kept, body):
            return
    raise RepoError("GitHub stored a different text for the status; look at the pull request")


def add_refused_line(context: RunContext, post: Post, line: str) -> None:
    """Add a line about a refused command to our status as it is now, unless somebody else has edited it."""
    now = _newest(context.reader.look().statuses.get(post.source, post), post)
    longer = with_refused_line(now.body, line)
    if longer is not None and now.is_untouched:
        edit_status(context.reader, now.thread, now.id, longer)


def _create(reader: PullReader, case: Case, body: str, commit: str, comments: list[dict[str, Any]]) -> int:
    """Create the status on `commit`, with comments on lines of the diff. Return its number. Raises `RepoError`."""
    pull = reader.rest_pull

    def send(target: Opt[Commit], some: list[Any]) -> tuple[int, str]:
        post: PullRequestComment | PullRequestReview
        if case.thread is not None:
            post = pull.create_review_comment_reply(case.thread, body)
        else:
            post = pull.create_review(target, body, "COMMENT", some)
        return int(post.id), as_text(post.body)

    def find() -> tuple[int, str] | None:
        source = case.request.response.source.id
        post = reader.look_until(lambda now: source in now.statuses).statuses.get(source)
        return None if post is None else (post.id, post.body)

    target = Commit(pull.requester, {}, {"sha": commit}, completed=True)
    try:
        number, kept = post_once(reader.api, "writing the status", lambda: send(target, comments), find)
    except ApiError as error:
        if error.trouble is not Trouble.CONFLICT:
            raise
        # GitHub refuses the whole review if one comment is on a line outside the diff, or if a force-push removed the
        # commit from the pull request.
        number, kept = post_once(reader.api, "writing the status", lambda: send(NotSet, []), find)
    if not _is_same(kept, body):
        edit_status(reader, case.thread, number, body, tries=1)
    return number


def _is_same(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()


# replies


def post_reply(context: RunContext, reply: str) -> None:
    """Post a reply, unless the comment of this run already has one. Its marker names the comment."""
    reader = context.reader
    pull = context.state.pull
    reader.api.requester.allow_status_requests()
    if reader.has_reply(pull):
        return
    thread = reader.event.comment and reader.event.comment.thread

    def send() -> bool:
        if thread is not None:
            return int(reader.rest_pull.create_review_comment_reply(thread, reply).id) > 0
        return int(reader.rest_issue.create_comment(reply).id) > 0

    post_once(reader.api, "answering", send, lambda: reader.has_reply(pull))


def post_once(api: GitHubApi, what: str, send: Callable[[], T], find: Callable[[], T | None]) -> T:
    """Post something that must not be posted twice. If the response is lost, `find` looks for it before another try."""
    try:
        return api.send_once(what, send)
    except ApiError as error:
        if error.trouble not in {Trouble.RETRY, Trouble.BROKEN}:
            raise
        if error.wait:
            api.wait(error.wait)
    try:
        found = find()
    except ApiError as error:  # it may have been posted, so callers must not take this for a refusal
        raise RepoError(error.message, error.code) from error
    return found or api.send_once(what, send)


# checks of the new commit


def start_checks(context: RunContext) -> tuple[tuple[str, str], ...]:
    """Start the workflows in the setting `start-checks` on the branch, because GitHub starts none for GITHUB_TOKEN.

    Return each with the reason why it was not started, or "".
    """
    checks: list[tuple[str, str]] = []
    for name in context.state.settings.start_checks:
        fault = ""
        try:
            workflow = context.reader.repository.get_workflow(name)  # without a request
            start = partial(workflow.create_dispatch, context.state.pull.branch, throw=True)
            context.reader.api.send_once("starting a workflow", start)
        except ApiError as error:
            fault = _NOT_STARTED.get(error.trouble, _NOT_KNOWN)
        except RepoError:
            fault = "this run has made too many requests"
        checks.append((name, fault))
    return tuple(checks)


# review threads with committed suggestions


def close_threads(context: RunContext, outcome: Outcome) -> tuple[str, ...]:
    """Resolve the threads of committed suggestions, or reply in them if that is not allowed. Return warnings.

    A thread stays open if it has, or may have, another suggestion that was not committed, because nobody could commit
    that one otherwise.
    """
    suggestions = context.state.suggestions or ()
    threads = {each.part.id: each.thread for each in suggestions}
    chosen_parts = {part.id for part in outcome.response.parts}
    still_open: set[str] = set()
    for each in suggestions:
        is_left_out = each.part.id not in chosen_parts and holds_suggestion(each.part)
        if is_left_out or not each.is_thread_read:
            still_open.add(each.thread)
    committed: list[str] = []
    for row in OutcomeView(outcome).rows:
        part = outcome.response.part_at(row.line_number)
        if part is not None and row.fits:
            committed.append(threads[part.id])
        elif part is not None and not row.ok:
            still_open.add(threads[part.id])
    done = [thread for thread in dict.fromkeys(committed) if thread not in still_open]
    for start in range(0, len(done), _THREADS):
        try:
            _close(context.reader.api, done[start : start + _THREADS], f"Applied in {outcome.commit}.")
        except RepoError as error:
            return (f"the review threads of the suggestions stay open: {error.message}",)
    return ()


def _close(api: GitHubApi, threads: Sequence[str], reply: str) -> None:
    ids: dict[str, object] = {f"t{number}": thread for number, thread in enumerate(threads)}
    try:
        api.mutate(in_threads(len(threads), RESOLVE), ids, "resolving review threads")
    except ApiError as error:
        if error.trouble is not Trouble.REFUSED:
            raise
        query = in_threads(len(threads), ANSWER, "$body: String!")
        api.mutate(query, {**ids, "body": reply}, "answering in review threads")


# comments on lines for failed blocks, or replies in their threads: posted only with a new status, and shortened later


def _comments_on_blocks(context: RunContext, result: SourceResult) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return the comments on failed blocks, and warnings. If the diff cannot be read, only replies in their threads."""
    most = context.state.settings.inline_comments
    if not most or result.case.thread is not None or result.case.is_of_threads:
        return [], ()
    view = OutcomeView(result.outcome)
    wanted = {row.head_path for row in view.rows if row.result is not None and not row.ok and row.head_path}
    if not wanted:
        return [], ()
    reader = context.reader
    hunks: dict[str, Sequence[range]] = {}
    files_read = 0
    url = f"{reader.rest_pull.url}/files"
    pages = reader.api.pages("reading the diff", url, File, lambda file: (as_text(file.filename), file.patch or ""))
    with suppress(ApiError):
        for rows in islice(pages, FILE_PAGES):
            files_read += len(rows)
            hunks.update((name, hunks_of(patch)) for name, patch in rows if name in wanted)
            if wanted <= hunks.keys():
                break
    warnings: tuple[str, ...] = ()
    if files_read >= FILE_PAGES * PAGE_ROWS and not wanted <= hunks.keys():
        what = f"comments on lines: only the first {files_read} files of the pull request were read"
        warnings = (f"{what}; the status names every block",)
    return inline_comments(view, hunks, prefix=command_prefix(context.state), most=most), warnings


def _reply_in_threads(reader: PullReader, comments: Sequence[Mapping[str, Any]]) -> None:
    """Reply in the threads that failed blocks came from; stop at the first reply that fails."""
    reply = reader.rest_pull.create_review_comment_reply
    with suppress(ApiError):
        for each in comments:
            reader.api.send_once("commenting on lines", partial(reply, each["in_reply_to"], each["body"]))


def _shorten_inline(context: RunContext, outcome: Outcome) -> None:
    """Shorten the comments on blocks that are now committed. Stop at the first failure."""
    if outcome.commit is None or not outcome.written:
        return
    done = {(outcome.response.source.id, row.block.number) for row in outcome.result.results if row.ok}
    ours = [post.id for post in context.state.pull.threads if post.is_ours and read_inline(post.body) in done]
    shorter = fixed_inline(outcome.commit)
    with suppress(ApiError):
        for number in ours[: context.state.settings.inline_comments]:
            edit = context.reader.rest_pull.get_review_comment(number).edit
            context.reader.api.send_once("commenting on lines", partial(edit, shorter))
