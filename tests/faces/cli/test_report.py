"""`editblocks report`: a page of a response or of a result, and a sentence for everything that is neither."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.applykit import Run
from support.gitkit import FILE, ISOLATED, make_repository
from support.hookkit import Ran
from support.pagekit import ANSWER, SHOP, block
from support.ptykit import screen

RESULT = "check --format json --texts reply.md"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(tmp_path / "shop", {path: (FILE, data) for path, data in SHOP.items()})
    for name, value in ISOLATED.items():
        monkeypatch.setenv(name, value)
    (folder / "reply.md").write_text(ANSWER, "utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.long
def test_a_page_goes_to_standard_output_or_into_a_file(call: Run, shop: Path) -> None:
    printed = call("report", "reply.md")
    assert (printed.code, printed.err) == (1, "")
    assert printed.out.startswith("<!DOCTYPE html>")
    written = call("report", "reply.md", "-o", "page.html")
    assert written == Ran(1, "", "editblocks: wrote page.html: 3 ready, 1 skipped, 2 failed\n")
    assert (shop / "page.html").read_text("utf-8") == printed.out
    assert "editblocks apply reply.md --only 4@10</code>" in printed.out


def _opened(shop: Path, *arguments: str, browser: str) -> Ran:
    """A call with a browser that writes down which address it is to open, and with no other one."""
    folder = shop.parent / "temporary"
    folder.mkdir(exist_ok=True)
    variables = {"PATH": os.environ["PATH"], "TMPDIR": str(folder), "BROWSER": browser, **ISOLATED}
    command = [sys.executable, "-I", "-m", "editblocks", "report", *arguments, "--open"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("output", [None, "page.html"])
@pytest.mark.long
def test_a_page_is_opened_in_the_browser(shop: Path, output: str | None) -> None:
    browser = shop / "browser"
    browser.write_text('#!/bin/sh\nprintf %s "$1" > address\n')
    browser.chmod(0o755)
    options = [] if output is None else ["-o", output]
    ran = _opened(shop, "reply.md", *options, browser=f"{browser} %s")
    place = shop / "page.html"
    if output is None:
        [place] = shop.parent.glob("temporary/editblocks-*/report.html")
        assert place.parent.stat().st_mode & 0o777 == 0o700
    assert ran == Ran(1, "", f"editblocks: wrote {output or place}: 3 ready, 1 skipped, 2 failed\n")
    assert place.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert (shop / "address").read_text() == place.as_uri()


@pytest.mark.long
def test_without_a_browser_a_sentence_says_where_the_page_is(shop: Path) -> None:
    ran = _opened(shop, "reply.md", "-o", "page.html", browser="false %s")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.endswith("\neditblocks: no browser could be started; open page.html in one\n")


def test_the_page_of_a_result_is_that_of_its_response(call: Run, shop: Path) -> None:
    (shop / "result.json").write_text(call(*RESULT.split()).out, "utf-8")
    assert call("report", "result.json") == call("report", "reply.md")


FROM_A_PIPE = ("report -", "report result.json")


@pytest.mark.parametrize("arguments", FROM_A_PIPE)
@pytest.mark.long(after=1)
def test_the_commands_for_an_answer_from_a_pipe_read_standard_input(run: Run, shop: Path, arguments: str) -> None:
    (shop / "result.json").write_text(run(*RESULT.replace("reply.md", "-").split(), stdin=ANSWER).out, "utf-8")
    page = run(*arguments.split(), stdin=ANSWER).out
    assert "editblocks apply - --only ready</code>" in page
    assert '<p class="cmd next"><b>Apply what fits</b> ' in page


def test_what_fits_and_what_is_chosen(call: Run, shop: Path) -> None:
    (shop / "fits.md").write_text(block("README.md", "# Shop\n", "# The shop\n"), "utf-8")
    assert call("report", "fits.md").code == 0
    assert call("report", "reply.md", "--only", "1-3").code == 0
    tried = call("report", "reply.md", "--rev", "HEAD")
    assert "editblocks check reply.md --rev HEAD --only 4@10</code>" in tried.out


def _of_version(result: str) -> str:
    return result.replace('"schema_version": 1', '"schema_version": 2')


REFUSED = (
    ("none.md", "", 2, "file-not-found: there is no none.md"),
    ("prose.md", "Only prose.\n", 1, "prose.md: no-blocks: 1 line read, no edit block"),
    ("long.md", "x" * 20_000_000, 1, "too-large: the answer is over the limit of 1,048,576 bytes"),
    (
        "odd.json",
        '{"schema_version": 1}',
        2,
        "unavailable: odd.json is not a result that editblocks wrote: its top level",
    ),
    ("cut.json", '{"schema_version": 1, "tool', 2, "unavailable: cut.json is not JSON that can be read"),
    ("deep.json", '{"schema_version": ' + "[" * 200_000, 2, "unavailable: deep.json is not JSON that can be read"),
    (
        "new.json",
        _of_version,
        2,
        "unavailable: new.json was made by another version of editblocks; read it with that version",
    ),
)


@pytest.mark.long
@pytest.mark.parametrize("row", REFUSED, ids=[row[0] for row in REFUSED])
def test_what_is_no_page_is_a_sentence(call: Run, shop: Path, row: tuple[str, object, int, str]) -> None:
    name, text, code, words = row
    if text:
        (shop / name).write_text(text(call(*RESULT.split()).out) if callable(text) else str(text), "utf-8")
    ran = call("report", name, "-o", "page.html")
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith(f"editblocks: {words}")
    assert ran.err.count("\n") == 1
    assert not (shop / "page.html").exists()


USAGE = (
    ("reply.md other.md", "a page shows one answer; name one at a time"),
    ("reply.md -o - --open", "--open needs a file; leave out `-o -`, or name a file after -o"),
    ("reply.md -o reply.md", "-o names the answer itself"),
    ("reply.md -o src", "unavailable: src cannot be written: is a directory"),
    ("reply.md -o none/page.html", "unavailable: none/page.html cannot be written: no such file or directory"),
    ("result.json --rev HEAD", "--rev is for an answer, but this input is the result of a check"),
    ("reply.md --root none", "none is not a folder"),
)


@pytest.mark.long
@pytest.mark.parametrize(("arguments", "words"), USAGE)
def test_what_cannot_be_done_changes_nothing(call: Run, shop: Path, arguments: str, words: str) -> None:
    (shop / "result.json").write_text(call(*RESULT.split()).out, "utf-8")
    before = {path: path.read_bytes() for path in shop.rglob("*.[mp][dy]")}
    ran = call("report", *arguments.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"editblocks: {words}")
    assert {path: path.read_bytes() for path in shop.rglob("*.[mp][dy]")} == before


def test_texts_are_for_json_alone(call: Run, shop: Path) -> None:
    ran = call("check", "--texts", "reply.md")
    assert ran == Ran(2, "", "editblocks: --texts is for --format json or jsonl; add one of them\n")
    assert "diff" in json.loads(call(*RESULT.split()).out)["blocks"][0]
    assert "diff" not in json.loads(call("check", "--format", "json", "reply.md").out)["blocks"][0]


@pytest.mark.long
def test_a_page_is_not_printed_on_a_terminal(shop: Path) -> None:
    (shop / "terminal.md").write_text(ANSWER)
    environ = {**os.environ, "TERM": "xterm"}
    program = [sys.executable, "-m", "editblocks", "report", "terminal.md"]
    code, text = screen(80, program, cwd=shop, environ=environ)
    assert (code, text.startswith("editblocks: the page is HTML, ")) == (2, True)
    code, text = screen(80, [*program, "-o", "-"], cwd=shop, environ=environ)
    assert (code, text.startswith("<!DOCTYPE html>")) == (1, True)
