"""The result of a command on stdout, for people or for a program.

Page: docs/reference/command-line.md, "what is printed".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TextIO

from editblocks.core.outcome import Outcome
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
from editblocks.run.flow import Repo


class Output:
    """The result of one call: text is printed after each response, every other format at the end."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.count = 0

    def add(self, outcome: Outcome, receipt: str | None = None, branch: str | None = None) -> None:
        """Print the outcome of a response; `receipt` is the id for `undo`, `branch` that of the commit."""
        if self.request.format != "text" or (outcome.refusal is not None and not outcome.result.rows):
            return  # nothing was planned, so there is nothing to report but the refusal
        if len(self.request.sources) > 1 and self.request.command != "diff":
            show(f"{'' if self.count == 0 else chr(10)}{short.heading(outcome)}\n")
        self.count += 1
        if self.request.command == "diff":
            self._diff(outcome)
        else:
            self._report(outcome, receipt, branch)

    def close(self, outcomes: Sequence[Outcome], open_repo: Callable[[], Repo]) -> None:
        """Print the formats that need every response."""
        if self.request.format == "text":
            if self.count > 1 and self.request.command != "diff":
                show(f"\n{short.total(outcomes)}\n")
            return

        text = document(self.request, outcomes, open_repo)
        if is_terminal(sys.stdout):
            show(text)
        else:  # a program reads UTF-8, whatever the locale
            show_exactly(text.encode("utf-8", "backslashreplace"), may_command=True)

    def _report(self, outcome: Outcome, receipt: str | None, branch: str | None) -> None:
        if self._is_long():
            show(self._long_form(outcome, sys.stdout))
        else:
            rows = self._short_rows(outcome, sys.stdout)
            show(f"{rows}{short.notes(outcome)}{short.short_summary(outcome)}\n")
        if self.request.command == "apply" and outcome.refusal is None and outcome.result.rows:
            show("; ".join(self._verdict(outcome, receipt, branch)) + "\n")

    def _verdict(self, outcome: Outcome, receipt: str | None, branch: str | None) -> Iterator[str]:
        """What was written, and how to undo it."""
        yield short.verdict(outcome)
        if outcome.written and outcome.removed_file:
            yield f"removed {visible(outcome.removed_file)}"
        if receipt:
            staged = ", then git add what it restores" if self.request.index else ""  # the journal is of files
            yield f"undo with: {self.request.undo(receipt)}{staged}"
        if outcome.commit:
            yield f"undo on {visible(branch or 'HEAD')} with: git revert {outcome.commit[:7]}"

    def _diff(self, outcome: Outcome) -> None:
        """The patch; not printed if a block failed, unless asked for, because half a patch looks like a whole one."""
        is_held = not outcome.result.ok and not self.request.is_partial
        if not is_held:
            self._patch(outcome)
        if self.request.verbose:
            self.explain(outcome)
        elif not outcome.result.ok:
            say(f"{self._short_rows(outcome, sys.stderr)}{short.short_summary(outcome)}\n")
        if is_held and outcome.result.rows:
            say(f"{short.no_patch(outcome)}\n")

    def _patch(self, outcome: Outcome) -> None:
        patch = unified_diff(outcome.result)
        if self._is_painted():
            show(painted_patch(patch))
        else:
            show_exactly(patch)

    def explain(self, outcome: Outcome) -> None:
        """Explain the outcome of a response on stderr, because stdout is for a program."""
        say(self._long_form(outcome, sys.stderr))

    def _is_painted(self) -> bool:
        """Whether a patch is for people: one in a pipe may be for git, whatever FORCE_COLOR says."""
        when = self.request.color
        return when == "always" or (is_terminal(sys.stdout) and has_color(sys.stdout, when))

    def _short_rows(self, outcome: Outcome, stream: TextIO | None) -> str:
        rows = short.short_rows if self.request.quiet else short.log_rows
        return rows(outcome, color=has_color(stream, self.request.color))

    def _is_long(self) -> bool:
        if self.request.quiet:
            return False
        return self.request.verbose or is_long_form(sys.stdout)

    def _long_form(self, outcome: Outcome, stream: TextIO | None) -> str:
        more: Mapping[int, Sequence[str]] = {}
        if self.request.verbose:
            more = traces(outcome, self.request.settings, self.request.root)
        is_color = has_color(stream, self.request.color)
        return console.report(
            outcome,
            unicode=has_unicode(stream),
            color=is_color,
            more=more,
            kept=self.request.kept,
            width=columns(stream),
        )
