"""Find out what was there before: the files of an earlier commit, and the blocks that have already been applied.

Rules: docs/internals/design.md, "already applied" and "merging".
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from editblocks.applying.files import Read, TextFiles
from editblocks.applying.hunks import PlacementOptions
from editblocks.applying.placing import place_block, place_by_lines
from editblocks.applying.tool_calls import AppliedState, has_old_text, means_several, revert_call
from editblocks.core.blocks import EditBlock, section_lines
from editblocks.core.codes import FINE_CODES
from editblocks.core.errors import UnreadableFile
from editblocks.core.mismatch import Mismatch
from editblocks.core.outcome import WrittenFile
from editblocks.core.settings import Settings
from editblocks.matching.align import keep
from editblocks.matching.ladder import EXACT, Budget, Placement, Strategy, is_distinctive, locate, strategies_for
from editblocks.matching.narrowing import Narrowing
from editblocks.matching.text_parts import comparable, find_parts
from editblocks.text.source_text import SourceText

_SHOWN_DIGITS = 12  # of a commit id


class BaseVersion:
    """The files of one commit, read when they are first asked for."""

    def __init__(self, commit: str, open_commit: Callable[[str], Read | None], settings: Settings) -> None:
        self.commit = commit
        self.is_unknown = False  # the commit was looked up, and is not in the history of the branch
        self._settings = settings
        self._open = open_commit
        self._files: TextFiles | None = None
        self._texts: dict[str, SourceText | None] = {}
        self._old_paths: dict[str, str] = {}  # new path → old path, for renamed files
        # By path: the blocks applied to the branch that this version still lacks, and whether an earlier run did it.
        self._applied: dict[str, list[tuple[EditBlock, bool]]] = {}

    @property
    def unknown(self) -> str:
        """Why nothing is merged. GitHub is asked only for full ids, as a shortened id may name several commits."""
        shown = self.commit
        if len(shown) > _SHOWN_DIGITS:
            shown = f"{shown[:_SHOWN_DIGITS]}…"
        rule = "on GitHub, write the commit with all 40 digits"
        return f"the base {shown} is not in the history of this branch ({rule}), so nothing is merged"

    def follow(self, block: EditBlock, *, is_old: bool = False) -> None:
        """Record a block that was applied to the file on the branch; `is_old`: by an earlier run."""
        self._applied.setdefault(block.file_path, []).append((block, is_old))

    def text(self, path: str) -> SourceText | None:
        """Return this version of a file after the blocks so far; None if there is no file, or a block did not fit.

        Raises `RepoError` if the commit cannot be read.
        """
        if path not in self._texts:
            self._texts[path] = self._read(path)
        for block, is_old in self._applied.pop(path, ()):
            text = self._texts[path]
            if text is None:
                break
            placement = self._placed_again(block, text)
            if isinstance(placement, Placement):
                text.begin(block.section)
                text.splice(*placement.change)
            elif not (is_old or placement.code in FINE_CODES):
                self._texts[path] = None
        return self._texts[path]

    def _placed_again(self, block: EditBlock, text: SourceText) -> Placement | Mismatch:
        """Place a block that was applied to the branch in the text of the base."""
        options = PlacementOptions(Budget(), strategies_for(block, self._settings.matching))
        if block.action == "insert-at":
            options = options._replace(base=lambda: text)  # its line number is one of this version
        return place_block(block, text, options)

    def record_removal(self, path: str, new_path: str) -> None:
        """Record that a file was renamed, or deleted if `new_path` is empty."""
        applied = self._applied.pop(path, [])
        if new_path:
            self._old_paths[new_path] = self._old_paths.get(path, path)
            self._applied[new_path] = applied
            self._texts.pop(new_path, None)
            if path in self._texts:
                self._texts[new_path] = self._texts[path]
        self._texts[path] = None

    def _read(self, path: str) -> SourceText | None:
        path = self._old_paths.get(path, path)
        if self._files is None and not self.is_unknown:
            read = self._open(self.commit)
            if read is None:
                self.is_unknown = True
            else:
                self._files = TextFiles(read, None, self._settings)
        if self._files is None:
            return None
        try:
            data = self._files.read(path)
            if data is None or len(data) > self._settings.max_file_bytes:
                return None
            return SourceText.decode(data)
        except UnreadableFile:
            return None


def written_before(
    blocks: Iterable[EditBlock], written: Sequence[WrittenFile], read: Callable[[str], bytes | None]
) -> dict[int, str]:
    """Return the blocks that earlier runs of this answer wrote: block number → id of the apply.

    A block is included only while all its files are as that run left them: otherwise its lines may have changed.
    """
    unchanged = {file.path: file.blocks for file in written if _holds(read, file)}
    ids: dict[int, str] = {}
    if not unchanged:
        return ids
    from editblocks.core.digests import block_key  # a check needs no digest where nothing was written

    for block in blocks:
        of_files = [unchanged.get(path, {}).get(block_key(block)) for path in block.paths]
        if None not in of_files:
            ids[block.number] = of_files[0] or ""
    return ids


def _holds(read: Callable[[str], bytes | None], file: WrittenFile) -> bool:
    """Whether the file has the recorded bytes, apart from line ends: git may store others than are on disk."""
    try:
        data = read(file.path)
    except UnreadableFile:
        return False
    if data is None or file.data is None:
        return data == file.data
    return data.replace(b"\r\n", b"\n") == file.data.replace(b"\r\n", b"\n")


def applied_state(blocks: Sequence[EditBlock], source: SourceText, strategies: Sequence[Strategy]) -> AppliedState:
    """Whether `source` already has the result of all `blocks` of one file, although each block alone would still fit.

    After two insertions at one line, neither block finds its own text next to that line. So the blocks are reverted,
    from the last to the first, and applied again. If that gives exactly the same file, they are in it.
    YES is possible for several blocks with an insertion among them or a whole file at their start, and for calls that
    succeeded in their session. For all others the answer is NO, and each block is checked by itself. MAYBE is only for
    such calls, if it is unknown what they wrote, or if the file may be the one before they changed it. See
    docs/internals/design.md, "already applied".
    """
    begins_whole = len(blocks) > 1 and blocks[0].call is not None and blocks[0].creates_file
    was_run = all(block.call is not None and block.call.was_run for block in blocks)
    is_recorded = begins_whole or was_run
    if not is_recorded and (len(blocks) < 2 or not any(map(_adds, blocks))):
        return AppliedState.NO
    blocks = _folded(blocks)
    if not blocks:
        return AppliedState.NO
    text = source.copy()
    unclear = AppliedState.MAYBE if was_run else AppliedState.NO
    reverted: list[EditBlock] = []
    for index, block in reversed(list(enumerate(blocks))):
        if block.call is not None and block.creates_file:  # the file before this call does not matter
            outcome = place_block(block, text, PlacementOptions(Budget()))
            if isinstance(outcome, Placement) or outcome.code not in FINE_CODES:
                return AppliedState.NO
            break
        state = _revert_block(block, text, is_recorded=is_recorded)
        if state is AppliedState.NO and not _is_changed_by(reverted, block, source):
            return AppliedState.NO
        if state is not AppliedState.YES:
            is_untouched = any(_has_old_text(other, text) for other in _removing_blocks(blocks[: index + 1]))
            return AppliedState.NO if is_untouched else unclear
        reverted.insert(0, block)
    if not _apply_all(reverted, text, strategies) or text.lines != source.lines:
        return unclear
    # Blocks that only add text always fit again, so for them it is enough that the text is there.
    fits_again = not all(map(_adds, reverted)) and _apply_all(reverted, source.copy(), strategies)
    return unclear if fits_again else AppliedState.YES


def _apply_all(blocks: Iterable[EditBlock], text: SourceText, strategies: Sequence[Strategy]) -> bool:
    """Apply the blocks to the text; False if one of them does not fit."""
    text.is_known = True  # the line number of an insertion refers to the text after the blocks before it
    for block in blocks:
        placement = place_by_lines(block, text, strategies)
        if placement is None:
            return False
        text.splice(*placement.change)
    return True


def _adds(block: EditBlock) -> bool:
    """Whether the new text of a block contains its old text."""
    if block.text_call is not None:
        return block.text_call.old in block.text_call.new
    return block.inserts


def _folded(blocks: Iterable[EditBlock]) -> Sequence[EditBlock]:
    """Return the blocks, with each call that changes the text of an earlier call merged into that earlier call.

    So the final text can be reverted, and a text that was added and removed again leaves no block.
    """
    folded: list[EditBlock] = []
    for block in blocks:
        index = _writer(block, folded)
        if index is None:
            folded.append(block)
            continue
        other = folded[index]
        old, new = _texts(other)
        new = new.replace(*_texts(block))
        lines = ""
        if new:
            lines = new.removesuffix("\n") + "\n"
        folded[index] = other._replace(new_lines=lines, call=other.call and other.call._replace(new=new))
        if new == old and not other.creates_file:
            del folded[index]
    return folded


def _writer(block: EditBlock, earlier: Sequence[EditBlock]) -> int | None:
    """Return the index of the last earlier call that wrote the old text of `block`, once; otherwise None.

    None if a call between them depends on their order: it has a line number, or its old text has a line of `block`.
    """
    call = block.text_call
    if call is None or not call.old or means_several(call):
        return None
    old, written = _texts(block)
    lines = {*old.split("\n"), *written.split("\n")} - {""}
    for index, other in reversed(list(enumerate(earlier))):
        before, new = _texts(other)
        if old in new:
            is_known = other.call is not None and other.call.new != "" and not means_several(other.call)
            return index if is_known and new.count(old) == 1 else None
        if other.call is not None and (other.call.line or 0) > 0:
            return None
        if not lines.isdisjoint(before.split("\n")):
            return None
    return None


def _texts(block: EditBlock) -> tuple[str, str]:
    """Return the old and the new text of a call; for an insertion or another block, its old and new lines."""
    call = block.call
    if call is None or block.action == "insert-at" or not (call.old or call.new):
        return block.search, block.replace
    return comparable(call.old), comparable(call.new)


def _is_changed_by(later: Sequence[EditBlock], block: EditBlock, source: SourceText) -> bool:
    """Whether the file has the text that `block` wrote, as changed by `later` calls that replace several places.

    Reverting such a call may change too much, because the file may have had its new text at other places before.
    """
    _, new = _texts(block)
    changed = new
    for other in later:
        if other.text_call is not None and means_several(other.text_call):
            changed = changed.replace(*_texts(other))
    return changed != new and next(find_parts(changed, source), None) is not None


def _removing_blocks(blocks: Sequence[EditBlock]) -> Iterator[EditBlock]:
    """Yield the blocks that remove a text which no block writes, so that it is gone after all of them."""
    texts = list(map(_texts, blocks))
    for block in blocks:
        old, _ = _texts(block)
        if not (block.creates_file or _adds(block) or any(old in new and old not in kept for kept, new in texts)):
            yield block


def _has_old_text(block: EditBlock, text: SourceText) -> bool:
    """Whether the old lines are in the text; for a text call, apart from places that may come from its new text."""
    if block.text_call is not None:
        return has_old_text(block.text_call, text)
    old = section_lines(block.search)
    return old != [] and locate(old, (), text, EXACT).total > 0


def _revert_block(block: EditBlock, text: SourceText, *, is_recorded: bool) -> AppliedState:
    """Put the old lines back. NO if the new lines are in several places, or may be in the file by chance.

    `is_recorded`: chance is ruled out by a session, or by a call before that wrote the whole file.
    """
    old = section_lines(block.search)
    new = section_lines(block.replace)
    is_certain = is_recorded or _adds(block) or is_distinctive(old, new)
    if block.splits or block.creates_file or not is_certain:
        return AppliedState.NO
    if block.call is not None and block.action == "insert-at":
        return _state_of(_remove_lines(block.call.line or 0, new, text))
    if not _adds(block) and _has_old_text(block, text):
        return AppliedState.NO
    if block.text_call is not None:
        return revert_call(block.text_call, text)
    if old and not new and not block.changes_file_itself:
        return AppliedState.MAYBE
    place = locate(new, old, text, EXACT, Narrowing.of(block, text).of_result()).match
    return _state_of(place is not None and text.splice(place.start, place.stop, keep(new, old, place.start)))


def _state_of(is_reverted: bool) -> AppliedState:
    return AppliedState.YES if is_reverted else AppliedState.NO


def _remove_lines(line: int, lines: Sequence[str], text: SourceText) -> bool:
    """Remove lines that were inserted after line `line` (negative: at the end); False if they are not there."""
    if line < 0:
        line = len(text.lines) - len(lines)
    stop = line + len(lines)
    return line >= 0 and text.lines[line:stop] == list(lines) and text.splice(line, stop, ())
