"""A session of a coding agent as one answer: the calls that were made are its blocks, and those that failed are none.

A session is a whole text: JSON Lines, a record a line, or one array of messages. First the records are taken one after
the other, and their calls are kept with what came of each; only at the end is known which of them failed. Then those
that remain are read in their order. Rules: docs/reference/formats.md, "sessions".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import noun_for, plural
from editblocks.formats.call_reader import read_json
from editblocks.formats.json_scan import shows_edit
from editblocks.formats.tool_calls import INSERT, PATH_KEYS, CallRows, Where
from editblocks.parsing.shell_suggestions import Suggestions
from editblocks.parsing.transcripts import Call, ClineResults, Entry, Result, entry_of

if TYPE_CHECKING:
    from json import JSONDecoder

SESSION_BYTES = 64 * 1024 * 1024
RECORD_BYTES = 16 * 1024 * 1024
_LONGEST_NUMBER = 9  # digits; a longer one is no line and no count
_NAMED = 10  # calls that a note names
_BLANK = " \t\r\n"
_TAG = r"([ \t]*)<([A-Za-z_][\w-]*)>[ \t]*$"
_ARRAY = r"\[[ \t]*(?:\{.*)?"  # the first line of an array of objects
_IN_ARRAY = ' \t{}[]",-0123456789tfn'  # what later lines of an array begin with
_NUMBERED = r"(?m)^[ \t]*([0-9]{1,9})[ \t]*(\t|→|:|\|)(.*)$"  # a line of a file as a result shows it
_FENCE = r"(?m)^[ \t]*(?:`{3,}|~{3,})"

_ARGUMENTS = (
    "input",
    "arguments",
    "args",
    "params",
    "parameters",
    "tool_input",
    "toolInput",
    "function",
    "functionCall",
)

_Row = EditBlock | Problem
ReadAnswer = Callable[[str, int], ParseResult]  # reads a text by itself; the number is that of its first line


class _Record(NamedTuple):
    """One record as it stands in the text. Lines are 0-based."""

    text: str
    line: int
    end_line: int
    value: Mapping[str, Any] | None  # None: it cannot be read
    is_last: bool = False
    is_large: bool = False


def is_session(text: str) -> bool:
    """Whether a text is a session: JSON Lines of at least two lines, or one array of messages."""
    start = _first_sign(text)
    if text.startswith("[", start):
        first = next(_elements(text, start), None)
        return first is not None and first.value is not None and isinstance(first.value.get("role"), str)
    if not text.startswith("{", start):
        return False
    lines = _lines(text, start)
    _, begin, end = next(lines)
    is_several = False
    for _, at, _ in lines:
        if not text.startswith("{", at):
            return False
        is_several = True
    return is_several and _is_object(text[begin:end])


def has_records(text: str) -> bool:
    """Whether a session holds more than calls: what somebody recorded of them."""
    return any(record.value is not None and entry_of(record.value) is not None for record in _records(text))


class SessionToCome:
    """The pieces of a text, as long as the whole may be a session: until that is known, none of it is an answer."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._line: list[str] = []  # of these, the line that has not ended
        self._opener = ""  # the bracket that it begins with
        self._is_begun = False  # the first line has ended
        self._is_answer = False

    def take(self, chunk: str) -> str:
        """Take the next piece; return what is now known to be of an answer."""
        if self._is_answer:
            return chunk
        self._pieces.append(chunk)
        self._line.append(chunk)
        if not self._opener:
            text = "".join(self._pieces)
            start = _first_sign(text)
            self._opener = text[start : start + 1]
            self._line = [text[start:]]
        if self._opener and "\n" in self._line[-1]:
            *lines, rest = "".join(self._line).split("\n")
            self._line = [rest]
            self._is_answer = not all(map(self._may_hold, lines))
        if self._opener not in ("", "{", "["):
            self._is_answer = True
        if not self._is_answer:
            return ""
        return "".join(self._pieces)

    def _may_hold(self, line: str) -> bool:
        """Whether the next line may be one of a session."""
        if not line.strip(_BLANK):
            return True
        if self._is_begun:
            return line.startswith("{") or (self._opener == "[" and line[0] in _IN_ARRAY)
        self._is_begun = True
        if self._opener == "{":
            return _is_object(line)
        return re.fullmatch(_ARRAY, line.rstrip(_BLANK)) is not None

    def end(self) -> tuple[str, bool]:
        """The text is over: what is left of it, and whether that is a session."""
        if self._is_answer:
            return "", False
        text = "".join(self._pieces)
        return text, is_session(text)


def _first_sign(text: str) -> int:
    """Where the text begins, behind a byte order mark and blank lines."""
    start = 0
    if text.startswith("\ufeff"):
        start = 1
    while text.startswith(tuple(_BLANK), start):
        start += 1
    return start


def _lines(text: str, start: int) -> Iterator[tuple[int, int, int]]:
    """The lines that are not blank: their number from 0 on, where they begin, and where they end."""
    number = text.count("\n", 0, start)
    while start < len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        if text[start:end].strip(_BLANK):
            yield number, start, end
        number += 1
        start = end + 1


def _records(text: str) -> Iterator[_Record]:
    """The records of a session."""
    start = _first_sign(text)
    if text.startswith("[", start):
        yield from _elements(text, start)
        return
    end_of_text = len(text.rstrip(_BLANK))
    for number, begin, end in _lines(text, start):
        line = text[begin:end].rstrip(_BLANK)
        value = None
        is_large = _is_large(line)
        if not is_large:
            value = _decode(line)
        yield _Record(line, number, number, value, end >= end_of_text, is_large)


def _elements(text: str, start: int) -> Iterator[_Record]:
    """The elements of an array, up to the first that is no JSON object; that one goes on to the end of the text."""
    decoder = _decoder()
    line = text.count("\n", 0, start)
    at = start + 1
    while True:
        begin = at
        while text.startswith((*_BLANK, ","), begin):
            begin += 1
        line += text.count("\n", at, begin)
        if text.startswith("]", begin) and not text[begin + 1 :].strip(_BLANK):
            return
        try:
            value, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            yield _Record(text[begin:], line, line + text.count("\n", begin), None, is_last=True)
            return
        end_line = line + text.count("\n", begin, at)
        element = text[begin:at]
        is_large = _is_large(element)
        if not isinstance(value, dict) or is_large:
            value = None
        yield _Record(element, line, end_line, value, is_large=is_large)
        line = end_line


def _is_large(text: str) -> bool:
    return len(text) > RECORD_BYTES // 4 and len(text.encode("utf-8", "surrogatepass")) > RECORD_BYTES


def _decode(text: str) -> Mapping[str, Any] | None:
    """The object in a text; None if it is none, or has a key twice."""
    try:
        value, end = _decoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or text[end:].strip(_BLANK):
        return None
    return value


def _is_object(line: str) -> bool:
    """Whether a line is a JSON object, be it one with a key twice."""
    import json  # most answers are no session

    try:
        return isinstance(json.loads(line, parse_int=str), dict)
    except (ValueError, RecursionError):
        return False


def _decoder() -> JSONDecoder:
    """What reads a record: faster than the reader of calls, which gets each call as it was here."""
    from json import JSONDecoder  # most answers are no session

    return JSONDecoder(
        object_pairs_hook=_with_single_keys, parse_int=_short, parse_float=str, parse_constant=_refuse_constant
    )


def _with_single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a key stands twice")
    return values


def _short(digits: str) -> int | str:
    """A number as far as it may be a count or a line; a longer one stays text, which is no number to the reader."""
    if len(digits) > _LONGEST_NUMBER:
        return digits
    return int(digits)


def _refuse_constant(word: str) -> object:
    raise ValueError(f"{word} is no JSON")


class _Made:
    """A call, with what came of it."""

    def __init__(self, record: _Record, folder: str, value: Mapping[str, Any] | None = None) -> None:
        self.value = value
        self.line = record.line
        self.end_line = record.end_line
        self.folder = folder
        self.found: CallRows | None = None  # its rows, where they are known from the start
        self.is_recorded = True  # a result is to be expected
        self.is_failed: bool | None = None  # None: no result says so
        self.result = ""  # its text, if that shows a file

    def take_result(self, result: Result) -> None:
        """Several may be recorded of one call, which has failed if one of them says so."""
        self.is_failed = result.is_failed or self.is_failed is True
        if re.search(_NUMBERED, result.text):
            self.result = result.text


class _Said(NamedTuple):
    """What a model wrote besides calls, and the text of the message behind it."""

    record: _Record
    text: str
    answer: str


class _Session:
    """The calls of the records so far."""

    def __init__(self, first_line: int, read_answer: ReadAnswer) -> None:
        self.made: list[_Made] = []
        self.said: list[_Said] = []
        self.root = ""  # the first folder that is named
        self.unread: list[int] = []  # lines that are no record and show no edit
        self.first_line = first_line
        self.read_answer = read_answer
        self._folder = ""
        self._by_id: dict[str, _Made] = {}
        self._by_name: dict[str, list[_Made]] = {}  # without an id, and without a result

    def take(self, record: _Record) -> None:
        """Take the next record."""
        if record.value is None:
            self._take_unread(record)
            return
        entry = entry_of(record.value)
        if entry is None:
            plain = _Made(record, self._folder, record.value)
            plain.is_recorded = False
            self.made.append(plain)
            return
        self._folder = entry.folder or self._folder
        self.root = self.root or self._folder
        self._take_texts(record, entry)
        for call in entry.calls:
            self._take_call(record, call)
        for result in entry.results:
            made = self._by_id.get(result.id)
            if result.is_by_name and self._by_name.get(result.id):
                made = self._by_name[result.id].pop(0)
            if made is not None:
                made.take_result(result)

    def _take_unread(self, record: _Record) -> None:
        """A record that is no JSON, or too large: a row if it was to edit something."""
        first = record.line + self.first_line
        last = record.end_line + self.first_line
        if record.is_large:
            rows: tuple[EditBlock | Problem, ...] = ()
            if shows_edit(record.text):
                what = f"line {first} is over the limit of {RECORD_BYTES // 1024**2} MiB for a record of a session"
                rows = (Problem(0, first, last, ReasonCode.TOO_LARGE, what, "take its call out of the session"),)
            found = CallRows(rows)
        else:
            found = read_json(record.text, Where(first, last, self.read_answer, may_be_cut=record.is_last))
        if not found.rows:
            self.unread.append(first)
            return
        broken = _Made(record, self._folder)
        broken.is_recorded = False
        broken.found = found
        self.made.append(broken)

    def _take_texts(self, record: _Record, entry: Entry) -> None:
        if entry.model_text.strip(_BLANK):
            self.said.append(_Said(record._replace(text="", value=None), entry.model_text, ""))
        if entry.user_text and self.said and not self.said[-1].answer:
            self.said[-1] = self.said[-1]._replace(answer=entry.user_text)

    def _take_call(self, record: _Record, call: Call) -> None:
        if call.id and call.id in self._by_id:
            return  # it is told again, as where a session is resumed
        made = _Made(record, self._folder, call.value)
        self.made.append(made)
        if call.id:
            self._by_id[call.id] = made
        else:
            self._by_name.setdefault(call.name, []).append(made)

    def read_texts(self, *, has_tags: bool) -> Note | None:
        """What stands in the texts of the model: calls in tags, where those count, and a note about anything else."""
        blocks = 0
        fences = 0
        first = None
        for said in self.said:
            line = said.record.line + self.first_line
            parsed = self.read_answer(said.text, line)
            rows = in_order(parsed)
            if has_tags:
                rows = self._take_tags(said, rows)
            found = (len(re.findall(_FENCE, said.text)) + 1) // 2
            if (rows or found) and first is None:
                first = line
            blocks += len(rows)
            fences += found
        if first is None:
            return None
        parts = [plural(count, noun) for count, noun in ((blocks, "block"), (fences, "fence")) if count]
        what = f"{' and '.join(parts)} in the text between the calls"
        return Note("transcript-text", f"{what} {_was(blocks + fences)} not read", first)

    def _take_tags(self, said: _Said, rows: Sequence[_Row]) -> list[_Row]:
        """Take the calls in the tags of a text; return the rows that are of none."""
        results = ClineResults(said.answer)
        left = list(rows)
        for name, start, stop in _tags(said.text.split("\n")):
            lines = range(start + said.record.line + self.first_line, stop + said.record.line + self.first_line)
            own = tuple(row for row in left if row.line_number in lines)
            if not own:
                continue
            left = [row for row in left if row.line_number not in lines]
            made = _Made(said.record, self._folder)
            made.is_failed = results.take(name)
            made.found = CallRows(tuple(_as_call(row, was_run=made.is_failed is False) for row in own))
            self.made.append(made)
        return left


def in_order(parsed: ParseResult) -> list[_Row]:
    """The rows as they stand in the text."""
    rows: tuple[_Row, ...] = (*parsed.blocks, *parsed.problems)
    return sorted(rows, key=lambda row: row.number)


def _tags(lines: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """The tags that stand alone on their lines, up to the same closing tag: name, first line, line behind the last.

    Of a tag without an end, that is the line behind its own.
    """
    start = 0
    while start < len(lines):
        tag = re.match(_TAG, lines[start])
        stop = start + 1
        if tag is not None:
            closing = f"{tag[1]}</{tag[2]}>"
            stop = next((at + 1 for at in range(stop, len(lines)) if lines[at].rstrip(_BLANK) == closing), stop)
            yield tag[2], start, stop
        start = stop


def _as_call(row: _Row, *, was_run: bool) -> _Row:
    if isinstance(row, Problem):
        return row
    call = row.call or ToolCall()
    return row._replace(call=call._replace(was_run=was_run))


def read_session(text: str, read_answer: ReadAnswer, first_line: int = 1, most_rows: int = 500) -> ParseResult:
    """Read the calls of a session (`is_session`) that did not fail; raises nothing.

    Other rules are those of `parse_response`. `read_answer` reads the text of a model.
    """
    if len(text) > SESSION_BYTES // 4 and len(text.encode("utf-8", "surrogatepass")) > SESSION_BYTES:
        what = f"the session is over the limit of {SESSION_BYTES // 1024**2} MiB"
        problem = Problem(1, first_line, first_line, ReasonCode.TOO_LARGE, what, "split it at the end of a line")
        return ParseResult(problems=(problem,), is_cut=True)
    session = _Session(first_line, read_answer)
    for record in _records(text):
        session.take(record)
    has_tags = not session.made and text.startswith("[", _first_sign(text))
    text_note = session.read_texts(has_tags=has_tags)
    reading = _Reading(session, most_rows)
    for made in session.made:
        reading.take(made)
    notes = (*reading.notes(), *_unread_notes(session.unread), *filter(None, [text_note]))
    rows = reading.rows
    return ParseResult(
        blocks=tuple(row for row in rows if isinstance(row, EditBlock)),
        problems=tuple(row for row in rows if isinstance(row, Problem)),
        notes=notes,
        shell_suggestions=reading.suggestions.in_order(),
        is_cut=reading.is_full,
    )


class _Reading:
    """The rows of the calls so far, and what is to be said of those that make none."""

    def __init__(self, session: _Session, most_rows: int) -> None:
        self.rows: list[_Row] = []
        self.is_full = False
        self.suggestions = Suggestions()
        self._root = session.root
        self._first_line = session.first_line
        self._read_answer = session.read_answer
        self._most = most_rows
        self._notes: list[Note] = []
        self._not_run: list[tuple[int, str]] = []  # lines and paths
        self._without_result: list[tuple[int, str]] = []
        self._views: dict[str, str] = {}  # the last result that shows a file, until a call changes it

    def take(self, made: _Made) -> None:
        """Read the next call."""
        if self.is_full:
            return
        line = made.line + self._first_line
        found = made.found
        if found is None:
            found = read_json(_as_json(made.value), self._where(made))
        if made.is_failed:
            self._not_run += [(line, path) for path in self._paths(found, made)]
            return
        if made.is_failed is None and made.is_recorded and found.rows:
            self._without_result += [(line, path) for path in self._paths(found, made)]
        for command in found.commands:
            self.suggestions.add(line, command)
        self._notes += found.notes
        if made.result and not found.rows:
            self._views[self._place(_path_in(made.value), made)] = made.result
        for row in found.rows:
            self._add(row, made)

    def _where(self, made: _Made) -> Where:
        first = made.line + self._first_line
        last = made.end_line + self._first_line
        was_run = made.is_failed is False
        return Where(first, last, self._read_answer, folder=made.folder, session_root=self._root, was_run=was_run)

    def _add(self, row: _Row, made: _Made) -> None:
        """Number a row and keep it; what is one too many ends the reading."""
        line = made.line + self._first_line
        number = len(self.rows) + 1
        if number > self._most:
            what = f"more than {self._most:,} blocks stand here, so the rest is not read"
            self.rows.append(Problem(number, line, line, ReasonCode.TOO_LARGE, what, "split the session"))
            self.is_full = True
            return
        row = row._replace(number=number, line_number=line, end_line=made.end_line + self._first_line)
        if isinstance(row, EditBlock):
            places = [self._place(path, made) for path in row.paths]
            if row.call is not None and row.format == INSERT and row.call.line:
                view = lines_around(self._views.get(places[0], ""), row.call.line)
                row = row._replace(call=row.call._replace(view=view))
            for place in places:
                self._views.pop(place, None)
        self.rows.append(row)

    def _paths(self, found: CallRows, made: _Made) -> list[str]:
        """The files of a call, each once, as people know them; "" for one that is not known."""
        paths = dict.fromkeys(self._place(row.file_path or "", made) for row in found.rows)
        if self._root:
            below = f"{self._root}/".replace("\\", "/")
            return [path.removeprefix(below) for path in paths]
        return list(paths)

    def _place(self, path: str, made: _Made) -> str:
        """A path with the folder that was in force, as it is compared with others of the session."""
        path = path.replace("\\", "/").removeprefix("./")
        if not path or not made.folder or re.match(r"/|~|[A-Za-z]:/", path):
            return path
        return f"{made.folder}/{path}".replace("\\", "/")

    def notes(self) -> Iterator[Note]:
        """The notes of the calls, and one for each kind of call that is not as it seems."""
        yield from self._notes
        if self._not_run:
            count = len({line for line, _ in self._not_run})
            made = "1 call failed when it was made"
            if count > 1:
                made = f"{count:,} calls failed when they were made"
            yield Note("not-run", f"{made}: {_named(self._not_run)}", self._not_run[0][0])
        if self._without_result:
            count = len({line for line, _ in self._without_result})
            made = "1 call has no result, so it was read as a proposal"
            if count > 1:
                made = f"{count:,} calls have no result, so they were read as proposals"
            yield Note("result-missing", f"{made}: {_named(self._without_result)}", self._without_result[0][0])


def _named(calls: Sequence[tuple[int, str]]) -> str:
    """`cart.py at line 3, cart.py at line 7`."""
    named = [f"{path or 'a call'} at line {line}" for line, path in calls[:_NAMED]]
    if len(calls) > _NAMED:
        named.append(f"and {len(calls) - _NAMED:,} more")
    return ", ".join(named)


def _unread_notes(lines: Sequence[int]) -> Iterator[Note]:
    """One note for the lines that are no record."""
    if lines:
        shown = ", ".join(map(str, lines[:_NAMED]))
        what = f"{noun_for(len(lines), 'line')} {shown} {_is(len(lines))} no JSON"
        if len(lines) > _NAMED:
            what = f"{len(lines):,} lines are no JSON, the first of them {lines[0]}"
        yield Note("transcript-cut", f"{what}; the lines around count", lines[0])


def lines_around(text: str, line: int) -> tuple[str, ...]:
    """The lines on both sides of a place, which is behind `line`, as a result shows them with their numbers.

    That is one line if the file ends there, and none if the result does not show it.
    """
    shown: dict[int, str] = {}
    signs = set[str]()
    for match in re.finditer(_NUMBERED, text):
        number = int(match[1])
        if shown and number - 1 not in shown:
            break  # it is text that looks alike
        shown[number] = match[3]
        signs.add(match[2])
    if signs <= {":", "|"} and all(each.startswith(" ") for each in shown.values() if each):
        shown = {number: each[1:] for number, each in shown.items()}
    return tuple(shown[each] for each in (line, line + 1) if each in shown and line in shown)


def _path_in(value: object) -> str:
    """The path that a call names, wherever its arguments stand."""
    if isinstance(value, str):
        value = _decode(value)
    if not isinstance(value, dict):
        return ""
    path = next((value[key] for key in value if key in PATH_KEYS and isinstance(value[key], str)), "")
    return path or next(filter(None, (_path_in(value[key]) for key in _ARGUMENTS if key in value)), "")


def _as_json(value: object) -> str:
    from json import dumps  # most answers are no session

    return dumps(value)


def _is(count: int) -> str:
    if count == 1:
        return "is"
    return "are"


def _was(count: int) -> str:
    if count == 1:
        return "was"
    return "were"
