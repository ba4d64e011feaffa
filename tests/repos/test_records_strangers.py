"""Locks that somebody else made, or left: what is neither taken nor removed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.gitkit import FILE
from support.posix import give_away, make_fifo

from editblocks.core.errors import RepoError
from editblocks.repos.stores.worktree import Disk, WorktreeRepo
from editblocks.repos.undo import undo_write

SHOP = {"README.md": (FILE, b"# Shop\n"), "src/app.py": (FILE, b"x = 1\n")}
NOON = 1795089600.0  # 2026-11-19T12:00:00Z


def apply(root: Path, data: bytes = b"1\n") -> str | None:
    repo = WorktreeRepo(root, disk=Disk(clock=lambda: NOON))
    repo.write({"README.md": data}, "")
    return repo.record_id


def second_name(lock: Path, away: Path) -> None:
    lock.hardlink_to(away)


def pipe(lock: Path, away: Path) -> None:
    del away
    make_fifo(lock)


def another_owner(lock: Path, away: Path) -> None:
    away.rename(lock)
    give_away(lock, 1)


ROOT = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
LOCKS = [second_name, pipe, pytest.param(another_owner, marks=ROOT)]


@pytest.mark.parametrize("make", LOCKS)
@pytest.mark.long(after=2)
def test_a_lock_that_is_not_ours_is_neither_taken_nor_written(
    shop: Path, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    apply(shop)
    away, lock = tmp_path / "away", shop / ".git/editblocks/lock"
    away.write_bytes(b"precious\n")
    lock.unlink()
    make(lock, away)
    for act in (lambda: apply(shop, b"2\n"), lambda: undo_write(shop, None)):
        with pytest.raises(RepoError, match=r"editblocks/lock was not made by editblocks: look at it, then remove it"):
            act()
    kept = away if away.exists() else lock
    assert kept.is_fifo() or kept.read_bytes() == b"precious\n"
    assert (shop / "README.md").read_bytes() == b"1\n"


def undo_all(root: Path) -> None:
    undo_write(root, None)


def write_more(root: Path) -> None:
    apply(root, b"2\n")


ACTS = [undo_all, write_more]


@pytest.mark.parametrize("act", ACTS)
def test_an_index_that_others_have_locked_stays_so(shop: Path, act: Callable[[Path], None]) -> None:
    apply(shop)
    lock = shop / ".git/index.lock"
    lock.write_bytes(b"")
    act(shop)
    assert lock.read_bytes() == b""
