"""`bolt-file`: the whole text of a new file in an action.

    <boltAction type="file" filePath="path">, lines, </boltAction>

It creates a file and never replaces one: a whole file written from a stale copy would lose what others did since. The
closing tag stands alone on its line.
"""

from __future__ import annotations

from editblocks.core.codes import ReasonCode
from editblocks.formats.bolt_tag import read_tag
from editblocks.formats.grammar import Fault, Frame, Located, Sections, join
from editblocks.formats.markers import Kind
from editblocks.formats.swallowed_block import swallowed_block

NAMES = ("bolt-file",)
OPENER = Kind.OPEN_FILE
SEPARATORS = ()
CLOSER = Kind.END_BOLT
SECTIONS = ("new",)
WORDS = ("<boltAction>", "</boltAction>")
HOLDS_CONFLICTS = False


def name(_located: Located) -> str:
    """Always `bolt-file`."""
    return NAMES[0]


def closer_line(_length: int) -> str:
    """`</boltAction>`."""
    return CLOSER.value


def separator_line(_length: int) -> str:
    """Empty: the format has no separator."""
    return ""


def read(frame: Frame) -> Sections | Fault:
    """Read everything between the tags as the text of the file."""
    tag = read_tag(frame.opener.word)
    if tag is not None and tag.rest:
        return on_its_line(frame.shown(frame.opener))
    lines, notes = frame.dedent()
    new = join(lines[1:-1])
    if (fault := swallowed_block("", new, frame.shown(frame.opener) + 1)) is not None:
        return fault
    return Sections(new_lines=new, notes=notes)


def on_its_line(line: int) -> Fault:
    """Return the fault for text on the line of the tag: it is unknown whether a line break belongs to the file."""
    what = f"the file's text begins on the line of its tag (line {line})"
    return Fault(ReasonCode.MALFORMED, what, "begin it on the next line")
