"""Which branches must not move by themselves: a working tree is on one, or comes back to it.

A rebase or a bisect takes HEAD off its branch, and ends by putting the branch where it was, or by going back to it.
What was committed to it meanwhile would be lost, so `git branch --force` refuses such a branch, as it does one that
is checked out. Where git notes it: git's own wt-status.c and branch.c.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused
from editblocks.repos.files.regular_files import explain_errors
from editblocks.repos.git.repository import Repository

_REBASE = "is being rebased at {}; finish that rebase or abort it first"
_BISECT = "is where the bisect at {} began; end that with git bisect reset first"
_STATES = (
    ("rebase-merge/head-name", _REBASE),
    ("rebase-apply/head-name", _REBASE),
    ("rebase-merge/update-refs", _REBASE),  # the other branches of a stack, each above its old and new id
    ("BISECT_START", _BISECT),
)
_BRANCHES = "refs/heads/"


def refuse_in_use(repository: Repository, ref: str) -> None:
    """Raise `Refused` if a working tree of `repository` is on the branch `ref`, or is to come back to it.

    What git noted and cannot be understood counts as this branch. Raises `RepoError` if it cannot be read.
    """
    place = main = ""
    for line in os.fsdecode(repository.git.ask("worktree", "list", "--porcelain")).split("\n"):
        kind, _, value = line.partition(" ")
        if kind == "worktree":
            place = value
            main = main or value  # it comes first
        elif kind == "branch" and value == ref:
            raise _refusal(ref, f"is checked out at {place}; apply to that working tree instead")
    for folder, top in _working_trees(repository.common_dir, main):
        for name, words in _STATES:
            if ref in _branches(ref, folder / name):
                raise _refusal(ref, words.format(top))


def _working_trees(common: Path, main: str) -> Iterator[tuple[Path, str]]:
    """The folder in which git keeps what it notes of each working tree, and where that is.

    Of one that was moved or removed git still has the notes, and still follows them.
    """
    yield common, main
    with explain_errors(str(common / "worktrees"), "read"):
        folders = sorted((common / "worktrees").iterdir()) if (common / "worktrees").is_dir() else []
    for folder in folders:
        file = (_lines(folder / "gitdir") or ["gitdir"])[0]  # the path of its `.git`, from here if it is relative
        yield folder, str(Path(os.path.normpath(folder / file)).parent)


def _branches(ref: str, state: Path) -> list[str]:
    """The refs that a file of git's names, none if it is not there; a bisect names a branch, or an id instead."""
    names = _lines(state)
    if names == []:
        raise _refusal(ref, f"may be the branch of {state}, which names none; look at it first")
    return [_BRANCHES + name.removeprefix(_BRANCHES) for name in names or ()]


def _lines(place: Path) -> list[str] | None:
    """The lines that are not empty; None if there is no such file. Raises `RepoError`."""
    with explain_errors(str(place), "read"):
        try:
            text = os.fsdecode(place.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
    return [line for line in text.split("\n") if line.strip("\0\t\r ")]


def _refusal(ref: str, words: str) -> Refused:
    return Refused(f"{ref} {words}", ReasonCode.BRANCH_REFUSED)
