"""`editblocks apply`: check responses, then write them to the working tree, the index or a commit."""

import argparse
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, UnreadableFile, UsageError
from editblocks.core.outcome import Refusal, Response
from editblocks.faces.cli.check import CheckRun, Output, after_done
from editblocks.faces.cli.request import Request
from editblocks.faces.reading import path_below, read_response
from editblocks.faces.terminal import message, planning, printing
from editblocks.paths.policy import is_read_as_response
from editblocks.report.short import verdict
from editblocks.report.view import source_name
from editblocks.repos.git.index import ignore_rules
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.run import ApplyRequest, Repo, Version, settle

if TYPE_CHECKING:
    from editblocks.repos.stores.objects import ObjectsRepo


def main(options: argparse.Namespace) -> int:
    """Read all responses, then write one after the other. Return the worst exit code."""
    return carry_out(Request.of(options), read_response).finish()


def carry_out(request: Request, read: Callable[[str, int], Response]) -> "Apply":
    """Read all responses with `read`, then write one after the other. Raises `RepoError`."""
    files = WritableFiles(request)  # first, so that its errors come before anything is read
    call = Apply(Output(request), request.responses(read), files)
    try:
        with printing():
            call.carry_out()
    except RepoError as error:
        raise RepoError(after_done(call.done, error.message), error.code) from error
    except KeyboardInterrupt:
        if call.done:
            message(f"interrupted; {'; '.join(call.done)}")
        raise
    return call


class Apply(CheckRun):
    """Writes one response after the other; with `-i`, only the blocks that a person accepts."""

    def __init__(self, output: Output, responses: Sequence[Response], files: "WritableFiles") -> None:
        self.files = files
        super().__init__(output, responses, files.open)

    def handle(self, response: Response) -> None:
        """Write one response and print its outcome."""
        request = self.request
        files = self.files
        apply_request = files.request_for(response)
        if request.interactive:
            apply_request = self._ask(apply_request)
        with planning(response.text, quiet=request.quiet) as progress:
            apply_request = apply_request._replace(progress=progress)
            commits = request.commit or request.branch is not None
            outcome = settle(apply_request, files.refusal, files.open, commits=commits)
        view = self.view_of(outcome)
        record_id = None
        if outcome.written:
            record_id = files.record_id
            # The branch exists from now on, which matters for the next commands.
            self.output.request = request._replace(is_new_branch=False)
            done = verdict(view)
            if record_id:
                done += f" (undo with: {request.undo(record_id)})"
            self.done.append(done)
        self.output.add(view, record_id, request.branch or files.started_on)
        if outcome.written:
            files.warn_about_ignored_file()

    def _ask(self, apply_request: ApplyRequest) -> ApplyRequest:
        """Ask a person about each block. Return the request for the accepted ones."""
        from editblocks.faces.cli.dialog import choose

        heading = len(self.responses) > 1
        chosen, self.is_stopped = choose(apply_request, self.files.open, color=self.request.color, heading=heading)
        if chosen.select is not None and chosen.select.skip:
            self.files.response_file = None  # some blocks are left out, so the file stays
        return chosen


def _response_file(request: Request, response: Response) -> str | None:
    """Return the path of the response file to remove with its last block; None if it stays.

    A commit removes only a committed file, and the index only a staged one. A file that git ignores stays, because undo
    could not restore it.
    """
    if request.keep or request.branch or request.settings.after_apply == "keep":
        return None
    path = response.source.path and path_below(request.root, response.source.path)
    if not path or not is_read_as_response(path, request.settings.response_files):
        return None
    if request.commit or request.to_index:
        from editblocks.repos.stores.objects import CommitReader, IndexRepo

        files: Version = CommitReader(request.place) if request.commit else IndexRepo(request.place)
        directory, _, name = path.rpartition("/")
        if name not in files.entries(directory):
            return None
    repository = request.repository()
    if repository is not None and ignore_rules(repository.git, [path]):
        return None
    return path


class WritableFiles:
    """Opens the files to plan on, reports a write that was interrupted, and decides whether they may be written.

    A command may write here, unless another branch was checked out meanwhile or the response file to remove was
    changed. Changes after this check are refused by the store that writes.
    """

    def __init__(self, request: Request) -> None:
        """Raises `UsageError` for a root without files, and for a title that a commit cannot have."""
        self.started_on: str | None = None  # the branch when the files were first opened
        self.last: ObjectsRepo | WorktreeRepo | None = None  # the store that was opened last
        self.response_file: str | None = None  # to remove with the last block of the present response
        self._request = request
        self._is_warned = False  # the warning that a write cannot be undone is given once
        if request.message is not None:
            from editblocks.report.commit_message import title_fault

            fault = title_fault(request.message, request.settings.commit_prefix)
            if fault is not None:
                raise UsageError(f"--message {fault}")
        if not (request.commit or request.to_index or request.branch is not None):
            request.refuse_git_folder()

    def request_for(self, response: Response) -> ApplyRequest:
        """Return the request for one response of the call."""
        self.response_file = _response_file(self._request, response)
        return self._request.of_response(response)._replace(response_file=self.response_file)

    def open(self) -> Repo:
        """Open the files as they are now."""
        is_first = self.last is None
        self.last = self._store()
        if is_first:
            self.started_on = self.branch
        if isinstance(self.last, WorktreeRepo):
            for recovery in self.last.recoveries:
                message(str(recovery))
        return self.last

    def _store(self) -> "ObjectsRepo | WorktreeRepo":
        request = self._request
        limit = request.settings.max_file_bytes
        allowed = request.allow_protected
        if request.branch is not None:
            from editblocks.repos.stores.objects import ObjectsRepo

            return ObjectsRepo(request.place, request.rev, branch=request.branch, max_file_bytes=limit)
        if request.commit or request.to_index:
            from editblocks.repos.stores.checkout import CheckoutRepo, IndexedRepo

            kind = CheckoutRepo if request.commit else IndexedRepo
            return kind(request.root, repository=request.repository(), allow_ignored=allowed)
        files = WorktreeRepo(request.root, repository=request.repository, max_file_bytes=limit, allow_ignored=allowed)
        files.recover()  # before anything is read, so that no plan is made for a half-written tree
        return files

    @property
    def branch(self) -> str | None:
        """The branch that was checked out when the files were opened last, with `--commit`; None without it."""
        return self.last.branch if isinstance(self.last, WorktreeRepo) else None

    @property
    def record_id(self) -> str | None:
        """The id with which the last write can be undone; None if it has no undo record."""
        return self.last.record_id if isinstance(self.last, WorktreeRepo) else None

    def refusal(self, response: Response) -> Refusal | None:
        """Return why a response must not be written; None if it may. Also prints warnings about the write."""
        name = source_name(response.source)
        root = self._request.root
        branch = self.branch
        if branch is not None and branch != self.started_on:  # with a detached HEAD, the store refuses the commit
            what = f"{branch} was checked out meanwhile, so nothing from {name} was written"
            return Refusal(ReasonCode.HEAD_MOVED, what, "look at it there, or switch back")
        path = self.response_file
        if path is not None and self.last is not None:
            with suppress(UnreadableFile):  # the store will refuse to remove such a file
                data = self.last.read(path)
                if data is not None and data != response.text.encode():
                    what = f"{path} changed after it was read, so nothing from it was written"
                    return Refusal(ReasonCode.STALE, what, "look at it again")
        if isinstance(self.last, WorktreeRepo):
            if not self.last.keeps_undo and not self._is_warned:
                self._is_warned = True
                message(f"{root} is not a git repository, so this apply cannot be undone; git init makes it one")
        elif self.last is not None and self.last.makes_branch_at is not None:
            start = self.last.makes_branch_at[:7]
            message(f"branch {self._request.branch} does not exist yet; it is created at {start} (HEAD)")
        return None

    def warn_about_ignored_file(self) -> None:
        """Warn that the last write cannot be undone, if git ignores one of its files."""
        if isinstance(self.last, WorktreeRepo) and self.last.ignored_path is not None:
            message(f"git ignores {self.last.ignored_path}, so this apply cannot be undone")
