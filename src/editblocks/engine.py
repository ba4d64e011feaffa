"""Blocks and a way to read files in, a verdict for every block and new bytes out.

Blocks are taken in reading order, and each sees what the blocks before it did. Nothing is written
here. The order of the checks is the order of docs/formats.md, "applying": the first that fails decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from editblocks.attributes import filtered_attribute, is_lfs_pointer
from editblocks.codes import EditStatus, ReasonCode
from editblocks.errors import UnreadableFile
from editblocks.file_plan import FilePlan
from editblocks.formats.grammar import Grammar
from editblocks.hidden import added_hidden
from editblocks.landing import Fine, Landed, land, line_counts
from editblocks.matching.diagnose import Budget
from editblocks.matching.ladder import EXACT, STRATEGIES, Strategy
from editblocks.model import ApplyResult, EditBlock, EditResult, Mismatch, Note, ParseResult, Problem, Settings
from editblocks.parse import FORMATS, parse_response
from editblocks.paths import Entries, Operation, Overlay, check_policy, check_syntax
from editblocks.remarks import remarks
from editblocks.text import SourceText

Read = Callable[[str], "bytes | None"]

BLOCK_BYTES = 256 * 1024
LINE_BYTES = 64 * 1024
NEW_BYTES = 20 * 1024 * 1024
_FORMATS_EXACT_ONLY = frozenset({"edit-v2", "edit-v3"})
_MANY = 16  # blocks of one file, for which an index of its lines takes less time than as many searches
_SURROGATE = re.compile("[\ud800-\udfff]")  # JSON can hold one alone, UTF-8 cannot


def apply_response(
    text: str,
    read: Read,
    *,
    entries: Entries | None = None,
    prefetch: Callable[[Iterable[str]], None] | None = None,
    settings: Settings | None = None,
    context_path: str | None = None,
    formats: Sequence[Grammar] = FORMATS,
    first_line: int = 1,
    base: str | None = None,
) -> ApplyResult:
    """Read the blocks of `text` and plan them on the files that `read` gives.

    `read` returns a file's bytes, None if there is no such file, or raises `UnreadableFile`.
    `entries` lists directories like `run.Repo.entries`; without it, links, submodules and names that
    differ by case only are not seen. `prefetch` hears all paths before the first is read. `formats`,
    `context_path` and `first_line` are those of `parse_response`; `base`, the commit that the response was
    written against, goes before one that the text names.
    """
    settings = settings or Settings()
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > settings.max_response_bytes:
        reason = f"the response has {size:,} bytes, the limit is {settings.max_response_bytes:,} (max-response-bytes)"
        return ApplyResult(problems=(Problem(1, 1, 1, ReasonCode.TOO_LARGE, f"{reason}; split it"),))
    parsed = parse_response(text, formats, context_path, first_line)
    if base is not None:
        parsed = replace(parsed, base=base)
    if prefetch is not None:
        prefetch(dict.fromkeys(block.file_path for block in parsed.blocks if not check_syntax(block.file_path, "edit")))
    return apply_parsed(parsed, read, entries=entries, settings=settings)


def apply_edits(blocks: Sequence[EditBlock], read: Read) -> ApplyResult:
    """Plan `blocks`, in their order, on the files that `read` gives (see `apply_response`)."""
    return apply_parsed(ParseResult(tuple(blocks)), read)


def apply_block(block: EditBlock, content: str | None) -> tuple[str, EditResult]:
    """Apply one block to the text of its file (None: there is none); the text is unchanged unless it applies."""
    data = None if content is None else content.encode("utf-8", "surrogatepass")
    result = apply_edits([block], {block.file_path: data}.get)
    if block.file_path in result.contents:
        content = result.contents[block.file_path].decode("utf-8")
    return content or "", result.results[0]


def validate_block(block: EditBlock, content: str | None) -> EditResult:
    """Say what would become of one block on the text of its file; nothing is changed."""
    return apply_block(block, content)[1]


def apply_parsed(
    parsed: ParseResult, read: Read, *, entries: Entries | None = None, settings: Settings | None = None
) -> ApplyResult:
    """Plan what `parse_response` saw; problems count as failures of the files they name."""
    plan = _Plan(read, entries, settings or Settings(), Counter(block.file_path for block in parsed.blocks))
    too_many = _too_many(parsed, plan.settings)
    results = []
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    for row in sorted(rows, key=lambda row: row.number):
        if isinstance(row, Problem):
            if row.file_path is not None:
                plan.failed.setdefault(row.file_path, row.number)
        elif too_many:
            results.append(EditResult(row, EditStatus.FAILED, ReasonCode.TOO_LARGE, too_many, notes=row.notes))
        else:
            results.append(plan.take(row))
    contents = {path: data for path, file in plan.files.items() if (data := file.changed_bytes()) is not None}
    total = sum(map(len, contents.values()))
    if total > NEW_BYTES:
        reason = f"the new files have {total:,} bytes together, the limit is {NEW_BYTES:,}; split the response"
        results = [EditResult(r.block, EditStatus.FAILED, ReasonCode.TOO_LARGE, reason, notes=r.notes) for r in results]
        contents = {}
    return ApplyResult(
        results=tuple(results),
        problems=parsed.problems,
        contents=contents,
        originals={path: plan.files[path].original for path in contents},
        shell_suggestions=parsed.shell_suggestions,
        notes=parsed.notes,
        base=parsed.base,
        unbalanced=parsed.unbalanced,
    )


def _too_many(parsed: ParseResult, settings: Settings) -> str | None:
    blocks = len(parsed.blocks) + len(parsed.problems)
    files = len({block.file_path for block in parsed.blocks})
    for count, what, limit, key in (
        (blocks, "blocks", settings.max_blocks, "max-blocks"),
        (files, "files", settings.max_files, "max-files"),
    ):
        if count > limit:
            return f"the response has {count:,} {what}, the limit is {limit:,} ({key}); split it"
    return None


@dataclass(slots=True)
class _Plan:
    """The files as the blocks so far leave them."""

    read: Read
    entries: Entries | None
    settings: Settings
    blocks: Counter[str]  # how many there are of each file
    files: dict[str, FilePlan] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)  # path → the row that failed first
    budget: Budget = field(default_factory=Budget)
    overlay: Overlay = field(init=False)

    def __post_init__(self) -> None:
        self.overlay = Overlay(self.entries or _no_entries)

    def take(self, block: EditBlock) -> EditResult:
        """Give the next block its verdict, and its change to the files."""
        failure = self._path_failure(block)
        earlier = self.failed.get(block.file_path)
        if failure is None and earlier is not None:
            reason = (
                f"block {earlier} of {block.file_path} failed, so this one was not tried; repair block {earlier} first"
            )
            return EditResult(block, EditStatus.SKIPPED, ReasonCode.EARLIER_FAILURE, reason, notes=block.notes)
        outcome = failure or self._land(block)
        if isinstance(outcome, Landed):
            return self._apply(block, outcome)
        if isinstance(outcome, Fine):
            return self._fine(block, outcome)
        self.failed.setdefault(block.file_path, block.number)
        added, removed = (0, 0) if outcome.code is ReasonCode.TOO_LARGE else line_counts(block)
        return EditResult(
            block,
            EditStatus.FAILED,
            outcome.code,
            outcome.reason,
            candidates=outcome.candidates,
            first_difference=outcome.first_difference,
            similarity=outcome.similarity,
            candidates_total=outcome.candidates_total,
            lines_added=added,
            lines_removed=removed,
            notes=(*block.notes, *outcome.notes),
        )

    def _path_failure(self, block: EditBlock) -> Mismatch | None:
        """Why the block's path, or its size, is refused whatever the file holds."""
        data = block.raw_block.encode("utf-8", "surrogatepass")
        if len(data) > BLOCK_BYTES:
            return Mismatch(ReasonCode.TOO_LARGE, f"the block has more than {BLOCK_BYTES // 1024} KiB; split it")
        if max(map(len, data.split(b"\n"))) > LINE_BYTES:
            return Mismatch(
                ReasonCode.TOO_LARGE, f"a line of the block has more than {LINE_BYTES // 1024} KiB; split it"
            )
        operation: Operation = "create" if block.creates_file else "edit"
        error = check_syntax(block.file_path, operation) or check_policy(block.file_path)
        return None if error is None else Mismatch(error.code, error.message)

    def _land(self, block: EditBlock) -> Landed | Fine | Mismatch:
        try:
            file = self._file(block)
        except UnreadableFile as error:
            return Mismatch(error.code, error.message)
        if block.weak_path and (isinstance(file, Mismatch) or file.text is None):
            reason = (
                f"`{block.file_path}` is no file here, and no line names one; write the full path on the line above"
            )
            return Mismatch(ReasonCode.NO_PATH, reason)
        if isinstance(file, Mismatch):
            return file
        outcome = land(block, file.text, self._strategies(block), self.budget)
        if isinstance(outcome, Landed):
            return self._content_failure(block, file, outcome) or outcome
        return outcome

    def _strategies(self, block: EditBlock) -> Sequence[Strategy]:
        exact_only = self.settings.matching == "exact" or block.format in _FORMATS_EXACT_ONLY
        return EXACT if exact_only else STRATEGIES

    def _file(self, block: EditBlock) -> FilePlan | Mismatch:
        """The file as it is now, if the tree lets the block change it. Raises `UnreadableFile`."""
        path = block.file_path
        if self.entries is not None:
            error = self.overlay.check(path, "create" if block.creates_file else "edit")
            if error is not None and error.rule != "E_EXISTS":  # whether it holds the same text is seen later
                return Mismatch(error.code, error.message)
        if path not in self.files:
            file = self.files[path] = FilePlan.of(path, self._data(path))
            if file.text is not None and self.blocks[path] >= _MANY:
                _ = file.text.index
        return self.files[path]

    def _data(self, path: str) -> bytes | None:
        data = self.read(path)
        if data is None:
            return None
        if len(data) > self.settings.max_file_bytes:
            raise UnreadableFile(ReasonCode.TOO_LARGE, _too_large(path, len(data), self.settings.max_file_bytes))
        if is_lfs_pointer(data):
            raise UnreadableFile(ReasonCode.FILTERED, f"{path} is a Git LFS pointer; edit it in a checkout")
        if self.entries is not None and (name := filtered_attribute(path, self._attributes)):
            message = f"{path} has the attribute {name}, which changes it on checkout; edit it in a checkout"
            raise UnreadableFile(ReasonCode.FILTERED, message)
        return data

    def _attributes(self, directory: str) -> bytes | None:
        """The `.gitattributes` of a directory on the branch, as no block of this response left it."""
        if (self.entries or _no_entries)(directory).get(".gitattributes") not in ("100644", "100755"):
            return None
        return self.read(f"{directory}/.gitattributes" if directory else ".gitattributes")

    def _content_failure(self, block: EditBlock, file: FilePlan, landed: Landed) -> Mismatch | None:
        """Why what the block adds is refused."""
        lines = [] if file.text is None else file.text.lines
        old = "\n".join(lines[landed.start : landed.stop])
        new = "\n".join(lines[line] if isinstance(line, int) else line for line in landed.new)
        if half := _SURROGATE.search(new):
            return Mismatch(ReasonCode.ENCODING, _half_a_character(new, half.start()))
        hidden = added_hidden(old, new)
        if hidden is not None:
            return Mismatch(ReasonCode.HIDDEN_TEXT, hidden.message)
        size, limit = file.size_after(landed.start, landed.stop, landed.new), self.settings.max_file_bytes
        return Mismatch(ReasonCode.TOO_LARGE, _too_large(block.file_path, size, limit)) if size > limit else None

    def _apply(self, block: EditBlock, landed: Landed) -> EditResult:
        file = self.files[block.file_path]
        text, is_new = file.text or SourceText(), file.text is None
        span = text.origins.span(landed.start, landed.stop)
        estimated = text.origins.shown(landed.start)
        notes = [*block.notes, *landed.notes, *remarks(block, landed, text)]
        if not file.splice(landed.start, landed.stop, landed.new):
            return self._fine(block, Fine(ReasonCode.NO_OP, "the file holds exactly this already; nothing to do"))
        if block.format == "edit-v3" and file.end_last_line():
            notes.append(Note("final-newline-added", f"{block.file_path} ends in a newline now, as edit-v3 asks"))
        if landed.strategy == "create":
            self.overlay.record(block.file_path, "create")
        return EditResult(
            block,
            EditStatus.APPLIED,
            strategy=landed.strategy,
            confidence=landed.confidence,
            estimated_line=None if landed.strategy == "create" else estimated,
            span=span,
            similarity=None if landed.strategy == "create" else 1.0,
            lines_added=len(landed.added),
            lines_removed=landed.removed,
            notes=tuple(notes),
            empties_file=not is_new and not text.lines,
        )

    def _fine(self, block: EditBlock, fine: Fine) -> EditResult:
        text = self.files[block.file_path].text
        line = None if fine.line is None or text is None else text.origins.shown(fine.line)
        return EditResult(block, EditStatus.SKIPPED, fine.code, fine.reason, estimated_line=line, notes=block.notes)


def _no_entries(_directory: str) -> dict[str, str]:
    return {}


def _too_large(path: str, size: int, limit: int) -> str:
    return f"{path} has {size:,} bytes, the limit is {limit:,} (max-file-bytes); edit it by other means"


def _half_a_character(text: str, position: int) -> str:
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    where = f"U+{ord(text[position]):04X} at line {line}, column {column}"
    return f"the new text has {where}, which is half a character; remove it"
