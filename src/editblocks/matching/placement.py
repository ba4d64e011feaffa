"""What a search gives, and what it may cost."""

from __future__ import annotations

from dataclasses import dataclass

from editblocks.core.model import Note

STEPS_A_BLOCK = 2_000_000
STEPS_A_RESPONSE = 20_000_000
LINES_A_RESPONSE = 2_000_000


@dataclass(frozen=True, slots=True)
class Placement:
    """A change: lines `start:stop` (0-based, half-open) become `new`, as `SourceText.splice` takes it.

    In `new` a str is a new line, an int is the index of a kept line of the file. `strategy` is `create` for a new file,
    which has no lines to be replaced.
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

    @property
    def added(self) -> int:
        """How many lines are new."""
        return sum(isinstance(line, str) for line in self.new)

    @property
    def removed(self) -> int:
        """How many lines of the file are removed."""
        return self.stop - self.start - sum(isinstance(line, int) for line in self.new)

    @property
    def kept(self) -> tuple[str | int, ...]:
        """What `new` is if the lines stay as they are."""
        return tuple(range(self.start, self.stop))


@dataclass(slots=True)
class Budget:
    """What one response may still use, so that a hostile one gets no hint rather than a long wait.

    `left` are character steps; `merged_lines` are lines to merge with a base.
    """

    left: int = STEPS_A_RESPONSE
    merged_lines: int = LINES_A_RESPONSE
