"""Several lines that may part a block: every reading is kept, for the file to settle (docs/formats.md, dividers).

A reading that would write the beginning of another block into the file is none (docs/design.md, 23).
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.codes import ReasonCode
from editblocks.formats.grammar import Fault, Frame, Sections, is_markup
from editblocks.formats.markers import Token
from editblocks.formats.swallowed import swallowed_line
from editblocks.model import Note, Split


def chosen(frame: Frame, splits: Sequence[Split], notes: Sequence[Note] = ()) -> Sections | Fault:
    """The sections of a block that can be read as `splits`, at least one."""
    whole = [split for split in splits if _swallowed(split) is None]
    if not whole or (whole[0] is not splits[0] and not is_markup(frame.path)):
        return cut_off(next(line for line in map(_swallowed, splits) if line is not None))
    first = whole[0]
    return Sections(
        anchor=first.anchor,
        old_lines=first.old_lines,
        new_lines=first.new_lines,
        trailing_anchor=first.trailing_anchor,
        splits=tuple(whole) if len(whole) > 1 else (),
        notes=tuple(notes),
    )


def _swallowed(split: Split) -> int | None:
    """The response line at which its new text begins another block."""
    found = swallowed_line(split.anchor + split.old_lines + split.trailing_anchor, split.new_lines)
    middle = split.divider_lines[len(split.divider_lines) // 2]
    return None if found is None else middle + 1 + found


def cut_off(line: int) -> Fault:
    """The new text begins another block at response line `line`: a closer was lost."""
    message = f"line {line} looks like the beginning of another block, so this one was probably cut off"
    return Fault(ReasonCode.MALFORMED, f"{message}; send both again, complete")


def stray_divider(frame: Frame, most: int) -> Note | Fault:
    """What to say of a last separator that only repeats the one before: dropped, unless it may be text.

    With more than `most` separators left, or in markup, an underline and a repetition cannot be told apart.
    """
    kept, last = frame.separators[-2:]
    if is_markup(frame.path) or len(frame.separators) - 1 > most:
        return Fault(ReasonCode.MALFORMED, _two_readings(frame, kept, last))
    return Note("stray-divider-dropped", f"line {frame.shown(last)} repeats the divider; it was left out")


def _two_readings(frame: Frame, kept: Token, last: Token) -> str:
    longer = min(9, frame.opener.length + 1)
    return (
        f"the line at {frame.shown(last)} may be a second divider after line {frame.shown(kept)} or text of "
        f"{frame.path}; send it with {longer}-character markers"
    )
