"""apply: what `check` does, and then write; or ask about each block first."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from editblocks.core.errors import RepoError, UsageError
from editblocks.core.outcome import Response
from editblocks.faces.cli.check import Call, but
from editblocks.faces.cli.output import Output
from editblocks.faces.cli.request import Request
from editblocks.faces.cli.writing import Files, order_for
from editblocks.faces.common.terminal import message, printing
from editblocks.faces.interactive.dialog import choose
from editblocks.report.commit_message import title_fault
from editblocks.report.terminal.short import verdict
from editblocks.run.flow import settle


def main(options: argparse.Namespace) -> int:
    """Write what fits; the worst exit code. All responses are read before the first is planned."""
    if options.format == "json" and len(options.sources) > 1:
        raise UsageError("--format json holds one response; use jsonl, or name one at a time")
    request = Request.of(options)
    fault = None if request.message is None else title_fault(request.message, request.settings.commit_prefix)
    if fault is not None:  # such a title would be left out of the commit in silence
        raise UsageError(f"--message {fault}")
    call = _Apply(request, request.responses())
    try:
        with printing():
            call.carry_out()
    except RepoError as error:
        raise RepoError(but(call.done, error.message), error.code) from error
    except KeyboardInterrupt:
        if call.done:
            message(f"interrupted; {'; '.join(call.done)}")
        raise
    return call.exit_code()


class _Apply(Call):
    def __init__(self, request: Request, responses: Sequence[Response]) -> None:
        self._files = Files(request)
        super().__init__(request, responses, Output(request), self._files)

    def settle(self, response: Response) -> None:
        request, files = self.request, self._files
        order, stays = order_for(request, response)
        if request.interactive:
            order, self.is_over = choose(order, files, color=request.color, heading=len(self.responses) > 1)
        files.removes = () if order.select is not None and order.select.skip else order.removes
        outcome = settle(order, files, files, sleep=time.sleep)
        view = self.view_of(outcome)
        receipt = files.receipt if outcome.written else None
        if outcome.written:
            self.done.append(f"{verdict(view)}{f' (undo with: {request.undo(receipt)})' if receipt else ''}")
        self.output.add(view, receipt, request.branch or files.started_on)
        if stays and outcome.written and outcome.result.ok:
            message(stays)
