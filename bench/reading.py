"""P1 and P2: the time to parse a response, against aider's parser and against itself at twice the length.

Parsing never waits, so processor time is measured. Elapsed time would be unfair: the peer is a separate process, and a
busy machine first serves a process that has slept.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time

from bench.measure import Row, Stopwatch, doubling, race, timed
from bench.peers import INSTALL, aider_parser
from bench.responses import HOSTILE, many_blocks, prose
from editblocks import parse_response

PROSE = 10_000_000  # characters
ROUNDS, ROUNDS_DOUBLED = 9, 15
SMALLEST, LARGEST = 2**12, 2**25  # characters of a hostile response


def rows(peers: Path | None) -> Iterator[Row]:
    """Yield the rows of P1, which need the environment of the peers, and of P2, which do not."""
    text = prose(PROSE)
    yield against_aider("W3: 200 files, 2,000 blocks", many_blocks(200, 2_000), 1.0, peers)
    yield against_aider("10 MB of prose", text, 12.0, peers)
    yield _throughput(text)
    yield from (_doubled(name, make) for name, make in HOSTILE.items())


def against_aider(what: str, text: str, target: float, peers: Path | None) -> Row:
    """Measure how many times faster than aider's parser a text is parsed; skipped if `peers` is None."""
    workload = f"{what}, against aider's parser"
    if peers is None:
        return Row("P1", workload, None, target, at_least=True, remark=INSTALL)
    blocks = len(parse_response(text).blocks)
    with aider_parser(peers, text, blocks) as peer:
        times = race(_reading(text), peer, ROUNDS)
    return Row("P1", workload, times, target, at_least=True)


def _throughput(text: str) -> Row:
    """Measure parsing prose, against counting its lines. If counting 10 MB takes 3.6 ms, 14 times as long is 200 MB/s.

    Megabytes a second are only a remark, because they say more about the machine than about the parser.
    """
    times = race(_reading(text), timed(partial(text.count, "\n"), process_time), ROUNDS)
    rate = len(text) / times.work / 1e6
    return Row("P2", "10 MB of prose, against counting its lines", times, 14.0, remark=f"{rate:.0f} MB/s")


def _doubled(name: str, make: Callable[[int], str]) -> Row:
    size, times = doubling(lambda length: _reading(make(length)), SMALLEST, LARGEST, ROUNDS_DOUBLED)
    return Row("P2", f"{name}: {2 * size:,} characters against {size:,}", times, 2.5)


def _reading(text: str) -> Stopwatch:
    return timed(partial(parse_response, text), process_time)
