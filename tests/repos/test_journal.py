"""The journal of a working tree: its files, its names, its lock, and what it takes from strangers."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.gitkit import FILE, Entry, git, read_folder
from support.killkit import folder_state, nothing
from support.project import TESTS

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, RepoError
from editblocks.repos.journal import entry as journal_entry
from editblocks.repos.journal.entry import FileChange, Version, decode, encode
from editblocks.repos.journal.journal import KEPT, Record, WritePhase
from editblocks.repos.journal.location import git_folder, locked_journal
from editblocks.repos.journal.undo import choose, past, take_back
from editblocks.repos.stores.worktree import WorktreeRepo

SHOP: Mapping[str, Entry] = {"README.md": (FILE, b"# Shop\n"), "src/app.py": (FILE, b"x = 1\n")}
NOON = 1795089600.0  # 2026-11-19T12:00:00Z


def apply(root: Path, contents: Mapping[str, bytes | None], clock: float = NOON) -> str | None:
    repo = WorktreeRepo(root, clock=lambda: clock)
    repo.write(contents, "")
    return repo.receipt


def kept(root: Path) -> list[str]:
    return sorted(place.name for place in (root / ".git/editblocks").glob("2*"))


ENTRY = journal_entry.JournalEntry(
    [
        FileChange("a.py", Version(b"1\n", 0o640), Version(b"2\n", 0o640)),
        FileChange("new/caf\udce9\n", None, Version(b"\0\xff\r\n")),
        FileChange("gone", Version(b"", 0o755), None),
    ],
    "0123456789abcdef",
    "2026-11-21T12:00:00Z",
    ["new"],
    {"src": 0o755},
)


def test_an_entry_is_read_as_it_was_written() -> None:
    assert decode(b"".join(encode(ENTRY))) == journal_entry.JournalEntry(
        tuple(ENTRY.changes), ENTRY.token, ENTRY.time, tuple(ENTRY.made), ENTRY.folders
    )


def head(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda fields: fields.update(changes)


def first(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda fields: fields["files"][0].update(changes)


DIGEST = hashlib.sha256(b"2\n").hexdigest()
HOSTILE = {
    "another version": (head(version=2), "another version"),
    "a path that leads out": (first(path="../x"), "no path inside"),
    "an absolute path": (first(path="/etc/passwd"), "no path inside"),
    "git's own folder": (first(path=".git/hooks/pre-commit"), "git's own folder"),
    "git's own folder by another name": (first(path="a/GIT~1/config"), "git's own folder"),
    "git's own folder for a Mac": (first(path=".g\u200cit/config"), "git's own folder"),
    "a path that is no text": (first(path=7), "torn"),
    "a path that has no bytes": (first(path="\ud800"), "no path inside"),
    "a directory that leads out": (head(made=["new", "../x"]), "no path inside"),
    "a directory of git's": (head(folders={".git": 511}), "git's own folder"),
    "a mode with more than permissions": (first(new={"mode": 0o120777, "size": 2, "sha256": DIGEST}), "out of range"),
    "a mode that is no number": (first(new={"mode": "7", "size": 2, "sha256": DIGEST}), "out of range"),
    "a size below nothing": (first(new={"mode": 420, "size": -2, "sha256": DIGEST}), "out of range"),
    "a size beyond the end": (first(new={"mode": 420, "size": 10**9, "sha256": DIGEST}), "out of range"),
    "other bytes": (first(new={"mode": 420, "size": 2, "sha256": "0" * 64}), "not those that were written"),
    "a change of nothing": (first(old=None, new=None), "torn"),
    "a path twice": (lambda fields: fields["files"][1].update(path="a.py"), "torn"),
    "no files": (head(files=[]), "torn"),
    "files that are no list": (head(files=3), "torn"),
    "a token that leads elsewhere": (head(token="../../../../x"), "torn"),
    "a time that is none": (head(time="\x1b[2J"), "torn"),
    "a missing field": (lambda fields: fields.pop("made"), "torn"),
}


@pytest.mark.parametrize("claim", HOSTILE)
def test_an_entry_that_is_none_of_ours_is_not_used(claim: str) -> None:
    change, words = HOSTILE[claim]
    line, _, rest = b"".join(encode(ENTRY)).partition(b"\n")
    fields = json.loads(line)
    change(fields)
    with pytest.raises(RepoError, match=words):
        decode(json.dumps(fields).encode() + b"\n" + rest)


@pytest.mark.parametrize("data", [b"", b"\n", b"{", b"[]\n", b"[" * 100_000, b"\xff\n", b"x" * (5 << 20)])
def test_bytes_that_are_no_entry_are_not_used(data: bytes) -> None:
    with pytest.raises(RepoError):
        decode(data)


def test_every_cut_of_an_entry_is_noticed() -> None:
    data = b"".join(encode(ENTRY))
    for stop in range(len(data)):
        with pytest.raises(RepoError):
            decode(data[:stop])
    with pytest.raises(RepoError):
        decode(data + b"x")


NAMES = [
    ("20261121-1.done", Record("20261121", 1, WritePhase.DONE)),
    ("20261121-12.committing", Record("20261121", 12, WritePhase.COMMITTING)),
    (f"20261121-1.committing-{'a' * 40}", Record("20261121", 1, WritePhase.COMMITTING, "a" * 40)),
    (f"20261121-1.staging-{'a' * 32}", Record("20261121", 1, WritePhase.STAGING, "a" * 32)),
    (f"20261121-1.staging-{'a' * 64}", Record("20261121", 1, WritePhase.STAGING, "a" * 64)),
    (f"20261121-1.staging-{'a' * 40}", None),
    (f"20261121-1.committing-{'a' * 32}", None),
    (f"20261121-1.committed-{'a' * 40}", Record("20261121", 1, WritePhase.COMMITTED, "a" * 40)),
    ("20261121-1.committed", None),
    (f"20261121-1.done-{'a' * 40}", None),
    ("20261121-0.done", None),
    ("20261121-01.done", None),
    ("20261121-1.other", None),
    ("20261121-1.done\n", None),
    ("lock", None),
    ("new.0123456789abcdef", None),
]


@pytest.mark.parametrize(("name", "record"), NAMES)
def test_the_name_of_an_entry(name: str, record: Record | None) -> None:
    assert Record.read(name) == record
    assert record is None or record.name == name


STEPS = {"d": WritePhase.DONE, "u": WritePhase.UNDONE}
CHOICES = [  # the steps of entries 1, 2, …; without a name undo takes, redo takes
    ("d", 1, None),
    ("u", None, 1),
    ("ddd", 3, None),
    ("ddu", 2, 3),
    ("duu", 1, 2),
    ("uuu", None, 1),
    ("dud", 3, 2),
    ("udud", 4, 3),
    ("udu", 2, 3),
    ("", None, None),
]


@pytest.mark.parametrize(("steps", "undoes", "redoes"), CHOICES)
def test_which_entry_is_meant(steps: str, undoes: int | None, redoes: int | None) -> None:
    records = [Record("20261121", number, STEPS[step]) for number, step in enumerate(steps, 1)]
    for redo, expected in ((False, undoes), (True, redoes)):
        if expected is None:
            with pytest.raises(EditBlocksError, match="see editblocks undo --list") as caught:
                choose(records, None, redo)
            assert caught.value.code is ReasonCode.BAD_COMMAND
        else:
            assert choose(records, None, redo).number == expected


def test_ids_count_the_writes_of_a_day_and_never_go_back(shop: Path) -> None:
    times = [NOON, NOON, NOON + 86_400, NOON, NOON + 86_400]
    ids = [apply(shop, {"README.md": b"%d\n" % number}, clock) for number, clock in enumerate(times)]
    assert ids == ["20261119-1", "20261119-2", "20261120-1", "20261120-2", "20261120-3"]


def test_a_write_that_changes_nothing_is_no_entry(shop: Path) -> None:
    repo = WorktreeRepo(shop)
    repo.write({"README.md": b"# Shop\n", "none": None}, "")
    assert (repo.receipt, kept(shop)) == (None, [])


def test_the_journal_is_for_its_owner_alone(shop: Path) -> None:
    old = os.umask(0)
    try:
        apply(shop, {"README.md": b"1\n"})
    finally:
        os.umask(old)
    folder = shop / ".git/editblocks"
    assert {place.name: place.stat().st_mode & 0o777 for place in (folder, *folder.iterdir())} == {
        "editblocks": 0o700,
        "20261119-1.done": 0o600,
        "lock": 0o600,
    }


@pytest.mark.parametrize("dir_fd", [True, False], ids=["dir_fd", "lstat"])
def test_undo_and_redo_each_way(shop: Path, dir_fd: bool) -> None:
    before = read_folder(shop)
    WorktreeRepo(shop, dir_fd=dir_fd).write({"README.md": None, "src/app.py": b"x = 2\n", "new/a": b"1\n"}, "")
    after = read_folder(shop)
    assert take_back(shop, None, dir_fd=dir_fd).entry is not None
    assert read_folder(shop) == before
    take_back(shop, None, redo=True, dir_fd=dir_fd)
    assert read_folder(shop) == after


def test_a_folder_without_a_repository_has_no_journal(tmp_path: Path) -> None:
    (tmp_path / "plain/.git").mkdir(parents=True)
    assert apply(tmp_path / "plain", {"a": b"1\n"}) is None
    assert list((tmp_path / "plain/.git").iterdir()) == []
    with pytest.raises(EditBlocksError, match="is no top of a git repository") as caught:
        take_back(tmp_path / "plain", None)
    assert caught.value.code is ReasonCode.BAD_CONFIG


def test_a_linked_working_tree_has_a_journal_of_its_own(shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "linked"))
    first, second = apply(shop, {"README.md": b"1\n"}), apply(tmp_path / "linked", {"README.md": b"2\n"})
    assert (first, second) == ("20261119-1", "20261119-1")
    take_back(tmp_path / "linked", None)
    assert ((shop / "README.md").read_bytes(), (tmp_path / "linked/README.md").read_bytes()) == (b"1\n", b"# Shop\n")
    assert [place.name for place in (shop / ".git/worktrees/linked/editblocks").glob("2*")] == ["20261119-1.undone"]
    assert git(shop, "fsck") == b""
    git(shop, "worktree", "remove", "--force", str(tmp_path / "linked"))


@pytest.mark.parametrize("text", ["gitdir: \n", "gitdir: none\n", "odd\n", "gitdir: \0\n", "x" * 70_000])
def test_a_git_file_that_names_nothing_is_no_repository(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    assert git_folder(tmp_path) is None


def test_old_entries_go_when_there_are_many(shop: Path) -> None:
    for number in range(KEPT + 3):
        apply(shop, {"README.md": b"%d\n" % number})
    names = kept(shop)
    assert (len(names), "20261119-1.done" in names, f"20261119-{KEPT + 3}.done" in names) == (KEPT, False, True)


def test_old_entries_go_when_they_are_large(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editblocks.repos.journal.journal.KEPT_BYTES", 3_000)
    for number in range(5):
        apply(shop, {"README.md": b"%d" % number * 1_000})
    assert kept(shop) == ["20261119-5.done"]
    apply(shop, {"README.md": b"x" * 9_000})
    assert kept(shop) == ["20261119-6.done"], "the last one is kept whatever its size"


HOLDER = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from editblocks.repos.journal.journal import nothing
from editblocks.repos.journal.location import locked_journal
with locked_journal(Path(sys.argv[2]), nothing):
    print(os.getpid(), flush=True)
    sys.stdin.read()
"""


def locked_write(root: Path) -> None:
    WorktreeRepo(root, lock_seconds=0.1).write({"README.md": b"2\n"}, "")


def locked_undo(root: Path) -> None:
    take_back(root, None, lock_seconds=0.1)


@pytest.mark.long
@pytest.mark.parametrize("act", [locked_write, locked_undo])
def test_the_lock_of_another_process_is_waited_for_and_named(shop: Path, act: Callable[[Path], None]) -> None:
    apply(shop, {"README.md": b"1\n"})
    command = [sys.executable, "-c", HOLDER, str(TESTS), str(shop)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdin
        pid = holder.stdout.readline().strip()
        before = read_folder(shop)
        with pytest.raises(RepoError, match=rf"editblocks/lock is held by process {pid} since \d+ s; wait until"):
            act(shop)
        assert read_folder(shop) == before
        holder.stdin.close()
    assert apply(shop, {"README.md": b"2\n"}) == "20261119-2"


def test_a_lock_whose_owner_was_killed_is_free(shop: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(TESTS), str(shop)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        holder.stdout.readline()
        holder.kill()
    WorktreeRepo(shop, lock_seconds=0).write({"README.md": b"2\n"}, "")
    assert (shop / "README.md").read_bytes() == b"2\n"


WRITER = """
import sys
from editblocks.core.errors import HeadMoved
from editblocks.repos.stores.worktree import WorktreeRepo
for number in range(int(sys.argv[2])):
    while True:
        repo = WorktreeRepo(sys.argv[1])
        lines = (repo.read("README.md") or b"") + b"%s %d\\n" % (sys.argv[3].encode(), number)
        try:
            repo.write({"README.md": lines, "src/app.py": lines}, "")
            break
        except HeadMoved:
            continue
"""


@pytest.mark.long
@pytest.mark.parametrize(("processes", "writes"), [(2, 8), pytest.param(4, 40, marks=pytest.mark.long)])
def test_s19_processes_at_once_are_one_after_another(shop: Path, processes: int, writes: int) -> None:
    names = "abcd"[:processes]
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(shop), str(writes), name]) for name in names]
    assert [writer.wait() for writer in writers] == [0] * processes
    lines = (shop / "README.md").read_text().splitlines()
    assert sorted(lines) == sorted(["# Shop", *(f"{name} {number}" for name in names for number in range(writes))])
    assert (shop / "src/app.py").read_bytes() == (shop / "README.md").read_bytes()
    assert len(kept(shop)) == min(KEPT, processes * writes)


# Somebody else's hand in the journal.


def link_for_the_folder(shop: Path) -> None:
    (shop / ".git/editblocks").rename(shop.parent / "away")
    (shop / ".git/editblocks").symlink_to(shop.parent / "away")


def link_for_the_lock(shop: Path) -> None:
    (shop / ".git/editblocks/lock").unlink()
    (shop / ".git/editblocks/lock").symlink_to(shop / "README.md")


def link_for_the_entry(shop: Path) -> None:
    place = shop / ".git/editblocks/20261119-1.done"
    place.rename(shop.parent / "entry")
    place.symlink_to(shop.parent / "entry")


def second_name_of_the_entry(shop: Path) -> None:
    (shop.parent / "entry").hardlink_to(shop / ".git/editblocks/20261119-1.done")


def torn_entry(shop: Path) -> None:
    place = shop / ".git/editblocks/20261119-1.done"
    place.write_bytes(place.read_bytes()[:-1])


def folder_for_the_entry(shop: Path) -> None:
    place = shop / ".git/editblocks/20261119-1.done"
    place.unlink()
    place.mkdir()


STRANGERS = [
    link_for_the_folder,
    link_for_the_lock,
    link_for_the_entry,
    second_name_of_the_entry,
    torn_entry,
    folder_for_the_entry,
]


@pytest.mark.parametrize("make", STRANGERS)
def test_a_journal_that_is_not_as_we_left_it_is_not_used(shop: Path, make: Callable[[Path], None]) -> None:
    apply(shop, {"README.md": b"1\n"})
    make(shop)
    with pytest.raises(RepoError, match=r"\.git/editblocks"):
        take_back(shop, None)
    assert (shop / "README.md").read_bytes() == b"1\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_an_entry_of_another_user_is_not_used(shop: Path) -> None:
    apply(shop, {"README.md": b"1\n"})
    os.chown(shop / ".git/editblocks/20261119-1.done", 1, 1)
    with pytest.raises(RepoError, match="is not ours: look at it, then remove it"):
        take_back(shop, None)
    [(record, entry)] = past(shop)
    assert (record.id, isinstance(entry, RepoError)) == ("20261119-1", True)


PROTECTED: Mapping[str, bytes | None] = {"action.yml": b"runs:\n", "README.md": b"1\n"}


def test_files_that_decide_what_runs_are_written_on_a_persons_word_alone(shop: Path) -> None:
    """A repository may come with a journal that somebody else made."""
    apply(shop, PROTECTED)
    words = r"action\.yml can run code and is in 20261119-1; to have it written, say editblocks undo 20261119-1"
    with pytest.raises(EditBlocksError, match=words) as caught:
        take_back(shop, None)
    assert caught.value.code is ReasonCode.NOT_ALLOWED
    assert (shop / "action.yml").exists()
    take_back(shop, "20261119-1")
    assert not (shop / "action.yml").exists()
    with pytest.raises(EditBlocksError, match=f"{words} --redo"):
        take_back(shop, None, redo=True)
    take_back(shop, "20261119-1", redo=True)
    assert (shop / "action.yml").read_bytes() == b"runs:\n"


def test_an_interrupted_write_of_such_a_file_waits_for_that_word(shop: Path) -> None:
    before = read_folder(shop)
    apply(shop, PROTECTED)
    place = shop / ".git/editblocks/20261119-1"
    place.with_suffix(".done").rename(place.with_suffix(".applying"))
    (shop / "README.md").write_bytes(b"# Shop\n")
    for act in (WorktreeRepo(shop).recover, lambda: apply(shop, {"README.md": b"2\n"}), lambda: take_back(shop, None)):
        with pytest.raises(EditBlocksError, match="say editblocks undo 20261119-1"):
            act()
    done = take_back(shop, "20261119-1")
    assert (done.entry, [it.finished for it in done.recoveries]) == (None, [False])
    assert read_folder(shop) == before


def test_the_lock_is_there_only_as_long_as_it_is_held(shop: Path) -> None:
    with locked_journal(shop, nothing) as journal:
        assert journal is not None
        with pytest.raises(RepoError, match="held by process"), locked_journal(shop, nothing, seconds=0):
            raise AssertionError
    with locked_journal(shop, nothing, seconds=0) as journal:
        assert journal is not None


READ_ONLY = [("src/app.py", False), ("src/app.py", True), ("new.txt", False), ("README.md", True)]


@pytest.mark.parametrize(("path", "redo"), READ_ONLY)
def test_s20_a_read_only_file_is_neither_undone_nor_written_again(shop: Path, path: str, redo: bool) -> None:
    apply(shop, {"src/app.py": b"x = 2\n", "README.md": None, "new.txt": b"1\n"})
    if redo:
        take_back(shop, None)
    (shop / path).chmod(0o444)
    before = folder_state(shop), kept(shop)
    with pytest.raises(RepoError, match=f"^{path} is read-only, so nothing was changed; make it writable first$"):
        take_back(shop, None, redo=redo)
    assert (folder_state(shop), kept(shop)) == before
    (shop / path).chmod(0o644)
    take_back(shop, None, redo=redo)
