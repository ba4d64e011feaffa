"""`apply -i`: show each block and ask about it, with the keys of `git add -p`. Nothing is written meanwhile.

A block is planned after the accepted ones before it, so that declining a block shows at once what this does to later
blocks of its file. Foreign text goes through `visible`, so only our own colour codes reach the terminal.
Page: docs/reference/command-line.md, "one by one".
"""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

from editblocks.applying.engine import Options
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import UsageError
from editblocks.core.mismatch import Candidate
from editblocks.core.model import ApplyResult, row_number
from editblocks.core.outcome import Outcome, Refusal
from editblocks.core.phrases import line_range, percent
from editblocks.core.selection import Selection, unselected_rows
from editblocks.faces.cli.request import Snapshot
from editblocks.faces.terminal import columns, has_color, is_terminal, show
from editblocks.report.diff import CONTEXT, changed_lines
from editblocks.report.escape import visible
from editblocks.report.short import differing, how
from editblocks.report.view import OutcomeView, Row, source_name
from editblocks.report.wrapping import BOLD, MARKS, paint, wrapped
from editblocks.run import ApplyRequest, Repo, run
from editblocks.text.source_text import SourceText

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


class _BlockQuestion(NamedTuple):
    """A block to ask about, planned after the blocks that were taken before it and no others.

    `sides` are the bytes of its file without and with the block. `places` are where it may be put, in `file_lines`.
    """

    view: OutcomeView
    row: Row
    total: int
    sides: tuple[bytes, bytes]
    places: tuple[Candidate, ...]
    file_lines: Sequence[str]

    @property
    def changes_nothing(self) -> bool:
        """Whether the block has nothing left to do, so that no question is needed."""
        return self.row.ok and not self.row.fits

    @property
    def keys(self) -> str:
        """The keys that work here, in the order of the help; `a` and `d` also for a file's last block, as in git."""
        keys = "yna" if self.row.fits else "n"
        if self.row.path is not None:
            keys += "d"
        if self.places:
            keys += "p"
        return f"{keys}q?"


def choose(
    request: ApplyRequest,
    open_repo: Callable[[], Repo],
    *,
    color: str = "auto",
    heading: bool = False,
    asker: "Terminal | None" = None,
) -> tuple[ApplyRequest, bool]:
    """Ask about the blocks. Return the request for the accepted blocks and places, and whether the person stopped.

    `heading`: name the response first. The request has a refusal if a file that it would change differs from what was
    shown. Raises `UsageError` if there is no terminal.
    """
    choices = _Choices(request, open_repo())
    if not choices.numbers:
        return request, False  # there is nothing to ask about
    source = request.response.source
    with ExitStack() as stack:
        asker = asker or stack.enter_context(_terminal(is_stdin_read=source.kind == "stdin", color=color))
        if heading:
            asker.show(asker.fitted(f"{visible(source_name(source))}:\n"))
        is_stopped = _Dialog(choices, asker).hold()
    return choices.request_for_taken(open_repo), is_stopped


class _Dialog:
    """Asks about every block in reading order until the person stops, or until the input ends, as in git."""

    def __init__(self, choices: "_Choices", asker: "Terminal") -> None:
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

    def _help(self, question: _BlockQuestion, key: str) -> None:
        """Print what each key does; unless `key` is `?`, say first that it is not one of them."""
        if not key:
            return
        path = visible(question.row.path or "its file")
        text = "".join(f"{each} - {_HELP[each].format(path=path)}\n" for each in question.keys)
        if key != "?":
            text = f"`{visible(key[:_SHOWN])}` is not one of these keys\n{text}"
        self._asker.show(self._asker.fitted(text))

    def _show(self, number: int) -> _BlockQuestion:
        question = self._choices.question(number)
        asker = self._asker
        text = asker.fitted(_header(question, color=asker.color))
        if not question.changes_nothing:
            lines = _changes(question, color=asker.color)
            if not question.row.fits:
                lines = _block_lines(question.row, asker.width)
            text += "".join(f"{line}\n" for line in lines) + asker.fitted(_notes(question))
        asker.show(text)
        return question

    def _pick(self, question: _BlockQuestion) -> bool:
        """Ask for a place of a block. Return whether one was chosen."""
        self._asker.show(_places_text(question, self._asker.width))
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


def _header(question: _BlockQuestion, *, color: bool) -> str:
    """Return `block 2 of 6, src/cart.py:88, indentation, 4 more spaces (medium)`, or why the block does not fit."""
    row = question.row
    place = f"{source_name(row.response.source)}:{row.line_number}"
    if row.result is not None and row.path:
        place = row.path
    what = f"{row.word}: {row.sentence()}"
    if row.fits:
        what = how(row)
        if row.lines:
            place = f"{place}:{line_range(row.lines)}"
    line = visible(f"block {row.number} of {question.total}, {place}, {what}")
    if color:
        line = paint(line, BOLD)
    return f"{line}\n"


def _changes(question: _BlockQuestion, *, color: bool) -> Iterator[str]:
    """Yield the lines that a block removes and adds, with context; if it changes several runs, also where each is."""
    lines = [line.decode("utf-8", "replace") for line in changed_lines(*question.sides).split(b"\n")[:-1]]
    if sum(line.startswith("@@") for line in lines) == 1:
        lines = lines[1:]
    for line in lines:
        shown = _plain(line)
        if color:
            shown = paint(shown, MARKS.get(line[:1]))
        yield shown


def _block_lines(row: Row, width: int | None) -> Iterator[str]:
    """Yield the lines of the block, indented, and cut if there are many; then the first lines that differ."""
    lines = row.response.text.split("\n")[row.line_number - 1 : row.block.end_line]
    yield from (f"    {_plain(line)}" for line in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield f"    ... {len(lines) - _MOST_LINES} more lines"
    if row.result is not None:
        yield from differing(row.result, width=width)


def _notes(question: _BlockQuestion) -> str:
    """Return the notes on a block."""
    whose = f"block {question.row.number}: "
    messages = [note.message for owner, note, _ in question.view.notes if owner == whose]
    return "".join(visible(f"note: {message}") + "\n" for message in messages)


def _places_text(question: _BlockQuestion, width: int | None) -> str:
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


class _Choices:
    """The blocks of one response in reading order, and which of them a person has taken, maybe at a chosen place."""

    def __init__(self, request: ApplyRequest, repo: Repo) -> None:
        self._request = request
        self._repo = Snapshot(repo)
        self._picks: dict[int, int] = {}
        self._places: dict[int, tuple[Candidate, ...]] = {}  # all places of each block for which one was picked
        self._full_plan = run(request.response, self._repo, request.settings, Options(written=request.written()))
        self._paths = {row_number(row): row.file_path for row in self._full_plan.rows}
        self.numbers = list(self._paths)
        self.taken: set[int] = set()

    def question(self, number: int) -> _BlockQuestion:
        """Return the question about a block, planned after the blocks taken so far. Raises as planning does."""
        chosen = {*self.taken, number}
        plan = self._plan(chosen)
        unchosen = unselected_rows(plan, Selection(numbers=frozenset(chosen)))
        outcome = Outcome(self._request.response, plan, State.FAILED, self._repo.head, not_selected=unchosen)
        view = OutcomeView(outcome)
        row = next(row for row in view.rows if row.number == number)
        places = self._places_of(row)
        file_lines: Sequence[str] = ()
        if places:
            data = self._repo.read(row.head_path or "") or b""
            file_lines = SourceText.decode(data, row.path or "").lines
        return _BlockQuestion(view, row, len(self.numbers), self._sides(row, plan), places, file_lines)

    def _places_of(self, row: Row) -> tuple[Candidate, ...]:
        """Return the places where a block may be put, also after one of them was picked."""
        if self._places.get(row.number):
            return self._places[row.number]
        if row.result is None:
            return ()
        return tuple(place for place in row.result.candidates if place.pick is not None)

    def path(self, number: int) -> str | None:
        """Return the path of a block; None if it has none."""
        return self._paths[number]

    def ready_from(self, number: int) -> list[int]:
        """Return the blocks of the same file from `number` on that fit one after the other, up to the first failure."""
        later = [each for each in self.numbers if each >= number and self.path(each) == self.path(number)]
        fitting = {row.block.number for row in self._plan({*self.taken, *later}).results if row.ok}
        return list(takewhile(lambda each: each in fitting, later))

    def pick(self, question: _BlockQuestion, place: Candidate) -> None:
        """Put a block at one of its places."""
        self._places[question.row.number] = question.places
        self._picks[question.row.number] = place.start_line

    def request_for_taken(self, open_repo: Callable[[], Repo]) -> ApplyRequest:
        """Return the request for the taken blocks. It is refused if a file has changed since it was shown."""
        select = self._select(self.taken, frozenset(self.numbers) - self.taken)
        request = self._request._replace(select=select, allow_partial=True, chosen_at=self._repo.head)
        paths = {row.file_path for row in self._full_plan.results if row.block.number in self.taken}
        changed = self._repo.changed(open_repo(), sorted(paths)) if paths else None
        if changed is None:
            return request
        name = source_name(request.response.source)
        what = f"{changed} changed while its blocks were shown, so nothing from {name} was written"
        return request._replace(refusal=Refusal(ReasonCode.STALE, what, "look at them again"))

    def _select(self, numbers: Collection[int], skip: frozenset[int] = frozenset()) -> Selection:
        picks = {number: line for number, line in self._picks.items() if number in numbers}
        return Selection(numbers=frozenset(numbers), picks=picks, skip=skip)

    def _plan(self, numbers: Collection[int]) -> ApplyResult:
        request = self._request
        options = Options(self._select(numbers), written=request.written())
        return run(request.response, self._repo, request.settings, options)

    def _sides(self, row: Row, plan: ApplyResult) -> tuple[bytes, bytes]:
        """Return the bytes of a block's file without and with the block; empty if it has no path."""
        if row.path is None or (row.result is not None and row.result.operation == "rename"):
            return b"", b""
        original = self._repo.read(plan.renamed.get(row.path, row.path))
        without = original
        if self.taken:
            without = self._plan(self.taken).contents.get(row.path, original)
        return without or b"", plan.contents.get(row.path, original) or b""


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
