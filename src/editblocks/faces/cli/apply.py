"""check, diff and apply: responses from files or stdin against a folder or a commit on this machine."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, UnreadableFile, UsageError
from editblocks.core.outcome import Outcome, Refusal, Response
from editblocks.faces.cli.list_paths import list_paths
from editblocks.faces.cli.output import Output
from editblocks.faces.cli.request import Request, branch_reader, opener, response_of, warn_unfinished
from editblocks.faces.common.exit_codes import BROKEN, FINE, NOT_OK
from editblocks.faces.common.locations import path_below
from editblocks.faces.common.progress import show_progress
from editblocks.faces.common.terminal import message, printing
from editblocks.faces.interactive.dialog import choose
from editblocks.paths.response_files import is_read_as_response
from editblocks.report.terminal.short import verdict
from editblocks.report.view import OutcomeView
from editblocks.report.wording import source_name
from editblocks.repos.stores.commit_repo import ObjectsRepo
from editblocks.repos.stores.index_repo import IndexRepo
from editblocks.run.flow import ApplyRequest, Repo, settle


def main(options: argparse.Namespace) -> int:
    """Carry out check, diff or apply; the exit code. Raises what reading the options, responses and files raises."""
    if options.command == "check" and options.paths:
        return list_paths(options)
    return carry_out(Request.of(options))


def carry_out(request: Request) -> int:
    """Plan each response, write it if that was asked for, and print what happened. Returns the worst exit code.

    All are read before the first is planned. Raises `ConfigError` and `RepoError`.
    """
    if request.format == "json" and len(request.sources) > 1:
        raise UsageError("--format json holds one response; use jsonl, or name one at a time")
    responses = [response_of(request, source) for source in request.sources]
    warn_unfinished(request)
    call = _Call(request, responses, Opened(opener(request), branch_reader(request)))
    try:
        with printing():
            call.carry_out(Output(request))
    except RepoError as error:
        raise RepoError(_but(call.done, error.message), error.code) from error
    except KeyboardInterrupt:
        if call.done:
            message(f"interrupted; {'; '.join(call.done)}")
        raise
    return call.exit_code()


@dataclass
class _Call:
    """The responses of one call, handled one after the other, with their outcomes so far."""

    request: Request
    responses: Sequence[Response]
    opened: Opened
    views: list[OutcomeView] = field(default_factory=list)
    done: list[str] = field(default_factory=list)  # what was written: nobody must take it for something that was not
    is_over: bool = False  # the person who is asked wants no more questions

    def carry_out(self, output: Output) -> None:
        for response in self.responses:
            self._settle(response, output)
            if self.is_over:
                break
        output.close(self.views, self.opened)

    def _settle(self, response: Response, output: Output) -> None:
        opened = self.opened
        removes, stays = _response_file(self.request, response)
        order = self._chosen(_order(self.request, response, removes))
        gate = _Gate(response, _may_go(order), opened)
        with show_progress(quiet=self.request.quiet) as progress:
            outcome = settle(order, gate, opened, sleep=time.sleep, progress=progress)
        view = OutcomeView(outcome)
        self.views.append(view)
        receipt = opened.receipt if outcome.written else None
        self.done += [_receipt_line(view, receipt and self.request.undo(receipt))] if outcome.written else []
        output.add(view, receipt, self.request.branch or opened.started_on)
        if stays and outcome.written and outcome.result.ok:
            message(stays)

    def _chosen(self, order: ApplyRequest) -> ApplyRequest:
        if not self.request.interactive:
            return order

        heading = len(self.responses) > 1
        order, self.is_over = choose(order, self.opened, color=self.request.color, heading=heading)
        return order

    def exit_code(self) -> int:
        """The worst exit code, after a message about the responses that were not handled."""
        left = ", ".join(source_name(response.source) for response in self.responses[len(self.views) :])
        if left:
            why = "you stopped" if self.is_over else "nobody read the result to its end"
            message(f"{why}, so nothing was done with {left}")
        codes = _exit_codes([view.outcome for view in self.views], [] if self.request.format == "text" else self.done)
        return max([*codes, NOT_OK if left and not self.is_over else FINE])


def _exit_codes(outcomes: Sequence[Outcome], done: Sequence[str]) -> Iterator[int]:
    """The exit code of each; a refusal is said, the first one with what was `done`, if that was not read by people."""
    for outcome in outcomes:
        if outcome.refusal is not None:
            message(f"{outcome.refusal.code.value}: {_but(done, outcome.refusal.reason)}")
            done = ()
        yield BROKEN if outcome.refusal is not None else FINE if outcome.ok else NOT_OK


def _receipt_line(view: OutcomeView, undo: str | None) -> str:
    back = f" (undo with: {undo})" if undo else ""
    return f"{verdict(view)}{back}"


def _but(done: Sequence[str], trouble: str) -> str:
    return f"{'; '.join(done)}, but {trouble}" if done else trouble


def _order(request: Request, response: Response, removes: str | None) -> ApplyRequest:
    return ApplyRequest(response, request.settings, request.select, allow_partial=request.is_partial, removes=removes)


def _response_file(request: Request, response: Response) -> tuple[str | None, str]:
    """The path from the root of a response file, which goes with the last of its blocks; or why one stays.

    A commit takes along only one that was committed, and what is staged only one that is staged.
    """
    if request.command != "apply" or request.keep or request.branch or request.settings.after_apply == "keep":
        return None, ""
    path = response.source.path and path_below(request.root, response.source.path)
    if not path or not is_read_as_response(path, request.settings.response_files):
        return None, ""
    if request.commit and not _is_committed(request.root, path):
        return None, f"{path} is not committed, so it stays"
    if request.index and not _is_staged(request.root, path):
        return None, f"{path} is not staged, so it stays"
    return path, ""


def _may_go(order: ApplyRequest) -> str | None:
    """The response file to delete if every block is applied; it stays if a person left blocks out."""
    return None if order.select is not None and order.select.skip else order.removes


def _is_committed(root: Path, path: str) -> bool:
    directory, _, name = path.rpartition("/")
    return name in ObjectsRepo(root).entries(directory)


def _is_staged(root: Path, path: str) -> bool:
    directory, _, name = path.rpartition("/")
    return name in IndexRepo(root).entries(directory)


class Opened:
    """Open the files to plan on, report a write that was interrupted, and remember what was opened last.

    `branch` tells which one is checked out now; `started_on` is what it told before the first opening.
    """

    def __init__(self, open_repo: Callable[[], Repo], branch: Callable[[], str | None]) -> None:
        self._open = open_repo
        self.branch = branch
        self.started_on: str | None = None
        self.last: Repo | None = None

    def __call__(self) -> Repo:
        if self.last is None:
            self.started_on = self.branch()
        self.last = self._open()
        for recovery in getattr(self.last, "recoveries", ()):
            message(str(recovery))
        return self.last

    @property
    def receipt(self) -> str | None:
        """The id with which the last write can be undone; None if it is not in the journal."""
        return getattr(self.last, "receipt", None)


class _Gate:
    """Whoever types a command may write here, as long as the response file that goes and the branch are the same.

    The file is read through what is about to be written, which refuses what changes after that, as it refuses
    another branch than the one it was opened on.
    """

    def __init__(self, response: Response, removes: str | None, opened: Opened) -> None:
        self._read = response.text.encode()
        self._removes = removes
        self._sources = opened

    def refusal(self, response: Response) -> Refusal | None:
        name, branch = source_name(response.source), self._sources.branch()
        if branch not in {None, self._sources.started_on}:  # on none, a commit is refused anyway
            what = f"{branch} was checked out meanwhile, so nothing of {name} is written"
            return Refusal(ReasonCode.HEAD_MOVED, what, "look at it there, or switch back")
        if self._is_other():
            what = f"{self._removes} changed after it was read, so nothing of it is written"
            return Refusal(ReasonCode.STALE, what, "look at it again")
        return None

    def _is_other(self) -> bool:
        """Whether the response file has changed since it was read; False if it is gone."""
        if self._removes is None or self._sources.last is None:
            return False
        try:
            return self._sources.last.read(self._removes) not in {None, self._read}
        except UnreadableFile:
            return False  # such a file is refused when it is written
