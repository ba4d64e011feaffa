"""Decide what to do for an event, from what was read from GitHub, without sending a request.

`plan_run` returns a plan, or the first question that is still open. `reading.py` then asks GitHub, and `plan_run` is
called again. A command is carried out once, and applies to what its author saw: if the text or the status has changed
since, a new command is needed. Rules: docs/reference/action.md, "commands" to "exactly once".
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from editblocks.core.blocks import Note
from editblocks.core.characters import cut_middle
from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.errors import ConfigError
from editblocks.core.outcome import SUGGESTIONS, Refusal, Response, Source
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.hosts.github.cases import (
    ALREADY_UNDONE,
    READS_ONLY,
    Case,
    EarlierCommit,
    NextStep,
    Plan,
    already_done_plan,
    command_prefix,
    commit_of_command,
    gone_response,
    is_undone,
    not_reverted,
    open_case,
    plan_source,
    refusal_plan,
    reply_plan,
    reply_with_status,
    request_for,
    signature,
    undo_since,
)
from editblocks.hosts.github.event import (
    COMMENT,
    NO_PAGE,
    PREFIXES,
    REPLY,
    REVIEW,
    Command,
    Comment,
    hidden_lines_of,
    holds_suggestion,
    is_command_like,
    read_command,
)
from editblocks.hosts.github.page import shows_first_line
from editblocks.hosts.github.state import (
    COMMITTED,
    FILE_PREFIX,
    NEEDS_YOU,
    BotCommit,
    Fact,
    GitHubState,
    Post,
    Pull,
    Question,
    SourceResponse,
    Suggestion,
    permission_refusal,
)
from editblocks.parsing.fences import SUGGESTION
from editblocks.report.status import replies
from editblocks.run import ApplyRequest

PATH_LIMIT = 60  # characters of a path in the log, which cuts lines at 200 characters
OLDER_PAGES = 9  # pages of older reviews, 50 each, that are searched for the status that a command is about
_CLOSED = (State.APPLIED, State.NOTHING)
_FAILED = (State.FAILED, State.PARTIAL)  # states in which the open blocks do not fit
_NOUNS = {COMMENT: "comment", REVIEW: "review", REPLY: "reply"}
_UNDONE_SINCE = "nothing to do: a commit was undone since this command was given"
_MACHINE = "nothing to do: commands from bots and apps are ignored"
_NOT_ALL_READ = "only the newest 400 review threads were read, and the first 20 comments of each"
_TWO_THINGS = "`{command}` is not about the edit blocks below it; post the command and the blocks as separate comments"


def plan_run(state: GitHubState) -> NextStep:
    """Return the plan for an event, or the question that must be answered first."""
    comment = state.event.comment
    if comment is None:
        return _plan_files(state)
    return _plan_comment(state, comment)


def _plan_comment(state: GitHubState, whole: Comment) -> NextStep:
    """Plan for a comment: to apply its own blocks, or to carry out its command about another source."""
    if whole.has_suggestions and not _reads_suggestions(state.settings):
        whole = whole.without_suggestions
    comment = whole.above_reply_line
    author = state.event.author
    if not (whole.has_blocks or is_command_like(whole.body)):
        return Plan("nothing to do: no edit block in the review or in its inline comments")
    if not state.pull.is_open and not is_command_like(comment.body):
        return Plan("closed: the pull request is not open, nothing was checked")
    if author.login.lower() in state.settings.ignore_authors:
        return Plan(f"nothing to do: {author.login} is one of ignore-authors")
    is_machine = author.is_bot or author.via_app
    try:
        command = read_command(comment.body, state.settings.short_commands)
    except ConfigError as error:
        if is_machine:
            return Plan(_MACHINE)
        return refusal_plan(state, error.message)
    if command is not None and not is_machine:
        return _plan_command(state, comment, command)
    if comment.has_blocks:
        return _plan_own_blocks(state, comment)
    if command is not None:
        return Plan(_MACHINE)
    if is_command_like(comment.body):
        return Plan("nothing to do: short-commands is false here; `/edits help` lists the long ones")
    return Plan("nothing to do: every block is in the quoted part of an e-mail")


def _plan_own_blocks(
    state: GitHubState, comment: Comment, command: Command | None = None, refusal: Refusal | None = None
) -> NextStep:
    """Plan the blocks of the comment itself, which may follow a command. In an edited comment they are only checked."""
    if comment.is_edited and refusal is None:
        what = f"the {_NOUNS[comment.kind]} was edited after it was posted"
        advice = f"send `{command_prefix(state) or '/'}apply` if it is right"
        refusal = Refusal(ReasonCode.SOURCE_EDITED, what, advice)
    # People write suggestions for discussion, and GitHub has a button to commit them, so they need a command here.
    needs_command = command is None and (state.settings.trigger == "command" or comment.has_suggestions)
    source = SourceResponse(state.response_of(comment), comment)
    select = command and command.selection
    request = request_for(state, source, select, refusal=refusal, needs_command=needs_command)
    return plan_source(state, request, comment, command)


def _plan_command(state: GitHubState, comment: Comment, command: Command) -> NextStep:
    """Plan the command of a person, or reply why it is not carried out."""
    has_blocks = comment.has_blocks and command.verb != "help"
    if state.only_reads and not has_blocks:
        return Plan(READS_ONLY)
    if state.role is None:
        return Question(Fact.ROLE)
    if command.verb == "help":
        text = replies.commands_help(state.comment_source_id, state.settings.short_commands)
        return reply_plan(state, text, reaction="")
    if state.pull.is_merged:
        return reply_plan(state, replies.reply(state.comment_source_id, "merged"))
    if not state.pull.is_open:
        return reply_plan(state, replies.reply(state.comment_source_id, "closed"))
    author = state.event.author
    refusal = permission_refusal(author, state.role or None, state.settings.permission, command.words)
    hidden = _hidden_command(comment)
    is_about_another = command.verb != "apply" or command.number is not None or command.suggestions
    if has_blocks and is_about_another:
        return refusal_plan(state, _TWO_THINGS.format(command=command))
    if has_blocks and (refusal or hidden):
        # The blocks are only checked, as without a command.
        return _plan_own_blocks(state, comment, None, refusal or hidden)
    if has_blocks:
        return _plan_own_blocks(state, comment, command)
    if comment.is_edited:
        what = "the command was edited after it was posted"
        return refusal_plan(state, what, "send it as a new comment", ReasonCode.SOURCE_EDITED)
    if hidden is not None:
        return refusal_plan(state, hidden.what, hidden.advice, hidden.code)
    if command.suggestions:
        return _plan_suggestions(state, comment, command, refusal)
    return _plan_about_other_sources(state, comment, command, refusal)


def _hidden_command(comment: Comment) -> Refusal | None:
    """Return a refusal if the HTML of a comment does not show its command, else None (also if it was edited since)."""
    if comment.page is None:
        return comment.fault
    if shows_first_line(comment.body, comment.page):
        return None
    return Refusal(ReasonCode.HIDDEN_BLOCK, "GitHub does not show the command as written", "send only the command")


# commands about another source


def _plan_about_other_sources(
    state: GitHubState, comment: Comment, command: Command, refusal: Refusal | None
) -> NextStep:
    """Plan a command in a comment without blocks. `refusal`: why its author may not give it."""
    if state.pull.older_reviews is not None and state.pages < OLDER_PAGES:
        return Question(Fact.OLDER_REVIEWS)
    if command.verb == "undo":
        return _plan_undo(state, comment, command, refusal)
    posts = [post for post in _posts_of_command(state, comment, command) if not post.is_of_threads]
    if refusal is not None:
        return _refused_line(state, command, posts, refusal)
    if not posts and command.number is None:
        return reply_plan(state, replies.reply(state.comment_source_id, "none-open", words=command.words))
    if not posts:
        return _list_choices(state, "no-such-source", command, filter(_is_open, state.pull.statuses.values()))
    if len(posts) == 1:
        return _plan_for_status(state, comment, command, posts[0])
    ready = _only_one_ready(state.settings, command, posts)
    if ready is None:
        return _list_choices(state, "several-open", command, posts)
    step = _plan_for_status(state, comment, command, ready)
    if isinstance(step, Question):
        return step
    what = f"`{command.words}` could mean any of {len(posts)} comments; only this one was ready, so it was used"
    return step._replace(notes=(Note("only-one-ready", what),))


def _plan_for_status(state: GitHubState, comment: Comment, command: Command, post: Post) -> NextStep:
    if command.verb == "apply":
        commit = commit_of_command(post, command, comment, state.pull)
        if commit is not None:
            return already_done_plan(commit.commit)
        if _is_about_an_older_status(state.pull, comment, command, post):
            return reply_plan(state, reply_with_status(state, "changed-since", command, post))
    question = Question(Fact.SOURCE, post.source, post.marker.digest)
    if question not in state.sources:
        return question
    source = state.sources[question]
    if source is None:
        what = "the answer no longer exists"
        return refusal_plan(state, what, "post the blocks again", ReasonCode.SOURCE_EDITED)
    if command.verb == "apply":
        edited = _edited_since(state, comment, command, post, source)
        if isinstance(edited, Question):
            return edited
        select = command.selection if edited is None else None
        request = request_for(state, source, select, refusal=edited, needs_command=False)
        request = request._replace(chosen_at=post.marker.head)
    else:
        request = _request_of_skip_or_retry(state, command, source)
    step = plan_source(state, request, source.comment, command)
    if isinstance(step, Question):
        return step
    if not step.cases:  # an earlier run made the commit
        step = step._replace(reaction=COMMITTED)
    if request.refusal is not None and request.refusal.code is ReasonCode.SOURCE_EDITED:
        # Reply before the status is written. If the run ended in between, the command would seem to approve the text.
        step = step._replace(reply=reply_with_status(state, "source-edited", command, post))
    return step


def _request_of_skip_or_retry(state: GitHubState, command: Command, source: SourceResponse) -> ApplyRequest:
    """Return the request of `/skip` or `/retry`, which commit nothing."""
    request = request_for(state, source, needs_command=True)
    if command.selection is None:
        return request._replace(full_prompt=True)
    numbers = command.selection.numbers
    if command.verb == "skip":
        return request._replace(select=Selection(every=True, skip=numbers), skip=numbers)
    return request._replace(select=Selection(every=True, numbers=numbers), retry_blocks=numbers, full_prompt=True)


def _edited_since(
    state: GitHubState, comment: Comment, command: Command, post: Post, source: SourceResponse
) -> Refusal | Question | None:
    """Return a refusal if the text of the source is not the one of its status when the command was given, else None."""
    what = "the answer was edited after the check"
    edited = Refusal(ReasonCode.SOURCE_EDITED, what, f"look at the new result, then `{command.words}` again")
    response = source.response
    if not post.is_untouched or response_digest(response) != post.marker.digest:
        return edited
    if post.written_at < comment.created_at:
        return None
    # GitHub shows whether a comment was edited, but not whether a file changed or a review lost an inline comment.
    is_edited = source.comment is not None and source.comment.is_edited
    if is_edited or response.blob is not None or len(response.parts) > 1:
        return edited
    if state.has_reply is None:
        return Question(Fact.HAS_REPLY)
    return edited if state.has_reply else None


def _is_about_an_older_status(pull: Pull, comment: Comment, command: Command, post: Post) -> bool:
    """Whether the command is about an older text of the status, which was rewritten after the command.

    Matters only if the source was undone, if its commit is no longer on the branch, or if the command picks lines that
    the older status showed.
    """
    if post.written_at < comment.created_at:
        return False
    commit = post.marker.commit
    is_lost = commit is not None and commit not in pull.commits
    has_picks = command.selection is not None and bool(command.selection.picks)
    return post.state is State.UNDONE or is_lost or has_picks


# the suggestions of all review threads: docs/reference/action.md, "all suggestions in one commit"


def _plan_suggestions(state: GitHubState, comment: Comment, command: Command, refusal: Refusal | None) -> NextStep:
    """Plan `/apply suggestions`: all suggestions in open threads are one response, and those that fit are committed."""
    if refusal is not None:
        return refusal_plan(state, refusal.what, refusal.advice, refusal.code)
    if not _reads_suggestions(state.settings):
        return refusal_plan(state, "the setting `formats` does not include suggestions here", "add `suggestion` to it")
    post = state.pull.statuses.get(comment.source)
    if post is not None and post.commit is not None and post.state is State.UNDONE:
        return Plan(ALREADY_UNDONE, address=post.address)
    if post is not None and post.commit is not None:
        return already_done_plan(post.commit, post.address)
    if state.suggestions is None:
        return Question(Fact.SUGGESTIONS)
    chosen = suggestions_of(command, comment, state.suggestions, state.settings)
    if not chosen:
        name = "no-suggestion" if state.are_all_suggestions else "not-all-read"
        return reply_plan(state, replies.reply(state.comment_source_id, name, words=command.words))
    source = SourceResponse(response_of_suggestions(state, comment, chosen))
    fault = NO_PAGE if source.response.hidden_lines is None else None
    authors = {each.author for each in chosen}
    if command.author and len(authors) > 1:
        what = f"a person and a bot are called {command.author}"
        return refusal_plan(state, what, f"for the bot write `/apply suggestions @{command.author}[bot]`")
    author = authors.pop() if len(authors) == 1 else None
    request = request_for(state, source, refusal=fault, needs_command=False)._replace(
        settings=state.settings._replace(formats=SUGGESTION.names),  # other blocks in these comments are not applied
        allow_partial=True,
        signature=signature(state, author),
    )
    step = plan_source(state, request, comment, command)
    if isinstance(step, Question) or state.are_all_suggestions:
        return step
    return step._replace(notes=(Note("unread-threads", _NOT_ALL_READ),))


def suggestions_of(
    command: Command, comment: Comment, suggestions: Iterable[Suggestion], settings: Settings
) -> list[Suggestion]:
    """Return the suggestions for a command: those not edited since it was given, and only of the author it names.

    A name with `[bot]` is that of a bot; one without is that of a person or a bot.
    """
    chosen: list[Suggestion] = []
    for each in suggestions:
        login = each.author.login.lower()
        is_of_author = command.author in ("", login, login.removesuffix("[bot]"))
        is_ignored = login in settings.ignore_authors
        if each.written_at < comment.created_at and is_of_author and not is_ignored and holds_suggestion(each.part):
            chosen.append(each)
    return chosen


def response_of_suggestions(state: GitHubState, comment: Comment, chosen: Sequence[Suggestion]) -> Response:
    """Return one response with several suggestions. Its source is the comment with the command."""
    logins = {each.author.login for each in chosen}
    author = logins.pop() if len(logins) == 1 else None
    source = Source(comment.source, SUGGESTIONS, uri=state.address(comment.source), author=author)
    response = Response.of([each.part for each in chosen], source)
    return response._replace(hidden_lines=hidden_lines_of(response.parts))


def _reads_suggestions(settings: Settings) -> bool:
    return not settings.formats or bool({*SUGGESTION.names} & {*settings.formats})


# which source


def _posts_of_command(state: GitHubState, comment: Comment, command: Command) -> tuple[Post, ...]:
    """Return our statuses of the sources that a command may be about; () if there is none.

    The source is the one that `of` names, else that of the command's thread, else one that was open when the command
    was given. A source that was applied since counts too, so that a second run of the same `/apply` finds its commit.
    """
    statuses = state.pull.statuses.values()
    if command.number is not None:
        return tuple(post for post in statuses if command.number == _number(post))
    older = [post for post in statuses if _is_older(post, comment)]
    if comment.thread is not None:
        return _posts_of_thread(state.pull, comment.thread, older)[:1]
    return tuple(post for post in older if _is_open(post) or _is_applied_since(post, comment, state.pull))


def _fragment(post: Post) -> str:
    """Return the URL fragment of the source of a status. A response file has none, so it is that of the status."""
    return post.address if post.source.startswith(FILE_PREFIX) else post.source


def _number(post: Post) -> int:
    """Return the number by which `of` names the source of a status."""
    return int(re.split("[^0-9]", _fragment(post))[-1])


def _posts_of_thread(pull: Pull, thread: int, statuses: Collection[Post]) -> tuple[Post, ...]:
    """Return our statuses in a thread, newest first, then those for the review that began it or for its source."""
    reviews = [post.review for post in pull.threads if post.id == thread]  # at most one
    sources = {f"{PREFIXES[REVIEW]}{review}" for review in reviews}
    sources |= {post.source for post in statuses if post.id in reviews}
    in_thread = [post for post in statuses if post.thread == thread]
    of_review = [post for post in statuses if post.source in sources]
    return (*in_thread, *of_review)


def _only_one_ready(settings: Settings, command: Command, posts: Sequence[Post]) -> Post | None:
    """Return the only one of several statuses whose blocks a plain `/apply` can commit, or None."""
    is_plain_apply = command.verb == "apply" and command.selection is None and command.number is None
    if not is_plain_apply or settings.partial:
        return None
    ready = [post for post in posts if post.state not in _FAILED]
    may_be_meant = (State.CHECKED, State.APPLIED)  # an earlier run of this command may have applied it
    if len(ready) != 1 or ready[0].state not in may_be_meant:
        return None
    return ready[0]


def _is_open(post: Post) -> bool:
    """Whether a command may still apply or skip blocks of a status, and it is not about suggestions in threads."""
    return post.state not in _CLOSED and not post.is_of_threads


def _is_older(post: Post, comment: Comment) -> bool:
    """Whether the source of a status was posted before a comment. Ids of the same kind are in the order of time."""
    prefix = PREFIXES[comment.kind]
    if post.source.startswith(prefix):
        return int(post.source.removeprefix(prefix)) < comment.id
    return post.created_at <= comment.created_at


def _is_applied_since(post: Post, comment: Comment, pull: Pull) -> bool:
    commit = pull.commit_of(post)
    return commit is not None and commit.created_at >= comment.created_at


def _list_choices(state: GitHubState, name: str, command: Command, choices: Iterable[Post]) -> NextStep:
    """Reply to a command that fits no source or several, with a line to copy for each possible source."""
    sources = [(_number(post), state.address(_fragment(post)), post.state) for post in choices]
    return reply_plan(state, replies.listing(state.comment_source_id, name, str(command), sources, command.number or 0))


def _refused_line(state: GitHubState, command: Command, posts: Sequence[Post], refusal: Refusal) -> Plan:
    """Plan to add a line to the status, unless somebody else has edited it: we never repost text of others."""
    refused = None
    if len(posts) == 1 and posts[0].is_untouched:
        author = state.event.author.login
        line = replies.refused_line(command.words, author, state.role or "", state.settings.permission)
        if replies.with_refused_line(posts[0].body, line) is not None:
            refused = (posts[0], line)
    return Plan(f"{refusal.code.value}: {refusal.reason}", reaction=NEEDS_YOU, refused=refused, state=State.REFUSED)


# undo


def _plan_undo(state: GitHubState, comment: Comment, command: Command, refusal: Refusal | None) -> NextStep:
    """Plan to revert the newest commit of the sources that the command is about, if it is older than the command."""
    pull = state.pull
    commits = not_reverted(each for each in pull.bot_commits if each.created_at <= comment.created_at)
    if command.number is None and comment.thread is not None:
        posts = _posts_of_thread(pull, comment.thread, pull.statuses.values())
    else:
        posts = _posts_of_command(state, comment, command)
    if command.number is not None or comment.thread is not None:
        sources = {post.source for post in posts}
        commits = [each for each in commits if each.source in sources]
    newest = commits[-1] if commits else None
    post = newest and pull.statuses.get(newest.source)
    if refusal is not None:
        return _refused_line(state, command, (post,) if post else posts, refusal)
    before = undo_since(comment, pull)
    if before is not None:
        undone = pull.statuses.get(before.source)
        if undone is None or undone.written_at >= before.created_at:
            return Plan(_UNDONE_SINCE, reaction=COMMITTED, commit=before.commit)
        # the run that made the revert ended before it wrote the status
        return _plan_revert(state, command, before)
    if state.has_reply is None:
        return Question(Fact.HAS_REPLY)
    if state.has_reply:
        return Plan("nothing to do: this command was answered before")
    if newest is None:
        return reply_plan(state, replies.reply(state.comment_source_id, "nothing-to-undo"))
    is_undone_since = post is not None and post.state is State.UNDONE and post.written_at >= comment.created_at
    is_revert_lost = post is not None and pull.has_lost(post.commit)
    if is_undone_since and is_revert_lost:
        return Plan(_UNDONE_SINCE, reaction=COMMITTED)
    return _plan_revert(state, command, newest)


def _plan_revert(state: GitHubState, command: Command, commit: BotCommit) -> NextStep:
    """Plan to revert `commit`, or to use it if it already is the revert, and to check the response on the new head."""
    source = _source_of_commit(state, commit)
    if isinstance(source, Question):
        return source
    request = request_for(state, source, needs_command=True)._replace(response_file=None)
    case = open_case(state, request, source.comment)
    if isinstance(case, Question):
        return case
    case = case._replace(earlier=EarlierCommit(), command=command)
    return Plan(cases=(case,), undoes=commit)


def _source_of_commit(state: GitHubState, commit: BotCommit) -> SourceResponse | Question:
    """Return the source of a commit. Suggestions are not read again, because their threads are resolved."""
    post = state.pull.statuses.get(commit.source)
    if post is not None and post.is_of_threads:
        return SourceResponse(gone_response(state, commit.source, SUGGESTIONS))
    question = Question(Fact.SOURCE, commit.source, commit.undoes or commit.digest)
    if question not in state.sources:
        return question
    return state.sources[question] or SourceResponse(gone_response(state, commit.source))


# response files: docs/reference/action.md, "response files"


def _plan_files(state: GitHubState) -> NextStep:
    """Plan each response file of the head, and those that an earlier run applied and deleted without a status."""
    if not state.pull.is_open:
        return Plan("closed: the pull request is not open, nothing was checked")
    if state.files is None:
        return Question(Fact.FILES)
    cases: list[Case] = []
    for question in _unreported_files(state, {file.response.source.id for file in state.files}):
        if question not in state.sources:
            return question
        file = state.sources[question]
        if file is None or file.problem is not None:
            continue
        case = _plan_file(state, file)
        if isinstance(case, Question):
            return case
        if case.earlier.unreported is not None:
            cases.append(case)
    for file in state.files:
        case = _plan_file(state, file)
        if isinstance(case, Question):
            return case
        cases.append(case)
    patterns = ", ".join(state.settings.response_files) or "response files are off"
    return Plan(f"nothing to do: no response file ({patterns})", cases=tuple(cases))


def _plan_file(state: GitHubState, file: SourceResponse) -> Case | Question:
    request = request_for(state, file, needs_command=state.settings.trigger == "command")
    case = open_case(state, request, None)
    if isinstance(case, Question):
        return case
    if file.problem is not None:
        return case._replace(problem=file.problem)
    if case.earlier.commit is None:
        return case
    return case._replace(skipped=_why_skipped(state, case, case.earlier.commit))


def _unreported_files(state: GitHubState, present_ids: set[str]) -> Iterator[Question]:
    """Yield questions for files that a run applied and deleted without a status. `present_ids`: files of the head."""
    if state.event.number is None or state.settings.mode == "check":  # also the mode if the policy is invalid
        return
    reported = {post.marker.commit for post in state.pull.statuses.values()}
    newest_commits = {commit.source: commit for commit in not_reverted(state.pull.bot_commits)}
    for source, commit in newest_commits.items():
        if source.startswith(FILE_PREFIX) and source not in present_ids and commit.commit not in reported:
            yield Question(Fact.SOURCE, source, commit.digest)


def _why_skipped(state: GitHubState, case: Case, commit: str) -> Note:
    """Return the reason why a file is skipped, for people who push it again and wonder why nothing happens."""
    response = case.request.response
    shown = cut_middle(response.source.path or "", PATH_LIMIT)
    advice = "change anything in it to have it read again"
    if is_undone(case, state.pull):
        return Note(State.UNDONE.value, f"{shown} was applied and undone ({commit[:7]}), so nothing was done; {advice}")
    what = f"{shown} was already applied in {commit[:7]}, so it is not applied again"
    return Note(ReasonCode.ALREADY_APPLIED.value, f"{what}; {advice}")
