"""Try strategies in order, and count the places that they find. Only this module counts, so no strategy can forget it.

A strategy yields every place, and is tried only if all before it found no place. One is a match, several are ambiguous.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Note
from editblocks.matching import indentation
from editblocks.matching.narrowing import EVERYWHERE, Match, MatchCheck, Narrowing
from editblocks.text.source_text import SourceText, right_stripped

STEPS_A_BLOCK = 2_000_000
STEPS_A_RESPONSE = 20_000_000
LINES_A_RESPONSE = 2_000_000


class Placement(NamedTuple):
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
    ends: tuple[str, str] = ("", "")  # as in `EditBlock`, for `range`
    line_ends: tuple[str, ...] = ()  # of all lines of `new`; empty: they are like those of the replaced lines

    @property
    def added(self) -> list[str]:
        """The lines that are written, also whole lines of which a tool call changes a part."""
        return [line for line in self.new if isinstance(line, str)]

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines are new, and how many of the file are removed."""
        added = len(self.added)
        kept = len(self.new) - added
        return added, self.stop - self.start - kept

    @property
    def change(self) -> tuple[int, int, tuple[str | int, ...], tuple[str, ...]]:
        """The arguments of `SourceText.splice`."""
        return self.start, self.stop, self.new, self.line_ends

    @property
    def kept(self) -> tuple[str | int, ...]:
        """The value of `new` that leaves all lines as they are."""
        return tuple(range(self.start, self.stop))


class Budget:
    """The work that one response may still cause: a hostile one gets no hint instead of keeping people waiting."""

    def __init__(self, left: int = STEPS_A_RESPONSE, merged_lines: int = LINES_A_RESPONSE) -> None:
        self.left = left  # character steps
        self.merged_lines = merged_lines  # lines to merge with a base


MOST_KEPT = 50
MOST_CHECKED = 10_000
_DISTINCTIVE_LINES = 3
_DISTINCTIVE_CHARACTERS = 40


class Strategy(NamedTuple):
    """A way to find a text. `find` takes SEARCH, REPLACE and the file; it yields every place, even if they overlap."""

    name: str
    confidence: str
    find: Callable[[Sequence[str], Sequence[str], SourceText], Iterator[Match]]


def find_exact(search: Sequence[str], _replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield where SEARCH is in the file, character for character. An empty SEARCH is at the very end."""
    if not search:
        yield Match(len(source.lines), len(source.lines))
        return
    for start in source.places(search):
        yield Match(start, start + len(search))


def is_in_file(lines: Sequence[str], source: SourceText) -> bool:
    """Whether the file has these lines somewhere, character for character."""
    return next(find_exact(lines, (), source), None) is not None


def find_trailing_space(search: Sequence[str], _replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield where SEARCH is in the file apart from spaces and tabs at line ends."""
    for start in source.places(list(map(right_stripped, search)), right_stripped):
        yield Match(start, start + len(search))


def find_hunk_shifted(search: Sequence[str], replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield where a hunk is after one shift, but not by one space: context lines without their signs look like that."""
    return (match for match in indentation.find(search, replace, source) if match.indent != " ")


EXACT = (Strategy("exact", "high", find_exact),)
STRATEGIES = (
    *EXACT,
    Strategy("trailing-space", "high", find_trailing_space),
    Strategy("indentation", "medium", indentation.find),
)
EXACT_FORMATS = frozenset({"edit-v2", "edit-v3"})  # no other level is tried for these
HUNK_STRATEGIES = (*STRATEGIES[:-1], Strategy("indentation", "medium", find_hunk_shifted))

LOOSE_LEVELS = ("elided", "syntax", "fuzzy")  # modules, tried in this order if all else fails
# Takes SEARCH, REPLACE, the file, its path and the budget; yields every change that the texts may mean.
# Raises `LevelUnavailable` if the level cannot work here.
Loose = Callable[[Sequence[str], Sequence[str], SourceText, str, Budget], Iterator[Placement]]


def strategies_for(block: EditBlock, matching: str) -> Sequence[Strategy]:
    """Return the levels on which a block is tried, in this order, until one finds it. `matching`: see `Settings`."""
    if matching == "exact" or block.format in EXACT_FORMATS:
        return EXACT
    if block.action == "edit":
        return HUNK_STRATEGIES
    return STRATEGIES


class Matches(NamedTuple):
    """The places of a text that the first successful strategy found; `total` is their number.

    If no place passes all checks, `matches` is empty: `others` are the places that pass the most checks, and
    `failed_condition` names the first check that they fail.
    """

    matches: tuple[Match, ...] = ()  # the first `MOST_KEPT` of them: a file may have a million equal braces
    strategy: str = ""
    confidence: str = ""
    total: int = 0
    others: tuple[Match, ...] = ()
    failed_condition: str = ""

    @property
    def match(self) -> Match | None:
        """The place, if there is exactly one; otherwise None."""
        return self.matches[0] if self.total == 1 else None


NOT_FOUND = Matches()


def locate(
    search: Sequence[str],
    replace: Sequence[str],
    source: SourceText,
    strategies: Sequence[Strategy] = STRATEGIES,
    narrowing: Narrowing = EVERYWHERE,
) -> Matches:
    """Try the strategies in order. The first that finds a place decides, even if the place does not pass the checks."""
    checks = narrowing.checks(search, replace)
    looked_at = MOST_CHECKED if checks else MOST_KEPT
    for name, confidence, find in strategies:
        places = find(search, replace, source)
        first = list(islice(places, looked_at))
        if not first:
            continue
        nearest = first
        best = 0
        if checks:
            passed = [_count_passed(checks, place) for place in first]
            best = max(passed)
            nearest = [place for place, count in zip(first, passed, strict=True) if count == best]
        kept = tuple(nearest[:MOST_KEPT])
        unchecked = 0  # places after the first ones: too many to check, so all of them are taken as passed
        if len(first) == looked_at:
            unchecked = source.count((name, f"{len(search)}", *search, *replace), places)
        if best == len(checks):
            return Matches(kept, name, confidence, len(nearest) + unchecked)
        if unchecked:  # and one more, because none of the first passed
            return Matches(kept, name, confidence, len(nearest) + unchecked + 1)
        failed_condition, _ = checks[best]
        return Matches((), name, confidence, others=kept, failed_condition=failed_condition)
    return NOT_FOUND


def _count_passed(checks: Sequence[tuple[str, MatchCheck]], place: Match) -> int:
    """How many checks a place passes before the first that it fails."""
    passed = 0
    for _, check in checks:
        if not check(place):
            break
        passed += 1
    return passed


def is_distinctive(search: Sequence[str], replace: Sequence[str]) -> bool:
    """Whether a file that has `replace` has it because `search` was replaced, and not by chance."""
    lines = {line for line in replace if line.strip(" \t")}
    return is_long(replace) and bool(lines - set(search))


def is_long(lines: Sequence[str]) -> bool:
    """Whether there is too much text to be in a file by chance: any file has a brace."""
    filled = [line for line in lines if any(map(str.isalnum, line))]
    characters = sum(len("".join(line.split())) for line in filled)
    return len(filled) >= _DISTINCTIVE_LINES or characters >= _DISTINCTIVE_CHARACTERS
