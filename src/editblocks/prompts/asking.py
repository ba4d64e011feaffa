"""Mark the blocks for which a model must first see more of the file: it is told to ask for that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.core.codes import ReasonCode
from editblocks.prompts.excerpts import WHOLE_FILE
from editblocks.prompts.failures import Failure
from editblocks.prompts.files import Files


def asking(all_failures: Sequence[Failure], files: Files, *, fresh: bool) -> Iterator[Failure]:
    """Yield the rows, each marked with whether to ask for more of the file.

    In a fresh chat the verb is "Write" instead of "Send": the model has not seen its earlier answer.
    """
    for failure in all_failures:
        asks = (fresh and not failure.raw) or _needs_lines(failure, files)
        yield replace(failure, asks=asks, verb="Write" if fresh else "Send")


def _needs_lines(failure: Failure, files: Files) -> bool:
    """Whether it is unknown which lines were meant, and the file is too long to be shown whole."""
    if failure.code is not ReasonCode.NO_MATCH or failure.candidates or failure.elsewhere or failure.path is None:
        return False
    file = files.text(failure.path)
    return file is None or len(file.lines) > WHOLE_FILE
