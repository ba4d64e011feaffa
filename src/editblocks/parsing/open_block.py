"""The block that is being read: which of its lines are markers, and when it is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from editblocks.core.codes import ReasonCode
from editblocks.core.events import BlockProgress
from editblocks.core.model import EditBlock, Problem
from editblocks.formats.grammar import CUT_OFF, Fault, Frame, Grammar, Located, Sections, is_markup
from editblocks.formats.markers import OPENERS, Kind, Token
from editblocks.formats.unsupported import not_asked_for
from editblocks.parsing import near_markers
from editblocks.parsing.block_checks import check_sections
from editblocks.parsing.containers import Action, Fence


class LineEffect(Enum):
    """What a line does to the open block."""

    KEEP = "it is content, or a separator that was noted"
    CLOSE = "it closes the block"
    BREAK = "it opens the next one of the same kind"


@dataclass(slots=True)
class OpenBlock:
    """An opener, and what was seen since. Lines are 0-based; `index` counts the reader's tokens."""

    grammar: Grammar
    opener: Token
    index: int
    number: int
    located: Located | Fault
    container: Fence | Action | None
    is_asked_for: bool = True
    separators: list[Token] = field(default_factory=list)
    parting: list[Token] = field(default_factory=list)  # the first separators that stand in order
    nested: list[Token] = field(default_factory=list)  # those inside a git conflict
    odd_separators: list[Token] = field(default_factory=list)  # those of another length
    depth: int = 0
    inner_lengths: set[int] = field(default_factory=set)  # of blocks of this kind inside: their markers are theirs
    other_opener: int | None = None  # index of the first opener of another kind
    near_closer: Token | None = None  # the first line that looks like its closer, and ends nothing that it holds
    held_open: int = 0  # what looks like a block that it holds, and has not ended
    holds_quote: bool = False  # a quoted block, whose closer looks like a longer one of ours
    odd_closer: int | None = None  # index of the first closer of another length
    before_odd_closer: tuple[Token, ...] = ()  # the lines that may part the block if that one closes it
    lines_reported: int = 0  # lines that were told of, counted from the opener

    def take(self, token: Token, index: int) -> LineEffect:
        """Take in a marker line inside the block (docs/reference/formats.md, state table)."""
        self._look_for_near_closer(token)
        if token.kind in OPENERS:
            if self._is_same(token):
                return LineEffect.BREAK
            if self.other_opener is None:
                self.other_opener = index
            if token.kind is self.opener.kind and token.length != self.opener.length:
                self.inner_lengths.add(token.length)
        elif token.kind is Kind.QUOTED:
            self.holds_quote = True
        elif token.indent == self.opener.indent:
            if token.kind is self.grammar.CLOSER:
                return self._take_closer(token, index)
            self._take_rest(token)
        return LineEffect.KEEP

    def _look_for_near_closer(self, token: Token) -> None:
        step = near_markers.step(token, in_tag=self.grammar.CLOSER is Kind.END_BOLT)
        self.held_open += step
        if self.held_open < 0:
            self.near_closer, self.held_open = self.near_closer or token, 0

    def _is_same(self, token: Token) -> bool:
        opener = self.opener
        return (token.kind, token.length, token.indent) == (opener.kind, opener.length, opener.indent)

    def _take_closer(self, token: Token, index: int) -> LineEffect:
        if token.length == self.opener.length:
            return LineEffect.CLOSE
        if self.odd_closer is None and token.length not in self.inner_lengths and not self.holds_quote:
            separators = self.candidates()
            if separators or not self.grammar.SEPARATORS:
                self.odd_closer, self.before_odd_closer = index, tuple(separators)
        return LineEffect.KEEP

    def _take_rest(self, token: Token) -> None:
        is_own = token.length == self.opener.length
        if token.kind in self.grammar.SEPARATORS and token.length not in self.inner_lengths:
            kept = self.odd_separators if not is_own else self.nested if self.depth else self.separators
            kept.append(token)
            if kept is self.separators and self.grammar.SEPARATORS[len(self.parting) :][:1] == (token.kind,):
                self.parting.append(token)
        elif is_own and self.grammar.HOLDS_CONFLICTS:
            if token.kind is Kind.CONFLICT_START:
                self.depth += 1
            elif token.kind is Kind.CONFLICT_END and self.depth:
                self.depth -= 1

    def candidates(self) -> Sequence[Token]:
        """The lines that may part it: of its own length, else of another; conflicts count if one never ends."""
        if self.depth:
            return sorted((*self.separators, *self.nested), key=lambda token: token.line)
        return self.separators or self.nested or self.odd_separators

    def read(self, lines: Sequence[str], closer: Token, first_line: int) -> tuple[Located, Sections] | Fault:
        """Make sections of the block, now that `closer` is known, and say which file they are for."""
        opener_line = self.opener.line + first_line
        if not self.is_asked_for:
            return not_asked_for(self.opener.kind.value, opener_line)
        if isinstance(self.located, Fault):
            return self.located
        separators = tuple(self.candidates()) if closer.length == self.opener.length else self.before_odd_closer
        if self.grammar.SEPARATORS and not separators:
            return self._not_parted(lines, closer, self.located.path, first_line)
        frame = Frame(lines, self.opener, separators, closer, self.located.path, first_line)
        sections = self.grammar.read(frame)
        if not isinstance(sections, Fault):
            sections = check_sections(sections, frame, self.container)
        return sections if isinstance(sections, Fault) else (self.located, sections)

    def row(self, lines: Sequence[str], closer: Token, first_line: int) -> EditBlock | Problem:
        """The row of the block, now that `closer` is known."""
        read = self.read(lines, closer, first_line)
        if isinstance(read, Fault):
            return self.problem(closer.line, read, first_line)
        located, sections = read
        return EditBlock(
            number=self.number,
            file_path=located.path,
            format=self.grammar.name(located),
            line_number=self.opener.line + first_line,
            end_line=closer.line + first_line,
            anchor=sections.anchor,
            old_lines=sections.old_lines,
            new_lines=sections.new_lines,
            trailing_anchor=sections.trailing_anchor,
            raw_block="\n".join(lines[self.opener.line : closer.line + 1]) + "\n",
            path_source=located.source,
            weak_path=located.weak,
            splits=sections.splits,
            notes=(*located.notes, *sections.notes),
            thread_path=located.thread_path,
        )

    def problem(self, last: int, fault: Fault, first_line: int) -> Problem:
        """The row of the block if it cannot be read; it ends at line `last`."""
        located = self.located if isinstance(self.located, Located) else None
        return Problem(
            number=self.number,
            line_number=self.opener.line + first_line,
            end_line=last + first_line,
            code=fault.code,
            what=fault.what,
            advice=fault.advice,
            file_path=None if located is None or located.weak else located.path,
            format=self.format,
            paths=fault.paths,
        )

    def _not_parted(self, lines: Sequence[str], closer: Token, path: str, first_line: int) -> Fault:
        separator = self.grammar.separator_line(self.opener.length)
        first = self.opener.line + 1
        message = f"no `{separator}` between lines {first - 1 + first_line} and {closer.line + first_line}"
        has_own = Kind.DASH in self.grammar.SEPARATORS or is_markup(path)  # text may hold rows of `=`
        near = None if has_own else near_markers.divider(lines[first : closer.line])
        if near is None:
            return Fault(ReasonCode.NO_DIVIDER, message, "put it between the old and the new lines")
        named = near_markers.say_what_line_is(lines[first + near], first + near + first_line, separator)
        return Fault(ReasonCode.NO_DIVIDER, f"{message}: {named}")

    def cut_off_fault(self, lines: Sequence[str], last: int, next_block: int | None, first_line: int) -> Fault:
        """Why the block cannot be read: it is cut off at line `last`, or by the opener at `next_block`."""
        opener = self.opener.line + first_line
        if not self.is_asked_for:
            return not_asked_for(self.opener.kind.value, opener)
        closer = self.grammar.closer_line(self.opener.length)
        where = f"the end (line {last + first_line})"
        if next_block is not None:
            where = f"the next block (line {next_block + first_line})"
        message = f"block at line {opener} has no `{closer}` before {where}"
        if self.near_closer is None:
            return Fault(ReasonCode.UNCLOSED, message, CUT_OFF)
        line = self.near_closer.line
        return Fault(
            ReasonCode.UNCLOSED, f"{message}: {near_markers.say_what_line_is(lines[line], line + first_line, closer)}"
        )

    @property
    def format(self) -> str | None:
        """What results call its format; None if nothing names its file."""
        return self.grammar.name(self.located) if isinstance(self.located, Located) else None

    def progress(self, lines: Sequence[str], stop: int) -> Iterator[BlockProgress]:
        """Report the lines up to line `stop` that were not reported yet, section by section."""
        start = self.opener.line + 1 + self.lines_reported
        self.lines_reported = stop - self.opener.line - 1
        for section, first, last in self._parts(stop):
            fresh = tuple(lines[max(first, start) : last])
            if fresh:
                yield BlockProgress(self.number, section, fresh)

    def _parts(self, stop: int) -> Iterator[tuple[str, int, int]]:
        """The sections so far: name, first line, the line behind the last."""
        edges = [self.opener.line, *(token.line for token in self.parting), stop]
        for section, before, behind in zip(self.grammar.SECTIONS, edges, edges[1:], strict=False):
            yield section, before + 1, behind
