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
def started(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many processes of git were started since the last call: git leaves a file for each."""
    assert shop.is_dir()
    trace = tmp_path / "trace"
    trace.mkdir()
    home = tmp_path / "traced"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[trace2]\neventTarget = {trace}\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)

    def count() -> int:
        traces = list(trace.iterdir())
        for each in traces:
            each.unlink()
        return len(traces)

    return count


def test_an_apply_starts_few_processes(run: Run, shop: Path, started: Callable[[], int]) -> None:
    """Find the repository, list the index; list the records, store one, note it, note its end."""
    started()
    assert run("apply", "-", stdin=REPLY).code == 0
    assert started() == 6
    assert run("apply", "-", stdin=OTHER).code == 0
    assert started() == 8, "the records of the first are read before the plan as well"
    for _ in range(3):
        git(shop, "restore", "a.py")
        started()
        assert run("apply", "-", stdin=REPLY).code == 0
        assert started() == 11, "what the answer wrote before is looked up, all at once"
