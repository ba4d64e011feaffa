"""Use the clipboard through a tool of the system, with fixed arguments and a time-out.

Page: docs/reference/command-line.md, "the clipboard".
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from editblocks.core.errors import RepoError, UsageError, reason_of
from editblocks.faces.common.reading import find_root, here
from editblocks.repos.git.repository import find_program

SECONDS = 10.0  # a tool may wait for a display that does not answer
NO_TOOL = "no tool reaches a clipboard here; install wl-clipboard, xclip or xsel, which need a display, or use a pipe"

_WINDOWS = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"


class Program(NamedTuple):
    """How to call one program. `needs`: the environment variable without which it cannot reach a clipboard."""

    copies: Sequence[str]
    pastes: Sequence[str]
    needs: str = ""
    encoding: str = "utf-8"  # of the text that it copies


TOOLS = (  # the first one that is installed is used
    Program(("pbcopy",), ("pbpaste",)),
    Program(("wl-copy", "--type", "text/plain"), ("wl-paste", "--no-newline", "--type", "text"), "WAYLAND_DISPLAY"),
    Program(("xclip", "-selection", "clipboard"), ("xclip", "-selection", "clipboard", "-out"), "DISPLAY"),
    Program(("xsel", "--clipboard", "--input"), ("xsel", "--clipboard", "--output"), "DISPLAY"),
    Program(("clip.exe",), ("powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _WINDOWS), "", "utf-16-le"),
)


def paste(size: int, seconds: float = SECONDS) -> bytes:
    """Return the first `size` bytes of the text in the clipboard.

    Raises `UsageError` if there is no tool, and `RepoError` if it fails or the clipboard is empty.
    """
    data = _run(_tool().pastes, "read", b"", seconds)
    if not data.strip():
        raise RepoError("the clipboard holds no text; copy the answer first")
    return data[:size]


def copy(text: str, seconds: float = SECONDS) -> None:
    """Put a text into the clipboard. Raises as `paste` does."""
    tool = _tool()
    _run(tool.copies, "written", text.encode(tool.encoding, "replace"), seconds)


def find_tool() -> Program | None:
    """Return the first tool that is installed and can reach a clipboard."""
    for tool in TOOLS:
        has_display = not tool.needs or os.environ.get(tool.needs)
        if has_display and all(_program(command[0]) for command in (tool.copies, tool.pastes)):
            return tool
    return None


def _tool() -> Program:
    tool = find_tool()
    if tool is not None:
        return tool
    raise UsageError(NO_TOOL)


def _program(name: str) -> str | None:
    return find_program(name, os.environ.get("PATH", os.defpath), find_root(here()))


def _run(command: Sequence[str], what: str, given: bytes, seconds: float) -> bytes:
    """Run a tool and return what it prints. `what`: `read` or `written`, for the message. Raises `RepoError`.

    xclip and wl-copy go on running to hand out the text. So they get a session of their own, in which Ctrl-C at our
    terminal does not reach them, and files instead of pipes, which they would keep open.
    """
    name = command[0]
    output = subprocess.PIPE if what == "read" else subprocess.DEVNULL
    environment = dict(os.environ)
    if name.startswith("pb"):  # without a UTF-8 locale, the tools of macOS assume another encoding
        environment["LC_ALL"] = "en_US.UTF-8"
    try:
        done = subprocess.run(
            [_program(name) or os.devnull, *command[1:]],
            input=given, stdout=output, stderr=subprocess.DEVNULL, env=environment, start_new_session=True,
            timeout=seconds, check=True,
        )  # fmt: skip
    except OSError as error:
        raise RepoError(f"{name} cannot be started: {reason_of(error)}; use a pipe instead") from error
    except subprocess.SubprocessError as error:
        fault = f"did not end within {seconds:g} s"
        if isinstance(error, subprocess.CalledProcessError):
            fault = f"ended with {error.returncode}"
        raise RepoError(f"the clipboard cannot be {what}: {name} {fault}; use a pipe instead") from error
    return done.stdout or b""
