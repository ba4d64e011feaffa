"""Which parts of a changed line differ from the line that it was, or became.

Words are compared first, then the characters of a word in the place of another one. Lines that have less than 40 % in
common get no marks: they are other lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from editblocks.matching.align import kept_lines

LONGEST = 2_000  # characters of a line that gets marks
MOST_PAIRS = 4_000_000  # of words, that are compared on one page
_A_PAIR = 100  # what a pair of lines costs at least
_LEAST_ALIKE = 0.4
_WORD = re.compile(r"\w+|\s+|[^\w\s]")

_words = lru_cache(maxsize=4096)(lambda line: tuple(_WORD.findall(line)))

Spans = list[tuple[int, int]]  # characters, 0-based, half-open


class Marker:
    """Marks pairs of lines, as long as that is cheap."""

    def __init__(self) -> None:
        self._left = MOST_PAIRS

    def marks(self, old: Sequence[str], new: Sequence[str]) -> tuple[list[Spans], list[Spans]]:
        """The parts that differ in each line of two runs, where one run takes the place of the other."""
        old_marks: list[Spans] = [[] for _ in old]
        new_marks: list[Spans] = [[] for _ in new]
        first = 0
        for number, line in enumerate(old):
            others = range(first, len(new)) if len(old) != len(new) else range(number, number + 1)
            for other in others:
                if self._left < 0:  # what was compared costs enough
                    return old_marks, new_marks
                found = self._pair(line, new[other])
                if found is not None:
                    old_marks[number], new_marks[other] = found
                    first = other + 1
                    break
        return old_marks, new_marks

    def _pair(self, old: str, new: str) -> tuple[Spans, Spans] | None:
        """The parts that differ; None for lines with too little in common, or too long to compare."""
        if max(len(old), len(new)) > LONGEST or not old.strip() or not new.strip():
            self._left -= _A_PAIR
            return None
        words, others = _words(old), _words(new)
        self._left -= len(words) * len(others) + _A_PAIR
        if self._left < 0:
            return None
        kept = sum(len(others[there]) for there in kept_lines(words, others) if not others[there].isspace())
        least = _LEAST_ALIKE * max(len("".join(old.split())), len("".join(new.split())))
        if kept < least:
            return None
        spans: tuple[Spans, Spans] = [], []
        for gone, come, start, new_start in _gaps(words, others):
            old_spans, new_spans = self._within(gone, come)
            spans[0].extend((start + first, start + last) for first, last in old_spans)
            spans[1].extend((new_start + first, new_start + last) for first, last in new_spans)
        return spans

    def _within(self, gone: str, come: str) -> tuple[Spans, Spans]:
        """The characters that differ between two pieces, or all of both."""
        whole = [(0, len(gone))] if gone else [], [(0, len(come))] if come else []
        is_word = re.fullmatch(r"\w+", gone) and re.fullmatch(r"\w+", come)
        kept = kept_lines(gone, come) if is_word else {}
        if not is_word or len(kept) < _LEAST_ALIKE * max(len(gone), len(come)):
            return whole
        old_kept, new_kept = set(kept.values()), set(kept)
        return _runs(gone, old_kept), _runs(come, new_kept)


def _gaps(words: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str, int, int]]:
    """Yield what stands between two kept words, on both sides, and where that begins."""
    kept = [*kept_lines(words, others).items(), (len(others), len(words))]
    old = new = old_start = new_start = 0
    for new_stop, old_stop in sorted(kept):
        gone, come = "".join(words[old:old_stop]), "".join(others[new:new_stop])
        if gone or come:
            yield gone, come, old_start, new_start
        length = len(others[new_stop]) if new_stop < len(others) else 0
        old, new = old_stop + 1, new_stop + 1
        old_start, new_start = old_start + len(gone) + length, new_start + len(come) + length


def _runs(text: str, kept: set[int]) -> Spans:
    spans: Spans = []
    for index in range(len(text)):
        if index in kept:
            continue
        if spans and spans[-1][1] == index:
            spans[-1] = spans[-1][0], index + 1
        else:
            spans.append((index, index + 1))
    return spans
