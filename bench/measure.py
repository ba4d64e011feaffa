"""Time two pieces of work against each other in one run, interleaved, so that noise falls on both."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from time import perf_counter
from typing import NamedTuple

MISS = 1.2  # a target is missed only by more than 20 %, because times on shared machines vary

SHORTEST = 0.02  # seconds; far longer than the resolution of the clock

Stopwatch = Callable[[], float]  # does a piece of work once and returns the seconds it took


class Times(NamedTuple):
    """Seconds of a piece of work, and of the one it is compared with."""

    work: float
    peer: float


class Row(NamedTuple):
    """One line of the table: a ratio of times and its target, which is a maximum, or a minimum with `at_least`.

    With `at_least`, the ratio says how many times faster the work is than its peer. A row that counts something has
    a `number` instead of `times`. A row with neither was not measured, and `remark` says what is missing.
    """

    id: str
    workload: str
    times: Times | None
    target: float
    at_least: bool = False
    remark: str = ""
    number: int | None = None

    @property
    def ratio(self) -> float | None:
        """The work's time divided by the peer's, with `at_least` the reverse; without times, `number`."""
        if self.times is None:
            return self.number
        work, peer = self.times
        return peer / work if self.at_least else work / peer

    @property
    def missed(self) -> bool:
        """Whether the ratio misses its target by more than the tolerance `MISS`."""
        if self.ratio is None:
            return False
        return self.ratio * MISS < self.target if self.at_least else self.ratio > self.target * MISS

    @property
    def verdict(self) -> str:
        """`ok`, `MISS` or `skipped`."""
        return "skipped" if self.ratio is None else "MISS" if self.missed else "ok"


def timed(work: Callable[[], object], clock: Callable[[], float] = perf_counter) -> Stopwatch:
    """Return a stopwatch around `work`, which includes freeing the object that `work` returns.

    For work that never waits, the clock `process_time` leaves out the time of other processes.
    """

    def run() -> float:
        start = clock()
        work()
        return clock() - start

    return run


def compare(work: Callable[[], object], peer: Callable[[], object], rounds: int) -> Times:
    """Return the median times of both over `rounds` rounds, after a warm-up round."""
    return race(timed(work), timed(peer), rounds)


def race(work: Stopwatch, peer: Stopwatch, rounds: int, typical: Callable[[Iterable[float]], float] = median) -> Times:
    """Return the `typical` time of each, after a warm-up round. With `rounds` 0, the warm-up itself is the result.

    `min` suits work that always takes the same steps: any time above the minimum is due to the machine.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for run, kept in zip((work, peer), times, strict=True):
            kept.append(run())
    return Times(typical(times[0][1:] or times[0]), typical(times[1][1:] or times[1]))


def doubling(
    make: Callable[[int], Stopwatch], smallest: int, largest: int, rounds: int, shortest: float = SHORTEST
) -> tuple[int, Times]:
    """Return a size, and the times of the work of twice that size and of that size.

    The size is `smallest`, doubled until its work takes `shortest` seconds or it reaches `largest`.
    """
    size = smallest
    while size < largest:
        run = make(size)
        if min(run(), run()) >= shortest:
            break
        size *= 2
    return size, race(make(2 * size), make(size), rounds, typical=min)


def table(rows: Sequence[Row]) -> str:
    """Format all rows as aligned text."""
    return aligned([("id", "workload", "ratio", "target", ""), *map(_cells, rows)])


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Format lines of cells as text, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    target = f"{'>=' if row.at_least else '<='} {row.target:.2f}"
    return row.id, row.workload, ratio, target, f"{row.verdict}: {row.remark}" if row.remark else row.verdict


def figures(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Return all rows as JSON values, with the seconds of work and peer (None: not measured)."""
    return [
        {
            "id": row.id,
            "workload": row.workload,
            "ratio": row.ratio,
            "target": row.target,
            "at_least": row.at_least,
            "verdict": row.verdict,
            "remark": row.remark,
            "seconds": None if row.times is None else row.times.work,
            "peer_seconds": None if row.times is None else row.times.peer,
        }
        for row in rows
    ]
