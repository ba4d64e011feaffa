"""`edit-v3`: two texts between guillemets; their common first lines are the anchor. It is matched only exactly.

    path-line, ««« EDIT, anchor and old lines, ═══════ REPL, anchor and new lines, »»» EDIT END

A blank upper text creates a file. The file ends with a newline afterwards.
"""

from __future__ import annotations

from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import MOST_CANDIDATES, Fault, Frame, Located, Sections, join
from editblocks.formats.markers import Kind
from editblocks.formats.swallowed_block import swallowed_block

NAMES = ("edit-v3",)
OPENER = Kind.OPEN_V3
SEPARATORS = (Kind.MID_V3,)
CLOSER = Kind.END_V3
SECTIONS = ("search", "replace")
WORDS = ("««« EDIT", "»»» EDIT END")
HOLDS_CONFLICTS = False


def name(_located: Located) -> str:
    """Always `edit-v3`."""
    return NAMES[0]


def closer_line(_length: int) -> str:
    """`»»» EDIT END`, whatever the opener's length."""
    return CLOSER.value


def separator_line(_length: int) -> str:
    """`═══════ REPL`, whatever the opener's length."""
    return Kind.MID_V3.value


def read(frame: Frame) -> Sections | Fault:
    """Split the block at its only separator, and split off the common first lines as the anchor."""
    if len(frame.separators) > 1:
        separators = ", ".join(str(frame.shown(token)) for token in frame.separators[:MOST_CANDIDATES])
        message = f"expected one {Kind.MID_V3.value}, found {len(frame.separators)} at lines {separators}"
        return Fault(ReasonCode.MALFORMED, message, "send each change as a block of its own")
    [separator] = frame.separators
    lines, notes = frame.dedent()
    middle = separator.line - frame.opener.line
    old, new = lines[1:middle], lines[middle + 1 : -1]
    if (fault := swallowed_block(join(old), join(new), frame.shown(separator) + 1)) is not None:
        return fault
    anchor = next((i for i, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    anchor = min(len(old), len(new)) if anchor is None else anchor
    return Sections(join(old[:anchor]), join(old[anchor:]), join(new[anchor:]), notes=notes)
