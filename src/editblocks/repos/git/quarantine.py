"""New objects wait in a folder of their own until the commit is proved: a failure leaves none behind.

Git's receive-pack does the same. The folder lies among the objects, so that taking them in is a
rename, and has the prefix that `git prune` removes if a process was killed.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from editblocks.core.errors import RepoError, reason_of
from editblocks.repos.git.repository import Repository

_LAST = (".pack", ".rev", ".idx")  # a pack is there for others as soon as its index is


@contextmanager
def quarantine(repository: Repository) -> Iterator[tuple[Repository, Callable[[], None]]]:
    """The repository as one that stores new objects apart, and a function that takes them in.

    What was not taken in is gone afterwards. Raises `RepoError` if the disk says no.
    """
    objects = repository.common_dir / "objects"
    try:
        folder = Path(tempfile.mkdtemp(prefix="tmp_objdir-editblocks-", dir=objects))
    except OSError as error:
        raise _unwritable(objects, error) from error
    variables = {"GIT_OBJECT_DIRECTORY": str(folder), "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quote(objects)}
    try:
        yield replace(repository, git=repository.git.with_environment(variables)), lambda: _take_in(folder, objects)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _take_in(folder: Path, objects: Path) -> None:
    try:
        for directory in sorted(folder.iterdir()):
            if (objects / directory.name).is_dir():
                for file in sorted(directory.iterdir(), key=_order):
                    file.replace(objects / directory.name / file.name)
            else:
                directory.rename(objects / directory.name)  # with the mode that git gave it
    except OSError as error:
        raise _unwritable(objects, error) from error


def _order(file: Path) -> tuple[int, str]:
    return (_LAST.index(file.suffix) if file.suffix in _LAST else -1), file.name


def _quote(path: Path) -> str:
    """A path as git reads it in a list that is cut at colons."""
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _unwritable(objects: Path, error: OSError) -> RepoError:
    return RepoError(f"{objects} cannot be written: {reason_of(error)}; nothing was changed")
