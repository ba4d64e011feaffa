"""`editblocks retry`: what to send back to the model about blocks that failed. Page: docs/cli.md, "asking again"."""

from __future__ import annotations

from editblocks.chosen import left_alone, without
from editblocks.codes import State
from editblocks.faces.boundary import FINE, NOT_OK
from editblocks.faces.local import Request, opener, response_of
from editblocks.faces.terminal import message, printing, say, show_exactly
from editblocks.model import row_number
from editblocks.outcome import Outcome
from editblocks.prompts.failures import failures
from editblocks.prompts.files import Files
from editblocks.prompts.retry import retry_prompt
from editblocks.report.console import short_summary
from editblocks.report.wording import blocks
from editblocks.run import run


def ask_again(request: Request, *, fresh: bool, max_chars: int) -> int:
    """Print the prompt on stdout and what it is about on stderr. Returns the exit code that `check` would have.

    A selection narrows what is asked for, and not what is planned: a block may need those before it.
    Raises what reading the response and the files raises.
    """
    response, repo = response_of(request), opener(request)()
    result = run(response, repo, request.settings)
    if request.select is not None:
        rows = result.rows
        request.select.check(list(map(row_number, rows)), {row.file_path for row in rows if row.file_path is not None})
    unchosen = left_alone(result, request.select)
    state = State.CHECKED if result.ok else State.FAILED
    outcome = Outcome(response, without(result, unchosen), state, repo.head, left_alone=unchosen)
    result = outcome.result
    if not result.rows:
        message(short_summary(outcome))
        return NOT_OK
    prompt = retry_prompt(result, repo.read, head=repo.head, fresh=fresh, max_chars=max_chars, response=response.text)
    if not prompt:
        which = "no block" if request.select is None else "none of these blocks"
        message(f"{which} failed, so there is nothing to ask again")
        return FINE
    with printing():
        show_exactly(f"{prompt}\n".encode("utf-8", "replace"))
    asked = [failure.number for failure in failures(result, Files(result, repo.read), response.text)]
    say(f"retry prompt for {blocks(asked)}, {len(prompt):,} characters\n")
    return FINE if outcome.ok else NOT_OK
