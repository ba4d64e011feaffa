"""Find the lines of a comment that readers do not see, because the HTML that GitHub rendered does not show them.

The answer is the text of the comment, the page is its HTML. Code on the page is compared by whole lines without blanks.
Elsewhere only letters and digits are compared, because rendering removes signs and blanks: a line of few signs is
ignored, and a line of many signs must be on the page.

A row (a block or a problem, from its first to its last line) is shown if all its lines follow each other on the page.
Rows are searched for in order, and each line of the page is used once. Lines between two rows name files and give
commands. They are compared from the bottom up, and each line of the page must be a line of the answer, or the part of
one that rendering left. So a hidden line cannot be taken for a line that is shown elsewhere.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import NamedTuple

LONGEST_PAGE = 4 * 1024 * 1024  # bytes
FEW_SIGNS = 8  # a line without letters and with no more signs is ignored; more signs may be code
_MOST_STEPS = 2_000_000  # limit on compared lines, because a hidden row is searched for in the whole page
_MOST_JOINED = 50  # how many lines of inline code may become one line of the page
_BULLETS = ("-", "+", "*")
TEXT = "text"
CODE = "code"
ITEM = "item"  # code at the start of a list item, such as `-        x` in a patch without a fence
FENCE = "fence"

_NO_LETTER = re.compile(r"[\W_]+")
_FENCE_LINE = re.compile(r"[-*+>\s\d.)]*(?:`{3,}[^`]*|~{3,}.*)\Z")
_MAY_NAME_FILE = re.compile(r"[./\\:]")
_COMMENT = re.compile(r"<!--.*?-->")
_NUMBER = re.compile(r"\A[>*+\s-]*\d{1,9}[.)]\s")
_COMMIT = re.compile(r"\b([0-9a-f]{7})[0-9a-f]{33}\b")
# A complete tag, or the text up to the next tag. `html.parser` takes quadratic time for a tag that never ends, which
# GitHub does not send.
_ATTRIBUTE = r"""\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?"""
_WHOLE = re.compile(rf"[^<]+|<(?:/?[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE}){{0,200}}\s*/?|!--(?:[^-]|-(?!->))*--)>")

# https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
_DRAWN_FENCES = {"math", "mermaid", "geojson", "topojson", "stl"}
_DRAWN_CLASSES = {"js-render-needs-enrichment", "render-needs-enrichment", "render-plaintext-hidden"}
_NO_TEXT = {"math-renderer", "g-emoji", "script", "style"}
_SUGGESTION = "js-suggested-changes-blob"
_ADDED = "blob-code-addition"
_ENDS_LINE = frozenset(
    "blockquote br caption dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section summary "
    "table tr ul".split()
)


class PageLine(NamedTuple):
    """A line of the answer or of the page. A blank line has an empty `code`. Only a line of the page has a `kind`.

    A `FENCE` is not visible text. Its `code` is the info string, which GitHub keeps as an attribute.
    """

    raw: str
    code: str  # the line without blanks
    text: str  # its letters and digits; if it has none, its signs if there are many
    kind: str = TEXT

    @property
    def is_fence(self) -> bool:
        """Whether a line of the answer may begin or end a fence."""
        return _FENCE_LINE.match(self.raw) is not None

    def shows(self, line: "PageLine") -> bool:
        """Whether this line of the page shows `line`, a line of the answer."""
        if self.kind == FENCE:
            return line.code.endswith((f"`{self.code}", f"~{self.code}"))
        if self.kind == TEXT:
            return line.text == self.text
        if self.kind == ITEM and line.code.startswith(_BULLETS):
            return line.code[1:] == self.code
        return line.code == self.code


_END = PageLine("", "", "")  # stands for the end of the page


def hidden_lines(text: str, rows: Sequence[tuple[int, int]], page: str) -> frozenset[int]:
    """Return the numbers (1-based) of the lines of `text` that `page`, its HTML, does not show.

    `rows` are the first and last lines of all rows of the text, in order. If a row is not on the page as a whole, all
    its lines are hidden.
    """
    lines = [_line(raw) for raw in text.split("\n")]
    shown = read_page(page)
    # A problem in a line of few signs cannot be searched for, because such lines are not compared.
    rows = [(first, last) for first, last in rows if first != last or lines[first - 1].text]
    places = _places(lines, rows, shown)
    hidden: set[int] = set()
    start = 0
    shown_start = 0
    end = (range(len(lines), len(lines)), range(len(shown), len(shown)))
    for row, on_page in (*places, end):
        between = _hidden_between(lines[start : row.start], shown[shown_start : on_page.start])
        hidden.update(start + number + 1 for number in between)
        start = row.stop
        shown_start = on_page.stop
    seen = {number for row, _ in places for number in row}
    for first, last in rows:
        if first - 1 not in seen:
            hidden.update(range(first, last + 1))
    return frozenset(hidden)


def shows_first_line(text: str, page: str) -> bool:
    """Whether the page begins with the first line of `text`."""
    shown = read_page(page)
    return bool(shown) and shown[0].shows(_line(text.partition("\n")[0]))


# the page


def read_page(page: str) -> list[PageLine]:
    """Return the lines of the page that are not blank, up to the first incomplete tag."""
    stop = 0
    while whole := _WHOLE.match(page, stop):
        stop = whole.end()
    reader = _HtmlReader()
    reader.feed(page[:stop])
    reader.close()
    reader.end_line()
    return reader.lines


class _HtmlReader(HTMLParser):
    """Collects the lines of HTML. Open elements are counted by name and not kept in a stack, so depth costs nothing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[PageLine] = []
        self._line: list[str] = []
        self._left_out = ""  # the name of the element whose text is being skipped
        self._left_out_depth = 0  # the number of open elements with that name
        self._is_suggestion = False  # inside a suggestion, which also shows the old lines
        self._depths = {"pre": 0, "tr": 0}  # the number of open elements
        self._is_added = False  # inside a new line of a suggestion
        self._is_first = False  # at the start of a list item

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._left_out:
            self._left_out_depth += tag == self._left_out
            return
        values = dict(attrs)
        classes = set((values.get("class") or "").split())
        info = "".join((values.get("lang") or "").split())
        if tag in _NO_TEXT or classes & _DRAWN_CLASSES or (tag == "pre" and info.lower() in _DRAWN_FENCES):
            self._left_out = tag
            self._left_out_depth = 1
            return
        if tag in _ENDS_LINE:
            self.end_line()
        if tag in self._depths:
            self._depths[tag] += 1
        self._is_first = tag == "li" or (self._is_first and tag in {"pre", "code"})
        if tag == "pre" and info:
            self.lines.append(PageLine(info, info, "", FENCE))
        if _SUGGESTION in classes:
            self._is_suggestion = True
            self.lines.append(PageLine("suggestion", "suggestion", "", FENCE))
        self._is_added = self._is_added or (tag == "td" and _ADDED in classes)

    def handle_endtag(self, tag: str) -> None:
        if self._left_out:
            self._left_out_depth -= tag == self._left_out
            if not self._left_out_depth:
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
            self._is_suggestion = False

    def handle_data(self, data: str) -> None:
        if self._left_out or (self._is_suggestion and not self._is_added):
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
            line = line._replace(kind=ITEM if self._is_first else CODE)
        if line.text or (line.code and line.kind != TEXT):
            self.lines.append(line)
            self._is_first = False


# lines


def _line(raw: str) -> PageLine:
    code = "".join(raw.split())
    text = _letters(raw)
    if not text and len(code) > FEW_SIGNS:
        text = code
    return PageLine(raw, code, text)


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text)


# rows


def _places(
    lines: Sequence[PageLine], rows: Sequence[tuple[int, int]], shown: Sequence[PageLine]
) -> list[tuple[range, range]]:
    """Return the lines of each row and its lines on the page, both 0-based, each below the one before.

    Rows that begin inside another row are left out. If several rows are equal and the page shows fewer of them, each
    but the last must have the same line above it on the page as in the answer.
    """
    most = _MOST_STEPS // (1 + sum(1 + last - first for first, last in rows))
    codes = ["\n".join(line.code for line in lines[first - 1 : last]) for first, last in rows]
    equal_rows = Counter(codes)
    to_come = Counter(codes)
    on_page: dict[str, int] = {}
    places: list[tuple[range, range]] = []
    stop = 0
    shown_stop = 0
    for code, (first, last) in zip(codes, rows, strict=True):
        to_come[code] -= 1
        if first <= stop:
            continue
        row = [line for line in lines[first - 1 : last] if line.code]
        positions = _positions(row, shown, shown_stop, most)
        if to_come[code]:
            if code not in on_page:
                on_page[code] = sum(1 for _ in _positions(row, shown, shown_stop, most))
            if on_page[code] < equal_rows[code]:
                positions = (position for position in positions if _is_below(lines, first - 1, shown, position.start))
        place = next(positions, None)
        if place is not None:
            places.append((range(first - 1, last), place))
            stop = last
            shown_stop = place.stop
    return places


def _positions(row: Sequence[PageLine], shown: Sequence[PageLine], start: int, most: int) -> Iterator[range]:
    """Yield all positions of a row on the page, from line `start` on. At most `most` lines are tried."""
    at = start
    while at < min(len(shown), start + most):
        end = _end(row, shown, at)
        if end is not None:
            yield range(at, end)
        at = end or at + 1


def _end(row: Sequence[PageLine], shown: Sequence[PageLine], start: int) -> int | None:
    """Return where a row ends on the page if it begins at line `start`, or None if it is not there."""
    at = start
    rest = ""  # the rest of a line of the page that shows several lines of the answer
    for line in row:
        page_line = shown[at] if at < len(shown) else _END
        is_code = page_line.kind != TEXT
        if is_code and page_line.shows(line):
            at += 1
        elif line.text and is_code:
            return None
        elif line.text:
            rest = rest or page_line.text
            if not rest.startswith(line.text):
                return None
            rest = rest[len(line.text) :]
            if not rest:
                at += 1
    return None if rest or at == start else at


def _is_below(lines: Sequence[PageLine], start: int, shown: Sequence[PageLine], at: int) -> bool:
    """Whether the line above line `start` is right above line `at` of the page. Blank lines and fences are skipped."""
    while start and (not lines[start - 1].text or lines[start - 1].is_fence):
        start -= 1
    while at and shown[at - 1].kind == FENCE:
        at -= 1
    if not start or not at:
        return start == at
    line = lines[start - 1]
    return shown[at - 1].shows(line) or _above_remains(line, shown, at) < at


# between rows


def _hidden_between(lines: Sequence[PageLine], shown: Sequence[PageLine]) -> Iterator[int]:
    """Yield the lines between two rows (0-based, from the last to the first) that the page does not show."""
    at = len(shown)
    first = len(lines)  # the first of the lines that the line of the page shows
    for number in reversed(range(len(lines))):
        line = lines[number]
        if number >= first or not line.code:
            continue
        while at and line.text and not line.is_fence and not shown[at - 1].text and not shown[at - 1].shows(line):
            at -= 1  # skip an info string or a few signs in code
        first = len(lines)
        if at:
            first = _first_shown(lines, number, shown[at - 1])
        if first <= number:
            at -= 1
        elif line.text:
            if not line.is_fence or _MAY_NAME_FILE.search(line.code):
                yield number
            at = _above_remains(line, shown, at)


def _first_shown(lines: Sequence[PageLine], number: int, page_line: PageLine) -> int:
    """Return the first of the lines up to `number` that `page_line` shows, or `len(lines)` if it shows none.

    It may show several lines, if inline code extends over them. GitHub shortens ids of commits, and the number of a
    list item is not part of the text on the page.
    """
    line = lines[number]
    if page_line.shows(line):
        return number
    if page_line.kind != TEXT or not line.text:
        return len(lines)
    short = _COMMIT.sub(r"\1", line.raw)
    if page_line.text in {_letters(short), _letters(_NUMBER.sub("", short, count=1))}:
        return number
    left = page_line.text
    for above in range(number, max(number - _MOST_JOINED, -1), -1):
        text = lines[above].text
        if not left.endswith(text):
            break
        left = left[: len(left) - len(text)]
        if not left:
            return above
    return len(lines)


def _above_remains(line: PageLine, shown: Sequence[PageLine], at: int) -> int:
    """Return `at`, moved up over the lines of the page that may be the part of a line that rendering left."""
    letters = reversed(_letters(_COMMENT.sub("", line.raw)).casefold())
    for _ in range(1 + line.raw.count("<")):  # a tag may break the line
        if not at or not shown[at - 1].text:
            break
        remains = reversed(_letters(shown[at - 1].text).casefold())
        # Each `in` goes on where the last one stopped, so the letters must come in the same order.
        if not all(letter in letters for letter in remains):
            break
        at -= 1
    return at
