"""The blocks of a response, as they were read, and the events while it arrives. Frozen values that only derive facts.

Section strings (`anchor`, `old_lines`, `new_lines`, `trailing_anchor`) are lines that each end with `\\n`: `""` is no
line, `"\\n"` one blank line. `line_number` and `*_line` are 1-based and for people. Rules: docs/reference/rules.md.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import join_parts

_OPERATIONS = {"write": "replace-file", "snippet": "create"}  # actions that have another name in results


class Note(NamedTuple):
    """Something a person should know that does not change a status.

    `code` is one of the note codes of the schema, each of which has an item in docs/reference/reasons.md.
    """

    code: str
    message: str
    line_number: int | None = None  # of the response, 1-based


class Split(NamedTuple):
    """One way to read a block with several dividers; the engine chooses one (docs/reference/rules.md, dividers)."""

    divider_lines: tuple[int, ...]  # response lines of the separators in this reading
    old_lines: str
    new_lines: str
    is_doubtful: bool = False  # its new text would add a divider line; it is never chosen
    anchor: str = ""
    trailing_anchor: str = ""
    notes: tuple[Note, ...] = ()  # reported if this reading is chosen


class ThreadLines(NamedTuple):
    """The lines of a file that a review thread began on, 1-based and inclusive, at the commit that was shown then."""

    first: int
    last: int
    commit: str
    is_old: bool = False  # they are lines of the file before the pull request, which cannot be changed


class TextRange(NamedTuple):
    """A part of a file as a tool counts it: 1-based lines and columns, the end exclusive."""

    first_line: int
    first_column: int
    last_line: int
    last_column: int  # 0: the end of the line, without its break


class RangeEdit(NamedTuple):
    """A part of a file and the text that replaces it. Rules: docs/reference/formats/linters.md."""

    place: TextRange
    text: str  # its lines are separated by `\n`
    widest: str = "\x7f"  # characters up to this one count as one in a column; tools count others in different ways
    is_lines: bool = False  # whole lines are replaced; an empty `text` removes them with their line breaks
    shown_at: TextRange | None = None  # a part around `place` whose text the tool shows
    shown: str = ""  # the text at `shown_at`


class ToolCall(NamedTuple):
    """What a tool call says beyond whole lines: parts of lines, the number of places, and where the call was made.

    The texts are as they came, with `\\n` or `\\r\\n`. Rules: docs/reference/formats/tool-calls.md.
    """

    old: str = ""  # for `tool-replace`: the text to find, which may be a part of a line
    new: str = ""  # the text to write
    is_every: bool = False  # all places are meant
    place_count: int | None = None  # exactly this number of places is expected, and all are changed
    line: int | None = None  # for `tool-insert`: the line after which the text goes; 0 is the top, -1 the end
    view: tuple[str, ...] = ()  # for `tool-insert`: the lines on both sides of the place, as the session showed them
    is_changed: bool = False  # for `tool-insert`: the file may have changed after a call of the session wrote it
    is_literal: bool = False  # JSON: a created file is exactly `new`; in tags, blank lines at its end are layout
    keys: tuple[str, ...] = ()  # how it spells its keys: path, old text or line, new text
    was_run: bool = False  # the session has a result of the call, and no result says that it failed
    folder: str = ""  # the folder that its relative paths start from; "" is the root
    session_root: str = ""  # the folder that is the repository root in its session

    @property
    def named_line(self) -> int:
        """The line number as the call gives it: under the key `line`, it is the line before which the text goes."""
        line = self.line or 0
        if "line" in self.keys:
            return line + 1
        return line


class EditBlock(NamedTuple):
    """One requested change of one file, as it was read. Without anchors it only has `old_lines` and `new_lines`."""

    number: int  # counts the blocks of the response from 1, including those that cannot be read
    file_path: str  # as in the response, unchecked
    format: str  # one of `parse.FORMAT_NAMES`
    line_number: int  # response line of its opener, 1-based
    end_line: int  # response line of its closer, 1-based
    anchor: str = ""
    old_lines: str = ""
    new_lines: str = ""
    trailing_anchor: str = ""
    raw_block: str = ""  # from the opener to the closer, as it came
    path_source: str = ""  # P1 to P8 of docs/reference/rules.md, "which file"
    weak_path: bool = False  # the path is used only if exactly this file exists
    splits: tuple[Split, ...] = ()  # every reading, if several lines look like its divider; otherwise empty
    notes: tuple[Note, ...] = ()
    thread_path: str | None = None  # for a weak path: the thread's file, used if there is no file at the weak path
    # What patches say besides their sections: docs/reference/formats/unified.md.
    # What the format asks for, as in `operation`, or `edit`, `write`, `insert-at`, `snippet`; "": the sections say it.
    action: str = ""
    new_path: str = ""  # the new path for a `rename`
    section: int = 0  # for a patch: shared by its hunks of one file, which are applied all or not at all; 0: none
    scopes: tuple[str, ...] = ()  # lines that must be above the place, the outermost first
    at_end: bool = False  # the place must end the file
    line_hint: int | None = None  # where the place begins in the file that the patch was made from, 1-based
    line_after: int | None = None  # where it begins in the file that the patch makes
    ends: tuple[str, str] = ("", "")  # the newline at the end, before and after: "no" if it says that there is none
    pieces: tuple[str, ...] = ()  # for a deletion by several hunks: the lines of the file that each hunk shows
    has_crlf: bool = False  # a new file whose lines end in CR LF, as those of its patch do
    thread_lines: ThreadLines | None = None  # for a `suggestion`: the lines that `new_lines` replace
    range_edits: tuple[RangeEdit, ...] = ()  # for `rdjson` and `sarif`: applied all or not at all
    call: ToolCall | None = None  # for the `tool-…` formats, and for blocks inside a string of a call

    @property
    def search(self) -> str:
        """The text to find: both anchors and the old lines."""
        return self.anchor + self.old_lines + self.trailing_anchor

    @property
    def replace(self) -> str:
        """The text that replaces it: both anchors and the new lines."""
        return self.anchor + self.new_lines + self.trailing_anchor

    @property
    def digest(self) -> str:
        """SHA-256 over format, path and sections, 64 hex digits: the same request has the same digest."""
        parts = [self.format, self.file_path, self.anchor, self.old_lines, self.new_lines, self.trailing_anchor]
        optional = (self.action, self.new_path, self.scopes, self.at_end, self.line_hint, self.line_after, *self.ends)
        if any(optional):
            parts.append(repr(optional))
        if self.has_crlf:
            parts.append("crlf")
        if self.thread_lines is not None:
            parts.append(repr(tuple(self.thread_lines)))
        if self.range_edits:
            parts.append(repr(self.range_edits))
        call = self.call
        if call is not None:
            parts.append(repr((call.old, call.new, call.is_every, call.place_count, call.line, call.view)))
        return digest_of(parts)

    @property
    def creates_file(self) -> bool:
        """Whether there is nothing to search for. Blank lines are text only in edit-v2 and `tool-replace`."""
        if self.action:
            return self.action in ("create", "replace-file", "write", "snippet")
        search = self.search.removeprefix("\ufeff")  # a BOM copied from the file is not part of its text
        if self.format in ("edit-v2", "tool-replace"):
            return not search
        return not search.strip(" \t\n")

    @property
    def changes_file_itself(self) -> bool:
        """Whether it deletes or renames its file, so that nothing is searched for."""
        return self.action in ("delete-file", "rename")

    @property
    def names_its_lines(self) -> bool:
        """Whether it names its lines in one version of its file, so that nothing is searched for."""
        return self.thread_lines is not None or bool(self.range_edits)

    @property
    def text_call(self) -> ToolCall | None:
        """The call of a block that replaces a text which may be a part of a line; None for all others."""
        if self.format == "tool-replace":
            return self.call
        return None

    @property
    def changes_nothing(self) -> bool:
        """Whether the old and new lines are the same, in its only reading; for a text call, the old and new text."""
        if self.text_call is not None:
            return self.text_call.old == self.text_call.new
        return self.old_lines == self.new_lines and not self.splits and self.ends[0] == self.ends[1]

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that it names: two for a rename."""
        if self.action == "rename":
            return (self.file_path, self.new_path)
        return (self.file_path,)

    @property
    def operation(self) -> str:
        """`create`, `insert`, `delete-lines`, `modify`, `delete-file`, `rename` or `replace-file`."""
        if self.creates_file or self.changes_file_itself:
            return _OPERATIONS.get(self.action, self.action) or "create"
        call = self.text_call
        if call is not None and "\n" not in call.old + call.new:
            return "modify"  # a part of a line
        if not self.new_lines and (self.old_lines or self.thread_lines):
            return "delete-lines"
        if self.inserts:
            return "insert"
        return "modify"

    @property
    def inserts(self) -> bool:
        """Whether it adds lines to old ones, at an end of them, and removes none."""
        if self.new_lines.count("\n") <= self.old_lines.count("\n") or self.names_its_lines:
            return False
        if self.creates_file or self.changes_file_itself:
            return False
        old = self.search
        new = self.replace
        return new.startswith(old) or f"\n{new}".endswith(f"\n{old}") or not self.old_lines


class Problem(NamedTuple):
    """A block that could not be read, reported as a failed row. `what`: what is wrong; `advice`: what to do."""

    number: int
    line_number: int
    end_line: int
    code: ReasonCode
    what: str
    advice: str = ""
    file_path: str | None = None
    format: str | None = None
    notes: tuple[Note, ...] = ()
    needs_person: bool = False  # no answer of a model could fix it
    is_unsupported_form: bool = False  # a comment in which all rows are edits in such a form is treated as prose
    is_result: bool = False  # the result of a call: the calls above it may have failed, so none is applied

    @property
    def message(self) -> str:
        """What is wrong and what to do, in one line."""
        return join_parts("; ", self.what, self.advice)


ParsedRow = EditBlock | Problem


class ParseResult(NamedTuple):
    """Everything seen in one response. `blocks` and `problems` share one numbering, in reading order."""

    blocks: tuple[EditBlock, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    shell_suggestions: tuple[str, ...] = ()
    base: str | None = None
    unbalanced: str = ""  # the numbers of openers and closers if they differ, as "3 SEARCH, 2 REPLACE"
    is_cut: bool = False  # reading stopped before the end; the last problem says why
    session_root: str = ""  # for a session: the folder that is its repository root

    @property
    def in_order(self) -> list[ParsedRow]:
        """The blocks and problems in the order of the text."""
        return sorted((*self.blocks, *self.problems), key=lambda row: row.number)

    @property
    def by_file(self) -> Mapping[str, tuple[EditBlock, ...]]:
        """The blocks of each file in reading order, files in the order of their first block."""
        grouped: dict[str, list[EditBlock]] = {}
        for block in self.blocks:
            grouped.setdefault(block.file_path, []).append(block)
        return {path: tuple(blocks) for path, blocks in grouped.items()}


class BlockStarted(NamedTuple):
    """An opener was read. `path` is None if no line names a file; `line_number` is the opener's, 1-based.

    `format` is judged by the opener only: a `roo` block begins like a block without a header.
    """

    number: int
    format: str | None
    path: str | None
    line_number: int


class BlockProgress(NamedTuple):
    """Lines of an open block, without their ends. `section`: a name of its format, or `closed` after the closer.

    The names are `search` and `replace`; of edit-v2 `anchor`, `old`, `new` and `trailing-anchor`; `new` for
    whole files. If several lines look like the divider, the right one is known only when the block is complete.
    """

    number: int
    section: str
    lines: tuple[str, ...]


class DraftsLeftOut(NamedTuple):
    """Every event before this one was about a draft: the text up to a closing tag such as `</think>` is not the answer.

    Blocks are numbered from 1 again.
    """

    line_number: int  # of the tag, 1-based


Event = BlockStarted | BlockProgress | EditBlock | Problem | DraftsLeftOut


def section_lines(section: str) -> list[str]:
    """Return the lines of a section string: `""` has none, `"\\n"` has one blank line."""
    if not section:
        return []
    return section[:-1].split("\n")


def digest_of(parts: Iterable[str]) -> str:
    """SHA-256 over texts, 64 hex digits. The boundaries between the texts are part of the digest."""
    from hashlib import sha256  # loaded late, because a check needs no digest

    text = "".join(f"{len(part)}:{part}" for part in parts)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
