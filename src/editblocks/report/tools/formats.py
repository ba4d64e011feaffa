"""The formats that other tools read: what `--format` names, but for the text that the command line writes itself.

A row is a name and a function of all responses of a run. Each loads what it needs when it is called, so that nobody
waits for a format that was not asked for. Page: docs/reference/output.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from editblocks.report.tools.tool_report import Report


def _json(reports: Sequence[Report]) -> str:
    """One response alone: see `SINGLE`."""
    from editblocks.report.tools.json import dumps

    [report] = reports
    return dumps(report.document)


def _jsonl(reports: Sequence[Report]) -> str:
    from editblocks.report.tools.json import dumps_line

    return "".join(dumps_line(report.document) for report in reports)


def _github(reports: Sequence[Report]) -> str:
    from editblocks.report.tools.workflow_commands import render

    return render(reports)


def _sarif(reports: Sequence[Report]) -> str:
    from editblocks.report.tools.sarif import render

    return render(reports)


def _rdjsonl(reports: Sequence[Report]) -> str:
    from editblocks.report.tools.rdjsonl import render

    return render(reports)


def _markdown(reports: Sequence[Report]) -> str:
    """The statuses below each other, together within what one comment on GitHub takes."""
    from editblocks.report.escape import without_commands
    from editblocks.report.status.markdown import LIMIT, status

    limit = LIMIT // max(1, len(reports))
    shown = [
        status(report.outcome, version=report.version, limit=limit - 10, following=report.following)
        for report in reports
    ]
    return without_commands("\n---\n\n".join(f"{text}\n" for text in shown))


TOOLS: Mapping[str, Callable[[Sequence[Report]], str]] = {
    "json": _json,
    "jsonl": _jsonl,
    "github": _github,
    "sarif": _sarif,
    "rdjsonl": _rdjsonl,
    "markdown": _markdown,
}
SINGLE = frozenset({"json"})  # these hold one response
FIXED = frozenset({"sarif", "rdjsonl"})  # these show `Report.fixes`
