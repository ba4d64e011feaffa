"""The golden pages of tests/data/report, and what each shows; `python tests/report_golden.py` writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import report_outcomes as outcomes

from editblocks.model import ApplyResult, Outcome, ReasonCode, State
from editblocks.report import console
from editblocks.report.message import commit_message

FOLDER = Path(__file__).parent / "data" / "report"


def _suggesting(outcome: Outcome) -> Outcome:
    commands = ("git mv src/old_tax.py src/pricing/legacy.py",)
    return replace(outcome, result=replace(outcome.result, shell_suggestions=commands))


def _message(outcome: Outcome, title: str | None = None, prefix: str = "") -> str:
    return commit_message(outcome.response, outcome.result, head=outcome.head, title=title, prefix=prefix)


def _console(outcome: Outcome) -> str:
    return f"{console.report(outcome)}{console.verdict(outcome)}\n"


EMPTY = outcomes.outcome(state=State.NOTHING, text="prose\n" * 58, result=ApplyResult())
SKIPPED_AFTER = outcomes.skipped(
    5, "src/api.py", ReasonCode.EARLIER_FAILURE, "block 4 of src/api.py failed, so this one was not tried"
)

FORMS: Mapping[str, Callable[[], str]] = {
    "console-failed.txt": partial(_console, _suggesting(outcomes.mockup(source=outcomes.STDIN))),
    "console-colour.txt": partial(console.report, outcomes.mockup(source=outcomes.FILE), color=True),
    "console-ascii.txt": partial(console.report, outcomes.mockup(source=outcomes.FILE), unicode=False),
    "console-checked.txt": partial(_console, outcomes.fine()),
    "console-applied.txt": partial(_console, outcomes.fine(state=State.APPLIED)),
    "console-partial.txt": partial(_console, outcomes.mockup(State.PARTIAL, commit=outcomes.COMMIT)),
    "console-nothing.txt": partial(_console, outcomes.nothing_left()),
    "console-empty.txt": partial(_console, EMPTY),
    "console-problem.txt": partial(
        _console,
        outcomes.outcome(
            outcomes.applied(1, "src/cart.py"),
            outcomes.problem(2),
            outcomes.problem(3, path="src/tax.py"),
            outcomes.ambiguous(4, "src/api.py"),
            SKIPPED_AFTER,
            source=outcomes.FILE,
        ),
    ),
    "short-failed.txt": lambda: "".join(
        (
            console.short_rows(outcomes.mockup(source=outcomes.FILE)),
            f"{console.short_summary(outcomes.mockup(source=outcomes.FILE))}\n",
        )
    ),
    "message-all.txt": partial(_message, outcomes.fine()),
    "message-part.txt": partial(_message, outcomes.mockup(State.PARTIAL), "Correct cart totals", "fix: "),
}


def main() -> None:
    """Write every page as it is now; read the diff before you commit it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, render in FORMS.items():
        (FOLDER / name).write_bytes(render().encode())


if __name__ == "__main__":
    main()
