"""The status on a pull request: marker, headline, lead, table, notes, next step, details, small print.

One pure function of an outcome. What does not fit into 60,000 characters is left out in whole parts,
never within a row, a fence or a folded part, and the small print names it.
Rules: docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

from typing import NamedTuple

from editblocks.core.model import EditResult
from editblocks.core.phrases import plural
from editblocks.report.command_risk import is_destructive
from editblocks.report.next_commands import typed_next
from editblocks.report.status import details
from editblocks.report.status.headline import headline, lead
from editblocks.report.status.links import Links, marker
from editblocks.report.status.next_step import next_step
from editblocks.report.status.page import Page
from editblocks.report.status.reply_commands import main_command, usable_prefix
from editblocks.report.status.table import table
from editblocks.report.view import READY, OutcomeView, selector

LIMIT = 60_000  # GitHub refuses 65,536
_DETAILS = 20
_CHECKS = "> Checks on this commit may wait for a click in the merge box: it was made with the workflow's own token."
_START = "How to start them at once"


class _Level(NamedTuple):
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


def status(view: OutcomeView, page: Page, limit: int = LIMIT) -> str:
    """Write the status of one response; ends without a line end.

    With `page.links` it is for a pull request and begins with the marker; without, it is the same text for a reader
    elsewhere. At most `limit` characters, if `limit` leaves room for the last rung.
    """
    page = page._replace(reply=usable_prefix(view, page.reply))
    for level in _LADDER:
        text = _render(view, level, page)
        if len(text) <= limit:
            break
    return text


def _render(view: OutcomeView, level: _Level, page: Page) -> str:
    patch = details.patch(view) if level.preview else None
    shown = details.preview(view, _command_of_preview(view, page.reply)) if level.preview and patch is None else None
    if page.following is None:
        step = next_step(view, prompt=_where(view, page, level), reply=page.reply, role=page.role)
    else:
        step = typed_next(view, page.following)
    parts = [
        f"### {headline(view, page.reply)}",
        lead(view, page, patch=patch is not None),
        _checks(page.links) if page.checks_wait and view.outcome.commit is not None else "",
        _table(view, page.links, level),
        details.notes(view) if level.table else "",
        f"**Next:** {step}" if step else "",
        *details.differences(view, level.details, brief=level.brief),
        patch or shown or "",
        details.prompt(view) if level.prompt else "",
        _small_print(view, page, level),
    ]
    text = "\n\n".join(part for part in parts if part)
    return text if page.links is None else f"{marker(view, page.done)}\n{text}"


def _command_of_preview(view: OutcomeView, reply: str | None) -> str | None:
    """The command that would commit what the preview shows."""
    if reply is None or not view.is_open or READY not in view.counts:
        return None
    if any(row.fits_alone for row in view.rows):  # the main command commits these as well
        return f"{reply}apply {selector([row for row in view.rows if row.word == READY])}"
    return main_command(view, reply)


def _checks(links: Links | None) -> str:
    address = links.checks if links is not None else None
    return _CHECKS if address is None else f"{_CHECKS} [{_START}]({address})"


def _where(view: OutcomeView, page: Page, level: _Level) -> str:
    """Where the reader finds the prompt; nothing if there is none to be found."""
    if not view.is_asked_for:
        return ""
    return "below" if level.prompt else "in the job summary" if page.links is not None else ""


def _left_out(view: OutcomeView, links: Links | None, level: _Level) -> str:
    if level.prompt or not view.is_asked_for:
        return level.left_out
    return f"{level.left_out}, the retry prompt{'' if links is None else ' (job summary)'}"


def _table(view: OutcomeView, links: Links | None, level: _Level) -> str:
    if not view.result.rows:
        return ""
    if level.table:
        return table(view, links, folded=level.folded, plain=level.plain)
    codes = view.failures_by_code
    return f"Failed: {codes}." if codes else ""


def _small_print(view: OutcomeView, page: Page, level: _Level) -> str:
    links = page.links
    formats = dict.fromkeys(row.block.format for row in view.result.rows if isinstance(row, EditResult))
    left_out = _left_out(view, links, level)
    parts = [
        f"editblocks {page.version}",
        f"format {', '.join(formats)}" if formats else "",
        _suggestions(view, links),
        f"left out to fit: {left_out}" if left_out else "",
        _anchor(links.run, "log") if links is not None else "",
        _anchor(links.reasons, "what the codes mean") if links is not None else "",
    ]
    return f"<sub>{' · '.join(part for part in parts if part)}</sub>"


def _suggestions(view: OutcomeView, links: Links | None) -> str:
    """How many commands the response suggests, and how many of them destroy; the job summary lists them."""
    commands = view.result.shell_suggestions
    if not commands:
        return ""
    destructive = sum(map(is_destructive, commands))
    risk = f", {destructive} destructive" if destructive else ""
    return f"{plural(len(commands), 'shell suggestion')}{risk}, never run{'' if links is None else ' (job summary)'}"


def _anchor(address: str | None, label: str) -> str:
    return "" if address is None else f'<a href="{address}">{label}</a>'
