"""The findings as reviewdog's diagnostics, one on a line: Reviewdog Diagnostic Format, `rdjsonl`.

Its reader refuses members that it does not know, takes a suggestion for no other lines than those of its diagnostic,
and stops without a word at a line of 64 KiB. Rules: docs/reference/output.md, "rdjsonl".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.report.escape import cut_middle, text
from editblocks.report.tools.findings import Finding, Place, findings, refusals
from editblocks.report.tools.json import dumps_line
from editblocks.report.tools.tool_report import Fix, Report

_MOST = 1000  # characters of a message
_LONGEST = 65_000  # bytes of a line: Go's bufio.Scanner takes 65,536
_SOURCE = {"name": "editblocks"}
Json = dict[str, object]


def render(reports: Sequence[Report]) -> str:
    """A line a finding, and one for what stopped a response; empty if all is fine."""
    shown = [*(finding for report in reports for finding in findings(report)), *refusals(reports)]
    return "".join(_line(_diagnostic(finding)) for finding in shown)


def _line(diagnostic: Json) -> str:
    """A record; without its suggestion if that makes it too long."""
    line = dumps_line(diagnostic)
    if len(line) <= _LONGEST or "suggestions" not in diagnostic:
        return line
    return dumps_line({name: value for name, value in diagnostic.items() if name != "suggestions"})


def _diagnostic(finding: Finding) -> Json:
    fix, place = _usable(finding.fix), _markable(finding.place)
    return {
        # it becomes a comment in Markdown, so that names in it must not call anybody
        "message": text(f"{finding.rule}: {finding.message_at(place)}", limit=_MOST),
        **_location(finding, place, fix),
        "severity": finding.level.upper(),
        "source": _SOURCE,
        "code": {"value": finding.rule},
        **({} if fix is None else {"suggestions": [{"range": _lines_of(fix), "text": _replacement(fix)}]}),
        "original_output": cut_middle(f"{finding.at}: {finding.rule}: {finding.message}", _MOST),
    }


def _markable(place: Place | None) -> Place | None:
    """A place in a file whose name a JSON text can hold: what stands for other bytes there names another file."""
    return place if place is not None and _is_unicode(place[0]) else None


def _is_unicode(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _location(finding: Finding, place: Place | None, fix: Fix | None) -> Json:
    if fix is not None:
        return {"location": {"path": fix.path, "range": _lines_of(fix)}}
    return {} if place is None else {"location": {"path": place[0], **_range(finding, place)}}


def _range(finding: Finding, place: Place) -> Json:
    """Where the texts part, if they do; columns count the bytes of UTF-8. Without columns, whole lines."""
    if place is finding.target and finding.parts_at is not None:
        line, before = finding.parts_at
        column = {} if before is None else {"column": len(before.encode("utf-8", "surrogatepass")) + 1}
        return {"range": {"start": {"line": line, **column}}}
    return {} if place[1] is None else {"range": {"start": {"line": place[1][0]}, "end": {"line": place[1][1]}}}


def _usable(fix: Fix | None) -> Fix | None:
    """A fix that can be told in whole lines: an empty text means that nothing comes, not even a blank line."""
    if fix is None or not _is_unicode(fix.path):
        return None
    return fix if _replacement(fix) or not fix.new else None


def _lines_of(fix: Fix) -> Json:
    return {"start": {"line": fix.start + 1}, "end": {"line": fix.stop}}


def _replacement(fix: Fix) -> str:
    return "\n".join(line for line, _ in fix.new)
