"""A plan in a form that other tools read: SEARCH/REPLACE blocks, or the patch of a coding agent.

Other tools take line ends and the last newline as the form writes them, find a text where it first stands, and know
no more of a file than that. What they would write otherwise than it is planned is a reason, and no text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from editblocks.core.typed import NamedTuple
from editblocks.report.diff import FileChange
from editblocks.report.escape import ticks
from editblocks.report.windows import Window, windows

_MARKER = re.compile(r"^[ \t]*([<=>-])\1{4,}", re.MULTILINE)
_LONGEST_MARKER = 9


class Form(NamedTuple):
    """A form: how it is called, and what it says around and of each file. `refuse` gives what it cannot say of one."""

    name: str
    refuse: Callable[[FileChange], str]
    write: Callable[[FileChange, int], str]  # with at least so many lines around each change
    envelope: tuple[str, str] = ("", "")

    def join(self, files: Sequence[str]) -> str:
        """The whole text; "" without files."""
        return self.envelope[0] + "".join(files) + self.envelope[1] if files else ""


def refusal(form: Form, change: FileChange) -> str:
    """Why a form cannot say what becomes of a file; "" if it may."""
    texts = [data for data in (change.old, change.new) if data is not None and change.old != change.new]
    if what := form.refuse(change):
        return what
    if change.new is not None and any(b"\r" in data for data in texts):
        return f"{form.name} do not say that lines of {change.path} end with CR"
    if change.new is not None and any(data and not data.endswith(b"\n") for data in texts):
        return f"{form.name} do not say that {change.path} has no newline at its end"
    return ""


def _no_blocks(change: FileChange) -> str:
    if change.new is None:
        return f"SEARCH/REPLACE blocks do not delete files, such as {change.path}"
    if change.old_path != change.path:
        return f"SEARCH/REPLACE blocks do not rename files, such as {change.old_path}"
    return "" if change.new or change.old else f"SEARCH/REPLACE blocks do not create {change.path} without lines"


def _no_patch(change: FileChange) -> str:
    is_script = change.old_path != change.path and change.mode != "100644"
    return f"patches do not say that {change.path} stays executable" if is_script else ""


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "surrogateescape").split("\n")[:-1]


def _text(lines: Sequence[str], sign: str = "") -> str:
    return "".join(f"{sign}{line}\n" for line in lines)


def _write_blocks(change: FileChange, context: int) -> str:
    old, new = _lines(change.old), _lines(change.new)
    spans = windows(old, new, context) if old else ()
    pairs = [(_text(old[each.start : each.stop]), _text(new[each.new])) for each in spans] or [("", _text(new))]
    return "".join(_block(change.path, *pair) for pair in pairs)


def _block(path: str, search: str, replace: str) -> str:
    size = marker_size(search + replace)
    fence = ticks(search + replace, 3)
    opener, divider, closer = (sign * size for sign in "<=>")
    return f"{path}\n{fence}\n{opener} SEARCH\n{search}{divider}\n{replace}{closer} REPLACE\n{fence}\n\n"


def marker_size(text: str, signs: str = "<=>") -> int:
    """How long the markers of a block have to be, 7 to 9, so that no line of the text looks like one of them."""
    lengths = {len(match[0].lstrip(" \t")) for match in _MARKER.finditer(text) if match[1] in signs}
    return next((size for size in range(7, _LONGEST_MARKER) if size not in lengths), _LONGEST_MARKER)


def _write_patch(change: FileChange, context: int) -> str:
    if change.new is None:
        return f"*** Delete File: {change.path}\n"
    old, new = (_lines(data) if change.old != change.new else [] for data in (change.old, change.new))
    if not change.old and change.old_path == change.path:
        return f"*** Add File: {change.path}\n{_text(new, '+')}"
    moved = f"*** Move to: {change.path}\n" if change.old_path != change.path else ""
    hunks = "".join(_hunk(old, new, window) for window in windows(old, new, context))
    return f"*** Update File: {change.old_path}\n{moved}{hunks}"


def _hunk(old: Sequence[str], new: Sequence[str], window: Window) -> str:
    return "".join(("@@\n", *_signed(old, new, window), "*** End of File\n" if window.stop == len(old) else ""))


def _signed(old: Sequence[str], new: Sequence[str], window: Window) -> Iterator[str]:
    start = window.start
    for change in window.changes:
        yield _text(old[start : change.start], " ")
        yield _text(old[change.start : change.stop], "-")
        yield _text(new[change.new_start : change.new_stop], "+")
        start = change.stop
    yield _text(old[start : window.stop], " ")


FORMS: Mapping[str, Form] = {
    "diff": Form("SEARCH/REPLACE blocks", _no_blocks, _write_blocks),
    "v4a": Form("patches", _no_patch, _write_patch, ("*** Begin Patch\n", "*** End Patch\n")),
}
