"""The request of a command line: its responses and settings, and the files that blocks are checked against."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from editblocks.core.errors import UsageError
from editblocks.core.outcome import FrontMatter, Response
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.faces.common.locations import is_in_git_folder, root_of, root_option
from editblocks.faces.common.read_response import read_response
from editblocks.faces.common.settings import policy_for
from editblocks.faces.common.terminal import message
from editblocks.report.commit_message import title_fault
from editblocks.report.escape import shell_line
from editblocks.report.next_commands import CallOptions
from editblocks.repos.git.repository import git_folder, open_repository, resolve_commit
from editblocks.repos.journal.lock import is_unfinished
from editblocks.repos.stores.checkout import CheckoutRepo, current_branch
from editblocks.repos.stores.commit_repo import ObjectsRepo
from editblocks.repos.stores.index_repo import IndexRepo
from editblocks.repos.stores.indexed_worktree import IndexedRepo
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.run.flow import Repo


@dataclass(frozen=True, slots=True)
class Request:
    """One call of check, diff, apply or retry. Fields without a comment are options of that name."""

    command: str
    sources: tuple[str, ...]  # paths, or "-"
    root: Path
    settings: Settings  # of which `mode` is apply for the command that writes, and check for the others
    rev: str | None = None
    base: str | None = None  # what a person calls the commit that the response was written against
    staged: bool = False
    select: Selection | None = None  # of --only
    interactive: bool = False
    index: bool = False
    commit: bool = False
    branch: str | None = None
    message: str | None = None
    keep: bool = False
    format: str = "text"
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
    config: str | None = None
    isolated: bool = False
    allow_protected: Sequence[str] = ()

    @classmethod
    def of(cls, options: argparse.Namespace) -> Request:
        """Read the options of a line. Raises `ConfigError` and `RepoError`."""
        root = root_of(options.root)
        policy = policy_for(options, root)
        for note in policy.notes:
            message(note)
        if getattr(options, "verbose", False):
            for key, value, origin in policy.rows:
                message(f"{key}: {value} ({origin})")
        refuse_title(getattr(options, "message", None), policy.settings.commit_prefix)
        values = {name: value for name, value in vars(options).items() if name in cls.__slots__}
        only = options.only
        values |= {
            "sources": tuple(options.sources),
            "root": root,
            "settings": policy.settings,
            "select": None if only is None else Selection.read(only),
            "verbose": getattr(options, "verbose", False) or os.environ.get("RUNNER_DEBUG") == "1",
        }
        return cls(**values)

    @property
    def is_partial(self) -> bool:
        """Whether blocks may go without those that failed: `--partial`, or a choice of some of them."""
        return self.settings.partial or (self.select is not None and not self.select.every)

    @property
    def kept(self) -> CallOptions:
        """The options of this call that the next command needs as well."""
        if self.staged:  # what was planned on is not what would be written to
            return CallOptions(self._options, ("--staged",), None)
        if self.rev is not None:
            return CallOptions(self._options, ("--rev", self.rev), None)
        if self.branch is not None:
            return CallOptions(self._options, ("--rev", self.branch), ("--branch", self.branch))
        if self.commit:
            return CallOptions(self._options, ("--rev", "HEAD"), ("--commit",))
        return CallOptions(self._options, ("--staged",), ("--index",)) if self.index else CallOptions(self._options)

    @property
    def _options(self) -> tuple[str, ...]:
        """The options that select the files and the settings."""
        given = [
            ("--base", self.base),
            ("--matching", None if self.settings.matching == Settings().matching else self.settings.matching),
            ("--config", self.config),
            *(("--allow-protected", path) for path in self.allow_protected),
        ]
        words = [word for name, value in given if value is not None for word in (name, value)]
        return (*root_option(self.root), *words, *(["--isolated"] if self.isolated else []))

    def undo(self, receipt: str) -> str:
        """The command that undoes this call."""
        return shell_line(["editblocks", "undo", receipt, *root_option(self.root)])


def response_of(request: Request, source: str) -> Response:
    """A response; what the line says of its base and its title goes before what it says itself."""
    response = read_response(source, request.settings.max_response_bytes, quiet=request.quiet)
    front = response.front or FrontMatter()
    if request.base is not None:
        front = replace(front, base=resolve_commit(open_repository(request.root), request.base))
    if request.message is not None:
        front = replace(front, title=request.message)
    return replace(response, front=None if front == FrontMatter() else front, root=request.root.resolve().as_posix())


def refuse_title(title: str | None, prefix: str) -> None:
    """Raise `UsageError` for a title that would be left out of the commit in silence."""
    if title is None:
        return

    fault = title_fault(title, prefix)
    if fault is not None:
        raise UsageError(f"--message {fault}")


def refuse_git_folder(root: Path) -> None:
    """Raise `UsageError` if `root` is, or lies in, a folder in which git keeps its own files: hooks, configuration."""
    if is_in_git_folder(root.resolve()):
        raise UsageError(f"{root} is git's own folder, without files to change; name a commit to plan on with --rev")


def opener(request: Request) -> Callable[[], Repo]:
    """How to open the files to plan on. Raises `UsageError` for a root that is no place for files."""
    root, limit = request.root, request.settings.max_file_bytes
    if request.rev is not None or request.branch is not None:
        return lambda: ObjectsRepo(root, request.rev, branch=request.branch, max_file_bytes=limit)
    if request.staged:
        return lambda: IndexRepo(root, max_file_bytes=limit)
    if request.commit:
        return lambda: CheckoutRepo(root)
    if request.index:
        return lambda: IndexedRepo(root)

    refuse_git_folder(root)

    def open_files() -> WorktreeRepo:
        files = WorktreeRepo(root, max_file_bytes=limit)
        if request.command == "apply":
            files.recover()  # before anything is read: a plan for a half-written tree would be about that
        return files

    return open_files


def warn_unfinished(request: Request) -> None:
    """Warn that an interrupted write left files that the next writing command will repair."""
    if request.command == "apply" or request.staged or request.rev is not None:
        return
    if is_unfinished(git_folder(request.root)):
        state = "an apply or undo was interrupted or is still at work, so files may be half written"
        message(f"{state}; the next apply or undo sees to it")


def branch_reader(request: Request) -> Callable[[], str | None]:
    """A function that returns the checked-out branch if a commit is to be made there, else None.

    It tells None, too, where HEAD is on no branch, and raises `RepoError` where no repository can be used.
    """
    if not request.commit:
        return lambda: None

    def branch() -> str | None:
        ref = current_branch(open_repository(request.root))
        return None if ref is None else ref.removeprefix("refs/heads/")

    return branch
