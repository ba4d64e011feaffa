"""The files that a command reads: the working tree, what is staged, or a commit."""

from __future__ import annotations

from collections.abc import Callable

from editblocks.core.errors import UsageError
from editblocks.faces.cli.request import Request
from editblocks.faces.common.locations import is_in_git_folder
from editblocks.repos.stores.objects import CommitReader, IndexRepo
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.run.plan import Version


def reader(request: Request) -> Callable[[], Version]:
    """How to open the files to plan on. Raises `UsageError` for a root that is no place for files."""
    root, limit = request.root, request.settings.max_file_bytes
    if request.rev is not None or request.staged:
        if request.staged:
            return lambda: IndexRepo(root, max_file_bytes=limit)
        return lambda: CommitReader(root, request.rev, max_file_bytes=limit)
    refuse_git_folder(request)
    return lambda: WorktreeRepo(root, max_file_bytes=limit, allow_ignored=request.allow_protected)


def refuse_git_folder(request: Request) -> None:
    """Raise `UsageError` for a root that is no place for files."""
    if is_in_git_folder(request.root.resolve()):
        what = "is git's own folder, without files to change; name a commit to plan on with --rev"
        raise UsageError(f"{request.root} {what}")
