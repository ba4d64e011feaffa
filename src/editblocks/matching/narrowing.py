"""Decide which places of a hunk's text are allowed: a patch also names scopes, the end of the file and line numbers.

Nothing of this finds a place. `Narrowing` takes away from those that the ladder found; `LineNumbers` choose among exact
ones, and tell a second run from a first. Rules: docs/reference/rules.md, "where a hunk fits".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, section_lines
from editblocks.matching.align import Match
from editblocks.matching.scopes import Scopes
from editblocks.text.source_text import SourceText, right_stripped

Check = Callable[[Match], bool]


class Narrowing(NamedTuple):
    """What a block says about its place in one text, apart from the lines that are there."""

    lines: Sequence[str] = ()
    scopes: Scopes | None = None
    ends_file: bool = False
    added: bytes | bytearray = b""  # for each line, 1 if earlier hunks of its section added it, or found it added

    @classmethod
    def of(cls, block: EditBlock, source: SourceText) -> Narrowing:
        """Read what `block` says of `source`."""
        if not (block.section or block.scopes or block.at_end or any(block.ends)):
            return EVERYWHERE
        scopes = None
        if names := _scopes_that_stay(block):
            scopes = Scopes(names, source)
        added: bytes | bytearray = b""
        if block.section and block.section == source.section:
            added = source.added
        return cls(source.lines, scopes, block.at_end or any(block.ends), added)

    def of_result(self) -> Narrowing:
        """What it says of the new lines if they are there: no matter who wrote them, and the scopes may be gone."""
        scopes = self.scopes
        if scopes is not None and scopes.missing:
            scopes = None
        return self._replace(scopes=scopes, added=b"")

    def checks(self, search: Sequence[str], new: Sequence[str]) -> list[tuple[str, Check]]:
        """What a place must pass, in this order; each check has a name."""
        found: list[tuple[str, Check]] = []
        if (scopes := self.scopes) is not None:
            name = "no-scope" if scopes.missing else "scope"
            found.append((name, lambda place: scopes.hold(place.start)))
        if self.ends_file:
            end = len(self.lines)
            first = self._result_at_end(search, new)
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
        if len(new) > len(search) and ends_with(self.lines, new) and not ends_with(self.lines, search):
            return end - len(new)
        return end + 1

    def _holds_added(self, place: Match) -> bool:
        return self.added.find(1, place.start, place.stop) >= 0


EVERYWHERE = Narrowing()


def _scopes_that_stay(block: EditBlock) -> list[str]:
    """The scopes of a block without those that it removes: a second run would find the next such line."""
    if not block.scopes:
        return []
    removed = set(section_lines(block.old_lines)) - set(section_lines(block.new_lines))
    gone = {line.strip(" \t") for line in removed}
    return [name for name in block.scopes if name not in gone]


def ends_with(lines: Sequence[str], last: Sequence[str]) -> bool:
    """Whether the last lines are these, apart from blanks at their ends."""
    end = lines[max(0, len(lines) - len(last)) :]
    return list(map(right_stripped, end)) == list(map(right_stripped, last))


class LineNumbers(NamedTuple):
    """The lines (1-based) at which a block says it begins, before and after all blocks of its group; 0: not said."""

    before: int
    after: int
    agree: Callable[[], bool]  # whether the others of its group that stand on the branch stand where they say
    all_stand: Callable[[], bool]  # whether all the others do

    def place(self, search: Sequence[str], source: SourceText) -> Match | None:
        """The place of SEARCH that begins at its own line."""
        return _on_the_branch(self.before, search, source)

    def result_beside(self, place: Match, new: Sequence[str], source: SourceText) -> Match | None:
        """Where the new lines stand, at their own line, although `place` is elsewhere: that may be a similar text.

        Among equal lines, those of SEARCH may begin there as well: then the other blocks say whether this is done.
        """
        result = _on_the_branch(self.after, new, source)
        if result is None or (result.start <= place.start and place.stop <= result.stop):
            return None
        if place.start == result.start and self.all_stand():
            return None
        return result

    def deny(self, place: Match, result: int, source: SourceText) -> bool:
        """Whether SEARCH stands at its own line, while new lines that stand around it are not at theirs."""
        is_own = source.number(place.start) == self.before
        return is_own and self.after > 0 and source.number(result) != self.after


def _on_the_branch(number: int, lines: Sequence[str], source: SourceText) -> Match | None:
    """Exactly these lines from line `number` of the branch on, if no block has changed one of them."""
    start = source.origins.now(number - 1)
    if not lines or start is None or source.lines[start : start + len(lines)] != list(lines):
        return None
    if source.after(start, start + len(lines)):
        return None
    return Match(start, start + len(lines))
