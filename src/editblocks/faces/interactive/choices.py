"""The answers of a person so far about the blocks of one response, and the plan that follows from them. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import ApplyResult, Candidate, EditResult, Problem, row_number
from editblocks.core.outcome import Outcome, Refusal
from editblocks.core.selection import Selection, left_alone, without
from editblocks.faces.common.trace import traces
from editblocks.faces.interactive import texts as words
from editblocks.faces.interactive.editor import block_text, trouble, with_block
from editblocks.faces.interactive.snapshot import Snapshot
from editblocks.prompts.files import Files, FileText
from editblocks.prompts.retry import retry_prompt
from editblocks.report.rows import Row, rows
from editblocks.report.wording import source_name
from editblocks.run.flow import ApplyRequest, Repo, run


@dataclass(frozen=True, slots=True)
class Question:
    """A block as it is asked about: planned on the blocks that were taken before it, and on no others.

    `before` and `after` are the bytes of its file without and with it, empty where it would not be applied. `text` is
    the block as it stands in the response; `places` are where it may be put. `whole` is its row in a run in which
    every block is applied, if one before it in its file was declined.
    """

    outcome: Outcome
    row: Row
    total: int
    text: str
    before: bytes
    after: bytes
    keys: str
    places: tuple[Candidate, ...] = ()
    declined: tuple[int, ...] = ()
    whole: Row | None = None


class Choices:
    """The blocks of one response in reading order, of which some are taken, perhaps at a place, and others declined."""

    def __init__(self, request: ApplyRequest, repo: Snapshot, root: Path) -> None:
        self._order = request
        self._repo = repo
        self._root = root
        self._accepted: set[int] = set()
        self._declined: set[int] = set()
        self._picks: dict[int, int] = {}
        self._places: dict[int, tuple[Candidate, ...]] = {}  # of blocks for which one was picked, too
        self._whole = run(request.response, repo, request.settings)

    @property
    def numbers(self) -> list[int]:
        """The numbers of all blocks."""
        return [row_number(row) for row in self._whole.rows]

    def question(self, number: int) -> Question:
        """What there is to say about a block now. Raises what planning raises."""
        plan = self._plan({*self._accepted, number})
        outcome = self._outcome(plan, Selection(numbers=frozenset({*self._accepted, number})))
        row, asked = _row_of(outcome, number), self._row(number)
        declined = tuple(n for n in sorted(self._declined) if self._row(n).file_path == row.path)
        before, after = self._bytes(row, plan)
        places = words.places(row) or self._places.get(number, ())
        whole = _row_of(self._outcome(self._whole), number) if declined and row.path is not None else None
        return Question(
            outcome=outcome,
            row=row,
            total=len(self._whole.rows),
            text=block_text(self._order.response.text, asked),
            before=before,
            after=after,
            keys=words.keys(row, places),
            places=places,
            declined=declined,
            whole=whole,
        )

    def path(self, number: int) -> str | None:
        """The file that a block names, None if it names none."""
        return self._row(number).file_path

    def ready_from(self, number: int) -> list[int]:
        """The numbers of the blocks of one file from `number` on, up to the first that fails: in one plan for all."""
        path = self.path(number)
        later = [row_number(row) for row in self._whole.rows if row.file_path == path and row_number(row) >= number]
        plan = self._plan({*self._accepted, *later})
        rows_by_number = {row_number(row): row for row in plan.rows}
        return list(takewhile(lambda n: isinstance(row := rows_by_number[n], EditResult) and row.ok, later))

    def take(self, number: int) -> None:
        """Take a block."""
        self._accepted.add(number)

    def decline(self, number: int) -> None:
        """Leave a block out."""
        self._declined.add(number)

    def pick(self, number: int, line: int) -> str | None:
        """Put a block at a place, or say why that does not work."""
        picks = {**self._picks, number: line}
        offered = words.places(self.question(number).row)
        result = next(row for row in self._plan({*self._accepted, number}, picks).results if row.block.number == number)
        if not result.ok:
            return result.reason
        self._picks = picks
        self._places.setdefault(number, offered)
        return None

    def rewrite(self, number: int, new: str) -> str | None:
        """Put other text in place of a block, or say why that cannot be: it is read again with all the others."""
        request = self._order
        response = replace(request.response, text=with_block(request.response.text, self._row(number), new))
        whole = run(response, self._repo, request.settings)
        wrong = trouble(self._whole, whole, number)
        if wrong is None:
            self._order, self._whole = replace(request, response=response), whole
            self._picks.pop(number, None)
            self._places.pop(number, None)
        return wrong

    def prompt(self, question: Question) -> str:
        """What to send back to the model about this block."""
        plan = without(question.outcome.result, question.outcome.not_selected)
        return retry_prompt(plan, self._repo.read, head=self._repo.head, response=self._order.response.text)

    def file(self, question: Question) -> FileText | None:
        """The file in which a block that does not fit has places, as the taken blocks make it; None if it has none."""
        result = question.row.result
        if result is None or not result.candidates:
            return None
        return Files(question.outcome.result, self._repo.read).text(result.file_path)

    def traces(self, question: Question) -> tuple[str, ...]:
        """How the block was looked for, and who changed the line that differs: foreign text."""
        return tuple(traces(question.outcome, self._order.settings, self._root).get(question.row.number, ()))

    def chosen(self, open_repo: Callable[[], Repo]) -> ApplyRequest:
        """The request for the blocks that were taken. It is refused if a file has changed since it was shown.

        Raises what opening the files once more raises.
        """
        picks = {number: line for number, line in self._picks.items() if number in self._accepted}
        left = frozenset(self.numbers) - self._accepted
        select = Selection(numbers=frozenset(self._accepted), picks=picks, skip=left)
        request = replace(self._order, select=select, allow_partial=True, chosen_at=self._repo.head)
        paths = {row.file_path for row in self._whole.results if row.block.number in self._accepted}
        changed = self._repo.changed(open_repo(), sorted(paths)) if paths else None
        if changed is None:
            return request
        name = source_name(request.response.source)
        what = f"{changed} changed while its blocks were shown, so nothing of {name} is written"
        return replace(request, refusal=Refusal(ReasonCode.STALE, what, "look at them again"))

    def _plan(self, numbers: Collection[int], picks: Mapping[int, int] | None = None) -> ApplyResult:
        chosen_lines = self._picks if picks is None else picks
        places = {number: line for number, line in chosen_lines.items() if number in numbers}
        select = Selection(numbers=frozenset(numbers), picks=places)
        return run(self._order.response, self._repo, self._order.settings, select)

    def _outcome(self, plan: ApplyResult, select: Selection | None = None) -> Outcome:
        alone = left_alone(plan, select)
        return Outcome(self._order.response, plan, State.FAILED, self._repo.head, not_selected=alone)

    def _bytes(self, row: Row, plan: ApplyResult) -> tuple[bytes, bytes]:
        if row.path is None or not words.is_ready(row):
            return b"", b""
        original = self._repo.read(row.path) or b""
        before = self._plan(self._accepted) if self._accepted else ApplyResult()
        return before.contents.get(row.path, original), plan.contents.get(row.path, original)

    def _row(self, number: int) -> EditResult | Problem:
        return next(row for row in self._whole.rows if row_number(row) == number)


def _row_of(outcome: Outcome, number: int) -> Row:
    return next(row for row in rows(outcome) if row.number == number)
