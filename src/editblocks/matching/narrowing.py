"""Decide which places of a hunk's text are allowed: a patch also names scopes, the end of the file and line numbers.

Nothing here finds a place. `Narrowing` rejects places that the ladder found. `LineNumbers` chooses among exact places,
and tells a second run from a first. `Scopes` are the regions that a patch names: each begins at a line, and ends with
its body. That needs no grammar: the indentation and the kind of a line show the end of a region. Rules:
docs/reference/rules.md, "where a hunk fits".
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, section_lines
from editblocks.matching.align import Span
from editblocks.text.source_text import SourceText, right_stripped, stripped


class Match(NamedTuple):
    """Lines `start:stop` (0-based, half-open) hold the searched text.

    `indent` is put before every non-blank new line; `outdent` is taken off instead. At most one is set.
    """

    start: int
    stop: int
    indent: str = ""
    outdent: str = ""


MatchCheck = Callable[[Match], bool]
_ScopeLines = tuple[int, int, int]  # the lines of a scope, from its scope line on; the end of the scope around it


class Narrowing(NamedTuple):
    """What a block says about its place in one text, besides the lines that are there."""

    lines: Sequence[str] = ()
    scopes: "Scopes | None" = None
    ends_file: bool = False
    added: bytes | bytearray = b""  # for each line, 1 if earlier hunks of its section added it, or found it added

    @classmethod
    def of(cls, block: EditBlock, source: SourceText) -> "Narrowing":
        """Return what `block` says about its place in `source`."""
        if not (block.section or block.scopes or block.at_end or any(block.ends)):
            return EVERYWHERE
        scopes = None
        if names := _scopes_that_stay(block):
            scopes = Scopes(names, source)
        added: bytes | bytearray = b""
        if block.section and block.section == source.section:
            added = source.added
        return cls(source.lines, scopes, block.at_end or any(block.ends), added)

    def of_result(self) -> "Narrowing":
        """Return the narrowing for new lines that are already there: lost scopes and earlier hunks do not matter."""
        scopes = self.scopes
        if scopes is not None and scopes.missing:
            scopes = None
        return self._replace(scopes=scopes, added=b"")

    def checks(self, search: Sequence[str], new: Sequence[str]) -> list[tuple[str, MatchCheck]]:
        """Return the checks that a place must pass, in order, each with its name."""
        checks: list[tuple[str, MatchCheck]] = []
        if (scopes := self.scopes) is not None:
            name = "no-scope" if scopes.missing else "scope"
            checks.append((name, lambda place: scopes.contain(place.start)))
        if self.ends_file:
            end = len(self.lines)
            first = self._result_at_end(search, new)
            checks.append(("end", lambda place: place.stop == end or place.start >= first))
        if 1 in self.added:
            checks.append(("own", lambda place: self.added.find(1, place.start, place.stop) < 0))
        return checks

    def allows(self, place: Match, search: Sequence[str], new: Sequence[str]) -> bool:
        """Whether a place passes all checks."""
        return all(check(place) for _, check in self.checks(search, new))

    def _result_at_end(self, search: Sequence[str], new: Sequence[str]) -> int:
        """Return where the new lines of an insertion already end the file; otherwise a line past the end."""
        end = len(self.lines)
        if len(new) > len(search) and ends_with(self.lines, new) and not ends_with(self.lines, search):
            return end - len(new)
        return end + 1


EVERYWHERE = Narrowing()


def _scopes_that_stay(block: EditBlock) -> list[str]:
    """Return the scopes of a block, without those that it removes: a second run would find the next such line."""
    if not block.scopes:
        return []
    removed = set(section_lines(block.old_lines)) - set(section_lines(block.new_lines))
    gone = {line.strip(" \t") for line in removed}
    return [name for name in block.scopes if name not in gone]


def ends_with(lines: Sequence[str], last: Sequence[str]) -> bool:
    """Whether `lines` end with `last`, apart from spaces and tabs at line ends."""
    end = lines[max(0, len(lines) - len(last)) :]
    return list(map(right_stripped, end)) == list(map(right_stripped, last))


class LineNumbers(NamedTuple):
    """The lines (1-based) at which a block says it begins, before and after all blocks of its group; 0: unknown."""

    before: int
    after: int
    no_other_is_elsewhere: Callable[[], bool]  # whether the branch has no other block of its group at another line
    others_are_in_place: Callable[[], bool]  # whether it has every other block of its group at its own line

    def place(self, search: Sequence[str], source: SourceText) -> Match | None:
        """Return the place of SEARCH that begins at its own line number, or None."""
        return _on_the_branch(self.before, search, source)

    def result_beside(self, place: Match, new: Sequence[str], source: SourceText) -> Match | None:
        """Return the new lines at their own line number, if `place` is elsewhere and so may only be a similar text.

        Among equal lines, SEARCH may also begin there: then the other blocks show whether the change was made.
        """
        result = _on_the_branch(self.after, new, source)
        if result is None or (result.start <= place.start and place.stop <= result.stop):
            return None
        if place.start == result.start and self.others_are_in_place():
            return None
        return result

    def contradict(self, place: Match, result: int, source: SourceText) -> bool:
        """Whether SEARCH is at its own line number, while the new lines around it are not at theirs."""
        is_own = source.number(place.start) == self.before
        return is_own and self.after > 0 and source.number(result) != self.after


def _on_the_branch(number: int, lines: Sequence[str], source: SourceText) -> Match | None:
    """Return these lines at line `number` (1-based) of the branch; None if they differ, or if a block wrote one."""
    start = source.origins.current_line(number - 1)
    if not lines or start is None or source.lines[start : start + len(lines)] != list(lines):
        return None
    if source.required_blocks(start, start + len(lines)):
        return None
    return Match(start, start + len(lines))


class Scopes:
    """The regions of `names`, the outermost first, in a text. `missing`: the names down to the first not found.

    `are_bounded`: each region ends with its own body, and not only where the scope around it ends.
    """

    def __init__(self, names: Sequence[str], source: SourceText) -> None:
        lines = source.lines
        self.missing: tuple[str, ...] = ()
        self.are_bounded = False
        self._count = len(lines)
        self._spans: list[Span] = [(-1, len(lines))]
        regions: list[_ScopeLines] = []
        for depth, name in enumerate(names, 1):
            regions = sorted(_regions(name, source, self._spans))
            if not regions:
                self.missing = tuple(names[:depth])
                self._spans = []
                return
            self._spans = _outermost((start, stop) for start, stop, _ in regions)
        # In flat text, a scope line is followed by its own sibling: then it only says what is above the place.
        bodies = [(start, stop) for start, stop, _ in regions if _has_text(lines, start + 1, stop)]
        self._spans = _outermost(bodies or ((start, limit) for start, _, limit in regions))
        self.are_bounded = bool(bodies) and not any("\n" in name for name in names)

    def contain(self, line: int) -> bool:
        """Whether a place that begins at `line`, which may be the end of the text, is within a region."""
        at = bisect_right(self._spans, (line, self._count)) - 1
        if at < 0:
            return False
        stop = self._spans[at][1]
        return line < stop or line == stop == self._count


def _regions(name: str, source: SourceText, spans: Sequence[Span]) -> Iterator[_ScopeLines]:
    """Yield the region of each line that `name` fits, within the spans. Lines outside of all regions are not read.

    So 200 hunks with scopes in a file of 20,000 lines do not walk the file 200 times (0.1 s instead of 1.6).
    """
    if "\n" in name:
        yield from _regions_below(name.split("\n"), source, spans)
        return
    scope_sign, scope_length = _kind(name)
    heads = _heads(name, source, spans)
    for first, limit in spans:
        below = deque(heads[bisect_right(heads, first) : bisect_left(heads, limit)])
        open_scopes: list[tuple[int, int]] = []  # the line of each, and its indentation, which rises
        line = first
        while below or open_scopes:
            line = line + 1 if open_scopes else below[0]
            if line == limit:
                break
            bare = source.lines[line].lstrip(" \t")
            if not bare:
                continue
            sign, length = _kind(bare)
            indent = len(source.lines[line]) - len(bare)
            if sign == scope_sign and length <= scope_length:
                while open_scopes and open_scopes[-1][1] >= indent:
                    yield open_scopes.pop()[0], line, limit
            if below and line == below[0]:
                open_scopes.append((below.popleft(), indent))
        for start, _ in open_scopes:
            yield start, limit, limit


def _heads(name: str, source: SourceText, spans: Sequence[Span]) -> list[int]:
    """Return the lines, below the first line of a span, that equal `name`; if there are none, that begin with it."""
    kind = _kind(name)
    equal: list[int] = []
    begun: list[int] = []
    for line in source.holding(name):
        bare = source.lines[line].strip(" \t")
        at = bisect_left(spans, (line,)) - 1
        if not bare or at < 0 or line >= spans[at][1]:
            continue
        if bare == name:
            equal.append(line)
        elif bare.startswith(name) and _kind(bare) == kind and not _is_word(bare[len(name)]):
            begun.append(line)
    return equal or begun


def _regions_below(names: Sequence[str], source: SourceText, spans: Sequence[Span]) -> Iterator[_ScopeLines]:
    """Yield for each place of a scope of several lines everything from there to the end of the span."""
    for start in source.places(names, stripped):
        at = bisect_left(spans, (start,)) - 1
        if at >= 0 and start + len(names) <= spans[at][1]:
            yield start, spans[at][1], spans[at][1]


def _kind(text: str) -> tuple[str, int]:
    """Return the sign that a text begins with, and how often it is repeated; "" and 0 for a word or a quote."""
    sign = text[:1]
    if not sign or _is_word(sign) or sign in "$\"'`":
        return "", 0
    return sign, len(text) - len(text.lstrip(sign))


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _has_text(lines: Sequence[str], start: int, stop: int) -> bool:
    return any(lines[line].strip(" \t") for line in range(start, stop))


def _outermost(spans: Iterable[Span]) -> list[Span]:
    """Leave out each span inside an earlier one. Spans are sorted, and two of them never overlap only in part."""
    outermost: list[Span] = []
    for start, stop in spans:
        if not outermost or start >= outermost[-1][1]:
            outermost.append((start, stop))
    return outermost
