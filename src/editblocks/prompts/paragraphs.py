"""A paragraph for each failed block, and what makes a prompt of them fit its limit.

First the pieces of files get shorter, then the last blocks get none, then only their codes are left. A paragraph is
used in one of its forms or not at all, so that no line and no fence is ever cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from editblocks.core.blocks import section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import blocks, join_words, plural
from editblocks.core.typed import NamedTuple
from editblocks.prompts.failures import Failure, shown_path
from editblocks.prompts.files import Excerpt, Files, FileText, fence, widen
from editblocks.prompts.sentences import advice, is_copied, problem
from editblocks.text.line_index import find_in

_CONTEXT = 3  # lines around the closest place: enough to tell it from similar places
_FRESH_CONTEXT = 10
_PLACES_SHOWN, _PLACE_CONTEXT = 6, 2  # of a text that stands in several places; lines around each
_IN_A_FILE = frozenset({ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.STALE, ReasonCode.FILE_EXISTS})

GAP = len("\n\n")
_LIMITS = (10_000, 100, 50, 30, 20, 12, 8, 5, 3)  # lines of a file around each place
_SHORTEST = 30  # characters of the shortest paragraph: no more are built than could fit
_RUN = len("block 1 stale")
_TRIES = 16
_LISTED = "no room for more"

EXAMPLE = "\n".join(
    (
        "A block looks like this:",
        fence(
            "path/of/the/file.py\n<<<<<<< SEARCH\nthe old lines, as they are in the file\n"
            "=======\nthe new lines\n>>>>>>> REPLACE\n"
        ),
    )
)


# The rules for writing edit blocks in a few words, for the end of a long prompt.
REMINDER = """\
Before you answer:
- Write the path of the file alone on its line above the block, as given unless it is said to be \
wrong: not bold, not quoted, no comment sign. \
Fence blocks with four back-ticks. If the text itself holds marker lines, use markers of 8 characters.
- Copy old lines character for character, with their comments, blank lines and indentation.
- Take enough of them to fit one place, two or three above or below; two places are refused. Keep blocks small and \
in reading order: each sees what those before it did.
- Write out every line: no `...`, no "rest unchanged".
- An empty old part creates a file; an empty new part deletes the old lines. To move code, delete it with one \
block and insert it with another."""


class Paragraph(NamedTuple):
    """A problem, then excerpts of the files and `advice`; without excerpts, `advice_without_excerpt` instead."""

    problem: str
    advice: str = ""
    advice_without_excerpt: str = ""
    excerpts: tuple[Excerpt, ...] = ()

    def text(self, limit: int, *, named: bool = False) -> str:
        """Return the paragraph with at most `limit` lines of the file around each place; 0 means none."""
        shown = [text for excerpt in self.excerpts if (text := excerpt.text(limit, named=named))]
        return "\n".join(filter(None, [self.problem, *shown, self.advice if shown else self.advice_without_excerpt]))


def paragraphs(all_failures: Sequence[Failure], files: Files, *, fresh: bool) -> Iterator[Paragraph]:
    """Yield the paragraphs; the first one about a block in another format has an example of a block.

    A model in the same chat still has its answer: no block is repeated. In a fresh chat it gets the block itself, the
    reason, and the lines around every place.
    """
    is_told = False
    for failure in all_failures:
        paragraph = _paragraph(failure, files, fresh)
        if failure.is_other_format and not is_told:
            text = "\n".join(filter(None, (paragraph.advice_without_excerpt, EXAMPLE)))
            paragraph, is_told = paragraph._replace(advice_without_excerpt=text), True
        yield paragraph


def _paragraph(failure: Failure, files: Files, fresh: bool) -> Paragraph:
    file = files.text(failure.path) if failure.path and failure.code in _IN_A_FILE else None
    is_empty = file is not None and not file.lines
    copied, otherwise = (advice(failure, copies=copies, is_empty=is_empty) for copies in (True, False))
    reason = problem(failure)
    if fresh:
        of_file = f", {shown_path(failure.path)}" if failure.path else ""
        raw = fence(failure.raw) if failure.raw else "Its text is not known here."
        why = "It fits, but not like this." if failure.fits else f"It failed, {failure.code.value}: {failure.reason}."
        reason = f"Block {failure.number}{of_file}:\n{raw}\n{why}"
    return Paragraph(reason, copied, otherwise, _excerpts(failure, file, files, fresh))


def _excerpts(failure: Failure, file: FileText | None, files: Files, fresh: bool) -> tuple[Excerpt, ...]:
    """The lines of files that help to write the block."""
    is_told_apart = failure.code is ReasonCode.AMBIGUOUS and not is_copied(failure)
    context = _PLACE_CONTEXT if is_told_apart else _CONTEXT
    if fresh:
        context = _FRESH_CONTEXT
    if failure.elsewhere is not None:
        return _in_the_other_file(failure, failure.elsewhere.path, files, context)
    if file is None:
        return ()
    whole = Excerpt(file, 0, len(file.lines), (0, len(file.lines)), is_whole=True)
    return _places(failure, file, context) if failure.mismatch.candidates else (whole,)


def _in_the_other_file(failure: Failure, path: str, files: Files, context: int) -> tuple[Excerpt, ...]:
    """The text that is not in the file it was meant for, where it is."""
    file, lines = files.text(path), section_lines(failure.block.search) if failure.block is not None else []
    start = None if file is None else next(find_in(lines, file.lines), None)
    spans = [] if file is None or start is None else [(file, (start, start + len(lines)))]
    return tuple(widen(file._replace(name=shown_path(path)), span, context) for file, span in spans)


def _places(failure: Failure, file: FileText, context: int) -> tuple[Excerpt, ...]:
    """Return an excerpt around the best place, or around each of several; excerpts that touch are joined."""
    excerpts: list[Excerpt] = []
    difference = failure.mismatch.first_difference
    for candidate in failure.mismatch.candidates[: _PLACES_SHOWN if failure.code is ReasonCode.AMBIGUOUS else 1]:
        focus = None if difference is None else file.line(difference.line, candidate)
        excerpt = widen(file, file.place(candidate), context, focus)
        if excerpts and excerpts[-1].start <= excerpt.start <= excerpts[-1].stop:
            above = excerpts.pop()
            place = above.place[0], max(above.place[1], excerpt.place[1])
            excerpt = above._replace(stop=max(above.stop, excerpt.stop), place=place)
        excerpts.append(excerpt)
    return tuple(excerpts)


def fit_into_room(shown: Iterable[Paragraph], failures: Sequence[Failure], room: int) -> list[str]:
    """Return texts that fit into `room` characters, each with a gap after it. `failures`: those of all paragraphs.

    If not all fit even without files, the first paragraphs, and a line that lists the other failures; or else one line.
    """
    first = list(islice(shown, room // _SHORTEST + 1))
    if len(first) == len(failures) and (texts := with_files(first, room, (*_LIMITS, 0))) is not None:
        return texts
    bare = [paragraph.text(0) for paragraph in first]
    for count in range(len(bare) - 1, 0, -(len(bare) // _TRIES + 1)):
        texts = [
            *bare[:count],
            _sentence(f"Also failed, {_LISTED}", [run for run, _ in _runs(failures[count:])]),
        ]
        if _size(texts) <= room:
            return texts
    return [listing(f"Failed, {_LISTED}", failures, room - GAP)]


def with_files(paragraphs: Sequence[Paragraph], room: int, limits: Sequence[int] = _LIMITS) -> list[str] | None:
    """Return all paragraphs with as many lines of files as fit; None if they do not fit with the last of `limits`.

    Definitions around the places are named if there is room left for all of their names.
    """
    for limit in limits:
        texts = [paragraph.text(limit) for paragraph in paragraphs]
        if _size(texts) <= room:
            named = [paragraph.text(limit, named=True) for paragraph in paragraphs]
            return named if _size(named) <= room else texts
    return None


def _size(texts: Sequence[str]) -> int:
    return sum(len(text) + GAP for text in texts)


def listing(lead: str, failures: Sequence[Failure], room: int) -> str:
    """`Failed: block 4 ambiguous and blocks 5-9 no-match.`; ends in a count of the blocks that do not fit in."""
    items = list(_runs(failures))
    for count in range(min(len(items), room // _RUN), 0, -1):
        left = len(failures) - sum(size for _, size in items[:count])
        line = _sentence(lead, [*(run for run, _ in items[:count]), *([f"{left} more"] if left else [])])
        if len(line) <= room:
            return line
    return f"{lead}: {plural(len(failures), 'block')}."


def _sentence(lead: str, items: Sequence[str]) -> str:
    return f"{lead}: {join_words(items)}."


def _runs(failures: Sequence[Failure]) -> Iterator[tuple[str, int]]:
    """Yield `blocks 5-9 no-match` and their number, for neighbours with the same code."""
    for _, run in groupby(enumerate(failures), lambda item: (item[1].code, item[1].number - item[0])):
        alike = [failure for _, failure in run]
        yield f"{blocks([failure.number for failure in alike])} {alike[0].code.value}", len(alike)
