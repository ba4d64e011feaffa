"""`bolt-file`: the whole text of a new file in an action.

    <boltAction type="file" filePath="path">, lines, </boltAction>

It creates, and never replaces a file that is there (docs/design.md, 27). The closing tag stands alone on its line.
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.codes import ReasonCode
from editblocks.formats.bolt_tag import read_tag
from editblocks.formats.grammar import Fault, Frame, Located, Sections, is_markup, join
from editblocks.formats.markers import Kind, scan
from editblocks.formats.splits import cut_off
from editblocks.formats.swallowed import swallowed_line
from editblocks.model import Note

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
    """Nothing parts it."""
    return ""


def read(frame: Frame) -> Sections | Fault:
    """Everything between the tags is the file, but a fence around all of it."""
    tag = read_tag(frame.opener.word)
    if tag is not None and tag.rest:
        return on_its_line(frame.shown(frame.opener))
    lines, notes = frame.dedented()
    start, stop = 1, len(lines) - 1
    if not is_markup(frame.path) and (within := _within_fence(lines, start, stop)):
        start, stop = within
        notes = (*notes, Note("fence-removed", "a fence around the whole file was taken off"))
    new = join(lines[start:stop])
    if (swallowed := swallowed_line("", new)) is not None:
        return cut_off(frame.shown(frame.opener) + start + swallowed)
    return Sections(new_lines=new, notes=notes)


def on_its_line(line: int) -> Fault:
    """Text behind the tag: nobody can tell whether a line break belongs to the file."""
    message = f"the file's text begins on the line of its tag (line {line}); begin it on the next line"
    return Fault(ReasonCode.MALFORMED, message)


def _within_fence(lines: Sequence[str], start: int, stop: int) -> tuple[int, int] | None:
    """The lines within a fence that wraps all of `lines[start:stop]`, or None."""
    filled = [number for number in range(start, stop) if lines[number].strip(" \t")]
    if not filled:
        return None
    first, last = filled[0], filled[-1]
    fences = [token for token in scan(join(lines[first : last + 1]), first) if token.kind is Kind.FENCE]
    if len(fences) < 2 or fences[0].line != first:
        return None
    mark, length = fences[0].word[0], fences[0].length
    ending = next((token.line for token in fences[1:] if token.word == mark and token.length >= length), None)
    return (first + 1, last) if ending == last else None
