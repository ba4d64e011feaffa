"""Read a response into blocks and problems: a whole text, or a stream. Both use the same reader.

A response that is as a whole the session of an agent, or a JSON document of a linter, has readers of its own, and its
rows are only known at its end. In a document, each diagnostic or fix is a row. Inside other text, such JSON has no
effect (docs/reference/formats/linters.md).

To add a format, write a `Grammar` in a module of `formats` (copy `edit_v3.py` for fixed markers, `CLINE` in
`search_replace.py` for markers of several lengths) and add it to `GRAMMARS`; `tests/formats/test_new_format.py` shows
one, and `formats/__init__.py` lists what else it may need. Rules and reasons: docs/reference/rules.md.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from editblocks.core.blocks import EditBlock, Event, Note, ParsedRow, ParseResult, Problem, ThreadLines
from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Part
from editblocks.core.phrases import plural
from editblocks.core.settings import CEILINGS
from editblocks.formats.edit_v2 import EDIT_V2
from editblocks.formats.edit_v3 import EDIT_V3
from editblocks.formats.grammar import CUT_OFF, Fault, Format, Grammar, Unmarked, not_enabled
from editblocks.formats.hunks import UNIFIED, V4A
from editblocks.formats.json_scan import JsonFault, JsonObject, scan_json
from editblocks.formats.linter_fixes import RDJSON, SARIF, diagnostics_of, read_fixes
from editblocks.formats.roo import ROO
from editblocks.formats.scanner import Scanner
from editblocks.formats.search_replace import CLINE, SEARCH_REPLACE
from editblocks.formats.tool_calls import TOOL_CALLS
from editblocks.formats.whole_file import BOLT_FILE, NEW_FILE, WHOLE_FILE
from editblocks.parsing.fences import SUGGESTION
from editblocks.parsing.reader import Reader
from editblocks.parsing.rows import Rows
from editblocks.parsing.session_records import SessionDetector, has_records, is_session

# Of formats with the same opener, the first has no header below it. editblocks.schema.json has the same order.
GRAMMARS: tuple[Grammar, ...] = (SEARCH_REPLACE, CLINE, ROO, EDIT_V2, EDIT_V3, NEW_FILE, BOLT_FILE)
FORMATS: tuple[Format, ...] = (*GRAMMARS, V4A, UNIFIED, SUGGESTION, WHOLE_FILE, TOOL_CALLS, RDJSON, SARIF)
MOST_ROWS = CEILINGS["max_blocks"]
FORMAT_NAMES: tuple[str, ...] = tuple(name for each in FORMATS for name in each.names)
OF_TOOLS = frozenset({*RDJSON.names, *SARIF.names})  # the names of the formats of linters
_KEYS_OF_TOOLS = r'"(?:runs|diagnostics|location)"'
# Patterns of edits in a document that cannot be parsed.
_FIX_PATTERNS = {SARIF: r'"(?:artifactChanges|deletedRegion)"[ \t\r\n]*:', RDJSON: r'"suggestions"[ \t\r\n]*:'}
_FINDINGS = {RDJSON: "diagnostic", SARIF: "result"}


@lru_cache(maxsize=8)
def _scanner_with(others: tuple[Grammar, ...]) -> Scanner:
    return Scanner((*FORMATS, *others))


def scanner_of(formats: Sequence[Format]) -> Scanner:
    """Return a scanner for `FORMATS` and all other grammars in `formats`."""
    return _scanner_with(tuple(each for each in formats if isinstance(each, Grammar) and each not in GRAMMARS))


def formats_named(names: Iterable[str]) -> tuple[Format, ...]:
    """The formats with these names, which are from `FORMAT_NAMES`. Some formats have several names."""
    wanted = set(names)
    return tuple(grammar for grammar in FORMATS if wanted.intersection(grammar.names))


def parse_response(
    text: str,
    formats: Sequence[Format] = FORMATS,
    context_path: str | None = None,
    first_line: int = 1,
    most_rows: int = MOST_ROWS,
    *,
    thread_lines: ThreadLines | None = None,
) -> ParseResult:
    """Read every block of `text`, which may be the session of an agent. Raises nothing on any input.

    Openers of formats that are not in `formats` become problems. `context_path` is the file of the review thread, for
    blocks that name no file; `thread_lines` are its lines, which a `suggestion` fence replaces. `first_line` is the
    number of the text's first line, for a text whose front matter was removed. Reading ends after `most_rows` blocks
    and problems; if there are more, the last row is a problem that says so.
    """
    parser = StreamParser(formats, context_path, first_line, most_rows, thread_lines=thread_lines).without_events()
    parser.feed(text)
    return parser.close()


def parse_parts(parts: Sequence[Part], formats: Sequence[Format] = FORMATS, most_rows: int = MOST_ROWS) -> ParseResult:
    """Read several texts as one response, as if they were joined with blank lines between them.

    No block crosses from one part to the next. Blocks and lines are numbered across all parts. The first commit that a
    part names as `base` is the base of all.
    """
    whole = _join_parts(parts, formats, most_rows)
    rows: tuple[ParsedRow, ...] = (*whole.blocks, *whole.problems)
    whole_files = [row for row in rows if row.format in WHOLE_FILE.names]
    if WHOLE_FILE in formats and 0 < len(whole_files) < len(rows):  # one part shows whole files, and another has blocks
        return _join_parts(parts, [each for each in formats if each is not WHOLE_FILE], most_rows)
    return whole


def _join_parts(parts: Sequence[Part], formats: Sequence[Format], most_rows: int) -> ParseResult:
    whole = ParseResult()
    first_line = 1
    for each in parts:
        if whole.is_cut:
            break
        before = len(whole.blocks) + len(whole.problems)
        rows_left = most_rows - before
        if is_session(each.text) and has_records(each.text):
            part = _refused_session(each.text, first_line)
        else:
            part = parse_response(
                each.text, formats, each.context_path, first_line, rows_left, thread_lines=each.thread_lines
            )
        whole = ParseResult(
            blocks=(*whole.blocks, *(block._replace(number=block.number + before) for block in part.blocks)),
            problems=(*whole.problems, *(row._replace(number=row.number + before) for row in part.problems)),
            notes=(*whole.notes, *part.notes),
            shell_suggestions=(*whole.shell_suggestions, *part.shell_suggestions),
            base=whole.base or part.base,
            unbalanced="; ".join(filter(None, (whole.unbalanced, part.unbalanced))),
            is_cut=part.is_cut,
        )
        first_line += each.text.count("\n") + 2
    return whole


def _refused_session(text: str, first_line: int) -> ParseResult:
    """The result for a session in a comment: one problem."""
    last = first_line + text.count("\n")
    what = "the recorded session of an agent is not read in a comment"
    advice = "check it on the command line, or ask only for the changes"
    return ParseResult(problems=(Problem(1, first_line, last, ReasonCode.UNSUPPORTED_FORMAT, what, advice),))


class StreamParser:
    """Reads a response as it arrives: `feed` any number of times, then `close` once.

    A text that begins with a JSON object, or a list of them, may be a session, and has no events until it is over.
    The arguments are those of `parse_response`.
    """

    def __init__(
        self,
        formats: Sequence[Format] = FORMATS,
        context_path: str | None = None,
        first_line: int = 1,
        most_rows: int = MOST_ROWS,
        *,
        thread_lines: ThreadLines | None = None,
    ) -> None:
        thread = Part(0, "", context_path, thread_lines)
        self._reader = Reader(scanner_of(formats), formats, thread, first_line, most_rows)
        self._reader.rows.events = []
        self._session = SessionDetector()
        self._rest: list[str] = []  # pieces of a line that has not ended
        self._prose: list[str] | None = []  # whole lines, as long as all of them are prose
        self._is_closed = False
        self.closing_events: tuple[Event, ...] = ()  # the events of `close`

    def without_events(self) -> "StreamParser":
        """Record no events from now on, so that `feed` returns none. Returns the parser."""
        self._reader.rows.events = None
        return self

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text, which may end anywhere. Return events: blocks that began, grew or ended.

        Raises `ValueError` after `close`.
        """
        if self._is_closed:
            raise ValueError("the parser is closed; make a new one")
        self._take(self._session.take(chunk))
        return self._events()

    def _take(self, chunk: str) -> None:
        stop = chunk.rfind("\n") + 1
        if stop:
            self._take_lines("".join((*self._rest, chunk[:stop])))
            self._rest = []
        if stop < len(chunk):
            self._rest.append(chunk[stop:])

    def close(self) -> ParseResult:
        """End the text, cut off what is still open, and return the result."""
        self._is_closed = True
        reader = self._reader
        text, is_whole_session = self._session.end()
        if is_whole_session and not is_of_diagnostics(text):
            from editblocks.parsing.sessions import read_session  # most answers are not a session

            names = frozenset(name for each in reader.enabled_formats for name in each.names)
            rows = Rows([], reader.scanner, reader.first_line, reader.most_rows, "session")
            return self._close_with(read_session(text, self._read_answer, names, rows))
        self._take(text)
        if self._rest:
            self._take_lines("".join((*self._rest, "\n")))
        prose = "".join(self._prose or ()).removeprefix("\ufeff")
        document = _read_document(prose or "\n".join(reader.lines), reader)
        if document is not None:
            return self._close_with(document)
        if reader.fence_edits.may_show(prose):
            reader.take_lines(prose)
        reader.end()
        self.closing_events = tuple(self._events())
        return reader.result()

    def _close_with(self, result: ParseResult) -> ParseResult:
        """Return the result of a session or of a tool's document, whose rows are only known at the end of the text."""
        self._reader.lines.clear()
        rows = self._reader.rows
        if rows.events is not None:
            rows.events = []
            for row in result.in_order:
                if isinstance(row, EditBlock):
                    rows.emit_start(row)
                rows.emit(row)
            self.closing_events = tuple(self._events())
        return result

    def _read_answer(self, text: str, first_line: int) -> ParseResult:
        """Read a text inside a session. It is not itself read as a session."""
        parser = StreamParser(self._reader.enabled_formats, None, first_line, self._reader.most_rows).without_events()
        parser._take(text)
        return parser.close()

    def _take_lines(self, lines: str) -> None:
        """Pass whole lines to the reader. Hold prose back until other lines follow: it may be needed above a block."""
        if self._prose is not None:
            self._prose.append(lines)
            if self._reader.scanner.is_prose(lines):
                return
            lines = "".join(self._prose)
            self._prose = None
        self._reader.take_lines(lines)

    def _events(self) -> list[Event]:
        events = self._reader.rows.events
        if events is None:
            return []
        self._reader.rows.events = []
        return events


def is_of_diagnostics(text: str) -> bool:
    """Whether a text of JSON Lines begins with a diagnostic, so that it is not the session of an agent."""
    first = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
    if re.search(_KEYS_OF_TOOLS, first) is None:
        return False
    values, _ = scan_json(first)
    return diagnostics_of(values) is not None


def _read_document(text: str, reader: Reader) -> ParseResult | None:
    """Read the document of a linter, for `reader`; None if the text is not such a document."""
    start = text.lstrip("\ufeff \t\r\n")
    if not start.startswith("{") or re.search(_KEYS_OF_TOOLS, text) is None:
        return None
    values, json_fault = scan_json(text.removeprefix("\ufeff").rstrip(), reader.first_line)
    document = read_fixes(values)
    if document is None and json_fault is not None and not values:
        document = _unreadable_document(text)
    if document is None:
        return None
    form, count, fixes = document
    name = form.names[0]
    objects = (value for value in values if isinstance(value, JsonObject))
    duplicate_key = next((each.duplicate_key for each in objects if each.duplicate_key), "")
    rows = Rows([], reader.scanner, reader.first_line, reader.most_rows)
    line_number = reader.first_line
    fault = None
    if form not in reader.enabled_formats:
        fault = not_enabled(f"a document in `{name}`", line_number)
    elif duplicate_key:
        fault = Fault(ReasonCode.MALFORMED, duplicate_key, "ask the tool for valid JSON")
    else:
        for row in fixes:
            line = row.line_number + reader.first_line
            end_line = row.end_line + reader.first_line
            rows.add(row._replace(number=rows.next_number, line_number=line, end_line=end_line))
        if json_fault is not None:
            line_number += json_fault.start_line
            fault = _fault_of_json(json_fault)
    if fault is not None:
        rows.add(Problem(rows.next_number, line_number, line_number, *fault, None, name, needs_person=True))
    if rows.items:
        return rows.result()
    what = f"the {name} document holds no {_FINDINGS[form]}"
    if count:
        what = f"the {name} document holds {plural(count, _FINDINGS[form])} but no fix"
    return ParseResult(notes=(Note("no-fixes", what),))


def _unreadable_document(text: str) -> tuple[Unmarked, int, Iterator[ParsedRow]] | None:
    """The format of a document that cannot be parsed, if it shows edits."""
    for form, pattern in _FIX_PATTERNS.items():
        if re.search(pattern, text) is not None:
            return form, 0, iter(())
    return None


def _fault_of_json(fault: JsonFault) -> Fault:
    if fault.is_cut:
        return Fault(ReasonCode.UNCLOSED, "the JSON has no end", CUT_OFF)
    if fault.is_too_large:
        return Fault(ReasonCode.TOO_LARGE, f"the JSON {fault.what}", "ask the tool for less at once")
    return Fault(ReasonCode.MALFORMED, f"this is not JSON: {fault.what}", "ask the tool for it again")
