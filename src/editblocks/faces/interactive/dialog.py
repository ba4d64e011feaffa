"""`apply -i`: each block is shown and asked about, with the words of `git add -p`; nothing is written meanwhile.

A block is planned on what was said yes to before it, so that declining one shows at once what becomes of the
later ones of its file. Page: docs/reference/command-line.md, "one by one".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from editblocks.core.errors import UsageError
from editblocks.faces.common.terminal import columns, has_color, is_terminal, show
from editblocks.faces.interactive.choices import Choices
from editblocks.faces.interactive.texts import MOST_PLACES, Question, body, header, help_text, list_places, notes
from editblocks.report.escape import visible
from editblocks.report.terminal.colors import paint
from editblocks.report.terminal.wrapping import wrapped
from editblocks.report.view import source_name
from editblocks.run.flow import Repo
from editblocks.run.plan import ApplyRequest

_SHOWN = 60  # characters of an answer that was not understood
_IN, _OUT = ("CONIN$", "CONOUT$") if sys.platform == "win32" else ("/dev/tty", "/dev/tty")
_BLUE = "1;34"  # git's own colour of a question


def choose(
    request: ApplyRequest,
    open_repo: Callable[[], Repo],
    *,
    color: str = "auto",
    heading: bool = False,
    asker: Terminal | None = None,
) -> tuple[ApplyRequest, bool]:
    """The request with the blocks and places that a person says yes to, and whether no more questions are wanted.

    `heading`: say first which response it is. The request comes back with a refusal if a file that it would change is
    no longer what was shown. Raises `UsageError` if there is no terminal.
    """
    choices = Choices(request, open_repo())
    if not choices.numbers:
        return request, False  # there is nothing to ask about
    source = request.response.source
    with ExitStack() as stack:
        asker = asker or stack.enter_context(_terminal(is_stdin_read=source.kind == "stdin", color=color))
        if heading:
            asker.show(asker.fitted(f"{visible(source_name(source))}:\n"))
        is_over = Dialog(choices, asker).hold()
    return choices.chosen(open_repo), is_over


class Dialog:
    """Asks about every block in reading order, until the person stops; the end of input is that too, as in git."""

    def __init__(self, choices: Choices, asker: Terminal) -> None:
        self._choices = choices
        self._asker = asker
        self._rest: dict[str | None, str] = {}  # path → what was said of all its later blocks, "a" or "d"
        self._ready: set[int] = set()  # blocks of those files that are ready

    def hold(self) -> bool:
        """Ask until there is an answer for every block, or the person stops, and tell that."""
        return not all(self._is_answered_for(number) or self._ask(number) for number in self._choices.numbers)

    def _is_answered_for(self, number: int) -> bool:
        """Whether an answer about its file decides this block as well."""
        choices, rest = self._choices, self._rest.get(self._choices.path(number))
        if rest == "d":
            return True
        if rest == "a" and number not in self._ready:
            self._ready.update(choices.ready_from(number))
        if number in self._ready:
            choices.taken.add(number)
        return number in self._ready

    def _ask(self, number: int) -> bool:
        """Ask about one block until there is an answer; False if the person stops."""
        question = self._show(number)
        if question.is_nothing:
            self._choices.taken.add(number)
            return True
        while True:
            answer = self._asker.ask(f"apply this block [{','.join(question.keys)}]?")
            key = "q" if answer is None else answer.lower()
            match key if key in tuple(question.keys) else None:
                case "q":
                    return False
                case "y" | "n" | "a" | "d":
                    if key in "ad":
                        self._rest[question.row.path] = key
                    if key in "ya":
                        self._choices.taken.add(number)
                    return True
                case "p":
                    question = self._show(number) if self._pick(question) else question
                case _ if key:
                    wrong = "" if key == "?" else f"`{visible(key[:_SHOWN])}` is none of these keys\n"
                    self._asker.show(self._asker.fitted(wrong + help_text(question)))

    def _show(self, number: int) -> Question:
        question = self._choices.question(number)
        asker = self._asker
        above = asker.fitted(header(question, color=asker.color))
        below = asker.fitted(notes(question))
        asker.show(above + body(question, color=asker.color) + below)
        return question

    def _pick(self, question: Question) -> bool:
        self._asker.show(list_places(question))
        places = {str(number): place for number, place in enumerate(question.places[:MOST_PLACES], 1)}
        answer = self._asker.ask(f"at which place [1-{len(places)}]?" if len(places) > 1 else "at place [1]?")
        if answer in places:
            self._choices.pick(question, places[answer])
        elif answer:
            reason = f"`{visible(answer[:_SHOWN])}` is no place; write its number, such as 1\n"
            self._asker.show(self._asker.fitted(reason))
        return answer in places


class Terminal:
    """A terminal to read from and one to write to, mostly the same; `color`: whether it is to be colourful."""

    width: int | None = None  # columns, as far as they are known

    def __init__(self, source: BinaryIO, target: TextIO, color: str) -> None:
        self._source = source
        self._target = target
        self.color = has_color(target, color)
        self.width = columns(target)

    def ask(self, question: str) -> str | None:
        """Print a question and wait for a line; None at the end of input, as after ^D."""
        line = b""
        try:
            self.show(f"{paint(question, _BLUE if self.color else None)} ")
            line = self._source.readline()
        finally:
            if not line:  # what comes next begins a line of its own, after ^C too
                self.show("\n")
        return line.decode("utf-8", "replace").strip() if line else None

    def fitted(self, text: str) -> str:
        """Sentences, wrapped to the terminal; code is shown as it is."""
        return wrapped(text, self.width)

    def show(self, text: str) -> None:
        show(text, self._target)
        self._target.flush()


@contextmanager
def _terminal(*, is_stdin_read: bool, color: str) -> Iterator[Terminal]:
    """The terminal of this process, even if standard input and output are redirected.

    `is_stdin_read`: the response came from there, so answers cannot. Raises `UsageError` if there is nobody to ask.
    """
    with ExitStack() as stack:
        try:
            if not is_stdin_read and sys.stdin is not None and is_terminal(sys.stdin):
                source: BinaryIO = sys.stdin.buffer
            else:
                source = stack.enter_context(Path(_IN).open("rb", buffering=0))
            target = next((stream for stream in (sys.stdout, sys.stderr) if is_terminal(stream)), None)
            if target is None:
                target = stack.enter_context(Path(_OUT).open("w", encoding="utf-8"))
        except OSError as error:
            reason = "-i asks at a terminal, and there is none; choose with --only, as in --only 1-3,4@48"
            raise UsageError(reason) from error
        yield Terminal(source, target, color)
