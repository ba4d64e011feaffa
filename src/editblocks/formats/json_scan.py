"""Parse strict JSON (RFC 8259), record the lines of objects, and stop at the first fault.

A text may have several values, one after the other. Nothing is repaired, and no number is converted.
`json` gives no line numbers and accepts duplicate keys, `NaN` and any depth, so it is only used to read strings.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from editblocks.core.characters import code_point
from editblocks.formats.markers import indent_of
from editblocks.formats.tool_calls import INPUT_KEYS, MOVED_KEYS, NAME_KEYS, PATH_KEYS

if TYPE_CHECKING:
    from json import JSONDecoder

DEEPEST = 64  # levels of brackets
MOST_VALUES = 100_000  # of one text; each takes about two hundred bytes of memory
_NO_SPACE = r"[^ \t\r\n]"
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_WORD = r"[A-Za-z]+"
_WORDS = {"true": True, "false": False, "null": None}
_BAD_CHARACTER = "[\0\ud800-\udfff]"  # characters that no text file can have
# An unfinished value at the end of a text that was cut off.
_UNFINISHED = r"-|\.|[eE][+-]?|tr?u?|fa?l?s?|nu?l?|\\(?:u[0-9A-Fa-f]{0,4})?"
_SPACE = r"[ \t\r\n]*"


def _key(*keys: str) -> str:
    """A pattern of one of these keys, up to its colon. Inside a string, its quotation marks are escaped."""
    return rf"""["'](?:{"|".join(keys)})\\*["']{_SPACE}:"""


def _text_of(*keys: str) -> str:
    """A pattern of one of these keys and the beginning of a text: in a schema, the value is not a text."""
    return rf"""{_key(*keys)}{_SPACE}\\*["']"""


_EDIT_KEYS = tuple(
    "old_string new_string oldString newString old_str new_str old_text new_text oldText newText file_text code_edit "
    "new_source".split()
)
_PATHS_OF_AGENTS = ("file_path", "filePath", "target_file", "targetFile", "absolute_path", "absolutePath")
_FILE_TOOL = r"(?:create|delete|remove|rename|move)_?(?:new_?)?(?:file|path)"
_TOOL = rf"[\w.:/-]{{0,80}}(?i:edit|write|replace|patch|insert|{_FILE_TOOL})"
_NO_RESULT = r"\A(?![\s\S]*toolUseResult)"
# How to recognize an edit in JSON that does not parse: it matches all patterns of one row.
_EDIT_PATTERNS = (
    # a key that is only used in edits
    (_key(*_EDIT_KEYS),),
    # the same as arguments in Python, as Gemini writes it
    (rf"""[(,]{_SPACE}(?:{"|".join(_EDIT_KEYS)})=["']""",),
    # a patch
    (r"\*\*\* Begin Patch",),
    # lines to insert into a file
    (_text_of("insert_text"), _text_of(*PATH_KEYS)),
    # a whole file, with a path key that agents use; results in recorded sessions have such keys too
    (_NO_RESULT, _text_of("contents?"), _text_of(*_PATHS_OF_AGENTS)),
    # a command of an editor
    (rf"{_text_of('command')}(?:str_replace|create|insert)\b", _text_of(*PATH_KEYS)),
    # a call of a tool whose name says that it changes files
    (_text_of(*NAME_KEYS) + _TOOL, _key(*INPUT_KEYS), _text_of(*PATH_KEYS, *MOVED_KEYS)),
)
# A piece of a line of JSON; the groups are a quotation mark, an opening and a closing bracket. Pieces are short, as
# the regex engine keeps a state for each repetition.
_PIECE = r'(")|([{\[])|([}\]])|(?:[ \t,:]|true|false|null|-?[0-9][0-9.eE+-]*){1,99}'
_CLOSING = ("}", "]")
_LINE_STARTS = ('"', *_CLOSING)  # how lines of JSON begin after a fault, if they are not indented
_IN_STRING = r'(?:[^"\\\x00-\x1f]+|\\.){1,99}'


class Number(NamedTuple):
    """A number, as it is written."""

    text: str


class JsonObject(NamedTuple):
    """An object. Lines are 0-based: those of its opening and its closing bracket."""

    line: int
    end_line: int
    values: dict[str, object]  # texts, numbers, booleans, None, lists and objects
    # Flaws for which a call is refused, although it parses. A duplicate key also invalidates the objects inside.
    duplicate_key: str = ""
    bad_text: str = ""  # one of its own texts has a character that no file can have
    looks_like_edit: bool = False  # the object has such a flaw and looks like an edit


class JsonFault(NamedTuple):
    """Why a value does not parse, and where; the lines are 0-based."""

    what: str  # `expected a value at line 3, column 7`
    is_cut: bool  # the text ends inside the value
    is_too_large: bool  # nested too deep, or too many values
    start_line: int = 0  # of the value
    looks_like_edit: bool = False  # the text from the value on looks like an edit


def looks_like_edit(text: str) -> bool:
    """Whether a text, which may be broken JSON, looks like an edit call."""
    return any(all(re.search(each, text) for each in row) for row in _EDIT_PATTERNS)


def objects_in(value: object) -> list[JsonObject]:
    """The objects in a list; empty if the value is not a list."""
    if not isinstance(value, list):
        return []
    return [each for each in value if isinstance(each, JsonObject)]


def scan_json(text: str, first_line: int = 1, within: str = "") -> tuple[list[object], JsonFault | None]:
    """Read the values of a text up to its first fault, and return that fault. Raises nothing.

    Messages count lines from `first_line`, and end with `within`.
    """
    from json import JSONDecoder  # imported late: most answers have no call

    scan = _Scan(text, first_line, JSONDecoder(strict=True), within)
    values: list[object] = []
    start = scan.skip_space()
    try:
        while start < len(text):
            values.append(scan.read_value())
            start = scan.skip_space()
    except _Stop as stop:
        line = scan.line_of(start)
        return values, stop.fault._replace(start_line=line, looks_like_edit=looks_like_edit(text[start:]))
    return values, None


class _Stop(ValueError):
    """A fault that ends the scan; never raised to callers of this module."""

    def __init__(self, what: str, *, is_cut: bool = False, is_too_large: bool = False) -> None:
        super().__init__(what)
        self.fault = JsonFault(what, is_cut, is_too_large)


class _Scan:
    """One text, read up to `at`."""

    def __init__(self, text: str, first_line: int, strings: "JSONDecoder", within: str) -> None:
        self.text = text
        self._within = within
        self.at = 0
        self._first_line = first_line
        self._strings = strings
        self._breaks = array("Q", (match.start() for match in re.finditer("\n", text)))
        self._no_space = re.compile(_NO_SPACE)
        self._number = re.compile(_NUMBER)
        self._word = re.compile(_WORD)
        self._unfinished = re.compile(_UNFINISHED)
        self._bad_text = ""  # of the object that is being read
        self._depth = 0
        self._count = 0  # of values so far
        self._keys: dict[str, str] = {}  # one string per key, as the objects of a list repeat their keys

    def line_of(self, at: int) -> int:
        """The 0-based line of a character."""
        return bisect_right(self._breaks, at - 1)

    def skip_space(self) -> int:
        """Skip white space; return its end."""
        match = self._no_space.search(self.text, self.at)
        self.at = len(self.text)
        if match is not None:
            self.at = match.start()
        return self.at

    def read_value(self) -> object:
        self._count += 1
        if self._count > MOST_VALUES:
            raise _Stop(f"holds more than {MOST_VALUES:,} values", is_too_large=True)
        sign = self.text[self.at : self.at + 1]
        if sign == "{":
            return self._read_object()
        if sign == "[":
            return self._read_list()
        if sign == '"':
            return self._read_string()
        number = self._number.match(self.text, self.at)
        if number is not None:
            self.at = number.end()
            return Number(number[0])
        word = self._word.match(self.text, self.at)
        if word is not None and word[0] in _WORDS:
            self.at = word.end()
            return _WORDS[word[0]]
        raise self._fault("expected a value", self.at)

    def _read_object(self) -> JsonObject:
        start = self._enter()
        outer_bad_text = self._bad_text
        self._bad_text = ""
        duplicate_key = ""
        values: dict[str, object] = {}
        key_starts: dict[str, int] = {}
        is_first = True
        while not self._takes("}"):
            if not is_first:
                self._expect(",", "`,` or `}`")
            is_first = False
            key_start = self.skip_space()
            if not self.text.startswith('"', key_start):
                raise self._fault("expected a key in double quotes", key_start)
            key = self._read_string()
            key = self._keys.setdefault(key, key)
            if key in values:
                duplicate_key = f"key `{key}` appears twice, at {self._lines_as_text(key_starts[key], key_start)}"
            key_starts[key] = key_start
            self._expect(":", "`:`")
            self.skip_space()
            values[key] = self.read_value()
        bad_text = self._bad_text
        self._bad_text = outer_bad_text
        self._depth -= 1
        is_edit = bool(duplicate_key or bad_text) and looks_like_edit(self.text[start : self.at])
        return JsonObject(self.line_of(start), self.line_of(self.at - 1), values, duplicate_key, bad_text, is_edit)

    def _read_list(self) -> list[object]:
        self._enter()
        values: list[object] = []
        while not self._takes("]"):
            if values:
                self._expect(",", "`,` or `]`")
                self.skip_space()
            values.append(self.read_value())
        self._depth -= 1
        return values

    def _enter(self) -> int:
        """Skip an opening bracket; return its position."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise _Stop(f"is nested deeper than {DEEPEST} levels", is_too_large=True)
        self.at += 1
        return self.at - 1

    def _takes(self, bracket: str) -> bool:
        """Skip white space and the closing bracket, if it is next; return whether it was."""
        at = self.skip_space()
        if not self.text.startswith(bracket, at):
            return False
        self.at = at + 1
        return True

    def _expect(self, sign: str, expected: str) -> None:
        at = self.skip_space()
        if not self.text.startswith(sign, at):
            raise self._fault(f"expected {expected}", at)
        self.at = at + 1

    def _read_string(self) -> str:
        start = self.at
        try:
            value, self.at = self._strings.raw_decode(self.text, start)
        except ValueError as error:
            at = getattr(error, "pos", start)
            if at == start:
                raise self._fault("a string has no end", start, is_cut=True) from None
            if self.text[at] < " ":
                raise self._fault("a string holds a line break, a tab or a control character", at) from None
            at = self.text.rfind("\\", start, at + 1)
            raise self._fault("a string holds an escape that JSON does not know", at) from None
        text = str(value)
        bad = re.search(_BAD_CHARACTER, text)
        if bad is not None and not self._bad_text:
            self._bad_text = f"a text at line {self._line_number(start)}{self._within} holds U+{ord(bad[0]):04X}"
        return text

    def _fault(self, what: str, at: int, *, is_cut: bool = False) -> _Stop:
        line = self.line_of(at)
        column = at + 1
        if line:
            column = at - self._breaks[line - 1]
        sign = self.text[at : at + 1]
        if sign.isspace() and not sign.isascii():  # a no-break space, which nobody can see
            what = f"{what} instead of {code_point(sign)}"
        message = f"{what} at line {line + self._first_line}, column {column}{self._within}"
        is_unfinished = self._unfinished.fullmatch(self.text, at) is not None
        return _Stop(message, is_cut=is_cut or is_unfinished or at >= len(self.text))

    def _lines_as_text(self, first: int, second: int) -> str:
        """Two positions as text: their lines."""
        lines = sorted({self._line_number(first), self._line_number(second)})
        return " and ".join(f"line {line}" for line in lines) + self._within

    def _line_number(self, at: int) -> int:
        return self.line_of(at) + self._first_line


class OpenJson:
    """JSON that may still be incomplete: it begins at line `start` and ends with its last bracket or at a fault.

    After a fault it continues with the lines that look like the rest of the JSON, because they may show an edit.
    """

    is_over = False
    is_faulty = False
    is_whole = False  # it ended with its last bracket, at the end of a line
    column = 0  # of the character after the last bracket, in the last line
    ends_in_string = False  # the last line ends inside a string

    def __init__(self, start: int) -> None:
        self.start = start
        self.next = start
        self._depth = 0
        self._has_text = False
        self._piece = re.compile(_PIECE)
        self._in_string = re.compile(_IN_STRING)

    def text_in(self, lines: Sequence[str]) -> str:
        """The part of these lines that belongs to the JSON so far, up to the last bracket."""
        inside = list(lines[self.start : self.next])
        if self.column:
            inside[-1] = inside[-1][: self.column]
        return "\n".join(inside)

    def advance(self, lines: Sequence[str], stop: int) -> None:
        """Look at the lines before `stop`, up to the end of the JSON."""
        while self.next < stop and not self.is_over:
            line = lines[self.next]
            if self.is_faulty:
                if not line[:1].isspace() and not line.startswith(_LINE_STARTS):
                    self.is_over = True
                    return
                self.is_over = line.startswith(_CLOSING)
            elif self.ends_in_string:  # only blank lines may follow a string that is cut off
                if line.strip(" \t"):
                    self.is_over = True
                    return
            else:
                self._take(line)
            self.next += 1

    def _take(self, line: str) -> None:
        at = 0
        if not self._depth:
            at = len(indent_of(line))
        while at < len(line) and not self.is_over:
            match = self._piece.match(line, at)
            if match is None:
                self.is_faulty = self._has_text or self.next > self.start
                self.is_over = not self.is_faulty
                return
            at = match.end()
            if match[1]:
                self._has_text = True
                at = self._end_of_string(line, at)
                self.ends_in_string = not at
                if self.ends_in_string:
                    return
            self._depth += bool(match[2]) - bool(match[3])
            if self._depth <= 0:
                self.is_over = True
                self.is_whole = not line[at:].strip(" \t")
                self.column = at
            elif self._depth > DEEPEST:
                self.is_over = True

    def _end_of_string(self, line: str, at: int) -> int:
        """The end of the string that contains the character `at`; 0 if it does not end on this line."""
        while (match := self._in_string.match(line, at)) is not None:
            at = match.end()
        if line.startswith('"', at):
            return at + 1
        return 0
