"""What holds for the readings of a block in every format: the new text has taken in no other block, nor its own fence.

Models and people lose closers and misspell openers. Then the next block's lines become content of the
first, and its closer closes the wrong block. So a block is refused if its new text begins a block without ending it,
or ends one that it does not begin (docs/internals/design.md, "lost closers").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from editblocks.core.blocks import Note, Split, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import SEND_BOTH, Fault, Frame, is_markup, join
from editblocks.formats.markers import DIVIDER, END, END_ACTION, FILE_ACTION, Kind, Marker, Token, read_tag
from editblocks.formats.patch_lines import BEGIN_PATCH
from editblocks.formats.scanner import Scanner
from editblocks.parsing.containers import Container, is_transparent
from editblocks.parsing.path_line import find_path

_CLOSERS: dict[Kind | Marker, Kind | Marker] = {  # of what is like a block
    Kind.EDIT_ACTION: END_ACTION,
    Kind.OTHER_ACTION: END_ACTION,
    Kind.BAD_ACTION: END_ACTION,
    Kind.CONFLICT_START: Kind.CONFLICT_END,
}
_ENDED_ELSEWHERE = frozenset({Kind.QUOTED, Kind.OPEN_OTHER, BEGIN_PATCH})  # openers whose closers are no tokens
_STARTS = _ENDED_ELSEWHERE | {Kind.NEAR, Kind.ESCAPED, Kind.PREFIXED}
# Nearly a marker, and often a comment or code.
_COMMENT = r"[ \t]*(?:-{2,4}[^-]|-{5,}[^\w-]{0,3}(?!SEARCH)\w|\+{2,4}[^+])"
_SPOKEN = r"(?:[-*+>|]+|[0-9]+[.)]|[A-Za-z]{1,20}:)\Z"  # what stands before a line that is passed on
_CDATA = "<![CDATA["
_USUAL_LENGTH = 7
_NEAR_LENGTH = 2  # signs that a divider may have too many or too few
_LINES_ABOVE = 8  # in which the path line of a block may stand


def check_readings(
    splits: tuple[Split, ...], frame: Frame, container: Container | None, scanner: Scanner
) -> tuple[Split, ...] | Fault:
    """Return the readings that can be meant, without a fence around a whole new file; or why there is none.

    A reading that would write half of another block into the file is dropped: a closer is missing there.
    """
    whole = splits
    may_hold_markers = any(scanner.hints.may_hold_markers(split.new_lines) for split in splits)
    if may_hold_markers:
        faults = [_swallowed(split, frame, scanner) for split in splits]
        whole = tuple(split for split, fault in zip(splits, faults, strict=True) if fault is None)
        fault = faults[0] or next(filter(None, faults), None)
        if fault is not None and (not whole or (whole[0] is not splits[0] and not is_markup(frame.path))):
            return fault
    first = whole[0]
    for split in whole:
        if _ends_with_its_fence(first.old_lines, split.new_lines, container, scanner):
            message = "the new text ends with the line that closes the fence around the block"
            return Fault(ReasonCode.MALFORMED, message, "close the block before the fence")
    if is_markup(frame.path):
        return whole
    fault = _rule_at_the_end(first, frame) or _cdata_around(first)
    if fault is None and may_hold_markers:
        fault = _whole_block(first, frame, scanner)
    if fault is not None:
        return fault
    creates_file = len(whole) == 1 and not (first.anchor + first.old_lines + first.trailing_anchor).strip()
    if creates_file:
        return (_without_fence(first, scanner),)
    return whole


def _swallowed(split: Split, frame: Frame, scanner: Scanner) -> Fault | None:
    middle = frame.shown(frame.opener)
    if split.divider_lines:
        middle = split.divider_lines[len(split.divider_lines) // 2]
    return swallowed_block(split.anchor + split.old_lines + split.trailing_anchor, split.new_lines, middle + 1, scanner)


def swallowed_block(old: str, new: str, first_line: int, scanner: Scanner) -> Fault | None:
    """Return why new text that begins or ends another block is refused; None if it does neither.

    `old` and `new` are section strings. `first_line` is the response line at which `new` begins. A line that is in
    `old` as well was in the file before and does not count.
    """
    if not scanner.hints.may_hold_markers(new):
        return None
    lines = section_lines(new)
    known = Counter(section_lines(old))
    tokens = [token for token in scanner.scan(new, 0) if not _is_text(token, lines[token.line])]
    closers = _CLOSERS | scanner.closer_of
    unended = _openers_without_closer(tokens, closers, re.search(scanner.hints.end_elsewhere, new) is not None)
    begun = _new_lines((token.line for token in unended), lines, known)
    marked_up = (n for n, line in enumerate(lines) if re.match(scanner.hints.marked_up_opener, line))
    marked_up = (n for n in marked_up if not known[lines[n]])
    if (line := min((*begun, *marked_up), default=None)) is not None:
        message = f"line {first_line + line} looks like the beginning of another block"
        return Fault(ReasonCode.MALFORMED, f"{message}, so this one was probably cut off", SEND_BOTH)
    ended = _new_lines((token.line for token in _unbegun(tokens, closers, scanner)), lines, known)
    marked_up_ends = _new_lines(_marked_up_ends(tokens, lines, scanner), lines, known)
    if (line := min((*ended, *marked_up_ends), default=None)) is not None:
        message = f"line {first_line + line} looks like the end of another block"
        return Fault(ReasonCode.MALFORMED, f"{message}, so a piece is missing before it", SEND_BOTH)
    return None


def _is_text(token: Token, line: str) -> bool:
    """Whether a line that is nearly a marker is so often text that it says nothing about other blocks."""
    if token.kind is Kind.PREFIXED:
        return not re.match(_SPOKEN, token.word)
    if token.kind is Kind.ESCAPED:
        return line.lstrip(" \t").startswith("\\")  # as a block of Roo escapes its text
    return token.kind in (Kind.NEAR, Kind.NEAR_END) and re.match(_COMMENT, line) is not None


def _new_lines(numbers: Iterator[int], lines: Sequence[str], known: Counter[str]) -> list[int]:
    """Return those of the lines `numbers` that occur more often than in the old text (`known`)."""
    left = Counter(known)
    unknown = []
    for number in numbers:
        left[lines[number]] -= 1
        if left[lines[number]] < 0:
            unknown.append(number)
    return unknown


def _openers_without_closer(
    tokens: Sequence[Token], closers: Mapping[Kind | Marker, Kind | Marker], ends_elsewhere: bool
) -> Iterator[Token]:
    """Yield the openers whose closer does not follow."""
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


def _unbegun(
    tokens: Sequence[Token], closers: Mapping[Kind | Marker, Kind | Marker], scanner: Scanner
) -> Iterator[Token]:
    """Yield the closers and separators of a block that does not begin before them."""
    ends = {Kind.NEAR_END, *(closer for closer in closers.values() if closer not in scanner.bare)}
    earlier: set[tuple[Kind | Marker | None, str, int]] = set()
    for token in tokens:
        kind = scanner.closer_below.get(token.kind, token.kind)
        if kind in ends and (kind, token.indent, token.length) not in earlier:
            yield token
        earlier.add((closers.get(token.kind), token.indent, token.length))


def _marked_up_ends(tokens: Sequence[Token], lines: Sequence[str], scanner: Scanner) -> Iterator[int]:
    """Yield where a closer is quoted or marked up, and no quoted block of the same indentation begins above it."""
    begins = {token.line: token.indent for token in tokens if token.kind is Kind.QUOTED}
    above: set[str] = set()
    for number, line in enumerate(lines):
        if number in begins:
            above.add(begins[number])
        elif (match := re.match(scanner.hints.marked_up_closer, line)) and match[1] not in above:
            yield number


def _ends_with_its_fence(old: str, new: str, container: Container | None, scanner: Scanner) -> bool:
    """Whether the closer was put behind the end of the fence: then that line is the last of the new text."""
    if container is None or container.mark not in ("`", "~"):
        return False
    is_bare = _run_at_the_end(new, container.mark) >= container.length
    return is_bare and (_fences(new, container, scanner) - _fences(old, container, scanner)) % 2 == 1


def _run_at_the_end(text: str, sign: str) -> int:
    """How many signs the last line of a text is that is not blank; 0 if it is anything else."""
    text = text.rstrip(" \t\n")
    if not text.endswith(sign):
        return 0
    last = text[text.rfind("\n") + 1 :].strip(" \t")
    if last.count(sign) != len(last):
        return 0
    return len(last)


def _fences(text: str, container: Container, scanner: Scanner) -> int:
    """How many lines of `text` open or close a fence like `container`."""
    if container.mark * 3 not in text:
        return 0
    tokens = scanner.scan(text, 0)
    return sum(
        token.kind is Kind.FENCE and token.word[0] == container.mark and token.length >= container.length
        for token in tokens
    )


def _rule_at_the_end(split: Split, frame: Frame) -> Fault | None:
    """Whether the new text ends in a second divider of nearly the right length."""
    length = _run_at_the_end(split.new_lines, "=")
    if not length or "=" * length in split.old_lines:
        return None
    has_divider = any(token.kind is DIVIDER for token in frame.separators)
    if not has_divider or abs(length - frame.opener.length) > _NEAR_LENGTH:
        return None
    message = f"the new text ends with `{'=' * length}`, which looks like a divider"
    return Fault(ReasonCode.MALFORMED, message, "leave it out, or send the block with longer markers")


def _cdata_around(split: Split) -> Fault | None:
    """Whether the new text is a CDATA section, which is of the tags around the block and not of its file."""
    if not split.new_lines.lstrip().startswith(_CDATA) or _CDATA in split.old_lines:
        return None
    what = f"the new text begins with `{_CDATA}`, which is probably not text of the file"
    return Fault(ReasonCode.MALFORMED, what, "leave it out, or send it with the line above it")


def _whole_block(split: Split, frame: Frame, scanner: Scanner) -> Fault | None:
    """Whether the text contains a complete block with its path line: its own closer was lost before that.

    Who writes about blocks uses longer markers around them (docs/reference/rules.md, markers).
    """
    if frame.opener.length > _USUAL_LENGTH:
        return None
    lines = section_lines(split.new_lines)
    known = set(section_lines(split.anchor + split.old_lines + split.trailing_anchor))
    for token in scanner.scan(split.new_lines, 0):
        is_opener = token.kind in scanner.openers and token.length <= _USUAL_LENGTH
        if is_opener and token.indent in ("", frame.opener.indent) and lines[token.line] not in known:
            path = _path_of(token, lines)
            if path is not None:
                message = f"a whole block for {path} is in the new text of {frame.path}, so a closer is missing"
                advice = "send both again, or put longer markers around the outer one"
                return Fault(ReasonCode.MALFORMED, message, advice)
    return None


def _path_of(token: Token, lines: Sequence[str]) -> str | None:
    """The file that a tag names, or the nearest line above an opener, fence lines stepped over."""
    if token.kind is FILE_ACTION:
        tag = read_tag(token.word)
        return tag and tag.file_path
    for line in reversed(lines[max(0, token.line - _LINES_ABOVE) : token.line]):
        if line.strip(" \t") and not line.lstrip(" \t").startswith(("```", "~~~")) and not is_transparent(line):
            path_line = find_path(line)
            if path_line is None or path_line.weak:
                return None
            return path_line.path
    return None


def _without_fence(split: Split, scanner: Scanner) -> Split:
    """A new file without the fence that was put around all of it."""
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
