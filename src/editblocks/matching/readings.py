"""Settle how a block with several dividers is to be read: against the file, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from editblocks.codes import ReasonCode
from editblocks.matching.ladder import NOT_FOUND, STRATEGIES, Found, Strategy, locate
from editblocks.model import EditBlock, Mismatch, Note, section_lines
from editblocks.text import BOM, SourceText


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a block, and where its SEARCH text stands. `divider_line` 0: the only way."""

    search: Sequence[str]
    replace: Sequence[str]
    divider_line: int = 0
    is_doubtful: bool = False
    found: Found = NOT_FOUND

    def located(self, source: SourceText, strategies: Sequence[Strategy]) -> Reading:
        """The same reading with its places in `source`; nothing but blank lines would have created a file."""
        is_blank = not any(line.strip(" \t") for line in self.search) and self.divider_line
        found = NOT_FOUND if is_blank else locate(self.search, self.replace, source, strategies)
        return replace(self, found=found)


def readings(block: EditBlock) -> list[Reading]:
    """Every reading of `block`, the first divider first."""
    if not block.splits:
        return [_reading(block.search, block.replace)]
    return [
        replace(
            _reading(split.old_lines, split.new_lines), divider_line=split.divider_line, is_doubtful=split.is_doubtful
        )
        for split in block.splits
    ]


def _reading(old: str, new: str) -> Reading:
    # A BOM at the start of a line of the response was copied along from the file, where it is no text.
    return Reading(section_lines(old.removeprefix(BOM)), section_lines(new.removeprefix(BOM)))


def settle(
    block: EditBlock, source: SourceText, strategies: Sequence[Strategy] = STRATEGIES
) -> tuple[Reading, tuple[Note, ...]] | Mismatch:
    """Choose the reading of `block` that fits `source`: the one with exactly one place.

    Without any, the reading that is ambiguous, else the first one, for the caller to diagnose.
    """
    located = [reading.located(source, strategies) for reading in readings(block)]
    found = [reading for reading in located if reading.found.match]
    fitting = [reading for reading in found if reading is located[-1] or not _is_cut_short(reading, source)]
    if not fitting:
        if found:  # a longer reading was meant, and it does not fit
            return located[located.index(found[-1]) + 1], ()
        several = [reading for reading in located if reading.found.matches]
        return (several or located)[0], ()
    if len(fitting) > 1:  # never on the same line: there the shorter one would be cut short
        return Mismatch(ReasonCode.MALFORMED, _two_fit(block, fitting))
    chosen = fitting[0]
    if chosen.is_doubtful:
        return doubtful(block)
    if _divider_is_text(chosen, source):
        reason = f"the line that would be its divider stands in {block.file_path} below the old lines, so there is none"
        return Mismatch(ReasonCode.NO_DIVIDER, f"{reason}; put one between the old and the new lines")
    if len(located) == 1:
        return chosen, ()
    where = f"of {len(located)} lines that may be its divider, the one at {chosen.divider_line} fits the file"
    return chosen, (Note("divider-resolved", where, chosen.divider_line),)


def doubtful(block: EditBlock) -> Mismatch:
    """Several dividers, and the reading that fits would write one of them into the file."""
    lines = " and ".join(str(split.divider_line) for split in block.splits)
    reason = f"lines {lines} may all be its divider, and code holds no such lines; send it with 8-character markers"
    return Mismatch(ReasonCode.MALFORMED, reason)


def _divider_is_text(reading: Reading, source: SourceText) -> bool:
    """Whether the file goes on with the divider and then with all of the new text: a divider was forgotten.

    What would be taken for the divider is the underline of the heading above it (docs/design.md, 24).
    """
    match = reading.found.match
    if match is None or not _is_cut_short(reading, source):
        return False
    below = source.lines[match.stop + 1 : match.stop + 1 + len(reading.replace)]
    return list(below) == list(reading.replace)


def _is_cut_short(reading: Reading, source: SourceText) -> bool:
    """Whether the file holds the divider too, where this reading ends: then the divider is text, not a divider.

    Else an old block would land on the heading alone once the text below it has changed (docs/design.md, 2).
    """
    match = reading.found.match
    following = source.lines[match.stop : match.stop + 1] if match else ()
    return any(set(line.strip(" \t")) == {"="} for line in following)


def _two_fit(block: EditBlock, fitting: Sequence[Reading]) -> str:
    lines = " and ".join(str(reading.divider_line) for reading in fitting)
    return f"dividers at lines {lines} both give text that is in {block.file_path}; send it with 8-character markers"
