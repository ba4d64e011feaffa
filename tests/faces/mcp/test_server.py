"""How `editblocks mcp` starts, talks and ends, as a process."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.applykit import CHANGE, FITS, NEW_CART, TAX, changed
from support.mcpkit import COMMAND, GREETING, SECONDS, ask, request
from support.posix import open_terminal
from support.records import kept

SIGNALLED = """
import os, signal, sys

_, function, time = sys.argv
left = int(time)

def profile(frame, event, _argument):
    global left
    left -= (event, frame.f_code.co_name) == ("call", function)
    if not left:
        sys.setprofile(None)
        os.kill(os.getpid(), signal.SIGTERM)

sys.argv[1:] = ["mcp"]
from editblocks.__main__ import main
sys.setprofile(profile)
sys.exit(main())
"""


@contextmanager
def started(root: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A server without a client; one that does not end is killed."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, *options], cwd=root, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as server:
        timer = threading.Timer(SECONDS, server.kill)
        timer.start()
        try:
            yield server
        finally:
            timer.cancel()


def ran(root: Path, *options: str, typed: str = "") -> tuple[int, str, str]:
    """Exit code and both streams of a server that reads `typed` and then the end of its input."""
    with started(root, *options) as server:
        out, err = server.communicate(typed)
    return server.returncode, out, err


def test_the_end_of_input_ends_the_process(shop: Path) -> None:
    assert ran(shop) == (0, "", "")
    code, out, err = ran(shop, typed=GREETING)
    assert (code, err) == (0, "")
    assert [json.loads(row)["id"] for row in out.splitlines()] == [1]


@pytest.mark.long
def test_whoever_closes_the_input_at_once_gets_every_reply(shop: Path) -> None:
    apply = request(2, "tools/call", name="apply_edits", arguments={"answer": FITS, "dry_run": False})
    others = "".join(request(number, "tools/call", name="undo", arguments={}) for number in range(3, 8))
    code, out, err = ran(shop, typed=GREETING + apply + others)
    assert [json.loads(row)["id"] for row in out.splitlines()] == [1, 2, 3, 4, 5, 6, 7]
    assert (code, err.count("nothing to undo")) == (0, 4)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_ends_the_process_without_a_word(shop: Path, number: signal.Signals) -> None:
    with started(shop) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(GREETING)
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.send_signal(number)
        assert server.wait() == 130
        assert (server.stdout.read(), server.stderr.read()) == ("", "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("function", "time"),
    [("_serve", 2), ("_serve", 3), ("call_tool", 1), ("_write", 2), ("_swap", 2), ("_result", 1)],
)
def test_a_signal_at_any_time_ends_the_process_and_leaves_files_whole(shop: Path, function: str, time: int) -> None:
    """A KeyboardInterrupt in a coroutine waited for the next line, or ended with a traceback."""
    apply = request(2, "tools/call", name="apply_edits", arguments={"answer": FITS, "dry_run": False})
    pipe = subprocess.PIPE
    command = (sys.executable, "-c", SIGNALLED, function, str(time))
    with subprocess.Popen(command, cwd=shop, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdin is not None
        server.stdin.write(GREETING + apply)
        server.stdin.flush()
        timer = threading.Timer(SECONDS, server.kill)
        timer.start()
        assert server.wait() == 130
        timer.cancel()
        assert server.stderr is not None
        assert server.stderr.read() == ""
    assert changed(shop) == ({"src/cart.py": NEW_CART, "src/tax.py": TAX} if function == "_result" else {})
    assert set(kept(shop).values()) <= {"done"}


@pytest.mark.long
def test_an_agent_that_goes_while_it_is_answered(shop: Path) -> None:
    with started(shop) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(GREETING)
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.stdout.close()
        server.stdin.write(request(2, "ping"))
        server.stdin.close()
        assert server.stderr.read() == "editblocks: the agent closed the connection, so a reply was lost\n"
        assert server.wait() == 0


SURROGATE = request(2, "tools/call", name="check_edits", arguments={"answer": "HALF"}).replace("HALF", "\\ud83d")
UNREADABLE = {
    "half of a character": (SURROGATE, 2),
    "a word": ("hello\n", None),
    "a number": ("7\n", None),
    "a list": ("[]\n", None),
    "a request that is none, with an id": ('{"jsonrpc": "2.0", "id": "a"}\n', "a"),
    "a list in a list, and so on": ("[" * 100_000 + "\n", None),
    "half a character in its id": ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}\n', None),
    "a method that is none": ('{"jsonrpc": "2.0", "id": 3, "method": 5}\n', None),
}


@pytest.mark.long
@pytest.mark.parametrize("what", UNREADABLE)
def test_a_message_that_cannot_be_read_is_answered_and_the_next_one_as_well(shop: Path, what: str) -> None:
    text, number = UNREADABLE[what]
    with started(shop) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(GREETING + text + request(9, "ping"))
        server.stdin.flush()
        replies = [json.loads(server.stdout.readline()) for _ in range(3)]
        out, err = server.communicate()
    by_id = {reply["id"]: reply for reply in replies}
    sentence = "this message cannot be read: it is not JSON-RPC, or holds half of a character (a lone surrogate)"
    assert by_id[number]["error"] == {"code": -32700, "message": sentence}
    assert by_id[9]["result"] == {}
    assert (out, err, server.returncode) == ("", f"editblocks: {sentence}\n", 0)


@pytest.mark.long
def test_a_call_that_is_cancelled_is_whole_or_was_never_begun(shop: Path) -> None:
    arguments = {"answer": FITS, "dry_run": False}
    cancelled = '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}\n'
    typed = request(2, "tools/call", name="apply_edits", arguments=arguments) + cancelled + request(9, "ping")
    with started(shop) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(GREETING + typed)
        server.stdin.flush()
        numbers = [json.loads(row)["id"] for row in iter(server.stdout.readline, "") if stop_after(server, row, 9)]
    assert numbers in ([1, 9], [1, 2, 9], [1, 9, 2])
    assert changed(shop) in ({}, {"src/cart.py": NEW_CART, "src/tax.py": TAX})
    assert set(kept(shop).values()) <= {"done"}


def stop_after(server: subprocess.Popen[str], row: str, number: int) -> bool:
    """Close the input of a server once it has answered this request."""
    assert server.stdin is not None
    if json.loads(row)["id"] == number:
        server.stdin.close()
    return True


@pytest.mark.long
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_stream_that_is_closed(shop: Path, closed: str) -> None:
    """As by a program that starts the server without pipes."""
    command = ["sh", "-c", f"{shlex.join(COMMAND)} {closed}"]
    done = subprocess.run(command, cwd=shop, capture_output=True, text=True, check=False, timeout=SECONDS)
    sentence = "standard input or output is closed; an agent starts the server and talks through both"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"editblocks: {sentence}\n")


@pytest.mark.long
def test_a_person_who_starts_it_is_told_what_it_waits_for(shop: Path) -> None:
    terminal, end = open_terminal()
    os.write(terminal, b"\x04")
    try:
        done = subprocess.run(
            COMMAND, cwd=shop, stdin=end, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    finally:
        os.close(terminal)
        os.close(end)
    sentence = "the server waits for an agent; normally the agent starts it; ^D ends it"
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"editblocks: {sentence}\n")


@pytest.mark.long
def test_a_folder_that_is_no_repository(tmp_path: Path) -> None:
    sentence = f"editblocks: {tmp_path} is not a git repository; start the server in one, or name one with --root\n"
    assert ran(tmp_path) == (2, "", sentence)
    assert ran(tmp_path, "--root", str(tmp_path)) == (2, "", sentence)


@pytest.mark.long
def test_a_folder_below_the_top_of_a_repository(shop: Path) -> None:
    code, out, err = ran(shop, "--root", "src")
    assert (code, out) == (2, "")
    assert err.startswith("editblocks: --root src is inside the repository ")


@pytest.mark.long
def test_a_server_that_is_started_below_the_top_or_elsewhere(shop: Path, tmp_path: Path) -> None:
    call = ("apply_edits", {"answer": CHANGE, "dry_run": False})
    (inside,) = ask(shop / "src", call)
    assert changed(shop).keys() == {"src/cart.py"}
    (undone,) = ask(tmp_path, ("undo", {}), options=["--root", str(shop)])
    assert changed(shop) == {}
    assert inside.members["written"]
    assert undone.text.endswith(f"redo with: editblocks undo --redo --root {shop}\n")


@pytest.mark.long
def test_a_repository_that_goes_away(shop: Path) -> None:
    def move() -> None:
        if shop.exists():
            shop.rename(shop.with_name("moved"))

    check = ("check_edits", {"answer": FITS})
    _, gone = ask(shop, check, check, between=move)
    assert gone.is_error
    assert gone.text == f"editblocks: bad-command: {shop} is not a folder; name one with --root\n"


def test_a_switch_turns_it_off(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITBLOCKS_DISABLED", "1")
    assert ran(shop) == (0, "", "editblocks: EDITBLOCKS_DISABLED is 1, so nothing was done\n")


@pytest.mark.long(after=1)
@pytest.mark.parametrize("vendor", ["anyio", "mcp", "mcp_types", "pydantic"])
def test_without_the_extra(shop: Path, vendor: str) -> None:
    """None in place of a package is what an installation without it finds; version 1 of it has no mcp_types."""
    start = "from editblocks.faces.cli.main import main; sys.exit(main(['mcp']))"
    code = f"import sys; sys.modules[{vendor!r}] = None; {start}"
    done = subprocess.run([sys.executable, "-c", code], cwd=shop, capture_output=True, text=True, check=False)
    advice = "in a clone of editblocks, run `python -m pip install '.[mcp]'`"
    sentence = f"editblocks: the server for agents needs the package mcp 2; {advice}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_no_other_command_loads_the_package(shop: Path) -> None:
    code = "import sys; from editblocks.faces.cli.main import main; main(['check', '-']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=shop, input=CHANGE, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"mcp", "mcp_types", "anyio", "asyncio", "pydantic"})
