"""A checkout for the hooks to run in."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hookkit import make_checkout


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the one commit of `hookkit.TREE`, the current directory; nothing of the machine is heard."""
    return make_checkout(tmp_path, monkeypatch)
