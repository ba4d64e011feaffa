"""How many processes of git an `apply` starts: each takes as long as it takes to check a block."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.applykit import Run, block
from support.gitkit import git

SHOP = {"a.py": b"a = 1\n", "b.py": b"b = 1\n"}
REPLY = block("a.py", "a = 1\n", "a = 2\n")
OTHER = block("b.py", "b = 1\n", "b = 2\n")


@pytest.fixture
def started(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """What each process of git that was started since the last call reports of itself."""
    assert shop.is_dir()
    trace = tmp_path / "trace"
    trace.mkdir()
    home = tmp_path / "traced"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[trace2]\neventTarget = {trace}\n[user]\nname = a\nemail = a@example.org\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)

    def commands() -> list[str]:
        files = sorted(trace.iterdir())
        texts = [file.read_text() for file in files]
        for file in files:
            file.unlink()
        return texts

    return commands


def test_an_apply_starts_few_processes(run: Run, shop: Path, started: Callable[[], list[str]]) -> None:
    """Find the repository, list the index; list the records, store one, note it, note its end."""
    started()
    assert run("apply", "-", stdin=REPLY).code == 0
    assert len(started()) == 6
    assert run("apply", "-", stdin=OTHER).code == 0
    assert len(started()) == 7, "the records of the first are read before the plan as well"
    for _ in range(3):
        git(shop, "restore", "a.py")
        started()
        assert run("apply", "-", stdin=REPLY).code == 0
        assert len(started()) == 10, "what the answer wrote before is looked up, all at once"


def test_an_apply_to_a_commit_opens_the_repository_once(run: Run, started: Callable[[], list[str]]) -> None:
    for reply in (REPLY, OTHER):
        started()
        assert run("apply", "-", "--commit", stdin=reply).code == 0
        openings = ["--show-object-format" in command for command in started()]
        assert openings.count(True) == 1
