"""A journal that somebody else made, or left: what is neither written to, nor carried out, nor counted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.gitkit import FILE

from editblocks.core.errors import RepoError
from editblocks.repos.git.command import Mode
from editblocks.repos.git.repository import open_repository
from editblocks.repos.index.next_index import next_index
from editblocks.repos.journal.entry import FileChange, JournalEntry, Version, encode
from editblocks.repos.journal.undo import past, take_back
from editblocks.repos.stores.worktree import WorktreeRepo

SHOP = {"README.md": (FILE, b"# Shop\n"), "src/app.py": (FILE, b"x = 1\n")}
NOON = 1795089600.0  # 2026-11-19T12:00:00Z


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


def forge(root: Path, name: str, path: str, mode: int) -> None:
    """An entry that somebody else could have made: `path` is there only before the apply."""
    folders = {path.rpartition("/")[0]: mode} if "/" in path else {}
    entry = JournalEntry(
        [FileChange(path, Version(b"#!/bin/sh\n", mode), None)], "0" * 16, "2026-11-19T12:00:00Z", (), folders
    )
    (root / ".git/editblocks" / name).write_bytes(b"".join(encode(entry)))


MODES = [  # in the entry, without its id, with its id
    (0o644, 0o644, 0o644),
    (0o600, 0o600, 0o600),
    (0o664, 0o664, 0o664),
    (0o755, 0o755, 0o755),
    (0o777, 0o777, 0o777),
    (0o6777, 0o777, 0o6777),
    (0o1666, 0o666, 0o1666),
]


@pytest.mark.parametrize(("mode", "plain", "named"), MODES, ids=lambda mode: f"{mode:o}")
@pytest.mark.parametrize("step", ["done", "undoing"])
def test_a_mode_that_lets_others_in_takes_a_persons_word(
    shop: Path, step: str, mode: int, plain: int, named: int
) -> None:
    apply(shop)
    for number, name, expected in ((2, None, plain), (3, "20261119-3", named)):
        path = f"tool{number}/run"
        forge(shop, f"20261119-{number}.{step}", path, mode)
        take_back(shop, name)
        found = (shop / path).stat().st_mode & 0o7777, (shop / path).parent.stat().st_mode & 0o5777
        assert found == (expected, expected & 0o5777)


@pytest.mark.parametrize("name", [None, "20261119-2"])
def test_a_folder_keeps_the_group_that_the_one_above_gives_it(shop: Path, name: str | None) -> None:
    (shop / "src").chmod(0o2775)
    (shop / "src/deep").mkdir()
    expected = (shop / "src/deep").stat().st_mode
    (shop / "src/deep").rmdir()
    apply(shop)
    forge(shop, "20261119-2.done", "src/deep/a", 0o2755)
    take_back(shop, name)
    assert (shop / "src/deep").stat().st_mode & 0o2000 == expected & 0o2000


IDS = [  # names that are there, and what the next two writes of the day are called
    (["99991231-999999.undone"], ["20261119-1", "20261119-2"]),
    (["20261121-1.done"], ["20261119-1", "20261119-2"]),
    (["20261120-7.done"], ["20261120-8", "20261120-9"]),
    (["20261119-999999.done"], ["20261119-1", "20261119-2"]),
    (["20261120-999999.done"], ["20261119-1", "20261119-2"]),
    (["20261119-99999.done", "20261119-100001.undone"], ["20261119-100000", "20261119-100002"]),
    (["20261119-2.done", "20261119-999998.done"], ["20261119-3", "20261119-4"]),
]


@pytest.mark.parametrize(("names", "expected"), IDS, ids=lambda value: value[0])
def test_the_next_id_is_one_that_can_be_read(shop: Path, names: list[str], expected: list[str]) -> None:
    apply(shop, b"0\n")
    (shop / ".git/editblocks/20261119-1.done").unlink()
    for name in names:
        forge(shop, name, "made", 0o644)
    assert [apply(shop, b"1\n"), apply(shop, b"2\n")] == expected
    take_back(shop, expected[1])
    assert (shop / "README.md").read_bytes() == b"1\n"


def test_an_entry_from_the_future_is_never_the_last_one(shop: Path) -> None:
    apply(shop, b"1\n")
    forge(shop, "99991231-999999.undone", "later", 0o644)
    forge(shop, "99991230-1.done", "made/a", 0o644)
    assert take_back(shop, None).id == "20261119-1"
    assert take_back(shop, None, redo=True).id == "20261119-1"
    assert [record.id for record, _ in past(shop)] == ["20261119-1", "99991231-999999", "99991230-1"]
    assert take_back(shop, "99991230-1").id == "99991230-1"


def undo_all(root: Path) -> None:
    take_back(root, None)


def write_more(root: Path) -> None:
    apply(root, b"2\n")


ACTS = [undo_all, write_more]


@pytest.mark.parametrize("act", ACTS)
def test_whoever_has_the_lock_removes_what_a_killed_process_left_of_the_index(
    shop: Path, act: Callable[[Path], None]
) -> None:
    apply(shop)
    left = [shop / ".git" / name for name in ("index.lock", f"editblocks-{'0' * 16}.index")]
    for place in left:
        place.write_bytes(b"editblocks\n")
    act(shop)
    assert [place.exists() for place in left] == [False, False]


@pytest.mark.parametrize("act", ACTS)
def test_an_index_that_others_have_locked_stays_so(shop: Path, act: Callable[[Path], None]) -> None:
    apply(shop)
    lock = shop / ".git/index.lock"
    lock.write_bytes(b"")
    act(shop)
    assert lock.read_bytes() == b""
    lock.unlink()
    with next_index(open_repository(shop, Mode.ISOLATED), 0):
        apply(shop, b"3\n")
        assert lock.read_bytes() == b"editblocks\n"
