"""Which lines a reader of the rendered page may not see: GitHub shows a response as Markdown, and a browser as HTML.

One plain rule, and in doubt a line counts as hidden. Code in a fence hides nothing. Outside, a sign that could hide
text (a comment, a tag, the title of a link, a label) has to be complete on its line, and simple; else everything below
it is in doubt, up to the next blank line in a paragraph, for good where no more can be said. Raw HTML is read as a
browser does. Where it cannot be told whether a fence is one, as in a list whose lines are not indented, nothing below
it counts as code any more. Lines are read once, in order, and only as far as somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editblocks.parsing.page_html import Browser

_ATTRIBUTE = r"""\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^'<]*'|"[^"<]*"))?"""
_TAG = rf"<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>"
_COMMENT = r"<!--(?!-?>)(?:-?[^-])*-->"  # in the strictest version of the rules
_LINK = r"""!\[[^\[\]<`\\]*(?=\][(\[])|\]\([ ]*[^\s()<>"'`\\]*(?:[ ]+"[^"<`\\]*")?[ ]*\)|\]\[[^\[\]<`\\]*\]"""
_AUTOLINK = r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20`]*>|<[\w.!#$%&'*+/=?^{|}~-]+@[A-Za-z0-9.-]+>"
_CODE = r"(?<!`)(`{1,80})(?!`)[^|]*?(?<!`)\1(?!`)"  # a cell of a table may end it
# what hides nothing: of two that overlap the first one counts
_WHOLE = re.compile(rf"\\[!-/:-@\[-`{{-~]|{_CODE}|{_AUTOLINK}|{_TAG}|{_COMMENT}|{_LINK}")
_WHOLE_WITHOUT_CODE = re.compile(rf"{_AUTOLINK}|{_TAG}|{_COMMENT}|{_LINK}")
_LINKS = r"!\[|\]\(|\]\["
_SIGN = re.compile(rf"<(?:[!?]|/?[A-Za-z][A-Za-z0-9-]*(?=[\s/>]|\Z))|{_LINKS}")  # in a paragraph
_ANY_SIGN = re.compile(rf"<[!?/A-Za-z]|{_LINKS}")
_ITEM = re.compile(r"[ ]{0,3}(?:[-+*]|(\d{1,9})[.)])[ ]{1,4}(?=[^ ])")
_URL = re.compile(r"(?:://|www\.)[^\s<`]*`")  # whether the back-tick belongs to the link is not said
_AT_SIGNS = re.compile(r"(?:[ ]*(?:>|[-+*](?=[ ]|\Z)|\d{1,9}[.)](?=[ ]|\Z)))*[ ]*")  # of quotes and items
_LABEL = re.compile(r"\[(?![ xX]\][ ])(?![^\[\]<`\\]*\](?!:))")
_FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_LONE_COMMENT = re.compile(rf"{_COMMENT}[ ]*\Z")
_LONE_TAG = re.compile(rf"(?:{_TAG})\s*\Z")
_DECLARATION = re.compile(r"<![A-Z][^<>]*>[ ]*\Z")
# The tags that begin raw HTML wherever they stand, in any version of CommonMark.
_BLOCK_TAG = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl"
    r"|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main"
    r"|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|source|summary|table|tbody|td|tfoot|th|thead|title|tr"
    r"|track|ul)(?=[\s>]|/>|\Z)",
    re.IGNORECASE,
)
_LITERAL_TAG = re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|\Z)", re.IGNORECASE)
_LITERAL_END = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_NO_TEXT = frozenset(("", *"#=-*_+|[0123456789"))  # what a line begins with that may end a paragraph
_COMMENT_END = re.compile("-->")


class Page:
    """Says of each line whether a reader of the page may not see it. `lines` may grow, and are never revised."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._hidden_lines = bytearray()  # of the lines that were read
        self._browser = Browser()
        self._fence = ""  # the back-ticks or tildes of the fence that is open
        self._fence_indent = 0
        self._base: int | None = 0  # how far the list item of the fence is indented; None: it cannot be told
        self._item = 0  # the same, of the item that the lines are in for sure
        self._is_raw = False  # in raw HTML, up to a blank line, or up to what ends it
        self._raw_end: re.Pattern[str] | None = None
        self._in_doubt = False  # up to the end of the paragraph
        self._is_loose = False  # whether a back-tick is open in the paragraph
        self._in_paragraph = False  # there may be one, in which a lone tag is text
        self._is_text = False  # there is one for sure
        self._has_row = False  # there may be a table
        self._is_unsure = False  # whether there may be code, for good

    def hides(self, line: int) -> bool:
        """Whether line `line` (0-based, already there) may be hidden. Lines are read once, whatever is asked."""
        for text in self._lines[len(self._hidden_lines) : line + 1]:
            parts = text.split("\r") if "\r" in text else (text,)  # to Markdown, it ends a line
            self._hidden_lines.append(max(self._take(part.expandtabs(4)) for part in parts))
        return bool(self._hidden_lines[line])

    def _take(self, line: str) -> bool:
        """Read a line without tabs, and say whether it may be hidden: where it begins or where it ends."""
        if self._browser.is_lost:
            return True
        if self._fence and self._is_code(line):
            return False
        if self._is_unsure:
            self._lose_unless(_is_quiet(line) and not _LABEL.match(_behind_signs(line)))
            return self._browser.is_lost
        hidden = self._in_doubt or self._browser.hides
        if not line.strip(" "):
            self._end_paragraph()
        elif self._is_raw:
            self._take_raw(line)
        else:
            self._take_text(line)
        return hidden or self._in_doubt or self._browser.hides

    def _is_code(self, line: str) -> bool:
        """Whether a line belongs to the fence that is open. One that could end it, but for a list, makes all unsure."""
        body = line.lstrip(" ")
        indent, base = len(line) - len(body), self._base
        ends = body.startswith(self._fence) and not body.rstrip(" ").strip(self._fence[0])
        if not body:
            return True
        if base is not None:
            ended = ends and indent <= base + 3
            self._fence = "" if ended or indent < base else self._fence
            return indent >= base
        if indent >= self._fence_indent and not ends:
            return True
        self._fence = ""
        self._is_unsure = not (ends and self._fence_indent <= indent <= 3)
        return ends

    def _end_paragraph(self) -> None:
        if self._is_raw and self._raw_end is None:
            self._is_raw = False
            self._browser.stop()
        self._in_doubt = self._is_loose = self._in_paragraph = self._is_text = self._has_row = False

    def _take_raw(self, line: str) -> None:
        self._browser.take(line)
        if self._raw_end is not None and self._raw_end.search(line):
            self._is_raw = False
            self._browser.stop()

    def _take_text(self, line: str) -> None:
        rest, indent = _behind_signs(line), len(line) - len(line.lstrip(" "))
        has_signs = len(rest) < len(line) - indent
        self._follow_item(line, indent)
        if _FENCE.match(rest):
            self._open_fence(rest, indent, has_signs)
        elif rest.startswith("[^") or (self._in_doubt and _ANY_SIGN.match(rest)):
            self._browser.lose()
        elif (
            rest.startswith("<")
            and not _LONE_COMMENT.match(rest)
            and self._opens_raw(line, rest, has_signs or indent > 0)
        ):
            self._in_paragraph = True
        else:
            left = _left(line, shields=not self._is_loose)
            self._in_doubt = self._in_doubt or _SIGN.search(left) is not None or _LABEL.match(rest) is not None
            self._is_loose = self._is_loose or "`" in left
            begins = not self._in_paragraph and not indent
            self._in_paragraph = not _LONE_COMMENT.match(rest)
            self._has_row = self._has_row or "|" in line
            is_text = not self._has_row and not has_signs and rest[:1] not in _NO_TEXT
            self._is_text = is_text and (begins or self._is_text)

    def _follow_item(self, line: str, indent: int) -> None:
        if indent < self._item:
            self._item = 0
        while match := _ITEM.match(line, self._item):
            if match[1] not in (None, "1") and self._in_paragraph:
                break
            self._item = match.end()
        if line.startswith(">", self._item):
            self._item = 0

    def _open_fence(self, rest: str, indent: int, has_signs: bool) -> None:
        match = _FENCE.match(rest)
        in_item = self._item <= indent <= self._item + 3
        if match is None or has_signs or (indent > 3 and not in_item):
            self._is_unsure = True
            self._lose_unless(not self._in_doubt and _is_quiet(rest))
            return
        self._fence, self._fence_indent = match[0], indent
        self._base = self._item if in_item and (self._item or not indent) else None
        self._in_doubt = self._is_loose = self._in_paragraph = False

    def _opens_raw(self, line: str, rest: str, has_signs: bool) -> bool:
        """Whether raw HTML begins with the line."""
        is_lone = _LONE_TAG.match(rest) is not None
        is_block = _BLOCK_TAG.match(rest) is not None or rest.startswith("<!--")
        is_literal = _LITERAL_TAG.match(rest) is not None
        if rest.startswith(("<!", "<?")) and not is_block:
            self._lose_unless(_DECLARATION.match(rest) is not None and not has_signs)
            return True
        if not (is_block or is_literal or (is_lone and (has_signs or not self._is_text))):
            return False
        if has_signs or (self._in_paragraph and not (is_block or is_literal)):
            self._is_unsure = True  # whether it is raw HTML, and where that ends
            self._lose_unless(_is_quiet(line))
            return True
        self._is_raw = True
        self._raw_end = _COMMENT_END if rest.startswith("<!--") else _LITERAL_END if is_literal else None
        self._take_raw(line)
        return True

    def _lose_unless(self, is_clear: bool) -> None:
        if not is_clear:
            self._browser.lose()


def _behind_signs(line: str) -> str:
    """The line without the signs of quotes and items before it."""
    match = _AT_SIGNS.match(line)
    return line if match is None else line[match.end() :]


def _left(line: str, *, shields: bool) -> str:
    """What is left of a line without what hides nothing; `shields`: whether code does."""
    if shields and not _URL.search(line):
        left = _WHOLE.sub("\0", line)
        return line if "`" in left else left  # with a back-tick that is open, what it shields is not said
    return line if "`" in line else _WHOLE_WITHOUT_CODE.sub("\0", line)


def _is_quiet(line: str) -> bool:
    """Whether a line can hide nothing, be it text, raw HTML or code."""
    return _ANY_SIGN.search(_left(line, shields=False)) is None
