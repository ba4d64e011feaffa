"""P6: ten times as many blocks in one large file take a few times as long, for most of it is the file's.

Both times are this project's: 500 blocks, the most that a response may have, against 50 in the same 100,000 lines.
Measured is planning, in processor time, with blocks that are read beforehand, for to read them is proportional; a
remark says what comes out with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import process_time

from bench.applying import SETTINGS, check
from bench.edits import Workload, workload
from bench.measure import Row, Stopwatch, race, timed
from editblocks import apply_response, parse_response
from editblocks.applying.engine import apply_parsed

LINES, FEW, MANY = 100_000, 50, 500
BODY = 6  # lines of a method, so that there are enough of them
ROUNDS = 3


def rows(_peers: Path | None) -> Iterator[Row]:
    """One row; what is planned has to be right first."""
    many, few = (workload("P6", files=1, lines=LINES, blocks=blocks, body=BODY) for blocks in (MANY, FEW))
    for work in (many, few):
        check(work, apply_response(work.response, work.encoded().get, settings=SETTINGS))
    name = f"{MANY:,} blocks against {FEW} in one file of {LINES:,} lines"
    whole = race(everything(many), everything(few), ROUNDS)
    longer = len(many.response) / len(few.response)
    remark = f"with reading, of {longer:.0f} times as much text: {whole.work / whole.peer:.1f}"
    yield Row("P6", name, race(planning(many), planning(few), ROUNDS), 3.0, remark=remark)


def planning(work: Workload) -> Stopwatch:
    """A stopwatch around planning what is read already."""
    parsed, data = parse_response(work.response), work.encoded()
    return timed(partial(apply_parsed, parsed, data.get, settings=SETTINGS), process_time)


def everything(work: Workload) -> Stopwatch:
    """A stopwatch around reading and planning."""
    return timed(partial(apply_response, work.response, work.encoded().get, settings=SETTINGS), process_time)
