"""`editblocks watch` without a terminal: a line for each block as it closes, and an end that is bounded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.applykit import CHANGE, CREATE, FITS, MISS, Run, block, changed
from support.callcases import PROGRAM
from support.hookkit import Ran
from support.sessionkit import came_of, lines, used

from editblocks.faces.cli import watch
from editblocks.faces.cli.arguments import parse
from editblocks.faces.cli.watch import QUIET, Outside
from editblocks.faces.common.terminal import complain, exit_code_of, message

ONE = "src/cart.py:2: ready: exact (reply.md:3)\n"
TWO = "src/tax.py: ready: new file (reply.md:11)\n"
Step = Callable[[], object]


class Script:
    """A clock, and what happens while the command waits: one step after the other, then nothing for ever."""

    def __init__(self, *steps: Step) -> None:
        self.now = 0.0
        self.waits = 0
        self._steps = iter(steps)

    def wait(self, descriptors: Sequence[int], seconds: float | None) -> Sequence[int]:
        self.waits += 1
        self.now += seconds or 0.0
        next(self._steps, lambda: None)()
        return descriptors


@pytest.fixture
def watching(shop: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Watch a file while something is done to it; the clock is the script's."""
    assert shop.is_dir()

    def watching(*arguments: str, script: Script) -> Ran:
        options = parse(["watch", *arguments])
        assert options is not None
        outside = Outside(lambda: script.now, script.wait)
        code = exit_code_of(lambda: watch.main(options, outside), complain, message)
        return Ran(code, *capfd.readouterr())

    return watching


def append(path: Path, text: str) -> Step:
    def append() -> None:
        with path.open("a") as file:
            file.write(text)

    return append


def test_rows_are_printed_as_their_blocks_close(
    watching: Callable[..., Ran], shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    reply, printed = shop / "reply.md", list[str]()
    half = CREATE.index("=====")

    def read() -> None:
        printed.append(capfd.readouterr().out)

    steps = [
        append(reply, CHANGE),
        lambda: None,
        read,
        append(reply, CREATE[:half]),
        read,
        append(reply, CREATE[half:]),
    ]
    ran = watching("reply.md", script=Script(*steps))
    assert printed == [ONE, ""]
    assert ran == (0, f"{TWO}reply.md: 2 ready\n", "")
    assert changed(shop).keys() == {"reply.md"}


def test_a_file_that_is_not_there_yet_is_waited_for(watching: Callable[..., Ran], shop: Path) -> None:
    script = Script(*[lambda: None] * 100, append(shop / "reply.md", CHANGE))
    ran = watching("reply.md", script=script)
    assert ran == (0, f"{ONE}reply.md: 1 ready\n", "editblocks: there is no reply.md yet; waiting for it\n")


def test_a_file_that_never_comes(watching: Callable[..., Ran]) -> None:
    script = Script()
    said = "there is no reply.md; name a file that holds the answer, or - for standard input"
    waits = "editblocks: there is no reply.md yet; waiting for it\n"
    assert watching("reply.md", script=script) == (2, "", f"{waits}editblocks: file-not-found: {said}\n")
    assert QUIET <= script.now < QUIET + 1


@pytest.mark.long
def test_a_file_that_vanishes_has_no_end(watching: Callable[..., Ran], shop: Path) -> None:
    (shop / "reply.md").write_text(CHANGE)
    ran = watching("reply.md", script=Script(lambda: None, (shop / "reply.md").unlink))
    assert (ran.code, "file-not-found" in ran.err) == (2, True)


def test_a_file_that_is_replaced_is_read_from_its_start(watching: Callable[..., Ran], shop: Path) -> None:
    reply = shop / "reply.md"
    reply.write_text(CHANGE)
    ran = watching("reply.md", script=Script(*[lambda: None] * 9, lambda: reply.write_text(CREATE)))
    again = "editblocks: reply.md was rewritten, so it is read from its start again\n"
    assert ran == (0, f"{ONE}src/tax.py: ready: new file (reply.md:3)\nreply.md: 1 ready\n", again)


@pytest.mark.long
def test_a_row_that_comes_out_otherwise_is_printed_again(watching: Callable[..., Ran], shop: Path) -> None:
    """A closer behind the fence says that the block ended too early."""
    (shop / "reply.md").write_text(CHANGE)
    ran = watching("reply.md", script=Script(*[lambda: None] * 9, append(shop / "reply.md", "x\n>>>>>>> REPLACE\n")))
    last = "reply.md: 2 failed; the markers are not balanced: 1 SEARCH, 2 REPLACE"
    assert (ran.code, ran.out.splitlines()[-1]) == (1, last)
    assert ran.out.startswith(f"{ONE}reply.md:3: failed: malformed: ")
    assert ran.out.count("malformed") == 1


def test_a_cut_off_block_is_told_at_the_end(watching: Callable[..., Ran], shop: Path) -> None:
    (shop / "reply.md").write_text(CHANGE + MISS.partition(">>>")[0])
    ran = watching("reply.md", script=Script())
    assert (ran.code, ran.out.startswith(f"{ONE}reply.md:11: failed: unclosed: ")) == (1, True)


LARGE = "x\n" * (10 * 1024 * 1024)
ENDS = (
    ("empty", b"", 1, "reply.md: no-blocks: 0 lines read, no edit block: "),
    ("prose", b"Nothing.\n", 1, "reply.md: no-blocks: 1 line read, no edit block: "),
    (
        "binary",
        b"a\nb\xff\n",
        2,
        "editblocks: encoding: reply.md is not UTF-8 (byte 0xff in line 2); convert it first\n",
    ),
    ("cut in a character", b"a\xc3", 2, "editblocks: encoding: reply.md is not UTF-8 (byte 0xc3 in line 1)"),
    ("20 MB", LARGE.encode(), 1, "reply.md:1: failed: too-large: the answer is over the limit of 1,048,576 bytes"),
    ("bad front matter", b"---\nbase: x\n---\n", 2, "editblocks: reply.md line 2: "),
)


@pytest.mark.long(after=2)
@pytest.mark.parametrize("row", ENDS, ids=[row[0] for row in ENDS])
def test_what_comes_out_of_a_file(watching: Callable[..., Ran], shop: Path, row: tuple[str, bytes, int, str]) -> None:
    _, data, code, words = row
    (shop / "reply.md").write_bytes(data)
    ran = watching("reply.md", script=Script())
    assert (ran.code, (ran.out + ran.err).startswith(words)) == (code, True), ran


@pytest.mark.long
def test_the_settings_are_those_of_a_check(watching: Callable[..., Ran], shop: Path) -> None:
    (shop / "reply.md").write_text(block("src/cart.py", "return 1\n", "return 3\n"))
    assert watching("reply.md", script=Script()).code == 0
    assert "no-match" in watching("reply.md", "--matching", "exact", script=Script()).out
    (shop / ".editblocks.yml").write_text("matching: exact\n")
    assert "no-match" in watching("reply.md", script=Script()).out
    assert watching("reply.md", "--isolated", script=Script()).code == 0


def test_a_pipe_ends_by_itself(watching: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    rest = iter([CHANGE, CREATE[:30], CREATE[30:]])

    def write() -> None:
        text = next(rest, "")
        os.write(writer, text.encode()) if text else os.close(writer)

    with os.fdopen(reader) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        script = Script(*[write] * 4)
        ran = watching(script=script)
    assert ran == (0, f"{ONE}{TWO}stdin: 2 ready\n".replace("reply.md:", "stdin:"), "")
    assert script.waits <= 8  # it sleeps until something comes


@pytest.mark.parametrize("name", [[], ["-"], ["/dev/stdin"]])
@pytest.mark.long
def test_standard_input(shop: Path, tmp_path: Path, name: list[str]) -> None:
    (tmp_path / "answer").write_text(FITS)
    with (tmp_path / "answer").open("rb") as stdin:
        command = [*PROGRAM, "watch", *name]
        done = subprocess.run(command, stdin=stdin, capture_output=True, cwd=shop, env=gitkit.ISOLATED, check=False)
    out = done.stdout.decode().replace("/dev/stdin", "stdin")
    assert (done.returncode, out, done.stderr) == (0, f"{ONE}{TWO}stdin: 2 ready\n".replace("reply.md:", "stdin:"), b"")


WRONG = (
    ("watch", "no answer is given; name the file to watch, or pipe the answer in"),
    ("watch -", "no answer is given; name the file to watch, or pipe the answer in"),
    ("watch -- -x", "`-x` begins with a dash; for a file of that name write ./ before it"),
    ("watch a.md b.md", "`b.md` is one argument too many; see editblocks watch --help"),
    ("watch a.md --only 1", "watch has no option `--only`; see editblocks"),
)


@pytest.mark.parametrize(("command", "words"), WRONG)
@pytest.mark.long(after=1)
def test_what_cannot_be_watched(run: Run, command: str, words: str) -> None:
    code, out, err = run(*command.split())
    assert (code, out, err.startswith(f"editblocks: {words}")) == (2, "", True), err


@pytest.mark.long
def test_a_folder_is_no_response(run: Run) -> None:
    said = "src is a folder; name a file that holds the answer, or - for standard input"
    assert run("watch", "src") == (2, "", f"editblocks: not-a-file: {said}\n")


@pytest.mark.long
def test_a_session_is_shown_once_it_rests(watching: Callable[..., Ran], shop: Path) -> None:
    call = used("t1", file_path="src/cart.py", old_string="return 1", new_string="return 10")
    (shop / "session.jsonl").write_text(lines(call))
    ran = watching("session.jsonl", script=Script(append(shop / "session.jsonl", lines(came_of("t1")))))
    assert (ran.code, ran.out) == (
        0,
        "src/cart.py:2: ready: exact (session.jsonl:1)\nnote: /home/kim/shop is this folder\nsession.jsonl: 1 ready\n",
    )
