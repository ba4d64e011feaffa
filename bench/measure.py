"""Time two pieces of work against each other in one run, interleaved, so that noise falls on both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

MISS = 1.2  # a target counts as missed beyond 20 %: clocks of shared machines are no better


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: a ratio of times that should be at most `target`."""

    id: str
    workload: str
    ratio: float
    target: float

    @property
    def missed(self) -> bool:
        """Whether it is over its target by more than measuring can explain."""
        return self.ratio > self.target * MISS


def compare(work: Callable[[], object], peer: Callable[[], object], rounds: int) -> float:
    """The median time of `work` over that of `peer`, after one round that does not count."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for run, kept in zip((work, peer), times, strict=True):
            start = perf_counter()
            run()
            kept.append(perf_counter() - start)
    return median(times[0][1:]) / median(times[1][1:])


def table(rows: Sequence[Row]) -> str:
    """All rows as aligned text."""
    cells = [("id", "workload", "ratio", "target", "")]
    cells += [
        (row.id, row.workload, f"{row.ratio:.2f}", f"{row.target:.2f}", "MISS" if row.missed else "ok") for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )
