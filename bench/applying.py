"""P3 and P4: from a response to the new bytes of every file, against aider's engine; and finding alone.

Nothing touches the disk, on either side, and nothing is waited for, so that what is measured is processor
time. What we write has to be what the generator of the edits says, byte by byte, or the run ends.

P3 is everything: reading the blocks, finding them, the new bytes. Aider's side of it is `do_replace` on the
named file. It would try a block that does not fit on every other file, too; it is spared that.

P4 is about blocks that stand in their file exactly and once. The measure is one `find` for each block in the
decoded file, which stops at the first place. Beside it stands `locate`, which finds blocks here and has to
know that there is no second place; it starts with files that are decoded but not yet searched, so what it
joins or indexes on the way is counted. Planning as a whole does far more than to find (lines, limits, hidden
text, kept lines, proof, encoding), and none of that depends on how much there is to search; a remark says how
it compares.
"""

from __future__ import annotations

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
    """P3 needs the environment of the peers; P4 does not."""
    for make in (w1, w2, w3, w4):
        work = make()
        yield against_aider(work, peers, ROUNDS[work.name])
        if work.name in ("W3", "W4"):
            yield against_find(work)


def against_aider(work: Workload, peers: Path | None, rounds: int) -> Row:
    """How many times faster all edits are made than by aider, and in how many files aider's bytes are wrong."""
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
    """How much longer it takes to find all blocks that fit exactly, and no second place, than to `find` each once."""
    parsed, data = exact_blocks(work), work.encoded()
    times = race(lambda: finding_all(data, parsed), _finding_first(data, parsed), ROUNDS_FINDING, typical=min)
    plan = timed(partial(apply_parsed, parsed, data.get, settings=SETTINGS), process_time)
    whole = min(plan() for _ in range(3)) / times.peer
    return Row("P4", f"{described(work)}, against `find`", times, FIND, remark=f"planning as a whole: {whole:.0f}")


def described(work: Workload) -> str:
    """`W2: 20 files, 200 blocks`."""
    files, lines = len(work.files), next(iter(work.files.values())).count("\n")
    return f"{work.name}: {files:,} file{'s' * (files != 1)} of {lines:,} lines, {len(work.edits):,} blocks"


def check(work: Workload, result: ApplyResult) -> None:
    """Raise RuntimeError unless every file is what the generator says."""
    bad = [row for row in result.rows if not getattr(row, "ok", False)]
    if bad:
        raise RuntimeError(f"{work.name}: {len(bad)} blocks are not applied, first {bad[0]}")
    wrong = [path for path, text in work.expected.items() if result.contents.get(path) != text.encode()]
    if wrong:
        raise RuntimeError(f"{work.name}: the bytes of {wrong[0]} are wrong")


def wrong_files(work: Workload, peer: Peer) -> int:
    """How many files aider leaves in another state than the edits ask for."""
    after = peer.ask("apply", work.response, work.files).result
    return sum(after[path] != digest(text) for path, text in work.expected.items())


def exact_blocks(work: Workload) -> ParseResult:
    """The blocks whose text is that of the file."""
    blocks = zip(parse_response(work.response).blocks, work.edits, strict=True)
    return ParseResult(tuple(block for block, edit in blocks if edit.is_exact))


def finding_all(data: Mapping[str, bytes], parsed: ParseResult) -> float:
    """The seconds it takes to find every block. Raises RuntimeError unless each has its one place."""
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
    """The same with `find`, which gives the first place and looks no further."""
    texts = {path: text.decode() for path, text in data.items()}
    wanted = [(texts[block.file_path], block.search) for block in parsed.blocks]

    def find() -> None:
        for text, search in wanted:
            text.find(search)

    return timed(find, process_time)


def _applying(work: Workload) -> Stopwatch:
    return timed(partial(apply_response, work.response, work.encoded().get, settings=SETTINGS), process_time)
