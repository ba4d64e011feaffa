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
_INTO_THE_FILE = "put the answer into the file"
_NAMED = "Hidden characters stand there by their names; on the branch, `editblocks retry -` writes them as they are."


def fold(summary: str, *parts: str) -> str:
    """A folded part; blank lines around each piece, so that Markdown is read inside. `summary` is our own words."""
    return "\n\n".join((f"<details>\n<summary>{summary}</summary>", *parts, "</details>"))


def differences(view: OutcomeView) -> list[str]:
    """A folded part for each failed block whose SEARCH is not in the file."""
    missed = [(row, lines) for row in view.rows if row.result is not None and (lines := two_lines(row.result))]
    return [
        fold(
            f"Block {row.number} {row.word}: where it differs from the file first",
            fence("\n".join(lines), "diff"),
            text(row.sentence()),
        )
        for row, lines in missed
    ]


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
    shown, numbers = view.outcome.retry_prompt, view.outcome.retry_blocks
    which = blocks(numbers) if len(numbers) <= _NUMBERS else plural(len(numbers), "block")
    is_file = view.outcome.response.source.path is not None
    return fold(
        f"Retry prompt for {which}: copy it into your chat, {_INTO_THE_FILE if is_file else 'post the answer here'}",
        fence(name_hidden(shown, keep="\n\t"), limit=None),
        *([] if survives_copying(shown) else [_NAMED]),
    )


def _file(change: FileChange, view: OutcomeView) -> str:
    path, result = change.path, view.result
    if path in result.hidden_texts:
        return f"{code_span(path)} changes; its text is not shown, as it may hold secrets"
    count = sum(row.file_path == path and row.status is EditStatus.APPLIED for row in result.results)
    whole = file_diff(change).decode("utf-8", "replace")
    head, names, body = whole.partition("\n--- ")
    if path in result.renamed:
        head, names, body = whole, "", ""
    return fence(f"--- {body}" if names else head, "diff", limit=FENCE_LIMIT * max(1, count))


def patch(view: OutcomeView) -> str | None:
    """The whole change, for the author of a fork to copy and apply; None if a copy would not be what was planned."""
    if view.outcome.refusal is None or view.outcome.refusal.code is not ReasonCode.FORK or not view.outcome.ok:
        return None
    whole = unified_diff(view.result).decode("utf-8", "replace")
    if not view.result.hidden_texts.isdisjoint(view.result.contents):
        return None
    if not whole or not survives_copying(whole):
        return None
    return fold(f"Patch ({view.change_text})", fence(whole, "diff", limit=None))


def notes(view: OutcomeView) -> str:
    """The notes, ten lines at most; empty without any."""
    reviewed = [
        f"- {code_span(path)} {why}: ⚠️ review" for path in view.result.contents if (why := _why_review(path, view))
    ]
    lines = [
        *([f"- {text(view.balance_text)}"] if view.balance_text else []),
        *reviewed,
        *(f"- {whose}{text(note.message)}" for whose, note, _ in view.notes),
    ]
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
    return "is deleted" if new_path is None else f"is renamed to {code_span(new_path)}"


def suggestions(view: OutcomeView) -> str:
    """The commands that a response suggests, a line each behind its risk; empty if there are none."""
    commands = view.result.shell_suggestions
    lines = [f"{risk:<11}  {name_hidden(command)}" for command, risk in command_risk.suggestions(commands)]
    if not lines:
        return ""
    left = len(commands) - len(lines)
    more = f", the first {len(lines)} of {len(commands)}" if left else ""
    return fold(f"Shell suggestions, never run{more}", fence("\n".join(lines), limit=None))
