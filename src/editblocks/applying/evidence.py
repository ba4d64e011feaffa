"""Collect evidence for the place of a block besides its lines: other blocks, the base, an earlier run, a thread."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from editblocks.applying.earlier import BaseVersion, applied_state
from editblocks.applying.files import FilePlan, Read, Tree
from editblocks.applying.hunks import FileHunks, PlacementOptions
from editblocks.applying.mismatches import PlaceResult
from editblocks.applying.own_lines import RUN_AGAIN, SEND_AGAIN, RangeVersion, place_suggestion
from editblocks.applying.placing import place_block
from editblocks.applying.plans import FilePlans
from editblocks.applying.tool_calls import AppliedState
from editblocks.core.blocks import EditBlock, ParseResult, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.selection import Selection
from editblocks.matching.align import kept_lines
from editblocks.matching.block_readings import readings
from editblocks.matching.ladder import EXACT_FORMATS, Budget, Loose, Strategy, strategies_for
from editblocks.text.source_text import SourceText

IsRefused = Callable[[EditBlock], bool]  # whether a block is refused whatever the files hold
_MOST_OTHERS = 1_000_000  # lines of other files that are searched for hints, for all failed blocks together
_FILE_COST = 100  # to begin a file costs as much as searching so many lines


class Evidence:
    """The files after the blocks so far, the selected blocks, and what is known about their places.

    `written_before`: the blocks that an earlier run wrote to files which have not changed since → the id of the apply.
    """

    def __init__(
        self, parsed: ParseResult, plans: FilePlans, tree: Read | Tree, select: Selection, written: Mapping[int, str]
    ) -> None:
        self.plans = plans
        self.settings = plans.settings
        self.select = select
        self.written_before = written
        self.base: BaseVersion | None = None
        self.result_line = max((problem.line_number for problem in parsed.problems if problem.is_result), default=0)
        self._broken = {problem.file_path for problem in parsed.problems}
        self._open_commit: Callable[[str], Read | None] = lambda _: None
        if not callable(tree):
            self._open_commit = tree.at
            if parsed.base is not None and self.settings.three_way:
                self.base = BaseVersion(parsed.base, tree.at, self.settings)
        self._versions: dict[str, BaseVersion] = {}  # the commits that line numbers of blocks refer to
        self._base_commit = parsed.base or ""
        self._ranges: dict[str, RangeVersion] = {}  # by path
        self._hunks: dict[str, FileHunks] = {}
        self._applied_states: dict[str, AppliedState] = {}  # by path
        self._budget = Budget()
        self._others_left = _MOST_OTHERS

    def applied_state(self, block: EditBlock, file: FilePlan) -> AppliedState:
        """Whether all blocks of the file have already been applied to it; decided before its first block."""
        path = block.file_path
        if path not in self._applied_states:
            blocks = [each for each in self.plans.by_file[path] if self._is_to_be_placed(each)]
            self._applied_states[path] = AppliedState.NO
            if file.text is not None:
                self._applied_states[path] = applied_state(blocks, file.text, self._strategies(block))
        return self._applied_states[path]

    def place(self, block: EditBlock, file: FilePlan, is_refused: IsRefused) -> PlaceResult:
        """Find the place of a block in its file, or why there is none.

        For hints, other files of the response are searched, except those whose first block is refused.
        """
        if block.thread_lines is not None:
            return self._at_the_thread(block, file, block.thread_lines.commit)
        if block.range_edits:
            return self._at_the_ranges(block, file, is_refused)
        done = self._already_on_the_branch(block, file)
        return done or place_block(block, file.text, self._options(block, file, is_refused))

    def note_applied(self, block: EditBlock, *, is_old: bool = False) -> None:
        """Let the base version follow a block that was applied to the branch; `is_old`: by an earlier run."""
        # A block that names its lines refers to another version, which is kept apart.
        if self.base is not None and not (block.changes_file_itself or block.names_its_lines):
            self.base.follow(block, is_old=is_old)

    @staticmethod
    def note_found(block: EditBlock, text: SourceText, line: int) -> None:
        """Mark the new lines of a hunk that are already at `line` (0-based) as added by its section."""
        text.begin(block.section)
        if not block.section:
            return
        reading = readings(block)[0]
        kept = kept_lines(reading.search, reading.replace)
        for offset in range(len(reading.replace)):
            if offset not in kept and line + offset < len(text.added):
                text.added[line + offset] = 1

    def _at_the_thread(self, block: EditBlock, file: FilePlan, commit: str) -> PlaceResult:
        """Place a suggestion, with the file of the commit that its line numbers refer to."""
        version = self._version(commit)
        base = version.text(block.file_path)
        if version.is_unknown:
            what = f"the comment was made on {commit[:7]}, which is not in the history of this branch"
            return Mismatch(ReasonCode.STALE, what, SEND_AGAIN)
        options = PlacementOptions(self._budget, chosen_line=self.select.picks.get(block.number))
        return place_suggestion(block, file, base, options, self.settings)

    def _version(self, commit: str) -> BaseVersion:
        """Return the files of a commit, without the changes of this response."""
        return self._versions.setdefault(commit, BaseVersion(commit, self._open_commit, self.settings))

    def _at_the_ranges(self, block: EditBlock, file: FilePlan, is_refused: IsRefused) -> PlaceResult:
        """Place the edits of a tool. Their lines are those of the file in the base; without a base, on the branch."""
        path = block.file_path
        if file.text is None:
            return Mismatch(ReasonCode.FILE_NOT_FOUND)
        if path not in self._ranges:
            text: SourceText | None = file.before
            commit = self._base_commit
            blocks = [each for each in self.plans.by_file[path] if each.range_edits]
            chosen = {each.number for each in blocks if self._is_to_be_placed(each) and not is_refused(each)}
            if commit:
                version = self._version(commit)
                text = version.text(path)
                if version.is_unknown:
                    what = f"the base {commit[:7]} is not in the history of this branch"
                    return Mismatch(ReasonCode.STALE, what, "name another one, or run the tool again")
            if text is None:
                return Mismatch(ReasonCode.STALE, f"{path} is not a text file in {commit[:7]}, the base", RUN_AGAIN)
            self._ranges[path] = RangeVersion(path, text, commit, blocks, chosen)
        return self._ranges[path].place(block, file, self.select.picks.get(block.number))

    def _is_to_be_placed(self, block: EditBlock) -> bool:
        """Whether the block is selected, and no earlier run wrote it."""
        return block.number not in self.written_before and self.select.takes(block.number, block.file_path)

    def _already_on_the_branch(self, block: EditBlock, file: FilePlan) -> Mismatch | None:
        """Return `already-applied` if the branch has this insertion, and an earlier block added lines in between."""
        if file.text is None or len(file.text.lines) == file.lines_before:
            return None
        if not (block.inserts and block.search):
            return None
        options = PlacementOptions(Budget(), self._strategies(block), hunks=self._file_hunks(block, file))
        outcome = place_block(block, file.before, options)
        if not isinstance(outcome, Mismatch) or outcome.found_at is None:
            return None
        heads = range(outcome.found_at, outcome.found_at + len(section_lines(block.replace)))
        lines = [file.text.origins.current_line(head) for head in heads]
        if None in lines:
            return None
        return outcome._replace(found_at=lines[0])

    def _file_hunks(self, block: EditBlock, file: FilePlan) -> FileHunks:
        path = block.file_path
        if path not in self._hunks:
            blocks = self.plans.by_file[path]
            is_whole = path not in self._broken
            self._hunks[path] = FileHunks(blocks, lambda: self.plans[path].before, self.select, is_whole=is_whole)
        self._hunks[path].begin(block, file.applied)
        return self._hunks[path]

    def _strategies(self, block: EditBlock) -> Sequence[Strategy]:
        return strategies_for(block, self.settings.matching)

    def _loose_levels(self, block: EditBlock) -> Sequence[Loose]:
        if self.settings.matching != "loose" or block.format in EXACT_FORMATS:
            return ()
        from editblocks.matching import elided, fuzzy, syntax  # loads tree-sitter, if it is installed

        return elided.propose, syntax.propose, fuzzy.propose

    def _options(self, block: EditBlock, file: FilePlan, is_refused: IsRefused) -> PlacementOptions:
        path = block.file_path
        options = PlacementOptions(
            self._budget,
            self._strategies(block),
            self._loose_levels(block),
            chosen_line=self.select.picks.get(block.number),
            other_files=lambda: self._other_files(path, is_refused),
            hunks=self._file_hunks(block, file),
            whole_files=self.settings.whole_files,
        )
        base = self.base
        if base is None:
            return options
        return options._replace(commit=base.commit, base=lambda: base.text(path))

    def _other_files(self, path: str, is_refused: IsRefused) -> Iterator[tuple[str, SourceText]]:
        """Yield the other text files of this response, as they are now, as long as searching them is cheap."""
        for other, blocks in self.plans.by_file.items():
            if other == path or self._others_left < _FILE_COST or is_refused(blocks[0]):
                continue
            file = self.plans.file(blocks[0])
            if isinstance(file, Mismatch) or file.text is None:
                continue
            cost = _FILE_COST + len(file.text.lines)
            if cost <= self._others_left:
                self._others_left -= cost
                yield other, file.text
