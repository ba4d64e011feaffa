"""`rdjson`, `rdjsonl` and `sarif`: JSON of linters with ranges of files and the texts that replace them.

    {"message": …, "location": {"path": "a.py"}, "suggestions": [{"range": {…}, "text": …}]}
    {"version": "2.1.0", "runs": [{"results": [{"fixes": [{"artifactChanges": […]}]}]}]}

The first is the form of reviewdog. All suggestions of a diagnostic are one change, as linters write each edit of a fix
as one suggestion. In SARIF 2.1.0, all changes of a fix belong together; several fixes of one result are alternatives,
and a person must choose one. Section numbers are those of the standard.

The values come from `json_scan`. Nothing is guessed: input that can be read in two ways is refused. Lines and columns
are 1-based. Rules: docs/reference/formats/linters.md.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from editblocks.core.blocks import EditBlock, Note, ParsedRow, Problem, RangeEdit, TextRange
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault, Unmarked
from editblocks.formats.json_scan import JsonObject, Number, objects_in

RDJSON = Unmarked(names=("rdjson",))
SARIF = Unmarked(names=("sarif",))
_VERSION = "2.1.0"
# The highest character that is one column wide. Most logs count UTF-16 units, of which higher characters have two.
_WIDEST = {"unicodeCodePoints": "\U0010ffff"}
_OFFSETS = ("charOffset", "charLength", "byteOffset", "byteLength")
_MOST_SNIPPETS = 100  # snippets of one result that are used; every change is compared with each of them
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]+:"
_DRIVE = r"/[A-Za-z]:/"
_ESCAPED = b"%([0-9A-Fa-f]{2})"  # of a URI; the core imports nothing of `urllib`, which also opens connections
_LARGEST = 10_000_000  # more than the lines or columns of any file that may be edited
_DIGITS = r"[0-9]{1,8}"


class _BadFix(ValueError):
    """A fix that cannot be read; never raised to callers of the format's reader."""

    def __init__(self, what: str, advice: str = "", code: ReasonCode = ReasonCode.MALFORMED) -> None:
        self.fault = Fault(code, what, advice)


def read_fixes(values: Sequence[object]) -> tuple[Unmarked, int, Iterator[ParsedRow]] | None:
    """The format of a document, the number of its findings, and a row for each finding with a fix.

    The rows have the number 0, and their lines are 0-based, in the JSON. Returns None for any other document.
    """
    diagnostics = diagnostics_of(values)
    if diagnostics is not None:
        return RDJSON, len(diagnostics), _rows_of_diagnostics(diagnostics)
    log = _log_of(values)
    if log is None:
        return None
    runs = objects_in(log.get("runs"))
    results = [(run, result) for run in runs for result in objects_in(run.values.get("results"))]
    return SARIF, len(results), _rows_of_results(results, _text_of(log.get("version")))


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


def _rows_of_diagnostics(diagnostics: Sequence[JsonObject]) -> Iterator[ParsedRow]:
    """Yield the row of each diagnostic that has suggestions."""
    for diagnostic in diagnostics:
        suggestions = diagnostic.values.get("suggestions")
        if not suggestions:
            continue
        path = ""
        try:
            path = _text_of(_inner(diagnostic, "location").get("path"))
            edits = tuple(_edit_of_suggestion(each) for each in _suggestions(suggestions))
            yield _row(RDJSON, diagnostic, path, edits)
        except _BadFix as bad:
            yield _row(RDJSON, diagnostic, path, fault=bad.fault)


def _suggestions(value: object) -> list[Mapping[str, object]]:
    suggestions = objects_in(value)
    if not isinstance(value, list) or len(suggestions) < len(value):
        raise _BadFix("`suggestions` is not a list of objects")
    return [_checked(each) for each in suggestions]


def _edit_of_suggestion(suggestion: Mapping[str, object]) -> RangeEdit:
    text = suggestion.get("text", "")
    if not isinstance(text, str):
        raise _BadFix("the `text` of a suggestion is not text")
    text = text.replace("\r\n", "\n")  # new lines get the line ends of the file
    place = _inner(suggestion.get("range"))
    start = _inner(place.get("start"))
    first_line = _number_of(start, "line")
    first_column = _number_of(start, "column")
    if not first_line:
        raise _BadFix("a suggestion does not say the line at which it begins")
    if "end" not in place:
        if not first_column:
            what = f"the range of line {first_line} has no end and no column"
            meanings = "a place before the line or the whole line"
            raise _BadFix(f"{what}, so it may mean {meanings}", "give it an `end`", ReasonCode.UNSUPPORTED_FORMAT)
        return RangeEdit(TextRange(first_line, first_column, first_line, first_column), text)
    end = _inner(place.get("end"))
    last_line = _number_of(end, "line") or first_line
    last_column = _number_of(end, "column")
    if last_column:
        place_of_text = TextRange(first_line, first_column or 1, last_line, last_column)
        return RangeEdit(_valid_range(place_of_text), text)
    if first_column:
        what = f"the range begins at column {first_column} of line {first_line}, and its end has no column"
        raise _BadFix(what, "give its end a column", ReasonCode.UNSUPPORTED_FORMAT)
    if text.endswith("\n"):
        what = f"the new text of whole lines, from line {first_line} on, ends with a line break"
        advice = "add columns to the range, to say whether a blank line is meant"
        raise _BadFix(what, advice, ReasonCode.UNSUPPORTED_FORMAT)
    return RangeEdit(_valid_range(TextRange(first_line, 1, last_line, 0)), text, is_lines=True)


def _log_of(values: Sequence[object]) -> Mapping[str, object] | None:
    """The SARIF log in a document; None if the document is not a log."""
    if len(values) != 1 or not isinstance(values[0], JsonObject):
        return None
    log = values[0].values
    is_named = isinstance(log.get("version"), str) or "sarif" in _text_of(log.get("$schema")).lower()
    if is_named and isinstance(log.get("runs"), list):
        return log
    return None


def _rows_of_results(results: Sequence[tuple[JsonObject, JsonObject]], version: str) -> Iterator[ParsedRow]:
    """Yield the row of each result with fixes. The results come with their runs, from a log of this version."""
    for run, result in results:
        fixes = result.values.get("fixes")
        if not fixes:
            continue
        path = ""
        try:
            _checked(run)
            _checked(result)
            if version != _VERSION:
                what = f"the log uses SARIF {version or 'of no version'}, not {_VERSION}"
                raise _BadFix(what, "ask the tool for that version", ReasonCode.UNSUPPORTED_FORMAT)
            changes = _changes(objects_in(fixes))
            path = _path_of_changes(run, changes)
            yield _row(SARIF, result, path, _edits(run, result, path, changes))
        except _BadFix as bad:
            yield _row(SARIF, result, path, fault=bad.fault)


def _changes(fixes: Sequence[JsonObject]) -> list[JsonObject]:
    """The changes of the only fix of a result. Raises `_BadFix`."""
    if not fixes:
        raise _BadFix("`fixes` is not a list of objects")
    if len(fixes) != 1:
        what = f"the result offers {len(fixes)} fixes to choose from"
        raise _BadFix(what, "keep one of them", ReasonCode.AMBIGUOUS)
    changes = objects_in(_checked(fixes[0]).get("artifactChanges"))
    if not changes:
        raise _BadFix("the fix has no `artifactChanges`")
    return changes


def _path_of_changes(run: JsonObject, changes: Sequence[JsonObject]) -> str:
    """The only file that the changes are for. Raises `_BadFix`."""
    paths = {_path(run, _inner(change, "artifactLocation")) for change in changes}
    if len(paths) > 1:
        what = f"the fix changes {len(paths)} files, and only fixes of one file are read"
        raise _BadFix(what, "apply it with the tool itself", ReasonCode.UNSUPPORTED_FORMAT)
    return paths.pop()


def _edits(run: JsonObject, result: JsonObject, path: str, changes: Sequence[JsonObject]) -> tuple[RangeEdit, ...]:
    replacements = [each for change in changes for each in objects_in(_checked(change).get("replacements"))]
    if not replacements:
        raise _BadFix("the fix has no `replacements`")
    widest = _WIDEST.get(_text_of(run.values.get("columnKind")), "\uffff")
    snippets = list(islice(_snippets_of(run, result, path), _MOST_SNIPPETS))
    return tuple(_edit_of_replacement(each, widest, snippets) for each in replacements)


def _edit_of_replacement(replacement: JsonObject, widest: str, snippets: Sequence[tuple[TextRange, str]]) -> RangeEdit:
    region = _inner(replacement, "deletedRegion")
    place = _range(region)
    content = _inner(replacement, "insertedContent")
    text = content.get("text", "")
    if not isinstance(text, str) or ("binary" in content and "text" not in content):
        raise _BadFix("the inserted content is not text", "", ReasonCode.UNSUPPORTED_FORMAT)
    text = text.replace("\r\n", "\n")  # new lines get the line ends of the file
    for around, snippet in ((place, _snippet(region)), *snippets):
        if snippet and _holds(around, place):
            return RangeEdit(place, text, widest, shown_at=around, shown=snippet)
    return RangeEdit(place, text, widest)


def _range(region: Mapping[str, object]) -> TextRange:
    """The range of a region (3.30). Without columns, it goes from the start of its first line to the end of its last.

    Raises `_BadFix`.
    """
    first_line = _number_of(region, "startLine")
    if not first_line:
        if any(key in region for key in _OFFSETS):
            raise _BadFix("the region is given by offsets", "ask for lines and columns", ReasonCode.UNSUPPORTED_FORMAT)
        raise _BadFix("the region has no `startLine`")
    last_line = _number_of(region, "endLine") or first_line
    last_column = _number_of(region, "endColumn")
    return _valid_range(TextRange(first_line, _number_of(region, "startColumn") or 1, last_line, last_column))


def _snippets_of(run: JsonObject, result: JsonObject, path: str) -> Iterator[tuple[TextRange, str]]:
    """Yield the ranges of the file that the result shows, with their text: its locations and their context."""
    for location in objects_in(result.values.get("locations")):
        physical = _inner(location, "physicalLocation")
        if _path(run, _inner(physical.get("artifactLocation"))) != path:
            continue
        for key in ("region", "contextRegion"):
            region = _inner(physical.get(key))
            snippet = _snippet(region)
            if snippet:
                yield _range(region), snippet


def _snippet(region: Mapping[str, object]) -> str:
    """The text that a region shows; "" if there is none, or only blanks."""
    text = _text_of(_inner(region.get("snippet")).get("text"))
    if not text.strip():
        return ""
    return text.replace("\r\n", "\n")


def _holds(outer: TextRange, place: TextRange) -> bool:
    """Whether `outer` contains `place`."""
    starts = (outer.first_line, outer.first_column) <= (place.first_line, place.first_column)
    return starts and _end(place) <= _end(outer)


def _end(place: TextRange) -> tuple[int, float]:
    return place.last_line, place.last_column or float("inf")


def _path(run: JsonObject, location: Mapping[str, object]) -> str:
    """The path of an artifact (3.4): its URI, relative to its base if it has one. Raises `_BadFix`."""
    address = _text_of(location.get("uri"))
    if not address:
        raise _BadFix("the fix does not say the `uri` of its file", "", ReasonCode.NO_PATH)
    base = _text_of(location.get("uriBaseId"))
    if base and not re.match(_SCHEME, address):
        address = _address_of(run, base) + address
    return _local_path(address)


def _address_of(run: JsonObject, base: str) -> str:
    """The URI of a base folder. "" if only its name is known: it is the top of the repository. Raises `_BadFix`."""
    folder = _inner(run, "originalUriBaseIds", base)
    address = _text_of(folder.get("uri"))
    if "uriBaseId" in folder:
        raise _BadFix(f"the folder `{base}` is relative to another folder", "", ReasonCode.NO_PATH)
    if address and not address.endswith("/"):
        return f"{address}/"
    return address


def _local_path(address: str) -> str:
    """The path in a relative URI, or in one that begins with `file:`, without escapes. Raises `_BadFix`."""
    scheme = re.match(_SCHEME, address)
    if scheme is not None:
        if scheme[0].lower() != "file:":
            raise _BadFix(f"`{address}` is not the address of a local file", "", ReasonCode.NO_PATH)
        address = address[scheme.end() :]
        if address.startswith("//"):
            host, slash, rest = address[2:].partition("/")
            if host.lower() not in ("", "localhost"):
                raise _BadFix(f"`{address}` is a file on another machine", "", ReasonCode.NO_PATH)
            address = slash + rest
    if "?" in address or "#" in address:
        raise _BadFix(f"`{address}` is not a plain address of a file", "", ReasonCode.NO_PATH)
    try:
        path = re.sub(_ESCAPED, _byte, address.encode("utf-8")).decode("utf-8")
    except UnicodeError:
        raise _BadFix(f"`{address}` is not UTF-8", "", ReasonCode.NO_PATH) from None
    if re.match(_DRIVE, path):
        path = path[1:]
    return path


def _byte(escaped: re.Match[bytes]) -> bytes:
    return bytes([int(escaped[1], 16)])


def _row(
    form: Unmarked, finding: JsonObject, path: str, edits: tuple[RangeEdit, ...] = (), fault: Fault | None = None
) -> ParsedRow:
    """The row of a finding: its fix as a block, or a problem if the fix cannot be read or applied."""
    name = form.names[0]
    file_path = path
    if form is RDJSON:  # SARIF has URIs, which have no backslashes
        file_path = path.replace("\\", "/")
    file_path = file_path.removeprefix("./")
    fault = fault or _fault_of_path(file_path)
    if fault is not None:
        return Problem(0, finding.line, finding.end_line, *fault, file_path or None, name, needs_person=True)
    notes: tuple[Note, ...] = ()
    if file_path != path:
        notes = (Note("path-cleaned", f"the path was read as {file_path}"),)
    new_lines = "".join(f"{edit.text}\n" for edit in edits if edit.text)  # for counts and for people
    return EditBlock(
        number=0,
        file_path=file_path,
        format=name,
        line_number=finding.line,
        end_line=finding.end_line,
        new_lines=new_lines,
        raw_block=new_lines,
        notes=notes,
        action="edit",
        range_edits=edits,
    )


def _fault_of_path(path: str) -> Fault | None:
    if not path:
        return Fault(ReasonCode.NO_PATH, "it does not say which file it is for")
    if path.lower().endswith(".ipynb"):
        what = f"{path} is a notebook, and tools number its lines per cell"
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "apply it with the tool itself")
    return None


def _inner(value: object, *keys: str) -> Mapping[str, object]:
    """The values of the object at this path of keys; empty if there is none. Raises `_BadFix` for a flaw."""
    for key in keys:
        if not isinstance(value, JsonObject):
            return {}
        value = _checked(value).get(key)
    if not isinstance(value, JsonObject):
        return {}
    return _checked(value)


def _checked(value: JsonObject) -> Mapping[str, object]:
    """The values of an object. Raises `_BadFix` for a duplicate key, or for a text that no file can contain."""
    flaw = value.duplicate_key or value.bad_text
    if flaw:
        raise _BadFix(flaw, "ask the tool for valid JSON")
    return value.values


def _text_of(value: object) -> str:
    """The value if it is a text, otherwise ""."""
    if isinstance(value, str):
        return value
    return ""


def _number_of(values: Mapping[str, object], key: str) -> int:
    """The line or column number at a key; 0 if there is none. Raises `_BadFix` if it is not a valid number."""
    value = values.get(key)
    if value is None:
        return 0
    if not isinstance(value, Number) or not re.fullmatch(_DIGITS, value.text) or int(value.text) > _LARGEST:
        raise _BadFix(f"`{key}` is not a valid line or column number")
    return int(value.text)


def _valid_range(place: TextRange) -> TextRange:
    """Return the range. Raises `_BadFix` if it ends before it begins."""
    is_backwards = place.last_line < place.first_line
    if place.last_line == place.first_line and place.last_column:
        is_backwards = place.last_column < place.first_column
    if is_backwards:
        start = f"line {place.first_line}, column {place.first_column}"
        end = f"line {place.last_line}, column {place.last_column}"
        raise _BadFix(f"the range ends at {end}, before it begins at {start}")
    return place
