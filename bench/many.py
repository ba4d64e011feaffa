"""P6: ten times as many blocks in one large file take only a few times as long: most of the work is done once a file.

Both times are this project's: 500 blocks, the most that a response may have, against 50 in the same 100,000 lines. The
processor time of planning is measured. The blocks are parsed beforehand, because the time for that is proportional to
their number; a remark gives the ratio with parsing.
"""

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
    """Yield one row. Raises RuntimeError if a planned result is wrong."""
    many, few = (workload("P6", files=1, lines=LINES, blocks=blocks, body=BODY) for blocks in (MANY, FEW))
    for work in (many, few):
        check(work, apply_response(work.response, work.encoded().get, settings=SETTINGS))
    name = f"{MANY:,} blocks against {FEW} in one file of {LINES:,} lines"
    whole = race(everything(many), everything(few), ROUNDS)
    longer = len(many.response) / len(few.response)
    remark = f"with reading, of {longer:.0f} times as much text: {whole.work / whole.peer:.1f}"
    yield Row("P6", name, race(planning(many), planning(few), ROUNDS), 3.0, remark=remark)


def planning(work: Workload) -> Stopwatch:
    """Return a stopwatch around planning the blocks, which are parsed beforehand."""
    parsed, data = parse_response(work.response), work.encoded()
    return timed(partial(apply_parsed, parsed, data.get, settings=SETTINGS), process_time)


def everything(work: Workload) -> Stopwatch:
    """Return a stopwatch around parsing and planning."""
    return timed(partial(apply_response, work.response, work.encoded().get, settings=SETTINGS), process_time)
