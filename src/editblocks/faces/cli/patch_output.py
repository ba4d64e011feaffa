"""diff and convert: the patch of `diff`, and the blocks of `convert` in another form, on stdout."""

from __future__ import annotations

import argparse
import sys

from editblocks.core.phrases import plural
from editblocks.faces.cli.check import carry_out
from editblocks.faces.cli.convert import convert
from editblocks.faces.cli.output import Output
from editblocks.faces.cli.request import Request
from editblocks.faces.common.terminal import has_color, is_terminal, say, show, show_exactly, tell
from editblocks.report.diff import unified_diff
from editblocks.report.escape import visible
from editblocks.report.terminal import short
from editblocks.report.terminal.colors import painted_patch
from editblocks.report.view import OutcomeView

_REASONS = 3  # why nothing is printed


def main(options: argparse.Namespace) -> int:
    """Carry out `diff` or `convert`; the worst exit code."""
    return carry_out(options, PatchOutput)


class PatchOutput(Output):
    """The patch of each response, one after the other.

    It `is_incomplete` if the form of --to has no words for a ready block, or two answers change a file.
    """

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._printed = set[str]()  # the files in the patches so far

    def add(self, view: OutcomeView, receipt: str | None = None, branch: str | None = None) -> None:
        """Print the patch of a response, unless nothing was planned."""
        del receipt, branch  # nothing is written
        if self.request.format == "text" and (view.outcome.refusal is None or view.result.rows):
            self._patch(view)

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
            say(f"{self.short_rows(view, sys.stderr)}{short.short_summary(view)}\n")
        if is_held and result.rows:
            what, others = ("nothing printed", "--only ready") if request.to else ("no patch", "--partial")
            tell(f"{short.not_printed(view, what, others)}\n")
        elif shared:
            tell(f"no patch: another answer changes {visible(shared[0])}, too; name one at a time\n")
        elif reasons:
            more = [f"and {plural(len(reasons) - _REASONS, 'other file')}"] if len(reasons) > _REASONS else []
            tell(f"nothing printed: {visible('; '.join((*reasons[:_REASONS], *more)))}; use another form\n")
        self.is_incomplete = self.is_incomplete or bool(shared or reasons)
