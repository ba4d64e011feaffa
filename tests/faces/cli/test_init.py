"""`init` in real repositories: what it writes, what it leaves alone, and that git and the loader take it."""

import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git, read_folder, snapshot
from support.posix import file_size_limit, make_fifo
from support.project import EXAMPLES

from editblocks.config.policy import read_policy
from editblocks.config.table import FILE_KEYS as KEYS
from editblocks.core.errors import ConfigError, Refused, UnreadableFile
from editblocks.core.settings import POLICY_FILE as POLICY
from editblocks.core.settings import Settings
from editblocks.faces.cli.init import ATTRIBUTES, WORKFLOW, has_size, line_to_append, texts
from editblocks.faces.cli.init import main as init

LINE = ".edits/** conflict-marker-size=99"
START = {"README.md": (FILE, b"# Shop\n"), "src/a.py": (FILE, b"a\n")}
RESPONSE = b"a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"

ALL_MADE = f"""\
{WORKFLOW}: created
{POLICY}: created
{ATTRIBUTES}: created

next:
  in {WORKFLOW}, at `uses:`,
  replace OWNER, and the zeros with the commit that you reviewed
  git add {WORKFLOW} {POLICY} {ATTRIBUTES}
  git commit -m "Read edit blocks"
  it takes effect once it is on the default branch
"""
ALL_THERE = f"""\
{WORKFLOW}: left alone, it already exists
{POLICY}: left alone, it already exists
{ATTRIBUTES}: left alone, it already has the line for .edits/**

nothing to do
"""


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository; the current directory is its top."""
    path = gitkit.make_repository(tmp_path / "shop", START)
    monkeypatch.chdir(path)
    return path


def options(*, show: bool = False, root: str | None = None) -> Namespace:
    return Namespace(print=show, root=root, agents=False)


def written(path: Path) -> dict[str, bytes]:
    return {name: data for name, (_, data) in read_folder(path).items() if name not in START}


def test_an_empty_repository(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert init(options()) == 0
    assert capsys.readouterr() == (ALL_MADE, "")
    assert written(top) == {path: text.encode() for path, text in texts().items()}
    assert written(top)[ATTRIBUTES] == f"{LINE}\n".encode()


def test_a_second_run_has_nothing_to_do(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(options())
    before = snapshot(top)
    capsys.readouterr()
    assert init(options()) == 0
    assert capsys.readouterr() == (ALL_THERE, "")
    assert snapshot(top) == before


def test_what_it_says_next_can_be_typed(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(options())
    for command in re.findall("^  (git .*)$", capsys.readouterr().out, re.MULTILINE):
        subprocess.run(["sh", "-c", command], cwd=top, env=gitkit.ISOLATED, capture_output=True, check=True)
    assert git(top, "status", "--porcelain") == b""
    assert set(gitkit.read_tree(top, "HEAD")) == {*START, *texts()}


def test_from_a_folder_and_by_root(
    top: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(top / "src")
    assert init(options()) == 0
    assert f"  git -C {top} add {WORKFLOW} {POLICY} {ATTRIBUTES}\n" in capsys.readouterr().out
    monkeypatch.chdir(top.parent)
    assert init(options(root="shop")) == 0
    assert capsys.readouterr().out == ALL_THERE
    assert set(written(top)) == set(texts())


def test_a_linked_working_tree(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(top, "worktree", "add", "--quiet", "../other", "-b", "other")
    monkeypatch.chdir(top.parent / "other")
    assert init(options()) == 0
    assert set(written(top.parent / "other")) == set(texts())
    assert written(top) == {}


PRESENT = {
    WORKFLOW: f"{WORKFLOW}: left alone, it already exists",
    POLICY: f"{POLICY}: left alone, it already exists",
    ATTRIBUTES: f"{ATTRIBUTES}: line added: {LINE}",
}


@pytest.mark.parametrize("path", PRESENT)
@pytest.mark.long
def test_what_is_there_is_not_written_over(top: Path, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    place = top / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"*.py text\n")
    place.chmod(0o600)
    assert init(options()) == 0
    out = capsys.readouterr().out
    assert PRESENT[path] in out.splitlines()
    assert place.read_bytes() == b"*.py text\n" + (f"{LINE}\n".encode() if path == ATTRIBUTES else b"")
    assert place.stat().st_mode & 0o777 == 0o600
    assert ("`uses:`" in out) is (path != WORKFLOW)
    assert set(written(top)) == set(texts())


def test_a_link_in_the_place_of_a_file_is_left_alone(top: Path, tmp_path: Path) -> None:
    (top / POLICY).symlink_to(tmp_path / "elsewhere.yml")
    assert init(options()) == 0
    assert not (tmp_path / "elsewhere.yml").exists()
    assert (top / POLICY).is_symlink()


def folder_link(top: Path) -> None:
    (top.parent / "elsewhere").mkdir()
    (top / ".github").symlink_to(top.parent / "elsewhere")


def lower_link(top: Path) -> None:
    (top.parent / "elsewhere").mkdir()
    (top / ".github").mkdir()
    (top / ".github/workflows").symlink_to(top.parent / "elsewhere")


def attributes_link(top: Path) -> None:
    (top.parent / "elsewhere").mkdir()
    (top.parent / "elsewhere/attributes").write_text("")
    (top / ATTRIBUTES).symlink_to(top.parent / "elsewhere/attributes")


BLOCKED = {
    "a link to a folder": (folder_link, ".github is a symbolic link"),
    "a link below": (lower_link, ".github/workflows is a symbolic link"),
    "a file": (
        lambda top: (top / ".github").write_text(""),
        f".github is a file, so {WORKFLOW} cannot be below it",
    ),
    "a link to attributes": (
        attributes_link,
        f"{ATTRIBUTES} is a symbolic link",
    ),
    "a folder": (
        lambda top: (top / ATTRIBUTES).mkdir(),
        f"{ATTRIBUTES} is a folder",
    ),
    "a pipe": (
        lambda top: make_fifo(top / ATTRIBUTES),
        f"{ATTRIBUTES} is not a regular file",
    ),
}


@pytest.mark.parametrize("claim", BLOCKED)
@pytest.mark.long
def test_what_stands_in_the_way_stops_all_of_it(top: Path, claim: str) -> None:
    make, said = BLOCKED[claim]
    make(top)
    before = read_folder(top)
    with pytest.raises((Refused, UnreadableFile)) as raised:
        init(options())
    assert raised.value.message.startswith(said)
    assert read_folder(top) == before
    elsewhere = top.parent / "elsewhere"
    assert not elsewhere.exists() or written(elsewhere) in ({}, {"attributes": b""})


def test_where_there_is_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as raised:
        init(options())
    advice = "run `git init` first, or look with --print"
    assert raised.value.message == f"{tmp_path} is not in a git working tree; {advice}"
    assert list(tmp_path.iterdir()) == []


def test_where_a_repository_has_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = gitkit.make_repository(tmp_path / "bare", {}, bare=True)
    monkeypatch.chdir(bare)
    before = sorted(bare.iterdir())
    with pytest.raises(ConfigError) as raised:
        init(options())
    what = "is in a .git folder or a bare repository, without files"
    assert raised.value.message == f"{bare} {what}; name the folder of your files with --root"
    assert sorted(bare.iterdir()) == before


@pytest.mark.parametrize(
    ("root", "said"),
    [("", "--root is empty; name a folder"), ("none", "none is not a folder; name one with --root")],
)
@pytest.mark.long
def test_a_root_that_is_none(top: Path, root: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        init(options(root=root))
    assert raised.value.message == said


def test_print_shows_all_and_writes_nothing(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(top)
    assert init(options(show=True)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == "\n".join(f"{path}:\n\n{text}" for path, text in texts().items())
    assert re.findall(r"^(\S+):\n\n", out, re.MULTILINE) == [WORKFLOW, POLICY, ATTRIBUTES]
    assert snapshot(top) == before


# what the files hold


def test_the_workflow_is_the_example() -> None:
    assert texts()[WORKFLOW] == (EXAMPLES / "workflow.yml").read_text("utf-8")


def test_the_policy_as_it_is_changes_nothing() -> None:
    assert read_policy(texts()[POLICY]) == {}


def test_the_policy_has_every_key_with_its_default_and_a_word_about_it() -> None:
    text = texts()[POLICY]
    keys = [line for line in text.splitlines() if re.match("#[a-z]", line)]
    assert all(re.fullmatch("#[a-z-]+: .+ # .+", line) for line in keys)
    said = read_policy(re.sub("^#(?=[a-z])", "", text, flags=re.MULTILINE))
    assert said == {key.replace("-", "_"): getattr(Settings(), key.replace("-", "_")) for key in KEYS}
    assert len(keys) == len(KEYS)


@pytest.mark.long
def test_each_key_can_be_uncommented_alone() -> None:
    text = texts()[POLICY]
    for key in KEYS:
        assert list(read_policy(text.replace(f"\n#{key}:", f"\n{key}:"))) == [key.replace("-", "_")]


@pytest.mark.long
def test_git_no_longer_stops_at_response_files(top: Path) -> None:
    (top / ".edits").mkdir()
    (top / ".edits/cart.md").write_bytes(RESPONSE)
    git(top, "add", ".edits")
    check = ["git", "diff", "--cached", "--check"]
    stopped = subprocess.run(check, cwd=top, env=gitkit.ISOLATED, capture_output=True, check=False)
    assert b"leftover conflict marker" in stopped.stdout
    init(options())
    assert subprocess.run(check, cwd=top, env=gitkit.ISOLATED, capture_output=True, check=False).returncode == 0


SIZES = (
    (b"", False),
    (f"{LINE}\n".encode(), True),
    (f"{LINE}\r\n".encode(), True),
    (f"  {LINE} -text".encode(), True),
    (b".edits/** text conflict-marker-size=50\n", True),  # somebody's own choice
    (f"# {LINE}\n".encode(), False),
    (b".edits/** text\n", False),
    (b"docs/** conflict-marker-size=99\n", False),
    (b"\xff\xfe \x00\n", False),
)


@pytest.mark.parametrize(("data", "there"), SIZES)
def test_whether_the_line_is_there(data: bytes, there: bool) -> None:
    assert has_size(data) is there


ADDED = (
    (b"", b"x y\n"),
    (b"*.py text\n", b"x y\n"),
    (b"*.py text", b"\nx y\n"),
    (b"*.py text\r\n", b"x y\r\n"),
    (b"*.py text\r\n*.c text", b"\r\nx y\r\n"),
)


@pytest.mark.parametrize(("before", "data"), ADDED)
def test_how_the_line_is_added(before: bytes, data: bytes) -> None:
    assert line_to_append(before, "x y\n") == data


# a disk that is full, and somebody who was quicker


def limited(top: Path, size: int) -> tuple[int, str]:
    """Run `init` where no file may grow beyond `size` bytes; its exit code and what it said."""
    limit = file_size_limit(size)
    command = [sys.executable, "-B", "-I", "-m", "editblocks", "init"]
    ran = subprocess.run(command, cwd=top, env=gitkit.ISOLATED, preexec_fn=limit, capture_output=True, check=False)
    return ran.returncode, ran.stderr.decode()


SHORTER, LONGER = sorted(len(texts()[path].encode()) for path in (WORKFLOW, POLICY))


@pytest.mark.parametrize("size", [0, 100, SHORTER, LONGER - 1])
@pytest.mark.long
def test_a_file_that_does_not_fit_takes_the_others_back(top: Path, size: int) -> None:
    code, said = limited(top, size)
    assert code == 2
    assert said.startswith("editblocks: unavailable: ")
    assert written(top) == {}
    assert not (top / ".github").exists()


@pytest.mark.long
def test_a_line_that_does_not_fit_leaves_the_old_ones(top: Path) -> None:
    init(options())
    (top / ATTRIBUTES).write_bytes(b"*.py text\n")
    before = read_folder(top)
    code, said = limited(top, 15)
    assert (code, said.startswith("editblocks: unavailable: ")) == (2, True)
    assert read_folder(top) == before
