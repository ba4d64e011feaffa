"""Follow a response that is still being written: its bytes, the blocks in them so far, and their last plan."""

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
from editblocks.report.terminal.console import OpenRow
from editblocks.report.view import OutcomeView

RESTS = 1.0  # seconds without a change after which a file is considered complete
_SHARE = 4  # pause after a plan, as a multiple of its time, so that planning takes a fifth of the time at most
_LEAST = 0.2  # seconds between two plans
_PIECE = 65536
_CLOSED = "closed"  # the event of a block whose closer was read

MakePlan = Callable[[bytes], Outcome]


class FollowedFile:
    """A file that grows or is replaced, and may not exist yet. At most `size` bytes of it are read."""

    is_pipe = False
    is_over = False  # a file may always grow again

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self._size = size

    def look(self) -> bytes | None:
        """Return the bytes that the file has now; None if it does not exist. Raises `RepoError` if it is unreadable."""
        try:
            return read_source(self.name, self._size)
        except RepoError as error:
            if error.code is not ReasonCode.FILE_NOT_FOUND:
                raise
            return None


class FollowedStream:
    """The bytes from a pipe, `size` at most."""

    is_pipe = True

    def __init__(self, descriptor: int, size: int) -> None:
        self.name = "standard input"
        self.is_over = False
        self._descriptor = descriptor
        self._size = size
        self._data = bytearray()

    def look(self) -> bytes | None:
        """Return all bytes that have come so far. Raises `RepoError`."""
        while not self.is_over and select.select([self._descriptor], [], [], 0)[0]:
            try:
                piece = os.read(self._descriptor, min(_PIECE, self._size - len(self._data)))
            except OSError as error:
                raise RepoError(f"{self.name} cannot be read: {reason_of(error)}") from error
            self._data += piece
            self.is_over = not piece or len(self._data) >= self._size
        return bytes(self._data)


class Arriving:
    """The bytes of a response so far, and the blocks in them. No I/O."""

    def __init__(self, formats: Sequence[Format], most_rows: int) -> None:
        self._formats = formats
        self._most_rows = most_rows
        self._restart()

    def _restart(self) -> None:
        self.data = b""
        self.open: OpenRow | None = None
        self.closed = set[int]()  # the numbers of the blocks that have ended, also broken ones
        self._parser = StreamParser(self._formats, most_rows=self._most_rows)
        self._decoder = getincrementaldecoder("utf-8")("replace")  # the response itself is decoded strictly

    def take(self, data: bytes) -> bool:
        """Take all bytes that there are now. Return whether the response began anew, with other bytes than before."""
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
                self.open = OpenRow(event.number, event.path)
            elif isinstance(event, BlockProgress) and event.section != _CLOSED:
                if self.open is not None:
                    self.open = self.open._replace(lines=self.open.lines + len(event.lines))
            else:
                self.closed.add(event.number)
                if self.open is not None and self.open.number <= event.number:
                    self.open = None
        return is_new

    @property
    def whole_characters(self) -> bytes:
        """The data without a last character that is incomplete."""
        pending, _ = self._decoder.getstate()
        return self.data[: len(self.data) - len(pending)]


class Watched:
    """A response that is read again and again, and planned whenever more of its blocks have closed.

    `view` is None until there is a plan. `trouble` says why the present text could not be planned.
    """

    def __init__(
        self, followed: FollowedFile | FollowedStream, arriving: Arriving, plan: MakePlan, clock: Callable[[], float]
    ) -> None:
        self.view: OutcomeView | None = None
        self.trouble = ""
        self.starts = 0  # how often the response began anew
        self.name = followed.name
        self.followed = followed
        self._arriving = arriving
        self._plan = plan
        self._clock = clock
        self._is_there = False
        self._changed_at = clock()
        self._version = 0
        self._planned_state: tuple[object, ...] = ()  # the `state` for which the last plan was made
        self._due = 0.0  # when the next plan may be made

    def look(self) -> None:
        """Read what has come, and plan it if its state has changed. Raises `RepoError` if it cannot be read."""
        data = self.followed.look()
        if data != self.data:
            self._is_there = data is not None
            self._changed_at = self._clock()
            self._version += 1
        if data is None:
            return
        if self._arriving.take(data) or not self.starts:
            self.starts += 1
            self.view = None
        if self._needs_plan and self._clock() >= self._due:
            self._make_plan()

    @property
    def data(self) -> bytes | None:
        """All bytes that were read; None if the file does not exist now."""
        return self._arriving.data if self._is_there else None

    @property
    def reading(self) -> OpenRow | None:
        """The block that is still open, if there is one."""
        return None if self.followed.is_over else self._arriving.open

    @property
    def is_growing(self) -> bool:
        """Whether more bytes are expected."""
        if self.followed.is_over:
            return False
        return self.followed.is_pipe or self._clock() - self._changed_at < RESTS

    @property
    def state(self) -> tuple[object, ...]:
        """The facts that a plan depends on; it is only planned again when they change."""
        closed = len(self._arriving.closed)
        if self.is_growing:
            return self.starts, closed
        return self.starts, closed, self._version

    @property
    def _needs_plan(self) -> bool:
        has_blocks = bool(self._arriving.closed)
        return self._planned_state != self.state and (has_blocks or not self.is_growing)

    def _make_plan(self) -> None:
        started = self._clock()
        self._planned_state = self.state
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
        """Return the view of a plan, without rows of blocks that are not complete."""
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
            result = result._replace(unbalanced="")  # the closer of the open block has not come yet
        return OutcomeView(outcome._replace(result=result))
