"""Find the parts of a changed line that differ between its old and its new text.

Words are compared first, then the characters of a word and of the word that replaces it. Lines that have less than
40 % in common get no marks, because one does not come from the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from editblocks.matching.align import kept_lines

LONGEST = 2_000  # characters of a line that gets marks
MOST_PAIRS = 4_000_000  # pairs of words that are compared on one page
_A_PAIR = 100  # the least cost of a pair of lines, in pairs of words
_LEAST_ALIKE = 0.4
_WORD = re.compile(r"\w+|\s+|[^\w\s]")

_words = lru_cache(maxsize=4096)(lambda line: tuple(_WORD.findall(line)))

Spans = list[tuple[int, int]]  # characters, 0-based, half-open


class Marker:
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
                found = self._pair(line, new[other])
                if found is not None:
                    old_marks[number], new_marks[other] = found
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
            old_spans += _runs(len(gone), set(kept_characters.values()), old_start)
            new_spans += _runs(len(come), set(kept_characters), new_start)
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
        gone, come = "".join(words[old:old_stop]), "".join(others[new:new_stop])
        if gone or come:
            yield gone, come, old_start, new_start
        length = len(others[new_stop]) if new_stop < len(others) else 0
        old = old_stop + 1
        new = new_stop + 1
        old_start += len(gone) + length
        new_start += len(come) + length


def _runs(length: int, kept: set[int], start: int) -> Spans:
    """Return the runs of characters that are not kept, in a piece that begins at `start`."""
    spans: Spans = []
    for is_kept, part in groupby(range(length), kept.__contains__):
        run = list(part)
        if not is_kept:
            spans.append((start + run[0], start + run[-1] + 1))
    return spans
