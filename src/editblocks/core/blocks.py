"""What is asked for: the blocks of a response, as they were read. Frozen values with derived facts alone.

Section strings (`anchor`, `old_lines`, `new_lines`, `trailing_anchor`) are lines that each end with
`\\n`: `""` is no line, `"\\n"` one blank line. `line_number` and `*_line` are 1-based and for
people. Rules: docs/reference/rules.md.
"""

from collections.abc import Mapping
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import advised


class Note(NamedTuple):
    """Something a person should know that does not change a status; `code` is one of the schema's note codes."""

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
    is_old: bool = False  # of the file as it was before the pull request, which cannot be changed


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
    is_lines: bool = False  # whole lines are replaced, and no text means that they go with their breaks
    shown_at: TextRange | None = None  # a part that holds `place`, whose text the tool shows
    shown: str = ""  # that text


class ToolCall(NamedTuple):
    """What a tool call says that no lines can: parts of a text, how often, and where the call was made.

    The texts are as they came, with `\\n` or `\\r\\n`. Rules: docs/reference/formats/tool-calls.md.
    """

    old: str = ""  # of `tool-replace`: the text to find, which may be a part of a line
    new: str = ""  # the text to write
    is_every: bool = False  # all places are meant
    place_count: int | None = None  # exactly so many places are meant, and all of them
    line: int | None = None  # of `tool-insert`: the line after which the text goes; 0 is the top, -1 the end
    view: tuple[str, ...] = ()  # of `tool-insert`: the lines on both sides of the place, as the session showed them
    is_changed: bool = False  # of `tool-insert`: the file may have changed after a call of the session wrote all of it
    is_literal: bool = False  # it came as JSON: a created file holds exactly `new`; tags have a layout
    keys: tuple[str, ...] = ()  # how it spells its keys: path, old text or line, new text
    was_run: bool = False  # the session holds a result of the call, and none says that it failed
    folder: str = ""  # where its relative paths begin; "" is the root
    session_root: str = ""  # the folder that stands for the root in its session

    @property
    def named_line(self) -> int:
        """The line of an insertion as the call names it: `line` is the one before which the text goes."""
        line = self.line or 0
        if "line" in self.keys:
            return line + 1
        return line


_OPERATIONS = {"write": "replace-file", "snippet": "create"}  # of an action that has another word in results


class EditBlock(NamedTuple):
    """One requested change of one file, as it was read. Without anchors it only has `old_lines` and `new_lines`."""

    number: int  # counts the blocks of the response from 1, including those that cannot be read
    file_path: str  # as in the response, unchecked
    format: str  # one of `parse.FORMAT_NAMES`
    line_number: int  # response line of its opener, 1-based
    end_line: int  # of its closer
    anchor: str = ""
    old_lines: str = ""
    new_lines: str = ""
    trailing_anchor: str = ""
    raw_block: str = ""  # from the opener to the closer, as it came
    path_source: str = ""  # P1 to P8 of docs/reference/rules.md, "which file"
    weak_path: bool = False  # a path that counts only if exactly this file exists
    splits: tuple[Split, ...] = ()  # every reading, if several lines look like its divider; else empty
    notes: tuple[Note, ...] = ()
    # What patches say besides their sections: docs/reference/formats/unified.md.
    # What the format asks for, as in `operation`, or `edit`, `write`, `insert-at`, `snippet`; "": the sections say it.
    action: str = ""
    new_path: str = ""  # where a `rename` takes the file
    section: int = 0  # of a patch: the number its hunks of one file share, which stand or fall together; 0: none
    scopes: tuple[str, ...] = ()  # lines that must stand above the place, the outermost first
    at_end: bool = False  # the place must end the file
    line_hint: int | None = None  # where the place begins in the file that the patch was made from, 1-based
    line_after: int | None = None  # where it begins in the file that the patch makes
    ends: tuple[str, str] = ("", "")  # what it says of the newline at the end, before and after: "", or "no"
    pieces: tuple[str, ...] = ()  # of a deletion by several hunks: the lines of the file that each shows
    has_crlf: bool = False  # a new file whose lines end in CR LF, as those of its patch do
    thread_lines: ThreadLines | None = None  # of a `suggestion`: what `new_lines` replace, whatever they hold
    range_edits: tuple[RangeEdit, ...] = ()  # of `rdjson` and `sarif`: they stand or fall together
    call: ToolCall | None = None  # of the `tool-…` formats, and of what stands in a string of a call

    @property
    def search(self) -> str:
        """The text to find: both anchors and the old lines."""
        return self.anchor + self.old_lines + self.trailing_anchor

    @property
    def replace(self) -> str:
        """The text that replaces it: both anchors and the new lines."""
        return self.anchor + self.new_lines + self.trailing_anchor

    @property
    def creates_file(self) -> bool:
        """Whether there is nothing to search for. Blank lines are text in edit-v2 and calls, and nothing elsewhere."""
        if self.action:
            return self.action in ("create", "replace-file", "write", "snippet")
        search = self.search.removeprefix("\ufeff")  # a BOM copied from the file is not part of its text
        if self.format in ("edit-v2", "tool-replace"):
            return not search
        return not search.strip(" \t\n")

    @property
    def changes_file_itself(self) -> bool:
        """Whether it deletes or renames its file: nothing is searched for in it."""
        return self.action in ("delete-file", "rename")

    @property
    def says_its_lines(self) -> bool:
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
        """Whether the old and new lines are the same, in its only reading; of a call, whether the texts are."""
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
        if self.new_lines.count("\n") <= self.old_lines.count("\n") or self.says_its_lines:
            return False
        if self.creates_file or self.changes_file_itself:
            return False
        old = self.search
        new = self.replace
        return new.startswith(old) or f"\n{new}".endswith(f"\n{old}") or not self.old_lines


class Problem(NamedTuple):
    """A block that could not be read: a failed row of its own. `what` is wrong with it; `advice` is what to do."""

    number: int
    line_number: int
    end_line: int
    code: ReasonCode
    what: str
    advice: str = ""
    file_path: str | None = None
    format: str | None = None
    notes: tuple[Note, ...] = ()
    is_for_people: bool = False  # nothing that a model could send would do it
    is_beside: bool = False  # an edit in a form that is not read: a comment without other rows is talk
    is_result: bool = False  # the result of a call: what is above it may have failed, so none of it is written

    @property
    def message(self) -> str:
        """What is wrong and what to do, in one line."""
        return advised(self.what, self.advice)


class ParseResult(NamedTuple):
    """Everything seen in one response. `blocks` and `problems` share one numbering, in reading order."""

    blocks: tuple[EditBlock, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    shell_suggestions: tuple[str, ...] = ()
    base: str | None = None
    unbalanced: str = ""  # the numbers of openers and closers if they differ, as "3 SEARCH, 2 REPLACE"
    is_cut: bool = False  # reading stopped before the end; the last problem says why
    session_root: str = ""  # of a session: the folder that stands for the root

    @property
    def in_order(self) -> list[EditBlock | Problem]:
        """The blocks and problems as they stand in the text."""
        return sorted((*self.blocks, *self.problems), key=lambda row: row.number)

    @property
    def by_file(self) -> Mapping[str, tuple[EditBlock, ...]]:
        """The blocks of each file in reading order, files in the order of their first block."""
        grouped: dict[str, list[EditBlock]] = {}
        for block in self.blocks:
            grouped.setdefault(block.file_path, []).append(block)
        return {path: tuple(blocks) for path, blocks in grouped.items()}


def section_lines(section: str) -> list[str]:
    """Return the lines of a section string: `""` has none, `"\\n"` has one blank line."""
    if not section:
        return []
    return section[:-1].split("\n")
