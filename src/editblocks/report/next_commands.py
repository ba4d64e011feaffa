"""Build the commands that a person may type next, which are also `next` in the JSON result.

A block that needs a decision about its place gets no command: its row lists the places, each with its `pick`.
The module also judges the shell commands that an answer suggests, and names what an answer without blocks is. Nothing
here is ever run.
Page: docs/reference/command-line.md, "what is printed".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeAlias

from editblocks.core.phrases import ranges
from editblocks.parsing.session_records import has_records, is_session
from editblocks.report.escape import cut_end, shell_line
from editblocks.report.view import OutcomeView, select_fitting
from editblocks.text.languages import json_fault

_SUGGESTIONS = 20  # shown at most, 200 characters of each: limits of the JSON result, which all reports share
_COMMAND_LIMIT = 200
# Removes, overwrites, or fetches and executes. `git mv` refuses to overwrite, `mv` does not.
_DESTRUCTIVE = r"""(?x)
      (?:^|[\s;&|(`])(?:sudo|rm|rmdir|unlink|shred|truncate|dd|mv|cp|install|tee|eval|exec|source|xargs|mkfs\S*)(?:\s|$)
    | \bgit\s+(?:-\S+\s+)*(?:rm|clean|reset|checkout|restore|switch|push|stash|rebase|filter-\S+)(?:\s|$)
    | >
    | \|\s*(?:\S*/)?(?:ba|z|da|k|fi)?sh\b
    | \|\s*(?:\S*/)?(?:python|perl|ruby|node|php)
    | \s-(?:delete|exec|execdir)\b
    | \s(?:-i|--in-place|--force)\b
"""
_GIT_MV = r"git\s+mv(?:\s+-k)?(?:\s+[^\s;&|><$`-][^\s;&|><$`]*){2,}\s*"
_CONFLICT = r"(?m)^<{7}(?: (?!SEARCH$).*)?$"
_FENCE = r"(?m)^[ \t]*(?:`{3,}|~{3,})"

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


def suggestions(commands: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first commands of a response, each cut to its limit, with its risk: `info` or `destructive`.

    The whole command is judged, also where less of it is shown.
    """
    return [(cut_end(command, _COMMAND_LIMIT), _risk(command)) for command in commands[:_SUGGESTIONS]]


def _risk(command: str) -> str:
    return "destructive" if is_destructive(command) else "info"


def is_destructive(command: str) -> bool:
    """Whether a command removes, overwrites, or fetches and executes; errs on the side of yes."""
    return re.fullmatch(_GIT_MV, command) is None and re.search(_DESTRUCTIVE, command) is not None


def what_it_is(text: str) -> str:
    """Return a clause that names it: empty, a session, JSON, a git conflict, code in fences, or prose."""
    stripped = text.removeprefix("\ufeff").strip()
    if not stripped:
        return "it is empty"
    if stripped[0] in "{[":
        if is_session(text) and has_records(text):
            return "it is a session without a successful edit"
        with suppress(RecursionError):
            if json_fault(text) is None:
                return "it is JSON"
    if "<<<<<<<" in text and ">>>>>>>" in text and re.search(_CONFLICT, text):
        return "it is a git merge conflict"
    if re.search(_FENCE, text):
        return "it is code without SEARCH/REPLACE markers"
    return "it is plain text"
