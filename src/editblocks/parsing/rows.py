"""The rows of a response while it is read: numbered in reading order, and not final until they are sealed.

The last block stays unsealed until the next one opens: another closer after it, even after the end of its fence, shows
that it may have ended too early (docs/reference/rules.md, stray closers). If a block is cut off, the rows in its lines
are refused.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from editblocks.core.blocks import BlockStarted, EditBlock, Event, Note, ParsedRow, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault, is_markup
from editblocks.formats.markers import Kind, Marker, Token
from editblocks.formats.scanner import Scanner
from editblocks.parsing.containers import Container, Containers

_MOST_REREADS = 8  # readings of all lines; after that, blocks in broken blocks are refused unread, to keep time linear


class Rows:
    """Blocks and problems so far. Lines are 0-based here; `first_line` is the number of line 0 in messages."""

    def __init__(
        self, lines: Sequence[str], scanner: Scanner, first_line: int, most: int, whole: str = "answer"
    ) -> None:
        self.first_line = first_line
        self.items: list[ParsedRow] = []
        self.events: list[Event] | None = None  # None: events are not wanted
        self.markers = Counter[Kind | Marker]()  # openers and closers that were read
        self.closer: Kind | Marker | None = None  # the marker that closed the last block
        self.is_sealed = True
        self.is_full = False  # the limit was exceeded, and the last row says so
        self._group = 0  # index of the first unsealed row: the rows of a tool call are sealed together
        self.lines = lines
        self.scanner = scanner
        self.most = most
        self._whole = whole  # the name of the whole text in messages
        self._container: Container | None = None  # of the last block

    @property
    def next_number(self) -> int:
        return len(self.items) + 1

    def add(self, row: ParsedRow, container: Container | None = None, closer: Kind | Marker | None = None) -> None:
        """Add a row. Until a block is sealed, a stray closer of its kind can still turn it into a problem."""
        self.add_group([row])
        self._container = container
        self.closer = closer
        if isinstance(row, Problem):
            self.seal()

    def add_group(self, rows: Sequence[ParsedRow]) -> None:
        """Add the rows of one tool call, which are sealed together."""
        self.seal()
        self._group = len(self.items)
        self._container = None
        self.closer = None
        self.is_sealed = False
        for row in rows:
            if len(self.items) == self.most:
                self.stop(row.line_number - self.first_line, f"more than {self.most:,} blocks")
            if self.is_full:
                return
            self.items.append(row)

    def stop(self, line: int, what: str) -> None:
        """Add a last row: there are `what`, such as "more than 500 blocks", so nothing from `line` on is read."""
        self.seal()
        self.is_full = True
        line_number = line + self.first_line
        what = f"there are {what}, so the rest was not read"
        advice = f"split the {self._whole}"
        row = Problem(self.next_number, line_number, line_number, ReasonCode.TOO_LARGE, what, advice)
        self.items.append(row)
        self.emit(row)

    def emit(self, *events: Event) -> None:
        """Keep events, if they are wanted."""
        if self.events is not None:
            self.events.extend(events)

    def emit_start(self, row: ParsedRow) -> None:
        """Keep the event for the beginning of a row, before the row is added."""
        self.emit(BlockStarted(row.number, row.format, row.file_path, row.line_number))

    def add_problem(self, line: int, fault: Fault, path: str | None = None) -> None:
        """Add a problem of one line."""
        line_number = line + self.first_line
        self.add(Problem(self.next_number, line_number, line_number, *fault, path))

    def add_empty(self, container: Container) -> None:
        """Add a problem for a container without a block, if it is a fence or an action that asks for an edit."""
        path = container.file_path
        if path is None:
            return
        what = f"the fence `edit:{path}`"
        advice = ""
        if not container.mark:
            what = "the edit action"
            advice = ', or write `type="file"` for a new file'
        message = f"{what} at line {container.line + self.first_line} holds no block"
        fault = Fault(ReasonCode.MALFORMED, message, f"put SEARCH/REPLACE blocks in it{advice}")
        self.add_problem(container.line, fault, path or None)

    def seal(self) -> None:
        """Make the last rows final: later lines no longer affect them."""
        if not self.is_sealed:
            self.is_sealed = True
            self.emit(*self.items[self._group :])

    @property
    def unsealed(self) -> EditBlock | None:
        """The last block, if it is not sealed."""
        if self.is_sealed or isinstance(self.items[-1], Problem):
            return None
        return self.items[-1]

    def break_unsealed(self, fault: Fault) -> None:
        """Turn the blocks that are not sealed into problems."""
        for row in self.items[self._group :]:
            if isinstance(row, EditBlock):
                self.items[row.number - 1] = as_problem(row, fault)
        self.seal()

    def take_stray_closer(self, token: Token, container: Container | None) -> bool:
        """Handle a closer outside any block; return whether it only repeats the closer of the last block.

        Otherwise it closes nothing, and if the last block has the same closer, that block may have ended too early.
        """
        block = self.unsealed
        line_number = token.line + self.first_line
        if block is not None and self.closer is token.kind and not self._has_own_fence(block, token, container):
            between = self.lines[block.end_line - self.first_line + 1 : token.line]
            is_doubled = self._container is container and not any(line.strip(" \t") for line in between)
            if is_doubled and not is_markup(block.file_path):
                what = f"line {line_number} repeats the closer; it was left out"
                notes = (*block.notes, Note("stray-closer-dropped", what, line_number))
                self.items[-1] = block._replace(notes=notes)
            else:
                advice = "send it with longer markers"
                if isinstance(token.kind, Marker) and token.kind.is_fixed:
                    advice = "send it in a format that has longer markers"
                what = f"another closer is at line {line_number}, so the block may have ended too early"
                self.break_unsealed(Fault(ReasonCode.MALFORMED, what, advice))
            if is_doubled:
                return True
        self.markers[token.kind] += 1
        advice = f"the opener must be `{self.scanner.pairs.opener_of[token.kind].text}`"
        self.add_problem(token.line, Fault(ReasonCode.STRAY_MARKER, f"line {line_number} closes no block", advice))
        return False

    def _has_own_fence(self, block: EditBlock, token: Token, container: Container | None) -> bool:
        """Whether a closer has a fence of its own after `block`, so that it ends another block that lost its opener."""
        if container is None or container.line + self.first_line <= block.end_line:
            return False
        return any(line.strip(" \t") for line in self.lines[container.line + 1 : token.line])

    def result(self) -> ParseResult:
        """The rows as a result, without notes and commands."""
        return ParseResult(
            blocks=tuple(row for row in self.items if isinstance(row, EditBlock)),
            problems=tuple(row for row in self.items if isinstance(row, Problem)),
            unbalanced=self._unbalanced(),
            is_cut=self.is_full,
        )

    def _unbalanced(self) -> str:
        """The counts of openers and closers that differ, such as `3 SEARCH, 2 REPLACE`."""
        counts = []
        for grammar, *_ in self.scanner.pairs.grammars.values():
            opener_word, closer_word = grammar.words
            openers = self.markers[grammar.opener]
            closers = self.markers[grammar.closer]
            if openers != closers:
                counts.append(f"{openers} {opener_word}, {closers} {closer_word}")
        return ", ".join(counts)


class BrokenPart(NamedTuple):
    """The lines of a block or a tool call that was cut off. They are read again as text, up to token `stop`."""

    stop: int
    is_read: bool  # whether blocks in these lines are read, or refused at their openers
    counts_from: int  # the index of the first token that is read as a marker
    container: Container | None  # around the block or call
    fault: Fault  # the fault of blocks in these lines, which may be part of the cut-off block


class BrokenBlocks:
    """The broken blocks around the current line."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers
        self._regions: list[BrokenPart] = []  # the parts that are being read again, the outermost first
        self._last_region: BrokenPart | None = None  # the last outermost part, while its text may still continue
        self._reread_count = 0  # the number of tokens that were read again

    @property
    def region(self) -> BrokenPart | None:
        """The innermost broken block, whose lines are being read again."""
        return self._regions[-1] if self._regions else None

    def count_reread(self, count: int, so_far: int) -> bool:
        """Count the tokens of a broken block, of `so_far` in all. Return whether to read them; see `_MOST_REREADS`."""
        is_read = self._reread_count <= _MOST_REREADS * so_far
        self._reread_count += count
        return is_read

    def enter(self, part: BrokenPart) -> None:
        """Begin to read the lines of a broken block again."""
        if not self._regions:
            self._last_region = part
        self._regions.append(part)

    def leave(self) -> None:
        """End reading the lines of the innermost broken block again. Its path is not passed on."""
        self._regions.pop()
        self._containers.end_row(self._containers.row_stop)

    def take_part_of_row(self) -> BrokenPart | None:
        """The broken block that the next row may be part of. One in no container is returned for one row only."""
        regions = self._regions
        if not regions and self._last_region is not None:
            regions = [self._last_region]
            if self._last_region.container is None:
                self._last_region = None
        for region in regions:
            if region.container is None or region.container in self._containers.open:
                return region
        return None

    def refuse_if_inside(self, row: ParsedRow) -> ParsedRow:
        """Return the row, or a problem if it may be part of a broken block."""
        if isinstance(row, Problem):
            return row
        region = self.take_part_of_row()
        if region is None:
            return row
        return as_problem(row, region.fault)


def as_problem(block: ParsedRow, fault: Fault) -> Problem:
    """Turn a block that was read into a problem, because it must not be trusted."""
    return Problem(block.number, block.line_number, block.end_line, *fault, block.file_path, block.format)
