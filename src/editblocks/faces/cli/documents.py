"""The result of a command as a document for a program: every `--format` but text. Page: docs/reference/output.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editblocks import __version__
from editblocks.core.model import ApplyResult
from editblocks.core.selection import Selection
from editblocks.faces.cli.explain import meanings
from editblocks.faces.cli.request import Request
from editblocks.faces.common.locations import path_below
from editblocks.report.next_commands import choosing_command, next_commands
from editblocks.report.tools.formats import FIXED, TOOLS
from editblocks.report.tools.tool_report import Report, fixes
from editblocks.report.view import OutcomeView
from editblocks.run.plan import Version, run


def document(request: Request, views: Sequence[OutcomeView], open_files: Callable[[], Version]) -> str:
    """All outcomes in the format of `--format`. `open_files` opens the files again, to compute fixes."""
    return TOOLS[request.format]([report(request, view, open_files) for view in views])


def report(request: Request, view: OutcomeView, open_files: Callable[[], Version]) -> Report:
    """What every format is made from."""
    is_commit = request.rev is not None or request.commit or request.branch is not None
    response = view.outcome.response

    def plan(select: Selection) -> ApplyResult:
        return run(response, open_files(), request.settings, select, request.written_before(response))

    fixed = request.format in FIXED and not view.outcome.written
    return Report(
        view,
        command=request.command,
        mode="partial" if request.is_partial else "all-or-nothing",
        target={"kind": "index" if request.staged or request.to_index else "commit" if is_commit else "worktree"},
        version=__version__,
        following=next_commands(view, request.kept),
        has_texts=request.texts,
        choosing=choosing_command(view, request.kept),
        path=path_below(request.root, response.source.path) if response.source.path else None,
        meanings=meanings() if request.format == "sarif" else {},
        fixes=fixes(view, plan) if fixed else {},
    )
