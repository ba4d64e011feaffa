"""Time two pieces of work against each other in one run, interleaved, so that noise falls on both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from time import perf_counter
from typing import NamedTuple

MISS = 1.2  # a target counts as missed beyond 20 %: clocks of shared machines are no better

SHORTEST = 0.02  # seconds, so that twice as much takes far longer than the clock's grain

Stopwatch = Callable[[], float]  # does a piece of work once and says how many seconds it took


class Times(NamedTuple):
    """Seconds of a piece of work, and of the one it is compared with."""

    work: float
    peer: float


class Row(NamedTuple):
    """One line of the table: a ratio of times and what it should be at most, or `at_least`.

    A ratio that should be large says how many times faster the work is than its peer. What is counted
    instead has a `count`. Neither: it was not measured, and `remark` says what is missing.
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
        """The work's time over the peer's, or the peer's over the work's; or the count."""
        if self.times is None:
            return self.number
        work, peer = self.times
        return peer / work if self.at_least else work / peer

    @property
    def missed(self) -> bool:
        """Whether it misses its target by more than measuring can explain."""
        if self.ratio is None:
            return False
        return self.ratio * MISS < self.target if self.at_least else self.ratio > self.target * MISS

    @property
    def verdict(self) -> str:
        """`ok`, `MISS` or `skipped`."""
        return "skipped" if self.ratio is None else "MISS" if self.missed else "ok"


def timed(work: Callable[[], object], clock: Callable[[], float] = perf_counter) -> Stopwatch:
    """A stopwatch around `work`; what it returns is given up inside, since freeing it is work too.

    For work that waits for nothing, `process_time` leaves out what other processes took.
    """

    def run() -> float:
        start = clock()
        work()
        return clock() - start

    return run


def compare(work: Callable[[], object], peer: Callable[[], object], rounds: int) -> Times:
    """The median times of both, after one round that does not count."""
    return race(timed(work), timed(peer), rounds)


def race(work: Stopwatch, peer: Stopwatch, rounds: int, typical: Callable[[Iterable[float]], float] = median) -> Times:
    """What is `typical` of each one's times, after one round that does not count unless it is the only one.

    `min` suits work that always takes the same steps: everything above the least is the machine's.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for run, kept in zip((work, peer), times, strict=True):
            kept.append(run())
    return Times(typical(times[0][1:] or times[0]), typical(times[1][1:] or times[1]))


def doubling(
    make: Callable[[int], Stopwatch], smallest: int, largest: int, rounds: int, shortest: float = SHORTEST
) -> tuple[int, Times]:
    """How long the work of twice a size takes against that of the size, and the size that was chosen.

    It is the first power of two times `smallest` whose work takes `shortest` seconds.
    """
    size = smallest
    while size < largest:
        run = make(size)
        if min(run(), run()) >= shortest:
            break
        size *= 2
    return size, race(make(2 * size), make(size), rounds, typical=min)


def table(rows: Sequence[Row]) -> str:
    """All rows as aligned text."""
    return aligned([("id", "workload", "ratio", "target", ""), *map(_cells, rows)])


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Lines of cells as text, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    target = f"{'>=' if row.at_least else '<='} {row.target:.2f}"
    return row.id, row.workload, ratio, target, f"{row.verdict}: {row.remark}" if row.remark else row.verdict


def figures(rows: Sequence[Row]) -> list[dict[str, object]]:
    """All rows as values that JSON can hold, with the seconds behind each ratio (None: not measured)."""
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
