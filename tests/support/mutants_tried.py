"""A pytest plugin that tries each change made by mutmut in a fork, with the tests that run the changed code.

The tests are collected once. mutmut would collect them for each change, which takes longer than most of the tests.
A test without fixtures is called directly, because pytest's steps around it take longer than most of the tests.
"""

import json
import os
import resource
import sys
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from _pytest.python import get_direct_param_fixture_func
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings
from mutmut.mutation.trampoline import set_mutant_under_test

assert sys.platform != "win32"  # for mypy: Windows lacks the functions below

KILLED, SURVIVED, UNTESTED = 1, 0, 33  # mutmut's own codes, which `mutmut results` reads
MEMORY = 4 << 30
ENOUGH = 1.0  # CPU seconds after which no further test is run for a change; wall time would depend on other work
SECONDS = 3  # CPU seconds after which a change is killed: some changes never end
QUICK = 0.1  # seconds; a quicker test is taken not to talk to a server
OTHERWISE_RUN = {"skip", "skipif", "xfail", "usefixtures", "filterwarnings"}  # marks that only pytest can handle


def pytest_configure(config: pytest.Config) -> None:
    """Let Hypothesis not shrink failing examples, and draw the same examples each time."""
    settings.register_profile("mutants", max_examples=30, deadline=None, derandomize=True, database=None)
    settings.register_profile("mutants", settings.get_profile("mutants"), phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Write the outcome of each change to the `.meta` file beside its module, and print how many were noticed."""
    items = {item.nodeid: item for item in session.items}
    room = session.config.args[0]
    for file in sorted(Path("src").rglob("*.py.meta"), key=lambda file: file.stat().st_size):
        meta = json.loads(file.read_text(encoding="utf-8"))
        codes = meta["exit_code_by_key"]
        noticed: Counter[str] = Counter()
        function = ""
        for name in [name for name in codes if codes[name] is None]:
            tests = [items[test] for test in _chosen(name, room, noticed) if test in items and _can_tell(items[test])]
            if function != name.partition("__mutmut_")[0]:
                function = name.partition("__mutmut_")[0]
                if _tried("", tests)[0] == KILLED:
                    pytest.exit(f"a test of {function} fails although nothing is changed", 1)
            codes[name], by = _tried(name, tests)
            noticed.update(by)
            file.write_text(json.dumps(meta, indent=4), encoding="utf-8")
        if codes:
            counts = Counter(codes.values())
            left = f"{counts[SURVIVED]} survived, {counts[UNTESTED]} run by no test"
            print(f"{file.name[:-8]}: {len(codes)} changes, {counts[KILLED]} noticed, {left}", flush=True)
    return True


def _chosen(name: str, room: str, noticed: Counter[str]) -> list[str]:
    """The tests for a change: first those that noticed most per cost, then those of its module, then cheap ones."""
    about = f"{room}/test_{name.rpartition('.')[0].rpartition('.')[2]}.py"
    told = _told()
    seconds = told["duration_by_test"]
    costs = _costs()
    tests = told["tests_by_mangled_function_name"].get(name.partition("__mutmut_")[0], [])
    tests = [test for test in tests if test in seconds]
    tests.sort(
        key=lambda test: (
            -noticed[test] / costs[test],
            not test.startswith(about),
            not test.startswith(room),
            costs[test],
        )
    )
    return [test for test in tests if seconds[test] < ENOUGH] or tests[:1]


@cache
def _can_tell(item: pytest.Item) -> bool:
    """Whether a test passes in a fork without changes. One that talks to a server may fail there."""
    return _told()["duration_by_test"][item.nodeid] < QUICK or _tried("", [item])[0] == SURVIVED


@cache
def _told() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(Path("mutmut-stats.json").read_text(encoding="utf-8"))
    return told


@cache
def _costs() -> dict[str, float]:
    """The cost of each test: its seconds times the number of functions that it runs.

    A quick test of few functions is probably about them.
    """
    told = _told()
    functions = Counter(test for tests in told["tests_by_mangled_function_name"].values() for test in tests)
    return {test: max(seconds, 0.002) * functions[test] for test, seconds in told["duration_by_test"].items()}


def _tried(name: str, items: list[pytest.Item]) -> tuple[int, list[str]]:
    """The outcome of a change, and a list with the test that noticed it (empty if none did)."""
    if not items:
        return UNTESTED, []
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        _changed(name)
        os._exit(_run(items, writes))
    os.close(writes)
    with os.fdopen(reads, encoding="utf-8") as told:
        by = told.read()
    status = os.waitpid(child, 0)[1]
    if status == 0:
        return SURVIVED, []
    return KILLED, by.split("\n") if by else []  # a signal: too much time or memory


def _changed(name: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    warnings.simplefilter("error")
    set_mutant_under_test(name)
    _forget_results()


def _run(items: list[pytest.Item], writes: int) -> int:
    for item, after in zip(items, [*items[1:], None], strict=True):
        if _fails(item, after):
            os.write(writes, item.nodeid.encode())
            return KILLED
        if process_time() > ENOUGH:
            break
    return SURVIVED


def _fails(item: pytest.Item, after: pytest.Item | None) -> bool:
    if not _is_plain(item):
        return any(report.failed for report in runtestprotocol(item, log=False, nextitem=after))
    assert isinstance(item, pytest.Function)
    values = item.callspec.params if hasattr(item, "callspec") else {}
    try:
        item.obj(**values)
    except BaseException:  # noqa: BLE001 (whatever a changed function raises: also pytest.fail and SystemExit)
        return True
    return False


@cache
def _is_plain(item: pytest.Item) -> bool:
    """Whether the test is a function that gets all its arguments from `parametrize`."""
    if not isinstance(item, pytest.Function) or item.cls is not None:
        return False
    if any(mark.name in OTHERWISE_RUN for mark in item.iter_markers()):
        return False
    fixtures = item._fixtureinfo.name2fixturedefs
    from_row = {name for name, found in fixtures.items() if found[-1].func is get_direct_param_fixture_func}
    return set(item._fixtureinfo.names_closure) <= from_row


def _forget_results() -> None:
    """Clear the caches of editblocks: a result from before the change would hide it."""
    for name, module in list(sys.modules.items()):
        if name.startswith("editblocks"):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
