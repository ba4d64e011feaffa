"""The rows of a response while it is read: numbered in reading order, and not final until sealed.

The last block stays unsealed until the next one opens: a closer that follows it, even behind the end of
its fence, says that it may have been cut (docs/reference/rules.md, stray closers). A block that is cut off makes the
rows in its lines doubtful.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.events import BlockStarted, Event
from editblocks.formats.grammar import Fault, is_markup
from editblocks.formats.markers import Kind, Marker, Token
from editblocks.formats.scanner import Scanner
from editblocks.parsing.containers import Container, Containers

_MOST_AGAIN = 8  # readings of all lines; then what stands in a broken block is only counted, so that work stays linear


class Rows:
    """Blocks and problems so far. Lines are 0-based here; `first_line` is what people call line 0."""

    def __init__(
        self, lines: Sequence[str], scanner: Scanner, first_line: int, most: int, whole: str = "answer"
    ) -> None:
        self.first_line = first_line
        self.items: list[EditBlock | Problem] = []
        self.events: list[Event] | None = None  # None: nobody listens
        self.markers = Counter[Kind | Marker]()  # openers and closers that were read
        self.closer: Kind | Marker | None = None  # what closed the last block
        self.is_sealed = True
        self.is_full = False  # the limit is passed, and the last row says so
        self._group = 0  # index of the first row that is not sealed: the rows of a tool call are sealed together
        self.lines = lines
        self.scanner = scanner
        self.most = most
        self._whole = whole  # what people call all of the text
        self._container: Container | None = None  # of the last block

    @property
    def next_number(self) -> int:
        """The number of the row to come."""
        return len(self.items) + 1

    def add(
        self, row: EditBlock | Problem, container: Container | None = None, closer: Kind | Marker | None = None
    ) -> None:
        """Take a row; a block is open to a stray closer of its kind until it is sealed."""
        self.add_group([row])
        self._container = container
        self.closer = closer
        if isinstance(row, Problem):
            self.seal()

    def add_group(self, rows: Sequence[EditBlock | Problem]) -> None:
        """Take the rows of one tool call, which are sealed together."""
        self.seal()
        self._group = len(self.items)
        self._container = None
        self.closer = None
        self.is_sealed = False
        for row in rows:
            if self._is_over(row.line_number):
                return
            self.items.append(row)

    def _is_over(self, shown: int) -> bool:
        """Whether there are as many rows as may be; the first one too many becomes the last."""
        if len(self.items) == self.most:
            self.stop(shown - self.first_line, f"more than {self.most:,} blocks")
        return self.is_full

    def stop(self, line: int, what: str) -> None:
        """Take no more rows: from this line on nothing is read, as there is more than may be of `what`."""
        self.seal()
        self.is_full = True
        shown = line + self.first_line
        what = f"there are {what}, so the rest was not read"
        row = Problem(self.next_number, shown, shown, ReasonCode.TOO_LARGE, what, f"split the {self._whole}")
        self.items.append(row)
        self.tell(row)

    def tell(self, *events: Event) -> None:
        """Keep events for who listens."""
        if self.events is not None:
            self.events.extend(events)

    def tell_start(self, row: EditBlock | Problem) -> None:
        """Tell of the first line of a row that is about to be taken."""
        self.tell(BlockStarted(row.number, row.format, row.file_path, row.line_number))

    def add_problem(self, line: int, fault: Fault, path: str | None = None) -> None:
        """Take a problem of one line."""
        shown = line + self.first_line
        self.add(Problem(self.next_number, shown, shown, fault.code, fault.what, fault.advice, path))

    def add_empty(self, container: Container) -> None:
        """Take a fence or an action that asks for an edit, if it does, as it holds no block."""
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
        """The next row comes: what follows no longer speaks about the last one."""
        if not self.is_sealed:
            self.is_sealed = True
            self.tell(*self.items[self._group :])

    @property
    def unsealed(self) -> EditBlock | None:
        """The last block, if what follows may still speak about it."""
        if self.is_sealed or isinstance(self.items[-1], Problem):
            return None
        return self.items[-1]

    def break_unsealed(self, fault: Fault) -> None:
        """The rows that are not sealed must not be trusted, as what follows them says."""
        for row in self.items[self._group :]:
            broken = row
            if isinstance(row, EditBlock):
                broken = as_problem(row, fault)
            self.items[row.number - 1] = broken
        self.seal()

    def take_stray_closer(self, token: Token, container: Container | None) -> bool:
        """A closer outside any block: whether it only doubles the one before.

        Else it closes nothing, and if it is of the last block's kind, that one ended too early.
        """
        block = self.unsealed
        if block is not None and (self.closer is not token.kind or self._stands_apart(block, token, container)):
            block = None
        shown = token.line + self.first_line
        is_doubled = False
        if block is not None:
            between = self.lines[block.end_line - self.first_line + 1 : token.line]
            is_doubled = self._container is container and not any(line.strip(" \t") for line in between)
            self.items[-1] = row = _with_closer_after(block, shown, token, is_doubled)
            if isinstance(row, Problem):
                self.is_sealed = True
                self.tell(row)
        if not is_doubled:
            self.markers[token.kind] += 1
            advice = f"the opener must be `{self.scanner.opener_of[token.kind].text}`"
            self.add_problem(token.line, Fault(ReasonCode.STRAY_MARKER, f"line {shown} closes no block", advice))
        return is_doubled

    def _stands_apart(self, block: EditBlock, token: Token, container: Container | None) -> bool:
        """Whether a closer ends a block in a fence of its own that lost its opener: that says nothing of `block`."""
        if container is None or container.line + self.first_line <= block.end_line:
            return False
        return any(line.strip(" \t") for line in self.lines[container.line + 1 : token.line])

    def result(self) -> ParseResult:
        """The rows, without what else the text says."""
        return ParseResult(
            blocks=tuple(row for row in self.items if isinstance(row, EditBlock)),
            problems=tuple(row for row in self.items if isinstance(row, Problem)),
            unbalanced=self._unbalanced(),
            is_cut=self.is_full,
        )

    def _unbalanced(self) -> str:
        """The openers and closers that do not come in pairs, as `3 SEARCH, 2 REPLACE`."""
        formats = [each for each, *_ in self.scanner.grammars.values()]
        counts = [(self.markers.get(each.opener, 0), self.markers.get(each.closer, 0), each.words) for each in formats]
        return ", ".join(
            f"{openers} {words[0]}, {closers} {words[1]}" for openers, closers, words in counts if openers != closers
        )


class BrokenPart(NamedTuple):
    """The lines of a block that was cut off, or of a tool call: they are read again, up to token `stop`."""

    stop: int
    is_read: bool  # whether the blocks in these lines are read, rather than counted
    counts_from: int  # the token from which on markers count
    container: Container | None  # around it
    may_hold_it: Fault  # why a block is not read that may be part of it


class Broken:
    """The broken blocks around the line that is read now."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers
        self.region: BrokenPart | None = None  # the innermost, whose lines are read now
        self._regions: list[BrokenPart] = []
        self._doubt: BrokenPart | None = None  # the last broken block whose text may still go on
        self._again = 0  # tokens that were taken once more

    def may_read(self, count: int, so_far: int) -> bool:
        """Whether the blocks in a broken one are read rather than counted: in `count` tokens, of `so_far` in all."""
        is_read = self._again <= _MOST_AGAIN * so_far
        self._again += count
        return is_read

    def enter(self, part: BrokenPart) -> None:
        """The lines of a block are read once more."""
        if not self._regions:
            self._doubt = part
        self._regions.append(part)
        self.region = part

    def leave(self) -> None:
        """They were read; what follows inherits nothing from them."""
        self._regions.pop()
        self.region = self._regions[-1] if self._regions else None
        self._containers.end_row(self._containers.row_stop)

    def around(self) -> BrokenPart | None:
        """The broken block that a row may be part of: in no container, one is doubted of the next row alone."""
        if self._doubt is None:
            return None
        for region in filter(None, (*self._regions, self._doubt)):
            if region.container is None and not self._regions:
                self._doubt = None
            if region.container is None or region.container in self._containers.open:
                return region
        return None

    def trusted(self, row: EditBlock | Problem) -> EditBlock | Problem:
        """The row; a problem if it may be of a broken block."""
        if isinstance(row, Problem):
            return row
        region = self.around()
        if region is None:
            return row
        return as_problem(row, region.may_hold_it)


def as_problem(block: EditBlock | Problem, fault: Fault) -> Problem:
    """A block that was read but must not be trusted."""
    return Problem(
        block.number,
        block.line_number,
        block.end_line,
        *fault,
        block.file_path,
        block.format,
    )


def _with_closer_after(block: EditBlock, shown: int, closer: Token, is_doubled: bool) -> EditBlock | Problem:
    if is_doubled and not is_markup(block.file_path):
        note = Note("stray-closer-dropped", f"line {shown} repeats the closer; it was left out", shown)
        return block._replace(notes=(*block.notes, note))
    advice = "send it with longer markers"
    if isinstance(closer.kind, Marker) and closer.kind.is_fixed:
        advice = "send it in a format that has longer markers"
    what = f"another closer is at line {shown}, so the block may have ended too early"
    return as_problem(block, Fault(ReasonCode.MALFORMED, what, advice))
