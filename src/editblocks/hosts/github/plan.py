"""Decide what an event asks for, from what GitHub said: one page of checks and questions, without a request.

`plan_run` returns a plan, or the first question whose answer it lacks; `reading.py` asks GitHub and it is called again.
A command counts once, and for what people saw when they gave it: if the text or the status changed since, a new command
is needed. Rules: docs/reference/action.md, "commands" to "exactly once".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.errors import ConfigError
from editblocks.core.outcome import Refusal, Response, Source
from editblocks.core.selection import Selection
from editblocks.hosts.github.cases import (
    COMMITTED,
    NEEDS_YOU,
    READS_ONLY,
    Apply,
    Step,
    Stop,
    Undo,
    already,
    answered,
    open_case,
    refused,
    request_for,
)
from editblocks.hosts.github.commands import Command, is_command_like, read_command
from editblocks.hosts.github.event import COMMENT, PREFIXES, REPLY, REVIEW, Comment
from editblocks.hosts.github.history import commit_of_command, not_reverted, undo_since
from editblocks.hosts.github.page import shows_first_line
from editblocks.hosts.github.plan_files import plan_files
from editblocks.hosts.github.plan_suggestions import plan_suggestions, reads_suggestions
from editblocks.hosts.github.state import (
    BotCommit,
    Fact,
    GitHubState,
    Post,
    Pull,
    Question,
    Rules,
    SourceResponse,
    permission_refusal,
)
from editblocks.report.status import answers
from editblocks.report.status.links import Marker
from editblocks.run.plan import ApplyRequest

OLDER_PAGES = 9  # pages of older reviews, 50 each, that are searched for the status that a command means
_CLOSED = (None, State.APPLIED, State.NOTHING)
_FAILED = (State.FAILED, State.PARTIAL)  # whose open blocks do not fit
_MACHINE = "nothing to do: commands from bots and apps are ignored"
_TWO_THINGS = "`{words}` about another comment stands above edit blocks; post these as a comment of their own"


def plan_run(state: GitHubState, rules: Rules) -> Step:
    """Decide what to do about an event: the plan, or what has to be asked before."""
    if state.comment is None:
        return plan_files(state, rules)
    return _plan_comment(state, rules, state.comment)


def _plan_comment(state: GitHubState, rules: Rules, whole: Comment) -> Step:
    """Plan what a comment asks for: the blocks that it holds, or its command about another source."""
    if whole.has_suggestions and not reads_suggestions(rules):
        whole = whole.without_suggestions
    comment, author = whole.above_reply_line, state.event.author
    is_machine = author.is_bot or author.via_app
    if not (whole.has_blocks or is_command_like(whole.body)):
        return Stop("nothing to do: no edit block in the review or in its inline comments")
    if not state.pull.is_open and not is_command_like(comment.body):
        return Stop("closed: the pull request is not open, nothing was checked")
    if author.login.lower() in rules.settings.ignore_authors:
        return Stop(f"nothing to do: {author.login} is one of ignore-authors")
    try:
        command = read_command(comment.body, rules.settings.short_commands)
    except ConfigError as error:
        if is_machine:
            return Stop(_MACHINE)
        return answered(state, answers.answer_refused(comment.source, error.message))
    if comment.has_blocks and (command is None or is_machine):
        return _plan_own_blocks(state, rules, comment)
    if command is not None:
        return Stop(_MACHINE) if is_machine else _plan_command(state, rules, comment, command)
    if is_command_like(comment.body):
        return Stop("nothing to do: short-commands is false here; `/edits help` lists the long ones")
    return Stop("nothing to do: every block stands below the reply line of an e-mail")


def _plan_own_blocks(
    state: GitHubState, rules: Rules, comment: Comment, command: Command | None = None, refusal: Refusal | None = None
) -> Step:
    """Plan the blocks of the comment itself, maybe below a command. If it was edited, they are only checked."""
    if comment.is_edited and refusal is None:
        noun = {COMMENT: "comment", REVIEW: "review", REPLY: "reply"}[comment.kind]
        refusal = Refusal(ReasonCode.SOURCE_EDITED, f"the {noun} was edited since", "send `/apply` if it is right")
    # GitHub has a button for suggestions; people write them to be talked about, so none is committed by surprise
    waits = rules.settings.trigger == "command" or comment.has_suggestions
    source = SourceResponse(state.response_of(comment), comment)
    request = request_for(
        state,
        rules,
        source,
        command.selection if command else None,
        refusal=refusal,
        needs_command=command is None and waits,
    )
    return _plan_source(state, request, comment, command)


def _plan_command(state: GitHubState, rules: Rules, comment: Comment, command: Command) -> Step:
    """Plan the command of a person, or answer why not."""
    has_blocks = comment.has_blocks and command.verb != "help"
    to = comment.source
    if state.only_reads and not has_blocks:
        return Stop(READS_ONLY)
    if state.role is None:
        return Question(Fact.ROLE)
    if command.verb == "help":
        return answered(state, answers.commands_help(to, rules.settings.short_commands), reacts=False)
    if not state.pull.is_open:
        return answered(state, answers.answer(to, "merged" if state.pull.is_merged else "closed"))
    refusal = permission_refusal(state.event.author, state.role or None, rules.settings.permission)
    unseen = _unseen(comment)
    if has_blocks and (command.verb != "apply" or command.source is not None):
        return answered(state, answers.answer_refused(to, _TWO_THINGS.format(words=command.words)))
    if has_blocks:
        refusal = refusal or unseen
        return _plan_own_blocks(state, rules, comment, None if refusal else command, refusal)
    if comment.is_edited:
        edited = Refusal(ReasonCode.SOURCE_EDITED, "the command was edited since", "send it as a new comment")
        return refused(state, comment, edited)
    if unseen is not None:
        return refused(state, comment, unseen)
    if command.suggestions:
        return plan_suggestions(state, rules, comment, command, refusal)
    return _plan_about_another(state, rules, comment, command, refusal)


def _plan_about_another(
    state: GitHubState, rules: Rules, comment: Comment, command: Command, refusal: Refusal | None
) -> Step:
    """Plan a command without blocks of its own. `refusal`: why its author may not give it."""
    if state.cursor is not None and state.pages < OLDER_PAGES:
        return Question(Fact.OLDER_REVIEWS)
    statuses = state.statuses
    posts = posts_of_command(command, comment, statuses, state.pull)
    if refusal is not None:
        return _refused_line(state, rules, command, posts, refusal)
    if command.verb == "undo":
        return _plan_undo(state, rules, comment, command, posts)
    if not posts and command.source is None:
        return answered(state, answers.answer(comment.source, "none-open", words=command.words))
    if not posts:
        return _which(state, comment, "no-such-source", command, filter(_is_open, statuses))
    post, notes = posts[0], tuple[Note, ...]()
    if len(posts) > 1:
        ready = _only_one_ready(rules, command, posts)
        if ready is None:
            return _which(state, comment, "several-open", command, posts)
        post, notes = ready, (_taken(command, len(posts)),)
    if command.verb == "apply" and (done := commit_of_command(post, command, comment, state.pull)) is not None:
        # else this command itself made it, in an earlier run
        is_older = done.created_at < comment.created_at
        return Stop(already(done.commit), commit=done.commit, reaction=COMMITTED if is_older else "")
    if command.verb == "apply" and _is_about_an_older_status(state.pull, comment, command, post):
        address = state.address(post.address)
        return answered(state, answers.answer(comment.source, "changed-since", status=address, words=command.words))
    step = _plan_named_source(state, rules, comment, command, post)
    return step._replace(notes=notes) if isinstance(step, Apply) else step


def _unseen(comment: Comment) -> Refusal | None:
    """Why the page does not show the command of a comment; None if it does, or if the text was edited meanwhile."""
    if comment.page is None:
        return comment.fault
    if shows_first_line(comment.body, comment.page):
        return None
    return Refusal(ReasonCode.HIDDEN_BLOCK, "the page does not show the command as written", "send it alone")


# one source


def _plan_named_source(state: GitHubState, rules: Rules, comment: Comment, command: Command, post: Post) -> Step:
    """Plan a command about the source of a status."""
    marker = post.marker
    question = Question(Fact.SOURCE, post.source, marker.digest if marker is not None else "")
    if marker is not None and question not in state.sources:
        return question
    source = state.sources.get(question)
    if source is None or marker is None:
        gone = Refusal(ReasonCode.SOURCE_EDITED, "the source cannot be found any more", "post the blocks again")
        return refused(state, comment, gone)
    is_as_seen = _is_as_seen(state, comment, post, source)
    if isinstance(is_as_seen, Question):
        return is_as_seen
    request = _request_of_command(state, rules, command, source, marker if is_as_seen else None)
    answer = ""
    if request.refusal is not None and request.refusal.code is ReasonCode.SOURCE_EDITED:
        # answer before the status is written: a run that is cut off in between must not leave the new text approved
        address = state.address(post.address)
        answer = answers.answer(comment.source, "source-edited", status=address, words=command.words)
    step = _plan_source(state, request, source.comment, command, is_allowed=True)
    if isinstance(step, Stop):
        return step._replace(answer=answer, reaction=COMMITTED)
    if not isinstance(step, Apply):
        return step
    case = step.case
    if case.unreported is not None and case.unreported.commit == marker.commit:  # the run that made it has reported it
        return Stop(already(marker.commit), answer, COMMITTED, commit=marker.commit, address=case.address)
    return step._replace(answer=answer)


def _plan_source(
    state: GitHubState,
    request: ApplyRequest,
    about: Comment | None,
    command: Command | None,
    *,
    is_allowed: bool | None = None,
) -> Step:
    """Plan a request about a source, which came from the comment `about` or from a file, unless it is done."""
    case = open_case(state, request, about, is_allowed=command is not None if is_allowed is None else is_allowed)
    if isinstance(case, Question):
        return case
    if case.done is not None and case.unreported is None:
        return Stop(already(case.done), commit=case.done, address=case.address)
    return Apply(case, command)


def _request_of_command(
    state: GitHubState, rules: Rules, command: Command, source: SourceResponse, marker: Marker | None
) -> ApplyRequest:
    """Return the request of a command about a source. `marker` is None if the text is not what people saw."""
    select, edited = command.selection, None
    if marker is None and command.verb == "apply":
        what, advice = "the source was edited after the check", "look at the new result, then `/apply` again"
        edited, select = Refusal(ReasonCode.SOURCE_EDITED, what, advice), None
    skip = command.numbers if command.verb == "skip" else frozenset[int]()
    asks = command.numbers if command.verb == "retry" else frozenset[int]()
    if skip or asks:
        select = Selection(every=True, skip=skip, numbers=asks)
    request = request_for(state, rules, source, select, refusal=edited, needs_command=command.verb != "apply")
    return request._replace(
        skip=skip,
        full_prompt=command.verb == "retry",
        chosen_at=marker.head if marker is not None else None,
        retry_blocks=asks,
    )


def _is_as_seen(state: GitHubState, comment: Comment, post: Post, source: SourceResponse) -> bool | Question:
    """Whether the source's text is the one that its status showed when the command was given."""
    if not post.is_untouched or post.marker is None or response_digest(source.response) != post.marker.digest:
        return False
    if post.written_at < comment.created_at:
        return True
    # GitHub says whether a comment was edited, but not whether a file changed or a review lost an inline comment
    about, response = source.comment, source.response
    may_differ = (about is not None and about.is_edited) or response.blob is not None or len(response.parts) > 1
    if may_differ:
        return False
    if state.is_answered is None:
        return Question(Fact.IS_ANSWERED)
    return not state.is_answered


def _is_about_an_older_status(pull: Pull, comment: Comment, command: Command, post: Post) -> bool:
    """Whether the status was rewritten after the command, so that the command is not about what the status says now.

    That matters if the source was undone or its commit has gone since, or if the command picks a line that the old
    status showed.
    """
    marker, selection = post.marker, command.selection
    if marker is None or post.written_at < comment.created_at:
        return False
    is_lost = marker.commit is not None and marker.commit not in pull.commits
    return marker.state is State.UNDONE or is_lost or bool(selection and selection.picks)


# which source


def posts_of_command(command: Command, comment: Comment, statuses: Sequence[Post], pull: Pull) -> tuple[Post, ...]:
    """Return our status of the source that a command means; several if that is not clear, () if there is none.

    The source is the one that `of` names, else that of the command's thread, else the only one that was open when the
    command was given: one that was posted or applied later does not change what an older command means.
    """
    if command.source is not None:
        # a response file has no number, so the number of our status is used
        names = ((f"{PREFIXES[REVIEW]}{post.id}" if post.is_of_file else post.source, post) for post in statuses)
        return tuple(post for name, post in names if command.names(name))
    there = [post for post in statuses if _is_older(post, comment)]
    if comment.thread is not None:
        return posts_of_thread(comment.thread, pull, there)[:1]
    return tuple(post for post in there if _is_open(post) or _is_applied_since(post, comment, pull))


def _only_one_ready(rules: Rules, command: Command, posts: Sequence[Post]) -> Post | None:
    """The status that a plain `/apply` means, of several: the only one of which it could commit anything."""
    if command.verb != "apply" or command.selection is not None or command.source is not None or rules.settings.partial:
        return None
    ready = [post for post in posts if post.state not in _FAILED]
    may_be_meant = (State.CHECKED, State.APPLIED)  # the second by this command, in an earlier run
    return ready[0] if len(ready) == 1 and ready[0].state in may_be_meant else None


def _taken(command: Command, count: int) -> Note:
    what = f"`{command.words}` could mean {count} answers, and was taken for this one, the only one that was ready"
    return Note("only-one-ready", what)


def posts_of_thread(thread: int, pull: Pull, statuses: Sequence[Post]) -> tuple[Post, ...]:
    """Our statuses in a thread, the newest first, then that of the review that began it, or which that review is."""
    review = next((post.review for post in pull.threads if post.id == thread), None)
    about = next((post.source for post in statuses if post.id == review), None)
    wanted = {f"{PREFIXES[REVIEW]}{review}", about}
    own = [post for post in statuses if post.thread == thread]
    return (*own, *(post for post in statuses if post.source in wanted))


def _is_open(post: Post) -> bool:
    """Whether the source of a status still has blocks that a command may apply or skip."""
    return post.state not in _CLOSED and not post.is_of_threads


def _is_older(post: Post, comment: Comment) -> bool:
    """Whether the source of a status was posted before a comment; ids of one kind only grow."""
    prefix = PREFIXES[comment.kind]
    if post.source.startswith(prefix):
        return int(post.source.removeprefix(prefix)) < comment.id
    return post.created_at <= comment.created_at


def _is_applied_since(post: Post, comment: Comment, pull: Pull) -> bool:
    commit = pull.commit_of(post)
    return commit is not None and commit.created_at >= comment.created_at


def _which(state: GitHubState, comment: Comment, name: str, command: Command, choices: Iterable[Post]) -> Step:
    """Answer a command that means no source or several, with a line to copy for each that it could mean."""
    sources: list[answers.OpenSource] = []
    for post in choices:
        number = None if post.is_of_file else re.search("[0-9]+$", post.source)
        address = state.address(post.source if number else post.address)
        sources.append((int(number[0]) if number else post.id, address, post.state or State.CHECKED))
    return answered(state, answers.listing(comment.source, name, str(command), sources, command.source or 0))


# undo


def _plan_undo(state: GitHubState, rules: Rules, comment: Comment, command: Command, posts: Sequence[Post]) -> Step:
    """Plan to revert the newest commit, older than the command, of the sources that it means."""
    if state.has_ended is None:
        return Question(Fact.HAS_ENDED)
    if state.has_ended:
        return Stop("nothing to do: this command was carried out or refused before")
    pull, statuses = state.pull, state.statuses
    before = undo_since(comment, pull)
    if before is not None:
        post = pull.status_of(before.source)
        if post is None or post.written_at >= before.created_at:
            return answered(state, answers.answer(comment.source, "undone-before", commit=before.commit))
        return _plan_revert(state, rules, before)  # the run that made it was cut off before it wrote the status
    if command.source is None and comment.thread is not None:
        posts = posts_of_thread(comment.thread, pull, statuses)
    is_any, sources = command.source is None and comment.thread is None, {post.source for post in posts}
    there = not_reverted(each for each in pull.bot_commits if each.created_at <= comment.created_at)
    commits = [each for each in there if is_any or each.source in sources]
    if not commits:
        return answered(state, answers.answer(comment.source, "nothing-to-undo"))
    return _plan_revert(state, rules, commits[-1])


def _plan_revert(state: GitHubState, rules: Rules, commit: BotCommit) -> Step:
    """Plan to revert a commit, or take one that is a revert, and to check the response again on the new head."""
    question = Question(Fact.SOURCE, commit.source, commit.undoes or commit.digest)
    if question not in state.sources:
        return question
    gone = SourceResponse(Response("", Source(commit.source, "comment", uri=state.address(commit.source))))
    source = state.sources[question] or gone
    request = request_for(state, rules, source, refusal=None, needs_command=True)._replace(response_file=None)
    case = open_case(state, request, source.comment, is_allowed=True)
    if isinstance(case, Question):
        return case
    case = case._replace(request=request, done=None, unreported=None)
    return Undo(case, commit)


def _refused_line(state: GitHubState, rules: Rules, command: Command, posts: Sequence[Post], refusal: Refusal) -> Stop:
    """Add a line to the status, unless somebody else has edited it: we do not repost other people's text."""
    longer = None
    if len(posts) == 1 and posts[0].is_untouched:
        author, role = state.event.author.login, state.role or ""
        line = answers.refused_line(command.words, author, role, rules.settings.permission)
        longer = answers.with_refused_line(posts[0].body, line)
    edited = None if longer is None else (posts[0], longer)
    return Stop(f"{refusal.code.value}: {refusal.reason}", reaction=NEEDS_YOU, edited=edited)
