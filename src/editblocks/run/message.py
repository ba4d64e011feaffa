"""The message of the commit that an outcome is to be: what `flow.settle` asks for where one is made."""

from __future__ import annotations

from editblocks.core.outcome import Outcome
from editblocks.report.commit_message import commit_message
from editblocks.run.plan import ApplyRequest


def describe(request: ApplyRequest, outcome: Outcome) -> str:
    """Raises `SelfCheckFailed` if there is nothing to commit."""
    return commit_message(
        request.response,
        outcome.result,
        head=outcome.head,
        prefix=request.settings.commit_prefix,
        signature=request.signature,
        removes_file=outcome.removed_file is not None,
    )
