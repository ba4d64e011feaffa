"""A whole text that is the output of a tool: JSON with diagnostics or fixes, each of which is a row.

Only the whole text can be such a document; inside other text, its JSON is talk. Rows are made when the text is over.
Rules: docs/reference/formats/linters.md. Lines are 0-based here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import plural
from editblocks.formats import rdjson, sarif
from editblocks.formats.grammar import CUT_OFF, Fault, Format, Unmarked, not_asked_for
from editblocks.formats.json_scan import JsonFault, JsonObject, Scanned, scan_json
from editblocks.formats.range_edits import FileFix
from editblocks.formats.rdjson import RDJSON
from editblocks.formats.sarif import SARIF

OF_TOOLS = frozenset({*RDJSON.names, *SARIF.names})  # formats
_KEYS = r'"(?:runs|diagnostics|location)"'
# What a document holds that cannot be parsed, and that was to edit something.
_SHOWS_FIXES = {
    SARIF: r'"(?:artifactChanges|deletedRegion)"[ \t\r\n]*:',
    RDJSON: r'"suggestions"[ \t\r\n]*:',
}
_NOTEBOOK = ".ipynb"
_NOUNS = {RDJSON: "diagnostic", SARIF: "result"}


def is_of_diagnostics(text: str) -> bool:
    """Whether a text of JSON Lines begins with a diagnostic, so that it is no session of an agent."""
    first = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
    if re.search(_KEYS, first) is None:
        return False
    return rdjson.diagnostics_of(scan_json(first).values) is not None


def document_beside(text: str) -> str:
    """The format of a document with fixes that JSON beside other text is; "" if it is none. It is not read there."""
    if re.search(_KEYS, text) is None:
        return ""
    found = _fixes(scan_json(text))
    if found is None or next(found[1], None) is None:
        return ""
    return found[0].names[0]


def read_document(text: str, formats: Sequence[Format], first_line: int, most_rows: int) -> ParseResult | None:
    """Read a text that is a document of a tool; None if it is none. `first_line` is what people call its line 0."""
    start = text.lstrip("\ufeff \t\r\n")
    if not start.startswith("{") or re.search(_KEYS, text) is None:
        return None
    scanned = scan_json(text.removeprefix("\ufeff").rstrip(), first_line)
    found = _fixes(scanned) or _broken(scanned, text)
    if found is None:
        return None
    form, fixes, count = found
    rows = _Rows(form.names[0], first_line, most_rows)
    if form not in formats:
        rows.add_fault(0, not_asked_for(f"a document in `{form.names[0]}`", first_line))
        return rows.result()
    twice = next((value.twice for value in scanned.values if isinstance(value, JsonObject) and value.twice), "")
    if twice:
        rows.add_fault(0, Fault(ReasonCode.MALFORMED, twice, "ask the tool for valid JSON"))
        return rows.result()
    for fix in fixes:
        rows.add(fix)
        if rows.is_full:
            return rows.result()
    if scanned.fault is not None:
        rows.add_fault(scanned.fault.start_line, _fault_of(scanned.fault))
    if not rows.items:
        what = f"the {form.names[0]} document holds no {_NOUNS[form]}"
        if count:
            what = f"the {form.names[0]} document holds {plural(count, _NOUNS[form])} but no fix"
        return ParseResult(notes=(Note("no-fixes", what),))
    return rows.result()


def _fixes(scanned: Scanned) -> tuple[Unmarked, Iterator[FileFix], int] | None:
    """The format of a document, its fixes, and how many findings it holds."""
    diagnostics = rdjson.diagnostics_of(scanned.values)
    if diagnostics is not None:
        return RDJSON, rdjson.fixes_of(diagnostics), len(diagnostics)
    log = sarif.log_of(scanned.values)
    if log is not None:
        return SARIF, sarif.fixes_of(log), len(sarif.results_of(log))
    return None


def _broken(scanned: Scanned, text: str) -> tuple[Unmarked, Iterator[FileFix], int] | None:
    """The format of a document that cannot be parsed, if it shows edits."""
    if scanned.values or scanned.fault is None:
        return None
    for form, shows in _SHOWS_FIXES.items():
        if re.search(shows, text) is not None:
            return form, iter(()), 0
    return None


def _fault_of(fault: JsonFault) -> Fault:
    if fault.is_cut:
        return Fault(ReasonCode.UNCLOSED, "the JSON has no end", CUT_OFF)
    if fault.is_too_large:
        return Fault(ReasonCode.TOO_LARGE, f"the JSON {fault.what}", "ask the tool for less at once")
    return Fault(ReasonCode.MALFORMED, f"this is not JSON: {fault.what}", "ask the tool for it again")


class _Rows:
    """The rows of one document."""

    def __init__(self, form: str, first_line: int, most: int) -> None:
        self.items: list[EditBlock | Problem] = []
        self.is_full = False
        self._form = form
        self._first_line = first_line
        self._most = most

    def add(self, fix: FileFix) -> None:
        """Take a fix as a block, or as the reason why it is none."""
        number = len(self.items) + 1
        line = fix.line + self._first_line
        end_line = fix.end_line + self._first_line
        if len(self.items) == self._most:
            self.is_full = True
            what = f"there are more than {self._most:,} blocks, so the rest was not read"
            self.items.append(Problem(number, line, line, ReasonCode.TOO_LARGE, what, "split the answer"))
            return
        path = fix.path
        if self._form in RDJSON.names:  # an address has no backslashes
            path = path.replace("\\", "/")
        path = path.removeprefix("./")
        fault = fix.fault
        if fault is None:
            fault = _fault_of_path(path)
        if fault is not None:
            self.items.append(Problem(number, line, end_line, *fault, path or None, self._form, is_for_people=True))
            return
        notes: tuple[Note, ...] = ()
        if path != fix.path:
            notes = (Note("path-cleaned", f"the path was read as {path}"),)
        new_lines = "".join(f"{edit.text}\n" for edit in fix.edits if edit.text)  # for counts and for people
        block = EditBlock(
            number=number,
            file_path=path,
            format=self._form,
            line_number=line,
            end_line=end_line,
            new_lines=new_lines,
            raw_block=new_lines,
            notes=notes,
            action="edit",
            range_edits=fix.edits,
        )
        self.items.append(block)

    def add_fault(self, line: int, fault: Fault) -> None:
        """Take a row of the document as a whole."""
        shown = line + self._first_line
        self.items.append(Problem(len(self.items) + 1, shown, shown, *fault, None, self._form, is_for_people=True))

    def result(self) -> ParseResult:
        """The rows so far."""
        return ParseResult(
            blocks=tuple(row for row in self.items if isinstance(row, EditBlock)),
            problems=tuple(row for row in self.items if isinstance(row, Problem)),
            is_cut=self.is_full,
        )


def _fault_of_path(path: str) -> Fault | None:
    if not path:
        return Fault(ReasonCode.NO_PATH, "it does not say which file it is for")
    if path.lower().endswith(_NOTEBOOK):
        what = f"{path} is a notebook, and tools number its lines per cell"
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "apply it with the tool itself")
    return None
