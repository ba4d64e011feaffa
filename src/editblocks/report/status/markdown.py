"""The status on a pull request: marker, headline, lead, table, notes, next step, details, small print.

One pure function of an outcome. What does not fit into 60,000 characters is left out in whole parts,
never within a row, a fence or a folded part, and the small print names it.
"""

from __future__ import annotations

from editblocks.core.phrases import join_parts, plural
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
    patch = None
    preview = None
    if rung < _NO_DIFF:
        patch = details.patch(view)
        preview = details.preview(view)
    has_prompt = rung < _NO_TABLE and view.is_asked_for
    small_print = [_LADDER[rung]]
    if view.is_asked_for and not has_prompt:
        small_print.append(f"the retry prompt{_in_summary(page)}")
    parts = [f"### {headline(view, page.reply)}", lead(view, page, patch=patch is not None)]
    if view.outcome.commit is not None:
        parts.append(_checks(page))
    parts.append(_table(view, page.links, rung))
    if rung < _NO_TABLE:
        parts.append(details.notes(view))
    parts.append(_next(view, page, has_prompt=has_prompt))
    if rung < _PLAIN:
        parts += details.differences(view)
    parts.append(patch or preview or "")
    if has_prompt:
        parts.append(details.prompt(view))
    parts.append(_small_print(view, page, join_parts(", ", *small_print)))
    text = join_parts("\n\n", *parts)
    if not page.links.server:
        return text
    return f"{marker(view, page.done)}\n{text}"


def _in_summary(page: Page) -> str:
    """Where all of it is, if not in the status."""
    return " (job summary)" if page.links.server else ""


def _checks(page: Page) -> str:
    """Which checks were started on the commit, and what to do if none was."""
    lines = []
    started = [code_span(check.workflow) for check in page.checks if not check.fault]
    if started:
        lines.append(f"> Started on this branch: {', '.join(started)}.")
    lines += [f"> {code_span(check.workflow)} was not started: {check.fault}." for check in page.checks if check.fault]
    address = page.links.docs_page("reference/action.md#checks")
    if page.checks_wait and not started:
        how_to_start = "" if address is None else link(_START, address)
        lines.append(join_parts(" ", f"> {_CHECKS}", how_to_start))
    return "\n>\n".join(lines)


def _table(view: OutcomeView, links: Links, rung: int) -> str:
    if not view.result.rows:
        return ""
    if rung < _NO_TABLE:
        return table(view, links, plain=rung >= _PLAIN)
    codes = view.by_code(FAILED)
    return codes and f"Failed: {codes}."


def _next(view: OutcomeView, page: Page, *, has_prompt: bool) -> str:
    """The next step, or the commands that a person may type on their own machine."""
    if page.following is not None:
        step = " or ".join(code_span(command, limit=_COMMAND) for command in page.following)
        return step and f"**Next:** {step}."
    where = ""
    if has_prompt:
        where = "below"
    elif view.is_asked_for and page.links.server:
        where = "in the job summary"
    step = next_step(view, prompt=where, reply=page.reply, role=page.role)
    return step and f"**Next:** {step}"


def _small_print(view: OutcomeView, page: Page, left_out: str) -> str:
    """The last line: version, formats, commands that the response suggests, what is left out, and two links."""
    parts = [f"editblocks {page.version}"]
    formats = dict.fromkeys(row.block.format for row in view.rows if row.result is not None and row.block.format)
    if formats:
        parts.append(f"format {', '.join(formats)}")
    commands = view.result.shell_suggestions
    destructive = sum(map(is_destructive, commands))
    if commands:
        risk = f", {destructive} destructive" if destructive else ""
        parts.append(f"{plural(len(commands), 'shell suggestion')}{risk}, never run{_in_summary(page)}")
    if left_out:
        parts.append(f"left out to fit: {left_out}")
    anchors = {"log": page.links.run, "what the codes mean": page.links.docs_page("reference/reasons.md")}
    parts += [f'<a href="{address}">{label}</a>' for label, address in anchors.items() if address is not None]
    return f"<sub>{' · '.join(parts)}</sub>"
