"""P3: the time from a response to the new bytes of every file, against aider's engine. P4: the time to find blocks.

Neither side touches the disk or waits for anything, so processor time is measured. The result of this project must
have the bytes that the generator of the edits expects; otherwise the run ends with an error.

P3 is everything: parsing the blocks, finding them, making the new bytes. Aider's side is `do_replace` on the named
file. Aider itself would also try a block that does not fit on every other file; the benchmark leaves that out.

P4 is about blocks that occur in their file exactly, and only once. The reference is one `str.find` for each block in
the decoded file, which stops at the first place. This project's side is `locate`, which must also make sure that there
is no second place. It starts with files that are decoded but not yet searched, so the time to join or index their
lines is included. Planning as a whole does far more than finding (lines, limits, hidden text, kept lines, proof,
encoding), and none of that depends on how much text there is to search; a remark gives its ratio.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from time import process_time

from bench.edits import Workload, w1, w2, w3, w4
from bench.measure import Row, Stopwatch, race, timed
from bench.peer_aider import digest
from bench.peers import INSTALL, Peer, aider
from editblocks import ApplyResult, ParseResult, Settings, apply_response, parse_response
from editblocks.applying.engine import apply_parsed
from editblocks.core.blocks import section_lines
from editblocks.matching.ladder import locate
from editblocks.text.source_text import SourceText

SETTINGS = Settings(max_blocks=10**6, max_files=10**6, max_response_bytes=10**9, max_file_bytes=10**9)
ROUNDS = {"W1": 99, "W2": 15, "W3": 3, "W4": 3}
ROUNDS_FINDING = 9
FASTER, FIND = {"W1": 1.0, "W2": 3.0, "W3": 4.0, "W4": 20.0}, 3.0


def rows(peers: Path | None) -> Iterator[Row]:
    """Yield the rows of P3, which need the environment of the peers, and of P4, which do not."""
    for make in (w1, w2, w3, w4):
        work = make()
        yield against_aider(work, peers, ROUNDS[work.name])
        if work.name in ("W3", "W4"):
            yield against_find(work)


def against_aider(work: Workload, peers: Path | None, rounds: int) -> Row:
    """Measure how many times faster than aider all edits are applied; a remark counts the files aider gets wrong."""
    name = f"{described(work)}, against aider's engine"
    check(work, apply_response(work.response, work.encoded().get, settings=SETTINGS))
    if peers is None:
        return Row("P3", name, None, FASTER[work.name], at_least=True, remark=INSTALL)
    with aider(peers) as peer:
        times = race(_applying(work), lambda: peer.ask("apply", work.response, work.files).seconds, rounds)
        wrong = wrong_files(work, peer)
    return Row(
        "P3",
        name,
        times,
        FASTER[work.name],
        at_least=True,
        remark=f"aider's bytes are wrong in {wrong} of {len(work.files)}",
    )


def against_find(work: Workload) -> Row:
    """Measure how much longer it takes to find the one place of each exact block than to `find` its first place."""
    parsed, data = exact_blocks(work), work.encoded()
    times = race(lambda: finding_all(data, parsed), _finding_first(data, parsed), ROUNDS_FINDING, typical=min)
    plan = timed(partial(apply_parsed, parsed, data.get, settings=SETTINGS), process_time)
    whole = min(plan() for _ in range(3)) / times.peer
    return Row("P4", f"{described(work)}, against `find`", times, FIND, remark=f"planning as a whole: {whole:.0f}")


def described(work: Workload) -> str:
    """Describe a workload, as in `W2: 20 files of 1,000 lines, 200 blocks`."""
    files, lines = len(work.files), next(iter(work.files.values())).count("\n")
    return f"{work.name}: {files:,} file{'s' * (files != 1)} of {lines:,} lines, {len(work.edits):,} blocks"


def check(work: Workload, result: ApplyResult) -> None:
    """Raise RuntimeError unless every block is applied and every file has the expected bytes."""
    bad = [row for row in result.rows if not getattr(row, "ok", False)]
    if bad:
        raise RuntimeError(f"{work.name}: {len(bad)} blocks are not applied, first {bad[0]}")
    wrong = [path for path, text in work.expected.items() if result.contents.get(path) != text.encode()]
    if wrong:
        raise RuntimeError(f"{work.name}: the bytes of {wrong[0]} are wrong")


def wrong_files(work: Workload, peer: Peer) -> int:
    """Return the number of files in which aider's result differs from the expected text."""
    after = peer.ask("apply", work.response, work.files).result
    return sum(after[path] != digest(text) for path, text in work.expected.items())


def exact_blocks(work: Workload) -> ParseResult:
    """Return the blocks that fit their file exactly."""
    blocks = zip(parse_response(work.response).blocks, work.edits, strict=True)
    return ParseResult(tuple(block for block, edit in blocks if edit.is_exact))


def finding_all(data: Mapping[str, bytes], parsed: ParseResult) -> float:
    """Return the seconds that it takes to find every block. Raises RuntimeError unless each has exactly one place."""
    sources = {path: SourceText.decode(text, path) for path, text in data.items()}
    wanted = [
        (sources[block.file_path], section_lines(block.search), section_lines(block.replace)) for block in parsed.blocks
    ]
    start = process_time()
    found = [locate(search, replace, source).match for source, search, replace in wanted]
    seconds = process_time() - start
    if None in found:
        raise RuntimeError(f"block {parsed.blocks[found.index(None)].number} is not found")
    return seconds


def _finding_first(data: Mapping[str, bytes], parsed: ParseResult) -> Stopwatch:
    """Return a stopwatch around `str.find` for every block, which stops at the first place."""
    texts = {path: text.decode() for path, text in data.items()}
    wanted = [(texts[block.file_path], block.search) for block in parsed.blocks]

    def find() -> None:
        for text, search in wanted:
            text.find(search)

    return timed(find, process_time)


def _applying(work: Workload) -> Stopwatch:
    return timed(partial(apply_response, work.response, work.encoded().get, settings=SETTINGS), process_time)
