"""Recognize the session of a coding agent, and split it into records: JSON Lines, or one array of messages.

A session is always a whole text, so no part of it is read as an answer before the end of the text.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from json import JSONDecoder

SESSION_BYTES = 64 * 1024 * 1024
RECORD_BYTES = 16 * 1024 * 1024
BLANK = " \t\r\n"
_LONGEST_NUMBER = 9  # digits of a line number or a count
_BEGINNING = r"[^ \t\r\n,]"  # of an element
_OPENINGS = ('{"', "{}", "[{")  # how an object or an array of objects begins


class SessionRecord(NamedTuple):
    """One record of a session. Lines are 1-based."""

    text: str
    line: int
    end_line: int
    value: Mapping[str, Any] | None  # None: it is not an object, or has a duplicate key
    is_last: bool = False
    is_broken: bool = False  # it is not JSON, and more lines follow it

    @property
    def is_large(self) -> bool:
        """Whether it is larger than a record may be."""
        return is_too_large(self.text, RECORD_BYTES)


def is_session(text: str) -> bool:
    """Whether a text is a session: JSON Lines of at least two lines, or an array with a record.

    An array may be cut off in its last line. If it breaks before, the lines below may have edits, or results of calls.
    """
    start = _first_sign(text)
    if text.startswith("[", start):
        return has_records(text) and not any(record.is_broken for record in records(text))
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
    """Whether a session has records that an agent wrote, and not only calls."""
    from editblocks.parsing.transcripts import entry_of  # imported late: most answers are not a session

    return any(record.value is not None and entry_of(record.value) is not None for record in records(text))


def is_array(text: str) -> bool:
    return text.startswith("[", _first_sign(text))


def is_too_large(text: str, limit: int) -> bool:
    """Whether a text has more than `limit` bytes in UTF-8."""
    return len(text) > limit // 4 and len(text.encode("utf-8", "surrogatepass")) > limit


class SessionDetector:
    """Keeps the pieces of a text that begins like a session, because only its end tells whether it is one."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._start = ""  # its first two characters, without blanks

    def take(self, chunk: str) -> str:
        """Take the next piece; return the text that is now known to belong to an answer."""
        self._pieces.append(chunk)
        if len(self._start) < 2:
            signs = "".join((self._start, *chunk.split(maxsplit=2)))
            self._start = signs.removeprefix("\ufeff")[:2]
        if any(opening.startswith(self._start) for opening in _OPENINGS):
            return ""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text

    def end(self) -> tuple[str, bool]:
        """Return the text that was held back, and whether it is a session."""
        text = "".join(self._pieces)
        return text, is_session(text)


def records(text: str, first_line: int = 1) -> Iterator[SessionRecord]:
    """Yield the records of a session; `first_line` is the number of its first line."""
    start = _first_sign(text)
    if text.startswith("[", start):
        yield from _elements(text, start, first_line)
        return
    end_of_text = len(text.rstrip(BLANK))
    for offset, begin, end in _lines(text, start):
        line = text[begin:end].rstrip(BLANK)
        number = first_line + offset
        is_last = end >= end_of_text
        yield SessionRecord(line, number, number, decode(line), is_last)


def _first_sign(text: str) -> int:
    """The start of the text after a byte order mark and white space."""
    return len(text) - len(text.removeprefix("\ufeff").lstrip(BLANK))


def _lines(text: str, start: int) -> Iterator[tuple[int, int, int]]:
    """Yield the lines that are not blank: 0-based number, start and end."""
    number = text.count("\n", 0, start)
    while start < len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        if text[start:end].strip(BLANK):
            yield number, start, end
        number += 1
        start = end + 1


def _elements(text: str, start: int, first_line: int) -> Iterator[SessionRecord]:
    """Yield the elements of an array, with or without commas. An element that is not JSON ends with the text."""
    decoder = _decoder()
    line = first_line + text.count("\n", 0, start)
    at = start + 1
    beginning = re.compile(_BEGINNING)
    while True:
        match = beginning.search(text, at)
        begin = len(text) if match is None else match.start()
        line += text.count("\n", at, begin)
        if text.startswith("]", begin) and not text[begin + 1 :].strip(BLANK):
            return
        try:
            value, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError) as error:
            rest = text[begin:]
            is_broken = "\n" in text[getattr(error, "pos", begin) :].rstrip(BLANK)
            yield SessionRecord(rest, line, line + rest.count("\n"), None, True, is_broken)
            return
        end_line = line + text.count("\n", begin, at)
        if not isinstance(value, dict):
            value = None
        yield SessionRecord(text[begin:at], line, end_line, value)
        line = end_line


def decode(text: str) -> Mapping[str, Any] | None:
    """The JSON object in a text; None if the text is not an object, or has a duplicate key."""
    try:
        value, end = _decoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or text[end:].strip(BLANK):
        return None
    return value


def _is_object(line: str) -> bool:
    """Whether a line is a JSON object; duplicate keys are allowed."""
    import json  # imported late: most answers are not a session

    try:
        return isinstance(json.loads(line, parse_int=str), dict)
    except (ValueError, RecursionError):
        return False


def _decoder() -> "JSONDecoder":
    """The decoder of records. It is ten times as fast as the reader of calls, which is only given the calls."""
    from json import JSONDecoder  # imported late: most answers are not a session

    return JSONDecoder(
        object_pairs_hook=_with_single_keys, parse_int=_short, parse_float=str, parse_constant=_refuse_constant
    )


def _with_single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a key appears twice")
    return values


def _short(digits: str) -> int | str:
    """Read a number that may be a count or a line. A longer one stays text, which the reader of calls refuses."""
    if len(digits) > _LONGEST_NUMBER:
        return digits
    return int(digits)


def _refuse_constant(word: str) -> object:
    raise ValueError(f"{word} is not JSON")
