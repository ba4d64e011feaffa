"""Where the hooks run: a checkout, a bare repository, a home folder."""

import os
from pathlib import Path

import pytest
from support import gitkit
from support.hookkit import TREE, make_checkout


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the one commit of `hookkit.TREE`, the current directory; nothing of the machine is heard."""
    return make_checkout(tmp_path, monkeypatch)


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A bare repository with TREE on main, and no hook."""
    return gitkit.make_repository(tmp_path / "there", TREE, bare=True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the process's own, and no variable of git's or ours."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "EDITBLOCKS_"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path
