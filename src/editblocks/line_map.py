"""Which line of the branch's file each line of the planned text was: people read numbers from the branch."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

_NEW = -1


class LineMap:
    """For each line of a text, the 0-based line of the original it is, unless a block wrote it."""

    __slots__ = ("_origins",)

    def __init__(self, count: int) -> None:
        self._origins = array("q", range(count))

    def splice(self, start: int, stop: int, new: Sequence[str | int]) -> None:
        """Follow `SourceText.splice` with the same arguments."""
        origins = (self._origins[line] if isinstance(line, int) else _NEW for line in new)
        self._origins[start:stop] = array("q", origins)

    def head(self, line: int) -> int | None:
        """The original's line (0-based) that this one is; None if a block wrote it. Past the end: past its end."""
        if line >= len(self._origins):
            return line
        origin = self._origins[line]
        return None if origin == _NEW else origin

    def shown(self, line: int) -> int:
        """The 1-based number for people: of the original where there is one, else of the text."""
        head = self.head(line)
        return (line if head is None else head) + 1

    def span(self, start: int, stop: int) -> tuple[int, int] | None:
        """The original's lines that `start:stop` are, if they are a run of it."""
        if stop <= start:
            return None
        run = self._origins[start:stop]
        first = run[0]
        return (
            (first, first + len(run)) if first != _NEW and run == array("q", range(first, first + len(run))) else None
        )

    def __iter__(self) -> Iterator[int | None]:
        return (None if origin == _NEW else origin for origin in self._origins)
