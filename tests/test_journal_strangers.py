"""A journal that somebody else made, or left: what is neither written to, nor carried out, nor counted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import gitkit
import pytest
from gitkit import FILE, make_repository

from editblocks.errors import RepoError
from editblocks.repos.journal_history import take_back
from editblocks.repos.worktree import WorktreeRepo

NOON = 1795089600.0  # 2026-11-19T12:00:00Z


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gitkit.scrub(monkeypatch, tmp_path)
    return make_repository(tmp_path / "shop", {"README.md": (FILE, b"# Shop\n"), "src/app.py": (FILE, b"x = 1\n")})


def apply(root: Path, data: bytes = b"1\n") -> str | None:
    repo = WorktreeRepo(root, clock=lambda: NOON)
    repo.write({"README.md": data}, "")
    return repo.receipt


def second_name(lock: Path, away: Path) -> None:
    lock.hardlink_to(away)


def pipe(lock: Path, away: Path) -> None:
    del away
    os.mkfifo(lock)


def another_owner(lock: Path, away: Path) -> None:
    away.rename(lock)
    os.chown(lock, 1, 1)


ROOT = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
LOCKS = [second_name, pipe, pytest.param(another_owner, marks=ROOT)]


@pytest.mark.parametrize("make", LOCKS)
def test_a_lock_that_is_not_ours_is_neither_taken_nor_written(
    shop: Path, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    apply(shop)
    away, lock = tmp_path / "away", shop / ".git/editblocks/lock"
    away.write_bytes(b"precious\n")
    lock.unlink()
    make(lock, away)
    for act in (lambda: apply(shop, b"2\n"), lambda: take_back(shop, None)):
        with pytest.raises(RepoError, match=r"editblocks/lock is not ours: look at it, then remove it"):
            act()
    kept = away if away.exists() else lock
    assert kept.is_fifo() or kept.read_bytes() == b"precious\n"
    assert (shop / "README.md").read_bytes() == b"1\n"
