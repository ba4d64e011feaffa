"""The whole flow in one page: read a response, plan it, ask, write, say what happened.

`Repo` and `Host` are the two seams to the world. Everything here is pure but for what they do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from editblocks.applying.engine import Progress, apply_response
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import EditBlocksError, HeadMoved, Unresolved
from editblocks.core.model import ApplyResult, Note, row_number
from editblocks.core.outcome import Outcome, Refusal, Response, Signature, is_fine
from editblocks.core.selection import Selection, left_alone, mark_committed, without, without_committed
from editblocks.core.settings import Settings
from editblocks.parsing.parse import FORMATS, formats_named
from editblocks.report.commit_message import commit_message
from editblocks.run.response_file import contents_of, file_to_remove, has_unread, with_note, with_removal_note
from editblocks.text.parse_check import warnings

PAUSES = (0.0, 1.0, 3.0)  # seconds before each round: a branch that moves is planned on again, three times in all
WRITES = (State.APPLIED, State.PARTIAL)

_REFUSED_STATES = {
    ReasonCode.SOURCE_EDITED: State.STALE,
    ReasonCode.HEAD_MOVED: State.STALE,
    ReasonCode.STALE: State.STALE,
}


class Repo(Protocol):
    """The files of one version, and one way to change them all at once."""

    @property
    def head(self) -> str | None:
        """The commit that is read, 40 or 64 hex digits; None where there is none (memory, working tree)."""

    def prefetch(self, paths: Iterable[str]) -> None:
        """Learn which paths will be read, so that they can be fetched together. May do nothing."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, None if nothing is there. Raises `UnreadableFile` and `RepoError`."""

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names in `directory` ("" is the root) with their git modes; empty if it is not a directory.

        Modes are git's: 100644, 100755, 040000 (directory), 120000 (symbolic link), 160000 (submodule);
        a working tree has 000000 for what is none of these, a FIFO say.
        """

    @property
    def listings(self) -> int:
        """How many directories may be listed for no more than a hint: fewer where each is a request."""

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """A reader of the files that an earlier commit had, which raises as `read` does.

        None for text that is no id of a commit (7 to 64 hex digits), for one that is not known or stands for
        several, and for one that is neither the head nor in its history. Raises `RepoError`.
        """

    def write(self, contents: Mapping[str, bytes | None], message: str) -> str | None:
        """Change all of `contents` (None deletes) or nothing; modes of existing files stay.

        Returns the new commit, or None where there is none. Raises `HeadMoved` if the target is no
        longer what was read, `Refused`, `SelfCheckFailed` and `RepoError`.
        """


class Gate(Protocol):
    """Who may have a response committed."""

    def refusal(self, response: Response) -> Refusal | None:
        """Why this response may not be committed now, or None. Asked after planning, right before writing.

        Raises `HeadMoved` if it sees that the plan is out of date.
        """


class Host(Gate, Protocol):
    """Where responses come from, who may have them committed, and where the status goes."""

    def responses(self) -> Iterable[Response]:
        """The responses of this event, in order."""

    def publish(self, outcome: Outcome) -> None:
        """Say what happened, once per response."""


def run(
    response: Response,
    repo: Repo,
    settings: Settings,
    select: Selection | None = None,
    progress: Progress | None = None,
) -> ApplyResult:
    """Plan one response, or the blocks that `select` takes, on the files of `repo`; nothing is written.

    `progress` is called with how far it is. Raises `RepoError`.
    """
    front = response.front
    result = apply_response(
        response.text if front is None else response.text[front.length :],
        repo.read,
        entries=repo.entries,
        settings=settings,
        context_path=response.context_path,
        prefetch=repo.prefetch,
        formats=FORMATS if front is None or front.format is None else formats_named([front.format]),
        first_line=1 if front is None else front.lines + 1,
        base=None if front is None else front.base,
        default_base=response.base,
        read_base=repo.at,
        select=select,
        listings=repo.listings,
        parts=[(part.text, part.context_path) for part in response.parts],
        progress=progress,
        root=response.root,
    )
    broken = [Note("no-longer-parses", message) for _, message in warnings(result.contents, result.originals)]
    return replace(result, notes=(*result.notes, *broken)) if broken else result


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """What to do with one response.

    - `allow_partial`: commit the blocks that are ready, even if others fail.
    - `skip`: the blocks that people skipped for good; `select` leaves them out, too.
    - `full_prompt`: the retry prompt explains the format, for a new chat.
    - `needs_command`: the blocks fit, and only the command of somebody who may apply them is missing.
    - `removes`: the response file that the commit deletes.
    - `refusal`: why nothing can be committed, if that is known beforehand; the blocks are checked all the same.
    - `chosen_at`: the commit whose lines `select` names; they count only while those files are unchanged.
    - `retry_blocks`: the blocks that the retry prompt asks for; empty: all that failed.
    - `committed`: the blocks that an earlier commit holds, with that commit; they are not tried again.
    """

    response: Response
    settings: Settings
    select: Selection | None = None
    allow_partial: bool = False
    signature: Signature = field(default_factory=Signature)
    skip: frozenset[int] = frozenset()
    full_prompt: bool = False
    needs_command: bool = False
    removes: str | None = None
    refusal: Refusal | None = None
    chosen_at: str | None = None
    retry_blocks: frozenset[int] = frozenset()
    committed: Mapping[int, str] = field(default_factory=dict)


def decide(result: ApplyResult, *, writes: bool, allow_partial: bool, unchosen: frozenset[int] = frozenset()) -> State:
    """The state that follows from a plan alone: `APPLIED` and `PARTIAL` are written next, the others are final.

    `unchosen` are the rows that nobody asked for. `allow_partial`: the blocks that are ready are wanted even if others
    fail.
    """
    if not result.rows:
        return State.NOTHING
    if not is_fine(result, unchosen) and not (allow_partial and result.contents and writes):
        return State.FAILED
    if not result.contents and result.ok:
        return State.NOTHING
    if not result.contents or not writes:
        return State.CHECKED
    return State.APPLIED if result.ok else State.PARTIAL


def serve(
    host: Host,
    open_repo: Callable[[], Repo],
    settings: Settings,
    *,
    sleep: Callable[[float], None] = time.sleep,
    select: Selection | None = None,
    target: str = "",
    progress: Progress | None = None,
) -> list[Outcome]:
    """Carry out every response of a host: each becomes one outcome, which is published and given back.

    `open_repo` gives a repository bound to the present head; `target` is its name for a model, such as
    `acme/shop`; `progress` is called with how far each plan is. Raises only what `host` raises when it looks for
    responses or publishes; whatever stops a response in between is its outcome.
    """
    outcomes = []
    for response in host.responses():
        request = ApplyRequest(
            response, settings, select, allow_partial=settings.partial or (select is not None and not select.every)
        )
        outcome = settle(request, host, open_repo, sleep=sleep, target=target, progress=progress)
        host.publish(outcome)
        outcomes.append(outcome)
    return outcomes


def settle(
    request: ApplyRequest,
    gate: Gate,
    open_repo: Callable[[], Repo],
    *,
    sleep: Callable[[float], None],
    target: str = "",
    progress: Progress | None = None,
) -> Outcome:
    """Plan and write one response, from the start again whenever the branch has moved meanwhile."""
    outcome = Outcome(request.response, ApplyResult(), State.REFUSED, skip=request.skip)
    for pause in PAUSES:
        try:
            if pause:
                sleep(pause)
            repo = open_repo()
            outcome = _plan(request, repo, target, progress)
            return _write(request, outcome, gate, repo) if outcome.state in WRITES else outcome
        except HeadMoved:
            what = f"the branch moved {len(PAUSES)} times during the run"
            outcome = _as_refused(outcome, Refusal(ReasonCode.HEAD_MOVED, what, "send the blocks again"))
        except Unresolved as error:
            outcome = _as_refused(outcome, Refusal(error.code, error.message))
            return replace(outcome, unresolved=error.commit)
        except EditBlocksError as error:
            return _as_refused(outcome, Refusal(error.code, error.message))
    return outcome


def would_write(request: ApplyRequest, repo: Repo) -> Mapping[str, bytes | None] | None:
    """The contents that a request would commit if nothing refused it; None if it would commit nothing."""
    settings = replace(request.settings, mode="apply")
    outcome = _plan(replace(request, settings=settings, needs_command=False, refusal=None), repo, "")
    if outcome.state not in WRITES:
        return None
    return contents_of(replace(outcome, removed_file=file_to_remove(request.removes, outcome)))


def _plan(request: ApplyRequest, repo: Repo, target: str, progress: Progress | None = None) -> Outcome:
    result = run(
        request.response, repo, request.settings, without_committed(request.select, request.committed), progress
    )
    result, unchosen = mark_committed(result, request.committed), left_alone(result, request.select)
    writes = request.settings.mode == "apply" and not request.needs_command and request.refusal is None
    state = decide(result, writes=writes, allow_partial=request.allow_partial, unchosen=unchosen)
    is_there = state is State.NOTHING and result.ok
    if request.removes is not None and has_unread(result):
        result = with_note(result, nothing_left=is_there)
    elif request.removes is not None and is_there:
        state = State.APPLIED if writes else State.CHECKED  # there is still the file that is to go
    outcome = Outcome(request.response, result, state, repo.head, not_selected=unchosen, skip=request.skip)
    outcome = with_prompt(
        replace(outcome, needs_command=request.needs_command),
        repo,
        target,
        fresh=request.full_prompt,
        asks=request.retry_blocks,
    )
    refusal = request.refusal or _lost_place(request, result, repo)
    return outcome if refusal is None else _as_refused(outcome, refusal)


def _lost_place(request: ApplyRequest, result: ApplyResult, repo: Repo) -> Refusal | None:
    """Refuse a place that was chosen in another version of its file."""
    if request.select is None or not request.select.picks or request.chosen_at in {None, repo.head}:
        return None
    paths = {row.file_path for row in result.results if row.block.number in request.select.picks}
    seen = repo.at(request.chosen_at or "")
    changed = sorted(path for path in paths if seen is None or seen(path) != repo.read(path))
    if not changed:
        return None
    at = request.chosen_at[:7] if request.chosen_at else ""
    return Refusal(ReasonCode.STALE, f"{changed[0]} changed since {at}, where the place was chosen", "choose again")


def with_prompt(
    outcome: Outcome, repo: Repo, target: str = "", *, fresh: bool = False, asks: frozenset[int] = frozenset()
) -> Outcome:
    """Add what to send back to the model, if a block failed; made before anything is written, of what was read.

    `asks` narrows it to some blocks. A file that cannot be had again leaves the outcome without a prompt, and as it
    is.
    """
    if outcome.ok:
        return outcome
    from editblocks.prompts import failures, files, retry  # a hook waits for this, and mostly needs no prompt

    others = {row_number(row) for row in outcome.result.rows} - asks if asks else set[int]()
    result, text = without(outcome.result, outcome.not_selected | others), outcome.response.text
    try:
        prompt = retry.retry_prompt(result, repo.read, target=target, head=repo.head, response=text, fresh=fresh)
        failed = failures.failures(result, files.Files(result, repo.read), text)
    except EditBlocksError:
        return outcome
    retry_blocks = tuple(failure.number for failure in failed if not failure.is_hopeless)
    return replace(outcome, retry_prompt=prompt, retry_blocks=retry_blocks)


def _write(request: ApplyRequest, outcome: Outcome, gate: Gate, repo: Repo) -> Outcome:
    refusal = gate.refusal(outcome.response)
    if refusal is not None:
        return _as_refused(outcome, refusal)
    outcome = replace(outcome, removed_file=file_to_remove(request.removes, outcome))
    commit = repo.write(contents_of(outcome), _message(request, outcome))
    return replace(outcome, result=with_removal_note(outcome), commit=commit, written=True)


def _message(request: ApplyRequest, outcome: Outcome) -> str:
    return commit_message(
        request.response,
        outcome.result,
        head=outcome.head,
        prefix=request.settings.commit_prefix,
        applied_by=request.signature.applied_by,
        co_author=request.signature.co_author,
        trailers=request.signature.trailers,
        removes=outcome.removed_file is not None,
    )


def _as_refused(outcome: Outcome, refusal: Refusal) -> Outcome:
    state = _REFUSED_STATES.get(refusal.code, State.REFUSED)
    if refusal.code is ReasonCode.NOT_PERMITTED:  # it stays open: somebody else may have it applied
        state = State.CHECKED if outcome.result.ok else State.FAILED
    return replace(outcome, state=state, refusal=refusal)
