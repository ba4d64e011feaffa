"""What holds for the readings of a block in every format: the new text has taken in no other block, nor its own fence.

Models and people lose closers and misspell openers. Then the next block's lines become content of the
first, and its closer closes the wrong block. So a block is refused if its new text begins a block without ending it,
or ends one that it does not begin (docs/internals/design.md, "lost closers").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from editblocks.core.blocks import Note, Split, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import SEND_BOTH, Fault, Frame, is_markup, join
from editblocks.formats.markers import CLOSERS, END, OPENERS, Kind, Token, read_tag, scan
from editblocks.parsing.containers import Container, is_transparent
from editblocks.parsing.path_line import find_path

_CLOSERS = CLOSERS | {
    Kind.EDIT_ACTION: Kind.END_BOLT,
    Kind.OTHER_ACTION: Kind.END_BOLT,
    Kind.BAD_ACTION: Kind.END_BOLT,
    Kind.CONFLICT_START: Kind.CONFLICT_END,
}
_STARTS = frozenset(_CLOSERS) | {Kind.NEAR, Kind.ESCAPED, Kind.QUOTED, Kind.OPEN_OTHER, Kind.OPEN_PATCH, Kind.PREFIXED}
_ENDS = frozenset({Kind.END_SR, Kind.END_CL, Kind.END_NEW, Kind.END_V3, Kind.END_BOLT})
_ENDS |= {Kind.CONFLICT_END, Kind.NEAR_END}
_SIGNS = ("<<<", ">>>>", "««", "»»", "═══", "boltA", "*** Begin Patch", "🟧🟧🟧", "- SEARCH", "-SEARCH", "+++++")
_DRESSED = r"(?i)[ \t]*[*_`]+[ \t]*(?:<{5,} ?(?:SEARCH|ORIGINAL|EDIT|NEW_FILE)|-{5,} ?SEARCH)\b"
_DRESSED_END = (
    r"([ \t]*)(?:> |[*_`]{1,3})(?:>{5,9} (?:REPLACE|UPDATED|NEW_FILE)|»»» EDIT END|\+{5,9} REPLACE)[*_`]{0,3}[ \t]*\Z"
)
# Nearly a marker, and often a comment or code.
_COMMENT = r"[ \t]*(?:-{2,4}[^-]|-{5,}[^\w-]{0,3}(?!SEARCH)\w|\+{2,4}[^+])"
_SPOKEN = r"(?:[-*+>|]+|[0-9]+[.)]|[A-Za-z]{1,20}:)\Z"  # what stands before a line that is passed on
_ENDS_ELSEWHERE = (
    r"(?m)^[ \t]*(?:(?:>[> \t]*)(?:>{5,9}(?: REPLACE| UPDATED| NEW_FILE)?|»{3} EDIT END|\+{5,9} REPLACE)"
    r"|\*{3} End Patch|🟩{3} END)[ \t]*$"
)
_USUAL_LENGTH = 7
_NEAR_LENGTH = 2  # signs that a divider may have too many or too few
_LINES_ABOVE = 8  # in which the path line of a block may stand


def check_readings(splits: tuple[Split, ...], frame: Frame, container: Container | None) -> tuple[Split, ...] | Fault:
    """Return the readings that can be meant, without a fence around a whole new file; or why there is none.

    A reading that would write half of another block into the file is dropped: a closer is missing there.
    """
    whole, may_hold_markers = splits, [split for split in splits if _may_hold_markers(split.new_lines)]
    if may_hold_markers:
        faults = [_swallowed(split, frame) for split in splits]
        whole = tuple(split for split, fault in zip(splits, faults, strict=True) if fault is None)
        fault = faults[0] or next(filter(None, faults), None)
        if fault is not None and (not whole or (whole[0] is not splits[0] and not is_markup(frame.path))):
            return fault
    first = whole[0]
    for split in whole:
        if _ends_with_its_fence(first.old_lines, split.new_lines, container):
            message = "the new text ends with the line that closes the fence around the block"
            return Fault(ReasonCode.MALFORMED, message, "close the block before the fence")
    if is_markup(frame.path):
        return whole
    fault = _rule_at_the_end(first, frame) or (_whole_block(first, frame) if may_hold_markers else None)
    if fault is not None:
        return fault
    creates_file = len(whole) == 1 and not (first.anchor + first.old_lines + first.trailing_anchor).strip()
    return (_without_fence(first),) if creates_file else whole


def _swallowed(split: Split, frame: Frame) -> Fault | None:
    middle = split.divider_lines[len(split.divider_lines) // 2] if split.divider_lines else frame.shown(frame.opener)
    return swallowed_block(split.anchor + split.old_lines + split.trailing_anchor, split.new_lines, middle + 1)


def swallowed_block(old: str, new: str, first_line: int) -> Fault | None:
    """Return why new text that begins or ends another block is refused; None if it does neither.

    `old` and `new` are section strings. `first_line` is the response line at which `new` begins. A line that is in
    `old` as well was in the file before and does not count.
    """
    if not _may_hold_markers(new):
        return None
    lines = section_lines(new)
    known = Counter(section_lines(old))
    tokens = [token for token in scan(new, 0) if not _is_text(token, lines[token.line])]
    unended = _openers_without_closer(tokens, re.search(_ENDS_ELSEWHERE, new) is not None)
    begun = _new_lines((token.line for token in unended), lines, known)
    signs = ("<<<<<", "----")
    dressed = (n for n, line in enumerate(lines) if any(map(line.__contains__, signs)) and re.match(_DRESSED, line))
    dressed = (n for n in dressed if not known[lines[n]])
    if (line := min((*begun, *dressed), default=None)) is not None:
        message = f"line {first_line + line} looks like the beginning of another block"
        return Fault(ReasonCode.MALFORMED, f"{message}, so this one was probably cut off", SEND_BOTH)
    ended = _new_lines((token.line for token in _unbegun(tokens)), lines, known)
    dressed_ends = _new_lines(_dressed_ends(tokens, lines), lines, known)
    if (line := min((*ended, *dressed_ends), default=None)) is not None:
        message = f"line {first_line + line} looks like the end of another block"
        return Fault(ReasonCode.MALFORMED, f"{message}, so a piece is missing before it", SEND_BOTH)
    return None


def _may_hold_markers(text: str) -> bool:
    return any(map(text.__contains__, _SIGNS))


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


def _openers_without_closer(tokens: Sequence[Token], ends_elsewhere: bool) -> Iterator[Token]:
    """Yield the openers whose closer does not follow."""
    later: set[tuple[Kind, str, int]] = set()
    unended = []
    for token in reversed(tokens):
        if token.kind in (Kind.QUOTED, Kind.OPEN_OTHER, Kind.OPEN_PATCH):
            is_ended = ends_elsewhere
        else:
            is_ended = (_CLOSERS.get(token.kind), token.indent, token.length) in later or END in token.word
        if token.kind in _STARTS and not is_ended:
            unended.append(token)
        later.add((token.kind, token.indent, token.length))
    return reversed(unended)


def _unbegun(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the closers and separators of a block that does not begin before them."""
    earlier: set[tuple[Kind | None, str, int]] = set()
    for token in tokens:
        kind = Kind.END_V3 if token.kind is Kind.MID_V3 else token.kind
        if kind in _ENDS and (kind, token.indent, token.length) not in earlier:
            yield token
        earlier.add((_CLOSERS.get(token.kind), token.indent, token.length))


def _dressed_ends(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[int]:
    """Yield where a closer is quoted or marked up, and no quoted block of the same indentation begins above it."""
    begins = {token.line: token.indent for token in tokens if token.kind is Kind.QUOTED}
    above: set[str] = set()
    for number, line in enumerate(lines):
        if number in begins:
            above.add(begins[number])
        elif (match := re.match(_DRESSED_END, line)) and match[1] not in above:
            yield number


def _ends_with_its_fence(old: str, new: str, container: Container | None) -> bool:
    """Whether the closer was put behind the end of the fence: then that line is the last of the new text."""
    if container is None or container.mark not in ("`", "~"):
        return False
    is_bare = _run_at_the_end(new, container.mark) >= container.length
    return is_bare and (_fences(new, container) - _fences(old, container)) % 2 == 1


def _run_at_the_end(text: str, sign: str) -> int:
    """How many signs the last line of a text is that is not blank; 0 if it is anything else."""
    text = text.rstrip(" \t\n")
    if not text.endswith(sign):
        return 0
    last = text[text.rfind("\n") + 1 :].strip(" \t")
    return len(last) if last.count(sign) == len(last) else 0


def _fences(text: str, container: Container) -> int:
    """How many lines of `text` open or close a fence like `container`."""
    tokens = scan(text, 0) if container.mark * 3 in text else ()
    return sum(
        token.kind is Kind.FENCE and token.word[0] == container.mark and token.length >= container.length
        for token in tokens
    )


def _rule_at_the_end(split: Split, frame: Frame) -> Fault | None:
    """Whether the new text ends in a second divider of nearly the right length."""
    length = _run_at_the_end(split.new_lines, "=")
    if not length or "=" * length in split.old_lines:
        return None
    has_divider = any(token.kind is Kind.DIV for token in frame.separators)
    if not has_divider or abs(length - frame.opener.length) > _NEAR_LENGTH:
        return None
    message = f"the new text ends with `{'=' * length}`, which looks like a divider"
    return Fault(ReasonCode.MALFORMED, message, "leave it out, or send the block with longer markers")


def _whole_block(split: Split, frame: Frame) -> Fault | None:
    """Whether the text contains a complete block with its path line: its own closer was lost before that.

    Who writes about blocks uses longer markers around them (docs/reference/formats.md, markers).
    """
    if frame.opener.length > _USUAL_LENGTH:
        return None
    lines = section_lines(split.new_lines)
    known = set(section_lines(split.anchor + split.old_lines + split.trailing_anchor))
    for token in scan(split.new_lines, 0):
        is_opener = token.kind in OPENERS and token.length <= _USUAL_LENGTH
        if is_opener and token.indent in ("", frame.opener.indent) and lines[token.line] not in known:
            path = _path_of(token, lines)
            if path is not None:
                message = f"a whole block for {path} stands in the new text of {frame.path}, so a closer was lost"
                return Fault(ReasonCode.MALFORMED, message, "send both again, or with longer markers around")
    return None


def _path_of(token: Token, lines: Sequence[str]) -> str | None:
    """The file that a tag names, or the nearest line above an opener, fence lines stepped over."""
    if token.kind is Kind.OPEN_FILE:
        tag = read_tag(token.word)
        return None if tag is None else tag.file_path
    for line in reversed(lines[max(0, token.line - _LINES_ABOVE) : token.line]):
        if line.strip(" \t") and not line.lstrip(" \t").startswith(("```", "~~~")) and not is_transparent(line):
            path_line = find_path(line)
            return None if path_line is None or path_line.weak else path_line.path
    return None


def _without_fence(split: Split) -> Split:
    """A new file without the fence that was put around all of it."""
    body = split.new_lines.strip(" \t\n") + "\n"
    lines = section_lines(body)
    fences = [token for token in scan(body, 0) if token.kind is Kind.FENCE] if body[:3] in ("```", "~~~") else []
    if len(fences) < 2 or fences[0].line:
        return split
    mark, length = fences[0].word[0], fences[0].length
    ending = next((token.line for token in fences[1:] if token.word == mark and token.length >= length), None)
    if ending != len(lines) - 1:
        return split
    note = Note("fence-removed", "a fence around the whole file was taken off")
    return split._replace(new_lines=join(lines[1:-1]), notes=(*split.notes, note))
