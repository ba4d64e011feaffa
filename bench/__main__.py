"""Run every workload and print the table; exit 1 if a target is missed by more than 20 %.

A workload is a module of this package with a function `rows`. Add a new one to WORKLOADS.
"""

import json
import os
import platform
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from bench import (
    accuracy,
    action,
    appliers,
    applying,
    commit,
    differential,
    failing,
    hooks,
    many,
    matching,
    memory,
    patches,
    pre_commit,
    reading,
    single,
    startup,
)
from bench.applier_cases import SEED
from bench.measure import Row, figures, table
from bench.peers import INSTALL
from editblocks.repos.git.repository import Mode, scrub_environment

WORKLOADS: dict[str, Callable[[Path | None], Iterator[Row]]] = {
    "startup": startup.rows,
    "commit": commit.rows,
    "hooks": hooks.rows,
    "pre-commit": pre_commit.rows,
    "reading": reading.rows,
    "applying": applying.rows,
    "single": single.rows,
    "failing": failing.rows,
    "many": many.rows,
    "matching": matching.rows,
    "action": action.rows,
    "accuracy": accuracy.rows,
    "patches": patches.rows,
    "memory": memory.rows,
    "appliers": appliers.rows,
    "differential": differential.rows,
}


def main() -> int:
    """Print the table of ratios, and write the figures to the file of `--json`. Return the exit code."""
    options = read_options()
    environment = scrub_environment(os.environ, Mode.ISOLATED)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # measure compiled modules, as pip installs them
    os.environ.clear()
    os.environ.update(environment)
    names = options.workload or list(WORKLOADS)
    workloads = {**WORKLOADS, "accuracy": accuracy.long_rows} if options.long else WORKLOADS
    appliers_run = partial(appliers.rows, count=options.cases or appliers.CASES, seed=options.seed)
    differential_run = partial(differential.rows, count=options.cases or differential.CASES, seed=options.seed)
    workloads = {**workloads, "appliers": appliers_run, "differential": differential_run}
    found = [row for name in names for row in workloads[name](options.peers)]
    sys.stdout.write(f"{table(found)}\n")
    if options.json is not None:
        keep(found, options.json)
    return 1 if any(row.missed for row in found) else 0


def read_options() -> Namespace:
    """Parse and check the command line."""
    parser = ArgumentParser("python -m bench", description=__doc__.partition("\n")[0])
    parser.add_argument("workload", nargs="*", help=f"any of {', '.join(WORKLOADS)}; default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--peers", type=Path, metavar="DIR", help="the virtual environment that holds the peers")
    parser.add_argument("--long", action="store_true", help="run accuracy with many more cases")
    parser.add_argument("--cases", type=at_least_one, metavar="N", help="cases per set, for appliers and differential")
    parser.add_argument("--seed", type=int, metavar="N", default=SEED, help="random seed for those cases")
    options = parser.parse_args()
    if unknown := [name for name in options.workload if name not in WORKLOADS]:
        parser.error(f"there is no workload {unknown[0]}; name any of {', '.join(WORKLOADS)}")
    if options.peers is not None and not (options.peers / "bin" / "python").exists():
        parser.error(f"{options.peers} is no virtual environment; {INSTALL}")
    if options.json is not None and not options.json.parent.is_dir():
        parser.error(f"there is no folder {options.json.parent}")
    return options


def at_least_one(number: str) -> int:
    """Parse a number of the command line. Raises ValueError if it is less than 1."""
    if int(number) < 1:
        raise ValueError(number)
    return int(number)


def keep(rows: Sequence[Row], path: Path) -> None:
    """Write the figures to `path` as JSON, with the version of Python and the platform."""
    where = {"python": platform.python_version(), "platform": platform.platform()}
    path.write_text(json.dumps({**where, "rows": figures(rows)}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
