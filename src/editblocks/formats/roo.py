"""`roo`: a SEARCH/REPLACE block with a header that gives the line of its old text; its text may have escapes.

    path-line, OPEN(n), ":start_line:" N, [":end_line:" M], ["-------"], old lines, DIVIDER(n), new lines, CLOSER(n)

The number only chooses among several matches. A backslash before a line like a marker or a header is removed.
"""

import re
from collections.abc import Sequence

from editblocks.core.blocks import EditBlock, Split, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault, Frame, join
from editblocks.formats.markers import indent_of
from editblocks.formats.search_replace import OPENER, SEARCH_REPLACE

START = ":start_line:"
END = ":end_line:"
RULE = "-------"
_NUMBER = rf"{START}[ \t]*0*([1-9][0-9]{{0,8}})[ \t]*\Z"
_ESCAPES = f"<<<<<<<|=======|>>>>>>>|{RULE}|{START}|{END}"


def _read(frame: Frame) -> tuple[Split, ...] | Fault:
    """Split the block at its divider, and drop its header. Escapes stay, so that they are never taken for markers."""
    readings = SEARCH_REPLACE.read(frame)
    if isinstance(readings, Fault):
        return readings
    margin = indent_of(frame.lines[0])  # of the opener, if it was not removed
    first = frame.line_number(frame.opener)
    if not re.match(_NUMBER, frame.lines[1].removeprefix(margin)):
        what = f"`{START}` at line {first + 1} has no line number"
        return Fault(ReasonCode.MALFORMED, what, "write it there; the first line is 1")
    divider = frame.separators[0].line - frame.opener.line
    for index in range(divider + 1, len(frame.lines)):
        if frame.lines[index].startswith((margin + START, margin + END)):
            what = f"line {first + index} belongs below `{OPENER.text}`"
            return Fault(ReasonCode.MALFORMED, what, "if it is text, write a backslash before it")
    header = _header(frame, margin)
    readings = tuple(split._replace(old_lines=join(section_lines(split.old_lines)[header:])) for split in readings)
    return _second_rule(frame, margin, readings) or readings


def _second_rule(frame: Frame, margin: str, readings: Sequence[Split]) -> Fault | None:
    """Return a fault if the new text begins with the rule of the header, which would be written to the file."""
    rule = f"{margin}{RULE}\n"
    has_rule = any(line.rstrip(" \t") == margin + RULE for line in frame.lines[2:4])
    if not has_rule:
        return None
    for split in readings:
        if split.new_lines.startswith(rule) and not split.old_lines.startswith(rule):
            what = f"line {split.divider_lines[0] + 1}, `{RULE}`, belongs only below the header of the block"
            return Fault(ReasonCode.MALFORMED, what, "leave it out of the new text")
    return None


def _header(frame: Frame, margin: str) -> int:
    """The number of header lines below the opener."""
    count = 1
    if frame.lines[2].startswith(margin + END):
        count += 1
    if frame.lines[count + 1].rstrip(" \t") == margin + RULE:
        count += 1
    return count


def _finish(frame: Frame, block: EditBlock) -> EditBlock:
    """Set the line hint of a block, and remove its escapes."""
    margin = indent_of(frame.lines[0])  # of the opener, if it was not removed
    escape = re.compile(rf"(?m)^({re.escape(margin)})\\(?={_ESCAPES})")
    [number] = re.findall(_NUMBER, frame.lines[1])

    def unescape(text: str) -> str:
        return escape.sub(r"\1", text)

    return block._replace(
        line_hint=int(number),
        old_lines=unescape(block.old_lines),
        new_lines=unescape(block.new_lines),
        splits=tuple(
            split._replace(old_lines=unescape(split.old_lines), new_lines=unescape(split.new_lines))
            for split in block.splits
        ),
    )


ROO = SEARCH_REPLACE._replace(names=("roo",), read=_read, name=lambda _: "roo", header=START, finish=_finish)
