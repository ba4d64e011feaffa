"""Which places of a hunk's text count. A patch says more than its lines: scopes, the end of the file, what came before.

Nothing of this finds a place: it only takes away from those that the ladder found. Rules: docs/reference/formats.md,
"where a hunk counts".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editblocks.core.blocks import EditBlock, section_lines
from editblocks.core.typed import NamedTuple
from editblocks.matching.align import Match
from editblocks.matching.scopes import Scopes
from editblocks.text.source_text import SourceText, right_stripped

Check = Callable[[Match], bool]


class Narrowing(NamedTuple):
    """What a block says of its place in one text, besides the lines that stand there."""

    lines: Sequence[str] = ()
    scopes: Scopes | None = None
    ends_file: bool = False
    added: bytes | bytearray = b""  # for each line, 1 if earlier hunks of its section added it, or found it added

    @classmethod
    def of(cls, block: EditBlock, source: SourceText) -> Narrowing:
        """Read what `block` says of `source`."""
        if not (block.section or block.scopes or block.at_end or any(block.ends)):
            return EVERYWHERE
        is_own = block.section and block.section == source.section
        removed = set(section_lines(block.old_lines)) - set(section_lines(block.new_lines)) if block.scopes else ()
        gone = {line.strip(" \t") for line in removed}  # a second run would find the next such line
        scopes = [name for name in block.scopes if name not in gone]
        return cls(
            source.lines,
            Scopes(scopes, source.lines) if scopes else None,
            block.at_end or any(block.ends),
            source.added if is_own else b"",
        )

    def of_result(self) -> Narrowing:
        """What it says of the new lines if they are there: no matter who wrote them, and the scopes may be gone."""
        is_gone = self.scopes is not None and self.scopes.missing
        return self._replace(scopes=None if is_gone else self.scopes, added=b"")

    def checks(self, search: Sequence[str], new: Sequence[str]) -> list[tuple[str, Check]]:
        """What a place must pass, in this order; each check has a name."""
        found: list[tuple[str, Check]] = []
        if (scopes := self.scopes) is not None:
            found.append(("no-scope" if scopes.missing else "scope", lambda place: scopes.hold(place.start)))
        if self.ends_file:
            end, first = len(self.lines), self._result_at_end(search, new)
            found.append(("end", lambda place: place.stop == end or place.start >= first))
        if 1 in self.added:
            found.append(("own", lambda place: not self._holds_added(place)))
        return found

    def allows(self, place: Match, search: Sequence[str], new: Sequence[str]) -> bool:
        """Whether one place counts."""
        return all(check(place) for _, check in self.checks(search, new))

    def _result_at_end(self, search: Sequence[str], new: Sequence[str]) -> int:
        """Where the new lines end the file already, for an insertion that was made before; else past its end."""
        end = len(self.lines)
        is_made = len(new) > len(search) and ends_with(self.lines, new) and not ends_with(self.lines, search)
        return end - len(new) if is_made else end + 1

    def _holds_added(self, place: Match) -> bool:
        return self.added.find(1, place.start, place.stop) >= 0


EVERYWHERE = Narrowing()


def ends_with(lines: Sequence[str], last: Sequence[str]) -> bool:
    """Whether the last lines are these, apart from blanks at their ends."""
    end = lines[max(0, len(lines) - len(last)) :]
    return list(map(right_stripped, end)) == list(map(right_stripped, last))
