"""The block that is being read: which of its lines are markers, and when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from editblocks.codes import ReasonCode
from editblocks.formats.containers import Fence
from editblocks.formats.grammar import Fault, Frame, Grammar, Sections
from editblocks.formats.markers import OPENERS, Kind, Token
from editblocks.formats.which_file import Located


class Step(Enum):
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
    fence: Fence | None
    separators: list[Token] = field(default_factory=list)
    nested: list[Token] = field(default_factory=list)  # those inside a git conflict
    odd_separators: list[Token] = field(default_factory=list)  # those of another length
    depth: int = 0
    inner_lengths: set[int] = field(default_factory=set)  # of blocks of this kind inside: their markers are theirs
    other_opener: int | None = None  # index of the first opener of another kind
    odd_closer: int | None = None  # index of the first closer of another length
    before_odd_closer: tuple[Token, ...] = ()  # the lines that may part the block if that one closes it

    def take(self, token: Token, index: int) -> Step:
        """Hear of a marker line inside the block (docs/formats.md, state table)."""
        if token.kind in OPENERS:
            if self._is_same(token):
                return Step.BREAK
            if self.other_opener is None:
                self.other_opener = index
            if token.kind is self.opener.kind and token.length != self.opener.length:
                self.inner_lengths.add(token.length)
        elif token.indent == self.opener.indent:
            if token.kind is self.grammar.CLOSER:
                return self._take_closer(token, index)
            self._take_rest(token)
        return Step.KEEP

    def _is_same(self, token: Token) -> bool:
        opener = self.opener
        return (token.kind, token.length, token.indent) == (opener.kind, opener.length, opener.indent)

    def _take_closer(self, token: Token, index: int) -> Step:
        if token.length == self.opener.length:
            return Step.CLOSE
        if self.odd_closer is None and token.length not in self.inner_lengths and (dividers := self.candidates()):
            self.odd_closer, self.before_odd_closer = index, tuple(dividers)
        return Step.KEEP

    def _take_rest(self, token: Token) -> None:
        is_own = token.length == self.opener.length
        if token.kind in self.grammar.SEPARATORS and token.length not in self.inner_lengths:
            kept = self.odd_separators if not is_own else self.nested if self.depth else self.separators
            kept.append(token)
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
        if refusal := self.grammar.refusal(opener_line):
            return refusal
        if isinstance(self.located, Fault):
            return self.located
        separators = tuple(self.candidates()) if closer.length == self.opener.length else self.before_odd_closer
        if self.grammar.SEPARATORS and not separators:
            separator = self.grammar.separator_line(self.opener.length)
            between = f"between lines {opener_line} and {closer.line + first_line}"
            return Fault(ReasonCode.NO_DIVIDER, f"no `{separator}` {between}; put it between the old and the new lines")
        sections = self.grammar.read(Frame(lines, self.opener, separators, closer, self.located.path, first_line))
        return sections if isinstance(sections, Fault) else (self.located, sections)

    def unclosed(self, last: int, next_block: int | None, first_line: int) -> Fault:
        """Why the block cannot be read: it is cut off at line `last`, or by the opener at `next_block`."""
        opener = self.opener.line + first_line
        if refusal := self.grammar.refusal(opener):
            return refusal
        closer = self.grammar.closer_line(self.opener.length)
        where = f"the end (line {last + first_line})"
        if next_block is not None:
            where = f"the next block (line {next_block + first_line})"
        message = f"block at line {opener} has no `{closer}` before {where}; probably cut off, ask for it again"
        return Fault(ReasonCode.UNCLOSED, message)

    def format(self, previous: str) -> str | None:
        """What results call its format; a block that takes the path of the one before takes its format too."""
        if not isinstance(self.located, Located):
            return None
        if self.located.source == "P7" and previous:
            return previous
        return self.grammar.name(self.located.source, self.located.inside_fence)
