"""apply: what `check` does, and then write, to the working tree. `committing` writes to git, `asking` asks first."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

from editblocks.core.errors import RepoError
from editblocks.core.outcome import Response
from editblocks.faces.cli.check import Call, but
from editblocks.faces.cli.output import Output
from editblocks.faces.cli.request import Request
from editblocks.faces.cli.writing import Files, folder, order_for
from editblocks.faces.common.terminal import message, printing
from editblocks.report.terminal.short import verdict
from editblocks.run.flow import Describe, Repo, settle
from editblocks.run.plan import ApplyRequest


def main(options: argparse.Namespace) -> int:
    """Write what fits; the worst exit code."""
    return carry_out(options, Apply)


def carry_out(options: argparse.Namespace, kind: type[Apply]) -> int:
    """Read all responses, and then handle one after the other."""
    request = Request.of(options)
    files = Files(request, kind.opener(request))  # what is wrong there is said before anything is read
    call = kind(request, request.responses(), files)
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


class Apply(Call):
    """Writes to the working tree."""

    describe: Describe | None = None  # no commit is made

    def __init__(self, request: Request, responses: Sequence[Response], files: Files) -> None:
        self.files = files
        super().__init__(request, responses, Output(request), files)

    @classmethod
    def opener(cls, request: Request) -> Callable[[], Repo]:
        """How to open the files to change. Raises `UsageError` for a place that holds none."""
        return folder(request)

    def order(self, response: Response) -> tuple[ApplyRequest, str]:
        """What to do with one response, and why its response file stays, if it does."""
        return order_for(self.request, response)

    def settle(self, response: Response) -> None:
        request, files = self.request, self.files
        order, stays = self.order(response)
        files.response_file = order.response_file
        if order.select is not None and order.select.skip:
            files.response_file = None
        outcome = settle(order, files, files, describe=self.describe, sleep=time.sleep)
        view = self.view_of(outcome)
        receipt = files.receipt if outcome.written else None
        if outcome.written:
            # From now on the branch is there, for the commands that are offered.
            self.output.request = self.request = request._replace(is_new_branch=False)
            self.done.append(f"{verdict(view)}{f' (undo with: {request.undo(receipt)})' if receipt else ''}")
        self.output.add(view, receipt, request.branch or files.started_on)
        if outcome.written:
            files.say_what_is_not_kept()
        if stays and outcome.written and outcome.result.ok:
            message(stays)
