"""YAML from strangers: what is read as what, what is refused and where, and that nothing else can happen."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.callkit import calls

from editblocks.config.yaml_reader import MAX_BYTES, MAX_EVENTS, Value, read_yaml
from editblocks.core.errors import ConfigError

Map = dict[str, Value]


def _read(text: str, name: str, first_line: int = 1) -> dict[str, tuple[int, Value]]:
    return read_yaml(text, name, lambda _, value: value, first_line)


def values_of(text: str) -> Map:
    return {key: value for key, (_, value) in _read(text, "x.yml").items()}


VALUES: tuple[tuple[str, Map], ...] = (
    ("", {}),
    ("# only a comment\n", {}),
    ("---\n", {}),
    ("a: 1\nb: two\n", {"a": 1, "b": "two"}),
    ("a: 1\r\nb: two\r\n", {"a": 1, "b": "two"}),
    ("\ufeffa: 1\n", {"a": 1}),
    ("---\na: 1\n...\n", {"a": 1}),
    ("%YAML 1.2\n---\na: 1\n", {"a": 1}),
    ("a:\n", {"a": ""}),
    ("a: []\n", {"a": []}),
    ("{}", {}),
    ("a:\n- x\n- 2\n- true\n", {"a": ["x", 2, True]}),
    ("{a: [b, 'c'], e: f}\n", {"a": ["b", "c"], "e": "f"}),
    ("a: |\n  b\n  c\n", {"a": "b\nc\n"}),
    ("'a': \"b\\tc\"\n", {"a": "b\tc"}),
    ('"1": 1\n', {"1": 1}),
    ("? a\n: b\n", {"a": "b"}),
    ("{b}\n", {"b": ""}),
)


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_a_text_and_its_value(text: str, value: Map) -> None:
    assert values_of(text) == value


SCALARS: tuple[tuple[str, Value], ...] = (
    ("true", True), ("false", False), ("True", "True"), ("yes", "yes"), ("on", "on"), ("no", "no"), ("'true'", "true"),
    ("null", "null"), ("~", "~"), ("0", 0), ("-1", -1), ("999999999", 999_999_999), ("1000000000", "1000000000"),
    ("-0", "-0"), ("+1", "+1"), ("007", "007"), ("0x1f", "0x1f"), ("1_000", "1_000"), ("1:30", "1:30"), ("1.5", "1.5"),
    ("1e5", "1e5"), (".inf", ".inf"), ('"7"', "7"), ("2026-11-21", "2026-11-21"), ("\u0661", "\u0661"), ("=", "="),
)  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_a_scalar_and_its_value(text: str, value: Value) -> None:
    read = values_of(f"a: {text}\n")
    assert read == {"a": value}
    assert type(read["a"]) is type(value)


def test_lines_of_keys() -> None:
    text = "# first\na: 1\nb:\n  - x\n  -\n    y\n\u2028e: f\r\n"
    assert [line for line, _ in _read(text, "x.yml").values()] == [2, 3, 7]
    assert [line for line, _ in _read(text, "x.yml", 11).values()] == [12, 13, 17]


ANCHORS = "aliases, anchors and tags (`*`, `&`, `!`) are not read; put the value in quotes"
FLATTER = "there is a list or map where a single value belongs; write one value"
REFUSED = (
    ("word", 1, "there is no key; write lines such as `key: value`"),
    ("- a", 1, "there is no key"),
    ("a: {b: c}", 1, FLATTER),
    ("a: 1\nb: [c, [d]]", 2, FLATTER),
    ("a: &x 1", 1, ANCHORS),
    ("&x a: 1", 1, ANCHORS),
    ("a: 1\nb: &x [c]", 2, ANCHORS),
    ("a: *x", 1, ANCHORS),
    ("*x : 1", 1, ANCHORS),
    ("a: !!str 1", 1, ANCHORS),
    ("a: ! 1", 1, ANCHORS),
    ("a: !!python/object/apply:os.system [x]", 1, ANCHORS),
    ("!!map {a: 1}", 1, ANCHORS),
    ("a: 1\n<<: {b: 1}", 2, "the key `<<` is not text; write a word before the colon"),
    ("a: 1\nb: 1\na: 2", 3, "the key `a` is given twice"),
    ("a: 1\n'a': 2", 2, "the key `a` is given twice"),
    ("a\u200bb: 1\na\u200bb: 2", 2, "the key `aU+200Bb` is given twice"),
    (f"{'k' * 99}: 1\n{'k' * 99}: 1", 2, f"the key `{'k' * 60}` is given twice"),
    ("1: a", 1, "the key `1` is not text; write a word before the colon"),
    ("true: a", 1, "the key `true` is not text"),
    ("? [a]\n: b", 1, FLATTER),
    ("{a: b}: c", 1, FLATTER),
    ("a: 1\n---\nb: 2", 2, "a second document begins; keep one"),
    ("a: 1\n...\n---\n", 3, "a second document begins; keep one"),
    ("a: b: c", 1, "this cannot be read as YAML (mapping values are not allowed here)"),
    ("a: 1\n\tb: 2", 2, "this cannot be read as YAML (found character '\\t' that cannot start any token)"),
    ("a: 'b\n\n", 3, "this cannot be read as YAML (found unexpected end of stream)"),
    ("a: [b\n", 2, "this cannot be read as YAML (expected ',' or ']', but got '<stream end>')"),
    ("a: @b", 1, "this cannot be read as YAML (found character '@' that cannot start any token)"),
    ("%YAML 2.0\n---\na: 1", 1, "this cannot be read as YAML"),
    ("a: 1\nb: \x07", 2, "U+0007 does not belong in YAML; remove it"),
    ("a: \ud800", 1, "U+D800 does not belong in YAML"),
    ("a: \"\\ud83d\\ude00\"", 1, "half a character (a lone surrogate) is written as `\\u`"),
    ('a: "\\UFFFFFFFF"', 1, "this cannot be read as YAML (a number here or below is too large)"),
    ('a: "\\U00110000"', 1, "this cannot be read as YAML (a number here or below is too large)"),
    ("\n" + "[" * 20, 2, "there is no key"),
    ("\n".join(" " * n + "a:" for n in range(20)), 2, FLATTER),
    ("- " * 20, 1, "there is no key"),
    ("a:\n" + "- a\n" * MAX_EVENTS, MAX_EVENTS - 3, "there are more than 5,000 keys and values up to here"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "line", "start"), REFUSED)
def test_what_is_refused_and_where(text: str, line: int, start: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _read(text, "x.yml", 3)
    assert caught.value.message.startswith(f"x.yml line {line + 2}: {start}")
    assert "; " in caught.value.message


def test_the_limit_of_bytes() -> None:
    assert _read("#" * MAX_BYTES, "x.yml") == {}
    with pytest.raises(
        ConfigError, match=r"^x.yml line 1: there are 65,538 bytes of YAML, the limit is 65,536; shorten it$"
    ):
        _read("#" * (MAX_BYTES - 2) + "\u2028" + "#", "x.yml")


QUICK = {"maps in maps", "laughs", "escapes", "quotes", "indentation"}
BOMBS = {  # of 64 KiB at most
    "brackets": "[" * MAX_BYTES,
    "braces": "{" * MAX_BYTES,
    "maps in maps": "{a: " * (MAX_BYTES // 4),
    "dashes": "- " * (MAX_BYTES // 2),
    "lists side by side": "[" + "[]," * (MAX_BYTES // 3 - 1),
    "keys": "".join(f"k{number}:\n" for number in range(MAX_BYTES // 8)),
    "question marks": "? " * (MAX_BYTES // 2),
    "laughs": "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a,*a,*a,*a,*a,*a,*a,*a]\n" for n in range(1000)),
    "escapes": 'a: "' + "\\n" * (MAX_BYTES // 2 - 10) + "\\UFFFFFFFF",
    "quotes": "a: '" + "''" * (MAX_BYTES // 2 - 10),
    "line ends": "a: b" + "\n" * (MAX_BYTES - 10) + "@",
    "tag directives": "".join(f"%TAG !a{n}! b\n" for n in range(3600)) + "---\n- @",
    "indentation": "\n".join(" " * n + "a:" for n in range(350)),
}


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in BOMBS]
)
@pytest.mark.long
def test_s16_a_bomb_is_refused_at_little_cost(name: str) -> None:
    _read("a: 1", "warm.yml")  # the parser is loaded once
    assert calls(lambda: _refused(BOMBS[name])) < 20 * MAX_BYTES


def _refused(text: str) -> None:
    with pytest.raises(ConfigError):
        _read(text, "x.yml")


def _value_or_message(text: str) -> Map | ConfigError:
    try:
        return values_of(text)
    except ConfigError as error:
        return error


def _is_sound(value: "Map | Value | ConfigError") -> bool:
    """Whether it is a message with advice, or made of plain values with strings for keys that can be written."""
    if isinstance(value, ConfigError):
        return value.message.startswith("x.yml ") and "; " in value.message
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and all(map(_is_sound, value.values()))
    if isinstance(value, list):
        return all(map(_is_sound, value))
    return isinstance(value, (str, bool, int)) and str(value).encode("utf-8") is not None


PIECES = [
    *"\n\r\t -:?[]{},&*!|>'\"%@`#~<=\\\u0085\u2028\ufeff\0", "a", "7", "- ", ": ", "\n  ", "---\n", "...\n", "<<",
    "\\u", "\\x", "%YAML 1.", "%TAG ! ",
]  # fmt: skip


@given(st.text(st.characters(codec=None, categories=None), max_size=60))
@example("\ud800")
@example(f"%YAML 1.{'9' * 5000}\n---\n")  # too large for some versions of Python
def test_any_text_is_read_or_refused(text: str) -> None:
    assert _is_sound(_value_or_message(text))


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_yaml_like_text_is_read_or_refused(text: str) -> None:
    assert _is_sound(_value_or_message(text))


SCALAR = st.one_of(st.booleans(), st.integers(-999_999_999, 999_999_999), st.text("abc: -#'\"\\\n\u00e9", max_size=8))
PLAIN = st.dictionaries(st.text("abc", min_size=1, max_size=3), SCALAR | st.lists(SCALAR, max_size=3), max_size=3)


@given(PLAIN)
def test_json_is_read_back_as_it_was(value: Map) -> None:
    assert values_of(json.dumps(value)) == value
