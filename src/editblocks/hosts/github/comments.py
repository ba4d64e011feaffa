"""Carry out what a comment on a pull request asks for: the blocks it holds, or its command about another source.

A command without permission changes nothing and adds a line to the status of its source; a command that cannot be
carried out gets a short answer. Rules: docs/reference/action.md, "commands".
"""

from __future__ import annotations

from dataclasses import replace

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.core.outcome import Refusal
from editblocks.hosts.github.commands import Command, is_command_like, read_command
from editblocks.hosts.github.context import HEARD
from editblocks.hosts.github.event import COMMENT, REPLAY, REPLY, REVIEW, CommentText, own_part, unix
from editblocks.hosts.github.host import READS_ONLY, GitHubHost
from editblocks.hosts.github.source_commands import carry_out_case, command_another
from editblocks.report.status import answers
from editblocks.run.flow import ApplyRequest

_TWO_THINGS = "`{words}` about another comment stands above edit blocks; post these as a comment of their own"
_MACHINE = "nothing to do: commands from bots and apps are ignored"


def handle_comment(host: GitHubHost) -> None:
    """Carry out what the comment asks for. If it was edited after its event, its blocks are only checked."""
    comment, words = host.comment, _words(host)
    is_command = is_command_like(words.text)
    if not words.has_blocks and not is_command:
        host.nothing_to_do_reason = "nothing to do: no edit block in the review or in its inline comments"
        return
    if not is_command:
        host.reactions.see()
    if comment.kind != REVIEW:
        via_email = host.context.words is not None and host.context.words.via_email
        words = replace(words, text=own_part(words.text, via_email))
    if not host.context.is_open and not is_command_like(words.text):
        host.nothing_to_do_reason = "closed: the pull request is not open, nothing was checked"
    elif host.task.author.login.lower() in host.settings.ignore_authors:
        host.nothing_to_do_reason = f"nothing to do: {host.task.author.login} is one of ignore-authors"
    else:
        host.digest = words.response(host.source_of(comment)).digest
        _handle_words(host, words)
        return
    host.reactions.forget()


def _words(host: GitHubHost) -> CommentText:
    """Return the comment's text, and whether it was edited since its event (a replay: since it was posted)."""
    comment, is_replayed = host.comment, host.task.event == REPLAY
    in_event = CommentText(comment.body)
    live = host.pull.words(comment.node_id) if is_replayed or comment.kind == REVIEW else None
    if live is None:
        return in_event  # the event has the whole text; or the comment is gone, which `GitHubHost.refusal` finds
    whole, own = unix(comment.body), unix(own_part(comment.body, via_email=True))
    is_edited = live.is_edited if is_replayed else unix(live.text) not in {whole, own}
    return replace(live if comment.kind == REVIEW else in_event, is_edited=is_edited)


def _handle_words(host: GitHubHost, words: CommentText) -> None:
    is_machine, has_blocks = host.task.author.is_bot or host.task.author.via_app, words.has_blocks
    try:
        command = read_command(words.text, host.settings.short_commands)
    except ConfigError as error:
        if is_machine:
            host.nothing_to_do_reason = _MACHINE
        else:
            host.reply(answers.bad_command(host.comment.source, error.message), is_heard=host.pull.role() in HEARD)
        return
    if has_blocks and (command is None or is_machine):
        _apply_blocks(host, words)
    elif command is not None and is_machine:
        host.nothing_to_do_reason = _MACHINE
    elif command is not None:
        _obey(host, command, words)
    elif is_command_like(words.text):
        host.nothing_to_do_reason = "nothing to do: short-commands is false here; `/edits help` lists the long ones"
    else:
        host.nothing_to_do_reason = "nothing to do: every block stands below the reply line of an e-mail"
        host.reactions.forget()


def _apply_blocks(
    host: GitHubHost, words: CommentText, command: Command | None = None, refusal: Refusal | None = None
) -> None:
    """Check the blocks of the comment itself, maybe below a command, and apply them if nothing is against it."""
    comment, settings, refusal = host.comment, host.settings, refusal or host.policy_fault or words.fault
    if words.is_edited and refusal is None:
        noun = {COMMENT: "comment", REVIEW: "review", REPLY: "reply"}[comment.kind]
        refusal = Refusal(ReasonCode.SOURCE_EDITED, f"the {noun} was edited since", "send `/apply` if it is right")
    select = command.selection if command is not None else None
    request = ApplyRequest(
        words.response(host.source_of(comment), comment.path, comment.base),
        settings,
        select,
        allow_partial=settings.partial or (select is not None and select.ready),
        signature=host.signature(comment.author),
        needs_command=command is None and settings.trigger == "command" and settings.mode == "apply",
        refusal=refusal,
        chosen_at=host.context.head.commit,
    )
    is_allowed = command is not None
    case = host.open_case(request, thread=comment.thread, since=comment.created_at, is_allowed=is_allowed)
    carry_out_case(host, host.look_back(case), command)


def _obey(host: GitHubHost, command: Command, words: CommentText) -> None:
    """Carry out the command of a person, or answer why not."""
    has_blocks = words.has_blocks and command.verb != "help"
    if host.only_reads and not has_blocks:
        host.nothing_to_do_reason = READS_ONLY
        return
    role, to = host.pull.role(), host.comment.source
    refusal, is_heard = host.role_refusal(role), role in HEARD
    if command.verb == "help":
        host.reply(answers.commands_help(to, host.settings.short_commands), is_heard=is_heard, shows=False)
    elif not host.context.is_open:
        host.reply(answers.answer(to, "merged" if host.context.is_merged else "closed"), is_heard=is_heard)
    elif has_blocks and (command.verb != "apply" or command.source is not None):
        host.reply(answers.bad_command(to, _TWO_THINGS.format(words=command.words)), is_heard=is_heard)
    elif has_blocks:
        host.reactions.see()
        _apply_blocks(host, words, None if refusal else command, refusal)
    elif words.is_edited:
        edited = Refusal(ReasonCode.SOURCE_EDITED, "the command was edited since", "send it as a new comment")
        host.refuse(edited, is_heard=is_heard)
    else:
        command_another(host, command, role)
