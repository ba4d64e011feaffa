"""What one paragraph can hide from the lines below it: tags, comments, titles, labels.

Markdown reads from left to right, and back-ticks, tags, comments and escapes shield each other. On one line this
module reads them exactly. What a line leaves open may end further down or be plain text, so from there on nothing
shields anything any more, and what may be open hides. The end of the paragraph ends all of it.
Rules: CommonMark and GFM, "inlines" and "link reference definitions".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ATTRIBUTE = r"""\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
WHOLE_TAG = rf"<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>"
_TAG = re.compile(WHOLE_TAG)
_OPEN_TAG = re.compile(  # the beginning of a tag, up to the end of the text
    rf"<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*"
    r"""(?:\s+[A-Za-z_:][A-Za-z0-9_.:-]*\s*=\s*(?:'[^']*|"[^"]*)?|\s+[A-Za-z_:][A-Za-z0-9_.:-]*\s*|\s*)\Z"""
    r"|</[A-Za-z][A-Za-z0-9-]*\s*\Z"
)
_AUTOLINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*>|<[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9.-]+>")
_COMMENT = re.compile(r"<!--(?!-?>)(?:-?[^-])*-->")  # in the strictest version of the rules
_DECLARATION = re.compile(r"<![A-Z]+\s")
_ENDS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
_SIGN = re.compile(r"\\[!-/:-@\[-`{-~]|`+|<|!\[|\]\(|\]\[|://|www\.")
_LOOSE_SIGN = re.compile(r"<|!\[|\]\(|\]\[")
_RUN = re.compile(r"`+")
_LONGEST_RUN = 80  # back-ticks; longer runs are plain text to some parsers
_BRACKET = re.compile(r"[\[\]]")
_URL = re.compile(r"[^\s<]*")
_TITLE = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))"""
_OPEN_TITLE = r"""(?:"(?:[^"\\]|\\.)*|'(?:[^'\\]|\\.)*|\((?:[^()\\]|\\.)*)\\?\Z"""
_DESTINATION = r"(?:<(?:[^<>\\]|\\.)*>|(?!<)(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))+)"
_TARGET = re.compile(rf"\]\([ ]*(?:{_DESTINATION}(?:[ ]+{_TITLE})?)?[ ]*\)")
_OPEN_TARGET = re.compile(rf"\]\([ ]*(?:\Z|<[^<>]*\Z|{_DESTINATION}?(?:[ ]*\Z|[ ]+{_OPEN_TITLE}|[ ]+{_TITLE}[ ]*\Z))")
_DEEP_TARGET = re.compile(r"\]\([ ]*\S*\([^\s)]*\(")  # more parentheses than the pattern above can count
_REFERENCE = re.compile(r"\]\[(?:[^\[\]\\]|\\.)*(?:(\])|\\?\Z)")
_LABEL = re.compile(r"\[(?:[^\[\]\\]|\\.)*\]:[ ]*")
_OPEN_LABEL = re.compile(r"\[(?:[^\[\]\\]|\\.)*\\?\Z")
_DEFINED = re.compile(rf"(?:<[^<>]*>|[^\s<]\S*)(?:([ ]+{_TITLE})?[ ]*\Z|[ ]+(?P<open>{_OPEN_TITLE}))|(?P<bare>\Z)")
_WHOLE_TITLE = re.compile(rf"{_TITLE}[ ]*\Z")
_OPEN_TITLE_LINE = re.compile(_OPEN_TITLE)
# What a line holds that may hide something, or shield it.
LOUD = re.compile(r"[<`\\\[]|://|www\.")
_LONGEST_TAG = 32  # lines of a tag; one that is longer counts as one that never ends


@dataclass(slots=True)
class Spans:
    """The text of a paragraph, a heading or a table row, line by line. Lines come without blanks before them."""

    is_loose: bool = False  # whether a back-tick is open: what follows may be code or not
    is_tainted: bool = False  # whether something is open that may hide the rest
    may_define: bool = True  # whether only link reference definitions were met so far
    title_may_come: bool = False
    is_declared: bool = False  # whether new parsers see raw HTML at a line, which ends the paragraph
    pending: str = ""  # a tag or comment that is open, from its `<`
    pending_lines: int = 0

    @property
    def hides(self) -> bool:
        """Whether the next line of the paragraph may not be shown."""
        return self.is_tainted or bool(self.pending)

    def take(self, text: str) -> None:
        """Take in a line of the paragraph."""
        if self.may_define and self._defines(text):
            return
        self.may_define = False
        if not self.hides and not LOUD.search(text):
            return
        if self.pending:
            self._go_on(text)
        if not self.is_tainted:
            self._read(text)

    def begin_table(self) -> None:
        """Note that a table begins: back-ticks do not shield across its cells."""
        self.is_loose, self.may_define = True, False

    def _defines(self, text: str) -> bool:
        """Whether a link reference definition goes on: its label and its title are not shown."""
        if self.title_may_come and text[0] in "\"'(":
            self.title_may_come = False
            self.is_tainted = _OPEN_TITLE_LINE.match(text) is not None
            return _WHOLE_TITLE.match(text) is not None
        self.title_may_come = False
        label = _LABEL.match(text)
        if label is None:
            self.is_tainted = _OPEN_LABEL.match(text) is not None
            return False
        defined = _DEFINED.match(text, label.end())
        if defined is None:
            return False
        self.is_tainted = defined["bare"] is not None or defined["open"] is not None or "`" in text or "<" in text
        self.title_may_come = defined[1] is None
        return not self.is_tainted

    def _go_on(self, text: str) -> None:
        """See whether an open tag or comment ends on this line."""
        if self.pending.startswith("<!--"):
            if "-->" in text:
                self.is_tainted = "--" in text[: text.index("-->")]  # a comment to new parsers only
                self.pending = ""
            elif "--" in text:
                self.is_tainted = True
            return
        self.pending = f"{self.pending}\n{text}"
        self.pending_lines += 1
        if self.pending_lines > _LONGEST_TAG:
            self.is_tainted = True
        elif _TAG.match(self.pending) or not _OPEN_TAG.match(self.pending):
            self.pending = ""

    def _read(self, text: str) -> None:
        runs: dict[int, list[int]] | None = None
        position = 0
        while not self.is_loose and not self.is_tainted and (match := _SIGN.search(text, position)):
            sign, start, position = match[0], match.start(), match.end()
            if sign[0] == "`":
                runs = _runs(text) if runs is None else runs
                position = self._after_code(runs, sign, position)
            elif sign == "<":
                position = self._take_angle(text, start)
            elif sign in ("://", "www."):
                self.is_tainted = "`" in _matched_url(text, position)  # whether it belongs to the link is not said
            elif sign[0] != "\\":
                self._take_bracket(text, start, sign)
        while self.is_loose and not self.is_tainted and (match := _LOOSE_SIGN.search(text, position)):
            position = match.end()
            if match[0] == "<":
                self._take_angle(text, match.start())
            else:
                self._take_bracket(text, match.start(), match[0])

    def _after_code(self, runs: dict[int, list[int]], run: str, stop: int) -> int:
        """The index behind the code that the back-ticks before `stop` open; they may as well open nothing."""
        starts = runs.get(len(run), [])  # none at all if the first back-tick of the run is escaped
        while starts and starts[0] < stop:
            starts.pop(0)
        if starts and len(run) <= _LONGEST_RUN:
            return starts[0] + len(run)
        self.is_loose = True
        return stop

    def _take_angle(self, text: str, start: int) -> int:
        """Read what `<` begins, and return the index behind it."""
        if match := _AUTOLINK.match(text, start):
            return match.end()
        for sign, end in _ENDS:
            if text.startswith(sign, start):
                return self._take_declaration(text, start, sign, end)
        if match := _TAG.match(text, start):
            return match.end()
        if _OPEN_TAG.match(text, start):
            self._leave_open(text[start:])
        return start + 1

    def _take_declaration(self, text: str, start: int, sign: str, end: str) -> int:
        if sign == "<!" and not text[start + 2 : start + 3].isalpha():
            return start + 2
        if sign == "<!--" and (match := _COMMENT.match(text, start)):
            return match.end()
        stop = text.find(end, start + len(sign))
        if (
            sign == "<!--"
            and stop < 0
            and "--" not in text[start + 4 :]
            and not text.startswith((">", "->"), start + 4)
        ):
            self._leave_open(text[start:])
            return start + 4
        is_doubtful = sign == "<!--" or (sign == "<!" and not _DECLARATION.match(text, start))  # old rules, new rules
        self.is_tainted = self.is_tainted or stop < 0 or is_doubtful
        return stop + len(end)

    def _leave_open(self, rest: str) -> None:
        """Remember a tag or a comment that is open, if it is one: only one of them can be followed."""
        self.is_tainted = self.is_tainted or bool(self.pending)
        self.is_loose = True
        self.pending, self.pending_lines = rest, 1

    def _take_bracket(self, text: str, start: int, sign: str) -> None:
        """Read what may be the text of an image, or the target of a link: none of them is shown."""
        if sign == "![":
            stop = _closing_bracket(text, start + 2)
            is_open = stop < 0 or any(shield in text[start:stop] for shield in "`<\\")
        elif sign == "](":
            match = _TARGET.match(text, start)
            is_open = (
                any(shield in match[0] for shield in "`<")
                if match
                else bool(_OPEN_TARGET.match(text, start) or _DEEP_TARGET.match(text, start))
            )
        else:
            match = _REFERENCE.match(text, start)
            is_open = match is not None and (match[1] is None or "`" in match[0] or "<" in match[0])
        self.is_tainted = self.is_tainted or is_open


def _runs(text: str) -> dict[int, list[int]]:
    """Where runs of back-ticks begin, by their length."""
    runs: dict[int, list[int]] = {}
    for match in _RUN.finditer(text):
        runs.setdefault(match.end() - match.start(), []).append(match.start())
    return runs


def _matched_url(text: str, position: int) -> str:
    match = _URL.match(text, position)
    return "" if match is None else match[0]


def _closing_bracket(text: str, position: int) -> int:
    """Where the bracket that opened before `position` closes, or -1."""
    depth = 1
    for match in _BRACKET.finditer(text, position):
        depth += 1 if match[0] == "[" else -1
        if not depth:
            return match.start()
    return -1
