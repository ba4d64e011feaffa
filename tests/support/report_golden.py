"""The golden pages of tests/data/report; `PYTHONPATH=tests python -m support.report_golden` writes them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from support import report_outcomes as outcomes
from support.project import DATA

from editblocks.core.blocks import Note
from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.mismatch import Mismatch
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import FrontMatter, Outcome, Refusal, Response, Source
from editblocks.core.selection import NOT_NAMED
from editblocks.report import console, short
from editblocks.report.commit_message import commit_message
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import LIMIT, status
from editblocks.report.view import OutcomeView

FOLDER = DATA / "report"


def _suggesting(outcome: Outcome) -> Outcome:
    commands = ("git mv src/old_tax.py src/pricing/legacy.py", "git rm src/old_api.py")
    return outcome._replace(result=outcome.result._replace(shell_suggestions=commands))


def _message(outcome: Outcome, title: str | None = None, prefix: str = "") -> str:
    response = outcome.response._replace(front=FrontMatter(title=title))
    return commit_message(response, outcome.result, head=outcome.head, prefix=prefix)


def _console(outcome: Outcome) -> str:
    return f"{console.report(OutcomeView(outcome))}{short.verdict(OutcomeView(outcome))}\n"


def _short(outcome: Outcome) -> str:
    return f"{short.short_rows(OutcomeView(outcome))}{short.short_summary(OutcomeView(outcome))}\n"


def _status(outcome: Outcome, *, checks_wait: bool = False, limit: int = LIMIT, reply: str | None = None) -> str:
    source = outcome.response.source
    links = replace(outcomes.LINKS, source=source.id, path=source.path)
    page = Page("1.0.0", links=links, branch="fix-cart", checks_wait=checks_wait, prefix=reply)
    return f"{status(OutcomeView(outcome), page, limit)}\n"


def _reply(outcome: Outcome) -> Callable[[], str]:
    """Return a function that renders the status on a pull request where commands such as `/apply` work."""
    return partial(_status, outcome, reply="/")


def _picked(*numbers: int) -> Outcome:
    """The six blocks after `/apply NUMBERS`: the other blocks are skipped as not selected."""
    shown = outcomes.mockup(State.PARTIAL, commit=outcomes.COMMIT)
    rest = frozenset(range(1, 7)).difference(numbers)
    results = [
        EditResult(row.block, EditStatus.SKIPPED, Mismatch(ReasonCode.NOT_SELECTED, NOT_NAMED))
        if row.block.number in rest
        else row
        for row in shown.result.results
    ]
    result = shown.result._replace(results=tuple(results))
    return shown._replace(result=result, not_selected=rest, retry_prompt="", retry_blocks=())


def _noted() -> Outcome:
    words = [Note("placeholder", 'the replacement says "rest unchanged": write it out')]
    words += [Note("divider-resolved", f"divider at line {line} dropped, see `notes.md`") for line in range(2, 13)]
    shown = outcomes.fine(2)
    return shown._replace(result=shown.result._replace(notes=tuple(words)))


def _many(count: int) -> Outcome:
    rows = [
        outcomes.applied(number, f"src/module_{number % 7}.py", span=(number * 10, number * 10 + 2))
        if number % 3
        else outcomes.no_match(number, f"tests/test_{number}.py")
        for number in range(1, count + 1)
    ]
    return outcomes.outcome(*rows)


def _doing(source: Source) -> Outcome:
    """A row for each operation that a block can have, in a response that was cut off."""
    forms = (("a\n", "b\n"), ("a\n", "a\nb\n"), ("a\n", ""), ("a\n", ""))
    rows = [
        outcomes.applied(number, f"src/{number}.py")._replace(block=outcomes.block(number, f"src/{number}.py", *form))
        for number, form in enumerate(forms, 1)
    ]
    rows[3] = rows[3]._replace(empties_file=True)
    shown = outcomes.outcome(*rows, outcomes.created(5, "src/5.py"), outcomes.problem(6), source=source)
    return shown._replace(result=shown.result._replace(unbalanced="6 SEARCH, 5 REPLACE"))


EMPTY = outcomes.outcome(state=State.NOTHING, text="prose\n" * 58, result=ApplyResult())
STALE = outcomes.outcome(outcomes.stale(1, "src/cart.py"))
STALE = STALE._replace(result=STALE.result._replace(base="a1b2c3d4e5f60718293a4b5c6d7e8f9012345678"))
READS = Refusal(
    ReasonCode.NOT_PERMITTED, "hubot has read access, applying needs write", "ask a maintainer for `/apply`"
)
WAITING = outcomes.fine()
UNDO = "51fe0b3a1b2c3d4e5f60718293a4b5c6d7e8f901"
CUT_OFF = outcomes.outcome(outcomes.applied(1, "src/cart.py"), outcomes.problem(2))
EDITED = Refusal(ReasonCode.SOURCE_EDITED, "the comment changed after the check", "look at the new result")
MOVED = Refusal(ReasonCode.HEAD_MOVED, "the branch moved 3 times during the run", "send `/apply` again")
RULES = Refusal(ReasonCode.PUBLISH_FAILED, 'GitHub says "Changes must be made through a pull request"')
FORKED = Refusal(
    ReasonCode.FORK, "this workflow does not write to hubot/shop", "in the fork, apply the patch from the status"
)
NO_ANSWER = Refusal(ReasonCode.UNAVAILABLE, "GitHub answered 502 three times", "run the job again")
SKIPPED_AFTER = outcomes.skipped(
    5, "src/api.py", ReasonCode.EARLIER_FAILURE, "block 4 of src/api.py failed, so this one was not tried"
)

FORMS: Mapping[str, Callable[[], str]] = {
    "console-failed.txt": partial(_console, _suggesting(outcomes.mockup(source=outcomes.STDIN))),
    "console-colour.txt": partial(console.report, OutcomeView(outcomes.mockup(source=outcomes.FILE)), color=True),
    "console-ascii.txt": partial(console.report, OutcomeView(outcomes.mockup(source=outcomes.FILE)), unicode=False),
    "console-checked.txt": partial(_console, outcomes.fine()),
    "console-applied.txt": partial(_console, outcomes.fine(state=State.APPLIED)),
    "console-partial.txt": partial(_console, outcomes.mockup(State.PARTIAL, commit=outcomes.COMMIT)),
    "console-nothing.txt": partial(_console, outcomes.nothing_left()),
    "console-empty.txt": partial(_console, EMPTY),
    "console-notes.txt": partial(_console, _noted()),
    "console-operations.txt": lambda: _console(_doing(outcomes.FILE)),
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
    "short-failed.txt": partial(_short, outcomes.mockup(source=outcomes.FILE)),
    "short-operations.txt": partial(_short, _doing(outcomes.FILE)),
    "status-failed.md": partial(_status, _suggesting(outcomes.mockup())),
    "status-checked.md": partial(_status, outcomes.fine()),
    "status-waiting.md": partial(
        _status,
        outcomes.refused(
            ReasonCode.NOT_PERMITTED, "hubot has read access, applying needs write; ask a maintainer", State.CHECKED
        ),
    ),
    "status-applied.md": partial(_status, outcomes.fine(state=State.APPLIED, commit=outcomes.COMMIT), checks_wait=True),
    "status-partial.md": partial(_status, outcomes.mockup(State.PARTIAL, commit=outcomes.COMMIT)),
    "status-unreadable.md": partial(_status, outcomes.outcome(outcomes.applied(1, "src/cart.py"), outcomes.problem(2))),
    "status-stale.md": partial(
        _status,
        STALE,
    ),
    "console-stale.txt": partial(_console, STALE),
    "short-stale.txt": partial(_short, STALE),
    "console-strategies.txt": lambda: _console(outcomes.every_strategy()),
    "status-strategies.md": lambda: _status(outcomes.every_strategy()),
    "console-moves.txt": lambda: _console(outcomes.moves(source=outcomes.FILE)),
    "short-moves.txt": lambda: _short(outcomes.moves(source=outcomes.FILE)),
    "status-moves.md": lambda: _status(outcomes.moves()),
    "status-moved.md": lambda: _status(outcomes.moves(State.APPLIED, outcomes.COMMIT)),
    "message-moves.txt": lambda: _message(outcomes.moves(State.CHECKED)),
    "prompt-moves.txt": lambda: f"{outcomes.moves().retry_prompt}\n",
    "status-edited.md": partial(
        _status,
        outcomes.refused(
            ReasonCode.SOURCE_EDITED, "the comment changed after the check; look at the new result", State.STALE
        ),
    ),
    "status-branch.md": partial(
        _status,
        outcomes.refused(
            ReasonCode.BRANCH_REFUSED, "main is the default branch; use a pull request from another branch"
        ),
    ),
    "status-fork.md": partial(
        _status,
        outcomes.refused(ReasonCode.FORK, "this workflow does not write to hubot/shop; apply the patch", State.CHECKED),
    ),
    "status-nothing.md": partial(_status, outcomes.nothing_left()),
    "status-notes.md": partial(_status, _noted()),
    "status-operations.md": lambda: _status(_doing(outcomes.COMMENT)),
    "reply-failed.md": _reply(_suggesting(outcomes.mockup())),
    "reply-failed-long.md": partial(_status, outcomes.mockup(), reply="/edits "),
    "reply-permission.md": _reply(WAITING._replace(refusal=READS)),
    "reply-waits.md": _reply(WAITING._replace(needs_command=True)),
    "reply-applied.md": partial(
        _status, outcomes.fine(state=State.APPLIED, commit=outcomes.COMMIT), checks_wait=True, reply="/"
    ),
    "reply-partial.md": _reply(outcomes.mockup(State.PARTIAL, commit=outcomes.COMMIT)),
    "reply-picked.md": _reply(_picked(1, 2)),
    "reply-skipped.md": _reply(_picked(1, 2, 3)._replace(skip=frozenset({4, 5, 6}))),
    "reply-undone.md": _reply(WAITING._replace(state=State.UNDONE, commit=UNDO)),
    "reply-edited.md": _reply(STALE._replace(state=State.STALE, refusal=EDITED)),
    "reply-edited-fine.md": _reply(WAITING._replace(state=State.STALE, refusal=EDITED)),
    "reply-moved.md": _reply(outcomes.mockup(State.STALE)._replace(refusal=MOVED)),
    "reply-rules.md": _reply(WAITING._replace(state=State.REFUSED, refusal=RULES)),
    "reply-cut-off.md": _reply(CUT_OFF),
    "reply-alone.md": _reply(outcomes.outcome(outcomes.stale(1, "src/cart.py"))),
    "reply-by-hand.md": _reply(
        outcomes.outcome(
            outcomes.applied(1, "src/cart.py"),
            outcomes.failed(2, ".github/workflows/ci.yml", ReasonCode.NOT_ALLOWED, "it can run code and is protected"),
        )
    ),
    "reply-fork.md": _reply(outcomes.fine(2, State.REFUSED)._replace(refusal=FORKED)),
    "reply-review.md": _reply(outcomes.outcome(outcomes.problem(1), source=outcomes.REVIEW)),
    "reply-thread.md": _reply(outcomes.outcome(outcomes.ambiguous(1, "src/api.py"), source=outcomes.REPLY)),
    "reply-file.md": _reply(outcomes.outcome(outcomes.problem(1), outcomes.stale(2, "a.py"), source=outcomes.EDITS)),
    "reply-file-applied.md": _reply(
        outcomes.fine(2, State.APPLIED, outcomes.COMMIT)._replace(
            response=Response("x", outcomes.EDITS),
            removed_file=".edits/cart.md",
        )
    ),
    "reply-file-removed.md": _reply(
        outcomes.nothing_left(2)._replace(
            state=State.APPLIED,
            commit=outcomes.COMMIT,
            response=Response("x", outcomes.EDITS),
            removed_file=".edits/cart.md",
        )
    ),
    "reply-nothing.md": _reply(outcomes.nothing_left()),
    **{f"reply-ladder-{limit}.md": partial(_status, _many(30), limit=limit, reply="/") for limit in (7_500, 1_000)},
    "status-local.md": lambda: f"{status(OutcomeView(outcomes.mockup(source=outcomes.FILE)), Page('1.0.0'))}\n",
    "status-no-rows.md": partial(_status, EMPTY._replace(state=State.REFUSED, head=None, refusal=NO_ANSWER)),
    **{f"ladder-{limit}.md": partial(_status, _many(30), limit=limit) for limit in (10_000, 7_500, 2_300, 900)},
    "message-all.txt": partial(_message, outcomes.fine()),
    "message-part.txt": partial(_message, outcomes.mockup(State.PARTIAL), "Correct cart totals", "fix: "),
}


def main() -> None:
    """Write the current text of every page. Read the diff before you commit it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, render in FORMS.items():
        (FOLDER / name).write_bytes(render().encode())


if __name__ == "__main__":
    main()
