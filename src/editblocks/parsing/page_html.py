"""Raw HTML as a browser reads it: what it takes for a tag or a comment.

Rules: the tokenizer of the HTML standard, as far as it decides where a tag or a comment ends. GitHub takes the
sign of `<script>` and its like away before the browser sees them (GFM, "disallowed raw HTML"), and of all
elements that it does not know it shows the text: only comments, tags and what looks like one are not shown.
"""

from __future__ import annotations

import re

_BETWEEN = re.compile(r"[ \t\n\f/]*")
_TAG_NAME = re.compile(r"</?[^ \t\n\f/>]+")
_ATTRIBUTE_NAME = re.compile(r"[^ \t\n\f/>][^ \t\n\f/>=]*")
_EQUALS = re.compile(r"[ \t\n\f]*=[ \t\n\f]*")
_UNQUOTED = re.compile(r"[^ \t\n\f>]*")
_BEGINS_TAG = re.compile(r"</?[A-Za-z]")
_COMMENT_END = re.compile(r"--!?>")
_ABRUPT_END = re.compile(r"-?>")
_LONGEST = 32  # lines of a tag; a longer one is read as one that never ends, so that reading stays linear


def _behind_tag(text: str, start: int) -> int:
    """The index behind the tag that begins at `start` with `<` or `</` and a letter; -1 if the text ends in it."""
    name = _TAG_NAME.match(text, start)
    position = start if name is None else name.end()
    while position >= 0:
        position += len(_match_text(_BETWEEN, text, position))
        if text.startswith(">", position):
            return position + 1
        if position == len(text):
            return -1
        position = _behind_value(text, position + len(_match_text(_ATTRIBUTE_NAME, text, position)))
    return -1


def _behind_value(text: str, start: int) -> int:
    """The index behind what an attribute is set to; -1 if a quote is not closed."""
    match = _EQUALS.match(text, start)
    if match is None:
        return start
    first = match.end()
    if text[first : first + 1] in ('"', "'"):
        return text.find(text[first], first + 1) + 1 or -1
    return first + len(_match_text(_UNQUOTED, text, first))


def _match_text(pattern: re.Pattern[str], text: str, start: int) -> str:
    match = pattern.match(text, start)
    return "" if match is None else match[0]


class Browser:
    """The raw HTML of a page. What `hides` holds for the text that comes next."""

    def __init__(self) -> None:
        self.is_lost = False  # nothing is known any more: hidden up to the end
        self._end = ""  # what ends the comment or the `<!…` that is open
        self._pending = ""  # a tag that is open
        self._pending_lines = 0

    @property
    def hides(self) -> bool:
        """Whether text may not be shown here."""
        return bool(self.is_lost or self._end or self._pending)

    def take(self, line: str) -> None:
        """Take in a line of raw HTML, without its end."""
        text = f"{self._pending}{line}\n"
        self._pending = ""
        position = 0
        while not self.is_lost and position >= 0:
            position = self._skip(text, position) if self._end else self._next(text, position)

    def stop(self) -> None:
        """The raw HTML is over, and Markdown comes: what is open swallows an unknown part of that."""
        self.is_lost = self.is_lost or bool(self._end or self._pending)

    def lose(self) -> None:
        """Give up: what comes may be hidden."""
        self.is_lost = True

    def _skip(self, text: str, position: int) -> int:
        """The index behind what is open; -1 if it does not end here."""
        if self._end == ">":
            stop = text.find(">", position) + 1
        else:
            match = _COMMENT_END.search(text, position)
            self.is_lost = match is not None and match[0] != self._end  # not every parser ends it there
            stop = 0 if match is None else match.end()
        if stop:
            self._end = ""
        return stop or -1

    def _next(self, text: str, position: int) -> int:
        """Read the next tag or comment and return the index behind its sign; -1 if there is none."""
        start = text.find("<", position)
        if start < 0:
            return -1
        if _BEGINS_TAG.match(text, start):
            return self._take_tag(text, start)
        if text.startswith("<!--", start):
            abrupt = _ABRUPT_END.match(text, start + 4)
            self._end = "-->" if abrupt is None else ""
            return start + 4 if abrupt is None else abrupt.end()
        sign = text[start + 1 : start + 3]
        if sign[:1] in ("!", "?") or (sign[:1] == "/" and sign[1:] != ">"):
            self._end = ">"
            return start + 2
        return start + 1

    def _take_tag(self, text: str, start: int) -> int:
        stop = _behind_tag(text, start)
        if stop < 0:
            self._pending = text[start:]
        self._pending_lines = self._pending_lines + 1 if stop < 0 else 0
        self.is_lost = self._pending_lines > _LONGEST
        return stop
