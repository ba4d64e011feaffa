"""Build the commands that a person may type next, which are also `next` in the JSON result.

A block that needs a decision about its place gets no command: its row lists the places, each with its `pick`.
Page: docs/reference/command-line.md, "what is printed".
"""

from collections.abc import Sequence
from typing import TypeAlias

from editblocks.core.phrases import ranges
from editblocks.report.escape import shell_line
from editblocks.report.view import OutcomeView, select_fitting

# The options that a next command needs as well, to look at the same files with the same settings: those of one that
# writes, None if what was planned on is not what would be written to; and those of one that only reads.
Kept: TypeAlias = tuple[Sequence[str] | None, Sequence[str]]
NONE_KEPT: Kept = ((), ())


def next_commands(view: OutcomeView, kept: Kept = NONE_KEPT) -> list[str]:
    """Return the command that writes the fitting blocks, then the one that asks for the failed ones; maybe neither."""
    if not view.is_open:
        return []
    commands = [apply_command(view, kept)]
    if view.outcome.retry_blocks:
        commands.append(retry_command(view, kept))
    return [command for command in commands if command]


def apply_command(view: OutcomeView, kept: Kept) -> str:
    """Return the command that writes the fitting blocks; empty if none fits, or if the files are not those on disk."""
    writing, _ = kept
    if not view.fitting or writing is None:
        return ""
    return shell_line(["editblocks", "apply", _response(view), *writing, *_only(view)])


def retry_command(view: OutcomeView, kept: Kept) -> str:
    """Return the command that prints a prompt for the failed blocks, among those that a person chose.

    Blocks that are already written may not fit again, so the command then names the failed ones by number.
    """
    _, reading = kept
    asked = [row.number for row in view.rows if not row.ok and row.number in view.outcome.retry_blocks]
    command = ["editblocks", "retry", _response(view), *reading]
    if asked and (view.is_written or view.outcome.not_selected):
        command += ["--only", ranges(asked)]
    return shell_line(command)


def choosing_command(view: OutcomeView, kept: Kept = NONE_KEPT) -> str:
    """Return the start of the command that puts one block at a place, up to its pick; empty if the run was stopped."""
    if not view.is_open:
        return ""
    writing, reading = kept
    if writing is None:
        return shell_line(["editblocks", "check", _response(view), *reading, "--only"]) + " "
    return shell_line(["editblocks", "apply", _response(view), *writing, "--only"]) + " "


def by_hand(view: OutcomeView) -> str:
    """Return the command that applies only the fitting blocks of a response that a person pastes."""
    return shell_line(["editblocks", "apply", "-", *_only(view)])


def _response(view: OutcomeView) -> str:
    """Return the operand that names the response, or the option in its place."""
    source = view.outcome.response.source
    if source.kind == "clipboard":
        return "--clipboard"
    return source.path or "-"


def _only(view: OutcomeView) -> list[str]:
    chosen = select_fitting(view, view.outcome.not_selected)
    return ["--only", chosen] if chosen else []
