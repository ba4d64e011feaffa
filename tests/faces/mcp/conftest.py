"""A shop under git, and agents that work in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import mcpkit
from support.applykit import Run, make_shop, runner
from support.mcpkit import Reply


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, the current directory."""
    return make_shop(tmp_path, monkeypatch)


@pytest.fixture
def ask(shop: Path) -> Callable[..., Reply]:
    """Call one tool of a server in the shop."""

    def call(name: str, **arguments: Any) -> Reply:
        return mcpkit.ask_one(shop, name, **arguments)

    return call


@pytest.fixture
def run(shop: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command of the command line in the shop."""
    assert shop.is_dir()
    return runner(capfd, monkeypatch)
