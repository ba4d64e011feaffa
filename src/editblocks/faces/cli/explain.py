"""`editblocks explain [CODE]`: the page of a reason code at the terminal, or all codes with a line each.

The page is docs/reference/reasons.md: its first table is the list, the last one the notes, and a code has the text
below its heading.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from posixpath import dirname, normpath
from textwrap import wrap

from editblocks.core.errors import UsageError
from editblocks.faces.common.exit_codes import FINE
from editblocks.faces.common.package import read_packaged
from editblocks.faces.common.terminal import has_color, printing, show

PAGE = "docs/reference/reasons.md"
NOTE = "note"
GROUPS: Mapping[str, str] = {
    "failed": "the block is not applied",
    "ready": "the block fits; somebody should look at it",
    "skipped": "the block was not tried, or there is nothing left to do",
    "run": "said of a whole run, or of its source",
    NOTE: "worth a look, changes no verdict",
}
_WIDTH = 79  # columns, however wide the terminal
_INDENT = "  "
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_CODE_ROW = re.compile(r"^\| \[`([a-z-]+)`\]\(#[a-z-]+\) \| ([a-z]+) \| (.+) \|$", re.MULTILINE)
_NOTE_ROW = re.compile(r"^\| `([a-z-]+)` \| (.+) \|$", re.MULTILINE)
_LINK = re.compile(r"\[([^]]+)\]\(([^()\s]+)\)")


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One code or note with its line of the list; `group` is a key of `GROUPS`."""

    code: str
    group: str
    text: str


def main(options: argparse.Namespace) -> int:
    """Print the page of `options.code`, or the list if that is None. Raises `UsageError` for no known code."""
    page, bold = read_packaged(PAGE), has_color(sys.stdout, options.color)
    rows = rows_of(page)
    lines = _list(rows, bold) if options.code is None else _pages(_rows_of_code(options.code, rows), page, bold)
    with printing():
        show("".join(f"{line}\n" for line in lines))
    return FINE


def rows_of(page: str) -> list[CodeLine]:
    """The tables of docs/reference/reasons.md in their order."""
    codes = [CodeLine(*cells) for cells in _CODE_ROW.findall(page)]
    return codes + [CodeLine(code, NOTE, text) for code, text in _NOTE_ROW.findall(page)]


def _rows_of_code(word: str, rows: list[CodeLine]) -> list[CodeLine]:
    """The rows of a code: two if it is also a note. Characters that people copy along with it are ignored."""
    code = re.sub(r"[\s_]+", "-", word.strip("`'\":, \t\n").lower())
    matches = [row for row in rows if row.code == code]
    if not matches:
        near = get_close_matches(code, [row.code for row in rows], 1)
        advice = f"did you mean `{near[0]}`?" if near else "`editblocks explain` lists them"
        raise UsageError(f"there is no code `{word[:60]}`; {advice}")
    return matches


def _list(rows: list[CodeLine], bold: bool) -> Iterator[str]:
    for group, meaning in GROUPS.items():
        members = [row for row in rows if row.group == group]
        width = max(len(row.code) for row in members)
        yield f"{_heading(group, bold)}: {meaning}"
        yield from (f"{_INDENT}{row.code.ljust(width)}  {row.text}" for row in members)
        yield ""
    yield "editblocks explain CODE says more about one of them"


def _pages(rows: list[CodeLine], page: str, bold: bool) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield from [""] * (number > 0)
        yield f"{_heading(row.code, bold)} ({row.group}): {row.text}"
        if row.group != NOTE:
            yield from _page(row.code, page, bold)


def _page(code: str, page: str, bold: bool) -> Iterator[str]:
    """The example, the reason and the remedy of a code, as far as its section has them."""
    section = re.search(rf"^### {re.escape(code)}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    text = section[1] if section else ""
    for fence in re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield from _part("for example", fence, bold)
    for title, paragraph in re.findall(r"^\*\*(.+?)\.\*\* (.*?)(?=^\*\*|\Z)", text, re.MULTILINE | re.DOTALL):
        yield from _part(title.lower(), _LINK.sub(r"\1", " ".join(paragraph.split())), bold)
    places = dict.fromkeys(target for _, target in _LINK.findall(text))
    if places:
        yield from _part("more", "\n".join(normpath(f"{dirname(PAGE)}/{place}") for place in places), bold)


def _part(title: str, text: str, bold: bool) -> Iterator[str]:
    yield ""
    yield _heading(title, bold)
    for line in text.splitlines():
        shown = wrap(line, _WIDTH - len(_INDENT), break_long_words=False, break_on_hyphens=False)
        yield from (_INDENT + each for each in shown)


def _heading(text: str, bold: bool) -> str:
    return f"{_BOLD}{text}{_PLAIN}" if bold else text
