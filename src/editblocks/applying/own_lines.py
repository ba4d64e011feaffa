"""Place blocks that name their own lines in one version of the file, so that nothing is searched for.

A suggestion replaces the lines of its review thread at the thread's commit; a three-way merge carries the change to the
branch. The edits of tools name lines and columns of the base, or of the file on the branch if the tool shows the text
that it replaces. They are refused if the file differs from the base, because the tool may have read uncommitted text.
Edits that overlap are refused in any order. Rules: docs/reference/formats/suggestion.md and linters.md.
"""

import re
from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from editblocks.applying.files import FilePlan
from editblocks.applying.hunks import PlacementOptions
from editblocks.applying.merging import may_merge, merged_with_base
from editblocks.applying.mismatches import PlaceResult, candidate
from editblocks.core.blocks import EditBlock, RangeEdit, TextRange, ThreadLines, section_lines
from editblocks.core.characters import show_text
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.phrases import blocks as named_blocks
from editblocks.core.phrases import named_lines
from editblocks.core.settings import Settings
from editblocks.matching.align import changes, common_start, keep
from editblocks.matching.ladder import Placement
from editblocks.text.source_text import SourceText

_OTHER_BREAKS = "[\r\u0085\u2028\u2029]"  # some tools end a line at these
RUN_AGAIN = "run the tool again"
_ITSELF = "apply it with the tool itself"
_SHOWN = 60  # characters of a text in a message
_OTHER_VERSION = frozenset({ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.ALREADY_APPLIED})
SEND_AGAIN = "comment on the lines that are there now"
_NO_VERSION = "name the commit that the tool ran on: --base HEAD, or a line `base: COMMIT` above its output"


def _at_own_place(
    block: EditBlock, source: SourceText | None, outcome: PlaceResult, chosen_line: int | None
) -> PlaceResult:
    """Return the outcome of a block that names its own place: a person can choose only this place."""
    if chosen_line is None or not isinstance(outcome, Placement):
        return outcome
    place = candidate(block, source or SourceText(), (outcome.start, outcome.stop))
    if place.start_line == chosen_line:
        return outcome._replace(chosen=True)
    return Mismatch(ReasonCode.NO_MATCH, candidates=(place,), candidates_total=1, chosen_line=chosen_line)


class _Rewrite(NamedTuple):
    """A part of a text, in characters from its start, and the text that replaces it."""

    start: int
    stop: int
    new: str


class _BadRange(ValueError):
    """A range cannot be used. This exception never leaves the module."""

    def __init__(self, code: ReasonCode, what: str, advice: str = RUN_AGAIN) -> None:
        super().__init__(what)
        self.mismatch = Mismatch(code, what, advice)


class RangeVersion:
    """One version of a file, and where blocks change it.

    `commit` is the commit of the version; empty for the file on the branch. `blocks` are the blocks of the file,
    `chosen` the numbers of the blocks that will be placed.
    """

    def __init__(
        self, path: str, text: SourceText, commit: str, blocks: Sequence[EditBlock], chosen: Collection[int]
    ) -> None:
        self._commit = commit
        self._encoded = text.encode()
        self._version = _VersionText(path, text)
        self._spans: dict[int, list[_Rewrite]] = {}
        self._refused: dict[int, Mismatch] = {}
        for block in blocks:
            try:
                self._spans[block.number] = self._spans_of(block)
            except _BadRange as bad:
                self._refused[block.number] = bad.mismatch
        if not commit:
            self._refuse_other_version(path)
        self._spans = {number: spans for number, spans in self._spans.items() if number in chosen}
        self._refuse_overlaps(path)

    def place(self, block: EditBlock, file: FilePlan, chosen_line: int | None) -> PlaceResult:
        """Change the file as the block asks, if it is this version with only the changes of the blocks before.

        `chosen_line`: as in `PlacementOptions`.
        """
        refused = self._refused.get(block.number)
        if refused is not None:
            return refused
        applied_spans = {span: number for number in file.applied for span in self._spans.get(number, ())}
        block_spans = self._spans[block.number]
        if all(span in applied_spans for span in block_spans):
            what = f"{named_blocks([applied_spans[block_spans[0]]])} makes the same change"
            return Mismatch(ReasonCode.ALREADY_APPLIED, what)
        if file.original != self._encoded:
            what = f"{block.file_path} differs from {self._commit[:7]}, the base"
            return Mismatch(ReasonCode.STALE, what, "commit it and run the tool again")
        if not self._spans.keys() >= set(file.applied):
            what = f"{named_blocks(file.applied)} changed {block.file_path} in another way"
            return Mismatch(ReasonCode.STALE, what, RUN_AGAIN)
        text = _replaced(self._version.text, sorted({*applied_spans, *block_spans}))
        return _at_own_place(block, file.text, _change(file.text or SourceText(), text), chosen_line)

    def _spans_of(self, block: EditBlock) -> list[_Rewrite]:
        """The spans of a block in the version. Raises `_BadRange`."""
        version = self._version
        if not self._commit:
            _check_shown(block)
            self._check_not_done(block)
        spans = sorted({version.span(edit) for edit in block.range_edits})
        if any(_overlap(above, below) for above, below in pairwise(spans)):
            raise _BadRange(ReasonCode.MALFORMED, "its own edits overlap")
        if all(version.text[span.start : span.stop] == span.new for span in spans):
            raise _BadRange(ReasonCode.NO_OP, "old and new text are equal", "")
        return spans

    def _check_not_done(self, block: EditBlock) -> None:
        """Refuse a block if some or all of its new texts are already in the branch's file. Raises `_BadRange`."""
        count = len(block.range_edits)
        done = sum(map(self._version.holds_result, block.range_edits))
        if done == count:
            raise _BadRange(ReasonCode.ALREADY_APPLIED, f"{block.file_path} already has the new text", "")
        if done:
            raise _BadRange(ReasonCode.AMBIGUOUS, f"{block.file_path} already has {done} of {count} new texts")

    def _refuse_other_version(self, path: str) -> None:
        """Refuse every block if one shows a text that is not in the branch's file: lines may have moved."""
        others = [number for number, mismatch in self._refused.items() if mismatch.code in _OTHER_VERSION]
        if not others:
            return
        what = f"{named_blocks(others[:1])} shows that {path} differs from what the tool saw"
        for number in self._spans:
            self._refused[number] = Mismatch(ReasonCode.NO_MATCH, what, RUN_AGAIN)

    def _refuse_overlaps(self, path: str) -> None:
        """Refuse blocks with edits that overlap an edit of another block. Equal replacements do not overlap."""
        numbers: dict[tuple[_Rewrite, int], list[int]] = {}
        for number, spans in self._spans.items():
            for span in spans:
                # Two equal insertions may both be meant, two equal replacements are one edit.
                own = number if span.start == span.stop else 0
                numbers.setdefault((span, own), []).append(number)
        furthest = _Rewrite(-1, -1, "")  # the span that ends last so far
        others: list[int] = []  # the blocks that ask for it
        for (span, _), blocks in sorted(numbers.items()):
            if _overlap(furthest, span):
                both = sorted({others[0], blocks[0]})
                line = self._version.text.count("\n", 0, furthest.start) + 1
                what = f"{named_blocks(both)} change the same text at line {line} of {path}"
                for number in (*others, *blocks):
                    self._refused.setdefault(number, Mismatch(ReasonCode.AMBIGUOUS, what, "choose one with --only"))
            if span.stop >= furthest.stop:
                furthest = span
                others = blocks


class _VersionText:
    """The text of a version as one string, with `\\n` as line ends, and the positions in it."""

    def __init__(self, path: str, text: SourceText) -> None:
        self.text = "\n".join(text.lines)
        if _is_ended(text):
            self.text += "\n"
        self._path = path
        self._has_bom = bool(text.bom)
        self._lines = self.text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        odd = re.search(_OTHER_BREAKS, self.text)
        self._odd_at = len(self.text) + 1
        if odd is not None:
            self._odd_at = odd.start()

    def span(self, edit: RangeEdit) -> _Rewrite:
        """Return the span of an edit. Raises `_BadRange`, for example if the old text is not what the tool shows."""
        start, stop = self._positions(edit.place, edit.widest)
        span = _Rewrite(start, stop, edit.text)
        if edit.is_lines:
            span = self._whole_lines(span)
        if edit.shown_at is not None and not self._is_shown(edit, edit.shown_at):
            shown = show_text(edit.shown.strip().partition("\n")[0][:_SHOWN])
            what = f"line {edit.shown_at.first_line} of {self._path} is not `{shown}`, which the tool shows there"
            raise _BadRange(ReasonCode.NO_MATCH, what)
        if edit.shown_at is None:
            self._check_counting(edit.place, stop)
        return span

    def holds_result(self, edit: RangeEdit) -> bool:
        """Whether the new text is already at the place of an edit, from an earlier run. Raises `_BadRange`.

        The shown old text may be there as well, if the new text begins with it. Without the old text, a new text that
        has no letter or digit proves nothing.
        """
        start, stop = self._positions(edit.place, edit.widest)
        new = edit.text
        if not new or new == self.text[start:stop] or not self.text.startswith(new, start):
            return False
        is_shown = edit.shown_at is None or self._is_shown(edit, edit.shown_at)
        return is_shown or any(map(str.isalnum, new))

    def _whole_lines(self, span: _Rewrite) -> _Rewrite:
        """Return the span of whole lines; if there is no new text, it includes one line break."""
        if span.new:
            return span
        if span.stop < len(self.text):
            return span._replace(stop=span.stop + 1)
        return span._replace(start=max(0, span.start - 1))

    def _is_shown(self, edit: RangeEdit, place: TextRange) -> bool:
        """Whether the version has the text that the tool shows: exactly at `place`, or as its whole lines."""
        start, stop = self._positions(place, edit.widest)
        lines = "\n".join(self._lines[place.first_line - 1 : place.last_line])
        return edit.shown.removesuffix("\n") in (self.text[start:stop].removesuffix("\n"), lines)

    def _check_counting(self, place: TextRange, stop: int) -> None:
        """Refuse a place whose lines or columns tools count in different ways. Raises `_BadRange`."""
        if stop > self._odd_at:
            line = self.text.count("\n", 0, self._odd_at) + 1
            what = f"line {line} of {self._path} holds a line break that only some tools count"
            raise _BadRange(ReasonCode.UNSUPPORTED_FORMAT, what, _ITSELF)
        has_column = place.first_line == 1 and (place.first_column > 1 or place.last_line == 1)
        if self._has_bom and has_column:
            what = f"{self._path} begins with a byte order mark, which only some tools count as a column"
            raise _BadRange(ReasonCode.UNSUPPORTED_FORMAT, what, _ITSELF)

    def _positions(self, place: TextRange, widest: str) -> tuple[int, int]:
        start = self._position(place.first_line, place.first_column, widest)
        return start, self._position(place.last_line, place.last_column, widest)

    def _position(self, number: int, column: int, widest: str) -> int:
        """The position of a column (1-based, 0 for the end) of a line (1-based). Raises `_BadRange`."""
        if number > len(self._lines):
            count = self.text.count("\n") + (not self.text.endswith("\n"))
            raise _BadRange(ReasonCode.NO_MATCH, f"{self._path} has {count} lines, and no line {number}")
        line = self._lines[number - 1]
        start = self._starts[number - 1]
        if not column:
            return start + len(line)
        if max(line[: column - 1], default="") > widest:
            what = f"column {column} of line {number} comes after a character that tools count in different ways"
            raise _BadRange(ReasonCode.UNSUPPORTED_FORMAT, what, _ITSELF)
        if column - 1 > len(line):
            raise _BadRange(ReasonCode.NO_MATCH, f"line {number} of {self._path} has no column {column}")
        return start + column - 1


def _check_shown(block: EditBlock) -> None:
    """Refuse edits that show no old text if there is no base: a line number is not enough. Raises `_BadRange`."""
    for edit in block.range_edits:
        if edit.shown_at is None:
            line = edit.place.first_line
            what = f"the answer names line {line} of {block.file_path}, but not the version of the file"
            raise _BadRange(ReasonCode.NO_VERSION, what, _NO_VERSION)


def _overlap(above: _Rewrite, below: _Rewrite) -> bool:
    """Whether two changes cannot both be made, or their order would matter."""
    if above.start == above.stop == below.start == below.stop:
        return True
    return above.start < below.stop and below.start < above.stop


def _change(source: SourceText, text: str) -> Placement:
    """Return the change of whole lines that turns `source` into `text`."""
    old = source.lines
    new = text.split("\n")
    ends = ("", "no")
    if new[-1] == "":
        new.pop()
        ends = ("", "")
        if not _is_ended(source):
            ends = ("no", "")
    above = min(common_start(old, new), max(len(old), len(new), 1) - 1)  # or only the last break differs
    below = min(common_start(old[::-1], new[::-1]), len(old) - above, len(new) - above)
    stop = len(old) - below
    new = new[: len(new) - below]
    lines: list[str | int] = []
    copied = above
    for region in changes(old[above:stop], new[above:]):
        first = above + region.start
        lines += range(copied, first)
        copied = above + region.stop
        lines += keep(old[first:copied], new[above + region.new_start : above + region.new_stop], first)
    lines += range(copied, stop)
    return Placement("range", "high", above, stop, tuple(lines), ends=ends)


def _replaced(text: str, spans: Sequence[_Rewrite]) -> str:
    """Return the text with these spans replaced. They are in order and do not overlap."""
    parts = []
    below = 0
    for span in spans:
        parts += [text[below : span.start], span.new]
        below = span.stop
    return "".join((*parts, text[below:]))


def _is_ended(text: SourceText) -> bool:
    return bool(text.ends) and bool(text.ends[-1])


def place_suggestion(
    block: EditBlock, file: FilePlan, base: SourceText | None, options: PlacementOptions, settings: Settings
) -> PlaceResult:
    """Replace the lines of the review thread. They are lines of `base`, the file at the thread's commit."""
    outcome = _on_thread_lines(block, file, base, options, settings)
    return _at_own_place(block, file.text, outcome, options.chosen_line)


def _on_thread_lines(
    block: EditBlock, file: FilePlan, base: SourceText | None, options: PlacementOptions, settings: Settings
) -> PlaceResult:
    thread = block.thread_lines or ThreadLines(0, 0, "")
    source = file.text
    if base is None or not 0 < thread.first <= thread.last <= len(base.lines):
        what = f"{block.file_path} has no line {thread.last} in {thread.commit[:7]}, which the comment was made on"
        return Mismatch(ReasonCode.STALE, what, SEND_AGAIN)
    if source is None:
        return Mismatch(ReasonCode.STALE, base=thread.commit)
    start = thread.first - 1
    old = base.lines[start : thread.last]
    new = section_lines(block.new_lines)
    if old == new:
        return Mismatch(ReasonCode.NO_OP, "the old and new lines are the same")
    is_unchanged = file.original == base.encode()
    if is_unchanged and (placement := _at_lines(source, start, old, new)) is not None:
        return placement
    if not (settings.three_way or is_unchanged):
        on = f"{thread.commit[:7]}, which the comment was made on"
        what = f"{block.file_path} has changed since {on}, and three-way merging is off"
        return Mismatch(ReasonCode.STALE, what, SEND_AGAIN)
    if not may_merge(base, source, options.budget):
        return Mismatch(ReasonCode.TOO_LARGE, "the answer needs too much merging", "split it")
    in_base = Placement("", "", start, thread.last, keep(old, new, start))
    merged = merged_with_base(block, source, base, in_base, thread.commit)
    if is_unchanged and isinstance(merged, Mismatch) and merged.code is ReasonCode.STALE:
        lines = named_lines((thread.first, thread.last))
        verb = "changes" if len(source.applied) == 1 else "change"
        return Mismatch(ReasonCode.STALE, f"{named_blocks(source.applied)} also {verb} {lines}", "choose one")
    return merged


def _at_lines(source: SourceText, start: int, old: list[str], new: list[str]) -> Placement | None:
    """Return the place in a file that only earlier blocks have changed; None if one of them changed a line of it."""
    now = [source.origins.current_line(line) for line in range(start, start + len(old))]
    first = now[0]
    if first is None or now != list(range(first, first + len(now))):
        return None
    return Placement("thread-lines", "high", first, first + len(now), keep(old, new, first))
