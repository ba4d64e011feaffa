"""Colour codes of a terminal. They are only our own: text from outside goes through `visible` first."""

from __future__ import annotations

from editblocks.report.escape import visible

BOLD, RED, GREEN, YELLOW, CYAN = "1", "31", "32", "33", "36"
MARKS = {"-": RED, "+": GREEN, "@": CYAN}  # the first character of a line of a patch: git's own colours


def paint(text: str, code: str | None) -> str:
    """The text in a colour, or as it is."""
    if code is None:
        return text
    return f"\x1b[{code}m{text}\x1b[0m"


def painted_patch(data: bytes) -> str:
    """A patch for people: its heads and its lines in colour, control characters visible, tabs kept."""
    lines = []
    is_head = False
    for line in data.decode("utf-8", "replace").split("\n")[:-1]:
        is_head = line.startswith("diff ") or (is_head and not line.startswith("@"))  # a line of a file has a mark
        color = BOLD if is_head else MARKS.get(line[:1])
        lines.append(paint(visible(line, keep="\t"), color) + "\n")
    return "".join(lines)
