"""Choose the reading of a block with several dividers or lost signs that fits the file, or report a mismatch."""

from collections.abc import Iterable, Sequence

from editblocks.core.blocks import EditBlock, Note, Split, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.phrases import join_words, noun_for
from editblocks.formats.grammar import other_length
from editblocks.matching.indentation import filled_lines
from editblocks.matching.ladder import EXACT, NOT_FOUND, STRATEGIES, Matches, Strategy, is_in_file, locate
from editblocks.matching.narrowing import EVERYWHERE, Match, Narrowing
from editblocks.text.source_text import BOM, SourceText

# No line of code looks like the dividers of these formats. Those of edit-v2 are `-` signs, those of others `=` signs.
_UNLIKE_CODE = frozenset({"edit-v3", "new-file", "bolt-file", "v4a", "unified"})
_WITHOUT_EQUALS_SIGNS = _UNLIKE_CODE | {"edit-v2"}
_LINES_BELOW = 3  # how many lines below a match are searched for the rest of an old text
_FEWEST_LINES = 2  # a new text with fewer lines may be in the file by chance


class Reading:
    """One way to read a block, and where its SEARCH text is. `divider_lines` is () if there is only one way."""

    matches: Matches = NOT_FOUND
    divider_lines: tuple[int, ...] = ()
    is_doubtful = False
    notes: tuple[Note, ...] = ()

    def __init__(self, texts: EditBlock | Split) -> None:
        above = texts.anchor
        below = texts.trailing_anchor
        # A BOM at the start of SEARCH or REPLACE was copied from the start of the file; it is not part of the text.
        self.search = section_lines((above + texts.old_lines + below).removeprefix(BOM))
        self.replace = section_lines((above + texts.new_lines + below).removeprefix(BOM))
        if isinstance(texts, Split):
            self.divider_lines = texts.divider_lines
            self.is_doubtful = texts.is_doubtful
            self.notes = texts.notes

    def below(self, source: SourceText, count: int) -> list[str]:
        """Return the lines of the file below the one place of SEARCH."""
        match = self.matches.match
        if match is None:
            return []
        return source.lines[match.stop : match.stop + count]


def readings(block: EditBlock) -> list[Reading]:
    """Return every reading of `block`, the one with the first divider first."""
    return list(map(Reading, block.splits or [block]))


def lines_asked_for(blocks: Iterable[EditBlock]) -> set[str]:
    """Return the stripped old and new lines of all readings: all lines that may be searched for in a file."""
    texts: list[str] = []
    for block in blocks:
        for split in block.splits:
            texts += split.anchor, split.old_lines, split.new_lines, split.trailing_anchor
        if not (block.splits or block.creates_file):
            texts += block.search, block.replace
    return {line.strip(" \t") for text in texts for line in text.split("\n")}


def settle(
    block: EditBlock,
    source: SourceText,
    strategies: Sequence[Strategy] = STRATEGIES,
    narrowing: Narrowing = EVERYWHERE,
    known: Match | None = None,
) -> Reading | Mismatch:
    """Choose the reading of `block` that fits `source`: the one with exactly one place.

    If none fits, return the first that is ambiguous, otherwise the first, for the caller to diagnose; such a choice has
    no notes. `known` is the place, if it need not be searched for.
    """
    all_readings = readings(block)
    first = all_readings[0]
    if known is not None:
        first.matches = Matches((known,), "exact", "high", 1)
        return _no_divider(block, first, source) or first
    if not block.splits:
        first.matches = locate(first.search, first.replace, source, strategies, narrowing)
        if block.action == "edit" and first.matches == NOT_FOUND:
            first = _without_outer_blanks(block, source, narrowing) or first
        return _no_divider(block, first, source) or first
    for reading in all_readings:
        if not reading.divider_lines or filled_lines(reading.search):  # a blank SEARCH would mean a new file
            reading.matches = locate(reading.search, reading.replace, source, strategies, narrowing)
    if not block.splits[0].divider_lines:
        return _with_lost_signs(block, all_readings, source)
    matching = [reading for reading in all_readings if reading.matches.match]
    signs = "" if block.format in _UNLIKE_CODE else "=-"
    fitting = [each for each in matching if each is all_readings[-1] or not _is_cut_short(each, source, signs)]
    if fitting:
        chosen = fitting[0]
        chosen.notes = choice_notes(chosen, len(all_readings))
        return _why_not(block, fitting, all_readings[all_readings.index(chosen) + 1 :], source) or chosen
    if matching:  # a longer reading was meant but does not fit
        chosen = all_readings[all_readings.index(matching[-1]) + 1]
    else:
        chosen = next((reading for reading in all_readings if reading.matches.total), first)
    chosen.notes = ()
    return chosen


def _without_outer_blanks(block: EditBlock, source: SourceText, narrowing: Narrowing) -> Reading | None:
    """Return the reading of a hunk without the blank context lines at its ends; None if it does not fit, either.

    None also if the file has the new lines with the blank ones: the hunk was applied there, and this text is similar.
    """
    anchor = block.anchor.lstrip("\n")
    below = block.trailing_anchor
    while below.endswith("\n\n") or below == "\n":
        below = below[:-1]
    trimmed = Reading(block._replace(anchor=anchor, trailing_anchor=below))
    whole = section_lines(block.replace)
    is_trimmed = (anchor, below) != (block.anchor, block.trailing_anchor)
    if not (is_trimmed and filled_lines(trimmed.search) and trimmed.replace):
        return None
    trimmed.matches = locate(trimmed.search, trimmed.replace, source, EXACT, narrowing)
    if trimmed.matches.match is None or locate(whole, whole, source, EXACT, narrowing.of_result()).total:
        return None
    what = "blank context lines at its ends, which the file does not have there, were left out"
    trimmed.notes = (Note("blank-context-dropped", what),)
    return trimmed


def _with_lost_signs(block: EditBlock, located: Sequence[Reading], source: SourceText) -> Reading | Mismatch:
    """Read a hunk in which some context lines have no sign.

    In the first reading, the other context lines have one; in the second, no context line has one.
    """
    fitting = [reading for reading in located if reading.matches.match]
    lines = [reading.matches.matches[0].start for reading in fitting]
    if not lines:
        return located[0]
    if len(set(lines)) == 1:
        return fitting[0]
    places = " and at ".join(f"line {source.origins.display_number(line)}" for line in lines)
    fits = f"read in two ways, it fits {block.file_path} at {places}"
    what = f"some of its context lines have no space before them; {fits}"
    return Mismatch(ReasonCode.MALFORMED, what, "put a space before each context line")


def _why_not(
    block: EditBlock, fitting: Sequence[Reading], longer: Sequence[Reading], source: SourceText
) -> Mismatch | None:
    """Return why the first reading that fits may not be the one meant; None if it is. `longer`: the later readings."""
    chosen = fitting[0]
    path = block.file_path
    if any(reading.replace != chosen.replace or reading.matches != chosen.matches for reading in fitting):
        lines = " or at ".join(map(_lines, fitting[:2]))
        what = f"its divider may be at {lines}: {path} has the old lines either way"
        return Mismatch(ReasonCode.MALFORMED, what, other_length(_signs(block)))
    has_equals_signs = block.format not in _WITHOUT_EQUALS_SIGNS
    if chosen.is_doubtful or (longer and has_equals_signs and _is_cut_off_old_text(chosen, longer, source)):
        return doubtful(block)
    return _no_divider(block, chosen, source)


def _no_divider(block: EditBlock, chosen: Reading, source: SourceText) -> Mismatch | None:
    """Return why the divider of this reading may be text of the file; None if it is a divider, or nothing fits."""
    path = block.file_path
    new = chosen.replace
    # In the file, the divider line and all of the new text follow the old lines: the line underlines a heading.
    is_cut_short = block.format not in _WITHOUT_EQUALS_SIGNS and bool(new) and _is_cut_short(chosen, source, "=")
    if is_cut_short and chosen.below(source, 1 + len(new))[1:] == list(new):
        what = f"its divider line is text of {path}, right after the old lines, so the divider itself is missing"
        return Mismatch(ReasonCode.NO_DIVIDER, what, "put one between the old and the new lines")
    # An edit-v2 block that inserts above a file line that equals its separator: that may be a copy of that line.
    is_insertion = block.format == "edit-v2" and block.anchor and not (block.old_lines or block.trailing_anchor)
    if is_insertion and not block.splits and chosen.below(source, 1) == ["-" * _signs(block)]:
        what = f"its first `-------` may be text and not a separator, because {path} has that line below the anchor"
        return Mismatch(ReasonCode.MALFORMED, what, other_length(_signs(block)))
    return None


def choice_notes(chosen: Reading, count: int) -> tuple[Note, ...]:
    """Return the notes on the reading that the file decided for, out of `count`."""
    if count == 1 or chosen.notes:
        return chosen.notes
    where = f"it can be read in {count} ways; the one with its divider at {_lines(chosen)} fits the file"
    return (Note("divider-resolved", where, chosen.divider_lines[0]),)


def doubtful(block: EditBlock) -> Mismatch:
    """Return the mismatch of a block whose fitting reading adds a divider to the file or may not be the one meant."""
    lines = sorted({line for split in block.splits for line in split.divider_lines})
    together = "both" if len(lines) == 2 else "all"
    which = f"lines {join_words(list(map(str, lines)))} {together}"
    return Mismatch(ReasonCode.MALFORMED, f"{which} look like the divider", other_length(_signs(block)))


def _signs(block: EditBlock) -> int:
    """Count the signs of the block's opening marker."""
    opener = block.raw_block.lstrip(" \t")
    return len(opener) - len(opener.lstrip(opener[:1]))


def _is_cut_off_old_text(reading: Reading, longer: Sequence[Reading], source: SourceText) -> bool:
    """Whether the file shows that a longer reading was meant, which no longer fits.

    Signs of that: the new text of the shorter reading begins with a divider, or with the file's text below the match;
    or the new text of a longer reading, with at least two filled lines, is in the file already.
    """
    if reading.replace and _is_rule(reading.replace[0]) and not _is_rule(reading.search[0]):
        return True
    first = filled_lines(reading.search)[0]
    start = next(iter(filled_lines(reading.replace)), None)
    is_below = start != first and start in filled_lines(reading.below(source, _LINES_BELOW))
    if is_below and any(map(_is_rule, reading.replace)):
        return True
    new_texts = [other.replace for other in longer if other.replace != other.search]
    return any(len(filled_lines(new)) >= _FEWEST_LINES and is_in_file(new, source) for new in new_texts)


def _is_rule(line: str) -> bool:
    return set(line.strip(" \t")) == {"="}


def _is_cut_short(reading: Reading, source: SourceText, signs: str) -> bool:
    """Whether the file has a line like the divider where this reading ends: then that line of the block is text.

    Otherwise an old block would match only a heading once the text below it has changed.
    """
    bare = "".join(reading.below(source, 1)).strip(" \t")
    return bool(bare) and bare[0] in signs and not bare.strip(bare[0])


def _lines(reading: Reading) -> str:
    """`line 5`, or `lines 5, 7 and 9`."""
    lines = list(map(str, reading.divider_lines))
    return f"{noun_for(len(lines), 'line')} {join_words(lines)}"
