"""`init --agents`: the section of AGENTS.md, added once to whatever is there; and what it tells agents works."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from support import gitkit
from support.applykit import Run
from support.gitkit import git, line, read_folder, snapshot
from support.posix import make_fifo

from editblocks.faces.cli.init import OTHER_TOOLS, section_to_append
from editblocks.faces.hooks.leftovers import leftovers
from editblocks.prompts.context import agents_section

SECTION = agents_section()
TOOLS = "\n".join(("", *OTHER_TOOLS, ""))
NEXT = '\n\nnext:\n  git add AGENTS.md\n  git commit -m "Tell agents about edit blocks"\n'
ADDED, CREATED = (f"AGENTS.md: {what}{NEXT}{TOOLS}" for what in ("section added at the end", "created"))
THERE = f"AGENTS.md: left alone, it already has the section\n{TOOLS}"
OTHER = "AGENTS.md: left alone, its section was edited or is older; --print shows the current section\n"

CRLF = SECTION.replace("\n", "\r\n")
BEFORE: dict[str, tuple[bytes | None, bytes]] = {  # what is there, and what stands above the section afterwards
    "nothing": (None, b""),
    "an empty file": (b"", b""),
    "a file": (b"# Agents\n", b"# Agents\n\n"),
    "a blank line at the end": (b"# Agents\n\n", b"# Agents\n\n"),
    "no newline at the end": (b"# Agents", b"# Agents\n\n"),
    "CRLF": (b"# Agents\r\n", b"# Agents\r\n\r\n"),
    "CRLF, a blank line": (b"# Agents\r\n\r\n", b"# Agents\r\n\r\n"),
    "CRLF, no newline at the end": (b"# Agents\r\nx", b"# Agents\r\nx\r\n\r\n"),
    "a byte order mark": (b"\xef\xbb\xbf# Agents\n", b"\xef\xbb\xbf# Agents\n\n"),
    "a form feed": (b"a\x0cb\n", b"a\x0cb\n\n"),
}


@pytest.mark.parametrize("claim", BEFORE)
@pytest.mark.long(after=2)
def test_the_section_is_added_once(shop: Path, run: Run, claim: str) -> None:
    before, above = BEFORE[claim]
    if before is not None:
        (shop / "AGENTS.md").write_bytes(before)
    ran = run("init", "--agents")
    assert (ran.code, ran.out, ran.err) == (0, CREATED if before is None else ADDED, "")
    wanted = above + (CRLF if b"\r" in above else SECTION).encode()
    assert (shop / "AGENTS.md").read_bytes() == wanted
    assert run("init", "--agents").out == THERE
    assert (shop / "AGENTS.md").read_bytes() == wanted
    assert {name for name in read_folder(shop) if not name.startswith((".git/", "src/", "README"))} == {"AGENTS.md"}


@pytest.mark.parametrize("claim", BEFORE)
def test_what_is_appended(claim: str) -> None:
    before, above = BEFORE[claim]
    data = before or b""
    assert data + section_to_append(data, SECTION) == above + (CRLF if b"\r" in above else SECTION).encode()


@pytest.mark.parametrize("text", [SECTION.replace("Exit", "exit"), SECTION.partition("\n")[0]])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.long(after=1)
def test_a_section_that_somebody_edited_stays(shop: Path, run: Run, text: str, end: str) -> None:
    (shop / "AGENTS.md").write_bytes(text.replace("\n", end).encode())
    before = snapshot(shop)
    assert run("init", "--agents").out == f"{OTHER}{TOOLS}"
    assert snapshot(shop) == before


def test_print_writes_nothing_and_needs_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Run
) -> None:
    monkeypatch.chdir(tmp_path / "home")
    ran = call("init", "--agents", "--print")
    assert (ran.code, ran.out, ran.err) == (0, f"AGENTS.md:\n\n{SECTION}", "")
    assert not (tmp_path / "home/AGENTS.md").exists()


def dangling(path: Path) -> None:
    path.symlink_to("CLAUDE.md")


def link(path: Path) -> None:
    (path.parent / "CLAUDE.md").write_bytes(b"# Rules\n")
    path.symlink_to("CLAUDE.md")


BLOCKED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link": (link, "not-a-file: AGENTS.md is a symbolic link; edit its target"),
    "a link to nothing": (dangling, "not-a-file: AGENTS.md is a symbolic link; edit its target"),
    "a folder": (Path.mkdir, "path-conflict: AGENTS.md is a folder; name a file in it, or choose another path"),
    "a pipe": (make_fifo, "not-a-file: AGENTS.md is not a regular file"),
    "other bytes": (
        lambda path: path.write_bytes(b"caf\xe9\n"),
        "encoding: AGENTS.md is not UTF-8 (byte 0xe9 in line 1); convert it first",
    ),
    "UTF-16": (
        lambda path: path.write_bytes("# Agents\n".encode("utf-16")),
        "binary: AGENTS.md has a NUL byte at offset 3; blocks edit text only",
    ),
    "six megabytes": (lambda path: path.write_bytes(b"a" * 6_000_000), "too-large: AGENTS.md has 6000000 bytes"),
}


@pytest.mark.parametrize("claim", BLOCKED)
@pytest.mark.long(after=2)
def test_what_stands_in_the_way_is_named(shop: Path, run: Run, claim: str) -> None:
    make, said = BLOCKED[claim]
    make(shop / "AGENTS.md")
    files = sorted(path for path in shop.rglob("*") if ".git" not in path.parts)
    ran = run("init", "--agents")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"editblocks: {said}")
    assert len(ran.err.splitlines()) == 1
    assert sorted(path for path in shop.rglob("*") if ".git" not in path.parts) == files
    assert not (shop / "CLAUDE.md").exists() or (shop / "CLAUDE.md").read_bytes() == b"# Rules\n"


@pytest.mark.long
def test_undo_takes_it_back(shop: Path, run: Run) -> None:
    (shop / "AGENTS.md").write_bytes(b"# Agents\r\n")
    run("init", "--agents")
    apply_id = run("undo", "--list").out.split()[0]
    assert run("undo", apply_id).code == 0
    assert (shop / "AGENTS.md").read_bytes() == b"# Agents\r\n"


# What the section says


def test_no_hook_and_no_git_takes_its_example_for_a_block(shop: Path, run: Run) -> None:
    run("init", "--agents")
    git(shop, "add", "AGENTS.md")
    check = ["git", "diff", "--cached", "--check"]
    assert subprocess.run(check, cwd=shop, env=gitkit.ISOLATED, capture_output=True, check=False).returncode == 0
    assert leftovers(SECTION) == ()
    assert leftovers(SECTION.replace("allow-markers", "")) != ()


@pytest.mark.parametrize("keeps_indentation", [False, True])
@pytest.mark.long(after=1)
def test_an_agent_that_does_what_it_says(shop: Path, run: Run, keeps_indentation: bool) -> None:
    """It fills in the section's own form and runs its own commands; an answer that does not fit is asked for again."""
    section = SECTION.replace("NAME", "total")
    front, form, commands = re.findall("(?:^(?:    .*)?\n)*^    .*\n", section, re.MULTILINE)
    for shown, filled in {
        "the 40 digits that `git rev-parse HEAD` prints": line(shop, "rev-parse", "HEAD"),
        "path/of/the/file.py": "src/cart.py",
        "the old part: lines as they are in the file now": "    return 1",
        "the new part: the lines that replace them": "    return 10",
    }.items():
        front, form = front.replace(shown, filled), form.replace(shown, filled)
    form = form.strip("\n") if keeps_indentation else dedent(form).strip("\n")
    add, check = (words.split() for words in dedent(commands).strip("\n").split("\n"))
    [retry] = re.findall("`editblocks (retry [^`]+)`", section)
    (shop / ".edits").mkdir()

    def answer(text: str) -> None:
        (shop / add[-1]).write_text(f"{dedent(front).strip()}\nThe total is ten.\n\n{text}\n")
        subprocess.run(add, cwd=shop, env=gitkit.ISOLATED, check=True)

    answer(form)
    assert run(*check[1:]).out == "src/cart.py:2: ready: exact (.edits/total.md:9)\n.edits/total.md: 1 ready\n"
    answer(form.replace("return 1\n", "return 7\n"))
    assert run(*check[1:]).code == 1
    ran = run(*retry.split())
    assert ran.out.startswith("Your edit block could not be applied to the files")
    assert "    return 1\n" in ran.out
