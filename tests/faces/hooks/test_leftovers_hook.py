"""`editblocks hook leftovers`: which staged files are looked through, what is said, and the exit code."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, LINK, SUBMODULE, SUBMODULE_ID, Entry, git
from support.hookkit import Changes, call, call_apart, commit_files, git_as, put_hook, stage, write

BLOCK = b"<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
LEFT: Entry = (FILE, b"x = 1\n" + BLOCK)
MIB = 1024 * 1024


def finding(path: str, lines: str = "2, 4 and 6", first: int = 2, what: str = "block") -> str:
    sentence = f"edit-block markers at lines {lines} of {path}; apply or remove the {what}"
    return f"{path}:{first}: failed: leftover: {sentence}\n"


STAGED: list[tuple[str, Changes, int, str]] = [
    ("nothing", {}, 0, ""),
    ("an ordinary change", {"a.py": (FILE, b"x = 1\n")}, 0, ""),
    ("a left-over block", {"a.py": LEFT}, 1, finding("a.py")),
    ("one in a script", {"a.py": (EXECUTABLE, LEFT[1])}, 1, finding("a.py")),
    ("several files, in name order", {"b.py": LEFT, "a/c": LEFT}, 1, finding("a/c") + finding("b.py")),
    ("several blocks", {"a.py": (FILE, BLOCK * 2)}, 1, finding("a.py", "1, 3, 5, 6, 8 and 10", 1, "blocks")),
    (
        "other formats",
        {
            "2.py": (FILE, b"<<<<<<< EDIT\n-------\na\n=======\nb\n-------\n>>>>>>>\n"),
            "3.py": (FILE, "««« EDIT\na\n═══════ REPL\nb\n»»» EDIT END\n".encode()),
            "4.py": (FILE, b"<<<<<<< NEW_FILE\na\nb\nc\n>>>>>>> NEW_FILE\n"),
            "5.py": (FILE, b'<boltAction type="file" filePath="a">\na\nb\nc\n</boltAction>\n'),
        },
        1,
        finding("2.py", "1, 2, 4, 6 and 7", 1)
        + finding("3.py", "1, 3 and 5", 1)
        + finding("4.py", "1 and 5", 1)
        + finding("5.py", "1 and 5", 1),
    ),
    (
        "more files than are held at once",
        {f"{n:02}.py": LEFT for n in range(40)},
        1,
        "".join(finding(f"{n:02}.py") for n in range(40)),
    ),
    ("a conflict of git", {"a.py": (FILE, b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> b\n")}, 0, ""),
    ("an opener alone", {"a.py": (FILE, BLOCK[:-16])}, 0, ""),
    ("the pragma", {"a.py": (FILE, LEFT[1] + b"# editblocks: allow-markers\n")}, 0, ""),
    ("response files", {".edits/a.md": LEFT, ".edits/b/c.txt": LEFT}, 0, ""),
    ("a response file elsewhere", {"b/.edits/a.md": LEFT}, 1, finding("b/.edits/a.md")),
    ("a link", {"a.py": (LINK, LEFT[1])}, 0, ""),
    ("a submodule", {"a.py": (SUBMODULE, SUBMODULE_ID)}, 0, ""),
    ("what is no text", {"a.py": (FILE, b"\0" + LEFT[1])}, 0, ""),
    ("UTF-16", {"a.py": (FILE, LEFT[1].decode().encode("utf-16"))}, 0, ""),
    ("another encoding", {"a.py": (FILE, b"# \xe9\n" + BLOCK)}, 1, finding("a.py")),
    ("what attributes call binary", {"a.py": LEFT, ".gitattributes": (FILE, b"* binary -text\n")}, 1, finding("a.py")),
    ("a deleted file", {"cart.py": None}, 0, ""),
    (
        "names that a terminal must not see",
        {"a b\n\x1b[2J\u202e.py": LEFT, "-x.py": LEFT, ":(glob)**": LEFT},
        1,
        finding("-x.py") + finding(":(glob)**") + finding("a b\\n\\x1b[2J\\u202e.py"),
    ),
]


@pytest.mark.parametrize(("claim", "changes", "code", "said"), STAGED, ids=[row[0] for row in STAGED])
@pytest.mark.long(after=2)
def test_staged_files_are_looked_through(
    checkout: Path, capfd: pytest.CaptureFixture[str], *, claim: str, changes: Changes, code: int, said: str
) -> None:
    stage(checkout, changes)
    before = gitkit.snapshot(checkout)
    assert call(capfd, "hook", "leftovers") == (code, said, ""), claim
    assert gitkit.snapshot(checkout) == before


def test_what_is_staged_counts_and_not_what_is_on_disk(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stage(checkout, {"cart.py": LEFT, "a/b": (FILE, b"fine\n")})
    (checkout / "a/b").write_bytes(LEFT[1])
    assert call(capfd, "hook", "leftovers", "--", "cart.py", "a/b") == (1, finding("cart.py"), "")


NOT_STAGED = "editblocks: {} is not staged, so it was not searched; git add it first\n"
NO_OPTION = "editblocks: `{}` begins with a dash and is not an option; for such a file write -- before it\n"
OPERANDS: list[tuple[str, Sequence[str], int, str, str]] = [
    ("one of two, committed before", ["old.py"], 1, finding("old.py"), ""),
    ("from here", ["./old.py"], 1, finding("old.py"), ""),
    ("twice", ["--", "old.py", "old.py"], 1, finding("old.py"), ""),
    ("what begins with a dash", ["--", "-h"], 1, finding("-h"), ""),
    ("what looks like help behind others", ["--", "old.py", "--help"], 1, finding("old.py"), NOT_STAGED),
    ("not staged", ["--", "new.py"], 0, "", NOT_STAGED),
    ("a folder", ["--", "a"], 0, "", NOT_STAGED),
    ("out of the repository", ["--", "../x"], 0, "", NOT_STAGED),
    ("the end of options as a name", ["--", "--"], 0, "", NOT_STAGED),
    ("no option", ["-a"], 2, "", NO_OPTION),
    ("no option among files", ["old.py", "--all"], 2, "", NO_OPTION),
    ("help among files", ["old.py", "-h"], 2, "", NO_OPTION),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "argv", "code", "said", "warned"), OPERANDS, ids=[row[0] for row in OPERANDS])
def test_s23_operands(
    checkout: Path,
    capfd: pytest.CaptureFixture[str],
    *,
    claim: str,
    argv: Sequence[str],
    code: int,
    said: str,
    warned: str,
) -> None:
    commit_files(checkout, {"old.py": LEFT, "-h": LEFT})
    (checkout / "new.py").write_bytes(LEFT[1])
    assert call(capfd, "hook", "leftovers", *argv) == (code, said, warned.format(argv[-1])), claim


def test_help(capfd: pytest.CaptureFixture[str]) -> None:
    code, said, warned = call(capfd, "hook", "leftovers", "--help")
    assert said.startswith("usage: editblocks hook install|")
    assert (code, max(map(len, said.split("\n"))) <= 80, warned) == (0, True, "")


@pytest.mark.long
def test_a_huge_file_is_named_if_there_may_be_a_block_in_it(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stage(checkout, {"a.txt": (FILE, LEFT[1].ljust(21 * MIB, b"\n")), "b.txt": (FILE, b"\n" * (21 * MIB))})
    reason = f"a.txt has {21 * MIB} bytes, the limit is {20 * MIB}; it was not searched for edit blocks"
    assert call(capfd, "hook", "leftovers") == (0, "", f"editblocks: {reason}\n")


def test_a_file_in_conflict_is_left_to_git(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stage(checkout, {"a.py": LEFT}, numbers=(1, 2, 3))
    assert call(capfd, "hook", "leftovers", "--", "a.py") == (0, "", "")


def test_the_policy_says_where_responses_are(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stage(checkout, {"answers/a.md": LEFT, "a.md": LEFT})
    (checkout / ".editblocks.yml").write_text("response-files: ['answers/*.md']\n")
    assert call(capfd, "hook", "leftovers") == (1, finding("a.md"), "")


@pytest.mark.long
@pytest.mark.parametrize("count", [8, 501, pytest.param(10_000, marks=pytest.mark.long)])
def test_many_files(checkout: Path, capfd: pytest.CaptureFixture[str], count: int) -> None:
    """Above 500 names git is asked about all it has, and what was not named is still not told of."""
    names = [f"d/{number}.py" for number in range(count)]
    gitkit.commit(checkout, "main", {**{name: (FILE, name.encode()) for name in names}, "d/7.py": LEFT, "e.py": LEFT})
    git(checkout, "reset", "-q", "--hard")
    assert call(capfd, "hook", "leftovers", "--", *names, "d/7.py") == (1, finding("d/7.py"), "")


@pytest.mark.long
def test_a_clone_without_the_blobs_of_other_files(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    names = [f"d/{number}.py" for number in range(501)]
    gitkit.commit(checkout, "main", {**dict.fromkeys(names, LEFT), "far.py": (FILE, b"far away\n")})
    git(checkout, "config", "uploadpack.allowFilter", "true")
    clone = ("clone", "-q", "--filter=blob:none", "--no-checkout", checkout.as_uri(), str(tmp_path / "clone"))
    git(tmp_path, *clone)
    git(tmp_path / "clone", "sparse-checkout", "set", "d")
    git(tmp_path / "clone", "checkout", "-q", "main")
    monkeypatch.chdir(tmp_path / "clone")
    assert call(capfd, "hook", "leftovers", "--", *names) == (1, "".join(map(finding, sorted(names))), "")


def test_the_user_s_configuration_changes_nothing(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for key, value in {
        "color.ui": "always",
        "color.grep": "always",
        "grep.patternType": "perl",
        "grep.lineNumber": "true",
        "grep.fullName": "false",
        "submodule.recurse": "true",
        "diff.external": "false",
        "core.quotePath": "true",
    }.items():
        git(checkout, "config", key, value)
    stage(checkout, {"ü.py": LEFT})
    assert call(capfd, "hook", "leftovers") == (1, finding("ü.py"), "")


def test_no_module_of_anybody_else_is_loaded(checkout: Path) -> None:
    """docs/internals/performance.md, "start": a set of modules, not a time."""
    stage(checkout, {"a.py": LEFT})
    assert call_apart("hook", "leftovers") == f"{finding('a.py')}editblocks\n"


@pytest.mark.long
@pytest.mark.parametrize("args", [(), ("-a",)], ids=["commit", "commit -a"])
@pytest.mark.parametrize("name", ["checkout", "linked"])
def test_started_by_git(checkout: Path, tmp_path: Path, args: tuple[str, ...], name: str) -> None:
    """Git names an index of its own to the hooks of `commit -a`, and in a linked working tree another folder."""
    put_hook(checkout / ".git", "pre-commit", b"#!/bin/sh\nexec editblocks hook leftovers\n")
    git(checkout, "worktree", "add", "-q", "-b", "other", "../linked")
    place = tmp_path / name
    (place / "cart.py").write_bytes(LEFT[1])
    write(place, "new.py", b"x = 1\n")
    done = git_as(place, "commit", "-qm", "x", *args)
    words = finding("cart.py") if args else ""
    assert (done.returncode, (done.stdout + done.stderr).decode()) == (1 if args else 0, words)
