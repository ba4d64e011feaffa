"""The result of each block, and the plan for all blocks of a response. Frozen values that only derive facts.

Lines of candidates and differences are 1-based and for people; `start`/`stop`/`span` are 0-based, half-open. Rules:
docs/reference/rules.md and docs/reference/reasons.md.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Note, Problem
from editblocks.core.codes import FINE_CODES, EditStatus, ReasonCode
from editblocks.core.mismatch import Candidate, Difference, Hint, Mismatch
from editblocks.core.phrases import join_parts, without_blocks


class Written(NamedTuple):
    """The lines of a file before and after an applied block, including the lines that the block keeps."""

    old: tuple[str, ...]
    new: tuple[str, ...]


_NO_FACTS = Mismatch(ReasonCode.NO_MATCH)  # for a block that did not fail


class EditResult(NamedTuple):
    """The result of one block. Line numbers are those of the file on the branch, before any block changed it.

    `strategy` is how an applied block found its place. `confidence` is `high` for `exact`, `trailing-space`,
    `thread-lines`, `range`, `create`, `delete-file` and `rename`; `medium` for `indentation`, `three-way` and `elided`;
    `low` for `syntax` and `fuzzy`, even if a person chose the place. An `exact` place that was chosen by a line number
    or by the order of hunks is `medium`.

    `estimated_line` (1-based) is where an applied block begins, or where the new lines of an `already-applied` block
    are; None within lines that an earlier block wrote. `span` (0-based, half-open) covers the lines that an applied
    block replaces, including kept lines; None for a new file, a merge that only inserts, or lines that an earlier block
    wrote. Line numbers of a renamed file are those of the file under its old name.
    """

    block: EditBlock
    status: EditStatus
    mismatch: Mismatch | None = None  # why it failed or was skipped; None if it is applied
    strategy: str | None = None
    confidence: str | None = None
    estimated_line: int | None = None
    span: tuple[int, int] | None = None
    likeness: float | None = None  # the similarity of the replaced lines to SEARCH, for an applied block
    chosen: bool = False  # a person chose this place, and the block fits there
    shift: tuple[int, str] | None = None  # for `indentation`: how many characters to the right, and their kind
    lines_added: int = 0  # by this block; for a failed block, by what it asks for
    lines_removed: int = 0
    notes: tuple[Note, ...] = ()
    empties_file: bool = False  # the file has no lines afterwards
    without: tuple[int, ...] = ()  # for `earlier-failure`: the blocks of the file that failed before it
    trial: "EditResult | None" = None  # the result without those blocks; it also holds the places and the difference
    written: Written | None = None  # the lines that an applied block changes

    @property
    def code(self) -> ReasonCode | None:
        """Why the block failed or was skipped, as a code; None if it is applied."""
        return self.mismatch and self.mismatch.code

    @property
    def reason(self) -> str | None:
        """Why the block failed or was skipped, in one line for people; None if it is applied."""
        if self.mismatch is None:
            return None
        return join_parts("; ", *self.reason_and_advice)

    @property
    def reason_and_advice(self) -> tuple[str, str]:
        """What is wrong and where, and what to do; both are empty for an applied block."""
        if self.mismatch is None:
            return "", ""
        if self.trial is not None:
            return self._after_failed_blocks(self.trial)
        from editblocks.core.explain import parts  # only a block that does not fit needs it

        return parts(self.file_path, self.mismatch, is_call=self.block.call is not None)

    def _after_failed_blocks(self, trial: "EditResult") -> tuple[str, str]:
        """Return the `reason_and_advice` of a block after failed ones: what would happen to it without those blocks."""
        name = without_blocks(self.without)
        if trial.status is EditStatus.APPLIED:
            fits = f"would fit {name}"
            if trial.estimated_line is not None:
                fits = f"would fit at line {trial.estimated_line} {name}"
            return fits, f"repair block {self.without[0]} first"
        what, advice = trial.reason_and_advice
        if not trial.ok and trial.code is not None:
            what = f"{trial.code.value}: {what}"
        return f"{name}: {what}", advice

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The places of an `ambiguous` block: first the one at its own line number, then the others from the top.

        For a `no-match`, the closest places, best first.
        """
        return self._facts.candidates

    @property
    def candidates_total(self) -> int:
        """How many places there are; `candidates` holds 50 at most."""
        return self._facts.candidates_total

    @property
    def first_difference(self) -> Difference | None:
        """Where a failed block first differs from its file, if that is known."""
        return self._facts.first_difference

    @property
    def similarity(self) -> float | None:
        """The similarity of SEARCH and the lines that an applied block replaces, 0 to 1; below 1.0 only with `fuzzy`.

        For a `no-match`, the similarity of its closest place; None if there is none.
        """
        if self._facts is _NO_FACTS:
            return self.likeness
        return self._facts.similarity

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What may explain a `no-match`."""
        return self._facts.hints

    @property
    def _facts(self) -> Mismatch:
        """The facts of the block's own failure, or of its trial without the blocks that failed before it."""
        tried = self.trial or self
        return tried.mismatch or _NO_FACTS

    @property
    def operation(self) -> str:
        """`EditBlock.operation`, or `empty` if no line of the file is left."""
        if self.empties_file:
            return "empty"
        return self.block.operation

    @property
    def file_path(self) -> str:
        return self.block.file_path

    @property
    def anchor_preview(self) -> str:
        """The first line of the anchor, at most 50 characters."""
        return _preview(self.block.anchor)

    @property
    def old_preview(self) -> str:
        """The first of the old lines, at most 50 characters."""
        return _preview(self.block.old_lines)

    @property
    def new_preview(self) -> str:
        """The first of the new lines, at most 50 characters."""
        return _preview(self.block.new_lines)

    @property
    def ok(self) -> bool:
        """Whether the block is applied, or there was nothing left to do."""
        return self.status is EditStatus.APPLIED or self.code in FINE_CODES

    @property
    def candidates_in_file(self) -> tuple[Candidate, ...]:
        """The places that exist without other blocks being applied first."""
        return tuple(place for place in self.candidates if not place.after)


class ApplyResult(NamedTuple):
    """The plan for one response: a row for every block seen, and the new bytes of each changed file."""

    results: tuple[EditResult, ...] = ()  # the blocks that could be read
    problems: tuple[Problem, ...] = ()  # the blocks that could not be read
    contents: Mapping[str, bytes | None] = MappingProxyType({})  # new bytes by path; None: deleted
    originals: Mapping[str, bytes | None] = MappingProxyType({})  # the same files before; None: new
    modes: Mapping[str, str] = MappingProxyType({})  # of renamed and deleted files that are not 100644
    renamed: Mapping[str, str] = MappingProxyType({})  # new path → the path that the file has on the branch
    shell_suggestions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()  # about the response as a whole; those about one block are in its row
    base: str | None = None  # the commit that the response was written for, as the response names it
    unbalanced: str = ""  # as in `ParseResult`
    hidden_texts: frozenset[str] = frozenset()  # no text of these files is shown: git ignores them, or they are secret

    @property
    def rows(self) -> tuple[EditResult | Problem, ...]:
        """Results and problems together, in reading order."""
        return tuple(sorted((*self.results, *self.problems), key=row_number))

    @property
    def files_modified(self) -> list[str]:
        """The paths in `contents`."""
        return list(self.contents)

    @property
    def ok(self) -> bool:
        """Whether every row is fine, and there is at least one."""
        return bool(self.results) and not self.problems and all(result.ok for result in self.results)

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of rows in all (`total`), of rows that are fine (`ok`), and of each status."""
        statuses = [result.status for result in self.results]
        return {
            "total": len(self.results) + len(self.problems),
            "ok": sum(result.ok for result in self.results),
            "applied": statuses.count(EditStatus.APPLIED),
            "failed": statuses.count(EditStatus.FAILED) + len(self.problems),
            "skipped": statuses.count(EditStatus.SKIPPED),
        }


def row_number(row: EditResult | Problem) -> int:
    if isinstance(row, Problem):
        return row.number
    return row.block.number


def _preview(section: str) -> str:
    return section.partition("\n")[0][:50]
