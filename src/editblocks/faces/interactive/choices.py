"""Keep a person's answers about the blocks of one response, and the plan that follows from them. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from editblocks.applying.engine import Options
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import UnreadableFile
from editblocks.core.mismatch import Candidate
from editblocks.core.model import ApplyResult, row_number
from editblocks.core.outcome import Outcome, Refusal
from editblocks.core.selection import Selection, unselected_rows
from editblocks.report.view import OutcomeView, Row, source_name
from editblocks.run.flow import ApplyRequest, Repo, Version, run
from editblocks.text.source_text import SourceText


class BlockQuestion(NamedTuple):
    """A block to ask about, planned after the blocks that were taken before it and no others.

    `block_lines` are the block's lines in the response. `sides` are the bytes of its file without and with the block.
    `places` are where it may be put, in `file_lines`.
    """

    view: OutcomeView
    row: Row
    total: int
    block_lines: Sequence[str]
    sides: tuple[bytes, bytes]
    places: tuple[Candidate, ...]
    file_lines: Sequence[str]

    @property
    def is_ready(self) -> bool:
        """Whether the block would be applied as it stands."""
        return self.row.fits

    @property
    def changes_nothing(self) -> bool:
        """Whether the block has nothing left to do, so that no question is needed."""
        return self.row.ok and not self.is_ready

    @property
    def keys(self) -> str:
        """The keys that work here, in the order of the help; `a` and `d` also for a file's last block, as in git."""
        keys = "yna" if self.is_ready else "n"
        if self.row.path is not None:
            keys += "d"
        if self.places:
            keys += "p"
        return f"{keys}q?"


class Choices:
    """The blocks of one response in reading order, and which of them a person has taken, maybe at a chosen place."""

    def __init__(self, request: ApplyRequest, repo: Repo) -> None:
        self._request = request
        self._repo = Snapshot(repo)
        self._picks: dict[int, int] = {}
        self._places: dict[int, tuple[Candidate, ...]] = {}  # all places of each block for which one was picked
        self._full_plan = run(request.response, self._repo, request.settings, Options(written=request.written()))
        self._paths = {row_number(row): row.file_path for row in self._full_plan.rows}
        self.numbers = list(self._paths)
        self.taken: set[int] = set()

    def question(self, number: int) -> BlockQuestion:
        """Return the question about a block, planned after the blocks taken so far. Raises as planning does."""
        chosen = {*self.taken, number}
        plan = self._plan(chosen)
        unchosen = unselected_rows(plan, Selection(numbers=frozenset(chosen)))
        outcome = Outcome(self._request.response, plan, State.FAILED, self._repo.head, not_selected=unchosen)
        view = OutcomeView(outcome)
        row = next(row for row in view.rows if row.number == number)
        block_lines = row.response.text.split("\n")[row.line_number - 1 : row.block.end_line]
        places = self._places_of(row)
        file_lines: Sequence[str] = ()
        if places:
            data = self._repo.read(row.head_path or "") or b""
            file_lines = SourceText.decode(data, row.path or "").lines
        return BlockQuestion(view, row, len(self.numbers), block_lines, self._sides(row, plan), places, file_lines)

    def _places_of(self, row: Row) -> tuple[Candidate, ...]:
        """Return the places where a block may be put, also after one of them was picked."""
        if self._places.get(row.number):
            return self._places[row.number]
        if row.result is None:
            return ()
        return tuple(place for place in row.result.candidates if place.pick is not None)

    def path(self, number: int) -> str | None:
        """Return the path of a block; None if it has none."""
        return self._paths[number]

    def ready_from(self, number: int) -> list[int]:
        """Return the blocks of the same file from `number` on that fit one after the other, up to the first failure."""
        later = [each for each in self.numbers if each >= number and self.path(each) == self.path(number)]
        fitting = {row.block.number for row in self._plan({*self.taken, *later}).results if row.ok}
        return list(takewhile(lambda each: each in fitting, later))

    def pick(self, question: BlockQuestion, place: Candidate) -> None:
        """Put a block at one of its places."""
        self._places[question.row.number] = question.places
        self._picks[question.row.number] = place.start_line

    def request_for_taken(self, open_repo: Callable[[], Repo]) -> ApplyRequest:
        """Return the request for the taken blocks. It is refused if a file has changed since it was shown."""
        select = self._select(self.taken, frozenset(self.numbers) - self.taken)
        request = self._request._replace(select=select, allow_partial=True, chosen_at=self._repo.head)
        paths = {row.file_path for row in self._full_plan.results if row.block.number in self.taken}
        changed = self._repo.changed(open_repo(), sorted(paths)) if paths else None
        if changed is None:
            return request
        name = source_name(request.response.source)
        what = f"{changed} changed while its blocks were shown, so nothing from {name} was written"
        return request._replace(refusal=Refusal(ReasonCode.STALE, what, "look at them again"))

    def _select(self, numbers: Collection[int], skip: frozenset[int] = frozenset()) -> Selection:
        picks = {number: line for number, line in self._picks.items() if number in numbers}
        return Selection(numbers=frozenset(numbers), picks=picks, skip=skip)

    def _plan(self, numbers: Collection[int]) -> ApplyResult:
        request = self._request
        options = Options(self._select(numbers), written=request.written())
        return run(request.response, self._repo, request.settings, options)

    def _sides(self, row: Row, plan: ApplyResult) -> tuple[bytes, bytes]:
        """Return the bytes of a block's file without and with the block; empty if it has no path."""
        if row.path is None or (row.result is not None and row.result.operation == "rename"):
            return b"", b""
        original = self._repo.read(plan.renamed.get(row.path, row.path))
        without = original
        if self.taken:
            without = self._plan(self.taken).contents.get(row.path, original)
        return without or b"", plan.contents.get(row.path, original) or b""


class Snapshot:
    """A `run.flow.Version` that reads each file of another one only once, so that everything shown is consistent."""

    def __init__(self, repo: Version) -> None:
        self._repo = repo
        self._seen: dict[str, bytes | None] = {}
        self.head = repo.head
        self.listings = repo.listings
        self.entries: Callable[[str], Mapping[str, str]] = repo.entries
        self.at: Callable[[str], Callable[[str], bytes | None] | None] = repo.at
        self.link_target: Callable[[str], str | None] = repo.link_target
        self.ignored: Callable[[Iterable[str]], Iterable[str]] = repo.ignored

    def prefetch(self, paths: Iterable[str]) -> None:
        """Fetch these paths, except those that were read before."""
        self._repo.prefetch([path for path in paths if path not in self._seen])

    def read(self, path: str) -> bytes | None:
        """Return the bytes from the first time this path was read. Raises `UnreadableFile` and `RepoError`."""
        if path not in self._seen:
            self._seen[path] = self._repo.read(path)
        return self._seen[path]

    def changed(self, fresh: Version, paths: Iterable[str]) -> str | None:
        """Return the first of `paths` whose bytes in `fresh` differ from those read here; None if none does."""
        for path in paths:
            try:
                if fresh.read(path) != self._seen.get(path):
                    return path
            except UnreadableFile:
                return path  # it was readable when it was shown
        return None


class WritableSnapshot(Snapshot):
    """A `Snapshot` of a `run.flow.Repo`, so that a write is based on the bytes that were shown."""

    def __init__(self, repo: Repo) -> None:
        super().__init__(repo)
        self.write = repo.write
