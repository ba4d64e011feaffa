"""Guess which place was meant by a text that is not in the file, where the file first differs from it, and why.

Diagnosis never edits and never decides. Each line votes for the place of the text that it fits, and the places with
most votes are compared line by line (docs/reference/rules.md, diagnosis) as long as the budget lasts. For a text of one
line, if no place is similar, the nearest line of the file is used.

Hints say why it differs; `core/explain.py` puts them into words. Each is true for the given lines, and the work grows
linearly with them. A fold makes all spellings of one kind equal. So texts that some folds make equal differ only in
these kinds of spelling.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, groupby, islice, pairwise
from typing import NamedTuple
from unicodedata import combining, normalize

from editblocks.core.characters import is_invisible
from editblocks.core.mismatch import Hint
from editblocks.core.phrases import cut
from editblocks.matching.align import common_length, common_start, kept_lines
from editblocks.matching.ladder import STEPS_A_BLOCK, Budget
from editblocks.matching.placeholder_lines import elision, stands_for_others
from editblocks.text.source_text import SourceText, WordIndex, find_in

_LONGEST_LINE = 4096  # characters; longer lines are only checked for equality

# where it was meant

MOST_CANDIDATES = 3
LEAST_SIMILARITY = 0.60
_LEAST_OF_A_LINE = 0.50  # for a text of one line: half of its characters agree with those of the nearest line
_LINE_COST = 50  # steps that one line costs, whatever is in it
_SHORTEST_VOTER = 4
_MOST_PLACES = 20
_HEAVIEST = 80
_STARTS = 5
_WORD = re.compile(r"\w{2,}")
_ENTITY = re.compile(r"&(?:amp;)*#?[0-9A-Za-z]{1,31};")  # names of entities are not words of the file


class Closest(NamedTuple):
    """A place that resembles the text. `lines` maps line indexes of the text to those of the file."""

    start: int
    stop: int
    similarity: float
    lines: Mapping[int, int]


_NOWHERE = Closest(-1, -1, 0.0, {})


def closest(search: Sequence[str], source: SourceText, budget: Budget | None = None) -> list[Closest]:
    """Find at most three places of `source` that resemble `search` by 60 % or more, best first.

    A text that is escaped, or in another Unicode form, shares few words with its file. So its other spellings are also
    compared, and the most similar one decides. If there is no such place, a text of one line gets the nearest line, if
    at least half of their characters agree.
    """
    budget = budget or Budget()
    places = _places_like(search, source, budget)
    for spelling in other_spellings(search):
        others = _exact_places(spelling, source) or _places_like(spelling, source, budget)
        best = places[0] if places else _NOWHERE
        if others and others[0].start != best.start and others[0].similarity > best.similarity:
            places = others
    return places or _nearest_line(search, source, budget)


def _exact_places(lines: Sequence[str], source: SourceText) -> list[Closest]:
    starts = islice(find_in(lines, source.lines), MOST_CANDIDATES)
    return [Closest(at, at + len(lines), 1.0, dict(enumerate(range(at, at + len(lines))))) for at in starts]


def _places_like(search: Sequence[str], source: SourceText, budget: Budget) -> list[Closest]:
    allowance = min(STEPS_A_BLOCK, budget.left)
    comparison = _Comparison([line.strip(" \t") for line in search], source, allowance)
    starts = _voted_starts(comparison.search, source)
    if not starts and sum(map(len, source.lines)) + len(source.lines) < allowance:
        starts = _worded_starts(comparison.search, source, budget)
    compared = sorted(map(comparison.at, starts), key=lambda place: place.similarity)
    places = {place.start: place for place in compared}  # the best of each start
    budget.left = max(0, budget.left - (allowance - comparison.steps))
    good = [place for place in places.values() if place.similarity >= LEAST_SIMILARITY]
    return sorted(good, key=lambda place: (-place.similarity, place.start))[:MOST_CANDIDATES]


def _nearest_line(search: Sequence[str], source: SourceText, budget: Budget) -> list[Closest]:
    """Find the line of the file that is most similar to a text of one line; empty if less than half of it agrees."""
    if len(search) != 1:
        return []
    wanted = search[0].strip(" \t")
    allowance = min(STEPS_A_BLOCK, budget.left)
    if not wanted or _LINE_COST * len(source.lines) > allowance:
        return []
    first: dict[str, int] = {}  # of equal lines, the number of the first
    for number, line in enumerate(source.lines):
        first.setdefault(line.strip(" \t"), number)
    counts = Counter(wanted)
    comparison = _Comparison([wanted], source, allowance - _LINE_COST * len(source.lines))
    best = _LEAST_OF_A_LINE
    nearest = -1
    for line, number in first.items():
        # The similarity is limited by the lengths of the lines, and by the characters that both have.
        length = len(line) + len(wanted)
        if 2 * min(len(line), len(wanted)) < best * length:
            continue
        if 2 * sum(map(min, map(line.count, counts), counts.values())) < best * length:
            continue
        comparison.steps -= _LINE_COST
        ratio = comparison.ratio(wanted, line)
        if ratio > best or (ratio == best and nearest < 0):
            best = ratio
            nearest = number
    budget.left = max(0, budget.left - (allowance - comparison.steps))
    if nearest < 0 or comparison.steps < 0:
        return []
    return [Closest(nearest, nearest + 1, best, {0: nearest})]


def _voted_starts(search: Sequence[str], source: SourceText) -> list[int]:
    """Return start lines by votes. A line votes if it is long enough and at most 20 times in the file."""
    votes: Counter[int] = Counter()
    index = source.index(search)
    for offset, line in enumerate(search):
        if len(line) >= _SHORTEST_VOTER:
            for number in index.places(line, _MOST_PLACES) or ():
                votes[number - offset] += min(len(line), _HEAVIEST)
    # Votes within two lines are added up, and the lower index wins ties.
    weights = {start: sum(votes[near] for near in range(start - 2, start + 3)) for start in list(votes)}
    return _apart(sorted(weights, key=lambda start: (-weights[start], -votes[start], start)), 3, _STARTS)


def _words_of(line: str) -> list[str]:
    return _WORD.findall(line[:_LONGEST_LINE])


def _apart(ranked: Sequence[int], distance: int, most: int) -> list[int]:
    """Return the first starts that are at least `distance` lines apart."""
    starts: list[int] = []
    for start in ranked:
        if len(starts) == most:
            break
        if all(abs(start - other) >= distance for other in starts):
            starts.append(start)
    return starts


def _worded_starts(search: Sequence[str], source: SourceText, budget: Budget) -> list[int]:
    """Return starts of windows that hold at least half of the searched words; used when no line votes."""
    wanted = Counter(word for line in search for word in _words_of(_ENTITY.sub(" ", line[:_LONGEST_LINE])))
    if not wanted:
        return []
    source.words = source.words or WordIndex(_words_of)
    budget.left -= source.words.learn(source.lines)
    holding = source.words.holding(wanted)
    budget.left -= len(source.lines) + sum(map(len, holding))
    words_in = Counter(chain.from_iterable(holding))  # how many of the searched words each text of a line has
    sums = list(accumulate((words_in.get(line, 0) for line in source.lines), initial=0))
    size = min(len(search), len(source.lines))
    shared = [below - above for above, below in zip(sums, sums[size:], strict=False)]  # by each window of `size` lines
    half = wanted.total() / 2
    enough = [start for start, count in enumerate(shared) if count >= half]
    return _apart(sorted(enough, key=shared.__getitem__, reverse=True), len(search), _MOST_PLACES)


class _Comparison:
    """Compares `search`, whose lines are stripped, with windows of `source`; `steps` is what is left of the budget."""

    def __init__(self, search: Sequence[str], source: SourceText, steps: int) -> None:
        self.search = search
        self.source = source
        self.steps = steps

    def at(self, start: int) -> Closest:
        """Align the text with the lines around `start`, and measure how similar they are."""
        margin = max(2, len(self.search) // 8)
        first = max(0, start - margin)
        last = max(first, start + len(self.search) + margin)
        window = [line.strip(" \t") for line in self.source.lines[first:last]]
        equal = {old: new for new, old in kept_lines(self.search, window).items()}
        pairs = dict(self._pair_between(equal, start - first, len(window)))
        alike: float = sum(len(self.search[old]) for old in equal)
        alike += sum(len(self.search[old]) * self.ratio(self.search[old], window[new]) for old, new in pairs.items())
        lines = {old: first + new for old, new in sorted((*equal.items(), *pairs.items()))}
        where = [new for old, new in lines.items() if self.search[old]] or list(lines.values())
        return Closest(min(where), max(where) + 1, alike / sum(map(len, self.search)), lines)

    def _pair_between(self, equal: Mapping[int, int], start: int, size: int) -> Iterator[tuple[int, int]]:
        """Pair the lines between two equal ones in order; if no lines are equal, pair all from `start` on."""
        if not equal:
            yield from zip(range(len(self.search)), range(max(0, start), size), strict=False)
            return
        anchors = [(-1, -1), *sorted(equal.items()), (len(self.search), size)]
        for (old, new), (next_old, next_new) in pairwise(anchors):
            gap_old = range(old + 1, next_old)
            gap_new = range(new + 1, next_new)
            if old < 0:  # above the first equal line, pair the lines nearest to it
                gap_new = gap_new[max(0, len(gap_new) - len(gap_old)) :]
            yield from zip(gap_old, gap_new, strict=False)

    def ratio(self, old: str, new: str) -> float:
        if old == new:
            return 1.0
        cost = len(old) * (len(new) // 64 + 1)
        if not old or not new or max(len(old), len(new)) > _LONGEST_LINE or cost > self.steps:
            return 0.0
        self.steps -= cost
        return 2 * common_length(old, new) / (len(old) + len(new))


def first_difference(
    search: Sequence[str], source: SourceText, place: Closest, *, is_part: bool = False
) -> tuple[int, int] | None:
    """Find the first line of `search` that is not exactly equal to its matching line in the file; None if all are.

    Returns its index in `search` and the index of the other line, which is past the end if the file has no such line.
    With `is_part`, the first line may begin and the last line may end within a line of the file.
    """
    expected_at = place.start
    for index, line in enumerate(search):
        number = place.lines.get(index, expected_at)
        file_line = source.lines[number : number + 1]
        fits = file_line == [line]
        if is_part and file_line and not fits:
            fits = _is_part(line, file_line[0], begins=index == 0, ends=index == len(search) - 1)
        if not fits:
            return index, number
        expected_at = number + 1
    return None


def _is_part(text: str, line: str, *, begins: bool, ends: bool) -> bool:
    """Whether a text that `begins` or `ends` within a line is that part of it."""
    if begins and ends:
        return text in line
    if begins:
        return line.endswith(text)
    return ends and line.startswith(text)


def common_part(text: str, line: str) -> tuple[int, int]:
    """Return where a line has the longest possible beginning of a text: 0-based start and stop."""
    least = 0
    most = len(text)
    while least < most:  # a line that has a beginning also has every shorter one
        size = (least + most + 1) // 2
        if text[:size] in line:
            least = size
        else:
            most = size - 1
    start = line.find(text[:least])
    return start, start + least


# why it differs

_FEWEST_CHARACTERS = 4  # every file has a brace
_NUMBERED = r"[ \t]*([0-9]{1,7})(?:\t|[ \t]*[:|│→] ?)"  # line numbers of `cat -n`, editors and chats
_WIDEST = 8  # the spelling of a window with more than 8 times the text's characters is not compared
_MOST_MARKS = 30  # combining marks in a row: ordering more of them would take quadratic time
_LIKE_ENTITY = r"&(?:amp;)*(?:(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)?"
_UNIT = rf"(?s){_LIKE_ENTITY}|\\+|[ \t]+|[_*`]+|."  # what a hint shows as one piece
# The commonest of Unicode's confusables.txt that NFKC does not change: signs, then Cyrillic, then Greek.
_LOOKS = str.maketrans(
    "‐‑‒–—―−‘’‚‛′ʼʹ´“”„‟″«»‹›∗⁎⁄∕∶ǃ¦∼\u1680аеорсухіјѕԁһѵԛԝАВЕКМНОРСТХУІЈЅοναιρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "-------''''''''\"\"\"\"\"\"\"<>**//:!|~ aeopcyxijsdhvqwABEKMHOPCTXYIJSovaipuABEZHIKMNOPTYX",
)
_ESCAPE = r"\\([nrt\"'/\\])"  # in a text that was escaped once too often
_ESCAPED = {"n": "\n", "r": "", "t": "\t"}
_QUOTES = str.maketrans('"‘’‚‛“”„‟', "'" * 9)


def hints(
    search: Sequence[str], replace: Sequence[str], window: Sequence[str], others: Iterable[tuple[str, Sequence[str]]]
) -> Iterator[Hint]:
    """Yield hints why `search` is not in its file, the most useful first.

    `window` are the lines of the closest place and some around it, empty if nothing is close; `others` are paths and
    lines of the response's other files. Line numbers are 1-based.
    """
    filled = [line for line in search if line.strip(" \t")]
    if not filled:
        return
    yield from _elsewhere(search, others)
    if spelled := _spelled_otherwise(search, window):
        yield spelled
    else:
        yield from _blank_lines(search, filled, window)
    yield from _line_numbers(search, filled, window)
    yield from _patch(search, filled, window)
    yield from _stand_ins(search, replace, window)


def text_hints(text: str, lines: Sequence[str]) -> Iterator[Hint]:
    """Yield hints why a text that may be a part of a line is not in its file, which holds `lines`."""
    file = "\n".join(lines)
    bare = re.sub(_ESCAPE, lambda escape: _ESCAPED.get(escape[1], escape[1]), text)
    if bare != text and file.count(bare) == 1:
        line = file.count("\n", 0, file.index(bare)) + 1
        yield Hint("escaped", (line, line))
    start = file.translate(_QUOTES).find(text.translate(_QUOTES))
    file_text = file[start : start + len(text)]
    if start < 0 or file_text == text or not any(map(str.isalnum, text)):
        return
    yield Hint("spelled", words=("quotes",), pieces=_differing_pieces(text, file_text))


def other_spellings(search: Sequence[str]) -> Iterator[list[str]]:
    """Yield the text with its HTML entities decoded, and in both Unicode forms, each if it differs from the text."""
    if not all(map(_is_short, search)):
        return
    forms: list[Callable[[str], str]] = []
    if any("&" in line for line in search):
        forms.append(_FOLDS["HTML entities"])
    if not all(map(str.isascii, search)):
        forms += [partial(normalize, "NFC"), partial(normalize, "NFD")]
    for form in forms:
        spelling = list(map(form, search))
        if spelling != list(search):
            yield spelling


def part_of_a_line(search: Sequence[str], lines: Sequence[str]) -> Hint | None:
    """Return the hint that SEARCH is one line, and is inside a longer line of the file."""
    if len(search) != 1:
        return None
    part = search[0].strip(" \t")
    if sum(map(str.isalnum, part)) < _FEWEST_CHARACTERS:
        return None
    numbers = [number for number, line in enumerate(lines, 1) if part in line and part != line.strip(" \t")]
    if not numbers:
        return None
    return Hint("part", (numbers[0], numbers[0]), more=len(numbers) - 1)


def _elsewhere(search: Sequence[str], others: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Hint]:
    """Yield a hint if another file holds the whole text as it is written."""
    longest = max(search, key=len)
    if len("".join(longest.split())) < _FEWEST_CHARACTERS or not any(map(str.isalnum, longest)):
        return
    places = [(path, start) for path, lines in others if longest in lines for start in find_in(search, lines)]
    if places:
        path, start = places[0]
        yield Hint("elsewhere", (start + 1, start + len(search)), path=path, more=len(places) - 1)


def _spelled_otherwise(search: Sequence[str], window: Sequence[str]) -> Hint | None:
    """The hint that `search` differs from a run of lines in `window` only in spelling."""
    wide = _WIDEST * sum(map(len, search)) + _LONGEST_LINE
    if sum(map(len, window)) > wide or not all(map(_is_short, chain(search, window))):
        return None
    wanted = _folded(search, _FOLDS)
    if not any(map(str.isalnum, "".join(wanted))):
        return None
    start = next(find_in(wanted, _folded(window, _FOLDS)), None)
    if start is None:
        return None
    return _spelling_hint(search, window[start : start + len(search)])


def _is_short(line: str) -> bool:
    if line.isascii():
        return len(line) <= _LONGEST_LINE
    runs = groupby(line, lambda char: combining(char) > 0)
    return len(line) <= _LONGEST_LINE and not any(is_mark and len(list(run)) > _MOST_MARKS for is_mark, run in runs)


def _entity(match: re.Match[str]) -> str:
    """Return the character of an entity, however often its ampersand is escaped."""
    last = match[0][1:].rpartition("amp;")[2]
    from html import unescape  # its table of names takes 2 % of a check

    character = unescape(f"&{last}")
    if "\n" in character:  # a line stays one line
        return match[0]
    return character


def _visible_form(line: str) -> str:
    if line.isascii():
        return line
    return "".join(char for char in line if char.isascii() or char.isspace() or not is_invisible(char))


_FOLDS: Mapping[str, Callable[[str], str]] = {  # by the names of the kinds, in the order of use
    "HTML entities": lambda line: re.sub(_LIKE_ENTITY, _entity, line),
    "invisible characters": _visible_form,
    "Unicode normal form": lambda line: normalize("NFC", line),
    "look-alike characters": lambda line: normalize("NFKC", line.translate(_LOOKS)).translate(_LOOKS),
    "quotes": lambda line: line.replace('"', "'"),
    "white space": lambda line: line.replace(" ", "").replace("\t", ""),
    "backslashes": lambda line: line.replace("\\", ""),
    "letter case": str.lower,
    "Markdown marks": lambda line: line.replace("_", "").replace("*", "").replace("`", ""),
}


def _folded(lines: Iterable[str], kinds: Iterable[str]) -> list[str]:
    for kind in kinds:
        lines = map(_FOLDS[kind], lines)
    return list(lines)


def _spelling_hint(search: Sequence[str], lines: Sequence[str]) -> Hint | None:
    """Return the hint with kinds of spelling that explain all differences, and of which every one is needed."""
    pairs = [(ours, theirs) for ours, theirs in zip(search, lines, strict=True) if ours != theirs]
    if not pairs:
        return None
    kinds = list(_FOLDS)
    for kind in reversed(kinds):
        fewer = [other for other in kinds if other != kind]
        if _folded([ours for ours, _ in pairs], fewer) == _folded([theirs for _, theirs in pairs], fewer):
            kinds = fewer
    ours, theirs = pairs[0]
    pieces = _differing_pieces(re.findall(_UNIT, ours), re.findall(_UNIT, theirs))
    return Hint("spelled", words=tuple(kinds), pieces=pieces)


def _differing_pieces(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str]:
    """Return the first differing piece of each text; "" for a text that has nothing there."""
    start = common_start(ours, theirs)
    one, after = [*ours[start : start + 2], "", ""][:2]
    other, after_other = [*theirs[start : start + 2], "", ""][:2]
    if one == after_other:
        return "", other
    if other == after:
        return one, ""
    return one, other


def _blank_lines(search: Sequence[str], filled: Sequence[str], window: Sequence[str]) -> Iterator[Hint]:
    """Yield a hint if blank lines are all that differs from the file."""
    if not _has(window, search) and _has([line for line in window if line.strip(" \t")], filled):
        yield Hint("blank-lines")


def _line_numbers(search: Sequence[str], filled: Sequence[str], window: Sequence[str]) -> Iterator[Hint]:
    """Yield a hint if every line begins with a line number, and the file's lines do not."""
    matches = [re.match(_NUMBERED, line) for line in filled]
    numbers = [int(match[1]) for match in matches if match]
    if len(numbers) < len(filled):
        return
    bare = [re.sub(_NUMBERED, "", line, count=1) for line in search]
    rise = len(numbers) > 1 and all(one < other for one, other in pairwise(numbers))
    if _has_stripped(window, bare) or (rise and not any(re.match(_NUMBERED, line) for line in window)):
        yield Hint("numbered", (numbers[0], numbers[-1]))


def _patch(search: Sequence[str], filled: Sequence[str], window: Sequence[str]) -> Iterator[Hint]:
    """Yield a hint if every line begins with a mark of a patch (`+`, `-`, `@@`), and the file's lines do not."""
    marks = [mark for mark in ("@@", "-", "+") if any(_begins(line, mark) for line in filled)]
    if not marks or not all(line[0] in "+- \\" or _begins(line, "@@") for line in filled):
        return
    rest = [line for line in search if not _begins(line, "@@") and not line.startswith("\\")]
    old = [line[1:] for line in rest if not line.startswith("+")]
    is_certain = _has_stripped(window, old) or _has_stripped(window, [line[1:] for line in rest])
    is_likely = marks not in (["-"], ["+"]) and not any(line.startswith(("+", "-", "@@ ")) for line in window)
    if is_certain or is_likely:
        yield Hint("patch", words=tuple(marks))


def _begins(line: str, mark: str) -> bool:
    return line.startswith(mark) and (mark != "@@" or line[2:3] in ("", " "))


def _has(window: Sequence[str], lines: Sequence[str]) -> bool:
    return next(find_in(lines, window), None) is not None


def _has_stripped(window: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether `lines`, not all blank, are a run of lines of the window, apart from white space at line ends."""
    stripped = [line.strip(" \t") for line in lines]
    return any(stripped) and _has([line.strip(" \t") for line in window], stripped)


def _stand_ins(search: Sequence[str], replace: Sequence[str], window: Sequence[str]) -> Iterator[Hint]:
    """Yield a hint if a line of the text stands for lines that it leaves out, and the file has no such line."""
    stripped_window = {line.strip(" \t") for line in window}
    elided: dict[int, str] = {}
    for number, (above, line, below) in enumerate(zip(["", *search], search, [*search[1:], ""], strict=False), 1):
        if dots := elision(line):
            elided[number] = dots
        elif stands_for_others(line, above, below, "", lost=False):
            elided[number] = cut(line.strip(" \t"))
    missing = [number for number in elided if search[number - 1].strip(" \t") not in stripped_window]
    if missing:
        only_dots = list(filter(elision, search))
        is_loose = len(elided) == len(only_dots) == len(list(filter(elision, replace)))
        yield Hint("stand-in", (missing[0], missing[0]), (elided[missing[0]],), offers_loose=is_loose)
