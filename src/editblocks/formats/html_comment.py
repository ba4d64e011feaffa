"""Where HTML comments begin: what stands in one, no reader of the page sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editblocks.formats.markers import Kind, Token

_LONGEST_PARAGRAPH = 20  # lines that are looked at; in a longer one the comment counts as never ending


@dataclass(slots=True)
class Comments:
    """Whether a comment is open in the text, fences left aside. Lines are 0-based."""

    lines: Sequence[str]
    is_open: bool = False
    is_inline: bool = False  # a blank line ends it
    seen: int = 0  # lines before it are known to be inside

    def ended_before(self, line: int) -> int | None:
        """The blank line that ends an open comment before `line`, if one does."""
        if not self.is_inline:
            return None
        start, self.seen = self.seen, line
        blank = next((number for number in range(start, line) if not self.lines[number].strip(" \t")), None)
        if blank is not None:
            self.is_open = self.is_inline = False
        return blank

    def take(self, token: Token) -> None:
        """Hear of a line with `<!--` or `-->`."""
        if self.is_open and self.ended_before(token.line) is None:
            if "-->" in token.word:
                rest = token.word[token.word.index("-->") + 3 :]
                self.is_open, self.seen = opens_comment(rest), token.line + 1
                self.is_inline = self.is_open and self.is_inline
        elif opens_comment(token.word):
            self.is_open, self.is_inline = True, not is_in_html(self.lines, token.line)
            self.seen = token.line + 1

    def take_all(self, tokens: Sequence[Token]) -> None:
        """Hear of the lines of a block: to the page they are text like any other."""
        for token in tokens:
            if token.kind is Kind.COMMENT:
                self.take(token)


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
