"""The block that is being read: find its markers and its end, and check its readings.

Models and people lose closers and misspell openers. Then the lines of the next block become content of the first one,
and the next closer closes the wrong block. So a block is refused if its new text begins a block without ending it, or
ends one that it does not begin (docs/internals/design.md, "lost closers").
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from editblocks.core.blocks import (
    BlockProgress,
    BlockStarted,
    EditBlock,
    Note,
    ParsedRow,
    Problem,
    Split,
    section_lines,
)
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import (
    CUT_OFF,
    SEND_BOTH,
    Fault,
    Format,
    Frame,
    Grammar,
    Located,
    is_markup,
    join,
    not_enabled,
)
from editblocks.formats.hunks import BEGIN_PATCH
from editblocks.formats.markers import DIVIDER, END, END_ACTION, Kind, Marker, Token
from editblocks.formats.scanner import Scanner
from editblocks.parsing.containers import Container, Containers
from editblocks.parsing.file_of_block import locate
from editblocks.parsing.notes import near_closer_advice
from editblocks.parsing.rows import Rows

_CLOSERS: dict[Kind | Marker, Kind | Marker] = {  # of actions and conflicts, by their openers
    Kind.EDIT_ACTION: END_ACTION,
    Kind.OTHER_ACTION: END_ACTION,
    Kind.BAD_ACTION: END_ACTION,
    Kind.CONFLICT_START: Kind.CONFLICT_END,
}
_ENDED_ELSEWHERE = frozenset({Kind.QUOTED, Kind.OPEN_OTHER, BEGIN_PATCH})  # openers whose closers are not tokens
_STARTS = _ENDED_ELSEWHERE | {Kind.NEAR, Kind.ESCAPED, Kind.PREFIXED}
# Lines that are nearly markers, but often a comment or code.
_COMMENT = r"[ \t]*(?:-{2,4}[^-]|-{5,}[^\w-]{0,3}(?!SEARCH)\w|\+{2,4}[^+])"
_PREFIX_OF_QUOTE = r"(?:[-*+>|]+|[0-9]+[.)]|[A-Za-z]{1,20}:)\Z"  # the prefix of a quoted line: `>`, `1.`, `user:`
_CDATA = "<![CDATA["
_NEAR_LENGTH = 2  # the signs that a divider may have too many or too few


class OpenBlock:
    """An opener, and the tokens since. Lines are 0-based; `index` is an index of the reader's tokens."""

    conflict_depth = 0  # merge conflicts that are open at the current line
    first_opener: int | None = None  # index of the first opener of another kind
    holds_quote: bool = False  # it contains a quoted block, whose closer may look like a longer closer of this block
    odd_closer: int | None = None  # index of the first closer of another length or format
    before_odd_closer: tuple[Token, ...] = ()  # the separator candidates if that closer ends the block
    lines_reported: int = 0  # the number of lines below the opener that events reported

    def __init__(
        self, containers: Containers, rows: Rows, enabled_formats: Sequence[Format], opener: Token, index: int
    ) -> None:
        self.lines = rows.lines
        self.first_line = rows.first_line
        self.scanner = rows.scanner
        self.enabled_formats = enabled_formats
        self.opener = opener
        self.index = index
        self.number = rows.next_number
        self.line_number = opener.line + rows.first_line
        self.located = locate(containers, opener)
        self.container = containers.innermost
        self.grammars: Sequence[Grammar] = self.scanner.pairs.grammars[self.opener.kind]
        self.grammar = self.grammars[0]
        # A closer of another format, which ends the block if there is no closer of its own format.
        self.other_closer = self.scanner.pairs.other_closer.get(self.grammar.closer)
        self.separators: list[Token] = []
        self.ordered_separators: list[Token] = []  # the first separators in the right order
        self.conflict_separators: list[Token] = []  # separators inside a merge conflict
        self.odd_separators: list[Token] = []  # separators of another length
        self.inner_lengths: set[int] = set()  # of blocks of this kind inside: markers of these lengths belong to them

    def take(self, token: Token, index: int) -> Literal["keep", "close", "break"]:
        """Take a marker line inside the block; return its effect on the block (docs/reference/rules.md, markers)."""
        if len(self.grammars) > 1:
            self._look_below()
        if token.kind in self.scanner.pairs.openers or token.kind is BEGIN_PATCH:
            is_alike = token.indent == self.opener.indent and token.length == self.opener.length
            if token.kind is self.opener.kind and is_alike:
                return "break"
            if self.first_opener is None:
                self.first_opener = index
            if token.kind is self.opener.kind and token.length != self.opener.length:
                self.inner_lengths.add(token.length)
        elif token.kind is Kind.QUOTED:
            self.holds_quote = True
        elif token.indent == self.opener.indent:
            if token.kind is not self.grammar.closer and token.kind is not self.other_closer:
                self._take_inside(token)
            elif self._is_closer(token):
                return "close"
            elif self._may_close(token):
                separators = self._candidates()
                if separators or not self.grammar.separators:
                    self.odd_closer = index
                    self.before_odd_closer = tuple(separators)
        return "keep"

    def _look_below(self) -> None:
        """Choose the format by the line below the opener."""
        below = self.lines[self.opener.line + 1]
        for each in self.grammars[1:]:
            if below.startswith(self.opener.indent + each.header):
                self.grammar = each
        self.grammars = self.grammars[:1]

    def _is_closer(self, token: Token) -> bool:
        return token.kind is self.grammar.closer and token.length == self.opener.length

    def _may_close(self, token: Token) -> bool:
        """Whether a closer of another length or format ends the block if it has no closer of its own."""
        if self.odd_closer is not None or self.holds_quote:
            return False
        if token.kind is self.other_closer:
            return token.length == self.opener.length and self.first_opener is None
        return token.kind is self.grammar.closer and token.length not in self.inner_lengths

    def _take_inside(self, token: Token) -> None:
        """Keep a line that may be a separator, or count a merge conflict that begins or ends."""
        is_own = token.length == self.opener.length
        if token.kind in self.grammar.separators and token.length not in self.inner_lengths:
            if not is_own:
                self.odd_separators.append(token)
            elif self.conflict_depth:
                self.conflict_separators.append(token)
            else:
                self.separators.append(token)
                missing = self.grammar.separators[len(self.ordered_separators) :]
                if missing and missing[0] is token.kind:
                    self.ordered_separators.append(token)
        elif is_own and self.grammar.holds_conflicts:
            if token.kind is Kind.CONFLICT_START:
                self.conflict_depth += 1
            elif token.kind is Kind.CONFLICT_END and self.conflict_depth:
                self.conflict_depth -= 1

    def _candidates(self) -> Sequence[Token]:
        """The lines that may be separators. Those in an ended conflict, then those of another length, are used last."""
        if self.conflict_depth:
            return sorted((*self.separators, *self.conflict_separators), key=lambda token: token.line)
        return self.separators or self.conflict_separators or self.odd_separators

    def row(self, closer: Token) -> ParsedRow:
        """The row of the block that ends with `closer`."""
        located = self.located
        if isinstance(located, Fault):
            return self.problem(closer.line, located)
        if self.grammar not in self.enabled_formats:
            return self.problem(closer.line, self._not_enabled())
        separators: Sequence[Token] = self.before_odd_closer
        if self._is_closer(closer):
            separators = self._candidates()
        if self.grammar.separators and not separators:
            return self.problem(closer.line, self._fault_without_divider(closer))
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
            line_number=self.line_number,
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
        )
        if self.grammar.finish is None:
            return block
        return self.grammar.finish(frame, block)

    def problem(self, last: int, fault: Fault) -> Problem:
        """The row of the block if it cannot be read; `last` is its last line."""
        path = None
        if isinstance(self.located, Located) and not self.located.weak:
            path = self.located.path
        return Problem(self.number, self.line_number, last + self.first_line, *fault, path, self.format)

    def _not_enabled(self) -> Fault:
        if self.grammar.header:
            return not_enabled(f"`{self.grammar.header}`", self.line_number + 1)
        return not_enabled(f"`{self.grammar.opener.text}`", self.line_number)

    def _fault_without_divider(self, closer: Token) -> Fault:
        marker = self.grammar.separators[0]
        lines = f"lines {self.line_number} and {closer.line + self.first_line}"
        message = f"no `{marker.literal(self.opener.length)}` between {lines}"
        return Fault(ReasonCode.NO_DIVIDER, message, "put it between the old and the new lines")

    def cut_off(self, stop: int, *, is_at_end: bool) -> Problem:
        """The row of a block that is cut off by the opener at line `stop`, or by the end of the text."""
        last = stop - 1
        if last > self.opener.line:
            self._look_below()
        if self.grammar not in self.enabled_formats:
            return self.problem(last, self._not_enabled())
        closer = self.grammar.closer
        where = f"the next block (line {stop + self.first_line})"
        if is_at_end:
            where = f"the end (line {last + self.first_line})"
        missing = closer.literal(self.opener.length)
        message = f"block at line {self.line_number} has no `{missing}` before {where}"
        first = self.opener.line + 1
        inside = self.lines[first : last + 1]
        if near := near_closer_advice(inside, self.grammar, self.opener.length, first + self.first_line, self.scanner):
            return self.problem(last, Fault(ReasonCode.UNCLOSED, f"{message}: {near}"))
        return self.problem(last, Fault(ReasonCode.UNCLOSED, message, CUT_OFF))

    @property
    def format(self) -> str | None:
        """The name of its format in results; None if its file is unknown."""
        if isinstance(self.located, Fault):
            return None
        return self.grammar.name(self.located)

    @property
    def start_event(self) -> BlockStarted:
        path = self.located.path if isinstance(self.located, Located) else None
        return BlockStarted(self.number, self.format, path, self.line_number)

    def progress(self, stop: int) -> Iterator[BlockProgress]:
        """Yield the lines before line `stop` that were not reported yet, section by section."""
        start = self.opener.line + 1 + self.lines_reported
        self.lines_reported = stop - self.opener.line - 1
        edges = [self.opener.line, *(token.line for token in self.ordered_separators), stop]
        for section, above, below in zip(self.grammar.sections, edges, edges[1:], strict=False):
            if new_lines := tuple(self.lines[max(above + 1, start) : below]):
                yield BlockProgress(self.number, section, new_lines)


def dedent(inside: Sequence[str], indent: str) -> tuple[Sequence[str], tuple[Note, ...]]:
    """The lines without the opener's indentation: a block in a list item is indented as a whole."""
    if not indent:
        return inside, ()
    if all(line.startswith(indent) or not line.strip(" \t") for line in inside):
        return [line[len(indent) :] for line in inside], ()
    message = "not every line is indented like the block's first, so no indentation was removed"
    return inside, (Note("indent-kept", message),)


def check_readings(
    readings: tuple[Split, ...], frame: Frame, container: Container | None, scanner: Scanner
) -> tuple[Split, ...] | Fault:
    """Return the readings that can be meant, or a fault if there is none. Removes a fence around a whole new file.

    A reading that would write half of another block to the file is dropped, as a closer must be missing. If it is the
    first reading, the others are only trusted in a file of markup, which may show blocks.
    """
    faults = [_swallowed(reading, frame, scanner) for reading in readings]
    whole = tuple(reading for reading, fault in zip(readings, faults, strict=True) if fault is None)
    if faults[0] is not None and not (whole and is_markup(frame.path)):
        return faults[0]
    first = whole[0]
    for split in whole:
        if _ends_with_its_fence(first.old_lines, split.new_lines, container, scanner):
            message = "the new text ends with the line that closes the fence around the block"
            return Fault(ReasonCode.MALFORMED, message, "close the block before the fence")
    if is_markup(frame.path):
        return whole
    fault = _rule_at_the_end(first, frame) or _cdata_around(first)
    if fault is not None:
        return fault
    creates_file = len(whole) == 1 and not (first.anchor + first.old_lines + first.trailing_anchor).strip()
    if creates_file:
        return (_without_fence(first, scanner),)
    return whole


def _swallowed(split: Split, frame: Frame, scanner: Scanner) -> Fault | None:
    middle = frame.line_number(frame.opener)
    if split.divider_lines:
        middle = split.divider_lines[len(split.divider_lines) // 2]
    return swallowed_block(split.anchor + split.old_lines + split.trailing_anchor, split.new_lines, middle + 1, scanner)


def swallowed_block(old: str, new: str, first_line: int, scanner: Scanner) -> Fault | None:
    """Return why new text that begins or ends another block is refused; None if it does neither.

    `old` and `new` are section strings; `new` begins at line `first_line` of the response. Lines that are also in `old`
    are ignored, as they were in the file before.
    """
    if not scanner.hints.may_hold_markers(new):
        return None
    lines = section_lines(new)
    old_counts = Counter(section_lines(old))
    tokens = [token for token in scanner.scan(new, 0) if not _is_text(token, lines[token.line])]
    closers = _CLOSERS | scanner.pairs.closer_of
    open_blocks = _openers_without_closer(tokens, closers, re.search(scanner.hints.end_elsewhere, new) is not None)
    beginnings = _new_lines((token.line for token in open_blocks), lines, old_counts)
    for number, line in enumerate(lines):
        if line not in old_counts and re.match(scanner.hints.marked_up_opener, line):
            beginnings.append(number)
    if beginnings:
        message = f"line {first_line + min(beginnings)} looks like the beginning of another block"
        return Fault(ReasonCode.MALFORMED, f"{message}, so this one was probably cut off", SEND_BOTH)
    ends = _new_lines((token.line for token in _ends_without_opener(tokens, closers, scanner)), lines, old_counts)
    ends += _new_lines(_marked_up_closers(tokens, lines, scanner), lines, old_counts)
    if ends:
        message = f"line {first_line + min(ends)} looks like the end of another block"
        return Fault(ReasonCode.MALFORMED, f"{message}, so a piece is missing before it", SEND_BOTH)
    return None


def _is_text(token: Token, line: str) -> bool:
    """Whether a line that is nearly a marker is usually text, so that it is no sign of another block."""
    if token.kind is not BEGIN_PATCH and re.search("(?i)begin patch", line):
        return True
    if token.kind is Kind.PREFIXED:
        return not re.match(_PREFIX_OF_QUOTE, token.word)
    if token.kind is Kind.ESCAPED:
        return line.lstrip(" \t").startswith("\\")  # the escape in blocks of Roo
    return token.kind in (Kind.NEAR, Kind.NEAR_END) and re.match(_COMMENT, line) is not None


def _new_lines(numbers: Iterator[int], lines: Sequence[str], old_counts: Counter[str]) -> list[int]:
    """Return the lines of `numbers` that occur more often than in the old text, whose lines `old_counts` counts."""
    unmatched = Counter(old_counts)
    unknown = []
    for number in numbers:
        unmatched[lines[number]] -= 1
        if unmatched[lines[number]] < 0:
            unknown.append(number)
    return unknown


def _openers_without_closer(
    tokens: Sequence[Token], closers: Mapping[Kind | Marker, Kind | Marker], ends_elsewhere: bool
) -> Iterator[Token]:
    """Yield the openers that are not followed by a closer of their own."""
    later: set[tuple[Kind | Marker | None, str, int]] = set()
    unended = []
    for token in reversed(tokens):
        if token.kind in _ENDED_ELSEWHERE:
            is_ended = ends_elsewhere
        else:
            is_ended = (closers.get(token.kind), token.indent, token.length) in later or END in token.word
        if not is_ended and (token.kind in closers or token.kind in _STARTS):
            unended.append(token)
        later.add((token.kind, token.indent, token.length))
    return reversed(unended)


def _ends_without_opener(
    tokens: Sequence[Token], closers: Mapping[Kind | Marker, Kind | Marker], scanner: Scanner
) -> Iterator[Token]:
    """Yield the closers and separators without an opener of their block above."""
    ends = {Kind.NEAR_END, *(closer for closer in closers.values() if closer not in scanner.pairs.bare)}
    earlier: set[tuple[Kind | Marker | None, str, int]] = set()
    for token in tokens:
        kind = scanner.pairs.closer_below.get(token.kind, token.kind)
        if kind in ends and (kind, token.indent, token.length) not in earlier:
            yield token
        earlier.add((closers.get(token.kind), token.indent, token.length))


def _marked_up_closers(tokens: Sequence[Token], lines: Sequence[str], scanner: Scanner) -> Iterator[int]:
    """Yield the lines with a closer that is quoted or marked up, unless its quoted block begins above."""
    quoted_openers = {token.line: token.indent for token in tokens if token.kind is Kind.QUOTED}
    indents_above: set[str] = set()
    for number, line in enumerate(lines):
        if number in quoted_openers:
            indents_above.add(quoted_openers[number])
        elif (match := re.match(scanner.hints.marked_up_closer, line)) and match[1] not in indents_above:
            yield number


def _ends_with_its_fence(old: str, new: str, container: Container | None, scanner: Scanner) -> bool:
    """Whether the closer comes after the end of the fence, so that the new text ends with the closing fence line."""
    if container is None or container.mark not in ("`", "~"):
        return False
    is_bare = _run_at_the_end(new, container.mark) >= container.length
    return is_bare and (_fences(new, container, scanner) - _fences(old, container, scanner)) % 2 == 1


def _run_at_the_end(text: str, sign: str) -> int:
    """The number of signs in the last line that is not blank; 0 if that line has anything else."""
    text = text.rstrip(" \t\n")
    if not text.endswith(sign):
        return 0
    last = text[text.rfind("\n") + 1 :].strip(" \t")
    if last.count(sign) != len(last):
        return 0
    return len(last)


def _fences(text: str, container: Container, scanner: Scanner) -> int:
    """The number of lines in `text` that open or close a fence like `container`."""
    tokens = scanner.scan(text, 0)
    return sum(
        token.kind is Kind.FENCE and token.word[0] == container.mark and token.length >= container.length
        for token in tokens
    )


def _rule_at_the_end(split: Split, frame: Frame) -> Fault | None:
    """Return a fault if the new text ends with a row of `=` that is probably a second divider."""
    length = _run_at_the_end(split.new_lines, "=")
    if not length or "=" * length in split.old_lines:
        return None
    has_divider = any(token.kind is DIVIDER for token in frame.separators)
    if not has_divider or abs(length - frame.opener.length) > _NEAR_LENGTH:
        return None
    message = f"the new text ends with `{'=' * length}`, which looks like a divider"
    return Fault(ReasonCode.MALFORMED, message, "leave it out, or send the block with longer markers")


def _cdata_around(split: Split) -> Fault | None:
    """Return a fault if the new text is a CDATA section, which belongs to the tags around the block."""
    if not split.new_lines.lstrip().startswith(_CDATA) or _CDATA in split.old_lines:
        return None
    what = f"the new text begins with `{_CDATA}`, which is probably not text of the file"
    return Fault(ReasonCode.MALFORMED, what, "leave it out, or send it with the line above it")


def _without_fence(split: Split, scanner: Scanner) -> Split:
    """The text of a new file without the fence around all of it, if there is one."""
    body = split.new_lines.strip(" \t\n") + "\n"
    lines = section_lines(body)
    if body[:3] not in ("```", "~~~"):
        return split
    fences = [token for token in scanner.scan(body, 0) if token.kind is Kind.FENCE]
    if len(fences) < 2 or fences[0].line:
        return split
    mark = fences[0].word[0]
    length = fences[0].length
    ending = next((token.line for token in fences[1:] if token.word == mark and token.length >= length), None)
    if ending != len(lines) - 1:
        return split
    note = Note("fence-removed", "a fence around the whole file was removed")
    return split._replace(new_lines=join(lines[1:-1]), notes=(*split.notes, note))
