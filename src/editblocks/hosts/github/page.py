"""Which lines of a comment its readers do not see: those that do not stand in the HTML that GitHub made of it.

A row (from its opener to its closer) is shown if all its lines stand below each other on the page, as they are written.
In a fence, where the page shows text as it is, whole lines are compared, blanks aside. Elsewhere letters and digits
are, as rendering takes signs and blanks away: a line of few signs is passed over, and one of many has to be there.
Rows are looked for in their order, and each place of the page is used once.

The lines between two rows name files and give orders. They are compared from below: each line of the page has to be
one of the answer, or what rendering left of one, so a line that nobody sees cannot pass for one that is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

from editblocks.core.typed import NamedTuple
from editblocks.parsing.path_line import path_in_info

LONGEST_PAGE = 4 * 1024 * 1024  # bytes
FEW_SIGNS = 8  # of a line without letters; code can be written in more
_MOST_STEPS = 500_000  # lines that are compared: rows that are hidden are looked for up to the end of the page
_MOST_JOINED = 50  # lines that code between back-ticks makes one line of the page
TEXT, CODE, FENCE = "text", "code", "fence"

_NO_LETTER = re.compile(r"[\W_]+")
_FENCE_LINE = re.compile(r"(?:[-*+>\s]|\d{1,9}[.)])*(?:(`{3,})([^`]*)|(~{3,})(.*))\Z")
_COMMENT = re.compile(r"<!--.*?-->")
_NUMBER = re.compile(r"\A[>*+\s-]*\d{1,9}[.)]\s")
_COMMIT = re.compile(r"\b([0-9a-f]{7})[0-9a-f]{33}\b")
# A whole tag, or the text up to the next one. `html.parser` takes quadratic time for a tag that never ends; GitHub
# sends none.
_ATTRIBUTE = r"""\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?"""
_WHOLE = re.compile(rf"[^<]+|<(?:/?[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE}){{0,200}}\s*/?|!--(?:[^-]|-(?!->))*--)>")

# https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
_DRAWN_FENCES = {"math", "mermaid", "geojson", "topojson", "stl"}
_DRAWN_CLASSES = {"js-render-needs-enrichment", "render-needs-enrichment", "render-plaintext-hidden"}
_NO_TEXT = {"math-renderer", "g-emoji", "script", "style"}
_SUGGESTION, _ADDED = "js-suggested-changes-blob", "blob-code-addition"
_ENDS_LINE = frozenset(
    "blockquote br caption dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section summary "
    "table tr ul".split()
)


class Line(NamedTuple):
    """A line of the answer, in the ways that it may stand on the page; a blank line has no `code`."""

    raw: str
    code: str  # without its blanks
    text: str  # its letters and digits; without any, its signs, if they are many
    info: str | None = None  # of a line that begins or ends a fence: its info string
    is_in_fence: bool = False


class Shown(NamedTuple):
    """A line of the page. What a `FENCE` says is not drawn: it is the info string that GitHub keeps."""

    kind: str
    code: str
    text: str = ""


_NOTHING = Shown(TEXT, "")


class Place(NamedTuple):
    """Where a row stands: lines of the answer and lines of the page, 0-based and half-open."""

    start: int
    stop: int
    shown_start: int
    shown_stop: int


def hidden_lines(text: str, rows: Sequence[tuple[int, int]], page: str) -> frozenset[int]:
    """The numbers of the lines of `text` that `page`, its HTML, does not show. Lines are 1-based.

    `rows` are the first and the last line of each row of the text, in their order. All lines of a row that does not
    stand on the page as a whole are hidden.
    """
    lines = list(_lines(text))
    shown = read_page(page)
    places = _places(lines, rows, shown)
    hidden: set[int] = set()
    start = shown_start = 0
    for place in (*places, Place(len(lines), len(lines), len(shown), len(shown))):
        between = _hidden_between(lines[start : place.start], shown[shown_start : place.shown_start])
        hidden.update(start + number + 1 for number in between)
        start, shown_start = place.stop, place.shown_stop
    seen = {number for place in places for number in range(place.start + 1, place.stop + 1)}
    for first, last in rows:
        says_nothing = first == last and not lines[first - 1].text and lines[first - 1].info is None
        if first not in seen and not says_nothing:
            hidden.update(number for number in range(first, last + 1) if lines[number - 1].code)
    return frozenset(hidden)


def shows_first_line(text: str, page: str) -> bool:
    """Whether the page begins with the first line of `text`."""
    first = _line(text.partition("\n")[0])
    return any(_is(first, each) for each in read_page(page)[:1])


# the page


def read_page(page: str) -> list[Shown]:
    """The lines of the page that are not blank. What stands behind a tag that is not whole is not read."""
    stop = 0
    while whole := _WHOLE.match(page, stop):
        stop = whole.end()
    reader = _Reader()
    reader.feed(page[:stop])
    reader.close()
    reader.end_line()
    return reader.lines


class _Reader(HTMLParser):
    """Takes HTML, keeps its lines. Names of elements are counted, so that depth costs nothing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[Shown] = []
        self._line: list[str] = []
        self._left_out = ""  # the element whose text is no text
        self._suggestion = ""  # the element of a suggestion, which shows old lines, too
        self._depths = {"pre": 0, "tr": 0, "": 0}  # how many of these are open; "": of what is left out
        self._is_added = False  # in a new line of a suggestion

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._left_out:
            self._depths[""] += tag == self._left_out
            return
        values = dict(attrs)
        classes = set((values.get("class") or "").split())
        info = "".join((values.get("lang") or "").split())
        if tag in _NO_TEXT or classes & _DRAWN_CLASSES or (tag == "pre" and info.lower() in _DRAWN_FENCES):
            self._left_out, self._depths[""] = tag, 1
            return
        if tag in _ENDS_LINE:
            self.end_line()
        if tag in self._depths:
            self._depths[tag] += 1
        if tag == "pre" and info:
            self.lines.append(Shown(FENCE, info))
        if _SUGGESTION in classes:
            self._suggestion = tag
            self.lines.append(Shown(FENCE, "suggestion"))
        self._is_added = self._is_added or (tag == "td" and _ADDED in classes)

    def handle_endtag(self, tag: str) -> None:
        if self._left_out:
            self._depths[""] -= tag == self._left_out
            if not self._depths[""]:
                self._left_out = ""
            return
        if tag in _ENDS_LINE:
            self.end_line()
        if self._depths.get(tag):
            self._depths[tag] -= 1
        if tag == "td" and self._is_added:
            self.end_line()
            self._is_added = False
        if tag == "table":
            self._suggestion = ""

    def handle_data(self, data: str) -> None:
        if self._left_out or (self._suggestion and not self._is_added):
            return
        if self._depths["tr"] and not (self._depths["pre"] or self._is_added):  # the cells of a row are one line
            self._line.append(data)
            return
        first, *others = data.split("\n")
        self._line.append(first)
        for other in others:
            self.end_line()
            self._line.append(other)

    def end_line(self) -> None:
        line = _line("".join(self._line))
        self._line = []
        if self._depths["pre"] or self._is_added:
            if line.code:
                self.lines.append(Shown(CODE, line.code, line.text))
        elif line.text:
            self.lines.append(Shown(TEXT, line.code, line.text))


# lines


def _lines(text: str) -> Iterator[Line]:
    """The lines of an answer. A fence is open up to a line of its signs, at least as many."""
    mark = ""
    for raw in text.split("\n"):
        line, fence = _line(raw), _FENCE_LINE.match(raw)
        own, info = "", ""
        if fence is not None:
            own, info = fence[1] or fence[3], (fence[2] or fence[4] or "").strip()
        if mark and (info or not own.startswith(mark)):
            yield line._replace(is_in_fence=True)
        elif own:
            yield line._replace(info=info)
            mark = "" if mark else own
        else:
            yield line


def _line(raw: str) -> Line:
    code = "".join(raw.split())
    text = _letters(raw)
    if not text and len(code) > FEW_SIGNS:
        text = code
    return Line(raw, code, text)


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text)


def _is(line: Line, shown: Shown) -> bool:
    """Whether a line of the answer is one of the page."""
    if shown.kind == FENCE:
        return line.info is not None and "".join(line.info.split()) == shown.code
    if shown.kind == CODE and line.is_in_fence:
        return line.code == shown.code
    return line.text == shown.text


# rows


def _places(lines: Sequence[Line], rows: Sequence[tuple[int, int]], shown: Sequence[Shown]) -> list[Place]:
    """Where rows stand on the page, each below the one before. One that begins in another row stands where that does.

    Of rows that are equal, where the page has fewer such places, those count whose line above is on the page as well.
    """
    places: list[Place] = []
    stop = shown_stop = steps = 0
    texts = ["\n".join(line.code for line in lines[first - 1 : last]) for first, last in rows]
    left = Counter(texts)  # how many equal rows are still to come
    for text, (first, last) in zip(texts, rows, strict=True):
        left[text] -= 1
        if first <= stop:
            continue
        row = [line for line in lines[first - 1 : last] if line.code]
        for at in range(shown_stop, len(shown)):
            end = _end(row, shown, at)
            steps += 1 if end is None else end - at
            if steps > _MOST_STEPS:
                return places
            if end is None:
                continue
            if left[text] and not _is_below(lines, first - 1, shown, at):
                found = _count(row, shown, at, left[text])
                steps += len(shown) - at
                if found <= left[text]:
                    break  # a later one stands here
            places.append(Place(first - 1, last, at, end))
            stop, shown_stop = last, end
            break
    return places


def _end(row: Sequence[Line], shown: Sequence[Shown], start: int) -> int | None:
    """Where a row ends on the page if it begins there with line `start`; None if it does not stand there."""
    is_fence = row[0].info is not None
    at, rest = start, ""
    for number, line in enumerate(row):
        there = shown[at] if at < len(shown) else _NOTHING
        if rest:  # of a line of the page that several lines of the answer share
            if not rest.startswith(line.text):
                return None
            rest = rest[len(line.text) :]
            at += not rest
        elif there.kind == FENCE and _is(line, there):
            at += 1
        elif is_fence and number in {0, len(row) - 1}:
            continue  # the fence that the row itself is
        elif line.is_in_fence and (is_fence or there.kind == CODE):
            if there.kind != CODE or line.code != there.code:
                return None
            at += 1
        elif line.text:
            while at > start and at < len(shown) and shown[at].kind == CODE and not shown[at].text:
                at += 1  # a line of few signs, indented as code
            there = shown[at] if at < len(shown) else _NOTHING
            if there.kind == FENCE or not there.text.startswith(line.text):
                return None
            rest = there.text[len(line.text) :]
            at += not rest
    return None if rest or at == start else at


def _count(row: Sequence[Line], shown: Sequence[Shown], at: int, most: int) -> int:
    """How many places the page has for a row from line `at` on; if more than `most`, that is all that is said."""
    count = 0
    while at < len(shown) and count <= most:
        end = _end(row, shown, at)
        count += end is not None
        at = end or at + 1
    return count


def _is_below(lines: Sequence[Line], start: int, shown: Sequence[Shown], at: int) -> bool:
    """Whether the last line that says something above line `start` is the last one above line `at` of the page."""
    while start and (not lines[start - 1].text or lines[start - 1].info is not None):
        start -= 1
    while at and shown[at - 1].kind == FENCE:
        at -= 1
    if not start or not at:
        return start == at
    line, there = lines[start - 1], shown[at - 1]
    return _is(line, there) or _left_of(_visible_letters(line), there) is not None


# between rows


def _hidden_between(lines: Sequence[Line], shown: Sequence[Shown]) -> Iterator[int]:
    """The lines that the page does not show, of those between two rows, from below. Lines are 0-based."""
    at, number = len(shown), len(lines)
    while number:
        number -= 1
        line = lines[number]
        if not line.code:
            continue
        while at and line.info is None and _says_nothing(shown[at - 1], line):
            at -= 1
        there = shown[at - 1] if at else _NOTHING
        if at and (_is(line, there) or _is_as_drawn(line, there)):
            at -= 1
        elif line.info is not None:
            at -= there.kind == FENCE
            if line.info.startswith("edit:") or path_in_info(line.info) is not None:
                yield number
        elif line.text and at and (first := _first_of_joined(lines, number, there)) is not None:
            at, number = at - 1, first
        elif line.text:
            yield number
            at = _above_changed_line(line, shown, at)


def _says_nothing(there: Shown, line: Line) -> bool:
    """Whether a line of the page is passed over when it is compared with a line of the answer that begins no fence."""
    return there.kind == FENCE or not (there.text or line.is_in_fence)


def _is_as_drawn(line: Line, there: Shown) -> bool:
    """Whether a line of the page is a line of the answer, with short ids of commits, and its number drawn by a list."""
    if there.kind != TEXT:
        return False
    short = _COMMIT.sub(r"\1", line.raw)
    return there.text in {_letters(short), _letters(_NUMBER.sub("", short, count=1))}


def _first_of_joined(lines: Sequence[Line], number: int, there: Shown) -> int | None:
    """The first of the lines up to `number` that are one line of the page together, as code between back-ticks is."""
    left = there.text
    for above in range(number, max(number - _MOST_JOINED, -1), -1):
        text = lines[above].text
        if there.kind != TEXT or not left.endswith(text):
            return None
        left = left[: len(left) - len(text)]
        if not left:
            return above
    return None


def _above_changed_line(line: Line, shown: Sequence[Shown], at: int) -> int:
    """The line of the page above those that may be what rendering left of a line of the answer."""
    letters: str | None = _visible_letters(line)
    for _ in range(1 + line.raw.count("<")):  # a tag may end a line of the page
        letters = _left_of(letters, shown[at - 1]) if at and letters else None
        at -= letters is not None
    return at


def _visible_letters(line: Line) -> str:
    return _letters(_COMMENT.sub("", line.raw)).casefold()


def _left_of(letters: str, there: Shown) -> str | None:
    """What stands before the letters of a line of the page, if `letters` end with them but for some between them."""
    stop = len(letters)
    if len(there.text) > stop:
        return None
    for letter in reversed(_letters(there.text).casefold()):
        stop = letters.rfind(letter, 0, stop)
        if stop < 0:
            return None
    return letters[:stop]
