"""Accept GitPython objects as a repository or as a revision in one.

GitPython is not imported, so it need not be installed. An object is recognized by the module of its class, and only its
public attributes are read. Git itself then does the work; docs/internals/design.md says why, under "GitPython".
"""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from git import Commit, Repo, SymbolicReference, TagObject

    GitRepo = Repo
    GitObject = Commit | TagObject
    GitReference = SymbolicReference  # HEAD, branches, remote branches and tags


def folder_and_rev(value: Any) -> tuple[str | None, str | None]:
    """Return the folder of a repository and the revision in it that a GitPython object names.

    The revision is None for a `git.Repo`, both are None for other objects. Raises `TypeError` for a blob and the like.
    """
    kinds = [kind.__name__ for kind in type(value).__mro__ if kind.__module__.partition(".")[0] == "git"]
    if not kinds:
        return None, None
    if "Repo" in kinds:
        return os.fspath(value.working_dir), None
    if "SymbolicReference" in kinds:
        return os.fspath(value.repo.working_dir), os.fspath(value.path)
    if "Commit" in kinds or "TagObject" in kinds:
        return os.fspath(value.repo.working_dir), value.hexsha
    advice = "give a git.Repo, or its commit, branch or tag"
    raise TypeError(f"a git.{kinds[0]} is not a repository and not a revision; {advice}")


def folder_of(place: "str | os.PathLike[str] | GitRepo") -> str | os.PathLike[str]:
    """Return the folder of a repository, given as a path or a `git.Repo`. Raises `TypeError` for anything else."""
    if isinstance(place, (str, os.PathLike)):
        return place
    folder, rev = folder_and_rev(place)
    if folder is None or rev is not None:
        raise TypeError(f"a {type(place).__name__} is not a repository; give a folder or a git.Repo")
    return folder


def rev_of(rev: "str | GitObject | GitReference | None") -> str | None:
    """Return a revision as text, given as text or a GitPython object. Raises `TypeError` for anything else."""
    if rev is None or isinstance(rev, str):
        return rev
    _, name = folder_and_rev(rev)
    if name is None:
        advice = "give a string, or a commit, branch or tag of GitPython"
        raise TypeError(f"a {type(rev).__name__} is not a revision; {advice}")
    return name
