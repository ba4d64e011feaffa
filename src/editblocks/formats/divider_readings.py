"""Keep all readings of a block in which several lines look like the divider: the file later decides between them.

A reading that would write half of another block into the file is dropped: a closer is missing there. Rules:
docs/reference/formats.md, dividers.
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Note, Split
from editblocks.formats.grammar import Fault, Frame, Sections, is_markup, other_length
from editblocks.formats.markers import Kind, Token
from editblocks.formats.swallowed_block import swallowed_block


def choose_sections(frame: Frame, splits: Sequence[Split], notes: Sequence[Note] = ()) -> Sections | Fault:
    """Return the sections of a block that can be read as `splits` (at least one), or why none can be used."""
    faults = [_fault(split) for split in splits]
    whole = [split for split, fault in zip(splits, faults, strict=True) if fault is None]
    fault = faults[0] or next(filter(None, faults), None)
    if fault is not None and (not whole or (whole[0] is not splits[0] and not is_markup(frame.path))):
        return fault
    first = whole[0]
    return Sections(
        anchor=first.anchor,
        old_lines=first.old_lines,
        new_lines=first.new_lines,
        trailing_anchor=first.trailing_anchor,
        splits=tuple(whole) if len(whole) > 1 else (),
        notes=(*notes, *(first.notes if len(whole) == 1 else ())),
    )


def repeats_divider(separators: Sequence[Token], divider: Token) -> bool:
    """Whether the new text would begin with another divider line, which may only be the divider written twice."""
    return any(token.kind is Kind.DIV and token.line == divider.line + 1 for token in separators)


def _fault(split: Split) -> Fault | None:
    """Return why the new text cannot be meant: it holds half of another block; None if it does not."""
    middle = split.divider_lines[len(split.divider_lines) // 2]
    return swallowed_block(split.anchor + split.old_lines + split.trailing_anchor, split.new_lines, middle + 1)


def stray_divider(frame: Frame, most: int) -> Note | Fault:
    """Return the note that a last separator, which repeats the one before, is dropped; a fault if it may be text.

    It may be text in markup files, or if more than `most` separators are left: it could be an underline.
    """
    kept, last = frame.separators[-2:]
    if not is_markup(frame.path) and len(frame.separators) - 1 <= most:
        return Note("stray-divider-dropped", f"line {frame.shown(last)} repeats the divider; it was left out")
    where = f"the line at {frame.shown(last)} may be a second divider after line {frame.shown(kept)}"
    advice = f"send it with {other_length(frame.opener.length)}-character markers"
    return Fault(ReasonCode.MALFORMED, f"{where} or text of {frame.path}", advice)
