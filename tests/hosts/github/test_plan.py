"""`plan_run` without a server: from what GitHub said to a plan, or to the next question.

The order of the rows is that of the checks in `hosts/github/plan.py`.
"""

from typing import Any, NamedTuple

import pytest
from support.actionkit import FAILS, FITS
from support.plankit import BOT, DONE, comment, commit, policy, pull, state, status

from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Refusal
from editblocks.hosts.github.cases import Case, NextStep, Plan
from editblocks.hosts.github.plan import plan_run
from editblocks.hosts.github.state import Fact, GitHubState, Question, SourceResponse

BLOCKS = comment(FITS, 1, BOT)  # what others posted, and its status
CHECKED = status(BLOCKS, State.CHECKED, 2)
WORD = comment("/apply", 5)
OPEN = pull([CHECKED])


def asked(question: Fact, said: GitHubState) -> Question:
    """What the plan asks first."""
    step = plan_run(said)
    assert isinstance(step, Question), step
    assert step.fact is question
    return step


APPLY = "apply a source"
STOP = "commit nothing"


def case_of(step: NextStep) -> Case:
    """The only source that a plan applies."""
    assert isinstance(step, Plan), step
    (case,) = step.cases
    assert step.undoes is None
    return case


def stopped(step: NextStep) -> Plan:
    """A plan that commits nothing."""
    assert isinstance(step, Plan), step
    assert step.cases == ()
    return step


class Row(NamedTuple):
    """A state, and what its plan is, or says."""

    claim: str
    state: GitHubState
    plan: str | Fact
    says: str = ""


WRITER: dict[str, Any] = {"role": "write"}
ROWS = [
    Row("blocks of a comment", state(comment(FITS, 1)), APPLY),
    Row("blocks of a bot", state(comment(FITS, 1, BOT)), APPLY),
    Row("words", state(comment("looks good", 1)), STOP, "no edit block in the review"),
    Row("a closed pull request", state(comment(FITS, 1), pull(is_open=False)), STOP, "closed: "),
    Row("ignored", state(comment(FITS, 1), policy=policy(ignore_authors=("octocat",))), STOP, "ignore-authors"),
    Row("a command that is none", state(comment("/edits aply", 1)), Fact.ROLE),
    Row("the same, answered", state(comment("/edits aply", 1), **WRITER), STOP, "see the reply"),
    Row("the same, by a stranger", state(comment("/edits aply", 1), role="read"), STOP, "may not give commands here"),
    Row("the same, by a bot", state(comment("/edits aply", 1, BOT)), STOP, "from bots and apps are ignored"),
    Row("a command of a bot", state(comment("/apply", 1, BOT)), STOP, "from bots and apps are ignored"),
    Row("another bot's words", state(comment("/apply", 1), policy=policy(short_commands=False)), STOP,
        "short-commands is false"),
    Row("below a reply line", state(comment("Yes.\n\nOn Monday somebody wrote:\n" + FITS, 1, via_email=True)), STOP,
        "in the quoted part of an e-mail"),
    Row("a command", state(WORD, OPEN), Fact.ROLE),
    Row("a review of a fork", state(WORD, pull(fork="a/b"), event="pull_request_review"), STOP, "can only read"),
    Row("help", state(comment("/edits help", 1), **WRITER), STOP, "see the reply"),
    Row("on a merged one", state(WORD, pull(is_open=False, is_merged=True), **WRITER), STOP, "see the reply"),
    Row("blocks below", state(comment(f"/apply\n\n{FITS}", 1), **WRITER), APPLY),
    Row("blocks below, may not", state(comment(f"/apply\n\n{FITS}", 1), role="read"), APPLY),
    Row("blocks below skip", state(comment(f"/skip 1\n\n{FITS}", 1), **WRITER), STOP, "see the reply"),
    Row("edited", state(comment("/apply", 5, is_edited=True), OPEN, **WRITER), STOP, "see the reply"),
    Row("more reviews", state(WORD, pull([CHECKED], older_reviews="x"), **WRITER), Fact.OLDER_REVIEWS),
    Row("no more than nine pages", state(WORD, pull([CHECKED], older_reviews="x"), pages=9, **WRITER),
        Fact.SOURCE),
    Row("none is open", state(WORD, **WRITER), STOP, "see the reply"),
    Row("may not", state(WORD, OPEN, role="read"), STOP, "not-permitted: octocat has read access"),
    Row("the source is asked for", state(WORD, OPEN, **WRITER), Fact.SOURCE),
    Row("what undo asks first", state(comment("/undo", 5), OPEN, **WRITER), Fact.HAS_REPLY),
    Row("answered before", state(comment("/undo", 5), OPEN, **WRITER, has_reply=True), STOP, "answered before"),
    Row("nothing to undo", state(comment("/undo", 5), OPEN, **WRITER, has_reply=False), STOP, "see the reply"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.claim for row in ROWS])
def test_a_plan(row: Row) -> None:
    step = plan_run(row.state)
    if isinstance(row.plan, Fact):
        assert isinstance(step, Question)
        assert step.fact is row.plan
        return
    if row.plan == APPLY:
        case_of(step)
    else:
        assert row.says in stopped(step).reason


def with_source(said: GitHubState, about: SourceResponse | None) -> GitHubState:
    return said._replace(sources={asked(Fact.SOURCE, said): about})


def source_of(said: GitHubState, body: str = FITS) -> SourceResponse:
    about = BLOCKS._replace(parts=(BLOCKS.parts[0]._replace(text=body),))
    return SourceResponse(said.response_of(about), about)


def test_a_word_takes_what_its_status_was_about() -> None:
    said = state(WORD, OPEN, role="write")
    step = plan_run(with_source(said, source_of(said)))
    case = case_of(step)
    assert isinstance(step, Plan)
    assert (case.command is not None, case.post, case.request.refusal, step.reply) == (True, CHECKED, None, "")
    assert case.request.response.source.id == BLOCKS.source


def test_a_source_that_reads_otherwise_now_is_checked_and_answered() -> None:
    said = state(WORD, OPEN, role="write")
    step = plan_run(with_source(said, source_of(said, FAILS)))
    refusal = case_of(step).request.refusal
    assert refusal is not None
    assert refusal.code is ReasonCode.SOURCE_EDITED
    assert isinstance(step, Plan)
    assert "source-edited" in step.reply


def test_a_source_that_is_gone_is_refused() -> None:
    step = plan_run(with_source(state(WORD, OPEN, role="write"), None))
    assert "source-edited: the answer no longer exists" in stopped(step).reply


def test_what_was_committed_is_not_committed_again() -> None:
    own = comment(FITS, 1)
    step = plan_run(state(own, pull([status(own, State.APPLIED, 2, DONE)], [commit(own, 2)])))
    plan = stopped(step)
    assert (plan.commit, plan.address) == (DONE, "pullrequestreview-902")


def test_a_commit_without_a_status_is_reported() -> None:
    own = comment(FITS, 1)
    step = plan_run(state(own, pull((), [commit(own, 2)])))
    earlier = case_of(step).earlier
    assert (earlier.commit, earlier.unreported) == (DONE, commit(own, 2))  # so that nothing is written


def test_a_word_that_its_own_commit_carried_out_stops() -> None:
    said = state(WORD, pull([status(BLOCKS, State.APPLIED, 6, DONE)], [commit(BLOCKS, 6)]), role="write")
    step = plan_run(said)
    plan = stopped(step)
    assert (plan.commit, plan.reaction) == (DONE, "")


def test_undo_takes_the_newest_commit_that_is_older_than_the_word() -> None:
    older, newer = commit(BLOCKS, 3), commit(comment(FAILS, 6, BOT), 7, commit="d" * 40)
    said = state(comment("/undo", 5), pull([CHECKED], [older, newer]), role="write", has_reply=False)
    step = plan_run(with_source(said, source_of(said)))
    assert isinstance(step, Plan)
    assert (step.undoes, step.cases[0].command is not None) == (older, True)


def test_a_policy_that_cannot_be_used_refuses_every_commit() -> None:
    fault = Refusal(ReasonCode.BAD_CONFIG, "the file is broken")
    step = plan_run(state(comment(FITS, 1), policy=policy(mode="check"), policy_fault=fault))
    assert case_of(step).request.refusal == fault
