"""The commands that hooks tell: pasted into a shell, they take the file that was meant, from where it was pasted."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import git
from support.hookkit import (
    CART,
    FITS,
    SCRIPTS,
    STALE,
    call,
    commit_files,
    git_as,
    put,
    put_hook,
    response,
    search_path,
    write,
)

from editblocks.faces.hooks.check import file_from_here
from editblocks.report.escape import shell_line, shell_word

WORDS = [
    ("plain", ".edits/cart.md", ".edits/cart.md"),
    ("blanks and what a shell takes for its own", "a b/$(x)'.md", "'a b/$(x)'\"'\"'.md'"),
    ("letters of any script", "ä/ß.md", "'ä/ß.md'"),
    ("a line end", "a\nb.md", r"'a\nb.md'"),
    ("a byte that is not UTF-8", "caf\udce9.md", r"'caf\udce9.md'"),
    ("what turns the line around", "\u202eb ä.md", r"'\u202eb ä.md'"),
]


@pytest.mark.parametrize(("claim", "word", "shown"), WORDS, ids=[row[0] for row in WORDS])
def test_a_word_for_a_shell(claim: str, word: str, shown: str) -> None:
    assert shell_word(word) == shown, claim


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")
def test_bash_takes_every_word_that_people_see_as_it_was() -> None:
    words = [word for _, word, _ in WORDS[:3]]
    script = "printf '%s\\0' " + shell_line(words)
    done = subprocess.run(["bash", "-c", script], env={"LC_ALL": "C.UTF-8"}, capture_output=True, check=True)
    assert done.stdout.split(b"\0")[:-1] == [word.encode("utf-8", "surrogateescape") for word in words]


PLACES = [
    ("at the top", None, ".edits/cart.md", ".edits/cart.md"),
    ("at the top, as git says it", "", ".edits/cart.md", ".edits/cart.md"),
    ("in a folder", "a/", ".edits/cart.md", "../.edits/cart.md"),
    ("in a folder of a folder", "a/b c/", "cart.py", "../../cart.py"),
    ("beside the file", ".edits/", ".edits/cart.md", "cart.md"),
    ("beside a file whose name is like an option", ".edits/", ".edits/-x.md", "./-x.md"),
]


@pytest.mark.parametrize(("claim", "prefix", "path", "shown"), PLACES, ids=[row[0] for row in PLACES])
def test_a_path_from_where_git_was_started(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, *, claim: str, prefix: str | None, path: str, shown: str
) -> None:
    if prefix is not None:
        monkeypatch.setenv("GIT_PREFIX", prefix)
    assert file_from_here(path) == shown, claim


def test_a_path_from_the_folder_of_who_calls_the_hook(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout / "a")
    assert file_from_here(".edits/cart.md") == "../.edits/cart.md"


def mended(path: Path) -> None:
    write(path, ".edits/a.md", FITS, add=False)


def gone(path: Path) -> None:
    (path / ".edits/a.md").unlink()


def touched(path: Path) -> None:
    os.utime(path / ".edits/a.md", (1, 1))


def with_line_ends_that_git_converts(path: Path) -> None:
    git(path, "config", "core.autocrlf", "true")
    write(path, ".edits/a.md", STALE.replace(b"\n", b"\r\n"), add=False)


def with_another_target(path: Path) -> None:
    write(path, "cart.py", CART.replace(b"1", b"7"), add=False)


ADD, RETRY = "it differs on disk; next: git add .edits/a.md", "next: editblocks retry --staged .edits/a.md"
ON_DISK: list[tuple[Callable[[Path], None], str]] = [
    (mended, ADD),
    (gone, ADD),
    (touched, RETRY),
    (with_line_ends_that_git_converts, RETRY),
    (with_another_target, RETRY),
]


@pytest.mark.parametrize(("change", "advice"), ON_DISK)
@pytest.mark.long(after=2)
def test_what_is_next_goes_for_the_file_on_disk(
    checkout: Path, capfd: pytest.CaptureFixture[str], change: Callable[[Path], None], advice: str
) -> None:
    put(checkout, response(STALE))
    change(checkout)
    before = gitkit.snapshot(checkout)
    ran = call(capfd, "hook", "pre-commit", ".edits/a.md")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, f".edits/a.md: 1 failed; {advice}")
    assert gitkit.snapshot(checkout) == before


def pasted(path: Path, said: bytes) -> str:
    """What the command does that was told first."""
    [command, *_] = re.findall(r"; next: (.*)", said.decode())
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    done = subprocess.run(["sh", "-c", command], cwd=path, env=environment, capture_output=True, check=False)
    return done.stdout.decode()


PROMPT = "Your edit block could not be applied to "


@pytest.mark.long
def test_pasted_after_a_commit_from_below(checkout: Path) -> None:
    put_hook(checkout / ".git", "pre-commit")
    write(checkout, ".edits/a b.md", STALE)
    (checkout / "cart.py").write_bytes(CART.replace(b"1", b"7"))  # for which the block would be right
    done = git_as(checkout / "a", "commit", "-qm", "x")
    assert b"next: editblocks retry --staged '../.edits/a b.md'\n" in done.stderr
    assert pasted(checkout / "a", done.stderr).startswith(PROMPT)


@pytest.mark.long
@pytest.mark.parametrize("args", [("-a",), ("--only", "cart.py", ".edits/a.md")], ids=["commit -a", "commit FILES"])
def test_pasted_after_a_commit_of_what_is_on_disk(checkout: Path, args: tuple[str, ...]) -> None:
    """Git makes an index for such a commit, and throws it away when a hook stops the commit."""
    put_hook(checkout / ".git", "pre-commit")
    write(checkout, ".edits/a.md", FITS)
    (checkout / "cart.py").write_bytes(CART.replace(b"1", b"7"))
    done = git_as(checkout, "commit", "-qm", "x", *args)
    assert pasted(checkout, done.stderr).startswith(PROMPT)


@pytest.mark.long
@pytest.mark.parametrize("place", ["here", "server"])
def test_pasted_after_a_push_of_another_branch(checkout: Path, tmp_path: Path, place: str) -> None:
    server = gitkit.make_repository(tmp_path / "server", {}, bare=True)
    put_hook(server if place == "server" else checkout / ".git", "pre-receive" if place == "server" else "pre-push")
    git(checkout, "switch", "-qc", "topic")
    commit_files(checkout, response(STALE))
    git(checkout, "switch", "-q", "main")
    done = git_as(checkout / "a", "push", "-q", "../server", "topic")
    assert pasted(checkout / "a", done.stdout + done.stderr.replace(b"remote: ", b"")).startswith(PROMPT)
