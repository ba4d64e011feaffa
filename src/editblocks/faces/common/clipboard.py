"""The clipboard of this machine, through the system's own tool: fixed arguments, bytes through pipes, a time-out.

Page: docs/reference/command-line.md, "the clipboard".
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from threading import Thread
from typing import NamedTuple

from editblocks.core.errors import RepoError, UsageError, reason_of
from editblocks.faces.common.locations import find_root, here
from editblocks.repos.git.command import find_program, printable

SECONDS = 10.0  # a tool that waits for a display which hangs should end

_WINDOWS = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"


class Tool(NamedTuple):
    """How one program is called. `needs`: the variable without which there is no clipboard that it could reach."""

    copies: Sequence[str]
    pastes: Sequence[str]
    needs: str = ""
    encoding: str = "utf-8"  # of what it copies


TOOLS = (  # the first that is there is used
    Tool(("pbcopy",), ("pbpaste",)),
    Tool(("wl-copy", "--type", "text/plain"), ("wl-paste", "--no-newline", "--type", "text"), "WAYLAND_DISPLAY"),
    Tool(("xclip", "-selection", "clipboard"), ("xclip", "-selection", "clipboard", "-out"), "DISPLAY"),
    Tool(("xsel", "--clipboard", "--input"), ("xsel", "--clipboard", "--output"), "DISPLAY"),
    Tool(("clip.exe",), ("powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _WINDOWS), "", "utf-16-le"),
)


def paste(size: int, seconds: float = SECONDS) -> bytes:
    """The first `size` bytes of the text in the clipboard.

    Raises `UsageError` if there is no tool, and `RepoError` if it fails or the clipboard is empty.
    """
    stop = time.monotonic() + seconds
    data = b""

    def read() -> None:
        nonlocal data
        if process.stdout is not None:
            data = process.stdout.read(size)

    with _started(_tool().pastes, "read", (subprocess.DEVNULL, subprocess.PIPE), seconds) as process:
        reader = Thread(target=read, daemon=True)  # since Windows cannot wait for a pipe with a time limit
        reader.start()
        reader.join(seconds)
        if reader.is_alive():
            raise subprocess.TimeoutExpired(process.args, seconds)
        if len(data) < size:
            process.wait(max(0.0, stop - time.monotonic()))
    if not data.strip():
        raise RepoError("the clipboard holds no text; copy the answer first")
    return data


def copy(text: str, seconds: float = SECONDS) -> None:
    """Put a text into the clipboard. Raises what `paste` does."""
    tool = _tool()
    with _started(tool.copies, "written", (subprocess.PIPE, subprocess.DEVNULL), seconds) as process:
        process.communicate(text.encode(tool.encoding, "replace"), seconds)


def find_tool() -> Tool | None:
    """The first tool that is installed and can reach a clipboard."""
    return next((tool for tool in _installed() if not tool.needs or os.environ.get(tool.needs)), None)


def why_no_tool() -> str:
    """Why there is no tool that can reach a clipboard, and what to do."""
    tool = next(_installed(), None)
    if tool is None:
        return "no tool for the clipboard was found; install wl-clipboard, xclip or xsel, or use a pipe"
    return f"{tool.copies[0]} cannot reach a clipboard, because {tool.needs} is not set; use a pipe"


def _installed() -> Iterator[Tool]:
    for tool in TOOLS:
        if all(_program(command[0]) for command in (tool.copies, tool.pastes)):
            yield tool


def _tool() -> Tool:
    tool = find_tool()
    if tool is not None:
        return tool
    raise UsageError(why_no_tool())


def _program(name: str) -> str | None:
    return find_program(name, os.environ.get("PATH", os.defpath), find_root(here()))


@contextmanager
def _started(
    command: Sequence[str], what: str, streams: tuple[int, int], seconds: float
) -> Iterator[subprocess.Popen[bytes]]:
    """A tool at work, which has to end well within `seconds`; `what`: read or written. Raises `RepoError`.

    It gets a session of its own: xclip and wl-copy stay to hand the text out, and ^C at our terminal is not for them.
    What they say goes into a file, because such a one keeps a pipe open.
    """
    name = command[0]
    fault = ""
    environment = dict(os.environ)
    if name.startswith("pb"):  # without a locale of UTF-8, the tools of macOS take bytes for another encoding
        environment["LC_ALL"] = "en_US.UTF-8"
    with TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                [_program(name) or os.devnull, *command[1:]],
                stdin=streams[0], stdout=streams[1], stderr=errors, env=environment, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise RepoError(f"{name} cannot be started: {reason_of(error)}; use a pipe instead") from error
        try:
            yield process
            if process.returncode:
                fault = f"ended with {process.returncode}"
        except subprocess.TimeoutExpired:
            fault = f"did not end within {seconds:g} s"
        except BrokenPipeError:
            fault = "did not accept the text"
        finally:
            if process.poll() is None:  # it was given up, or has handed out enough
                process.kill()
                process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
        errors.seek(0)
        words = printable(errors.read(1000).decode("utf-8", "replace").partition("\n")[0])
    if words:
        words = f" and says: {words}"
    if fault:
        raise RepoError(f"the clipboard cannot be {what}: {name} {fault}{words}; use a pipe instead")
