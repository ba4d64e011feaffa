"""How often an edit in broken words ends right, refused or wrong: `python -m bench accuracy`.

Cases are made by bench/breaking.py and bench/twins.py from real files, as many of each way, the same ones for every
engine. Ours is asked for a plan at each setting of `matching`, aider by `do_replace`, with which it edits files.

Right is one of the texts that the case allows, and nothing else. What an engine gives up, or says that it need not
do where the file has to change, is told apart: the first is refused, the second is wrong. A wrong edit at a level
that is asked without being told so misses its target, 0; the cases are written to standard error, with what came out.
"""

from __future__ import annotations

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

CASES, LONG_CASES = 2_000, 40_000  # about
WAYS = {**breaking.WAYS, **twins.WAYS, **breaking.UNITS}  # a new way comes last: the cases of the others stay
LINES, MORE_LINES = (
    (4, 12),
    dict.fromkeys(("middle elided", "middle elided, two places"), (10, 25)),
)  # of the place, at least and at most
SAFE, LOOSE = ("exact", "standard"), ("loose",)
VERDICTS = ("right", "refused", "wrong")
SHOWN = 2  # wrong edits of each way and engine
_COMMIT = "c0ffee0"  # what a response would name as its base
Verdict = str
Engine = Callable[[Case], tuple[Verdict, str]]  # the second: what came out, for people


def rows(peers: Path | None, about: int = CASES) -> Iterator[Row]:
    """Print the table, and yield a row for each level: none must make a wrong edit."""
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
    """The same for whole answers, of which several blocks say where each belongs."""
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
    """As many whole answers of every way, the files by turns."""
    each = -(-about // len(answers.WAYS))
    return [
        case for number, way in enumerate(answers.WAYS) for case in islice(_answers(way, Dice(seed + number)), each)
    ]


def _answers(way: str, dice: Dice) -> Iterator[answers.Answer]:
    for source in cycle(sources()):
        found = (answers.WAYS[way](dice, source, edit) for edit in edits(dice, source, *LINES))
        yield from islice((case._replace(way=way) for case in found if case is not None), 1)


def _level_rows(verdicts: Mapping[str, Mapping[str, Counter[Verdict]]], what: str) -> Iterator[Row]:
    """A row for each level, which counts its wrong edits."""
    for name in (*SAFE, *LOOSE):
        total = sum((counts[name] for counts in verdicts.values()), Counter[Verdict]())
        remark = f"{total['right']:,} right, {total['refused']:,} refused of {total.total():,} {what}"
        yield Row("accuracy", f"wrong edits, {what}, {name}", None, 0.0, remark=remark, number=total["wrong"])


def long_rows(peers: Path | None) -> Iterator[Row]:
    """The same with far more cases: some minutes."""
    return rows(peers, LONG_CASES)


def cases(about: int, seed: int = 5) -> list[Case]:
    """As many cases of every way, the files by turns."""
    each = -(-about // len(WAYS))
    return [case for number, way in enumerate(WAYS) for case in islice(_cases(way, Dice(seed + number)), each)]


def _cases(way: str, dice: Dice) -> Iterator[Case]:
    """Cases without end, one of each file at a time."""
    for source in cycle(sources()):
        found = (WAYS[way](dice, source, edit) for edit in edits(dice, source, *MORE_LINES.get(way, LINES)))
        yield from islice((case._replace(way=way) for case in found if case is not None), 1)


def judge(made: Sequence[Case], engines: Mapping[str, Engine]) -> dict[str, dict[str, Counter[Verdict]]]:
    """For each way and engine, how many cases ended how; wrong edits of ours are shown."""
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
    """This project at a level."""
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
    """Aider; it says no more than that it has done nothing."""

    def engine(case: Case) -> tuple[Verdict, str]:
        after = peer.ask("edit", case.path, case.before, case.search, case.replace).result
        texts = {digest(text): text for text in (case.before, *case.right)}
        return verdict_of(case, None if after is None else texts.get(after, "another text")), ""

    return engine


def verdict_of(case: Case, after: str | None) -> Verdict:
    """Right, refused or wrong; `after` None: nothing was done, and the engine says so."""
    if after is None:
        return "refused"
    return "right" if after in case.right else "wrong"


def block(case: Case) -> EditBlock:
    """The block of a case, as if it had been read."""
    raw = case.search + case.replace
    return EditBlock(1, case.path, "search-replace", 1, 1, old_lines=case.search, new_lines=case.replace, raw_block=raw)


def shown(case: Case, engine: str, outcome: str) -> str:
    """A wrong edit, for whoever repairs it: the block, and what it did to the file instead."""
    right = next(iter(case.right), case.before)
    lines = unified_diff(right.splitlines(True), outcome.splitlines(True), "right", engine)
    return (
        f"wrong, {engine}: {case.way}, {case.path}\n"
        f"<<<<<<< SEARCH\n{case.search}=======\n{case.replace}>>>>>>> REPLACE\n{''.join(lines)}\n"
    )


def table(verdicts: Mapping[str, Mapping[str, Counter[Verdict]]]) -> str:
    """One line for each way, then all of them: how many were right, refused and wrong by each engine."""
    engines = list(next(iter(verdicts.values())))
    total = {name: sum((counts[name] for counts in verdicts.values()), Counter[Verdict]()) for name in engines}
    lines = [
        ("", *(word for name in engines for word in (name, "", ""))),
        ("way", *(word for _ in engines for word in VERDICTS)),
    ]
    for way, counts in {**verdicts, "all": total}.items():
        lines.append((way, *(str(counts[name][verdict]) for name in engines for verdict in VERDICTS)))
    return aligned(lines)
