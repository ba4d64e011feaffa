"""Find how SEARCH is spelled differently from the lines it was meant for: quotes, entities, white space, case.

Each kind of difference has a fold, which makes all its spellings equal. Two texts differ only in some kinds if they
are equal after these folds, so what a hint says is true. Folds never decide a match (docs/reference/formats.md,
diagnosis). The work is linear in the text: folds look at short units, never across a line end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import chain, count
from unicodedata import combining, normalize

from editblocks.core.characters import is_invisible
from editblocks.core.model import Hint

LONGEST_LINE = 4096  # characters; a text with a longer line is not compared
_WIDEST = 8  # a window with more than 8 times the text's characters is not compared
_MOST_MARKS = 30  # combining marks on one letter, as in Unicode's stream-safe format (UAX 15)

# A unit: an entity, however often its ampersand is escaped; a run of characters that a fold removes; a Hangul syllable
# in parts; or one character.
_UNIT = re.compile(
    r"&(?:amp;)*(?:(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)?|\\+|[ \t]+|[_*`]+"
    r"|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|.",
    re.DOTALL,
)

_DASHES = "‐‑‒–—―−"
# The commonest of Unicode's confusables.txt that NFKC does not change: signs, then Cyrillic, then Greek.
_LOOKS = dict(
    zip(
        map(
            ord,
            "‘’‚‛′ʼʹ´“”„‟″«»‹›∗⁎⁄∕∶ǃ¦∼\u1680аеорсухіјѕԁһѵԛԝАВЕКМНОРСТХУІЈЅοναιρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        ),
        "''''''''\"\"\"\"\"\"\"<>**//:!|~ aeopcyxijsdhvqwABEKMHOPCTXYIJSovaipuABEZHIKMNOPTYX",
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A way in which two texts may differ: `fold` makes all spellings of a unit equal."""

    name: str
    fold: Callable[[str], str]


def _entity(unit: str) -> str:
    if len(unit) < 3 or unit[0] != "&":
        return unit

    last = unit.rpartition("&")[2].rpartition("amp;")[2]
    character = unescape(f"&{last}") if last else "&"
    return unit if "\n" in character else character  # a line stays one line


def _normal_form(unit: str) -> str:
    if unit.isascii():
        return unit

    return normalize("NFC", unit)


def _visible_form(unit: str) -> str:
    return unit if unit.isascii() else "".join(char for char in unit if char.isspace() or not is_invisible(char))


def _look(dash: str) -> Callable[[str], str]:
    """Return a fold of look-alikes. A typographic dash becomes `dash`: some programs turn two hyphens into a dash."""
    looks = {**_LOOKS, **dict.fromkeys(map(ord, _DASHES), dash)}

    def fold(unit: str) -> str:
        if unit.isascii():
            return unit

        return normalize("NFKC", unit.translate(looks)).translate(looks)

    return fold


def _without(characters: str) -> Callable[[str], str]:
    table = dict.fromkeys(map(ord, characters))
    return lambda unit: unit.translate(table)


def _kinds(dash: str) -> tuple[_Kind, ...]:
    """Return the kinds in the order in which they are applied, the most specific first."""
    return (
        _Kind("HTML entities", _entity),
        _Kind("invisible characters", _visible_form),
        _Kind("Unicode normal form", _normal_form),
        _Kind("look-alike characters", _look(dash)),
        _Kind("white space", _without(" \t")),
        _Kind("backslashes", _without("\\")),
        _Kind("letter case", str.lower),
        _Kind("Markdown marks", _without("_*`")),
    )


_SINGLE, _DOUBLE = _kinds("-"), _kinds("--")


def spelled_otherwise(search: Sequence[str], window: Sequence[str]) -> Hint | None:
    """Return the hint that `search` differs from a run of lines in `window` only in spelling; None if not so, or equal.

    Line numbers and columns in the hint are 1-based, of `search`; columns count code points.
    """
    wide = _WIDEST * sum(map(len, search)) + LONGEST_LINE
    if sum(map(len, window)) > wide or any(len(line) > LONGEST_LINE for line in chain(search, window)):
        return None
    has_dash = any(dash in line for dash in _DASHES for line in chain(search, window))
    for kinds in (_SINGLE, _DOUBLE) if has_dash else (_SINGLE,):
        start = _start(search, window, kinds)
        if start is not None:
            pairs = [_Pair.of(*row) for row in zip(count(1), search, window[start:], strict=False) if row[1] != row[2]]
            return _hint(pairs, _fewest(pairs, kinds)) if pairs else None
    return None


def place(lines: Sequence[str], within: Sequence[str]) -> int | None:
    """Return the first index at which `within` has all of `lines` in a row, or None."""
    text, wanted = ("".join(f"\n{line}" for line in part) + "\n" for part in (within, lines))
    position = text.find(wanted)
    return None if position < 0 else text.count("\n", 0, position)


def _units(line: str) -> list[str]:
    """Cut a line into units, the pieces that are folded; a letter and its combining marks are one unit."""
    units = _UNIT.findall(line)
    if line.isascii():
        return units

    join_words: list[str] = []
    for unit in units:
        if join_words and combining(unit[0]) and len(join_words[-1]) <= _MOST_MARKS:
            join_words[-1] += unit
        else:
            join_words.append(unit)
    return join_words


@dataclass(frozen=True, slots=True)
class _Pair:
    """Line `number` (1-based) of the text and its matching line in the file, both as units."""

    number: int
    ours: Sequence[str]
    theirs: Sequence[str]

    @classmethod
    def of(cls, number: int, ours: str, theirs: str) -> _Pair:
        """Cut both lines into units."""
        return cls(number, _units(ours), _units(theirs))


def _table(lines: Iterable[Sequence[str]], kinds: Sequence[_Kind]) -> dict[str, str]:
    """Map each unit of the lines to its folded form."""
    table = {unit: unit for line in lines for unit in line}
    for kind in kinds:
        table = {unit: kind.fold(folded) for unit, folded in table.items()}
    return table


def _fold_line(line: Sequence[str], table: Mapping[str, str]) -> str:
    return "".join(map(table.__getitem__, line))


def _start(search: Sequence[str], window: Sequence[str], kinds: Sequence[_Kind]) -> int | None:
    """Return the line of the window at which the folded text begins; None if it is not there or has no alphanumeric."""
    ours, theirs = ([_units(line) for line in lines] for lines in (search, window))
    table = _table(chain(ours, theirs), kinds)
    wanted = [_fold_line(line, table) for line in ours]
    if not any(char.isalnum() for line in wanted for char in line):
        return None
    return place(wanted, [_fold_line(line, table) for line in theirs])


def _fewest(pairs: Sequence[_Pair], kinds: Sequence[_Kind]) -> Sequence[_Kind]:
    """Return the first kind that explains all differences alone, else a set of kinds of which none can be left out."""

    def is_enough(some: Sequence[_Kind]) -> bool:
        table = _table(chain.from_iterable((pair.ours, pair.theirs) for pair in pairs), some)
        return all(_fold_line(pair.ours, table) == _fold_line(pair.theirs, table) for pair in pairs)

    for kind in kinds:
        if is_enough([kind]):
            return [kind]
    for kind in reversed(kinds):
        fewer = [other for other in kinds if other is not kind]
        if is_enough(fewer):
            kinds = fewer
    return kinds


def _hint(pairs: Sequence[_Pair], kinds: Sequence[_Kind]) -> Hint:
    places: dict[tuple[str, str], tuple[int, int]] = {}
    table = _table(chain.from_iterable((pair.ours, pair.theirs) for pair in pairs), kinds)
    for pair in pairs:
        for column, ours, theirs in _differences(pair.ours, pair.theirs, table):
            places.setdefault((ours, theirs), (pair.number, column))
    spellings = tuple((*pieces, *where) for pieces, where in places.items())
    return Hint("spelled", words=tuple(kind.name for kind in kinds), spellings=spellings)


def _differences(line: Sequence[str], other: Sequence[str], table: Mapping[str, str]) -> Iterator[tuple[int, str, str]]:
    """Yield where two lines that fold to the same text differ: 1-based column, our spelling, the file's spelling."""
    ours, theirs = _cuts(line, table), _cuts(other, table)
    text, other_text = "".join(line), "".join(other)
    last = other_last = 0
    for cut in sorted(ours.keys() & theirs.keys()):
        (first, stop), (other_first, other_stop) = ours[cut], theirs[cut]
        for start, end, other_start, other_end in (
            (last, first, other_last, other_first),  # the text that folds to the characters before the cut
            (first, stop, other_first, other_stop),  # the text that folds to nothing at the cut
        ):
            if text[start:end] != other_text[other_start:other_end]:
                yield start + 1, text[start:end], other_text[other_start:other_end]
        last, other_last = stop, other_stop


def _cuts(line: Sequence[str], table: Mapping[str, str]) -> dict[int, tuple[int, int]]:
    """Map each length of folded text at a unit's end to the shortest and longest length of text that folds to it."""
    cuts = {0: (0, 0)}
    raw = folded = 0
    for unit in line:
        raw += len(unit)
        folded += len(table[unit])
        cuts[folded] = (cuts.get(folded, (raw, raw))[0], raw)
    return cuts
