"""Choose how to read a block with several dividers: by what the file holds, or else report a mismatch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from editblocks.core.codes import ReasonCode
from editblocks.core.model import EditBlock, Mismatch, Note, section_lines
from editblocks.core.phrases import join_words
from editblocks.matching.ladder import EXACT, NOT_FOUND, STRATEGIES, Matches, Strategy, locate
from editblocks.text.source_text import BOM, SourceText

# The characters of a format's divider lines; "=" for the others. "": no line of code looks like its dividers.
_MARKS = {"edit-v2": "=-", "edit-v3": "", "new-file": "", "bolt-file": ""}
_LINES_BELOW = 3  # how many lines below a match are searched for the rest of an old text
_FEWEST_LINES = 2  # a new text with fewer lines may be in the file by chance


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a block, and where its SEARCH text is. `divider_lines` is () if there is only one way."""

    search: Sequence[str]
    replace: Sequence[str]
    divider_lines: tuple[int, ...] = ()
    is_doubtful: bool = False
    notes: tuple[Note, ...] = ()
    matches: Matches = NOT_FOUND

    def locate(self, source: SourceText, strategies: Sequence[Strategy]) -> Reading:
        """Return this reading with its places in `source`; none for a blank SEARCH, which would mean a new file."""
        is_blank = not any(line.strip(" \t") for line in self.search) and self.divider_lines
        matches = NOT_FOUND if is_blank else locate(self.search, self.replace, source, strategies)
        return replace(self, matches=matches)


def readings(block: EditBlock) -> list[Reading]:
    """Return every reading of `block`, the one with the first divider first."""
    if not block.splits:
        return [_reading(block.search, block.replace)]
    return [
        replace(
            _reading(
                split.anchor + split.old_lines + split.trailing_anchor,
                split.anchor + split.new_lines + split.trailing_anchor,
            ),
            divider_lines=split.divider_lines,
            is_doubtful=split.is_doubtful,
            notes=split.notes,
        )
        for split in block.splits
    ]


def _reading(old: str, new: str) -> Reading:
    # A BOM at the start of SEARCH or REPLACE was copied from the start of the file; it is not part of the text.
    return Reading(section_lines(old.removeprefix(BOM)), section_lines(new.removeprefix(BOM)))


def settle(
    block: EditBlock, source: SourceText, strategies: Sequence[Strategy] = STRATEGIES
) -> tuple[Reading, tuple[Note, ...]] | Mismatch:
    """Choose the reading of `block` that fits `source`: the one with exactly one place.

    If none fits, return the first that is ambiguous, else the first, for the caller to diagnose.
    """
    located = [reading.locate(source, strategies) for reading in readings(block)]
    located_readings = [reading for reading in located if reading.matches.match]
    marks = _MARKS.get(block.format, "=-" if block.splits else "=")
    fitting = [
        reading for reading in located_readings if reading is located[-1] or not _is_cut_short(reading, source, marks)
    ]
    if not fitting:
        if located_readings:  # a longer reading was meant but does not fit
            return located[located.index(located_readings[-1]) + 1], ()
        several = [reading for reading in located if reading.matches.matches]
        return (several or located)[0], ()
    chosen = fitting[0]
    refused = _other_reading_fits(block, fitting, located[located.index(chosen) + 1 :], source)
    return (chosen, choice_notes(chosen, len(located))) if refused is None else refused


def _other_reading_fits(
    block: EditBlock, fitting: Sequence[Reading], longer: Sequence[Reading], source: SourceText
) -> Mismatch | None:
    """Return why the first reading that fits may not be the one meant; None if it is. `longer`: the later readings."""
    chosen = fitting[0]
    if any(reading.replace != chosen.replace or reading.matches != chosen.matches for reading in fitting):
        return Mismatch(ReasonCode.MALFORMED, _two_fit(block, fitting), _advice(block))
    if chosen.is_doubtful:
        return doubtful(block)
    if longer and block.format not in _MARKS and _is_cut_off_old_text(chosen, longer, source):
        return doubtful(block)
    if block.format not in _MARKS and _divider_is_text(chosen, source):
        reason = f"its divider line is text of {block.file_path}, right below the old lines, so there is no divider"
        return Mismatch(ReasonCode.NO_DIVIDER, reason, "put one between the old and the new lines")
    if _rule_is_text(block, chosen, source):
        reason = f"its first `-------` is text of {block.file_path} too, below the anchor, and may not be a separator"
        return Mismatch(ReasonCode.MALFORMED, reason, _advice(block))
    return None


def choice_notes(chosen: Reading, count: int) -> tuple[Note, ...]:
    """Return the notes on the reading that the file decided for, out of `count`."""
    if count == 1 or chosen.notes:
        return chosen.notes
    where = f"it can be read in {count} ways; the one that parts it at {_lines(chosen)} fits the file"
    return (Note("divider-resolved", where, chosen.divider_lines[0]),)


def doubtful(block: EditBlock) -> Mismatch:
    """Return the mismatch of a block whose fitting reading adds a divider to the file or may not be the one meant."""
    return Mismatch(ReasonCode.MALFORMED, f"{_which(block)} look like the divider", _advice(block))


def _which(block: EditBlock) -> str:
    lines = sorted({line for split in block.splits for line in split.divider_lines})
    return f"lines {join_words(list(map(str, lines)))} {'both' if len(lines) == 2 else 'all'}"


def _advice(block: EditBlock) -> str:
    length = _signs(block)
    return f"send it with {length + 1 if length < 9 else length - 1}-character markers"


def _signs(block: EditBlock) -> int:
    """Count the `<` of the block's opening marker."""
    opener = block.raw_block.lstrip(" \t")
    return len(opener) - len(opener.lstrip("<"))


def _is_cut_off_old_text(reading: Reading, longer: Sequence[Reading], source: SourceText) -> bool:
    """Whether the file shows that a longer reading was meant, which no longer fits.

    Signs of that: the new text of the shorter reading begins with a divider, or with the file's text below the match;
    or the new text of a longer reading is in the file already.
    """
    first = next(line for line in reading.search if line.strip(" \t"))  # blank lines alone have no match
    if reading.replace and _is_rule(reading.replace[0], "=") and not _is_rule(reading.search[0], "="):
        return True
    match = reading.matches.match
    below = (
        [line for line in source.lines[match.stop : match.stop + _LINES_BELOW] if line.strip(" \t")] if match else []
    )
    start = next((line for line in reading.replace if line.strip(" \t")), None)
    if start is not None and start != first and start in below and any(_is_rule(line, "=") for line in reading.replace):
        return True
    return any(_is_replaced_already(other, source) for other in longer)


def _is_replaced_already(reading: Reading, source: SourceText) -> bool:
    """Whether the new text of a reading, with at least two filled lines, is in the file already."""
    filled = [line for line in reading.replace if line.strip(" \t")]
    is_long = len(filled) >= _FEWEST_LINES and list(reading.replace) != list(reading.search)
    return is_long and locate(reading.replace, reading.replace, source, EXACT).count > 0


def _is_rule(line: str, mark: str) -> bool:
    return set(line.strip(" \t")) == {mark}


def _divider_is_text(reading: Reading, source: SourceText) -> bool:
    """Whether the file continues with the divider line and then all of the new text: the real divider was forgotten.

    The line taken for the divider then is the underline of a heading.
    """
    match = reading.matches.match
    if match is None or not reading.replace or not _is_cut_short(reading, source, "="):
        return False
    below = source.lines[match.stop + 1 : match.stop + 1 + len(reading.replace)]
    return list(below) == list(reading.replace)


def _rule_is_text(block: EditBlock, reading: Reading, source: SourceText) -> bool:
    """Whether an edit-v2 block inserts above a file line that equals its separator.

    The block's separator may then be a copy of that line, and its own separator forgotten.
    """
    match = reading.matches.match
    if match is None or not block.anchor or block.old_lines or block.trailing_anchor or block.splits:
        return False
    return block.format == "edit-v2" and source.lines[match.stop : match.stop + 1] == ["-" * _signs(block)]


def _is_cut_short(reading: Reading, source: SourceText, marks: str) -> bool:
    """Whether the file has a line like the divider where this reading ends: then that line of the block is text.

    Otherwise an old block would match a heading alone once the text below it has changed.
    """
    match = reading.matches.match
    following = source.lines[match.stop : match.stop + 1] if match else ()
    return any(set(line.strip(" \t")) in map(set, marks) for line in following)


def _two_fit(block: EditBlock, fitting: Sequence[Reading]) -> str:
    lines = " and at ".join(map(_lines, fitting[:2]))
    return f"dividers at {lines} both give text that is in {block.file_path}"


def _lines(reading: Reading) -> str:
    """`line 5`, or `lines 5, 7 and 9`."""
    lines = list(map(str, reading.divider_lines))
    return f"line{'s' * (len(lines) > 1)} {join_words(lines)}"
