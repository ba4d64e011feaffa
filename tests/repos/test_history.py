"""Which commit last changed a line, in a history of real commits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, LINK, Entry, git, line

from editblocks.repos.stores.blame import last_change

NAMES = ("app.py", "-dash.py", "--porcelain", "a b/\u5b57 \u00e9.py", ":(top)x", "a/b\\c.py", 'q"q.py', "*.py")
FIRST = b"one\ntwo\nthree\nfour\nfive\n"
SECOND = b"zero\none\n2\nthree\nfour\nfive\n"
CHANGED = [("second", 1), ("first", 2), ("second", 3), ("first", 4), ("first", 6), (None, 7), (None, 0), (None, -1)]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with three commits; nobody writes to it."""
    path = gitkit.make_repository(tmp_path_factory.mktemp("history") / "work", {"README.md": (FILE, b"x\n")})
    gitkit.commit(path, "main", dict.fromkeys(NAMES, (FILE, FIRST)), "first")
    gitkit.commit(path, "main", dict.fromkeys(NAMES, (FILE, SECOND)), "second")
    moved: Mapping[str, Entry | None] = {
        "app.py": None,
        "lib/moved.py": (FILE, SECOND),
        "README.md": (FILE, b"y\n"),
        "link": (LINK, b"README.md"),
    }
    gitkit.commit(path, "main", moved, "moved")
    git(path, "reset", "--quiet", "--hard")
    (path / "untracked").write_bytes(b"new\n")
    return path


def subject(path: Path, revision: str | None, name: str, number: int) -> str | None:
    found = last_change(path, revision and line(path, "rev-parse", revision), name, number)
    return found[2] if found else None


@pytest.mark.parametrize(("expected", "number"), CHANGED)
def test_the_commit_of_a_line(history: Path, expected: str | None, number: int) -> None:
    assert subject(history, "main~1", "app.py", number) == expected


def test_a_renamed_file_keeps_its_past(history: Path) -> None:
    places = [(None, 2), (None, 3), (None, 7), ("main", 2), ("main", 3), ("main", 7)]
    found = [subject(history, revision, "lib/moved.py", number) for revision, number in places]
    assert found == ["first", "second", None] * 2


def test_a_change_is_a_commit_with_its_subject_and_day(history: Path) -> None:
    commit = line(history, "rev-parse", "main~2")
    assert last_change(history, commit, "app.py", 1) == (commit, "2023-11-14", "first")
    root = line(history, "rev-parse", "main~3")
    assert last_change(history, root, "README.md", 1) == (root, "2023-11-14", "tests: change")


@pytest.mark.parametrize("name", NAMES[1:])
def test_odd_names(history: Path, name: str) -> None:
    assert [subject(history, revision, name, 3) for revision in ("main", "main~2", None)] == [
        "second",
        "first",
        "second",
    ]


NOTHING = [
    "untracked",
    "none",
    "a b",
    "link",
    "README.md/x",
    "../work/README.md",
    "/etc/passwd",
    ".git/config",
    "",
    "\0",
]


@pytest.mark.long
def test_where_there_is_nothing_to_say(history: Path, tmp_path: Path) -> None:
    assert [subject(history, revision, name, 1) for name in NOTHING for revision in (None, "main")] == [
        "moved" if (name, revision) == ("link", "main") else None for name in NOTHING for revision in (None, "main")
    ]
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "README.md").write_bytes(b"x\n")
    git(tmp_path, "init", "-q", "empty")
    (tmp_path / "empty/README.md").write_bytes(b"x\n")
    places = [history / "a b", plain, tmp_path / "empty", tmp_path / "none"]
    assert [last_change(place, None, "README.md", 1) for place in places] == [None] * 4


@pytest.mark.parametrize("revision", ["main", "HEAD", "", "-x", "--help", "4be1d02", "0" * 40, "f" * 64, "\n"])
def test_only_the_id_of_a_commit_is_a_revision(history: Path, revision: str) -> None:
    expected = "moved" if not revision else None  # nothing is as good as none
    found = last_change(history, revision, "README.md", 1)
    assert (found and found[2]) == expected


def test_a_git_that_fails_says_nothing(history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert last_change(history, None, "README.md", 1) is None


EDITED: list[tuple[str, bytes, list[str | None]]] = [
    ("a line of ours above", b"new\n" + SECOND, [None, "second", "first", "second"]),
    ("changed in the middle", SECOND.replace(b"2\n", b"two\n"), ["second", "first", None, "first"]),
    ("changed twice", b"0\none\n2\nthree\n4\nfive", [None, "first", "second", "first", None, "first"]),
    ("with other line ends", SECOND.replace(b"\n", b"\r\n"), ["second", "first"]),
    ("no text", b"\xff\x00\n" + SECOND, [None, "second"]),
    ("empty", b"", [None]),
]


@pytest.mark.long
def test_a_file_on_disk_that_is_not_as_it_was_committed(history: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--shared", str(history), "work")
    for claim, data, expected in EDITED:
        (tmp_path / "work/lib/moved.py").write_bytes(data)
        found = [subject(tmp_path / "work", None, "lib/moved.py", number + 1) for number in range(len(expected))]
        assert found == expected, claim


def test_the_end_of_a_shallow_history_is_not_blamed(history: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{history}", "shallow")
    shallow = tmp_path / "shallow"
    assert [subject(shallow, None, "lib/moved.py", number) for number in (1, 2)] == [None, None]
    assert subject(shallow, None, "README.md", 1) == "moved"


def test_a_bare_repository(history: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", "--shared", str(history), "bare.git")
    assert subject(tmp_path / "bare.git", "main", "lib/moved.py", 2) == "first"
    assert subject(tmp_path / "bare.git", None, "lib/moved.py", 2) is None


def test_no_program_runs_and_no_list_of_ignored_commits_counts(history: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--shared", str(history), "work")
    work, script = tmp_path / "work", tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho x >> '{tmp_path / 'canary'}'\ncat \"$@\"\n")
    script.chmod(0o755)
    (work / ".git/info/attributes").write_text("*.py filter=canary diff=canary\n")
    for key in ("filter.canary.clean", "filter.canary.smudge", "diff.canary.textconv", "core.fsmonitor", "alias.blame"):
        git(work, "config", key, str(script))
    git(work, "config", "blame.showRoot", "true")
    (work / ".git/ignored").write_text(line(work, "rev-parse", "main~1") + "\n")
    git(work, "config", "blame.ignoreRevsFile", ".git/ignored")
    before = gitkit.snapshot(work)
    # what a filter makes of a file is not on disk as git has it, so nothing is said of it there
    assert [subject(work, revision, "lib/moved.py", 3) for revision in (None, "main")] == [None, "second"]
    assert gitkit.snapshot(work) == before
    assert not (tmp_path / "canary").exists()
    git(work, "config", "blame.ignoreRevsFile", "gone")  # then `git blame` itself does not work here
    assert subject(work, "main", "lib/moved.py", 3) is None


LONG = "x" * 72
MESSAGES = [
    (b"plain\n", "plain"),
    (b"first line\nsecond line\n\nbody\n", "first line"),
    (b"caf\xc3\xa9 \xe2\x80\xae\x1b[2J <b>`x`</b> @octocat\r\n", "caf\u00e9 \u202e\x1b[2J <b>`x`</b> @octocat"),
    (b"\xff\n", "\ufffd"),
    (LONG.encode(), LONG),
    (LONG.encode() + b"y", f"{LONG[:71]}\u2026"),
]
PEOPLE = [
    ("A <a@example.com> 1700000000 +0000", "2023-11-14"),
    ("A <a@example.com> 1700000000 +1400", "2023-11-15"),
    ("A <a@example.com> 1700000000 -1130", "2023-11-14"),
    ("A <a@example.com> 5 noon", "1970-01-01"),
    ("A <a@example.com>", "1970-01-01"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository to put odd commits into."""
    return gitkit.make_repository(tmp_path_factory.mktemp("store") / "store", {"a": (FILE, b"a\n")})


def odd_commit(path: Path, author: str, message: bytes) -> str:
    head = f"tree {line(path, 'rev-parse', 'main^{tree}')}\nauthor {author}\n".encode()
    head += b"committer C <c@example.com> 1700000000 +0000\n\n"
    said = git(path, "hash-object", "-w", "-t", "commit", "--literally", "--stdin", stdin=head + message)
    return said.decode().strip()


@pytest.mark.long
@pytest.mark.parametrize(("message", "expected"), MESSAGES)
def test_a_subject_is_one_short_line(store: Path, message: bytes, expected: str) -> None:
    found = last_change(store, odd_commit(store, PEOPLE[0][0], message), "a", 1)
    assert found is not None
    assert found[2] == expected


@pytest.mark.long
@pytest.mark.parametrize(("author", "day"), PEOPLE)
def test_a_day_is_the_authors(store: Path, author: str, day: str) -> None:
    found = last_change(store, odd_commit(store, author, b"x\n"), "a", 1)
    assert found is not None
    assert found[1] == day
