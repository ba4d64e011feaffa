"""Build a paragraph for each failed block, or for several alike: sentences, and lines of the file to copy from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from editblocks.core.codes import ReasonCode
from editblocks.prompts.excerpts import Excerpt, WholeFile, around, fence, widen
from editblocks.prompts.failures import Failure, shown_path
from editblocks.prompts.files import Files, FileText
from editblocks.prompts.sentences import advice, is_copied, problem, several
from editblocks.text.line_index import find_in

_CONTEXT = 3  # lines around the closest place: enough to tell it from similar places
_FRESH_CONTEXT = 10
_PLACES_SHOWN = 5
_IN_A_FILE = frozenset({ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.STALE, ReasonCode.FILE_EXISTS})

EXAMPLE = "\n".join(
    (
        "A block looks like this:",
        fence(
            "path/of/the/file.py\n<<<<<<< SEARCH\nthe old lines, as they are in the file\n"
            "=======\nthe new lines\n>>>>>>> REPLACE\n"
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A problem, then excerpts of the files and `advice`; without excerpts, `advice_without_excerpt` instead."""

    failures: tuple[Failure, ...]
    problem: str
    advice: str = ""
    advice_without_excerpt: str = ""
    excerpts: tuple[Excerpt | WholeFile, ...] = ()

    def text(self, limit: int) -> str:
        """Return the paragraph with at most `limit` lines of the file around each place; 0 means none."""
        show_text = [text for excerpt in self.excerpts if (text := excerpt.text(limit))]
        if show_text and "\n" not in self.problem:  # the first excerpt's sentence goes on the same line
            lines = [f"{self.problem} {show_text[0]}", *show_text[1:], self.advice]
        else:
            lines = [self.problem, *show_text, self.advice if show_text else self.advice_without_excerpt]
        return "\n".join(filter(None, lines))


def same_chat(all_failures: Sequence[Failure], files: Files) -> Iterator[Paragraph]:
    """Yield paragraphs for a model that still has its answer: no block is repeated, and some failures share one."""
    runs = (tuple(run) for _, run in groupby(all_failures, _alike))
    return _with_example(Paragraph(run, several(run)) if _shares(run[0]) else _alone(run[0], files) for run in runs)


def _shares(failure: Failure) -> bool:
    """Whether the failure may share a paragraph with others that failed alike."""
    return failure.code is ReasonCode.TOO_LARGE


def _alike(failure: Failure) -> tuple[object, ...]:
    """Return the key that is equal for neighbours that share a paragraph."""
    return (failure.code, failure.what) if _shares(failure) else (failure.number,)


def _with_example(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """Add an example of a block to the first paragraph about a block in another format."""
    is_told = False
    for paragraph in paragraphs:
        if is_told or not paragraph.failures[0].is_other_format:
            yield paragraph
            continue
        is_told = True
        yield replace(
            paragraph, advice_without_excerpt="\n".join(filter(None, (paragraph.advice_without_excerpt, EXAMPLE)))
        )


def _alone(failure: Failure, files: Files) -> Paragraph:
    reason = problem(failure)
    if failure.code is ReasonCode.AMBIGUOUS and not is_copied(failure):
        return Paragraph((failure,), reason, advice_without_excerpt=advice(failure, copies=False))
    excerpts, copied, otherwise = _way_out(failure, files, _CONTEXT)
    if is_copied(failure):
        return Paragraph((failure,), reason, copied, otherwise, excerpts)
    return Paragraph((failure,), " ".join(filter(None, (reason, otherwise))), excerpts=excerpts)


def fresh(all_failures: Sequence[Failure], files: Files) -> Iterator[Paragraph]:
    """Yield paragraphs for a model in a fresh chat: the block itself, the reason, and the lines around every place."""
    return _with_example(_same_again(failure, files) for failure in all_failures)


def _same_again(failure: Failure, files: Files) -> Paragraph:
    of_file = f", {shown_path(failure.path)}" if failure.path else ""
    raw = fence(failure.raw) if failure.raw else "Its text is not known here."
    why = f"It failed, {failure.word}: {failure.says}." if failure.code is not None else "It fits, but not like this."
    excerpts, copied, otherwise = _way_out(failure, files, _FRESH_CONTEXT)
    reason = f"Block {failure.number}{of_file}:\n{raw}\n{why}"
    return Paragraph((failure,), reason, copied, otherwise, excerpts)


def _way_out(failure: Failure, files: Files, context: int) -> tuple[tuple[Excerpt | WholeFile, ...], str, str]:
    """Return the excerpts that help, the advice with them, and the advice without them."""
    if failure.elsewhere is not None:
        what = advice(failure, copies=False)
        return _in_the_other_file(failure, failure.elsewhere.path, files, context), what, what
    file = files.text(failure.path) if failure.path and failure.code in _IN_A_FILE else None
    is_empty = file is not None and not file.lines
    copied, otherwise = (advice(failure, copies=copies, is_empty=is_empty) for copies in (True, False))
    if file is None:
        return (), copied, otherwise
    places = _places(failure, file, context) if failure.candidates else (WholeFile(file),)
    return places, copied, otherwise


def _in_the_other_file(failure: Failure, path: str, files: Files, context: int) -> tuple[Excerpt, ...]:
    """The text that is not in the file it was meant for, where it is."""
    file = files.text(path)
    start = None if file is None else next(find_in(failure.searched, file.lines), None)
    spans = [] if file is None or start is None else [(file, (start, start + len(failure.searched)))]
    return tuple(widen(replace(file, name=shown_path(path)), span, context) for file, span in spans)


def _places(failure: Failure, file: FileText, context: int) -> tuple[Excerpt, ...]:
    """Return an excerpt around the best place, or around each of several; excerpts that touch are joined."""
    several_places = failure.code is ReasonCode.AMBIGUOUS
    excerpts: list[Excerpt] = []
    for candidate in failure.candidates[: _PLACES_SHOWN if several_places else 1]:
        excerpt = around(file, candidate, context, failure.differs_at)
        if excerpts and excerpts[-1].start <= excerpt.start <= excerpts[-1].stop:
            last = max(excerpts[-1].place[1], excerpt.place[1])
            excerpts[-1] = replace(
                excerpts[-1], stop=max(excerpts[-1].stop, excerpt.stop), place=(excerpts[-1].place[0], last)
            )
        else:
            excerpts.append(excerpt)
    return tuple(excerpts)
