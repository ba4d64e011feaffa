"""The state machine that makes blocks and problems of the lines that matter.

Theory of operation. In text, fences, actions and headings are followed, and an opener starts a block. In
a block, `OpenBlock` says of each marker line whether it closes it. A block that is cut off is read again
as text (`held`). Where the page hides text, and in an action that runs something, openers are counted as problems.
Rules and reasons: docs/reference/formats.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from editblocks.core.codes import ReasonCode
from editblocks.core.events import BlockProgress, BlockStarted
from editblocks.core.model import EditBlock, Problem
from editblocks.formats.grammar import CUT_OFF, SEND_BOTH, Fault, Grammar, Located, unsupported_format
from editblocks.formats.markers import END, OPENERS, Kind, Token, read_tag, scan
from editblocks.formats.whole_file import on_its_line
from editblocks.parsing.broken_blocks import BrokenBlock, BrokenBlocks
from editblocks.parsing.containers import CONTAINERS, Action, Containers, Fence, width
from editblocks.parsing.file_of_block import Previous, locate, path_of_fence
from editblocks.parsing.near_markers import is_cut_opener
from editblocks.parsing.notes import Margin
from editblocks.parsing.open_block import OpenBlock
from editblocks.parsing.page import Page
from editblocks.parsing.patch_reader import PATCH_LINES, PatchReader
from editblocks.parsing.rows import Rows, as_problem

_STRAY_CLOSERS = frozenset({Kind.END_SR, Kind.END_NEW, Kind.MID_V3, Kind.END_V3})
_MARKERS = OPENERS | _STRAY_CLOSERS | {Kind.OPEN_OTHER, Kind.OPEN_PATCH, Kind.BAD_ACTION, Kind.END_V2}
_ASIDE = frozenset({Kind.NEAR, Kind.NEAR_END, Kind.PREFIXED, Kind.QUOTED})
_CLOSERS = frozenset({Kind.END_SR, Kind.END_NEW, Kind.END_V2, Kind.END_V3})
_ACTIONS = frozenset({Kind.OPEN_FILE, Kind.EDIT_ACTION, Kind.OTHER_ACTION})
MOST_MARKERS = 25_000  # lines that may be markers, fifty a block; each is a step, and so is each that is read again
_PIECE = 32 * 1024  # characters that are scanned at a time, so that what is too much is not
_DEEPER = 3  # columns that a marker may stand deeper than its fence


@dataclass(slots=True)
class _Running:
    """An open action that runs something."""

    line: int
    holds_block: bool = False


class Reader:
    """Takes whole lines, keeps the rows. `grammars` are all that is known, `asked_for` what is to be read.

    After `most_rows` rows, or MOST_MARKERS lines that may be markers, nothing more is read, and the last row says so.
    """

    def __init__(
        self,
        grammars: Sequence[Grammar],
        asked_for: Sequence[Grammar],
        context_path: str | None,
        first_line: int,
        most_rows: int,
    ) -> None:
        self._grammars: Mapping[Kind, Grammar] = {grammar.opener: grammar for grammar in grammars}
        self._asked_for = {grammar.opener for grammar in asked_for}
        self._context_path = context_path
        self._first_line = first_line
        self._tokens: list[Token] = []
        self._next = 0
        self._steps = 0
        self._open: OpenBlock | None = None
        self._held = BrokenBlocks()
        self._running: _Running | None = None
        self._previous = Previous()
        self._markers: Counter[Kind] = Counter()  # openers and closers that were read
        self.lines: list[str] = []
        self.rows = Rows(self.lines, first_line, most_rows)
        self.containers = Containers()
        self._page = Page(self.lines)
        self.margin = Margin(first_line)
        self._patches = PatchReader(self.lines, self.containers, self.rows, self.margin, self._path_above)
        self.base: str | None = None

    def take_lines(self, whole: str) -> None:
        """Take the next lines, each ended by a newline."""
        if not self.lines:
            whole = whole.removeprefix("\ufeff")
        start = 0
        while start < len(whole) and not self.rows.is_full:
            stop = whole.find("\n", start + _PIECE) + 1 or len(whole)
            self._take_piece(whole[start:stop].replace("\r\n", "\n"))
            start = stop
        if self._open is not None:
            self._tell_progress(self._open, len(self.lines))

    def _take_piece(self, text: str) -> None:
        self._page.announce(text)
        self._tokens.extend(scan(text, len(self.lines)))
        self.lines.extend(text[:-1].split("\n"))
        self._run(at_end=False)

    def end(self) -> None:
        """The text is over: break what is open."""
        self._run(at_end=True)
        self._look_at_last_line()
        self._patches.settle(len(self.lines))
        self.rows.end_unseen(len(self.lines))
        self.containers.leave_all(len(self.lines))
        self._look_at_left()
        self.rows.seal()
        if self._running is not None:
            self._end_running(self._running, len(self.lines))

    def _look_at_last_line(self) -> None:
        """A text that is cut off in an opener has lost at least that block."""
        last = next((number for number in reversed(range(len(self.lines))) if self.lines[number].strip(" \t")), None)
        if last is None or self.rows.is_full or not is_cut_opener(self.lines[last]):
            return
        shown = last + self._first_line
        if not self.rows.items or self.rows.items[-1].end_line < shown:
            self.margin.forget(shown)
            what = f"line {shown}, the last one, is the beginning of an opener"
            self.rows.add_problem(last, Fault(ReasonCode.UNCLOSED, what, CUT_OFF))

    def marker_counts(self) -> str:
        """The openers and closers that do not come in pairs, as `3 SEARCH, 2 REPLACE`."""
        parts = []
        for kind, grammar in self._grammars.items():
            openers, closers = self._markers[kind], self._markers[grammar.closer]
            if openers != closers:
                parts.append(f"{openers} {grammar.words[0]}, {closers} {grammar.words[1]}")
        return ", ".join(parts)

    def _run(self, at_end: bool) -> None:
        while not self.rows.is_full:
            broken_block = self._held.innermost
            stop = len(self._tokens) if broken_block is None else broken_block.stop
            if self._next < stop:
                self._next += 1
                self._steps += 1
                if self._steps > MOST_MARKERS:
                    self.rows.stop(self._tokens[self._next - 1].line, f"more than {MOST_MARKERS:,} marker lines")
                    return
                self._take(self._tokens[self._next - 1])
            elif self._open is not None and (broken_block is not None or at_end):
                self._break(self._open, stop)
            elif broken_block is not None:
                self._held.regions.pop()
                self._previous = Previous(self._previous.stop)  # what follows inherits nothing from what was held
            else:
                return

    def _take(self, token: Token) -> None:
        broken_block = self._held.innermost
        if self._open is not None:
            effect = self._open.take(token, self._next - 1)
            if effect == "close":
                self._close(self._open, token)
            elif effect == "break":
                self._break(self._open, self._next - 1)
        elif self._running is not None:
            self._take_in_running(self._running, token)
        elif self._is_unseen(token):
            self._take_unseen(token, ReasonCode.HIDDEN_BLOCK)
        elif broken_block is not None and self._next <= broken_block.counts_from:
            if token.kind in CONTAINERS:
                self._enter_or_leave(token)
        else:
            self._take_in_text(token)

    def _take_unseen(self, token: Token, code: ReasonCode) -> None:
        """A line where no block is read; what would open one becomes a row."""
        if token.kind in OPENERS:
            self.rows.start_unseen(token.line, code)
        elif token.kind in _CLOSERS:
            self.rows.end_unseen(token.line + 1)
        elif token.kind is Kind.COMMENT and "-->" in token.word:
            self.rows.end_unseen(token.line)

    def _is_unseen(self, token: Token) -> bool:
        """Whether the line may be hidden, or ends a block that began where it is. A bad tag hides itself alone."""
        if self._page.is_clear or token.kind in (Kind.BAD_ACTION, Kind.NEAR):  # `<<<<<<<SEARCH` is one, too
            return False
        return self._page.hides(token.line) or (self.rows.has_unseen and token.kind in _CLOSERS)

    def _take_in_text(self, token: Token) -> None:
        self.containers.pass_text(self.lines, token.line)
        self._patches.settle(token.line)
        if token.kind in CONTAINERS or token.kind in _MARKERS:
            self._patches.forget()
            self.rows.end_unseen(token.line)
        if token.kind in CONTAINERS:
            self._take_container(token)
        if token.kind in _MARKERS:
            self._take_marker(token, self.containers.innermost)
        elif token.kind is Kind.COMMAND:
            if not self.containers.fences and self._held.innermost is None:
                self.margin.take(token, self.lines[token.line])
        elif token.kind in PATCH_LINES:
            self._patches.take(token)
        elif token.kind in _ASIDE:
            self.margin.take(token, self.lines[token.line])
        elif token.kind is Kind.BASE and not self.rows.items and not self.containers.fences:
            self.base = token.word

    def _take_container(self, token: Token) -> None:
        if token.kind is Kind.END_BOLT and self.containers.action is None and self._may_double(token):
            self._take_stray(token)
        self._enter_or_leave(token)
        if token.kind is Kind.OTHER_ACTION:
            self._start_running(token)

    def _enter_or_leave(self, token: Token) -> None:
        self.containers.take(token)
        self._look_at_left()
        for container in (self.containers.action, self.containers.innermost):
            if container is not None and not container.first_row:
                container.first_row = self.rows.next_number
        if self._held.innermost is not None and self.containers.innermost is not None:
            self.containers.innermost.holds_block = True  # a broken one, whose commands are nobody's suggestion

    def _path_above(self, fence: Fence) -> str | None:
        return path_of_fence(self.lines, fence, self.containers, self._previous, self._context_path)

    def _look_at_left(self) -> None:
        """What asked for an edit, and is over without a row: nothing is dropped in silence."""
        closed, self.containers.closed = self.containers.closed, []
        for fence, stop in closed:
            self.margin.take_fence(fence, stop, self.lines, next(iter(self.containers.fences), None))
        left, self.containers.left = self.containers.left, []
        for container in left:
            if container.file_path is not None and container.first_row == self.rows.next_number:
                self._refuse_empty(container, container.file_path)

    def _refuse_empty(self, container: Action | Fence, named: str) -> None:
        what, advice = f"the fence `edit:{named}`", ""
        if isinstance(container, Action):
            what, advice = "the edit action", ', or write `type="file"` for a new file'
        message = f"{what} at line {container.line + self._first_line} holds no block"
        fault = Fault(ReasonCode.MALFORMED, message, f"put SEARCH/REPLACE blocks in it{advice}")
        if self._held.innermost is None:
            self.rows.add_problem(container.line, fault, named or None)

    def _start_running(self, token: Token) -> None:
        tag = read_tag(token.word)
        if tag is None or not tag.ends_here:
            self._running = _Running(token.line)
        if tag is not None and tag.rest:
            self.margin.suggestions.add_lines(token.line, [tag.rest.partition(END)[0]])

    def _take_in_running(self, running: _Running, token: Token) -> None:
        if token.kind in _ACTIONS or token.kind in (Kind.END_BOLT, Kind.END_ARTIFACT):
            self._end_running(running, token.line)
            if token.kind in _ACTIONS:
                self._take_in_text(token)
        else:
            running.holds_block = running.holds_block or token.kind in OPENERS
            self._take_unseen(token, ReasonCode.MALFORMED)

    def _end_running(self, running: _Running, stop: int) -> None:
        self.rows.end_unseen(stop)
        if not running.holds_block:
            self.margin.suggestions.add_lines(running.line, self.lines[running.line + 1 : stop])
        self._running = None

    def _take_marker(self, token: Token, fence: Fence | None) -> None:
        shown = token.line + self._first_line
        container = self.containers.container
        if fence is not None and container is not None and width(token.indent) > container.column + _DEEPER:
            self.margin.note_listing(token.line)
        elif token.kind is Kind.OPEN_OTHER:
            self.rows.add_problem(token.line, unsupported_format(f"`{token.word}`", shown, shown))
        elif token.kind is Kind.OPEN_PATCH:
            self._patches.begin(token)
        elif token.kind is Kind.BAD_ACTION:
            advice = f"write it on one line, as `{Kind.OPEN_FILE.value}`"
            fault = Fault(ReasonCode.MALFORMED, f"the tag at line {shown} cannot be read", advice)
            self.rows.add_problem(token.line, fault)
        elif token.kind in OPENERS:
            self._start(token)
        elif not self.margin.is_quoted(token.line, self.lines):
            if token.kind in _STRAY_CLOSERS or self._may_double(token):
                self._take_stray(token)
            else:
                self.margin.note_closer(token)

    def _may_double(self, token: Token) -> bool:
        """Whether a line that is prose elsewhere follows a block that it would have closed."""
        return not self.rows.is_sealed and self.rows.closer is token.kind

    def _take_stray(self, token: Token) -> None:
        if self.rows.take_stray_closer(token, self.containers.container):
            self._previous.stop = token.line + 1
        else:
            self._markers[token.kind] += 1

    def _start(self, token: Token) -> None:
        located = locate(self.lines, token, self.containers, self._previous, self._context_path)
        self.rows.seal()
        self._markers[token.kind] += 1
        for open_fence in self.containers.fences:
            open_fence.holds_block = True
        block = OpenBlock(
            self.lines,
            self._first_line,
            self._grammars[token.kind],
            token,
            self._next - 1,
            self.rows.next_number,
            located,
            self.containers.container,
            is_asked_for=token.kind in self._asked_for,
        )
        self._tell_start(block)
        tag = read_tag(token.word) if token.kind is Kind.OPEN_FILE else None
        broken_block = self._held.innermost
        if broken_block is not None and not broken_block.is_read:
            self.rows.add(block.problem(token.line, self._held_by(broken_block)))
        elif tag is not None and tag.ends_here:
            self._markers[Kind.END_BOLT] += 1
            self.rows.add(block.problem(token.line, on_its_line(token.line + self._first_line)))
        else:
            self._open = block

    def _close(self, block: OpenBlock, closer: Token) -> None:
        """The closer was found: make a row of the block."""
        self._open = None
        self._markers[closer.kind] += 1
        self._tell_progress(block, closer.line, is_closed=True)
        self.containers.pass_block(closer.line + 1)
        row = self._row(block, closer)
        # An action names the file of its own lines only, so nothing is handed on from it.
        located = None if block.opener.kind is Kind.OPEN_FILE else block.located
        self._previous = Previous(closer.line + 1, located if isinstance(located, Located) else None)
        self.rows.add(row, block.container, closer.kind)

    def _tell_start(self, block: OpenBlock) -> None:
        if self.rows.events is not None:
            path = block.located.path if isinstance(block.located, Located) else None
            shown = block.opener.line + self._first_line
            self.rows.events.append(BlockStarted(block.number, block.format, path, shown))

    def _tell_progress(self, block: OpenBlock, stop: int, *, is_closed: bool = False) -> None:
        if self.rows.events is not None:
            self.rows.events.extend(block.progress(stop))
            if is_closed:
                self.rows.events.append(BlockProgress(block.number, "closed", ()))

    def _row(self, block: OpenBlock, closer: Token) -> EditBlock | Problem:
        row = block.row(closer)
        broken_block = self._held.around(self.containers) if isinstance(row, EditBlock) else None
        return (
            as_problem(row, self._held_by(broken_block))
            if isinstance(row, EditBlock) and broken_block is not None
            else row
        )

    def _held_by(self, broken_block: BrokenBlock) -> Fault:
        shown = broken_block.line + self._first_line
        return Fault(ReasonCode.MALFORMED, f"it may be part of the unclosed block at line {shown}", SEND_BOTH)

    def _break(self, block: OpenBlock, stop: int) -> None:
        """The block is cut off by token `stop`, or by the end: close it where it may be meant, or give it up."""
        is_read = self._held.may_read(block, stop)
        if block.odd_closer is not None and is_read:
            self._next = block.odd_closer + 1
            self._close(block, self._tokens[block.odd_closer])
            return
        self._open = None
        next_block = self._tokens[stop].line if stop < len(self._tokens) else None
        last = (len(self.lines) if next_block is None else next_block) - 1
        self.rows.add(block.cut_off(last, next_block))
        self._previous = Previous(self._previous.stop)
        self._held.hold(block, stop, is_read)
        self._next = block.index + 1
