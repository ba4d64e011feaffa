"""The whole flow on one page: read a response, plan it, ask for permission, write, report.

`Repo` and the refusal that `settle` asks for are the two interfaces to the outside. Everything here is pure except
what they do.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from editblocks.applying.engine import OnProgress, Options, apply_response
from editblocks.applying.files import Tree
from editblocks.core.blocks import Note
from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.errors import EditBlocksError, HeadMoved, Unresolved
from editblocks.core.model import ApplyResult, row_number
from editblocks.core.outcome import Origin, Outcome, Refusal, Response, Signature, WrittenFile, is_fine
from editblocks.core.selection import Selection, mark_committed, mark_left_out, unselected_rows, without_committed
from editblocks.core.settings import Settings
from editblocks.parsing.notes import UNREAD, UNREAD_PATCH
from editblocks.text.languages import no_longer_parses

PAUSES = (0.0, 1.0, 3.0)  # seconds before each round: if the branch moves, plan again, at most three rounds
_WRITES = (State.APPLIED, State.PARTIAL)
_STALE = (ReasonCode.SOURCE_EDITED, ReasonCode.HEAD_MOVED, ReasonCode.STALE)


class Version(Tree, Protocol):
    """The files of one version."""

    @property
    def head(self) -> str | None:
        """The commit that is read, 40 or 64 hex digits; None if there is none (memory, working tree)."""


class Repo(Version, Protocol):
    """The files of one version, and one way to change them all at once."""

    def write(
        self,
        contents: Mapping[str, bytes | None],
        message: str,
        modes: Mapping[str, str] | None = None,
        origin: Origin | None = None,
    ) -> str | None:
        """Change all of `contents` (None deletes) or nothing. `modes` names the files that get another mode.

        Other existing files keep their mode, and other new files get 100644. `origin` is for stores that keep a record
        of their own, so that a later run knows what this one wrote.
        Returns the new commit, or None if none is made. Raises `HeadMoved` if the target has changed since it was
        read, `Refused`, `SelfCheckFailed` and `RepoError`.
        """


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
    response_file: str | None = None  # deleted in the commit of the last blocks
    refusal: Refusal | None = None  # why nothing can be committed, known beforehand; the blocks are still checked
    chosen_at: str | None = None  # the commit whose lines `select` names; valid while those files are unchanged
    retry_blocks: frozenset[int] = frozenset()  # the blocks that the retry prompt asks for; empty: all that failed
    # What earlier runs of this response did. Both are called for each plan, because another run may be under way.
    committed: Callable[[], Mapping[int, str]] = dict  # returns the blocks that commits hold; they are not tried again
    written: Callable[[], Sequence[WrittenFile]] = tuple  # returns the files as those runs left them
    progress: OnProgress | None = None  # is called with the progress of planning


def settle(
    request: ApplyRequest,
    find_refusal: Callable[[Response], Refusal | None] | None,
    open_repo: Callable[[], Repo],
    *,
    commits: bool = True,
    sleep: Callable[[float], None] = time.sleep,
    target: str = "",
) -> Outcome:
    """Plan and write one response; start again if the branch has moved meanwhile, at most three rounds.

    `find_refusal` is called after planning, right before writing. It returns why the response may not be written now,
    or None, and raises `HeadMoved` if the plan is out of date. `commits`: write the files in a commit. `target` names
    the project in the retry prompt.
    """
    outcome = Outcome(request.response, ApplyResult(), State.REFUSED, skip=request.skip)
    for pause in PAUSES:
        try:
            if pause:
                sleep(pause)
            repo = open_repo()
            outcome = plan(request, repo, target)
            if outcome.state in (*_WRITES, State.NOTHING):
                _refuse_dirty(outcome, repo)
            if outcome.state in _WRITES:
                refusal = None if find_refusal is None else find_refusal(request.response)
                if refusal is not None:
                    outcome = _as_refused(outcome, refusal)
                else:
                    outcome = _write(request, outcome, repo, commits=commits)
            return _with_removal_note(request, outcome)
        except HeadMoved as error:
            outcome = _as_refused(outcome, refusal_of(error))
        except Unresolved as error:
            return _as_refused(outcome, refusal_of(error))._replace(unresolved=error.commit)
        except EditBlocksError as error:
            return _as_refused(outcome, refusal_of(error))
    return outcome


def _refuse_dirty(outcome: Outcome, repo: Repo) -> None:
    """Raise `Refused` if a block has nothing left to do only because of a change that is not staged or committed.

    Only stores that write the index or a branch have `refuse_dirty`. `Repo.write` checks the files that it changes.
    """
    refuse = getattr(repo, "refuse_dirty", None)
    paths = {path for row in outcome.result.results if row.ok for path in row.block.paths}
    unwritten = sorted(paths - outcome.result.contents.keys())
    if refuse is not None and unwritten:
        refuse(unwritten)


def _write(request: ApplyRequest, outcome: Outcome, repo: Repo, *, commits: bool) -> Outcome:
    """Write what was planned. Raises what `Repo.write` raises."""
    if _is_last(outcome) and not _has_unread(outcome.result):
        outcome = outcome._replace(removed_file=request.response_file)
    message = ""
    if commits:
        from editblocks.report.commit_message import commit_message  # needed where a commit is made

        message = commit_message(
            request.response,
            outcome.result,
            head=outcome.head,
            prefix=request.settings.commit_prefix,
            signature=request.signature,
            removes_file=outcome.removed_file is not None,
        )
    commit = repo.write(outcome.contents, message, outcome.result.modes, _origin_of(outcome))
    return outcome._replace(commit=commit, written=True)


def _origin_of(outcome: Outcome) -> Origin:
    """Return which blocks of which answer made the new bytes of an outcome."""
    from editblocks.core.digests import block_key, response_digest  # a hook that only checks needs no digest

    blocks: dict[str, list[str]] = {}
    for row in outcome.result.results:
        if row.status is EditStatus.APPLIED:
            for path in row.block.paths:
                blocks.setdefault(path, []).append(block_key(row.block))
    return Origin(response_digest(outcome.response), blocks)


def check(request: ApplyRequest, open_files: Callable[[], Version]) -> Outcome:
    """Plan one response and write nothing. An `EditBlocksError` becomes the refusal; see `plan`."""
    try:
        outcome = plan(request, open_files())
    except EditBlocksError as error:
        outcome = Outcome(request.response, ApplyResult(), State.REFUSED, skip=request.skip)
        outcome = _as_refused(outcome, refusal_of(error))
    return _with_removal_note(request, outcome)


def plan(request: ApplyRequest, repo: Version, target: str = "") -> Outcome:
    """Plan one response. Raises `EditBlocksError` for a wrong selection, or if files cannot be read."""
    committed = request.committed()
    select = without_committed(request.select, committed)
    options = Options(select, progress=request.progress, written=request.written())
    result = run(request.response, repo, request.settings, options)
    result = mark_committed(result, committed)
    unchosen = unselected_rows(result, request.select)
    writes = request.settings.mode == "apply" and not request.needs_command and request.refusal is None
    state = decide(result, writes=writes, allow_partial=request.allow_partial, unchosen=unchosen)
    is_already_applied = result.ok and not result.contents
    if is_already_applied and request.response_file is not None and not _has_unread(result):
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
    outcome = with_prompt(outcome, repo, target, request)
    refusal = request.refusal or _changed_place(request, result, repo)
    if refusal is not None:
        return _as_refused(outcome, refusal)
    return outcome


def run(response: Response, repo: Version, settings: Settings, options: Options | None = None) -> ApplyResult:
    """Plan one response, or the blocks that `options.select` takes, on the files of `repo`; nothing is written."""
    result = apply_response(response, repo, settings, options)
    before = dict(result.originals)
    for new, old in result.renamed.items():
        before[new] = result.originals.get(old)
    notes = list(result.notes)
    for path, warning in no_longer_parses(result.contents, before):
        message = f"{path} parsed before and no longer does" if path in result.hidden_texts else warning
        notes.append(Note("no-longer-parses", message))
    return result._replace(notes=tuple(notes))


def decide(result: ApplyResult, *, writes: bool, allow_partial: bool, unchosen: frozenset[int] = frozenset()) -> State:
    """Return the state that follows from a plan; `unchosen` are the rows that a person did not choose."""
    if not result.rows:
        return State.NOTHING
    writes_part = writes and allow_partial and bool(result.contents)
    if not is_fine(result, unchosen) and not writes_part:
        return State.FAILED
    if result.ok and not result.contents:
        return State.NOTHING
    if not result.contents or not writes:
        return State.CHECKED
    return State.APPLIED if result.ok else State.PARTIAL


def _with_removal_note(request: ApplyRequest, outcome: Outcome) -> Outcome:
    """Add a note that the response file stays, if deleting it would lose text in a form that is not read."""
    if request.response_file is None or not _has_unread(outcome.result):
        return outcome
    note = Note(UNREAD_PATCH, "the response file stays, because not all of it is read; write the rest as blocks")
    return outcome._replace(result=outcome.result._replace(notes=(*outcome.result.notes, note)))


def _has_unread(result: ApplyResult) -> bool:
    """Whether the response holds something that looks like a block but was not read as one."""
    return any(note.code in UNREAD for note in result.notes)


def _is_last(outcome: Outcome) -> bool:
    """Whether no block is left to apply, apart from blocks left out with `/skip`."""
    return outcome.result.ok or (outcome.ok and outcome.not_selected <= outcome.skip)


def _changed_place(request: ApplyRequest, result: ApplyResult, repo: Version) -> Refusal | None:
    """Return a refusal if a file has changed since a place in it was chosen."""
    chosen_at = request.chosen_at
    if chosen_at is None or chosen_at == repo.head:
        return None
    if request.select is None or not request.select.picks:
        return None
    rows = (row for row in result.results if row.block.number in request.select.picks)
    paths = {result.renamed.get(row.file_path, row.file_path) for row in rows}
    read_then = repo.at(chosen_at)
    changed = sorted(path for path in paths if read_then is None or read_then(path) != repo.read(path))
    if not changed:
        return None
    what = f"{changed[0]} changed since {chosen_at[:7]}, the commit on which the place was chosen"
    return Refusal(ReasonCode.STALE, what, "choose again")


def with_prompt(outcome: Outcome, repo: Version, target: str, request: ApplyRequest) -> Outcome:
    """Add the retry prompt if a block failed; it is made from the files as read, before anything is written.

    If a file cannot be read again, the outcome stays without a prompt.
    """
    if outcome.ok:
        return outcome
    from editblocks.prompts import failures, files, retry  # loaded late, because a hook rarely needs a prompt

    response = outcome.response
    left_out = outcome.not_selected
    if request.retry_blocks:
        left_out |= {row_number(row) for row in outcome.result.rows} - request.retry_blocks
    result = mark_left_out(outcome.result, left_out)
    try:
        prompt = retry.retry_prompt(result, repo, target=target, response=response, fresh=request.full_prompt)
        failed = failures.failures(result, files.Files(result, repo.read), response)
    except EditBlocksError:
        return outcome
    retry_blocks = tuple(failure.number for failure in failed if not failure.is_hopeless)
    return outcome._replace(retry_prompt=prompt, retry_blocks=retry_blocks)


def _as_refused(outcome: Outcome, refusal: Refusal) -> Outcome:
    """Return the outcome with the refusal, and with the state that follows from it."""
    state = state_of(refusal.code)
    if refusal.code is ReasonCode.NOT_PERMITTED:  # it stays open: somebody with permission may apply it
        state = State.CHECKED if outcome.result.ok else State.FAILED
    return outcome._replace(state=state, refusal=refusal)


def state_of(code: ReasonCode) -> State:
    """Return the state of an outcome that was refused with this code."""
    return State.STALE if code in _STALE else State.REFUSED


def refusal_of(error: EditBlocksError) -> Refusal:
    return Refusal(error.code, error.message)
