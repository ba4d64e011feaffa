"""`apply -i`: show each block and ask about it, with the keys of `git add -p`. Nothing is written meanwhile.

A block is planned after the accepted ones before it, so that declining a block shows at once what this does to later
blocks of its file. Foreign text goes through `visible`, so only our own colour codes reach the terminal.
Page: docs/reference/command-line.md, "one by one".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from editblocks.core.errors import UsageError
from editblocks.core.phrases import line_range, percent
from editblocks.faces.common.terminal import columns, has_color, is_terminal, show
from editblocks.faces.interactive.choices import BlockQuestion, Choices
from editblocks.report.diff import CONTEXT, changed_lines
from editblocks.report.escape import visible
from editblocks.report.terminal.short import differing, how
from editblocks.report.terminal.styling import BOLD, MARKS, paint, wrapped
from editblocks.report.view import source_name
from editblocks.run.flow import ApplyRequest, Repo

_SHOWN = 60  # characters of an answer that was not understood
_MOST_LINES = 40  # of a block that does not fit
_MOST_PLACES = 20
_BLUE = "1;34"  # git's colour for questions
_IN, _OUT = ("CONIN$", "CONOUT$") if sys.platform == "win32" else ("/dev/tty", "/dev/tty")
_HELP: Mapping[str, str] = {
    "y": "apply this block",
    "n": "do not apply this block",
    "a": "apply this block and all later ones of {path} that are ready",
    "d": "do not apply this block or any later one of {path}",
    "p": "choose a place for this block",
    "q": "stop; apply only the blocks you said yes to",
    "?": "print this help",
}


def choose(
    request: ApplyRequest,
    open_repo: Callable[[], Repo],
    *,
    color: str = "auto",
    heading: bool = False,
    asker: Terminal | None = None,
) -> tuple[ApplyRequest, bool]:
    """Ask about the blocks. Return the request for the accepted blocks and places, and whether the person stopped.

    `heading`: name the response first. The request has a refusal if a file that it would change differs from what was
    shown. Raises `UsageError` if there is no terminal.
    """
    choices = Choices(request, open_repo())
    if not choices.numbers:
        return request, False  # there is nothing to ask about
    source = request.response.source
    with ExitStack() as stack:
        asker = asker or stack.enter_context(_terminal(is_stdin_read=source.kind == "stdin", color=color))
        if heading:
            asker.show(asker.fitted(f"{visible(source_name(source))}:\n"))
        is_stopped = Dialog(choices, asker).hold()
    return choices.request_for_taken(open_repo), is_stopped


class Dialog:
    """Asks about every block in reading order until the person stops, or until the input ends, as in git."""

    def __init__(self, choices: Choices, asker: Terminal) -> None:
        self._choices = choices
        self._asker = asker
        self._file_keys: dict[str | None, str] = {}  # path → the key for all its later blocks, "a" or "d"
        self._ready: set[int] = set()  # later blocks of the files with "a" that fit

    def hold(self) -> bool:
        """Ask until every block has an answer or the person stops. Return whether the person stopped."""
        for number in self._choices.numbers:
            is_answered = self._answer_for_file(number) or self._ask(number)
            if not is_answered:
                return True
        return False

    def _answer_for_file(self, number: int) -> bool:
        """Take or skip this block as an earlier answer about its file says. Return False if it must be asked about."""
        choices = self._choices
        key = self._file_keys.get(choices.path(number))
        if key == "d":
            return True
        if key == "a" and number not in self._ready:
            self._ready.update(choices.ready_from(number))
        if number in self._ready:
            choices.taken.add(number)
        return number in self._ready

    def _ask(self, number: int) -> bool:
        """Ask about one block until there is an answer. Return False if the person stops."""
        question = self._show(number)
        if question.changes_nothing:
            self._choices.taken.add(number)
            return True
        while True:
            answer = self._asker.ask(f"apply this block [{','.join(question.keys)}]?")
            key = (answer or "").lower()
            if answer is None or key == "q":
                return False
            if key == "?" or key not in tuple(question.keys):
                self._help(question, key)
            elif key == "p":
                if self._pick(question):
                    question = self._show(number)
            else:
                if key in "ad":
                    self._file_keys[question.row.path] = key
                if key in "ya":
                    self._choices.taken.add(number)
                return True

    def _help(self, question: BlockQuestion, key: str) -> None:
        """Print what each key does; unless `key` is `?`, say first that it is not one of them."""
        if not key:
            return
        path = visible(question.row.path or "its file")
        text = "".join(f"{each} - {_HELP[each].format(path=path)}\n" for each in question.keys)
        if key != "?":
            text = f"`{visible(key[:_SHOWN])}` is not one of these keys\n{text}"
        self._asker.show(self._asker.fitted(text))

    def _show(self, number: int) -> BlockQuestion:
        question = self._choices.question(number)
        asker = self._asker
        text = asker.fitted(header(question, color=asker.color))
        if not question.changes_nothing:
            lines = changes(question, color=asker.color)
            if not question.is_ready:
                lines = block_lines(question, asker.width)
            text += "".join(f"{line}\n" for line in lines) + asker.fitted(notes(question))
        asker.show(text)
        return question

    def _pick(self, question: BlockQuestion) -> bool:
        """Ask for a place of a block. Return whether one was chosen."""
        self._asker.show(places_text(question, self._asker.width))
        places = {str(number): place for number, place in enumerate(question.places[:_MOST_PLACES], 1)}
        wanted = f"at which place [1-{len(places)}]?" if len(places) > 1 else "at place [1]?"
        answer = self._asker.ask(wanted)
        if answer in places:
            self._choices.pick(question, places[answer])
            return True
        if answer:
            reason = f"`{visible(answer[:_SHOWN])}` is not a place; write its number, such as 1\n"
            self._asker.show(self._asker.fitted(reason))
        return False


def header(question: BlockQuestion, *, color: bool) -> str:
    """Return `block 2 of 6, src/cart.py:88, indentation, 4 more spaces (medium)`, or why the block does not fit."""
    row = question.row
    place = f"{source_name(row.response.source)}:{row.line_number}"
    if row.result is not None and row.path:
        place = row.path
    what = f"{row.word}: {row.sentence()}"
    if question.is_ready:
        what = how(row)
        if row.lines:
            place = f"{place}:{line_range(row.lines)}"
    line = visible(f"block {row.number} of {question.total}, {place}, {what}")
    if color:
        line = paint(line, BOLD)
    return f"{line}\n"


def changes(question: BlockQuestion, *, color: bool) -> Iterator[str]:
    """Yield the lines that a block removes and adds, with context; if it changes several runs, also where each is."""
    lines = [line.decode("utf-8", "replace") for line in changed_lines(*question.sides).split(b"\n")[:-1]]
    if sum(line.startswith("@@") for line in lines) == 1:
        lines = lines[1:]
    for line in lines:
        shown = _plain(line)
        if color:
            shown = paint(shown, MARKS.get(line[:1]))
        yield shown


def block_lines(question: BlockQuestion, width: int | None) -> Iterator[str]:
    """Yield the lines of the block, indented, and cut if there are many; then the first lines that differ."""
    yield from (f"    {_plain(line)}" for line in question.block_lines[:_MOST_LINES])
    if len(question.block_lines) > _MOST_LINES:
        yield f"    ... {len(question.block_lines) - _MOST_LINES} more lines"
    if question.row.result is not None:
        yield from differing(question.row.result, width=width)


def notes(question: BlockQuestion) -> str:
    """Return the notes on a block."""
    whose = f"block {question.row.number}: "
    messages = [note.message for owner, note, _ in question.view.notes if owner == whose]
    return "".join(visible(f"note: {message}") + "\n" for message in messages)


def places_text(question: BlockQuestion, width: int | None) -> str:
    """Return the places of a block, numbered from 1, with their lines and those around; `>` marks the place itself."""
    lines = list[str]()
    places = question.places
    for number, place in enumerate(places[:_MOST_PLACES], 1):
        alike = "" if place.similarity == 1 else f", {percent(place.similarity)} alike"
        lines.append(f"place {number}{alike}:")
        start = place.start_line - 1
        stop = place.end_line
        for index in range(max(0, start - CONTEXT), min(len(question.file_lines), stop + CONTEXT)):
            mark = ">" if start <= index < stop else " "
            lines.append(f"{mark}{index + 1:>6}  {_plain(question.file_lines[index])}".rstrip(" "))
    if len(places) > _MOST_PLACES:
        left = len(places) - _MOST_PLACES
        more = f"{left} more places: choose one with --only, such as --only {places[-1].pick}"
        lines.append(wrapped(more, width))
    return "".join(f"{line}\n" for line in lines)


def _plain(line: str) -> str:
    return visible(line.removesuffix("\r"), keep="\t")  # of a line end, which a terminal would obey


class Terminal:
    """A terminal to read from and one to write to, mostly the same. `color`: whether to use colours."""

    width: int | None = None  # columns, if they are known

    def __init__(self, source: BinaryIO, target: TextIO, color: str) -> None:
        self._source = source
        self._target = target
        self.color = has_color(target, color)
        self.width = columns(target)

    def ask(self, question: str) -> str | None:
        """Print a question and wait for a line; None at the end of input, as after Ctrl-D."""
        line = b""
        if self.color:
            question = paint(question, _BLUE)
        try:
            self.show(f"{question} ")
            line = self._source.readline()
        finally:
            if not line:  # so that the next output begins on a new line
                self.show("\n")
        if not line:
            return None
        return line.decode("utf-8", "replace").strip()

    def fitted(self, text: str) -> str:
        """Wrap sentences to the terminal."""
        return wrapped(text, self.width)

    def show(self, text: str) -> None:
        show(text, self._target)
        self._target.flush()


@contextmanager
def _terminal(*, is_stdin_read: bool, color: str) -> Iterator[Terminal]:
    """Open the terminal of this process, also if standard input and output are redirected.

    `is_stdin_read`: stdin held the response, so answers cannot come from it. Raises `UsageError` without a terminal.
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
            raise UsageError("-i needs a terminal; choose with --only, as in --only 1-3,4@48") from error
        yield Terminal(source, target, color)
