"""The session of a coding agent on the command line: docs/reference/formats/sessions.md."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from support.applykit import Run
from support.ptykit import screen
from support.sessionkit import (
    ROOT,
    began,
    came_of,
    chat,
    failed,
    lines,
    model,
    patched,
    put_out,
    spoken,
    text,
    used,
    user,
)

SHOP = {"cart.py": b"TAX = 19\nSHIPPING = 5\n", "src/a.py": b"a = 1\n"}
INSERT: dict[str, Any] = {
    "command": "insert",
    "path": f"{ROOT}/cart.py",
    "insert_line": 1,
    "insert_text": "FREE = 50\n",
}
READ = used("r1", "Read", file_path=f"{ROOT}/cart.py")
VIEW = came_of("r1", "     1\tTAX = 19\n     2\tSHIPPING = 5\n")
SESSION = lines(READ, VIEW, used("t1", **{**INSERT, "insert_line": 9}), failed("t1"), used("t2"), came_of("t2"))
NOTES = "note: 1 call failed when it was made: cart.py at line 3\nnote: /home/kim/shop stands for this folder\n"
ROW = "cart.py:1: ready: exact (session.jsonl:5)\n"


def test_a_session_is_checked_and_applied(run: Run, shop: Path) -> None:
    (shop / "session.jsonl").write_text(SESSION)
    ran = run("check", "session.jsonl")
    assert (ran.code, ran.out, ran.err) == (0, f"{ROW}{NOTES}session.jsonl: 1 ready\n", "")
    assert run("apply", "session.jsonl").code == 0
    assert (shop / "cart.py").read_bytes() == b"TAX = 7\nSHIPPING = 5\n"
    again = run("check", "session.jsonl")
    assert (again.code, again.out.startswith("cart.py: skipped: already-applied")) == (0, True)


def test_a_session_comes_through_a_pipe(run: Run) -> None:
    ran = run("check", "-", stdin=SESSION.replace("\n", "\r\n"))
    assert (ran.code, ran.out) == (0, f"{ROW.replace('session.jsonl', 'stdin')}{NOTES}stdin: 1 ready\n")


def test_a_session_is_checked_where_it_ran(run: Run, shop: Path) -> None:
    (shop / "cart.py").write_bytes(b"TAX = 8\nFREE = 50\nSHIPPING = 5\n")
    later: dict[str, Any] = {"file_path": f"{ROOT}/cart.py", "old_string": "TAX = 7", "new_string": "TAX = 8"}
    inserted = [used("t4", **INSERT), came_of("t4"), used("t5", **later), came_of("t5")]
    ran = run("check", "-", stdin=lines(READ, VIEW, *inserted[:2], used("t2"), came_of("t2"), *inserted[2:]))
    assert (ran.code, ran.out.count("already-applied")) == (0, 3), ran.out


PLACES = {
    "below the folder where it began": ([used("t1"), came_of("t1")], [], 0, "cart.py:1: ready: exact"),
    "beside it": (
        [spoken(text("x"), cwd=f"{ROOT}/web"), used("t1"), came_of("t1")],
        [],
        1,
        "/home/kim/shop/cart.py: failed: unsafe-path: ",
    ),
    "beside it, below the named folder": (
        [spoken(text("x"), cwd=f"{ROOT}/web"), used("t1"), came_of("t1")],
        ["--session-root", f"{ROOT}/"],
        0,
        "cart.py:1: ready: exact",
    ),
    "of another repository": (
        [used("t1", file_path="/home/kim/other/cart.py", old_string="TAX = 19", new_string="TAX = 7"), came_of("t1")],
        [],
        1,
        "/home/kim/other/cart.py: failed: unsafe-path: ",
    ),
    "relative, from a folder in it": (
        [
            began(ROOT),
            began(f"{ROOT}/src"),
            patched("c1", PATCH := "*** Begin Patch\n*** Update File: a.py\n@@\n-a = 1\n+a = 2\n*** End Patch"),
            put_out("c1", "ok"),
        ],
        [],
        0,
        "src/a.py:1: ready: exact",
    ),
    "on Windows": (
        [began("C:\\w\\app"), used("t1", file_path="c:\\w\\app\\cart.py", old_string="TAX = 19", new_string="TAX = 7")],
        [],
        0,
        "cart.py:1: ready: exact",
    ),
    "that cannot be read": (
        [
            used("t1", file_path=f"{ROOT}/cart.py", old_string="TAX = 19", new_string=7),
            came_of("t1"),
            used("t2"),
            came_of("t2"),
        ],
        [],
        1,
        "stdin:1: failed: malformed: ",
    ),
}


@pytest.mark.parametrize(("records", "options", "code", "words"), PLACES.values(), ids=PLACES)
def test_paths_of_a_session(run: Run, records: list[object], options: list[str], code: int, words: str) -> None:
    ran = run("check", "-", *options, stdin=lines(*records))
    assert (ran.code, ran.out.startswith(words)) == (code, True), ran.out + ran.err


def test_a_call_that_cannot_be_read_stops_later_ones_of_its_file(run: Run) -> None:
    bad = used("t1", file_path=f"{ROOT}/cart.py", old_string="SHIPPING", new_string=7)
    ran = run("check", "-", stdin=lines(bad, came_of("t1"), used("t2"), came_of("t2")))
    assert "cart.py:1: skipped: earlier-failure" in ran.out


def test_lines_are_inserted_where_the_session_showed_them(run: Run, shop: Path) -> None:
    (shop / "cart.py").write_bytes(b"# shop\nTAX = 19\nSHIPPING = 5\n")
    assert run("apply", "-", stdin=lines(READ, VIEW, used("t1", **INSERT), came_of("t1"))).code == 0
    assert (shop / "cart.py").read_bytes() == b"# shop\nTAX = 19\nFREE = 50\nSHIPPING = 5\n"
    ran = run("check", "-", stdin=lines(used("t1", **INSERT), came_of("t1")))
    assert ": failed: no-version: " in ran.out


def test_a_session_with_failed_calls_alone_has_no_block(run: Run) -> None:
    ran = run("check", "-", stdin=lines(used("t1"), failed("t1")))
    assert ran.code == 1
    assert "no-blocks" in ran.out
    assert "note: 1 call failed when it was made: cart.py at line 1\n" in ran.out


def test_a_chat_of_cline(run: Run, shop: Path) -> None:
    write = "<write_to_file>\n<path>new.py</path>\n<content>\nx = 1\n</content>\n</write_to_file>"
    chat_of_cline = chat(user("go"), model(write), user("[write_to_file for 'new.py'] Result:\nsaved"))
    assert run("apply", "-", stdin=chat_of_cline).code == 0
    assert (shop / "new.py").read_bytes() == b"x = 1\n"


def test_blocks_that_an_agent_wrote_as_text_name_files_here(run: Run) -> None:
    answer = "cart.py\n<<<<<<< SEARCH\nTAX = 19\n=======\nTAX = 7\n>>>>>>> REPLACE\n"
    ran = run("check", "-", "--session-root", ROOT, stdin=answer)
    assert (ran.code, ran.out) == (0, "cart.py:1: ready: exact (stdin:2)\nstdin: 1 ready\n"), ran


def test_the_json_result_has_the_notes(run: Run) -> None:
    result = json.loads(run("check", "-", "--format", "json", stdin=SESSION).out)
    assert [note["code"] for note in result["notes"]] == ["not-run", "session-root"]


def test_the_next_command_keeps_the_root_of_the_session(run: Run, shop: Path) -> None:
    miss: dict[str, Any] = {"file_path": f"{ROOT}/cart.py", "old_string": "TAX = 1", "new_string": "TAX = 2"}
    (shop / "s.jsonl").write_text(lines(used("t1", **miss), used("t2")))
    ran = run("check", "-v", "s.jsonl", "--session-root", ROOT)
    assert f"--session-root {ROOT}" in ran.out


REFUSED = {
    "no folder": (["check", "--session-root", "shop"], "--session-root is `shop`; write it as in the session"),
    "with --paths": (
        ["check", "-", "--paths", "--session-root", "/x"],
        "--paths and --session-root cannot be used together",
    ),
}


@pytest.mark.parametrize(("arguments", "words"), REFUSED.values(), ids=REFUSED)
def test_what_the_option_refuses(run: Run, arguments: list[str], words: str) -> None:
    ran = run(*arguments, stdin=SESSION)
    assert (ran.code, words in ran.err) == (2, True), ran.err


def test_paths_of_a_session_are_listed(run: Run) -> None:
    ran = run("check", "-", "--paths", stdin=SESSION)
    assert (ran.code, ran.out) == (0, "cart.py\n")


@pytest.mark.long
@pytest.mark.parametrize(("option", "line"), [("--color=never", "reading 19 MiB\x1b[K\r"), ("-q", "")])
def test_a_long_session_says_on_a_terminal_that_it_is_read(shop: Path, option: str, line: str) -> None:
    more = f"{json.dumps(came_of('t9', 'x' * 1_000_000))}\n" * 20
    (shop / "session.jsonl").write_text(more + SESSION)
    environ = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "editblocks", "check", "session.jsonl", option]
    with Path(os.devnull).open("wb") as nowhere:
        code, text = screen(80, command, cwd=shop, environ=environ, stdout=nowhere.fileno())
    end = "\x1b[K\r" if line else ""
    assert (code, text[: len(line)], text[-len(end) :] if end else text) == (0, line, end)
