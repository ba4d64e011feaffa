"""Find the tool calls in an answer: JSON in a fence or from the first column on, and tags.

A line that opens a call is a token. Inside a call, fences, openers and tags have no effect of their own.
`formats/call_reader.py` reads what a call asks for. Rules: docs/reference/formats/tool-calls.md. Lines are 0-based.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Literal

from editblocks.core.blocks import EditBlock, Note, ParsedRow, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.formats.call_tags import (
    CallTag,
    TagValues,
    body_of,
    has_edit_text,
    path_in,
    read_call_tag,
    read_tag_values,
    tag_above,
)
from editblocks.formats.calls import CallRows, Where, not_read
from editblocks.formats.grammar import CUT_OFF, Fault, Format, Located, not_enabled
from editblocks.formats.json_scan import OpenJson
from editblocks.formats.markers import Kind, Marker, Token
from editblocks.formats.tool_calls import TOOL_CALLS, may_hold_calls
from editblocks.parsing.containers import Container, Containers, is_transparent
from editblocks.parsing.file_of_block import path_of_whole_file
from editblocks.parsing.notes import MOST_NOTES, about_calls, unread_calls
from editblocks.parsing.open_block import dedent
from editblocks.parsing.path_line import clean_path, find_path
from editblocks.parsing.rows import BrokenBlocks, Rows, as_problem

_JSON_FENCES = frozenset(("json", "jsonc", "jsonl", "tool_call", "tool_use", "tool_code", ""))
_TAG_FENCES = _JSON_FENCES | {"xml"}
_DATA_FILES = (".json", ".jsonl", ".jsonc", ".json5", ".ipynb")  # below such a path, a fence shows that file
CALL_LINES = frozenset({Kind.JSON, Kind.CALL_INSIDE, Kind.CALL, Kind.CALL_VALUE, Kind.CALL_END})
# Around a line of these kinds, a tag that may hold blocks is read as if it was not there.
_BESIDE_BLOCKS = frozenset({Kind.FENCE, Kind.TAG, Kind.NEAR, Kind.NEAR_END, Kind.ESCAPED})
_PUNCTUATION = (",", ";")  # after JSON, these are not words
# The line of a JSON object with a key that only results have: the first line, near its beginning, or a later line.
_RESULT = (
    r"(?m)^(?:\{.{0,200}?|[ \t]+)"
    r'(?:"type"[ \t]*:[ \t]*"(?:[a-z_]+_call_output|(?:[a-z_]+_)?tool[_-]result)"'
    r'|"role"[ \t]*:[ \t]*"(?:tool|function)"|"functionResponse"[ \t]*:)'
)
_CLINE_RESULT = (
    r"\[(?:write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace)(?: for .*)?\] Result:"
)
_PATH_CHILD = r"[ \t]*<(?:path|file_path)>([^<>]+)</(?:path|file_path)>[ \t]*\Z"
_EXAMPLE = "call-as-example"  # the code of a note
_AS_JSON = "ask for the call again, as JSON"


class OpenTags:
    """A call in tags from line `start` on; `next` is the first line that was not looked at."""

    is_over = False
    is_call = True  # False if the first text after the tag is neither a value nor JSON
    is_empty = True  # only blank lines followed the tag so far
    first_opener: int | None = None  # index of the token of the first block opener in it
    is_cut = False  # it has no end, but contains the beginning of a text

    def __init__(self, tag: CallTag, start: int, index: int, container: Container | None) -> None:
        self.tag = tag
        self.start = start
        self.next = start
        self.index = index  # of the token that opened it
        self.container = container

    @property
    def holds_diff(self) -> bool:
        """Whether a diff that names its file is in a tag that may hold blocks."""
        return self.tag.may_hold_blocks and self.first_opener is not None

    def advance(self, lines: Sequence[str], stop: int) -> None:
        """Look at the lines before `stop`, up to the end of the call."""
        while self.next < stop and not self.is_over:
            line = lines[self.next]
            if self.next == self.start:
                line = line[self.tag.column :]
            text = line.strip(" \t")
            if text and self.is_empty:
                self.is_empty = False
                self.is_call = self.tag.may_begin_with(text)
            self.is_over = not self.is_call or self.tag.ends_at(line)
            self.next += self.is_call


OpenCall = OpenJson | OpenTags
# The effect of a line: it is in the call; it is not; all lines since the opener of the call are read again as text.
CallEffect = Literal["inside", "outside", "reread"]


class ToolCalls:
    """Finds the calls of one answer, and adds their rows."""

    def __init__(
        self,
        containers: Containers,
        rows: Rows,
        broken: BrokenBlocks,
        enabled_formats: Collection[Format],
        read_answer: Callable[[str, int], ParseResult],
    ) -> None:
        self._containers = containers
        self._rows = rows
        self._broken = broken
        self._lines = containers.lines
        self._enabled_names = frozenset(name for each in enabled_formats for name in each.names)
        self._read_answer = read_answer
        self.commands: list[tuple[int, str]] = []  # shell commands, with their lines
        self.stop = 0  # the line after the last call
        self.patches: list[tuple[int, int]] = []  # of each patch so far, its first line and the one after its last
        self._last_tag: CallTag | None = None  # the tag of the last row, if it is a call in tags
        self._last_number = 0  # the number of that row
        self._call_numbers: set[int] = set()  # of the rows of calls
        self._last_result: int | None = None  # the line of the last result of a call
        self._tag_around: OpenTags | None = None  # the last tag in which blocks were read
        self._unsearched = 0  # the first line at which to look for tags of unknown tools
        self._notes: list[Note] = []
        self._examples: set[int] = set()
        self._calls_inside_text: list[int] = []  # lines that may contain a call after other text
        self._unread: list[int] = []  # as in `CallRows`
        self._rows_by_id: dict[str, tuple[ParsedRow, ...]] = {}  # as in `CallRows`

    def take(self, token: Token, index: int) -> OpenCall | None:
        """Take a line that opens a call, has a value of one, or ends one; return the call that begins, if any."""
        call = self._begin(token, index)
        if call is not None:
            call.advance(self._lines, token.line + 1)
            self._settle(call, token)
        return call

    def _begin(self, token: Token, index: int) -> OpenCall | None:
        """The call that begins with a line, or with a tag above it; None if there is none."""
        containers = self._containers
        line = token.line
        if token.kind is Kind.CALL_INSIDE:
            if containers.fence is None:
                self._calls_inside_text.append(line)
        elif token.kind is Kind.CALL:
            tag = read_call_tag(self._lines[line])
            if tag is not None and self._may_hold_tags(containers.fence):
                self._add_json_above(line)
                return OpenTags(tag, line, index, containers.innermost)
        elif token.kind is Kind.CALL_END:
            self._take_second_end(line)
        elif containers.fence is None:
            if token.kind is Kind.JSON:
                if self._rows.items and re.match(_CLINE_RESULT, self._lines[line]):
                    self._last_result = line
                return OpenJson(line)
            above = tag_above(self._lines, line, max(containers.row_stop, self._unsearched))
            if above is not None:
                start, tag = above
                self._unsearched = start + 1
                return OpenTags(tag, start, index, None)
        return None

    def end(self) -> None:
        """Finish the text: refuse a result after calls, and read indented JSON if it is the whole text."""
        if self._last_result is not None and any(isinstance(row, EditBlock) for row in self._rows.items):
            self._refuse_result(self._last_result)
        start = next((line for line, text in enumerate(self._lines) if text.strip(" \t")), None)
        if start is None or self._rows.items or not self._lines[start].startswith((" ", "\t")):
            return
        whole = OpenJson(start)
        whole.advance(self._lines, len(self._lines))
        if whole.is_whole and not "".join(self._lines[whole.next :]).strip(" \t"):
            self._add_lines(start, whole.next, may_be_cut=False)

    def _refuse_result(self, line: int) -> None:
        """Add a row that refuses the result of a call, as only a session tells which call failed."""
        number = line + self._rows.first_line
        what = f"line {number} is the result of a call, and results are read only in a session"
        fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "give only the session")
        row = Problem(self._rows.next_number, number, number, *fault, format=TOOL_CALLS.names[0])
        self._rows.add(row._replace(is_result=True, needs_person=True))

    def _may_hold_tags(self, fence: Container | None) -> bool:
        """Whether calls in tags are read in this fence; always outside fences."""
        return fence is None or (not fence.is_inner and fence.first_word in _TAG_FENCES)

    def follow(self, call: OpenCall, token: Token, index: int, *, is_opener: bool) -> CallEffect:
        """Return the effect of a token in an open call. `is_opener`: elsewhere, it would begin a block or a patch."""
        call.advance(self._lines, token.line)
        if isinstance(call, OpenTags) and not call.is_over:
            is_around_block = is_opener and (isinstance(token.kind, Marker) or call.tag.path != "")
            if call.tag.may_hold_blocks and (is_around_block or token.kind in _BESIDE_BLOCKS):
                self._tag_around = call
                return "reread"
            if self._opens_another(call, token):
                return self._leave(call)
            if is_opener and call.first_opener is None:
                call.first_opener = index
        call.advance(self._lines, token.line + 1)
        if isinstance(call, OpenJson) and call.is_faulty and token.kind is not Kind.CALL_INSIDE:
            call.is_over = True
        return self._settle(call, token)

    def path_around(self, line: int) -> str | None:
        """The file that a tag right above the edit at `line` names; None if there is no such tag, or it names no file.

        Only blank lines, fences, tags and path lines may be between.
        """
        call = self._tag_around
        if call is None or self._containers.row_stop > call.start:
            return None
        path = call.tag.path
        for number in range(call.start + 1, line):
            text = self._lines[number]
            child = re.match(_PATH_CHILD, text)
            if child is not None:
                path = call.tag.path or child[1].strip(" \t")
            elif call.tag.closer in text or not self._is_around_edit(number):
                return None
        return path or None

    def _is_around_edit(self, line: int) -> bool:
        """Whether a line may be between a tag and the edit in it."""
        text = self._lines[line]
        is_markup = is_transparent(text) or self._containers.is_fence_line(line)
        return not text.strip(" \t") or is_markup or find_path(text) is not None

    def _opens_another(self, call: OpenTags, token: Token) -> bool:
        """Whether a line begins another call inside this one."""
        if token.kind is Kind.CALL:
            return True
        if call.tag.is_known or token.kind is not Kind.CALL_VALUE:
            return False
        return tag_above(self._lines, token.line, call.start + 1) is not None

    def look(self, call: OpenCall, *, at_end: bool) -> CallEffect:
        """Look at the lines after the last token. `at_end`: the text has ended."""
        call.advance(self._lines, len(self._lines))
        if at_end and not call.is_over:
            if isinstance(call, OpenTags):
                return self._leave(call)
            self._add_lines(call.start, call.next, may_be_cut=True)
            return "outside"
        return self._settle(call, None)

    def _leave(self, call: OpenTags) -> CallEffect:
        """Leave a call without an end: if it contains the beginning of a text it is a problem, otherwise prose."""
        call_rows = self._read_cut(call)
        call.is_cut = bool(call_rows.rows) and not call.holds_diff
        if call.is_cut:
            self._add(call_rows, call.start, call.start)
        return "reread"

    def _settle(self, call: OpenCall, token: Token | None) -> CallEffect:
        """Read a call that ended; return the effect of `token`."""
        if not call.is_over:
            return "inside"
        if isinstance(call, OpenTags):
            if not call.is_call:
                return "outside"
            if not self._end_tags(call) and not call.tag.is_known:
                return "reread"
            self.stop = call.next
        else:
            has_rows = self._end_json(call)
            if call.is_whole or (has_rows and call.column):
                self.stop = call.next
            # In broken JSON, a token is text. Only a line of JSON belongs to the call, if the call made a row.
            if not call.is_whole and not (has_rows and token is not None and token.kind is Kind.JSON):
                return "outside"
        if token is not None and token.line < call.next:
            return "inside"
        return "outside"

    def _end_json(self, call: OpenJson) -> bool:
        """Read JSON that ended; return whether it made a row. If words follow on its last line, it is an example."""
        if call.is_whole or not call.column:
            return self._add_lines(call.start, call.next, may_be_cut=False)
        after = self._lines[call.next - 1][call.column :].strip(" \t")
        call_rows = self._read_json(call.text_in(self._lines), call.start, call.next)
        if after in _PUNCTUATION and call_rows.rows:
            row = call_rows.rows[0]
            what = f"`{after}` follows the tool call at line {row.line_number}"
            problem = as_problem(row, Fault(ReasonCode.MALFORMED, what, "ask for the call again"))
            return self._add(CallRows((problem,)), call.start, call.next)
        self._note_example(call_rows)
        return False

    def _end_tags(self, call: OpenTags) -> bool:
        """Read a call in tags that ended; return whether it made a row."""
        call_rows = self._read_tags(call)
        names_other_file = any(isinstance(row, Problem) and row.code is ReasonCode.NO_PATH for row in call_rows.rows)
        if call.holds_diff and not names_other_file:
            return False
        is_added = self._add(call_rows, call.start, call.next, is_sealed=False)
        if is_added:
            self._last_tag = call.tag
            self._last_number = self._rows.next_number - 1
        return is_added

    def _take_second_end(self, line: int) -> None:
        """Refuse the last call if its closing tag follows a second time: it may have ended too early."""
        if self._last_tag is None or self._last_number != self._rows.next_number - 1 or self._rows.is_sealed:
            return
        if self._last_tag.ends_at(self._lines[line]):
            line_number = line + self._rows.first_line
            what = f"another `{self._last_tag.closer}` is at line {line_number}, "
            what += "so the tool call may have ended too early"
            self._rows.break_unsealed(Fault(ReasonCode.MALFORMED, what, _AS_JSON))
            self._containers.end_row(line + 1)

    def _add_lines(self, start: int, stop: int, *, may_be_cut: bool) -> bool:
        """Add the rows of the JSON in these lines; return whether there was a row."""
        return self._add(self._read_lines(start, stop, may_be_cut=may_be_cut), start, stop)

    def _read_lines(self, start: int, stop: int, *, may_be_cut: bool) -> CallRows:
        return self._read_json("\n".join(self._lines[start:stop]), start, stop, may_be_cut=may_be_cut)

    def _read_json(self, text: str, start: int, stop: int, *, may_be_cut: bool = True) -> CallRows:
        if not may_hold_calls(text):
            return CallRows()
        from editblocks.formats.call_reader import read_json  # imported late: most answers have no call

        return read_json(text.rstrip(), self._where(start, stop)._replace(may_be_cut=may_be_cut))

    def _read_tags(self, call: OpenTags) -> CallRows:
        """Read a call in tags. If its values cannot be read, it is a problem if it looks like an edit."""
        tag = call.tag
        body, notes = self._body_of(call)
        if tag.is_around_json:
            above = body[: len(body) - len(body.lstrip())]
            return self._read_json(body.strip(), call.start + above.count("\n"), call.next)
        line = call.start + self._rows.first_line
        values: TagValues | str = TagValues({"path": tag.path, "content": body})
        if not tag.path:
            values = read_tag_values(tag, body, line)
        if isinstance(values, TagValues):
            from editblocks.formats.call_reader import read_parameters  # imported late: most answers have no call

            call_rows = read_parameters(tag.name, values.texts, self._where(call.start, call.next), values.literal)
            rows = [_with_notes(row, notes) for row in call_rows.rows]
            if not tag.is_known and (tag.path or not tag.may_hold_blocks):
                fault = not_read(tag.name)
                if tag.path:
                    fault = fault._replace(what=f"`{tag.name}` with a path in its tag is not supported")
                for index, row in enumerate(rows):
                    if row.format in TOOL_CALLS.names:  # blocks in a tag are read, whatever its name
                        rows[index] = as_problem(row, fault)
            if rows and values.text_on_tag_line and tag.indent and not notes:
                what = f"the first line of `{values.text_on_tag_line}` follows its tag in an indented call, "
                what += "so nothing tells how far that line is indented"
                rows = [as_problem(rows[0], Fault(ReasonCode.MALFORMED, what, _AS_JSON))]
            return call_rows._replace(rows=tuple(rows))
        if not has_edit_text(body):
            return CallRows()
        what = f"the tool call `{tag.name}` at line {line} is broken: {values}"
        return CallRows((self._problem(call, body, Fault(ReasonCode.MALFORMED, what, _AS_JSON)),))

    def _read_cut(self, call: OpenTags) -> CallRows:
        """Read a call in tags without an end: it is a problem if it contains the beginning of a text."""
        body, _ = self._body_of(call)
        begins_text = call.tag.path and not call.tag.may_hold_blocks and body.startswith("\n") and body.strip()
        if not begins_text and not has_edit_text(body):
            return CallRows()
        what = f"the tool call at line {call.start + self._rows.first_line} has no `{call.tag.closer}`"
        return CallRows((self._problem(call, body, Fault(ReasonCode.UNCLOSED, what, CUT_OFF)),))

    def _body_of(self, call: OpenTags) -> tuple[str, tuple[Note, ...]]:
        """The text between the tags of a call, which may be indented as a whole."""
        first, *others = self._lines[call.start : call.next]
        lines, notes = dedent(others, call.tag.indent)
        return body_of(call.tag, [first, *lines], is_closed=call.is_over), notes

    def _problem(self, call: OpenTags, body: str, fault: Fault) -> Problem:
        first = self._rows.first_line
        return Problem(0, call.start + first, call.next - 1 + first, *fault, call.tag.path or path_in(body))

    def _where(self, start: int, stop: int) -> Where:
        first = self._rows.first_line
        return Where(start + first, stop - 1 + first, self._read_answer, rows_by_id=self._rows_by_id)

    def read_ended_fences(self, stop: int) -> None:
        """Read the JSON in the fences that just ended before line `stop`. Calls in other fences are examples."""
        for fence in self._containers.ended:
            if fence.mark and not self._refuse_beside_blocks(fence, stop):
                self._read_fence(fence)

    def has_edit_in(self, container: Container) -> bool:
        """Whether a container has a row. A call for another file than that of the container does not count."""
        path = container.file_path
        rows = self._rows.items[container.first_row - 1 :]
        return any(row.number not in self._call_numbers or path in ("", row.file_path) for row in rows)

    def _read_fence(self, fence: Container) -> None:
        has_other_rows = fence.holds_edit or fence.first_row != self._rows.next_number
        if fence.shows_patch or (has_other_rows and not fence.calls_stop):
            return
        start = max(fence.line + 1, fence.calls_stop)
        stop = self._containers.stop_of(fence)
        is_read = self._add_json_of_fence(fence, start, stop)
        first = next(iter(self._lines[start:stop]), "")
        is_diff = fence.holds_diff and not first.startswith(("{", "["))
        if not is_read and not is_diff and fence.language != "suggestion":
            self._note_examples(start, stop)

    def _refuse_beside_blocks(self, fence: Container, stop: int) -> bool:
        """Refuse the calls before line `stop` of a fence if it also has blocks; return whether it has any."""
        rows = self._rows.items[fence.first_row - 1 :]
        has_blocks = rows and (fence.shows_patch or any(row.number not in self._call_numbers for row in rows))
        if not has_blocks or self._broken.region is not None:
            return False
        first = self._rows.first_line
        edits = [(row.line_number - first, row.end_line - first + 1) for row in rows]
        edits += (patch for patch in self.patches if patch[0] > fence.line)
        start = max(fence.line + 1, fence.refused_stop)
        for edit_start, edit_stop in sorted(edits):
            self._refuse_calls(start, edit_start)
            start = max(start, edit_stop)
        self._refuse_calls(start, stop)
        fence.refused_stop = max(start, stop)
        return True

    def _refuse_calls(self, start: int, stop: int) -> None:
        """Add a row for each call in these lines of a fence with blocks."""
        if start >= stop or not may_hold_calls("\n".join(self._lines[start:stop])):
            return
        for call_rows in self._walk(start, stop):
            if self._rows.is_full:
                return
            self._take_notes(call_rows)
            for row in call_rows.rows[:1]:
                what = f"the tool call at line {row.line_number} is in a fence with a block"
                problem = as_problem(row, Fault(ReasonCode.MALFORMED, what, "ask for it in another fence"))
                self._call_numbers.add(self._rows.next_number)
                self._rows.add(problem._replace(number=self._rows.next_number))

    def _add_json_above(self, line: int) -> None:
        """Read the JSON in a fence above a call in tags."""
        fence = self._containers.fence
        if fence is None:
            return
        if not fence.shows_patch and (fence.calls_stop or not fence.holds_edit):
            self._add_json_of_fence(fence, max(fence.line + 1, fence.calls_stop), line)
        else:
            self._refuse_beside_blocks(fence, line)

    def _add_json_of_fence(self, fence: Container, start: int, stop: int) -> bool:
        """Read these lines of a fence if they are JSON; return whether they are."""
        if fence.is_inner or fence.first_word not in _JSON_FENCES:
            return False
        text = "\n".join(self._lines[start:stop])
        if not fence.first_word and not text.lstrip().startswith(("{", "[")):
            return False
        call_rows = self._read_json(text, start, stop)
        if self._shows_data_file(fence, call_rows):
            self._note_example(call_rows)
        elif self._add(call_rows, start, stop):
            fence.holds_edit = True
        return True

    def _shows_data_file(self, fence: Container, call_rows: CallRows) -> bool:
        """Whether the fence shows a data file that a line names: then calls for other files are text of that file."""
        located = path_of_whole_file(self._containers, fence)
        if not isinstance(located, Located) or not located.path.endswith(_DATA_FILES):
            return False
        return not call_rows.rows or any(row.file_path != located.path for row in call_rows.rows)

    def _note_examples(self, start: int, stop: int) -> None:
        """Note the first call in the lines of a fence as an example, if there is one."""
        if may_hold_calls("\n".join(self._lines[start:stop])):
            for call_rows in self._walk(start, stop):
                if self._note_example(call_rows):
                    return

    def _note_example(self, call_rows: CallRows) -> bool:
        """Note a call as an example; return whether there is one."""
        self._take_notes(call_rows)
        self._examples.update(row.line_number for row in call_rows.rows[:1])
        return bool(call_rows.rows or call_rows.notes)

    def _take_notes(self, call_rows: CallRows) -> None:
        for note in call_rows.notes:
            if note.code == _EXAMPLE and note.line_number is not None:
                self._examples.add(note.line_number)
            else:
                self._notes.append(note)

    def _walk(self, start: int, stop: int) -> Iterator[CallRows]:
        """Yield the result of reading each call in these lines, whether or not calls are read there."""
        call: OpenCall | None = None
        for line in range(start, stop):
            text = self._lines[line]
            tag = read_call_tag(text)
            if tag is not None:
                call = OpenTags(tag, line, 0, None)
            elif call is None and text.lstrip(" \t").startswith(("{", "[")):
                call = OpenJson(line)
            if call is None:
                continue
            call.advance(self._lines, line + 1)
            if not call.is_over:
                continue
            if isinstance(call, OpenJson):
                yield self._read_lines(call.start, call.next, may_be_cut=False)
            elif call.is_call:
                yield self._read_tags(call)
            call = None
        if isinstance(call, OpenJson):
            yield self._read_lines(call.start, stop, may_be_cut=True)
        elif call is not None:
            yield self._read_cut(call)

    def drafts(self, start: int, stop: int) -> int:
        """The number of rows that the calls in these lines would make."""
        return sum(len(call_rows.rows) for call_rows in self._walk(start, stop))

    def _add(self, call_rows: CallRows, start: int, stop: int, *, is_sealed: bool = True) -> bool:
        """Add the rows, notes and commands of one text; return whether there was a row."""
        self._take_notes(call_rows)
        self._unread += call_rows.unread
        self._rows_by_id |= call_rows.rows_by_id
        self.commands += ((start, command) for command in call_rows.commands)
        if not call_rows.rows:
            self._take_other_json(start, "\n".join(self._lines[start:stop]))
            return False
        self._rows.seal()
        first = self._rows.next_number
        rows = []
        for number, row in enumerate(call_rows.rows, first):
            numbered = refuse_unless_enabled(row._replace(number=number), self._enabled_names)
            numbered = self._broken.refuse_if_inside(numbered)
            self._rows.emit_start(numbered)
            rows.append(numbered)
        self._call_numbers.update(row.number for row in rows)
        self._rows.add_group(rows)
        if is_sealed:
            self._rows.seal()
        for fence in self._containers.fences:
            fence.holds_edit = True
            fence.calls_stop = stop
        self._containers.end_row(stop)
        return self._rows.next_number > first

    def _take_other_json(self, start: int, text: str) -> None:
        """Remember JSON without a row if it is the result of a call."""
        if self._call_numbers and (match := re.search(_RESULT, text)):
            self._last_result = start + text.count("\n", 0, match.start())

    def notes(self) -> Iterator[Note]:
        yield from self._notes[:MOST_NOTES]
        examples = self._examples.difference(row.line_number for row in self._rows.items)
        yield from about_calls(_EXAMPLE, sorted(examples), "an example", "examples")
        inside = {line + self._rows.first_line for line in self._calls_inside_text}
        for row in self._rows.items:
            inside.difference_update(range(row.line_number, row.end_line + 1))
        yield from unread_calls(sorted(inside.union(self._unread)))


def refuse_unless_enabled(row: ParsedRow, names: Collection[str]) -> ParsedRow:
    """Return the row of a call, or a problem if its format is not one of `names`."""
    if (row.format or TOOL_CALLS.names[0]) in names:
        return row
    return as_problem(row, not_enabled("the tool call", row.line_number))


def refuse_other_file(rows: Sequence[ParsedRow], path: str | None) -> Sequence[ParsedRow]:
    """Return the rows of one edit, or problems if none is about `path`, the file that the tag above it names.

    Only the names of the files are compared, as for actions: a tag may have an absolute path.
    """
    paths = [each for row in rows if isinstance(row, EditBlock) for each in row.paths]
    if path is None or not paths or _file_name(path) in map(_file_name, paths):
        return rows
    what = f"the tag around it names {clean_path(path).path}, and the edit {paths[0]}"
    fault = Fault(ReasonCode.NO_PATH, what, "name the same file in both")
    return [as_problem(row, fault) if isinstance(row, EditBlock) else row for row in rows]


def _file_name(path: str) -> str:
    return clean_path(path).path.rpartition("/")[2]


def _with_notes(row: ParsedRow, notes: tuple[Note, ...]) -> ParsedRow:
    if isinstance(row, Problem):
        return row
    return row._replace(notes=(*row.notes, *notes))
