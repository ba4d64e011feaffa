"""A shop under git, and a call of the command line in it."""

from pathlib import Path

import pytest
from support import gitkit
from support.applykit import SHOP, Run, make_shop, runner
from support.callcases import RESPONSES, SWITCHES
from support.gitkit import FILE


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


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a user who has a name; nothing else of the machine is heard."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[user]\nname = {gitkit.NAME}\nemail = {gitkit.EMAIL}\n")
    gitkit.scrub(monkeypatch, home)
    for name in SWITCHES:
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without git, with the responses in it; the current directory."""
    assert home.is_dir()
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    for name, data in SHOP.items():
        (folder / name).write_bytes(data)
    for name, text in RESPONSES.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def repository(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the responses beside it; the current directory is one of its folders."""
    assert home.is_dir()
    path = gitkit.make_repository(tmp_path / "shop", {name: (FILE, data) for name, data in SHOP.items()})
    for name, text in RESPONSES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(path / "src")
    return path


@pytest.fixture
def call(home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in whichever folder is the current one."""
    assert home.is_dir()
    return runner(capfd, monkeypatch)
