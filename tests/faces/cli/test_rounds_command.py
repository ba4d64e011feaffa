"""`--with`: an answer and the one that corrects it are one plan (docs/guide/command-line.md, "ask the model again")."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.applykit import CHANGE, MISS, Run, block

FIX = "fixes: reply.md, block 2\n\n" + block("src/cart.py", "    return 2\n", "    return 4\n")
CART = "def one():\n    return 1\n\ndef two():\n    return 2\n"


@pytest.fixture
def shop(shop: Path) -> Path:
    (shop / "src/cart.py").write_text(CART)
    (shop / "reply.md").write_text(CHANGE + MISS)
    (shop / "fix.md").write_text(FIX)
    return shop


def test_what_fitted_goes_with_what_was_corrected(shop: Path, run: Run) -> None:
    assert run("check", "reply.md").code == 1
    ran = run("check", "reply.md", "--with", "fix.md")
    assert (ran.code, ran.out.splitlines()[:2]) == (
        0,
        ["src/cart.py:2: ready: exact (reply.md:3)", "src/cart.py:5: ready: exact (fix.md:5)"],
    )
    assert run("apply", "reply.md", "--with", "fix.md").code == 0
    assert (shop / "src/cart.py").read_text() == "def one():\n    return 10\n\ndef two():\n    return 4\n"
    assert run("undo").code == 0
    assert (shop / "src/cart.py").read_text() == CART


def test_the_correction_may_come_from_a_pipe(shop: Path, run: Run) -> None:
    ran = run("apply", "reply.md", "--with", "-", stdin=FIX)
    assert (ran.code, "    return 4\n" in (shop / "src/cart.py").read_text()) == (0, True)


def test_the_patch_holds_both(shop: Path, run: Run) -> None:
    ran = run("diff", "reply.md", "--with", "fix.md")
    assert (ran.code, ran.out.count("\n+ "), ran.err) == (0, 2, "")


def test_the_prompt_asks_for_the_line_and_a_third_round_is_named(shop: Path, run: Run) -> None:
    assert "\nfixes: reply.md, block 2\n" in run("retry", "reply.md").out
    (shop / "fix.md").write_text(FIX.replace("return 2", "return two"))
    assert "\nfixes: fix.md, block 2\n" in run("retry", "reply.md", "--with", "fix.md").out
    document = json.loads(run("check", "reply.md", "--with", "fix.md", "--format", "json").out)
    assert document["next"] == [
        "editblocks apply reply.md --with fix.md --only 1",
        "editblocks retry reply.md --with fix.md",
    ]
    assert [row["source"]["id"] for row in document["blocks"]] == ["reply.md", "fix.md"]


def test_response_files_go_together(shop: Path, run: Run) -> None:
    (shop / ".edits").mkdir()
    for name in ("reply.md", "fix.md"):
        (shop / name).rename(shop / ".edits" / name)
    (shop / ".edits/fix.md").write_text(FIX.replace("reply.md", ".edits/reply.md"))
    ran = run("apply", ".edits/reply.md", "--with", ".edits/fix.md")
    assert (ran.code, "removed .edits/fix.md and .edits/reply.md" in ran.out) == (0, True)
    assert not (shop / ".edits").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("reply.md", "fix.md", "--with", "fix.md"), "--with corrects one response; name one at a time"),
        (("reply.md", "--with", "reply.md"), "`reply.md` is named twice"),
        (("reply.md", "--with", "gone.md"), "there is no gone.md"),
        (("reply.md", "--with", "fix.md", "--only", "9"), "there is no block 9; the response has blocks 1-2"),
    ],
)
@pytest.mark.long
def test_what_cannot_be_joined(shop: Path, run: Run, arguments: tuple[str, ...], words: str) -> None:
    before = (shop / "src/cart.py").read_bytes()
    ran = run("apply", *arguments)
    assert (ran.code, ran.out, words in ran.err) == (2, "", True)
    assert (shop / "src/cart.py").read_bytes() == before


@pytest.mark.long
def test_a_block_that_is_not_there_leaves_the_answer_alone(shop: Path, run: Run) -> None:
    (shop / "fix.md").write_text(FIX.replace("block 2", "block 9"))
    ran = run("check", "reply.md", "--with", "fix.md")
    assert "note: only the blocks of this answer are looked at: the earlier answer has no block 9\n" in ran.out
    assert ran.out.endswith("fix.md: 1 ready\n")


@pytest.mark.long
def test_three_rounds(shop: Path, run: Run) -> None:
    (shop / "fix.md").write_text(FIX.replace("return 2", "return two"))
    assert "\nfixes: fix.md, block 2\n" in run("retry", "reply.md", "--with", "fix.md").out
    (shop / "last.md").write_text(FIX.replace("reply.md", "fix.md"))
    ran = run("apply", "reply.md", "--with", "fix.md", "--with", "last.md")
    assert ran.code == 0
    assert (shop / "src/cart.py").read_text() == "def one():\n    return 10\n\ndef two():\n    return 4\n"


def test_an_answer_to_another_file_is_not_joined(shop: Path, run: Run) -> None:
    (shop / "fix.md").write_text(FIX.replace("reply.md", "other.md"))
    ran = run("apply", "reply.md", "--with", "fix.md")
    assert (ran.code, ran.out) == (2, "")
    assert "fix.md says that it corrects other.md, not reply.md; name the answer that it corrects" in ran.err


def test_two_answers_the_wrong_way_round_are_refused(shop: Path, run: Run) -> None:
    (shop / "fix.md").write_text(FIX)
    ran = run("check", "fix.md", "--with", "reply.md")
    assert (ran.code, ran.out) == (2, "")
    swap = "swap the two, so that the one behind --with is the newer one"
    assert f"fix.md says that it corrects reply.md; {swap}" in ran.err


@pytest.mark.long
def test_the_line_goes_before_what_the_answers_say(shop: Path, run: Run) -> None:
    (shop / "fix.md").write_text("---\ntitle: From the fix\n---\n" + FIX)
    ran = run("check", "reply.md", "--with", "fix.md", "--base", "HEAD", "--format", "json")
    assert json.loads(ran.out)["target"]["base"]


@pytest.mark.parametrize("said", ["reply.md", "../reply.md"])
def test_an_answer_does_not_correct_itself(shop: Path, run: Run, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    (shop / "reply.md").write_text(FIX.replace("reply.md", said))
    monkeypatch.chdir(shop / "src")
    advice = "if it holds all blocks, take its line `fixes:` out, else save it under another name"
    reason = f"../reply.md says that it corrects itself; {advice}"
    assert run("check", "../reply.md") == (2, "", f"editblocks: {reason}\n")
