"""The result of a command on stdout, for people or for a program.

Page: docs/reference/command-line.md, "what is printed".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TextIO

from editblocks.faces.cli.documents import document
from editblocks.faces.cli.request import Request
from editblocks.faces.common.terminal import (
    columns,
    has_color,
    has_unicode,
    is_long_form,
    is_terminal,
    say,
    show,
    show_exactly,
)
from editblocks.faces.common.trace import traces
from editblocks.report.diff import unified_diff
from editblocks.report.escape import visible
from editblocks.report.terminal import console, short
from editblocks.report.terminal.colors import painted_patch
from editblocks.report.view import OutcomeView
from editblocks.run.flow import Repo


class Output:
    """The result of one call: text is printed after each response, every other format at the end."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.count = 0

    def add(self, view: OutcomeView, receipt: str | None = None, branch: str | None = None) -> None:
        """Print the outcome of a response; `receipt` is the id for `undo`, `branch` that of the commit."""
        if self.request.format != "text" or (view.outcome.refusal is not None and not view.result.rows):
            return  # nothing was planned, so there is nothing to report but the refusal
        if len(self.request.sources) > 1 and self.request.command != "diff":
            show(f"{'' if self.count == 0 else chr(10)}{short.heading(view)}\n")
        self.count += 1
        if self.request.command == "diff":
            self._diff(view)
        else:
            self._report(view, receipt, branch)

    def close(self, views: Sequence[OutcomeView], open_repo: Callable[[], Repo]) -> None:
        """Print the formats that need every response."""
        if self.request.format == "text":
            if self.count > 1 and self.request.command != "diff":
                show(f"\n{short.total(views)}\n")
            return

        text = document(self.request, views, open_repo)
        if is_terminal(sys.stdout):
            show(text)
        else:  # a program reads UTF-8, whatever the locale
            show_exactly(text.encode("utf-8", "backslashreplace"), may_command=True)

    def _report(self, view: OutcomeView, receipt: str | None, branch: str | None) -> None:
        if self._is_long():
            show(self._long_form(view, sys.stdout))
        else:
            rows = self._short_rows(view, sys.stdout)
            show(f"{rows}{short.notes(view)}{short.short_summary(view)}\n")
        if self.request.command == "apply" and view.outcome.refusal is None and view.result.rows:
            show("; ".join(self._verdict(view, receipt, branch)) + "\n")

    def _verdict(self, view: OutcomeView, receipt: str | None, branch: str | None) -> Iterator[str]:
        """What was written, and how to undo it."""
        yield short.verdict(view)
        if view.outcome.written and view.outcome.removed_file:
            yield f"removed {visible(view.outcome.removed_file)}"
        if receipt:
            yield f"undo with: {self.request.undo(receipt)}"
        if view.outcome.commit:
            yield f"undo on {visible(branch or 'HEAD')} with: git revert {view.outcome.commit[:7]}"

    def _diff(self, view: OutcomeView) -> None:
        """The patch; not printed if a block failed, unless asked for, because half a patch looks like a whole one."""
        is_held = not view.result.ok and not self.request.is_partial
        if not is_held:
            self._patch(view)
        if self.request.verbose:
            self.explain(view)
        elif not view.result.ok:
            say(f"{self._short_rows(view, sys.stderr)}{short.short_summary(view)}\n")
        if is_held and view.result.rows:
            say(f"{short.no_patch(view)}\n")

    def _patch(self, view: OutcomeView) -> None:
        patch = unified_diff(view.result)
        if self._is_painted():
            show(painted_patch(patch))
        else:
            show_exactly(patch)

    def explain(self, view: OutcomeView) -> None:
        """Explain the outcome of a response on stderr, because stdout is for a program."""
        say(self._long_form(view, sys.stderr))

    def _is_painted(self) -> bool:
        """Whether a patch is for people: one in a pipe may be for git, whatever FORCE_COLOR says."""
        when = self.request.color
        return when == "always" or (is_terminal(sys.stdout) and has_color(sys.stdout, when))

    def _short_rows(self, view: OutcomeView, stream: TextIO | None) -> str:
        rows = short.short_rows if self.request.quiet else short.log_rows
        return rows(view, color=has_color(stream, self.request.color))

    def _is_long(self) -> bool:
        if self.request.quiet:
            return False
        return self.request.verbose or is_long_form(sys.stdout)

    def _long_form(self, view: OutcomeView, stream: TextIO | None) -> str:
        more: Mapping[int, Sequence[str]] = {}
        if self.request.verbose:
            more = traces(view.outcome, self.request.settings, self.request.root)
        is_color = has_color(stream, self.request.color)
        return console.report(
            view,
            unicode=has_unicode(stream),
            color=is_color,
            more=more,
            kept=self.request.kept,
            width=columns(stream),
        )
