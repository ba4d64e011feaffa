"""P5: the time to refuse a block that does not fit, and to say why, against aider and mpatch.

Aider's live path is `apply_edits`. It tries the block on its file and again on all files of the chat, which include
that file. For its message, it compares every window of the file with the old lines.

Against aider, the processor time to plan one parsed block is measured, from the bytes of the file to the reason.
Against mpatch, which guesses a place, it is the time for the whole answer, from its text to the reason.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import NamedTuple

from bench.applying import SETTINGS
from bench.edits import workload
from bench.measure import Row, race, timed
from bench.peers import INSTALL, aider, mpatch
from bench.responses import CLOSER, DIVIDER, OPENER
from editblocks import EditBlock, ParseResult, apply_response
from editblocks.applying.engine import apply_parsed

PATH = "file.py"
LINES, EQUAL_LINES = 10_000, 100_000
SEARCHED, EVERY = 50, 10  # lines of the block; every tenth differs from the file
AROUND = SEARCHED // 8  # lines that the shown place may be off, because windows are widened so far
AT_MOST = 40  # milliseconds, on the machine where the targets were set
DRIFTED, EQUAL, MPATCH = 40.0, 300.0, 5.0  # times faster
MPATCH_LINES = 20_000


class Failure(NamedTuple):
    """A file, and a block that does not fit it. `place` is the line, 1-based, that it was written for, if any."""

    name: str
    content: str
    search: str
    place: int | None = None

    @property
    def block(self) -> EditBlock:
        """The block as if it had been parsed; it changes the first of its lines."""
        raw = self.search + self.replace
        return EditBlock(1, PATH, "search-replace", 1, 1, old_lines=self.search, new_lines=self.replace, raw_block=raw)

    @property
    def answer(self) -> str:
        """An answer with that block."""
        return f"{PATH}\n```\n{OPENER}{self.search}{DIVIDER}{self.replace}{CLOSER}```\n"

    @property
    def replace(self) -> str:
        """The new lines of the block: the old ones with another first line."""
        return "".join(["changed = True\n", *self.search.splitlines(keepends=True)[1:]])


def rows(peers: Path | None) -> Iterator[Row]:
    """Yield the rows, which all need the environment of the peers. The last takes aider over a minute: it runs once."""
    yield against_aider(drifted(), peers, DRIFTED, rounds=3)
    yield against_mpatch(drifted(MPATCH_LINES), peers)
    yield against_aider(equal_lines(), peers, EQUAL, rounds=0)


def drifted(size: int = LINES) -> Failure:
    """Make a file of `size` lines of code, and a block of 50 lines from its middle, with every tenth line changed."""
    content = next(iter(workload("drifted", files=1, lines=size, blocks=1).files.values()))
    start = size // 2
    lines = content.splitlines(keepends=True)[start : start + SEARCHED]
    return Failure(
        f"{size:,} lines, one in {EVERY} of the block's {SEARCHED} has changed", content, _worn(lines), start + 1
    )


def equal_lines(size: int = EQUAL_LINES) -> Failure:
    """Make a file of `size` equal lines, and a block of 50 such lines, with every tenth line changed."""
    line = "    return None\n"
    return Failure(f"{size:,} equal lines", line * size, _worn([line] * SEARCHED))


def _worn(lines: list[str]) -> str:
    return "".join(
        f"{line[:-1]}  # {index}\n" if index % EVERY == EVERY // 2 else line for index, line in enumerate(lines)
    )


def against_aider(failure: Failure, peers: Path | None, target: float, rounds: int) -> Row:
    """Measure how many times faster the reason is found than aider's message. `rounds` 0: once, without a warm-up."""
    name = f"{failure.name}, against aider's message"
    check(failure)
    if peers is None:
        return Row("P5", name, None, target, at_least=True, remark=INSTALL)
    data = {PATH: failure.content.encode()}
    parsed = ParseResult((failure.block,))
    ours = timed(partial(apply_parsed, parsed, data.get, settings=SETTINGS), process_time)
    with aider(peers) as peer:
        times = race(ours, lambda: peer.ask("fail", failure.content, failure.search, failure.replace).seconds, rounds)
    took = times.work * 1000
    remark = f"{took:.0f} ms (target {AT_MOST}); peer {times.peer:.1f} s"
    return Row("P5", name, times, target, at_least=True, remark=remark)


def against_mpatch(failure: Failure, peers: Path | None) -> Row:
    """Measure how many times faster the reason is found than mpatch chooses a place."""
    name = f"{failure.name}, against mpatch"
    check(failure)
    if peers is None:
        return Row("P5", name, None, MPATCH, at_least=True, remark=INSTALL)
    data = {PATH: failure.content.encode()}
    ours = timed(partial(apply_response, failure.answer, data.get, settings=SETTINGS), process_time)
    with mpatch(peers) as peer:
        times = race(ours, lambda: peer.ask("apply", failure.answer, failure.content).seconds, rounds=3)
    remark = f"{times.work * 1000:.0f} ms; peer {times.peer * 1000:.0f} ms"
    return Row("P5", name, times, MPATCH, at_least=True, remark=remark)


def check(failure: Failure) -> None:
    """Raise RuntimeError if the block is applied, or if the first candidate is not near the place, if that is known."""
    data = failure.content.encode()
    result = apply_response(failure.answer, {PATH: data}.get, settings=SETTINGS)
    shown = [candidate.start_line for row in result.results for candidate in row.candidates]
    if result.contents or result.ok:
        raise RuntimeError(f"{failure.name}: the block was applied")
    if failure.place is not None and not any(abs(line - failure.place) <= AROUND for line in shown[:1]):
        raise RuntimeError(f"{failure.name}: expected a candidate near line {failure.place}, got {shown}")
