"""Read a response for the command line, from a file or standard input, together with its front matter."""

from __future__ import annotations

import sys
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigTextError, RepoError, reason_of
from editblocks.core.outcome import FrontMatter, Response, Source
from editblocks.faces.common.locations import read_start
from editblocks.faces.common.terminal import is_terminal, message

_REPAIR = "name a file that holds the response, or - for standard input"
_END = "^Z and Enter" if sys.platform == "win32" else "^D"
_PASSED_ON = ("/dev/fd", "/proc/self/fd")  # what a shell makes of `<(command)` is below one of these


def read_response(source: str, limit: int) -> Response:
    """The text of a file, or of stdin for `-`, with its front matter.

    No more than `limit` bytes and one are read: the engine refuses what is longer. Raises `RepoError` if it cannot be
    read as UTF-8 text, and `ConfigTextError` if a file's front matter cannot be used.
    """
    name = "standard input" if source == "-" else source
    try:
        data = _stdin(limit + 1) if source == "-" else _start_of(source, limit + 1)
    except FileNotFoundError as error:
        raise RepoError(f"there is no {name}; {_REPAIR}", ReasonCode.FILE_NOT_FOUND) from error
    except OSError as error:
        raise RepoError(f"{name} cannot be read: {reason_of(error)}; {_REPAIR}") from error
    is_cut = len(data) > limit  # perhaps in mid-character; it stays whole, so that the engine sees that it is too long
    try:
        text = data.decode("utf-8", "replace" if is_cut else "strict")
        front = None if is_cut else front_matter(text, name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"{name} is not UTF-8 (byte 0x{data[error.start]:02x} in line {line}); convert it first"
        raise RepoError(reason, ReasonCode.ENCODING) from error
    except ConfigTextError as error:
        # What is piped is mostly an answer as it was copied, in which a rule and a line like `Note: …` mean
        # nothing, and cannot be repaired there; somebody who names a file can repair it.
        if source != "-":
            raise
        front = None
        message(f"{error.message}; until then these lines are read as part of the answer")
    where = Source("stdin", "stdin") if source == "-" else Source(source, "file", path=source)
    return Response(text, where, front=front)


def front_matter(text: str, name: str) -> FrontMatter | None:
    """What `read_front_matter` gives; a YAML parser is loaded only for a text that may have some."""
    if not text.startswith(("---", "\ufeff---")):
        return None
    from editblocks.config.front_matter import read_front_matter

    return read_front_matter(text, name, message)


def _stdin(size: int) -> bytes:
    if sys.stdin is None:
        raise RepoError("standard input is closed; pipe the response in, or name a file")
    if is_terminal(sys.stdin):  # or it would look as if nothing happened
        message(f"paste the response here; {_END} on a line of its own ends it")
    return sys.stdin.buffer.read(size)


def _start_of(name: str, size: int) -> bytes:
    path = Path(name)
    if (path == Path("/dev/stdin") or str(path.parent) in _PASSED_ON) and not path.is_dir():
        with path.open("rb") as file:
            return file.read(size)
    return read_start(path, size, lambda kind: RepoError(f"{name} is {kind}; {_REPAIR}", ReasonCode.NOT_A_FILE))
