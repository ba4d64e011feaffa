"""Checks on new text that hold for every format: no stray marker at its end, no fence around all of it."""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Note, section_lines
from editblocks.formats.bolt_tag import read_tag
from editblocks.formats.grammar import Fault, Frame, Sections, is_markup, join
from editblocks.formats.markers import OPENERS, Kind, Token, scan
from editblocks.parsing.containers import Action, Fence
from editblocks.parsing.path_line import find_path

_USUAL_LENGTH = 7
_NEAR_LENGTH = 2  # signs that a divider may have too many or too few
_LINES_ABOVE = 8  # in which the path line of a block may stand


def check_sections(sections: Sections, frame: Frame, container: Fence | Action | None) -> Sections | Fault:
    """The sections of a block, without a fence around a whole new file; or the fault for which they are refused."""
    news = [split.new_lines for split in sections.splits] or [sections.new_lines]
    if any(_ends_with_its_fence(sections, new, container) for new in news):
        message = "the new text ends with the line that closes the fence around the block"
        return Fault(ReasonCode.MALFORMED, message, "close the block before the fence")
    if is_markup(frame.path):
        return sections
    if (fault := _rule_at_the_end(sections, frame)) or (fault := _whole_block(sections, frame)):
        return fault
    if not (sections.anchor + sections.old_lines + sections.trailing_anchor).strip() and not sections.splits:
        return _without_fence(sections)
    return sections


def _ends_with_its_fence(sections: Sections, new: str, container: Fence | Action | None) -> bool:
    """Whether the closer was put behind the end of the fence: then that line is the last of the new text."""
    if not isinstance(container, Fence) or container.mark not in "`~":
        return False
    fences = [_fences(text, container) for text in (new, sections.old_lines)]
    filled = [line.strip(" \t") for line in section_lines(new) if line.strip(" \t")]
    is_bare = bool(filled) and set(filled[-1]) == {container.mark} and len(filled[-1]) >= container.length
    return is_bare and (fences[0] - fences[1]) % 2 == 1


def _fences(text: str, container: Fence) -> int:
    """How many lines of `text` open or close a fence like `container`."""
    if container.mark * 3 not in text:
        return 0
    tokens = (token for token in scan(text, 0) if token.kind is Kind.FENCE)
    return sum(token.word[0] == container.mark and token.length >= container.length for token in tokens)


def _rule_at_the_end(sections: Sections, frame: Frame) -> Fault | None:
    """Whether the new text ends in a second divider of nearly the right length."""
    if not any(token.kind is Kind.DIV for token in frame.separators):
        return None
    filled = [line.strip(" \t") for line in section_lines(sections.new_lines) if line.strip(" \t")]
    if not filled or set(filled[-1]) != {"="} or filled[-1] in sections.old_lines:
        return None
    if abs(len(filled[-1]) - frame.opener.length) > _NEAR_LENGTH:
        return None
    message = f"the new text ends with `{filled[-1]}`, which looks like a divider"
    return Fault(ReasonCode.MALFORMED, message, "leave it out, or send the block with longer markers")


def _whole_block(sections: Sections, frame: Frame) -> Fault | None:
    """Whether the text contains a complete block with its path line: its own closer was lost before that.

    Who writes about blocks uses longer markers around them (docs/reference/formats.md, markers).
    """
    signs = ("<<<<<", "«««", "<boltA")
    if frame.opener.length > _USUAL_LENGTH or not any(sign in sections.new_lines for sign in signs):
        return None
    lines = section_lines(sections.new_lines)
    known = set(section_lines(sections.anchor + sections.old_lines + sections.trailing_anchor))
    for token in scan(sections.new_lines, 0):
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
        if line.strip(" \t") and not line.lstrip(" \t").startswith(("```", "~~~")):
            path_line = find_path(line)
            return None if path_line is None or path_line.weak else path_line.path
    return None


def _without_fence(sections: Sections) -> Sections:
    """A new file without the fence that was put around all of it."""
    lines = section_lines(sections.new_lines)
    within = _within_fence(lines)
    if within is None:
        return sections
    note = Note("fence-removed", "a fence around the whole file was taken off")
    return sections._replace(new_lines=join(lines[within[0] : within[1]]), notes=(*sections.notes, note))


def _within_fence(lines: Sequence[str]) -> tuple[int, int] | None:
    """The lines within a fence that wraps all of `lines`, or None."""
    filled = [number for number, line in enumerate(lines) if line.strip(" \t")]
    if not filled or not lines[filled[0]].lstrip(" \t").startswith(("```", "~~~")):
        return None
    first, last = filled[0], filled[-1]
    fences = [token for token in scan(join(lines[first : last + 1]), first) if token.kind is Kind.FENCE]
    if len(fences) < 2 or fences[0].line != first:
        return None
    mark, length = fences[0].word[0], fences[0].length
    ending = next((token.line for token in fences[1:] if token.word == mark and token.length >= length), None)
    return (first + 1, last) if ending == last else None
