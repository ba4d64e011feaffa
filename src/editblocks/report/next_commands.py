"""What a person may type next, as `next` of the JSON result: docs/reference/command-line.md, "what is printed".

A block that needs a place, and so a decision, is not among them: its row has the places, each with its `pick`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editblocks.core.outcome import Outcome
from editblocks.core.phrases import ranges
from editblocks.report.escape import code_span, shell_line
from editblocks.report.rows import Row, applicable, choice, is_open, is_placed, is_written, rows, selector
from editblocks.report.wording import blocks

_PLACES = 10  # that are offered
_LONGEST = 10_000  # characters of a command: a part of one would be another


@dataclass(frozen=True, slots=True)
class CallOptions:
    """The options that the next command needs as well, to look at the same files with the same settings.

    `options` are those that every command takes, `reading` what only one takes that writes nothing, and `writing`
    what only one takes that writes; None: what was planned on is not what would be written to.
    """

    options: Sequence[str] = ()
    reading: Sequence[str] = ()
    writing: Sequence[str] | None = ()


NONE_KEPT = CallOptions()


def next_commands(outcome: Outcome, kept: CallOptions = NONE_KEPT) -> list[str]:
    """The command that writes what fits, then the one that asks for what failed; empty if nothing is left."""
    if not is_open(outcome):
        return []
    retry = [retry_command(outcome, kept)] if outcome.retry_blocks else []
    return [*filter(None, [apply_command(outcome, applicable(outcome), kept)]), *retry]


def apply_command(outcome: Outcome, fitting: Sequence[Row], kept: CallOptions = NONE_KEPT) -> str:
    """The command that writes these blocks; empty without any, or if the files that were read are not those on disk."""
    if not fitting or kept.writing is None:
        return ""
    source = outcome.response.source.path or "-"
    return shell_line(["editblocks", "apply", source, *kept.options, *kept.writing, *_only(fitting, outcome)])


def retry_command(outcome: Outcome, kept: CallOptions = NONE_KEPT) -> str:
    """The command that prints a prompt for the failed blocks, of those that a person chose.

    Blocks that are written may fit no more, so that it is for the others by their numbers.
    """
    source = outcome.response.source.path or "-"
    asked = [row.number for row in rows(outcome) if not row.ok and row.number in outcome.retry_blocks]
    only = ["--only", ranges(asked)] if asked and (is_written(outcome) or outcome.not_selected) else []
    return shell_line(["editblocks", "retry", source, *kept.options, *kept.reading, *only])


def typed_next(outcome: Outcome, following: Sequence[str]) -> str:
    """The same commands in a sentence of Markdown, with the places that may be chosen; empty if there are none."""
    shown = [row for row in rows(outcome) if row.number not in outcome.not_selected]
    places = [(row.number, place.pick) for row in shown if (place := choice(row, outcome)) is not None][:_PLACES]
    commands = " or ".join(code_span(command, limit=_LONGEST) for command in following)
    if not commands or not places:
        return commands and f"{commands}."
    only = code_span(f"--only {','.join(filter(None, (pick for _, pick in places)))}")
    where = "that line" if len(places) == 1 else "these lines"
    return f"{commands}. {only} puts {blocks([number for number, _ in places])} at {where}."


def by_hand(outcome: Outcome) -> str:
    """The command that applies just the blocks that fit, of a response that a person copies and pastes."""
    fitting = applicable(outcome)
    return shell_line(["editblocks", "apply", "-", *_only(fitting, outcome)])


def _only(fitting: Sequence[Row], outcome: Outcome) -> list[str]:
    return [] if outcome.result.ok and not is_placed(fitting) else ["--only", selector(fitting)]
