"""Where a command was started, and what blocks would call a file there."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from editblocks.codes import ReasonCode
from editblocks.errors import RepoError


def here() -> Path:
    """The current directory. Raises `RepoError` if somebody removed it."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise RepoError("this directory is gone; change to one that exists", ReasonCode.BAD_CONFIG) from error


def find_root(start: Path) -> Path:
    """The top of the repository around `start`, or `start` itself: blocks name paths from the top."""
    return next((place for place in (start, *start.parents) if (place / ".git").exists()), start)


def path_below(root: Path, name: str) -> str | None:
    """What blocks would call a file: its path from `root`; None for one that is elsewhere."""
    place = Path(name).absolute()
    with suppress(ValueError):
        return (place.parent.resolve() / place.name).relative_to(root.resolve()).as_posix()
    return None
