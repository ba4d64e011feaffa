"""What patches (`v4a`) and unified diffs have in common: how their lines begin, and hunks, whose lines have signs.

`v4a.py` and `unified.py` read the two formats; `parsing/patches.py` finds their lines in an answer.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from editblocks.core.blocks import EditBlock, Note, ParsedRow, Problem, Split, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault, Unmarked, join
from editblocks.formats.markers import Marker

BEGIN_PATCH = Marker(
    "*** Begin Patch", is_fixed=True, near_pattern=r"`?\*{2,20}[^\w*\n]{0,3}(?i:begin patch)(?=`?[ \t]*(?:\n|\Z))"
)
END_PATCH = Marker("*** End Patch", is_fixed=True)
PATCH_HEADER = r"\*\*\* (?:Add|Update|Delete) File:"
HUNK = "@@"
NEW_NAME = "+++ "
GIT = "diff --git "
NONE = "/dev/null"  # the name for a file that does not exist
V4A = Unmarked(names=("v4a",), markers=(BEGIN_PATCH, END_PATCH), gate_needles=("*** ", "Begin Patch"))
UNIFIED = Unmarked(names=("unified",), gate_needles=(NEW_NAME, HUNK, GIT))
IN_SCRIPT = Fault(
    ReasonCode.UNSUPPORTED_FORMAT, "the patch is in a script with other commands", "ask only for the patch"
)
SEND_AGAIN = "send it again in full"
EMPTY_HUNK = "the hunk at line {} has no lines, so it was left out"
MOST_SCOPES = 16  # of one hunk
EXTENDED = (
    r"(old mode|new mode|new file mode|deleted file mode|similarity index|dissimilarity index|index|rename from"
    r"|rename to|copy from|copy to|Binary files|GIT binary patch)(?: (.*)|\Z)"
)
_TIME = (
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: [A-Z]{3,4})? \d{4}"
)
_REMARK = rf"  +(?:{_TIME})\Z| +\((?:revision \d+|working copy|nonexistent)\)\Z"
_LONGEST_REMARK = 64  # characters
_NUMBERS = r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@"


class Numbers(NamedTuple):
    """The numbers in the header of a hunk: its first line and its line count, in the old and in the new file."""

    old: int
    old_count: int
    new: int
    new_count: int


class Hunk(NamedTuple):
    """The lines of a hunk, with one reading or two."""

    readings: tuple[Split, ...]
    signs: frozenset[str]  # of its lines: " ", "-", "+"
    ends: tuple[str, str]
    counts: tuple[int, int]  # of old and of new lines

    @property
    def scope(self) -> str:
        """Its lines, stripped, if all are context lines: such a hunk locates the hunks below it. Otherwise ""."""
        if self.signs != {" "} or any(self.ends):
            return ""
        lines = [line.strip(" \t") for line in section_lines(self.readings[0].anchor)]
        return "\n".join(lines).strip("\n")


class PatchText(NamedTuple):
    """The lines of a patch, with methods that make rows of them. Line indexes are 0-based, in the patch."""

    raw: Sequence[str]
    first_line: int  # the number of line 0 in messages
    indent: str  # of the first line; removed from all lines
    format: str
    is_fenced: bool = False
    most_rows: int = 1_000_000  # the reader stops after one more row, which shows that there are too many
    crlf: bytes = b""  # per line: 1 if it ended in CR LF, else 0

    def line(self, index: int) -> str:
        """Return a line without the indentation of the patch; "" for a shorter blank line, and below the last line."""
        if index >= len(self.raw):
            return ""
        line = self.raw[index]
        if line.startswith(self.indent):
            return line[len(self.indent) :]
        return line if line.strip(" \t") else ""

    def lines(self, start: int, stop: int) -> list[str]:
        return [self.line(index) for index in range(start, stop)]

    def line_number(self, index: int) -> int:
        return index + self.first_line

    def has_crlf(self, start: int, stop: int) -> bool:
        """Whether all `+` lines of `start:stop` ended in CR LF, but not line `start`: then the file has CR LF."""
        if not self.crlf or self.crlf[start]:
            return False
        return {self.crlf[index] for index in range(start, stop) if self.line(index).startswith("+")} == {1}

    def problem(self, start: int, stop: int, fault: Fault, path: str | None) -> Problem:
        """Return the row of lines `start:stop` that cannot be read. Rows are numbered later."""
        return Problem(0, self.line_number(start), self.line_number(max(stop - 1, start)), *fault, path, self.format)

    def block(self, start: int, stop: int, path: str, action: str, **facts: Any) -> EditBlock:
        """Return the row of an `action` that lines `start:stop` ask for."""
        return EditBlock(
            number=0,
            file_path=path,
            format=self.format,
            line_number=self.line_number(start),
            end_line=self.line_number(max(stop - 1, start)),
            raw_block=join(self.raw[start:stop]),
            action=action,
            **facts,
        )

    def hunk(
        self, start: int, stop: int, path: str, hunk: Hunk, notes: tuple[Note, ...] = (), **facts: Any
    ) -> EditBlock:
        """Return the row of a hunk with the lines `start:stop`, its header among them."""
        first = hunk.readings[0]
        splits = hunk.readings
        if len(hunk.readings) == 1:
            splits = ()
            notes = (*notes, *first.notes)
        return self.block(
            start,
            stop,
            path,
            "edit",
            anchor=first.anchor,
            old_lines=first.old_lines,
            new_lines=first.new_lines,
            trailing_anchor=first.trailing_anchor,
            splits=splits,
            notes=notes,
            ends=hunk.ends,
            **facts,
        )


def read_numbers(header: str) -> Numbers | None:
    """Read the header of a hunk; None if it has no numbers."""
    match = re.match(_NUMBERS, header)
    if match is None:
        return None
    return Numbers(*map(int, match.groups("1")))


def read_hunk(lines: Sequence[str], first: int) -> Hunk:
    """Read the lines of a hunk, which come without the patch's indentation; the first one has the number `first`."""
    rows: list[tuple[str, str, str]] = []  # the sign; the text; the text if a blank before it is not a sign
    unsigned: list[int] = []
    ends = ["", ""]
    for number, line in enumerate(lines, first):
        sign = sign_of(line)
        if sign == "\\":
            if rows and rows[-1][0] != "+":
                ends[0] = "no"
            if rows and rows[-1][0] != "-":
                ends[1] = "no"
        elif sign is None:
            unsigned.append(number)
            rows.append((" ", line, line))
        elif sign == " ":
            rows.append((" ", line[1:], line))
        else:
            rows.append((sign or " ", line[1:], line[1:]))
    notes: tuple[Note, ...] = ()
    if unsigned:
        what = f"line {unsigned[0]} does not begin with a space, + or -, so it was read as context"
        notes = (Note("context-unmarked", what, unsigned[0]),)
    readings = [_split([(sign, text) for sign, text, _ in rows], notes)]
    if unsigned:  # then the blank at the start of other lines may be text, not a sign
        readings.append(_split([(sign, text) for sign, _, text in rows], notes))
    counts = sum(row[0] != "+" for row in rows), sum(row[0] != "-" for row in rows)
    signs = frozenset(row[0] for row in rows)
    return Hunk(tuple(dict.fromkeys(readings)), signs, (ends[0], ends[1]), counts)


def _split(rows: Sequence[tuple[str, str]], notes: tuple[Note, ...]) -> Split:
    """Split a hunk into the context before its first change, the changed lines, and the context after the last one."""
    changed = [index for index, (sign, _) in enumerate(rows) if sign != " "] or [len(rows)]

    def part(start: int, stop: int, but: str = "") -> str:
        return join([text for sign, text in rows[start:stop] if sign != but])

    return Split(
        (),
        part(changed[0], changed[-1] + 1, "+"),
        part(changed[0], changed[-1] + 1, "-"),
        anchor=part(0, changed[0]),
        trailing_anchor=part(changed[-1] + 1, len(rows)),
        notes=notes,
    )


def sign_of(line: str) -> str | None:
    """Return the sign of a hunk line; "" for an empty line, None for a line without a sign."""
    if not line or line[0] in " +-":
        return line[:1]
    if line.startswith("\\ "):
        return "\\"
    return None


class ContextHunks:
    """The hunks of one section that have only context lines: they become scopes of the hunks below, not rows."""

    def __init__(self) -> None:
        self._scopes: tuple[str, ...] = ()
        self.rows: list[EditBlock] = []  # the context hunks since the last hunk that changes something

    def take(self, row: ParsedRow, scope: str = "") -> list[ParsedRow]:
        """Return the row of the next hunk with its scopes; no row if it is itself a scope, whose text is `scope`."""
        above = self.rows
        self.rows = []
        if isinstance(row, Problem):
            return [row]
        if scope:
            outer = row.scopes
            if above and not outer:
                outer = self._scopes
            self._scopes = (*outer, scope)[-MOST_SCOPES:]
            self.rows = [*above, row]
            return []
        if above:
            line_number = above[-1].line_number
            what = f"the hunk at line {line_number} has only context lines, "
            what += "so it was read as the scope of the hunks after it"
            row = row._replace(notes=(*row.notes, Note("context-as-scope", what, line_number)))
        row = row._replace(scopes=row.scopes or self._scopes)
        removed = {*section_lines(row.old_lines)} - {*section_lines(row.new_lines)}
        lines = {line for each in self._scopes for line in each.split("\n")}
        if not lines.isdisjoint(line.strip(" \t") for line in removed):
            self._scopes = ()  # the row removes a line of the scope, so the hunks below would not find the scope
        return [row]


def fault_of(hunk: Hunk, line_number: int) -> Fault | None:
    """Return the fault of the hunk at line `line_number` if it has no lines."""
    if hunk.signs:
        return None
    advice = "send its lines; if they hold a fence, use a longer one around them"
    return Fault(ReasonCode.MALFORMED, f"the hunk at line {line_number} has no lines", advice)


def with_note(row: ParsedRow, code: str, message: str, line_number: int | None = None) -> ParsedRow:
    """Return the row with one more note, at the line of the row if no other line is given."""
    return row._replace(notes=(*row.notes, Note(code, message, line_number or row.line_number)))


def without_numbers(rows: Sequence[ParsedRow], section: int) -> list[ParsedRow]:
    """Return the rows, without line numbers in one section: a wrong number makes all numbers of a section useless."""
    others = list(rows)
    for index, row in enumerate(rows):
        if isinstance(row, EditBlock) and row.section == section:
            others[index] = row._replace(line_hint=None, line_after=None)
    return others


def is_extended(line: str) -> bool:
    """Whether a line is an extended header line, between `diff --git` and the names."""
    return re.match(EXTENDED, line) is not None


def may_continue_diff(line: str) -> bool:
    """Whether a line can continue a diff that is not in a fence: a hunk line, or a header line."""
    return sign_of(line) is not None or line.startswith((HUNK, GIT)) or is_extended(line)


def raw_name(line: str) -> str:
    """Return the name in a line `--- name` or `+++ name`, without a time stamp or a Subversion revision.

    Text after a tab is not part of the name. The tab may have been replaced with spaces: two or more before a time show
    this, and one may be part of the name.
    """
    name = line[4:].partition("\t")[0].rstrip(" ")
    end = name[-_LONGEST_REMARK:]
    match = re.search(_REMARK, end)
    if match is not None:
        name = name[: match.start() - len(end)]
    return name.strip(" ")


def has_time(name: str) -> bool:
    """Whether a name ends in a time after one space."""
    return re.search(f" (?:{_TIME})\\Z", name[-_LONGEST_REMARK:]) is not None
