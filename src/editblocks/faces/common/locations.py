"""Find the repository around the folder in which a command was started, and the paths of files in it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from editblocks.core.errors import RepoError, UsageError
from editblocks.report.escape import shell_word


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


def is_git_folder(folder: Path) -> bool:
    """Whether `folder` is a bare repository or a `.git` folder."""
    return all((folder / name).exists() for name in ("HEAD", "objects", "refs"))


def is_repository(folder: Path) -> bool:
    """Whether `folder` is the top of a repository, a bare repository or a `.git` folder."""
    return (folder / ".git").exists() or is_git_folder(folder)


def is_in_git_folder(place: Path) -> bool:
    """Whether a resolved path is a bare repository or a `.git` folder, or is inside one."""
    for folder in (place, *place.parents):
        if is_repository(folder):
            return is_git_folder(folder)
    return False


def path_below(root: Path, name: str) -> str | None:
    """Return the path of a file from `root`, as blocks name it; None if it is not below `root`."""
    place = Path(name).absolute()
    with suppress(ValueError):
        return (place.parent.resolve() / place.name).relative_to(root.resolve()).as_posix()
    return None
