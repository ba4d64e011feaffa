"""P0, P7, P8 and P9: the time from an answer for one file to its rows and bytes, as in the loop of an agent.

All times are processor time, the minimum of many rounds, and every result is checked first. P0, P7 and P8 are compared
with mpatch, P9 with aider's engine. Without peers, only the milliseconds are shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from time import process_time
from typing import NamedTuple

from bench.breaking import text
from bench.edits import workload
from bench.measure import Row, Stopwatch, race, timed
from bench.patches import long_edit
from bench.peers import INSTALL, Peer, aider, mpatch
from bench.responses import CLOSER, DIVIDER, OPENER, Dice
from bench.sources import edits, sources
from editblocks import Settings, apply_response

SETTINGS = Settings(max_file_bytes=10**9, max_response_bytes=10**9)
LINES, MANY_LINES, MANY = 200, 20_000, 200
SMALL = "{} in 200 lines, against mpatch"
ANSWERS, SEED = 200, 11  # of P9
_LINES = (4, 12)  # lines of the place to edit: at least, at most
_ROUNDS = 15


class Single(NamedTuple):
    """An answer, the one file that it changes, and the text of the file before and after."""

    answer: str
    path: str
    before: str
    after: str


def rows(peers: Path | None) -> Iterator[Row]:
    """Yield all rows. Targets in milliseconds are only in the remarks, because they depend on the machine."""
    before, diff, blocks = long_edit(MANY_LINES, MANY)
    cases = (
        ("P0", SMALL.format("one block"), small(1), 10.0, 0.4, 200),
        ("P0", SMALL.format("five blocks"), small(5), 8.0, 0.8, 100),
        ("P7", "a diff of 200 hunks in 20,000 lines, against mpatch", planned(diff, before), 1.3, 60.0, 1),
        ("P8", "200 blocks in 20,000 lines, against mpatch", planned(blocks, before), 1.0, 66.0, 1),
    )
    with ExitStack() as stack:
        theirs = None
        if peers is not None:
            theirs = stack.enter_context(mpatch(peers))
        for name, what, case, target, wanted, times in cases:
            ours = _applying([case] * times)
            if theirs is None:
                yield Row(name, what, None, target, remark=f"{_milliseconds(ours, times)}; {INSTALL}")
                continue
            peer = partial(_asked, theirs, case, times)
            measured = race(ours, peer, _ROUNDS, typical=min)
            took = measured.work * 1000 / times
            remark = f"{took:.2f} ms (target {wanted:.2f}); peer {measured.peer * 1000 / times:.2f} ms"
            yield Row(name, what, measured, target, remark=remark)
    yield _of_answers(peers)


def small(blocks: int) -> Single:
    """Make an answer of `blocks` blocks for a file of 200 lines."""
    work = workload("P0", files=1, lines=LINES, blocks=blocks)
    [(path, before)] = work.files.items()
    return Single(work.response, path, before, work.expected[path])


def planned(answer: str, before: str) -> Single:
    """Take an answer for `a.py`, and this project's own result for it, which mpatch must match."""
    result = apply_response(answer, {"a.py": before.encode()}.get, settings=SETTINGS)
    if not result.ok:
        raise RuntimeError("the long edit does not fit")
    return Single(answer, "a.py", before, (result.contents["a.py"] or b"").decode())


def real(count: int) -> list[Single]:
    """Make up to `count` answers of one block, for files of the standard library in turn."""
    dice = Dice(SEED)
    found = []
    for source in islice(cycle(sources()), count):
        edit = next(iter(edits(dice, source, *_LINES)), None)
        if edit is None:
            continue
        old = source.lines[edit.start : edit.stop]
        after = edit.done(source.lines)
        new = after[edit.start : len(after) - len(source.lines) + edit.stop]
        if source.times(old) == 1 and source.times(new) == 0:
            answer = f"{source.path}\n```\n{OPENER}{text(old)}{DIVIDER}{text(new)}{CLOSER}```\n"
            found.append(Single(answer, source.path, text(source.lines), text(after)))
    return found


def _of_answers(peers: Path | None) -> Row:
    """Measure P9: answers for real files."""
    cases = real(ANSWERS)
    name = f"{len(cases):,} answers for real files, against aider's engine"
    ours = _applying(cases)
    if peers is None:
        return Row("P9", name, None, 1.0, remark=f"{_milliseconds(ours, len(cases))}; {INSTALL}")
    with aider(peers) as peer:
        measured = race(ours, partial(_asked_of_aider, peer, cases), 3, typical=min)
    took = measured.work * 1000 / len(cases)
    return Row("P9", name, measured, 1.0, remark=f"{took:.2f} ms an answer here")


def _applying(cases: Sequence[Single]) -> Stopwatch:
    """Return a stopwatch around applying all answers. Raises RuntimeError if a result is wrong."""
    encoded: list[tuple[str, Mapping[str, bytes]]] = []
    for case in cases:
        data = {case.path: case.before.encode()}
        result = apply_response(case.answer, data.get, settings=SETTINGS)
        if result.contents.get(case.path) != case.after.encode():
            raise RuntimeError(f"the bytes of {case.path} are wrong")
        encoded.append((case.answer, data))

    def work() -> None:
        for answer, data in encoded:
            apply_response(answer, data.get, settings=SETTINGS)

    return timed(work, process_time)


def _asked(peer: Peer, case: Single, times: int) -> float:
    """Return the seconds in which mpatch applies the answer `times` times. Raises RuntimeError if its text differs."""
    answers = [peer.ask("apply", case.answer, case.before) for _ in range(times)]
    if answers[0].result != case.after:
        raise RuntimeError(f"mpatch's result for {case.path} differs")
    return sum(each.seconds for each in answers)


def _asked_of_aider(peer: Peer, cases: Sequence[Single]) -> float:
    return sum(peer.ask("apply", case.answer, {case.path: case.before}).seconds for case in cases)


def _milliseconds(run: Stopwatch, times: int) -> str:
    return f"{min(run() for _ in range(_ROUNDS)) * 1000 / times:.2f} ms"
