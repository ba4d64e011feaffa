"""`editblocks demo`: a comment on a made-up pull request becomes one commit and a status, offline.

The same flow as in the action, with a store in memory for GitHub's and the terminal for the conversation.
"""

from __future__ import annotations

import argparse

from editblocks.core.outcome import Response, Source
from editblocks.core.settings import Settings
from editblocks.faces.common.terminal import FINE, printing, show
from editblocks.report.diff import unified_diff
from editblocks.report.terminal.console import report
from editblocks.report.view import OutcomeView
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run.flow import settle
from editblocks.run.message import describe
from editblocks.run.plan import ApplyRequest

HEAD = "4be1d02".ljust(40, "0")
FILES = {
    "cart.py": b"""\
TAX = 0.15


def total(prices):
    return sum(prices)
""",
}
COMMENT = """\
The total lacks the tax, and a discount deserves a file of its own:

````python
cart.py
<<<<<<< SEARCH
    return sum(prices)
=======
    return sum(prices) * (1 + TAX)
>>>>>>> REPLACE

<<<<<<< SEARCH
TAX = 0.16
=======
TAX = 0.19
>>>>>>> REPLACE
````

````python
discount.py
<<<<<<< SEARCH
=======
def discount(total):
    return total * 0.9
>>>>>>> REPLACE
````
"""


def main(_: argparse.Namespace) -> int:
    """Handle one comment on one file, and show all that comes of it; the exit code."""
    repo = MemoryRepo(FILES, head=HEAD)
    response = Response(COMMENT, Source("issuecomment-1", "comment", author="octocat"))
    order = ApplyRequest(response, Settings(partial=True), allow_partial=True)
    outcome = settle(order, None, lambda: repo, describe=describe)
    answer = report(OutcomeView(outcome._replace(retry_blocks=())))  # the prompt stands below, no command writes it
    parts = {
        "octocat says": COMMENT,
        "editblocks answers": answer,
        "What to tell the model of block 2 (retry prompt)": outcome.retry_prompt,
        "The message of the commit": repo.commits[0][1],
        "What the commit changes": unified_diff(outcome.result).decode(),
    }
    with printing():
        show("A comment on a pull request, with `partial: true`: the good blocks need not wait for the bad one.\n")
        for title, text in parts.items():
            show(f"\n{title}:\n" + "".join(f"  │ {line}".rstrip() + "\n" for line in text.splitlines()))
    return FINE
