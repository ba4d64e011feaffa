"""A response that is still being written: its bytes, the blocks in them so far, and the last plan of them."""

from __future__ import annotations

import os
import select
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, RepoError, reason_of
from editblocks.core.events import BlockProgress, BlockStarted, DraftsLeftOut
from editblocks.core.model import row_number
from editblocks.core.outcome import Outcome
from editblocks.faces.common.reading import read_source
from editblocks.formats.grammar import Format
from editblocks.parsing.parse import StreamParser
from editblocks.report.terminal.live import Reading
from editblocks.report.view import OutcomeView

RESTS = 1.0  # seconds that a file stays as it is before it counts as written
_SHARE = 4  # planning takes one second in five at most
_LEAST = 0.2  # seconds between two plans
_PIECE = 65536
_CLOSED = "closed"  # of a block whose closer was read

Plan = Callable[[bytes], Outcome]


class FollowedFile:
    """A file that grows, or is replaced; it may not be there yet. No more than `size` bytes of it are read."""

    is_over = False  # nobody knows whether somebody goes on writing
    descriptor: int | None = None  # which tells when there is more

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self._size = size

    def look(self) -> bytes | None:
        """All that is there now, None if there is no such file. Raises `RepoError` if it cannot be read."""
        try:
            return read_source(self.name, self._size)
        except RepoError as error:
            if error.code is not ReasonCode.FILE_NOT_FOUND:
                raise
            return None


class FollowedStream:
    """What comes through a pipe, `size` bytes at most."""

    def __init__(self, descriptor: int, size: int) -> None:
        self.name = "standard input"
        self.descriptor: int | None = descriptor
        self.is_over = False
        self._size = size
        self._data = bytearray()

    def look(self) -> bytes | None:
        """All that has come so far. Raises `RepoError`."""
        while self.descriptor is not None and select.select([self.descriptor], [], [], 0)[0]:
            try:
                piece = os.read(self.descriptor, min(_PIECE, self._size - len(self._data)))
            except OSError as error:
                raise RepoError(f"{self.name} cannot be read: {reason_of(error)}") from error
            self._data += piece
            if not piece or len(self._data) >= self._size:
                self.descriptor = None
                self.is_over = True
        return bytes(self._data)


class Arriving:
    """The bytes of a response so far, and the blocks in them. No I/O."""

    def __init__(self, formats: Sequence[Format], most_rows: int) -> None:
        self._formats = formats
        self._most_rows = most_rows
        self._restart()

    def _restart(self) -> None:
        self.data = b""
        self.open: Reading | None = None
        self.closed = set[int]()  # the numbers of the blocks that ended, well or not
        self._parser = StreamParser(self._formats, most_rows=self._most_rows)
        self._decoder = getincrementaldecoder("utf-8")("replace")  # whoever makes a response of it is strict

    def take(self, data: bytes) -> bool:
        """Take all that is there now. Returns whether the response began anew, so that this is not the old start."""
        is_new = not data.startswith(self.data)
        if is_new:
            self._restart()
        added = data[len(self.data) :]
        self.data = data
        for event in self._parser.feed(self._decoder.decode(added)):
            if isinstance(event, DraftsLeftOut):
                self.open = None
                self.closed.clear()
            elif isinstance(event, BlockStarted):
                self.open = Reading(event.number, event.path)
            elif not isinstance(event, BlockProgress) or event.section == _CLOSED:
                self.closed.add(event.number)
                if self.open is not None and self.open.number <= event.number:
                    self.open = None
            elif self.open is not None:
                self.open = self.open._replace(lines=self.open.lines + len(event.lines))
        return is_new

    @property
    def whole_characters(self) -> bytes:
        """The data without a last character of which only some bytes are there yet."""
        pending, _ = self._decoder.getstate()
        return self.data[: len(self.data) - len(pending)]


class Watched:
    """A response that is looked at again and again, and planned once more blocks of it have closed.

    `view` is None until there is a plan; `trouble` says why there is none of what is there now.
    """

    def __init__(
        self, followed: FollowedFile | FollowedStream, arriving: Arriving, plan: Plan, clock: Callable[[], float]
    ) -> None:
        self.view: OutcomeView | None = None
        self.trouble = ""
        self.starts = 0  # how often it was begun
        self.name = followed.name
        self.followed = followed
        self._arriving = arriving
        self._plan = plan
        self._clock = clock
        self._is_there = False
        self._changed_at = clock()
        self._version = 0
        self._planned: tuple[object, ...] = ()  # the `state` that the last plan is about
        self._due = 0.0  # when the next plan may be made

    def look(self) -> None:
        """See what has come, and plan it if that is worth while. Raises `RepoError` if it cannot be read."""
        data = self.followed.look()
        is_there = data is not None
        if is_there != self._is_there or (data is not None and data != self._arriving.data):
            self._is_there = is_there
            self._changed_at = self._clock()
            self._version += 1
        if data is not None and (self._arriving.take(data) or not self.starts):
            self.starts += 1
            self.view = None
        if is_there and self._is_stale and self._clock() >= self._due:
            self._make_plan()

    @property
    def data(self) -> bytes | None:
        """All that was read, None if there is no such file now."""
        return self._arriving.data if self._is_there else None

    @property
    def reading(self) -> Reading | None:
        """The block that is open."""
        return None if self.followed.is_over else self._arriving.open

    @property
    def is_growing(self) -> bool:
        """Whether more is to be expected."""
        if self.followed.is_over:
            return False
        return self.followed.descriptor is not None or self._clock() - self._changed_at < RESTS

    @property
    def state(self) -> tuple[object, ...]:
        """What a plan made now would be about; the same as long as nothing of weight has changed."""
        closed = len(self._arriving.closed)
        if self.is_growing:
            return self.starts, closed
        return self.starts, closed, self._version

    @property
    def _is_stale(self) -> bool:
        return self._planned != self.state and not (self.is_growing and not self._arriving.closed)

    def _make_plan(self) -> None:
        started = self._clock()
        self._planned = self.state
        self.trouble = ""
        data = self._arriving.data if self.followed.is_over else self._arriving.whole_characters
        try:
            outcome = self._plan(data)
        except EditBlocksError as error:
            self.trouble = error.message
        else:
            self.view = self._view(outcome)
        self._due = self._clock() + max(_LEAST, _SHARE * (self._clock() - started))

    def _view(self, outcome: Outcome) -> OutcomeView:
        """The rows of a plan whose blocks are complete."""
        numbers = self._arriving.closed
        if not self.is_growing:
            numbers = {row_number(row) for row in outcome.result.rows}
            if self.reading is not None:
                last = self.reading.number
                numbers = {number for number in numbers if number < last}
        results = tuple(row for row in outcome.result.results if row_number(row) in numbers)
        problems = tuple(row for row in outcome.result.problems if row.number in numbers)
        result = outcome.result._replace(results=results, problems=problems)
        if self.is_growing or self.reading is not None:
            result = result._replace(unbalanced="")  # the closer of the open block is still to come
        return OutcomeView(outcome._replace(result=result))
