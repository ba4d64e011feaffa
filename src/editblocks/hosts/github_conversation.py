"""What somebody wrote on a pull request, as orders: blocks of their own, or a command about a source.

A command that nobody may give changes nothing and is answered by a line in the status of its source; one that
cannot be carried out gets a short answer. Rules: docs/action.md, "commands".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.codes import ReasonCode, State
from editblocks.errors import ConfigError
from editblocks.hosts.commands import Command, is_command_like, read_command
from editblocks.hosts.github import GitHubHost
from editblocks.hosts.github_answers import answer, carried_out
from editblocks.hosts.github_case import Case
from editblocks.hosts.github_context import Post
from editblocks.hosts.github_desk import meant
from editblocks.hosts.github_email import own_part
from editblocks.hosts.github_event import COMMENT, REPLY, REVIEW, Author, Remark, holds_blocks
from editblocks.hosts.github_people import HEARD
from editblocks.hosts.github_reactions import COMMITTED, NEEDS_YOU
from editblocks.hosts.github_sources import Found, find_source
from editblocks.hosts.github_status import GitHubStatus, Place
from editblocks.hosts.github_undo import Undoing, what_to_undo
from editblocks.hosts.github_words import Words
from editblocks.outcome import Refusal, Signature, Source
from editblocks.report import answers
from editblocks.report.answers import OpenSource, refused_line, with_refused_line
from editblocks.report.links import Marker
from editblocks.run import Order
from editblocks.selection import Selection

_EVERYTHING = Selection(every=True)


def orders(host: GitHubHost, remark: Remark, *, is_edited: bool = False) -> Iterator[Order | Undoing]:
    """The orders of a remark, mostly one. `is_edited`: it was changed since its event, so its blocks are only checked.

    A remark without blocks or a command costs no request, a review one. Raises `RepoError`.
    """
    words = Words(remark.body)
    if remark.kind == REVIEW:
        words = host.pull.words(remark.node_id) or words
    if not _asks(words) and not is_command_like(words.text):
        host.idle = "nothing to do: no edit block in the review or in its inline comments"
        return
    if not is_command_like(words.text):
        host.reactions.see()
    if remark.kind != REVIEW:
        words = Words(own_part(remark.body, host.context.via_email))
    if not host.context.pull.is_open and not is_command_like(words.text):
        host.idle = "closed: the pull request is not open, nothing was checked"
    elif _is_ignored(host):
        host.idle = f"nothing to do: {host.task.author.login} is one of ignore-authors"
    else:
        yield from _read(host, remark, words, is_edited=is_edited)
        return
    host.reactions.forget()


def _read(host: GitHubHost, remark: Remark, words: Words, *, is_edited: bool) -> Iterator[Order | Undoing]:
    try:
        command = read_command(words.text, host.settings.short_commands)
    except ConfigError as error:
        _say_bad_command(host, remark, error)
        return
    if command is not None:
        yield from _obey(host, remark, command, words)
    elif not _asks(words):
        host.idle = "nothing to do: every block stands below the reply line of an e-mail"
        host.reactions.forget()
    else:
        yield from _own(host, remark, words, is_edited=is_edited)


def _is_ignored(host: GitHubHost) -> bool:
    login = host.task.author.login.lower()
    return login in host.settings.ignore_authors


def _asks(words: Words) -> bool:
    return any(holds_blocks(part.text) for part in words.parts) if words.parts else holds_blocks(words.text)


# blocks of the remark itself


def _own(
    host: GitHubHost,
    remark: Remark,
    words: Words,
    *,
    is_edited: bool,
    command: Command | None = None,
    refusal: Refusal | None = None,
) -> Iterator[Order | Undoing]:
    settings, refusal = host.settings, refusal or host.policy_fault
    if is_edited:
        refusal = Refusal(
            ReasonCode.SOURCE_EDITED, f"the {_noun(remark)} was edited since; send `/apply` if it is right"
        )
    select = command.selection if command is not None else None
    order = Order(
        words.response(source_of(host, remark), remark.path, remark.base),
        settings,
        select,
        partly=settings.partial or (select is not None and select.ready),
        signature=_signature(host, remark.author),
        waits=command is None and settings.trigger == "command" and settings.mode == "apply",
        refusal=refusal,
    )
    case = host.open_case(
        order,
        asked=(remark, order.response.digest),
        thread=remark.thread,
        since=remark.created_at,
        is_allowed=command is not None,
    )
    yield from _unless_done(host, case)


def _unless_done(host: GitHubHost, case: Case) -> Iterator[Order]:
    if case.done is None or case.made is not None:
        yield case.order
    else:
        host.reactions.forget()


def source_of(host: GitHubHost, remark: Remark) -> Source:
    """The source that a remark is."""
    return Source(remark.source, remark.kind, uri=host.address(remark.source), author=remark.author.login)


def _signature(host: GitHubHost, author: Author | None) -> Signature:
    settings, applying = host.settings, host.task.author
    credited = settings.credit and author is not None and not author.is_bot
    co_author = f"{author.login} <{author.id}+{author.login}@{host.pull.no_reply}>" if credited and author else None
    return Signature(applying.login, co_author, settings.trailers)


def _noun(remark: Remark) -> str:
    return {COMMENT: "comment", REVIEW: "review", REPLY: "reply"}[remark.kind]


# commands


def _obey(host: GitHubHost, remark: Remark, command: Command, words: Words) -> Iterator[Order | Undoing]:
    if host.task.author.is_bot or host.task.author.via_app:
        host.idle = "nothing to do: commands of bots and apps are not obeyed"
        return
    person, own = host.person(), _asks(words) and command.verb != "help"
    role = person.role()
    refusal = person.refusal_for(role)
    if command.verb == "help" or not host.context.pull.is_open:
        _reply(host, remark, role, _help_or_closed(host, remark, command))
    elif own and (command.verb != "apply" or command.source is not None):
        _reply(host, remark, role, answers.bad_command(remark.source, _TWO_THINGS.format(words=command.words)))
    elif own:
        host.reactions.see()
        yield from _own(host, remark, words, is_edited=False, command=None if refusal else command, refusal=refusal)
    else:
        yield from _about_another(host, remark, command, role, refusal)


_TWO_THINGS = "`{words}` about another comment stands above edit blocks; post these as a comment of their own"


def _help_or_closed(host: GitHubHost, remark: Remark, command: Command) -> str:
    if command.verb == "help":
        return answers.commands_help(remark.source, host.settings.short_commands)
    return answers.closed(remark.source, merged=host.context.pull.is_merged)


def _about_another(
    host: GitHubHost, remark: Remark, command: Command, role: str | None, refusal: Refusal | None
) -> Iterator[Order | Undoing]:
    posts = meant(command, remark, host.context)
    if refusal is not None:
        if len(posts) == 1:
            _add_line(
                host,
                posts[0],
                refused_line(command.words, host.task.author.login, role or "", host.settings.permission),
            )
        host.idle = f"{refusal.code.value}: {refusal.reason}"
        host.reactions.show(NEEDS_YOU)
        return
    host.reactions.see()
    if command.verb == "undo":
        yield from _take_back(host, remark, command, posts)
    elif len(posts) == 1:
        yield from _about(host, remark, command, posts[0])
    elif carried_out(host, remark):
        host.idle = "nothing to do: this command was carried out before"
        host.reactions.show(COMMITTED)
    else:
        _reply(host, remark, role, _which(host, remark, command, posts))


def _take_back(host: GitHubHost, remark: Remark, command: Command, posts: Sequence[Post]) -> Iterator[Undoing]:
    before = carried_out(host, remark, undo=True)
    if before is not None:
        _reply(host, remark, None, answers.undone_before(remark.source, before), is_heard=True)
        return
    named = posts if command.source is not None or remark.thread is not None else ()
    undoing = what_to_undo(host, _asked(host, remark), named, posts)
    if undoing is None:
        _reply(host, remark, None, answers.nothing_to_undo(remark.source), is_heard=True)
        return
    yield undoing
    if undoing.refusal is not None:
        host.reactions.show(NEEDS_YOU)
        answer(host, remark, undoing.refusal)


def _which(host: GitHubHost, remark: Remark, command: Command, posts: Sequence[Post]) -> str:
    if not posts:
        return answers.none_open(remark.source, command.words)
    return answers.several_open(remark.source, str(command), [_open_source(host, post) for post in posts])


def _open_source(host: GitHubHost, post: Post) -> OpenSource:
    """How to name a source: by its own number, or by that of our status where it has none."""
    state, source = (post.marker.state, post.marker.source) if post.marker else (State.CHECKED, "")
    number = re.search("[0-9]+$", source) if not source.startswith("file-") else None
    fragment = source if number else f"pullrequestreview-{post.id}"
    return OpenSource(int(number[0]) if number else post.id, host.address(fragment), state)


def _about(host: GitHubHost, remark: Remark, command: Command, post: Post) -> Iterator[Order]:
    marker = post.marker
    found = find_source(host, marker.source, marker.digest) if marker is not None else None
    if found is None or marker is None:
        gone = Refusal(ReasonCode.SOURCE_EDITED, "the source cannot be found any more; post the blocks again")
        _reply(host, remark, None, answers.refused(remark.source, gone), is_heard=True)
        return
    is_same = post.is_untouched and found.response.digest == marker.digest
    order = _order(host, command, found, marker if is_same else None)
    case = host.open_case(
        order,
        asked=_asked(host, remark),
        thread=found.thread,
        since=found.since,
        is_allowed=True,
    )
    yield from _unless_done(host, case)
    outcome = case.outcome
    if outcome is not None and outcome.refusal is not None:
        if outcome.refusal.code is ReasonCode.BAD_COMMAND:
            answer(host, remark, answers.bad_command(remark.source, outcome.refusal.reason))
        elif not is_same and command.verb == "apply" and case.status.address is not None:
            address = host.address(case.status.address)
            answer(host, remark, answers.source_edited(remark.source, command.words, address))


def _asked(host: GitHubHost, remark: Remark) -> tuple[Remark, str]:
    """A command with the digest of its text, which is compared before anything is written."""
    words = host.pull.words(remark.node_id) if remark.kind == REVIEW else None
    words = words or Words(own_part(remark.body, host.context.via_email))
    return remark, words.response(source_of(host, remark)).digest


def _order(host: GitHubHost, command: Command, found: Found, marker: Marker | None) -> Order:
    """The order of a command about a source. `marker` None: what people saw is not what stands there now."""
    settings, select, refusal = host.settings, command.selection, host.policy_fault or found.fault
    if marker is None and command.verb == "apply":
        reason = "the source was edited after the check; look at the new result, then `/apply` again"
        refusal, select = refusal or Refusal(ReasonCode.SOURCE_EDITED, reason), None
    skip = command.numbers if command.verb == "skip" else frozenset[int]()
    return Order(
        found.response,
        settings,
        replace(_EVERYTHING, skip=skip) if skip else select,
        partly=settings.partial or (select is not None and select.ready),
        signature=_signature(host, found.author),
        skip=skip,
        fresh=command.verb == "retry",
        waits=command.verb != "apply" and settings.mode == "apply",
        refusal=refusal,
        seen=marker.head if marker is not None else None,
        asks=command.numbers if command.verb == "retry" else frozenset[int](),
        removes=found.removes,
    )


# words


def _say_bad_command(host: GitHubHost, remark: Remark, error: ConfigError) -> None:
    if host.task.author.is_bot or host.task.author.via_app:
        host.idle = "nothing to do: commands of bots and apps are not obeyed"
        return
    _reply(host, remark, host.person().role(), answers.bad_command(remark.source, error.message))


def _reply(host: GitHubHost, remark: Remark, role: str | None, text: str, *, is_heard: bool = False) -> None:
    """Answer who may be answered: strangers get a reaction and no words, so that nobody can make us talk."""
    host.idle = "nothing was done: see the answer"
    if is_heard or role in HEARD:
        answer(host, remark, text)
    host.reactions.show(NEEDS_YOU)


def _add_line(host: GitHubHost, post: Post, line: str) -> None:
    """Put a line into one of our statuses, unless somebody else has edited it: then it is not ours to repeat."""
    longer = with_refused_line(post.body, line) if post.is_untouched else None
    if longer is None or post.marker is None or host.task.number is None:
        return
    place = Place(host.task.repository, host.task.number, post.marker.source, post.thread)
    status = GitHubStatus(host.api, place, host.pull.no_reply)
    status.id = post.id
    status.write(longer, "")
