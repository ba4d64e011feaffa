"""A paragraph for each failed block, or for several that failed alike: sentences, and lines to copy from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from editblocks.codes import ReasonCode
from editblocks.prompts.excerpts import Excerpt, WholeFile, around, fence
from editblocks.prompts.failures import Failure, shown_path
from editblocks.prompts.files import Files, FileText
from editblocks.prompts.sentences import advice, is_copied, problem, several

_CONTEXT = 3  # lines around the closest place: enough to tell it from its like
_FRESH_CONTEXT = 10
_PLACES_SHOWN = 5
_IN_A_FILE = frozenset({ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.STALE, ReasonCode.FILE_EXISTS})


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`told` always stands there; then the excerpts and `advice`, or `otherwise` where none is shown."""

    failures: tuple[Failure, ...]
    told: str
    advice: str = ""
    otherwise: str = ""
    excerpts: tuple[Excerpt | WholeFile, ...] = ()

    def text(self, limit: int) -> str:
        """The paragraph with at most `limit` lines of the file around each place; 0: without any."""
        shown = [text for excerpt in self.excerpts if (text := excerpt.text(limit))]
        if shown and "\n" not in self.told:  # the sentence of the first excerpt goes on in the same line
            lines = [f"{self.told} {shown[0]}", *shown[1:], self.advice]
        else:
            lines = [self.told, *shown, self.advice if shown else self.otherwise]
        return "\n".join(filter(None, lines))


def same_chat(found: Sequence[Failure], files: Files) -> Iterator[Paragraph]:
    """For a model that still has its answer: nothing is repeated, and blocks that fail alike share one."""
    for _, run in groupby(found, _alike):
        failures = tuple(run)
        if _shares(failures[0]):
            yield Paragraph(failures, several(failures))
        else:
            yield _alone(failures[0], files)


def _shares(failure: Failure) -> bool:
    """Whether all that is to be said of it may be true of others too."""
    waits = failure.code is ReasonCode.EARLIER_FAILURE and failure.after is not None
    return waits or failure.code is ReasonCode.TOO_LARGE


def _alike(failure: Failure) -> tuple[object, ...]:
    """What neighbours have in common that share a paragraph."""
    return (failure.code, failure.after, failure.reason) if _shares(failure) else (failure.number,)


def _alone(failure: Failure, files: Files) -> Paragraph:
    told = problem(failure)
    if failure.code is ReasonCode.AMBIGUOUS and not is_copied(failure):
        return Paragraph((failure,), told, otherwise=advice(failure, copies=False))
    excerpts, copied, otherwise = _way_out(failure, files, _CONTEXT)
    if is_copied(failure):
        return Paragraph((failure,), told, copied, otherwise, excerpts)
    return Paragraph((failure,), " ".join(filter(None, (told, otherwise))), excerpts=excerpts)


def fresh(found: Sequence[Failure], files: Files) -> Iterator[Paragraph]:
    """For a model that has seen nothing: the block itself, the reason, and the lines around every place."""
    for failure in found:
        of_file = f", {shown_path(failure.path)}" if failure.path else ""
        raw = fence(failure.raw) if failure.raw else "Its text is not known here: ask for it."
        why = (
            f"It failed, {failure.word}: {failure.says}." if failure.code is not None else "It fits, but not like this."
        )
        excerpts, copied, otherwise = _way_out(failure, files, _FRESH_CONTEXT)
        told = f"Block {failure.number}{of_file}:\n{raw}\n{why}"
        copied, otherwise = (text.replace("Send ", "Write ", 1) for text in (copied, otherwise))
        yield Paragraph((failure,), told, copied, otherwise, excerpts)


def _way_out(failure: Failure, files: Files, context: int) -> tuple[tuple[Excerpt | WholeFile, ...], str, str]:
    """The lines of the file that help, what to do with them, and what to do without them."""
    file = files.text(failure.path) if failure.path and failure.code in _IN_A_FILE else None
    is_empty = file is not None and not file.lines
    copied, otherwise = (advice(failure, copies=copies, is_empty=is_empty) for copies in (True, False))
    if file is None:
        return (), copied, otherwise
    places = _places(failure, file, context) if failure.candidates else (WholeFile(file),)
    return places, copied, otherwise


def _places(failure: Failure, file: FileText, context: int) -> tuple[Excerpt, ...]:
    """Around the best place, or around each where there are several to choose from; those that meet are one."""
    several_places = failure.code is ReasonCode.AMBIGUOUS
    found: list[Excerpt] = []
    for candidate in failure.candidates[: _PLACES_SHOWN if several_places else 1]:
        excerpt = around(file, candidate, failure.searched, context, failure.differs_at)
        if found and found[-1].start <= excerpt.start <= found[-1].stop:
            last = max(found[-1].place[1], excerpt.place[1])
            found[-1] = replace(found[-1], stop=max(found[-1].stop, excerpt.stop), place=(found[-1].place[0], last))
        else:
            found.append(excerpt)
    return tuple(found)
