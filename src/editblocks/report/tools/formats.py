"""The formats that other tools read: what `--format` names, but for the text that the command line writes itself.

A row is a name and a function of all responses of a run. Page: docs/reference/output.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from editblocks.report.escape import without_commands
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import LIMIT, status
from editblocks.report.tools import rdjsonl, sarif
from editblocks.report.tools.annotations import render as workflow_lines
from editblocks.report.tools.json import document, dumps, dumps_line
from editblocks.report.tools.tool_report import Report


def _json(reports: Sequence[Report]) -> str:
    """One response alone: the command line refuses more."""
    [report] = reports
    return dumps(document(report))


def _jsonl(reports: Sequence[Report]) -> str:
    return "".join(dumps_line(document(report)) for report in reports)


def _markdown(reports: Sequence[Report]) -> str:
    """The statuses below each other, together within what one comment on GitHub takes."""
    limit = LIMIT // max(1, len(reports))
    shown = [status(report.view, Page(report.version, following=report.following), limit - 10) for report in reports]
    return without_commands("\n---\n\n".join(f"{text}\n" for text in shown))


TOOLS: Mapping[str, Callable[[Sequence[Report]], str]] = {
    "json": _json,
    "jsonl": _jsonl,
    "github": workflow_lines,
    "sarif": sarif.render,
    "rdjsonl": rdjsonl.render,
    "markdown": _markdown,
}
