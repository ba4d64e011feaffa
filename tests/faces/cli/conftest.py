"""A shop under git, and a call of the command line in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.applykit import SHOP, Run, make_shop, runner


@pytest.fixture
def shop(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, the current directory: the files of the module's SHOP, or ours."""
    return make_shop(tmp_path, monkeypatch, getattr(request.module, "SHOP", SHOP))


@pytest.fixture
def run(
    request: pytest.FixtureRequest, shop: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run a command in the shop, on the module's REPLY as standard input unless it is told."""
    assert shop.is_dir()
    return runner(capfd, monkeypatch, getattr(request.module, "REPLY", ""))
