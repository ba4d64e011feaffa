"""`editblocks hook install`, `uninstall` and `status`: Git's hooks without pre-commit.

A hook that is not ours is never read for what it does, overwritten, moved or removed: what to add to it is printed
instead. Page: docs/reference/hooks.md.
"""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import editblocks
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, RepoError, UsageError, reason_of
from editblocks.faces.common.exit_codes import FINE, NOT_OK
from editblocks.faces.common.locations import find_root, here, is_git_folder
from editblocks.faces.common.terminal import message, show
from editblocks.faces.hooks.script import STAGES, advice, is_ours, script
from editblocks.report.escape import visible
from editblocks.repos.files.names import from_system
from editblocks.repos.git.repository import Repository, open_repository

_SERVER = STAGES[2:]
_MOST_BYTES = 1024 * 1024  # what is longer is no script of ours
_SECONDS = 60


class HookState(Enum):
    """What is at the place of a hook."""

    INSTALLED = "installed"
    ABSENT = "not installed"
    FOREIGN = "not ours"


class Hooks(NamedTuple):
    """The folder where git looks for hooks, and the stages that a call is about. `outside`: why it is not ours."""

    folder: Path
    stages: Sequence[str]
    outside: str = ""


def install(argv: Sequence[str]) -> int:
    """Put the hooks of these stages in place; 1 if something else is there. Raises `ConfigError` and `RepoError`."""
    hooks, python = _hooks(argv), _python()
    if hooks.outside:
        message(f"{hooks.outside}, so nothing was installed; add this to the hooks there, near their tops")
        _show_lines(hooks.stages, python)
        return NOT_OK
    return _each(hooks, lambda place, state: _install(place, state, python))


def uninstall(argv: Sequence[str]) -> int:
    """Remove the hooks of these stages that are ours; 1 if something else is there. Raises as `install` does."""
    hooks = _hooks(argv)
    if hooks.outside:
        message(f"{hooks.outside}, so nothing was removed; take our lines out of the hooks there yourself")
        return NOT_OK
    return _each(hooks, _uninstall)


def status(argv: Sequence[str]) -> int:
    """A line for each stage; 0 if all of them are installed, else 1. Raises as `install` does."""
    return _each(_hooks(argv), _status)


def _each(hooks: Hooks, act: Callable[[Path, HookState], int]) -> int:
    return max([act(place, _state(place)) for place in (hooks.folder / stage for stage in hooks.stages)])


def _install(place: Path, state: HookState, python: tuple[str, str]) -> int:
    if state is HookState.FOREIGN:
        message(f"{place} is not ours, so it was left alone; add this to it, near its top")
        _show_lines([place.name], python)
        return NOT_OK
    _put(place, script(place.name, *python))
    show(f"{place.name}: installed at {visible(str(place))}\n")
    return FINE


def _uninstall(place: Path, state: HookState) -> int:
    if state is HookState.FOREIGN:
        message(f"{place} is not ours, so it was left alone; take our lines out yourself")
        return NOT_OK
    if state is HookState.INSTALLED:
        try:
            place.unlink()
        except OSError as error:
            raise _trouble(place, "removed", error) from error
    show(f"{place.name}: {'removed' if state is HookState.INSTALLED else state.value}\n")
    return FINE


def _status(place: Path, state: HookState) -> int:
    where = "" if state is HookState.ABSENT else f" at {visible(str(place))}"
    is_fine = state is HookState.INSTALLED
    next_step = "" if is_fine else f"; next: editblocks hook install --stage {place.name}"
    show(f"{place.name}: {state.value}{where}{next_step}\n")
    return FINE if is_fine else NOT_OK


def _state(place: Path) -> HookState:
    """Raises `RepoError` if what is there cannot be read."""
    try:
        mode = place.lstat()
        is_script = stat.S_ISREG(mode.st_mode) and mode.st_size <= _MOST_BYTES
        data = place.read_bytes() if is_script else b""
    except (FileNotFoundError, NotADirectoryError):
        return HookState.ABSENT
    except OSError as error:
        raise _trouble(place, "read", error) from error
    if not is_ours(data, place.name):
        return HookState.FOREIGN
    return HookState.INSTALLED if os.access(place, os.X_OK) else HookState.ABSENT  # git passes over such a one


def _put(place: Path, data: bytes) -> None:
    """Write a hook in one step, with the mode of a program. Raises `RepoError`."""
    beside = place.with_name(f"{place.name}.editblocks-{os.getpid()}")
    try:
        place.parent.mkdir(exist_ok=True)
        try:
            # 0777 and what umask leaves of it, as for any program
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777), "wb") as file:
                file.write(data)
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise _trouble(place, "written", error) from error


def _trouble(place: Path, what: str, error: OSError) -> RepoError:
    return RepoError(f"{place} cannot be {what}: {reason_of(error)}; see to its permissions")


def _hooks(argv: Sequence[str]) -> Hooks:
    """The hooks of the repository around the current directory, and the stages that are asked for, in git's order."""
    named = set(_stages(argv))
    root = find_root(here())
    if not ((root / ".git").exists() or is_git_folder(root)):
        raise ConfigError(f"{root} is in no git repository; change to one, or make one with git init")
    repository = open_repository(root)
    usual, kind = (_SERVER, "a bare repository") if repository.top is None else (STAGES[:2], "a working tree")
    for stage in sorted(named - set(usual)):
        raise UsageError(f"{stage} is not for {kind}; use --stage {'|'.join(usual)}")
    scope, value = _hooks_path(repository)
    folder, why = repository.common_dir / "hooks", "the folder of the hooks is a link"
    if scope:  # a relative one counts from where git starts hooks
        folder, why = (repository.top or repository.git_dir) / value, f"core.hooksPath ({scope}) is {value}"
    stages = [stage for stage in usual if stage in (named or usual)]
    outside = f"{why}, which leads to a folder outside this repository that others may share"
    return Hooks(folder, stages, "" if _is_inside(folder, repository) else outside)


def _hooks_path(repository: Repository) -> tuple[str, str]:
    """Scope and value of `core.hooksPath` as others set it, empty without; `~` is expanded by git.

    Every call of ours sets it as well (`repos/git/command.py`), in the scope `command`, which is left out.
    """
    answer = repository.git.ask("config", "--null", "--show-scope", "--type=path", "--get-all", "core.hooksPath")
    fields = [from_system(os.fsdecode(field)) for field in answer.split(b"\0")]
    others = [(scope, value) for scope, value in zip(fields[::2], fields[1::2], strict=False) if scope != "command"]
    scope, value = others[-1] if others else ("", "")
    if scope and not value:
        reason = f"core.hooksPath ({scope}) is empty, so git looks for hooks nowhere; name a folder, or unset it"
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    return scope, value


def _is_inside(folder: Path, repository: Repository) -> bool:
    place = folder.resolve()
    tops = [top.resolve() for top in (repository.top, repository.git_dir, repository.common_dir) if top is not None]
    return any(top in (place, *place.parents) for top in tops)


def _stages(argv: Sequence[str]) -> Iterator[str]:
    words = list(argv)
    while words:
        word = words.pop(0)
        name, is_joined, value = word.partition("=")
        if name != "--stage":
            raise UsageError(f"`{word}` is no option here; use --stage {'|'.join(STAGES)}")
        stage = value if is_joined else (words.pop(0) if words else "")
        if stage not in STAGES:
            raise UsageError(f"--stage is `{stage}`; use one of {', '.join(STAGES)}")
        yield stage


def _python() -> tuple[str, str]:
    """This Python, and a file of ours that it finds without the user's own packages; empty if it does not."""
    package = str(Path(editblocks.__file__).resolve().with_name("__main__.py"))
    if not Path(sys.executable).is_absolute() or not f"{sys.executable}{package}".isprintable():
        return "", ""
    look = [sys.executable, "-I", "-c", "import editblocks; print(editblocks.__file__)"]
    try:
        ran = subprocess.run(look, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return "", ""
    return (sys.executable, package) if ran.returncode == 0 else ("", "")


def _show_lines(stages: Sequence[str], python: tuple[str, str]) -> None:
    start = f"{shlex.quote(python[0])} -I -m editblocks" if python[0] else "editblocks"
    for stage in stages:
        show(advice(stage, start))
