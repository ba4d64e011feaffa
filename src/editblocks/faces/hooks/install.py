"""`editblocks hook install`, `uninstall` and `status`: manage git hooks without pre-commit.

A hook that editblocks did not write is never overwritten, moved or removed; the lines to add to it are printed instead.
The scripts are those in `hooks/` of the source tree. An installed script names the Python that installed it, and the
SHA-256 of its own lines, which shows that the script is ours and unchanged. Page: docs/reference/hooks.md.
"""

import os
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import editblocks
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, RepoError, UsageError
from editblocks.faces.hooks.main import GIT_HOOKS
from editblocks.faces.reading import find_root, here, read_packaged
from editblocks.faces.terminal import code_for, message, show, show_wrapped
from editblocks.report.escape import visible
from editblocks.repos.directory import explain_errors
from editblocks.repos.git.repository import Repository, is_repository, open_repository
from editblocks.repos.tree_modes import from_system

# The state of a hook.
INSTALLED = "installed"
ABSENT = "not installed"
FOREIGN = "not ours"

_READERS = GIT_HOOKS[1:]  # hooks that read lines from git on standard input, which can be read only once
_MOST_BYTES = 1024 * 1024  # no script of ours is longer
_SECONDS = 60
_MARK = re.compile(rb"\A#!/bin/sh\n# editblocks hook ([a-z-]+)(?: sha256=([0-9a-f]{64}))?\n")
_GIVEN_BACK = """\
if [ -n "$pushed" ]; then exec <<END; else exec </dev/null; fi
$pushed
END
"""


def install(argv: Sequence[str]) -> int:
    """Install the hooks of the stages in `argv`. Return 1 for a foreign hook. Raises `ConfigError` and `RepoError`."""
    states = _states(argv)
    python, package = _python()
    start = f"{shlex.quote(python)} -I -m editblocks" if python else "editblocks"
    for place, state in states.items():
        if state == FOREIGN:
            message(f"{place} was not written by editblocks, so it was left alone; add this near its top")
            show(advice(place.name, start))
        else:
            _put(place, _script(place.name, python, package))
            show_wrapped(f"{place.name}: installed at {visible(str(place))}\n")
    return code_for(FOREIGN not in states.values())


def uninstall(argv: Sequence[str]) -> int:
    """Remove our hooks of the stages in `argv`. Return 1 for a foreign hook. Raises like `install`."""
    states = _states(argv)
    for place, state in states.items():
        if state == FOREIGN:
            what = f"{place} was not written by editblocks, so it was left alone"
            message(f"{what}; remove the lines of editblocks yourself")
        elif state == INSTALLED:
            with explain_errors(str(place), "removed"):
                place.unlink()
            show_wrapped(f"{place.name}: removed\n")
        else:
            show_wrapped(f"{place.name}: {state}\n")
    return code_for(FOREIGN not in states.values())


def status(argv: Sequence[str]) -> int:
    """Print a line for each stage. Return 0 if all hooks are installed, else 1. Raises like `install`."""
    states = _states(argv)
    for place, state in states.items():
        line = f"{place.name}: {state}"
        if state != ABSENT:
            line += f" at {visible(str(place))}"
        if state != INSTALLED:
            line += f"; {next_step(place.name, state)}"
        show_wrapped(f"{line}\n")
    return code_for(set(states.values()) == {INSTALLED})


def next_step(stage: str, state: str) -> str:
    """Return what to do about a hook that is not installed."""
    command = f"editblocks hook install --stage {stage}"
    if state == FOREIGN:
        return f"`{command}` prints the lines to add to it"
    return f"next: {command}"


def advice(stage: str, start: str) -> str:
    """Return shell lines that call editblocks from another hook. `start` is the command that starts editblocks.

    They read the lines that git wrote to standard input, and restore them for the rest of that hook.
    """
    call = f"{start} hook {stage} || exit $?\n"
    if stage in _READERS:
        return f"pushed=$(cat) && printf '%s\\n' \"$pushed\" | {call}{_GIVEN_BACK}"
    return call


def _script(stage: str, python: str, package: str) -> bytes:
    """Return a hook that runs editblocks with `python` while `package` exists, or, if both are empty, from PATH."""
    try:
        text = _MARK.sub(b"", read_packaged(f"hooks/{stage}").encode())
    except OSError as error:
        reason = f"the script of {stage} is missing from this installation; install editblocks again"
        raise RepoError(reason, ReasonCode.BAD_CONFIG) from error
    if python:
        for name, value in (("python", python), ("package", package)):
            line = os.fsencode(f"\n{name}={shlex.quote(value)}\n")
            text = text.replace(f"\n{name}=\n".encode(), line, 1)
    return b"#!/bin/sh\n# editblocks hook %s sha256=%s\n%s" % (stage.encode(), sha256(text).hexdigest().encode(), text)


def _state(place: Path) -> str:
    """Return the state of a hook. It is ours if `_script`, of any version, wrote it and it is unchanged."""
    with explain_errors(str(place), "read"), suppress(FileNotFoundError, NotADirectoryError):
        mode = place.lstat()
        if not stat.S_ISREG(mode.st_mode) or mode.st_size > _MOST_BYTES:
            return FOREIGN
        data = place.read_bytes()
        mark = _MARK.match(data)
        if mark is None or mark.groups() != (place.name.encode(), sha256(data[mark.end() :]).hexdigest().encode()):
            return FOREIGN
        return INSTALLED if os.access(place, os.X_OK) else ABSENT  # git ignores a hook that is not executable
    return ABSENT


def _put(place: Path, data: bytes) -> None:
    """Write a hook atomically, as an executable file. Raises `RepoError`."""
    temporary = place.with_name(f"{place.name}.editblocks-{os.getpid()}")
    with explain_errors(str(place), "written"):
        place.parent.mkdir(exist_ok=True)
        try:
            # 0777 minus the umask, as for any program
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777), "wb") as file:
                file.write(data)
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)


def _states(argv: Sequence[str]) -> dict[Path, str]:
    """Return the paths of the hooks of the stages in `argv`, with their states, in the order of `GIT_HOOKS`."""
    return hook_states(find_root(here()), set(_stages(argv)))


def hook_states(root: Path, stages: Collection[str] = ()) -> dict[Path, str]:
    """Return the paths of the hooks of a repository, with their states, in the order of `GIT_HOOKS`.

    `stages`: only these. Raises `ConfigError`, `RepoError`, and `UsageError` for a stage that does not fit.
    """
    if not is_repository(root):
        raise ConfigError(f"{root} is not in a git repository; change to one, or make one with git init")
    repository = open_repository(root)
    usual: Sequence[str] = GIT_HOOKS[:2]
    kind = "a working tree"
    if repository.top is None:
        usual = GIT_HOOKS[2:]
        kind = "a bare repository"
    unusual = sorted(set(stages).difference(usual))
    if unusual:
        raise UsageError(f"{unusual[0]} is not for {kind}; use --stage {'|'.join(usual)}")
    folder = _hooks_folder(repository)
    tops = {top.resolve() for top in (repository.top, repository.git_dir, repository.common_dir) if top is not None}
    if tops.isdisjoint((folder.resolve(), *folder.resolve().parents)):
        what = f"hooks are in {folder.resolve()}, a folder outside this repository that others may share"
        raise ConfigError(f"{what}; set core.hooksPath of this repository to a folder in it")
    return {folder / stage: _state(folder / stage) for stage in usual if stage in (stages or usual)}


def _hooks_folder(repository: Repository) -> Path:
    """Return where git looks for hooks. The scope `command` is ignored, because our calls of git set the path there."""
    answer = repository.git.ask("config", "--null", "--show-scope", "--type=path", "--get-all", "core.hooksPath")
    fields = [from_system(os.fsdecode(field)) for field in answer.split(b"\0")]
    others = [(scope, value) for scope, value in zip(fields[::2], fields[1::2], strict=False) if scope != "command"]
    if not others:
        return repository.common_dir / "hooks"
    scope, value = others[-1]
    if not value:
        reason = f"core.hooksPath ({scope}) is empty, so git finds no hooks; name a folder, or unset it"
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    return (repository.top or repository.git_dir) / value  # a relative path starts where git runs hooks


def _stages(argv: Sequence[str]) -> Iterator[str]:
    words = (part for word in argv for part in word.split("=", 1))
    for option in words:
        if option != "--stage":
            raise UsageError(f"`{option}` is not an option here; use --stage {'|'.join(GIT_HOOKS)}")
        stage = next(words, "")
        if stage not in GIT_HOOKS:
            raise UsageError(f"--stage is `{stage}`; use one of {', '.join(GIT_HOOKS)}")
        yield stage


def _python() -> tuple[str, str]:
    """Return this Python and our `__main__.py`, or two empty strings if `python -I` cannot import editblocks."""
    package = str(Path(editblocks.__file__).resolve().with_name("__main__.py"))
    if not Path(sys.executable).is_absolute() or not f"{sys.executable}{package}".isprintable():
        return "", ""
    look = [sys.executable, "-I", "-c", "import editblocks"]
    try:
        subprocess.run(look, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return "", ""
    return sys.executable, package
