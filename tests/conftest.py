"""Options and fixtures that every test shares."""

from __future__ import annotations

import gc

import pytest
from hypothesis import settings

EXAMPLES = {"fast": 60, "long": 1000}  # of a property that names no number of its own


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests marked long, and more of each property")


def pytest_configure(config: pytest.Config) -> None:
    for name, count in EXAMPLES.items():
        settings.register_profile(name, max_examples=count)
    settings.load_profile("long" if config.getoption("--long") else "fast")


def pytest_collection_finish() -> None:
    # Thousands of tests and their tables live to the end: going over them for garbage is a fifth of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # `-m long` asks for them by name, with as few examples of each property as the others have
    if config.getoption("--long") or "long" in config.option.markexpr:
        return
    long: list[pytest.Item] = []
    fast: list[pytest.Item] = []
    for item in items:
        (long if item.get_closest_marker("long") else fast).append(item)
    config.hook.pytest_deselected(items=long)
    items[:] = fast
