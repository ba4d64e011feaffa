"""A process that is killed: whatever it was doing, the next start leaves all old or all new, and nothing else."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support import gitkit
from support.faults.kills import STRACE, TWO_FILES, calls_of_the_write, killed, start_again, state_of, traced
from support.killkit import (
    PLAN,
    TREE,
    commit,
    dies,
    folder_state,
    leftovers,
    make,
    nothing,
    once_more,
    opened,
    staged,
    undo,
    write,
)
from support.project import TESTS
from support.records import interrupt, kept
from support.repositories import open_sealed

from editblocks.core.errors import HeadMoved, Refused
from editblocks.repos.git.repository import Mode
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.repos.undo import undo_write

# scene, and the effect from which on a write counts as done
SCENES = [
    pytest.param("apply", "old", "new", "sync"),
    pytest.param("undo", "new", "old", "sync", marks=pytest.mark.long),
    pytest.param("redo", "old", "new", "sync", marks=pytest.mark.long),
    pytest.param("recovery", "old", "old", ""),
    pytest.param("commit", "old", "new", "git done update-ref", marks=pytest.mark.long),
    pytest.param("index", "old", "new", "sync", marks=pytest.mark.long),
]


@pytest.mark.long(minutes=True)
@pytest.mark.table(parts=2)
@pytest.mark.parametrize(("scene", "before", "after", "turn"), SCENES)
def test_s19_an_exit_at_any_effect_is_repaired_by_the_next_start(
    tmp_path: Path, scene: str, before: str, after: str, turn: str
) -> None:
    command = [sys.executable, "-m", "support.killkit", str(tmp_path), scene]
    done = subprocess.run(command, env=gitkit.ISOLATED, cwd=TESTS, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    rows: list[Mapping[str, Any]] = json.loads(done.stdout)
    assert len(rows) > 12
    states = [row["state"] for row in rows]
    assert states == sorted(states, key=[before, after].index), "never torn, and never back again"
    assert [row["effect"] for row in rows if row["left"] or not row["agrees"]] == []
    if before != after:
        started = next((row["effect"] for row in rows if row["state"] == after), "")
        assert started.startswith(turn)


# SIGKILL at every system call. What is traced is one process that was prepared as the others of this page.

needs_strace = pytest.mark.skipif(STRACE is None, reason="strace is missing: apt-get install strace")


@needs_strace
@pytest.mark.long(minutes=True)
@pytest.mark.parametrize(("kind", "least"), [("files", 60), ("index", 25)])
def test_s19_sigkill_at_every_system_call_leaves_all_old_or_all_new(tmp_path: Path, kind: str, least: int) -> None:
    root = make(tmp_path / "model-of-old")
    old = state_of(root, kind)
    opened(root, kind).write(TWO_FILES, "")
    new = state_of(root, kind)
    calls = calls_of_the_write(tmp_path, kind)
    assert len(calls) > least  # fewer would mean that some are not seen any more
    seen, unreached = set(), 0
    for name, number in calls:
        root = make(tmp_path / f"{name}-{number}" / "root")
        if killed(root, (name, number), kind, TWO_FILES):
            start_again(root, kind)
            assert leftovers(root) == [], (name, number)
        else:
            unreached += 1
            assert state_of(root, kind) == new, (name, number)
        state = state_of(root, kind)
        assert state in (old, new), (name, number)
        seen.add(state == new)
        shutil.rmtree(root.parent)
    assert seen == {False, True}
    assert unreached < len(calls) / 10


@needs_strace
@pytest.mark.long
def test_the_index_is_locked_where_a_file_system_has_no_hard_links(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    injected = ("-e", "trace=link,linkat", "-e", "inject=link,linkat:error=EPERM")
    assert traced(root, *injected, kind="index")[:2] == (0, "")
    assert (staged(root), leftovers(root)) == (["M  bin/run", "M  src/app.py"], [])


WRITES = {
    "ENOSPC": ("write", "openat", "mkdir", "mkdirat", "rename", "renameat", "fsync", "ftruncate"),
    "EIO": ("write", "fsync", "rename", "renameat", "close", "unlink", "unlinkat", "read", "ftruncate"),
    "EROFS": ("openat", "mkdir", "mkdirat", "rename", "renameat", "unlink", "unlinkat", "fchmod"),
    "EACCES": ("openat", "rename", "renameat"),
    "EINTR": ("write", "openat", "fsync"),
    "EMFILE": ("openat", "dup"),
}


@needs_strace
@pytest.mark.long(minutes=True)
@pytest.mark.table(parts=2)
@pytest.mark.parametrize("error", WRITES)
def test_s20_a_system_call_that_fails_leaves_no_torn_file(tmp_path: Path, error: str) -> None:
    root = make(tmp_path / "model-of-old")
    old = folder_state(root)
    WorktreeRepo(root).write({"src/app.py": b"x = 2\n", "bin/run": b"#!/bin/bash\n"}, "")
    new = folder_state(root)
    calls = [call for call in calls_of_the_write(tmp_path) if call[0] in WRITES[error]]
    assert calls
    for name, number in calls:
        root = make(tmp_path / f"{name}-{number}" / "root")
        status, said, _ = traced(root, "-e", f"trace={name}", "-e", f"inject={name}:error={error}:when={number}")
        assert status == 0, (name, number, said)
        state = folder_state(root)
        assert state == (old if said else new), (name, number, said)
        assert said.count("\n") == bool(said), said
        repo = WorktreeRepo(root, repository=open_sealed(root, Mode.USER))
        repo.recover()
        repo.write({"once-more": b"1\n"}, "")
        assert (folder_state(root), leftovers(root)) == (state, []), (name, number)
        shutil.rmtree(root.parent)


def test_what_was_finished_by_the_next_start_can_be_undone(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    before = folder_state(root)
    write(root, nothing)
    [name] = kept(root)
    interrupt(root, name)  # as a process leaves it that is killed at its very end
    repo = WorktreeRepo(root)
    repo.recover()
    assert [str(it) for it in repo.recoveries] == [f"the apply {name} was interrupted and is now finished"]
    undo(root, nothing)
    assert folder_state(root) == before


@pytest.mark.long
def test_a_write_that_was_planned_on_half_of_another_is_planned_again(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    command = [sys.executable, "-c", DYING, str(TESTS), str(root)]
    assert subprocess.run(command, env=gitkit.ISOLATED, check=False).returncode == 9
    repo = WorktreeRepo(root)
    with pytest.raises(HeadMoved, match="was interrupted and is now rolled back; try again"):
        repo.write({"README.md": b"1\n"}, "")
    assert ((root / "README.md").read_bytes(), (root / "src/app.py").read_bytes()) == (b"# Shop\n", b"x = 1\n")
    repo.write({"README.md": b"1\n"}, "")
    assert (root / "README.md").read_bytes() == b"1\n"


def test_a_start_without_anything_to_repair_leaves_the_folder_alone(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    WorktreeRepo(root).recover()
    assert not (root / ".git/editblocks").exists()
    write(root, nothing)
    before = gitkit.snapshot(root)
    WorktreeRepo(root).recover()
    assert gitkit.snapshot(root) == before


OLD = {path: TREE[path][1] if path in TREE else None for path in PLAN}
STRANGERS = [  # the file that somebody changes, what becomes of the write, what the others hold
    ("src/app.py", "rolled back", OLD),
    pytest.param("bin/run", "rolled back", OLD, marks=pytest.mark.long),
    pytest.param("old/only.txt", "rolled back", OLD, marks=pytest.mark.long),
    ("new/deep/file.txt", "finished", PLAN),  # the only one that was missing
]


@pytest.mark.parametrize(("path", "done", "others"), STRANGERS)
@pytest.mark.long
def test_a_file_that_somebody_changed_after_the_kill_is_left_alone(
    tmp_path: Path, path: str, done: str, others: Mapping[str, bytes | None]
) -> None:
    root = make(tmp_path / "root")
    command = [sys.executable, "-c", DYING, str(TESTS), str(root)]
    assert subprocess.run(command, env=gitkit.ISOLATED, check=False).returncode == 9
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(b"theirs\n")
    repo = WorktreeRepo(root)
    repo.recover()
    assert str(repo.recoveries[0]).endswith(f"is now {done}; left alone, because they changed since: {path}")
    found = {name: (root / name).read_bytes() if (root / name).exists() else None for name in PLAN}
    assert found == {**others, path: b"theirs\n"}
    assert leftovers(root) == []
    assert next(iter(kept(root).values())) in ("done", "undone"), "both sides' bytes are kept"


DYING = """
import os, sys
from contextlib import suppress
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from support.killkit import write
write(Path(sys.argv[2]), lambda name, path: os._exit(9) if (name, path) == ("replace", "new/deep/file.txt") else None)
"""


TAKEN_OVER = [("add",), ("commit", "--quiet", "--message=Keep it")]


@pytest.mark.parametrize("how", TAKEN_OVER, ids=["staged", "committed"])
@pytest.mark.parametrize("path", ["src/app.py", pytest.param("bin/run", marks=pytest.mark.long)])
@pytest.mark.long
def test_a_file_that_somebody_staged_or_committed_after_the_kill_is_not_put_back(
    tmp_path: Path, path: str, how: tuple[str, ...]
) -> None:
    root = make(tmp_path / "root")
    command = [sys.executable, "-c", DYING, str(TESTS), str(root)]
    assert subprocess.run(command, env=gitkit.ISOLATED, check=False).returncode == 9
    new = PLAN[path]
    assert new is not None
    (root / path).write_bytes(new)  # as the killed process left it, or as somebody made it by hand
    gitkit.git(root, "add", path)
    if how[0] == "commit":
        gitkit.git(root, *how)
    repo = WorktreeRepo(root)
    repo.recover()
    assert str(repo.recoveries[0]).endswith(f"is now rolled back; left alone, because they changed since: {path}")
    found = {name: (root / name).read_bytes() if (root / name).exists() else None for name in PLAN}
    assert found == {**OLD, path: new}


@pytest.mark.long
def test_a_commit_that_somebody_amended_after_the_kill_is_not_taken_back(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    calls = count(1)  # for what is kept, and to say that it is done
    assert dies(commit, root, lambda _, effect: effect.startswith("git unpack-objects") and next(calls) == 2)
    (root / ".git/index.lock").unlink(missing_ok=True)  # as git advises
    gitkit.git(root, "commit", "--quiet", "--amend", "--message=In better words")
    before = folder_state(root)
    once_more(root, "commit")
    (root / "once-more").unlink()
    assert folder_state(root) == before
    assert gitkit.git(root, "status", "--porcelain") == b" D once-more\n"


@pytest.mark.long
def test_what_was_repaired_is_said_although_the_undo_is_refused(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    command = [sys.executable, "-c", DYING, str(TESTS), str(root)]
    assert subprocess.run(command, env=gitkit.ISOLATED, check=False).returncode == 9
    with pytest.raises(Refused) as caught:
        undo_write(root, "20200101-1")
    assert re.fullmatch(
        r"the apply \d{8}-1 was interrupted and is now rolled back; there is no apply `20200101-1` here; see .*",
        caught.value.message,
    )
