"""Read what a call works on from this machine: a response with its front matter, and the file with the settings.

PyYAML, and what reads settings, are loaded only where there is something to read: a commit waits for its hook.
Pages: docs/reference/command-line.md, "front matter", and docs/reference/settings.md, "on your machine".
"""

from __future__ import annotations

import os
import stat
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import editblocks
from editblocks.core.characters import show_text
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, ConfigTextError, RepoError, reason_of
from editblocks.core.outcome import FrontMatter, Response, Source
from editblocks.core.settings import POLICY_FILE, Policy, Settings
from editblocks.faces.common.terminal import is_terminal, message
from editblocks.parsing.session_records import SESSION_BYTES

SOURCE_BYTES = SESSION_BYTES + 1  # of a source that are read; whoever plans it refuses what is longer
POLICY_BYTES = 64 * 1024  # docs/internals/security.md, "policy"
SHIPPED = "shipped"  # the folder of the wheel for files of the checkout
_PACKAGE = Path(editblocks.__file__).parent
_REPAIR = "name a file that holds the answer, or - for standard input"
_SNIFFED = 1_000  # bytes of an answer that may be UTF-16
_END = "^Z and Enter" if sys.platform == "win32" else "^D"
CLIPBOARD = "--clipboard"  # among sources, where no file is called that, as `-` is standard input
ARGUMENT = "--answer"  # what an agent hands over when it calls a tool; the result calls it stdin
_NAMES = {"-": "standard input", CLIPBOARD: "the clipboard", ARGUMENT: "the answer"}
_PASSED_ON = ("/dev/fd", "/proc/self/fd")  # what a shell makes of `<(command)` is below one of these
_KINDS = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe"}
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def read_response(source: str, limit: int) -> Response:
    """The text of a file, of stdin for `-`, or of the clipboard for `CLIPBOARD`, with its front matter.

    More than `limit` bytes are an answer only if they are a session. Raises `RepoError` if it cannot be read as UTF-8
    text, and `ConfigTextError` if a file's front matter cannot be used.
    """
    return response_in(read_source(source, SOURCE_BYTES), source, limit)


def shown_source(source: str) -> str:
    """The name of a source in messages."""
    return _NAMES.get(source, source)


def read_source(source: str, size: int) -> bytes:
    """The first bytes of a file, or of stdin for `-`. Raises `RepoError`."""
    name = shown_source(source)
    try:
        return _data(source, size)
    except FileNotFoundError as error:
        raise RepoError(f"there is no {name}; {_REPAIR}", ReasonCode.FILE_NOT_FOUND) from error
    except OSError as error:
        raise RepoError(f"{name} cannot be read: {reason_of(error)}; {_REPAIR}") from error


def response_in(data: bytes, source: str, limit: int, tell: Callable[[str], None] = message) -> Response:
    """The response in these bytes of `source`, as `read_source` gives them. Raises as its reader.

    They are cut if they are more than `limit`, unless they begin as a session does. Warnings go to `tell`.
    """
    name = shown_source(source)
    front = None
    if data.lstrip()[:1] in (b"{", b"["):
        limit = max(limit, SESSION_BYTES)
    data = data[: limit + 1]
    try:
        if len(data) > limit:  # perhaps in mid-character; it stays whole, so that the engine sees that it is too long
            text = decode(data, name, "replace")
        else:
            text = decode(data, name)
            front = front_matter(text, name, tell)
    except ConfigTextError as error:
        # What is piped or copied is mostly an answer as it was copied, in which a rule and a line like `Note: …` mean
        # nothing, and cannot be repaired there; somebody who names a file can repair it.
        if source not in _NAMES:
            raise
        tell(f"{error.message}; until then these lines are read as part of the answer")
    if source in ("-", ARGUMENT):
        place = Source("stdin", "stdin")
    elif source == CLIPBOARD:
        place = Source("clipboard", "clipboard")
    else:
        place = Source(source, "file", path=source)
    return Response(text, place, front=front)


def decode(data: bytes, name: str, errors: str = "strict") -> str:
    """The text of what is called `name`. A byte order mark of UTF-16, as Windows may write it, is obeyed.

    Raises `RepoError` for another encoding.
    """
    encoding = "utf-8"
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        encoding = "utf-16"
    elif _is_utf_16(data):
        raise RepoError(f"{name} is UTF-16 without a byte order mark; save it as UTF-8", ReasonCode.ENCODING)
    try:
        return data.decode(encoding, errors)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"{name} is not {encoding.upper()} (byte 0x{data[error.start]:02x} in line {line}); convert it first"
        raise RepoError(reason, ReasonCode.ENCODING) from error


def _is_utf_16(data: bytes) -> bool:
    """Whether every second byte of the beginning is NUL, as in UTF-16 of ASCII text."""
    even = data[:_SNIFFED:2]
    odd = data[1:_SNIFFED:2]
    if odd.count(0) == 0:
        return even.count(0) > len(even) // 2
    return even.count(0) == 0 and odd.count(0) > len(odd) // 2


def _data(source: str, size: int) -> bytes:
    if source == CLIPBOARD:
        from editblocks.faces.common.clipboard import paste

        return paste(size)
    if source == "-":
        return stdin_bytes(size)
    path = Path(source)
    if is_passed_on(source):
        with path.open("rb") as file:
            return file.read(size)
    return start_of(path, size, lambda kind: RepoError(f"{source} is {kind}; {_REPAIR}", ReasonCode.NOT_A_FILE))


def front_matter(text: str, name: str, tell: Callable[[str], None] = message) -> FrontMatter | None:
    """The front matter of a text, None if it has none."""
    if not text.startswith(("---", "\ufeff---")):
        return None
    from editblocks.config.front_matter import read_front_matter

    return read_front_matter(text, name, tell)


def hook_settings(root: Path, environ: Mapping[str, str] = os.environ, *, writes: bool = False) -> Settings:
    """The settings of a hook in the working tree at `root`. Raises `ConfigError`.

    `allow-protected` of the file counts unless the hook `writes`: one that does not says what GitHub would.
    """
    return settings_from_data(read_settings(root / POLICY_FILE, POLICY_FILE), environ, writes=writes)


def settings_from_data(
    data: bytes | None, environ: Mapping[str, str] = os.environ, branch: str = "", *, writes: bool = False
) -> Settings:
    """The settings of a hook for these bytes of `.editblocks.yml`; `branch` is where they were found."""
    return policy_of({}, environ, data, (POLICY_FILE, branch), writes=writes, trusts_file=not writes).settings


def policy_of(
    options: Mapping[str, Any],
    environ: Mapping[str, str],
    data: bytes | None,
    place: tuple[str, str],
    *,
    writes: bool,
    trusts_file: bool = False,
) -> Policy:
    """What `local_policy` gives for the bytes of a file; `place` is its name, and the branch it is on or "".

    Raises `ConfigError`. The modules that read settings are loaded only if somebody sets one.
    """
    named = [*filter(options.get, Settings._fields), *(key for key in environ if key.startswith("EDITBLOCKS_"))]
    if not data and not named:
        mode = "apply" if writes else "check"
        return Policy(Settings(mode=mode))
    from editblocks.config.policy import layer_of_file, local_policy

    in_file = layer_of_file(data, *place)
    return local_policy(options, environ, in_file, writes=writes, trusts_file=trusts_file)


def read_packaged(name: str) -> str:
    """The text of a page or example of this package, such as `docs/reference/reasons.md`.

    It is named from the top of a checkout; `pyproject.toml` lists under `force-include` what the wheel holds of these.
    """
    place = _PACKAGE / SHIPPED / name
    if not place.is_file():
        place = _PACKAGE.parents[1] / name
    return place.read_text("utf-8")


def read_settings(path: Path, name: str, *, follow: bool = False) -> bytes | None:
    """The bytes of a file with settings, None if there is none; `follow`: also of a link. Raises `ConfigError`."""
    shown = show_text(name)

    def no_file(kind: str) -> ConfigError:
        return ConfigError(f"{shown} is {kind}; put a file with the settings there")

    try:
        data = start_of(path, POLICY_BYTES + 1, no_file, follow=follow)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{shown} cannot be read: {reason_of(error)}; repair the file or its permissions") from error
    if len(data) > POLICY_BYTES:
        raise ConfigError(f"{shown} is over the limit of {POLICY_BYTES:,} bytes; shorten it")
    return data


def start_of(path: Path, size: int, no_file: Callable[[str], Exception], *, follow: bool = True) -> bytes:
    """The first bytes of a regular file. Raises `OSError`, and `no_file` with the kind of what else is there.

    A named pipe is refused, because reading it would wait in silence for a writer.
    """
    mode = path.stat(follow_symlinks=follow).st_mode
    if not stat.S_ISREG(mode):
        raise no_file(_KINDS.get(stat.S_IFMT(mode), "not a regular file"))
    flags = os.O_RDONLY | _FLAGS
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        return file.read(size)


def stdin_bytes(size: int, what: str = "answer") -> bytes:
    """At most so many bytes of standard input, which is to hold `what`. Raises `RepoError` if it is closed."""
    if sys.stdin is None:
        raise RepoError(f"standard input is closed; pipe the {what} in, or name a file")
    if is_terminal(sys.stdin):  # or it would look as if nothing happened
        message(f"paste the {what} here; to end it, press {_END} on an empty line")
    return sys.stdin.buffer.read(size)


def is_kept_nowhere(source: str) -> bool:
    """Whether a source cannot be read again: a pipe, or the clipboard."""
    return source in _NAMES or is_passed_on(source)


def is_passed_on(name: str) -> bool:
    """Whether a name is one for a file that the shell has opened: `/dev/stdin`, or what it makes of `<(command)`."""
    path = Path(name)
    return (path == Path("/dev/stdin") or str(path.parent) in _PASSED_ON) and not path.is_dir()
