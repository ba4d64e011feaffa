"""apply --index, --commit and --branch: what is written goes to the index, or into a commit."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from editblocks.core.errors import UsageError
from editblocks.core.outcome import Response
from editblocks.faces.cli.apply import Apply, carry_out
from editblocks.faces.cli.request import Request
from editblocks.faces.cli.writing import order_for
from editblocks.report.commit_message import title_fault
from editblocks.repos.stores.checkout import CheckoutRepo, IndexedRepo
from editblocks.repos.stores.objects import CommitReader, IndexRepo, ObjectsRepo
from editblocks.run.flow import Repo
from editblocks.run.message import describe
from editblocks.run.plan import ApplyRequest


def main(options: argparse.Namespace) -> int:
    """Write what fits; the worst exit code."""
    return carry_out(options, Committing)


class Committing(Apply):
    """Writes where the options say, or to the working tree."""

    describe = staticmethod(describe)

    @classmethod
    def opener(cls, request: Request) -> Callable[[], Repo]:
        root, limit = request.root, request.settings.max_file_bytes
        fault = None if request.message is None else title_fault(request.message, request.settings.commit_prefix)
        if fault is not None:  # such a title would be left out of the commit in silence
            raise UsageError(f"--message {fault}")
        if request.branch is not None:
            return lambda: ObjectsRepo(root, request.rev, branch=request.branch, max_file_bytes=limit)
        if request.commit:
            return lambda: CheckoutRepo(root, allow_ignored=request.allow_protected)
        if request.to_index:
            return lambda: IndexedRepo(root, allow_ignored=request.allow_protected)
        return super().opener(request)

    def order(self, response: Response) -> tuple[ApplyRequest, str]:
        return order_for(self.request, response, self._left_behind)

    def _left_behind(self, path: str) -> str:
        """A commit takes along only a response file that was committed, and the index only one that is staged."""
        root, (directory, _, name) = self.request.root, path.rpartition("/")
        if self.request.commit:
            return "" if name in CommitReader(root).entries(directory) else "committed"
        return "" if not self.request.to_index or name in IndexRepo(root).entries(directory) else "staged"
