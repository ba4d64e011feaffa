"""How often broken blocks are applied right, refused, or applied wrong: `python -m bench accuracy`.

bench/breaking.py and bench/twins.py make the cases from real files: equally many for each way to break a block, and
the same ones for every engine. This project plans each case at every `matching` level. Aider is called through
`do_replace`, the function with which it edits files.

An edit is right if the file becomes one of the texts that the case allows. It is refused if the engine reports a
failure. It is wrong in every other case, even if the engine reports that nothing has to change. The target is 0 wrong
edits at every level. The first wrong edits are written to standard error, with the text that came out.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from difflib import unified_diff
from itertools import cycle, islice
from pathlib import Path

from bench import answers, breaking, twins
from bench.breaking import Case
from bench.measure import Row, aligned
from bench.peer_aider import digest
from bench.peers import INSTALL, Peer, aider
from bench.responses import Dice
from bench.sources import edits, sources
from editblocks import EditBlock, ParseResult, Settings
from editblocks.applying.engine import apply_parsed
from editblocks.repos.stores.memory import MemoryRepo

CASES, LONG_CASES = 2_000, 40_000  # approximate numbers of cases
WAYS = {**breaking.WAYS, **twins.WAYS, **breaking.UNITS}  # add new ways at the end, to keep the other cases
LINES, MORE_LINES = (
    (4, 12),
    dict.fromkeys(("middle elided", "middle elided, two places"), (10, 25)),
)  # lines of the place to edit: at least, at most
SAFE, LOOSE = ("exact", "standard"), ("loose",)
VERDICTS = ("right", "refused", "wrong")
SHOWN = 2  # wrong edits that are shown for each way and engine
_COMMIT = "c0ffee0"  # the base commit that a response would name
Verdict = str
Engine = Callable[[Case], tuple[Verdict, str]]  # the str is the new text or the reason


def rows(peers: Path | None, about: int = CASES) -> Iterator[Row]:
    """Print the tables, and yield a row with the number of wrong edits for each level."""
    made = cases(about)
    with ExitStack() as stack:
        engines: dict[str, Engine] = {matching: ours(matching) for matching in (*SAFE, *LOOSE)}
        if peers is not None:
            engines["aider"] = theirs(stack.enter_context(aider(peers)))
        verdicts = judge(made, engines)
    sys.stdout.write(f"{table(verdicts)}\n\n")
    if peers is None:
        sys.stdout.write(f"aider is left out: {INSTALL}\n\n")
    yield from _level_rows(verdicts, "broken edits")
    yield from _answer_rows(about // 2)


def _answer_rows(about: int) -> Iterator[Row]:
    """Do the same for whole answers (bench/answers.py), in which several blocks show where each belongs."""
    verdicts: dict[str, dict[str, Counter[Verdict]]] = {}
    engines = {matching: answers.ours(matching) for matching in (*SAFE, *LOOSE)}
    for case in answer_cases(about):
        found = verdicts.setdefault(case.way, {name: Counter() for name in engines})
        for name, engine in engines.items():
            after, why = engine(case)
            verdict = "refused" if after is None else "right" if after in case.right else "wrong"
            found[name][verdict] += 1
            if verdict == "wrong" and found[name]["wrong"] <= SHOWN:
                sys.stderr.write(f"wrong, {name}: {case.way}, {case.path}\n{case.answer}{why}\n")
    sys.stdout.write(f"{table(verdicts)}\n\n")
    yield from _level_rows(verdicts, "whole answers")


def answer_cases(about: int, seed: int = 11) -> list[answers.Answer]:
    """Return about `about` whole answers: equally many for each way, from all files in turn."""
    each = -(-about // len(answers.WAYS))
    return [
        case for number, way in enumerate(answers.WAYS) for case in islice(_answers(way, Dice(seed + number)), each)
    ]


def _answers(way: str, dice: Dice) -> Iterator[answers.Answer]:
    for source in cycle(sources()):
        found = (answers.WAYS[way](dice, source, edit) for edit in edits(dice, source, *LINES))
        yield from islice((case._replace(way=way) for case in found if case is not None), 1)


def _level_rows(verdicts: Mapping[str, Mapping[str, Counter[Verdict]]], what: str) -> Iterator[Row]:
    """Yield a row for each level with its number of wrong edits."""
    for name in (*SAFE, *LOOSE):
        total = sum((counts[name] for counts in verdicts.values()), Counter[Verdict]())
        remark = f"{total['right']:,} right, {total['refused']:,} refused of {total.total():,} {what}"
        yield Row("accuracy", f"wrong edits, {what}, {name}", None, 0.0, remark=remark, number=total["wrong"])


def long_rows(peers: Path | None) -> Iterator[Row]:
    """Do the same as `rows` with far more cases, which takes some minutes."""
    return rows(peers, LONG_CASES)


def cases(about: int, seed: int = 5) -> list[Case]:
    """Return about `about` cases: equally many for each way, from all files in turn."""
    each = -(-about // len(WAYS))
    return [case for number, way in enumerate(WAYS) for case in islice(_cases(way, Dice(seed + number)), each)]


def _cases(way: str, dice: Dice) -> Iterator[Case]:
    """Yield cases without end, at most one from each file before moving on to the next file."""
    for source in cycle(sources()):
        found = (WAYS[way](dice, source, edit) for edit in edits(dice, source, *MORE_LINES.get(way, LINES)))
        yield from islice((case._replace(way=way) for case in found if case is not None), 1)


def judge(made: Sequence[Case], engines: Mapping[str, Engine]) -> dict[str, dict[str, Counter[Verdict]]]:
    """Count the verdicts for each way and engine, and write wrong edits of this project to standard error."""
    counts: dict[str, dict[str, Counter[Verdict]]] = {}
    for case in made:
        found = counts.setdefault(case.way, {name: Counter() for name in engines})
        for name, engine in engines.items():
            verdict, outcome = engine(case)
            found[name][verdict] += 1
            if verdict == "wrong" and name in (*SAFE, *LOOSE) and found[name]["wrong"] <= SHOWN:
                sys.stderr.write(shown(case, name, outcome))
    return counts


def ours(matching: str) -> Engine:
    """Return the engine of this project at a `matching` level."""
    settings = Settings(matching=matching)

    def engine(case: Case) -> tuple[Verdict, str]:
        data = case.before.encode()
        parsed = ParseResult((block(case),), base=None if case.base is None else _COMMIT)
        tree = MemoryRepo({case.path: data}, earlier={_COMMIT: {case.path: (case.base or "").encode()}})
        result = apply_parsed(parsed, tree, settings)
        row = result.results[0]
        after = (result.contents.get(case.path, data) or b"").decode() if row.ok else None
        return verdict_of(case, after), after or f"{row.code and row.code.value}: {row.reason}\n"

    return engine


def theirs(peer: Peer) -> Engine:
    """Return the engine of aider, which gives no reason when it does nothing."""

    def engine(case: Case) -> tuple[Verdict, str]:
        after = peer.ask("edit", case.path, case.before, case.search, case.replace).result
        texts = {digest(text): text for text in (case.before, *case.right)}
        return verdict_of(case, None if after is None else texts.get(after, "another text")), ""

    return engine


def verdict_of(case: Case, after: str | None) -> Verdict:
    """Return the verdict on a case; `after` is the new text, or None if the engine reported a failure."""
    if after is None:
        return "refused"
    return "right" if after in case.right else "wrong"


def block(case: Case) -> EditBlock:
    """Return the block of a case as if it had been parsed from a response."""
    raw = case.search + case.replace
    return EditBlock(1, case.path, "search-replace", 1, 1, old_lines=case.search, new_lines=case.replace, raw_block=raw)


def shown(case: Case, engine: str, outcome: str) -> str:
    """Format a wrong edit for developers: the block, and a diff from the right text to the text that came out."""
    right = next(iter(case.right), case.before)
    lines = unified_diff(right.splitlines(True), outcome.splitlines(True), "right", engine)
    return (
        f"wrong, {engine}: {case.way}, {case.path}\n"
        f"<<<<<<< SEARCH\n{case.search}=======\n{case.replace}>>>>>>> REPLACE\n{''.join(lines)}\n"
    )


def table(verdicts: Mapping[str, Mapping[str, Counter[Verdict]]]) -> str:
    """Format one line for each way and one for the total, with the number of each verdict for each engine."""
    engines = list(next(iter(verdicts.values())))
    total = {name: sum((counts[name] for counts in verdicts.values()), Counter[Verdict]()) for name in engines}
    lines = [
        ("", *(word for name in engines for word in (name, "", ""))),
        ("way", *(word for _ in engines for word in VERDICTS)),
    ]
    for way, counts in {**verdicts, "all": total}.items():
        lines.append((way, *(str(counts[name][verdict]) for name in engines for verdict in VERDICTS)))
    return aligned(lines)
