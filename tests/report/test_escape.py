"""What is shown of foreign text: a row for each thing that must not become active."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks.report import escape

SPANS = (
    ("src/app.py", "`src/app.py`"),
    ("", "` `"),
    ("   ", "`   `"),
    (" edge ", "`  edge  `"),
    ("a`b", "``a`b``"),
    ("`", "`` ` ``"),
    ("``a", "``` ``a ```"),
    ("a|b", "`a|b`"),
    ("@octocat #1 <b>", "`@octocat #1 <b>`"),
    ("a\u202eb", "`aU+202Eb`"),
    ("a\r\nb", "`a␍␊b`"),
    ("a\tb\x1b[0m", "`aU+0009bU+001B[0m`"),
    ("caf\u00e9 \u65e5\u672c", "`caf\u00e9 \u65e5\u672c`"),
    ("\udc80", "`U+DC80`"),
    ("a\u2800\u3164\ufe0f\ufffe\U000e0041", "`aU+2800U+3164U+FE0FU+FFFEU+E0041`"),
    ("x" * 70 + "y" * 70, "`" + "x" * 59 + "…" + "y" * 60 + "`"),
)


@pytest.mark.parametrize(("text", "expected"), SPANS)
def test_code_span(text: str, expected: str) -> None:
    assert escape.code_span(text) == expected


CELLS = (
    ("a|b", r"`a\|b`"),
    (r"a\|b", r"`a\U+007Cb`"),
    (r"a\\|b", r"`a\\U+007Cb`"),
    (r"a\||b", r"`a\U+007C\|b`"),
    ("a\\", "`a\\`"),
)


@pytest.mark.parametrize(("text", "expected"), CELLS)
def test_code_span_in_a_table(text: str, expected: str) -> None:
    assert escape.code_span(text, cell=True) == expected


SENTENCES = (
    ("line 2 of the block differs, at column 22", "line 2 of the block differs, at column 22"),
    ("lines 12, 48 and 90 of src/api.py; add a line", "lines 12, 48 and 90 of `src/api.py`; add a line"),
    ("no `>>>>>>> REPLACE` before the end (line 58)", "no `>>>>>>> REPLACE` before the end (line 58)"),
    ("changed since a1b2c3d, the base", "changed since `a1b2c3d`, the base"),
    ("a commit such as deadbeef or 1234567", "a commit such as `deadbeef` or `1234567`"),
    ("ask @octocat about #1, GH-12 and acme/shop#3", "ask `@octocat` about `#1`, `GH-12` and `acme/shop#3`"),
    ("see https://example.com, www.example.com", "see `https://example.com`, `www.example.com`"),
    ("<img src=x> ![a](b) [c](d)", "`<img` `src=x>` `![a](b`) `[c](d`)"),
    ("*e* _f_ ~~g~~ :tada:", "`*e*` `_f_` `~~g~~` `:tada`:"),
    ("mail me@example.com", "mail `me@example.com`"),
    ("U+202E at 4-7, 91 % or 91% alike, it's no-match", "U+202E at 4-7, 91 % or 91% alike, it's no-match"),
    ("bots' blocks, the bots', deadbee' and effaced's", "bots' blocks, the bots', `deadbee'` and `effaced's`"),
    ("a bot's' 'word' bots''", "a bot's' `'word'` `bots''`"),
    ("write SEARCH/REPLACE blocks (SEARCH/REPLACE).", "write SEARCH/REPLACE blocks (SEARCH/REPLACE)."),
    ("SEARCH/REPLACE#1 SEARCH/REPLACE@a SEARCH/OTHER", "`SEARCH/REPLACE#1` `SEARCH/REPLACE@a` `SEARCH/OTHER`"),
    ("a\u00a0b a\u2028b \u202e", "`aU+00A0b` `aU+2028b` `U+202E`"),
    ("two\nlines\r\n# and more", "two lines `#` and more"),
    ("o`d`d fo@o`bar`b@z `x`y", "``o`d`d`` ``fo@o`bar`b@z`` `` `x`y ``"),
    ("quoted lines (`> `) are, ` > `: too", "quoted lines (` >  `) are, `  >  `: too"),
    ("a ` ` @b `", "a `` ` `` `  @b  `"),
    ("`open", "`` `open ``"),
    ("()", "(`)`"),
    ("1. one, 2. two", "`1.` one, 2. two"),
    ("1)", "`1)`"),
    ('the text says "rest of @x": write it out', 'the text says "rest of `@x`": write it out'),
    ("\\@octocat &#64;octocat", "`\\@octocat` `&#64;octocat`"),
    ("", ""),
)  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_text(text: str, expected: str) -> None:
    assert escape.text(text) == expected


def test_a_pipe_in_a_sentence_does_not_split_a_cell() -> None:
    assert escape.text("run a|b and `c | d`", cell=True) == r"run `a\|b` and `c \| d`"


FENCES = (
    ("a\nb\n", "```text\na\nb\n```"),
    ("a ``` b", "````text\na ``` b\n````"),
    ("a\r\nb\rc\n", "```text\na\nb␍c\n```"),
    ("\ta\u202e", "```text\n\taU+202E\n```"),
    ("", "```text\n\n```"),
)


@pytest.mark.parametrize(("text", "expected"), FENCES)
def test_fence(text: str, expected: str) -> None:
    assert escape.fence(text) == expected


def test_a_fence_is_cut_at_a_line_end_and_says_so() -> None:
    shown = escape.fence("".join(f"line {number}\n" for number in range(40)), "diff", limit=63)
    assert shown == "```diff\n" + "".join(f"line {number}\n" for number in range(9)) + "… 31 more lines\n```"
    assert "… 1 more line\n" in escape.fence("aaa\nbbb\n", limit=4)


def test_the_first_line_of_a_fence_stays_but_is_cut_in_the_middle() -> None:
    assert len(escape.fence("x" * 10_000, limit=10)) < 600


def test_a_whole_fence_keeps_every_byte() -> None:
    assert escape.fence("a\r\n\u202e\n", limit=None) == "```text\na\r\n\u202e\n```"


@pytest.mark.parametrize(("text", "survives"), [("a\n\tb \u00e9\n", True), ("a\r\n", False), ("\u202e", False)])
def test_survives_copying(text: str, survives: bool) -> None:
    assert escape.survives_copying(text) is survives


PATHS = (
    ("src/app.py", "src/app.py"),
    ("a b", "a%20b"),
    ("a%2e/#?b", "a%252e/%23%3Fb"),
    ("\u00e9", "%C3%A9"),
    ("\u0663", "%D9%A3"),
    (")](x", "%29%5D%28x"),
    ("\udcff\udcfe.py", "%FF%FE.py"),
    ("\udc80\ud800", "%ED%B2%80%ED%A0%80"),
    ("~a_b-c.d", "~a_b-c.d"),
)


@pytest.mark.parametrize(("path", "expected"), PATHS)
def test_url_path(path: str, expected: str) -> None:
    assert escape.url_path(path) == expected


VISIBLE = (
    ("a \u00e9", "a \u00e9"),
    ("\x1b[31m", r"\x1b[31m"),
    ("a\rb\nc\td", r"a\rb\nc\td"),
    ("\u202e\u200b", r"\u202e\u200b"),
    ("\x9b1m", r"\x9b1m"),
    ("\udc80", r"\udc80"),
)


@pytest.mark.parametrize(("text", "expected"), VISIBLE)
def test_visible(text: str, expected: str) -> None:
    assert escape.visible(text) == expected


LOG_LINES = (
    ("plain", "plain"),
    ("::error::x", r":\x3aerror:\x3ax"),
    (":::::", r":\x3a:\x3a:"),
    ("a ##[group]b", r"a #\x23[group]b"),
    ("###[x", r"##\x23[x"),
    ("a\r::set-env\u2028::x", r"a\r:\x3aset-env\u2028:\x3ax"),
    ("\u00e9\U0001f600", r"\xe9\U0001f600"),
    ("x" * 200, "x" * 200),
    ("x" * 300, f"{'x' * 197}..."),
    ("a " + "x" * 300, f"a {'x' * 195}..."),
)


@pytest.mark.parametrize(("text", "expected"), LOG_LINES)
def test_log_line(text: str, expected: str) -> None:
    assert escape.log_line(text) == expected


def test_workflow_command_parts() -> None:
    assert escape.workflow_data("50 %\r\na:b,c\x1b") == r"50 %25%0D%0Aa:b,c\x1b"
    assert escape.workflow_property("a:b,c%\n") == "a%3Ab%2Cc%25%0A"


@given(st.text())
def test_any_text_is_one_closed_code_span(text: str) -> None:
    span = escape.code_span(text, cell=True)
    ticks = re.match("`+", span)
    assert ticks is not None
    assert span.endswith(ticks[0])
    assert re.findall("`+", span).count(ticks[0]) == 2
    assert re.search(r"(?<!\\)\|", span) is None
    assert all(char >= " " for char in span)


@given(st.text(alphabet="ab1 `@#:/.(-\\|<&;,\n\u202e"))
def test_only_plain_words_of_a_sentence_stand_outside_code(text: str) -> None:
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", escape.text(text))
    assert re.search(r"[@#<&`|/\\\n\u202e]|\w[:.]\w", outside) is None


@given(st.lists(st.text(st.characters(exclude_categories=()))))
def test_no_command_hides_anything(words: list[str]) -> None:
    line = escape.shell_line(words)
    assert escape.visible(line) == line


@given(st.text())
def test_s11_no_log_line_is_a_command(text: str) -> None:
    line = escape.log_line(text)
    assert "::" not in line
    assert "##[" not in line
    assert all(" " <= char <= "~" for char in line)
