"""`apply -i`: each block is shown and asked about, with the words of `git add -p`; nothing is written meanwhile.

A block is planned on what was said yes to before it, so that declining one shows at once what becomes of the
later ones of its file. Page: docs/reference/command-line.md, "choosing blocks".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from enum import Enum
from pathlib import Path

from editblocks.core.errors import RepoError
from editblocks.faces.interactive import texts as words
from editblocks.faces.interactive.choices import Choices, Question
from editblocks.faces.interactive.snapshot import Snapshot
from editblocks.faces.interactive.terminal import Asker, terminal
from editblocks.report.escape import visible
from editblocks.report.wording import source_name
from editblocks.run.flow import ApplyRequest, Repo

_PLACE = re.compile("(?:([0-9]{1,6})@)?([0-9]{1,9})", re.ASCII)
_SHOWN = 60  # characters of an answer that was not understood


class _Next(Enum):
    STOP = "no more questions"
    BLOCK = "the next block"
    SHOW = "the same block, which is not what it was"
    ASK = "the same question"


def choose(
    request: ApplyRequest,
    open_repo: Callable[[], Repo],
    *,
    root: Path = Path(),
    color: str = "auto",
    heading: bool = False,
    asker: Asker | None = None,
) -> tuple[ApplyRequest, bool]:
    """The request with the blocks that a person says yes to, and whether no more questions are wanted.

    Places and edits are in it; nothing is written.

    `root` is where git is asked who changed a line; `heading`: say first which response it is. The request comes back
    with a refusal if a file that it would change is no longer what was shown. Raises `ConfigError` if there is no
    terminal, what planning raises, and `KeyboardInterrupt`.
    """
    choices = Choices(request, Snapshot(open_repo()), root)
    if not choices.numbers:
        return request, False  # there is nothing to ask about
    with ExitStack() as stack:
        if asker is None:
            is_stdin_read = request.response.source.kind == "stdin"
            asker = stack.enter_context(terminal(is_stdin_read=is_stdin_read, color=color))
        if heading:
            asker.show(f"{visible(source_name(request.response.source))}:\n")
        is_over = Dialog(choices, asker).hold()
    return choices.chosen(open_repo), is_over


class Dialog:
    """Asks about every block in reading order, until the person stops; the end of input is that too, as in git."""

    def __init__(self, choices: Choices, asker: Asker) -> None:
        self._choices = choices
        self._asker = asker
        self._rest: dict[str | None, str] = {}  # path → what was said of all its later blocks, "a" or "d"
        self._sure: set[int] = set()  # blocks of those files that are ready

    def hold(self) -> bool:
        """Ask until there is an answer for every block, or the person stops, and tell that.

        Raises what planning raises.
        """
        return any(
            not self._is_answered_for(number) and self._next_state(number) is _Next.STOP
            for number in self._choices.numbers
        )

    def _is_answered_for(self, number: int) -> bool:
        """Whether an answer about its file decides this block as well."""
        rest = self._rest.get(self._choices.path(number))
        if rest == "d":
            self._choices.decline(number)
            return True
        if rest == "a" and number not in self._sure:
            self._sure.update(self._choices.ready_from(number))
        if number in self._sure:
            self._choices.take(number)
        return number in self._sure

    def _next_state(self, number: int) -> _Next:
        """Ask about one block until there is an answer; there is no question about one that changes nothing."""
        following = _Next.SHOW
        while following in (_Next.SHOW, _Next.ASK):
            question = self._choices.question(number)
            if question.row.ok and not words.is_ready(question.row):
                self._asker.show(self._header(question))
                self._choices.take(number)
                return _Next.BLOCK
            if following is _Next.SHOW:
                self._show(question)
            following = self._answer(question)
        return following

    def _header(self, question: Question) -> str:
        return words.header(question.row, question.total, question.outcome, color=self._asker.color)

    def _show(self, question: Question) -> None:
        row, color = question.row, self._asker.color
        if words.is_ready(row):
            body = words.change(question.before, question.after, 0, color=color)
        else:
            body = words.block_text(question.text) + words.difference(row)
        since = words.otherwise(row, question.whole, question.declined)
        self._asker.show(self._header(question) + since + body + words.notes(row, question.outcome))

    def _answer(self, question: Question) -> _Next:
        answer = self._asker.ask(f"apply this block [{','.join(question.keys)}]?")
        if answer is None:
            return _Next.STOP
        key = answer.lower()
        if not key:
            return _Next.ASK
        if len(key) == 1 and key in question.keys:
            return self._obey(question, key)
        self._asker.show(words.unknown_key(answer[:_SHOWN], question.row) + self._help(question))
        return _Next.ASK

    def _obey(self, question: Question, key: str) -> _Next:
        row = question.row
        if key in "ad":
            self._rest[row.path] = key
        if key in "ya":
            self._choices.take(row.number)
            return _Next.BLOCK
        if key in "nd":
            self._choices.decline(row.number)
            return _Next.BLOCK
        if key == "q":
            return _Next.STOP
        if key in "pe":
            is_changed = self._pick(question) if key == "p" else self._edit(question)
            return _Next.SHOW if is_changed else _Next.ASK
        answer = {"r": self._prompt, "v": self._more, "?": self._help}[key]
        self._asker.show(answer(question))
        return _Next.ASK

    def _pick(self, question: Question) -> bool:
        """Let a person choose the place, and say whether they did; one that does not work is said, and not kept."""
        number, places = question.row.number, question.places
        self._asker.show(words.list_places(places))
        answer = self._asker.ask("apply it at which place?")
        if not answer:
            return False
        named = _PLACE.fullmatch(answer)
        if named is None or int(named[1] or number) != number:
            self._asker.show(f"`{visible(answer[:_SHOWN])}` is no place for it; write one as {places[0].pick}\n")
            return False
        wrong = self._choices.pick(number, int(named[2]))
        if wrong is not None:
            self._asker.show(f"{visible(wrong)}\n")
        return wrong is None

    def _edit(self, question: Question) -> bool:
        """Let a person change the block, and say whether they did."""
        new = question.text
        while True:
            try:
                new = self._asker.edit(new)
            except RepoError as error:
                self._asker.show(f"{visible(error.message)}\n")
                return False
            if not new.strip() or new == question.text:
                self._asker.show("the block stays as it was\n")
                return False
            wrong = self._choices.rewrite(question.row.number, new)
            if wrong is None:
                return True
            self._asker.show(f"{visible(wrong)}\n")
            if (self._asker.ask("edit it again (no: the block stays as it was) [y,n]?") or "n").lower() != "y":
                return False

    def _prompt(self, question: Question) -> str:
        return "".join(f"{visible(line)}\n" for line in self._choices.prompt(question).split("\n"))

    def _more(self, question: Question) -> str:
        row, traces = question.row, "".join(f"{visible(line)}\n" for line in self._choices.traces(question))
        if words.is_ready(row):
            return words.change(question.before, question.after, words.CONTEXT, color=self._asker.color) + traces
        return words.block_text(question.text, None) + words.around(row, self._choices.file(question)) + traces

    def _help(self, question: Question) -> str:
        return words.help_text(question.keys, question.row.path, question.places)
