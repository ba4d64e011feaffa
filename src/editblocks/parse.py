"""One walk over a response: text in, blocks and problems out.

The reader is a state machine over the few lines that `markers.scan` picks out; everything between
them is content that is sliced, never looked at. `parse_response` is the streaming reader fed once.

Theory of operation. In text, fences and headings are followed, and an opener starts a block. In a
block, `OpenBlock` says of each marker line whether it closes it. A block that the next opener of its
kind, or the end, cuts off is *broken*: it becomes a problem, and its lines are read again as text, so
that it hides nothing behind it. What is found there may belong to the broken block, so it is a
problem too, unless the fence that held the broken block had been closed before. A line is read again
for every broken block around it, and those can be made to be many; so once all lines together were
read again `_MOST_AGAIN` times, what stands in a broken block is not read, only counted as problems.
Rules and reasons: docs/formats.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editblocks.codes import ReasonCode
from editblocks.formats import search_replace
from editblocks.formats.containers import Containers, Fence, width
from editblocks.formats.grammar import Fault, Grammar
from editblocks.formats.html_comment import is_in_html, opens_comment
from editblocks.formats.markers import OPENERS, Kind, Token, scan
from editblocks.formats.open_block import OpenBlock, Step
from editblocks.formats.rows import Rows, as_problem
from editblocks.formats.unread import UNREAD, is_edit_action, unsupported
from editblocks.formats.which_file import Located, Previous, locate
from editblocks.model import EditBlock, Note, ParseResult, Problem

FORMATS: tuple[Grammar, ...] = (search_replace,)

_CONTAINERS = frozenset({Kind.FENCE, Kind.TAG, Kind.HEADING})
_STRAY_CLOSERS = frozenset({Kind.END_SR, Kind.END_NEW, Kind.MID_V3, Kind.END_V3})
_MARKERS = OPENERS | _STRAY_CLOSERS | {Kind.OPEN_OTHER, Kind.NEAR}
_CLOSERS = frozenset({Kind.END_SR, Kind.END_NEW, Kind.END_V2, Kind.END_V3})
_DEEPER = 3  # columns that a marker may stand deeper than its fence
_MOST_AGAIN = 8  # readings; no honest response comes near, and work stays linear


def parse_response(
    text: str, formats: Sequence[Grammar] = FORMATS, context_path: str | None = None, first_line: int = 1
) -> ParseResult:
    """Read every block of `text`. Raises nothing on any input.

    `context_path` is the file of the review thread, for a block that names none. `first_line` is the
    number of the text's first line, for a text whose front matter was taken off.
    """
    parser = StreamParser(formats, context_path, first_line)
    parser.feed(text)
    return parser.close()


@dataclass(slots=True)
class _Held:
    """A broken block's lines, read again: tokens up to `stop`, markers only from `loud` on."""

    stop: int
    loud: int
    line: int
    fence: Fence | None
    is_read: bool  # whether blocks in it are read, rather than counted


@dataclass(slots=True)
class _Comment:
    """An HTML comment that is open; lines before `seen` are known to be inside."""

    is_inline: bool
    seen: int


class StreamParser:
    """Reads a response as it arrives: `feed` any number of times, then `close` once."""

    def __init__(
        self, formats: Sequence[Grammar] = FORMATS, context_path: str | None = None, first_line: int = 1
    ) -> None:
        self._grammars = {grammar.OPENER: grammar for grammar in (*UNREAD, *formats)}
        self._context_path = context_path
        self._first_line = first_line
        self._rest: list[str] = []  # pieces of a line that has not ended
        self._lines: list[str] = []
        self._tokens: list[Token] = []
        self._next = 0
        self._containers = Containers()
        self._rows = Rows(first_line)
        self._open: OpenBlock | None = None
        self._held: list[_Held] = []
        self._doubt: _Held | None = None  # the last broken block, while what follows may still be its text
        self._again = 0  # tokens that were taken once more
        self._comment: _Comment | None = None
        self._previous = Previous()
        self._notes: list[Note] = []
        self._quoted: list[int] = []
        self._base: str | None = None

    def feed(self, chunk: str) -> None:
        """Take the next piece of text; it may end anywhere, in the middle of a line or of CR LF."""
        whole, newline, rest = chunk.rpartition("\n")
        if newline:
            self._take_lines("".join((*self._rest, whole, newline)))
            self._rest = []
            self._run(at_end=False)
        self._rest.append(rest)

    def close(self) -> ParseResult:
        """The text is over: break what is open and return everything that was seen."""
        if rest := "".join(self._rest):
            self._take_lines(rest + "\n")
            self._rest = []
        self._run(at_end=True)
        self._rows.end_hidden(len(self._lines))
        items = self._rows.items
        return ParseResult(
            blocks=tuple(row for row in items if isinstance(row, EditBlock)),
            problems=tuple(row for row in items if isinstance(row, Problem)),
            notes=(*self._notes, *self._closing_notes()),
            base=self._base,
        )

    def _closing_notes(self) -> Sequence[Note]:
        notes = []
        for line in self._containers.unclosed:
            shown = line + self._first_line
            notes.append(Note("fence-unclosed", f"the fence at line {shown} was never closed", shown))
        if self._quoted:
            count = len(self._quoted)
            message = f"{count} quoted block{'s were' if count > 1 else ' was'} not read"
            notes.append(Note("quoted-block", message, self._quoted[0]))
        return notes

    def _take_lines(self, whole: str) -> None:
        if not self._lines:
            whole = whole.removeprefix("\ufeff")
        text = whole.replace("\r\n", "\n")
        self._tokens.extend(scan(text, len(self._lines)))
        self._lines.extend(text[:-1].split("\n"))

    def _run(self, at_end: bool) -> None:
        while True:
            stop = self._held[-1].stop if self._held else len(self._tokens)
            if self._next < stop:
                self._next += 1
                self._take(self._tokens[self._next - 1])
            elif self._open is not None and (self._held or at_end):
                self._break(self._open, stop)
            elif self._held:
                self._held.pop()
                self._previous = Previous(self._previous.stop)  # what follows inherits nothing from what was held
            else:
                return

    def _take(self, token: Token) -> None:
        if self._open is not None:
            step = self._open.take(token, self._next - 1)
            if step is Step.CLOSE:
                self._close(self._open, token)
            elif step is Step.BREAK:
                self._break(self._open, self._next - 1)
        elif self._comment is not None:
            self._take_in_comment(self._comment, token)
        elif self._held and self._next <= self._held[-1].loud:
            if token.kind in _CONTAINERS:
                self._containers.take(token)
        else:
            self._take_in_text(token)

    def _take_in_text(self, token: Token) -> None:
        self._containers.pass_text(self._lines, token.line)
        if token.kind in _MARKERS:
            self._take_marker(token, self._containers.innermost)
        elif token.kind in _CONTAINERS:
            self._containers.take(token)
        elif token.kind is Kind.COMMENT:
            if not self._containers.fences and opens_comment(token.word):
                self._comment = _Comment(not is_in_html(self._lines, token.line), token.line + 1)
        elif token.kind is Kind.QUOTED:
            self._quoted.append(token.line + self._first_line)
        elif token.kind is Kind.BASE and not self._rows.items and not self._containers.fences:
            self._base = token.word

    def _take_marker(self, token: Token, fence: Fence | None) -> None:
        shown = token.line + self._first_line
        if fence is not None and width(token.indent) > fence.column + _DEEPER:
            message = f"line {shown} is indented like a listing in its fence, so it is no marker"
            self._notes.append(Note("near-marker", message, shown))
        elif token.kind is Kind.NEAR:
            self._notes.append(Note("near-marker", f"line {shown} is no marker; write `{'<' * 7} {token.word}`", shown))
        elif token.kind is Kind.OPEN_OTHER:
            self._rows.add_problem(token.line, unsupported(token.word, shown))
        elif token.kind in _STRAY_CLOSERS:
            if self._rows.take_stray_closer(token, fence, self._lines):
                self._previous.stop = token.line + 1
        elif token.kind is not Kind.OPEN_BOLT or is_edit_action(token):
            self._start(token, fence)

    def _start(self, token: Token, fence: Fence | None) -> None:
        located = locate(self._lines, token.line, self._containers, self._previous, self._context_path)
        self._rows.seal()
        grammar = self._grammars[token.kind]
        block = OpenBlock(grammar, token, self._next - 1, self._rows.next_number, located, fence)
        if self._held and not self._held[-1].is_read:
            fault = Fault(ReasonCode.MALFORMED, self._held_by(self._held[-1]))
            self._rows.add(self._problem(block, token.line, fault))
        else:
            self._open = block

    def _close(self, block: OpenBlock, closer: Token) -> None:
        """The closer was found: make a row of the block."""
        self._open = None
        self._containers.pass_block(closer.line + 1)
        row = self._row(block, closer)
        located = block.located if isinstance(block.located, Located) else None
        self._previous = Previous(closer.line + 1, located, row.format or "")
        self._rows.add(row, block.fence, closer.kind)

    def _row(self, block: OpenBlock, closer: Token) -> EditBlock | Problem:
        read = block.read(self._lines, closer, self._first_line)
        if isinstance(read, Fault):
            return self._problem(block, closer.line, read)
        located, sections = read
        row = EditBlock(
            number=block.number,
            file_path=located.path,
            format=block.format(self._previous.format) or "",
            line_number=block.opener.line + self._first_line,
            end_line=closer.line + self._first_line,
            anchor=sections.anchor,
            old_lines=sections.old_lines,
            new_lines=sections.new_lines,
            trailing_anchor=sections.trailing_anchor,
            raw_block="\n".join(self._lines[block.opener.line : closer.line + 1]) + "\n",
            path_source=located.source,
            weak_path=located.weak,
            splits=sections.splits,
            notes=(*located.notes, *sections.notes),
        )
        held = self._holder() or self._doubted()
        return row if held is None else as_problem(row, self._held_by(held))

    def _held_by(self, held: _Held) -> str:
        shown = held.line + self._first_line
        return f"it may be part of the unclosed block at line {shown}; send both again, complete"

    def _doubted(self) -> _Held | None:
        """The broken block whose fence is still open: what follows may be a sample in its text.

        Of a broken block outside fences that is said of the next one only.
        """
        doubt = self._doubt
        if doubt is None or (doubt.fence is not None and not self._containers.holds(doubt.fence)):
            return None
        if doubt.fence is None:
            self._doubt = None
        return doubt

    def _holder(self) -> _Held | None:
        """The broken block that what is read now may be a part of: one whose fence was not closed before."""
        for held in self._held:
            if held.fence is None or self._containers.holds(held.fence):
                return held
        return None

    def _break(self, block: OpenBlock, stop: int) -> None:
        """The block is cut off by token `stop`, or by the end: close it where it may be meant, or give it up."""
        is_read = self._again <= _MOST_AGAIN * stop
        self._again += stop - block.index
        if block.odd_closer is not None and is_read:
            self._next = block.odd_closer + 1
            self._close(block, self._tokens[block.odd_closer])
            return
        self._open = None
        next_block = self._tokens[stop].line if stop < len(self._tokens) else None
        last = (len(self._lines) if next_block is None else next_block) - 1
        fault = block.unclosed(last, next_block, self._first_line)
        self._rows.add(self._problem(block, last, fault))
        self._previous = Previous(self._previous.stop)
        loud = stop if block.other_opener is None else block.other_opener
        held = _Held(stop, loud, block.opener.line, block.fence, is_read)
        if not self._held:
            self._doubt = held
        self._held.append(held)
        self._next = block.index + 1

    def _problem(self, block: OpenBlock, last: int, fault: Fault) -> Problem:
        located = block.located if isinstance(block.located, Located) else None
        return Problem(
            number=block.number,
            line_number=block.opener.line + self._first_line,
            end_line=last + self._first_line,
            code=fault.code,
            message=fault.message,
            file_path=None if located is None or located.weak else located.path,
            format=block.format(self._previous.format),
        )

    def _take_in_comment(self, comment: _Comment, token: Token) -> None:
        if comment.is_inline and (blank := self._blank_in(comment, token.line)) is not None:
            self._end_comment(blank)
            self._take_in_text(token)
        elif token.kind in OPENERS:
            self._rows.start_hidden(token.line)
        elif token.kind in _CLOSERS:
            self._rows.end_hidden(token.line + 1)
        elif token.kind is Kind.COMMENT and "-->" in token.word:
            self._end_comment(token.line)
            if opens_comment(token.word[token.word.index("-->") + 3 :]):
                self._comment = _Comment(comment.is_inline, token.line + 1)

    def _blank_in(self, comment: _Comment, stop: int) -> int | None:
        """The blank line that ends the comment before line `stop`, if there is one."""
        start, comment.seen = comment.seen, stop
        return next((number for number in range(start, stop) if not self._lines[number].strip(" \t")), None)

    def _end_comment(self, stop: int) -> None:
        self._rows.end_hidden(stop)
        self._comment = None
