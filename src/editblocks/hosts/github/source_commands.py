"""Carry out a command about another source: find which source it means and whether the command still applies.

A command counts once, and for what people saw when they gave it: if the text or the status changed since, a new
command is needed. Rules: docs/reference/action.md, "commands" and "exactly once".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

from editblocks.applying.revert import undo as plan_undo
from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.errors import ConfigError, HeadMoved, Refused
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Refusal, Response, Source
from editblocks.core.phrases import join_words
from editblocks.core.selection import Selection
from editblocks.hosts.github.cases import Case, SourceResponse, is_there
from editblocks.hosts.github.commands import Command
from editblocks.hosts.github.context import BotCommit, Context, Post
from editblocks.hosts.github.event import PREFIXES, REVIEW, Comment
from editblocks.hosts.github.exactly_once import blocks_in_commits, commit_of_command, not_reverted, undo_since
from editblocks.hosts.github.finding import find_source, known_statuses
from editblocks.hosts.github.host import GitHubHost
from editblocks.hosts.github.publishing import carry_out, report
from editblocks.hosts.github.status import COMMITTED, NEEDS_YOU, GitHubStatus, answer, is_answered
from editblocks.report.commit_message import undo_message
from editblocks.report.status import answers
from editblocks.report.status.answers import refused_line, with_refused_line
from editblocks.report.status.links import Marker
from editblocks.run.flow import PAUSES
from editblocks.run.plan import ApplyRequest

FAULTS = {ReasonCode.BAD_CONFIG, ReasonCode.PUBLISH_FAILED}  # these also fail the job
_CLOSED = (None, State.APPLIED, State.NOTHING)


def command_another(host: GitHubHost, command: Command, role: str | None) -> None:
    """Carry out a command without blocks of its own. `role` is its author's role. Raises `RepoError`."""
    comment, statuses = host.comment, known_statuses(host)
    posts = posts_of_command(command, comment, statuses, host.context)
    refusal = host.role_refusal(role)
    if refusal is not None:
        _refuse(host, command, posts, role, refusal)
    elif command.verb == "undo":
        _undo(host, command, posts, statuses)
    elif len(posts) == 0 and command.source is None:
        host.reply(answers.answer(comment.source, "none-open", words=command.words))
    elif len(posts) == 0:
        _ask(host, "no-such-source", command, filter(_is_open, statuses))
    elif len(posts) > 1:
        _ask(host, "several-open", command, posts)
    elif command.verb == "apply" and (done := commit_of_command(posts[0], command, comment, host.context)) is not None:
        host.done = done.commit
        if done.created_at < comment.created_at:  # else this command itself made it, in an earlier run
            host.reactions.show(COMMITTED)
    elif command.verb == "apply" and _is_about_an_older_status(host, command, posts[0]):
        address = host.address(posts[0].address)
        host.reply(answers.answer(comment.source, "changed-since", status=address, words=command.words))
    else:
        host.reactions.see()
        _command_source(host, command, posts[0])


def carry_out_case(host: GitHubHost, case: Case, command: Command | None) -> None:
    """Carry out the request of a case, unless it is done and reported already, and answer what no status answers."""
    if case.known_commit is not None and case.unreported is None:
        host.reactions.forget()
        return
    outcome = carry_out(host, case)
    if command is not None:
        _answer_outcome(host, command, outcome)


def _answer_outcome(host: GitHubHost, command: Command, outcome: Outcome) -> None:
    """Answer a command that the status does not answer: it names a block in vain, or the mode is `check`."""
    if outcome.refusal is not None and outcome.refusal.code is ReasonCode.BAD_COMMAND:
        host.reply(answers.answer_refused(host.comment.source, outcome.refusal.reason))
    elif command.verb == "apply" and outcome.refusal is None and (forbidden := host.only_checks("committed")):
        host.refuse(forbidden)
    elif command.verb == "apply" and outcome.state is State.CHECKED:
        host.reactions.show(NEEDS_YOU)


def _refuse(host: GitHubHost, command: Command, posts: Sequence[Post], role: str | None, refusal: Refusal) -> None:
    """Add a line to the status, unless somebody else has edited it: we do not repost other people's text."""
    if len(posts) == 1 and posts[0].is_untouched:
        line = refused_line(command.words, host.task.author.login, role or "", host.settings.permission)
        longer = with_refused_line(posts[0].body, line)
        if longer is not None:
            status = GitHubStatus(host.pull, posts[0].source, posts[0])
            status.id = posts[0].id
            status.write(longer, "")
    host.nothing_to_do_reason = f"{refusal.code.value}: {refusal.reason}"
    host.reactions.show(NEEDS_YOU)


# which source


def posts_of_command(
    command: Command, comment: Comment, statuses: Sequence[Post], context: Context
) -> tuple[Post, ...]:
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
        return posts_of_thread(comment.thread, context, there)[:1]
    return tuple(post for post in there if _is_open(post) or _is_applied_since(post, comment, context))


def posts_of_thread(thread: int, context: Context, statuses: Sequence[Post]) -> tuple[Post, ...]:
    """Our statuses in a thread, the newest first, then that of the review that began it, or which that review is."""
    review = next((post.review for post in context.threads if post.id == thread), None)
    about = next((post.source for post in statuses if post.id == review), None)
    wanted = {f"{PREFIXES[REVIEW]}{review}", about}
    own = [post for post in statuses if post.thread == thread]
    return (*own, *(post for post in statuses if post.source in wanted))


def _is_open(post: Post) -> bool:
    """Whether the source of a status still has blocks that a command may apply or skip."""
    return post.state not in _CLOSED


def _is_older(post: Post, comment: Comment) -> bool:
    """Whether the source of a status was posted before a comment; ids of one kind only grow."""
    prefix = PREFIXES[comment.kind]
    if post.source.startswith(prefix):
        return int(post.source.removeprefix(prefix)) < comment.id
    return post.created_at <= comment.created_at


def _is_applied_since(post: Post, comment: Comment, context: Context) -> bool:
    commit = context.commit_of(post)
    return commit is not None and commit.created_at >= comment.created_at


def _ask(host: GitHubHost, name: str, command: Command, choices: Iterable[Post]) -> None:
    """Answer a command that means no source or several, with a line to copy for each that it could mean."""
    sources: list[answers.OpenSource] = []
    for post in choices:
        number = None if post.is_of_file else re.search("[0-9]+$", post.source)
        address = host.address(post.source if number else post.address)
        sources.append((int(number[0]) if number else post.id, address, post.state or State.CHECKED))
    host.reply(answers.listing(host.comment.source, name, str(command), sources, command.source or 0))


# one source


def _command_source(host: GitHubHost, command: Command, post: Post) -> None:
    marker = post.marker
    source = find_source(host, marker.source, marker.digest) if marker is not None else None
    if source is None or marker is None:
        host.refuse(Refusal(ReasonCode.SOURCE_EDITED, "the source cannot be found any more", "post the blocks again"))
        return
    request = _request(host, command, source, marker if _is_as_seen(host, post, source) else None)
    if request.refusal is not None and request.refusal.code is ReasonCode.SOURCE_EDITED:
        # answer before the status is written: a run that is cut off in between must not leave the new text approved
        to, address = host.comment.source, host.address(post.address)
        answer(host.pull, answers.answer(to, "source-edited", status=address, words=command.words))
    case = host.look_back(host.open_case(request, source.comment, is_allowed=True))
    if case.unreported is not None and marker.commit == case.unreported.commit:
        case.unreported = None  # the run that made it has reported it
    carry_out_case(host, case, command)
    if case.outcome is None:
        host.reactions.show(COMMITTED)


def _is_as_seen(host: GitHubHost, post: Post, source: SourceResponse) -> bool:
    """Whether the source's text is the one that its status showed when the command was given."""
    if not post.is_untouched or post.marker is None or response_digest(source.response) != post.marker.digest:
        return False
    if post.written_at < host.comment.created_at:
        return True
    # GitHub says whether a comment was edited, but not whether a file changed or a review lost an inline comment
    comment, response = source.comment, source.response
    may_differ = (comment is not None and comment.is_edited) or response.blob is not None or len(response.parts) > 1
    return not (may_differ or is_answered(host.pull))


def _is_about_an_older_status(host: GitHubHost, command: Command, post: Post) -> bool:
    """Whether the status was rewritten after the command, so that the command is not about what the status says now.

    That matters if the source was undone or its commit has gone since, or if the command picks a line that the old
    status showed.
    """
    marker, selection = post.marker, command.selection
    if marker is None or post.written_at < host.comment.created_at:
        return False
    is_lost = marker.commit is not None and marker.commit not in host.context.commits
    return marker.state is State.UNDONE or is_lost or bool(selection and selection.picks)


def _request(host: GitHubHost, command: Command, source: SourceResponse, marker: Marker | None) -> ApplyRequest:
    """Return the request of a command about a source. `marker` is None if the text is not what people saw."""
    select, edited = command.selection, None
    if marker is None and command.verb == "apply":
        what, advice = "the source was edited after the check", "look at the new result, then `/apply` again"
        edited, select = Refusal(ReasonCode.SOURCE_EDITED, what, advice), None
    skip = command.numbers if command.verb == "skip" else frozenset[int]()
    asks = command.numbers if command.verb == "retry" else frozenset[int]()
    if skip or asks:
        select = Selection(every=True, skip=skip, numbers=asks)
    return host.request(source, select, refusal=edited, needs_command=command.verb != "apply")._replace(
        skip=skip,
        full_prompt=command.verb == "retry",
        chosen_at=marker.head if marker is not None else None,
        retry_blocks=asks,
    )


# undo


def _undo(host: GitHubHost, command: Command, posts: Sequence[Post], statuses: Sequence[Post]) -> None:
    """Revert the newest commit, older than the command, of the sources that it means, or answer why not."""
    comment, context = host.comment, host.context
    if host.reactions.has_ended():
        host.nothing_to_do_reason = "nothing to do: this command was carried out or refused before"
        return
    host.reactions.see()
    before = undo_since(comment, context)
    if before is not None:
        post = context.status_of(before.source)
        if post is not None and post.written_at < before.created_at:
            _revert(host, before)  # the run that made it was cut off before it wrote the status
        else:
            host.reply(answers.answer(comment.source, "undone-before", commit=before.commit))
        return
    if command.source is None and comment.thread is not None:
        posts = posts_of_thread(comment.thread, context, statuses)
    is_any, sources = command.source is None and comment.thread is None, {post.source for post in posts}
    there = not_reverted(each for each in context.bot_commits if each.created_at <= comment.created_at)
    commits = [each for each in there if is_any or each.source in sources]
    if commits:
        _revert(host, commits[-1])
    else:
        host.reply(answers.answer(comment.source, "nothing-to-undo"))


def _revert(host: GitHubHost, commit: BotCommit) -> None:
    """Revert a commit, or take one that is a revert, and check the response again on the new head."""
    gone = SourceResponse(Response("", Source(commit.source, "comment", uri=host.address(commit.source))))
    source = find_source(host, commit.source, commit.undoes or commit.digest) or gone
    request = host.request(source, refusal=None, needs_command=True)._replace(response_file=None)
    case = host.open_case(request, source.comment, is_allowed=True)
    try:
        made = commit.commit if commit.undoes else _commit_revert(host, commit)
    except (ConfigError, Refused) as error:
        host.refuse(Refusal(error.code, error.message))
        if error.code in FAULTS:
            raise Refused(error.message, error.code) from None
        return
    outcome = host.settle(blocks_in_commits(case.request, host.context, gone=commit), is_unchanged=False)
    if host.repo is not None and not is_there(host.repo, source.response):  # the response file was deleted by hand
        outcome = Outcome(gone.response, ApplyResult(), State.UNDONE)
    report(host, case, outcome._replace(state=State.UNDONE, commit=made, head=outcome.head or made, refusal=None))


def _commit_revert(host: GitHubHost, commit: BotCommit) -> str | None:
    """Make the commit that reverts, and return it. Raises `Refused` and `ConfigError`."""
    forbidden = host.policy_fault or host.only_checks("undone")
    if forbidden is not None:
        raise Refused(forbidden.reason, forbidden.code)
    context = host.context
    for pause in PAUSES:
        if pause:
            host.pause(pause)
            context = host.pull.look()
        if commit not in not_reverted(context.bot_commits):
            reason = f"{commit.commit[:7]} was undone after you asked; send it again to undo one more"
            raise Refused(reason, ReasonCode.HEAD_MOVED)
        with suppress(HeadMoved):
            return _commit_once(host, commit)
    raise Refused(f"the branch moved {len(PAUSES)} times during the run; send it again", ReasonCode.HEAD_MOVED)


def _commit_once(host: GitHubHost, ours: BotCommit) -> str | None:
    repo, settings, name = host.open_repo(), host.settings, ours.commit[:7]
    # the modes of the files before our commit; one file more than a response may change, for a response file
    modes = repo.changed_paths(ours.parent.commit, ours.commit, settings.max_files + 1)
    parent, commit = repo.at(ours.parent.commit), repo.at(ours.commit)
    if modes is None or parent is None or commit is None:
        reason = f"{name} is not in the history of the branch any more; revert it by hand"
        raise Refused(reason, ReasonCode.HEAD_MOVED)
    plan = plan_undo(modes, parent, commit, repo.read, settings=settings, entries=repo.entries)
    if plan.conflicts:
        paths = join_words(list(plan.conflicts))
        advice = f"run git revert {name} on the branch and settle them there"
        raise Refused(f"lines of {paths} changed after {name}, nothing was undone; {advice}", ReasonCode.STALE)
    if not plan.contents:
        raise Refused(f"there is nothing to undo here, nothing of {name} is left", ReasonCode.STALE)
    refusal = host.refusal(host.current.request.response)
    if refusal is not None:
        raise Refused(refusal.reason, refusal.code)
    message = undo_message(
        ours.text,
        (len(plan.contents), plan.lines_added, plan.lines_removed),
        head=repo.head,
        prefix=settings.commit_prefix,
        signature=host.signature(None),
    )
    return repo.write(plan.contents, message, modes)
