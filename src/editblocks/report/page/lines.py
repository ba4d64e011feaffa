"""Turn the lines of a diff into markup: colours, visible characters, marks on the parts of a line that differ.

No other module makes markup itself. Every piece of foreign text passes through `shown`, which escapes it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

from editblocks.core.characters import cut_middle, is_hidden, name_hidden
from editblocks.core.phrases import line_range, plural
from editblocks.formats.hunks import read_numbers
from editblocks.matching.align import kept_lines

LONGEST = 2_000  # characters of a line that gets marks
MOST_PAIRS = 4_000_000  # pairs of words that are compared on one page
_A_PAIR = 100  # the least cost of a pair of lines, in pairs of words
_LEAST_ALIKE = 0.4
_WORD = re.compile(r"\w+|\s+|[^\w\s]")

_words = lru_cache(maxsize=4096)(lambda line: tuple(_WORD.findall(line)))

Spans = list[tuple[int, int]]  # characters, 0-based, half-open


class PairMarker:
    """Marks pairs of lines until `MOST_PAIRS` is used up."""

    def __init__(self) -> None:
        self._left = MOST_PAIRS

    def marks(self, old: Sequence[str], new: Sequence[str]) -> tuple[list[Spans], list[Spans]]:
        """Return the parts that differ in each line of two runs, of which `new` replaces `old`."""
        old_marks: list[Spans] = [[] for _ in old]
        new_marks: list[Spans] = [[] for _ in new]
        first = 0
        for number, line in enumerate(old):
            others = range(first, len(new))
            if len(old) == len(new):
                others = range(number, number + 1)
            for other in others:
                if self._left < 0:
                    return old_marks, new_marks
                pair_marks = self._pair(line, new[other])
                if pair_marks is not None:
                    old_marks[number], new_marks[other] = pair_marks
                    first = other + 1
                    break
        return old_marks, new_marks

    def _pair(self, old: str, new: str) -> tuple[Spans, Spans] | None:
        """Return the parts that differ; None for lines that have too little in common or are too long."""
        if max(len(old), len(new)) > LONGEST or not old.strip() or not new.strip():
            self._left -= _A_PAIR
            return None
        words = _words(old)
        others = _words(new)
        self._left -= len(words) * len(others) + _A_PAIR
        if self._left < 0:
            return None
        kept = kept_lines(words, others)
        alike = sum(len(others[there]) for there in kept if not others[there].isspace())
        least = _LEAST_ALIKE * max(len("".join(old.split())), len("".join(new.split())))
        if alike < least:
            return None
        old_spans: Spans = []
        new_spans: Spans = []
        for gone, come, old_start, new_start in _gaps(words, others, kept):
            kept_characters = _kept_characters(gone, come)
            old_spans += _other_runs(len(gone), set(kept_characters.values()), old_start)
            new_spans += _other_runs(len(come), set(kept_characters), new_start)
        return old_spans, new_spans


def _kept_characters(gone: str, come: str) -> Mapping[int, int]:
    """Map the characters of the new word to those that it keeps of the old one; empty if they have little in common."""
    if not re.fullmatch(r"\w+", gone) or not re.fullmatch(r"\w+", come):
        return {}
    kept = kept_lines(gone, come)
    if len(kept) < _LEAST_ALIKE * max(len(gone), len(come)):
        return {}
    return kept


def _gaps(words: Sequence[str], others: Sequence[str], kept: Mapping[int, int]) -> Iterator[tuple[str, str, int, int]]:
    """Yield the old and the new text between two kept words, and where each begins."""
    old = new = old_start = new_start = 0
    for new_stop, old_stop in (*sorted(kept.items()), (len(others), len(words))):
        gone = "".join(words[old:old_stop])
        come = "".join(others[new:new_stop])
        if gone or come:
            yield gone, come, old_start, new_start
        length = len(others[new_stop]) if new_stop < len(others) else 0
        old = old_stop + 1
        new = new_stop + 1
        old_start += len(gone) + length
        new_start += len(come) + length


def _other_runs(length: int, kept: set[int], start: int) -> Spans:
    """Return the runs of characters that are not kept, in a piece that begins at `start`."""
    spans: Spans = []
    for is_kept, part in groupby(range(length), kept.__contains__):
        run = list(part)
        if not is_kept:
            spans.append((start + run[0], start + run[-1] + 1))
    return spans


_LONGEST_LINE = 10_000
_MOST_COLORED = 5_000  # lines of a page that get colours
_LONGEST_COLORED = 2_000  # characters of a line that gets colours
_COLORLESS = frozenset({"", "w", "n", "p", "err"})  # classes to which the style gives no colour
_PLAIN, _BOX = Markup("{}"), Markup("<span class=hidden-char>{}</span>")
_MARKED = {"-": Markup("<del>{}</del>"), "+": Markup("<ins>{}</ins>")}


Piece = tuple[str, str]  # text, and the class of its colour, empty if it has none


class DiffLine(NamedTuple):
    """A line of a diff. `sign` is a blank, `-` or `+`. Numbers are 1-based; None on a side that lacks the line."""

    sign: str
    old: int | None
    new: int | None
    text: str
    html: Markup = Markup("")


class LineRun(NamedTuple):
    """Consecutive lines of one kind: unchanged, or changed. `is_folded`: unchanged lines that the page folds away."""

    lines: Sequence[DiffLine]
    is_change: bool
    is_folded: bool = False

    @property
    def title(self) -> str:
        """The label of a folded run."""
        first = self.lines[0].old or self.lines[0].new or 0
        last = self.lines[-1].old or self.lines[-1].new or 0
        return f"{plural(len(self.lines), 'unchanged line')}, {line_range((first, last))}"


def shown(text: str) -> Markup:
    """Escape text as markup. A hidden character becomes a box with its name; line ends and tabs stay."""
    characters = set(text) - {"\n", "\t"}
    boxes = {ord(char): _BOX.format(name_hidden(char)) for char in characters if is_hidden(char)}
    return Markup(escape(text).translate(boxes))  # noqa: S704 - escaped before the boxes come in


class Painter:
    """Makes the markup of one page. Colours and marks stop when the page has used up its share of time."""

    def __init__(self) -> None:
        self._marker = PairMarker()
        self._lines_left = _MOST_COLORED

    def runs(self, diff: str, path: str, place: tuple[int, int] | None, *, with_context: bool) -> list[LineRun]:
        """Return the runs of a unified diff. Context outside of the lines `place` is folded, or left out."""
        lines = list(parse_diff(diff))
        runs = [LineRun(list(part), is_change) for is_change, part in groupby(lines, lambda line: line.sign != " ")]
        runs = [part for run in runs for part in _fold(run, place)]
        kept = [run for run in runs if with_context or run.is_change]
        painted = iter(self._paint([line for run in kept for line in run.lines], path))
        return [run._replace(lines=[next(painted) for _ in run.lines]) for run in kept]

    def _paint(self, lines: Sequence[DiffLine], path: str) -> list[DiffLine]:
        """Return the same lines with their markup."""
        self._lines_left -= len(lines)
        pieces: dict[int, list[Piece]] = {}
        marks = self._marks(lines)
        for sign in "-+":
            side = [line for line in lines if line.sign in (" ", sign)]
            if self._lines_left >= 0:
                pieces.update(zip(map(id, side), colored([line.text for line in side], path), strict=True))
        return [
            line._replace(html=_markup(line, pieces.get(id(line), [(line.text, "")]), marks.get(id(line), [])))
            for line in lines
        ]

    def _marks(self, lines: Sequence[DiffLine]) -> dict[int, Spans]:
        marks: dict[int, Spans] = {}
        for _, part in groupby(lines, lambda line: line.sign != " "):
            run = list(part)
            old = [line for line in run if line.sign == "-"]
            new = [line for line in run if line.sign == "+"]
            old_marks, new_marks = self._marker.marks([line.text for line in old], [line.text for line in new])
            marks.update(zip(map(id, old), old_marks, strict=True))
            marks.update(zip(map(id, new), new_marks, strict=True))
        return marks


def parse_diff(diff: str) -> Iterator[DiffLine]:
    """Yield the lines of the hunks of a unified diff, long ones cut; other lines are left out."""
    old = new = 0
    for text in diff.split("\n"):
        head = read_numbers(text)
        if head is not None:
            old = head.old + (head.old_count == 0)
            new = head.new + (head.new_count == 0)
            continue
        body = cut_middle(text[1:], _LONGEST_LINE)
        if text[:1] == " ":
            yield DiffLine(" ", old, new, body)
            old += 1
            new += 1
        elif text[:1] == "-":
            yield DiffLine("-", old, None, body)
            old += 1
        elif text[:1] == "+":
            yield DiffLine("+", None, new, body)
            new += 1


def unchanged(first: int, lines: Sequence[str]) -> str:
    """Write lines of a file as a hunk that changes none of them."""
    if not lines:
        return ""
    head = f"@@ -{first},{len(lines)} +{first},{len(lines)} @@"
    return "\n".join([head, *(f" {line}" for line in lines), ""])


@cache
def _lexer(name: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def colored(lines: Sequence[str], path: str) -> list[list[Piece]]:
    """Split each line into pieces, each with the class of its colour.

    The lexer is chosen by the name of the file and sees only the lines that the page shows. Lines that are too long
    get no colours, and neither do kinds of tokens that only one lexer has.
    """
    plain = [[(line, "")] for line in lines]
    lexer = _lexer(path.rpartition("/")[2][-100:])
    if lexer is None or any(len(line) > _LONGEST_COLORED for line in lines):
        return plain
    shown: list[list[Piece]] = [[]]
    for token, text in lexer.get_tokens("\n".join(lines)):
        name = STANDARD_TYPES.get(token, "")
        if name in _COLORLESS:
            name = ""
        first, *others = text.split("\n")
        shown[-1].append((first, name))
        shown += [[(other, name)] for other in others]
    # A lexer may drop characters that it takes for line ends.
    is_same = ["".join(text for text, _ in pieces) for pieces in shown] == list(lines)
    return shown if is_same else plain


def _fold(run: LineRun, place: tuple[int, int] | None) -> Iterator[LineRun]:
    """Split a run so that unchanged lines outside of the block's own lines are folded."""
    if run.is_change:
        yield run
        return
    first, last = place or (0, -1)
    for is_own, part in groupby(run.lines, lambda line: first <= (line.old or 0) <= last):
        yield LineRun(list(part), is_change=False, is_folded=not is_own)


def _markup(line: DiffLine, pieces: Sequence[Piece], marks: Spans) -> Markup:
    """Return the markup of one line: its pieces, cut where marks begin and end."""
    marked = _MARKED.get(line.sign, _PLAIN)
    html = []
    start = 0
    edges = sorted({edge for span in marks for edge in span})
    for text, name in pieces:
        stop = start + len(text)
        cuts = [start, *(edge for edge in edges if start < edge < stop), stop]
        for first, last in pairwise(cuts):
            piece = shown(text[first - start : last - start])
            if name:
                piece = Markup("<span class={}>{}</span>").format(name, piece)
            if any(span[0] <= first and last <= span[1] for span in marks) and last > first:
                piece = marked.format(piece)
            html.append(piece)
        start = stop
    return Markup("").join(html)
