"""The result of a command on stdout, for people or for a program.

Page: docs/reference/command-line.md, "what is printed".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from editblocks.core.phrases import join_words, plural
from editblocks.faces.cli.convert import convert
from editblocks.faces.cli.request import Request
from editblocks.faces.common import terminal
from editblocks.faces.common.terminal import has_color, is_terminal, say, show, show_exactly
from editblocks.report.diff import unified_diff
from editblocks.report.escape import visible
from editblocks.report.terminal import console, short
from editblocks.report.terminal.colors import painted_patch
from editblocks.report.terminal.levels import levels
from editblocks.report.view import OutcomeView
from editblocks.run.flow import Repo

_REASONS = 3  # why nothing is printed


class Output:
    """The result of one call: text is printed after each response, every other format at the end."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.count = 0
        self.is_incomplete = False  # the form of --to has no words for a ready block, or two answers change a file
        self._printed = set[str]()  # the files in the patches so far

    def add(self, view: OutcomeView, receipt: str | None = None, branch: str | None = None) -> None:
        """Print the outcome of a response; `receipt` is the id for `undo`, `branch` that of the commit."""
        request, is_patch = self.request, self.request.command in ("diff", "convert")
        if request.format != "text" or (view.outcome.refusal is not None and not view.result.rows):
            return  # nothing was planned, so there is nothing to report but the refusal
        if len(request.sources) > 1 and not is_patch:
            show(f"{'' if self.count == 0 else chr(10)}{short.heading(view)}\n")
        self.count += 1
        if is_patch:
            self._patch(view)
            return
        is_long = not request.quiet and (request.verbose or terminal.is_long_form(sys.stdout))
        rows = f"{self._short_rows(view, sys.stdout)}{short.notes(view)}{short.short_summary(view)}\n"
        show(self._long_form(view, sys.stdout) if is_long else rows)
        if request.command == "apply" and view.outcome.refusal is None and view.result.rows:
            show(f"{'; '.join(self.verdict(view, receipt, branch))}\n")

    def close(self, views: Sequence[OutcomeView], open_repo: Callable[[], Repo]) -> None:
        """Print the formats that need every response; `open_repo` opens the files again, to compute fixes."""
        if self.request.format == "text":
            if self.count > 1 and self.request.command not in ("diff", "convert"):
                show(f"\n{short.total(views)}\n")
            return
        from editblocks.faces.cli.documents import document  # and every writer with it

        text = document(self.request, views, open_repo)
        if is_terminal(sys.stdout):
            show(text)
        else:  # a program reads UTF-8, whatever the locale
            show_exactly(text.encode("utf-8", "backslashreplace"), may_command=True)

    def explain(self, view: OutcomeView) -> None:
        """Explain the outcome of a response on stderr, because stdout is for a program."""
        say(self._long_form(view, sys.stderr))

    def verdict(self, view: OutcomeView, receipt: str | None, branch: str | None) -> list[str]:
        """What was written, and how to undo it."""
        removed, commit = view.outcome.removed_files if view.outcome.written else (), view.outcome.commit
        return [
            short.verdict(view),
            *([f"removed {visible(join_words(removed))}"] if removed else []),
            *([f"undo with: {self.request.undo(receipt)}"] if receipt else []),
            *([f"undo on {visible(branch or 'HEAD')} with: git revert {commit[:7]}"] if commit else []),
        ]

    def _patch(self, view: OutcomeView) -> None:
        """The patch of `diff` or the text of `convert`.

        Nothing is printed if a block failed, unless that is asked for, because half of it looks like all of it.
        """
        request, result, reasons = self.request, view.result, list[str]()
        is_held, color, patch = not result.ok and not request.is_partial, request.color, b""
        shared = sorted(self._printed & set(result.contents))
        if not is_held and not shared and request.to in ("", "unified"):
            patch = unified_diff(result)
            self._printed |= set(result.contents)
        elif not is_held and not shared:
            patch, reasons = convert(result, request.to, request.settings)
        # one in a pipe may be for git, whatever FORCE_COLOR says
        if color == "always" or (is_terminal(sys.stdout) and has_color(sys.stdout, color)):
            show(painted_patch(patch))
        else:
            show_exactly(patch)
        if request.verbose:
            self.explain(view)
        elif not result.ok:
            say(f"{self._short_rows(view, sys.stderr)}{short.short_summary(view)}\n")
        if is_held and result.rows:
            what, others = ("nothing printed", "--only ready") if request.to else ("no patch", "--partial")
            say(f"{short.not_printed(view, what, others)}\n")
        elif shared:
            say(f"no patch: another answer changes {visible(shared[0])}, too; name one at a time\n")
        elif reasons:
            more = [f"and {plural(len(reasons) - _REASONS, 'other file')}"] if len(reasons) > _REASONS else []
            say(f"nothing printed: {visible('; '.join((*reasons[:_REASONS], *more)))}; use another form\n")
        self.is_incomplete = self.is_incomplete or bool(shared or reasons)

    def _short_rows(self, view: OutcomeView, stream: TextIO | None) -> str:
        return short.short_rows(view, color=has_color(stream, self.request.color), full=not self.request.quiet)

    def _long_form(self, view: OutcomeView, stream: TextIO | None) -> str:
        request = self.request
        return console.report(
            view,
            unicode=terminal.has_unicode(stream),
            color=has_color(stream, request.color),
            kept=request.kept,
            width=terminal.columns(stream),
            levels=levels(view, request.settings) if request.verbose else "",
        )
