"""The result of placing one block in one text: lines that change, or nothing to do. A block that does not fit is a
`Mismatch`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Note


@dataclass(frozen=True, slots=True)
class Placement:
    """The block changes lines `start:stop`; `new` is what takes their place, as `SourceText.splice` takes it.

    `strategy` is `create` for a new file, which has no lines to be replaced.
    """

    strategy: str
    confidence: str
    start: int
    stop: int
    new: tuple[str | int, ...]
    notes: tuple[Note, ...] = ()
    similarity: float = 1.0
    chosen: bool = False  # a person picked the place
    shift: tuple[int, str] | None = None  # see `EditResult`

    def noting(self, note: Note) -> Placement:
        """The same with one more note."""
        return replace(self, notes=(*self.notes, note))

    @property
    def added(self) -> tuple[str, ...]:
        """The lines that were not in the file."""
        return tuple(line for line in self.new if isinstance(line, str))

    @property
    def removed(self) -> int:
        """How many lines of the file are removed."""
        return self.stop - self.start - sum(isinstance(line, int) for line in self.new)


@dataclass(frozen=True, slots=True)
class NothingToDo:
    """Nothing is left to do; `what` says why. `line` (0-based) is where the new text stands already, if anywhere."""

    code: ReasonCode
    what: str
    line: int | None = None
