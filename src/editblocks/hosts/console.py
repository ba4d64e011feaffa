"""A host without a server: responses from a list, statuses to a stream, as a person would see them.

It serves the demo and dry runs. Foreign text cannot move the cursor: control characters are shown.
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

_OWN_TAGS = re.compile(r"</?(?:details|summary|sub)>")  # foreign ones never get into a status as tags
_FENCE = re.compile(r"(`{3,})(?:\w+)?")
_EMOJI_STYLE = "\ufe0f"  # of our own icons; a terminal shows them without it as well
_CELLS = re.compile(r"(?<!\\)\|")


class ConsoleHost:
    """Prints each response and its status. `refusal` is what stops a commit, for whoever wants to see that."""

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
        """The responses that were given, in order."""
        yield from self._responses

    def refusal(self, response: Response) -> Refusal | None:
        """Whoever sits at the console may write, unless the host was made to say no."""
        del response
        return self._refusal

    def publish(self, outcome: Outcome) -> None:
        """Print what was said, then the status as it would stand below it."""
        source = outcome.response.source
        self._print(f"{source.author or source.kind} says:", outcome.response.text)
        self._print("editblocks answers:", _drawn(status(outcome, version=self._version, branch=self._branch)))

    def _print(self, heading: str, text: str) -> None:
        lines = [f"  │ {visible(line)}".rstrip() for line in text.replace("\r\n", "\n").rstrip("\n").split("\n")]
        shown = "\n".join([visible(heading), *lines, "", ""])
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(shown.encode(encoding, "replace").decode(encoding))


def _drawn(text: str) -> str:
    """The Markdown of a status as a browser shows it, as far as a terminal can: nothing folded, tables aligned."""
    lines = [line for fenced, part in _parts(text.split("\n")) for line in (part if fenced else _prose(part))]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).replace(_EMOJI_STYLE, "")


def _parts(lines: Iterable[str]) -> Iterator[tuple[bool, list[str]]]:
    """Runs of lines, True for those of a fence, which come indented and without its marks."""
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
    """Columns of a terminal: two for wide characters, none for what only changes the one before."""
    marks = {"Mn", "Me", "Cf"}
    shown = (char for char in text if unicodedata.category(char) not in marks)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in shown)
