"""Write the result of a command for a program: every `--format` except text. Page: docs/reference/output.md."""

from collections.abc import Callable, Mapping, Sequence

from editblocks import __version__
from editblocks.faces.cli.explain import meanings
from editblocks.faces.cli.request import Request
from editblocks.faces.reading import path_below
from editblocks.report import findings, json
from editblocks.report.escape import without_commands
from editblocks.report.findings import annotation_lines
from editblocks.report.json import Report
from editblocks.report.next_commands import choosing_command, next_commands
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import LIMIT, status
from editblocks.report.view import OutcomeView


def document(request: Request, views: Sequence[OutcomeView]) -> str:
    """Write all outcomes in the format of `--format`."""
    return TOOLS[request.format]([report(request, view, has_texts=request.texts) for view in views])


def report(request: Request, view: OutcomeView, *, has_texts: bool) -> Report:
    """Return the input of every format."""
    path = view.outcome.response.source.path
    mode = "partial" if request.is_partial else "all-or-nothing"
    texts = meanings() if request.format == "sarif" else {}
    return Report(
        view,
        command=request.command,
        mode=mode,
        target={"kind": _kind(request)},
        version=__version__,
        following=next_commands(view, request.kept),
        meanings=texts,
        has_texts=has_texts,
        choosing=choosing_command(view, request.kept),
        path=path and path_below(request.root, path),
    )


def _kind(request: Request) -> str:
    """Return the kind of the files that blocks are planned on or written to."""
    if request.staged or request.to_index:
        return "index"
    if request.rev is not None or request.commit or request.branch is not None:
        return "commit"
    return "worktree"


def _json(reports: Sequence[Report]) -> str:
    """Write the JSON result of one response; the command line refuses several."""
    [only] = reports
    return json.dumps(json.document(only))


def _jsonl(reports: Sequence[Report]) -> str:
    return "".join(json.dumps_line(json.document(each)) for each in reports)


def _markdown(reports: Sequence[Report]) -> str:
    """Write the statuses one below the other; together they fit into one comment on GitHub."""
    limit = LIMIT // max(1, len(reports))
    shown = [status(each.view, Page(each.version, following=each.following), limit - 10) for each in reports]
    return without_commands("\n---\n\n".join(f"{text}\n" for text in shown))


# A name and a function of all responses of a call.
TOOLS: Mapping[str, Callable[[Sequence[Report]], str]] = {
    "json": _json,
    "jsonl": _jsonl,
    "github": annotation_lines,
    "sarif": findings.sarif,
    "rdjsonl": findings.rdjsonl,
    "markdown": _markdown,
}
