"""Hints why a text is not in the file (docs/reference/rules.md, diagnosis); `core/explain.py` puts them into words.

Pure; hints never decide a match. Each is true for the given lines, and the work grows linearly with them. A fold makes
all spellings of one kind equal. So texts that some folds make equal differ only in these kinds of spelling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby, pairwise
from unicodedata import combining, normalize

from editblocks.core.characters import is_invisible
from editblocks.core.mismatch import Hint
from editblocks.core.phrases import cut
from editblocks.matching.align import common_start
from editblocks.matching.placeholder_lines import elision, stands_for_others
from editblocks.text.line_index import find_in

_FEWEST_CHARACTERS = 4  # every file has a brace
_NUMBERED = r"[ \t]*([0-9]{1,7})(?:\t|[ \t]*[:|│→] ?)"  # line numbers of `cat -n`, editors and chats

_LONGEST_LINE = 4096  # characters; the spelling of a text with a longer line is not compared
_WIDEST = 8  # nor that of a window with more than 8 times the text's characters
_MOST_MARKS = 30  # combining marks in a row: ordering more of them would take quadratic time
_ENTITY = r"&(?:amp;)*(?:(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)?"
_UNIT = rf"(?s){_ENTITY}|\\+|[ \t]+|[_*`]+|."  # what a hint shows as one piece
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
    yield Hint("spelled", words=("quotes",), pieces=_first_difference(text, file_text))


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
    "HTML entities": lambda line: re.sub(_ENTITY, _entity, line),
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
    pieces = _first_difference(re.findall(_UNIT, ours), re.findall(_UNIT, theirs))
    return Hint("spelled", words=tuple(kinds), pieces=pieces)


def _first_difference(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str]:
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
