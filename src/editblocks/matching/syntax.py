"""`syntax`: SEARCH is in the file with other white space: the same tokens in the same syntax tree.

A window of whole lines is a candidate if it equals SEARCH apart from white space, and a match if the file with SEARCH
in its place has the same meaning. REPLACE is shifted like SEARCH, and otherwise written as it is. Lines that it shares
with SEARCH keep the file's bytes if the meaning stays the same. Rules: docs/reference/rules.md, "loose levels".
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice

from editblocks.core.blocks import Note
from editblocks.core.errors import LevelUnavailable
from editblocks.formats.markers import indent_of
from editblocks.matching import indentation
from editblocks.matching.align import common_start, keep
from editblocks.matching.ladder import STEPS_A_BLOCK, Budget, Placement
from editblocks.text.languages import MOST_BYTES, Parsed, SyntaxReader, TooHard, grammar_for, is_same
from editblocks.text.source_text import SourceText

MOST_TRIES = 2_000
_BLANK = str.maketrans("", "", " \t\r\n\f\v")


def blanks(lines: Sequence[str]) -> int:
    """How many lines at the start are blank."""
    return next((index for index, line in enumerate(lines) if line.translate(_BLANK)), len(lines))


class SqueezedText:
    """Lines without white space, in one string. `starts`: the offset of each line, and the end of the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        dense = [line.translate(_BLANK) for line in lines]
        self.text = "".join(dense)
        self.starts = list(accumulate(map(len, dense), initial=0))

    def whole_lines(self, start: int, stop: int) -> tuple[int, int] | None:
        """Return the lines that hold exactly characters `start:stop`; None if these begin or end inside a line."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_left(self.starts, stop)
        if self.starts[first] != start or self.starts[last] != stop:
            return None
        return first, last

    def windows(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield every run of whole lines that equals `text`; they may overlap. Raises `TooHard` after 2,000 tries."""
        start = self.text.find(text)
        tries = 0
        while start >= 0:
            tries += 1
            if tries > MOST_TRIES:
                raise TooHard
            window = self.whole_lines(start, start + len(text))
            if window is not None:
                yield window
            start = self.text.find(text, self.starts[bisect_right(self.starts, start)])  # at the start of a line


STEPS_A_ROUND = 200  # steps of the budget that a round of the parser costs
MOST_PLACES = 20  # windows that are compared; more would be ambiguous anyway
MOST_ERRORS = 50  # with more syntax errors, the grammar does not describe the file


def propose(
    search: Sequence[str], replace: Sequence[str], source: SourceText, path: str, budget: Budget
) -> Iterator[Placement]:
    """Yield the change at every place with the same meaning as SEARCH, from the top; if it was made before, no change.

    Nothing is yielded if REPLACE is blank or is elsewhere in the file: a second run could not see that the change was
    made. Raises `LevelUnavailable` without the extra or a grammar, and for a file that is too large or too slow.
    """
    grammar = grammar_for(path)
    if grammar is None:
        raise LevelUnavailable(f"no grammar for `{path}`")
    allowance = max(0, min(STEPS_A_BLOCK, budget.left))
    rounds = allowance // STEPS_A_ROUND
    reader = SyntaxReader(grammar, rounds)
    try:
        if sum(map(len, source.lines)) + len(source.lines) > MOST_BYTES:
            raise TooHard
        proposals = _proposals(_BlockTexts(search, replace), _SourceFile(source, reader))
    except TooHard:
        budget.left -= allowance
        raise LevelUnavailable(f"{path} is too large, too broken or too repetitive to compare its syntax") from None
    budget.left -= (rounds - reader.rounds_left) * STEPS_A_ROUND
    yield from proposals


class _BlockTexts:
    """SEARCH and REPLACE without the blank lines that both begin or end with; `old` and `new` without white space."""

    def __init__(self, search: Sequence[str], replace: Sequence[str]) -> None:
        # The file may have other blank lines there.
        above = min(blanks(search), blanks(replace))
        search = search[above:]
        replace = replace[above:]
        below = min(blanks(search[::-1]), blanks(replace[::-1]))
        self.search = search[: len(search) - below]
        self.replace = replace[: len(replace) - below]
        self.old = SqueezedText(self.search).text
        self.new = SqueezedText(self.replace).text


class _SourceFile:
    """A file in all the forms that are compared; `offsets` are the positions of its lines in its bytes."""

    def __init__(self, source: SourceText, reader: SyntaxReader) -> None:
        self.source = source
        self.reader = reader
        self.lines = source.lines
        self.dense = SqueezedText(self.lines)
        self.unit = indentation.own_unit(self.lines)
        encoded = [_encode([line]) for line in self.lines]
        self.data = b"".join(encoded)
        self.offsets = list(accumulate(map(len, encoded), initial=0))

    def parsed_with(self, start: int, stop: int, lines: Sequence[str]) -> tuple[Parsed, int]:
        """Parse the file with other lines at `start:stop`; also return the byte at which they end. Raises `TooHard`."""
        first = self.offsets[start]
        last = self.offsets[stop]
        new = _encode(lines)
        return self.reader.parse(self.data[:first] + new + self.data[last:]), first + len(new)


def _encode(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


class _Doubt(Exception):
    """Raised for a place that may be the one meant, but is not safe to use."""


def _proposals(block: _BlockTexts, file: _SourceFile) -> list[Placement]:
    """Return the places; empty if a second run would change the result again. Raises `TooHard`."""
    places = _places(block, file)
    for place in places:
        result = file.source.copy()
        is_changed = result.splice(place.start, place.stop, place.new)
        if is_changed and any(again.new != again.kept for again in _places(block, _SourceFile(result, file.reader))):
            return []
    return places


def _places(block: _BlockTexts, file: _SourceFile) -> list[Placement]:
    """Return every place of SEARCH with its new lines; empty if one is in doubt. Raises `TooHard`."""
    if not block.old or not block.new:
        return []
    windows = list(islice(file.dense.windows(block.old), MOST_PLACES + 1))
    if not windows:
        return []
    if len(windows) > MOST_PLACES:
        raise TooHard
    for start, stop in file.dense.windows(block.new):
        if all(stop <= first or last <= start for first, last in windows):
            return []
    parsed = file.reader.parse(file.data)
    if parsed.errors(0, 0)[0] > MOST_ERRORS:
        raise TooHard
    try:
        return [_Window(block, file, parsed, start, stop).place() for start, stop in windows]
    except _Doubt:
        return []


class _Window:
    """Lines `start:stop` of a file, which equal SEARCH apart from white space."""

    def __init__(self, block: _BlockTexts, file: _SourceFile, parsed: Parsed, start: int, stop: int) -> None:
        self.block = block
        self.file = file
        self.parsed = parsed
        self.start = start
        self.stop = stop

    def place(self) -> Placement:
        """Return the change. Raises `_Doubt` if it is not safe, or if these lines have another meaning than SEARCH."""
        search, replace, notes = self._as_indented_here()
        if not self._keeps_meaning(self.start, self.stop, search):
            raise _Doubt
        if self._is_already_around(replace):
            return self._placement(range(self.start, self.stop), ())
        self._take_blank_lines()
        result, end = self.file.parsed_with(self.start, self.stop, replace)
        first = self.file.offsets[self.start]
        last = self.file.offsets[self.stop]
        errors = zip(self.parsed.errors(first, last), result.errors(first, end), strict=True)
        if any(after > before for before, after in errors):
            raise _Doubt
        if notes and any(text not in _encode(search) for text in result.texts(first, end)):
            raise _Doubt  # the shift would change a string of several lines
        new = self._keeping_context(replace)
        shown = self.file.source.with_kept(new)
        if shown != replace:
            mixed, mixed_end = self.file.parsed_with(self.start, self.stop, shown)
            if not is_same(result, mixed, first, end, mixed_end):
                new = keep(self.file.lines[self.start : self.stop], replace, self.start)
        return self._placement(new, notes)

    def _placement(self, new: Iterable[str | int], notes: tuple[Note, ...]) -> Placement:
        return Placement("syntax", "low", self.start, self.stop, tuple(new), notes)

    def _as_indented_here(self) -> tuple[Sequence[str], Sequence[str], tuple[Note, ...]]:
        """Return SEARCH and REPLACE indented like the file, and a note if that changed them. Raises `_Doubt`.

        Both are shifted like the first line, or both are converted to the file's unit. If both ways are possible, they
        must give the same lines.
        """
        search = self.block.search
        replace = self.block.replace
        own = self.file.unit
        pairs, is_line_by_line = self._pairs()
        indent, outdent = indentation.shift_between(*pairs[0])
        units = list(indentation.possible_units(pairs, replace, own))
        results = [indentation.in_unit(replace, unit, own) for unit in units]
        white = [(indent_of(line), indent_of(file_line)) for line, file_line in pairs]
        if all(file_indent == indent + search_indent.removeprefix(outdent) for search_indent, file_indent in white):
            old = indentation.shift_lines(search, indent, outdent)
            new = indentation.shift_lines(replace, indent, outdent)
            if old is None or new is None or any(result != new for result in results):
                raise _Doubt
            if not (indent or outdent):
                return search, replace, ()
            if not self._may_shift(pairs):
                raise _Doubt
            return old, new, (indentation.shift_note(indent, outdent),)
        if not results or any(result != results[0] for result in results):
            raise _Doubt
        if not is_line_by_line or not indentation.is_written_alike(search, replace):
            raise _Doubt
        return indentation.in_unit(search, units[0], own), results[0], (indentation.conversion_note(units[0], own),)

    def _pairs(self) -> tuple[list[tuple[str, str]], bool]:
        """Pair the lines of SEARCH and of the window that begin with the same token; also return whether all are."""
        old = _by_token(self.block.search)
        new = _by_token(self.file.lines[self.start : self.stop])
        return [(line, new[start]) for start, line in old.items() if start in new], old.keys() == new.keys()

    def _may_shift(self, pairs: Sequence[tuple[str, str]]) -> bool:
        """Whether enough lines are shifted alike, and REPLACE is indented like SEARCH.

        If indentation is not syntax, two paired lines are needed: the first may have lost its own indentation.
        """
        is_enough = self.file.reader.grammar.indents or len(pairs) > 1
        filled = [line for line in self.block.search if line.strip()]
        return len(filled) > 1 and is_enough and indentation.is_written_alike(self.block.search, self.block.replace)

    def _keeps_meaning(self, start: int, stop: int, lines: Sequence[str]) -> bool:
        """Whether the file keeps its meaning with `lines` at `start:stop`."""
        other, end = self.file.parsed_with(start, stop, lines)
        return is_same(self.parsed, other, self.file.offsets[start], self.file.offsets[stop], end)

    def _is_already_around(self, replace: Sequence[str]) -> bool:
        """Whether a replacement that contains the searched lines is in the file around them. Raises `_Doubt`."""
        old = self.block.old
        new = self.block.new
        dense = self.file.dense
        if len(new) <= len(old):
            return False
        offset = new.find(old)
        while offset >= 0:
            start = dense.starts[self.start] - offset
            if start >= 0 and dense.text.startswith(new, start):
                window = dense.whole_lines(start, start + len(new))
                if window is None or not self._keeps_meaning(*window, replace):
                    raise _Doubt
                return True
            offset = new.find(old, offset + 1)
        return False

    def _take_blank_lines(self) -> None:
        """Extend the window over blank lines of the file, as many as SEARCH has at that end."""
        lines = self.file.lines
        self.start -= min(blanks(self.block.search), blanks(lines[: self.start][::-1]))
        self.stop += min(blanks(self.block.search[::-1]), blanks(lines[self.stop :]))

    def _keeping_context(self, replace: Sequence[str]) -> Sequence[str | int]:
        """Return REPLACE with the file's own lines for the lines that both REPLACE and SEARCH begin or end with."""
        window = self.file.lines[self.start : self.stop]
        search = self.block.search
        wanted = self.block.replace
        above, kept_above = _common_context(search, wanted, window)
        below, kept_below = _common_context(search[above:][::-1], wanted[above:][::-1], window[kept_above:][::-1])
        first = self.start + kept_above
        last = self.stop - kept_below
        middle = keep(self.file.lines[first:last], replace[above : len(replace) - below], first)
        return [*range(self.start, first), *middle, *range(last, self.stop)]


def _common_context(search: Sequence[str], replace: Sequence[str], window: Sequence[str]) -> tuple[int, int]:
    """Return how many first lines SEARCH and REPLACE share that whole window lines hold, and how many window lines."""
    starts = SqueezedText(search).starts
    dense = SqueezedText(window)
    for count in range(common_start(search, replace), 0, -1):
        lines = dense.whole_lines(0, starts[count])
        if lines is None:
            continue
        window_lines = lines[1]
        if blanks(search[:count][::-1]):
            window_lines += blanks(window[window_lines:])
        return count, window_lines
    return 0, 0


def _by_token(lines: Sequence[str]) -> dict[int, str]:
    """Return the lines that are not blank, by the number of characters before them that are not white space."""
    starts = SqueezedText(lines).starts
    return {start: line for line, start in zip(lines, starts, strict=False) if line.strip(" \t")}
