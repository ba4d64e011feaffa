"""`editblocks hook apply`: what it changes on disk, what it leaves alone, what is said, and the exit code."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, LINK, SUBMODULE, SUBMODULE_ID, git
from support.hookkit import (
    CART,
    FITS,
    ROW,
    STALE,
    Changes,
    block,
    call,
    call_apart,
    git_as,
    put,
    put_hook,
    shape,
    stage,
    write,
)

from editblocks.faces.cli import main as cli

NAME = ".edits/a.md"
MISSED = f"{ROW}{NAME}: 1 failed; next: editblocks retry {NAME}\n"
CART_2 = CART.replace(b"1", b"2")
DONE = (
    "{}: applied 1 block to 1 file, +1 -1, then removed; look at the change, "
    "then git add what you want of it, and commit again; undo with: {}\n"
)
UNDO = "editblocks undo ID"
APPLIED = DONE.format(NAME, UNDO)
MIB = 1024 * 1024


def said(captured: str) -> str:
    """What was printed, without the engine's own sentences and without dates."""
    return re.sub(r"undo \d{8}-\d+", "undo ID", shape(captured))


def files(path: Path) -> dict[str, bytes]:
    return {name: data for name, (_, data) in gitkit.read_folder(path).items()}


AFTER: list[tuple[str, Changes, int, str, dict[str, bytes | None]]] = [
    ("nothing", {}, 0, "", {}),
    ("a block that fits", {NAME: (FILE, FITS)}, 1, APPLIED, {"cart.py": CART_2, NAME: None}),
    ("a block that does not fit", {NAME: (FILE, STALE)}, 1, MISSED, {}),
    (
        "what fits what is staged",
        {NAME: (FILE, STALE), "cart.py": (FILE, CART.replace(b"1", b"7"))},
        1,
        APPLIED,
        {"cart.py": CART_2, NAME: None},
    ),
    (
        "one block that fits and one that does not: all or nothing",
        {NAME: (FILE, block("b", "c", "a/b") + STALE)},
        1,
        "cart.py:3: failed: no-match: … (.edits/a.md:12)\n"
        ".edits/a.md: 1 ready, 1 failed; next: editblocks retry .edits/a.md\n",
        {},
    ),
    (
        "a file that cannot be read does not stop the next one",
        {".edits/0.md": (FILE, FITS[:-16]), NAME: (FILE, FITS)},
        1,
        ".edits/0.md:4: failed: unclosed: …\n.edits/0.md: 1 failed; the markers are not balanced: "
        f"1 SEARCH, 0 REPLACE; next: editblocks retry .edits/0.md\n{APPLIED}",
        {"cart.py": CART_2, NAME: None},
    ),
    (
        "two files for one: the second on what the first left",
        {NAME: (FILE, FITS), ".edits/b.md": (FILE, block("        return 2", "        return 3"))},
        1,
        APPLIED + DONE.format(".edits/b.md", UNDO),
        {"cart.py": CART.replace(b"1", b"3"), NAME: None, ".edits/b.md": None},
    ),
    (
        "what already exists",
        {NAME: (FILE, block("class Cart:", "class Cart:"))},
        1,
        ".edits/a.md: removed, because nothing was left to apply; look at the change, "
        f"then git add what you want of it, and commit again; undo with: {UNDO}\n",
        {NAME: None},
    ),
    (
        "a new file, with a name that a shell would take for something else",
        {NAME: (FILE, block("", "x = 1", "src/$x.py"))},
        1,
        f".edits/a.md: applied 1 block to 1 file, +1 -0, then removed; look at the change, "
        f"then git add what you want of it, and commit again; undo with: {UNDO}\n",
        {"src/$x.py": b"x = 1\n", NAME: None},
    ),
    (
        "no block",
        {NAME: (FILE, b"Looks good.\n")},
        1,
        ".edits/a.md: no-blocks: 1 line read, no edit block: it is plain text; ask for SEARCH/REPLACE blocks; "
        "add one, or remove the file\n",
        {},
    ),
    (
        "no UTF-8",
        {NAME: (FILE, FITS + b"\xe9\n")},
        1,
        ".edits/a.md:1: failed: encoding: …\n.edits/a.md: 1 failed; repair the file, then git add it\n",
        {},
    ),
    (
        "more than 1 MiB",
        {NAME: (FILE, FITS.ljust(MIB + 1, b"\n"))},
        1,
        ".edits/a.md:1: failed: too-large: …\n.edits/a.md: 1 failed; next: editblocks retry .edits/a.md\n",
        {},
    ),
    (
        "more than is loaded",
        {NAME: (FILE, FITS.ljust(6 * MIB, b"\n"))},
        1,
        ".edits/a.md:1: failed: too-large: …\n.edits/a.md: 1 failed; repair the file, then git add it\n",
        {},
    ),
    (
        "a block beside one that has its path behind the opener: the file stays",
        {NAME: (FILE, FITS + b"\n<<<<<<< SEARCH cart.py\n")},
        1,
        "note: line 10 is not a marker; write `<<<<<<< SEARCH`\n"
        "note: the response file stays, because not all of it is read; write the rest as blocks\n"
        ".edits/a.md: applied 1 block to 1 file, +1 -1; look at the change, "
        f"then git add what you want of it, and commit again; undo with: {UNDO}\n",
        {"cart.py": CART_2},
    ),
    (
        "a block beside what is not read: the file stays",
        {NAME: (FILE, FITS + b"\n```diff\n@@ -1 +1 @@\n-b\n+c\n```\n")},
        1,
        "note: line 11 begins a diff that is not read, because it names no file; "
        "write `--- a/path` and `+++ b/path` above it\n"
        "note: the response file stays, because not all of it is read; write the rest as blocks\n"
        ".edits/a.md: applied 1 block to 1 file, +1 -1; look at the change, "
        f"then git add what you want of it, and commit again; undo with: {UNDO}\n",
        {"cart.py": CART_2},
    ),
    (
        "a link",
        {NAME: (LINK, b"../cart.py")},
        1,
        ".edits/a.md:1: failed: not-a-file: …\n.edits/a.md: 1 failed; repair the file, then git add it\n",
        {},
    ),
    (
        "a folder that belongs to a submodule",
        {NAME: (FILE, block("", "x", "lib/vendor/x.py")), "lib": (SUBMODULE, SUBMODULE_ID)},
        1,
        "lib/vendor/x.py: failed: not-a-file: … (.edits/a.md:4)\n"
        ".edits/a.md: 1 failed; next: editblocks check .edits/a.md\n",
        {},
    ),
    (
        "a protected file",
        {NAME: (FILE, block("", "x", ".pre-commit-config.yaml"))},
        1,
        ".pre-commit-config.yaml: failed: not-allowed: … (.edits/a.md:4)\n"
        ".edits/a.md: 1 failed; next: editblocks check .edits/a.md\n",
        {},
    ),
    ("files elsewhere", {"a.md": (FILE, FITS), ".edits/a/b.md": (FILE, FITS), ".edits/a.txt": (FILE, FITS)}, 0, "", {}),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "changes", "code", "words", "after"), AFTER, ids=[row[0] for row in AFTER])
def test_staged_responses_are_applied(
    checkout: Path,
    capfd: pytest.CaptureFixture[str],
    *,
    claim: str,
    changes: Changes,
    code: int,
    words: str,
    after: dict[str, bytes | None],
) -> None:
    put(checkout, changes)
    before, index = files(checkout), (checkout / ".git/index").read_bytes()
    ended, out, warned = call(capfd, "hook", "apply")
    assert (ended, said(out), warned) == (code, words, ""), claim
    wanted = {**before, **after}
    assert files(checkout) == {name: data for name, data in wanted.items() if data is not None}
    assert (checkout / ".git/index").read_bytes() == index


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [".edits/a b.md", ".edits/-x.md", ".edits/a\nb.md", ".edits/\u202eb.md", ".edits/$(x).md"]
)
def test_a_name_that_means_something_elsewhere(checkout: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    put(checkout, {name: (FILE, FITS)})
    code, out, warned = call(capfd, "hook", "apply", name)
    assert (code, files(checkout), warned) == (1, {"cart.py": CART_2, "a/b": b"b\n"}, "")
    assert out.isascii()
    assert out.count("\n") == 1


def unstaged(path: Path) -> None:
    (path / "cart.py").write_bytes(CART + b"# mine\n")


def untracked(path: Path) -> None:
    git(path, "rm", "--quiet", "--cached", "cart.py")


def deleted(path: Path) -> None:
    (path / NAME).unlink()


def edited(path: Path) -> None:
    (path / NAME).write_bytes(STALE)


def forgotten(path: Path) -> None:
    git(path, "rm", "--quiet", "--cached", NAME)


def sparse(path: Path) -> None:
    write(path, NAME, block("", "x", "far/x.py"))
    write(path, "far/x.py", b"y\n")
    git(path, "update-index", "--skip-worktree", "far/x.py")
    (path / "far/x.py").unlink()


def in_conflict(path: Path) -> None:
    stage(path, {"cart.py": None})
    stage(path, {"cart.py": (FILE, CART)}, numbers=(1, 2, 3))


UNLIKE = "has unstaged changes; git add it, or stash what is not staged"
DIRTY: list[tuple[str, Callable[[Path], None], str]] = [
    ("a part of the file is not staged", unstaged, f"cart.py {UNLIKE}"),
    ("the file is not tracked", untracked, "cart.py is not tracked by git; git add it first"),
    ("the file is left out of the working tree", sparse, f"far/x.py {UNLIKE}"),
    ("the file is in conflict", in_conflict, f"cart.py {UNLIKE}"),
    ("the response is gone from the disk", deleted, f"{NAME} {UNLIKE}"),
    ("the response is another one on disk", edited, f"{NAME} {UNLIKE}"),
    ("the response is not tracked", forgotten, f"{NAME} is not tracked by git; git add it first"),
]


@pytest.mark.parametrize(("claim", "make", "reason"), DIRTY, ids=[row[0] for row in DIRTY])
@pytest.mark.long(after=2)
def test_what_is_not_on_disk_as_it_is_staged_is_left_alone(
    checkout: Path, capfd: pytest.CaptureFixture[str], claim: str, make: Callable[[Path], None], reason: str
) -> None:
    write(checkout, NAME, FITS)
    make(checkout)
    before = gitkit.snapshot(checkout)
    assert call(capfd, "hook", "apply", NAME) == (2, f"{NAME}: nothing written: dirty-file: {reason}\n", ""), claim
    assert gitkit.snapshot(checkout) == before


def test_other_files_may_be_on_disk_as_they_like(checkout: Path) -> None:
    write(checkout, NAME, FITS)
    (checkout / "a/b").write_bytes(b"mine\n")
    (checkout / "new").write_bytes(b"mine\n")
    assert cli.main(["hook", "apply"]) == 1
    assert files(checkout) == {"cart.py": CART_2, "a/b": b"mine\n", "new": b"mine\n"}


@pytest.mark.long
def test_a_file_that_was_only_touched_is_as_it_is_staged(checkout: Path) -> None:
    write(checkout, NAME, FITS)
    for name in ("cart.py", NAME):
        os.utime(checkout / name, (1, 1))
    assert cli.main(["hook", "apply"]) == 1
    assert files(checkout) == {"cart.py": CART_2, "a/b": b"b\n"}


@pytest.mark.long
def test_line_ends_that_git_converts_are_no_difference(checkout: Path) -> None:
    git(checkout, "config", "core.autocrlf", "true")
    (checkout / "cart.py").unlink()
    git(checkout, "checkout", "--", "cart.py")
    write(checkout, NAME, FITS)
    assert files(checkout)["cart.py"] == CART.replace(b"\n", b"\r\n")
    assert cli.main(["hook", "apply"]) == 1
    assert files(checkout) == {"cart.py": CART_2.replace(b"\n", b"\r\n"), "a/b": b"b\n"}


@pytest.mark.long
def test_a_response_for_an_earlier_version_is_merged(checkout: Path) -> None:
    base = git(checkout, "rev-parse", "HEAD")
    put(checkout, {"cart.py": (FILE, CART.replace(b"class Cart:", b"class Cart(list):"))})
    git(checkout, "commit", "-qm", "x")
    old, new = (text.decode().removesuffix("\n") for text in (CART, CART_2))
    write(checkout, NAME, b"base: %s\n" % base + block(old, new))
    assert cli.main(["hook", "apply"]) == 1
    assert files(checkout)["cart.py"] == CART_2.replace(b"class Cart:", b"class Cart(list):")


@pytest.mark.parametrize("args", [(), ("-a",)], ids=["commit", "commit -a"])
@pytest.mark.parametrize("name", ["checkout", "linked"])
@pytest.mark.long
def test_started_by_git(checkout: Path, tmp_path: Path, args: tuple[str, ...], name: str) -> None:
    """Git names an index of its own to the hooks of `commit -a`, and in a linked working tree another folder."""
    put_hook(checkout / ".git", "pre-commit", b"#!/bin/sh\nexec editblocks hook apply\n")
    git(checkout, "worktree", "add", "-q", "-b", "other", "../linked")
    place = tmp_path / name
    write(place, NAME, FITS)
    (place / "cart.py").write_bytes(CART + b"# mine\n")
    done = git_as(place, "commit", "-qm", "x", *args)
    refused = f"{NAME}: nothing written: dirty-file: cart.py {UNLIKE}\n"
    assert (done.returncode, said((done.stdout + done.stderr).decode())) == (1, APPLIED if args else refused)
    assert (place / "cart.py").read_bytes() == (CART_2 if args else CART) + b"# mine\n"


@pytest.mark.long
def test_the_mode_of_a_file_stays(checkout: Path) -> None:
    put(checkout, {"cart.py": (EXECUTABLE, CART), NAME: (FILE, FITS)})
    assert cli.main(["hook", "apply"]) == 1
    assert gitkit.read_folder(checkout)["cart.py"] == (EXECUTABLE, CART_2)


@pytest.mark.long
def test_a_response_that_is_kept_is_applied_once(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(checkout, ".editblocks.yml", b"after-apply: keep\n")
    response = block("        return 1", "        return sum(item.price * item.count for item in self.items)")
    write(checkout, NAME, response)
    assert call(capfd, "hook", "apply").code == 1
    assert files(checkout)[NAME] == response
    git(checkout, "add", "cart.py")
    assert call(capfd, "hook", "apply") == (0, ".edits/a.md: 1 skipped; nothing is left to apply\n", "")


def test_a_policy_says_where_responses_are_and_where_none_may_write(
    checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(checkout, ".editblocks.yml", b"response-files: ['answers/*.md']\ndeny-paths: ['a/**']\n")
    write(checkout, NAME, STALE)
    write(checkout, "answers/a.md", block("b", "c", "a/b"))
    assert cli.main(["hook", "apply"]) == 1
    assert "a/b: failed: not-allowed: " in capfd.readouterr().out
    assert files(checkout)["a/b"] == b"b\n"


NO_RESPONSE = "editblocks: {} is not a response file (.edits/*.md), so it was not applied\n"
NOT_STAGED = "editblocks: .edits/b.md is not staged, so it was not applied; git add it first\n"
DASH = "editblocks: `{}` begins with a dash and is not an option; for such a file write -- before it\n"
OPERANDS: list[tuple[str, Sequence[str], int, str, str]] = [
    ("one of two", [NAME], 1, APPLIED, ""),
    ("from here, twice", [f"./{NAME}", NAME], 1, APPLIED, ""),
    ("not staged", [".edits/b.md"], 0, "", NOT_STAGED),
    ("no response", ["cart.py"], 0, "", NO_RESPONSE.format("cart.py")),
    ("an option", ["--all"], 2, "", DASH.format("--all")),
    ("an option among files", [NAME, "-a.md"], 2, "", DASH.format("-a.md")),
]


@pytest.mark.parametrize(("claim", "argv", "code", "words", "warned"), OPERANDS, ids=[row[0] for row in OPERANDS])
@pytest.mark.long
def test_s23_only_named_response_files_are_applied_and_no_name_is_an_option(
    checkout: Path,
    capfd: pytest.CaptureFixture[str],
    *,
    claim: str,
    argv: Sequence[str],
    code: int,
    words: str,
    warned: str,
) -> None:
    write(checkout, NAME, FITS)
    write(checkout, ".edits/other.md", STALE)
    git(checkout, "commit", "-qm", "x")  # pre-commit run --all-files passes what no commit changes, too
    ended, out, err = call(capfd, "hook", "apply", *argv)
    assert (ended, said(out), err) == (code, words, warned), claim


def test_help(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, warned = call(capfd, "hook", "apply", "--help")
    assert out.startswith("usage: editblocks hook install|")
    assert (code, max(map(len, out.split("\n"))) <= 80, warned) == (0, True, "")


@pytest.mark.long
def test_what_was_applied_can_be_taken_back(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(checkout, NAME, FITS)
    assert cli.main(["hook", "apply"]) == 1
    record_id = capfd.readouterr().out.split()[-1]
    assert cli.main(["undo", record_id]) == 0
    assert files(checkout) == {"cart.py": CART, "a/b": b"b\n", NAME: FITS}


@pytest.mark.long
def test_no_module_of_anybody_else_is_loaded(checkout: Path) -> None:
    """docs/internals/performance.md, "start": a set of modules, not a time."""
    write(checkout, NAME, FITS)
    assert said(call_apart("hook", "apply")) == f"{APPLIED}editblocks\n"
