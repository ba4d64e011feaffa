"""Read the session of a coding agent as one answer: its calls become blocks, except those that failed.

First all records are taken, and their calls are kept with their results, as a later record may say that a call failed.
Then the calls that did not fail are read, in order. Rules: docs/reference/formats/sessions.md.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from posixpath import normpath
from typing import Any, Literal

from editblocks.core.blocks import EditBlock, Note, ParsedRow, ParseResult, Problem, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import join_words, plural
from editblocks.formats.call_reader import read_json
from editblocks.formats.calls import CallRows, Where
from editblocks.formats.grammar import Fault
from editblocks.formats.json_scan import looks_like_edit
from editblocks.formats.tool_calls import INPUT_KEYS, INSERT, PATH_KEYS, may_hold_calls
from editblocks.parsing.notes import MOST_NOTES, UNREAD_CALL, ShellCommands, unread_calls
from editblocks.parsing.rows import Rows, as_problem
from editblocks.parsing.session_records import (
    BLANK,
    RECORD_BYTES,
    SESSION_BYTES,
    SessionRecord,
    decode,
    is_array,
    is_too_large,
    records,
)
from editblocks.parsing.tool_calls import refuse_unless_enabled
from editblocks.parsing.transcripts import NUMBERED, ClineResults, Entry, SessionCall, SessionResult, entry_of

_MOST_NAMED = 10  # calls that a note names
_TAG = r"([ \t]*)<([A-Za-z_][\w-]*)>[ \t\r]*$"
_FENCE = r"[ \t]*(?:`{3,}|~{3,})"
# Notes about calls that failed or have no result: for one call, and for several.
_NOTES_OF_CALLS = {
    "not-run": ("1 call failed when it was made", "{:,} calls failed when they were made"),
    "result-missing": (
        "1 call has no result, so it was read as a proposal",
        "{:,} calls have no result, so they were read as proposals",
    ),
}
_ARGUMENTS = (*INPUT_KEYS, "function", "functionCall")
# Tools of any agent that change no file: in lower case, without `_`.
_READING_TOOLS = frozenset(
    "read readfile readfiles readmanyfiles readtextfile readmultiplefiles getfilecontents notebookread view viewfile "
    "ls list listdir listdirectory listfiles glob find findfiles searchfiles filesearch grep grepsearch search think "
    "codebasesearch listcodedefinitionnames websearch webfetch todoread todowrite updatetodolist updateplan".split()
)

# The arguments of a call that shows a whole file: any other may be a range, a limit or a pattern.
_WHOLE_VIEW_KEYS = frozenset((*PATH_KEYS, "command"))


class _RecordedCall:
    """A call, or another part of a record that makes rows, with its result.

    Its origin: the records of an agent, which also have the results of calls, or a record that is only a call, or a
    record that cannot be read.
    """

    def __init__(
        self, record: SessionRecord, folder: str, origin: Literal["agent", "call", "unread"], text: str = ""
    ) -> None:
        self.origin = origin
        self.line = record.line
        self.end_line = record.end_line
        self.folder = folder
        self.text = text  # the call as JSON
        self.comparison_key = ""  # its name and arguments, to compare it with another call that has the same id
        self.id_of_other = ""  # its id, if a different call has the same id
        self.call_rows = CallRows()  # its rows, if they are known from the start; then it has no text
        self.is_failed: bool | None = None  # None: there is no result
        self.view_text = ""  # the text of its result, if it shows a file

    @property
    def was_run(self) -> bool:
        """Whether a result is recorded that is not a failure."""
        return self.is_failed is False

    def take_result(self, result: SessionResult) -> None:
        """Add a result. A call with several results has failed if one of them says so."""
        self.is_failed = bool(self.is_failed) or result.is_failed
        if re.search(NUMBERED, result.text):
            self.view_text = result.text


class _Session:
    """Collects the calls of the records."""

    def __init__(self, read_answer: Callable[[str, int], ParseResult], most_rows: int) -> None:
        self.read_answer = read_answer
        self.calls: list[_RecordedCall] = []
        self.root = ""  # the first folder that a record names
        self.is_recorded = False  # it has records that an agent wrote, and not only calls
        self.unread_tags: list[int] = []  # the lines of calls in the middle of a line
        self.unread: dict[str, list[int]] = {}  # by reason: the lines of unreadable records that show no edit
        self._most_rows = most_rows
        self._model_texts: list[SessionRecord] = []  # records with what the model wrote besides calls as their text
        self._answers: list[str] = []  # for each of these, the text of the next message that answers it
        self._folder = ""
        self._broken = 0  # the number of unreadable records that became rows
        self._by_id: dict[str, _RecordedCall] = {}  # the last call with each id
        self._by_name: dict[str, deque[_RecordedCall]] = {}  # by tool: the calls without an id and a result

    def take(self, record: SessionRecord) -> None:
        if record.value is None or record.is_large:
            self._take_unread(record)
            return
        entry = entry_of(record.value)
        if entry is None:
            if may_hold_calls(record.text):
                self.calls.append(_RecordedCall(record, self._folder, "call", record.text))
            return
        self.is_recorded = self.is_recorded or bool(entry.calls or entry.results)
        self._folder = entry.folder or self._folder
        self.root = self.root or self._folder
        self._take_texts(record, entry)
        for call in entry.calls:
            self._take_call(record, call)
        for result in entry.results:
            recorded_call = self._by_id.get(result.id)
            if result.is_by_name and self._by_name.get(result.id):
                recorded_call = self._by_name[result.id].popleft()
            if recorded_call is not None:
                recorded_call.take_result(result)

    def _take_unread(self, record: SessionRecord) -> None:
        """Take a record that is not JSON, or too large. It becomes a row if it looks like an edit."""
        if self._broken > self._most_rows:
            return  # there are too many rows already
        first = record.line
        last = record.end_line
        reason = "cannot be read"
        call_rows = CallRows()
        if not record.is_large:
            call_rows = read_json(record.text, Where(first, last, self.read_answer, may_be_cut=record.is_last))
        else:
            reason = f"cannot be read, because it is over the limit of {RECORD_BYTES // 1024**2} MiB"
            if looks_like_edit(record.text):
                problem = Problem(0, first, last, ReasonCode.TOO_LARGE, f"line {first} {reason}", "remove its call")
                call_rows = CallRows((problem,))
        if call_rows.rows:
            self._broken += 1
            unread_record = _RecordedCall(record, self._folder, "unread")
            unread_record.call_rows = call_rows
            self.calls.append(unread_record)
        else:
            self.unread.setdefault(reason, []).append(first)

    def _take_texts(self, record: SessionRecord, entry: Entry) -> None:
        """Keep the text of a model, and the text of the next message that answers it."""
        if entry.model_text.strip(BLANK):
            self._model_texts.append(record._replace(text=entry.model_text, value=None))
            self._answers.append("")
        if entry.user_text and self._answers and not self._answers[-1]:
            self._answers[-1] = entry.user_text

    def _take_call(self, record: SessionRecord, call: SessionCall) -> None:
        """Keep a call, unless it is a repetition, as in a resumed session."""
        recorded_call = _RecordedCall(record, self._folder, "agent", json.dumps(call.value))
        recorded_call.comparison_key = _comparison_key(call.value)
        earlier_call = self._by_id.get(call.id)
        if earlier_call is not None and earlier_call.comparison_key == recorded_call.comparison_key:
            recorded_call = earlier_call
        else:
            self.calls.append(recorded_call)
            if not call.id:
                self._by_name.setdefault(call.name, deque()).append(recorded_call)
            else:
                self._by_id[call.id] = recorded_call
            if earlier_call is not None:
                recorded_call.id_of_other = call.id
        if call.result is not None:
            recorded_call.take_result(call.result)

    def read_texts(self, *, has_tags: bool) -> Note | None:
        """Read the texts of the model: take calls in tags if `has_tags`, and return a note about other blocks."""
        blocks = 0
        fences = 0
        first = None
        for record, answer in zip(self._model_texts, self._answers, strict=True):
            result = self.read_answer(record.text, record.line)
            rows = result.in_order
            tag_lines = set[int]()
            if has_tags:
                rows, tag_lines = self._take_tags(record, ClineResults(answer), rows)
                self.unread_tags += [record.line for note in result.notes if note.code == UNREAD_CALL]
            other_fences = [fence for fence in _fences(record.text) if tag_lines.isdisjoint(fence)]
            if (rows or other_fences) and first is None:
                first = record.line
            blocks += len(rows)
            fences += len(other_fences)
        if first is None:
            return None
        counts = join_words([plural(count, noun) for count, noun in ((blocks, "block"), (fences, "fence")) if count])
        verb = "was" if blocks + fences == 1 else "were"
        return Note("transcript-text", f"{counts} in the text between the calls {verb} not read", first)

    def _take_tags(
        self, record: SessionRecord, results: ClineResults, rows: Sequence[ParsedRow]
    ) -> tuple[list[ParsedRow], set[int]]:
        """Take the calls in tags from the rows of a text; return the other rows, and the lines of the tags."""
        other_rows = list[ParsedRow]()
        names = _tags(record.text.split("\n"))
        tags = list(names)
        calls: dict[range, list[ParsedRow]] = {}
        for row in rows:
            line = row.line_number - record.line
            place = bisect_right(tags, line, key=lambda tag: tag.start) - 1
            if place >= 0 and line in tags[place]:
                calls.setdefault(tags[place], []).append(row)
            else:
                other_rows.append(row)
        for tag, own in calls.items():
            recorded_call = _RecordedCall(record, self._folder, "agent")
            recorded_call.is_failed = results.take(names[tag])
            recorded_call.call_rows = CallRows(tuple(_with_was_run(row, was_run=recorded_call.was_run) for row in own))
            self.calls.append(recorded_call)
        return other_rows, {tag.start for tag in calls}


def _fences(text: str) -> Iterator[range]:
    """Yield the lines inside each fence. A fence that is not closed ends with the text."""
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if re.match(_FENCE, line)]
    for start, stop in zip_longest(marks[::2], marks[1::2], fillvalue=len(lines)):
        yield range(start + 1, stop)


def _comparison_key(value: Mapping[str, Any]) -> str:
    """The name and the arguments of a call as JSON. Its other keys may differ when the call is repeated."""
    inner = value.get("function") or value.get("functionCall") or value
    arguments = next((inner[key] for key in INPUT_KEYS if inner.get(key)), None)
    if arguments is None:
        return json.dumps(value)
    if isinstance(arguments, str):
        arguments = decode(arguments) or arguments
    return json.dumps([inner.get("name"), arguments])


def _tags(lines: Sequence[str]) -> dict[range, str]:
    """The names of the tags that have a line of their own, by their lines, without those inside another.

    The lines of a tag include its closing tag. Without a closing tag, it has only its own line.
    """
    closings: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if "</" in line:
            closings.setdefault(line.rstrip(BLANK), []).append(number)
    tags: dict[range, str] = {}
    stop = 0
    for start, line in enumerate(lines):
        tag = re.match(_TAG, line)
        if start < stop or tag is None:
            continue
        stop = start + 1
        closing_lines = closings.get(f"{tag[1]}</{tag[2]}>", [])
        below = bisect_left(closing_lines, stop)
        if below < len(closing_lines):
            stop = closing_lines[below] + 1
        tags[range(start, stop)] = tag[2]
    return tags


def _with_was_run(row: ParsedRow, *, was_run: bool) -> ParsedRow:
    if isinstance(row, Problem):
        return row
    call = row.call or ToolCall()
    return row._replace(call=call._replace(was_run=was_run))


def read_session(
    text: str, read_answer: Callable[[str, int], ParseResult], formats: frozenset[str], rows: Rows
) -> ParseResult:
    """Read the calls of a session (`is_session`) that did not fail into `rows`, which must be empty. Raises nothing.

    `read_answer` reads a text of its own, whose first line has the given number. `formats` are the names of the
    enabled formats.
    """
    if is_too_large(text, SESSION_BYTES):
        what = f"the session is over the limit of {SESSION_BYTES // 1024**2} MiB"
        line = rows.first_line
        problem = Problem(1, line, line, ReasonCode.TOO_LARGE, what, "split it at the end of a line")
        return ParseResult(problems=(problem,), is_cut=True)
    session = _Session(read_answer, rows.most)
    for record in records(text, rows.first_line):
        session.take(record)
    has_tags = not session.calls and is_array(text)
    text_note = session.read_texts(has_tags=has_tags)
    reading = _SessionRows(session, formats, rows)
    for call in session.calls:
        reading.take(call)
    notes = (*reading.notes(), *_unread_notes(session.unread), *filter(None, [text_note]))
    suggestions = reading.suggestions.in_order()
    return rows.result()._replace(notes=notes, shell_suggestions=suggestions, session_root=session.root)


class _SessionRows:
    """Makes the rows of the calls, and notes about calls without rows."""

    def __init__(self, session: _Session, formats: frozenset[str], rows: Rows) -> None:
        self.suggestions = ShellCommands()
        self._session = session
        self._formats = formats
        self._rows = rows
        self._notes: list[Note] = []
        self._noted: dict[str, list[tuple[int, str]]] = {code: [] for code in _NOTES_OF_CALLS}  # lines and paths
        self._unread = [*session.unread_tags]
        # By call id: the rows of calls that are not from the records of an agent.
        self._rows_by_id: dict[str, tuple[ParsedRow, ...]] = {}
        self._views: dict[str, _RecordedCall] = {}  # by file: the last call that showed it, until one changes the file
        self._written: set[str] = set()  # the files whose whole text a call wrote
        self._changed: set[str] = set()  # of these, the files that may have changed since

    def take(self, call: _RecordedCall) -> None:
        if self._rows.is_full:
            return
        call_rows = call.call_rows
        if may_hold_calls(call.text):
            call_rows = read_json(call.text, self._where(call))
        if call.origin != "agent":
            self._rows_by_id |= call_rows.rows_by_id
        self._take_view(call, call_rows)
        if call.is_failed and not call.id_of_other:
            self._note("not-run", call_rows, call)
            return
        has_result_elsewhere = call.origin == "call" and self._session.is_recorded
        if call.is_failed is None and (call.origin == "agent" or has_result_elsewhere):
            self._note("result-missing", call_rows, call)
        for command in call_rows.commands:
            self.suggestions.add(call.line, command)
        self._notes += call_rows.notes
        if call.origin == "agent" or not self._session.is_recorded:
            self._unread += [call.line for _ in call_rows.unread]
        for row in call_rows.rows:
            self._add(row, call)

    def _take_view(self, call: _RecordedCall, call_rows: CallRows) -> None:
        """Keep the text of a file that a call showed; forget all such texts if the call may have changed any file.

        Even a failed command may have changed files.
        """
        value = decode(call.text) or {}
        if _only_reads(value):
            if call.view_text and not call.is_failed:
                place = _join_folder(_path_in(_arguments_with_path(value)), call.folder)
                self._views[_normal_path(place)] = call
        elif call_rows.commands or not call_rows.rows or any(isinstance(row, Problem) for row in call_rows.rows):
            self._views.clear()
            self._changed |= self._written

    def _where(self, call: _RecordedCall) -> Where:
        where = Where(call.line, call.end_line, self._session.read_answer)
        where = where._replace(folder=call.folder, session_root=self._session.root, was_run=call.was_run)
        if call.origin != "agent":
            where = where._replace(rows_by_id=self._rows_by_id)
        return where

    def _add(self, row: ParsedRow, call: _RecordedCall) -> None:
        row = row._replace(number=self._rows.next_number, line_number=call.line, end_line=call.end_line)
        row = refuse_unless_enabled(row, self._formats)
        if call.id_of_other and isinstance(row, EditBlock):
            what = f"two calls have the id `{call.id_of_other}`, and they differ"
            row = as_problem(row, Fault(ReasonCode.MALFORMED, what, "give only one of them"))
        if isinstance(row, EditBlock):
            places = [_normal_path(_join_folder(path, _folder_of(row, call))) for path in row.paths]
            if row.call is not None and row.format == INSERT and row.call.line:
                view = _lines_around(self._views.get(places[0]), row.call.line)
                is_changed = any(_may_be_same(each, places[0]) for each in self._changed)
                row = row._replace(call=row.call._replace(view=view, is_changed=is_changed))
            if row.creates_file:
                self._written.add(places[0])
                self._changed = {each for each in self._changed if not _may_be_same(each, places[0])}
            for place in places:
                self._views = {key: each for key, each in self._views.items() if not _may_be_same(key, place)}
        elif row.file_path:
            row = row._replace(file_path=_join_folder(row.file_path, call.folder))
        self._rows.add(row)

    def _note(self, code: str, call_rows: CallRows, call: _RecordedCall) -> None:
        """Keep the files of a call for a note, each once, relative to the session's root; "" for an unknown file."""
        paths = list(dict.fromkeys(_join_folder(row.file_path or "", _folder_of(row, call)) for row in call_rows.rows))
        if not paths and any(note.code == code for note in call_rows.notes):  # its rows were dropped
            paths = [""]
        below = ""
        if self._session.root:
            below = f"{self._session.root}/".replace("\\", "/")
        self._noted[code] += [(call.line, path.removeprefix(below)) for path in paths]

    def notes(self) -> Iterator[Note]:
        """Yield the notes of the calls, and one each about calls that failed, have no result, or were not read."""
        yield from self._notes[:MOST_NOTES]
        for code, calls in self._noted.items():
            count = len({line for line, _ in calls})
            what, many = _NOTES_OF_CALLS[code]
            if count > 1:
                what = many.format(count)
            if calls:
                yield Note(code, f"{what}: {_list_calls(calls)}", calls[0][0])
        yield from unread_calls(self._unread)


def _folder_of(row: ParsedRow, call: _RecordedCall) -> str:
    """The folder that the relative paths of a row start from."""
    if isinstance(row, Problem) or row.call is None:
        return call.folder
    return row.call.folder or call.folder


def _join_folder(path: str, folder: str) -> str:
    """A path joined to its folder, unless it is absolute."""
    path = path.replace("\\", "/").removeprefix("./")
    if not path or not folder or re.match(r"/|~|[A-Za-z]:/", path):
        return path
    return f"{folder}/{path}".replace("\\", "/")


def _normal_path(place: str) -> str:
    """A path in normal form, to compare it with others: the case of a drive letter does not matter."""
    place = normpath(place)
    if place[1:2] == ":":
        place = place[0].lower() + place[1:]
    return place


def _may_be_same(path: str, other: str) -> bool:
    """Whether two paths may name the same file: one may be absolute, and the other relative to an unknown folder."""
    return f"/{path}".endswith(f"/{other}") or f"/{other}".endswith(f"/{path}")


def _list_calls(calls: Sequence[tuple[int, str]]) -> str:
    """The calls as text: `cart.py at line 3, cart.py at line 7`."""
    named = [f"{path or 'a call'} at line {line}" for line, path in calls[:_MOST_NAMED]]
    if len(calls) > _MOST_NAMED:
        named.append(f"and {len(calls) - _MOST_NAMED:,} more")
    return ", ".join(named)


def _unread_notes(unread: Mapping[str, Sequence[int]]) -> Iterator[Note]:
    """Yield a note for each reason why records were not read."""
    for reason, lines in unread.items():
        what = f"line {lines[0]} {reason}"
        if len(lines) > _MOST_NAMED:
            what = f"{len(lines):,} lines, the first of them line {lines[0]}, {reason}"
        elif len(lines) > 1:
            what = f"lines {join_words([str(line) for line in lines])} {reason}"
        yield Note("transcript-cut", f"{what}; the other lines were read", lines[0])


def _lines_around(call: _RecordedCall | None, line: int) -> tuple[str, ...]:
    """Return line `line` (1-based) and the next one, from a call whose result shows the lines of a file with numbers.

    Only the first one if the file ends there; nothing if the result does not show them. Some tools also number the
    end of the file after the last line break, so a blank last line of a result is ignored.
    """
    if call is None:
        return ()
    numbered_lines: dict[int, str] = {}
    signs = set[str]()
    for match in re.finditer(NUMBERED, call.view_text):
        number = int(match[1])
        if numbered_lines and number - 1 not in numbered_lines:
            break  # text that only looks like a numbered line
        numbered_lines[number] = match[3]
        signs.add(match[2])
    if signs <= {":", "|"} and all(each.startswith(" ") for each in numbered_lines.values() if each):
        numbered_lines = {number: each[1:] for number, each in numbered_lines.items()}
    if numbered_lines and not numbered_lines[max(numbered_lines)].strip():
        del numbered_lines[max(numbered_lines)]
    if line not in numbered_lines:
        return ()
    if line + 1 in numbered_lines:
        return numbered_lines[line], numbered_lines[line + 1]
    if 1 in numbered_lines and _arguments_with_path(call.text).keys() <= _WHOLE_VIEW_KEYS:
        return (numbered_lines[line],)
    return ()


def _only_reads(call: Mapping[str, Any]) -> bool:
    """Whether a call is of a tool that changes no file, or is the `view` command of an editor."""
    while isinstance(inner := call.get("functionCall") or call.get("function"), dict):
        call = inner
    name = call.get("name")
    if isinstance(name, str) and name.rpartition("__")[2].lower().replace("_", "") in _READING_TOOLS:
        return True
    values = [call, *(call.get(key) for key in INPUT_KEYS)]
    values = [decode(each) if isinstance(each, str) else each for each in values]
    return any(isinstance(each, dict) and each.get("command") == "view" for each in values)


def _path_in(values: Mapping[str, Any]) -> str:
    """The path among the arguments of a call; "" if there is none."""
    return next((values[key] for key in values if key in PATH_KEYS and isinstance(values[key], str)), "")


def _arguments_with_path(value: object) -> Mapping[str, Any]:
    """The arguments of a call, at whatever depth they have a path; empty if there is no path."""
    if isinstance(value, str):
        value = decode(value)
    if not isinstance(value, dict):
        return {}
    if _path_in(value):
        return value
    inner = (_arguments_with_path(value[key]) for key in _ARGUMENTS if key in value)
    return next(filter(None, inner), {})
