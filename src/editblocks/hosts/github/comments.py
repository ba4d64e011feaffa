"""Carry out what a comment on a pull request asks for: the blocks it holds, or its command about another source.

A command without permission changes nothing and adds a line to the status of its source; a command that cannot be
carried out gets a short answer. Rules: docs/reference/action.md, "commands".
"""

from __future__ import annotations

from editblocks.core.codes import ReasonCode
from editblocks.core.digests import response_digest
from editblocks.core.errors import ConfigError
from editblocks.core.outcome import Refusal
from editblocks.formats.suggestion import SUGGESTION
from editblocks.hosts.github.cases import SourceResponse
from editblocks.hosts.github.commands import Command, is_command_like, read_command
from editblocks.hosts.github.context import HEARD
from editblocks.hosts.github.event import COMMENT, REPLAY, REPLY, REVIEW, Comment, own_part, unix
from editblocks.hosts.github.finding import has_gone_on, with_earlier
from editblocks.hosts.github.host import READS_ONLY, GitHubHost
from editblocks.hosts.github.page import shows_first_line
from editblocks.hosts.github.source_commands import carry_out_case, command_another
from editblocks.report.status import answers

_TWO_THINGS = "`{words}` about another comment stands above edit blocks; post these as a comment of their own"
_MACHINE = "nothing to do: commands from bots and apps are ignored"


def handle_comment(host: GitHubHost) -> None:
    """Carry out what the comment asks for. If it was edited after its event, its blocks are only checked."""
    comment = _as_read(host)
    if comment.has_suggestions and host.settings.formats and not {*SUGGESTION.names} & {*host.settings.formats}:
        comment = comment.without_suggestions
    is_command = is_command_like(comment.body)
    if not comment.has_blocks and not is_command:
        host.nothing_to_do_reason = "nothing to do: no edit block in the review or in its inline comments"
        return
    if not is_command:
        host.reactions.see()
    if comment.kind != REVIEW:
        comment = _with_page(comment, host.context.comment)
        via_email = host.context.comment is not None and host.context.comment.via_email
        comment = comment._replace(body=own_part(comment.body, via_email))
    if not host.context.is_open and not is_command_like(comment.body):
        host.nothing_to_do_reason = "closed: the pull request is not open, nothing was checked"
    elif host.task.author.login.lower() in host.settings.ignore_authors:
        host.nothing_to_do_reason = f"nothing to do: {host.task.author.login} is one of ignore-authors"
    else:
        response = host.response_of(comment)
        if response.hidden_lines is not None:
            host.digest = response_digest(response)
        _handle_words(host, comment)
        return
    host.reactions.forget()


def _as_read(host: GitHubHost) -> Comment:
    """Return the comment, and whether it was edited since its event (a replay: since it was posted)."""
    in_event, is_replayed = host.comment._replace(is_edited=False), host.task.event == REPLAY
    live = host.pull.now(in_event) if is_replayed or in_event.kind == REVIEW else None
    if live is None:
        return in_event  # the event has the whole text; or the comment is gone, which `GitHubHost.refusal` finds
    is_edited = live.is_edited if is_replayed else not _has_text_of(in_event, live)
    return (live if in_event.kind == REVIEW else in_event)._replace(is_edited=is_edited)


def _with_page(in_event: Comment, live: Comment | None) -> Comment:
    """The comment of an event with its page; without one if GitHub shows another text by now, or none."""
    if live is None or not _has_text_of(in_event, live):
        return in_event
    return in_event._replace(page=live.page, fault=live.fault)


def _has_text_of(in_event: Comment, live: Comment) -> bool:
    return unix(live.body) in {unix(in_event.body), unix(own_part(in_event.body, via_email=True))}


def _unseen(comment: Comment) -> Refusal | None:
    """Why the page does not show the command of a comment; None if it does, or if the text was edited meanwhile."""
    if comment.page is None:
        return comment.fault
    if shows_first_line(comment.body, comment.page):
        return None
    return Refusal(ReasonCode.HIDDEN_BLOCK, "the page does not show the command as written", "send it alone")


def _handle_words(host: GitHubHost, comment: Comment) -> None:
    is_machine, has_blocks = host.task.author.is_bot or host.task.author.via_app, comment.has_blocks
    try:
        command = read_command(comment.body, host.settings.short_commands)
    except ConfigError as error:
        if is_machine:
            host.nothing_to_do_reason = _MACHINE
        else:
            host.reply(answers.answer_refused(comment.source, error.message), is_heard=host.pull.role() in HEARD)
        return
    if has_blocks and (command is None or is_machine):
        _apply_blocks(host, comment)
    elif command is not None and is_machine:
        host.nothing_to_do_reason = _MACHINE
    elif command is not None:
        _obey(host, command, comment)
    elif is_command_like(comment.body):
        host.nothing_to_do_reason = "nothing to do: short-commands is false here; `/edits help` lists the long ones"
    else:
        host.nothing_to_do_reason = "nothing to do: every block stands below the reply line of an e-mail"
        host.reactions.forget()


def _apply_blocks(
    host: GitHubHost, comment: Comment, command: Command | None = None, refusal: Refusal | None = None
) -> None:
    """Check the blocks of the comment itself, maybe below a command, and apply them if nothing is against it."""
    if comment.is_edited and refusal is None:
        noun = {COMMENT: "comment", REVIEW: "review", REPLY: "reply"}[comment.kind]
        refusal = Refusal(ReasonCode.SOURCE_EDITED, f"the {noun} was edited since", "send `/apply` if it is right")
    select = command.selection if command else None
    source = with_earlier(host, SourceResponse(host.response_of(comment), comment))
    # GitHub has a button for suggestions; people write them to be talked about, so none is committed by surprise
    waits = host.settings.trigger == "command" or comment.has_suggestions or source.waits
    needs_command = command is None and waits
    request = host.request(source, select, refusal=refusal, needs_command=needs_command)
    case = host.open_case(request, comment, is_allowed=command is not None)
    if case.has_gone_on and case.post is not None and has_gone_on(host, case.post):
        host.nothing_to_do_reason = "nothing to do: these blocks went on in an answer that corrects them"
        host.reactions.forget()
        return
    carry_out_case(host, host.look_back(case), command)


def _obey(host: GitHubHost, command: Command, comment: Comment) -> None:
    """Carry out the command of a person, or answer why not."""
    has_blocks = comment.has_blocks and command.verb != "help"
    if host.only_reads and not has_blocks:
        host.nothing_to_do_reason = READS_ONLY
        return
    role, to = host.pull.role(), comment.source
    refusal, is_heard = host.role_refusal(role), role in HEARD
    if command.verb == "help":
        host.reply(answers.commands_help(to, host.settings.short_commands), is_heard=is_heard, shows=False)
    elif not host.context.is_open:
        host.reply(answers.answer(to, "merged" if host.context.is_merged else "closed"), is_heard=is_heard)
    elif has_blocks and (command.verb != "apply" or command.source is not None):
        host.reply(answers.answer_refused(to, _TWO_THINGS.format(words=command.words)), is_heard=is_heard)
    elif has_blocks:
        host.reactions.see()
        _apply_blocks(host, comment, None if refusal else command, refusal)
    elif comment.is_edited:
        edited = Refusal(ReasonCode.SOURCE_EDITED, "the command was edited since", "send it as a new comment")
        host.refuse(edited, is_heard=is_heard)
    elif (unseen := _unseen(comment)) is not None:
        host.refuse(unseen, is_heard=is_heard)
    else:
        command_another(host, command, role)
