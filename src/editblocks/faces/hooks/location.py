"""Where git looks for the hooks of a repository, and the file there for one stage.

`core.hooksPath` counts as git means it, but never further than the repository: a folder outside of it serves other
repositories, too.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, reason_of
from editblocks.faces.common.locations import kind
from editblocks.faces.hooks.script import HookState, whose
from editblocks.repos.files.names import from_system
from editblocks.repos.git.process import through_subprocess
from editblocks.repos.git.repository import Repository, open_repository

_MOST_BYTES = 1024 * 1024  # what is longer is no script of ours
_NOT_STARTED = {HookState.OURS: HookState.OUTDATED, HookState.CALLING: HookState.FOREIGN}  # what a hook is then
_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0)  # a FIFO is opened without waiting for a writer


@dataclass(frozen=True, slots=True)
class Hooks:
    """The folder of the hooks. `shared`: how it leads out of the repository, in words, or None."""

    folder: Path
    is_bare: bool
    shared: str | None = None

    def hook(self, stage: str) -> Path:
        """Where git looks for the hook of a stage."""
        return self.folder / stage


def hooks_of(root: Path) -> Hooks:
    """The hooks of the repository whose top or bare folder is `root`. Raises `RepoError`."""
    repository = open_repository(root, launch=through_subprocess)
    scope, value = _hooks_path(repository)
    folder, problem = repository.common_dir / "hooks", "the folder of the hooks is a link"
    if scope:  # a relative one counts from where git starts hooks
        folder, problem = (repository.top or repository.git_dir) / value, f"core.hooksPath ({scope}) is {value}"
    is_bare, is_inside = repository.top is None, _is_inside(folder, repository)
    return Hooks(folder, is_bare, None if is_inside else f"{problem}, which leads to a folder outside this repository")


def whose_hook(place: Path, stage: str) -> HookState:
    """Whose the hook at `place` is. Raises `RepoError` if it cannot be read."""
    try:
        with os.fdopen(os.open(place, os.O_RDONLY | _NOT_BLOCKING), "rb") as file:
            status = os.fstat(file.fileno())
            data = file.read(_MOST_BYTES) if stat.S_ISREG(status.st_mode) else b""
    except FileNotFoundError:
        return HookState.FOREIGN if place.is_symlink() else HookState.NOBODYS
    except NotADirectoryError:
        return HookState.NOBODYS
    except IsADirectoryError:
        return HookState.FOREIGN
    except OSError as error:
        raise trouble(place, "read", error) from error
    state = whose(data, stage)
    return state if is_started(place) else _NOT_STARTED.get(state, state)


def is_started(place: Path) -> bool:
    """Whether git starts a hook: it passes over one that may not be executed."""
    return os.access(place, os.X_OK)


def no_script(place: Path) -> str | None:
    """What stands in the place of a hook and cannot be one, in words; None for a file, a link to one, or nothing."""
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        return "a link to nothing" if place.is_symlink() else None
    except NotADirectoryError:
        return None
    except OSError as error:
        raise trouble(place, "read", error) from error
    return None if stat.S_ISREG(mode) else kind(mode)


def put(place: Path, data: bytes) -> None:
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
        raise trouble(place, "written", error) from error


def remove(place: Path) -> None:
    """Take a hook away. Raises `RepoError`."""
    try:
        place.unlink()
    except OSError as error:
        raise trouble(place, "removed", error) from error


def trouble(place: Path, what: str, error: OSError) -> RepoError:
    """The sentence for what the system said."""
    return RepoError(f"{place} cannot be {what}: {reason_of(error)}; see to its permissions")


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
