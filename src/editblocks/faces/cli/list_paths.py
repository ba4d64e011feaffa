"""`check --paths`: the files that a response would change, read from the response alone.

No repository is asked, so a path is listed if its text may name a file to change; whether the file is there,
and whether the blocks fit, is not known. Page: docs/reference/command-line.md, "which files".
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from editblocks.applying.engine import apply_response
from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Response
from editblocks.core.settings import Settings
from editblocks.faces.common.exit_codes import FINE, NOT_OK
from editblocks.faces.common.read_response import read_response
from editblocks.faces.common.terminal import printing, say, show_exactly
from editblocks.report.escape import visible
from editblocks.report.terminal.short import NOTES, short_rows, short_summary
from editblocks.report.view import OutcomeView

_REFUSED = (ReasonCode.UNSAFE_PATH, ReasonCode.NOT_ALLOWED)  # whatever the repository holds


def list_paths(options: argparse.Namespace) -> int:
    """Print the files on stdout, a line each, in the order in which the responses first name them.

    What cannot be read goes to stderr, and makes the exit code 1, as does a response without blocks.
    """
    responses = [read_response(source, Settings().max_response_bytes) for source in options.sources]
    paths, messages, is_fine = dict[str, None](), "", True
    for response in responses:
        result = apply_response(response, lambda _: None)
        refused = tuple(row for row in result.results if row.code in _REFUSED)
        listed = [row.file_path for row in result.results if row not in refused and not row.block.weak_path]
        paths.update(dict.fromkeys(listed))
        messages += _messages(response, result, replace(result, results=refused, contents={}))
        is_fine = is_fine and bool(listed) and not refused and not result.problems
    with printing():
        show_exactly("".join(f"{visible(path)}\n" for path in paths).encode())  # a script reads UTF-8
    say(messages)
    return FINE if is_fine else NOT_OK


def _messages(response: Response, result: ApplyResult, unlisted: ApplyResult) -> str:
    """A line for each problem and each note, 10 notes at most, and the sum if there is a problem or no block."""
    view = OutcomeView(Outcome(response, unlisted, State.FAILED))
    weak = [
        f"`{row.file_path}` (line {row.block.line_number}) counts only if there is such a file, so it is not listed"
        for row in result.results
        if row.block.weak_path
    ]
    texts = [note.message for note in result.notes if note.code != "base-unknown"]  # as every base is here
    messages = (*weak, *texts) if result.results else ()
    notes = [visible(f"note: {message}") + "\n" for message in messages[:NOTES]]
    summary = f"{short_summary(view)}\n" if unlisted.rows or not result.results else ""
    return "".join((short_rows(view), *notes, summary))
