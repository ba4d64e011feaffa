"""`check --paths`: the files that a response would change, read from the response alone.

No repository is asked, so a path is listed if its text may name a file to change; whether the file is there,
and whether the blocks fit, is not known. Page: docs/reference/command-line.md, "which files".
"""

from __future__ import annotations

import argparse

from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import ApplyResult, EditBlock, ParseResult, Problem
from editblocks.core.outcome import Outcome, Response
from editblocks.core.settings import Settings
from editblocks.faces.common.exit_codes import FINE, NOT_OK
from editblocks.faces.common.read_response import read_response
from editblocks.faces.common.terminal import printing, say, show_exactly
from editblocks.parsing.parse import FORMATS, formats_named, parse_response
from editblocks.paths import check_policy, check_syntax
from editblocks.report.escape import visible
from editblocks.report.terminal.short import NOTES, short_rows, short_summary
from editblocks.report.view import OutcomeView

_LIMIT = Settings().max_response_bytes


def list_paths(options: argparse.Namespace) -> int:
    """Print the files on stdout, a line each, in the order in which the responses first name them.

    What cannot be read goes to stderr, and makes the exit code 1, as does a response without blocks.
    """
    responses = [read_response(source, _LIMIT) for source in options.sources]
    paths, messages, is_fine = dict[str, None](), "", True
    for response in responses:
        parsed = _parse(response)
        refused = {block.number: problem for block in parsed.blocks if (problem := _path_problem(block))}
        listed = [block.file_path for block in parsed.blocks if block.number not in refused and not block.weak_path]
        problems = (*parsed.problems, *refused.values())
        paths.update(dict.fromkeys(listed))
        messages += _messages(response, parsed, problems)
        is_fine = is_fine and bool(listed) and not problems
    with printing():
        show_exactly("".join(f"{visible(path)}\n" for path in paths).encode())  # a script reads UTF-8
    say(messages)
    return FINE if is_fine else NOT_OK


def _parse(response: Response) -> ParseResult:
    """The blocks of a response as it was read, or one problem if it is too long."""
    text, front = response.text, response.front
    if len(text.encode("utf-8", "surrogatepass")) > _LIMIT:
        what = f"the response is over the limit of {_LIMIT:,} bytes (max-response-bytes)"
        return ParseResult(problems=(Problem(1, 1, 1, ReasonCode.TOO_LARGE, what, "split it"),))
    if front is None:
        return parse_response(text)
    formats = FORMATS if front.format is None else formats_named([front.format])
    return parse_response(text[front.length :], formats, first_line=front.lines + 1)


def _path_problem(block: EditBlock) -> Problem | None:
    """The row of a block whose path no block may change, whatever the repository holds; None for other paths."""
    path = block.file_path
    error = check_syntax(path, "create" if block.creates_file else "edit") or check_policy(path)
    if error is None:
        return None
    first, last = block.line_number, block.end_line
    return Problem(block.number, first, last, error.code, error.what, error.advice, path, block.format)


def _messages(response: Response, parsed: ParseResult, problems: tuple[Problem, ...]) -> str:
    """A line for each problem and each note, 10 notes at most, and the sum if there is a problem or no block."""
    result = ApplyResult((), problems, notes=parsed.notes, unbalanced=parsed.unbalanced)
    view = OutcomeView(Outcome(response, result, State.FAILED))
    weak = [
        f"`{block.file_path}` (line {block.line_number}) counts only if there is such a file, so it is not listed"
        for block in parsed.blocks
        if block.weak_path
    ]
    messages = (*weak, *(note.message for note in parsed.notes)) if parsed.blocks else ()
    notes = [visible(f"note: {message}") + "\n" for message in messages[:NOTES]]
    summary = f"{short_summary(view)}\n" if problems or not parsed.blocks else ""
    return "".join((short_rows(view), *notes, summary))
