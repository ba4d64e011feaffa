"""What `watch` knows of a response that grows: the last plan, how old it is, and whether more is to be expected."""

from __future__ import annotations

from collections.abc import Callable

from editblocks.core.errors import EditBlocksError
from editblocks.core.outcome import Outcome
from editblocks.faces.interactive.arriving import Arriving, closed_rows
from editblocks.faces.interactive.following import FollowedFile, FollowedStream
from editblocks.report.terminal.live import Reading
from editblocks.report.view import OutcomeView

RESTS = 1.0  # seconds that a file stays as it is before it counts as written
_SHARE = 4  # planning takes one second in five at most
_LEAST = 0.2  # seconds between two plans

Plan = Callable[[bytes], Outcome]


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
        self._followed, self._arriving, self._plan, self._clock = followed, arriving, plan, clock
        self._is_there = False
        self._changed_at = clock()
        self._version = 0
        self._planned: tuple[object, ...] = ()  # what the plan is about
        self._due = 0.0  # when the next plan may be made

    def look(self) -> None:
        """See what has come, and plan it if that is worth while. Raises `RepoError` if it cannot be read."""
        data = self._followed.look()
        is_there = data is not None
        if is_there != self._is_there or (data is not None and data != self._arriving.data):
            self._is_there, self._changed_at = is_there, self._clock()
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
        return None if self._followed.is_over else self._arriving.open

    @property
    def is_over(self) -> bool:
        """Whether no more can come."""
        return self._followed.is_over

    @property
    def rests(self) -> float:
        """For how many seconds nothing has changed."""
        return self._clock() - self._changed_at

    @property
    def is_growing(self) -> bool:
        """Whether more is to be expected."""
        return not self.is_over and (self._followed.descriptor is not None or self.rests < RESTS)

    @property
    def waits(self) -> float | None:
        """Seconds until there is something to do although nothing comes; None if there is not."""
        return max(0.0, self._due - self._clock()) if self._is_there and self._is_stale else None

    @property
    def descriptor(self) -> int | None:
        """What can be read once more has come."""
        return self._followed.descriptor

    @property
    def state(self) -> tuple[object, ...]:
        """What a plan made now would be about; the same as long as nothing of weight has changed."""
        closed = len(self._arriving.closed)
        return (self.starts, closed) if self.is_growing else (self.starts, closed, self._version)

    @property
    def _is_stale(self) -> bool:
        return self._planned != self.state and not (self.is_growing and not self._arriving.closed)

    def _make_plan(self) -> None:
        started, self._planned = self._clock(), self.state
        arriving, self.trouble = self._arriving, ""
        try:
            outcome = self._plan(arriving.data if self.is_over else arriving.whole_characters)
        except EditBlocksError as error:
            self.trouble = error.message
        else:
            numbers = set(arriving.closed)
            if not self.is_growing:
                last = self.reading.number if self.reading is not None else None
                numbers = {row.number for row in OutcomeView(outcome).rows if last is None or row.number < last}
            result = closed_rows(outcome.result, numbers)
            if self.is_growing or self.reading is not None:
                result = result._replace(unbalanced="")  # the closer of the open block is still to come
            self.view = OutcomeView(outcome._replace(result=result))
        self._due = self._clock() + max(_LEAST, _SHARE * (self._clock() - started))
