"""The targets of the fuzzer, with their first inputs. A target reads one text, and fails if it breaks a rule.

A target returns the kind of its result: reason codes, strategies, notes. An input with a new kind is mutated further.
"""

import json
from collections.abc import Callable, Hashable, Mapping
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

from support import golden, pagekit
from support.fuzz.mutations import SEPARATOR
from support.json_outcomes import OUTCOMES
from support.planned import files_after, planned
from support.project import EXAMPLES

from editblocks import ApplyResult, EditBlock, EditResult, ParseResult, Problem, Settings, parse_response
from editblocks.config.policy import policy_from, read_front_matter
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.core.model import row_number
from editblocks.core.outcome import Source
from editblocks.core.settings import MATCHING
from editblocks.faces.cli.documents import TOOLS
from editblocks.faces.cli.explain import meanings
from editblocks.formats.tool_calls import TOOL_CALLS
from editblocks.parsing.parse import StreamParser
from editblocks.report.console import report as terminal_report
from editblocks.report.json import Report, document, dumps
from editblocks.report.page.render import NotOurs, read_result, render_page
from editblocks.report.view import OutcomeView

Seen = Hashable


class Target(NamedTuple):
    """`check` returns the kind of the result, and raises if a rule is broken. `seeds` returns the first inputs."""

    check: Callable[[str], Seen]
    seeds: Callable[[], list[str]]


# The reader: one answer.


def check_reader(text: str) -> Seen:
    """Rows are in order, numbered from 1, and inside the text. Parsing the text in pieces gives the same result."""
    parsed = parse_response(text)
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    rows.sort(key=lambda row: row.number)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1)), "a row is missing, or there twice"
    in_order = [row for row in rows if not is_told_late(row)]
    assert all(follows(after, row) for row, after in pairwise(in_order)), "rows are out of order"
    last = text.count("\n") + 1
    assert all(1 <= row.line_number <= row.end_line <= last for row in rows), "a row is outside of the text"
    assert _in_pieces(text) == parsed, "in pieces the text reads otherwise"
    return tuple(_kind(row) for row in rows), frozenset(note.code for note in parsed.notes)


def is_told_late(row: EditBlock | Problem) -> bool:
    """Whether a row may come later than rows below it: a call in a fence is read when the fence ends.

    An unclosed fence ends with the text. The row of a call has the format of the patch or diff in the call, if any.
    """
    if isinstance(row, EditBlock):
        return row.call is not None
    return row.format in (*TOOL_CALLS.names, "v4a", "unified")


def follows(after: EditBlock | Problem, row: EditBlock | Problem) -> bool:
    """Whether the row `after` may come directly after `row`: it begins at its line or below, or does not end above it.

    A block without an end reaches to the end of the text, so rows inside it may come after it.
    """
    if isinstance(row, Problem) and row.code is ReasonCode.UNCLOSED:
        return True
    return after.line_number >= row.line_number or after.end_line >= row.end_line


def _in_pieces(text: str) -> ParseResult:
    """Parse the text in two to five pieces. Where it is cut depends only on the text."""
    number = crc32(text.encode("utf-8", "replace"))
    places = sorted(number // prime % (len(text) + 1) for prime in (1, 101, 10007, 1000003)[: number % 4 + 1])
    parser = StreamParser()
    for start, stop in pairwise((0, *places, len(text))):
        parser.feed(text[start:stop])
    return parser.close()


def _kind(row: EditBlock | Problem) -> str:
    if isinstance(row, Problem):
        return f"{row.format} {row.code.value}"
    return f"{row.format} {row.operation}"


def answers() -> list[str]:
    """The responses of all golden pages."""
    return [case.response for case in golden.all_cases()]


# The planner: `LEVEL\x1cANSWER`, and `\x1cPATH\x1cTEXT` for each file.


class Given(NamedTuple):
    """An answer, the files that it changes, and the matching level."""

    level: str
    answer: str
    files: Mapping[str, bytes]


def given(text: str) -> Given:
    """Parse an input of the planner."""
    level, _, rest = text.partition(SEPARATOR)
    answer, *parts = rest.split(SEPARATOR)
    if level not in MATCHING:
        level = "standard"
    files = {path: data.encode("utf-8", "surrogatepass") for path, data in zip(parts[::2], parts[1::2], strict=False)}
    return Given(level, answer, files)


def trees() -> list[str]:
    """The responses and files of all golden pages, as inputs of the planner."""
    return [
        SEPARATOR.join((case.options.get("matching", "standard"), case.response, *_parts(case)))
        for case in golden.all_cases()
    ]


def _parts(case: golden.Case) -> list[str]:
    return [part for path, data in case.before.items() for part in (path, data.decode("utf-8", "replace"))]


def check_planner(text: str) -> Seen:
    """Counts are right, only requested changes are made, other lines stay, and the result can be planned again."""
    level, answer, files = given(text)
    settings = Settings(matching=level)
    result = planned(answer, files.get, settings)
    check_rows(result)
    for path, data in result.contents.items():
        old = result.originals.get(path)
        assert data != old or path in result.renamed, f"{path} is written as it is"
        assert old == files.get(path), f"{path} was not like that"
        check_other_lines(path, data, files, result)
    again = planned(answer, files_after(files, result).get, settings)
    check_rows(again)
    if result.ok and again.ok and not again.contents:
        return "twice", *_ways(result)
    return "once", *_ways(result)


def check_rows(result: ApplyResult) -> None:
    """Every row occurs once and is applied or has a reason, and the counts fit the rows."""
    rows = result.rows
    assert [row_number(row) for row in rows] == list(range(1, len(rows) + 1)), "a row is missing, or there twice"
    counts = result.counts
    assert counts["total"] == len(rows) == counts["applied"] + counts["failed"] + counts["skipped"], (
        "rows do not add up"
    )
    for row in rows:
        if isinstance(row, EditResult):
            assert (row.code is None) == (row.strategy is not None), f"row {row_number(row)} is applied with a code"
            assert row.code is None or row.reason, f"row {row_number(row)} has no reason"
    asked = {path for row in result.results if row.strategy for path in row.block.paths}
    assert set(result.contents) <= asked, "a file changes that no applied block names"


def check_other_lines(path: str, data: bytes | None, files: Mapping[str, bytes], result: ApplyResult) -> None:
    """The lines between the applied blocks of a file are unchanged and in order, if each block has a known span."""
    before = result.renamed.get(path, path)
    applied = [row for row in result.results if row.strategy and {path, before} & set(row.block.paths)]
    spans = sorted(row.span for row in applied if row.span)
    if data is None or len(spans) < len(applied):
        return
    lines = files.get(before, b"").split(b"\n")
    place, last = 0, 0
    for start, stop in (*spans, (len(lines), len(lines))):
        kept = b"\n".join(lines[last:start])
        found = data.find(kept, place)
        assert found >= 0, f"lines {last + 1}-{start} of {path} changed, and no block names them"
        assert last or not found, f"something is above line 1 of {path}"
        place = found + len(kept)
        last = max(last, stop)


def _ways(result: ApplyResult) -> tuple[Seen, ...]:
    """The kind of result of each row, with the codes of its notes."""
    return tuple(_way(row) for row in result.rows)


def _way(row: EditResult | Problem) -> Seen:
    if isinstance(row, Problem):
        return row.format, row.code
    return row.block.format, row.code, row.strategy, frozenset(note.code for note in row.notes)


# The report: inputs of the planner, in every format for people and tools.


STDIN = Source("stdin", "stdin")


def check_report(text: str) -> Seen:
    """Our own reader accepts the JSON result, every format can be rendered, and none shows hidden characters."""
    _, answer, files = given(text)
    view = pagekit.outcome_of(answer, files, STDIN)
    report = Report(view, target={"kind": "worktree"}, version="1.0.0", has_texts=True)
    result = read_result(dumps(document(report)).encode())
    check_page(render_page(result, meanings()))
    for render in TOOLS.values():
        render([report])
    check_shown(terminal_report(view))
    return _ways(view.outcome.result)


HIDDEN = frozenset("\0\x1b\u202e\u2066\u200b\x9b")


def check_shown(text: str) -> None:
    """The text has no hidden characters, which could mislead its reader."""
    assert not HIDDEN & set(text), f"shown as it is: {HIDDEN & set(text)}"


def check_page(page: str) -> None:
    """The page has exactly one script and one style: ours."""
    check_shown(page)
    assert page.count("<script") == page.count("</script>") == 1, "the page has a script that is not ours"
    assert page.count("<style") == 1, "the page has a style that is not ours"


def check_one_line(message: str) -> None:
    """The message is one line without hidden characters."""
    check_shown(message)
    assert "\n" not in message, "the message has several lines"


# The reader of JSON results.


def results() -> list[str]:
    """JSON results of every kind, with one member per line."""
    views = [pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP), *map(OutcomeView, OUTCOMES.values())]
    return [json.dumps(pagekit.result_of(view), indent=1) for view in views]


def check_results(text: str) -> Seen:
    """A result is refused with a message, or its page can be rendered."""
    try:
        result = read_result(text.encode("utf-8", "surrogatepass"))
    except NotOurs as error:
        check_one_line(str(error))
        return str(error).partition(":")[0]
    check_page(render_page(result, meanings()))
    return result["outcome"], len(result["blocks"])


# The settings: `.editblocks.yml` of the base branch and, after a separator, of the default branch; and front matter.


def policies() -> list[str]:
    """Settings files and front matter."""
    example = EXAMPLES.joinpath("editblocks.yml").read_text("utf-8")
    all_of_it = "\n".join(line.removeprefix("# ").removeprefix("#") for line in example.splitlines())
    return [
        example,
        all_of_it,
        f"mode: apply\nallow-protected: [.envrc]\n{SEPARATOR}allow-protected:\n  - .envrc\n",
        f"paths: ['src/**']\ndeny-paths: ['**/*.lock']\n{SEPARATOR}paths: ['**']\nmax-blocks: 900\n",
        "whole-files: all\nsuspicious-text: warn\nplaceholders: warn\nmax-blocks: 2000\n",
        "commit-prefix: \"edits: \"\ntrailers:\n- 'Reviewed: yes'\nstart-checks: [ci.yml]\n",
        "---\nbase: 4be1d02\ntitle: Correct cart totals\nformat: search-replace\nauthor: octocat\n---\n",
    ]


def check_settings(text: str) -> Seen:
    """A file is refused with one line, or gives settings. Without a file on the default branch, nothing is loosened."""
    base, separator, default = text.partition(SEPARATOR)
    seen: list[Seen] = []
    try:
        front = read_front_matter(text, "answer.md")
        if front is not None:
            seen.append(tuple(value is not None for value in front))
    except ConfigError as error:
        check_shown(error.message)
        seen.append("front matter is refused")
    try:
        policy = policy_from(base, default if separator else None, {}, branch="topic", default_branch="main")
    except ConfigError as error:
        check_one_line(error.message)
        return *seen, error.message.partition("`")[0][-30:]
    if not separator:
        loosened = policy.settings.allow_protected
        assert loosened == (), f"a base branch alone loosens {loosened}"
        assert policy.settings.max_blocks <= Settings().max_blocks, "a base branch alone raises a limit"
    return *seen, tuple(row[0] for row in policy.rows), len(policy.notes)


TARGETS: Mapping[str, Target] = {
    "reader": Target(check_reader, answers),
    "planner": Target(check_planner, trees),
    "report": Target(check_report, trees),
    "results": Target(check_results, results),
    "settings": Target(check_settings, policies),
}
