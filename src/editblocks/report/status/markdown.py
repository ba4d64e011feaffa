"""The status on a pull request: marker, headline, lead, table, notes, next step, details, small print.

One pure function of an outcome. What does not fit into 60,000 characters is left out in whole parts,
never within a row, a fence or a folded part, and the small print names it.
"""

from __future__ import annotations

from editblocks.core.phrases import plural
from editblocks.report.command_risk import is_destructive
from editblocks.report.escape import code_span, first_fitting
from editblocks.report.status import details
from editblocks.report.status.headline import headline, lead
from editblocks.report.status.links import Links, Page, link, marker
from editblocks.report.status.next_step import next_step, usable_prefix
from editblocks.report.status.table import table
from editblocks.report.view import FAILED, OutcomeView

LIMIT = 60_000  # GitHub refuses 65,536
_COMMAND = 10_000  # characters of a command: a part of one would be another
_CHECKS = "Checks on this commit may wait for a click in the merge box: it was made with the workflow's own token."
_START = "How to start them at once"

# What is left out, rung by rung, until the rest fits.
_LADDER = (
    "",
    "the diff",
    "the diff, links, reasons, details",
    "the diff, details, the table",
)
_NO_DIFF, _PLAIN, _NO_TABLE = range(1, 4)


def status(view: OutcomeView, page: Page, limit: int = LIMIT) -> str:
    """The status of one response, at most `limit` characters if these leave room for the last rung.

    With `page.links` it is for a pull request and begins with the marker; without, it is the same for other readers.
    """
    page = page._replace(reply=usable_prefix(view, page.reply))
    return first_fitting((_render(view, page, rung) for rung in range(len(_LADDER))), limit)


def _render(view: OutcomeView, page: Page, rung: int) -> str:
    patch = details.patch(view) if rung < _NO_DIFF else None
    preview = details.preview(view) if rung < _NO_DIFF and not patch else None
    has_prompt = rung < _NO_TABLE and view.is_asked_for
    where = "below" if has_prompt else "in the job summary" if view.is_asked_for and page.links.server else ""
    if page.following is None:
        step = next_step(view, prompt=where, reply=page.reply, role=page.role)
    else:
        step = " or ".join(code_span(command, limit=_COMMAND) for command in page.following)
        step = f"{step}." if step else ""
    parts = [
        f"### {headline(view, page.reply)}",
        lead(view, page, patch=patch is not None),
        _checks(page) if view.outcome.commit is not None else "",
        _table(view, page.links, rung),
        details.notes(view) if rung < _NO_TABLE else "",
        f"**Next:** {step}" if step else "",
        *(details.differences(view) if rung < _PLAIN else ()),
        patch or preview or "",
        details.prompt(view) if has_prompt else "",
        _small_print(view, page, _LADDER[rung], is_prompt_out=view.is_asked_for and not has_prompt),
    ]
    text = "\n\n".join(part for part in parts if part)
    return f"{marker(view, page.done)}\n{text}" if page.links.server else text


def _checks(page: Page) -> str:
    """Which checks were started on the commit, and what to do if none was."""
    started = [check.workflow for check in page.checks if not check.fault]
    lines = [f"> Started on this branch: {', '.join(map(code_span, started))}."] if started else []
    lines += [f"> {code_span(check.workflow)} was not started: {check.fault}." for check in page.checks if check.fault]
    if page.checks_wait and not started:
        address = page.links.docs_page("reference/action.md#checks")
        lines.append(f"> {_CHECKS}" if address is None else f"> {_CHECKS} {link(_START, address)}")
    return "\n>\n".join(lines)


def _table(view: OutcomeView, links: Links, rung: int) -> str:
    if not view.result.rows:
        return ""
    if rung < _NO_TABLE:
        return table(view, links, plain=rung >= _PLAIN)
    codes = view.by_code(FAILED)
    return f"Failed: {codes}." if codes else ""


def _small_print(view: OutcomeView, page: Page, left_out: str, *, is_prompt_out: bool) -> str:
    links, in_summary = page.links, " (job summary)" if page.links.server else ""
    formats = dict.fromkeys(row.block.format for row in view.rows if row.result is not None and row.block.format)
    commands = view.result.shell_suggestions
    destructive = sum(map(is_destructive, commands))
    risk = f", {destructive} destructive" if destructive else ""
    without = ", ".join(filter(None, (left_out, f"the retry prompt{in_summary}" if is_prompt_out else "")))
    parts = [
        f"editblocks {page.version}",
        f"format {', '.join(formats)}" if formats else "",
        f"{plural(len(commands), 'shell suggestion')}{risk}, never run{in_summary}" if commands else "",
        f"left out to fit: {without}" if without else "",
        _anchor(links.run, "log"),
        _anchor(links.docs_page("reference/reasons.md"), "what the codes mean"),
    ]
    return f"<sub>{' · '.join(part for part in parts if part)}</sub>"


def _anchor(address: str | None, label: str) -> str:
    return "" if address is None else f'<a href="{address}">{label}</a>'
