"""What a status folds away: where each failed text first differs, what would be committed, notes.

Rules: docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.phrases import blocks, plural
from editblocks.paths.policy import needs_review
from editblocks.report import command_risk
from editblocks.report.diff import FileChange, file_changes, file_diff, unified_diff
from editblocks.report.escape import FENCE_LIMIT, code_span, fence, name_hidden, survives_copying, text
from editblocks.report.view import OutcomeView, two_lines

NOTES = 10
_NUMBERS = 20  # of blocks that a title names
_NAMED = "Hidden characters stand there by their names; on the branch, `editblocks retry -` writes them as they are."


def fold(summary: str, *parts: str) -> str:
    """A folded part; blank lines around each piece, so that Markdown is read inside. `summary` is our own words."""
    return "\n\n".join((f"<details>\n<summary>{summary}</summary>", *parts, "</details>"))


def differences(view: OutcomeView) -> list[str]:
    """A folded part for each failed block whose SEARCH is not in the file."""
    parts = []
    for row in view.rows:
        if row.result is None or row.result.first_difference is None:
            continue
        summary = f"Block {row.number} {row.word}: where it differs from the file first"
        parts.append(fold(summary, fence("\n".join(two_lines(row.result)), "diff"), text(row.sentence())))
    return parts


def preview(view: OutcomeView) -> str | None:
    """What would be committed, each file cut by its number of blocks; None if there is nothing or it is done."""
    if view.is_written or not view.result.contents:
        return None
    files = (_file(change, view) for change in file_changes(view.result))
    return fold(f"Preview: what would be committed ({view.change_text})", *files)


def prompt(view: OutcomeView) -> str:
    """What to send back to the model, whole, or nothing where it has nothing to answer.

    It is never cut, as half a prompt is none: it has 6,000 characters at most, and files are in it by a few lines.
    """
    if not view.is_asked_for:
        return ""
    shown = view.outcome.retry_prompt
    numbers = view.outcome.retry_blocks
    which = blocks(numbers)
    if len(numbers) > _NUMBERS:
        which = plural(len(numbers), "block")
    summary = f"Retry prompt for {which}: copy it into your chat, post the answer here"
    if view.outcome.response.source.path is not None:
        summary = f"Retry prompt for {which}: copy it into your chat, put the answer into the file"
    parts = [fence(name_hidden(shown, keep="\n\t"), limit=None)]
    if not survives_copying(shown):
        parts.append(_NAMED)
    return fold(summary, *parts)


def _file(change: FileChange, view: OutcomeView) -> str:
    """The diff of a file; without git's own lines above it, unless these are all or the file is renamed."""
    path = change.path
    if path in view.result.hidden_texts:
        return f"{code_span(path)} changes; its text is not shown, as it may hold secrets"
    count = sum(row.file_path == path and row.status is EditStatus.APPLIED for row in view.result.results)
    shown = file_diff(change).decode("utf-8", "replace")
    _, names, body = shown.partition("\n--- ")
    if names and path not in view.result.renamed:
        shown = f"--- {body}"
    return fence(shown, "diff", limit=FENCE_LIMIT * max(1, count))


def patch(view: OutcomeView) -> str | None:
    """The whole change, for the author of a fork to copy and apply; None if a copy would not be what was planned."""
    if view.outcome.refusal is None or view.outcome.refusal.code is not ReasonCode.FORK or not view.outcome.ok:
        return None
    whole = unified_diff(view.result).decode("utf-8", "replace")
    is_hidden = not view.result.hidden_texts.isdisjoint(view.result.contents)
    if not whole or is_hidden or not survives_copying(whole):
        return None
    return fold(f"Patch ({view.change_text})", fence(whole, "diff", limit=None))


def notes(view: OutcomeView) -> str:
    """The notes, ten lines at most; empty without any."""
    lines = []
    if view.balance_text:
        lines.append(f"- {text(view.balance_text)}")
    reviews = {path: _why_review(path, view) for path in view.result.contents}
    lines += [f"- {code_span(path)} {why}: ⚠️ review" for path, why in reviews.items() if why]
    lines += [f"- {whose}{text(note.message)}" for whose, note, _ in view.notes]
    if len(lines) > NOTES:
        lines[NOTES - 1 :] = [f"- and {len(lines) - NOTES + 1} more notes"]
    return "\n".join(lines)


def _why_review(path: str, view: OutcomeView) -> str:
    """What a person should look at in this change; nothing for a change of an ordinary file."""
    if needs_review(path):
        return "says what is installed, built or run"
    if view.result.contents[path] is not None:
        return ""
    new_path = next((new for new, old in view.result.renamed.items() if old == path), None)
    if new_path is None:
        return "is deleted"
    return f"is renamed to {code_span(new_path)}"


def suggestions(view: OutcomeView) -> str:
    """The commands that a response suggests, a line each after its risk; empty if there are none."""
    commands = view.result.shell_suggestions
    lines = [f"{risk:<11}  {name_hidden(command)}" for command, risk in command_risk.suggestions(commands)]
    if not lines:
        return ""
    summary = "Shell suggestions, never run"
    if len(lines) < len(commands):
        summary += f", the first {len(lines)} of {len(commands)}"
    return fold(summary, fence("\n".join(lines), limit=None))
