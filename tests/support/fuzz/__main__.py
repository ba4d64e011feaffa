"""Try mutated inputs on one target after the other, print how many, and keep those that fail.

    PYTHONPATH=tests python -m support.fuzz --runs 100000 --seed 7
    PYTHONPATH=tests python -m support.fuzz reader planner

The first inputs come mostly from the golden pages. An input with a new kind of result is mutated further. An input that
fails is made as small as possible and saved in `build/fuzz`. Move it to `tests/data/fuzz/TARGET` to make it a test.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from time import perf_counter
from traceback import format_exception
from typing import NamedTuple

from support.fuzz.mutations import mutate
from support.fuzz.targets import TARGETS, Seen, Target
from support.project import ROOT, at_least_one

MOST_FINDS = 20  # per target; further ones usually have the same few causes
FOUND = ROOT / "build/fuzz"


class Find(NamedTuple):
    """An input that fails, the kind of failure (exception and place), and its traceback."""

    text: str
    kind: str
    trace: str


class Tried(NamedTuple):
    """The results for one target. `kinds` counts different results, `slowest` is in seconds."""

    runs: int
    kinds: int
    finds: list[Find]
    slowest: float


def fuzz(target: Target, runs: int, seed: int) -> Tried:
    """Try `runs` inputs: first those of the target, then mutated ones. The same `seed` gives the same inputs."""
    dice = Random(seed)  # noqa: S311
    seeds = target.seeds()
    pool = list(seeds)
    kinds: set[Seen] = set()
    finds: dict[str, Find] = {}
    slowest = 0.0
    for number in range(runs):
        text = mutate(dice.choice(pool), seeds, dice)
        if number < len(seeds):
            text = seeds[number]
        start = perf_counter()
        try:
            seen = target.check(text)
        except Exception as error:  # noqa: BLE001 - any exception is a find
            find = _find(text, error)
            if find.kind not in finds:
                finds[find.kind] = find._replace(text=smallest(target.check, find))
            if len(finds) == MOST_FINDS:
                break
            continue
        slowest = max(slowest, perf_counter() - start)
        if seen not in kinds:
            kinds.add(seen)
            pool.append(text)
    return Tried(number + 1, len(kinds), list(finds.values()), slowest)


def _find(text: str, error: Exception) -> Find:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "nowhere"
    if trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    return Find(text, f"{type(error).__name__} at {place}", "".join(format_exception(error)))


def smallest(check: Callable[[str], Seen], find: Find) -> str:
    """The input without the lines and characters that are not needed for the failure."""
    text = find.text
    for parts in (text.splitlines(keepends=True), None):
        pieces = list(text) if parts is None else parts
        size = len(pieces) // 2
        if parts is None and len(pieces) > 400:
            break  # with more characters it would take too long
        while size:
            for start in range(0, len(pieces), size):
                rest = pieces[:start] + pieces[start + size :]
                if _fails_alike(check, "".join(rest), find.kind):
                    pieces = rest
                    break
            else:
                size //= 2
        text = "".join(pieces)
    return text


def _fails_alike(check: Callable[[str], Seen], text: str, kind: str) -> bool:
    try:
        check(text)
    except Exception as error:  # noqa: BLE001 - as above
        return _find(text, error).kind == kind
    return False


def main() -> int:
    """Try the targets that are named, or all of them. Return 1 if an input failed."""
    parser = ArgumentParser(prog="python -m support.fuzz", description="try mutated inputs")
    parser.add_argument("target", nargs="*", help=f"any of {', '.join(TARGETS)}; default: all")
    parser.add_argument("--runs", type=at_least_one, default=10_000, help="how many inputs a target gets")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if unknown := [name for name in options.target if name not in TARGETS]:
        parser.error(f"unknown target {unknown[0]}; choose from {', '.join(TARGETS)}")
    total = 0
    failed = False
    for name in options.target or TARGETS:
        start = perf_counter()
        tried = fuzz(TARGETS[name], options.runs, options.seed)
        total += tried.runs
        took = perf_counter() - start
        print(f"{name}: {tried.runs:,} inputs, {tried.kinds:,} kinds of results, {len(tried.finds)} failures", end="")
        print(f", {took:.0f} s, the slowest {tried.slowest * 1000:.0f} ms", flush=True)
        for find in tried.finds:
            failed = True
            print(f"  {find.kind}: {keep(name, find)}", flush=True)
    print(f"{total:,} inputs")
    return int(failed)


def keep(name: str, find: Find) -> Path:
    """Save the input and the traceback of its failure, and return the path of the input."""
    data = find.text.encode("utf-8", "surrogatepass")
    place = FOUND / name / sha256(data).hexdigest()[:12]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    place.with_suffix(".trace").write_text(find.trace, "utf-8", "replace")
    return place


if __name__ == "__main__":
    sys.exit(main())
