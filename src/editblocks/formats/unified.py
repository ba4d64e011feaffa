"""`unified`: the diffs of git and `diff -u`. Each hunk, creation, deletion and rename is one row.

    [ diff --git a/path b/path, extended lines ], [ --- old, +++ new ], { @@ -1,2 +1,2 @@, hunk lines }

Line numbers only choose among several matches. `parsing/patches.py` decides which lines are a diff. Rules:
docs/reference/formats/unified.md.
"""

import re
from collections.abc import Mapping, Sequence

from editblocks.core.blocks import EditBlock, Note, ParsedRow, Problem
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import CUT_OFF, OTHER_FORM, Fault
from editblocks.formats.hunks import (
    EMPTY_HUNK,
    EXTENDED,
    GIT,
    NONE,
    SEND_AGAIN,
    ContextHunks,
    Hunk,
    Numbers,
    PatchText,
    fault_of,
    has_time,
    may_continue_diff,
    raw_name,
    read_hunk,
    read_numbers,
    sign_of,
    with_note,
    without_numbers,
)

REGULAR = "100644"
_SPECIAL_FILES = {"120000": "symbolic link", "160000": "submodule"}
_MODE_LINES = frozenset({"old mode", "new mode", "new file mode", "deleted file mode", "index"})


class Section:
    """One file of the diff. `extended`: the extended header lines, by their first words: line index and the rest."""

    fault: Fault | None = None  # why its rows cannot be read
    old: str | None = None  # None: /dev/null
    new: str | None = None
    hunk_count = 0  # so far
    is_trusted = True  # whether the numbers of its hunks are used
    notes: tuple[Note, ...] = ()  # for its first row

    def __init__(self, start: int, extended: Mapping[str, tuple[int, str]]) -> None:
        self.start = start
        self.extended = extended
        self.context = ContextHunks()

    @property
    def path(self) -> str:
        """The file that its hunks change."""
        return self.new or self.old or ""

    @property
    def creates(self) -> bool:
        return (self.old is None and self.new is not None) or "new file mode" in self.extended

    @property
    def deletes(self) -> bool:
        return (self.new is None and self.old is not None) or "deleted file mode" in self.extended

    @property
    def renames(self) -> bool:
        return {"rename from", "rename to"} <= self.extended.keys()

    @property
    def naming_words(self) -> tuple[str, ...]:
        """The extended header lines that name the old and the new file; empty if there are none."""
        if self.renames:
            return ("rename from", "rename to")
        if "copy to" in self.extended:  # copies are refused, and only the new name is shown
            return ("copy to", "copy to")
        return ()


FULL_NAMES = "write `--- a/path` and `+++ b/path`"


def name_file(section: Section, first_line: str, names: Sequence[str]) -> Fault | None:
    """Set the file names of a section, or return a fault. `names` are those after `---` and `+++`; empty if missing."""
    extended_names = [section.extended[word][1].strip(" ") for word in section.naming_words]
    git_path = name_of_git(first_line)
    try:
        renamed = [decoded(name) for name in extended_names]
        pair = [decoded(name) for name in names]
    except ValueError as error:
        return Fault(ReasonCode.MALFORMED, str(error), "write the path without quotes or escapes")
    if renamed:
        section.old, section.new = renamed
    elif pair:
        section.old, section.new = without_sides(*pair)
    else:
        section.old = git_path
        section.new = git_path
    if any("\\" in name and '"' not in name for name in (*extended_names, *names, first_line)):
        section.notes = (Note("path-cleaned", f"the path was read as {section.path}"),)
    if (fault := _fault_of_headers(section)) is not None:
        return fault
    if any(map(has_time, names)):
        what = f"in `{first_line.strip()}` a time follows the name after one space, so it may be part of the name"
        return Fault(ReasonCode.NO_PATH, what, "put a tab before the time, or leave it out")
    if pair == [None, None]:
        return Fault(ReasonCode.NO_PATH, f"both names are {NONE}", FULL_NAMES)
    if not section.path:
        return Fault(ReasonCode.NO_PATH, f"`{first_line.strip()}` does not name one file", FULL_NAMES)
    if renamed and pair and not all(map(is_name_of, pair, renamed)):
        return _two_names(f"{pair[0]} → {pair[1]}", f"{section.old} → {section.new}")
    if not renamed and section.old and section.new and section.old != section.new:
        return _two_names(section.old, section.new)
    if git_path is not None and git_path != section.path:
        return _two_names(git_path, section.path)
    return None


def _two_names(old: str, new: str) -> Fault:
    what = f"it names two files, {old} and {new}"
    return Fault(ReasonCode.NO_PATH, what, "for a rename write `rename from` and `rename to`")


def _fault_of_headers(section: Section) -> Fault | None:
    """Why the extended header lines make a section unsupported, whatever its hunks are."""
    extended = section.extended
    operations = [word for word in ("deleted", "new") if f"{word} file mode" in extended]
    if section.renames:
        operations.append("renamed")
    if len(operations) > 1:
        return Fault(ReasonCode.MALFORMED, f"its file is both {' and '.join(operations)}", SEND_AGAIN)
    if section.renames and None in (section.old, section.new):
        what = f"it renames from or to {NONE}, which is not a file"
        return Fault(ReasonCode.NO_PATH, what, "write `new file mode` or `deleted file mode` instead")
    if "copy from" in extended or "copy to" in extended:
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, "copies are not supported", "send the new file as a whole")
    if not section.deletes and ("Binary files" in extended or "GIT binary patch" in extended):
        return Fault(ReasonCode.BINARY, f"{section.path} is binary in this diff", "change it another way")
    kinds = [_SPECIAL_FILES[mode] for mode in _modes(extended) if mode in _SPECIAL_FILES]
    if kinds:
        return Fault(ReasonCode.NOT_A_FILE, f"{section.path} is a {kinds[0]} in this diff", "change it another way")
    return None


def _modes(extended: Mapping[str, tuple[int, str]]) -> list[str]:
    """The file modes in the extended header lines; in an `index` line, the mode follows the two ids."""
    return [text.strip(" ").rpartition(" ")[2] for word, (_, text) in extended.items() if word in _MODE_LINES]


_SIDES = frozenset("aiwco"), frozenset("biwco")  # what git puts before the old and the new name
_QUOTED = r'"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*)"\Z'
_ESCAPE = rb'\\([abtnvfr"\\]|[0-3][0-7]{2})'
_ESCAPES = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))


def decoded(name: str) -> str | None:
    """Return a name without git's quotes and escapes; None for /dev/null. Raises `ValueError` for a bad escape.

    git quotes names with a backslash, so in a name without quotes a backslash is the path separator of Windows.
    """
    if name == NONE:
        return None
    if not name.startswith('"'):
        return name.replace("\\", "/")
    match = re.match(_QUOTED, name)
    if match is None:
        raise ValueError(f"the name {name} has a bad escape")
    data = re.sub(_ESCAPE, _unescaped, match[1].encode("utf-8", "surrogatepass"))
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ValueError(f"the name {name} is not UTF-8") from None


def _unescaped(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    if code.isdigit():
        return bytes([int(code, 8)])
    return bytes([_ESCAPES[code[0]]])


def without_sides(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Return the names without the prefixes of git, `a/` and `b/`, if nothing else differs."""
    if old is None or new is None:
        return _without_side(old, _SIDES[0]), _without_side(new, _SIDES[1])
    (old_side, _, old_rest) = old.partition("/")
    (new_side, _, new_rest) = new.partition("/")
    if old_rest and old_rest == new_rest and old_side != new_side:
        return old_rest, new_rest
    return old, new


def _without_side(name: str | None, sides: frozenset[str]) -> str | None:
    if name and name[0] in sides and name[1:2] == "/":
        return name[2:]
    return name


def name_of_git(line: str) -> str | None:
    """Return the file of a `diff --git` line; None unless its two names differ only in their prefixes."""
    if not line.startswith(GIT):
        return None
    name_pair = line.removeprefix(GIT).strip(" ")
    half = len(name_pair) // 2
    if name_pair[half : half + 1] != " ":
        return None
    try:
        old, new = without_sides(decoded(name_pair[:half]), decoded(name_pair[half + 1 :]))
    except ValueError:
        return None
    if old != new:
        return None
    return old


def is_name_of(name: str | None, path: str | None) -> bool:
    """Whether a name is this path, or this path below one more folder."""
    return name == path or (name is not None and name.partition("/")[2] == path)


_BETWEEN = ("diff -", "Index: ", "Only in ")  # lines that other tools write between two files


class Diff:
    """Reads a diff. `path`: the file of hunks before any names; `is_cut`: the response ends with the diff."""

    def __init__(self, text: PatchText, path: str | None, *, is_cut: bool) -> None:
        self.text = text
        self.is_cut = is_cut
        self.size = len(text.raw)
        self.rows: list[ParsedRow] = []
        self.stop = 0  # the line after the last one that belongs to a row
        self._section: Section | None = None
        if path is not None:
            self._section = Section(0, {})
            self._section.old = path
            self._section.new = path
        self._first_row = 0  # the index in `rows` of the section's first row

    def read(self) -> list[ParsedRow]:
        index = 0
        while index < self.size and len(self.rows) <= self.text.most_rows:
            section = self._section
            if self._is_nameless(index):
                index += 2
            elif self.text.line(index).startswith(GIT) or self._name_lines(index):
                index = self._begin(index)
            elif section is not None and self._begins_hunk(section, index):
                index = self._take_hunk(section, index)
            else:
                index += 1
                continue
            self.stop = index
        self._end_section()
        return self.rows

    def _name_lines(self, index: int) -> int:
        """The number of name lines at `index`: two, one right above a hunk (an incomplete pair), or none."""
        line = self.text.line(index)
        below = self.text.line(index + 1)
        if line.startswith("--- ") and below.startswith("+++ "):
            return 2
        if line.startswith(("--- ", "+++ ")) and below.startswith("@@"):
            return 1
        return 0

    def _is_nameless(self, index: int) -> bool:
        """Whether `---` and `+++` without names are right above a hunk, which then belongs to the file named before."""
        if self._section is None or self.text.line(index).rstrip(" ") != "---":
            return False
        return self.text.line(index + 1).rstrip(" ") == "+++" and self.text.line(index + 2).startswith("@@")

    def _begins_hunk(self, section: Section, index: int) -> bool:
        """Whether a hunk begins: with its header, or, in a fence and right below the names, also without one."""
        line = self.text.line(index)
        if line.startswith("@@"):
            return True
        is_below_names = not section.hunk_count and self.stop == index
        return is_below_names and self.text.is_fenced and line.startswith(("-", "+", " "))

    def _begin(self, start: int) -> int:
        """Begin a section: read its lines up to the first hunk, and return the index of the hunk."""
        self._end_section()
        text = self.text
        index = start
        extended = dict[str, tuple[int, str]]()
        if text.line(start).startswith(GIT):
            index += 1
            while match := re.match(EXTENDED, text.line(index)):
                extended.setdefault(match[1], (index, match[2] or ""))
                index += 1
        section = Section(start, extended)
        self._section = section
        self._first_row = len(self.rows)
        name_lines = self._name_lines(index)
        names: list[str] = []
        if name_lines == 2:
            names = [raw_name(text.line(index)), raw_name(text.line(index + 1))]
        section.fault = name_file(section, text.line(start), names)
        if name_lines == 1:
            what = f"line {text.line_number(index)} is a `---` or `+++` line without the other one"
            section.fault = Fault(ReasonCode.MALFORMED, what, FULL_NAMES)
        return index + name_lines

    def _take_hunk(self, section: Section, start: int) -> int:
        text = self.text
        header = text.line(start)
        has_header = header.startswith("@@")
        body = start + 1 if has_header else start
        if header.startswith("@@@"):
            section.fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, "merge diffs are not supported", OTHER_FORM)
        numbers = read_numbers(header)
        counted_stop = numbers and self._end_by_counts(body, numbers)
        is_stop_certain = counted_stop is not None and self._is_over(counted_stop)
        stop = counted_stop
        if stop is None or not is_stop_certain:
            stop = self._end_by_shape(body)
        section.hunk_count += 1
        if section.fault is not None:
            return stop
        hunk = read_hunk(text.lines(body, stop), text.line_number(body))
        if not hunk.signs and self._is_empty_last_hunk(start, numbers):
            self.rows[-1] = with_note(self.rows[-1], "empty-hunk-dropped", EMPTY_HUNK.format(text.line_number(start)))
            return stop
        row = self._row(section, start, stop, hunk, numbers)
        if not is_stop_certain:
            old, new = hunk.counts
            is_short = numbers is not None and (numbers.old_count > old or numbers.new_count > new)
            fault = self._uncertain_end(start, stop, has_more=counted_stop is not None, is_short=is_short)
            if fault is not None:
                row = text.problem(start, stop, fault, row.file_path)
            if numbers is not None:
                section.is_trusted = False
            if numbers is not None and isinstance(row, EditBlock):
                what = f"the counts in the @@ header at line {text.line_number(start)} are wrong; "
                what += "the lines of the hunk were used"
                row = with_note(row, "hunk-recounted", what)
        if not has_header:
            row = with_note(row, "marker-variant", f"there is no `@@` above line {text.line_number(start)}")
        if section.deletes:
            self.rows.append(row)
        else:
            self.rows += section.context.take(row, hunk.scope)
        return stop

    def _row(self, section: Section, start: int, stop: int, hunk: Hunk, numbers: Numbers | None) -> ParsedRow:
        text = self.text
        path = section.path
        split = hunk.readings[0]
        fault = fault_of(hunk, text.line_number(start))
        if fault is None:
            fault = _fault_of_whole_file(section, hunk)
        if fault is not None:
            return text.problem(start, stop, fault, path)
        if section.deletes:
            whole = split.anchor + split.old_lines + split.trailing_anchor
            return text.block(start, stop, path, "delete-file", old_lines=whole)
        is_from_nothing = numbers is not None and numbers[:2] == (0, 0) and hunk.signs == {"+"}
        if section.creates or (is_from_nothing and section.hunk_count == 1):
            has_crlf = text.has_crlf(start, stop)
            return text.block(start, stop, path, "create", new_lines=split.new_lines, ends=hunk.ends, has_crlf=has_crlf)
        line_hint = None
        line_after = None
        if numbers is not None and numbers.old:
            line_hint = numbers.old
            line_after = numbers.new or 1
        number = text.line_number(section.start)
        return text.hunk(start, stop, path, hunk, section=number, line_hint=line_hint, line_after=line_after)

    def _is_empty_last_hunk(self, start: int, numbers: Numbers | None) -> bool:
        """Whether a `@@` without numbers and without lines ends the fence after other hunks, and can be ignored."""
        is_last = self.text.is_fenced and not self.is_cut and self._after_blanks(start + 1) == self.size
        return is_last and numbers is None and len(self.rows) > self._first_row

    def _uncertain_end(self, start: int, stop: int, *, has_more: bool, is_short: bool) -> Fault | None:
        """Why the end of a hunk with wrong or missing counts is uncertain; None if it is certain.

        `has_more`: hunk lines follow after the counted ones; `is_short`: it has fewer lines than its header counts.
        """
        text = self.text
        line_number = text.line_number(start)
        # Outside a fence, `Patches` in parsing adds a line without a sign only if lines with signs follow it.
        if not text.is_fenced and not may_continue_diff(text.line(stop)):
            what = f"line {text.line_number(stop)} has no sign, and no fence shows whether the hunk ends above it"
            return Fault(ReasonCode.MALFORMED, what, "put it in a fence")
        if not text.is_fenced and has_more:
            what = f"the hunk at line {line_number} has more lines than its header counts, "
            what += "and no fence shows where it ends"
            return Fault(ReasonCode.MALFORMED, what, "put it in a fence")
        lines = text.lines(start + 1, stop)
        below_blank = lines[lines.index("") :] if "" in lines else []  # they may be the items of a list
        if not text.is_fenced and any(line.startswith(("-", "+")) for line in below_blank):
            what = f"the counts in the @@ header at line {line_number} are wrong, "
            what += "and no fence shows where the hunk ends"
            return Fault(ReasonCode.MALFORMED, what, "put it in a fence")
        if self.is_cut and self._after_blanks(stop) == self.size and (is_short or text.is_fenced):
            what = f"the text ends before the hunk at line {line_number} does"
            return Fault(ReasonCode.UNCLOSED, what, CUT_OFF)
        return None

    def _is_end(self, index: int) -> bool:
        """Whether a line certainly does not belong to the hunk above it."""
        if self.text.line(index).startswith(_BETWEEN) or self._is_nameless(index):
            return True
        return self.text.line(index + self._name_lines(index)).startswith("@@")

    def _end_by_counts(self, body: int, numbers: Numbers) -> int | None:
        """The end of a hunk, by the counts in its header; None if its lines do not match the counts."""
        text = self.text
        index = body
        old = numbers.old_count
        new = numbers.new_count
        while old > 0 or new > 0:
            if index == self.size:
                return None
            sign = sign_of(text.line(index))
            if sign is None and (not text.is_fenced or self._is_end(index)):
                return None
            if sign not in ("+", "\\"):
                old -= 1
            if sign not in ("-", "\\"):
                new -= 1
            if old < 0 or new < 0:
                return None
            index += 1
        while sign_of(text.line(index)) == "\\":
            index += 1
        return index

    def _is_over(self, index: int) -> bool:
        """Whether the lines from `index` on certainly do not belong to the hunk above."""
        text = self.text
        after_blanks = self._after_blanks(index)
        if after_blanks > index and not text.is_fenced:  # signed lines after the blank line may be bullets of a list
            return True
        if self.text.line(after_blanks).rstrip(" ") == "--":  # the signature of a mail
            after_blanks = self._after_blanks(after_blanks + 2)
        is_over = after_blanks >= self.size or self._is_end(after_blanks)
        return is_over or (not text.is_fenced and sign_of(text.line(after_blanks)) is None)

    def _after_blanks(self, index: int) -> int:
        while index < self.size and not self.text.line(index).strip(" \t"):
            index += 1
        return index

    def _end_by_shape(self, body: int) -> int:
        index = body
        stop = body
        while index < self.size and not self._is_end(index):
            line = self.text.line(index)
            if not self.text.is_fenced and sign_of(line) is None:
                break
            index += 1
            if line:
                stop = index
        return stop

    def _end_section(self) -> None:
        """Finish the section after its last hunk: add the rows of its other operations."""
        section = self._section
        self._section = None
        if section is None:
            return
        rows = [*self.rows[self._first_row :], *section.context.rows]
        del self.rows[self._first_row :]
        rows = self._with_operations(section, rows)
        if not section.is_trusted:
            rows = without_numbers(rows, self.text.line_number(section.start))
        self.rows += rows

    def _with_operations(self, section: Section, rows: list[ParsedRow]) -> list[ParsedRow]:
        """The rows of a section: `rows`, which are those of its hunks, and the operation of its header lines."""
        text = self.text
        if section.fault is not None:
            path = section.path or None
            if section.fault.code is ReasonCode.NO_PATH:
                path = None
            rows = [text.problem(section.start, self.stop, section.fault, path)]
        elif section.renames:
            line = min(section.extended["rename from"][0], section.extended["rename to"][0])
            rows.insert(0, text.block(line, line + 1, section.old or "", "rename", new_path=section.new or ""))
        elif not rows:
            rows.append(self._without_hunks(section))
        elif section.deletes:
            rows = _one_deletion(rows)
        modes = [word for word in ("old mode", "new mode") if word in section.extended]
        is_executable = section.extended.get("new file mode", (0, REGULAR))[1].strip(" ") != REGULAR
        if (modes or is_executable) and isinstance(rows[0], EditBlock):
            rows[0] = with_note(rows[0], "mode-ignored", "modes of files are not changed")
        rows[0] = rows[0]._replace(notes=(*section.notes, *rows[0].notes))
        return rows

    def _without_hunks(self, section: Section) -> ParsedRow:
        text = self.text
        start = section.start
        path = section.path
        if section.deletes:
            return text.block(start, self.stop, path, "delete-file")
        if "new file mode" in section.extended and section.old is not None:
            return text.block(start, self.stop, path, "create")
        if "old mode" in section.extended:
            fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, "modes are not changed", "leave it out")
        else:
            fault = Fault(ReasonCode.MALFORMED, f"the diff at line {text.line_number(start)} has no hunk", SEND_AGAIN)
        return text.problem(start, self.stop, fault, path)


def _fault_of_whole_file(section: Section, hunk: Hunk) -> Fault | None:
    """Why a hunk cannot create or delete the file of its section; None if it can, or has to do neither."""
    if section.creates and (section.hunk_count > 1 or hunk.signs != {"+"}):
        what = "the diff of a new file must have one hunk, with `+` lines only"
        return Fault(ReasonCode.MALFORMED, what, SEND_AGAIN)
    if section.deletes and "+" in hunk.signs:
        return Fault(ReasonCode.MALFORMED, "the diff of a deleted file must not add lines", SEND_AGAIN)
    return None


def _one_deletion(hunks: Sequence[ParsedRow]) -> list[ParsedRow]:
    """The rows of a deletion: one for all its hunks, or only the hunks that cannot be read, if there are any."""
    blocks = [row for row in hunks if isinstance(row, EditBlock)]
    if len(blocks) < len(hunks):
        return [row for row in hunks if isinstance(row, Problem)]
    pieces = tuple(block.old_lines for block in blocks)
    return [
        blocks[0]._replace(
            end_line=blocks[-1].end_line,
            old_lines="".join(pieces),
            pieces=pieces,
            raw_block="".join(block.raw_block for block in blocks),
            notes=tuple(note for block in blocks for note in block.notes),
        )
    ]
