"""Repositories for the stores: a bare one, a checkout of it, and a shop."""

from pathlib import Path

import pytest
from support import gitkit
from support.checkoutkit import SHOP


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without configuration; nothing else of the machine is heard."""
    home = tmp_path / "home"
    home.mkdir()
    gitkit.scrub(monkeypatch, home)
    return home


@pytest.fixture
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A checkout of the module's SHOP, or of ours."""
    return gitkit.make_repository(tmp_path / "shop", getattr(request.module, "SHOP", SHOP))


@pytest.fixture
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A bare repository of the module's TREE."""
    return gitkit.make_repository(tmp_path / "bare.git", request.module.TREE, bare=True)


@pytest.fixture
def checkout(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A checkout of the module's TREE."""
    return gitkit.make_repository(tmp_path / "checkout", request.module.TREE)
