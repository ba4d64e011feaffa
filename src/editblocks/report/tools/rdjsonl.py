"""The findings as reviewdog's diagnostics, one on a line: Reviewdog Diagnostic Format, `rdjsonl`.

Its reader refuses members that it does not know. Rules: docs/reference/output.md, "rdjsonl".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.report.escape import cut_middle, text
from editblocks.report.tools.findings import Finding, Place, Report, findings, refusals
from editblocks.report.tools.json import dumps_line

_MOST = 1000  # characters of a message
_SOURCE = {"name": "editblocks"}
Json = dict[str, object]


def render(reports: Sequence[Report]) -> str:
    """A line a finding, and one for what stopped a response; empty if all is fine."""
    shown = [*(finding for report in reports for finding in findings(report)), *refusals(reports)]
    return "".join(dumps_line(_diagnostic(finding)) for finding in shown)


def _diagnostic(finding: Finding) -> Json:
    place = _markable(finding.place)
    return {
        # it becomes a comment in Markdown, so that names in it must not call anybody
        "message": text(f"{finding.rule}: {finding.message_at(place)}", limit=_MOST),
        **_location(place),
        "severity": finding.level.upper(),
        "source": _SOURCE,
        "code": {"value": finding.rule},
        "original_output": cut_middle(f"{finding.at}: {finding.rule}: {finding.message}", _MOST),
    }


def _markable(place: Place | None) -> Place | None:
    """Return the place, but None for a file whose name is not UTF-8: JSON could only hold the name of another file."""
    if place is None or any("\ud800" <= character <= "\udfff" for character in place[0]):
        return None
    return place


def _location(place: Place | None) -> Json:
    if place is None:
        return {}
    path, lines = place
    location: Json = {"path": path}
    if lines is not None:
        location["range"] = {"start": {"line": lines[0]}, "end": {"line": lines[1]}}
    return {"location": location}
