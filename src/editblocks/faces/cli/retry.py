"""`editblocks retry`: print what to send back to the model about failed blocks.

Page: docs/reference/command-line.md, "asking again".
"""

import argparse
from collections.abc import Callable, Sequence

from editblocks.applying.engine import Options
from editblocks.core.codes import State
from editblocks.core.errors import UsageError
from editblocks.core.model import ApplyResult, row_number
from editblocks.core.outcome import Outcome, Response
from editblocks.core.phrases import blocks
from editblocks.core.selection import mark_left_out, unselected_rows
from editblocks.faces.cli.check import Output, explain_missing_files
from editblocks.faces.cli.request import Request
from editblocks.faces.reading import copy
from editblocks.faces.terminal import FINE, NOT_OK, message, planning, printing, put_out, say_wrapped
from editblocks.parsing.parse import OF_TOOLS
from editblocks.prompts.failures import failures
from editblocks.prompts.files import Files
from editblocks.prompts.retry import no_blocks_prompt, retry_prompt
from editblocks.report.next_commands import apply_command
from editblocks.report.short import short_summary
from editblocks.report.view import OutcomeView
from editblocks.run import Version, run


def main(options: argparse.Namespace) -> int:
    """Print or copy the prompts, and say on stderr which blocks they are about. Return 0, also if none is needed.

    A selection limits only what the prompt asks for. All blocks are planned, because one may need those before it.
    """
    request = Request.of(options)
    responses = request.responses()
    prompts = list[str]()

    def put(prompt: str) -> None:
        if options.clipboard:
            prompts.append(prompt)
            copy("\n\n".join(prompts))
        else:
            put_out(f"{prompt}\n".encode("utf-8", "replace"))

    with printing():
        for response in responses:
            ask(request, response, put, fresh=options.fresh, max_chars=options.max_chars)
        return FINE
    return NOT_OK  # the reader closed the pipe


def ask(request: Request, response: Response, put: Callable[[str], object], *, fresh: bool, max_chars: int) -> None:
    """Pass the prompt for one response to `put`, and say on stderr which blocks it is about, or why there is none."""
    repo = request.opener()()
    view = _planned(request, response, repo)
    result = view.result
    if _is_of_tool(result):
        message("a tool wrote this, so there is no model to ask again")
        return
    if result.rows:
        prompt = retry_prompt(result, repo, fresh=fresh, max_chars=max_chars, response=response)
    else:
        message(short_summary(view))
        prompt = no_blocks_prompt(response.text, max_chars=max_chars)
    if not prompt:
        which = "no block" if request.select is None else "none of these blocks"
        message(nothing_to_ask(result, which))
        return
    put(prompt)
    if result.rows and not request.quiet:
        asked = [failure.number for failure in failures(result, Files(result, repo.read), response)]
        _say_what_is_asked(request, view, asked, len(prompt))


def _planned(request: Request, response: Response, repo: Version) -> OutcomeView:
    """Plan all blocks of one response, of which the selected ones may be asked for. Raises `UsageError`."""
    with planning(response.text, quiet=request.quiet) as progress:
        options = Options(progress=progress, written=request.written_before(response))
        result = run(response, repo, request.settings, options)
    if request.select is not None:
        if request.select.ready:
            raise UsageError("`ready` names the blocks that fit, and a retry prompt asks for the others; leave it out")
        paths = {row.file_path for row in result.rows if row.file_path is not None}
        request.select.check(list(map(row_number, result.rows)), paths)
    unchosen = unselected_rows(result, request.select)
    state = State.CHECKED if result.ok else State.FAILED
    view = OutcomeView(Outcome(response, mark_left_out(result, unchosen), state, repo.head, not_selected=unchosen))
    explain_missing_files(request, view)
    if request.verbose and not request.quiet:
        Output(request).explain(view)
    return view


def _say_what_is_asked(request: Request, view: OutcomeView, asked: Sequence[int], length: int) -> None:
    """Say which blocks the prompt asks for, and how to apply those that fit now, if it asks for none of them."""
    copied = ", copied to the clipboard" if request.clipboard else ""
    say_wrapped(f"retry prompt for {blocks(asked)}, {length:,} characters{copied}\n")
    command = apply_command(view, request.kept)
    if not command or any(row.number in asked for row in view.fitting):
        return
    if view.outcome.response.source.kind == "clipboard":
        command = f"copy the first answer again, then {command}"
    what = blocks([row.number for row in view.fitting])
    say_wrapped(f"{what} will not be in the new answer; to apply now: {command}\n")


def nothing_to_ask(result: ApplyResult, which: str = "no block") -> str:
    """Return why there is no retry prompt: `which` failed, or only a person can repair the failed blocks."""
    hopeless = [row.number for row in result.problems if row.needs_person]
    if hopeless:
        return f"a retry prompt cannot repair {blocks(hopeless)}; editblocks check says what to do"
    return f"{which} failed, so there is nothing to ask for"


def _is_of_tool(result: ApplyResult) -> bool:
    """Whether the response is the output of a linter, with or without fixes."""
    forms = {row.block.format for row in result.results} | {row.format for row in result.problems}
    return not forms.isdisjoint(OF_TOOLS) or any(note.code == "no-fixes" for note in result.notes)
