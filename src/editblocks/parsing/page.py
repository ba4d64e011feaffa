"""Which lines no reader of the rendered page sees: GitHub shows a response as Markdown, and a browser as HTML.

Theory of operation. The lines are read once, in order, and only as far as somebody asks, so a text without
blocks costs nothing. `Page` follows the containers and blocks of CommonMark and GFM as their parsers do, `Spans`
reads the text of paragraphs, `Browser` the raw HTML. To the page an edit block is text like any other. What lies
further down is not looked at, so that a text that comes in pieces reads the same: what may turn out to be hidden
counts as hidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from editblocks.parsing.page_html import Browser
from editblocks.parsing.page_inline import LOUD, WHOLE_TAG, Spans

_BLANKS = re.compile(" *")
_FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_HEADING = re.compile(r"#{1,6}(?:[ ]|\Z)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ ]*\Z")
_RULE = re.compile(r"(?:(?:-[ ]*){3,}|(?:_[ ]*){3,}|(?:\*[ ]*){3,})\Z")
_ITEM = re.compile(r"([-+*]|\d{1,9}[.)])(?:[ ]|\Z)")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:[ ]*")
_ROW_RULE = re.compile(r"\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)*\|?[ ]*\Z")
_PIPE = re.compile(r"(?<!\\)\|")
_FIRST = frozenset(">#`~<=-_*+[0123456789")  # what a line begins with that is more than text
_NONE = 1 << 30
_DEEPEST = 100  # containers in containers; cmark-gfm's own limit for lists

# The tags that begin raw HTML wherever they stand, in any version of CommonMark.
_BLOCK_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link"
    " main menu menuitem nav noframes ol optgroup option p param search section source summary table tbody td tfoot th"
    " thead title tr track ul"
).replace(" ", "|")
_HTML = (  # how raw HTML begins, and what its last line holds; None: a blank line follows
    (
        re.compile(r"(?i)<(?:script|pre|style|textarea)(?=[\s>]|\Z)"),
        re.compile(r"(?i)</(?:script|pre|style|textarea)>"),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"(?i)</?(?:{_BLOCK_TAGS})(?=[\s>]|/>|\Z)"), None),
)
_NEW_DECLARATION = re.compile(r"<![a-z][^>]*(>?)")  # raw HTML to new parsers, text to those that GitHub uses
_LONE_TAG = re.compile(rf"(?:{WHOLE_TAG})\s*\Z")


class Leaf(Enum):
    """What the innermost open block is."""

    NONE = "nothing"
    PARAGRAPH = "paragraph"
    TABLE = "table"
    FENCE = "fenced code"
    CODE = "indented code"
    HTML = "raw HTML"


@dataclass(slots=True)
class Container:
    """A quote, a list item or a footnote. `width` is how far its lines are indented, 0 for a quote."""

    width: int
    is_footnote: bool = False
    is_filled: bool = True


class Page:
    """Says of each line whether a reader of the page may not see it. `lines` may grow, and are never revised."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._hidden_lines = bytearray()  # of the lines that were read
        self._containers: list[Container] = []
        self._footnote = _NONE  # how many containers stand around the outermost footnote
        self._leaf = Leaf.NONE
        self._browser = Browser()
        self._spans = Spans()
        self._header = ""  # the last line of the paragraph: it may be that of a table
        self._fence = ""
        self._html_end: re.Pattern[str] | None = None
        self._is_hidden = False  # whether the line that is read may be hidden where it begins
        self._text = ""
        self._position = 0  # behind the signs of the containers
        self._start = 0  # of the first character there that is no blank

    def hides(self, line: int) -> bool:
        """Whether line `line` (0-based, already there) may be hidden. Lines are read once, whatever is asked."""
        for text in self._lines[len(self._hidden_lines) : line + 1]:
            self._hidden_lines.append(self._browser.hides if self._is_plain(text) else self._take_line(text))
        return bool(self._hidden_lines[line])

    def _take_line(self, line: str) -> bool:
        parts = line.split("\r") if "\r" in line else (line,)  # to Markdown, it ends a line
        hidden = [self._take(part.expandtabs(4) if "\t" in part else part) for part in parts]
        return any(hidden)

    def _is_plain(self, line: str) -> bool:
        """Whether the line is code of a fence, blank or mere text: most are, so this is fast and changes little."""
        if self._containers or "\r" in line:
            return False
        if self._leaf is Leaf.FENCE:
            return not line.lstrip(" ").startswith(self._fence)
        if not line:
            self._leaf = Leaf.NONE if self._leaf is Leaf.PARAGRAPH else self._leaf
            return self._leaf is Leaf.NONE
        if not line[0].isalpha() or LOUD.search(line):
            return False
        if self._leaf is Leaf.NONE:
            self._leaf, self._spans = Leaf.PARAGRAPH, Spans(may_define=False)
        self._header = line
        return self._leaf is Leaf.PARAGRAPH and not (self._spans.hides or self._spans.may_define)

    def _take(self, text: str) -> bool:
        """Read a line without tabs, and say whether it may be hidden: where it begins or where it ends."""
        self._text, self._is_hidden = text, False
        self._move(0)
        depth = self._match_containers()
        if depth < len(self._containers) or not self._goes_on():
            self._open_blocks(depth)
        if "<" in text and self._is_in_footnote:
            self._browser.lose()  # with the footnote left out or not, and not all parsers know footnotes
        return self._is_hidden or self._hides

    @property
    def _hides(self) -> bool:
        is_in_text = self._leaf is Leaf.PARAGRAPH or self._leaf is Leaf.TABLE
        return self._browser.hides or (is_in_text and self._spans.hides) or self._is_in_footnote

    @property
    def _is_in_footnote(self) -> bool:
        """A footnote that nothing refers to is left out of the page."""
        return len(self._containers) > self._footnote

    @property
    def _may_end_otherwise(self) -> bool:
        """Whether it matters where the paragraph that is open ends."""
        is_in_list = bool(self._containers) and not self._is_in_footnote
        return self._spans.hides or self._spans.is_loose or is_in_list

    @property
    def _is_blank(self) -> bool:
        return self._start == len(self._text)

    @property
    def _indent(self) -> int:
        return self._start - self._position

    def _move(self, position: int) -> None:
        match = _BLANKS.match(self._text, position)
        self._position, self._start = position, position if match is None else match.end()

    def _match_containers(self) -> int:
        """Pass the signs and the indentation of the open containers; returns how many of them go on."""
        if self._is_blank:
            return self._match_blank()
        for depth, container in enumerate(self._containers):
            if not container.width:
                if self._indent >= 4 or not self._text.startswith(">", self._start):
                    return depth
                self._move(self._start + 1 + self._text.startswith(" ", self._start + 1))
            elif self._indent >= container.width:
                self._position += container.width
            else:
                return depth
        return len(self._containers)

    def _match_blank(self) -> int:
        """A blank line ends quotes, and items that have nothing in them yet."""
        indent, self._position = self._indent, self._start
        for depth, container in enumerate(self._containers):
            if not container.width or (not container.is_filled and indent < container.width):
                return depth
        return len(self._containers)

    def _goes_on(self) -> bool:
        """Whether the line belongs to the code or the raw HTML that is open."""
        if self._leaf is Leaf.FENCE:
            if self._indent < 4 and self._closes_fence():
                self._leaf = Leaf.NONE
            return True
        if self._leaf is Leaf.HTML:
            if not self._is_blank or self._html_end is not None:
                self._add_html()
                return True
            self._end_leaf()
        elif self._leaf is Leaf.CODE:
            return self._indent >= 4 or self._is_blank
        return False

    def _closes_fence(self) -> bool:
        body = self._text[self._start :].rstrip(" ")
        return body.startswith(self._fence) and not body.strip(self._fence[0])

    def _end_leaf(self) -> None:
        if self._leaf is Leaf.HTML:
            self._browser.stop()
        self._leaf = Leaf.NONE

    def _close(self, depth: int) -> None:
        """End the open block, and all containers but the outer `depth` ones."""
        self._end_leaf()
        del self._containers[depth:]
        if depth <= self._footnote:
            self._footnote = _NONE

    def _open_blocks(self, depth: int) -> None:
        """Begin what the line begins; otherwise it is text, of the paragraph that is open or of a new one."""
        may_be_lazy = self._leaf is Leaf.PARAGRAPH
        goes_on = depth == len(self._containers) and (may_be_lazy or self._leaf is Leaf.TABLE)
        while self._indent < 4 and not self._is_blank and self._text[self._start] in _FIRST:
            if self._opens_leaf(depth, in_paragraph=goes_on and may_be_lazy):
                return
            if not self._opens_container(depth, in_paragraph=goes_on and may_be_lazy):
                break
            depth += 1
            may_be_lazy = goes_on = False
        if self._is_blank:
            self._close(depth)
        elif self._indent >= 4 and not may_be_lazy:
            self._begin(depth, Leaf.CODE)
        elif goes_on or may_be_lazy:
            self._add_text(goes_on)
        else:
            self._begin(depth, Leaf.PARAGRAPH)
            self._spans = Spans()
            self._add_text(goes_on=False)

    def _begin(self, depth: int, leaf: Leaf) -> None:
        self._close(depth)
        if self._containers:
            self._containers[-1].is_filled = True
        self._leaf = leaf

    def _opens_leaf(self, depth: int, in_paragraph: bool) -> bool:
        """Whether a block begins here, or the line is one, and ends what was open."""
        rest = self._text[self._start :]
        if match := _FENCE.match(rest):
            self._begin(depth, Leaf.FENCE)
            self._fence = match[0]
        elif match := _HEADING.match(rest):
            self._begin(depth, Leaf.NONE)
            self._is_hidden = self._hides
            Spans(may_define=False).take(rest[match.end() :])
        elif self._opens_html(rest, in_paragraph):
            self._begin(depth, Leaf.HTML)
            self._add_html()
        elif in_paragraph and not self._spans.may_define and _UNDERLINE.match(rest):
            self._leaf = Leaf.NONE
        elif _RULE.match(rest) and not (in_paragraph and _UNDERLINE.match(rest)):
            self._begin(depth, Leaf.NONE)
        else:
            return False
        return True

    def _opens_html(self, rest: str, in_paragraph: bool) -> bool:
        if rest[0] != "<":
            return False
        for begin, end in _HTML:
            if begin.match(rest):
                self._html_end = end
                return True
        self._html_end = None
        is_lone = _LONE_TAG.match(rest) is not None
        if is_lone and in_paragraph and self._spans.is_declared:
            self._browser.lose()
        return is_lone and not in_paragraph

    def _opens_container(self, depth: int, in_paragraph: bool) -> bool:
        """Whether a quote, a footnote or a list item begins here; then the line goes on behind its sign."""
        if self._text[self._start] == ">":
            container, stop = Container(0), self._start + 1 + self._text.startswith(" ", self._start + 1)
        elif match := _FOOTNOTE.match(self._text, self._start):
            if self._leaf is Leaf.PARAGRAPH and self._may_end_otherwise:
                self._browser.lose()  # not all parsers know footnotes, and there the paragraph goes on
            container, stop = Container(4, is_footnote=True), match.end()
        elif (match := _ITEM.match(self._text, self._start)) and not (in_paragraph and self._is_mere_text(match[1])):
            container, stop = self._item(match[1])
        else:
            return False
        if depth >= _DEEPEST:
            if self._text[self._start :].strip("> "):
                self._browser.lose()
            return False
        self._begin(depth, Leaf.NONE)
        self._containers.append(container)
        if container.is_footnote:
            self._footnote = min(self._footnote, depth)
        self._move(stop)
        return True

    def _is_mere_text(self, sign: str) -> bool:
        """Whether the sign of an item is none within a paragraph."""
        is_empty = not self._text[self._start + len(sign) :].strip(" ")
        return is_empty or (len(sign) > 1 and int(sign[:-1]) != 1)

    def _item(self, sign: str) -> tuple[Container, int]:
        """The item that begins here, and where its text does."""
        stop = self._start + len(sign)
        rest = self._text[stop:]
        blanks = len(rest) - len(rest.lstrip(" "))
        is_empty = blanks == len(rest)
        if is_empty or blanks > 4:
            blanks = 1
        return Container(self._indent + len(sign) + blanks, is_filled=not is_empty), min(stop + blanks, len(self._text))

    def _add_html(self) -> None:
        """Take in a line of raw HTML."""
        self._is_hidden = self._is_hidden or self._hides
        rest = self._text[self._position :]
        self._browser.take(rest)
        if self._html_end is not None and self._html_end.search(rest):
            self._end_leaf()

    def _add_text(self, goes_on: bool) -> None:
        """Take in a line of a paragraph or of a table; `goes_on` says that it belongs there by its place."""
        rest = self._text[self._start :]
        self._is_hidden = self._is_hidden or self._hides
        if goes_on and _ROW_RULE.match(rest) and not _UNDERLINE.match(rest):
            self._begin_table(rest)
        if match := _NEW_DECLARATION.match(rest):
            self._spans.is_declared = True
            if not match[1]:
                self._browser.lose()
        self._spans.take(rest)
        self._header = rest

    def _begin_table(self, rule: str) -> None:
        """See whether the last line and this one are the head of a table."""
        if "\\" in self._header:
            self._browser.lose()  # parsers count the cells in their own ways
        if _cells(rule) == _cells(self._header):
            self._leaf = Leaf.TABLE if self._indent < 4 else self._leaf
            self._spans.begin_table()


def _cells(row: str) -> int:
    """How many cells a table row has."""
    return len(_PIPE.findall(row.strip(" ").removeprefix("|").removesuffix("|"))) + 1
