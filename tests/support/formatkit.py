"""Reports of real plans, made in the same way as the command line makes them."""

from collections.abc import Mapping

from editblocks.core.outcome import Outcome, Response, Source
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.faces.cli.explain import meanings
from editblocks.report.json import Report
from editblocks.report.next_commands import next_commands
from editblocks.report.view import OutcomeView
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import ApplyRequest, settle

HEAD = "4be1d02c9f7e4a1b0d3c5e6f708192a3b4c5d6e7"
PATH = ".edits/cart.md"
CART = b"""from shop.money import Money


class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        price = sum(self.items)
        tax = 0
        return Money(price)
"""
TWICE = b"def read():\n    close()\n\n\ndef write():\n    close()\n"
NEAR = "        price = sum(self.items)\n        tax = 0\n        return Money(cents)\n"
ADD = "        self.items = list()\n"


def block(path: str, old: str, new: str) -> str:
    """Return a SEARCH/REPLACE block. `old` and `new` are lines with their line ends."""
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def report(
    text: str,
    files: Mapping[str, bytes],
    *,
    path: str | None = PATH,
    only: str | None = None,
    loose: bool = False,
    write: bool = False,
) -> Report:
    """Plan one response and return its report. `path` None means that it came from standard input."""
    source = Source("stdin", "stdin") if path is None else Source(path, "file", path=path)
    settings = Settings(mode="apply" if write else "check", matching="loose" if loose else "standard")
    repo = MemoryRepo(dict(files), head=HEAD)
    response = Response(text, source)
    select = None if only is None else Selection.read(only)
    order = ApplyRequest(response, settings, select, allow_partial=only is not None)
    outcome = settle(order, None, lambda: repo, sleep=lambda _: None)
    return of(outcome, path=path)


def of(outcome: Outcome, *, path: str | None = PATH) -> Report:
    """The report of an outcome."""
    following = next_commands(OutcomeView(outcome))
    made = Report(OutcomeView(outcome), "check", "all-or-nothing", {"kind": "worktree"}, "1.0.0", following, path=path)
    return made._replace(meanings=meanings())


EXAMPLE_FILES = {"src/cart.py": CART, "src/files.py": TWICE}
EXAMPLE = "\n".join(
    (
        block("src/cart.py", ADD.replace("list()", "[]"), ADD),
        block("src/cart.py", NEAR, NEAR.replace("sum(", "math.fsum(")),
        block("src/files.py", "    close()\n", "    close(True)\n"),
        block("src/pay.py", "a\n", "b\n"),
    )
)


def example(path: str | None = PATH) -> Report:
    """The report of four blocks: one fits, one nearly fits, one fits in two places, one names a missing file."""
    return report(EXAMPLE, EXAMPLE_FILES, path=path)
