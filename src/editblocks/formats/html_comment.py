"""Where HTML comments begin: what stands in one, no reader of the page sees."""

from __future__ import annotations

from collections.abc import Iterator

_INDENT = 3  # Markdown: a comment that begins at most this far in runs until its end, else until a blank line


def opens_comment(line: str) -> str | None:
    """Whether a line of text leaves an HTML comment open: `block` at its start, `inline` further on."""
    position = 0
    for start in _starts(line):
        if start < position:
            continue
        end = line.find("-->", start + 4)
        if end < 0:
            return "block" if start <= _INDENT and not line[:start].strip(" ") else "inline"
        position = end + 3
    return None


def _starts(line: str) -> Iterator[int]:
    """Where `<!--` stands outside inline code."""
    position = 0
    while (start := line.find("<!--", position)) >= 0:
        tick = line.find("`", position, start)
        if tick < 0:
            yield start
            position = start + 4
        else:
            position = _after_code_span(line, tick)


def _after_code_span(line: str, tick: int) -> int:
    after = tick
    while line[after : after + 1] == "`":
        after += 1
    end = line.find(line[tick:after], after)
    return after if end < 0 else end + after - tick
