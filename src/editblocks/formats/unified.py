"""`unified`: the diffs of git and of `diff -u`, one row a hunk, a creation, a deletion or a rename.

    [ diff --git a/path b/path, extended lines ], [ --- old, +++ new ], { @@ -1,2 +1,2 @@, hunk lines }

Numbers choose among equal places and do nothing else. What counts as a diff is said by `parsing/patches.py`; rules:
docs/reference/formats.md, "patches".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from editblocks.core.blocks import EditBlock, Note
from editblocks.core.codes import ReasonCode
from editblocks.formats.diff_names import NONE, decoded, is_name_of, name_of_git, raw_name, without_sides
from editblocks.formats.grammar import CUT_OFF, OTHER_FORM, Fault, Format
from editblocks.formats.hunks import (
    SEND_AGAIN,
    Hunk,
    Numbers,
    PatchText,
    Row,
    no_lines,
    no_place,
    read_hunk,
    read_numbers,
    sign_of,
    without_numbers,
)

UNIFIED = Format(names=("unified",))
GIT = "diff --git "
_EXTENDED = re.compile(
    r"(old mode|new mode|new file mode|deleted file mode|similarity index|dissimilarity index|index|rename from"
    r"|rename to|copy from|copy to|Binary files|GIT binary patch)(?: (.*)|\Z)"
)
_IS_NO_OPERATION = frozenset({"index", "similarity index", "dissimilarity index"})
_REGULAR = "100644"
_NO_FILES = frozenset({"120000", "160000"})  # a link, a submodule


def is_extended(line: str) -> bool:
    """Whether a line may stand below `diff --git`, before the names."""
    return _EXTENDED.match(line) is not None


def is_operation(line: str) -> bool:
    """Whether such a line asks for something by itself."""
    match = _EXTENDED.match(line)
    return match is not None and match[1] not in _IS_NO_OPERATION


def goes_on(line: str) -> bool:
    """Whether a line can be one of a diff in no fence: of a hunk, or above it."""
    return sign_of(line) is not None or line.startswith(("@@", GIT)) or is_extended(line)


@dataclass(slots=True)
class _Section:
    """What is known of one file of the diff."""

    start: int
    old: str | None = None  # None: /dev/null
    new: str | None = None
    fault: Fault | None = None  # why no row of it can be read
    extended: Mapping[str, tuple[int, str]] = field(default_factory=dict)  # by its words: the line, and what follows
    hunks: int = 0
    is_given: bool = False  # the lines around the fence name the file
    is_trusted: bool = True  # its numbers
    notes: tuple[Note, ...] = ()  # for its first row

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


class Diff:
    """The rows of a diff: `path` is the file of hunks above any names; `is_cut`: the text ended in the fence."""

    def __init__(self, text: PatchText, path: str | None = None, *, is_cut: bool = False) -> None:
        self.text, self.is_cut = text, is_cut
        self.size = len(text.raw)
        self.rows: list[Row] = []
        self.stop = 0  # behind the last line that belongs to a row
        self._section = None if path is None else _Section(0, path, path, is_given=True)
        self._first = 0  # row of the section

    def read(self) -> list[Row]:
        """Return all rows."""
        index = 0
        while index < self.size:
            line = self.text.line(index)
            if line.startswith(GIT) or self._is_pair(index):
                index = self._begin(index)
            elif (section := self._section) is not None and (line.startswith("@@") or self._is_bare(section, index)):
                index = self._take_hunk(section, index)
            else:
                index += 1
                continue
            self.stop = index
        self._end_section()
        return self.rows

    def _is_pair(self, index: int) -> bool:
        if index + 1 >= self.size:
            return False
        return self.text.line(index).startswith("--- ") and self.text.line(index + 1).startswith("+++ ")

    def _is_bare(self, section: _Section, index: int) -> bool:
        """Whether a hunk without header begins right below the names."""
        is_first = not section.hunks and self.stop == index and not section.is_given
        return is_first and self.text.is_fenced and self.text.line(index)[:1] in ("-", "+", " ")

    def _begin(self, start: int) -> int:
        """A section: read its lines up to the first hunk, and return where that is."""
        self._end_section()
        text, index, extended = self.text, start, dict[str, tuple[int, str]]()
        if text.line(start).startswith(GIT):
            index += 1
            while index < self.size and (match := _EXTENDED.match(text.line(index))):
                extended.setdefault(match[1], (index, match[2] or ""))
                index += 1
        section = self._section = _Section(start, extended=extended)
        self._first = len(self.rows)
        names = None
        if self._is_pair(index):
            names = raw_name(text.line(index)), raw_name(text.line(index + 1))
            index += 2
        section.fault = self._name(section, names)
        return index

    def _name(self, section: _Section, names: tuple[str, str] | None) -> Fault | None:
        """Find the file of a section, or why there is none."""
        extended, git = section.extended, self.text.line(section.start)
        given = ("copy to", "copy to") if "copy to" in extended else ()
        given = ("rename from", "rename to") if section.renames else given
        try:
            renamed = [decoded(extended[word][1].strip(" ")) for word in given]
            pair = None if names is None else tuple(map(decoded, names))
        except ValueError as error:
            return Fault(
                ReasonCode.MALFORMED, f"{error} (line {self.text.shown(section.start)})", "write the path plainly"
            )
        if renamed:
            section.old, section.new = renamed
        elif pair is not None:
            section.old, section.new = without_sides(*pair)
        else:
            section.old = section.new = name_of_git(git.removeprefix(GIT).strip(" "))
        if (refused := _refused_lines(section)) is not None:
            return refused
        if pair == (None, None):
            return Fault(ReasonCode.NO_PATH, f"both names are {NONE}", _FULL_NAMES)
        if not section.path:
            return Fault(ReasonCode.NO_PATH, f"`{git.strip()}` does not name one file", _FULL_NAMES)
        if "deleted file mode" in extended and "new file mode" in extended:
            return Fault(ReasonCode.MALFORMED, "a file is created and deleted at once", SEND_AGAIN)
        if renamed and pair and not all(map(is_name_of, pair, renamed)):
            return _two_names(f"{pair[0]} → {pair[1]}", f"{section.old} → {section.new}")
        if not renamed and section.old and section.new and section.old != section.new:
            return _two_names(section.old, section.new)
        return None

    def _take_hunk(self, section: _Section, start: int) -> int:
        text = self.text
        header = text.line(start)
        is_bare = not header.startswith("@@")
        numbers, body = read_numbers(header), start + (not is_bare)
        if header.startswith("@@@"):
            section.fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, "merge diffs are not read", OTHER_FORM)
        counted = None if numbers is None else self._end_by_counts(body, numbers)
        stop = self._end_by_shape(body) if counted is None else counted
        section.hunks += 1
        if section.fault is not None:
            return stop
        hunk = read_hunk(text.lines(body, stop), text.shown(body))
        row = self._row(section, start, (body, stop), hunk, numbers)
        if counted is None:
            row = self._doubted(row, start, stop)
            if numbers is not None:
                section.is_trusted = False
                row = _noted(
                    row, "hunk-recounted", f"the counts of line {text.shown(start)} are not those of its lines"
                )
        if is_bare:
            row = _noted(row, "marker-variant", f"no `@@` stands above line {text.shown(start)}")
        self.rows.append(row)
        return stop

    def _row(self, section: _Section, start: int, lines: tuple[int, int], hunk: Hunk, numbers: Numbers | None) -> Row:
        text, path, shown = self.text, section.path, self.text.shown(start)
        split = hunk.readings[0]
        if not hunk.signs:
            return text.problem(start, lines[1], no_lines(shown), path)
        is_from_nothing = numbers is not None and numbers[:2] == (0, 0) and hunk.says_no_place
        if section.creates or section.deletes:
            sign, what = ("+", "a new file") if section.creates else ("-", "a deleted file")
            if section.hunks > 1 or hunk.signs != {sign}:
                fault = Fault(ReasonCode.MALFORMED, f"{what} has one hunk, of `{sign}` lines alone", SEND_AGAIN)
                return text.problem(start, lines[1], fault, path)
        if section.deletes:
            return text.block(start, lines[1], path, "delete-file", old_lines=split.old_lines)
        if section.creates or (is_from_nothing and section.hunks == 1):
            return text.block(start, lines[1], path, "create", new_lines=split.new_lines, ends=hunk.ends)
        if hunk.says_no_place:
            return text.problem(start, lines[1], no_place(shown), path)
        facts = {"section": text.shown(section.start)}
        if numbers is not None and numbers.old:
            facts |= {"line_hint": numbers.old, "line_after": numbers.new or 1}
        return text.hunk(start, lines, path, hunk, **facts)

    def _doubted(self, row: Row, start: int, stop: int) -> Row:
        """The row of a hunk whose end no count shows."""
        text = self.text
        if text.is_fenced:
            if not (self.is_cut and stop == self.size):
                return row
            fault = Fault(
                ReasonCode.UNCLOSED, f"the fence around the hunk at line {text.shown(start)} has no end", CUT_OFF
            )
            return text.problem(start, stop, fault, row.file_path)
        lines = text.lines(start + 1, stop)
        blank = lines.index("") if "" in lines else len(lines)
        if not any(line[:1] in ("-", "+") for line in lines[blank:]):
            return row
        what = f"the counts of the hunk at line {text.shown(start)} are wrong and no fence shows its end"
        return text.problem(start, stop, Fault(ReasonCode.MALFORMED, what, "put it in a fence"), row.file_path)

    def _is_end(self, index: int) -> bool:
        """Whether a line cannot belong to the hunk above it."""
        line = self.text.line(index)
        if line.startswith(("@@", GIT)):
            return True
        return self._is_pair(index) and index + 2 < self.size and self.text.line(index + 2).startswith("@@")

    def _end_by_counts(self, body: int, numbers: Numbers) -> int | None:
        """Where a hunk ends by the counts of its header; None if what follows shows that they are wrong."""
        text, index, old, new = self.text, body, numbers.old_count, numbers.new_count
        while old > 0 or new > 0:
            sign = sign_of(text.line(index)) if index < self.size else None
            if index == self.size or (sign is None and (not text.is_fenced or self._is_end(index))):
                return None
            old, new = old - (sign not in ("+", "\\")), new - (sign not in ("-", "\\"))
            if old < 0 or new < 0:
                return None
            index += 1
        while index < self.size and sign_of(text.line(index)) == "\\":
            index += 1
        behind = self._behind_blanks(index)
        if behind < self.size and text.line(behind).rstrip(" ") == "--":  # the signature of a mail
            behind = self._behind_blanks(behind + 2)
        is_over = behind >= self.size or self._is_end(behind)
        return index if is_over or (not text.is_fenced and sign_of(text.line(behind)) is None) else None

    def _behind_blanks(self, index: int) -> int:
        while index < self.size and not self.text.line(index).strip(" \t"):
            index += 1
        return index

    def _end_by_shape(self, body: int) -> int:
        index = stop = body
        while index < self.size and not self._is_end(index):
            line = self.text.line(index)
            if not self.text.is_fenced and sign_of(line) is None:
                break
            index += 1
            stop = index if line else stop
        return stop

    def _end_section(self) -> None:
        """All hunks of a section are read: make rows of what else it asks for."""
        section, self._section = self._section, None
        if section is None or section.is_given:
            return
        text, path = self.text, section.path
        own, self.rows = self.rows[self._first :], self.rows[: self._first]
        if section.fault is None and section.renames:
            line = min(section.extended["rename from"][0], section.extended["rename to"][0])
            own.insert(0, text.block(line, line + 1, section.old or "", "rename", new_path=section.new or ""))
        elif section.fault is None and not own:
            own.append(self._without_hunks(section))
        if section.fault is not None:
            named = path if section.fault.code is not ReasonCode.NO_PATH else ""
            own = [text.problem(section.start, self.stop, section.fault, named or None)]
        modes = [word for word in ("old mode", "new mode") if word in section.extended]
        is_executable = section.extended.get("new file mode", (0, _REGULAR))[1].strip(" ") != _REGULAR
        if (modes or is_executable) and isinstance(own[0], EditBlock):
            own[0] = _noted(own[0], "mode-ignored", "modes of files are not changed")
        own = own if section.is_trusted else without_numbers(own, text.shown(section.start))
        self.rows += own

    def _without_hunks(self, section: _Section) -> Row:
        text, start, path = self.text, section.start, section.path
        if (section.creates and section.old is not None) or (section.deletes and section.new is not None):
            action = "create" if "new file mode" in section.extended else "delete-file"
            return text.block(start, self.stop, path, action)
        if "old mode" in section.extended:
            fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, "modes are not changed", "leave it out")
        else:
            fault = Fault(ReasonCode.MALFORMED, f"the diff at line {text.shown(start)} has no hunk", SEND_AGAIN)
        return text.problem(start, self.stop, fault, path)


_FULL_NAMES = "write `--- a/path` and `+++ b/path`"


def _two_names(old: str, new: str) -> Fault:
    what = f"it names two files, {old} and {new}"
    return Fault(ReasonCode.NO_PATH, what, "for a rename write `rename from` and `rename to`")


def _refused_lines(section: _Section) -> Fault | None:
    """Why a section is not read, whatever its hunks are."""
    extended = section.extended
    if "copy from" in extended or "copy to" in extended:
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, "copies are not made", "send the new file as a whole")
    if "Binary files" in extended or "GIT binary patch" in extended:
        return Fault(ReasonCode.BINARY, f"{section.path} is binary in this diff", "change it by other means")
    mode = extended.get("new file mode", (0, _REGULAR))[1].strip(" ")
    if mode in _NO_FILES:
        what = f"{section.path} would be a {'symbolic link' if mode == '120000' else 'submodule'}"
        return Fault(ReasonCode.NOT_A_FILE, what, "add it by other means")
    return None


def _noted(row: Row, code: str, message: str) -> Row:
    return replace(row, notes=(*row.notes, Note(code, message, row.line_number)))
