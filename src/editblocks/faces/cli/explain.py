"""`editblocks explain [CODE]`: print the explanation of a reason code, or a list of all codes.

The texts come from docs/reference/reasons.md. That page has a list for each group with an item for each code.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import NamedTuple

from editblocks.core.errors import UsageError
from editblocks.core.phrases import nearest_word
from editblocks.faces.reading import read_packaged
from editblocks.faces.terminal import FINE, columns, has_color, printing, show
from editblocks.report.wrapping import BOLD, paint, wrapped

PAGE = "docs/reference/reasons.md"
NOTE = "note"
GROUPS: Mapping[str, str] = {
    "failed": "the block is not applied",
    "ready": "the block fits; a person should look at it",
    "skipped": "the block was not tried, or there is nothing left to do",
    "run": "about a whole run, or about the answer",
    NOTE: "worth a look; does not change the result",
}
_WIDEST = 79  # columns, also in a wider terminal
# A group of the page with its list. An item has the code, what it means and, unless it is a note, what to do.
_GROUP = re.compile(r"^## ([A-Z][a-z]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"^- (?:<a [^>]+></a>)?`([a-z-]+)`: (.+?)(?:\. (.+))?$", re.MULTILINE)
_LINK = re.compile(r"\[([^]]+)\]\(([^()\s]+)\)")


class CodeRow(NamedTuple):
    """An item of the page, with the key of its group in `GROUPS`."""

    code: str
    group: str
    meaning: str
    remedy: str  # "" for a note


def main(options: argparse.Namespace) -> int:
    """Print the explanation of `options.code`, or the list if it is None. Raises `UsageError` for an unknown code."""
    rows = rows_of(read_packaged(PAGE))
    bold = BOLD if has_color(sys.stdout, options.color) else None
    lines = _list(rows, bold)
    if options.code is not None:
        lines = _pages(_rows_of_code(options.code, rows), bold)
    with printing():
        show("".join(f"{line}\n" for line in lines))
    return FINE


def rows_of(page: str) -> list[CodeRow]:
    """Return the rows of docs/reference/reasons.md in their order."""
    return [
        CodeRow(code, group.lower(), meaning, remedy)
        for group, text in _GROUP.findall(page)
        for code, meaning, remedy in _ITEM.findall(text)
    ]


def meanings() -> dict[str, str]:
    """Return what each code means."""
    return {row.code: row.meaning for row in rows_of(read_packaged(PAGE)) if row.group != NOTE}


def _rows_of_code(word: str, rows: list[CodeRow]) -> list[CodeRow]:
    """Return the rows of a code: two if it is also a note. Characters that people copy along with it are ignored."""
    wanted = re.sub(r"[\s_]+", "-", word.strip("`'\":, \t\n").lower())
    matches = [row for row in rows if row.code == wanted]
    if not matches:
        near = nearest_word(wanted, [row.code for row in rows])
        advice = f"did you mean `{near}`?" if near else "`editblocks explain` lists them"
        raise UsageError(f"there is no code `{word[:60]}`; {advice}")
    return matches


def _list(rows: list[CodeRow], bold: str | None) -> Iterator[str]:
    for group, meaning in GROUPS.items():
        members = {row.code: row.meaning for row in rows if row.group == group}
        width = max(map(len, members))
        yield wrapped(f"{paint(group, bold)}: {meaning}", columns(sys.stdout))
        indent = " " * (width + 4)
        lines = (f"  {code.ljust(width)}  {text}" for code, text in members.items())
        yield from (wrapped(line, columns(sys.stdout), indent) for line in lines)
        yield ""
    yield wrapped("editblocks explain CODE says more about one of them", columns(sys.stdout))


def _pages(rows: list[CodeRow], bold: str | None) -> Iterator[str]:
    width = min(_WIDEST, columns(sys.stdout) or _WIDEST)
    for number, row in enumerate(rows):
        if number > 0:
            yield ""
        yield wrapped(f"{paint(row.code, bold)} ({row.group}): {row.meaning}", columns(sys.stdout))
        if not row.remedy:
            continue
        yield ""
        remedy = _LINK.sub(r"\1 (\2)", row.remedy)
        for line in wrap(f"What to do: {remedy}", width, break_long_words=False, break_on_hyphens=False):
            yield re.sub(r"^What to do:", lambda title: paint(title[0], bold), line)
