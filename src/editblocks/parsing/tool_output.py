"""Read the output of a linter: a whole text of JSON with diagnostics or fixes, each of which is a row.

Only a whole text can be such a document; inside other text, the JSON has no effect. Rows are made at the end of the
text. Rules: docs/reference/formats/linters.md. Lines are 0-based here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editblocks.core.blocks import EditBlock, Note, ParsedRow, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import plural
from editblocks.formats import linter_fixes
from editblocks.formats.grammar import CUT_OFF, Fault, Format, Unmarked, not_enabled
from editblocks.formats.json_scan import JsonFault, JsonObject, Scanned, scan_json
from editblocks.formats.linter_fixes import RDJSON, SARIF, FileFix
from editblocks.parsing.rows import Rows

OF_TOOLS = frozenset({*RDJSON.names, *SARIF.names})  # formats
_KEYS = r'"(?:runs|diagnostics|location)"'
# Patterns of edits in a document that cannot be parsed.
_FIX_PATTERNS = {
    SARIF: r'"(?:artifactChanges|deletedRegion)"[ \t\r\n]*:',
    RDJSON: r'"suggestions"[ \t\r\n]*:',
}
_NOTEBOOK = ".ipynb"
_NOUNS = {RDJSON: "diagnostic", SARIF: "result"}


def is_of_diagnostics(text: str) -> bool:
    """Whether a text of JSON Lines begins with a diagnostic, so that it is not the session of an agent."""
    first = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
    if re.search(_KEYS, first) is None:
        return False
    return linter_fixes.diagnostics_of(scan_json(first).values) is not None


def read_document(text: str, formats: Sequence[Format], rows: Rows) -> ParseResult | None:
    """Read a document of a tool into `rows`, which must be empty; None if the text is not such a document."""
    start = text.lstrip("\ufeff \t\r\n")
    if not start.startswith("{") or re.search(_KEYS, text) is None:
        return None
    scanned = scan_json(text.removeprefix("\ufeff").rstrip(), rows.first_line)
    document = _fixes(scanned) or _unreadable_document(scanned, text)
    if document is None:
        return None
    form, fixes, count = document
    name = form.names[0]
    objects = (value for value in scanned.values if isinstance(value, JsonObject))
    duplicate_key = next((each.duplicate_key for each in objects if each.duplicate_key), "")
    if form not in formats:
        rows.add(_document_problem(name, rows, 0, not_enabled(f"a document in `{name}`", rows.first_line)))
    elif duplicate_key:
        fault = Fault(ReasonCode.MALFORMED, duplicate_key, "ask the tool for valid JSON")
        rows.add(_document_problem(name, rows, 0, fault))
    else:
        for fix in fixes:
            rows.add(_row(name, rows, fix))
        if scanned.fault is not None:
            rows.add(_document_problem(name, rows, scanned.fault.start_line, _fault_of(scanned.fault)))
    if rows.items:
        return rows.result()
    what = f"the {name} document holds no {_NOUNS[form]}"
    if count:
        what = f"the {name} document holds {plural(count, _NOUNS[form])} but no fix"
    return ParseResult(notes=(Note("no-fixes", what),))


def _fixes(scanned: Scanned) -> tuple[Unmarked, Iterator[FileFix], int] | None:
    """The format of a document, its fixes, and its number of findings; None if it is not a document."""
    diagnostics = linter_fixes.diagnostics_of(scanned.values)
    if diagnostics is not None:
        return RDJSON, linter_fixes.suggested_fixes(diagnostics), len(diagnostics)
    log = linter_fixes.log_of(scanned.values)
    if log is not None:
        return SARIF, linter_fixes.fixes_of_log(log), len(linter_fixes.results_of(log))
    return None


def _unreadable_document(scanned: Scanned, text: str) -> tuple[Unmarked, Iterator[FileFix], int] | None:
    """The format of a document that cannot be parsed, if it shows edits."""
    if scanned.values or scanned.fault is None:
        return None
    for form, pattern in _FIX_PATTERNS.items():
        if re.search(pattern, text) is not None:
            return form, iter(()), 0
    return None


def _fault_of(fault: JsonFault) -> Fault:
    if fault.is_cut:
        return Fault(ReasonCode.UNCLOSED, "the JSON has no end", CUT_OFF)
    if fault.is_too_large:
        return Fault(ReasonCode.TOO_LARGE, f"the JSON {fault.what}", "ask the tool for less at once")
    return Fault(ReasonCode.MALFORMED, f"this is not JSON: {fault.what}", "ask the tool for it again")


def _row(name: str, rows: Rows, fix: FileFix) -> ParsedRow:
    """The next row: a fix as a block, or a problem if it cannot be applied."""
    number = rows.next_number
    line = fix.line + rows.first_line
    end_line = fix.end_line + rows.first_line
    path = fix.path
    if name in RDJSON.names:  # SARIF has URIs, which have no backslashes
        path = path.replace("\\", "/")
    path = path.removeprefix("./")
    fault = fix.fault or _fault_of_path(path)
    if fault is not None:
        return Problem(number, line, end_line, *fault, path or None, name, needs_person=True)
    notes: tuple[Note, ...] = ()
    if path != fix.path:
        notes = (Note("path-cleaned", f"the path was read as {path}"),)
    new_lines = "".join(f"{edit.text}\n" for edit in fix.edits if edit.text)  # for counts and for people
    return EditBlock(
        number=number,
        file_path=path,
        format=name,
        line_number=line,
        end_line=end_line,
        new_lines=new_lines,
        raw_block=new_lines,
        notes=notes,
        action="edit",
        range_edits=fix.edits,
    )


def _document_problem(name: str, rows: Rows, line: int, fault: Fault) -> Problem:
    """A problem of the document as a whole."""
    line_number = line + rows.first_line
    return Problem(rows.next_number, line_number, line_number, *fault, None, name, needs_person=True)


def _fault_of_path(path: str) -> Fault | None:
    if not path:
        return Fault(ReasonCode.NO_PATH, "it does not say which file it is for")
    if path.lower().endswith(_NOTEBOOK):
        what = f"{path} is a notebook, and tools number its lines per cell"
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "apply it with the tool itself")
    return None
