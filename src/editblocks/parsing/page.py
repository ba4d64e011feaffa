"""Which lines a reader of the rendered page may not see: GitHub shows a response as Markdown, and a browser as HTML.

In doubt a line is hidden. Code in a clear fence hides nothing. Outside, what could hide text (a comment, a tag, the
title of a link, a label) has to be complete and simple on its line; else what stands below is in doubt, up to a blank
line. Below a line that begins with a tag, HTML is read as a browser does, too. Where it cannot be told what is code or
raw HTML, nothing counts as code any more, and the first sign that is not complete on its line hides all that follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

# Without any of these up to a line, nothing hides it: raw HTML, and where images, targets and labels begin.
_MAY_HIDE = re.compile(r"<[!?/A-Za-z]|!\[|\]\(|\]\[|\n[ \t\r>*+0-9.)-]*\[|\r[ \t]*\[|(?:://|www\.)[^\s<`]*`")
_LONGEST = 32  # lines of a tag; a longer one is read as one that never ends, so that reading stays linear


class _Patterns:
    """What stands in a line; compiled only for texts that may hide something, as a hook waits for it."""

    def __init__(self) -> None:
        attribute = r"""\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^'<`]*'|"[^"<`]*"))?"""
        tag = rf"<[A-Za-z][A-Za-z0-9-]*(?:{attribute})*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>"
        comment = r"<!--(?!-?>)(?:-?[^-`])*-->"  # in the strictest version of the rules
        link = r"""!\[[^\[\]<`\\]*(?=\][(\[])|\]\([ ]*[^\s()<>"'`\\]*(?:[ ]+"[^"<`\\]*")?[ ]*\)|\]\[[^\[\]<`\\]*\]"""
        address = r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20`]*>|<[\w.!#$%&'*+/=?^{|}~-]+@[A-Za-z0-9.-]+>"
        # What hides nothing: of two that overlap the first one counts. A cell of a table may end code.
        self.whole = re.compile(rf"{address}|{tag}|{comment}|<![A-Z][^<>]*>|{link}")
        code = r"\\[!-/:-@\[-`{-~]|(?<!`)(`{1,80})(?!`)[^|]*?(?<!`)\1(?!`)"
        self.whole_or_code = re.compile(rf"{code}|{self.whole.pattern}")
        self.url = re.compile(r"(?:://|www\.)[^\s<`]*`")  # whether the back-tick belongs to the link is not said
        self.any_sign = re.compile(r"<[!?/A-Za-z]|!\[|\]\(|\]\[")
        self.sign = re.compile(r"<(?:[!?]|/?[A-Za-z][A-Za-z0-9-]*(?=[\s/>]|\Z))|!\[|\]\(|\]\[")  # in a paragraph
        self.label = re.compile(r"\[(?![ xX]\][ ])(?![^\[\]<`\\]*\](?!:))")
        self.before_text = re.compile(r"(?:[ ]*(?:>|[-+*](?=[ ]|\Z)|\d{1,9}[.)](?=[ ]|\Z)))*[ ]*")  # quotes, items
        self.fence = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
        self.literal = re.compile(r"(?i)<(?:script|pre|style|textarea)(?=[\s>]|\Z)")  # no blank line ends it
        # A tag that is alone, or begins raw HTML wherever it stands in any version of CommonMark.
        self.html = re.compile(
            r"""</?[A-Za-z][A-Za-z0-9-]*(?=[\s/>])(?:[^<"']|"[^"]*"|'[^']*')*>\s*\Z"""
            r"|(?i:</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup"
            r"|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header"
            r"|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section"
            r"|source|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s>]|/>|\Z))"
        )
        # To a browser: a tag, a comment that no parser ends elsewhere, and what else begins with `<!` or `<?`.
        name, value = r"[^\s/>][^\s/>=]*(?=[\s/>=])", r"""(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*(?=[\s>])|(?=>))"""
        self.raw = re.compile(
            rf"</?[A-Za-z][^\s/>]*(?:[\s/]+|{name}(?:(?!\s*=)|\s*=\s*{value}))*>"
            r"|<!--(?!-?>)(?:(?!--!?>)[^-]|-)*?-->|</>|<(?:!(?!--)|\?)[^>]*>"
        )


_patterns = cache(_Patterns)


class Page:
    """Says of each line whether a reader of the page may not see it. `lines` may grow, and are never revised."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.is_clear = True  # whether no line that was announced can hide another
        self._lines = lines
        self._hidden_lines = bytearray()  # of the lines that were read
        self._fence, self._fence_indent = "", 0  # the back-ticks or tildes of the fence that is open
        self._is_fresh = True  # no paragraph can go on here
        self._in_doubt = self._is_loose = False  # up to the end of the paragraph; a back-tick is open in it
        self._is_raw, self._pending = False, ""  # in raw HTML, up to a blank line; the tag that is open in it
        self._in_comment = False  # that began at the margin
        self._is_unsure = self._is_lost = False  # for good: whether there may be code; all is hidden
        self._is_hidden = False  # the next line, as far as is known

    def announce(self, text: str) -> None:
        """Look whether the next whole lines hold what can hide others; most texts do not."""
        self.is_clear = self.is_clear and _MAY_HIDE.search("\n" + text) is None

    def hides(self, line: int) -> bool:
        """Whether line `line` (0-based, already there) may be hidden. Lines are read once, whatever is asked."""
        for text in self._lines[len(self._hidden_lines) : line + 1]:  # to Markdown, a carriage return ends a line
            self._hidden_lines.append(max(self._take(part.expandtabs(4)) for part in text.split("\r")))
        return bool(self._hidden_lines[line])

    def _take(self, line: str) -> bool:
        """Read a line without tabs, and say whether it may be hidden: where it begins or where it ends."""
        if self._is_lost or (self._fence and self._is_code(line)):
            return self._is_lost
        was_hidden, rest = self._is_hidden, _patterns().before_text.sub("", line, count=1)
        if self._in_comment:
            self._take_comment(line)
        elif not line.strip(" "):
            self._is_lost, self._is_fresh = bool(self._pending), True
            self._in_doubt = self._is_loose = self._is_raw = False
        elif self._is_unsure:
            self._is_lost = _may_be_open(line, rest)
        elif match := _patterns().fence.match(rest):
            self._open_fence(line, rest, match[0])
        elif line.startswith("<!--") and not (self._in_doubt or self._is_raw):
            self._in_comment = self._is_fresh = True
            self._take_comment(line[4:])
            self._is_lost = self._is_lost or line.startswith(("<!-->", "<!--->"))
        else:
            self._take_text(line, rest)
        self._is_hidden = bool(self._is_lost or self._in_doubt or self._in_comment or self._pending)
        return was_hidden or self._is_hidden

    def _is_code(self, line: str) -> bool:
        """Whether a line belongs to the fence that is open. One that could end it, but for a list, makes all unsure."""
        body = line.lstrip(" ")
        indent = len(line) - len(body)
        ends = body.startswith(self._fence) and not body.rstrip(" ").strip(self._fence[0])
        if ends and (indent == self._fence_indent or self._fence_indent < indent <= 3):
            self._fence, self._is_fresh = "", True
        elif body and (indent < self._fence_indent or (ends and self._fence_indent)):
            self._fence, self._is_unsure = "", True
            return False
        return True

    def _open_fence(self, line: str, rest: str, mark: str) -> None:
        indent = len(line) - len(rest)
        if self._is_raw or line[:indent].strip(" ") or (indent > 3 and not self._is_fresh):
            self._is_unsure, self._is_lost = True, self._in_doubt or _may_be_open(line, rest)
        else:
            self._fence, self._fence_indent, self._in_doubt, self._is_loose = mark, indent, False, False

    def _take_comment(self, line: str) -> None:
        inside, end, behind = line.partition("-->")
        self._in_comment = not end
        self._take_raw(behind)
        self._is_lost = "--!>" in inside or bool(self._pending)

    def _take_raw(self, line: str) -> None:
        """Read a line as a browser does."""
        text, start = f"{self._pending}{line}\n", 0
        self._pending = ""
        while not self._pending and (match := _patterns().any_sign.search(text, start)):
            whole = _patterns().raw.match(text, match.start()) if match[0][0] == "<" else match
            start = match.start() if whole is None else whole.end()
            self._pending = text[start:] if whole is None else ""
        self._is_lost = self._is_lost or self._pending.count("\n") > _LONGEST

    def _take_text(self, line: str, rest: str) -> None:
        patterns = _patterns()
        self._is_fresh = False
        if (self._in_doubt and patterns.any_sign.match(rest)) or rest.startswith("[^"):
            self._is_lost = True
        elif rest.startswith(("<!", "<?")):
            self._is_lost = _may_be_open(line, rest)
        elif patterns.literal.match(rest) or (line != rest and patterns.html.match(rest)):
            self._is_unsure, self._is_lost = True, _may_be_open(line, rest)
        else:
            self._is_raw = self._is_raw or patterns.html.match(rest) is not None
            if self._is_raw:
                self._take_raw(line)
            left = _left(line, may_shield=not self._is_loose)
            self._in_doubt = bool(self._in_doubt or patterns.sign.search(left) or patterns.label.match(rest))
            self._is_loose = self._is_loose or "`" in left


def _left(line: str, *, may_shield: bool) -> str:
    """What is left of a line without what hides nothing; `may_shield`: whether code is, and what is in it."""
    patterns = _patterns()
    left = (patterns.whole_or_code if may_shield and not patterns.url.search(line) else patterns.whole).sub("\0", line)
    return line if "`" in left else left  # with a back-tick that is open, what it shields is not said


def _may_be_open(line: str, rest: str) -> bool:
    """Whether a line, be it text, raw HTML or code, may hide what stands below it."""
    return bool(_patterns().any_sign.search(_left(line, may_shield=False)) or _patterns().label.match(rest))
