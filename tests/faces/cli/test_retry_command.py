"""`editblocks retry`: the prompt on stdout, what it is about on stderr, and exit code 0 when there was one."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.applykit import Run, block

from editblocks.faces.cli.commands import SHORTEST_PROMPT
from editblocks.prompts.context import example_block
from editblocks.prompts.retry import LEAST_CHARS

CART = b"def total():\n    return 1\n\n\ndef tax():\n    return 2\n"


FINE = block("src/cart.py", "    return 1\n", "    return 10\n")
MISS = block("src/cart.py", "    return 2 + 2\n", "    return 4\n")
RESPONSES: Mapping[str, str] = {
    "fits.md": FINE,
    "misses.md": FINE + MISS,
    "waits.md": MISS + block("src/cart.py", "def total():\n", "def sum():\n"),
    "cut.md": FINE + MISS.partition(">>>")[0],
    "undo.json": '{"command": "undo_edit", "path": "src/cart.py"}',
}


@pytest.fixture
def shop(shop: Path) -> Path:
    """The shop with the responses in it."""
    for name, text in RESPONSES.items():
        (shop / name).write_text(text)
    return shop


ASKED = (("misses.md", "block 2"), ("waits.md", "block 1"), ("cut.md", "block 2"))


@pytest.mark.long
@pytest.mark.parametrize("options", [(), ("--fresh",), ("--rev", "HEAD")])
@pytest.mark.parametrize(("name", "failed"), ASKED)
def test_the_prompt_is_on_stdout_alone(run: Run, name: str, failed: str, options: tuple[str, ...]) -> None:
    code, out, err = run("retry", name, *options)
    assert (code, err.splitlines()[0]) == (0, f"retry prompt for {failed}, {len(out) - 1:,} characters")
    assert out.endswith("\n")
    assert f"\n\n{failed.capitalize()}" in out


def test_quiet_and_verbose_are_about_what_is_said_beside_the_prompt(run: Run) -> None:
    plain = run("retry", "misses.md")
    assert run("retry", "misses.md", "-q") == (0, plain[1], "")
    code, out, err = run("retry", "misses.md", "-v")
    checked = run("check", "misses.md", "-v")[1].replace(
        "     `editblocks retry misses.md` prints a prompt for the model\n", ""
    )
    offer = "     `editblocks apply misses.md --only ready` applies the one that fits\n"
    assert offer in checked
    checked = checked.replace(offer, "")
    assert "\n     + file " in checked
    assert (code, out, err) == (0, plain[1], f"{checked}{plain[2]}")


def test_quiet_still_says_why_there_is_no_prompt(run: Run) -> None:
    assert run("retry", "fits.md", "-q") == run("retry", "fits.md") != (0, "", "")


def test_a_fresh_chat_gets_the_blocks_themselves(run: Run) -> None:
    assert "<<<<<<< SEARCH\n    return 2 + 2\n" not in run("retry", "misses.md")[1]
    assert "<<<<<<< SEARCH\n    return 2 + 2\n" in run("retry", "misses.md", "--fresh")[1]


def test_the_prompt_is_no_longer_than_was_asked(run: Run) -> None:
    whole = run("retry", "misses.md", "--fresh")[1].removesuffix("\n")
    short = run("retry", "misses.md", "--fresh", "--max-chars", str(len(whole) - 1))[1].removesuffix("\n")
    assert LEAST_CHARS < len(short) < len(whole)
    assert run("retry", "misses.md", "--fresh", "--max-chars", str(len(whole)))[1] == f"{whole}\n"


def test_the_least_is_that_of_the_prompt() -> None:
    assert SHORTEST_PROMPT == LEAST_CHARS


def test_what_fits_and_leaves_lines_out_is_asked_for_again(run: Run) -> None:
    reply = block("src/cart.py", "    return 1\n", "    ...\n") + FINE.replace("1", "2") + MISS
    code, out, err = run("retry", "-", stdin=reply)
    assert (code, err) == (0, f"retry prompt for blocks 1 and 3, {len(out) - 1:,} characters\n")


TWO = MISS + block("src/api.py", "x\n", "y\n") + FINE + MISS.partition(">>>")[0]
NARROWED = (
    ("1", "block 1", "Do not send blocks 2-4 again."),
    ("2,4", "blocks 2 and 4", "Do not send blocks 1 and 3 again."),
    ("src/api.py", "block 2", "Do not send blocks 1 and 3-4 again."),
)


@pytest.mark.parametrize(("selector", "asked", "told"), NARROWED)
@pytest.mark.long(after=2)
def test_only_some_of_the_failed_blocks(run: Run, selector: str, asked: str, told: str) -> None:
    code, out, err = run("retry", "-", "--only", selector, stdin=TWO)
    assert (code, err.splitlines()[0]) == (0, f"retry prompt for {asked}, {len(out) - 1:,} characters")
    assert told in out


def test_a_block_that_waits_for_another_is_asked_for_only_if_it_is_chosen(run: Run) -> None:
    answer = MISS + MISS.replace("2 + 2", "2 + 3")
    for selector, told in (("1", "block 1"), ("2", "block 2"), ("1-2", "blocks 1 and 2")):
        code, out, err = run("retry", "-", "--only", selector, stdin=answer)
        assert (code, err) == (0, f"retry prompt for {told}, {len(out) - 1:,} characters\n")


def test_no_block_is_lost_between_the_prompt_and_what_is_written_before_it(run: Run, shop: Path) -> None:
    """A block that fits without the failed one is neither asked for again nor ready: the command names it."""
    other = block("src/cart.py", "def tax():\n", "def vat():\n")
    code, out, err = run("retry", "-", stdin=FINE + MISS + other)
    assert (code, "Do not send blocks 1 and 3 again." in out) == (0, True)
    command = err.splitlines()[1].partition("now: editblocks ")[2].split()
    assert command == ["apply", "-", "--only", "1,3"]
    assert run(*command, stdin=FINE + MISS + other)[0] == 0
    assert (shop / "src/cart.py").read_bytes() == CART.replace(b"return 1\n", b"return 10\n").replace(b"tax", b"vat")


@pytest.mark.long
def test_what_a_partial_run_left_out_is_asked_for_by_the_numbers_that_it_names(run: Run) -> None:
    code, out, _ = run("apply", "misses.md", "--partial", "-v")
    assert (code, "next: `editblocks retry misses.md --only 2` prints what" in out) == (1, True)
    code, out, err = run("retry", "misses.md", "--only", "2")
    assert (code, err) == (0, f"retry prompt for block 2, {len(out) - 1:,} characters\n")


NOT_ASKED = (
    ("1", 0, "editblocks: none of these blocks failed, so there is nothing to ask for\n"),
    ("3", 2, "editblocks: there is no block 3; the answer has blocks 1-2\n"),
    ("a.py", 2, "editblocks: no block changes `a.py`; the answer names `src/cart.py`\n"),
)


@pytest.mark.parametrize(("selector", "code", "words"), NOT_ASKED)
@pytest.mark.long
def test_a_choice_that_asks_nothing(run: Run, selector: str, code: int, words: str) -> None:
    assert run("retry", "misses.md", "--only", selector) == (code, "", words)


SILENT = (
    ("fits.md", 0, "editblocks: no block failed, so there is nothing to ask for\n"),
    ("undo.json", 0, "editblocks: a retry prompt cannot repair block 1; editblocks check says what to do\n"),
    ("none.md", 2, "editblocks: file-not-found: there is no none.md; name a file that holds the answer, or - for "),
)


@pytest.mark.parametrize(("name", "code", "words"), SILENT)
@pytest.mark.long
def test_where_there_is_nothing_to_ask(run: Run, name: str, code: int, words: str) -> None:
    ran = run("retry", name)
    assert ran[:2] == (code, "")
    assert ran[2].startswith(words)


NO_BLOCKS = {
    "prose": ("Set the total in `src/cart.py`.\n", "it is plain text"),
    "json": ('{"path": "src/cart.py", "text": "x"}', "it is JSON"),
    "code": ("So:\n```python\nx\n```\n", "it is code without SEARCH/REPLACE markers"),
    "nothing": ("\n", "it is empty"),
}


@pytest.mark.parametrize(("reply", "kind"), NO_BLOCKS.values(), ids=NO_BLOCKS)
@pytest.mark.long
def test_an_answer_without_blocks(run: Run, reply: str, kind: str) -> None:
    code, out, err = run("retry", "-", stdin=reply)
    assert (code, err.startswith("editblocks: stdin: no-blocks: ")) == (0, True)
    assert out.startswith(f"Your answer holds no edit block, so nothing could be applied: {kind}.\nSend the same ")
    assert example_block() in out
    assert out.endswith("\n\nAnswer with the blocks, as plain text.\n")
    short = run("retry", "-", "--max-chars", str(LEAST_CHARS), stdin=reply)[1]
    assert example_block() in short
    assert len(short) <= LEAST_CHARS + 1


WRONG = (
    ("--max-chars 499", "--max-chars is `499`; use a number from 500 to 1000000"),
    ("--max-chars 1000001", "--max-chars is `1000001`; use a number from 500 to 1000000"),
    ("--max-chars 6k", "--max-chars is `6k`; use a number from 500 to 1000000"),
    ("--max-chars=", "--max-chars is ``; use a number from 500 to 1000000"),
    ("--frsh", "retry has no option `--frsh`; did you mean `--fresh`?"),
    ("--max-char 9", "retry has no option `--max-char`; did you mean `--max-chars`?"),
    ("--partial", "retry has no option `--partial`; "),
    ("--rev nope", "there is no commit `nope` in "),
)


@pytest.mark.parametrize(("options", "words"), WRONG)
@pytest.mark.long
def test_what_cannot_be_used(run: Run, options: str, words: str) -> None:
    code, out, err = run("retry", "misses.md", *options.split())
    assert (code, out) == (2, "")
    assert err.startswith(f"editblocks: {words}")
    assert err.count("\n") == 1


@pytest.mark.long
def test_it_is_written_as_it_is_whatever_the_locale(shop: Path) -> None:
    (shop / "src/cart.py").write_bytes("# na\u00efve \u5b57\nreturn 2\n".encode())
    (shop / "reply.md").write_bytes(block("src/cart.py", "# na\u00efve \u5b57\nreturn 3\n", "x\n").encode())
    command = [sys.executable, "-m", "editblocks", "retry", "reply.md"]
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    assert done.returncode == 0
    assert "# na\u00efve \u5b57\n" in done.stdout.decode()
