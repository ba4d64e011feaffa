"""Amendment A9: our own record knows which blocks an apply wrote, whatever else resembles their old text."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.applykit import Run, block
from support.gitkit import git

SHOP = {
    "a.py": b"a = 1\nx = 1\nx = 1\n",
    "b.py": b"b = 1\n",
    "gone.py": b"old\n",
}
# What block 1 puts in holds its old text again, a line further down: without the record it would fit once more.
GROWS = block("a.py", "a = 1\n", "a = 1\na = 1\n")
FAILS = block("b.py", "b = 7\n", "b = 8\n")
CREATES = block("new/c.py", "", "c = 1\n")
REPLY = f"{GROWS}\n{FAILS}\n{CREATES}\n"


def codes(run: Run, *more: str, text: str = REPLY) -> list[str]:
    """The word of each row of a check."""
    result = json.loads(run("check", "-", *more, "--format", "json", stdin=text).out)
    return [row["code"] or row["status"] for row in result["blocks"]]


def test_what_an_apply_wrote_is_already_applied(run: Run, shop: Path) -> None:
    assert codes(run) == ["applied", "no-match", "applied"]
    assert run("apply", "--partial", "-", stdin=REPLY).code == 1
    before = (shop / "a.py").read_bytes()
    name = git(shop, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/editblocks").decode().strip()
    said = run("check", "-", stdin=REPLY).out
    what = f"already-applied: this block was written by apply {name}, and a.py has not changed since; nothing to do"
    assert what in said
    assert codes(run) == ["already-applied", "no-match", "already-applied"]
    assert run("apply", "--partial", "-", stdin=REPLY).code == 1
    assert (shop / "a.py").read_bytes() == before


def test_what_was_committed_is_known_as_well(run: Run) -> None:
    run("apply", "--commit", "--partial", "-", stdin=REPLY)
    assert codes(run) == ["already-applied", "no-match", "already-applied"]
    assert codes(run, "--rev", "HEAD") == ["already-applied", "no-match", "already-applied"]


def test_line_ends_that_git_converts_do_not_matter(run: Run, shop: Path) -> None:
    git(shop, "config", "core.autocrlf", "true")
    (shop / "a.py").unlink()
    git(shop, "checkout", "a.py")
    assert b"\r\n" in (shop / "a.py").read_bytes()
    run("apply", "--commit", "-", stdin=GROWS)
    assert codes(run, text=GROWS) == ["already-applied"]
    assert codes(run, "--staged", text=GROWS) == ["already-applied"]
    assert codes(run, "--rev", "HEAD", text=GROWS) == ["already-applied"]


def edit(run: Run, shop: Path) -> None:
    (shop / "a.py").write_bytes((shop / "a.py").read_bytes() + b"more\n")


def undo(run: Run, shop: Path) -> None:
    run("undo")


def restore(run: Run, shop: Path) -> None:
    git(shop, "restore", "a.py")


def apply_another(run: Run, shop: Path) -> None:
    run("apply", "-", stdin=block("a.py", "x = 1\nx = 1\n", "x = 2\n"))


CHANGES = [(edit, "ambiguous"), (undo, "applied"), (restore, "applied"), (apply_another, "ambiguous")]


@pytest.mark.parametrize(("change", "code"), CHANGES)
@pytest.mark.long(after=1)
def test_a_file_that_changed_since_is_judged_by_the_ordinary_tests(
    run: Run, shop: Path, change: Callable[[Run, Path], None], code: str
) -> None:
    run("apply", "--partial", "-", stdin=REPLY)
    change(run, shop)
    assert codes(run)[0] == code
    assert "was written by apply" not in run("check", "-", stdin=REPLY).out.splitlines()[0]


def test_several_applies_of_one_answer_add_up(run: Run) -> None:
    two = GROWS + block("a.py", "x = 1\nx = 1\n", "x = 2\nx = 1\n")
    run("apply", "--only", "1", "-", stdin=two)
    assert codes(run, text=two) == ["already-applied", "applied"]
    run("apply", "--only", "2", "-", stdin=two)
    assert codes(run, text=two) == ["already-applied", "already-applied"]
    run("undo")
    assert codes(run, text=two) == ["already-applied", "applied"]


def test_an_apply_of_another_answer_in_between_breaks_the_chain(run: Run, shop: Path) -> None:
    first, last = block("b.py", "b = 1\n", "b = 2\n"), block("b.py", "b = 1\n", "b = 3\n")
    both = f"{first}\n{last}\n"
    run("apply", "--only", "1", "-", stdin=both)
    run("apply", "-", stdin=block("b.py", "b = 2\n", "b = 1\n"))
    run("apply", "--only", "2", "-", stdin=both)
    assert (shop / "b.py").read_bytes() == b"b = 3\n"
    said = run("check", "-", stdin=both).out
    assert said.count("was written by apply") == 1
    (shop / "b.py").write_bytes(b"b = 1\n")
    assert "was written by apply" not in run("check", "-", stdin=both).out


def test_another_answer_with_the_same_block_is_no_run_of_it(run: Run) -> None:
    run("apply", "-", stdin=GROWS)
    assert codes(run, text=f"Once more:\n\n{GROWS}") != ["already-applied"]
    assert codes(run, text=GROWS) == ["already-applied"]
    assert codes(run, text=GROWS.replace("\n", "\r\n")) == ["already-applied"]


def test_a_rename_and_a_deletion_are_known(run: Run) -> None:
    text = (
        "*** Begin Patch\n*** Update File: b.py\n*** Move to: c.py\n@@\n-b = 1\n+b = 2\n"
        "*** Delete File: gone.py\n*** End Patch\n"
    )
    assert run("apply", "-", stdin=text).code == 0
    assert set(codes(run, text=text)) == {"already-applied"}


PATCH = "*** Begin Patch\n{}*** End Patch\n"
MOVE = "*** Update File: {}\n*** Move to: {}\n"
SWAP = MOVE.format("a.py", "t.py") + MOVE.format("b.py", "a.py") + MOVE.format("t.py", "b.py")
TWICE = MOVE.format("a.py", "t.py") + MOVE.format("t.py", "c.py")
FOR_A_MOMENT = "*** Add File: t.py\n+x\n*** Delete File: t.py\n*** Delete File: gone.py\n"


@pytest.mark.parametrize("lines", [SWAP, TWICE, FOR_A_MOMENT], ids=["a swap", "renamed twice", "added and deleted"])
@pytest.mark.long(after=1)
def test_a_path_that_exists_only_during_the_answer_is_known(run: Run, shop: Path, lines: str) -> None:
    text = PATCH.format(lines)
    assert run("apply", "-", stdin=text).code == 0
    before = {path.name: path.read_bytes() for path in shop.glob("*.py")}
    assert run("apply", "--partial", "-", stdin=text).code == 0
    assert {path.name: path.read_bytes() for path in shop.glob("*.py")} == before
    assert set(codes(run, text=text)) == {"already-applied"}
    (shop / "t.py").write_bytes(b"mine\n")
    assert set(codes(run, text=text)) != {"already-applied"}


def test_a_choice_and_a_question_leave_them_out(run: Run) -> None:
    run("apply", "--partial", "-", stdin=REPLY)
    assert run("apply", "--only", "1", "-", stdin=REPLY).code == 0
    assert "nothing to do" in run("apply", "--only", "1,3", "-", stdin=REPLY).out


def test_retry_asks_for_the_failed_blocks_alone(run: Run) -> None:
    run("apply", "--partial", "-", stdin=REPLY)
    said = run("retry", "-", stdin=REPLY)
    assert said.out.startswith("1 of your 3 edit blocks could not be applied")
    assert "Answer with the corrected blocks only" in said.out
    assert "retry prompt for block 2, " in said.err


def test_a_record_that_cannot_be_read_knows_nothing(run: Run, shop: Path) -> None:
    run("apply", "--partial", "-", stdin=REPLY)
    ref = git(shop, "for-each-ref", "--format=%(refname)", "refs/editblocks").decode().strip()
    git(shop, "update-ref", ref, "HEAD")
    said = run("check", "-", stdin=REPLY)
    assert "was written by apply" not in said.out
    assert said.err == ""
