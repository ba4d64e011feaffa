"""Make a prompt fit its limit: shorter pieces of files, then no pieces for the last blocks, then only their codes.

A paragraph is used in one of its forms or not at all, so that no line and no fence is ever cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, islice

from editblocks.core.phrases import blocks, join_words, plural
from editblocks.prompts.failures import Failure
from editblocks.prompts.paragraphs import Paragraph

GAP = len("\n\n")
_LIMITS = (10_000, 100, 50, 30, 20, 12, 8, 5, 3)  # lines of a file around each place
_SHORTEST = 30  # characters of the shortest paragraph: no more are built than could fit
_RUN = len("block 1 stale")
_TRIES = 16
_LISTED = "no room for more"


def fit_into_room(paragraphs: Iterable[Paragraph], failures: Sequence[Failure], room: int) -> list[str]:
    """Return texts that fit into `room` characters, each with a gap after it. `failures`: those of all paragraphs."""
    if not failures:
        return []
    first = list(islice(paragraphs, room // _SHORTEST + 1))
    if sum(len(paragraph.failures) for paragraph in first) < len(failures):
        return _list_the_rest(first, failures, room)
    return with_files(first, room) or _with_some_files(first, room) or _list_the_rest(first, failures, room)


def with_files(paragraphs: Sequence[Paragraph], room: int) -> list[str] | None:
    """Return all paragraphs with as many lines of files as fit; None if not even 3 lines around each place fit."""
    for limit in _LIMITS:
        texts = [paragraph.text(limit) for paragraph in paragraphs]
        if _sums(texts)[-1] <= room:
            return texts
    return None


def _with_some_files(paragraphs: Sequence[Paragraph], room: int) -> list[str] | None:
    """Return all paragraphs, the first ones with a few lines of files; None if they do not fit without any."""
    few, bare = ([paragraph.text(limit) for paragraph in paragraphs] for limit in (_LIMITS[-1], 0))
    head, tail = _sums(few), _sums(bare[::-1])[::-1]
    for count in range(len(few) - 1, -1, -1):
        if head[count] + tail[count] <= room:
            return [*few[:count], *bare[count:]]
    return None


def _list_the_rest(paragraphs: Sequence[Paragraph], failures: Sequence[Failure], room: int) -> list[str]:
    """Return the first paragraphs without files, and a line that lists the other failures.

    If that does not fit, return one line that lists all failures.
    """
    bare = [paragraph.text(0) for paragraph in paragraphs]
    counts = list(accumulate((len(paragraph.failures) for paragraph in paragraphs), initial=0))
    for count in range(len(bare) - 1, 0, -(len(bare) // _TRIES + 1)):
        rest = room - _sums(bare[:count])[-1] - GAP
        line = _sentence(f"Also failed, {_LISTED}", list(_runs(failures[counts[count] :])))
        if len(line) <= rest:
            return [*bare[:count], line]
    return [listing(f"Failed, {_LISTED}", failures, room - GAP)]


def _sums(texts: Sequence[str]) -> list[int]:
    """Return the total length of the first 0, 1, 2 … texts, each with the gap after it."""
    return list(accumulate((len(text) + GAP for text in texts), initial=0))


def listing(lead: str, failures: Sequence[Failure], room: int) -> str:
    """`Failed: block 4 ambiguous and blocks 5-9 no-match.`; ends in a count of the blocks that do not fit in."""
    items = list(_runs(failures))
    if len(line := _sentence(lead, items)) <= room:
        return line
    for count in range(min(len(items) - 1, room // _RUN), 0, -1):
        left = len(failures) - sum(size for _, size in items[:count])
        if len(line := _sentence(lead, [*items[:count], (f"{left} more", left)])) <= room:
            return line
    return f"{lead}: {plural(len(failures), 'block')}."


def _sentence(lead: str, items: Sequence[tuple[str, int]]) -> str:
    return f"{lead}: {join_words([item for item, _ in items])}."


def _runs(failures: Sequence[Failure]) -> Iterator[tuple[str, int]]:
    """Yield `blocks 5-9 no-match` and their number, for neighbours with the same code."""
    for _, run in groupby(enumerate(failures), lambda item: (item[1].word, item[1].number - item[0])):
        alike = [failure for _, failure in run]
        yield f"{blocks([failure.number for failure in alike])} {alike[0].word}", len(alike)
