"""Settings for all tests: the options `--long`, `--part` and `--record`, and which tests they choose."""

import gc
import os
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import settings

EXAMPLES = {"fast": 30, "long": 1000}  # Hypothesis examples of a test that does not set their number
_LEFT = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests marked long, and more Hypothesis examples")
    parser.addoption("--part", metavar="COMMIT", help="of each table in N parts, run the part that this commit selects")
    parser.addoption(
        "--record",
        metavar="FILE",
        type=Path,
        help="append the names of the tests that ran, and of those that --part left out",
    )


def pytest_configure(config: pytest.Config) -> None:
    is_fast = not _takes_long(config)
    for name, count in EXAMPLES.items():
        # A busy machine must not fail a test. A fast run tries the same examples each time, so that it cannot fail by
        # luck, and takes the same branches (.ci/run).
        settings.register_profile(name, max_examples=count, deadline=None, derandomize=is_fast)
    settings.load_profile("long" if config.getoption("--long") else "fast")


def _takes_long(config: pytest.Config) -> bool:
    # `-m long` also selects the long tests, but with as few Hypothesis examples as in a fast run.
    return config.getoption("--long") or "long" in config.option.markexpr


def pytest_collection_finish() -> None:
    # Thousands of tests and their tables live to the end. Searching them for garbage took a fifth of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    long = _long_ones(items)
    fast = [item for item in items if _takes_long(config) or item not in long]
    left = _other_parts([item for item in fast if item in long], config.getoption("--part"))
    config.stash[_LEFT] = [item.nodeid for item in left]
    kept = {item: None for item in fast if item not in left}
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = sorted(kept, key=lambda item: not _takes_minutes(item))  # at the end, one worker would wait for them


def _takes_minutes(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("long")
    return mark is not None and mark.kwargs.get("minutes", False)


def _long_ones(items: list[pytest.Item]) -> set[pytest.Item]:
    """The tests marked long. Of a parametrized test marked `long(after=N)`, only its rows after the first N."""
    rows: Counter[str] = Counter()
    found = set()
    for item in items:
        mark = item.get_closest_marker("long")
        if mark:
            table = item.nodeid.partition("[")[0]
            rows[table] += 1
            if rows[table] > mark.kwargs.get("after", 0):
                found.add(item)
    return found


def _other_parts(items: list[pytest.Item], commit: str | None) -> set[pytest.Item]:
    """The long tests that `--part` leaves out.

    Of a test marked `table(parts=N)`, one row in N remains. The commit's id decides which.
    """
    tables: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items if commit else ():
        mark = item.get_closest_marker("table")
        if mark:
            tables.setdefault((item.nodeid.partition("[")[0], mark.kwargs["parts"]), []).append(item)
    left: set[pytest.Item] = set()
    for (_, parts), rows in tables.items():
        rows.sort(key=lambda row: sha256(f"{commit} {row.nodeid}".encode()).digest())
        left.update(rows[-(-len(rows) // parts) :])
    return left


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped:
        _RAN.append(f"skipped {report.nodeid}")
    elif report.when == "call":
        _RAN.append(f"ran {report.nodeid}")


_RAN: list[str] = []


def pytest_sessionfinish(session: pytest.Session) -> None:
    record = session.config.getoption("--record")
    if record is None:
        return
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    # Under xdist, the workers know which tests were left out, and the controller has all reports.
    rows = _RAN if worker is None else []
    rows = rows + [f"left {name}" for name in session.config.stash.get(_LEFT, []) if worker in {None, "gw0"}]
    with record.open("a", encoding="utf-8") as file:
        file.writelines(f"{row}\n" for row in rows)
