"""Write the status on a pull request: marker, headline, lead, table, notes, next step, details, small print.

The table has a row for every block and problem in reading order: a committed block at its lines in the commit, every
other row at its lines in the head that was checked. The status is a pure function of an outcome. If it has more than
60,000 characters, whole parts are left out, never a part of a row, a fence or a fold, and the small print names them.
Rules: docs/reference/action.md, "what the status says".
"""

from editblocks.core.characters import cut_middle, name_hidden
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.model import EditResult
from editblocks.core.outcome import SUGGESTIONS
from editblocks.core.phrases import blocks, join_parts, line_range, percent, plural
from editblocks.paths.policy import needs_review
from editblocks.report.diff import file_diffs, unified_diff
from editblocks.report.escape import FENCE_LIMIT, SPAN_LIMIT, code_span, fence, first_fitting, survives_copying, text
from editblocks.report.status.headline import headline, lead
from editblocks.report.status.links import NO_LINKS, Links, Page, link, marker
from editblocks.report.status.next_step import next_step, usable_prefix
from editblocks.report.view import (
    APPLIED,
    CANDIDATES_IN_TEXT,
    FAILED,
    READY,
    SKIPPED,
    OutcomeView,
    Row,
    is_destructive,
    line_counts,
    source_noun,
    strategy_text,
    suggested_commands,
    two_lines,
)

LIMIT = 60_000  # GitHub refuses 65,536
_COMMAND = 10_000  # characters of a command; so many that none is cut, because a cut command is another one
_CHECKS = "This commit was made with the workflow's own token, so its checks may wait for a click in the merge box."
_START = "How to start them at once"
NOTES = 10
_NUMBERS = 20  # numbers of blocks in a title
_NAMED = "Hidden characters are shown by their names; on the branch, `editblocks retry -` prints them as they are."

# The parts to leave out, rung by rung, until the rest fits.
_LADDER = ("", "the diff", "the diff, links, reasons, details", "the diff, details, the table")
_NO_DIFF, _PLAIN, _NO_TABLE = range(1, 4)
_HEAD = ("| # | Where | Result | How it matched | Lines |", "|--:|:--|:--|:--|--:|")
_ICONS = {READY: "✅", APPLIED: "✅", FAILED: "❌", SKIPPED: "⏭️"}

# Codes of blocks whose file exists on the head, so that it has an address.
_WITH_FILE = {
    None, ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.STALE, ReasonCode.ALREADY_APPLIED, ReasonCode.NO_OP,
    ReasonCode.FILE_EXISTS, ReasonCode.BINARY, ReasonCode.ENCODING, ReasonCode.FILTERED, ReasonCode.HIDDEN_TEXT,
    ReasonCode.PLACEHOLDER, ReasonCode.NO_VERSION,
}  # fmt: skip
# The same for blocks that create a file.
_CREATED_WITH_FILE = {ReasonCode.FILE_EXISTS, ReasonCode.ALREADY_APPLIED}


def status(view: OutcomeView, page: Page, limit: int = LIMIT) -> str:
    """Write the status of one response, at most `limit` characters unless the last rung needs more.

    With `page.links` it is for a pull request and begins with the marker. Without them it is for other readers.
    """
    page = page._replace(prefix=usable_prefix(view, page.prefix))
    return first_fitting((_render(view, page, rung) for rung in range(len(_LADDER))), limit)


def _render(view: OutcomeView, page: Page, rung: int) -> str:
    patch = None
    preview = None
    if rung < _NO_DIFF:
        patch = _patch(view)
        preview = _preview(view)
    has_prompt = rung < _NO_TABLE and view.is_asked_for
    small_print = [_LADDER[rung]]
    if view.is_asked_for and not has_prompt:
        small_print.append(f"the retry prompt{_in_summary(page)}")
    parts = [f"### {headline(view, page.prefix)}", lead(view, page, has_patch=patch is not None)]
    if view.outcome.commit is not None:
        parts.append(_checks(page))
    parts.append(_table(view, page.links, rung))
    if rung < _NO_TABLE:
        parts.append(_notes(view))
    parts.append(_next(view, page, has_prompt=has_prompt))
    if rung < _PLAIN:
        parts += _differences(view)
    parts.append(patch or preview or "")
    if has_prompt:
        parts.append(prompt(view))
    parts.append(_small_print(view, page, join_parts(", ", *small_print)))
    body = join_parts("\n\n", *parts)
    if not page.links.server:
        return body
    return f"{marker(view, page.kept_commit)}\n{body}"


def _in_summary(page: Page) -> str:
    """Return where to find a part that the status leaves out."""
    return " (job summary)" if page.links.server else ""


def _checks(page: Page) -> str:
    """Return which checks were started on the commit, and what to do if none was."""
    lines = []
    started = [code_span(workflow) for workflow, fault in page.checks if not fault]
    if started:
        lines.append(f"> Started on this branch: {', '.join(started)}.")
    lines += [f"> {code_span(workflow)} was not started: {fault}." for workflow, fault in page.checks if fault]
    address = page.links.docs_page("reference/action.md#checks")
    if page.checks_wait and not started:
        how_to_start = "" if address is None else link(_START, address)
        lines.append(join_parts(" ", f"> {_CHECKS}", how_to_start))
    return "\n>\n".join(lines)


def _table(view: OutcomeView, links: Links, rung: int) -> str:
    if not view.result.rows:
        return ""
    if rung >= _NO_TABLE:
        codes = view.by_code(FAILED)
        return codes and f"Failed: {codes}."
    is_plain = rung >= _PLAIN
    if is_plain:
        links = NO_LINKS
    return "\n".join((*_HEAD, *(_row(row, view, links, is_plain=is_plain) for row in view.rows)))


def _row(row: Row, view: OutcomeView, links: Links, *, is_plain: bool) -> str:
    """Write a row of the table. `is_plain`: with a code without its reason."""
    how = _how(row, view, links)
    if is_plain and row.code:
        how = row.code.value
    cells = (str(row.number), _where(row, view, links), f"{_ICONS[row.word]} {row.word}", how, line_counts(row, "−"))
    return f"| {' | '.join(cells)}".rstrip(" ") + " |"  # the last cell may be empty


def _where(row: Row, view: OutcomeView, links: Links) -> str:
    head = view.outcome.head
    if row.result is None or row.path is None:
        place = f"{source_noun(row.response.source)}, line {row.line_number}"
        return link(place, links.response(head, row.line_number)) + _thread(row, links)
    lines = _lines(row, view)
    place = cut_middle(row.path, SPAN_LIMIT)  # cut before the line is added, so that the line is always shown
    if lines is not None:
        place += f":{line_range(lines)}"
    where = link(code_span(place, cell=True, limit=SPAN_LIMIT * 2), _address(row.result, view, links, lines))
    where += _thread(row, links)
    # The commit changes this file, so these lines are only right for the head.
    is_other = view.commit is not None and row.word != APPLIED and row.path in view.result.contents
    if lines is not None and is_other and head:
        return f"{where} at {code_span(head[:7], cell=True)}"
    return where


def _thread(row: Row, links: Links) -> str:
    """Return a link to the review thread of a suggestion, if the response holds those of several threads."""
    if row.response.source.kind != SUGGESTIONS:
        return ""
    part = row.response.part_at(row.line_number)
    address = part and links.comment(part.id)
    if address is None:
        return ""
    return f" in [its thread]({address})"


def _address(result: EditResult, view: OutcomeView, links: Links, lines: tuple[int, int] | None = None) -> str | None:
    """Return the address of the file: in the new commit if the block is in it, else on the head."""
    path = result.file_path
    is_gone = result.code is ReasonCode.STALE and not result.candidates
    if view.checked_at is None or result.code not in _WITH_FILE or is_gone:
        return None
    if view.commit is not None and result.status is EditStatus.APPLIED:
        path = result.block.new_path or path
        if view.result.contents.get(path, b"") is None:
            return None
        return links.blob(view.commit, path, lines)
    path = view.result.renamed.get(path, path)
    is_new = view.result.originals.get(path, b"") is None
    if is_new or (result.block.creates_file and result.code not in _CREATED_WITH_FILE):
        return None
    return links.blob(view.checked_at, path, lines)


def _lines(row: Row, view: OutcomeView) -> tuple[int, int] | None:
    """Return the lines of a row, in the commit if it was committed; None if they are not known."""
    if row.lines is None or row.result is None or view.commit is None or not row.fits:
        return row.lines
    first, last = row.lines
    shift = 0
    for result in view.result.results:
        if result.status is not EditStatus.APPLIED or result.file_path != row.path or result is row.result:
            continue
        if result.span is None:
            return None
        start, stop = result.span
        if stop < first:
            shift += result.lines_added - result.lines_removed
        elif start < last:
            return None
    growth = row.result.lines_added - row.result.lines_removed
    return first + shift, max(first, last + growth) + shift


def _how(row: Row, view: OutcomeView, links: Links) -> str:
    result = row.result
    if result is None:
        return text(row.sentence(), cell=True)
    if row.fits and result.confidence in ("medium", "low"):
        return f"⚠️ {text(strategy_text(result), cell=True)}"
    if row.fits:
        return text(strategy_text(result), cell=True)
    places = result.candidates
    if row.code is ReasonCode.AMBIGUOUS and places and places == result.candidates_in_file:
        return f"ambiguous: {_candidates(result, view, links)}"
    if row.code is ReasonCode.NO_MATCH and places and result.first_difference:
        return f"no-match: the closest text is {percent(places[0].similarity)} alike"
    if row.ok and row.code is not None:
        return row.code.value
    return text(row.sentence(), cell=True)


def _candidates(result: EditResult, view: OutcomeView, links: Links) -> str:
    starts = [candidate.start_line for candidate in result.candidates]
    shown = [link(str(start), _address(result, view, links, (start, start))) for start in starts[:CANDIDATES_IN_TEXT]]
    left = max(result.candidates_total, len(starts)) - len(shown)
    if left:
        return f"lines {', '.join(shown)} and {left} more"
    return f"lines {', '.join(shown)}"


def _next(view: OutcomeView, page: Page, *, has_prompt: bool) -> str:
    """Return the next step, or the next commands if a person ran this on their machine."""
    if page.following is not None:
        step = " or ".join(code_span(command, limit=_COMMAND) for command in page.following)
        return step and f"**Next:** {step}."
    prompt_place = ""
    if has_prompt:
        prompt_place = "below"
    elif view.is_asked_for and page.links.server:
        prompt_place = "in the job summary"
    step = next_step(view, prompt_place=prompt_place, prefix=page.prefix, role=page.role)
    return step and f"**Next:** {step}"


def _small_print(view: OutcomeView, page: Page, left_out: str) -> str:
    """Return the last line: version, formats, number of shell suggestions, parts that are left out, and two links."""
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
        parts.append(f"too long, so left out: {left_out}")
    anchors = {"log": page.links.run, "what the codes mean": page.links.docs_page("reference/reasons.md")}
    parts += [f'<a href="{address}">{label}</a>' for label, address in anchors.items() if address is not None]
    return f"<sub>{' · '.join(parts)}</sub>"


# folded parts


def _fold(summary: str, *parts: str) -> str:
    """Fold parts away. Blank lines around each part let GitHub read its Markdown. `summary` holds no foreign text."""
    return "\n\n".join((f"<details>\n<summary>{summary}</summary>", *parts, "</details>"))


def _differences(view: OutcomeView) -> list[str]:
    """Return a folded part for each failed block whose SEARCH is not in the file."""
    parts = []
    for row in view.rows:
        if row.result is None or row.result.first_difference is None:
            continue
        summary = f"Block {row.number} {row.word}: first difference from the file"
        parts.append(_fold(summary, fence("\n".join(two_lines(row.result)), "diff"), text(row.sentence())))
    return parts


def _preview(view: OutcomeView) -> str | None:
    """Return the diffs of what would be committed; None if that is nothing or is already written.

    The more blocks a file has, the more of its diff is shown.
    """
    if view.is_written or not view.result.contents:
        return None
    files = (_file(path, diff, view) for path, diff in file_diffs(view.result))
    return _fold(f"Preview: what would be committed ({view.change_text})", *files)


def prompt(view: OutcomeView) -> str:
    """Return the folded retry prompt; empty if there is nothing to ask for.

    A prompt is never cut, because a part of it is useless. It has at most 6,000 characters.
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
    return _fold(summary, *parts)


def _file(path: str, diff: bytes, view: OutcomeView) -> str:
    """Return the diff of a file. Git's header is left out unless the file is renamed or the diff has nothing else."""
    if path in view.result.hidden_texts:
        return f"{code_span(path)} changes; its text is not shown, because it may hold secrets"
    count = sum(row.file_path == path and row.status is EditStatus.APPLIED for row in view.result.results)
    shown = diff.decode("utf-8", "replace")
    _, separator, body = shown.partition("\n--- ")
    if separator and path not in view.result.renamed:
        shown = f"--- {body}"
    return fence(shown, "diff", limit=FENCE_LIMIT * max(1, count))


def _patch(view: OutcomeView) -> str | None:
    """Return the whole change for the author of a fork; None for others, or if copying it would change its text."""
    if view.outcome.refusal is None or view.outcome.refusal.code is not ReasonCode.FORK or not view.outcome.ok:
        return None
    whole = unified_diff(view.result).decode("utf-8", "replace")
    is_hidden = not view.result.hidden_texts.isdisjoint(view.result.contents)
    if not whole or is_hidden or not survives_copying(whole):
        return None
    return _fold(f"Patch ({view.change_text})", fence(whole, "diff", limit=None))


def _notes(view: OutcomeView) -> str:
    """Return the notes, at most ten lines; empty if there are none."""
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
    """Return why a person should review this change of a file; empty for an ordinary change."""
    if needs_review(path):
        return "decides what is installed, built or run"
    if view.result.contents[path] is not None:
        return ""
    new_path = next((new for new, old in view.result.renamed.items() if old == path), None)
    if new_path is None:
        return "is deleted"
    return f"is renamed to {code_span(new_path)}"


def suggestions(view: OutcomeView) -> str:
    """Return the shell suggestions of a response, one on a line after its risk; empty if there are none."""
    commands = view.result.shell_suggestions
    lines = [f"{risk:<11}  {name_hidden(command)}" for command, risk in suggested_commands(commands)]
    if not lines:
        return ""
    summary = "Shell suggestions, never run"
    if len(lines) < len(commands):
        summary += f", the first {len(lines)} of {len(commands)}"
    return _fold(summary, fence("\n".join(lines), limit=None))
