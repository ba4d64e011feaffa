"""`editblocks hook install`, `uninstall` and `status`: Git's hooks without pre-commit.

A hook that is not ours is never overwritten, moved or removed: what to add to it is printed instead. Page:
docs/reference/hooks.md.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import editblocks
from editblocks.core.errors import ConfigError, UsageError
from editblocks.faces.common.exit_codes import FINE, NOT_OK
from editblocks.faces.common.locations import find_root, here, is_git_folder
from editblocks.faces.common.terminal import message, show
from editblocks.faces.hooks.location import Hooks, hooks_of, is_started, no_script, put, remove, whose_hook
from editblocks.faces.hooks.script import STAGES, HookState, advice, script
from editblocks.report.escape import visible

SERVER = "pre-receive"
_AT_WORK = (HookState.OURS, HookState.CALLING)
_SECONDS = 60
_INSTEAD = (
    "for this repository alone, set core.hooksPath here to a folder in it; "
    "for all of them, add this to the hooks there, each to that of its name"
)


def install(argv: Sequence[str]) -> int:
    """Put the hooks of these stages in place; 1 if one of them is not ours. Raises `ConfigError` and `RepoError`."""
    hooks, stages = _hooks_and_stages(argv)
    python = _python()
    if hooks.shared is None:
        return _worst(_install(hooks.hook(stage), stage, python) for stage in stages)
    missing = [stage for stage in stages if whose_hook(hooks.hook(stage), stage) not in _AT_WORK]
    if missing:
        message(f"{hooks.shared} that others may share, so nothing was installed; {_INSTEAD}")
        _show_lines(missing, python)
        return NOT_OK
    return status(argv)


def uninstall(argv: Sequence[str]) -> int:
    """Remove the hooks of these stages that are ours; 1 if one was changed since. Raises as `install` does."""
    hooks, stages = _hooks_and_stages(argv)
    if hooks.shared is not None:
        message(f"{hooks.shared} that others may share, so nothing was removed; take our lines out yourself")
        return NOT_OK
    return _worst(_uninstall(hooks.hook(stage), stage) for stage in stages)


def status(argv: Sequence[str]) -> int:
    """A line for each stage; 0 if git starts all of them, as they are now, else 1. Raises as `install` does."""
    hooks, stages = _hooks_and_stages(argv)
    return _worst(_status(hooks.hook(stage), stage, is_shared=hooks.shared is not None) for stage in stages)


def _install(place: Path, stage: str, python: tuple[str, str]) -> int:
    state, data = whose_hook(place, stage), script(stage, *python)
    if state is HookState.CALLING:
        return _status(place, stage)
    why = _in_the_way(place, state)
    if why is not None:
        message(f"{place} {why}, so it was left alone; move it away, then try again")
        return NOT_OK
    if state is HookState.FOREIGN:
        more = "" if is_started(place) else ", and chmod +x it, as git passes it over"
        message(f"{place} is not ours, so it was left alone; add this to it, near its top{more}")
        _show_lines([stage], python)
        return NOT_OK
    put(place, data)
    show(f"{stage}: {'installed' if state is HookState.NOBODYS else 'installed again'} at {visible(str(place))}\n")
    return FINE


def _in_the_way(place: Path, state: HookState) -> str | None:
    """Why a hook cannot be installed, if adding our line to the existing hook would not help."""
    what = no_script(place)
    if what is not None:
        return f"is {what}, from which git starts nothing"
    return "was changed since it was installed" if state is HookState.CHANGED else None


def _uninstall(place: Path, stage: str) -> int:
    state = whose_hook(place, stage)
    if state in (HookState.CHANGED, HookState.CALLING):
        why = "was changed since it was installed" if state is HookState.CHANGED else "is not ours"
        message(f"{place} {why}, so it was left alone; take our lines out yourself")
        return NOT_OK
    if state in (HookState.OURS, HookState.OUTDATED):
        remove(place)
        show(f"{stage}: removed from {visible(str(place))}\n")
    else:
        show(f"{stage}: {'not installed' if state is HookState.NOBODYS else 'not ours, and left alone'}\n")
    return FINE


def _status(place: Path, stage: str, *, is_shared: bool = False) -> int:
    state = whose_hook(place, stage)
    where = "" if state is HookState.NOBODYS else f" at {visible(str(place))}"
    if state in _AT_WORK:
        show(f"{stage}: {state.value}{where}\n")
        return FINE
    next_step = f"editblocks hook install --stage {stage}"
    if _in_the_way(place, state) is not None:
        next_step = f"move it away, then {next_step}"
    elif state is HookState.FOREIGN or is_shared:
        next_step = f"add what this prints to the hook: {next_step}"
    show(f"{stage}: {state.value}{where}; next: {next_step}\n")
    return NOT_OK


def _hooks_and_stages(argv: Sequence[str]) -> tuple[Hooks, Sequence[str]]:
    """The repository around the current directory, and the stages that are asked for, in git's order."""
    named = set(_stages(argv))
    root = find_root(here())
    if not ((root / ".git").exists() or is_git_folder(root)):
        raise ConfigError(f"{root} is in no git repository; change to one, or make one with git init")
    hooks = hooks_of(root)
    if hooks.is_bare and named - {SERVER}:
        raise UsageError(f"{_first(named - {SERVER})} does nothing in a bare repository; use --stage {SERVER}")
    if not hooks.is_bare and SERVER in named:
        raise UsageError(
            f"{SERVER} is for a bare repository on a server, and this one has a working tree; call it there"
        )
    usual = {SERVER} if hooks.is_bare else set(STAGES) - {SERVER}
    return hooks, [stage for stage in STAGES if stage in (named or usual)]


def _stages(argv: Sequence[str]) -> Iterable[str]:
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


def _show_lines(stages: Iterable[str], python: tuple[str, str]) -> None:
    start = f"{shlex.quote(python[0])} -I -m editblocks" if python[0] else "editblocks"
    for stage in stages:
        show(advice(stage, start))


def _worst(codes: Iterable[int]) -> int:
    return max(list(codes), default=FINE)


def _first(stages: Iterable[str]) -> str:
    return min(stages)
