"""`editblocks check`: plan responses from files or stdin against a folder or a commit; write nothing.

`apply` uses `CheckRun` as well to handle one response after the other, and every command prints its result with
`Output`. Page: docs/reference/command-line.md, "what is printed".
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from editblocks.applying.engine import apply_response
from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Response
from editblocks.core.settings import Settings
from editblocks.faces.cli.request import Request
from editblocks.faces.reading import read_response
from editblocks.faces.terminal import (
    FINE,
    NOT_OK,
    columns,
    complain,
    has_color,
    has_unicode,
    is_long_form,
    is_terminal,
    message,
    planning,
    printing,
    say,
    say_wrapped,
    show,
    show_exactly,
    show_wrapped,
)
from editblocks.report import short
from editblocks.report.escape import visible
from editblocks.report.next_commands import retry_command
from editblocks.report.view import OutcomeView, source_name
from editblocks.repos.git.repository import git_folder, is_git_folder
from editblocks.run import Version, check

_OF_MISSING_FILES = {ReasonCode.FILE_NOT_FOUND, ReasonCode.EARLIER_FAILURE}
_REFUSED = (ReasonCode.UNSAFE_PATH, ReasonCode.NOT_ALLOWED)  # paths that are refused in every repository


def main(options: argparse.Namespace) -> int:
    """Check responses, or with `--paths` list the files they are about. Return the worst exit code."""
    if options.paths:
        return _list_paths(options.sources)
    return carry_out(options, Output)


def _list_paths(sources: Sequence[str]) -> int:
    """`check --paths`: print the files that responses name, one on a line, in the order in which they appear.

    No repository is needed. Blocks that cannot be read are reported on stderr. They make the exit code 1, and so does a
    response without blocks.
    """
    code = FINE
    messages = ""
    paths = dict[str, None]()
    for source in sources:
        response = read_response(source, Settings().max_response_bytes)
        result = apply_response(response, lambda _: None)
        refused = tuple(row for row in result.results if row.code in _REFUSED)
        listed = [row.file_path for row in result.results if row.code not in _REFUSED and not row.block.weak_path]
        paths.update(dict.fromkeys(listed))
        view = OutcomeView(Outcome(response, result._replace(results=refused, contents={}), State.FAILED))
        messages += short.short_rows(view) + _notes(result)
        if view.rows or not result.results:
            messages += f"{short.short_summary(view)}\n"
        if view.rows or not listed:
            code = NOT_OK
    with printing():
        show_exactly("".join(f"{visible(path)}\n" for path in paths).encode())  # UTF-8, for scripts
    say_wrapped(messages)
    return code


def _notes(result: ApplyResult) -> str:
    """Return a line for each note of a response with blocks, at most ten."""
    where = "is used only if the file exists, so it is not listed"
    weak = [row.block for row in result.results if row.block.weak_path]
    notes = [f"`{block.file_path}` (line {block.line_number}) {where}" for block in weak]
    if result.results:
        notes += [note.message for note in result.notes if note.code != "base-unknown"]  # every base is unknown here
    return "".join(visible(f"note: {note}") + "\n" for note in notes[: short.NOTES])


def carry_out(options: argparse.Namespace, output: "Callable[[Request], Output]") -> int:
    """Plan responses and print the outcomes. All are read before the first is planned. Return the worst exit code."""
    request = Request.of(options)
    call = CheckRun(output(request), request.responses(), request.opener())
    with printing():
        call.carry_out()
    return call.finish()


class CheckRun:
    """Handles the responses of one call one after the other, and keeps their outcomes."""

    def __init__(self, output: "Output", responses: Sequence[Response], open_files: Callable[[], Version]) -> None:
        self.responses = responses
        self.output = output
        self.is_stopped = False  # a person wants no more questions
        self.done: list[str] = []  # what was written, so that a later error does not hide it
        self._open_files = open_files
        self.views: list[OutcomeView] = []

    @property
    def request(self) -> Request:
        """The request of the call."""
        return self.output.request

    def carry_out(self) -> None:
        """Handle each response and print its outcome."""
        for response in self.responses:
            self.handle(response)
            if self.is_stopped:
                break
        self.output.close(self.views)

    def handle(self, response: Response) -> None:
        """Plan one response and print its outcome."""
        with planning(response.text, quiet=self.request.quiet) as progress:
            outcome = check(self.request.of_response(response, progress), self._open_files)
        self.output.add(self.view_of(outcome))

    def view_of(self, outcome: Outcome) -> OutcomeView:
        """Make the view of the next outcome, and remember it for the exit code."""
        view = OutcomeView(outcome)
        self.views.append(view)
        explain_missing_files(self.request, view)
        return view

    def finish(self) -> int:
        """Print a message about each refusal and about responses that were not handled. Return the worst exit code."""
        code = FINE
        left = ", ".join(source_name(response.source) for response in self.responses[len(self.views) :])
        if left and self.is_stopped:
            message(f"you stopped, so nothing was done with {left}")
        elif left:
            message(f"the output was closed early, so nothing was done with {left}")
            code = NOT_OK
        done: Sequence[str] = self.done
        if self.request.format == "text":
            done = ()  # it was printed already
        for view in self.views:
            refusal = view.outcome.refusal
            if refusal is not None:
                complain(refusal.code, after_done(done, refusal.reason))
                done = ()
            code = max(code, view.exit_code)
        return code


def explain_missing_files(request: Request, view: OutcomeView) -> None:
    """If no file of a response exists, say that the folder is not a repository, because it may be the wrong one."""
    codes = {row.code for row in view.result.rows}
    is_missing = ReasonCode.FILE_NOT_FOUND in codes and codes <= _OF_MISSING_FILES
    if is_missing and git_folder(request.root) is None and not is_git_folder(request.root):
        what = f"{request.root} is not a git repository, so paths start in this folder"
        message(f"{what}; change to the folder where they start, or name it with --root")


def after_done(done: Sequence[str], problem: str) -> str:
    """Return the sentence about a problem, after what was done before it."""
    if not done:
        return problem
    return f"{'; '.join(done)}, but {problem}"


class Output:
    """Prints the result of one call: text after each response, every other format at the end."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.count = 0

    def add(self, view: OutcomeView, record_id: str | None = None, branch: str | None = None) -> None:
        """Print the outcome of a response. `record_id` is the id for `undo`, `branch` the one with the new commit."""
        request = self.request
        if request.format != "text" or is_only_refused(view):
            return
        if self.count > 0:
            show("\n")
        if len(request.sources) > 1:
            show_wrapped(f"{visible(view.outcome.response.source.path or 'standard input')}:\n")
        self.count += 1
        if not request.quiet and (request.verbose or is_long_form(sys.stdout)):
            show(self._long_form(view, sys.stdout))
        else:
            show(self.short_rows(view, sys.stdout))
            show_wrapped(f"{short.notes(view)}{short.not_run(view)}{short.short_summary(view)}\n")
        if request.command == "apply" and view.outcome.refusal is None and view.result.rows:
            show_wrapped(f"{'; '.join(self.verdict(view, record_id, branch))}\n")
            following = self._next_step(view)
            if following:
                show_wrapped(f"{following}\n")

    def close(self, views: Sequence[OutcomeView]) -> None:
        """Print the formats that need every response."""
        if self.request.format == "text":
            if self.count > 1:
                show_wrapped(f"\n{short.total(views)}\n")
            return
        from editblocks.faces.cli.documents import document  # loaded late, with all its writers

        text = document(self.request, views)
        if is_terminal(sys.stdout):
            show(text)
        else:  # a program reads UTF-8 in every locale
            show_exactly(text.encode("utf-8", "backslashreplace"), may_command=True)

    def explain(self, view: OutcomeView) -> None:
        """Print the outcome of a response on stderr, because a program reads stdout."""
        say(self._long_form(view, sys.stderr))

    def verdict(self, view: OutcomeView, record_id: str | None, branch: str | None) -> list[str]:
        """Return sentences: what was written, and how to undo it."""
        outcome = view.outcome
        parts = [short.verdict(view)]
        if outcome.written and outcome.removed_file is not None:
            parts.append(f"removed {visible(outcome.removed_file)}")
        if record_id:
            parts.append(f"undo with: {self.request.undo(record_id)}")
        if outcome.commit:
            parts.append(f"undo on {visible(branch or 'HEAD')} with: git revert {outcome.commit[:7]}")
        return parts

    def _next_step(self, view: OutcomeView) -> str:
        """Return a sentence with the next command if failed blocks were left out; else empty."""
        if view.outcome.state is not State.PARTIAL or not view.outcome.retry_blocks or self.request.quiet:
            return ""
        command = retry_command(view, self.request.kept)
        return f"next: `{command}` prints what to send back to the model; then apply its corrected answer"

    def short_rows(self, view: OutcomeView, stream: TextIO | None) -> str:
        """Return a line for each row; with `-q` only for rows that are not ok."""
        quiet = self.request.quiet
        color = has_color(stream, self.request.color)
        return short.short_rows(view, color=color, full=not quiet, quiet=quiet, width=columns(stream))

    def _long_form(self, view: OutcomeView, stream: TextIO | None) -> str:
        from editblocks.report import console  # loaded late, because hooks and scripts use short rows

        request = self.request
        tried = console.levels(view, request.settings) if request.verbose else ""
        return console.report(
            view,
            unicode=has_unicode(stream),
            color=has_color(stream, request.color),
            kept=request.kept,
            width=columns(stream),
            levels=tried,
            offers_apply=request.command == "check",
            offers_retry=not self._next_step(view),  # else the next step names the command
        )


def is_only_refused(view: OutcomeView) -> bool:
    """Whether nothing was planned, so that there is only a refusal to report."""
    return view.outcome.refusal is not None and not view.result.rows
