"""Find a repository, and resolve the branches and revisions that a user names."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.repos.git.command import (
    ANY_STATUS,
    Git,
    Launch,
    Mode,
    ProcessResult,
    error_reason,
    is_object_id,
    printable,
    start,
)
from editblocks.repos.git.gitpython import folder_of

if TYPE_CHECKING:
    from editblocks.repos.git.gitpython import GitRepo

LOCK_SECONDS = 10.0
JOURNAL = "editblocks"  # in the git directory of a working tree: the folder of the journal
_LINES = 6  # of the output of `git rev-parse` in `open_repository`, without the id of HEAD
_OWNED = r"dubious ownership|unsafe repository"  # the first is git's message since 2.35.3, the second the one before


class Repository(NamedTuple):
    """A repository. `top` is its working tree, None if it is bare. `object_format` is sha1 or sha256.

    `common_dir` holds objects and branches; in a linked working tree it differs from `git_dir`. `head` is the commit of
    HEAD when the repository was opened, None if there was none. `lock_seconds`: how long to wait for locks of others.
    """

    git: Git
    git_dir: Path
    common_dir: Path
    top: Path | None
    object_format: str
    head: str | None = None
    lock_seconds: float = LOCK_SECONDS

    @property
    def null_id(self) -> str:
        """The id that git uses for "no object"."""
        digits = 64 if self.object_format == "sha256" else 40
        return "0" * digits

    @property
    def lock_options(self) -> list[str]:
        """The git option that sets how long git waits for a locked ref."""
        return [f"core.filesRefLockTimeout={int(self.lock_seconds * 1000)}"]


def open_repository(
    path: Path, mode: Mode = Mode.USER, *, launch: Launch = start, lock_seconds: float = LOCK_SECONDS
) -> Repository:
    """Open the repository whose working tree or bare directory is `path`, never one of a parent directory.

    Raises `RepoError` if `path` is neither, and if git's variables in a hook name another repository.
    """
    if not path.is_dir():
        raise _unusable(path, "there is no such folder")
    looks_bare = not (path / ".git").exists() and (path / "HEAD").is_file() and (path / "objects").is_dir()
    # safe.bareRepository: git only accepts a bare repository given by --git-dir; others could be part of a checkout.
    bare_dir = path.resolve() if looks_bare else None
    finder_mode = Mode.USER if mode is Mode.HOOK else mode
    finder = Git(path, finder_mode, git_dir=bare_dir, launch=launch)
    answer = finder.run(
        "rev-parse",
        *("--default", "HEAD"),  # prints the id of HEAD as last line, or nothing if HEAD has no commit
        *("--show-object-format", "--is-bare-repository", "--is-inside-work-tree", "--show-prefix"),
        *("--path-format=absolute", "--git-dir", "--git-common-dir"),
        ok_statuses=ANY_STATUS,
    )
    if answer.status:
        finder.check_version()
        raise _not_opened(path, answer)
    lines = os.fsdecode(answer.output[:-1]).split("\n")
    head = None
    if is_object_id(lines[-1]):
        head = lines.pop()
    if len(lines) != _LINES:
        finder.check_version()
    if len(lines) < _LINES:
        what = f"`git rev-parse` says {printable(lines[0]) or 'nothing'}, so the git on PATH is broken"
        raise RepoError(f"{what}; install git 2.34 or newer")
    object_format, is_bare, is_inside, prefix, *places = lines
    if len(places) != 2:
        raise _unusable(path, "there is a line break in its path", "rename the folder")
    if looks_bare is not (is_bare == "true") or (not looks_bare and is_inside != "true"):
        raise _unusable(path, "it is in a .git folder")
    if prefix:
        raise _unusable(path, "it lies below the top of a repository")
    git_dir, common_dir = map(Path, places)
    top = None if looks_bare else path.resolve()
    git = Git(top or git_dir, mode, git_dir=git_dir, launch=launch)
    if mode is Mode.HOOK:
        _refuse_stray_variables(git_dir, top)
        if os.environ.get("GIT_INDEX_FILE"):  # may be relative to the hook's directory, but git runs in another one
            git.environment["GIT_INDEX_FILE"] = str(Path(os.environ["GIT_INDEX_FILE"]).absolute())
    return Repository(git, git_dir, common_dir, top, object_format, head, lock_seconds)


def _not_opened(path: Path, answer: ProcessResult) -> RepoError:
    """Return the error for a folder that git does not open, from git's answer."""
    if re.search(_OWNED, answer.error):
        place = printable(str(path.resolve()), 1000)
        advice = f"if you trust it: git config --global --add safe.directory {place}"
        reason = f"{place} belongs to somebody else, so git does not use it; {advice}"
        return RepoError(reason, ReasonCode.BAD_CONFIG)
    if "not a git repository" in answer.error and not os.path.lexists(path / ".git"):
        return _unusable(path, error_reason(answer))
    return _unusable(path, error_reason(answer), "run git status there, and repair what it reports")


def as_repository(place: str | os.PathLike[str] | Repository | GitRepo) -> Repository:
    """Return `place` if it is a `Repository`, else open the repository of a folder or a `git.Repo`."""
    if isinstance(place, Repository):
        return place
    return open_repository(Path(folder_of(place)))


def repository_at(path: Path) -> Repository | None:
    """Return the repository whose working tree is `path`, or None if there is no `.git`.

    Raises `RepoError` if git cannot use it. Without git, no file would count as ignored.
    """
    if not os.path.lexists(path / ".git"):
        return None
    return open_repository(path)


def git_folder(root: Path) -> Path | None:
    """Return the git directory of the working tree at `root`, or None. Does not run git."""
    place = root / ".git"
    with suppress(OSError, ValueError):
        if place.is_file() and place.stat().st_size < 65_536:
            kind, _, target = place.read_bytes().partition(b": ")
            if kind == b"gitdir":
                place = root / os.fsdecode(target.rstrip(b"\r\n"))
        if place.is_dir() and os.path.lexists(place / "HEAD"):
            return place
    return None


def has_journal(git_dir: Path | None) -> bool:
    """Whether there may be records of writes, because something was written here before. Does not run git."""
    return git_dir is not None and (git_dir / JOURNAL).exists()


def _refuse_stray_variables(git_dir: Path, top: Path | None) -> None:
    """Raise `RepoError` if GIT_DIR, GIT_WORK_TREE or GIT_INDEX_FILE points outside the repository."""
    here = git_dir.resolve()
    belongs_here: Mapping[str, Callable[[Path], bool]] = {
        "GIT_DIR": lambda place: place == here,
        "GIT_WORK_TREE": lambda place: place == top,
        "GIT_INDEX_FILE": lambda place: here in place.parents,
    }
    for name, is_right in belongs_here.items():
        place = os.environ.get(name)
        if place and not is_right(Path(place).resolve()):
            reason = f"{name} points outside the repository at {git_dir}; unset it"
            raise RepoError(reason, ReasonCode.BAD_CONFIG)


def resolve_commit(repository: Repository, rev: str) -> str:
    """Return the id of the commit that `rev` names. Raises `RepoError` if there is none or if `rev` starts with `-`."""
    if not rev or rev.startswith("-") or not rev.isprintable():
        reason = f"`{printable(rev)}` does not name a commit; give an id, a branch or a tag"
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    commit = ref_value(repository, f"{rev}^{{commit}}")
    if commit is None or not is_object_id(commit):
        reason = f"there is no commit `{printable(rev)}` in {repository.git_dir}; give an id, a branch or a tag"
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    return commit


def unborn_branch(repository: Repository) -> str | None:
    """Return the full name of the branch of HEAD if it has no commit yet, else None."""
    ref = symbolic_ref(repository, "HEAD")
    if ref is None or ref_value(repository, ref) is not None:
        return None
    return ref


def find_branch(repository: Repository, branch: str) -> tuple[str, str | None]:
    """Return the ref of `branch`, with symbolic refs resolved, and its commit, or None if the branch does not exist.

    Raises `RepoError` if `branch` is not a valid branch name.
    """
    ref = f"refs/heads/{branch}"
    reason = f"`{printable(branch)}` is not the name of a branch; give one without refs/"
    if branch.startswith(("-", "refs/")) or branch == "HEAD" or not branch.isprintable():
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    # git also lists refs whose names start with `ref/`
    rows = repository.git.ask("for-each-ref", "--format=%(refname)%00%(symref)%00%(objectname)", ref)
    for row in rows.splitlines():
        name, target, commit = os.fsdecode(row).split("\0")
        if name == ref:
            return target or ref, commit
    if repository.git.run("check-ref-format", ref, ok_statuses=ANY_STATUS).status:
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    return symbolic_ref(repository, ref) or ref, None


def has_branch(root: Path, branch: str) -> bool:
    """Whether the repository at `root` has a branch of this name. Raises `RepoError`."""
    return find_branch(open_repository(root), branch)[1] is not None


def ref_value(repository: Repository, ref: str) -> str | None:
    """Return the current id of a ref (a full name, or a revision that was checked), or None if there is none."""
    return _line(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)


def symbolic_ref(repository: Repository, ref: str) -> str | None:
    """Return the full name of the ref that `ref` points to (for HEAD: its branch), or None if `ref` is not symbolic."""
    return _line(repository, "symbolic-ref", "--quiet", ref)


def _line(repository: Repository, command: str, *args: str) -> str | None:
    """Return the line that a git command prints, or None if it fails."""
    answer = repository.git.run(command, *args, ok_statuses=ANY_STATUS)
    if answer.status:
        return None
    return os.fsdecode(answer.output).strip()


def _unusable(path: Path, why: str, advice: str = "name the top folder of the repository") -> RepoError:
    place = printable(str(path), 1000)
    return RepoError(f"{place} cannot be used as a git repository: {why}; {advice}", ReasonCode.BAD_CONFIG)
