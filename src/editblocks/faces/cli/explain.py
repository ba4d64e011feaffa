"""`editblocks explain [CODE]`: the page of a reason code at the terminal, or all codes with a line each.

The page is docs/reference/reasons.md: its first table is the list, the last one the notes, and a code has the text
below its heading.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from textwrap import wrap

from editblocks.core.errors import UsageError
from editblocks.core.phrases import nearest_word
from editblocks.faces.common.package import read_packaged
from editblocks.faces.common.terminal import FINE, columns, has_color, printing, show
from editblocks.report.terminal.colors import BOLD, paint
from editblocks.report.terminal.wrapping import wrapped

PAGE = "docs/reference/reasons.md"
NOTE = "note"
GROUPS: Mapping[str, str] = {
    "failed": "the block is not applied",
    "ready": "the block fits; a person should look at it",
    "skipped": "the block was not tried, or there is nothing left to do",
    "run": "about a whole run, or about the answer",
    NOTE: "worth a look; does not change the result",
}
_WIDEST = 79  # columns, however wide the terminal
_CODE_ROW = re.compile(r"^\| \[`([a-z-]+)`\]\(#[a-z-]+\) \| ([a-z]+) \| (.+) \|$", re.MULTILINE)
_NOTE_ROW = re.compile(r"^\| `([a-z-]+)` \| (.+) \|$", re.MULTILINE)
# of the section of a code: the example in its fence, and the paragraphs "Why" and "What to do"
_PART = re.compile(r"^(?:```text\n|(?=\*\*))(.+?)(?=^```$|^\*\*|\Z)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^]]+)\]\(([^()\s]+)\)")

CodeRow = tuple[str, str, str]  # code, key of GROUPS, what the list says of it


def main(options: argparse.Namespace) -> int:
    """Print the page of `options.code`, or the list if that is None. Raises `UsageError` for no known code."""
    page = read_packaged(PAGE)
    rows = rows_of(page)
    bold = BOLD if has_color(sys.stdout, options.color) else None
    lines = _list(rows, bold)
    if options.code is not None:
        lines = _pages(_rows_of_code(options.code, rows), page, bold)
    with printing():
        show("".join(f"{line}\n" for line in lines))
    return FINE


def _width() -> int:
    """Columns to print in: as many as the terminal has, but no more than a line of text is read in."""
    return min(_WIDEST, columns(sys.stdout) or _WIDEST)


def rows_of(page: str) -> list[CodeRow]:
    """The tables of docs/reference/reasons.md in their order."""
    return [*_CODE_ROW.findall(page), *((code, NOTE, text) for code, text in _NOTE_ROW.findall(page))]


def meanings() -> dict[str, str]:
    """What the list says of each code."""
    return {code: text for code, group, text in rows_of(read_packaged(PAGE)) if group != NOTE}


def _rows_of_code(word: str, rows: list[CodeRow]) -> list[CodeRow]:
    """The rows of a code: two if it is also a note. Characters that people copy along with it are ignored."""
    wanted = re.sub(r"[\s_]+", "-", word.strip("`'\":, \t\n").lower())
    matches = [row for row in rows if row[0] == wanted]
    if not matches:
        near = nearest_word(wanted, [code for code, _, _ in rows])
        advice = f"did you mean `{near}`?" if near else "`editblocks explain` lists them"
        raise UsageError(f"there is no code `{word[:60]}`; {advice}")
    return matches


def _list(rows: list[CodeRow], bold: str | None) -> Iterator[str]:
    for group, meaning in GROUPS.items():
        members = {code: text for code, its_group, text in rows if its_group == group}
        width = max(map(len, members))
        yield wrapped(f"{paint(group, bold)}: {meaning}", columns(sys.stdout))
        indent = " " * (width + 4)
        lines = (f"  {code.ljust(width)}  {text}" for code, text in members.items())
        yield from (wrapped(line, columns(sys.stdout), indent) for line in lines)
        yield ""
    yield wrapped("editblocks explain CODE says more about one of them", columns(sys.stdout))


def _pages(rows: list[CodeRow], page: str, bold: str | None) -> Iterator[str]:
    for number, (code, group, text) in enumerate(rows):
        if number > 0:
            yield ""
        yield wrapped(f"{paint(code, bold)} ({group}): {text}", columns(sys.stdout))
        section = re.search(rf"^### {code}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
        if section is None or group == NOTE:
            continue
        for part in _PART.findall(section[1]):
            yield ""
            for line in wrap(_LINK.sub(r"\1 (\2)", part), _width(), break_long_words=False, break_on_hyphens=False):
                yield re.sub(r"^\*\*(.+?)\*\*", lambda title: paint(title[1], bold), line)
