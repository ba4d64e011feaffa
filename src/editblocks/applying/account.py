"""Account for one response: which files its blocks change, what failed, which notes. Each block sees those before it.

The order of the checks is the order of docs/reference/formats.md, "applying": the first that fails decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain

from editblocks.applying import file_changes
from editblocks.applying.content_checks import block_too_large, checked_content
from editblocks.applying.decide import Outcome, line_counts, place_block
from editblocks.applying.done_before import is_done
from editblocks.applying.file_changes import refused
from editblocks.applying.files import BaseVersion, FilePlan, Read, Tree
from editblocks.applying.hunks import MANY, Hunks, note_found
from editblocks.applying.links import Links
from editblocks.applying.plans import FilePlans
from editblocks.applying.similar_paths import nearest
from editblocks.applying.whole_files import no_file, not_asked_for, stand_in
from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem, section_lines
from editblocks.core.codes import FINE_CODES, EditStatus, ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.model import EditResult, Mismatch
from editblocks.core.selection import LEFT_OUT, NOT_NAMED, Selection
from editblocks.core.settings import Settings
from editblocks.matching.block_readings import lines_asked_for
from editblocks.matching.ladder import Budget, Placement, PlacementOptions, Strategy, loose_for, strategies_for
from editblocks.matching.narrowing import LineNumbers
from editblocks.matching.order import Order
from editblocks.parsing.path_line import find_path, is_stand_in
from editblocks.paths.syntax import Operation, PathError
from editblocks.text.source_text import SourceText

_MOST_OTHERS = 1_000_000  # lines of other files that all failed blocks together are looked for in
_LOOKING = 100  # so many lines would take as long as to begin with a file


class Account:
    """The files of `tree` after the blocks so far. Of one that only reads, nothing is known but bytes."""

    def __init__(self, parsed: ParseResult, tree: Read | Tree, settings: Settings, select: Selection | None) -> None:
        entries = None if callable(tree) else tree.entries
        self.entries = None if entries is None else cache(entries)  # a listing costs a walk, or a request
        self._links = None if self.entries is None or callable(tree) else Links(self.entries, tree.link_target)
        self.plans = FilePlans(tree if callable(tree) else tree.read, self.entries, settings)
        self.settings = settings
        self.select = select
        self.by_file = parsed.by_file
        self._hunks = Hunks(parsed, select)
        self.base: BaseVersion | None = None
        if parsed.base is not None and not callable(tree) and settings.three_way:
            self.base = BaseVersion(parsed.base, tree.at, settings)
        self._at: Callable[[str], Read | None] = (lambda _: None) if callable(tree) else tree.at
        self._versions: dict[str, BaseVersion] = {}  # of the commits that suggestions were written on
        self.done: dict[str, bool] = {}  # files that hold what their blocks make of them
        self.written: Mapping[int, str] = {}  # by block, the apply that wrote it to files nobody changed since
        self._budget = Budget()
        self._listings = 0 if callable(tree) else tree.listings  # of directories, that a hint may cost
        self._listed: set[str] = set()
        self._others_left = _MOST_OTHERS
        self._lost: dict[str, tuple[str, str]] = {}  # by path that a failed rename was to fill: why, and what to do

    def pass_over(self, problem: Problem) -> None:
        """Count a block that could not be read as a failure of its file, if it was asked for."""
        if problem.file_path is not None and self._takes(problem.number, problem.file_path):
            self.plans.fail(problem.file_path, problem.number)

    def take(self, block: EditBlock) -> EditResult:
        """Plan the next block: return its result, and change the files."""
        if self.select is not None and not self._takes(block.number, *block.paths):
            is_left_out = block.number in self.select.skip
            mismatch = Mismatch(ReasonCode.NOT_SELECTED, LEFT_OUT if is_left_out else NOT_NAMED)
            return EditResult(block, EditStatus.SKIPPED, mismatch, notes=block.notes)
        if block.number in self.written:
            return self._written(block, self.written[block.number])
        refusal = self._path_refusal(block)
        failed = (
            [numbers for path in block.paths if (numbers := self.plans.failed.get(path))] if self.plans.failed else []
        )
        without = tuple(failed[0] if len(failed) == 1 else sorted({*chain(*failed)}))
        if block.changes_file_itself:
            result = self._change_file(block, refusal, is_tried=bool(without))
        elif (lost := self._lost.get(block.file_path)) is not None and refusal is None:
            mismatch = Mismatch(ReasonCode.EARLIER_FAILURE, *lost)
            return EditResult(block, EditStatus.SKIPPED, mismatch, notes=block.notes, without=without)
        else:
            result = self._result(block, refusal or self._decide(block))
            result = self._with_old_lines(result) if self.plans.taken_away else result
        if refusal is not None or not without:
            return result
        # One round shows every fault: behind failed blocks of its file, the row has its result without them as well.
        return result._replace(
            status=EditStatus.SKIPPED,
            mismatch=Mismatch(ReasonCode.EARLIER_FAILURE),
            strategy=None,
            confidence=None,
            span=None,
            chosen=False,
            trial=result,
            without=without,
        )

    def _written(self, block: EditBlock, name: str) -> EditResult:
        """The row of a block that an apply wrote: whatever else resembles its old text, it is not looked for again."""
        what = f"apply {name} wrote this block, and nobody has changed {block.paths[-1]} since"
        mismatch = Mismatch(ReasonCode.ALREADY_APPLIED, what, "nothing to do")
        if self.base is not None and not block.changes_file_itself:
            self.base.follow(block, self._strategies(block), is_old=True)
        return EditResult(block, EditStatus.SKIPPED, mismatch, notes=block.notes)

    def _change_file(self, block: EditBlock, refusal: Mismatch | None, *, is_tried: bool) -> EditResult:
        """The row of a block that deletes or renames its file; `is_tried`: it cannot, and says what it would do."""
        path, new_path = block.file_path, block.new_path
        mismatch = refusal or file_changes.refusal(block, self.plans)
        if mismatch is not None and mismatch.code in FINE_CODES:
            return EditResult(block, EditStatus.SKIPPED, mismatch._replace(advice="nothing to do"), notes=block.notes)
        if mismatch is None and not is_tried:
            if self.base is not None:
                self.base.take_away(path, new_path)
            return file_changes.carry_out(block, self.plans)
        for each in dict.fromkeys(block.paths) if mismatch is not None else block.paths[1:]:
            self.plans.fail(each, block.number)
        if block.action == "rename":
            number = block.number
            self._lost[new_path] = f"{new_path} is to come from block {number}", f"repair block {number} first"
        if mismatch is None:
            return EditResult(block, EditStatus.APPLIED)
        return EditResult(block, EditStatus.FAILED, self._with_near(path, mismatch), notes=block.notes)

    def _with_old_lines(self, result: EditResult) -> EditResult:
        """Add a note if the row names lines of a renamed file, which has them under its old name."""
        path = result.file_path
        old_path = self.plans.old_path(path)
        if old_path == path or not (result.estimated_line or result.candidates or result.first_difference):
            return result
        note = Note("rename-line-numbers", f"lines of {path} are counted in {old_path}, as it is on the branch")
        return result._replace(notes=(*result.notes, note))

    def _takes(self, number: int, *paths: str) -> bool:
        return self.select is None or self.select.takes(number, *paths)

    def _path_refusal(self, block: EditBlock) -> Mismatch | None:
        """Why the block's path, or its size, is refused whatever the file holds."""
        is_asked_for = block.action != "replace-file" or self.settings.whole_files != "no"
        if is_asked_for and (too_large := block_too_large(block)) is not None:
            return too_large
        if block.changes_file_itself:
            refusal = file_changes.path_refusal(block, self.plans, self.settings)
            linked = self._behind_a_link(block)
            return refused(linked) if refusal is None and linked is not None else refusal
        error = self.plans.path_refusal(block.file_path, _operation(block)) or self._behind_a_link(block)
        if error is None:
            return None if is_asked_for else not_asked_for(block)
        spoken = self._spoken_of(block.file_path) if block.weak_path else ""
        return no_file(block, is_free=False, spoken=spoken) if spoken else refused(error)

    def _behind_a_link(self, block: EditBlock) -> PathError | None:
        """Why a protected link forbids to change one of the block's files."""
        if self._links is None:
            return None
        return next(filter(None, (self._links.refusal(path, self.settings) for path in block.paths)), None)

    def _decide(self, block: EditBlock) -> Outcome:
        file, path = self._file(block), block.file_path
        # A submodule or a link of that name is what the line names.
        is_there = file.code is ReasonCode.NOT_A_FILE if isinstance(file, Mismatch) else file.text is not None
        if block.weak_path and not is_there:
            return no_file(block, is_free=isinstance(file, FilePlan), spoken=self._spoken_of(path))
        if block.creates_file and not is_there and is_stand_in(path):
            return stand_in(path)
        if isinstance(file, Mismatch):
            return file
        if self._is_done(block, file):
            return Mismatch(ReasonCode.ALREADY_APPLIED, f"{path} holds what its blocks make of it already")
        if block.thread_lines is not None:
            outcome = self._at_the_thread(block, file, block.thread_lines.commit)
        else:
            outcome = self._stood_before(block, file) or place_block(block, file.text, self._placement_options(block))
        if isinstance(outcome, Placement):
            failure = self._tree_failure(path) if outcome.strategy == "create" else None
            return failure or checked_content(block, file, outcome, self.settings)
        return self._with_near(path, outcome)

    def _spoken_of(self, line: str) -> str:
        """The file that the last word of a line names, such as `Updated file: src/cart.py`; "" if there is none."""
        *words, last = line.split()
        named = find_path(last) if words else None
        if named is None or self.plans.path_refusal(named.path, "edit") is not None:
            return ""
        try:
            return named.path if self.plans[named.path].is_there else ""
        except UnreadableFile:
            return ""

    def _with_near(self, path: str, mismatch: Mismatch) -> Mismatch:
        """Name existing files with a similar name, if there is no such file."""
        if mismatch.code is not ReasonCode.FILE_NOT_FOUND or self.entries is None:
            return mismatch
        return mismatch._replace(near=tuple(nearest(path, self._listing)))

    def _at_the_thread(self, block: EditBlock, file: FilePlan, commit: str) -> Outcome:
        """Place a suggestion, with the file of the commit that its lines are of."""
        from editblocks.applying.suggestions import not_in_the_history, place_suggestion  # of review threads alone

        version = self._versions.setdefault(commit, BaseVersion(commit, self._at, self.settings))
        base = version.text(block.file_path)
        if version.is_unknown:
            return not_in_the_history(commit)
        return place_suggestion(block, file, base, self._placement_options(block), self.settings)

    def _tree_failure(self, path: str) -> Mismatch | None:
        """Why the tree refuses a file that perhaps only one of the block's readings creates."""
        error = None if self.entries is None else self.plans.overlay.check(path, "create")
        return None if error is None or error.rule == "E_EXISTS" else refused(error)

    def _is_done(self, block: EditBlock, file: FilePlan) -> bool:
        """Whether all blocks of the file have been applied to it before; asked before the first of them."""
        path = block.file_path
        if path not in self.done:
            others = (other for other in self.by_file[path] if other.number not in self.written)
            blocks = [other for other in others if self._takes(other.number, path)]
            self.done[path] = file.text is not None and is_done(blocks, file.text, self._placement_options(block))
        return self.done[path]

    def _stood_before(self, block: EditBlock, file: FilePlan) -> Mismatch | None:
        """Whether the file on the branch has this insertion, though an earlier block added lines in between."""
        if file.text is None or len(file.text.lines) == file.lines_before:
            return None
        if not (block.inserts and block.search):
            return None
        options = PlacementOptions(
            Budget(), self._strategies(block), numbers=self._numbers(block), order=self._order(block)
        )
        outcome = place_block(block, file.before, options)
        if not isinstance(outcome, Mismatch) or outcome.there_at is None:
            return None
        heads = range(outcome.there_at, outcome.there_at + len(section_lines(block.replace)))
        lines = [file.text.origins.now(head) for head in heads]
        return None if None in lines else outcome._replace(there_at=lines[0])

    def _strategies(self, block: EditBlock) -> Sequence[Strategy]:
        return strategies_for(block, self.settings.matching)

    def _numbers(self, block: EditBlock) -> LineNumbers | None:
        if block.line_hint is None:
            return None
        return self._hunks.numbers(block, block.line_hint, lambda: self.plans[block.file_path].before)

    def _order(self, block: EditBlock) -> Order:
        text = self.plans[block.file_path].text
        applied = () if text is None else text.applied
        return self._hunks.order(block, applied, lambda: self.plans[block.file_path].before)

    def _placement_options(self, block: EditBlock) -> PlacementOptions:
        base, path = self.base, block.file_path
        return PlacementOptions(
            self._budget,
            self._strategies(block),
            loose_for(block, self.settings.matching),
            chosen_line=None if self.select is None else self.select.picks.get(block.number),
            commit="" if base is None else base.commit,
            base=lambda: None if base is None else base.text(path),
            other_files=lambda: self._others(path),
            numbers=self._numbers(block),
            order=self._order(block),
            tail=self._hunks.tail(block) if block.at_end else (),
            whole_files=self.settings.whole_files,
        )

    def _others(self, path: str) -> Iterator[tuple[str, SourceText]]:
        """The other files of this response that are text, as they are now, as long as looking through them is cheap."""
        for other, blocks in self.by_file.items():
            is_asked = other != path and self._others_left >= _LOOKING and self._path_refusal(blocks[0]) is None
            file = self._file(blocks[0]) if is_asked else None
            text = file.text if isinstance(file, FilePlan) else None
            if text is not None and (cost := _LOOKING + len(text.lines)) <= self._others_left:
                self._others_left -= cost
                yield other, text

    def _listing(self, directory: str) -> Mapping[str, str]:
        """The names in a directory, as long as not too many were listed only to guess which file was meant."""
        if directory not in self._listed:
            if len(self._listed) >= self._listings:
                return {}
            self._listed.add(directory)
        return self.plans.overlay.entries(directory)

    def _file(self, block: EditBlock) -> FilePlan | Mismatch:
        """The file as it is now, if the tree lets the block change it."""
        path = block.file_path
        if self.entries is not None:
            error = self.plans.overlay.check(path, _operation(block))
            # Whether it holds the same text, or was there in the base, is seen later.
            if error is not None and error.rule == "E_SYMLINK_LEAF" and self._links is not None:
                return self._links.with_target(path, refused(error))
            if error is not None and error.rule not in ("E_EXISTS", "E_MISSING"):
                return refused(error)
        try:
            file = self.plans[path]
        except UnreadableFile as unreadable:
            return refused(unreadable)
        if file.fault is not None:
            return refused(file.fault)
        if file.text is not None:
            blocks = self.by_file[path]
            file.text.asked = partial(lines_asked_for, blocks)
            if len(blocks) >= MANY:
                file.text.index()
        return file

    def _result(self, block: EditBlock, outcome: Outcome) -> EditResult:
        """The row of a block; what it changes is changed in the file's plan."""
        if isinstance(outcome, Placement):
            return self._apply(block, outcome)
        if outcome.code in FINE_CODES:
            if self.base is not None and outcome.code is ReasonCode.ALREADY_APPLIED:
                self.base.follow(block, self._strategies(block), is_old=True)
            return self._nothing_to_do(block, outcome)
        if block.thread_lines is None:  # a suggestion says its lines itself, so nothing behind it depends on it
            self.plans.fail(block.file_path, block.number)
        added, removed = (0, 0) if outcome.code is ReasonCode.TOO_LARGE else line_counts(block)
        notes = (*block.notes, *outcome.notes)
        status = EditStatus.SKIPPED if outcome.code is ReasonCode.WHOLE_FILE else EditStatus.FAILED
        return EditResult(block, status, outcome, lines_added=added, lines_removed=removed, notes=notes)

    def _apply(self, block: EditBlock, placement: Placement) -> EditResult:
        file, path = self.plans[block.file_path], block.file_path
        text, is_new, creates = file.text or SourceText(), file.text is None, placement.strategy == "create"
        span = text.origins.span(placement.start, placement.stop)
        estimated = span[0] + 1 if span else text.number(placement.start)
        notes = [*block.notes, *placement.notes]
        added, removed = placement.counts
        if block.has_crlf:
            file.begin_with_crlf()
        written = file.splice(*placement.change, block.section)
        ends = ("no", "") if block.format == "edit-v3" and written else block.ends
        is_ended = file.end_last_line(ends)
        if not (written or is_ended):
            return self._nothing_to_do(block, Mismatch(ReasonCode.NO_OP, "the file holds exactly this already"))
        (file.text or text).applied.append(block.number)
        if is_ended and not ends[1]:
            asks = "as edit-v3 asks" if block.format == "edit-v3" else "as its patch asks"
            notes.append(Note("final-newline-added", f"{path} ends in a newline now, {asks}"))
        if is_new and (number := self.plans.taken_away.get(path)):
            notes.append(Note("rewrites-file", f"block {number} takes {path} away, and this block creates it again"))
        if self.base is not None:
            self.base.follow(block, self._strategies(block))
        if creates and path not in self.plans.failed:
            self.plans.overlay.record(path, "create")
        return EditResult(
            block,
            EditStatus.APPLIED,
            strategy=placement.strategy,
            confidence=placement.confidence,
            estimated_line=None if creates else estimated,
            span=span,
            likeness=None if creates else placement.similarity,
            chosen=placement.chosen,
            shift=placement.shift,
            lines_added=added,
            lines_removed=removed,
            notes=tuple(notes),
            empties_file=not is_new and not text.lines,
            written=written or file.written(*placement.change),
        )

    def _nothing_to_do(self, block: EditBlock, mismatch: Mismatch) -> EditResult:
        text, line = self.plans[block.file_path].text, mismatch.there_at
        if line is not None and text is not None:
            note_found(block, text, line)
            line = text.number(line)
        mismatch = mismatch._replace(advice="nothing to do", there_at=None)
        return EditResult(block, EditStatus.SKIPPED, mismatch, estimated_line=line, notes=block.notes)


def _operation(block: EditBlock) -> Operation:
    return "create" if block.creates_file else "edit"
