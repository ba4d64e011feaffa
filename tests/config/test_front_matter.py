"""What a response says of itself at its start: what is read, what is no front matter, what is refused and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks.config.policy import read_front_matter
from editblocks.core.errors import ConfigTextError
from editblocks.core.outcome import FrontMatter
from editblocks.parsing.parse import FORMAT_NAMES

BASE = "4be1d02"


def front(
    lines: int, base: str | None = None, title: str | None = None, name: str | None = None, author: str | None = None
) -> FrontMatter:
    return FrontMatter(base, title, name, author, 0, lines)


READ = (
    (f"---\nbase: {BASE}\n---\n", front(3, BASE)),
    (f"---\nbase: {BASE}\n...\n", front(3, BASE)),
    (f"---\nbase: {BASE}\n---", front(3, BASE)),
    (f"\ufeff--- \t\nbase: {BASE}\n---  \n", front(3, BASE)),
    (f"---\r\nbase: {BASE}\r\ntitle: Correct totals\r\n---\r\n", front(4, BASE, "Correct totals")),
    (f"---\n\n  \nbase: {BASE}\n\n---\n", front(6, BASE)),
    (f"---\nbase: {'4BE1D02C9F' * 4}\n---\n", front(3, "4be1d02c9f" * 4)),
    ("---\nbase: 1234567\n---\n", front(3, "1234567")),
    ("---\nbase: 0123456\n---\n", front(3, "0123456")),
    ("---\nbase: 1234567890\n---\n", front(3, "1234567890")),
    ("---\nbase: 12345e7\n---\n", front(3, "12345e7")),
    (f"---\nbase: {'a' * 64}\n---\n", front(3, "a" * 64)),
    ("---\n'title': \"Rates: up\" # why\n---\n", front(3, title="Rates: up")),
    ("---\ntitle: '42'\n---\n", front(3, title="42")),
    ("---\ntitle: >\n  Correct\n  totals\nformat: diff\n---\n", front(6, title=None, name="diff")),
    ("---\nformat: edit-v2\nauthor: Mona \u00e9 @ #1\n---\n", front(4, name="edit-v2", author="Mona \u00e9 @")),
    (f"---\nauthor: {'x' * 100}\n---\n", front(3, author="x" * 100)),
    ("---\nbase:\ntitle: ''\nformat:\nauthor: ''\n---\n", front(6)),
)  # fmt: skip


@pytest.mark.parametrize("body", ["", "\n", "a.py\n<<<<<<< SEARCH\n", "---\nbase: x\n---\n"])
@pytest.mark.parametrize(("text", "expected"), READ)
def test_what_is_read(text: str, expected: FrontMatter, body: str) -> None:
    if not text.endswith("\n") and body:
        body = f"\n{body}"
        text, body = f"{text}\n", body[1:]
    read = read_front_matter(text + body, "reply.md")
    assert read is not None
    assert (text + body)[read.length :] == body
    assert read.lines == text.count("\n") + (not text.endswith("\n"))
    assert (read.base, read.title, read.format, read.author, read.lines) == (
        expected.base, expected.title, expected.format, expected.author, expected.lines
    )  # fmt: skip


NONE = (
    "", "---", "---\n", "--\nbase: 1\n---\n", "----\nbase: 1\n----\n", " ---\nbase: 1\n---\n", "\nbase: 1\n---\n",
    "--- x\nbase: 1\n---\n", "---\n---\n", "---\n\n---\n", "---\n...\n", "---\n\nHere is what I changed:\n\n---\n",
    "---\n# Title: of a page\nbase: 1\n---\n", "---\n- base: 1\n---\n", "---\nhttps://example.com/a\n---\n",
    "---\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n", "---\n### File: a.py\n", "---\n`a.py`:\n",
    "---\n    base: 1\n---\n", "---\n**Note:** x\n---\n",
    "---\nTwo words: x\n---\n", "---\nsrc/a.py:\n```\n", "\ufeff\ufeff---\nbase: 1\n---\n",
)  # fmt: skip


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_front_matter(text: str) -> None:
    assert read_front_matter(text, "reply.md") is None


HEX = "write 7 to 64 hex digits of a commit"
REFUSED = (
    ("---\nbase: 1\nbase: 2\n---\n", 3, "the key `base` is given twice; keep one"),
    ("---\nbase: &a 1\n---\n", 2, "aliases, anchors and tags (`*`, `&`, `!`) are not read; put the value in quotes"),
    ("---\nbase: x: y\n---\n", 2, "this cannot be read as YAML (mapping values are not allowed here)"),
    (f"---\nbase: {BASE}\n\nbse: 1\n---\n", 4, "unknown key `bse`; did you mean `base`?"),
    (f"---\n\nBase: {BASE}\n---\n", 3, "unknown key `Base`; did you mean `base`?"),
    ("---\nNote: see below\n---\n", 2, "unknown key `Note`; use one of `base`, `title`, `format`, `author`"),
    (f"---\n{'k' * 90}: 1\n---\n", 2, f"unknown key `{'k' * 29}…{'k' * 30}`; use one of"),
    ("---\nbase:4be1d02\n---\n", 2, "there is no key; write lines such as `key: value`"),
    ("---\nbase: main\n---\n", 2, f"`base` is `main`; {HEX}"),
    ("---\nbase: 123456\n---\n", 2, f"`base` is `123456`; {HEX}"),
    ("---\nbase: -1234567\n---\n", 2, f"`base` is `-1234567`; {HEX}"),
    (f"---\nbase: {'a' * 65}\n---\n", 2, f"`base` is `{'a' * 29}…{'a' * 30}`; {HEX}"),
    ("---\nbase: \u0661234567\n---\n", 2, f"`base` is `\u0661234567`; {HEX}"),
    ("---\nbase: true\n---\n", 2, "`base` is not text; put its value in quotes"),
    ("---\nbase: [a]\n---\n", 2, "`base` is not text"),
    ("---\ntitle: 42\n---\n", 2, "`title` is not text; put its value in quotes"),
    ("---\ntitle: {a: b}\n---\n", 2, "there is a list or map where a single value belongs"),
    ("---\nauthor: false\n---\n", 2, "`author` is not text"),
    (f"---\nauthor: {'x' * 101}\n---\n", 2, "`author` has 101 characters; write 100 at most"),
    ("---\nformat: 1\n---\n", 2, "`format` is not text"),
    ("---\nformat: dif\n---\n", 2, "`format` is `dif`; did you mean `diff`?"),
    ("---\nformat: search-replace\n---\n", 2, "`format` is `search-replace`; did you mean `diff`?"),
    ("---\nformat: yaml\n---\n", 2, "`format` is `yaml`; use one of `diff`, `diff-fenced`"),
    ("---\nbase: 1\n", 1, "`---` opens front matter that does not end; put `---` below its last key"),
    ("---\r\nNote: I changed the total\r\n\r\n<<<<<<< SEARCH\r\n", 1, "`---` opens front matter that does not end"),
    (f"---\ntitle: {'x' * 65_536}\n---\n", 2, "there are 65,543 bytes of YAML, the limit is 65,536; shorten it"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "line", "start"), REFUSED)
def test_what_is_refused_and_where(text: str, line: int, start: str) -> None:
    with pytest.raises(ConfigTextError) as caught:
        read_front_matter(text, "reply.md")
    assert caught.value.message == f"reply.md line {line}: {caught.value.reason}"
    assert caught.value.line == line
    assert caught.value.reason.startswith(start)


@pytest.mark.parametrize("name", [*FORMAT_NAMES, "editor-diff", "editor-diff-fenced"])
def test_every_format_can_be_named(name: str) -> None:
    read = read_front_matter(f"---\nformat: {name}\n---\n", "reply.md")
    assert read is not None
    assert read.format == name


TITLES = (
    "'Fixes #1'",
    "'-x'",
    "x" * 61,
    "caf\u00e9",
    "closes GH-1",
    "'Signed-off-by: Mona'",
    "ask @octocat",
    '"a\\nb"',
)


@pytest.mark.parametrize("title", TITLES)
def test_a_title_that_could_do_something_is_left_out_and_said(title: str) -> None:
    said: list[str] = []
    text = f"---\nbase: {BASE}\ntitle: {title}\n---\n"
    read = read_front_matter(text, "reply.md", said.append)
    assert read is not None
    assert (read.base, read.title) == (BASE, None)
    assert read == read_front_matter(text, "reply.md")
    [line] = said
    assert line.startswith("reply.md line 3: the title cannot be the subject of a commit, so it is left out; use ")


def test_a_title_that_is_used_needs_no_words() -> None:
    said: list[str] = []
    assert read_front_matter("---\ntitle: Correct totals\n---\n", "reply.md", said.append) is not None
    assert said == []


def _read(text: str) -> FrontMatter | ConfigTextError | None:
    try:
        return read_front_matter(text, "reply.md")
    except ConfigTextError as error:
        return error


PIECES = [
    "---\n", "--- \r\n", "...\n", "base: ", "title: ", "format: diff\n", "author: x\n", BASE, "\n", "\r\n", "a", "- ",
    "'", '"', "#", "\ud800",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=20).map(lambda pieces: "---\n" + "".join(pieces)))
def test_any_text_is_read_or_refused(text: str) -> None:
    read = _read(text)
    if isinstance(read, FrontMatter):
        assert text[: read.length].count("\n") + (not text[: read.length].endswith("\n")) == read.lines
        assert text[: read.length].rstrip(" \t\r\n").endswith(("---", "..."))
    elif read is not None:
        assert 1 <= read.line <= text.count("\n") + 1
