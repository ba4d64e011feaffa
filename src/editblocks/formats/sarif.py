"""`sarif`: the fixes in a log of SARIF 2.1.0, which many linters and scanners write.

    {"version": "2.1.0", "runs": [{"results": [{"fixes": [{"artifactChanges": […]}]}]}]}

All changes of a fix belong together; several fixes of one result are alternatives, and a person must choose one.
Section numbers are those of the standard. Rules: docs/reference/formats/linters.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from editblocks.core.blocks import RangeEdit, TextRange
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Unmarked
from editblocks.formats.json_scan import JsonObject, objects_in
from editblocks.formats.range_edits import BadFix, FileFix, checked, inner, number_of, text_of, valid_range

SARIF = Unmarked(names=("sarif",))
VERSION = "2.1.0"
# The highest character that is one column wide. Most logs count UTF-16 units, of which higher characters have two.
_WIDEST = {"unicodeCodePoints": "\U0010ffff"}
_OFFSETS = ("charOffset", "charLength", "byteOffset", "byteLength")
_MOST_SNIPPETS = 100  # snippets of one result that are used; every change is compared with each of them
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]+:"
_DRIVE = r"/[A-Za-z]:/"
_ESCAPED = b"%([0-9A-Fa-f]{2})"  # of a URI; the core imports nothing of `urllib`, which also opens connections

SarifObject = Mapping[str, object]


def log_of(values: Sequence[object]) -> JsonObject | None:
    """The SARIF log in a document; None if the document is not a log."""
    if len(values) != 1 or not isinstance(values[0], JsonObject):
        return None
    log = values[0]
    is_named = isinstance(log.values.get("version"), str) or "sarif" in text_of(log.values.get("$schema")).lower()
    if is_named and isinstance(log.values.get("runs"), list):
        return log
    return None


def results_of(log: JsonObject) -> list[tuple[JsonObject, JsonObject]]:
    """The results of a log, each with its run."""
    runs = objects_in(log.values.get("runs"))
    return [(run, result) for run in runs for result in objects_in(run.values.get("results"))]


def fixes_of(log: JsonObject) -> Iterator[FileFix]:
    """Yield the fix of each result that has one; a result with several fixes yields one fault."""
    version = text_of(log.values.get("version"))
    for run, result in results_of(log):
        fixes = result.values.get("fixes")
        if not fixes:
            continue
        try:
            checked(run)
            checked(result)
            if version != VERSION:
                what = f"the log uses SARIF {version or 'of no version'}, not {VERSION}"
                raise BadFix(what, "ask the tool for that version", ReasonCode.UNSUPPORTED_FORMAT)
            yield _fix_of(run, result, objects_in(fixes))
        except BadFix as bad:
            yield FileFix(result.line, result.end_line, "", fault=bad.fault)


def _fix_of(run: JsonObject, result: JsonObject, fixes: Sequence[JsonObject]) -> FileFix:
    """Return the only fix of a result. Raises `BadFix`."""
    if not fixes:
        raise BadFix("`fixes` is not a list of objects")
    if len(fixes) != 1:
        what = f"the result offers {len(fixes)} fixes to choose from"
        raise BadFix(what, "keep one of them", ReasonCode.AMBIGUOUS)
    changes = objects_in(checked(fixes[0]).get("artifactChanges"))
    if not changes:
        raise BadFix("the fix has no `artifactChanges`")
    paths = {_path(run, inner(change, "artifactLocation")) for change in changes}
    if len(paths) > 1:
        what = f"the fix changes {len(paths)} files, and only fixes of one file are read"
        raise BadFix(what, "apply it with the tool itself", ReasonCode.UNSUPPORTED_FORMAT)
    [path] = paths
    try:
        replacements = [each for change in changes for each in objects_in(checked(change).get("replacements"))]
        if not replacements:
            raise BadFix("the fix has no `replacements`")
        widest = _WIDEST.get(text_of(run.values.get("columnKind")), "\uffff")
        snippets = list(islice(_snippets_of(run, result, path), _MOST_SNIPPETS))
        edits = tuple(_edit(each, widest, snippets) for each in replacements)
    except BadFix as bad:
        return FileFix(result.line, result.end_line, path, fault=bad.fault)
    return FileFix(result.line, result.end_line, path, edits)


def _edit(replacement: JsonObject, widest: str, snippets: Sequence[tuple[TextRange, str]]) -> RangeEdit:
    region = inner(replacement, "deletedRegion")
    place = _range(region)
    content = inner(replacement, "insertedContent")
    text = content.get("text", "")
    if not isinstance(text, str) or ("binary" in content and "text" not in content):
        raise BadFix("the inserted content is not text", "", ReasonCode.UNSUPPORTED_FORMAT)
    text = text.replace("\r\n", "\n")  # new lines get the line ends of the file
    for around, snippet in ((place, _snippet(region)), *snippets):
        if snippet and _holds(around, place):
            return RangeEdit(place, text, widest, shown_at=around, shown=snippet)
    return RangeEdit(place, text, widest)


def _range(region: SarifObject) -> TextRange:
    """The range of a region (3.30). Without columns, it goes from the start of its first line to the end of its last.

    Raises `BadFix`.
    """
    first_line = number_of(region, "startLine")
    if not first_line:
        if any(key in region for key in _OFFSETS):
            raise BadFix("the region is given by offsets", "ask for lines and columns", ReasonCode.UNSUPPORTED_FORMAT)
        raise BadFix("the region has no `startLine`")
    last_line = number_of(region, "endLine") or first_line
    last_column = number_of(region, "endColumn")
    return valid_range(TextRange(first_line, number_of(region, "startColumn") or 1, last_line, last_column))


def _snippets_of(run: JsonObject, result: JsonObject, path: str) -> Iterator[tuple[TextRange, str]]:
    """Yield the ranges of the file that the result shows, with their text: its locations and their context."""
    for location in objects_in(result.values.get("locations")):
        physical = inner(location, "physicalLocation")
        if _path(run, inner(physical.get("artifactLocation"))) != path:
            continue
        for key in ("region", "contextRegion"):
            region = inner(physical.get(key))
            snippet = _snippet(region)
            if snippet:
                yield _range(region), snippet


def _snippet(region: SarifObject) -> str:
    """The text that a region shows; "" if there is none, or only blanks."""
    text = text_of(inner(region.get("snippet")).get("text"))
    if not text.strip():
        return ""
    return text.replace("\r\n", "\n")


def _holds(outer: TextRange, place: TextRange) -> bool:
    """Whether `outer` contains `place`."""
    starts = (outer.first_line, outer.first_column) <= (place.first_line, place.first_column)
    return starts and _end(place) <= _end(outer)


def _end(place: TextRange) -> tuple[int, float]:
    return place.last_line, place.last_column or float("inf")


def _path(run: JsonObject, location: SarifObject) -> str:
    """The path of an artifact (3.4): its URI, relative to its base if it has one. Raises `BadFix`."""
    address = text_of(location.get("uri"))
    if not address:
        raise BadFix("the fix does not say the `uri` of its file", "", ReasonCode.NO_PATH)
    base = text_of(location.get("uriBaseId"))
    if base and not re.match(_SCHEME, address):
        address = _address_of(run, base) + address
    return _local_path(address)


def _address_of(run: JsonObject, base: str) -> str:
    """The URI of a base folder. "" if only its name is known: it is the top of the repository. Raises `BadFix`."""
    folder = inner(run, "originalUriBaseIds", base)
    address = text_of(folder.get("uri"))
    if "uriBaseId" in folder:
        raise BadFix(f"the folder `{base}` is relative to another folder", "", ReasonCode.NO_PATH)
    if address and not address.endswith("/"):
        return f"{address}/"
    return address


def _local_path(address: str) -> str:
    """The path in a relative URI, or in one that begins with `file:`, without escapes. Raises `BadFix`."""
    scheme = re.match(_SCHEME, address)
    if scheme is not None:
        if scheme[0].lower() != "file:":
            raise BadFix(f"`{address}` is not the address of a local file", "", ReasonCode.NO_PATH)
        address = address[scheme.end() :]
        if address.startswith("//"):
            host, slash, rest = address[2:].partition("/")
            if host.lower() not in ("", "localhost"):
                raise BadFix(f"`{address}` is a file on another machine", "", ReasonCode.NO_PATH)
            address = slash + rest
    if "?" in address or "#" in address:
        raise BadFix(f"`{address}` is not a plain address of a file", "", ReasonCode.NO_PATH)
    try:
        path = re.sub(_ESCAPED, _byte, address.encode("utf-8")).decode("utf-8")
    except UnicodeError:
        raise BadFix(f"`{address}` is not UTF-8", "", ReasonCode.NO_PATH) from None
    if re.match(_DRIVE, path):
        path = path[1:]
    return path


def _byte(escaped: re.Match[bytes]) -> bytes:
    return bytes([int(escaped[1], 16)])
