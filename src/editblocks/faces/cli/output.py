"""Print the result of a command on stdout, for people or for a program.

Page: docs/reference/command-line.md, "what is printed".
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from editblocks.core.codes import State
from editblocks.faces.cli.request import Request
from editblocks.faces.common import terminal
from editblocks.faces.common.terminal import columns, has_color, is_terminal, say, show, show_exactly, show_wrapped
from editblocks.report import short
from editblocks.report.escape import visible
from editblocks.report.next_commands import retry_command
from editblocks.report.view import OutcomeView


def is_only_refused(view: OutcomeView) -> bool:
    """Whether nothing was planned, so that there is only a refusal to report."""
    return view.outcome.refusal is not None and not view.result.rows


class Output:
    """Prints the result of one call: text after each response, every other format at the end."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.count = 0

    def add(self, view: OutcomeView, record_id: str | None = None, branch: str | None = None) -> None:
        """Print the outcome of a response. `record_id` is the id for `undo`, `branch` the one with the new commit."""
        request = self.request
        if request.format != "text" or is_only_refused(view):
            return
        if self.count > 0:
            show("\n")
        if len(request.sources) > 1:
            show_wrapped(f"{visible(view.outcome.response.source.path or 'standard input')}:\n")
        self.count += 1
        if not request.quiet and (request.verbose or terminal.is_long_form(sys.stdout)):
            show(self._long_form(view, sys.stdout))
        else:
            show(self.short_rows(view, sys.stdout))
            show_wrapped(f"{short.notes(view)}{short.not_run(view)}{short.short_summary(view)}\n")
        if request.command == "apply" and view.outcome.refusal is None and view.result.rows:
            show_wrapped(f"{'; '.join(self.verdict(view, record_id, branch))}\n")
            following = self._next_step(view)
            if following:
                show_wrapped(f"{following}\n")

    def close(self, views: Sequence[OutcomeView]) -> None:
        """Print the formats that need every response."""
        if self.request.format == "text":
            if self.count > 1:
                show_wrapped(f"\n{short.total(views)}\n")
            return
        from editblocks.faces.cli.explain import document  # loaded late, with all its writers

        text = document(self.request, views)
        if is_terminal(sys.stdout):
            show(text)
        else:  # a program reads UTF-8 in every locale
            show_exactly(text.encode("utf-8", "backslashreplace"), may_command=True)

    def explain(self, view: OutcomeView) -> None:
        """Print the outcome of a response on stderr, because a program reads stdout."""
        say(self._long_form(view, sys.stderr))

    def verdict(self, view: OutcomeView, record_id: str | None, branch: str | None) -> list[str]:
        """Return sentences: what was written, and how to undo it."""
        outcome = view.outcome
        parts = [short.verdict(view)]
        if outcome.written and outcome.removed_file is not None:
            parts.append(f"removed {visible(outcome.removed_file)}")
        if record_id:
            parts.append(f"undo with: {self.request.undo(record_id)}")
        if outcome.commit:
            parts.append(f"undo on {visible(branch or 'HEAD')} with: git revert {outcome.commit[:7]}")
        return parts

    def _next_step(self, view: OutcomeView) -> str:
        """Return a sentence with the next command if failed blocks were left out; else empty."""
        if view.outcome.state is not State.PARTIAL or not view.outcome.retry_blocks or self.request.quiet:
            return ""
        command = retry_command(view, self.request.kept)
        return f"next: `{command}` prints what to send back to the model; then apply its corrected answer"

    def short_rows(self, view: OutcomeView, stream: TextIO | None) -> str:
        """Return a line for each row; with `-q` only for rows that are not ok."""
        quiet = self.request.quiet
        color = has_color(stream, self.request.color)
        return short.short_rows(view, color=color, full=not quiet, quiet=quiet, width=columns(stream))

    def _long_form(self, view: OutcomeView, stream: TextIO | None) -> str:
        from editblocks.report import console  # loaded late, because hooks and scripts use short rows

        request = self.request
        tried = console.levels(view, request.settings) if request.verbose else ""
        return console.report(
            view,
            unicode=terminal.has_unicode(stream),
            color=has_color(stream, request.color),
            kept=request.kept,
            width=columns(stream),
            levels=tried,
            offers_apply=request.command == "check",
            offers_retry=not self._next_step(view),  # else the next step names the command
        )
