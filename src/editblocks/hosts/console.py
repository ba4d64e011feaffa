"""A host without a server: it takes responses from a list and prints their statuses as a person would see them.

The demo and dry runs use it. Control characters are shown as text, so a response cannot move the cursor.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TextIO

from editblocks.core.outcome import Outcome, Refusal, Response
from editblocks.report.escape import visible
from editblocks.report.status.markdown import status
from editblocks.report.status.page import Page
from editblocks.report.view import OutcomeView

_OWN_TAGS = re.compile(r"</?(?:details|summary|sub)>")  # our own; a status escapes the tags of others
_FENCE = re.compile(r"(`{3,})(?:\w+)?")
_EMOJI_STYLE = "\ufe0f"  # follows our icons; a terminal shows them without it as well
_CELLS = re.compile(r"(?<!\\)\|")


class ConsoleHost:
    """Prints each response and its status. With a `refusal`, every commit is refused for that reason."""

    def __init__(
        self,
        responses: Iterable[Response],
        stream: TextIO,
        *,
        version: str,
        branch: str | None = None,
        refusal: Refusal | None = None,
    ) -> None:
        self._responses = tuple(responses)
        self._stream = stream
        self._version = version
        self._branch = branch
        self._refusal = refusal

    def responses(self) -> Iterator[Response]:
        """Yield the responses that the host was created with, in order."""
        yield from self._responses

    def refusal(self, response: Response) -> Refusal | None:
        """Return the refusal that the host was created with; by default everything may be committed."""
        del response
        return self._refusal

    def publish(self, outcome: Outcome) -> None:
        """Print the response, then its status as a pull request would show it."""
        source = outcome.response.source
        self._print(f"{source.author or source.kind} says:", outcome.response.text)
        self._print(
            "editblocks answers:", _drawn(status(OutcomeView(outcome), Page(self._version, branch=self._branch)))
        )

    def _print(self, heading: str, text: str) -> None:
        lines = [f"  │ {visible(line)}".rstrip() for line in text.replace("\r\n", "\n").rstrip("\n").split("\n")]
        shown = "\n".join([visible(heading), *lines, "", ""])
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(shown.encode(encoding, "replace").decode(encoding))


def _drawn(text: str) -> str:
    """Lay out the Markdown of a status for a terminal: sections unfolded, table columns aligned."""
    lines = [line for fenced, part in _parts(text.split("\n")) for line in (part if fenced else _prose(part))]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).replace(_EMOJI_STYLE, "")


def _parts(lines: Iterable[str]) -> Iterator[tuple[bool, list[str]]]:
    """Split lines into prose (False) and fenced code (True); code is indented and loses its fence lines."""
    part: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.fullmatch(line)
        if (line == fence) if fence else mark is not None:
            yield bool(fence), part
            part, fence = [], "" if fence or mark is None else mark[1]
        else:
            part.append(f"    {line}" if fence else line)
    yield bool(fence), part


def _prose(lines: Iterable[str]) -> Iterator[str]:
    for is_table, group in groupby(lines, lambda line: line.startswith("| ") or line.startswith("|--")):
        if is_table:
            yield from _table([line for line in group if not line.startswith("|--")])
        else:
            yield from (_OWN_TAGS.sub("", line.removeprefix("### ").replace("**", "")) for line in group)


def _table(lines: Iterable[str]) -> Iterator[str]:
    rows = [[cell.strip().replace("\\|", "|") for cell in _CELLS.split(line)[1:-1]] for line in lines]
    widths = [max(map(_columns, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell + " " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()


def _columns(text: str) -> int:
    """Count terminal columns: two for a wide character, none for a combining mark or a format character."""
    marks = {"Mn", "Me", "Cf"}
    shown = (char for char in text if unicodedata.category(char) not in marks)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in shown)
