"""What somebody wrote on a pull request, as requests: blocks of their own, or a command about a source.

A command that nobody may give changes nothing and is answered by a line in the status of its source; one that
cannot be carried out gets a short answer. Rules: docs/reference/action.md, "commands".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.core.outcome import Refusal
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.orders.replies import READS_ONLY, reply
from editblocks.hosts.github.orders.source_commands import (
    answer_bad_command,
    requests_about_another,
    signature,
    source_of,
    unless_done,
)
from editblocks.hosts.github.orders.undo import UndoTask
from editblocks.hosts.github.posting.reactions import NEEDS_YOU
from editblocks.hosts.github.pull.commands import Command, is_command_like, read_command
from editblocks.hosts.github.pull.comment_text import CommentText, unix
from editblocks.hosts.github.pull.email import own_part
from editblocks.hosts.github.pull.event import COMMENT, REPLAY, REPLY, REVIEW, Comment, holds_blocks
from editblocks.report.status import answers
from editblocks.run.flow import ApplyRequest


def requests(host: GitHubHost, comment: Comment) -> Iterator[ApplyRequest | UndoTask]:
    """The orders of a comment, mostly one; blocks of one that was edited since its event are only checked.

    A comment without blocks or a command costs no request, a review one. Raises `RepoError`.
    """
    words = _words(host, comment)
    if not _has_command(words) and not is_command_like(words.text):
        host.nothing_to_do_reason = "nothing to do: no edit block in the review or in its inline comments"
        return
    if not is_command_like(words.text):
        host.reactions.see()
    if comment.kind != REVIEW:
        words = replace(words, text=own_part(words.text, host.context.via_email))
    if not host.context.pull.is_open and not is_command_like(words.text):
        host.nothing_to_do_reason = "closed: the pull request is not open, nothing was checked"
    elif host.task.author.login.lower() in host.settings.ignore_authors:
        host.nothing_to_do_reason = f"nothing to do: {host.task.author.login} is one of ignore-authors"
    else:
        yield from _read(host, comment, words)
        return
    host.reactions.forget()


def _words(host: GitHubHost, comment: Comment) -> CommentText:
    """What the comment says, and whether that is not what it said in its event, or at first if it is replayed."""
    is_replayed, in_event = host.task.event == REPLAY, CommentText(comment.body)
    live = host.pull.words(comment.node_id) if is_replayed or comment.kind == REVIEW else None
    if live is None:
        return in_event  # the event has it all; or it is gone, and the last look says so
    whole, own = unix(comment.body), unix(own_part(comment.body, via_email=True))
    is_edited = live.is_edited if is_replayed else unix(live.text) not in {whole, own}
    return replace(live if comment.kind == REVIEW else in_event, is_edited=is_edited)


def _read(host: GitHubHost, comment: Comment, words: CommentText) -> Iterator[ApplyRequest | UndoTask]:
    try:
        command = read_command(words.text, host.settings.short_commands)
    except ConfigError as error:
        if not _is_machine(host):
            reply(host, comment, host.person().role(), answers.bad_command(comment.source, error.message))
        return
    own = _has_command(words)
    if command is not None and not (own and _is_machine(host)):
        yield from _run_command(host, comment, command, words)
    elif own:
        yield from _own_blocks(host, comment, words)
    elif is_command_like(words.text):
        host.nothing_to_do_reason = "nothing to do: short-commands is false here; `/edits help` lists the long ones"
    else:
        host.nothing_to_do_reason = "nothing to do: every block stands below the reply line of an e-mail"
        host.reactions.forget()


def _has_command(words: CommentText) -> bool:
    return any(holds_blocks(part.text) for part in words.parts) if words.parts else holds_blocks(words.text)


def _is_machine(host: GitHubHost) -> bool:
    if host.task.author.is_bot or host.task.author.via_app:
        host.nothing_to_do_reason = "nothing to do: commands from bots and apps are ignored"
        return True
    return False


# blocks of the comment itself


def _own_blocks(
    host: GitHubHost,
    comment: Comment,
    words: CommentText,
    *,
    command: Command | None = None,
    refusal: Refusal | None = None,
) -> Iterator[ApplyRequest | UndoTask]:
    settings, refusal = host.settings, refusal or host.policy_fault or words.fault
    if words.is_edited and refusal is None:
        noun = {COMMENT: "comment", REVIEW: "review", REPLY: "reply"}[comment.kind]
        refusal = Refusal(ReasonCode.SOURCE_EDITED, f"the {noun} was edited since", "send `/apply` if it is right")
    select = command.selection if command is not None else None
    request = ApplyRequest(
        words.response(source_of(host, comment), comment.path, comment.base),
        settings,
        select,
        allow_partial=settings.partial or (select is not None and select.ready),
        signature=signature(host, comment.author),
        needs_command=command is None and settings.trigger == "command" and settings.mode == "apply",
        refusal=refusal,
        chosen_at=host.context.pull.head.commit,
    )
    case = host.open_case(
        request,
        asked=(comment, request.response.digest),
        thread=comment.thread,
        since=comment.created_at,
        is_allowed=command is not None,
    )
    yield from unless_done(host, case)
    if command is not None:
        answer_bad_command(host, comment, command, case)


# commands


def _run_command(
    host: GitHubHost, comment: Comment, command: Command, words: CommentText
) -> Iterator[ApplyRequest | UndoTask]:
    if _is_machine(host):
        return
    person, own = host.person(), _has_command(words) and command.verb != "help"
    if host.only_reads and not own:
        host.nothing_to_do_reason = READS_ONLY
        return
    role = person.role()
    refusal = person.refusal_for(role)
    if command.verb == "help":
        reply(host, comment, role, answers.commands_help(comment.source, host.settings.short_commands), NEEDS_YOU)
    elif not host.context.pull.is_open:
        reply(host, comment, role, answers.answer_closed(comment.source, merged=host.context.pull.is_merged))
    elif own and (command.verb != "apply" or command.source is not None):
        reply(host, comment, role, answers.bad_command(comment.source, _TWO_THINGS.format(words=command.words)))
    elif own:
        host.reactions.see()
        yield from _own_blocks(host, comment, words, command=None if refusal else command, refusal=refusal)
    elif words.is_edited:
        edited = Refusal(ReasonCode.SOURCE_EDITED, "the command was edited since", "send it as a new comment")
        reply(host, comment, role, answers.answer_refused(comment.source, edited))
    else:
        yield from requests_about_another(host, comment, command, words, role)


_TWO_THINGS = "`{words}` about another comment stands above edit blocks; post these as a comment of their own"
