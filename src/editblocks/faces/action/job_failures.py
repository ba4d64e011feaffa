"""When the job of the action fails: for a response file that is not fine, not for blocks in a comment that do not fit.

Rules: docs/reference/action.md, "faults and exit codes" and "response files".
"""

from __future__ import annotations

from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Outcome, Refusal
from editblocks.report.escape import cut_middle
from editblocks.report.view import FAILED, OutcomeView

PATH_LIMIT = 60  # a line of the log has 200 characters
_ALWAYS = frozenset(
    {
        ReasonCode.PUBLISH_FAILED,
        ReasonCode.SELF_CHECK,
        ReasonCode.UNAVAILABLE,
        ReasonCode.INTERNAL,
        ReasonCode.BAD_CONFIG,
    }
)
# The file, or its pull request, is not there any more as it was: nothing is left that somebody could repair.
_OVERTAKEN = frozenset({ReasonCode.SOURCE_EDITED, ReasonCode.CLOSED})


def fault(outcome: Outcome) -> str:
    """Why the job fails whatever the response came from, "" if it does not."""
    refusal = outcome.refusal
    return _line(refusal) if refusal is not None and refusal.code in _ALWAYS else ""


def file_fault(outcome: Outcome, is_closed_to_us: Refusal | None) -> str:
    """Why the job fails for a response file that was looked at for itself, "" if it is fine.

    `is_closed_to_us` is why nothing may be written to its branch, where no pull request could change that.
    """
    refusal, path = outcome.refusal, cut_middle(outcome.response.source.path or "", PATH_LIMIT)
    if refusal is not None and refusal.code in _OVERTAKEN:
        return ""
    if not outcome.result.rows and refusal is None:
        return f"{ReasonCode.NO_BLOCKS.value}: {path} holds no edit block; write one, or remove the file"
    if not outcome.ok and (code := _first_code(outcome)):
        done = "the others were committed" if outcome.state is State.PARTIAL else "nothing was committed"
        return f"{code}: {path}: {OutcomeView(outcome).counts_text}, {done}; repair the file and push it again"
    if refusal is None and outcome.state is State.CHECKED:
        refusal = is_closed_to_us
    if refusal is None or refusal.code is ReasonCode.FORK:
        return ""
    return _line(refusal, f"{path} was not applied, ")


def _first_code(outcome: Outcome) -> str:
    failed = (row for row in OutcomeView(outcome).rows if row.word == FAILED)
    return next((row.code.value for row in failed if row.code is not None), "")


def _line(refusal: Refusal, before: str = "") -> str:
    return f"{refusal.code.value}: {before}{refusal.reason}"
