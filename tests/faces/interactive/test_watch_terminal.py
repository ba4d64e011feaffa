"""`editblocks watch` at a real terminal: what is drawn there, what its keys do, and how it is left."""

import os
import re
import shutil
import struct
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals that Python can open", allow_module_level=True)

import fcntl
import termios

from support import gitkit
from support.applykit import CHANGE, CREATE, MISS, NEW_CART, SHOP, TAX, block, changed
from support.clipkit import Clipboard
from support.gitkit import FILE
from support.ptykit import INTERRUPT, Ran, talk

PROGRAM = (sys.executable, "-I", "-m", "editblocks")
KEYS = "a applies, r copies the retry prompt, q quits\n"
# What the program does to the modes of its terminal must be undone; `stty -g` prints them all.
SHELL = """
trap : INT
before=$(stty -g < /dev/tty)
"$@"
code=$?
test "$before" = "$(stty -g < /dev/tty)" || code=99
exit $code
"""
COMMAND = ("/bin/sh", "-c", SHELL, "sh", *PROGRAM, "watch")
ROW = " 1  \u2713 ready    src/cart.py:2   exact  +1 -1"
HALF = CREATE.index("=====")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return gitkit.make_repository(tmp_path / "shop", {name: (FILE, data) for name, data in SHOP.items()})


@pytest.fixture
def clipboard(tmp_path: Path) -> Clipboard:
    found = Clipboard(tmp_path)
    found.install("xclip")
    return found


@pytest.fixture
def environ(tmp_path: Path, clipboard: Clipboard) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[user]\nname = {gitkit.NAME}\nemail = {gitkit.EMAIL}\n")
    own = {"HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    return {**own, **clipboard.environ()}


def screen(out: str) -> list[str]:
    """What is to be seen in the end: lines that were drawn over are gone."""
    lines = [""]
    for part in re.split("(\r\x1b\\[[0-9]+A|\x1b\\[H|\x1b\\[J|\n)", out):
        if part == "\n":
            lines.append("")
        elif part == "\x1b[H":
            lines = [""]
        elif up := re.fullmatch("\r\x1b\\[([0-9]+)A", part):
            lines = [*lines[: -1 - int(up[1])], ""]
        elif part != "\x1b[J":
            lines[-1] += part
    return lines


Watch = Callable[..., Ran]
Scene = tuple[str, Callable[[], str | None] | str]  # once this is to be seen last, do that, or type it


@pytest.fixture
def play(shop: Path, environ: Mapping[str, str]) -> Watch:
    """Watch ../reply.md at a terminal; what is not typed by a scene is never typed."""

    def play(*scenes: Scene, arguments: tuple[str, ...] = ("../reply.md",), stdin: bytes | None = None) -> Ran:
        left = list(scenes)

        def answer(out: str) -> str:
            if not left or left[0][0] not in "\n".join(screen(out)):
                return ""
            _, act = left.pop(0)
            return act if isinstance(act, str) else act() or ""

        ran = talk((*COMMAND, *arguments), answer, cwd=shop, environ=environ, stdin=stdin)
        assert not left, f"never seen: {left[0][0]}\n{ran.out}"
        return ran

    return play


def append(path: Path, text: str) -> Callable[[], None]:
    def append() -> None:
        with path.open("a") as file:
            file.write(text)

    return append


def test_what_comes_through_a_pipe_is_applied_with_a_key(play: Watch, shop: Path) -> None:
    ran = play(("2 ready\n" + KEYS, "a"), arguments=(), stdin=(CHANGE + CREATE).encode())
    assert (ran.code, changed(shop)) == (0, {"src/cart.py": NEW_CART, "src/tax.py": TAX}), ran.out
    assert re.fullmatch(
        r"applied 2 blocks to 2 files, \+2 -1; undo with: editblocks undo [0-9]{8}-1", screen(ran.out)[-2]
    )
    assert KEYS not in "\n".join(screen(ran.out))


@pytest.mark.long
def test_to_leave_before_there_is_a_file_is_what_check_says_of_none(play: Watch) -> None:
    ran = play(("there is no ../reply.md; waiting for it\n" + KEYS, "q"))
    assert ran.code == 2
    assert "editblocks: file-not-found: there is no ../reply.md; name a file" in " ".join(screen(ran.out))


@pytest.mark.long
def test_notes_are_seen_before_a_key_applies_anything(play: Watch, shop: Path) -> None:
    note = "note: 1 block in the model's thoughts (lines 1-"
    ran = play((note, "q"), arguments=(), stdin=f"<think>\n{CHANGE}</think>\n\n{CHANGE}".encode())
    assert (ran.code, changed(shop)) == (0, {}), ran.out


@pytest.mark.long
def test_the_open_block_is_shown_and_nothing_is_applied_meanwhile(play: Watch, shop: Path, tmp_path: Path) -> None:
    reply = tmp_path / "reply.md"
    ran = play(
        ("there is no ../reply.md; waiting for it\n" + KEYS, append(reply, CHANGE + CREATE[:HALF])),
        (f"{ROW}\n 2  \u2026 reading src/tax.py, 0 lines\n\n1 block in 1 file: 1 ready\n{KEYS}", "a"),
        ("../reply.md is still being written; press a once it is complete\n" + KEYS, lambda: None),
        (f"1 block in 1 file: 1 ready\n{KEYS}", "a"),  # it rests
        ("block 2 is still open, so nothing is written\n" + KEYS, append(reply, CREATE[HALF:])),
        ("2 ready\n" + KEYS, "r"),
        ("../reply.md is still being written; press r once it is complete\n" + KEYS, lambda: None),
        ("2 ready\n" + KEYS, "r"),
        ("no block failed, so there is nothing to ask for\n" + KEYS, "a"),
    )
    assert (ran.code, changed(shop)) == (0, {"src/cart.py": NEW_CART, "src/tax.py": TAX}), ran.out


@pytest.mark.long
def test_a_failed_block_keeps_everything_and_the_prompt_is_copied(
    play: Watch, shop: Path, tmp_path: Path, clipboard: Clipboard
) -> None:
    """What fits is offered as a command: these keys have no option that chooses."""
    reply = tmp_path / "reply.md"
    reply.write_text(CHANGE + MISS)

    def rewrite() -> None:
        reply.write_text(CHANGE)

    ran = play(
        ("1 ready, 1 failed\n" + KEYS, "a"),
        ("is still being written", lambda: None),
        ("1 ready, 1 failed\n" + KEYS, "a"),
        (
            "nothing written: 1 of 2 blocks failed (block 2 no-match); `editblocks apply\n"
            "../reply.md --only ready` applies the one that fits\n" + KEYS,
            "r",
        ),
        (" characters, copied to the clipboard\n" + KEYS, rewrite),
        ("1 block in 1 file: 1 ready\n" + KEYS, "q"),
    )
    assert (ran.code, changed(shop)) == (0, {}), ran.out
    assert (clipboard.data or b"").startswith(b"1 of your 2 edit blocks could not be applied")
    assert screen(ran.out)[:2] == [ROW, "1 block in 1 file: 1 ready"]


@pytest.mark.long
def test_without_a_clipboard_the_prompt_is_printed(play: Watch, clipboard: Clipboard) -> None:
    (clipboard.tools / "xclip").unlink()
    ran = play(("1 failed\n" + KEYS, "r"), ("printed above: no tool", "q"), arguments=(), stdin=MISS.encode())
    assert ran.code == 1
    assert "Answer with the corrected blocks only" in ran.out


@pytest.mark.long
@pytest.mark.parametrize(("key", "code"), [(INTERRUPT, 130), ("q", 1)])
def test_it_leaves_the_terminal_as_it_was(play: Watch, shop: Path, key: str, code: int) -> None:
    ran = play(("1 failed\n" + KEYS, key), arguments=(), stdin=MISS.encode())
    assert (ran.code, changed(shop)) == (code, {}), ran.out


@pytest.mark.long
def test_files_that_changed_meanwhile_are_planned_again(play: Watch, shop: Path) -> None:
    """What was ready fits no more, so nothing is written."""
    cart = shop / "src/cart.py"

    def press() -> str:
        cart.write_text("x = 1\n")
        return "a"

    refused = "nothing written: 1 of 1 block failed (block 1 no-match)\n" + KEYS
    ran = play(("1 ready\n" + KEYS, press), (refused, "q"), arguments=(), stdin=CHANGE.encode())
    assert (ran.code, cart.read_text()) == (1, "x = 1\n")


@pytest.mark.long
def test_a_repository_that_goes_meanwhile_is_not_used(play: Watch, shop: Path, tmp_path: Path) -> None:
    reply = tmp_path / "reply.md"
    reply.write_text(CHANGE)

    def change() -> None:
        shutil.rmtree(shop / ".git")
        append(reply, CREATE)()

    ran = play(("1 ready\n" + KEYS, change), ("2 ready\n" + KEYS, "q"))
    assert ran.code == 0, ran


@pytest.mark.long
def test_what_git_ignores_is_refused(play: Watch, shop: Path) -> None:
    """Amendment E3."""
    (shop / ".gitignore").write_text(".env\n")
    (shop / ".env").write_bytes(b"KEY=abc\n")
    answer = block(".env", "KEY=abc\n", "KEY=def\n")
    said = "nothing written: 1 of 1 block failed (block 1 not-allowed)\n" + KEYS
    ran = play(("1 failed\n" + KEYS, "a"), (said, "q"), arguments=(), stdin=answer.encode())
    assert "not-allowed: git ignores .env" in ran.out
    assert (shop / ".env").read_bytes() == b"KEY=abc\n"


@pytest.mark.long
def test_a_terminal_that_obeys_nothing_is_refused(shop: Path, environ: Mapping[str, str]) -> None:
    ran = talk((*PROGRAM, "watch"), lambda _: "", cwd=shop, environ={**environ, "TERM": "dumb"}, stdin=CHANGE.encode())
    assert (ran.code, ran.out.startswith("editblocks: watch needs a terminal")) == (2, True), ran.out


@pytest.mark.long
def test_a_terminal_that_changes_its_size_is_drawn_anew(shop: Path, environ: Mapping[str, str], tmp_path: Path) -> None:
    shell = f"readlink /proc/$$/fd/2 > {tmp_path}/terminal; {SHELL}"
    drawn: list[list[str]] = []

    def answer(out: str) -> str:
        shown = screen(out)
        if shown[-2:] == [KEYS[:-1], ""]:
            terminal = os.open((tmp_path / "terminal").read_text().strip(), os.O_RDWR | os.O_NOCTTY)
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 7, 22, 0, 0))
            os.close(terminal)
        elif shown[-2:-1] == ["quits"] and not drawn:
            drawn.append(shown)
            return "q"
        return ""

    command = ("/bin/sh", "-c", shell, "sh", *PROGRAM, "watch", "-")
    ran = talk(command, answer, cwd=shop, environ=environ, stdin=CHANGE.encode())
    assert (ran.code, len(drawn)) == (0, 1), ran.out
    assert max(map(len, drawn[0])) <= 22
