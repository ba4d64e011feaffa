"""The status on a pull request: marker, headline, lead, table, notes, next step, details, small print.

One pure function of an outcome. What does not fit into 60,000 characters is left out in whole parts,
never within a row, a fence or a folded part, and the small print names it.
Rules: docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editblocks.core.model import EditResult
from editblocks.core.outcome import Outcome
from editblocks.core.phrases import plural
from editblocks.report.command_risk import is_destructive
from editblocks.report.next_commands import typed_next
from editblocks.report.rows import READY, is_asked_for, is_open, rows, selector, tally
from editblocks.report.status import details
from editblocks.report.status.headline import headline, lead
from editblocks.report.status.links import Links, marker
from editblocks.report.status.next_step import next_step
from editblocks.report.status.reply_commands import main_command, usable_prefix
from editblocks.report.status.table import table
from editblocks.report.wording import failures_by_code

LIMIT = 60_000  # GitHub refuses 65,536
_DETAILS = 20
_CHECKS = "> Checks on this commit may wait for a click in the merge box: it was made with the workflow's own token."
_START = "How to start them at once"


@dataclass(frozen=True, slots=True)
class _Level:
    """One rung of the ladder: what is shown, and what the small print says is not."""

    left_out: str = ""
    preview: bool = True
    folded: bool = False
    details: int | None = None
    brief: bool = False
    plain: bool = False
    table: bool = True
    prompt: bool = True


_LADDER = (
    _Level(),
    _Level("the diff", preview=False),
    _Level("the diff, single rows of fine blocks", preview=False, folded=True),
    _Level(f"the diff, single rows of fine blocks, details after the first {_DETAILS}",
           preview=False, folded=True, details=_DETAILS),
    _Level(f"the diff, single rows of fine blocks, all but {_DETAILS} first differences",
           preview=False, folded=True, details=_DETAILS, brief=True),
    _Level(f"the diff, single rows of fine blocks, all but {_DETAILS} first differences",
           preview=False, folded=True, details=_DETAILS, brief=True, prompt=False),
    _Level("the diff, single rows of fine blocks, details, links, reasons",
           preview=False, folded=True, details=0, plain=True, prompt=False),
    _Level("the diff, details, the table", preview=False, details=0, table=False, prompt=False),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Around:
    """What a status says that is not of its outcome."""

    links: Links | None
    version: str
    branch: str | None
    checks_wait: bool
    reply: str | None
    role: str
    following: Sequence[str] | None
    done: str | None


def status(
    outcome: Outcome,
    links: Links | None = None,
    *,
    version: str,
    branch: str | None = None,
    checks_wait: bool = False,
    limit: int = LIMIT,
    reply: str | None = None,
    role: str = "write",
    following: Sequence[str] | None = None,
    done: str | None = None,
) -> str:
    """Write the status of one response; ends without a line end.

    With `links` it is for a pull request and begins with the marker; without, it is the same text for a
    reader elsewhere. `branch` is the name of the one committed to. `checks_wait`: the commit was made with
    a token that starts no checks. At most `limit` characters, if `limit` leaves room for the last rung.
    `reply` is what commands begin with, `/` or `/edits `; None: none would be obeyed here. `role` is the
    least that whoever sends one must have: write, maintain or admin. `following` are the commands
    that come next where a person ran it, and no workflow. `done` is the commit that an earlier status named and this
    one has to keep.
    """
    around = _Around(links, version, branch, checks_wait, usable_prefix(outcome, reply), role, following, done)
    for level in _LADDER:
        text = _render(outcome, level, around)
        if len(text) <= limit:
            break
    return text


def _render(outcome: Outcome, level: _Level, around: _Around) -> str:
    links, reply = around.links, around.reply
    patch = details.patch(outcome) if level.preview else None
    shown = details.preview(outcome, _command_of_preview(outcome, reply)) if level.preview and patch is None else None
    asking = details.prompt(outcome) if level.prompt else ""
    if around.following is None:
        step = next_step(outcome, prompt=_where(outcome, links, level), reply=reply, role=around.role)
    else:
        step = typed_next(outcome, around.following)
    parts = [
        f"### {headline(outcome, reply)}",
        lead(
            outcome,
            links,
            branch=around.branch,
            patch=patch is not None,
            reply=reply,
            local=around.following is not None,
        ),
        _checks(links) if around.checks_wait and outcome.commit is not None else "",
        _table(outcome, links, level),
        details.notes(outcome) if level.table else "",
        f"**Next:** {step}" if step else "",
        *details.differences(outcome, level.details, brief=level.brief),
        patch or shown or "",
        asking,
        _small_print(outcome, links, level, around.version),
    ]
    text = "\n\n".join(part for part in parts if part)
    return text if links is None else f"{marker(outcome, around.done)}\n{text}"


def _command_of_preview(outcome: Outcome, reply: str | None) -> str | None:
    """The command that would commit what the preview shows."""
    if reply is None or not is_open(outcome) or READY not in tally(outcome):
        return None
    if any(row.fits_alone for row in rows(outcome)):  # the main command commits these as well
        return f"{reply}apply {selector([row for row in rows(outcome) if row.word == READY])}"
    return main_command(outcome, reply)


def _checks(links: Links | None) -> str:
    address = links.checks if links is not None else None
    return _CHECKS if address is None else f"{_CHECKS} [{_START}]({address})"


def _where(outcome: Outcome, links: Links | None, level: _Level) -> str:
    """Where the reader finds the prompt; nothing if there is none to be found."""
    if not is_asked_for(outcome):
        return ""
    return "below" if level.prompt else "in the job summary" if links is not None else ""


def _left_out(outcome: Outcome, links: Links | None, level: _Level) -> str:
    if level.prompt or not is_asked_for(outcome):
        return level.left_out
    return f"{level.left_out}, the retry prompt{'' if links is None else ' (job summary)'}"


def _table(outcome: Outcome, links: Links | None, level: _Level) -> str:
    if not outcome.result.rows:
        return ""
    if level.table:
        return table(outcome, links, folded=level.folded, plain=level.plain)
    codes = failures_by_code(outcome)
    return f"Failed: {codes}." if codes else ""


def _small_print(outcome: Outcome, links: Links | None, level: _Level, version: str) -> str:
    formats = dict.fromkeys(row.block.format for row in outcome.result.rows if isinstance(row, EditResult))
    left_out = _left_out(outcome, links, level)
    parts = [
        f"editblocks {version}",
        f"format {', '.join(formats)}" if formats else "",
        _suggestions(outcome, links),
        f"left out to fit: {left_out}" if left_out else "",
        _anchor(links.run, "log") if links is not None else "",
        _anchor(links.reasons, "what the codes mean") if links is not None else "",
    ]
    return f"<sub>{' · '.join(part for part in parts if part)}</sub>"


def _suggestions(outcome: Outcome, links: Links | None) -> str:
    """How many commands the response suggests, and how many of them destroy; the job summary lists them."""
    commands = outcome.result.shell_suggestions
    if not commands:
        return ""
    destructive = sum(map(is_destructive, commands))
    risk = f", {destructive} destructive" if destructive else ""
    return f"{plural(len(commands), 'shell suggestion')}{risk}, never run{'' if links is None else ' (job summary)'}"


def _anchor(address: str | None, label: str) -> str:
    return "" if address is None else f'<a href="{address}">{label}</a>'
