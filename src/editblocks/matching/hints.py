"""Hints why a text is not in the file, for a person or a model.

Pure; hints never decide a match (docs/reference/formats.md, diagnosis). Each hint is true of the given lines, and the
work grows linearly with them. `core/explain.py` puts the hints into words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from editblocks.core.model import Hint
from editblocks.matching.near_spelling import place, spelled_otherwise
from editblocks.matching.placeholder_lines import LONGEST_LINE, Placeholder, stands_for_others

MOST_HINTS = 2
_FEWEST_CHARACTERS = 4  # every file has a brace
_NUMBERED = re.compile(r"[ \t]*([0-9]{1,7})(?:\t|[ \t]*[:|│→] ?)")  # line numbers of `cat -n`, editors and chats
_SIGNS = ("{/*", "<!--", "//", "/*", "--", "#", ";", "%")
_CLOSERS = ("*/}", "*/", "-->")
_DOTS = ("...", "…")


def hints(
    search: Sequence[str],
    replace: Sequence[str],
    window: Sequence[str] | None,
    others: Iterable[tuple[str, Sequence[str]]],
) -> list[Hint]:
    """Return at most two hints why `search` is not in its file, the most useful first.

    `window` are the lines of the closest place, with more around them if its start is uncertain; None if nothing is
    close. `others` are paths and lines of the response's other files. Line numbers and columns count from 1; they are
    those of the other file if a hint names one, else those of `search`.
    """
    return list(islice(_all_hints(search, replace, window or (), others), MOST_HINTS))


def _all_hints(
    search: Sequence[str], replace: Sequence[str], window: Sequence[str], others: Iterable[tuple[str, Sequence[str]]]
) -> Iterator[Hint]:
    filled = [line for line in search if line.strip(" \t")]
    if not filled:
        return
    yield from _elsewhere(search, others)
    if hint := spelled_otherwise(search, window):
        yield hint
    else:
        yield from _blank_ends(search, window)
    yield from _line_numbers(search, filled, window)
    yield from _patch(search, filled, window)
    yield from _stand_ins(search, replace, window)


def _elsewhere(search: Sequence[str], others: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Hint]:
    """Yield a hint if another file holds the whole text as it is written."""
    longest = max(search, key=len)
    if len("".join(longest.split())) < _FEWEST_CHARACTERS or not any(map(str.isalnum, longest)):
        return
    places = [(path, start) for path, lines in others if longest in lines for start in _places(search, lines)]
    if not places:
        return
    path, start = places[0]
    yield Hint("elsewhere", (start + 1, start + len(search)), path=path, more=len(places) - 1)


def _places(search: Sequence[str], lines: Sequence[str]) -> Iterator[int]:
    """Yield where `search` is in `lines`, without overlapping places, so that the work is linear."""
    text, wanted = ("".join(f"\n{line}" for line in part) + "\n" for part in (lines, search))
    number = at = 0
    while (position := text.find(wanted, at)) >= 0:
        number += text.count("\n", at, position)
        yield number
        number += len(search)
        at = position + len(wanted) - 1  # the last newline is also the one before the next line


def _line_numbers(search: Sequence[str], filled: Sequence[str], window: Sequence[str]) -> Iterator[Hint]:
    """Yield a hint if every line begins with a line number, and the file's lines do not."""
    matches = [_NUMBERED.match(line) for line in filled]
    numbers = [int(match[1]) for match in matches if match]
    if len(numbers) < len(filled):
        return
    bare = [_NUMBERED.sub("", line, count=1) for line in search]
    rise = len(numbers) > 1 and all(one < other for one, other in pairwise(numbers))
    if _is_in_window(bare, window) or (rise and not any(map(_NUMBERED.match, window))):
        yield Hint("numbered", (numbers[0], numbers[-1]))


def _patch(search: Sequence[str], filled: Sequence[str], window: Sequence[str]) -> Iterator[Hint]:
    """Yield a hint if every line begins with a mark of a patch (`+`, `-`, `@@`), and the file's lines do not."""
    marks = [mark for mark in ("@@", "-", "+") if any(_begins(line, mark) for line in filled)]
    if not marks or not all(line[0] in "+- \\" or _begins(line, "@@") for line in filled):
        return
    rest = [line for line in search if not _begins(line, "@@") and not line.startswith("\\")]
    old = [line[1:] for line in rest if not line.startswith("+")]
    is_certain = _is_in_window(old, window) or _is_in_window([line[1:] for line in rest], window)
    is_likely = marks not in (["-"], ["+"]) and not any(line.startswith(("+", "-", "@@ ")) for line in window)
    if is_certain or is_likely:
        yield Hint("patch", words=tuple(marks))


def _begins(line: str, mark: str) -> bool:
    return line.startswith(mark) and (mark != "@@" or line[2:3] in ("", " "))


def _is_in_window(lines: Sequence[str], window: Sequence[str]) -> bool:
    """Whether `lines`, not all blank, are a run of lines of the window, apart from white space at line ends."""
    stripped = [line.strip(" \t") for line in lines]
    return any(stripped) and place(stripped, [line.strip(" \t") for line in window]) is not None


def _blank_ends(search: Sequence[str], window: Sequence[str]) -> Iterator[Hint]:
    """Yield a hint if the text is in the file without the blank lines that it begins or ends with."""
    filled = [index for index, line in enumerate(search) if line.strip(" \t")]
    first, stop = filled[0], filled[-1] + 1
    if place(search, window) is not None or place(search[first:stop], window) is None:
        return
    ends = [
        name
        for name, part in (("begins", search[:stop]), ("ends", search[first:]))
        if len(part) > stop - first and place(part, window) is None
    ]
    yield Hint("blank-ends", words=tuple(ends or ("begins", "ends")))  # each fits somewhere, not both together


def _stand_ins(search: Sequence[str], replace: Sequence[str], window: Sequence[str]) -> Iterator[Hint]:
    """Yield a hint if a line of the text stands for lines that it leaves out, and the file has no such line."""
    there = {line.strip(" \t") for line in window}
    around = ["", *search, ""]
    elided = {
        number: hint
        for number, line in enumerate(search, 1)
        if (hint := _dots(line) or _stand_in_comment(line, around[number - 1], around[number + 1]))
    }
    number = next((number for number in elided if search[number - 1].strip(" \t") not in there), None)
    if number is None:
        return
    is_loose = all(hint in _DOTS for hint in elided.values()) and len(elided) == sum(map(bool, map(_dots, replace)))
    yield Hint("stand-in", (number, number), (elided[number],), offers_loose=is_loose)


def _stand_in_comment(line: str, above: str, below: str) -> str | None:
    """Return the comment as a message shows it if it surely stands for other lines, else None."""
    if len(line) > LONGEST_LINE or not stands_for_others(line, above, below, "", lost=False):
        return None
    return Placeholder(line.strip(" \t"), is_sure=True).shown


def _dots(line: str) -> str | None:
    """Return the dots of a line that has only dots and comment signs, else None."""
    text = line.strip(" \t")
    sign = next((sign for sign in _SIGNS if text.startswith(sign)), "")
    text = text.removeprefix(sign)
    closer = next((closer for closer in _CLOSERS if text.endswith(closer)), "")
    text = text.removesuffix(closer).strip(" \t")
    return text if text in _DOTS else None
