"""`v4a`: the patches of coding agents, which add, update, delete and move files in one envelope.

    *** Begin Patch, { *** Add File: path | *** Delete File: path | *** Update File: path, hunks }, *** End Patch

A hunk begins with `@@`; a line of the file above the hunk may follow on the same line. Rules and state table:
docs/reference/formats/v4a.md.
"""

import re

from editblocks.core.blocks import EditBlock, Note, ParsedRow, Problem
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import CUT_OFF, Fault, join
from editblocks.formats.hunks import (
    EMPTY_HUNK,
    END_PATCH,
    MOST_SCOPES,
    SEND_AGAIN,
    ContextHunks,
    Hunk,
    Numbers,
    PatchText,
    fault_of,
    read_hunk,
    read_numbers,
    with_note,
    without_numbers,
)

_HEADER = r"\*\*\* (Add|Update|Delete) File:(.*)"
_MOVE = r"\*\*\* Move to:[ \t]*([^ \t].*?)[ \t]*\Z"


def read_patch(text: PatchText, *, is_ended: bool, by_fence: bool) -> list[ParsedRow]:
    """Return the rows of a patch, whose first line is `*** Begin Patch`.

    `is_ended`: the last line is `*** End Patch`; `by_fence`: the patch ends with the fence around it. Otherwise it was
    cut off, and its last row is `unclosed`. An operation is complete when the next one begins.
    """
    stop = len(text.raw)
    if not is_ended:
        while stop > 1 and not text.raw[stop - 1].strip(" \t"):
            stop -= 1
        is_ended = text.raw[stop - 1].strip(" \t") == END_PATCH.text
    body_stop = stop - 1 if is_ended else stop
    is_whole = is_ended or by_fence
    rows = _Patch(text, body_stop, is_whole=is_whole).read()
    if not rows and is_whole:
        what = f"the patch at line {text.line_number(0)} changes nothing"
        return [text.problem(0, stop, Fault(ReasonCode.MALFORMED, what, SEND_AGAIN), None)]
    if is_ended:
        return rows
    if by_fence:  # the answer continued, so nothing was cut off
        what = f"there is no `{END_PATCH.text}` before the end of the fence"
        return [*rows[:-1], with_note(rows[-1], "patch-end-missing", what, text.line_number(stop - 1))]
    fault = Fault(ReasonCode.UNCLOSED, f"the patch at line {text.line_number(0)} has no `{END_PATCH.text}`", CUT_OFF)
    if not rows:
        rows = [text.problem(0, stop, fault, None)]
    last = rows[-1]
    problem = Problem(0, last.line_number, text.line_number(stop - 1), *fault, last.file_path, text.format)
    return [*rows[:-1], problem]


def without_patch(text: PatchText) -> Problem:
    """Return the row of an operation outside a patch, with the lines below it."""
    match = re.match(_HEADER, text.line(0))
    what = f"line {text.line_number(0)} is outside a patch"
    fault = Fault(ReasonCode.STRAY_MARKER, what, "put `*** Begin Patch` above it")
    return text.problem(0, len(text.raw), fault, match and (match[2].strip(" \t") or None))


class _Patch:
    """The state machine that reads a patch. `state` is its state; other fields describe the row that is being read."""

    state = "between"  # between operations; or `add`, `update`, `hunk`, `end of file`, `skip`
    path = ""
    lacks_rows = False  # it is an Update without any row so far
    is_trusted = True  # whether the numbers of its hunks are used
    section: int
    start: int  # first line of the row
    body: int  # first line of the hunk after its headers, which are the `@@` lines from `start` on
    notes: list[Note]

    def __init__(self, text: PatchText, stop: int, *, is_whole: bool) -> None:
        self.text = text
        self.stop = stop
        self.is_whole = is_whole  # it is not cut off
        self.rows: list[ParsedRow] = []
        self.context = ContextHunks()  # of the section

    def read(self) -> list[ParsedRow]:
        for index in range(1, self.stop):
            if len(self.rows) > self.text.most_rows:
                break
            self._take(index, self.text.line(index))
        self._close(self.stop)
        self._end_section(self.stop)
        return self.rows

    def _take(self, index: int, line: str) -> None:
        header = line
        if self.state in ("between", "end of file", "skip"):  # elsewhere, an indented header is a line of the file
            header = line.lstrip(" \t")
        match = re.match(_HEADER, header)
        if match is not None:
            self._close(index)
            self._end_section(index)
            self._open(index, match[1], match[2].strip(" \t"), is_moved=not line.startswith("*"))
        elif self.state == "skip" or (self.state != "add" and not line.strip(" \t")):
            return
        elif self.state in ("update", "hunk", "end of file") and line.startswith("@@"):
            self._take_hunk_header(index)
        elif self.state == "add":
            if line.strip(" \t") and not line.startswith("+"):
                self._fail(self.start, _unexpected(self.text.line_number(index)))
        elif self.state in ("update", "hunk"):
            self._take_in_update(index, line)
        else:
            self._fail(index, _unexpected(self.text.line_number(index)))

    def _open(self, index: int, operation: str, path: str, *, is_moved: bool) -> None:
        self.start = index
        self.path = path
        self.notes = []
        self.section = self.text.line_number(index)
        self.is_trusted = True
        self.lacks_rows = operation == "Update"
        if is_moved:
            line_number = self.text.line_number(index)
            self.notes.append(Note("marker-variant", f"line {line_number} is not indented like the patch", line_number))
        if not path:
            advice = f"write the path after `*** {operation} File:`"
            self._fail(index, Fault(ReasonCode.NO_PATH, f"line {self.section} names no file", advice))
        elif operation == "Delete":
            self.rows.append(self.text.block(index, index + 1, path, "delete-file", notes=tuple(self.notes)))
            self.state = "between"
        else:
            self.state = operation.lower()

    def _take_hunk_header(self, index: int) -> None:
        is_next_header = self.state == "hunk" and self.start < self.body == index
        if not is_next_header:
            self._close(index)
            self.state = "hunk"
            self.start = index
        self.body = index + 1

    def _take_in_update(self, index: int, line: str) -> None:
        if not line.startswith("***"):
            if self.state == "update":
                self.state = "hunk"
                self.start = index
                self.body = index
        elif line.rstrip(" \t") == "*** End of File" and self.state == "hunk":
            self._close(index, at_end=True)
            self.state = "end of file"
        elif self.state == "update" and self.lacks_rows and (match := re.match(_MOVE, line)):
            self._move(index, match[1])
        elif self.state == "hunk":
            self._fail(self.start, _unexpected(self.text.line_number(index)))
        else:
            self._fail(index, _unexpected(self.text.line_number(index)))

    def _move(self, index: int, target: str) -> None:
        block = self.text.block(index, index + 1, self.path, "rename", new_path=target, notes=tuple(self.notes))
        self.rows.append(block)
        self.path = target
        self.lacks_rows = False
        self.notes = []

    def _fail(self, start: int, fault: Fault) -> None:
        """Add a row that cannot be read. The lines up to the next operation are skipped; they belong to the row."""
        self.rows += self.context.take(self.text.problem(start, start, fault, self.path or None))
        self.state = "skip"

    def _close(self, stop: int, *, at_end: bool = False) -> None:
        """Finish the open row, which ends before line `stop`."""
        text = self.text
        if self.state == "add":
            self.rows.append(self._creation(stop))
        elif self.state == "hunk" and self._is_empty_last_hunk(stop):
            line_number = text.line_number(self.start)
            what = EMPTY_HUNK.format(line_number)
            self.rows[-1] = with_note(self.rows[-1], "empty-hunk-dropped", what, line_number)
        elif self.state == "hunk":
            self.lacks_rows = False
            self.rows += self._hunk(stop, at_end=at_end)
        elif self.state == "skip":
            self.rows[-1] = self.rows[-1]._replace(end_line=text.line_number(stop - 1))

    def _creation(self, stop: int) -> EditBlock:
        """Return the row of an Add. A blank line above a `+` line is a line of the file, also without a `+`."""
        text = self.text
        added: list[str] = []
        blanks: list[int] = []
        for index in range(self.start + 1, stop):
            line = text.line(index)
            if not line.startswith("+"):
                blanks.append(index)
                continue
            if blanks:
                line_number = text.line_number(blanks[0])
                what = f"line {line_number} has no `+`; it was read as blank"
                self.notes.append(Note("context-unmarked", what, line_number))
            added += ["" for _ in blanks]
            added.append(line[1:])
            blanks = []
        has_crlf = text.has_crlf(self.start, stop)
        notes = tuple(self.notes)
        return text.block(self.start, stop, self.path, "create", new_lines=join(added), has_crlf=has_crlf, notes=notes)

    def _is_empty_last_hunk(self, stop: int) -> bool:
        """Whether a `@@` without a scope and without lines ends the patch after a hunk, so that it can be ignored."""
        if not (self.rows and self.is_whole and stop == self.stop):
            return False
        above = self.rows[-1]
        if isinstance(above, Problem) or above.section != self.section:
            return False
        is_empty = not any(self.text.lines(self.body, stop))
        headers = self.text.lines(self.start, self.body)
        return is_empty and not any(_scope(line) or read_numbers(line) for line in headers)

    def _hunk(self, stop: int, *, at_end: bool) -> list[ParsedRow]:
        text = self.text
        line_number = text.line_number(self.start)
        row_stop = stop + 1 if at_end else stop  # the line `*** End of File` belongs to the row
        lines_stop = stop
        while lines_stop > self.body and not text.line(lines_stop - 1):
            lines_stop -= 1
        blanks = stop - lines_stop
        notes = tuple(self.notes)
        self.notes = []
        hunk = read_hunk(text.lines(self.body, lines_stop), text.line_number(self.body))
        headers = text.lines(self.start, self.body)
        fault = fault_of(hunk, line_number)
        if len(headers) > MOST_SCOPES:
            what = f"there are {len(headers)} `@@` lines at line {line_number}"
            fault = Fault(ReasonCode.MALFORMED, what, SEND_AGAIN)
        if fault is not None:
            return self.context.take(text.problem(self.start, row_stop, fault, self.path))
        numbers = next(filter(None, map(read_numbers, headers)), None)
        if numbers is not None and not _counts_match(numbers, hunk, blanks):
            self.is_trusted = False
        row = text.hunk(
            self.start,
            row_stop,
            self.path,
            hunk,
            notes,
            scopes=tuple(scope for scope in map(_scope, headers) if scope),
            at_end=at_end,
            section=self.section,
            line_hint=numbers and (numbers.old or None),
            line_after=numbers and (numbers.new or None),
        )
        if at_end:
            return self.context.take(row)
        return self.context.take(row, hunk.scope)

    def _end_section(self, stop: int) -> None:
        """Finish an operation: refuse an Update without rows, and drop all line numbers if a count was wrong."""
        self.rows += self.context.rows
        self.context = ContextHunks()
        if self.lacks_rows and self.state != "skip":
            what = f"`*** Update File` at line {self.section} changes nothing"
            self._fail(self.start, Fault(ReasonCode.MALFORMED, what, SEND_AGAIN))
            self._close(stop)
        if not self.is_trusted:
            self.rows = without_numbers(self.rows, self.section)


def _scope(header: str) -> str:
    """The line of the file that a `@@` line names; "" if it names none."""
    scope = header[2:].strip(" \t")
    if scope.endswith("@@"):
        scope = scope.removesuffix("@@").rstrip(" \t")
    if scope == "..." or read_numbers(header):
        return ""
    return scope


def _counts_match(numbers: Numbers, hunk: Hunk, blanks: int) -> bool:
    """Whether the counts in a header match its hunk, perhaps with some of the empty lines below the hunk."""
    more = numbers.old_count - hunk.counts[0]
    return 0 <= more <= blanks and numbers.new_count - hunk.counts[1] == more


def _unexpected(line_number: int) -> Fault:
    expected = "expected `*** Add File`, `*** Update File` or `*** Delete File`"
    return Fault(ReasonCode.MALFORMED, f"{expected} at line {line_number}", "leave that line out")
