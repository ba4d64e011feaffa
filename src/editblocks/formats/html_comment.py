"""Where HTML comments begin: what stands in one, no reader of the page sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_LONGEST_PARAGRAPH = 20  # lines that are looked at; in a longer one the comment counts as never ending


def opens_comment(line: str) -> bool:
    """Whether a line of text leaves an HTML comment open."""
    position = 0
    for start in _starts(line):
        if start < position:
            continue
        end = line.find("-->", start + 4)
        if end < 0:
            return True
        position = end + 3
    return False


def is_in_html(lines: Sequence[str], number: int) -> bool:
    """Whether line `number` belongs to raw HTML: then a comment that it opens ends at `-->` only.

    Markdown shows an unended `<!--` of a paragraph as text, but hands lines that begin with a tag, and
    those below them up to a blank line, to the browser as they are, and that hides everything up to `-->`.
    """
    for line in reversed(lines[max(0, number - _LONGEST_PARAGRAPH) : number + 1]):
        text = line.strip(" \t")
        if not text:
            return False
        if text.startswith("<"):
            return True
    return number >= _LONGEST_PARAGRAPH


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
