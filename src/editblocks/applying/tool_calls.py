"""Place the change of a tool call: replace a text, which may be a part of a line, or insert lines at a line number.

If the old text is not in the file as written, its lines may still match approximately; `placing.py` tries that. Rules:
docs/reference/formats/tool-calls.md.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice, pairwise

from editblocks.applying.hunks import PlacementOptions
from editblocks.applying.merging import may_merge, merged_with_base
from editblocks.applying.mismatches import MOST_NAMED, PlaceResult, already_there, candidate, place_name
from editblocks.core.blocks import EditBlock, Note, ToolCall, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Candidate, Mismatch
from editblocks.core.phrases import join_words, noun_for, plural
from editblocks.matching.ladder import MOST_KEPT, Placement, locate
from editblocks.matching.narrowing import Match
from editblocks.matching.text_parts import (
    TextChange,
    TextPart,
    comparable,
    end_like_the_file,
    ends_line,
    find_parts,
    holds_whole_lines,
    is_at_end,
    is_surely_written,
    one_after_the_other,
    rewrite,
    written_parts,
)
from editblocks.text.source_text import SourceText

MIXED_ENDS = Note("mixed-line-ends", "the file mixes two line endings; each line keeps its own")
ONE_FOR_EACH = Note(
    "one-for-each", "there are as many equal blocks as places for them, so each was put at one of the places"
)
_ENTITY = r"&(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});"


class AppliedState(Enum):
    """Whether a text already has the change of a call."""

    NO = "no"
    MAYBE = "maybe"
    YES = "yes"


def compares_lines(call: ToolCall) -> bool:
    """Whether lines of the old text may match approximately: one place is meant, and the text has letters or digits."""
    return not means_several(call) and any(map(str.isalnum, call.old))


def means_several(call: ToolCall) -> bool:
    """Whether the call changes every place of its old text, or several."""
    return call.is_every or call.place_count not in (None, 1)


def only_part(text: str, source: SourceText) -> Match | None:
    """Return the lines of the only place in the file that reads `text`; None if there is no place, or several."""
    found = list(islice(find_parts(comparable(text), source), 2))
    if len(found) != 1:
        return None
    return Match(found[0].line, found[0].stop)


def revert_call(call: ToolCall, source: SourceText) -> AppliedState:
    """Put the old text back in place of the new one; NO if the new text is not in the file.

    MAYBE, without a change, if the place is not known: for a deletion, or for several places where one was meant.
    """
    if not call.new:
        return AppliedState.MAYBE
    new = list(islice(_parts_for(call, comparable(call.new), source), 2))
    if not new:
        return AppliedState.NO
    if len(new) > 1 and not means_several(call):
        return AppliedState.MAYBE
    parts = one_after_the_other(_parts_for(call, comparable(call.new), source))
    is_reverted = source.splice(*rewrite(source, ((part, comparable(call.old)) for part in parts)))
    return AppliedState.YES if is_reverted else AppliedState.NO


def has_old_text(call: ToolCall, source: SourceText) -> bool:
    """Whether the old text is in the file, apart from places that may come from the new text."""
    new: list[TextPart] = []
    if call.new:
        new = list(islice(_parts_for(call, comparable(call.new), source), 2))
    for part in _parts_for(call, comparable(call.old), source):
        if not any(_may_come_of(part, each) for each in new):
            return True
    return False


def _may_come_of(old: TextPart, new: TextPart) -> bool:
    """Whether `old` may only be there because of `new`, as when the call removed one of two equal lines.

    If `old` contains `new`, it must also have more lines: a part of a line is not assumed to have been there twice.
    """
    if old.start <= new.start and new.end <= old.end:
        return old.end_line - old.line > new.end_line - new.line
    return old.start < new.end and new.start < old.end


def _parts_for(call: ToolCall, text: str, source: SourceText) -> Iterator[TextPart]:
    """Yield the parts of the file that read `text`.

    A tool that has run the call cannot have found a text with a line break in a last line that has none.
    """
    for part in find_parts(text, source):
        is_without_break = text.endswith("\n") and part.end_column > 0
        if not (call.was_run and is_without_break):
            yield part


def place_part(block: EditBlock, call: ToolCall, source: SourceText, options: PlacementOptions) -> PlaceResult | None:
    """Replace the old text where it is in the file as written; None if it is not there."""
    attempt = _Replacing(block, call, source, options)
    if attempt.old == attempt.new:
        return Mismatch(ReasonCode.NO_OP, "old and new text are equal")
    if means_several(call):
        return attempt.at_every_place()
    return attempt.at_one_place() or attempt.without_entities()


class _Replacing:
    """The attempt to replace one text by another in one file."""

    def __init__(self, block: EditBlock, call: ToolCall, source: SourceText, options: PlacementOptions) -> None:
        self.block = block
        self.call = call
        self.source = source
        self.options = options
        self.old = comparable(call.old)
        self.new = comparable(call.new)

    def at_every_place(self) -> PlaceResult | None:
        """Change all places from the start of the file on, except those that overlap the place before them."""
        total = sum(1 for _ in self._every())
        if total == 0:
            return None
        done = 0
        for part, outer in self._written(self._every(), self.new):
            if not is_surely_written(part, outer, self.source):
                return self._unclear(part, outer)
            done += 1
        if done == total:
            return self._already_applied(next(self._every()))
        parts = list(islice(self._every(), MOST_KEPT))
        if done:
            what = f"{done} of {plural(total, 'place')} already have the new text"
            return self._ambiguous(parts, total, what, "write a call for each place that is left")
        if self.call.place_count not in (None, total):
            what = f"the call asks for {plural(self.call.place_count or 0, 'place')}, and the file has {total}"
            return self._ambiguous(parts, total, what, "count them again, or write a call for each place")
        return self._write(self._every)

    def _every(self) -> Iterator[TextPart]:
        return one_after_the_other(self._parts())

    def _parts(self) -> Iterator[TextPart]:
        return _parts_for(self.call, self.old, self.source)

    def _written(self, parts: Iterable[TextPart], new: str) -> Iterator[tuple[TextPart, TextPart]]:
        return written_parts(parts, self.old, new, _parts_for(self.call, new, self.source))

    def at_one_place(self) -> PlaceResult | None:
        """Change the only place; of several, the one that a person chose, or the one that equal blocks leave over."""
        all_parts = self._parts()
        parts = list(islice(all_parts, MOST_KEPT + 1))
        if not parts:
            return None
        total = len(parts)
        if total > MOST_KEPT:
            total += self.source.count(("a part", self.old), all_parts)
        if self.options.chosen_line is not None:
            return self._at_the_chosen_line(parts, total)
        if total == 1:
            return self._write_if_missing(parts[0])
        return self._one_for_each() or self._ambiguous(parts, total)

    def _write_if_missing(self, part: TextPart) -> PlaceResult:
        new = self.new
        is_ended = is_at_end(part, self.source) and not self.call.was_run
        if is_ended and self.old.endswith("\n") and new:
            new = new.removesuffix("\n") + "\n"  # as it would be written at the end of the file
        written = next(self._written([part], new), None)
        if new != self.old and written is not None:
            if not is_surely_written(*written, self.source):
                return self._unclear(*written)
            return self._already_applied(written[1])
        return self._write(lambda: [part])

    def _at_the_chosen_line(self, parts: Sequence[TextPart], total: int) -> PlaceResult:
        line = self.source.origins.current_line((self.options.chosen_line or 0) - 1)
        chosen = [part for part in self._parts() if part.line == line]
        if len(chosen) != 1:
            code = ReasonCode.NO_MATCH if total == 1 else ReasonCode.AMBIGUOUS
            return self._refuse(code, parts, total)._replace(chosen_line=self.options.chosen_line)
        outcome = self._write_if_missing(chosen[0])
        if isinstance(outcome, Placement):
            return outcome._replace(chosen=True)
        return outcome

    def _one_for_each(self) -> PlaceResult | None:
        """Use the place for this block if there are as many places as blocks that ask for the same change."""
        if self.options.hunks is None:
            return None
        before, count = self.options.hunks.among_equals(self.block)
        if count == 1:
            return None
        parts = list(self._parts())
        written = list(self._written(parts, self.new))
        unclear = [pair for pair in written if not is_surely_written(*pair, self.source)]
        for part, outer in unclear:
            if not self.source.required_blocks(part.line, part.stop):  # this answer has not written it
                return self._unclear(part, outer)
        done = [part for part, _ in written]
        if len(done) == len(parts) == count and not unclear:
            return self._already_applied(parts[before])
        left = [part for part in parts if part not in done]
        if len(left) != count - before or any(below.start < part.end for part, below in pairwise(left)):
            return None
        return self._write(lambda: left[:1], ONE_FOR_EACH)

    def without_entities(self) -> PlaceResult | None:
        """Decode HTML entities in texts from tags, and change the only place. None if the lines are there as written.

        A text with a raw `<`, `>` or `&` was not written with entities.
        """
        if self.call.is_literal:
            return None
        old = _without_entities(self.old)
        new = _without_entities(self.new)
        if not old or old == self.old or new is None:
            return None
        search = section_lines(self.block.old_lines)
        matches = locate(search, section_lines(self.block.new_lines), self.source, self.options.strategies)
        if matches.total or len(list(islice(find_parts(old, self.source), 2))) != 1:
            return None
        decoded = _Replacing(self.block, self.call._replace(old=old, new=new), self.source, self.options)
        outcome = decoded.at_one_place()
        if isinstance(outcome, Placement):
            note = Note("entities-decoded", "HTML entities in its texts were read as the characters that they mean")
            return outcome._replace(notes=(*outcome.notes, note))
        return outcome

    def _write(self, find: Callable[[], Iterable[TextPart]], *notes: Note) -> PlaceResult:
        """Replace the parts that `find` returns by the new text."""
        source = self.source
        first = next(iter(find()))
        runs_on = self.old.endswith("\n") and self.new != "" and not self.new.endswith("\n")
        if runs_on and not self.call.was_run and not is_at_end(first, source):
            line = source.origins.display_number(first.end_line - 1)
            what = f"lines {line} and {line + 1} would run together"
            advice = "end both texts with a line break, or neither"
            return Mismatch(ReasonCode.MALFORMED, what, advice)
        is_added = self.new.endswith("\n") and not self.old.endswith("\n")
        if is_added and any(ends_line(part, source) for part in find()):
            what = "the new text ends with a line break and the old one does not, so this adds a blank line"
            notes = (*notes, Note("line-break-added", what))
        if source.has_mixed_ends:
            notes = (*notes, MIXED_ENDS)
        start, stop, new, ends = rewrite(source, map(self._change, find()))
        return Placement("exact", "high", start, stop, new, notes, line_ends=ends)

    def _change(self, part: TextPart) -> TextChange:
        """Return the part to replace and its new text; see the table in the rules, "line breaks"."""
        source = self.source
        if not (self.new or self.old.endswith("\n")) and holds_whole_lines(part, source):
            if source.ends[part.end_line]:
                part = part._replace(end_line=part.end_line + 1, end_column=0)
            return part, ""
        if self.call.was_run or not is_at_end(part, source):
            return part, self.new
        return part, end_like_the_file(part, self.new, source)

    def _already_applied(self, part: TextPart) -> Mismatch:
        return already_there(self.source, (part.line, part.stop), self.block.file_path, "the new text is")

    def _unclear(self, part: TextPart, outer: TextPart) -> Mismatch:
        """Return `ambiguous` for a place in text that reads like the new text, maybe by chance."""
        where = place_name(self.source, (outer.line, outer.stop), self.block.file_path)
        what = f"the text at {where} reads like the new text, but nobody can tell whether a run wrote it"
        return self._ambiguous([part], 1, what, "add the lines above and below to both texts")

    def _ambiguous(self, parts: Sequence[TextPart], total: int, what: str = "", advice: str = "") -> Mismatch:
        """Return `ambiguous` for `total` places; `parts` are the first of them."""
        mismatch = self._refuse(ReasonCode.AMBIGUOUS, parts, total)
        lines = [each.start_line for each in mismatch.candidates]
        if what:
            can_not_be_chosen = tuple(each._replace(pick=None) for each in mismatch.candidates)
            return mismatch._replace(what=what, advice=advice, candidates=can_not_be_chosen)
        if len(lines) < min(total, MOST_KEPT):
            shown = lines[:MOST_NAMED]
            where = f"{noun_for(len(shown), 'line')} {join_words(list(map(str, shown)))}"
            what = f"the old text occurs {total} times in {self.block.file_path}, first in {where}"
            return mismatch._replace(what=what, advice="add text before or after it")
        return mismatch

    def _refuse(self, code: ReasonCode, parts: Sequence[TextPart], total: int) -> Mismatch:
        candidates = tuple(self._candidates(parts[: MOST_KEPT + 1]))
        return Mismatch(code, candidates=candidates, candidates_total=total, level="exact")

    def _candidates(self, parts: Sequence[TextPart]) -> Iterator[Candidate]:
        """Yield a place for each line at which parts begin; it can be chosen if only one part begins there."""
        lines = [part.line for part in parts]
        for number, part in enumerate(parts[:MOST_KEPT]):
            is_alone = lines.count(part.line) == 1
            if is_alone or lines.index(part.line) == number:
                place = (part.line, part.stop)
                is_named = number < MOST_NAMED
                yield candidate(self.block, self.source, place, is_named=is_named, can_be_chosen=is_alone)


def _without_entities(text: str) -> str | None:
    """Return the text with its HTML entities decoded; None if it has a raw `<`, `>` or `&`."""
    bare = re.sub(_ENTITY, "", text)
    if any(sign in bare for sign in "<>&"):
        return None
    from html import unescape  # its table of names takes 2 % of a check

    return re.sub(_ENTITY, lambda entity: unescape(entity[0]), text)


def place_insertion(block: EditBlock, call: ToolCall, source: SourceText, options: PlacementOptions) -> PlaceResult:
    """Insert lines after the line number that the call names. A number is used only if its version is known."""
    if not block.new_lines:
        return Mismatch(ReasonCode.NO_OP, "there is no line to insert")
    insertion = _Insertion(block, source, call.named_line)
    line = call.line or 0
    if line < 0:
        return insertion.at_end()
    if line == 0 or (source.is_known and not call.is_changed):
        return insertion.after_line(line)
    base = options.base()
    if base is not None:
        return insertion.merged(line, base, options)
    if len(call.view) == 1:
        return insertion.after_last(call.view[0], line)
    if call.view:
        return insertion.beside(call.view, options.chosen_line)
    what = f"the version that line {call.named_line} refers to is not known; add base: COMMIT, or ask for str_replace"
    return Mismatch(ReasonCode.NO_VERSION, what)


class _Insertion:
    """The attempt to insert the lines of one block into one file."""

    def __init__(self, block: EditBlock, source: SourceText, named_line: int) -> None:
        self.block = block
        self.source = source
        self.new = section_lines(block.new_lines)
        self._named_line = named_line

    def at_end(self) -> PlaceResult:
        count = len(self.source.lines)
        return self._insert_if_missing(count - len(self.new), count)

    def after_line(self, line: int) -> PlaceResult:
        """Insert the lines after this line of the file as it is now; after line 0 they are the first."""
        count = len(self.source.lines)
        if line > count:
            what = f"{self.block.file_path} has {plural(count, 'line')}, so there is no line {self._named_line}"
            return Mismatch(ReasonCode.NO_MATCH, what, "count the lines again, or ask for str_replace")
        return self._insert_if_missing(line, line)

    def merged(self, line: int, base: SourceText, options: PlacementOptions) -> PlaceResult:
        """Insert the lines after this line of the base version, and merge."""
        above = base.origins.current_line(line - 1)
        at = base.origins.current_line(line)  # the line below, where a block changed the line itself
        if above is not None:
            at = above + 1
        if at is None:
            where = f"{options.commit[:7]}, the base of this answer"
            what = f"{self.block.file_path} has no line {self._named_line} in {where}"
            return Mismatch(ReasonCode.NO_MATCH, what, "count the lines again, or ask for str_replace")
        if not may_merge(base, self.source, options.budget):
            return Mismatch(ReasonCode.TOO_LARGE, "the answer needs too much merging with its base", "split it")
        return merged_with_base(self.block, self.source, base, self._at(at), options.commit)

    def beside(self, view: tuple[str, ...], chosen_line: int | None) -> PlaceResult:
        """Insert the lines between two lines that were shown."""
        above, below = view
        starts = list(self.source.places([above, below]))
        if chosen_line is not None:
            starts = [start for start in starts if self.source.origins.original_line(start) == chosen_line - 1]
        if len(starts) == 1:
            return self._at(starts[0] + 1)._replace(chosen=chosen_line is not None)
        if not starts:
            written = next(self.source.places([above, *self.new, below]), None)
            if written is not None:
                return self._already_applied(written + 1)
            what = f"the lines that were shown around the place are not together in {self.block.file_path}"
            return Mismatch(ReasonCode.NO_MATCH, what, "ask for str_replace")
        places = [(start, start + len(view)) for start in starts[:MOST_KEPT]]
        candidates = tuple(candidate(self.block, self.source, place) for place in places)
        return Mismatch(ReasonCode.AMBIGUOUS, candidates=candidates, candidates_total=len(starts), level="exact")

    def after_last(self, shown: str, line: int) -> PlaceResult:
        """Insert the lines after a line that was shown as the last one of the file, which must still be its last."""
        lines = self.source.lines
        if lines[line - 1 :] == [shown]:
            return self._at(line)
        if lines[line - 1 :] == [shown, *self.new]:
            return self._already_applied(line)
        what = f"line {line}, which was shown as the last one, is not the last line of {self.block.file_path}"
        return Mismatch(ReasonCode.NO_MATCH, what, "ask for str_replace")

    def _insert_if_missing(self, first: int, line: int) -> PlaceResult:
        """Insert the lines at `line`, unless they are already in the file from line `first` on."""
        if self.source.lines[first : first + len(self.new)] == self.new:
            return self._already_applied(first)
        return self._at(line)

    def _at(self, line: int) -> Placement:
        return Placement("exact", "high", line, line, tuple(self.new))

    def _already_applied(self, line: int) -> Mismatch:
        return already_there(self.source, (line, line + len(self.new)), self.block.file_path)
