"""Front matter at the command line and in the hook: it is told from the answer, counted in its lines, and obeyed."""

from pathlib import Path

import pytest
from support.applykit import Run
from support.gitkit import line
from support.hookkit import CART, FITS, READY, STOPPED, Ran, put, response, stage

from editblocks.core.digests import response_digest
from editblocks.core.outcome import Response, Source
from editblocks.core.settings import Settings

LIMIT = Settings().max_response_bytes
FRONT = "---\nbase: 4be1d02\ntitle: Count twice\n---\n"
ANSWER = FITS.decode()
SHOP = {"cart.py": CART}


@pytest.mark.parametrize("text", [FRONT + ANSWER, f"\ufeff{FRONT}{ANSWER}", (FRONT + ANSWER).replace("\n", "\r\n")])
def test_lines_are_counted_in_the_whole_file(shop: Path, run: Run, text: str) -> None:
    (shop / "reply.md").write_bytes(text.encode())
    shown = "cart.py:3: ready: exact ({0}:8)\n{0}: 1 ready\n"
    assert run("check", "reply.md") == Ran(0, shown.format("reply.md"), "")
    assert run("check", "-", stdin=text) == Ran(0, shown.format("stdin"), "")


@pytest.mark.long
def test_the_title_becomes_the_subject(shop: Path, run: Run) -> None:
    (shop / "reply.md").write_text(FRONT + ANSWER)
    assert run("apply", "reply.md", "--commit").code == 0
    assert line(shop, "log", "-1", "--format=%s") == "Count twice"
    whole = Response(FRONT + ANSWER, Source("reply.md", "file", path="reply.md"))
    assert f"Edit-Blocks-Digest: {response_digest(whole)}" in line(shop, "log", "-1", "--format=%b").splitlines()


@pytest.mark.long
def test_a_title_that_is_none_is_left_out_and_said(shop: Path, run: Run) -> None:
    (shop / "reply.md").write_text(f"---\ntitle: Fixes GH-1\n---\n{ANSWER}")
    ran = run("apply", "reply.md", "--commit")
    assert ran.code == 0
    assert ran.err.startswith("editblocks: reply.md line 2: the title cannot be the subject of a commit, so it is left")
    assert line(shop, "log", "-1", "--format=%s") == "Apply 1 edit block"


def test_only_the_named_format_is_read(shop: Path, run: Run) -> None:
    (shop / "reply.md").write_text(f"---\nformat: edit-v3\n---\n{ANSWER}")
    ran = run("check", "reply.md")
    assert (ran.code, ran.out.startswith("reply.md:7: failed: unsupported-format: ")) == (1, True)


def test_a_rule_is_no_front_matter(shop: Path, run: Run) -> None:
    (shop / "reply.md").write_text(f"---\n\n{ANSWER}\n---\n")
    assert run("check", "reply.md") == Ran(0, "cart.py:3: ready: exact (reply.md:6)\nreply.md: 1 ready\n", "")


UNREADABLE = (
    ("---\nbase: 4be1d02\nbse: x\n---\n", "line 3: unknown key `bse`; did you mean `base`?"),
    ("---\nbase: main\n---\n", "line 2: `base` is `main`; write 7 to 64 hex digits of a commit"),
    ("---\nbase: *x\n---\n", "line 2: aliases, anchors and tags (`*`, `&`, `!`) are not read; put the value in quotes"),
    (
        "---\nbase: 4be1d02\n",
        "line 1: `---` opens front matter that does not end; put `---` below its last key, or remove line 1 "
        "if it is only a horizontal rule",
    ),
    ("---\ntitle: \x1b\n---\n", "line 2: U+001B does not belong in YAML; remove it"),
)


@pytest.mark.parametrize(("front", "reason"), UNREADABLE)
@pytest.mark.parametrize("command", ["check", "diff", "apply"])
def test_unreadable_front_matter_of_a_file_ends_it(shop: Path, run: Run, front: str, reason: str, command: str) -> None:
    (shop / "reply.md").write_text(front + ANSWER)
    assert run(command, "reply.md") == Ran(2, "", f"editblocks: reply.md {reason}\n")
    assert (shop / "cart.py").read_bytes() == CART


def test_unreadable_front_matter_of_standard_input_is_text(shop: Path, run: Run) -> None:
    """A copied answer may begin with a rule, and nobody can repair it there."""
    text = f"---\nNote: I count twice now.\n\n---\n{ANSWER}"
    ran = run("check", "-", stdin=text)
    assert (ran.code, ran.out) == (0, "cart.py:3: ready: exact (stdin:8)\nstdin: 1 ready\n")
    assert ran.err == (
        "editblocks: standard input line 2: unknown key `Note`; use one of `base`, `title`, `format`, `author`; "
        "until then these lines are read as part of the answer\n"
    )


@pytest.mark.long
def test_front_matter_counts_for_the_size_of_a_response(shop: Path, run: Run) -> None:
    """Reading stops behind the limit, so what is left without front matter must not pass for a whole response."""
    room = LIMIT - len(FRONT) - len(ANSWER)
    for text, code in ((FRONT + ANSWER + "\n" * room, 0), (FRONT + ANSWER + "\n" * (room + 1), 1)):
        (shop / "reply.md").write_text(text)
        assert run("check", "reply.md").code == code
        stage(shop, response(text.encode()))
        assert run("hook", "pre-commit").code == code


HOOKED = (
    (FRONT + ANSWER, 0, READY),
    (
        f"---\nbase: 4be1d02\nbse: x\n---\n{ANSWER}",
        1,
        ".edits/a.md:3: failed: bad-config: unknown key `bse`; did you mean `base`?\n"
        f".edits/a.md: 1 failed; repair the file, then git add it\n{STOPPED}",
    ),
    (
        FRONT + ANSWER.replace("return 1", "return 7"),
        1,
        "cart.py:3: failed: no-match: line 1 of the block differs from cart.py:3 at column 16; "
        "the closest text is line 3, 88 % alike (.edits/a.md:8)\n"
        "     - SEARCH          return 7\n"
        "     + file            return 1\n"
        "                              ^ line 3, column 16\n"
        "note: the base 4be1d02 is not in the history of this branch (on GitHub, write the commit with all 40 digits), "
        "so nothing is merged\n"
        f".edits/a.md: 1 failed; next: editblocks retry --staged .edits/a.md\n{STOPPED}",
    ),
    (f"---\n\n---\n{ANSWER}", 0, READY),
)


@pytest.mark.long
@pytest.mark.parametrize(("text", "code", "out"), HOOKED)
def test_front_matter_of_a_staged_response_file(shop: Path, run: Run, text: str, code: int, out: str) -> None:
    put(shop, response(text.encode()))
    assert run("hook", "pre-commit") == Ran(code, out, "")
