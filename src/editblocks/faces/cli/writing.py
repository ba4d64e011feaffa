"""What a command that writes asks of `run.flow`, and the files that it opens for that."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.outcome import Refusal, Response
from editblocks.faces.cli.opening import refuse_git_folder
from editblocks.faces.cli.request import Request
from editblocks.faces.common.locations import path_below
from editblocks.faces.common.terminal import message
from editblocks.paths.policy import is_read_as_response
from editblocks.report.view import source_name
from editblocks.repos.git.repository import git_folder, open_repository, repository_at, symbolic_ref
from editblocks.repos.index.staged_files import ignored
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.run.flow import Repo
from editblocks.run.plan import ApplyRequest


def order_for(
    request: Request, response: Response, left_behind: Callable[[str], str] = lambda _: ""
) -> tuple[ApplyRequest, str]:
    """What to do with one response of a call, and why its response file stays, if it does.

    `left_behind` says what a response file is not, if it cannot go with what is written.
    """
    path, stays = _response_file(request, response, left_behind)
    order = ApplyRequest(
        response,
        request.settings,
        request.select,
        allow_partial=request.is_partial,
        response_file=path,
        written=request.written_before(response),
    )
    return order, stays


def _response_file(request: Request, response: Response, left_behind: Callable[[str], str]) -> tuple[str | None, str]:
    """The path from the root of a response file, which goes with the last of its blocks; or why it stays."""
    if request.command != "apply" or request.keep or request.branch or request.settings.after_apply == "keep":
        return None, ""
    path = response.source.path and path_below(request.root, response.source.path)
    if not path or not is_read_as_response(path, request.settings.response_files):
        return None, ""
    lacks = left_behind(path)
    if lacks:
        return None, f"{path} is not {lacks}, so it stays"
    if _is_ignored(request.root, path):
        return None, f"git ignores {path}, so that undo could not bring it back, and it stays"
    return path, ""


def _is_ignored(root: Path, path: str) -> bool:
    repository = repository_at(root) if git_folder(root) else None
    return repository is not None and bool(ignored(repository.git, [path]))


def folder(request: Request) -> Callable[[], WorktreeRepo]:
    """How to open the working tree to change it. Raises `UsageError` for a root that is no place for files."""
    refuse_git_folder(request)

    def open_files() -> WorktreeRepo:
        limit = request.settings.max_file_bytes
        files = WorktreeRepo(request.root, max_file_bytes=limit, allow_ignored=request.allow_protected)
        files.recover()  # before anything is read: a plan for a half-written tree would be about that
        return files

    return open_files


class Files:
    """Open the files to plan on, report a write that was interrupted, and say whether they may be written.

    Whoever types a command may write here, as long as the branch and the response file that goes are the same. That
    file is read through what is about to be written, which refuses what changes after that, as it refuses another
    branch than the one it was opened on.
    """

    def __init__(self, request: Request, open_files: Callable[[], Repo]) -> None:
        self._open = open_files
        self._request = request
        self.started_on: str | None = None  # what `branch` told before the first opening
        self.last: Repo | None = None
        self._root = request.root
        self._has_undo = request.commit or request.branch is not None or git_folder(request.root) is not None
        self.response_file: str | None = None

    def __call__(self) -> Repo:
        if self.last is None:
            self.started_on = self.branch()
        self.last = self._open()
        for recovery in getattr(self.last, "recoveries", ()):
            message(str(recovery))
        return self.last

    def branch(self) -> str | None:
        """The branch that is checked out now, if a commit is to be made there; None where HEAD is on no branch."""
        ref = symbolic_ref(open_repository(self._root), "HEAD") if self._request.commit else None
        return None if ref is None else ref.removeprefix("refs/heads/")

    @property
    def receipt(self) -> str | None:
        """The id with which the last write can be undone; None if it is not in the journal."""
        return getattr(self.last, "receipt", None)

    def refusal(self, response: Response) -> Refusal | None:
        """Why nothing of a response may be written, None if it may; says before it what a person may not expect."""
        name, branch = source_name(response.source), self.branch()
        if branch not in {None, self.started_on}:  # on none, a commit is refused anyway
            what = f"{branch} was checked out meanwhile, so nothing of {name} is written"
            return Refusal(ReasonCode.HEAD_MOVED, what, "look at it there, or switch back")
        path = self.response_file
        if path is not None and self.last is not None:
            with suppress(UnreadableFile):  # such a file is refused when it is written
                if self.last.read(path) not in {None, response.text.encode()}:
                    what = f"{path} changed after it was read, so nothing of it is written"
                    return Refusal(ReasonCode.STALE, what, "look at it again")
        start = getattr(self.last, "makes_branch_at", None)
        if start is not None:
            message(f"there is no branch {self._request.branch} yet, so it is made at {start[:7]} (HEAD)")
        if not self._has_undo:
            message(f"{self._root} is no git repository, so this apply cannot be undone; git init makes it one")
            self._has_undo = True  # which is said once
        return None

    def say_what_is_not_kept(self) -> None:
        """Say of the last write that it cannot be undone, if git ignores one of its files."""
        path = getattr(self.last, "not_kept", None)
        if path is not None:
            message(f"git ignores {path}, so its bytes are not kept, and this apply cannot be undone")
