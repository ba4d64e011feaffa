"""The fixes of linters on the command line: piped in, applied to the base, and never asked for again."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.applykit import Run, block
from support.gitkit import git

SHOP = {"a.py": b"import os\nimport sys\n\nprint(sys.path, 1)\n", "b.py": b"b = 1\n"}


def fix(path: str, place: tuple[int, int, int, int], text: str) -> dict[str, Any]:
    first, first_column, last, last_column = place
    where = {"start": {"line": first, "column": first_column}, "end": {"line": last, "column": last_column}}
    return {"message": "m", "location": {"path": path}, "suggestions": [{"range": where, "text": text}]}


def piped(shop: Path, *fixes: tuple[str, tuple[int, int, int, int], str]) -> str:
    """The document of a linter that writes absolute paths."""
    return json.dumps({"diagnostics": [fix(str(shop / path), place, text) for path, place, text in fixes]})


UNUSED = ("a.py", (1, 1, 2, 1), "")
ONE = ("a.py", (4, 17, 4, 18), "2")
OTHER = ("b.py", (1, 5, 1, 6), "2")


def test_fixes_are_piped_in_and_written(run: Run, shop: Path) -> None:
    done = run("apply", "--base", "HEAD", "-", stdin=piped(shop, UNUSED, ONE, OTHER))
    rows = [f"{place}: applied: range (stdin:1)" for place in ("a.py:1", "a.py:4", "b.py:1")]
    assert done.out.splitlines()[:4] == [*rows, "stdin: 3 applied"]
    assert (shop / "a.py").read_bytes() == b"import sys\n\nprint(sys.path, 2)\n"
    assert (shop / "b.py").read_bytes() == b"b = 2\n"
    again = run("apply", "--base", "HEAD", "-", stdin=piped(shop, UNUSED, ONE, OTHER))
    assert again.code == 0
    assert "3 skipped" in again.out
    assert run("undo").code == 0
    assert (shop / "a.py").read_bytes() == SHOP["a.py"]


def test_they_are_committed(run: Run, shop: Path) -> None:
    assert run("apply", "--commit", "--base", "HEAD", "-", stdin=piped(shop, UNUSED, ONE)).code == 0
    assert git(shop, "show", "HEAD:a.py") == b"import sys\n\nprint(sys.path, 2)\n"
    assert b"\nHow: 2 range.\n" in git(shop, "log", "-1", "--format=%B")


def test_without_a_base_nothing_is_written(run: Run, shop: Path) -> None:
    done = run("apply", "-", stdin=piped(shop, UNUSED, OTHER))
    assert done.code == 1
    assert "no-version: the answer names line 1 of a.py, but not the version of the file" in done.out
    assert (shop / "a.py").read_bytes() == SHOP["a.py"]


def test_a_file_with_uncommitted_lines_is_refused(run: Run, shop: Path) -> None:
    """The linter may have read them, and then the lines that it names are others in the base."""
    (shop / "a.py").write_bytes(b"\n" + SHOP["a.py"])
    done = run("apply", "--base", "HEAD", "-", stdin=piped(shop, ONE))
    base = git(shop, "rev-parse", "HEAD").decode()[:7]
    assert done.code == 1
    assert f"stale: a.py differs from {base}, the base; commit it and run the tool again" in done.out
    assert (shop / "a.py").read_bytes() == b"\n" + SHOP["a.py"]


@pytest.mark.parametrize("base", [("--base", "HEAD"), ()], ids=["fits", "fails"])
def test_no_prompt_asks_for_fixes_again(run: Run, shop: Path, base: tuple[str, ...]) -> None:
    done = run("retry", *base, "-", stdin=piped(shop, ONE))
    assert done == (0, "", "editblocks: a tool wrote this, so there is no model to ask again\n")
    assert "retry" not in "".join(map(str, run("apply", *base, "-", stdin=piped(shop, ONE))))


@pytest.mark.parametrize(("form", "noun"), [("sarif", "result"), ("rdjsonl", "diagnostic")])
def test_our_own_findings_are_no_edit(run: Run, form: str, noun: str) -> None:
    ours = run("check", "--format", form, "-", stdin=block("a.py", "none\n", "x\n")).out
    done = run("apply", "-", stdin=ours)
    assert done.code == 1
    name = form.removesuffix("l")
    assert f"no edit block: the {name} document holds 1 {noun} but no fix\n" in done.out + done.err
    assert run("retry", "-", stdin=ours).out == ""


def test_a_document_without_findings_says_so(run: Run, shop: Path) -> None:
    done = run("check", "-", stdin='{"version": "2.1.0", "runs": []}')
    assert done.code == 1
    assert "no edit block: the sarif document holds no result\n" in done.out + done.err


def test_a_response_file_may_be_a_document_with_its_base(run: Run, shop: Path) -> None:
    base = git(shop, "rev-parse", "HEAD").decode().strip()
    (shop / "reply.md").write_text(f"---\nbase: {base}\n---\n{piped(shop, ONE)}\n")
    assert run("apply", "reply.md").code == 0
    assert b", 2" in (shop / "a.py").read_bytes()
