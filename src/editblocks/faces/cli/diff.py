"""`editblocks diff`: print the patch of each response."""

import argparse
import sys

from editblocks.faces.cli.check import Output, carry_out, is_only_refused
from editblocks.faces.terminal import has_color, is_terminal, put_out, say, say_wrapped, show
from editblocks.report import short
from editblocks.report.diff import unified_diff
from editblocks.report.view import OutcomeView
from editblocks.report.wrapping import painted_patch


def main(options: argparse.Namespace) -> int:
    """Print the patches. Return the worst exit code."""
    return carry_out(options, PatchOutput)


class PatchOutput(Output):
    """Prints the patch of each response, one after the other."""

    def add(self, view: OutcomeView, record_id: str | None = None, branch: str | None = None) -> None:
        """Print the patch of a response. If a block failed, only with `--partial`, because half a patch looks whole."""
        del record_id, branch  # nothing is written
        request = self.request
        if request.format != "text" or is_only_refused(view):
            return
        result = view.result
        is_held = not result.ok and not request.is_partial
        patch = b"" if is_held else unified_diff(result)
        # A patch in a pipe may be for git, so FORCE_COLOR is ignored.
        is_colored = request.color == "always" or (is_terminal(sys.stdout) and has_color(sys.stdout, request.color))
        if is_colored and sys.stdout is not None:
            show(painted_patch(patch))
        else:
            put_out(patch)
        if request.verbose:
            self.explain(view)
        elif result.ok:
            say_wrapped(short.notes(view) + short.not_run(view))
        else:
            say(self.short_rows(view, sys.stderr))
            say_wrapped(f"{short.notes(view)}{short.not_run(view)}{short.short_summary(view)}\n")
        if is_held and result.rows:
            say_wrapped(f"{short.no_patch(view)}\n")
