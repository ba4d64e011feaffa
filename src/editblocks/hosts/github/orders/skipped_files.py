"""Response files that a commit of ours dealt with before: nothing is done with them, and that is said.

Whoever pushes such a file again, or took our commit back by hand, would otherwise hear nothing at all.
Rules: docs/reference/action.md, "response files" and "exactly once".
"""

from __future__ import annotations

from dataclasses import dataclass

from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Response
from editblocks.hosts.github.orders.case import Case
from editblocks.hosts.github.orders.command_target import revert_of
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.pull.context import Context
from editblocks.parsing.notes import UNREAD, UNREAD_PATCH
from editblocks.parsing.parse import parse_response
from editblocks.report.escape import cut_middle
from editblocks.report.status.links import read_marker

_PATH_LIMIT = 60  # a line of the log has 200 characters
_COMMITS = 50  # what is asked for of a pull request: if there are fewer, these are all
_DONE = "so nothing was done"
_ANEW = "change it to have it read anew"


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A response file of the head that this run leaves alone.

    `code` is the word that people know the reason by. `explanation` says what was done earlier and what a person may
    do now. `is_kept`: the settings keep the file. `is_done`: what it asks for counts as applied.
    """

    path: str
    code: str
    explanation: str
    is_kept: bool
    is_done: bool


def skipped_file(host: GitHubHost, case: Case, path: str) -> SkippedFile:
    """What to say of the response file of a case that was applied before (`case.done`)."""
    shown, commit, is_kept = (
        cut_middle(path, _PATH_LIMIT),
        (case.known_commit or "")[:7],
        host.settings.after_apply == "keep",
    )
    unread = _unread(case.request.response)
    away = f"delete it once {unread}, is written as blocks in another file" if unread else "delete it"
    anew = f"{away}, or {_ANEW}"
    if is_kept:
        anew = f"{_ANEW}, with {unread}" if unread else _ANEW
    back = revert_of(case.request.response, host.context.bot_commits)
    if (marker := read_marker(case.body)) is not None and marker.state is State.UNDONE:
        word = f"reply `{host.reply}apply of {case.status.id}` to apply it again, or {away}" if host.reply else anew
        explanation = f"{shown} was undone in {commit}, {_DONE}; {word}"
    elif back is not None:
        explanation = f"{shown} was applied in {back[0][:7]} and undone since, {_DONE}; {anew}"
    else:
        is_lost = _is_lost(host.context, case.known_commit)
        where = f"{commit}, which is no commit of this pull request any more" if is_lost else commit
        explanation = f"{shown} was applied already, in {where}, and is not applied twice; {anew}"
        return SkippedFile(path, ReasonCode.ALREADY_APPLIED.value, explanation, is_kept=is_kept, is_done=not is_lost)
    return SkippedFile(path, State.UNDONE.value, explanation, is_kept=False, is_done=False)


def _unread(response: Response) -> str:
    """What the file holds in a form that is not read, and would be lost with it, or nothing."""
    front = response.front
    length, lines = (0, 0) if front is None else (front.length, front.lines)
    notes = parse_response(response.text[length:], first_line=lines + 1).notes
    note = next((note for note in notes if note.code in UNREAD), None)
    if note is None:
        return ""
    what = "its patch" if note.code == UNREAD_PATCH else "what is nearly a marker"
    return f"{what} (line {note.line_number}), which is not read"


def _is_lost(context: Context, commit: str | None) -> bool:
    """Whether a commit is known to have gone from the pull request: somebody rewound it, or pushed another one."""
    known = {bot_commit.commit for bot_commit in context.bot_commits} | context.older | {context.pull.head.commit}
    return commit not in known and len(known) < _COMMITS
