"""What a status tells people to type: only what would work, in words that the commands' reader takes."""

import re

import pytest
from support import report_outcomes as outcomes
from support.project import DOCS

from editblocks.applying.engine import Options
from editblocks.core.blocks import Problem
from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.mismatch import Mismatch
from editblocks.core.model import EditResult
from editblocks.core.outcome import SUGGESTIONS, Outcome, Refusal, Response, Source
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.report.findings import marks
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import status
from editblocks.report.status.next_step import LINE
from editblocks.report.view import OutcomeView
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import run

REST = "`/edits help` lists all commands."
FINE, NEW = outcomes.applied(1, "a.py"), outcomes.created(2, "b.py")
TWO, NEAR = outcomes.ambiguous(3, "c.py"), outcomes.no_match(4, "d.py")
NOWHERE = outcomes.failed(5, "e.py", ReasonCode.NO_MATCH, "nothing like it")
THERE = outcomes.skipped(1, "a.py", ReasonCode.ALREADY_APPLIED, "the new lines are there")
CUT = outcomes.problem(3)
BEHIND = outcomes.behind(6, "c.py", 3)
CHOSEN = outcomes.applied(6, "f.py", span=(47, 49))._replace(chosen=True)


def _left(number: int) -> EditResult:
    return EditResult(
        outcomes.block(number, "g.py"), EditStatus.SKIPPED, Mismatch(ReasonCode.NOT_SELECTED, "not named")
    )


def _of(*rows: EditResult | Problem, skip: tuple[int, ...] = (), state: State = State.FAILED) -> Outcome:
    made = outcomes.outcome(*rows, state=state, commit=outcomes.COMMIT if state is State.PARTIAL else None)
    left = frozenset(row.block.number for row in made.result.results if row.code is ReasonCode.NOT_SELECTED)
    return made._replace(skip=frozenset(skip), not_selected=left)


def _refused(code: ReasonCode, *rows: EditResult | Problem) -> Outcome:
    return _of(*rows, state=State.REFUSED)._replace(refusal=Refusal(code, "a reason"))


READY = "That commits blocks 1 and 2."
LEFT = "`/retry` also checks the blocks that were left out."
STEPS = (
    ("all are ready", _of(FINE, NEW), "/apply", f"{READY} {REST}"),
    ("one is ready", _of(FINE), "/apply", f"That commits block 1. {REST}"),
    ("one fits twice", _of(FINE, NEW, TWO), "/apply ready",
     f"{READY} `/apply 1-2,3@12` also puts block 3 at line 12, `/skip 3` leaves block 3 out. {REST}"),
    ("one is nearly there", _of(FINE, NEW, NEAR), "/apply ready",
     f"{READY} `/apply 4@30` merges block 4 into lines 30-36, `/skip 4` leaves block 4 out. {REST}"),
    ("one is nowhere", _of(FINE, NEW, NOWHERE), "/apply ready", f"{READY} `/skip 5` leaves block 5 out. {REST}"),
    ("two failed", _of(FINE, TWO, NOWHERE), "/apply ready",
     f"That commits block 1. `/apply 1,3@12` also puts block 3 at line 12, `/skip 5` leaves block 5 out. {REST}"),
    ("nothing is ready", _of(TWO, NEAR), "/apply 3@12",
     f"That puts block 3 at line 12. `/apply 4@30` merges block 4 into lines 30-36. {REST}"),
    ("nothing is ready, one is near", _of(NEAR), "/apply 4@30", f"That merges block 4 into lines 30-36. {REST}"),
    ("left out for good", _of(FINE, NEW, _left(3), skip=(3,)), "/apply",
     f"{READY} {REST}"),
    ("left out this time", _of(FINE, NEW, _left(3)), "/apply 1-2",
     f"{READY} {LEFT} {REST}"),
    ("a place was chosen", _of(FINE, CHOSEN), "/apply 1,6@48",
     f"That commits blocks 1 and 6. {REST}"),
    ("nothing was chosen that is not there", _of(THERE, _left(2), state=State.CHECKED), "/apply 2",
     f"That commits block 2, if it fits. {REST}"),
    ("in part, one is left", _of(FINE, _left(2), state=State.PARTIAL), "/apply 2",
     f"That commits block 2, if it fits. {REST}"),
    ("in part, one fits twice", _of(FINE, TWO, state=State.PARTIAL), "/apply 3@12",
     f"That puts block 3 at line 12. {REST}"),
    ("edited", _refused(ReasonCode.SOURCE_EDITED, FINE), "/apply", f"That commits block 1. {REST}"),
    ("not permitted", _refused(ReasonCode.NOT_PERMITTED, FINE, NEAR), "/apply ready",
     f"That commits block 1. `/apply 4@30` merges block 4 into lines 30-36, `/skip 4` leaves block 4 out. {REST}"),
    ("the branch moved", _refused(ReasonCode.HEAD_MOVED, FINE), "/apply", "The blocks are checked again first."),
    ("it moved below a chosen place", _refused(ReasonCode.HEAD_MOVED, CHOSEN), "/retry",
     "That checks the blocks again."),
    ("a chosen place is gone", _refused(ReasonCode.STALE, CHOSEN), "/retry", "That checks the blocks again."),
    ("GitHub was away", _refused(ReasonCode.UNAVAILABLE), "/retry", "That checks the blocks again."),
    ("skipped after a failure", _of(FINE, outcomes.skipped(2, "x.py", ReasonCode.EARLIER_FAILURE, "not tried")),
     "/apply ready", f"That commits block 1. {REST}"),
    ("one fits without a failed one", _of(FINE, TWO, BEHIND), "/apply 1,6",
     "That commits blocks 1 and 6. `/apply 1,6,3@12` also puts block 3 at line 12, `/skip 3` leaves block 3 out."
     f" {REST}"),
    ("only that fits", _of(TWO, BEHIND), "/apply 6",
     f"That commits block 6. `/apply 6,3@12` also puts block 3 at line 12, `/skip 3` leaves block 3 out. {REST}"),
    ("cut off", _of(FINE, CUT), "/apply ready",
     f"That commits block 1. `/skip 3` leaves block 3 out. {REST} The answer was probably cut off;"
     " ask for block 3 again with the prompt below and post the answer as a new comment."),
    ("a protected file", _of(FINE, outcomes.failed(2, ".git/x", ReasonCode.UNSAFE_PATH, "no")), "/apply ready",
     f"That commits block 1. `/skip 2` leaves block 2 out. {REST}"
     " A model cannot correct block 2; make the change by hand."),
)  # fmt: skip


@pytest.mark.parametrize(("outcome", "command", "after"), [step[1:] for step in STEPS], ids=[step[0] for step in STEPS])
def test_the_next_step_is_a_line_to_type_and_what_it_does(outcome: Outcome, command: str, after: str) -> None:
    shown = status(OutcomeView(outcome), Page("1", prefix="/"))
    assert f"replies with this line:\n\n```text\n{command}\n```\n\n{after}\n" in shown
    long = status(OutcomeView(outcome), Page("1", prefix="/edits "))
    assert f"\n```text\n/edits {command[1:]}\n```\n" in long
    assert re.search("`/(?!edits )", long) is None


TEXTS = (
    ("a fork, one fits without a failed one", _refused(ReasonCode.FORK, FINE, TWO, BEHIND),
     "ask for block 3 again with the prompt below and post the answer"
     " as a new comment, together with the 2 that fit. On the branch, `editblocks apply - --only 1,6`"
     " applies only the 2 that fit."),
    ("all of it cut off", _of(CUT), "the answer was probably cut off; ask for block 3 again with the prompt below"
     f" and post the answer as a new comment. When the branch has changed, `/retry` checks again. {REST}"),
    ("nothing near", _of(NOWHERE), "ask for block 5 again with the prompt below and post the answer as a new comment."
     f" When the branch has changed, `/retry` checks again. {REST}"),
    ("nothing to mend", _of(outcomes.failed(2, ".git/x", ReasonCode.UNSAFE_PATH, "no")),
     f"a model cannot correct block 2; make the change by hand. {REST}"),
    ("a limit", _refused(ReasonCode.TOO_LARGE), "look at the log, then post the blocks again as a new comment."),
    ("a fork", _refused(ReasonCode.FORK, FINE, TWO), "ask for block 3 again with the prompt below and post the answer"
     " as a new comment, together with the one that fits. On the branch, `editblocks apply - --only ready`"
     " applies only the one that fits."),
    ("closed", _refused(ReasonCode.CLOSED, FINE),
     "copy the comment and run `editblocks apply -` on a branch of your own."),
    ("no block", outcomes.outcome(), "post edit blocks as a new comment."),
    ("nobody knows", _refused(ReasonCode.UNAVAILABLE, FINE)._replace(unresolved=outcomes.COMMIT),
     "look at the branch, then run the job again; it finds the commit or makes it."),
)  # fmt: skip


@pytest.mark.parametrize(("outcome", "step"), [text[1:] for text in TEXTS], ids=[text[0] for text in TEXTS])
def test_where_no_line_helps_the_next_step_is_a_sentence(outcome: Outcome, step: str) -> None:
    shown = status(OutcomeView(outcome), Page("1", prefix="/"))
    assert f"\n**Next:** {step}\n" in shown
    assert "with this line" not in shown


DONE = (
    outcomes.fine(state=State.APPLIED, commit=outcomes.COMMIT),
    outcomes.nothing_left(),
    _of(FINE, _left(2), skip=(2,), state=State.PARTIAL),
    outcomes.fine()._replace(state=State.UNDONE, commit=outcomes.COMMIT),
    outcomes.outcome()._replace(state=State.UNDONE, commit=outcomes.COMMIT),
    outcomes.fine(2, State.REFUSED)._replace(refusal=Refusal(ReasonCode.FORK, "not written to")),
)


@pytest.mark.parametrize("outcome", DONE, ids=[outcome.state.value for outcome in DONE])
def test_where_all_is_done_there_is_no_next_step(outcome: Outcome) -> None:
    assert "**Next:**" not in status(OutcomeView(outcome), Page("1", prefix="/"))


def _alternating(count: int) -> Outcome:
    rows = [
        outcomes.ambiguous(number, "c.py") if number % 2 else outcomes.applied(number, f"{number}.py")
        for number in range(1, count + 1)
    ]
    return outcomes.outcome(*rows)


LONG = (
    *(_alternating(count) for count in (3, 40, 100, 500)),
    _alternating(500)._replace(refusal=Refusal(ReasonCode.SOURCE_EDITED, "x")),
    *(_of(*map(_left, range(1, 2 * count, 2))) for count in (3, 250)),
    _of(*(row._replace(chosen=True) for row in _alternating(500).result.results if row.ok)),
    _of(*(outcomes.applied(number, "a.py") for number in range(1, 500, 2)), CUT),
)


@pytest.mark.parametrize("reply", ["/", "/edits "])
@pytest.mark.parametrize("outcome", LONG, ids=range(len(LONG)))
@pytest.mark.long(after=2)
def test_every_line_to_type_is_short_enough_and_a_selector(outcome: Outcome, reply: str) -> None:
    shown = status(OutcomeView(outcome), Page("1", prefix=reply))
    typed = re.findall(rf"^{reply}apply.*$", shown, re.MULTILINE) + re.findall(f"`({reply}apply[^`]*)`", shown)
    numbers = {row.number if isinstance(row, Problem) else row.block.number for row in outcome.result.rows}
    for line in typed:
        assert len(line) <= LINE
        words = line.removeprefix(f"{reply}apply").strip()
        assert not words or Selection.read(words).numbers <= numbers
    assert re.search(r"\*\*Next:\*\* \S", shown) is not None


ROLES = (
    _of(FINE, state=State.CHECKED),
    _of(FINE, TWO),
    _refused(ReasonCode.HEAD_MOVED, FINE),
    _refused(ReasonCode.PUBLISH_FAILED, FINE),
)


@pytest.mark.parametrize("outcome", ROLES)
def test_the_role_that_is_asked_for_is_named(outcome: Outcome) -> None:
    page = Page("1", prefix="/", role="maintain")
    assert "someone with maintain access replies" in status(OutcomeView(outcome), page)
    assert "someone with write access replies" in status(OutcomeView(outcome), Page("1", prefix="/"))


def test_a_place_in_a_file_that_was_written_is_not_offered() -> None:
    shown = status(OutcomeView(_of(FINE, outcomes.ambiguous(2, "a.py"), state=State.PARTIAL)), Page("1", prefix="/"))
    assert "/apply" not in shown
    assert "**Next:** ask for block 2 again" in shown
    near = status(OutcomeView(_of(FINE, outcomes.no_match(2, "a.py"), state=State.PARTIAL)), Page("1", prefix="/"))
    assert "| 2 | `a.py:30-36` at `4be1d02` | ❌ failed |" in near


UNDONE = outcomes.fine()._replace(state=State.UNDONE, commit=outcomes.COMMIT, written=True)


def test_after_an_undo_the_table_is_about_the_commit_that_took_back() -> None:
    shown = status(OutcomeView(UNDONE), Page("1", links=outcomes.LINKS, prefix="/"))
    assert "### Undone in 9d0c2aa\n" in shown
    assert "`/apply` applies these blocks again." in shown
    assert f"[`src/cart.py:11-13`](https://github.com/acme/shop/blob/{outcomes.COMMIT}/src/cart.py#L11-L13)" in shown
    assert "| ✅ ready |" in shown
    assert outcomes.HEAD not in shown.split("\n", 1)[1]


def test_what_works_again_is_offered_only_if_it_does() -> None:
    failed = _of(FINE, NOWHERE, state=State.UNDONE)._replace(commit=outcomes.COMMIT)
    shown = status(OutcomeView(failed), Page("1", prefix="/"))
    assert "applies these blocks again" not in shown
    assert "\n/apply ready\n" in shown
    assert "applies these blocks again" not in status(OutcomeView(UNDONE), Page("1"))
    assert "### Undone\n" in status(OutcomeView(UNDONE._replace(commit=None)), Page("1", prefix="/"))
    there = outcomes.nothing_left()._replace(state=State.UNDONE, commit=outcomes.COMMIT)
    assert " Checked again: 4 skipped. If you work on this branch, run " in status(
        OutcomeView(there), Page("1", prefix="/")
    )


HEADLINES = (
    (_of(FINE, _left(2), skip=(2,), state=State.CHECKED), "/", "Edit blocks: 1 ready, waiting for `/apply`"),
    (_of(FINE, state=State.CHECKED), "/edits ", "Edit blocks: 1 ready, waiting for `/edits apply`"),
    (_of(FINE, state=State.CHECKED), None, "Edit blocks: 1 ready, nothing committed"),
    (_refused(ReasonCode.NOT_PERMITTED, FINE), "/", "Edit blocks: 1 ready, waiting for `/apply`"),
    (_refused(ReasonCode.SOURCE_EDITED), "/", "Nothing committed: the comment was edited after the check"),
    (_refused(ReasonCode.STALE, CHOSEN), "/", "Nothing committed: a file changed after a place in it was chosen"),
    (outcomes.nothing_left(1)._replace(state=State.CHECKED), "/",
     "Nothing to do: the branch already has this change"),
    (_of(_left(1), skip=(1,), state=State.CHECKED), "/", "Nothing to apply: 1 block left out"),
    (_of(THERE, _left(2), state=State.CHECKED), "/", "Nothing to apply: 1 of 2 edit blocks left out"),
    (_of(FINE, _left(2), state=State.PARTIAL), "/", "Applied 1 of 2 edit blocks in 9d0c2aa"),
    (outcomes.fine(2, State.APPLIED)._replace(commit=outcomes.COMMIT), "/", "Applied 2 edit blocks in 9d0c2aa"),
    (_of(THERE, state=State.APPLIED)._replace(commit=outcomes.COMMIT, removed_file=".edits/a.md"), "/",
     "Response file removed in 9d0c2aa: the branch already has its changes"),
    (UNDONE, "/", "Undone in 9d0c2aa"),
    (_of(FINE, NOWHERE), "/", "Nothing committed: 1 of 2 edit blocks failed"),
    (_of(CUT), "/", "Nothing committed: 1 of 1 edit block cannot be read"),
    (_of(_left(1), _left(2)), "/", "Nothing to apply: 2 blocks left out"),
    (_of(Problem(1, 2, 2, ReasonCode.BAD_CONFIG, "unknown key")), "/",
     "Nothing committed: the front matter has an error"),
    (_refused(ReasonCode.HEAD_MOVED, FINE), "/", "Nothing committed: the branch moved during the run"),
    (_refused(ReasonCode.PUBLISH_FAILED, FINE), "/", "Nothing committed: GitHub refused the commit"),
    (_refused(ReasonCode.BRANCH_REFUSED, FINE), "/", "Nothing committed: editblocks does not write to this branch"),
    (_refused(ReasonCode.CLOSED, FINE), "/", "Nothing committed: the pull request is not open"),
    (_refused(ReasonCode.BAD_CONFIG, FINE), "/", "Nothing committed: the configuration has an error"),
    (_refused(ReasonCode.TOO_LARGE), "/", "Nothing committed: the comment is over a limit"),
    (_refused(ReasonCode.SELF_CHECK, FINE), "/", "Nothing committed: the result differs from the plan"),
    (_refused(ReasonCode.UNAVAILABLE, FINE), "/", "Nothing committed: the run ended early"),
    (_refused(ReasonCode.FORK, FINE), "/", "Edit blocks: 1 ready, for the author of this fork to apply"),
    (_of(THERE, THERE._replace(block=outcomes.block(2, "b.py")), state=State.CHECKED), "/",
     "Nothing to do: the branch already has all 2 changes"),
    (outcomes.outcome(state=State.NOTHING), "/", "No edit block found"),
    (_of(FINE, state=State.REFUSED)._replace(unresolved=outcomes.COMMIT), "/",
     "Unknown: whether commit 9d0c2aa is on the branch"),
)  # fmt: skip


@pytest.mark.parametrize(("outcome", "reply", "headline"), HEADLINES)
def test_headline(outcome: Outcome, reply: str | None, headline: str) -> None:
    assert f"### {headline}\n" in status(OutcomeView(outcome), Page("1", prefix=reply))


# the page has no singular, no long form of a command, and one form for blocks that were left out
_AS_ON_THE_PAGE = (
    ("has this change", "has all 1 changes"), ("1 edit block ", "1 edit blocks "), ("/edits apply", "/apply"),
    ("to apply: 1 block", "to apply: 1 of 1 edit blocks"), ("to apply: 2 blocks", "to apply: 2 of 2 edit blocks"),
)  # fmt: skip
_PAGE = (DOCS / "reference/action.md").read_text("utf-8")


def _on_the_page() -> list[re.Pattern[str]]:
    """The headlines in the table of docs/reference/action.md: any number and any id do, and any words for `…`."""
    rows = _PAGE.partition("\n| headline |")[2].partition("\n\n")[0].split("\n")[2:]
    found = [text.strip(" ") for row in rows for _, text in re.findall(r"(`+)(.+?)\1(?!`)", row.split("|")[1])]
    anything = (re.sub(r"\b[0-9a-f]{7}\b", "9d0c2aa", text) for text in found)
    return [re.compile(re.sub(r"\b\d+\b", r"\\d+", re.escape(text)).replace("…", ".+")) for text in anything]


def test_the_page_has_the_headlines_that_there_are() -> None:
    shown = [headline for _, _, headline in HEADLINES]
    for one, many in _AS_ON_THE_PAGE:
        shown = [headline.replace(one, many) for headline in shown]
    page = _on_the_page()
    assert [headline for headline in shown if not any(each.fullmatch(headline) for each in page)] == []
    assert [each.pattern for each in page if not any(each.fullmatch(headline) for headline in shown)] == []


LEADS = (
    (_refused(ReasonCode.SOURCE_EDITED), "/edits ",
     "An earlier `/edits apply` is no longer valid. octocat's comment, checked again, holds no edit block."),
    (_of(FINE, state=State.CHECKED), "/",
     "octocat's comment, checked against `4be1d02`: 1 ready. Nothing is committed yet."),
    (_of(FINE, state=State.CHECKED)._replace(needs_command=True), "/",
     "octocat's comment, checked against `4be1d02`: 1 ready. This block waits for `/apply`."),
    (_of(FINE, NEW, state=State.CHECKED)._replace(needs_command=True), "/",
     "octocat's comment, checked against `4be1d02`: 2 ready. These blocks wait for `/apply`."),
    (_of(_left(1), skip=(1,), state=State.CHECKED)._replace(needs_command=True), "/",
     "octocat's comment, checked against `4be1d02`: 1 skipped."
     " Blocks that are left out stay out until someone names them."),
    (_of(_left(1), skip=(1,)), "/", "octocat's comment, checked against `4be1d02`: 1 skipped."),
)  # fmt: skip


@pytest.mark.parametrize(("outcome", "reply", "lead"), LEADS)
def test_lead(outcome: Outcome, reply: str, lead: str) -> None:
    assert f"\n\n{lead}\n" in status(OutcomeView(outcome), Page("1", prefix=reply))


FAULTS = (
    ("main", "correct `.editblocks.yml` on `main`"),
    ("fix-1.0", "correct `.editblocks.yml` on `fix-1.0`"),
    ("@octocat|`x`", "correct `.editblocks.yml` on `` @octocat|`x` ``"),
    ("{place}", "correct `.editblocks.yml` on `{place}`"),
    ("", "correct the configuration"),
)


@pytest.mark.parametrize(("branch", "first"), FAULTS)
def test_a_policy_that_cannot_be_used_is_named(branch: str, first: str) -> None:
    refused = _refused(ReasonCode.BAD_CONFIG, FINE)._replace(
        refusal=Refusal(ReasonCode.BAD_CONFIG, "unknown key `mod`", policy_branch=branch),
    )
    typed = f"{first}; then someone with write access replies with this line:\n\n```text\n/apply\n```\n"
    assert f"\n**Next:** {typed}" in status(OutcomeView(refused), Page("1", prefix="/"))
    assert f"\n**Next:** {first}, then post the blocks again as a new comment.\n" in status(
        OutcomeView(refused), Page("1")
    )


@pytest.mark.parametrize("reply", ["/", None])
@pytest.mark.parametrize("source", [outcomes.EDITS, outcomes.COMMENT])
def test_front_matter_is_corrected_by_hand(source: Source, reply: str | None) -> None:
    reason = "unknown key `basis`; did you mean `base`?"
    shown = outcomes.outcome(Problem(1, 2, 2, ReasonCode.BAD_CONFIG, reason), source=source)
    text = status(OutcomeView(shown._replace(retry_prompt="", retry_blocks=())), Page("1", prefix=reply))
    assert f"\n**Next:** correct line 2 of the {'file' if source is outcomes.EDITS else 'comment'}.\n" in text
    assert "### Nothing committed: the front matter has an error\n" in text
    marked = [(path, finding.message) for finding, (path, _) in marks(OutcomeView(shown))]
    assert marked == ([(".edits/cart.md", reason)] if source is outcomes.EDITS else [])


ANSWERED = (
    (_of(NOWHERE), "/", "and post the answer"),
    (_of(FINE, NOWHERE), None, "and post the answer"),
    (_refused(ReasonCode.HEAD_MOVED, FINE), None, "post the blocks again"),
    (_refused(ReasonCode.SOURCE_EDITED), None, "then post its blocks"),
    (_refused(ReasonCode.TOO_LARGE), "/", "post the blocks again"),
    (outcomes.outcome(), "/", "post edit blocks"),
    (_of(FINE, outcomes.failed(2, ".git/x", ReasonCode.UNSAFE_PATH, "no")), None, "post the one that fits"),
)


@pytest.mark.parametrize(("outcome", "reply", "what"), ANSWERED)
def test_what_comes_from_a_thread_goes_on_there(outcome: Outcome, reply: str | None, what: str) -> None:
    source = outcome.response._replace(source=outcomes.REPLY)
    shown = status(OutcomeView(outcome._replace(response=source)), Page("1", prefix=reply))
    assert (f"{what} as a reply in this thread" in shown, "new comment" in shown) == (True, False)
    assert f"{what} as a new comment" in status(OutcomeView(outcome), Page("1", prefix=reply))


FORK = "this workflow does not write to hubot/shop"
GONE = "this workflow does not write to a repository that is gone"
NEVER = "This workflow never writes to a fork."
PATCHED = "copy the patch below and run `git apply --3way`, or copy the comment and run"
FORKS = (
    ("all are ready", FORK, _of(FINE), "Edit blocks: 1 ready, for the author of this fork to apply",
     f"1 ready. {NEVER} On the branch of the fork, {PATCHED} `editblocks apply -`.", True, ""),
    ("one is left out", FORK, _of(FINE, _left(2), skip=(2,)),
     "Edit blocks: 1 ready, for the author of this fork to apply",
     f"1 ready, 1 skipped. {NEVER} On the branch of the fork, {PATCHED} `editblocks apply - --only 1`.", True, ""),
    ("all are left out", FORK, _of(_left(1), skip=(1,)), "Nothing to apply: 1 block left out",
     f"1 skipped. {NEVER}", False, ""),
    ("one failed, one is left out", FORK, _of(FINE, _left(2), NOWHERE, skip=(2,)),
     "Nothing committed: 1 of 3 edit blocks failed", f"1 ready, 1 skipped, 1 failed. {NEVER}", False,
     "together with the one that fits. On the branch, `editblocks apply - --only 1` applies only the one that fits."),
    ("it is gone", GONE, _of(FINE), "Edit blocks: 1 ready, nothing committed",
     "1 ready. The fork no longer exists, so nothing is written to it. On a branch of your own,"
     f" {PATCHED} `editblocks apply -`.", True, ""),
    ("it is gone, and one failed", GONE, _of(FINE, NOWHERE), "Nothing committed: 1 of 2 edit blocks failed",
     "1 ready, 1 failed. The fork no longer exists, so nothing is written to it.", False,
     "On a branch of your own, `editblocks apply - --only ready` applies only the one that fits."),
)  # fmt: skip


@pytest.mark.parametrize(("why", "outcome", "head", "says", "patch", "step"), [row[1:] for row in FORKS],
                         ids=[row[0] for row in FORKS])  # fmt: skip
def test_a_fork(*, why: str, outcome: Outcome, head: str, says: str, patch: bool, step: str) -> None:
    advice = "" if why == GONE else "in the fork, apply the patch from the status"
    refusal = Refusal(ReasonCode.FORK, why, advice, is_gone=why == GONE)
    shown = status(OutcomeView(outcome._replace(state=State.CHECKED, refusal=refusal)), Page("1", prefix="/"))
    assert f"### {head}\n\noctocat's comment, checked against `4be1d02`: {says}\n\nfork: this workflow" in shown
    there = "" if not patch or why is GONE else "; in the fork, apply the patch from the status"
    assert f"\n\nfork: {why}{there}\n\n".replace("hubot/shop", "`hubot/shop`") in shown
    assert ("<summary>Patch (" in shown, "only checks" in shown) == (patch, False)
    assert ("**Next:**" in shown, step in shown) == (bool(step), True)


def test_suggestions_for_a_fork_without_room_for_the_patch_offer_no_step() -> None:
    outcome = _of(FINE, state=State.CHECKED)._replace(refusal=Refusal(ReasonCode.FORK, FORK))
    response = outcome.response._replace(source=Source("suggestions", SUGGESTIONS))
    shown = status(OutcomeView(outcome._replace(response=response)), Page("1", prefix="/"), limit=100)
    assert f": 1 ready. {NEVER}\n" in shown
    assert "On the branch of the fork" not in shown


def test_what_a_person_left_out_is_told_from_what_was_not_named() -> None:
    shown = status(OutcomeView(_of(FINE, _left(2), _left(3), skip=(3,))), Page("1", prefix="/"))
    assert "| 2 | `g.py` | ⏭️ skipped | not-selected: not named | |" in shown
    assert "| 3 | `g.py` | ⏭️ skipped | not-selected: left out on request | |" in shown


CART = "class Cart:\n    total = 0\n    count = 0\n    rate = 7\n"
APP = f"one\n\ndef f():\n    return 1\n\ndef g():\n    return 1\n\n{CART}"
CODE = (
    "app.py\n```\n<<<<<<< SEARCH\none\n=======\nONE\n>>>>>>> REPLACE\n```\n\n"
    "app.py\n```\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n```\n\n"
    "b.py\n```\n<<<<<<< SEARCH\nclass Cart:\n    total = 1\n    count = 0\n    rate = 7\n=======\n"
    "class Cart:\n    total = 1\n    count = 0\n    rate = 8\n>>>>>>> REPLACE\n```\n"
)


def test_each_line_that_is_offered_does_what_is_said_of_it() -> None:
    response, repo = Response(CODE, outcomes.COMMENT), MemoryRepo({"app.py": APP.encode(), "b.py": APP.encode()})
    checked = Outcome(response, run(response, repo, Settings()), State.FAILED, outcomes.HEAD)
    shown = status(OutcomeView(checked), Page("1", prefix="/"))
    assert "`/apply 1,2@4` also puts block 2 at line 4, `/apply 3@9` merges block 3 into lines 9-12" in shown
    for words, numbers in (("ready", [1]), ("1,2@4", [1, 2]), ("3@9", [3])):
        assert f"/apply {words}" in shown
        rows = run(response, repo, Settings(), Options(Selection.read(words))).results
        assert [row.block.number for row in rows if row.status is EditStatus.APPLIED] == numbers
