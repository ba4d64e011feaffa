"""Which lines a reader of the rendered page may not see: GitHub shows a response as Markdown, and a browser as HTML.

In doubt a line is hidden. Code in a clear fence hides nothing. Outside, what could hide text (a comment, a tag, a link)
has to be complete on its line; else what stands below is in doubt, up to a blank line. Where it cannot be told what is
code or raw HTML, nothing counts as code any more, and the first sign that may be open hides the rest.
Nobody else asks: files, pipes and hooks have no page.
"""

from __future__ import annotations

import re

_LONGEST = 32  # lines of a tag; a longer one is read as one that never ends, so that reading stays linear
# What stands in a line, as text: `re` compiles it for those that may hide something, as a hook waits for it.
_ATTRIBUTE = r"""\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^'<`]*'|"[^"<`]*"))?"""
_TAG = rf"<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>"
_COMMENT = r"<!--(?!-?>)(?:-?[^-`])*-->"  # in the strictest version of the rules
_LINK = r"""!\[[^\[\]<`\\]*(?=\][(\[])|\]\([ ]*[^\s()<>"'`\\]*(?:[ ]+"[^"<`\\]*")?[ ]*\)|\]\[[^\[\]<`\\]*\]"""
_ADDRESS = r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20`]*>|<[\w.!#$%&'*+/=?^{|}~-]+@[A-Za-z0-9.-]+>"
# What hides nothing: of two that overlap the first one counts. A cell of a table may end code.
_WHOLE = rf"{_ADDRESS}|{_TAG}|{_COMMENT}|<![A-Z][^<>]*>|{_LINK}"
_WHOLE_OR_CODE = rf"\\[!-/:-@\[-`{{-~]|(?<!`)(`{{1,80}})(?!`)[^|]*?(?<!`)\1(?!`)|{_WHOLE}"
_URL = r"(?:://|www\.)[^\s<`]*`"  # whether the back-tick belongs to the link is not said
_ANY_SIGN = r"<[!?/A-Za-z]|!\[|\]\(|\]\["
_SIGN = r"<(?:[!?]|/?[A-Za-z][A-Za-z0-9-]*(?=[\s/>]|\Z))|!\[|\]\(|\]\["  # in a paragraph
_LABEL = r"\[(?![ xX]\][ ])(?![^\[\]<`\\]*\](?!:))"
_BEFORE_TEXT = r"(?:[ ]*(?:>|[-+*](?=[ ]|\Z)|\d{1,9}[.)](?=[ ]|\Z)))*[ ]*"  # signs of quotes and items
_ITEM = r"[ ]*(?:[-+*]|(\d{1,9})[.)])[ ]{1,4}(?=[^ ])"
_FENCE = r"`{3,}(?=[^`]*\Z)|~{3,}"
_LITERAL = r"(?i)<(?:script|pre|style|textarea)(?=[\s>]|\Z)"  # no blank line ends it
# A tag that is alone, or begins raw HTML wherever it stands in any version of CommonMark.
_HTML = (
    r"""</?[A-Za-z][A-Za-z0-9-]*(?=[\s/>])(?:[^<"']|"[^"]*"|'[^']*')*>\s*\Z"""
    r"|(?i:</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir"
    r"|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link"
    r"|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|source|summary|table|tbody|td|tfoot|th"
    r"|thead|title|tr|track|ul)(?=[\s>]|/>|\Z))"
)
# To a browser: a tag, a comment that no parser ends elsewhere, what else begins so; or the beginning of one.
_NAME, _VALUE = r"[^\s/>][^\s/>=]*(?=[\s/>=])", r"""(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*(?=[\s>])|(?=>))"""
_RAW_OR_SIGN = (
    rf"</?[A-Za-z][^\s/>]*(?:[\s/]|{_NAME}(?:(?!\s*=)|\s*=\s*{_VALUE}))*>"
    r"|<!--(?!-?>)(?:[^-]|-(?!-!?>))*-->|</>|<(?:!(?!--)|\?)[^>]*>|<[!?/A-Za-z]"
)


def hidden_lines(text: str, first_line: int = 1) -> frozenset[int]:
    """The numbers of the lines of a comment that a reader of its page may not see; its first has `first_line`."""
    if not _may_hide(text):
        return frozenset()
    page = Page(text.replace("\r\n", "\n").split("\n"))
    return frozenset(number + first_line for number in range(len(page.lines)) if page.hides(number))


class Page:
    """Says of each line whether a reader of the page may not see it. `lines` may grow, and are never revised."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._hidden_lines = bytearray()  # of the lines that were read
        self._fence, self._fence_indent = "", 0  # the back-ticks or tildes of the fence that is open
        self._is_fresh = True  # no paragraph can go on here
        self._columns = [0]  # where text begins: of the page, and of each list item that is surely open
        self._in_doubt = self._is_loose = False  # up to the end of the paragraph; a back-tick is open in it
        self._is_raw, self._pending = False, ""  # in raw HTML, up to a blank line; the tag that is open in it
        self._in_comment = self._is_hidden = False  # that began at the margin; the next line, as far as is known
        self._is_unsure = self._is_lost = False  # for good: whether there may be code; all is hidden

    def hides(self, line: int) -> bool:
        """Whether line `line` (0-based, already there) may be hidden. Lines are read once, whatever is asked."""
        for text in self.lines[len(self._hidden_lines) : line + 1]:  # to Markdown, a carriage return ends a line
            self._hidden_lines.append(max(self._take(part.expandtabs(4)) for part in text.split("\r")))
        return bool(self._hidden_lines[line])

    def _take(self, line: str) -> bool:
        """Read a line without tabs, and say whether it may be hidden: where it begins or where it ends."""
        if self._is_lost or (self._fence and self._is_code(line)):
            return self._is_lost
        was_hidden, rest = self._is_hidden, re.sub(_BEFORE_TEXT, "", line, count=1)
        indent = len(line) - len(rest)
        self._follow_lists(line, indent)
        if self._in_comment or (line.startswith("<!--") and not (self._in_doubt or self._is_raw or self._is_unsure)):
            inside, end, behind = line.partition("-->")
            self._take_raw(behind)
            self._in_comment = not end
            self._is_lost = bool("--!>" in inside or inside in ("<!", "<!-") or self._pending)
        elif not line.strip(" "):
            self._is_lost, self._is_fresh = bool(self._pending), True
            self._in_doubt = self._is_loose = self._is_raw = False
        elif self._is_unsure:
            self._is_lost = _may_be_open(line, rest)
        elif not (fence := re.match(_FENCE, rest)):
            self._take_text(line, rest)
        elif self._is_raw or line[:indent].strip(" ") or (indent > self._columns[-1] + 3 and not self._is_fresh):
            self._is_unsure, self._is_lost = True, self._in_doubt or _may_be_open(line, rest)
        else:
            self._fence, self._fence_indent, self._in_doubt, self._is_loose = fence[0], indent, False, False
        self._is_hidden = bool(self._is_lost or self._in_doubt or self._in_comment or self._pending)
        return self._is_hidden or (was_hidden and not self._fence)  # a fence ends the paragraph above, and its doubt

    def _is_code(self, line: str) -> bool:
        """Whether a line belongs to the fence that is open. One that could end it, but for a list, makes all unsure."""
        body = line.lstrip(" ")
        indent = len(line) - len(body)
        ends = body.startswith(self._fence) and not body.rstrip(" ").strip(self._fence[0])
        if ends and (indent == self._fence_indent or self._fence_indent < indent <= 3):
            self._fence, self._is_fresh = "", True
        elif body and (indent < self._fence_indent or (ends and self._fence_indent)):
            self._fence, self._is_unsure = "", True
        return not self._is_unsure

    def _follow_lists(self, line: str, text: int) -> None:
        """Leave the items that a line is not in, and enter the one that it begins, if its text is at column `text`."""
        indent, last = len(line) - len(line.lstrip(" ")), self._columns[-1]
        self._columns = [column for column in self._columns if column <= indent or not line.strip(" ")]
        item = None if self._is_raw or self._in_comment else re.match(_ITEM, line)
        may_begin = self._is_fresh or indent < last  # else it interrupts a paragraph
        if item and item.end() == text and indent <= self._columns[-1] + 3 and (may_begin or item[1] in (None, "1")):
            self._columns.append(text)

    def _take_raw(self, line: str) -> None:  # as a browser reads it
        text = f"{self._pending}{line}\n"
        begun = (match.start() for match in re.finditer(_RAW_OR_SIGN, text) if match[0][-1] != ">")
        self._pending = text[next(begun, len(text)) :]
        self._is_lost = self._is_lost or self._pending.count("\n") > _LONGEST

    def _take_text(self, line: str, rest: str) -> None:
        self._is_fresh = False
        if (self._in_doubt and re.match(_ANY_SIGN, rest)) or rest.startswith("[^"):
            self._is_lost = True
        elif rest.startswith(("<!", "<?")):
            self._is_lost = _may_be_open(line, rest)
        elif re.match(_LITERAL, rest) or (line != rest and re.match(_HTML, rest)):
            self._is_unsure, self._is_lost = True, _may_be_open(line, rest)
        else:
            self._is_raw = self._is_raw or re.match(_HTML, rest) is not None
            if self._is_raw:
                self._take_raw(line)
            left = _left(line, may_shield=not self._is_loose)
            self._in_doubt = bool(self._in_doubt or re.search(_SIGN, left) or re.match(_LABEL, rest))
            self._is_loose = self._is_loose or "`" in left


def _may_hide(text: str) -> bool:
    """Whether whole lines hold any of what can hide text: raw HTML, and where images, targets and labels begin."""
    has_link = re.search(r"!\[", text) or re.search(r"\][(\[]", text)  # faster than `in`, for two characters
    has_label = has_link or re.search(r"\n[ \t\r>*+0-9.)-]*\[", "\n" + text)
    if has_label or ("\r" in text and re.search(r"\r[ \t]*\[", text)):
        return True
    has_address = re.search("://", text) or "www." in text
    return bool(re.search("<[!?/A-Za-z]", text) or (has_address and re.search(_URL, text)))


def _left(line: str, *, may_shield: bool) -> str:
    """What is left of a line without what hides nothing; `may_shield`: whether code is, and what is in it."""
    left = re.sub(_WHOLE_OR_CODE if may_shield and not re.search(_URL, line) else _WHOLE, "\0", line)
    return line if "`" in left else left  # with a back-tick that is open, what it shields is not said


def _may_be_open(line: str, rest: str) -> bool:
    """Whether a line, be it text, raw HTML or code, may hide what stands below it."""
    return bool(re.search(_ANY_SIGN, _left(line, may_shield=False)) or re.match(_LABEL, rest))
