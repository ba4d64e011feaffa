"""check, diff, convert and apply: responses from files or stdin against a folder or a commit on this machine."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from editblocks.applying.engine import apply_response
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import RepoError, UsageError
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Response
from editblocks.core.settings import Settings
from editblocks.faces.cli.output import Output
from editblocks.faces.cli.request import Request
from editblocks.faces.cli.writing import Files, order_for
from editblocks.faces.common.reading import read_response
from editblocks.faces.common.terminal import BROKEN, FINE, NOT_OK, message, printing, say, show_exactly
from editblocks.faces.interactive.dialog import choose
from editblocks.report.escape import visible
from editblocks.report.terminal.short import NOTES, short_rows, short_summary, verdict
from editblocks.report.view import OutcomeView, source_name
from editblocks.run.flow import settle

_REFUSED = (ReasonCode.UNSAFE_PATH, ReasonCode.NOT_ALLOWED)  # whatever the repository holds


def main(options: argparse.Namespace) -> int:
    """Carry out a command; the worst exit code. All responses are read before the first is planned."""
    if options.command == "check" and options.paths:
        return _list_paths(options)
    if vars(options).get("format") == "json" and len(options.sources) > 1:  # `convert` has no formats
        raise UsageError("--format json holds one response; use jsonl, or name one at a time")
    request = Request.of(options)
    call = _Call(request, request.responses())
    try:
        with printing():
            call.carry_out()
    except RepoError as error:
        raise RepoError(_but(call.done, error.message), error.code) from error
    except KeyboardInterrupt:
        if call.done:
            message(f"interrupted; {'; '.join(call.done)}")
        raise
    return call.exit_code()


class _Call:
    """The responses of one call, handled one after the other, with their outcomes so far."""

    def __init__(self, request: Request, responses: Sequence[Response]) -> None:
        self._request = request
        self._responses = responses
        self._files = Files(request)
        self._output = Output(request)
        self._views: list[OutcomeView] = []
        self._is_over = False  # the person who is asked wants no more questions
        self.done: list[str] = []  # what was written: nobody must take it for something that was not

    def carry_out(self) -> None:
        for response in self._responses:
            self._settle(response)
            if self._is_over:
                break
        self._output.close(self._views, self._files)

    def _settle(self, response: Response) -> None:
        request, files = self._request, self._files
        order, stays = order_for(request, response)
        if request.interactive:
            order, self._is_over = choose(order, files, color=request.color, heading=len(self._responses) > 1)
        files.removes = () if order.select is not None and order.select.skip else order.removes
        outcome = settle(order, files, files, sleep=time.sleep)
        view = OutcomeView(outcome)
        self._views.append(view)
        receipt = files.receipt if outcome.written else None
        if outcome.written:
            self.done.append(f"{verdict(view)}{f' (undo with: {request.undo(receipt)})' if receipt else ''}")
        self._output.add(view, receipt, request.branch or files.started_on)
        if stays and outcome.written and outcome.result.ok:
            message(stays)

    def exit_code(self) -> int:
        """The worst exit code, after a message about each refusal and the responses that were not handled."""
        left = ", ".join(source_name(response.source) for response in self._responses[len(self._views) :])
        if left:
            why = "you stopped" if self._is_over else "nobody read the result to its end"
            message(f"{why}, so nothing was done with {left}")
        codes = [NOT_OK if (left and not self._is_over) or self._output.is_incomplete else FINE]
        done = [] if self._request.format == "text" else self.done  # which people have not read yet
        for outcome in (view.outcome for view in self._views):
            if outcome.refusal is not None:
                message(f"{outcome.refusal.code.value}: {_but(done, outcome.refusal.reason)}")
                done = []
            codes.append(BROKEN if outcome.refusal is not None else FINE if outcome.ok else NOT_OK)
        return max(codes)


def _but(done: Sequence[str], trouble: str) -> str:
    return f"{'; '.join(done)}, but {trouble}" if done else trouble


def _list_paths(options: argparse.Namespace) -> int:
    """`check --paths`: print the files that responses name, a line each, in the order in which they first do.

    No repository is asked. What cannot be read goes to stderr, and makes the exit code 1, as does a response without
    blocks.
    """
    paths, messages, is_fine = dict[str, None](), "", True
    for source in options.sources:
        response = read_response(source, Settings().max_response_bytes)
        result = apply_response(response, lambda _: None)
        refused = tuple(row for row in result.results if row.code in _REFUSED)
        listed = [row.file_path for row in result.results if row.code not in _REFUSED and not row.block.weak_path]
        paths.update(dict.fromkeys(listed))
        view = OutcomeView(Outcome(response, result._replace(results=refused, contents={}), State.FAILED))
        messages += short_rows(view) + _notes(result)
        messages += f"{short_summary(view)}\n" if view.rows or not result.results else ""
        is_fine = is_fine and bool(listed) and not view.rows
    with printing():
        show_exactly("".join(f"{visible(path)}\n" for path in paths).encode())  # a script reads UTF-8
    say(messages)
    return FINE if is_fine else NOT_OK


def _notes(result: ApplyResult) -> str:
    """A line for each note of a response with blocks, 10 at most."""
    where = "counts only if there is such a file, so it is not listed"
    weak = [row.block for row in result.results if row.block.weak_path]
    notes = [f"`{block.file_path}` (line {block.line_number}) {where}" for block in weak]
    if result.results:
        notes += [note.message for note in result.notes if note.code != "base-unknown"]  # as every base is here
    return "".join(visible(f"note: {note}") + "\n" for note in notes[:NOTES])
