"""Read a response with its front matter, the settings, and the repository around the folder of the command.

A response is read from a file, from stdin or from the clipboard. The system's own programs read the clipboard, and also
write it for `copy`. PyYAML and the modules for settings are loaded only if needed, because a commit waits for its hook.
Pages: docs/reference/command-line.md, "front matter", and docs/reference/settings.md, "on your machine".
"""

import os
import stat
import subprocess
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import editblocks
from editblocks.core.characters import show_text
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, ConfigTextError, RepoError, UsageError, reason_of
from editblocks.core.outcome import FrontMatter, Response, Source
from editblocks.core.settings import POLICY_FILE, Policy, Settings
from editblocks.faces.terminal import is_terminal, message
from editblocks.parsing.session_records import SESSION_BYTES
from editblocks.report.escape import shell_word
from editblocks.repos.git.repository import find_program, is_in_git_folder

SOURCE_BYTES = SESSION_BYTES + 1  # read of a source; planning refuses a longer one
CLIPBOARD = "--clipboard"  # the source that means the clipboard; no file can have this name
ARGUMENT = "--answer"  # the source that means the argument of a tool call; results call it stdin
# The sources that are no files, with their names in messages.
_NOT_FILES = {"-": "standard input", CLIPBOARD: "the clipboard", ARGUMENT: "the answer"}
_SHELL_FOLDERS = ("/dev/fd", "/proc/self/fd")  # a shell replaces `<(command)` with a name below one of these
_REPAIR = "name a file that holds the answer, or - for standard input"
_SNIFFED = 1_000  # bytes of an answer in which UTF-16 is looked for
_END = "^Z and Enter" if sys.platform == "win32" else "^D"
_KINDS = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe"}
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def read_response(source: str, limit: int) -> Response:
    """Read a response from a file, from stdin for `-`, or from the clipboard for `CLIPBOARD`, with its front matter.

    Only a session may have more than `limit` bytes. Raises `RepoError` if it cannot be read as UTF-8 text, and
    `ConfigTextError` if a file's front matter cannot be used.
    """
    return response_in(read_source(source, SOURCE_BYTES), source, limit)


def response_in(data: bytes, source: str, limit: int, warn: Callable[[str], None] = message) -> Response:
    """Make the response from the bytes of `source`, as `read_source` returns them. Raises as `read_response` does.

    More than `limit` bytes are cut, unless they begin like a session. Warnings go to `warn`.
    """
    name = shown_source(source)
    front = None
    if data.lstrip()[:1] in (b"{", b"["):
        limit = max(limit, SESSION_BYTES)
    data = data[: limit + 1]
    try:
        if len(data) > limit:  # maybe within a character; enough is left for the engine to see that it is too long
            text = decode(data, name, "replace")
        else:
            text = decode(data, name)
            front = front_matter(text, name, warn)
    except ConfigTextError as error:
        # Text from a pipe or the clipboard is mostly a copied answer. A rule and a line like `Note: …` in it are not
        # front matter, and its user could not repair them; the user of a file can.
        if source not in _NOT_FILES:
            raise
        warn(f"{error.message}; until then these lines are read as part of the answer")
    if source in ("-", ARGUMENT):
        place = Source("stdin", "stdin")
    elif source == CLIPBOARD:
        place = Source("clipboard", "clipboard")
    else:
        place = Source(source, "file", path=source)
    return Response(text, place, front=front)


def read_source(source: str, size: int) -> bytes:
    """Read the first bytes of a file, or of stdin for `-`. Raises `RepoError`."""
    name = shown_source(source)
    try:
        return _read(source, size)
    except FileNotFoundError as error:
        raise RepoError(f"there is no {name}; {_REPAIR}", ReasonCode.FILE_NOT_FOUND) from error
    except OSError as error:
        raise RepoError(f"{name} cannot be read: {reason_of(error)}; {_REPAIR}") from error


def shown_source(source: str) -> str:
    """Return the name of a source for messages."""
    return _NOT_FILES.get(source, source)


def _read(source: str, size: int) -> bytes:
    if source == CLIPBOARD:
        return paste(size)
    if source == "-":
        return stdin_bytes(size)
    path = Path(source)
    if is_opened_by_shell(source):
        with path.open("rb") as file:
            return file.read(size)
    return start_of(path, size, lambda kind: RepoError(f"{source} is {kind}; {_REPAIR}", ReasonCode.NOT_A_FILE))


def start_of(path: Path, size: int, no_file: Callable[[str], Exception], *, follow: bool = True) -> bytes:
    """Read the first bytes of a regular file. Raises `OSError`, and `no_file(kind)` if it is something else.

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
    """Read at most `size` bytes from standard input. `what`: the noun for them. Raises `RepoError` if it is closed."""
    if sys.stdin is None:
        raise RepoError(f"standard input is closed; pipe the {what} in, or name a file")
    if is_terminal(sys.stdin):  # without a message, the program would seem to hang
        message(f"paste the {what} here; to end it, press {_END} on an empty line")
    return sys.stdin.buffer.read(size)


def is_read_once(source: str) -> bool:
    """Whether a source may not be there a second time: a pipe, the clipboard or an argument."""
    return source in _NOT_FILES or is_opened_by_shell(source)


def is_opened_by_shell(name: str) -> bool:
    """Whether a name means a file that the shell has opened: `/dev/stdin`, or the name in place of `<(command)`."""
    path = Path(name)
    return (path == Path("/dev/stdin") or str(path.parent) in _SHELL_FOLDERS) and not path.is_dir()


def decode(data: bytes, name: str, errors: str = "strict") -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark, as Windows writes it. Raises `RepoError` for other encodings.

    `name` is used in the message.
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
    """Whether the bytes are pairs, of which most at the start have the same half NUL, as ASCII text in UTF-16."""
    if len(data) % 2:
        return False
    even = data[:_SNIFFED:2]
    odd = data[1:_SNIFFED:2]
    if odd.count(0) == 0:
        return even.count(0) > len(even) // 2
    return even.count(0) == 0 and odd.count(0) > len(odd) // 2


def front_matter(text: str, name: str, warn: Callable[[str], None] = message) -> FrontMatter | None:
    """Read the front matter of a text; None if it has none."""
    if not text.startswith(("---", "\ufeff---")):
        return None
    from editblocks.config.policy import read_front_matter

    return read_front_matter(text, name, warn)


# the clipboard
NO_TOOL = "no tool reaches a clipboard here; install wl-clipboard, xclip or xsel, which need a display, or use a pipe"
_TOOL_SECONDS = 10.0  # a tool may wait for a display that does not answer
_WINDOWS = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"
# The commands that copy to a clipboard, each with the one that pastes. The first pair that is installed is used.
_TOOLS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("pbcopy",): ("pbpaste",),
    ("wl-copy", "--type", "text/plain"): ("wl-paste", "--no-newline", "--type", "text"),
    ("xclip", "-selection", "clipboard"): ("xclip", "-selection", "clipboard", "-out"),
    ("xsel", "--clipboard", "--input"): ("xsel", "--clipboard", "--output"),
    ("clip.exe",): ("powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _WINDOWS),
}
_DISPLAYS = {"wl-copy": "WAYLAND_DISPLAY", "xclip": "DISPLAY", "xsel": "DISPLAY"}  # variables that they need


def paste(size: int, seconds: float = _TOOL_SECONDS) -> bytes:
    """Return the first `size` bytes of the text in the clipboard.

    Raises `UsageError` if there is no tool, and `RepoError` if it fails or the clipboard is empty.
    """
    data = _run_tool(_TOOLS[_copying_command()], "read", b"", seconds)
    if not data.strip():
        raise RepoError("the clipboard holds no text; copy the answer first")
    return data[:size]


def copy(text: str, seconds: float = _TOOL_SECONDS) -> None:
    """Put a text into the clipboard. Raises as `paste` does."""
    command = _copying_command()
    encoding = "utf-16-le" if command[0] == "clip.exe" else "utf-8"
    _run_tool(command, "written", text.encode(encoding, "replace"), seconds)


def _copying_command() -> tuple[str, ...]:
    """Return the command that copies. Raises `UsageError` if there is none."""
    command = find_tool()
    if command is None:
        raise UsageError(NO_TOOL)
    return command


def find_tool() -> tuple[str, ...] | None:
    """Return the first command that copies to a clipboard, is installed and can reach one."""
    for copying, pasting in _TOOLS.items():
        variable = _DISPLAYS.get(copying[0])
        has_display = variable is None or os.environ.get(variable)
        if has_display and _program(copying[0]) and _program(pasting[0]):
            return copying
    return None


def _program(name: str) -> str | None:
    return find_program(name, os.environ.get("PATH", os.defpath), find_root(here()))


def _run_tool(command: Sequence[str], what: str, given: bytes, seconds: float) -> bytes:
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


# settings
POLICY_BYTES = 64 * 1024  # docs/internals/security.md, "policy"


def hook_settings(root: Path, environ: Mapping[str, str] = os.environ, *, writes: bool = False) -> Settings:
    """Read the settings of a hook in the working tree at `root`. Raises `ConfigError`.

    `allow-protected` in the file is used only if the hook does not write: such a hook says what GitHub would say.
    """
    return settings_from_data(read_settings(root / POLICY_FILE, POLICY_FILE), environ, writes=writes)


def settings_from_data(
    data: bytes | None, environ: Mapping[str, str] = os.environ, branch: str = "", *, writes: bool = False
) -> Settings:
    """Read the settings of a hook from the bytes of `.editblocks.yml` on `branch`."""
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
    """Return `local_policy` for the bytes of a settings file. `place`: its name, and its branch or "".

    Raises `ConfigError`. The modules that read settings are loaded only if there is a setting to read.
    """
    has_option = any(options.get(name) for name in Settings._fields)
    has_variable = any(key.startswith("EDITBLOCKS_") for key in environ)
    if not (data or has_option or has_variable):
        mode = "apply" if writes else "check"
        return Policy(Settings(mode=mode))
    from editblocks.config.policy import layer_of_file, local_policy

    in_file = layer_of_file(data, *place)
    return local_policy(options, environ, in_file, writes=writes, trusts_file=trusts_file)


def read_settings(path: Path, name: str, *, follow: bool = False) -> bytes | None:
    """Read a file with settings; None if there is none. `follow`: it may be a link. Raises `ConfigError`."""
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


# folders, of this package and of the command
SHIPPED = "shipped"  # the folder of the wheel that holds files of the checkout
_PACKAGE = Path(editblocks.__file__).parent


def read_packaged(name: str) -> str:
    """Read a page or example that this package brings, such as `docs/reference/reasons.md`.

    `name` is its path in a checkout. `pyproject.toml` lists under `force-include` which of them are in the wheel.
    """
    place = _PACKAGE / SHIPPED / name
    if not place.is_file():
        place = _PACKAGE.parents[1] / name
    return place.read_text("utf-8")


def here() -> Path:
    """Return the current directory. Raises `RepoError` if it was removed."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise RepoError("this folder no longer exists; change to one that exists") from error


def find_root(start: Path) -> Path:
    """Return the top of the repository around `start`, from which blocks name paths; `start` if there is none."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return start


def root_of(option: str | None) -> Path:
    """Return the folder that `--root` names, or the top of the repository around the current directory.

    Raises `UsageError` for a folder below the top of a repository, because undo records, settings and protected paths
    use paths from the top.
    """
    if option == "":
        raise UsageError("--root is empty; name a folder")
    root = find_root(here()) if option is None else Path(option)
    if not root.is_dir():
        raise UsageError(f"{root} is not a folder; name one with --root")
    place = root.resolve()
    top = find_root(place)
    if option is None or top == place or is_in_git_folder(place):
        return root
    advice = f"use --root {shell_word(str(top))}"
    if top == find_root(here()):
        advice = "leave --root out"
    raise UsageError(f"--root {root} is inside the repository {top}, and paths start at its top; {advice}")


def root_option(root: Path) -> tuple[str, ...]:
    """Return the `--root` that a next command needs for the files below `root`; empty if it finds them without."""
    return () if root == find_root(here()) else ("--root", str(root))


def path_below(root: Path, name: str) -> str | None:
    """Return the path of a file from `root`, as blocks name it; None if it is not below `root`."""
    place = Path(name).absolute()
    with suppress(ValueError):
        return (place.parent.resolve() / place.name).relative_to(root.resolve()).as_posix()
    return None
