"""Line numbers of a hunk. They find nothing: they choose among exact places, and tell a second run from a first.

Rules: docs/reference/formats.md, "where a hunk counts".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editblocks.core.typed import NamedTuple
from editblocks.matching.align import Match
from editblocks.text.source_text import SourceText


class LineNumbers(NamedTuple):
    """Where a block says that it stands: 1-based lines before and after all blocks of its group (0: not said)."""

    before: int
    after: int
    agree: Callable[[], bool]  # whether the others of its group that stand on the branch stand where they say
    all_stand: Callable[[], bool]  # whether all the others do

    def place(self, search: Sequence[str], source: SourceText) -> Match | None:
        """The place of SEARCH that begins at its own line."""
        return _on_the_branch(self.before, search, source)

    def result_beside(self, place: Match, new: Sequence[str], source: SourceText) -> Match | None:
        """Where the new lines stand, at their own line, although `place` is elsewhere: it may be a twin.

        Among equal lines, those of SEARCH may begin there as well: then the other blocks say whether this is done.
        """
        result = _on_the_branch(self.after, new, source)
        if result is None or (result.start <= place.start and place.stop <= result.stop):
            return None
        return None if place.start == result.start and self.all_stand() else result

    def deny(self, place: Match, result: int, source: SourceText) -> bool:
        """Whether SEARCH stands at its own line, while new lines that stand around it are not at theirs."""
        is_own = source.number(place.start) == self.before
        return is_own and self.after > 0 and source.number(result) != self.after


def _on_the_branch(number: int, lines: Sequence[str], source: SourceText) -> Match | None:
    """Exactly these lines from line `number` of the branch on, if no block has changed one of them."""
    start = source.origins.now(number - 1)
    if not lines or start is None or source.lines[start : start + len(lines)] != list(lines):
        return None
    return None if source.after(start, start + len(lines)) else Match(start, start + len(lines))
