"""`edit-v3`: two texts between guillemets; their common first lines are the anchor. It is matched only exactly.

    path-line, ««« EDIT, anchor and old lines, ═══════ REPL, anchor and new lines, »»» EDIT END

A blank upper text creates a file. The file ends with a newline afterwards.
"""

from editblocks.core.blocks import Split, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import MOST_CANDIDATES, SEND_EACH, Fault, Frame, Grammar, join
from editblocks.formats.markers import Marker

_OPENER = Marker("««« EDIT", is_fixed=True, near_pattern=r"«{2,4}[^\w«»]{0,3}(?i:edit)\b")
_MIDDLE = Marker("═══════ REPL", is_fixed=True)
_CLOSER = Marker("»»» EDIT END", is_fixed=True, near_pattern=r"»{2,4}[^\w«»]{0,3}(?i:(?:edit )?end)\b")


def _read(frame: Frame) -> tuple[Split, ...] | Fault:
    """Split the block at its only separator. The first lines that both texts share are the anchor."""
    if len(frame.separators) > 1:
        separators = ", ".join(str(frame.line_number(token)) for token in frame.separators[:MOST_CANDIDATES])
        message = f"expected one {_MIDDLE.text}, found {len(frame.separators)} at lines {separators}"
        return Fault(ReasonCode.MALFORMED, message, SEND_EACH)
    [separator] = frame.separators
    old = section_lines(frame.text(frame.opener, separator))
    new = section_lines(frame.text(separator, frame.closer))
    same = 0
    for old_line, new_line in zip(old, new, strict=False):
        if old_line != new_line:
            break
        same += 1
    return (Split((frame.line_number(separator),), join(old[same:]), join(new[same:]), anchor=join(old[:same])),)


EDIT_V3 = Grammar(
    names=("edit-v3",),
    opener=_OPENER,
    separators=(_MIDDLE,),
    closer=_CLOSER,
    sections=("search", "replace"),
    words=(_OPENER.text, _CLOSER.text),
    read=_read,
    name=lambda _: "edit-v3",
)
