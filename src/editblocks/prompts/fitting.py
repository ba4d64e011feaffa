"""Makes a prompt fit: shorter pieces of files, then none for the last blocks, then their numbers and codes alone.

A paragraph is taken in one of its forms or not at all, so that no line and no fence is ever cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice

from editblocks.prompts.failures import Failure
from editblocks.prompts.paragraphs import Paragraph
from editblocks.report.wording import blocks, joined, plural

GAP = len("\n\n")
_LIMITS = (10_000, 100, 50, 30, 20, 12, 8, 5, 3)  # lines of a file around each place
_SHORTEST = 30  # characters of a paragraph: of more than have room, no text is made
_TRIES = 16


def fitted(paragraphs: Iterable[Paragraph], failures: Sequence[Failure], room: int) -> list[str]:
    """What `room` characters hold, each text counted with a gap behind it. `failures` are those of all paragraphs."""
    if not failures:
        return []
    first = list(islice(paragraphs, room // _SHORTEST + 1))
    if sum(len(paragraph.failures) for paragraph in first) < len(failures):
        return _listed(first, failures, room)
    return with_files(first, room) or _with_some_files(first, room) or _listed(first, failures, room)


def with_files(paragraphs: Sequence[Paragraph], room: int) -> list[str] | None:
    """All paragraphs, as much of the files as there is room for; None if that is less than 3 lines around a place."""
    for limit in _LIMITS:
        texts = [paragraph.text(limit) for paragraph in paragraphs]
        if _sums(texts)[-1] <= room:
            return texts
    return None


def _with_some_files(paragraphs: Sequence[Paragraph], room: int) -> list[str] | None:
    """All paragraphs, the first ones with a few lines of their files; None if they do not fit without any."""
    few, bare = ([paragraph.text(limit) for paragraph in paragraphs] for limit in (_LIMITS[-1], 0))
    head, tail = _sums(few), _sums(bare[::-1])[::-1]
    for count in range(len(few) - 1, -1, -1):
        if head[count] + tail[count] <= room:
            return [*few[:count], *bare[count:]]
    return None


def _listed(paragraphs: Sequence[Paragraph], failures: Sequence[Failure], room: int) -> list[str]:
    """The first paragraphs without files, and a line that lists the other failures; that line alone if it is long."""
    bare = [paragraph.text(0) for paragraph in paragraphs]
    told = list(accumulate((len(paragraph.failures) for paragraph in paragraphs), initial=0))
    for count in range(len(bare) - 1, 0, -(len(bare) // _TRIES + 1)):
        rest = room - _sums(bare[:count])[-1] - GAP
        if (
            rest > 0
            and len(line := _sentence("Also failed, no room for more", list(_runs(failures[told[count] :])))) <= rest
        ):
            return [*bare[:count], line]
    return [listing("Failed, no room for more", failures, room - GAP)]


def _sums(texts: Sequence[str]) -> list[int]:
    """How long the first 0, 1, 2 … texts are, each with the gap behind it."""
    return list(accumulate((len(text) + GAP for text in texts), initial=0))


def listing(lead: str, failures: Sequence[Failure], room: int) -> str:
    """`Failed: block 4 ambiguous and blocks 5-9 no-match.`; at the end, how many more there are."""
    items, left = list(_runs(failures)), len(failures)
    if len(line := _sentence(lead, items)) <= room:
        return line
    line = f"{lead}: {plural(left, 'block')}."
    for count, (_, size) in enumerate(items, 1):
        left -= size
        longer = _sentence(lead, [*items[:count], (f"{left} more", left)])
        if len(longer) > room:
            break
        line = longer
    return line


def _sentence(lead: str, items: Sequence[tuple[str, int]]) -> str:
    return f"{lead}: {joined([item for item, _ in items])}."


def _runs(failures: Sequence[Failure]) -> Iterator[tuple[str, int]]:
    """`blocks 5-9 no-match` and how many they are, for neighbours that failed alike."""
    run: list[Failure] = []
    for failure in failures:
        if run and (failure.word, failure.number) != (run[-1].word, run[-1].number + 1):
            yield _named(run)
            run = []
        run.append(failure)
    if run:
        yield _named(run)


def _named(run: Sequence[Failure]) -> tuple[str, int]:
    return f"{blocks([failure.number for failure in run])} {run[0].word}", len(run)
