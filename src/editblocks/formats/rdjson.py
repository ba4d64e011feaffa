"""`rdjson` and `rdjsonl`: diagnostics of linters with suggestions, as reviewdog reads them.

    {"message": …, "location": {"path": "a.py"}, "suggestions": [{"range": {…}, "text": …}]}

All suggestions of a diagnostic are one change, as linters write each edit of a fix as one suggestion. Lines and columns
are 1-based. Rules: docs/reference/formats/linters.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from editblocks.core.blocks import RangeEdit, TextRange
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Unmarked
from editblocks.formats.json_scan import JsonObject, objects_in
from editblocks.formats.range_edits import BadFix, FileFix, checked, inner, number_of, text_of, valid_range

RDJSON = Unmarked(names=("rdjson",))


def diagnostics_of(values: Sequence[object]) -> list[JsonObject] | None:
    """The diagnostics of a document; None if it is neither `rdjson` nor `rdjsonl`.

    `rdjson` is one object with `diagnostics`; in `rdjsonl`, the first object has `message` and `location`.
    """
    diagnostics = objects_in(list(values))
    if not diagnostics or len(diagnostics) < len(values):
        return None
    first = diagnostics[0].values
    if len(diagnostics) == 1 and isinstance(first.get("diagnostics"), list):
        return objects_in(first["diagnostics"])
    if isinstance(first.get("message"), str) and isinstance(first.get("location"), JsonObject):
        return diagnostics
    return None


def fixes_of(diagnostics: Sequence[JsonObject]) -> Iterator[FileFix]:
    """Yield the fix of each diagnostic that has suggestions."""
    for diagnostic in diagnostics:
        suggestions = diagnostic.values.get("suggestions")
        if not suggestions:
            continue
        path = ""
        try:
            path = text_of(inner(diagnostic, "location").get("path"))
            edits = tuple(_edit(each) for each in _suggestions(suggestions))
            yield FileFix(diagnostic.line, diagnostic.end_line, path, edits)
        except BadFix as bad:
            yield FileFix(diagnostic.line, diagnostic.end_line, path, fault=bad.fault)


def _suggestions(value: object) -> list[Mapping[str, object]]:
    suggestions = objects_in(value)
    if not isinstance(value, list) or len(suggestions) < len(value):
        raise BadFix("`suggestions` is not a list of objects")
    return [checked(each) for each in suggestions]


def _edit(suggestion: Mapping[str, object]) -> RangeEdit:
    text = suggestion.get("text", "")
    if not isinstance(text, str):
        raise BadFix("the `text` of a suggestion is not text")
    text = text.replace("\r\n", "\n")  # new lines get the line ends of the file
    place = inner(suggestion.get("range"))
    start = inner(place.get("start"))
    first_line = number_of(start, "line")
    first_column = number_of(start, "column")
    if not first_line:
        raise BadFix("a suggestion does not say the line at which it begins")
    if "end" not in place:
        if not first_column:
            what = f"the range of line {first_line} has no end and no column"
            meanings = "a place before the line or the whole line"
            raise BadFix(f"{what}, so it may mean {meanings}", "give it an `end`", ReasonCode.UNSUPPORTED_FORMAT)
        return RangeEdit(TextRange(first_line, first_column, first_line, first_column), text)
    end = inner(place.get("end"))
    last_line = number_of(end, "line") or first_line
    last_column = number_of(end, "column")
    if last_column:
        place_of_text = TextRange(first_line, first_column or 1, last_line, last_column)
        return RangeEdit(valid_range(place_of_text), text)
    if first_column:
        what = f"the range begins at column {first_column} of line {first_line}, and its end has no column"
        raise BadFix(what, "give its end a column", ReasonCode.UNSUPPORTED_FORMAT)
    if text.endswith("\n"):
        what = f"the new text of whole lines, from line {first_line} on, ends with a line break"
        advice = "add columns to the range, to say whether a blank line is meant"
        raise BadFix(what, advice, ReasonCode.UNSUPPORTED_FORMAT)
    return RangeEdit(valid_range(TextRange(first_line, 1, last_line, 0)), text, is_lines=True)
