"""The whole flow on one page: read a response, plan it, ask for permission, write, report.

`Repo` and `Gate` are the two interfaces to the outside. Everything here is pure except what they do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.errors import EditBlocksError, HeadMoved, Unresolved
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Origin, Outcome, Refusal, Response
from editblocks.run.plan import (
    ApplyRequest,
    Version,
    as_refused,
    has_unread,
    is_last,
    plan,
    refusal_of,
    with_removal_note,
)

PAUSES = (0.0, 1.0, 3.0)  # seconds before each round: if the branch moves, plan again, at most three rounds
WRITES = (State.APPLIED, State.PARTIAL)


class Repo(Version, Protocol):
    """The files of one version, and one way to change them all at once."""

    def write(
        self,
        contents: Mapping[str, bytes | None],
        message: str,
        modes: Mapping[str, str] | None = None,
        origin: Origin | None = None,
    ) -> str | None:
        """Change all of `contents` (None deletes) or nothing; `modes` says which files get another mode.

        Otherwise the modes of existing files stay, and a new one gets 100644. `origin` is for stores that keep a record
        of their own, so that a later run knows what this one wrote.
        Returns the new commit, or None if none is made. Raises `HeadMoved` if the target has changed since it was
        read, `Refused`, `SelfCheckFailed` and `RepoError`.
        """


class Gate(Protocol):
    """Decides whether a response may be committed."""

    def refusal(self, response: Response) -> Refusal | None:
        """Return why this response may not be committed now, or None. Called after planning, right before writing.

        Raises `HeadMoved` if it finds that the plan is out of date.
        """


def settle(
    request: ApplyRequest,
    gate: Gate | None,
    open_repo: Callable[[], Repo],
    *,
    commits: bool = True,
    sleep: Callable[[float], None] = time.sleep,
    target: str = "",
) -> Outcome:
    """Plan and write one response; start again if the branch has moved meanwhile, at most three rounds.

    `commits`: the files are written in a commit, which has a message.
    """
    outcome = Outcome(request.response, ApplyResult(), State.REFUSED, skip=request.skip)
    for pause in PAUSES:
        try:
            if pause:
                sleep(pause)
            repo = open_repo()
            outcome = plan(request, repo, target)
            if outcome.state in WRITES:
                outcome = _write(request, outcome, gate, repo, commits=commits)
            return with_removal_note(request, outcome)
        except HeadMoved:
            what = f"the branch moved {len(PAUSES)} times during the run"
            outcome = as_refused(outcome, Refusal(ReasonCode.HEAD_MOVED, what, "send the blocks again"))
        except Unresolved as error:
            return as_refused(outcome, refusal_of(error))._replace(unresolved=error.commit)
        except EditBlocksError as error:
            return as_refused(outcome, refusal_of(error))
    return outcome


def _write(request: ApplyRequest, outcome: Outcome, gate: Gate | None, repo: Repo, *, commits: bool) -> Outcome:
    if gate is not None and (refusal := gate.refusal(outcome.response)) is not None:
        return as_refused(outcome, refusal)
    if is_last(outcome) and not has_unread(outcome.result):
        outcome = outcome._replace(removed_file=request.response_file)
    message = ""
    if commits:
        message = _message(request, outcome)
    commit = repo.write(outcome.contents, message, outcome.result.modes, origin_of(outcome))
    return outcome._replace(commit=commit, written=True)


def _message(request: ApplyRequest, outcome: Outcome) -> str:
    """The message of the commit. Raises `SelfCheckFailed` if there is nothing to commit."""
    from editblocks.report.commit_message import commit_message  # needed where a commit is made

    return commit_message(
        request.response,
        outcome.result,
        head=outcome.head,
        prefix=request.settings.commit_prefix,
        signature=request.signature,
        removes_file=outcome.removed_file is not None,
    )


def origin_of(outcome: Outcome) -> Origin:
    """Which blocks of which answer are in the new bytes of an outcome."""
    from editblocks.core.digests import block_key, response_digest  # a hook that only checks needs no digest

    blocks: dict[str, list[str]] = {}
    for row in outcome.result.results:
        if row.status is EditStatus.APPLIED:
            for path in row.block.paths:
                blocks.setdefault(path, []).append(block_key(row.block))
    return Origin(response_digest(outcome.response), blocks)
