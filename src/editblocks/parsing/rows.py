"""The rows of a response while it is read: numbered in reading order, and not final until sealed.

The last block stays unsealed until the next one opens: a closer that follows it, even behind the end of
its fence, says that it may have been cut (docs/reference/formats.md, stray closers).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from editblocks.core.codes import ReasonCode
from editblocks.core.events import BlockBroken, BlockDone, Event
from editblocks.core.model import EditBlock, Note, Problem
from editblocks.formats.grammar import Fault, is_markup, unsupported_format
from editblocks.formats.markers import Kind, Token
from editblocks.parsing.containers import Action, Fence
from editblocks.parsing.patches import V4A, Patch, v4a_path

_OPENERS = {
    Kind.END_SR: Kind.OPEN_SR,
    Kind.END_NEW: Kind.OPEN_NEW,
    Kind.MID_V3: Kind.OPEN_V3,
    Kind.END_V3: Kind.OPEN_V3,
    Kind.END_V2: Kind.OPEN_V2,
    Kind.END_BOLT: Kind.OPEN_FILE,
}


@dataclass(slots=True)
class Rows:
    """Blocks and problems so far. Lines are 0-based here; `first_line` is what people call line 0."""

    lines: Sequence[str]
    first_line: int
    most: int
    items: list[EditBlock | Problem] = field(default_factory=list)
    events: list[Event] | None = None  # None: nobody listens
    container: Fence | Action | None = None  # of the last block
    closer: Kind | None = None  # what closed it
    is_sealed: bool = True
    is_full: bool = False  # the limit is passed, and the last row says so
    _open_problem: Problem | None = None  # the block where none is read, or the patch, which has not ended yet
    _patch: Patch | None = None  # what `_open_problem` is, if it is a patch

    @property
    def next_number(self) -> int:
        """The number of the row to come."""
        return len(self.items) + 1

    def add(
        self, row: EditBlock | Problem, container: Fence | Action | None = None, closer: Kind | None = None
    ) -> None:
        """Take a row; a block is open to a stray closer of its kind until it is sealed."""
        self.seal()
        if self._is_over(row.line_number):
            return
        self.items.append(row)
        self.container, self.closer, self.is_sealed = container, closer, isinstance(row, Problem)
        if isinstance(row, Problem):
            self._tell(BlockBroken(row))

    def _is_over(self, shown: int) -> bool:
        """Whether there are as many rows as may be; the first one too many becomes the last."""
        if len(self.items) == self.most:
            self._stop(shown, f"more than {self.most:,} blocks")
        return self.is_full

    def stop(self, line: int, what: str) -> None:
        """Take no more rows: from this line on nothing is read, as there is more than may be of `what`."""
        self.end_unseen(line)
        self.seal()
        self._stop(line + self.first_line, what)

    def _stop(self, shown: int, what: str) -> None:
        self.is_full = True
        what = f"{what} stand here, so the rest is not read"
        row = Problem(self.next_number, shown, shown, ReasonCode.TOO_LARGE, what, "split the response")
        self.items.append(row)
        self._tell(BlockBroken(row))

    def _tell(self, event: Event) -> None:
        if self.events is not None:
            self.events.append(event)

    def add_problem(self, line: int, fault: Fault, path: str | None = None) -> None:
        """Take a problem of one line."""
        shown = line + self.first_line
        self.add(Problem(self.next_number, shown, shown, fault.code, fault.what, fault.advice, path))

    def seal(self) -> None:
        """The next row comes: what follows no longer speaks about the last one."""
        row = None if self.is_sealed else self.items[-1]
        if isinstance(row, EditBlock):
            self._tell(BlockDone(row))
        self.is_sealed = True

    def take_stray_closer(self, token: Token, container: Fence | Action | None) -> bool:
        """A closer outside any block: whether it only doubles the one before.

        Else it closes nothing, and if it is of the last block's kind, that one ended too early.
        """
        block = self.items[-1] if not self.is_sealed and self.closer is token.kind else None
        shown = token.line + self.first_line
        is_doubled = False
        if isinstance(block, EditBlock):
            between = self.lines[block.end_line - self.first_line + 1 : token.line]
            is_doubled = self.container is container and not any(line.strip(" \t") for line in between)
            self.items[-1] = row = _with_closer_after(block, shown, is_doubled)
            if isinstance(row, Problem):
                self.is_sealed = True
                self._tell(BlockBroken(row))
        if not is_doubled:
            advice = f"the opener must be `{_OPENERS[token.kind].value}`"
            self.add_problem(token.line, Fault(ReasonCode.STRAY_MARKER, f"line {shown} closes no block", advice))
        return is_doubled

    @property
    def has_unseen(self) -> bool:
        """Whether a block that is not read has not ended yet."""
        return self._open_problem is not None and self._patch is None

    @property
    def open_patch(self) -> str | None:
        """The format of the patch that has not ended yet."""
        return None if self._patch is None else self._patch.format

    def start_unseen(self, line: int, code: ReasonCode, patch: Patch | None = None) -> None:
        """An opener where no block is read: in an HTML comment, or in an action that runs something; or a patch."""
        self.end_unseen(line)
        self.seal()
        shown = line + self.first_line
        if self._is_over(shown):
            return
        path, name = (None, None) if patch is None else (patch.path, patch.format)
        self._open_problem, self._patch = Problem(self.next_number, shown, shown, code, "", "", path, name), patch
        self.items.append(self._open_problem)

    def start_patch(self, patch: Patch) -> None:
        """A patch that asks for an edit and is not read."""
        self.start_unseen(patch.start, ReasonCode.UNSUPPORTED_FORMAT, patch)

    def end_unseen(self, stop: int) -> None:
        """The block that is being passed, if any, ends before line `stop`."""
        row, patch, self._open_problem, self._patch = self._open_problem, self._patch, None, None
        if row is not None and patch is not None:
            self._end_patch(row, patch, stop)
        elif row is not None:
            end = max(stop - 1 + self.first_line, row.line_number)
            lines = f"lines {row.line_number}-{end}"
            what = f"{lines} may be hidden on the page, by HTML or a link that is open above them"
            advice = "put the block in a code fence"
            if row.code is ReasonCode.MALFORMED:
                what = f"{lines} are in an action that runs something"
                advice = 'write `<boltAction type="edit">` around the block'
            row = self.items[row.number - 1] = replace(row, end_line=end, what=what, advice=advice)
            self._tell(BlockBroken(row))

    def _end_patch(self, row: Problem, patch: Patch, stop: int) -> None:
        end = patch.stop(self.lines, stop)
        path = v4a_path(self.lines[patch.start : end]) if patch.format == V4A else patch.path
        what = "`*** Begin Patch`" if patch.format == V4A else "the unified diff"
        fault = unsupported_format(what, row.line_number, end - 1 + self.first_line)
        row = replace(row, end_line=end - 1 + self.first_line, what=fault.what, advice=fault.advice, file_path=path)
        self.items[row.number - 1] = row
        self._tell(BlockBroken(row))


def as_problem(block: EditBlock, fault: Fault) -> Problem:
    """A block that was read but must not be trusted."""
    first, last = block.line_number, block.end_line
    return Problem(block.number, first, last, fault.code, fault.what, fault.advice, block.file_path, block.format)


def _with_closer_after(block: EditBlock, shown: int, is_doubled: bool) -> EditBlock | Problem:
    if is_doubled and not is_markup(block.file_path):
        note = Note("stray-closer-dropped", f"line {shown} repeats the closer; it was left out", shown)
        return replace(block, notes=(*block.notes, note))
    has_lengths = block.format not in ("edit-v3", "bolt-file")
    advice = "send it with longer markers" if has_lengths else "send it in a format that has longer markers"
    what = f"another closer stands at line {shown}, so it may have ended too early"
    return as_problem(block, Fault(ReasonCode.MALFORMED, what, advice))
