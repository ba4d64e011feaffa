"""The whole flow on one page: read a response, plan it, ask for permission, write, report.

`Repo` and `Gate` are the two interfaces to the outside. Everything here is pure except what they do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from editblocks.applying.engine import Options, apply_response
from editblocks.applying.files import Tree
from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import EditBlocksError, HeadMoved, Unresolved
from editblocks.core.model import ApplyResult, row_number
from editblocks.core.outcome import Outcome, Refusal, Response, Signature, is_fine
from editblocks.core.selection import Selection, left_alone, mark_committed, without, without_committed
from editblocks.core.settings import Settings
from editblocks.parsing.notes import UNREAD, UNREAD_PATCH
from editblocks.report.commit_message import commit_message
from editblocks.text.parse_check import warnings

PAUSES = (0.0, 1.0, 3.0)  # seconds before each round: if the branch moves, plan again, at most three rounds
WRITES = (State.APPLIED, State.PARTIAL)

_STALE = (ReasonCode.SOURCE_EDITED, ReasonCode.HEAD_MOVED, ReasonCode.STALE)
# Text in a form that is not read would be lost with the response file, so such a file stays, and a note says why.
_STAYS = "the response file stays, as not all of it is read"
_DELETE = "; write the rest as blocks in another file, then delete this one"


class Repo(Tree, Protocol):
    """The files of one version, and one way to change them all at once."""

    @property
    def head(self) -> str | None:
        """The commit that is read, 40 or 64 hex digits; None if there is none (memory, working tree)."""

    def write(
        self, contents: Mapping[str, bytes | None], message: str, modes: Mapping[str, str] | None = None
    ) -> str | None:
        """Change all of `contents` (None deletes) or nothing; `modes` says which files get another mode.

        Otherwise the modes of existing files stay, and a new one gets 100644.
        Returns the new commit, or None if none is made. Raises `HeadMoved` if the target has changed since it was
        read, `Refused`, `SelfCheckFailed` and `RepoError`.
        """


class Gate(Protocol):
    """Decides whether a response may be committed."""

    def refusal(self, response: Response) -> Refusal | None:
        """Return why this response may not be committed now, or None. Called after planning, right before writing.

        Raises `HeadMoved` if it finds that the plan is out of date.
        """


def run(response: Response, repo: Repo, settings: Settings, select: Selection | None = None) -> ApplyResult:
    """Plan one response, or the blocks that `select` takes, on the files of `repo`; nothing is written."""
    result = apply_response(response, repo, settings, Options(select))
    before = {**result.originals, **{new: result.originals.get(old) for new, old in result.renamed.items()}}
    broken = [Note("no-longer-parses", message) for _, message in warnings(result.contents, before)]
    return result._replace(notes=(*result.notes, *broken)) if broken else result


class ApplyRequest(NamedTuple):
    """What to do with one response."""

    response: Response
    settings: Settings
    select: Selection | None = None
    allow_partial: bool = False  # commit the blocks that are ready, even if others fail
    signature: Signature = Signature()
    skip: frozenset[int] = frozenset()  # the blocks that people skipped for good; `select` leaves them out, too
    full_prompt: bool = False  # the retry prompt explains the format, for a new chat
    needs_command: bool = False  # nothing is committed until somebody with permission gives a command
    removes: tuple[str, ...] = ()  # what the commit deletes with the last blocks: the file of each round, or ""
    refusal: Refusal | None = None  # why nothing can be committed, known beforehand; the blocks are still checked
    chosen_at: str | None = None  # the commit whose lines `select` names; they count while those files are unchanged
    retry_blocks: frozenset[int] = frozenset()  # the blocks that the retry prompt asks for; empty: all that failed
    committed: Mapping[int, str] = {}  # not tried again: an earlier commit holds them


def decide(result: ApplyResult, *, writes: bool, allow_partial: bool, unchosen: frozenset[int] = frozenset()) -> State:
    """The state that follows from a plan alone; `unchosen` are the rows that a person did not choose."""
    if not result.rows:
        return State.NOTHING
    if not is_fine(result, unchosen) and not (allow_partial and result.contents and writes):
        return State.FAILED
    if not result.contents and result.ok:
        return State.NOTHING
    if not result.contents or not writes:
        return State.CHECKED
    return State.APPLIED if result.ok else State.PARTIAL


def settle(
    request: ApplyRequest,
    gate: Gate | None,
    open_repo: Callable[[], Repo],
    *,
    sleep: Callable[[float], None] = time.sleep,
    target: str = "",
) -> Outcome:
    """Plan and write one response; start again if the branch has moved meanwhile, at most three rounds."""
    outcome = Outcome(request.response, ApplyResult(), State.REFUSED, skip=request.skip)
    for pause in PAUSES:
        try:
            if pause:
                sleep(pause)
            repo = open_repo()
            outcome = _plan(request, repo, target)
            if outcome.state in WRITES:
                outcome = _write(request, outcome, gate, repo)
            return _with_removal_note(outcome) if any(request.removes) else outcome
        except HeadMoved:
            what = f"the branch moved {len(PAUSES)} times during the run"
            outcome = _as_refused(outcome, Refusal(ReasonCode.HEAD_MOVED, what, "send the blocks again"))
        except EditBlocksError as error:
            outcome = _as_refused(outcome, Refusal(error.code, error.message))
            return outcome._replace(unresolved=error.commit if isinstance(error, Unresolved) else None)
    return outcome


def _plan(request: ApplyRequest, repo: Repo, target: str) -> Outcome:
    select = without_committed(request.select, request.committed)
    result = mark_committed(run(request.response, repo, request.settings, select), request.committed)
    unchosen = left_alone(result, request.select)
    writes = request.settings.mode == "apply" and not request.needs_command and request.refusal is None
    state = decide(result, writes=writes, allow_partial=request.allow_partial, unchosen=unchosen)
    if any(request.removes) and state is State.NOTHING and result.ok and not _has_unread(result):
        state = State.APPLIED if writes else State.CHECKED  # only the response file is left to delete
    outcome = Outcome(
        request.response,
        result,
        state,
        repo.head,
        not_selected=unchosen,
        skip=request.skip,
        needs_command=request.needs_command,
    )
    outcome = with_prompt(outcome, repo, target, fresh=request.full_prompt, asks=request.retry_blocks)
    refusal = request.refusal or _lost_place(request, result, repo)
    return outcome if refusal is None else _as_refused(outcome, refusal)


def _with_removal_note(outcome: Outcome) -> Outcome:
    """Note that the response file stays if not all of it is read; a person may delete it once no block is to come."""
    if not _has_unread(outcome.result):
        return outcome
    is_over = _is_last(outcome) and (outcome.written or outcome.state is State.NOTHING)
    note = Note(UNREAD_PATCH, f"{_STAYS}{_DELETE if is_over else ''}")
    return outcome._replace(result=outcome.result._replace(notes=(*outcome.result.notes, note)))


def _has_unread(result: ApplyResult) -> bool:
    """Whether the response holds something that looks like a block but was not read as one."""
    return any(note.code in UNREAD for note in result.notes)


def _is_last(outcome: Outcome) -> bool:
    """Whether no block is left to apply; blocks left out with `/skip` do not count."""
    return outcome.result.ok or (outcome.ok and outcome.not_selected <= outcome.skip)


def _lost_place(request: ApplyRequest, result: ApplyResult, repo: Repo) -> Refusal | None:
    """Return a refusal if a place was chosen in another version of its file."""
    if request.select is None or not request.select.picks or request.chosen_at in {None, repo.head}:
        return None
    at = request.chosen_at or ""
    rows = (row for row in result.results if row.block.number in request.select.picks)
    paths = {result.renamed.get(row.file_path, row.file_path) for row in rows}
    seen = repo.at(at)
    changed = sorted(path for path in paths if seen is None or seen(path) != repo.read(path))
    if not changed:
        return None
    return Refusal(ReasonCode.STALE, f"{changed[0]} changed since {at[:7]}, where the place was chosen", "choose again")


def with_prompt(
    outcome: Outcome, repo: Repo, target: str = "", *, fresh: bool = False, asks: frozenset[int] = frozenset()
) -> Outcome:
    """Add the retry prompt if a block failed; it is made from the files as read, before anything is written.

    `asks` narrows it to some blocks. If a file cannot be read again, the outcome stays without a prompt.
    """
    if outcome.ok:
        return outcome
    from editblocks.prompts import failures, files, retry  # a hook waits for this, and mostly needs no prompt

    others = {row_number(row) for row in outcome.result.rows} - asks if asks else set[int]()
    result, response = without(outcome.result, outcome.not_selected | others), outcome.response
    try:
        prompt = retry.retry_prompt(result, repo, target=target, response=response, fresh=fresh)
        failed = failures.failures(result, files.Files(result, repo.read), response)
    except EditBlocksError:
        return outcome
    retry_blocks = tuple(failure.number for failure in failed if not failure.is_hopeless)
    return outcome._replace(retry_prompt=prompt, retry_blocks=retry_blocks)


def _write(request: ApplyRequest, outcome: Outcome, gate: Gate | None, repo: Repo) -> Outcome:
    refusal = None if gate is None else gate.refusal(outcome.response)
    if refusal is not None:
        return _as_refused(outcome, refusal)
    goes = _is_last(outcome) and not _has_unread(outcome.result)
    files = tuple(filter(None, request.removes[: len(outcome.rounds)]))  # of others there still are blocks to apply
    outcome = outcome._replace(removed_files=files if goes else ())
    message = commit_message(
        request.response,
        outcome.result,
        head=outcome.head,
        prefix=request.settings.commit_prefix,
        signature=request.signature,
        removes=len(outcome.removed_files),
    )
    commit = repo.write(outcome.contents, message, outcome.result.modes)
    return outcome._replace(commit=commit, written=True)


def _as_refused(outcome: Outcome, refusal: Refusal) -> Outcome:
    state = State.STALE if refusal.code in _STALE else State.REFUSED
    if refusal.code is ReasonCode.NOT_PERMITTED:  # it stays open: somebody with permission may apply it
        state = State.CHECKED if outcome.result.ok else State.FAILED
    return outcome._replace(state=state, refusal=refusal)
