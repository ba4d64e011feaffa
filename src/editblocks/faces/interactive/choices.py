"""The answers of a person so far about the blocks of one response, and the plan that follows from them. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import takewhile

from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import ApplyResult, Candidate, EditResult, Problem, row_number
from editblocks.core.outcome import Outcome, Refusal
from editblocks.core.selection import Selection, left_alone
from editblocks.faces.interactive.snapshot import Snapshot
from editblocks.faces.interactive.texts import Question, is_ready
from editblocks.report.view import OutcomeView, Row
from editblocks.report.wording import source_name
from editblocks.run.flow import ApplyRequest, Repo, run
from editblocks.text.source_text import SourceText


class Choices:
    """The blocks of one response in reading order, of which some are taken, perhaps at a place, and others declined."""

    def __init__(self, request: ApplyRequest, repo: Snapshot) -> None:
        self._request = request
        self._repo = repo
        self._taken: set[int] = set()
        self._declined: set[int] = set()
        self._picks: dict[int, int] = {}
        self._places: dict[int, tuple[Candidate, ...]] = {}  # of blocks for which one was picked
        self._whole = run(request.response, repo, request.settings)

    @property
    def numbers(self) -> list[int]:
        """The numbers of all blocks."""
        return [row_number(row) for row in self._whole.rows]

    def question(self, number: int) -> Question:
        """What there is to say about a block now. Raises what planning raises."""
        chosen = {*self._taken, number}
        plan = self._plan(chosen)
        outcome = self._outcome(plan, left_alone(plan, Selection(numbers=frozenset(chosen))))
        row = _row_of(outcome, number)
        places = self._places.get(number) or _places(row)
        old, new = self._bytes(row, plan)
        return Question(
            outcome=outcome,
            row=row,
            total=len(self._whole.rows),
            text=self._text(number),
            old=old,
            new=new,
            places=places,
            file=self._lines(row.path) if places else (),
            needs=() if is_ready(row) else self._needs(row),
        )

    def path(self, number: int) -> str | None:
        """The file that a block names, None if it names none."""
        return self._row(number).file_path

    def ready_from(self, number: int) -> list[int]:
        """The numbers of the blocks of one file from `number` on, up to the first that fails: in one plan for all."""
        path = self.path(number)
        later = [row_number(row) for row in self._whole.rows if row.file_path == path and row_number(row) >= number]
        ready = {row.block.number for row in self._plan({*self._taken, *later}).results if row.ok}
        return list(takewhile(ready.__contains__, later))

    def take(self, number: int) -> None:
        """Take a block."""
        self._taken.add(number)

    def decline(self, number: int) -> None:
        """Leave a block out."""
        self._declined.add(number)

    def pick(self, question: Question, place: Candidate) -> None:
        """Put a block at one of its places."""
        self._places[question.row.number] = question.places
        self._picks[question.row.number] = place.start_line

    def chosen(self, open_repo: Callable[[], Repo]) -> ApplyRequest:
        """The request for the blocks that were taken. It is refused if a file has changed since it was shown.

        Raises what opening the files once more raises.
        """
        picks = {number: line for number, line in self._picks.items() if number in self._taken}
        left = frozenset(self.numbers) - self._taken
        select = Selection(numbers=frozenset(self._taken), picks=picks, skip=left)
        request = replace(self._request, select=select, allow_partial=True, chosen_at=self._repo.head)
        paths = {row.file_path for row in self._whole.results if row.block.number in self._taken}
        changed = self._repo.changed(open_repo(), sorted(paths)) if paths else None
        if changed is None:
            return request
        name = source_name(request.response.source)
        what = f"{changed} changed while its blocks were shown, so nothing of {name} is written"
        return replace(request, refusal=Refusal(ReasonCode.STALE, what, "look at them again"))

    def _plan(self, numbers: Collection[int]) -> ApplyResult:
        picks = {number: line for number, line in self._picks.items() if number in numbers}
        select = Selection(numbers=frozenset(numbers), picks=picks)
        return run(self._request.response, self._repo, self._request.settings, select)

    def _outcome(self, plan: ApplyResult, not_selected: frozenset[int] = frozenset()) -> Outcome:
        return Outcome(self._request.response, plan, State.FAILED, self._repo.head, not_selected=not_selected)

    def _needs(self, row: Row) -> list[int]:
        """Blocks of its file that were declined, if the block is ready when all blocks are applied."""
        declined = [number for number in sorted(self._declined) if self.path(number) == row.path is not None]
        return declined if declined and is_ready(_row_of(self._outcome(self._whole), row.number)) else []

    def _bytes(self, row: Row, plan: ApplyResult) -> tuple[bytes, bytes]:
        if row.path is None or not is_ready(row):
            return b"", b""
        original = self._repo.read(row.path) or b""
        before = self._plan(self._taken) if self._taken else ApplyResult()
        return before.contents.get(row.path, original) or b"", plan.contents.get(row.path, original) or b""

    def _lines(self, path: str | None) -> Sequence[str]:
        """The lines of a file, as places count them."""
        data = None if path is None else self._repo.read(path)
        return () if data is None else SourceText.decode(data, path or "").lines

    def _text(self, number: int) -> str:
        """The lines of a response between the opener of a block and its closer, both included."""
        row = self._row(number)
        place = row if isinstance(row, Problem) else row.block
        lines = self._request.response.text.split("\n")[place.line_number - 1 : place.end_line]
        return "".join(f"{line}\n" for line in lines)

    def _row(self, number: int) -> EditResult | Problem:
        return next(row for row in self._whole.rows if row_number(row) == number)


def _row_of(outcome: Outcome, number: int) -> Row:
    return next(row for row in OutcomeView(outcome).rows if row.number == number)


def _places(row: Row) -> tuple[Candidate, ...]:
    """The places that may be chosen for a block."""
    candidates = row.result.candidates if row.result is not None else ()
    return tuple(candidate for candidate in candidates if candidate.pick is not None)
