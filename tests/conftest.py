"""Options and fixtures that every test shares."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests marked long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    long: list[pytest.Item] = []
    fast: list[pytest.Item] = []
    for item in items:
        (long if item.get_closest_marker("long") else fast).append(item)
    config.hook.pytest_deselected(items=long)
    items[:] = fast
