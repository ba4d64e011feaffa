"""`editblocks watch`: the table of `check` while the response is still being written, and keys to apply it.

Page: docs/reference/command-line.md, "while it is written".
"""

from __future__ import annotations

import argparse
import os
import select
import sys
import time
from collections.abc import Callable, Sequence

from editblocks.applying.reading import formats_for
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, reason_of
from editblocks.core.outcome import Outcome, Response
from editblocks.core.typed import NamedTuple
from editblocks.faces.cli.opening import reader
from editblocks.faces.cli.output import Output
from editblocks.faces.cli.request import Request
from editblocks.faces.cli.writing import Files, folder, order_for
from editblocks.faces.common import terminal
from editblocks.faces.common.reading import is_passed_on, read_source, response_in
from editblocks.faces.common.terminal import BROKEN, FINE, NOT_OK, complain, message, printing, show
from editblocks.faces.interactive.arriving import Arriving, closed_rows
from editblocks.faces.interactive.following import FollowedFile, FollowedStream
from editblocks.faces.interactive.watched import Watched
from editblocks.report.next_commands import apply_command
from editblocks.report.terminal import short
from editblocks.report.view import OutcomeView
from editblocks.run.flow import settle
from editblocks.run.plan import check

TICK = 0.2  # seconds between two looks at a file
QUIET = 30.0  # without a terminal: so long a file may stay as it is, or not be there, until that is taken for its end

Wait = Callable[[Sequence[int], "float | None"], Sequence[int]]


def _wait(descriptors: Sequence[int], seconds: float | None) -> Sequence[int]:
    return select.select(descriptors, [], [], seconds)[0]


class Outside(NamedTuple):
    """The clock, and how to wait until one of these descriptors can be read, for so many seconds at most."""

    clock: Callable[[], float] = time.monotonic
    wait: Wait = _wait


class Call:
    """A call of `watch`: what it is about, and how a response is made and planned of what has come."""

    def __init__(self, options: argparse.Namespace, outside: Outside) -> None:
        self.options, self.outside = options, outside
        self.request = Request.of(options)
        (self.source,) = options.sources
        self._limit = self.request.settings.max_response_bytes
        settings = self.request.settings
        arriving = Arriving(formats_for(settings), settings.max_blocks)
        self.watched = Watched(_followed(self.source, self._limit + 1), arriving, self.plan, outside.clock)

    def plan(self, data: bytes, tell: Callable[[str], None] = lambda _: None) -> Outcome:
        """What `check` would find now. Raises `EditBlocksError` if this is no response."""
        order, _ = order_for(self.request, self.response(self.request, data, tell))
        return check(order, reader(self.request))

    def response(self, request: Request, data: bytes, tell: Callable[[str], None] = message) -> Response:
        """The response that these bytes are."""
        return request.complete([response_in(data, self.source, self._limit, tell)])[0]

    def apply(self) -> tuple[Outcome, str]:
        """Do what `apply` would now, and print it if something was written. Returns why it was not, else nothing.

        Settings, response and files are read anew.
        """
        request = Request.of(argparse.Namespace(**{**vars(self.options), "command": "apply"}))
        held = self.watched.data or b""
        is_file = self.watched.descriptor is None and not self.watched.is_over
        data = read_source(self.source, self._limit + 1) if is_file else held
        if data != held:
            raise RepoError(f"{self.watched.name} has changed just now; look at it again", ReasonCode.STALE)
        order, stays = order_for(request, self.response(request, data))
        files = Files(request, folder(request))
        files.response_file = order.response_file
        outcome = settle(order, files, files, describe=None, sleep=time.sleep)
        if not outcome.written:
            view = OutcomeView(outcome)
            return outcome, short.verdict(view, f"`{apply_command(view, view.fitting, request.kept)}`")
        Output(request).add(OutcomeView(outcome), files.receipt, files.started_on)
        files.say_what_is_not_kept()
        if stays and outcome.result.ok:
            message(stays)
        return outcome, ""

    def report(self) -> int:
        """Print what `check` would print now, and return its exit code."""
        outcome = self.plan(self.watched.data or b"", message)
        Output(self.request).add(OutcomeView(outcome))
        return exit_code(outcome)


def exit_code(outcome: Outcome) -> int:
    """The exit code of `check` for an outcome, after a message about a refusal."""
    if outcome.refusal is not None:
        complain(outcome.refusal.code, outcome.refusal.reason)
        return BROKEN
    return FINE if outcome.ok else NOT_OK


def main(options: argparse.Namespace, outside: Outside | None = None) -> int:
    """Follow a response until it is over or a person has seen enough. Returns the exit code that `check` would have."""
    call = Call(options, outside or Outside())
    if terminal.is_long_form(sys.stdout) and os.environ.get("TERM") != "dumb":
        from editblocks.faces.cli.watch_keys import at_terminal  # which needs a terminal of POSIX

        code = at_terminal(call)
        if code is not None:
            return code
    with printing():
        return _Lines(call).print_all()
    return NOT_OK  # nobody read to the end


def _followed(source: str, size: int) -> FollowedFile | FollowedStream:
    if source == "-":
        return FollowedStream(sys.stdin.fileno(), size)
    if not is_passed_on(source):
        return FollowedFile(source, size)
    try:
        return FollowedStream(os.open(source, os.O_RDONLY | os.O_CLOEXEC), size)
    except OSError as error:
        raise RepoError(f"{source} cannot be read: {reason_of(error)}") from error


class _Lines:
    """A line for each row as soon as its block has closed: what a pipe gets, and a terminal without keys."""

    def __init__(self, call: Call) -> None:
        self._call, self._watched, self._outside = call, call.watched, call.outside
        self._printed: dict[int, str] = {}
        self._last: OutcomeView | None = None
        self._starts = 0

    def print_all(self) -> int:
        watched, quiet = self._watched, False
        watched.look()
        if watched.data is None:
            message(f"there is no {watched.name} yet; waiting for it")
        while not watched.is_over and not quiet:
            self._print(watched.view)
            self._wait()
            watched.look()
            quiet = watched.descriptor is None and watched.rests >= QUIET
        if watched.data is None:
            read_source(self._call.source, 0)  # raises what says so
        outcome = self._call.plan(watched.data or b"", message)
        view = OutcomeView(outcome)
        self._print(view)
        show(f"{short.notes(view)}{short.short_summary(view)}\n")
        return exit_code(outcome)

    def _wait(self) -> None:
        watched = self._watched
        if watched.descriptor is None:
            self._outside.wait([], TICK)
        else:
            self._outside.wait([watched.descriptor], watched.waits)

    def _print(self, view: OutcomeView | None) -> None:
        """Print the rows that were not printed yet, or not in these words."""
        if self._watched.starts > self._starts:
            if self._printed:
                message(f"{self._watched.name} was written anew, so it is read from its start")
            self._starts, self._printed = self._watched.starts, {}
        if view is not None and view is not self._last:
            self._last = view
            for row in view.rows:
                self._print_row(view, row.number)
        if sys.stdout is not None:
            sys.stdout.flush()

    def _print_row(self, view: OutcomeView, number: int) -> None:
        alone = OutcomeView(view.outcome._replace(result=closed_rows(view.result, {number})))
        text = short.short_rows(alone, color=terminal.has_color(sys.stdout, self._call.request.color), full=True)
        if self._printed.get(number) != text:
            self._printed[number] = text
            show(text)
