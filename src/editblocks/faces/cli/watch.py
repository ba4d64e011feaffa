"""`editblocks watch`: show the table of `check` while the response is still being written, with keys to apply it.

The response is read again and again, planned when more of it is complete, and drawn when something has changed.
Page: docs/reference/command-line.md, "while it is written".
"""

import argparse
import os
import select
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from editblocks.applying.engine import formats_for
from editblocks.core.blocks import BlockProgress, BlockStarted, DraftsLeftOut
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, RepoError, UsageError, reason_of
from editblocks.core.model import row_number
from editblocks.core.outcome import Outcome, Response
from editblocks.core.phrases import blocks, plural
from editblocks.faces.cli.apply import WritableFiles
from editblocks.faces.cli.check import Output
from editblocks.faces.cli.request import Request, opened_once
from editblocks.faces.cli.retry import nothing_to_ask
from editblocks.faces.reading import SOURCE_BYTES, copy, is_opened_by_shell, read_source, response_in
from editblocks.faces.terminal import code_for, complain, has_color, has_unicode, is_long_form, message, show_exactly
from editblocks.formats.grammar import Format
from editblocks.parsing.parse import StreamParser
from editblocks.prompts.retry import no_blocks_prompt
from editblocks.report import short
from editblocks.report.console import OpenRow, live_lines
from editblocks.report.next_commands import apply_command
from editblocks.report.view import OutcomeView
from editblocks.run import check, settle

if TYPE_CHECKING:
    from editblocks.faces.cli.screen import Screen

_KEYS = "a applies, r copies the retry prompt, q quits"
_TICK = 0.2  # seconds between two reads of a file
_RESTS = 1.0  # seconds without a change after which a file is considered complete
_LEAST = 0.2  # seconds between two plans
_SHARE = 4  # pause after a plan, as a multiple of its time, so that planning takes a fifth of the time at most
_PIECE = 65536
_CLOSED = "closed"  # the event of a block whose closer was read


def main(options: argparse.Namespace) -> int:
    """Follow a response until a person quits or applies it. Return the exit code that `check` would have."""
    advice = "use `editblocks check` once the answer is complete"
    if sys.platform == "win32":  # it has no termios, and cannot wait for a pipe
        raise UsageError(f"watch does not run on Windows; {advice}")
    no_terminal = UsageError(f"watch needs a terminal; {advice}")
    if not is_long_form(sys.stdout) or os.environ.get("TERM") == "dumb":
        raise no_terminal
    from editblocks.faces.cli.screen import open_screen  # only on POSIX

    call = _WatchCall(options)
    with open_screen(sys.stdout, is_stdin_read=call.source == "-") as screen:
        if screen is None:
            raise no_terminal
        return _Table(call, screen).show_all()


class _WatchCall:
    """One call of `watch`: makes and plans a response from the bytes that have come."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.request = Request.of(options)
        (self.source,) = options.sources
        settings = self.request.settings
        self._limit = settings.max_response_bytes
        arriving = Arriving(formats_for(settings), settings.max_blocks)
        self.live_response = LiveResponse(_followed(self.source), arriving, self.plan, time.monotonic)

    def plan(self, data: bytes, warn: Callable[[str], None] = lambda _: None) -> Outcome:
        """Return the outcome that `check` would have now. Raises `EditBlocksError` if this is not a response."""
        # opened anew, because the repository may be moved or removed while this runs
        request = self.request._replace(repository=opened_once(self.request.root))
        response = self.response(request, data, warn)
        return check(request.of_response(response), request.opener())

    def response(self, request: Request, data: bytes, warn: Callable[[str], None] = message) -> Response:
        """Make the response from these bytes."""
        return request.complete(response_in(data, self.source, self._limit, warn))

    def apply(self) -> tuple[Outcome, str]:
        """Apply the response and print what was written. The text says why nothing was written, else it is empty.

        Settings, response and files are read again.
        """
        request = Request.of(argparse.Namespace(**{**vars(self.options), "command": "apply"}))
        data = self.live_response.data or b""
        if not self.live_response.followed.is_pipe and read_source(self.source, SOURCE_BYTES) != data:
            raise RepoError(f"{self.live_response.name} has just changed; look at it again", ReasonCode.STALE)
        response = self.response(request, data)
        files = WritableFiles(request)
        outcome = settle(files.request_for(response), files.refusal, files.open, commits=False)
        view = OutcomeView(outcome)
        if not outcome.written:
            return outcome, short.verdict(view, f"`{apply_command(view, request.kept)}`")
        Output(request).add(view, files.record_id, files.started_on)
        files.warn_about_ignored_file()
        return outcome, ""

    def report(self) -> int:
        """Print what `check` would print now. Return its exit code."""
        outcome = self.plan(self.live_response.data or b"", message)
        view = OutcomeView(outcome)
        Output(self.request).add(view)
        if outcome.refusal is not None:
            complain(outcome.refusal.code, outcome.refusal.reason)
        return view.exit_code


def _followed(source: str) -> "FollowedFile | _FollowedStream":
    if source == "-":
        return _FollowedStream(sys.stdin.fileno())
    if not is_opened_by_shell(source):
        return FollowedFile(source, SOURCE_BYTES)
    try:
        return _FollowedStream(os.open(source, os.O_RDONLY))
    except OSError as error:
        raise RepoError(f"{source} cannot be read: {reason_of(error)}") from error


class _Table:
    """Shows the table on a terminal and obeys keys."""

    def __init__(self, call: _WatchCall, screen: "Screen") -> None:
        self._call = call
        self._live_response = call.live_response
        self._screen = screen
        self._reply = ""  # to the last key
        self._reply_state = call.live_response.state  # the state of the response that the reply is about

    def show_all(self) -> int:
        """Show the table until a person quits or applies the response. Return the exit code."""
        while True:
            self._live_response.look()
            if self._reply_state != self._live_response.state:
                self._reply_state = self._live_response.state
                self._reply = ""
            self._draw()
            for key in self._screen.keys(_TICK):
                code = self._obey(key)
                if code is not None:
                    return code

    def _draw(self) -> None:
        live = self._live_response
        below = list[str]()
        if live.view is not None and live.reading is None:
            below += short.notes(live.view).splitlines()
        below += [line for line in (self._status_line(), self._reply, _KEYS) if line]
        lines = live_lines(
            live.view,
            live.reading,
            below,
            self._screen.size,
            unicode=has_unicode(sys.stdout),
            color=has_color(sys.stdout, self._call.request.color),
        )
        self._screen.draw(lines)

    def _status_line(self) -> str:
        """Return why the table has no rows, or why they cannot be applied; else empty."""
        live = self._live_response
        if live.data is None:
            return f"there is no {live.name}; waiting for it"
        if live.trouble:
            return live.trouble
        if live.view is not None and live.view.outcome.refusal is not None:
            return live.view.outcome.refusal.reason
        if live.reading is not None or (live.view is not None and live.view.rows):
            return ""
        lines = live.data.count(b"\n")
        return f"{plural(lines, 'line')} read, no edit block yet"

    def _obey(self, key: str) -> int | None:
        """Do what a key asks for. Return the exit code if it ends the program."""
        if key == "q":
            self._screen.clear()
            if self._live_response.data is None:
                read_source(self._call.source, SOURCE_BYTES)  # raises what `check` raises for a missing file
            return self._call.report()
        if key not in ("a", "r"):
            return None
        self._reply = self._why_not_now(key)
        if self._reply:
            return None
        self._screen.clear()
        try:
            if key == "a":
                return self._apply()
            self._retry()
        except EditBlocksError as error:
            self._reply = error.message
        return None

    def _why_not_now(self, key: str) -> str:
        """Return why nothing can be done yet; empty if something can."""
        live = self._live_response
        live.look()
        if live.data is None:
            return f"there is no {live.name}"
        if live.is_growing:
            return f"{live.name} is still being written; press {key} once it is complete"
        if key == "a" and live.reading is not None:
            return f"block {live.reading.number} is still open, so nothing is written"
        return ""

    def _apply(self) -> int | None:
        outcome, self._reply = self._call.apply()
        if outcome.written:
            return code_for(outcome.ok)
        if outcome.result.rows:
            self._live_response.view = OutcomeView(outcome)  # a file may have changed since the rows were made
        return None

    def _retry(self) -> None:
        """Copy the retry prompt, or print it if there is no clipboard."""
        outcome = self._call.plan(self._live_response.data or b"")
        what = "retry prompt"
        if outcome.result.rows or outcome.refusal is not None:
            prompt = outcome.retry_prompt
            if outcome.retry_blocks:
                what += f" for {blocks(outcome.retry_blocks)}"
        else:
            prompt = no_blocks_prompt(outcome.response.text)
        if not prompt:
            self._reply = nothing_to_ask(outcome.result)
            return
        what += f", {len(prompt):,} characters"
        try:
            copy(prompt)
            self._reply = f"{what}, copied to the clipboard"
        except EditBlocksError as error:
            show_exactly(f"{prompt}\n".encode("utf-8", "replace"))
            self._reply = f"{what}, printed above: {error.message}"


class LiveResponse:
    """A response that is read again and again, and planned whenever more of its blocks have closed.

    `view` is None until there is a plan. `trouble` says why the present text could not be planned.
    """

    def __init__(
        self,
        followed: "FollowedFile | _FollowedStream",
        arriving: "Arriving",
        plan: Callable[[bytes], Outcome],
        clock: Callable[[], float],
    ) -> None:
        self.view: OutcomeView | None = None
        self.trouble = ""
        self.starts = 0  # how often the response began anew
        self.name = followed.name
        self.followed = followed
        self._arriving = arriving
        self._plan = plan
        self._clock = clock
        self._is_there = False
        self._changed_at = clock()
        self._version = 0
        self._planned_state: tuple[object, ...] = ()  # the `state` for which the last plan was made
        self._due = 0.0  # when the next plan may be made

    def look(self) -> None:
        """Read what has come, and plan it if its state has changed. Raises `RepoError` if it cannot be read."""
        data = self.followed.look()
        if data != self.data:
            self._is_there = data is not None
            self._changed_at = self._clock()
            self._version += 1
        if data is None:
            return
        if self._arriving.take(data) or not self.starts:
            self.starts += 1
            self.view = None
        if self._needs_plan and self._clock() >= self._due:
            self._make_plan()

    @property
    def data(self) -> bytes | None:
        """All bytes that were read; None if the file does not exist now."""
        return self._arriving.data if self._is_there else None

    @property
    def reading(self) -> OpenRow | None:
        """The block that is still open, if there is one."""
        return None if self.followed.is_over else self._arriving.open

    @property
    def is_growing(self) -> bool:
        """Whether more bytes are expected."""
        if self.followed.is_over:
            return False
        return self.followed.is_pipe or self._clock() - self._changed_at < _RESTS

    @property
    def state(self) -> tuple[object, ...]:
        """The facts that a plan depends on; it is only planned again when they change."""
        closed = len(self._arriving.closed)
        if self.is_growing:
            return self.starts, closed
        return self.starts, closed, self._version

    @property
    def _needs_plan(self) -> bool:
        has_blocks = bool(self._arriving.closed)
        return self._planned_state != self.state and (has_blocks or not self.is_growing)

    def _make_plan(self) -> None:
        started = self._clock()
        self._planned_state = self.state
        self.trouble = ""
        data = self._arriving.data if self.followed.is_over else self._arriving.whole_characters
        try:
            outcome = self._plan(data)
        except EditBlocksError as error:
            self.trouble = error.message
        else:
            self.view = self._view(outcome)
        self._due = self._clock() + max(_LEAST, _SHARE * (self._clock() - started))

    def _view(self, outcome: Outcome) -> OutcomeView:
        """Return the view of a plan, without rows of blocks that are not complete."""
        numbers = self._arriving.closed
        if not self.is_growing:
            numbers = {row_number(row) for row in outcome.result.rows}
            if self.reading is not None:
                last = self.reading.number
                numbers = {number for number in numbers if number < last}
        results = tuple(row for row in outcome.result.results if row_number(row) in numbers)
        problems = tuple(row for row in outcome.result.problems if row.number in numbers)
        result = outcome.result._replace(results=results, problems=problems)
        if self.is_growing or self.reading is not None:
            result = result._replace(unbalanced="")  # the closer of the open block has not come yet
        return OutcomeView(outcome._replace(result=result))


class Arriving:
    """The bytes of a response so far, and the blocks in them. No I/O."""

    def __init__(self, formats: Sequence[Format], most_rows: int) -> None:
        self._formats = formats
        self._most_rows = most_rows
        self._restart()

    def _restart(self) -> None:
        self.data = b""
        self.open: OpenRow | None = None
        self.closed = set[int]()  # the numbers of the blocks that have ended, also broken ones
        self._parser = StreamParser(self._formats, most_rows=self._most_rows)
        self._decoder = getincrementaldecoder("utf-8")("replace")  # the response itself is decoded strictly

    def take(self, data: bytes) -> bool:
        """Take all bytes that there are now. Return whether the response began anew, with other bytes than before."""
        is_new = not data.startswith(self.data)
        if is_new:
            self._restart()
        added = data[len(self.data) :]
        self.data = data
        for event in self._parser.feed(self._decoder.decode(added)):
            if isinstance(event, DraftsLeftOut):
                self.open = None
                self.closed.clear()
            elif isinstance(event, BlockStarted):
                self.open = OpenRow(event.number, event.path)
            elif isinstance(event, BlockProgress) and event.section != _CLOSED:
                if self.open is not None:
                    self.open = self.open._replace(lines=self.open.lines + len(event.lines))
            else:
                self.closed.add(event.number)
                if self.open is not None and self.open.number <= event.number:
                    self.open = None
        return is_new

    @property
    def whole_characters(self) -> bytes:
        """The data without a last character that is incomplete."""
        pending, _ = self._decoder.getstate()
        return self.data[: len(self.data) - len(pending)]


class FollowedFile:
    """A file that grows or is replaced, and may not exist yet. At most `size` bytes of it are read."""

    is_pipe = False
    is_over = False  # a file may always grow again

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self._size = size

    def look(self) -> bytes | None:
        """Return the bytes that the file has now; None if it does not exist. Raises `RepoError` if it is unreadable."""
        try:
            return read_source(self.name, self._size)
        except RepoError as error:
            if error.code is not ReasonCode.FILE_NOT_FOUND:
                raise
            return None


class _FollowedStream:
    """The bytes from a pipe, at most `SOURCE_BYTES`."""

    is_pipe = True

    def __init__(self, descriptor: int) -> None:
        self.name = "standard input"
        self.is_over = False
        self._descriptor = descriptor
        self._data = bytearray()

    def look(self) -> bytes | None:
        """Return all bytes that have come so far. Raises `RepoError`."""
        while not self.is_over and select.select([self._descriptor], [], [], 0)[0]:
            try:
                piece = os.read(self._descriptor, min(_PIECE, SOURCE_BYTES - len(self._data)))
            except OSError as error:
                raise RepoError(f"{self.name} cannot be read: {reason_of(error)}") from error
            self._data += piece
            self.is_over = not piece or len(self._data) >= SOURCE_BYTES
        return bytes(self._data)
