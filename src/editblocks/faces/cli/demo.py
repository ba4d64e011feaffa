"""`editblocks demo`: turn a comment on a made-up pull request into one commit and a status, offline.

It is the flow of the action, with a store in memory instead of GitHub.
"""

import argparse
import re
import sys

from editblocks.core.outcome import Response, Source
from editblocks.core.settings import Settings
from editblocks.faces.terminal import FINE, columns, printing, show
from editblocks.report.console import report
from editblocks.report.diff import unified_diff
from editblocks.report.view import OutcomeView
from editblocks.report.wrapping import wrapped
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import ApplyRequest, settle

_ABOUT = "A comment on a pull request, with `partial: true`: two blocks fit and are committed, one does not."
_BAR = "  │ "
_SHORT_ID = re.compile("([0-9a-f]{7})[0-9a-f]{33}")  # the part of an id that people write
HEAD = "4be1d02".ljust(40, "0")
FILES = {
    "cart.py": b"""\
TAX = 0.15


def total(prices):
    return sum(prices)
"""
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
    """Handle one comment about one file and show the result. Return the exit code."""
    repo = MemoryRepo(FILES, head=HEAD)
    response = Response(COMMENT, Source("issuecomment-1", "comment", author="octocat"))
    request = ApplyRequest(response, Settings(partial=True), allow_partial=True)
    outcome = settle(request, None, lambda: repo)
    width = columns(sys.stdout)
    room = None if width is None else width - len(_BAR)
    answer = report(OutcomeView(outcome), width=room, offers_retry=False)  # the prompt is shown below
    parts = {
        "octocat says": wrapped(COMMENT, room, ""),
        "editblocks answers": answer,
        "What to tell the model about block 2 (retry prompt)": wrapped(outcome.retry_prompt, room, ""),
        "The message of the commit": wrapped(repo.commits[0][1], room, ""),
        "What the commit changes": _SHORT_ID.sub(r"\1", unified_diff(outcome.result).decode()),
    }
    with printing():
        show(f"{wrapped(_ABOUT, width, '')}\n")
        for title, text in parts.items():
            show(wrapped(f"\n{title}:\n", width, ""))
            for line in text.splitlines():
                show(f"{_BAR}{line}".rstrip() + "\n")
    return FINE
