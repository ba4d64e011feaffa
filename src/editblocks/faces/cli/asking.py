"""apply -i: ask about each block, then write what was chosen."""

from __future__ import annotations

import argparse

from editblocks.core.outcome import Response
from editblocks.faces.cli.apply import carry_out
from editblocks.faces.cli.committing import Committing
from editblocks.faces.interactive.dialog import choose
from editblocks.run.plan import ApplyRequest


def main(options: argparse.Namespace) -> int:
    """Write what is chosen; the worst exit code."""
    return carry_out(options, Asking)


class Asking(Committing):
    """Asks about the blocks of each response before it is written."""

    def order(self, response: Response) -> tuple[ApplyRequest, str]:
        order, stays = super().order(response)
        order, self.is_over = choose(order, self.files, color=self.request.color, heading=len(self.responses) > 1)
        return order, stays
