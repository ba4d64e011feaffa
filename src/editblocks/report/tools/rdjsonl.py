"""Write the findings in the Reviewdog Diagnostic Format, `rdjsonl`: one diagnostic on each line.

reviewdog refuses members that it does not know. Rules: docs/reference/output.md, "rdjsonl".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.characters import cut_middle
from editblocks.report.escape import text
from editblocks.report.json import dumps_line
from editblocks.report.tools.findings import Finding, Place, Report, findings, refusals

_MOST = 1000  # characters of a message
_SOURCE = {"name": "editblocks"}
Json = dict[str, object]


def render(reports: Sequence[Report]) -> str:
    """Write a line for each finding, and one for each response that was refused; empty if all is well."""
    shown = [*(finding for report in reports for finding in findings(report)), *refusals(reports)]
    return "".join(dumps_line(_diagnostic(finding)) for finding in shown)


def _diagnostic(finding: Finding) -> Json:
    place = _markable(finding.place)
    return {
        # reviewdog posts it as a Markdown comment, so names in it must not mention anybody
        "message": text(f"{finding.rule}: {finding.message_at(place)}", limit=_MOST),
        **_location(place),
        "severity": finding.level.upper(),
        "source": _SOURCE,
        "code": {"value": finding.rule},
        "original_output": cut_middle(f"{finding.at}: {finding.rule}: {finding.message}", _MOST),
    }


def _markable(place: Place | None) -> Place | None:
    """Return the place; None for a file whose name is not UTF-8, because JSON cannot hold it."""
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
