"""Try many random faults of some kinds. Stops at the first that breaks a promise.

PYTHONPATH=tests python -m support.faults schedules --count 10000 --seed 7
PYTHONPATH=tests python -m support.faults kills disks races
"""

import sys
from argparse import ArgumentParser
from time import perf_counter

from support.faults import disks, kills, races, schedules
from support.project import at_least_one

KINDS = {"schedules": schedules.many, "kills": kills.many, "disks": disks.many, "races": races.many}


def main() -> int:
    """Try the kinds that are named, or all of them. Raises `AssertionError` for a broken promise."""
    parser = ArgumentParser(prog="python -m support.faults", description="try many faults")
    parser.add_argument("kind", nargs="*", help=f"any of {', '.join(KINDS)}; default: all")
    parser.add_argument("--count", type=at_least_one, default=100, help="how many of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if unknown := [kind for kind in options.kind if kind not in KINDS]:
        parser.error(f"unknown kind {unknown[0]}; choose from {', '.join(KINDS)}")
    for kind in options.kind or KINDS:
        start = perf_counter()
        summary = KINDS[kind](options.count, options.seed)
        print(f"{kind}: {summary}, {perf_counter() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
