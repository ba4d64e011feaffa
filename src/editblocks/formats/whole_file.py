"""`new-file` and `bolt-file`: the whole text of a file that does not exist yet. `whole-file`: that of any file.

    path-line, OPEN(n) NEW_FILE, lines, CLOSER(n) NEW_FILE
    <boltAction type="file" filePath="path">, lines, </boltAction>
    path-line, ```language, lines, ```

The lines may contain any marker except the closer of the block. The first two forms create a file and never replace
one: a whole file from a stale copy would undo what others changed since. The third form is also how answers just show a
file, so it is only written if the user enables that; `parsing/fences.py` reads it.
"""

from collections.abc import Sequence

from editblocks.core.blocks import Split
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault, Format, Frame, Grammar, Unmarked
from editblocks.formats.markers import END_ACTION, FILE_ACTION, Marker, read_tag

_OPENER = Marker("<<<<<<< NEW_FILE")
_CLOSER = Marker(">>>>>>> NEW_FILE")


def on_its_line(line: int) -> Fault:
    """Return the fault of text on the line of the tag: whether the file begins with a line break is unknown."""
    what = f"the file's text begins on the line of its tag (line {line})"
    return Fault(ReasonCode.MALFORMED, what, "begin it on the next line")


def _read(frame: Frame) -> tuple[Split, ...] | Fault:
    tag = read_tag(frame.opener.word)
    if tag is not None and tag.rest:
        return on_its_line(frame.line_number(frame.opener))
    return (Split((), "", frame.text(frame.opener, frame.closer)),)


NEW_FILE = Grammar(
    names=("new-file",),
    opener=_OPENER,
    separators=(),
    closer=_CLOSER,
    sections=("new",),
    words=(_OPENER.text, _CLOSER.text),
    read=_read,
    name=lambda _: "new-file",
)
BOLT_FILE = NEW_FILE._replace(
    names=("bolt-file",),
    opener=FILE_ACTION,
    closer=END_ACTION,
    words=("<boltAction>", "</boltAction>"),
    name=lambda _: "bolt-file",
)


WHOLE_FILE = Unmarked(names=("whole-file",))  # a fence below a path line


def ask_for_whole_files(formats: Sequence[Format]) -> tuple[Format, ...]:
    """Return the formats with `whole-file` changed so that every fence with a whole file is a row."""
    changed: dict[Format, Format] = {WHOLE_FILE: WHOLE_FILE._replace(are_always_rows=True)}
    return tuple(changed.get(each, each) for each in formats)
