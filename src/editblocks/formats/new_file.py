"""`new-file`: the whole text of a file that does not exist yet.

    path-line, OPEN(n) NEW_FILE, lines, CLOSER(n) NEW_FILE

The lines may hold any marker except the closer of this block.
"""

from __future__ import annotations

from editblocks.formats.grammar import Fault, Frame, Located, Sections, join
from editblocks.formats.markers import Kind
from editblocks.formats.swallowed_block import swallowed_block

NAMES = ("new-file",)
OPENER = Kind.OPEN_NEW
SEPARATORS = ()
CLOSER = Kind.END_NEW
SECTIONS = ("new",)
WORDS = ("<<<<<<< NEW_FILE", ">>>>>>> NEW_FILE")
HOLDS_CONFLICTS = False


def name(_located: Located) -> str:
    """Always `new-file`."""
    return NAMES[0]


def closer_line(length: int) -> str:
    """`>>>>>>> NEW_FILE` in the opener's length."""
    return ">" * length + " NEW_FILE"


def separator_line(_length: int) -> str:
    """Empty: the format has no separator."""
    return ""


def read(frame: Frame) -> Sections | Fault:
    """Read everything between opener and closer as the text of the file."""
    lines, notes = frame.dedent()
    new = join(lines[1:-1])
    if (fault := swallowed_block("", new, frame.shown(frame.opener) + 1)) is not None:
        return fault
    return Sections(new_lines=new, notes=(*frame.variants(), *notes))
