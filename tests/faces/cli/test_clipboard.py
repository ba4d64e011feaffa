"""`--clipboard`: responses out of the clipboard and prompts into it, through whichever tool the machine has."""

import os
from pathlib import Path

import pytest
from support.applykit import CART, CHANGE, FITS, MISS, NEW_CART, PARTLY, Run, changed
from support.clipkit import Clipboard, clipboard_in
from support.posix import kill, session_of

from editblocks.core.errors import RepoError
from editblocks.faces.reading import copy, paste

NO_TEXT = "editblocks: unavailable: the clipboard holds no text; copy the answer first\n"
READ, WRITTEN = (f"editblocks: unavailable: the clipboard cannot be {what}: xclip " for what in ("read", "written"))


@pytest.fixture
def clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shop: Path) -> Clipboard:
    assert shop.is_dir()
    found = clipboard_in(tmp_path, monkeypatch)
    found.install("xclip")
    return found


def test_a_response_is_read_from_the_clipboard(run: Run, clipboard: Clipboard, shop: Path) -> None:
    clipboard.data = FITS.encode()
    code, out, err = run("check", "--clipboard", stdin=MISS)
    assert (code, out.splitlines()[-1], err) == (0, "clipboard: 2 ready", "")
    assert clipboard.calls == ["xclip -selection clipboard -out"]
    assert run("apply", "--clipboard").code == 0
    assert changed(shop).keys() == {"src/cart.py", "src/tax.py"}


@pytest.mark.long(after=1)
@pytest.mark.parametrize("command", ["diff --clipboard", "check --paths --clipboard"])
def test_every_command_that_reads_one(run: Run, clipboard: Clipboard, command: str) -> None:
    clipboard.data = CHANGE.encode()
    assert run(*command.split()) == run(*command.replace("--clipboard", "-").split(), stdin=CHANGE)


@pytest.mark.long
def test_the_next_commands_are_about_the_clipboard(run: Run, clipboard: Clipboard) -> None:
    clipboard.data = PARTLY.encode()
    assert "`editblocks retry --clipboard` prints a prompt for the model\n" in run("check", "--clipboard", "-v").out
    assert '"kind": "clipboard"' in run("check", "--clipboard", "--format", "json").out


def test_the_prompt_takes_the_place_of_the_answer(run: Run, clipboard: Clipboard) -> None:
    clipboard.data = PARTLY.encode()
    prompt = run("retry", "-", stdin=PARTLY).out.removesuffix("\n")
    again = "copy the first answer again, then editblocks apply --clipboard --only ready"
    assert run("retry", "--clipboard") == (
        0,
        "",
        f"retry prompt for block 2, {len(prompt):,} characters, copied to the clipboard\n"
        f"block 1 will not be in the new answer; to apply now: {again}\n",
    )
    assert clipboard.data == prompt.encode()
    assert clipboard.calls == ["xclip -selection clipboard -out", "xclip -selection clipboard"]


@pytest.mark.long
def test_prompts_of_responses_that_are_named_go_there_together(run: Run, clipboard: Clipboard, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(MISS)
    prompt = run("retry", "-", stdin=MISS).out.encode()
    assert run("retry", "--clipboard", "-q", str(tmp_path / "a.md"), str(tmp_path / "b.md")) == (0, "", "")
    assert clipboard.data == prompt + b"\n" + prompt.removesuffix(b"\n")
    assert run("retry", "--clipboard", "-q", "-", stdin=MISS) == (0, "", "")
    assert clipboard.data == prompt.removesuffix(b"\n")


@pytest.mark.parametrize("command", ["prompt", "prompt --messages", "prompt --reminder", "context src/cart.py"])
@pytest.mark.long(after=1)
def test_what_is_for_a_chat_goes_there(run: Run, clipboard: Clipboard, command: str) -> None:
    printed = run(*command.split()).out
    code, out, err = run(*command.split(), "--clipboard")
    assert (code, out, err.endswith(", copied to the clipboard\n")) == (0, "", True)
    assert clipboard.data == printed.removesuffix("\n").encode()


@pytest.mark.long
def test_without_a_failure_the_clipboard_stays(run: Run, clipboard: Clipboard) -> None:
    clipboard.data = CHANGE.encode()
    assert run("retry", "--clipboard").code == 0
    assert clipboard.data == CHANGE.encode()


ENDS = "#!/bin/sh\necho 'Error: no \x1b[2Jtarget' >&2\nexit 3\n"
REFUSED = (
    ("empty", None, b"", NO_TEXT),
    ("blank", None, b" \n\n", NO_TEXT),
    ("not UTF-8", None, b"a\nb\xff", "encoding: the clipboard is not UTF-8 (byte 0xff in line 2); convert it first\n"),
    ("it fails", ENDS, b"", f"{READ}ended with 3; use a pipe instead\n"),
)


@pytest.mark.long(after=2)
@pytest.mark.parametrize("row", REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_read(
    run: Run, clipboard: Clipboard, shop: Path, row: tuple[str, str | None, bytes, str]
) -> None:
    _, script, data, words = row
    clipboard.data = data
    if script is not None:
        clipboard.install("xclip", script=script)
    code, out, err = run("apply", "--clipboard")
    assert (code, out, err.endswith(words), changed(shop)) == (2, "", True, {}), err


def test_a_prompt_that_cannot_be_copied(run: Run, clipboard: Clipboard) -> None:
    clipboard.install("xclip", script=ENDS)
    said = f"{WRITTEN}ended with 3; use a pipe instead\n"
    assert run("retry", "-", "--clipboard", stdin=MISS) == (2, "", said)


def test_more_than_the_limit_is_not_taken(run: Run, clipboard: Clipboard, shop: Path) -> None:
    clipboard.data = b"src/cart.py\n" * 100_000
    code, out, _ = run("apply", "--clipboard")
    assert (code, changed(shop)) == (1, {})
    assert "too-large" in out


@pytest.mark.long
def test_a_tool_that_hangs_is_given_up(clipboard: Clipboard) -> None:
    clipboard.install("xclip", script="#!/bin/sh\nexec sleep 60\n")
    late = r": xclip did not end within 0\.1 s; use a pipe instead$"
    with pytest.raises(RepoError, match=f"^the clipboard cannot be read{late}"):
        paste(100, seconds=0.1)
    with pytest.raises(RepoError, match=f"^the clipboard cannot be written{late}"):
        copy("x" * 1_000_000, seconds=0.1)
    clipboard.install("xclip", script="#!/bin/sh\necho text\nexec sleep 60 >&-\n")  # the text was all it had to say
    with pytest.raises(RepoError, match=f"^the clipboard cannot be read{late}"):
        paste(100, seconds=0.1)


@pytest.mark.long
def test_a_tool_that_stays_to_hand_the_text_out_is_not_waited_for(clipboard: Clipboard, tmp_path: Path) -> None:
    stays = f"#!/bin/sh\ncat > {tmp_path}/held\nsleep 60 &\necho $! > {tmp_path}/pid\n"
    clipboard.install("xclip", script=stays)
    copy("caf\u00e9")
    assert clipboard.data == "caf\u00e9".encode()
    pid = int((tmp_path / "pid").read_text())
    is_apart = session_of(pid) != session_of(0)  # ^C at our terminal is not for it
    kill(pid)
    assert is_apart


MACHINES: tuple[tuple[str, dict[str, str], str, str], ...] = (
    ("pbcopy pbpaste xclip", {}, "pbcopy", "pbpaste"),
    ("wl-copy wl-paste xclip", {"WAYLAND_DISPLAY": "wayland-0"},
     "wl-copy --type text/plain", "wl-paste --no-newline --type text"),
    ("wl-copy wl-paste xclip", {}, "xclip -selection clipboard", "xclip -selection clipboard -out"),
    ("xsel", {}, "xsel --clipboard --input", "xsel --clipboard --output"),
    ("clip.exe powershell.exe xclip", {"DISPLAY": ""}, "clip.exe",
     "powershell.exe -NoProfile -NonInteractive -Command "
     "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"),
)  # fmt: skip


@pytest.mark.long(after=2)
@pytest.mark.parametrize("row", MACHINES, ids=lambda row: row[0])
def test_the_tool_is_the_one_that_this_machine_has(
    clipboard: Clipboard, monkeypatch: pytest.MonkeyPatch, row: tuple[str, dict[str, str], str, str]
) -> None:
    names, environ, copies, pastes = row
    (clipboard.tools / "xclip").unlink()
    clipboard.install(*names.split())
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    copy("a\u00e9\n")
    assert clipboard.data == "a\u00e9\n".encode("utf-16-le" if "clip.exe" in names else "utf-8")
    clipboard.data = b"a"
    assert (paste(10), clipboard.calls) == (b"a", [copies, pastes])


NO_TOOL = "no tool reaches a clipboard here; install wl-clipboard, xclip or xsel, which need a display, or use a pipe"


@pytest.mark.long(after=1)
@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"PATH": "/usr/bin/none"}, NO_TOOL),
        ({"PATH": "."}, NO_TOOL),
        ({"DISPLAY": "", "WAYLAND_DISPLAY": ""}, NO_TOOL),
    ],
)
def test_a_machine_without_a_tool(
    run: Run, clipboard: Clipboard, shop: Path, monkeypatch: pytest.MonkeyPatch, *, environ: dict[str, str], said: str
) -> None:
    """One that lies in the repository is none: whoever wrote the repository could have put it there."""
    (shop / "xclip").write_bytes((clipboard.tools / "xclip").read_bytes())
    (shop / "xclip").chmod(0o755)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert run("check", "--clipboard") == (2, "", f"editblocks: {said}\n")
    assert clipboard.calls == []


@pytest.mark.long
def test_half_a_tool_is_none(run: Run, clipboard: Clipboard, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other half is not taken from wherever PATH leads to."""
    (clipboard.tools / "xclip").unlink()
    clipboard.install("pbcopy")
    (shop / "pbpaste").write_text("#!/bin/sh\ntouch here\n")
    (shop / "pbpaste").chmod(0o755)
    monkeypatch.setenv("PATH", f"{clipboard.environ()['PATH']}{os.pathsep}{shop}")
    assert (run("check", "--clipboard").code, (shop / "here").exists()) == (2, False)


WRONG = (
    ("check --clipboard -", "--clipboard replaces SRC; leave one of them out"),
    ("apply --clipboard a.md", "--clipboard replaces SRC; leave one of them out"),
    ("check -- --clipboard", "`--clipboard` begins with a dash; for a file of that name write ./ before it"),
)


@pytest.mark.long(after=1)
@pytest.mark.parametrize(("command", "words"), WRONG)
def test_what_cannot_be_meant(run: Run, clipboard: Clipboard, command: str, words: str) -> None:
    assert run(*command.split()) == (2, "", f"editblocks: {words}\n")
    assert clipboard.calls == []


@pytest.mark.long
def test_what_was_copied_may_begin_like_front_matter(run: Run, clipboard: Clipboard, shop: Path) -> None:
    clipboard.data = f"---\nNote: as it was asked\n\n{CHANGE}".encode()
    code, _, err = run("apply", "--clipboard")
    assert (code, "until then these lines are read as part of the answer" in err) == (0, True)
    assert (shop / "src/cart.py").read_bytes() == NEW_CART != CART
