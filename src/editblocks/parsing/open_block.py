"""The block that is being read: which of its lines are markers, and when it is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from editblocks.core.blocks import EditBlock, Note, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.events import BlockProgress, BlockStarted
from editblocks.formats.grammar import (
    CUT_OFF,
    Fault,
    Format,
    Frame,
    Grammar,
    Located,
    is_markup,
    join,
    not_asked_for,
)
from editblocks.formats.markers import Kind, Token
from editblocks.formats.patch_lines import BEGIN_PATCH
from editblocks.parsing.block_checks import check_readings
from editblocks.parsing.containers import Container, Containers
from editblocks.parsing.file_of_block import locate
from editblocks.parsing.notes import say_near_marker
from editblocks.parsing.rows import Rows, as_problem


class BrokenPart(NamedTuple):
    """The lines of a block that was cut off, or of a tool call: they are read again, up to token `stop`."""

    stop: int
    is_read: bool  # whether the blocks in these lines are read, rather than counted
    counts_from: int  # the token from which on markers count
    container: Container | None  # around it
    may_hold_it: Fault  # why a block is not read that may be part of it


class OpenBlock:
    """An opener, and what was seen since. Lines are 0-based; `index` counts the reader's tokens."""

    depth = 0
    first_opener: int | None = None  # index of the first opener of another kind
    holds_quote: bool = False  # a quoted block, whose closer looks like a longer one of ours
    odd_closer: int | None = None  # index of the first closer of another length or format
    before_odd_closer: tuple[Token, ...] = ()  # the lines that may part the block if that one closes it
    lines_reported: int = 0  # lines that were told of, counted from the opener

    def __init__(
        self, containers: Containers, rows: Rows, asked_for: Sequence[Format], opener: Token, index: int
    ) -> None:
        self.lines = rows.lines
        self.first_line = rows.first_line
        self.scanner = rows.scanner
        self.asked_for = asked_for
        self.opener = opener
        self.index = index
        self.number = rows.next_number
        self.located = locate(containers, opener)
        self.container = containers.innermost
        self.grammars: Sequence[Grammar] = self.scanner.grammars[self.opener.kind]
        self.grammar = self.grammars[0]
        # A closer of another format, which ends the block if its own does not.
        self.other_closer = self.scanner.other_closer.get(self.grammar.closer)
        self.separators: list[Token] = []
        self.parting: list[Token] = []  # the first separators that stand in order
        self.nested: list[Token] = []  # those inside a git conflict
        self.odd_separators: list[Token] = []  # those of another length
        self.inner_lengths: set[int] = set()  # of blocks of this kind inside: their markers are theirs

    def take(self, token: Token, index: int) -> Literal["keep", "close", "break"]:
        """Take in a marker line inside the block, and say what it does (docs/reference/rules.md, markers)."""
        if len(self.grammars) > 1:
            self._look_below()
        if token.kind in self.scanner.openers or token.kind is BEGIN_PATCH:
            if token[0] is self.opener.kind and token[2:4] == self.opener[2:4]:
                return "break"
            if self.first_opener is None:
                self.first_opener = index
            if token.kind is self.opener.kind and token.length != self.opener.length:
                self.inner_lengths.add(token.length)
        elif token.kind is Kind.QUOTED:
            self.holds_quote = True
        elif token.indent == self.opener.indent:
            if token.kind is not self.grammar.closer and token.kind is not self.other_closer:
                self._take_rest(token)
            elif self._is_closer(token):
                return "close"
            elif self._may_close(token):
                separators = self._candidates()
                if separators or not self.grammar.separators:
                    self.odd_closer = index
                    self.before_odd_closer = tuple(separators)
        return "keep"

    def _look_below(self) -> None:
        """Choose the format, now that there is a line below the opener."""
        below = self.lines[self.opener.line + 1]
        for each in self.grammars[1:]:
            if below.startswith(self.opener.indent + each.header):
                self.grammar = each
        self.grammars = self.grammars[:1]

    def _is_closer(self, token: Token) -> bool:
        return token.kind is self.grammar.closer and token.length == self.opener.length

    def _may_close(self, token: Token) -> bool:
        """Whether the block ends here if it has no closer of its own: at one of another length or format."""
        if self.odd_closer is not None or self.holds_quote:
            return False
        if token.kind is self.other_closer:
            return token.length == self.opener.length and self.first_opener is None
        return token.kind is self.grammar.closer and token.length not in self.inner_lengths

    def _take_rest(self, token: Token) -> None:
        is_own = token.length == self.opener.length
        if token.kind in self.grammar.separators and token.length not in self.inner_lengths:
            if not is_own:
                self.odd_separators.append(token)
            elif self.depth:
                self.nested.append(token)
            else:
                self._take_separator(token)
        elif is_own and self.grammar.holds_conflicts:
            self.depth += token.kind is Kind.CONFLICT_START
            self.depth -= token.kind is Kind.CONFLICT_END and self.depth > 0

    def _take_separator(self, token: Token) -> None:
        self.separators.append(token)
        if self.grammar.separators[len(self.parting) :][:1] == (token.kind,):
            self.parting.append(token)

    def _candidates(self) -> Sequence[Token]:
        """The lines that may part it: of its own length, else of another; conflicts count if one never ends."""
        if self.depth:
            return sorted((*self.separators, *self.nested), key=lambda token: token.line)
        return self.separators or self.nested or self.odd_separators

    def row(self, closer: Token) -> EditBlock | Problem:
        """The row of the block, now that `closer` is known."""
        located = self.located
        if isinstance(located, Fault):
            return self.problem(closer.line, located)
        if self.grammar not in self.asked_for:
            return self.problem(closer.line, self._not_asked_for())
        separators: Sequence[Token] = self.before_odd_closer
        if self._is_closer(closer):
            separators = self._candidates()
        if self.grammar.separators and not separators:
            return self.problem(closer.line, self._not_parted(closer, located.path))
        inside = self.lines[self.opener.line : closer.line + 1]
        lines, notes = dedent(inside, self.opener.indent)
        frame = Frame(lines, self.opener, separators, closer, located.path, self.first_line)
        readings = self.grammar.read(frame)
        if not isinstance(readings, Fault):
            readings = check_readings(readings, frame, self.container, self.scanner)
        if isinstance(readings, Fault):
            return self.problem(closer.line, readings)
        first = readings[0]
        notes = (*located.notes, *frame.variants(self.grammar.closer), *notes)
        is_clear = len(readings) == 1
        if is_clear:
            notes = (*notes, *first.notes)
        block = EditBlock(
            number=self.number,
            file_path=located.path,
            format=self.grammar.name(located),
            line_number=self.opener.line + self.first_line,
            end_line=closer.line + self.first_line,
            anchor=first.anchor,
            old_lines=first.old_lines,
            new_lines=first.new_lines,
            trailing_anchor=first.trailing_anchor,
            raw_block=join(inside),
            path_source=located.source,
            weak_path=located.weak,
            splits=() if is_clear else readings,
            notes=notes,
            thread_path=located.thread_path,
            longer_paths=located.longer_paths,
        )
        if self.grammar.finish is None:
            return block
        return self.grammar.finish(frame, block)

    def problem(self, last: int, fault: Fault) -> Problem:
        """The row of the block if it cannot be read; it ends at line `last`."""
        path = None
        longer_paths: tuple[str, ...] = ()
        if isinstance(self.located, Located):
            path = None if self.located.weak else self.located.path
            longer_paths = self.located.longer_paths
        first = self.opener.line + self.first_line
        return Problem(self.number, first, last + self.first_line, *fault, path, self.format, longer_paths=longer_paths)

    def _not_asked_for(self) -> Fault:
        header = self.grammar.header
        line = self.opener.line + self.first_line
        if header:
            return not_asked_for(f"`{header}`", line + 1)
        return not_asked_for(f"`{self.grammar.opener.text}`", line)

    def _not_parted(self, closer: Token, path: str) -> Fault:
        marker = self.grammar.separators[0]
        first = self.opener.line + 1
        lines = f"lines {self.opener.line + self.first_line} and {closer.line + self.first_line}"
        message = f"no `{marker.literal(self.opener.length)}` between {lines}"
        inside = self.lines[first : closer.line]
        if is_markup(path):  # a text may hold rows of `=`
            inside = []
        if near := say_near_marker(inside, marker, self.opener.length, first + self.first_line, self.scanner):
            return Fault(ReasonCode.NO_DIVIDER, f"{message}: {near}")
        return Fault(ReasonCode.NO_DIVIDER, message, "put it between the old and the new lines")

    def cut_off(self, stop: int, *, is_at_end: bool) -> Problem:
        """The row of the block if it is cut off by the opener at line `stop`, or by the end of the text."""
        last = stop - 1
        if last > self.opener.line:
            self._look_below()
        if self.grammar not in self.asked_for:
            return self.problem(last, self._not_asked_for())
        closer = self.grammar.closer
        where = f"the next block (line {stop + self.first_line})"
        if is_at_end:
            where = f"the end (line {last + self.first_line})"
        missing = closer.literal(self.opener.length)
        message = f"block at line {self.opener.line + self.first_line} has no `{missing}` before {where}"
        first = self.opener.line + 1
        inside = self.lines[first : last + 1]
        if near := say_near_marker(inside, closer, self.opener.length, first + self.first_line, self.scanner):
            return self.problem(last, Fault(ReasonCode.UNCLOSED, f"{message}: {near}"))
        return self.problem(last, Fault(ReasonCode.UNCLOSED, message, CUT_OFF))

    @property
    def format(self) -> str | None:
        """What results call its format; None if nothing names its file."""
        if isinstance(self.located, Fault):
            return None
        return self.grammar.name(self.located)

    @property
    def started(self) -> BlockStarted:
        """The event of the opener."""
        path = self.located.path if isinstance(self.located, Located) else None
        return BlockStarted(self.number, self.format, path, self.opener.line + self.first_line)

    def progress(self, stop: int) -> Iterator[BlockProgress]:
        """Report the lines up to line `stop` that were not reported yet, section by section."""
        start = self.opener.line + 1 + self.lines_reported
        self.lines_reported = stop - self.opener.line - 1
        edges = [self.opener.line, *(token.line for token in self.parting), stop]
        for section, before, behind in zip(self.grammar.sections, edges, edges[1:], strict=False):
            if fresh := tuple(self.lines[max(before + 1, start) : behind]):
                yield BlockProgress(self.number, section, fresh)


def dedent(inside: Sequence[str], indent: str) -> tuple[Sequence[str], tuple[Note, ...]]:
    """The lines without the opener's indentation: a block in a list item is indented as a whole."""
    if not indent:
        return inside, ()
    if all(line.startswith(indent) or not line.strip(" \t") for line in inside):
        return [line[len(indent) :] for line in inside], ()
    message = "not every line is indented like the block's first, so no indentation was removed"
    return inside, (Note("indent-kept", message),)


_MOST_AGAIN = 8  # readings of all lines; then what stands in a broken block is only counted, so that work stays linear


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
        if self._doubt is None or isinstance(row, Problem):
            return row
        region = self.around()
        if region is None:
            return row
        return as_problem(row, region.may_hold_it)
