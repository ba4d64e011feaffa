"""Raw HTML as a browser reads it: what it shows, and what it takes for a tag or a comment.

Rules: the tokenizer of the HTML standard, as far as it decides where a tag, a comment or the text of a script
ends. GitHub takes the sign of some tags away before the browser sees them (GFM, "disallowed raw HTML"), but
other pages do not, so there are two readings, and a line has to be shown by both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

# What stands in these is text up to their end tag, whatever it looks like: no tag, no comment.
_RAW = frozenset("script style textarea title xmp iframe noembed noframes noscript plaintext".split())
# What stands in these is not shown, or only by browsers that do not know them.
_UNSHOWN = frozenset("template svg math select datalist object video audio canvas dialog rp progress meter".split())
_FOREIGN = frozenset({"svg", "math"})
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_UNSHOWN_STYLE = re.compile(r"(?i)display\s*:\s*none|visibility\s*:\s*hidden")
MAY_HIDE = re.compile(rf"(?i)</?(?:{'|'.join(sorted(_RAW | _UNSHOWN))})\b|<[a-z][^<>]*[\s\"'/](?:hidden|style)\b")

_BETWEEN = re.compile(r"[ \t\n\f/]*")
_TAG_NAME = re.compile(r"[^ \t\n\f/>]+")
_ATTRIBUTE_NAME = re.compile(r"[^ \t\n\f/>][^ \t\n\f/>=]*")
_EQUALS = re.compile(r"[ \t\n\f]*=[ \t\n\f]*")
_UNQUOTED = re.compile(r"[^ \t\n\f>]*")
_COMMENT_END = re.compile(r"--!?>")
_ABRUPT_END = re.compile(r"-?>")
_GREATER = re.compile(r">")
_LONGEST = 32  # lines of a tag; a longer one is read as one that never ends, so that reading stays linear


class Tag(NamedTuple):
    """A whole tag; `stop` is the index behind its `>`."""

    name: str
    is_end: bool
    is_closed: bool  # by `/>`, which means something in drawings and formulas only
    attributes: dict[str, str]
    stop: int

    @property
    def is_void(self) -> bool:
        """Whether nothing can stand in the element."""
        return self.name in _VOID

    @property
    def hides(self) -> bool:
        """Whether what stands in the element may not be shown."""
        if self.is_end or self.is_void or (self.is_closed and self.name in _FOREIGN):
            return False
        style = self.attributes.get("style", "")
        return self.name in _UNSHOWN or "hidden" in self.attributes or _UNSHOWN_STYLE.search(style) is not None


def read_tag(text: str, start: int) -> Tag | None:
    """The tag that begins at `start` with `<` or `</` and a letter; None if the text ends in it."""
    is_end = text.startswith("/", start + 1)
    name = _matched(_TAG_NAME, text, start + 1 + is_end)
    position = start + 1 + is_end + len(name)
    attributes: dict[str, str] = {}
    while True:
        between = _matched(_BETWEEN, text, position)
        position += len(between)
        if text.startswith(">", position):
            return Tag(name.lower(), is_end, between.endswith("/"), attributes, position + 1)
        if position == len(text):
            return None
        attribute = _matched(_ATTRIBUTE_NAME, text, position)
        value, stop = _read_value(text, position + len(attribute))
        if stop < 0:
            return None
        attributes.setdefault(attribute.lower(), value)
        position = stop


def _read_value(text: str, start: int) -> tuple[str, int]:
    """What an attribute is set to, and the index behind; -1 if a quote is not closed."""
    found = _EQUALS.match(text, start)
    if found is None:
        return "", start
    first = found.end()
    if text[first : first + 1] in ('"', "'"):
        stop = text.find(text[first], first + 1)
        return text[first + 1 : stop], stop + 1 if stop >= 0 else -1
    value = _matched(_UNQUOTED, text, first)
    return value, first + len(value)


def _matched(pattern: re.Pattern[str], text: str, start: int) -> str:
    found = pattern.match(text, start)
    return "" if found is None else found[0]


@dataclass(slots=True)
class Markup:
    """One reading of the raw HTML of a page. What `hides` holds for the text that comes next."""

    is_filtered: bool  # whether tags of scripts and the like are text
    is_lost: bool = False  # nothing is known any more: hidden up to the end
    inside: list[str] = field(default_factory=list)  # an open element that hides, and what is open in it
    end: str = ""  # what ends the comment, the `<!…` or the text of a script that is open
    pending: str = ""  # a tag that is open
    pending_lines: int = 0

    @property
    def hides(self) -> bool:
        """Whether text would not be shown here."""
        return bool(self.is_lost or self.inside or self.end or self.pending)

    def take(self, line: str) -> None:
        """Hear of a line of raw HTML, without its end."""
        text = f"{self.pending}{line}\n"
        self.pending = ""
        position = 0
        while not self.is_lost:
            position = self._skip(text, position) if self.end else self._next(text, position)
            if position < 0:
                return

    def begin(self, *, is_nested: bool) -> None:
        """Raw HTML begins; in a list or a quote, its end tags may mean nothing to what was opened outside."""
        self.is_lost = self.is_lost or (is_nested and bool(self.inside))

    def stop(self, *, is_nested: bool) -> None:
        """The raw HTML is over, and Markdown comes: what is open swallows an unknown part of that."""
        self.is_lost = self.is_lost or bool(self.end or self.pending) or (is_nested and bool(self.inside))

    def _skip(self, text: str, position: int) -> int:
        """The index behind what is open; -1 if it does not end here."""
        if self.end == "-->":
            found = _COMMENT_END.search(text, position)
            self.is_lost = found is not None and found[0] != self.end  # not every parser ends it there
        elif self.end == ">":
            found = _GREATER.search(text, position)
        else:
            found = re.compile(rf"(?i){re.escape(self.end)}(?=[\s/>])").search(text, position)
            if self.end == "</script" and "<!--" in text[position : None if found is None else found.start()]:
                self.is_lost = True  # a script in a comment in a script has an end of its own
        if found is None:
            return -1
        is_raw, self.end = self.end.startswith("</"), ""
        return found.start() if is_raw else found.end()

    def _next(self, text: str, position: int) -> int:
        """Read the next tag or comment and return the index behind its sign; -1 if there is none."""
        start = text.find("<", position)
        if start < 0:
            return -1
        sign = text[start + 1 : start + 3]
        if sign[:1].isascii() and (
            sign[:1].isalpha() or (sign[0] == "/" and sign[1:].isascii() and sign[1:].isalpha())
        ):
            return self._take_tag(text, start)
        if text.startswith("<!--", start):
            abrupt = _ABRUPT_END.match(text, start + 4)
            self.end = "-->" if abrupt is None else ""
            return start + 4 if abrupt is None else abrupt.end()
        if sign[:1] in ("!", "?") or (sign[:1] == "/" and sign[1:] != ">"):
            self.end = ">"
            self.is_lost = text.startswith("<![CDATA[", start) and any(name in _FOREIGN for name in self.inside)
            return start + 2
        return start + 1

    def _take_tag(self, text: str, start: int) -> int:
        tag = read_tag(text, start)
        if tag is None:
            self.pending = text[start:]
            self.pending_lines += 1
            self.is_lost = self.pending_lines > _LONGEST
            return -1
        self.pending_lines = 0
        if tag.is_end:
            if self.inside and self.inside[-1] == tag.name:  # others may be ignored, as in `<video><div></video>`
                self.inside.pop()
        elif tag.name in _RAW:
            if not self.is_filtered:
                self.end = f"</{tag.name}"
                self.is_lost = tag.name == "plaintext"
        elif tag.hides or (self.inside and not tag.is_void and not self._is_closed(tag)):
            self.inside.append(tag.name)
        return tag.stop

    def _is_closed(self, tag: Tag) -> bool:
        """Whether `/>` ends the element: only within a drawing or a formula."""
        return tag.is_closed and self.inside[0] in _FOREIGN


@dataclass(slots=True)
class Browser:
    """Both readings of the raw HTML of a page."""

    hides: bool = False  # whether text may not be shown here
    readings: tuple[Markup, Markup] = field(default_factory=lambda: (Markup(True), Markup(False)))

    @property
    def is_in_textarea(self) -> bool:
        """Whether the text of a field is open, for browsers that see its tag."""
        return self.readings[1].end == "</textarea"

    def begin(self, *, is_nested: bool) -> None:
        """Hear that raw HTML begins, in a list or a quote or not."""
        for reading in self.readings:
            reading.begin(is_nested=is_nested)

    def take(self, line: str) -> None:
        """Hear of a line of raw HTML."""
        for reading in self.readings:
            reading.take(line)
        self.hides = self.readings[0].hides or self.readings[1].hides

    def stop(self, *, is_nested: bool) -> None:
        """Hear that the raw HTML is over."""
        for reading in self.readings:
            reading.stop(is_nested=is_nested)

    def lose(self) -> None:
        """Give up: what comes may be hidden."""
        self.readings[0].is_lost = self.hides = True
