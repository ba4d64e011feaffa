"""JSON is read strictly: its values, where its objects stand, and its first fault."""

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_responses import FLAT, growth

from editblocks.formats.json_scan import (
    DEEPEST,
    MOST_VALUES,
    JsonFault,
    JsonObject,
    Number,
    OpenJson,
    looks_like_edit,
    scan_json,
)

DIGITS = "9" * 1_000_000


def plain(value: object) -> object:
    """A value as `json` gives it, numbers as texts."""
    if isinstance(value, JsonObject):
        return {key: plain(each) for key, each in value.values.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, Number):
        return value.text
    return value


def fault_of(text: str) -> JsonFault | None:
    _, fault = scan_json(text)
    return fault


VALUES: dict[str, tuple[str, list[object]]] = {
    "nothing": ("", []),
    "white space": (" \t\r\n", []),
    "an object": ('{"a": [1, -2.5e+3, true, false, null, "x"]}', [{"a": ["1", "-2.5e+3", True, False, None, "x"]}]),
    "empty ones": ("{ } [ ]", [{}, []]),
    "one after the other": ('{"a":1}\n{"b":2}\r\n3 "x"', [{"a": "1"}, {"b": "2"}, "3", "x"]),
    "without white space": ('{"a":1}{"b":2}', [{"a": "1"}, {"b": "2"}]),
    "escapes": (r'"\" \\ \/ \b \f \n \r \t \u0041 \ud83d\ude00"', ['" \\ / \b \f \n \r \t A \U0001f600']),
    "a pair of surrogates of which one half is raw": ('"é\u2028"', ["é\u2028"]),
    "a number too large for anything": (DIGITS, [DIGITS]),
    "a number without an end": ("1e999", ["1e999"]),
    "64 levels": ("[" * 64 + "]" * 64, [json.loads("[" * 64 + "]" * 64)]),
    "keys of other languages": ('{"__proto__": 1, "constructor": 2}', [{"__proto__": "1", "constructor": "2"}]),
}


@pytest.mark.parametrize(("text", "expected"), VALUES.values(), ids=VALUES)
def test_values(text: str, expected: list[object]) -> None:
    values, fault = scan_json(text)
    assert ([plain(value) for value in values], fault) == (expected, None)


KEY = "expected a key in double quotes"
CONTROL = "a string holds a line break, a tab or a control character"
ESCAPE = "a string holds an escape that JSON does not know"
FAULTS: dict[str, tuple[str, str]] = {
    "a comment": ('{"a": 1 // x\n}', "expected `,` or `}` at line 1, column 9"),
    "a comment before a value": ("/* x */ 1", "expected a value at line 1, column 1"),
    "a comma at the end of an object": ('{"a": 1,\n}', "expected a key in double quotes at line 2, column 1"),
    "a comma at the end of a list": ("[1,]", "expected a value at line 1, column 4"),
    "single quotes": ("{'a': 1}", "expected a key in double quotes at line 1, column 2"),
    "a value in single quotes": ("['a']", "expected a value at line 1, column 2"),
    "words of Python": ('{"a": True}', "expected a value at line 1, column 7"),
    "no number": ("[NaN]", "expected a value at line 1, column 2"),
    "an infinite number": ("[-Infinity]", "expected a value at line 1, column 2"),
    "a zero in front": ("[01]", "expected `,` or `]` at line 1, column 3"),
    "a plus": ("[+1]", "expected a value at line 1, column 2"),
    "a point without digits": ("[1.]", "expected `,` or `]` at line 1, column 3"),
    "a raw line break": ('\n{"a": "x\ny"}', f"{CONTROL} at line 2, column 9"),
    "a raw tab": ('{"a": "x\ty"}', f"{CONTROL} at line 1, column 9"),
    "a raw zero": ('{"a": "\0"}', f"{CONTROL} at line 1, column 8"),
    "an escape that is none": ('{"a": "x\\q"}', f"{ESCAPE} at line 1, column 9"),
    "an escape that is none, above others": (r'["\q\n\\"]', f"{ESCAPE} at line 1, column 3"),
    "an escape that is none, below others": (r'["\n\\\q\\"]', f"{ESCAPE} at line 1, column 7"),
    "an escape of three digits": (r'{"a": "\u12"}', f"{ESCAPE} at line 1, column 8"),
    "an escape without digits, and another": (r'{"a": "\u\n"}', f"{ESCAPE} at line 1, column 8"),
    "an escape that is none, at the end": ('{"a": "\\x', f"{ESCAPE} at line 1, column 8"),
    "no comma": ('{"a": 1 "b": 2}', "expected `,` or `}` at line 1, column 9"),
    "no colon": ('{"a" 1}', "expected `:` at line 1, column 6"),
    "a comma between values": ('{"a": 1},\n{"b": 2}', "expected a value at line 1, column 9"),
    "another bracket": ("[1}", "expected `,` or `]` at line 1, column 3"),
    "words behind": ("{} and so on", "expected a value at line 1, column 4"),
    "no white space of JSON": ("[\u00a01]", "expected a value instead of U+00A0 at line 1, column 2"),
    "a word behind": ("[nullo]", "expected a value at line 1, column 2"),
}


@pytest.mark.parametrize(("text", "what"), FAULTS.values(), ids=FAULTS)
def test_nothing_is_repaired(text: str, what: str) -> None:
    fault = fault_of(text)
    assert fault is not None
    assert (fault.what, fault.is_cut, fault.is_too_large) == (what, False, False)


CUT = (
    '{"a": [1, {"b": "x\\n\\u00e9"}, true, -1.5], "c": null}',
    '{"a": "\\\\"}',
)


@pytest.mark.parametrize("text", CUT)
def test_what_ends_inside_a_value_is_cut_off(text: str) -> None:
    assert fault_of(text) is None
    for stop in range(1, len(text)):
        fault = fault_of(text[:stop])
        assert fault is not None
        assert fault.is_cut, text[:stop]


def test_nothing_is_nested_deeper_than_64_levels() -> None:
    for text in ("[" * 65 + "]" * 65, '{"a":' * 65, "[" * 100_000):
        fault = fault_of(text)
        assert fault is not None
        assert (fault.what, fault.is_cut, fault.is_too_large) == ("is nested deeper than 64 levels", False, True)


@pytest.mark.parametrize("text", ["[" + "[[]]," * 70 + "1]", "[" + '{"a": {}},' * 70 + "1]"])
def test_values_beside_each_other_are_not_deep(text: str) -> None:
    assert fault_of(text) is None


@pytest.mark.parametrize("beside", ["[]", "{}"])
def test_values_are_as_deep_as_before_beside_others(beside: str) -> None:
    fault = fault_of("[" * 4 + f"{beside}," + "[" * (DEEPEST - 3))
    assert fault is not None
    assert fault.is_too_large


def test_an_object_ends_in_the_line_of_its_bracket() -> None:
    [value], _ = scan_json('{"a": 1\n\n}')
    assert isinstance(value, JsonObject)
    assert (value.line, value.end_line) == (0, 2)


@pytest.mark.parametrize("value", ["1", '""', "{}", "[]", "null", '{"a": 1}'])
@pytest.mark.long
def test_a_text_has_at_most_100_000_values(value: str) -> None:
    count = MOST_VALUES // (1 + value.count(":"))
    assert fault_of(f"{value}\n" * count) is None
    fault = fault_of(f"{value}\n" * (count + 1))
    assert fault is not None
    assert (fault.what, fault.is_cut, fault.is_too_large) == ("holds more than 100,000 values", False, True)


def test_values_before_a_fault_stay() -> None:
    values, fault = scan_json('{"a": 1}\n\n{"old_string": x}', 5)
    assert [plain(value) for value in values] == [{"a": "1"}]
    assert fault is not None
    assert (fault.start_line, fault.looks_like_edit) == (2, True)
    assert fault.what == "expected a value at line 7, column 16"


def test_an_edit_before_the_value_that_does_not_parse_says_nothing_of_it() -> None:
    fault = fault_of('{"old_string": "x"}\n{"a": x}')
    assert fault is not None
    assert not fault.looks_like_edit


def test_objects_know_their_lines() -> None:
    text = '{"a": [\n  {"b": "}{"},\n  {"c":\n    {}\n  }\n]}'
    [value], _ = scan_json(text)
    assert isinstance(value, JsonObject)
    listed = value.values["a"]
    assert isinstance(listed, list)
    inner = [(each.line, each.end_line) for each in listed if isinstance(each, JsonObject)]
    assert (value.line, value.end_line, inner) == (0, 5, [(1, 1), (2, 4)])


FLAWS: dict[str, tuple[str, str, bool]] = {
    "a key twice": ('{"a": 1,\n\n"a": 1}', "key `a` appears twice, at line 1 and line 3", False),
    "a key twice, once escaped": (r'{"a": 1, "\u0061": 2}', "key `a` appears twice, at line 1", False),
    "of an edit": ('{"old_str": "x", "a": 1, "a": 1}', "key `a` appears twice, at line 1", True),
    "half a surrogate": (r'{"a": "\ud800x"}', "a text at line 1 holds U+D800", False),
    "half a surrogate in a list": (r'{"a": ["x", ["\udc00"]]}', "a text at line 1 holds U+DC00", False),
    "a zero": (r'{"a": "x\u0000"}', "a text at line 1 holds U+0000", False),
    "none": ('{"a": {"a": 1}, "b": {"a": 1}}', "", False),
    "of an inner object": (r'{"a": {"b": 1, "b": 2}, "c": {"d": "\u0000"}}', "", False),
    "of an outer object": (
        r'{"a": 1, "b": {"c": "x"}, "a": 2}',
        "key `a` appears twice, at line 1",
        False,
    ),
}


@pytest.mark.parametrize(("text", "flaw", "shows"), FLAWS.values(), ids=FLAWS)
def test_what_parses_and_is_worthless_as_a_call(text: str, flaw: str, shows: bool) -> None:
    [value], fault = scan_json(text)
    assert isinstance(value, JsonObject)
    assert (value.duplicate_key or value.bad_text, value.looks_like_edit, fault) == (flaw, shows, None)


SHOWS = {
    '{"old_string": x': True,
    "{'new_str' : 1": True,
    "{newText: 1": False,
    '{old_str: "x"': False,
    "the old_str: x": False,
    '{"content": 1': False,
    '\\"old_string\\": 1': True,
    '"old_string"\n: 1': True,
    'of "old_string" and "new_string"': False,
    "*** Begin Patch": True,
    '{"file_path": "a", "content": "x': True,
    '{"path": "a", "content": "x': False,
    '{"toolUseResult": {"filePath": "a", "content": "x': False,
    '{"path": "a", "insert_text": "x': True,
    '{"insert_text": "x': False,
    '{"path": "a", "command": "create", "fi': True,
    '{"path": "a", "command": "view", "x': False,
    '{"name": "Write", "input": {"path": "a", "con': True,
    '{"name": "mcp__x__delete_file", "input": {"path": "a",}': True,
    '{"name": "Write", "path": "a", x': False,
    '{"name": "Read", "input": {"path": "a",}': False,
    '{"name": "edit_file", "parameters": {"path": {"type": "string"},}': False,
    '\\"name\\": \\"Edit\\", \\"input\\": {\\"path\\": \\"a\\", x': True,
}


@pytest.mark.parametrize(("text", "expected"), SHOWS.items(), ids=SHOWS)
def test_keys_show_an_edit(text: str, expected: bool) -> None:
    assert looks_like_edit(text) is expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def as_texts(value: object) -> object:
    if isinstance(value, dict):
        return {key: as_texts(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_texts(each) for each in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value


@given(st.lists(JSON, max_size=3), st.sampled_from([None, 1]), st.booleans())
def test_what_json_writes_is_read(values: list[object], indent: int | None, is_ascii: bool) -> None:
    text = "\n".join(json.dumps(each, indent=indent, ensure_ascii=is_ascii) for each in values)
    read, fault = scan_json(text)
    assert fault is None
    assert [plain(value) for value in read] == [as_texts(each) for each in values]


PIECES = st.sampled_from(['"', "{", "}", "[", "]", ",", ":", "\\", "\\u", "1", "-", "true", "\n", " ", "a", "é", '"a"'])


@given(st.lists(PIECES, max_size=12))
def test_it_takes_what_json_takes(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        expected = [json.loads(text)]
    except ValueError:
        expected = []
    values, fault = scan_json(text)
    is_one = fault is None and len(values) == 1
    assert is_one is bool(expected)


HOSTILE: dict[str, Callable[[int], str]] = {
    "braces": lambda size: "{" * size,
    "brackets, one value each": lambda size: "[]" * size,
    "a string without an end": lambda size: '{"old_string": "' + "x" * size * 10,
    "escapes in a string without an end": lambda size: '{"old_string": "' + "\\n" * size * 5,
    "keys": lambda size: json.dumps({f"k{number}": number for number in range(size)}),
    "keys that stand twice": lambda size: "{" + ",".join(['"a": 1'] * size) + "}",
    "lines": lambda size: "[\n" + "1,\n" * size,
    "digits": lambda size: "1" * size * 10,
    "texts that no file can hold": lambda size: json.dumps(["\0"] * size),
    "flawed objects": lambda size: '[{"a":1,"a":1},' * 60 + '{"a":1,"a":1},' * size,
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.long(after=1)
def test_hostile_text_takes_calls_in_proportion(make: Callable[[int], str]) -> None:
    def work(size: int) -> Callable[[], object]:
        text = make(size)
        return lambda: scan_json(text)

    assert growth(work, 2_048) <= FLAT


class Open(NamedTuple):
    """A text, where its JSON begins, the first line not looked at, what it is then, its last column, and its text."""

    text: str
    start: int
    next: int
    is_now: str
    column: int
    inside: str | None


OPEN: dict[str, Open] = {
    "an object": Open('{\n "a": [1, 2]\n}\nx\n', 0, 3, "over whole", 1, '{\n "a": [1, 2]\n}'),
    "behind it is more": Open("{} x\n", 0, 1, "over", 2, "{}"),
    "behind it are blanks": Open("{} \t\n", 0, 1, "over whole", 2, "{}"),
    "behind it is a form feed": Open("{}\x0c\n", 0, 1, "over", 2, "{}"),
    "behind it is an X": Open("{}X\n", 0, 1, "over", 2, "{}"),
    "indented": Open("x\n  {\n}\n", 1, 3, "over whole", 1, "  {\n}"),
    "a list": Open("[1,\n2]\n", 0, 2, "over whole", 2, "[1,\n2]"),
    "a bracket in a string": Open('{"}": "{\\""}\n', 0, 1, "over whole", 12, '{"}": "{\\""}'),
    "no string end": Open('{"a\nb"}\n', 0, 1, "over torn", 0, '{"a'),
    "no string end, then a blank line": Open('{"a\n \t\nb"}\n', 0, 2, "over torn", 0, '{"a\n \t'),
    "no string end, then a form feed": Open('{"a\n\x0c\nb"}\n', 0, 1, "over torn", 0, '{"a'),
    "no string end, then an X": Open('{"a\nX\nb"}\n', 0, 1, "over torn", 0, '{"a'),
    "no string end at the end": Open('{"a\n', 0, 1, "torn", 0, '{"a'),
    "a fault before a text": Open("{a}\n", 0, 1, "over", 0, "{a}"),
    "a fault behind a text": Open('{"a": b\n  c\n}\nx\n', 0, 3, "over faulty", 0, '{"a": b\n  c\n}'),
    "a fault in the second line": Open("{\nb\n c\n}\nx\n", 0, 4, "over faulty", 0, "{\nb\n c\n}"),
    "a fault, then a word": Open("{\nb\nc\n}\n", 0, 2, "over faulty", 0, "{\nb"),
    "a fault, then a tab": Open("{\nb\n\tc\n]\n", 0, 4, "over faulty", 0, "{\nb\n\tc\n]"),
    "a fault, then a no-break space": Open("{\nb\n\u00a0c\n}\n", 0, 4, "over faulty", 0, "{\nb\n\u00a0c\n}"),
    "a fault, then a string": Open('{\nb\n"c\n', 0, 3, "faulty", 0, '{\nb\n"c'),
    "nothing": Open("", 0, 0, "", 0, None),
    "a bracket too many": Open("}\n", 0, 1, "over whole", 1, "}"),
    "numbers and words": Open("[true, false, null, -1.5e+3]\n", 0, 1, "over whole", 28, "[true, false, null, -1.5e+3]"),
    "a tab in a string": Open('["a\tb"]\n', 0, 1, "torn", 0, '["a\tb"]'),
    "a backslash at the end of a line": Open('["a\\\n"]\n', 0, 1, "over torn", 0, '["a\\'),
}


def looked_at(text: str, start: int = 0) -> tuple[OpenJson, list[str]]:
    lines = text.split("\n")
    found = OpenJson(start)
    found.advance(lines, len(lines) - 1)
    return found, lines


def words(found: OpenJson) -> str:
    flags = {"over": found.is_over, "faulty": found.is_faulty, "whole": found.is_whole, "torn": found.ends_in_string}
    return " ".join(word for word, is_so in flags.items() if is_so)


@pytest.mark.parametrize("case", OPEN.values(), ids=OPEN)
def test_json_that_goes_on_over_lines(case: Open) -> None:
    found, lines = looked_at(case.text, case.start)
    assert (found.next, words(found), found.column) == (case.next, case.is_now, case.column)
    if case.inside is not None:
        assert found.text_in(lines) == case.inside


def test_json_is_looked_at_a_few_lines_at_a_time() -> None:
    lines = ["{", '"a": [', "1]", "}", "{"]
    found = OpenJson(0)
    for stop, is_over in ((1, False), (2, False), (3, False), (5, True)):
        found.advance(lines, stop)
        assert (found.next, found.is_over) == (min(stop, 4), is_over)
    found.advance(lines, 5)
    assert found.next == 4


@pytest.mark.parametrize(("depth", "now"), [(DEEPEST, ""), (DEEPEST + 1, "over")])
def test_open_json_has_a_depth(depth: int, now: str) -> None:
    found, _ = looked_at("[" * depth + "\n")
    assert words(found) == now


@pytest.mark.parametrize("text", ["[" + "1, " * 300 + "1]", '["' + "a\\n" * 300 + '"]'])
def test_long_lines_of_json_are_taken_piece_by_piece(text: str) -> None:
    found, _ = looked_at(f"{text}\n")
    assert (words(found), found.column) == ("over whole", len(text))


# a text, its first line, what it is within, and what is said of it
WITHIN: dict[str, tuple[str, int, str, str]] = {
    "a fault": ('\n{"a": x}', 5, " of the call", "expected a value at line 6, column 7 of the call"),
    "a key twice": ('{"a": 1,\n"a": 1}', 5, " of the call", "key `a` appears twice, at line 5 and line 6 of the call"),
    "a text that no file holds": ('\n"\\u0000\\ud800"', 5, " of the call", ""),
    "an object with such a text": (
        '\n{"a": "\\u0000"}',
        5,
        " of the call",
        "a text at line 6 of the call holds U+0000",
    ),
    "two such texts": ('{"a": "\\ud800",\n"b": "\\u0000"}', 1, "", "a text at line 1 holds U+D800"),
    "one before an object": ('{"a": "\\ud800", "b": {}}', 1, "", "a text at line 1 holds U+D800"),
    "a no-break space": ('{\n\u00a0"a": 1}', 1, "", f"{KEY} instead of U+00A0 at line 2, column 1"),
    "a form feed": ("{\x0c}", 1, "", f"{KEY} at line 1, column 2"),
    "a string without an end": ('["a', 2, "", "a string has no end at line 2, column 2"),
}


@pytest.mark.parametrize(("text", "first_line", "within", "what"), WITHIN.values(), ids=WITHIN)
def test_what_is_said_of_a_text_within_another(text: str, first_line: int, within: str, what: str) -> None:
    values, fault = scan_json(text, first_line, within)
    if fault is not None:
        assert fault.what == what
        return
    [value] = values
    said = ""
    if isinstance(value, JsonObject):
        said = value.duplicate_key or value.bad_text
    assert said == what
