"""Notes, messages, containers and bases."""

import pytest
from support.parsecases import CLOSE, DIV, NAMELESS, OPEN, X, rows
from support.responses import block

from editblocks import ParseResult, parse_response
from editblocks.formats.grammar import Grammar, is_markup
from editblocks.formats.markers import Kind
from editblocks.parsing.parse import FORMATS, GRAMMARS, scanner_of
from editblocks.parsing.reader import table_of


def notes(parsed: ParseResult) -> list[str]:
    of_blocks = [note for read in parsed.blocks for note in read.notes]
    return [note.code for note in (*of_blocks, *parsed.notes)]


NOTED: dict[str, tuple[str, list[str]]] = {
    "nothing": (X, []),
    "opener of another word": (X.replace("SEARCH", "SEARCH>"), ["marker-variant"]),
    "git's words": (X.replace("SEARCH", "ORIGINAL").replace("REPLACE", "UPDATED"), ["marker-variant"] * 2),
    "lengths that slipped": (f"a.py\n{OPEN}x\n=====\ny\n>>>>>>>> REPLACE\n", ["marker-variant"] * 2),
    "a line that is not indented": ("a.py\n  <<<<<<< SEARCH\n  x\n  =======\ny\n  >>>>>>> REPLACE\n", ["indent-kept"]),
    "a fence that never ended": (f"```py\nx\n```py\n{X}```\n", ["fence-unclosed"]),
    "a tag that never ended": (f"<source>\nx\n<source>\n{X}</source>\n", ["fence-unclosed"]),
    "a lower-case marker": ("<<<<<<< search\n", ["near-marker"]),
    "a listing": ("```\n    <<<<<<< SEARCH\n```\n", ["near-marker"]),
    "a quote": ("> <<<<<<< SEARCH\n> > ««« EDIT\n", ["quoted-block"]),
    "a quoted patch": ("> *** Begin Patch\n> *** Delete File: a.py\n> *** End Patch\n", ["quoted-block"]),
    "a quoted rename": ("> diff --git a/x b/y\n> rename from x\n> rename to y\n", ["quoted-block"]),
    "an indented hunk of git, which is a row": (
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n @@ -1 +1 @@\n-x\n+y\n",
        [],
    ),
    "a closer twice": (X + CLOSE, ["stray-closer-dropped"]),
}


@pytest.mark.parametrize(("text", "expected"), NOTED.values(), ids=NOTED)
def test_what_is_noted(text: str, expected: list[str]) -> None:
    assert notes(parse_response(text)) == expected


QUOTES = {
    "a diff of git": ("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n", "1 quoted block was"),
    "a call over lines": ('{\n"name": "Edit",\n"old_string": "x",\n"file_text": "y"\n}\n', "1 quoted block was"),
    "a call on one line": ('{"file_path": "a.py", "old_string": "x", "new_string": "y"}\n', "1 quoted block was"),
    "a conflict": ("<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n", "1 quoted block was"),
    "an action": ('<boltAction type="file" filePath="a.py">\nx\n</boltAction>\n', "1 quoted block was"),
    "two blocks": (X + X, "2 quoted blocks were"),
}


@pytest.mark.parametrize(("text", "count"), QUOTES.values(), ids=QUOTES)
def test_quoted_blocks_are_counted(text: str, count: str) -> None:
    quote = "".join(f"> {line}\n" for line in text.splitlines())
    [note] = parse_response(quote).notes
    assert note.message == f"{count} not read; to use them, paste them without `> `"
    twice = parse_response(f"{quote}\n{quote}").notes
    assert [note.message.split()[0] for note in twice] == [str(2 * int(count[0]))]


MESSAGES: dict[str, tuple[str, str]] = {
    "unclosed, at the end": (
        f"a.py\n{OPEN}x\n",
        "block at line 2 has no `>>>>>>> REPLACE` before the end (line 3); probably cut off, ask for it again",
    ),
    "unclosed, at the next block": (
        f"a.py\n<<<<< SEARCH\nx\n{block('', '', '', 5)}",
        "block at line 2 has no `>>>>> REPLACE` before the next block (line 4); probably cut off, ask for it again",
    ),
    "no divider": (
        f"a.py\n{OPEN}x\n{CLOSE}",
        "no `=======` between lines 2 and 4; put it between the old and the new lines",
    ),
    "stray closer": (CLOSE, "line 1 closes no block; the opener must be `<<<<<<< SEARCH`"),
    "stray closer of a new file": (
        ">>>>>>> NEW_FILE\n",
        "line 1 closes no block; the opener must be `<<<<<<< NEW_FILE`",
    ),
    "stray closer of v3": ("»»» EDIT END\n", "line 1 closes no block; the opener must be `««« EDIT`"),
    "seventeen dividers": (
        block("x\n", f"{DIV}y\n" * 16),
        "17 lines look like its divider; send it with 8-character markers",
    ),
    "a patch": (
        "*** Begin Patch\n",
        "the patch at line 1 has no `*** End Patch`; probably cut off, ask for it again",
    ),
    "line numbers": (
        block(":start_line:\nx\n", "y\n"),
        "`:start_line:` at line 3 has no line number; write it there; the first line is 1",
    ),
    "held": (
        f"a.py\n{OPEN}x\n<<<<< SEARCH\n=====\n>>>>> REPLACE\n",
        "block at line 2 has no `>>>>>>> REPLACE` before the end (line 6); probably cut off, ask for it again",
    ),
}


@pytest.mark.parametrize(("text", "message"), MESSAGES.values(), ids=MESSAGES)
def test_a_problem_says_what_is_wrong_and_what_to_do(text: str, message: str) -> None:
    assert parse_response(text).problems[0].message == message


def test_lines_are_counted_from_where_the_text_begins() -> None:
    parsed = parse_response(f"{X}{CLOSE}{OPEN}", first_line=11)
    assert rows(parsed) == ["1 a.py 12-16: x/ -> y/", "2 a.py 18-18: unclosed"]
    assert parsed.blocks[0].notes[0].line_number == 17


BASES = {
    "seven digits": ("base: 1234abc\n", "1234abc"),
    "in back-ticks": ("base: `1234abcd`\n", "1234abcd"),
    "the last one": ("base: 1234abc\nbase: 7654321\n", "7654321"),
    "after the first block": (X + "base: 1234abc\n", None),
    "in a fence": ("```\nbase: 1234abc\n```\n", None),
    "six digits": ("base: 12345a\n", None),
    "upper case": ("base: 1234ABC\n", None),
    "64 digits": (f"base: {'a' * 64}\n", "a" * 64),
    "65 digits": (f"base: {'a' * 65}\n", None),
    "in a sentence": ("the base: 1234abc\n", None),
}


@pytest.mark.parametrize(("text", "base"), BASES.values(), ids=BASES)
def test_the_base_of_a_response(text: str, base: str | None) -> None:
    assert parse_response(text + X).base == base


ENCLOSED = {
    "back-ticks": f"````py\n{X}````\n",
    "tildes": f"~~~py\n{X}~~~\n",
    "longer at the end": f"```\n{X}`````\n",
    "indented by 9": f"         ```\n{X}         ```\n",
    "back-ticks in tildes": f"~~~\n```\n{X}```\n~~~\n",
    "source": f"<source>\n{X}</source>\n",
    "source with an info word": f"<source>python\n{X}</source>\n",
    "pre, code": f"<pre>\n<code>\n{X}</code>\n</pre>\n",
    "details": f"<details>\n<summary>All</summary>\n\n{X}\n</details>\n",
    "CR LF": X.replace("\n", "\r\n"),
    "BOM": "\ufeff" + X,
    "a stray end of a tag": f"</code>\n{X}",
    "back-ticks with back-ticks in the info": f"```a`b\n{X}",
}


@pytest.mark.parametrize("text", ENCLOSED.values(), ids=ENCLOSED)
def test_blocks_are_read_in_every_container(text: str) -> None:
    assert [(found.old_lines, found.new_lines) for found in parse_response(text).blocks] == [("x\n", "y\n")]


CLOSED = {
    "the same length": ("```\n```\n", False),
    "a longer one": ("```\n````\n", False),
    "a shorter one opens": ("````\n```\n", True),
    "another character opens": ("```\n~~~\n", True),
    "the outer one closes the inner": ("````\n~~~\n````\n", False),
    "info opens": ("```\n```py\n```\n", False),
    "a tag is closed by its own end": ("<source>\n</code>\n", True),
    "a tag's end": ("<source>\n</source>\n", False),
}


@pytest.mark.parametrize(("text", "is_open"), CLOSED.values(), ids=CLOSED)
def test_where_a_fence_ends(text: str, is_open: bool) -> None:
    """A File heading in a fence counts until the fence ends, so it tells whether one is open."""
    parsed = parse_response(f"{text}a.py\n\n{NAMELESS}")
    assert [found.format for found in parsed.blocks] == ["diff-fenced" if is_open else "diff"]


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.opener.text)
def test_a_grammar_knows_its_own_lines(grammar: Grammar) -> None:
    for marker in grammar.markers[1:]:
        [token] = scanner_of(FORMATS).scan(f"{marker.literal(6)}\n", 0)
        assert token.kind is marker
    assert len(grammar.sections) == len(grammar.separators) + 1


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *((f"docs/a.{extension}", True) for extension in "md markdown rst txt adoc org tex wiki diff patch MD".split()),
        *((f"docs/{name}", True) for name in "README CHANGES CHANGELOG NEWS TODO LICENSE".split()),
        ("README.py", False),
        ("readme", False),
        ("md", False),
        (".md", False),
        ("a.md/b.py", False),
        ("a.mdx", True),
        ("Makefile", False),
    ],
)
def test_is_markup(path: str, expected: bool) -> None:
    assert is_markup(path) is expected


def test_what_is_read_again_too_often_is_only_counted() -> None:
    """Openers of ever deeper indentation would otherwise make every line read again for each of them."""
    steps = "".join(f"{' ' * depth}{OPEN}" for depth in range(30))
    inner = block("x\n", "y\n", "b.py", 6)
    parsed = parse_response(f"{steps}{inner}" + "-----\n" * 200)
    codes = [problem.code.value for problem in parsed.problems]
    assert codes == ["unclosed"] * 10 + ["malformed"] * 21 + ["stray-marker"]
    assert [problem.line_number for problem in parsed.problems] == [*range(1, 31), 32, 36]
    assert parsed.problems[-2].message == ("it may be part of the unclosed block at line 10; send both again in full")
    assert not parsed.blocks


def test_every_kind_of_line_has_an_action_in_text() -> None:
    actions = table_of(scanner_of(FORMATS))["text"]
    assert [kind for kind in Kind if kind not in actions] == []
    assert [each.names for each in GRAMMARS if not {each.opener, each.closer} <= actions.keys()] == []
