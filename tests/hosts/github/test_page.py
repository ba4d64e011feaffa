"""Which lines a page does not show, held against the renderer that GitHub wrote and a browser's parser."""

from collections.abc import Callable
from html import escape
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.comments_on_github import comment_of
from support.hostile_responses import FLAT, RESPONSES, fill, growth, staircase
from support.hub.rendering import body_html

from editblocks import apply_response
from editblocks.core.blocks import ThreadLines
from editblocks.hosts.github.page import LONGEST_PAGE, hidden_lines, read_page, shows_first_line
from editblocks.parsing.parse import parse_response

WORD = "EDITQ"
S = f"««« {WORD}"  # the line that is asked about


def hides(text: str, page: str) -> bool:
    """Whether the line of the text that holds the word is hidden."""
    number = next(number for number, line in enumerate(text.split("\n"), 1) if WORD in line)
    return number in hidden_lines(text, [(number, number)], page)


def text_of(page: str) -> str:
    """What a browser shows of a page; formulas are drawn."""
    return "".join(_text(html5lib.parseFragment(page, namespaceHTMLElements=False)))


def _text(element: Element) -> list[str]:
    if element.tag == "math-renderer":
        return [element.tail or ""]
    return [element.text or "", *(text for child in element for text in _text(child)), element.tail or ""]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


# one line, below what may hide it

ASKED_OF_MARKDOWN: dict[str, str] = {
    # raw HTML and fences
    "a comment": f"<!--\n{S}\n-->",
    "a comment that never ends": f"<!--\n\n{S}",
    "an indented comment": f"   <!--\n{S}\n-->",
    "a comment that opens where one ends": f"<!--\n--> <!--\n{S}",
    "a comment that opens behind one, and a blank line": f"<!-- a --> <!-- b\n\n{S}",
    "a comment below pre": f"<pre>\n<!--\n{S}\n-->",
    "a comment below source": f"<source>\n<!--\n{S}\n-->",
    "a comment below code": f"<code>\n<!--\n{S}\n-->",
    "a comment below an unclosed source and a blank line": f"<source>\n\n<!--\n{S}\n-->",
    "a comment in a pre with blank lines": f"<pre>\n\nx <!--\n{S}\n-->\n</pre>",
    "a fence closed by more ticks": f"````md\n```python\nx\n````\n<!--\n{S}\n-->",
    "ticks four columns in": f"text\n    ```\n<!--\n{S}\n-->",
    "ticks four columns in, below a number that begins no item": f"text\n2.  a\n    ```\n<!--\n{S}\n-->",
    "ticks four columns in, below an item and its end": f"- a\n<!-- -->\n  text\n    ```\n<!--\n{S}\n-->",
    "ticks four columns in, below an item in raw HTML": f"<div>\n- a\n\n  text\n    ```\n<!--\n{S}\n-->",
    "ticks behind a tab": f"\t```\n<!--\n{S}\n-->",
    "a fence that ends with its list item": f"- item\n  ```\n  code\n<!--\n{S}\n-->",
    "a fence that ends with its item, which a tab indents": f"-\titem\n\t```\n\tcode\n<!--\n{S}\n-->",
    "a fence that ends with its quote": f"> ```\n<!--\n{S}\n-->",
    "a fence that ends with the inner item": f"- a\n  - b\n    ```\n  <!--\n{S}\n-->",
    "a fence with ticks in its info string": f"``` a`b\n<!--\n{S}\n-->",
    "a fence right below a summary": f"<details><summary>x</summary>\n```\n<!--\n{S}\n-->",
    "a fence right below a closing tag": f"</div>\n```\n<!--\n{S}\n-->",
    "a fence right below a strange tag": f"<x-y>\n```\n<!--\n{S}\n-->",
    "a comment behind a list sign": f"- <!--\n\n{S}\n-->",
    "a comment behind a number": f"1. <!--\n\n{S}\n-->",
    "a comment behind a quote sign": f"> <!--\n\n{S}\n-->",
    "a comment behind a tag in an item": f"- <div><!--\n\n{S}\n-->",
    "a comment behind signs": f"> - * <!--\n\n{S}",
    "a comment behind a carriage return": f"a\r<!--\n{S}",
    "a fence that a carriage return closes": f"```\na\r```\n<!--\n{S}",
    "a comment behind a tag and a blank line": f"<div><!-- b\n\n{S}\n-->",
    "a comment below a tag and a blank line": f"<div>\ntext <!-- b\n\n{S}\n-->",
    "a comment below a strange tag under a table": f"a|b\n-|-\n<x-y>\nx <!--\n\n{S}",
    "a fence in an item that just began": f"- \n  ```\n<!--\n{S}",
    "a comment with another end": f"<!-- --!> -->\n{S}",
    # text of a paragraph
    "a comment in mid-line": f"text <!-- more\n{S}\n-->",
    "a comment in a heading's text": f"text <!-- more\ntext\n{S}\n-->",
    "an escaped tick": f"see \\` <!-- `\n{S}\n-->",
    "ticks in raw HTML": f"<div>` <!-- `\n{S}\n-->",
    "ticks that pair over two lines": f"foo `\nbar ` <!-- `\n{S}\n-->",
    "a tick that ends nothing": f"it`s <!-- b\n{S}\n-->",
    "ticks of another length": f"`` ` <!-- `\n{S}\n-->",
    "a tick in an attribute": f'a <b title="`"> ` <!-- `\n`<!--\n{S}\n-->',
    "a tick in a link of angles": f"<http://x`> <!-- `\n{S}\n-->",
    "a tick in a bare link": f"http://a.b/` ` <!-- `\n{S}\n-->",
    "a tag over lines": f'text <a title="\n{S}\n">',
    "a tag that goes on": f'text <a\ntitle="\n{S}\n">',
    "a tag without quotes": f"text <a b=\n{S}\nx=\n>",
    "an instruction in mid-line": f"text <?\n{S}\n?>",
    "a declaration in mid-line": f"text <!X a\n{S}\n>",
    "character data in mid-line": f"text <![CDATA[\n{S}\n]]>",
    "the text of an image": f"![\n{S}\n](x)",
    "the text of an image with a label": f"text ![a\n{S}\n][x]",
    "the title of a link": f'[a](b "\n{S}\n")',
    "the title of a link on the next line": f'[a](b\n"\n{S}\n")',
    "the title of an image": f"![a](b '\n{S}\n')",
    "a label": f"[a][\n{S}\n]\n\n[{S}]: #",
    "a title": f'[x]: # "\n{S}\n"',
    "a title in single quotes": f"[x]: # '\n{S}\n'",
    "a title in parentheses": f"[x]: # (\n{S}\n)",
    "a title on the next line": f'[x]: #\n"\n{S}\n"',
    "a title below the target": f'[x]:\n/y\n"\n{S}\n"',
    "a title of the second definition": f'[x]: #\n[y]: # "\n{S}\n"',
    "a title with an escaped quote": f'[x]: # "a\\"\n{S}\n"',
    "a title in a list item": f'- [x]: # "\n  {S}\n  "',
    "the name of a definition": f"[\n{S}\n]: #",
    "the text of an image below an open tick": f"it`s\n![\n{S}\n](x)",
    "a comment behind a sign that begins nothing": f"text <!1 <!--\n{S}\n-->",
    "a declaration in small letters": f"<!x\n\n{S}\n>",
    "a comment below a declaration in small letters": f"<!doctype html>\n<b>\nx <!--\n\n{S}",
    "a comment of old rules only": f"text <!-- a -- b --> <!--\n{S}\n-->",
    "a footnote that nobody refers to": f"[^1]: text\n{S}",
    "a footnote in a list item": f"- text\n[^1]: a\n\n{S}",
    "a footnote's second paragraph": f"[^1]: text\n\n    {S}",
    "a tag in a footnote, and what follows": f"[^1]: a <b>tag\n\ntext\n\n{S}",
    # tags
    "an attribute": f'<div title="\n{S}\n">',
    "an attribute in single quotes": f"<div title='\n{S}\n'>",
    "an attribute behind blanks": f'<div title = "\n{S}\n">',
    "an attribute, and a blank line": f'<div title="\n\n{S}\n">',
    "an attribute of an image": f'<img alt="\n{S}\n">',
    "an attribute of a picture": f'<picture><img alt="\n{S}\n"></picture>',
    "an instruction": f"<?\n{S}\n?>",
    "a declaration": f"<!X\n{S}\n>",
    "character data": f"<![CDATA[\n{S}\n]]>",
    "a comment in a script": f"<script><!--</script>\n{S}\n-->",
    "a table whose head may have one cell or two": f"a \\\\| b\n-|-\n<x-y>\nx <!--\n\n{S}",
    "signs deeper than anyone counts": f"{'> ' * 120}<div><!--\n\n{S}",
    # blocks are text
    "the text of a block opens a comment": f"a.py\n<<<<<<< SEARCH\nx\n=======\n<!--\n>>>>>>> REPLACE\n\n{S}\n",
    "a command opens a comment": f'<boltAction type="shell">\nnpm install x <!--\n</boltAction>\n\n{S}',
}


def fenced(code: str, mark: str = "```") -> str:
    return f"{mark}html\n{code}\n{S}\n{mark}"


BLOCK = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE"
COMMENT = "<!--\nb\n-->"
DIV = '<div class="hidden md:block">'
MUST_SHOW: dict[str, str] = {
    "a fence that is indented": f"  ```\n  a\n  ```\n{S}",
    "a number in mid-paragraph": f"text\n2. a\n{S}",
    # elements that GitHub does not know: it shows their text
    "a script": f"<script>\n{S}\n</script>",
    "a style": f"<style>\n\n{S}\n</style>",
    "a text field": f"<textarea>\n{S}\n</textarea>",
    "a text field in mid-line": f"text <textarea>\n\n{S}",
    "a title element": f"<title>\n{S}\n</title>",
    "a template": f"<template>\n\n{S}\n\n</template>",
    "a drawing": f"<svg>\n{S}\n</svg>",
    "a drawing in mid-line": f"text <svg> text\n\n{S}",
    "a drawing in a table": f"`a | b\n-|-\n<svg> | `\n\n{S}",
    "a drawing in the head of a table": f"`a | <svg>`\n-|-\n\n{S}",
    "a text field with a blank line": f"<textarea>\n\n```\n</textarea>\n{S}",
    "a formula": f"<math>\n{S}\n</math>",
    "a film": f"<video>\n\n{S}",
    "a film with an element left open": f"<video><div></video>\n\n{S}",
    "a film in mid-line with an element left open": f"text <video><div></video>\n\n{S}",
    "a film closed in a list item": f"<video>\n\n- </video>\n\n{S}",
    "a hidden element": f"<div hidden>\n\n{S}\n\n</div>",
    "a hidden element with elements": f"<div hidden><div></div>\n\n{S}\n\n</div>",
    "a hidden paragraph": f"<p align=left hidden>\n{S}",
    "an element that is not displayed": f'<div style="display: none">\n\n{S}\n</div>',
    "an element with a hidden element's end in code": f"<div hidden>\n\n`</div>`\n\n{S}",
    "a word that looks like a tag": f"Use a List<Object> or <select>.\n\n{S}",
    "a summary about a tag": f"<details><summary>`<template>`</summary>\n\n{S}\n</details>",
    "nothing else": S,
    "prose": f"Some text, 1 < 2 and a<b.\n{S}",
    "a fence": fenced("x = 1"),
    "a comment left open in a fence": fenced("<!-- a\n<!--"),
    "a comment left open in a fence, and one below": f"```\n<!--\n```\n{S}",
    "a tilde fence": fenced("```\n<!--", "~~~"),
    "a longer fence": fenced("```html\n<!--\n```", "````"),
    "a fence that holds an info string": fenced("```html\n<!--"),
    "a component in a fence": fenced('<template>\n  <div hidden title="\n</template>\n<script>'),
    "a fence in a list item": f"- item\n\n  ```html\n  <!--\n  {S}\n  ```",
    "a fence in a numbered item": f"1. item\n\n   ```html\n   <!--\n   {S}\n   ```",
    "a fence deep in a numbered item": f"10. item\n\n    ```html\n    <!--\n    {S}\n    ```",
    "a fence right below an item": f"*   item\n    ```html\n    <!--\n    {S}\n    ```",
    "a fence right below the second item": f"- a\n2.  b\n    ```\n    <!--\n    {S}\n    ```",
    "a fence right below an inner item": f"1.  a\n    * b\n      ```\n      <!--\n      {S}\n      ```",
    "a fence below the text of an item": f"1.  item\n\n    text\n    ```\n    <!--\n    {S}\n    ```",
    "a fence in an item, by a tab": f"-\titem\n\n\t```html\n\t<!--\n\t{S}\n\t```",
    "a fence in an item, its code at the margin": f"- item\n  ```html\n{S}\n  ```",
    "details": f"<details><summary>x</summary>\n\n{fenced('<!-- a')}\n\n</details>",
    "details without a blank line": f"<details><summary>x</summary>\n```python\nx = 1\n{S}\n```\n</details>",
    "details that are open": f'<details open class="hidden sm:block"><summary>x</summary>\n{S}\n</details>',
    "an action": f'<boltAction type="edit" filePath="a.py">\n{S}\n</boltAction>',
    "an artifact": f'<boltArtifact id="a" title="b c">\n<boltAction type="edit" filePath="a.py">\n{S}',
    "code that mentions a comment": f"Put `<!--` and ``<!-- ` `` there\n{S}",
    "code that mentions tags": f'Put `<svg>`, `<textarea>` and `<div title="` there\n{S}',
    "escaped signs": f"\\<!-- and \\`\n{S}",
    "entities": f"&lt;!--\n{S}",
    "a comment closed on its line": f"<!-- a.js -->\n{S}",
    "a comment closed on its line, in mid-line": f"text <!-- a.js --> text\n{S}",
    "a comment closed above": f"<!--\nnote `\n\nmore\n-->\n{S}",
    "a comment within itself": f"<!-- <!-- -->\n{S}",
    "the end of a comment": f"-->\n{S}",
    "a fence in a comment": f"<!--\n```\n-->\n{S}",
    "a comment left open in mid-line, then a blank line": f"text <!-- more\n\n{S}",
    "a drawing that is closed": f"<svg>\n<path d='x'/>\n</svg>\n\n{S}",
    "a drawing that is closed on its line": f"text <svg><g></g></svg> text\n{S}",
    "a script that is closed": f"<script>\nlet a = b < c;\n</script>\n{S}",
    "a closed tag over lines": f'<div\n  class="a"\n  id="b">\n\n{S}\n</div>',
    "a hidden field": f"<input hidden>\n{S}",
    "a link": f'See [a](http://b/c "d") and [e][f].\n{S}',
    "a task": f"- [ ] a\n- [x] b\n\n{S}",
    "a table": f"| `a` | b |\n|---|---|\n| <b>c</b> | `d` |\n\n{S}",
    "an unfenced block with comments": f"a.html\n{BLOCK.format('<!-- a -->', '<!-- b -->')}\nb.html\n{S}",
    "an unfenced block with a long comment": f"a.html\n{BLOCK.format('x', COMMENT)}\n{S}",
    "an unfenced block with HTML": f"a.html\n{BLOCK.format('<div>', DIV)}\n{S}",
    "an unfenced block with ticks": f"a.js\n{BLOCK.format('let a = `', 'let b = `;')}\nb.js\n{S}",
    "a declaration": f"<!DOCTYPE html>\n{S}",
    "a long ruler": f"{'>' * 150}\n\n{S}",
    "a quote": f"> text\n\n{S}",
}

HARD_TO_TELL: dict[str, str] = {
    "an instruction in HTML": f"<div>\n<?a?>\n</div>\n\n{S}",
    "a comment that is none": f"<!-->\n{S}",
    "a comment closed above, in mid-line": f"text <!--\nnote\n-->\n{S}",
    "a comment left open in mid-line, then a heading": f"text <!-- more\n# b\n{S}",
    "a fence that is the item": f"- ```html\n  <!--\n  {S}\n  ```",
    "a link definition without a title": f"[x]: http://a/b\n{S}",
    "a tag in mid-line over lines": f'text <a\n  href="b">\ntext\n{S}',
    "a bracket that is closed": f"[note]: this is text\n{S}",
    "less than a name": f"if a <b\nfoo()\n{S}",
    "an image": f'![a [b] c](d "e")\n{S}',
    "indented code": f"text\n\n    <!--\n\n{S}",
    "a link definition": f'[x]: http://a/b "c"\n{S}',
    "a fence below an empty item": f"-\n\n  ```\n<!--\n{S}\n```",
    "footnotes": f"Text[^1] and[^2].\n\n[^1]: a\n[^2]: b\n\n{S}",
    "a declaration in small letters, and a blank line": f"<!doctype html>\n\n{S}",
}


@pytest.mark.parametrize("has_footnotes", [False, True])
@pytest.mark.parametrize(
    "text",
    [*ASKED_OF_MARKDOWN.values(), *MUST_SHOW.values(), *HARD_TO_TELL.values()],
    ids=[*ASKED_OF_MARKDOWN, *MUST_SHOW, *HARD_TO_TELL],
)
def test_a_line_is_hidden_where_the_page_does_not_have_it(text: str, has_footnotes: bool) -> None:
    page = body_html(text, has_footnotes=has_footnotes)
    assert hides(text, page) == (WORD not in text_of(page))


@pytest.mark.parametrize("text", MUST_SHOW.values(), ids=MUST_SHOW)
def test_what_is_clear_is_shown(text: str) -> None:
    assert not hides(text, body_html(text))


PREFIXES = (
    "",
    "",
    "",
    "",
    "- ",
    "> ",
    "1. ",
    "10) ",
    "* ",
    "*   ",
    "12.  ",
    "    -   ",
    "> > ",
    "- - ",
    "  ",
    "   ",
    "    ",
    "      ",
    "\t",
    "[^1]: ",
)
PIECES = (
    "text", "it`s", "foo `", "`code`", "`", "``", "```", "````", "~~~", "```python", "````md",
    "<!--", "-->", "x <!--", "<!-- a -->", "x <!-- a --> y", "`<!--`", "a ` <!-- ` b", "\\` <!-- `", "\\<!--",
    "<!-->", "<!--->", "<!-- -- -->", "&lt;!--",
    "<div>", "</div>", '<div title="', '">', "'>", "<pre>", "</pre>", "<source>", "<code>", "<b>", "<i title='",
    'text <a href="', "<a", "<a b=", 'c="d">', "<div>` <!-- `", '<b title="`">', "a <b", "List<String",
    "<table><tr><td>", "<details>", "<details><summary>x</summary>", "</summary>", "</details>",
    "<svg>", "</svg>", "x <svg>", "x </svg>", "`<svg>`", "<template>", "</template>", "<video>", "<p hidden>", "</p>",
    "<textarea>", "</textarea>", "<script>", "</script>", "<style>", "<title>a</title>",
    "<?", "?>", "<!X", "<!X ", "<!doctype html>", "<![CDATA[", "]]>", ">", "x <?", "x <!X", "x <![CDATA[",
    '[x]: # "', "[x]: #", '"', '"title"', "[x]:", "[", "]: #", "[x]", "![", "](y)", "![a][x]", '[a](b "', '")', "[a][",
    "]", "a|b", "-|-", "|a|", "|-|", "---", "===", "***", "# head", "1.", "-", "*",
    "http://a.b/` c", "www.x.y`", "<http://x`>", "<x@y.z>", "\r", "a\r<!--",
)  # fmt: skip
PIECE = st.sampled_from(PIECES)
LINE = st.one_of(
    st.just(""),
    st.tuples(st.sampled_from(PREFIXES), PIECE).map("".join),
    st.tuples(st.sampled_from(PREFIXES), PIECE, st.sampled_from(("", " ")), PIECE).map("".join),
)
ASKED = st.tuples(st.sampled_from(("", "", "  ", "    ", "- ", "> ")), st.just(S)).map("".join)


@given(st.lists(LINE, min_size=1, max_size=9), ASKED, st.lists(LINE, max_size=4))
def test_what_the_page_does_not_show_is_hidden(above: list[str], asked: str, below: list[str]) -> None:
    text = "\r\n".join([*above, asked, *below]) + "\r\n"
    page = body_html(text)
    assert hides(text, page) or WORD in text_of(page)


CODE = (
    "x = 1", "<!-- a -->", "<!-- a", "-->", "<div", '  title="a', "<template>", "<script>", "let a = `b`;", "let a = `",
    "", "if (a <b && c) {", "[x]: # \"", "![", "  # comment", "    return x", "<?php", "<svg>", "~~~", "</div>",
)  # fmt: skip
CODES = st.lists(st.sampled_from(CODE), min_size=1, max_size=6)
# Outside any fence, code is text: what it leaves open is open.
PLAIN_CODES = st.lists(
    st.sampled_from(("x = 1", "<!-- a -->", "<div>", "let a = `b`;", "", "    return x", "# c")),
    max_size=6,
)
PROSE = st.lists(
    st.sampled_from((
        "I changed the constant.", "Put `<!--` there, and `<svg>`.", "It's 1 < 2; see [a](http://b/c).", "- one `x`",
        "  - two", "3. three", "**Note**", "### File: a.py", "<!-- a note -->", "src/a.py:", "![a](b)", "| a | b |",
    )),
    max_size=5,
)  # fmt: skip


def edit_v3(codes: list[str]) -> list[str]:
    return [S, *codes, "═══════ REPL", *codes, "»»» EDIT END"]


def in_fence(mark: str, indent: str, codes: list[str]) -> list[str]:
    return [indent + line if line else "" for line in (f"{mark}vue", *edit_v3(codes), mark)]


FENCES = st.builds(in_fence, st.sampled_from(("```", "````")), st.just(""), CODES)
PARTS = st.one_of(
    FENCES,
    st.builds(lambda codes: ["- item", "", *in_fence("```", "  ", codes)], CODES),
    st.builds(lambda codes: ["1. item", *in_fence("```", "   ", codes)], CODES),
    st.builds(lambda codes: ["12. item", "", *in_fence("````", "    ", codes)], CODES),
    st.builds(lambda codes: ["*   item", *in_fence("```", "    ", codes)], CODES),
    st.builds(lambda codes: ["1.  a", "    - b", *in_fence("```", "      ", codes)], CODES),
    st.builds(lambda codes: ["<details><summary>x</summary>", "", *codes, "", "</details>"], FENCES),
    st.builds(lambda codes: ["src/a.py", *edit_v3(codes)], PLAIN_CODES),
    st.builds(lambda codes: ["<!--", "  note `", "", "-->", *edit_v3(codes)], PLAIN_CODES),
    st.builds(lambda prose, codes: [*prose, "", *edit_v3(codes)], PROSE, PLAIN_CODES),
)


@given(st.lists(st.tuples(PROSE, PARTS).map(lambda part: [*part[0], "", *part[1], ""]), min_size=1, max_size=5))
def test_ordinary_answers_are_shown(parts: list[list[str]]) -> None:
    lines = [line for part in parts for line in part]
    text = "\n".join(lines)
    hidden = hidden_lines(text, [(n, n) for n, line in enumerate(lines, 1) if WORD in line], body_html(text))
    assert [number for number in hidden if WORD in lines[number - 1]] == []


# rows

FILES = dict.fromkeys(("a.py", "b.py", "a/b.py", "a b.py"), b"x\n")
OLD = "<<<<<<< SEARCH\nx\n=======\n{}\n>>>>>>> REPLACE\n"
BLOCK = OLD.format("y")
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+{}\n*** End Patch\n"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+{}\n"
FENCED = f"```\n{BLOCK}```\n"
INNER_FENCE = "```sh\ny\n```"
DRAWN = ("math", "mermaid", "geojson", "topojson", "stl")


def edit(new: str, path: str = "a.py") -> str:
    """A block in no fence."""
    return f"{path}\n{OLD.format(new)}"


def fenced_edit(new: str, path: str = "a.py", mark: str = "```") -> str:
    """A block in a fence."""
    return f"{path}\n{mark}\n{OLD.format(new)}{mark}\n"


YZ = PATCH.format("y z")
SIGNS = "{[(+)]}!"
SCATTERED = "a.py\nSEARCH\nx\nz\ny\nREPLACE"
TABLES: dict[str, tuple[str, str]] = {  # a comment, and what becomes of each row: `+` is shown, `-` hidden
    "a fence": (f"a.py\n{FENCED}", "+"),
    "a fence of tildes": (f"a.py\n~~~\n{BLOCK}~~~\n", "+"),
    "a fence with a language": (f"a.py\n```python\n{BLOCK}```\n", "+"),
    "a fence in a longer one": (fenced_edit(INNER_FENCE, mark="````"), "+"),
    "a fence in a block in no fence": (edit(INNER_FENCE), "-"),
    "a fence in a list": ("- a.py\n  ```\n" + "".join(f"  {line}\n" for line in BLOCK.splitlines()) + "  ```\n", "+"),
    "a fence that ends with its item": (f"- a.py\n  ```\n{BLOCK}  ```\n", "+"),
    "no fence": (f"a.py\n{BLOCK}", "+"),
    "CR LF": (f"a.py\n{BLOCK}".replace("\n", "\r\n"), "+"),
    "CR LF in a fence": (f"a.py\n{FENCED}".replace("\n", "\r\n"), "+"),
    "details": (f"<details><summary>a.py</summary>\n\na.py\n{FENCED}\n</details>\n", "+"),
    "letters of all kinds": (edit('größe = π + 変数'), "+"),
    "letters of all kinds in a fence": (fenced_edit('größe = π + 変数'), "+"),
    "a very long line": (edit('y = ' + 'abc ' * 5000), "+"),
    "code between back-ticks over lines": (edit("const y = `\nz\n`;", "a.js"), "+"),
    "emphasis": (edit('def __init__(self, *args, **kwargs): pass'), "+"),
    "a mention": (edit('@octocat'), "+"),
    "a reference": (edit('# see #123'), "+"),
    "the address of an issue": (edit('# https://github.com/o/r/issues/1'), "-"),
    "the address of an issue in a fence": (fenced_edit('# https://github.com/o/r/issues/1'), "+"),
    "an emoji's name": (edit(':smile:'), "-"),
    "an emoji's name in a fence": (fenced_edit(':smile:'), "+"),
    "an entity": (edit('a &amp; b'), "-"),
    "an entity in a fence": (fenced_edit('a &amp; b'), "+"),
    "a task": (edit('- [ ] y'), "+"),
    "a task that is done": (edit('- [x] y'), "-"),
    "a table": (edit("| a | b |\n|-|-|\n| c | d |"), "+"),
    "a table with a long line of signs": (edit("| a | b |\n|---|---|\n| c | d |"), "-"),
    "a table with a cell too many": (edit("|a|\n|-|\n|b|c|"), "-"),
    "a footnote": (edit("y[^1]\n\n[^1]: z"), "-"),
    "a link": (edit('[y](z)'), "-"),
    "a tag": (edit('<b>y</b>', "a.jsx"), "-"),
    "a tag in a fence": (fenced_edit('<b>y</b>', "a.jsx"), "+"),
    "less than a name": (PATCH.format("const [a, b] = useState<string | null>(null);"), "+"),
    "less than a name, twice": (PATCH.format("y = 1 <<n"), "+"),
    "a component": (PATCH.format("<Button onClick={f}>Go</Button>"), "-"),
    "a component in a fence": (f"```\n{PATCH.format('<Button onClick={f}>Go</Button>')}```\n", "+"),
    "a component in a diff": (DIFF.format("<Button onClick={f}>Go</Button>"), "-"),
    "a component in a diff in a fence": (f"```diff\n{DIFF.format('<Button onClick={f}>Go</Button>')}```\n", "+"),
    "an HTML comment": (f"<!--\na.py\n{BLOCK}-->\n", "-"),
    "an HTML comment with a fence": (f"<!--\na.py\n{FENCED}-->\n", "-"),
    "an HTML comment in the block": (edit('<!-- z -->'), "-"),
    "an attribute": (f'<div title="\n{YZ}">\n', "-"),
    "a title": (f"[z](w '\n{YZ}')\n", "-"),
    "the text of an image": (f"![\n{YZ}](z)\n", "-"),
    "the definition of a link": (f'[z]: # "\n{YZ}"\n', "-"),
    "formulas": (f"$$\n{YZ}$$\n", "-"),
    "a formula in a block": (edit('$HOME:$PATH', "a.sh"), "-"),
    **{f"a fence of {name}": (f"a.py\n```{name}\n{BLOCK}```\n", "-") for name in DRAWN},
    "few signs alone": (edit(SIGNS), "+"),
    "signs alone, that stand there": (edit('{[(+)]}!!'), "+"),
    "signs alone, that do not": (edit("****{[(+)]}****"), "-"),
    "signs alone and nothing else": ("*** Begin Patch\n*** Update File: a.py\n@@\n-{\n+[\n*** End Patch\n", "-"),
    "signs in a fence": ("```\n*** Begin Patch\n*** Update File: a.py\n@@\n-{\n+[\n*** End Patch\n```\n", "+"),
    "lines that are indented as code": (PATCH.format("        y").replace("-x", "-        x"), "+"),
    "lines that are indented as code, with signs": (edit("(\n\n        y\n        )\n)"), "+"),
    # the same twice
    "two equal ones": (f"a.py\n{BLOCK}\na.py\n{BLOCK}", "++"),
    # Which of the two stands there cannot be told, and need not be.
    "two equal ones, the first one hidden": (f"Hello\n\n<!--\na.py\n{BLOCK}-->\n\na.py\n{BLOCK}", "+-"),
    "two equal ones, the second one hidden": (f"a.py\n{BLOCK}\n\n<!--\na.py\n{BLOCK}-->\n", "+-"),
    "two equal ones, the first one hidden, for another file": (f"<!--\nb.py\n{BLOCK}-->\n\na.py\n{BLOCK}", "-+"),
    "two that are almost equal, the first one hidden": (f"<!--\na.py\n{OLD.format('z')}-->\n\na.py\n{BLOCK}", "-+"),
    "signs that differ from those of a fence": (f"<!--\na.py\n{OLD.format('a - b')}-->\n{fenced_edit('a + b')}", "-+"),
    "a sign more than in a fence": (f"<!--\na.py\n{FENCED.replace('y', '+y')}-->\na.py\n{FENCED}", "-+"),
    "lines that stand elsewhere in another order": (f"REPLACE y x SEARCH\n<!--\na.py\n{BLOCK}-->\n", "-"),
    "lines that stand elsewhere with others between": (f"{SCATTERED}\n\n<!--\na.py\n{BLOCK}-->\n", "-"),
    # what cannot be read
    "a snippet in a fence": (f"a.py\n{FENCED}\na.py\n```python\nx\n# ... existing code ...\ny\n```\n", "++"),
    # what names the file
    "a path above details": (f"`a.py`\n\n<details>\n<summary>z</summary>\n\n{FENCED}\n</details>\n", "+"),
    "a path in an HTML comment": (f"<!-- a.py -->\n{BLOCK}", "-"),
    "a path in an HTML comment in the fence": (f"```\n<!-- a.py -->\n{BLOCK}```\n", "+"),
    "a heading in an HTML comment, below a link to it": (f"[File: a.py](z)\n<!--\n### File: a.py\n-->\n{FENCED}", "+"),
    "a heading in an HTML comment, below another one": (f"### File: b.py\n<!--\n### File: a.py\n-->\n{FENCED}", "-"),
    "a heading in an HTML comment, above another one": (f"<!--\n### File: a.py\n-->\n[File: b.py](z)\n\n{FENCED}", "-"),
    "a heading in an HTML comment": (f"<!--\n### File: a.py\n-->\ntext\n\n{FENCED}", "-"),
    "a heading": (f"### File: a.py\n\nNow [this](z) :tada:\n\n1. one\n2. two\n\n{FENCED}", "+"),
    "a heading in an attribute": (f'<div title="\n### File: a.py\n">\n\n{FENCED}', "-"),
    "a path in a numbered item": (f"1. `a.py`\n\n{FENCED}", "+"),
    "a path in bold in a fence": (f"**a.py**\n{FENCED}", "+"),
    "a path as a link": (f"[a.py](z)\n{FENCED}", "-"),
    "a path below prose with code over lines": (f"### File: a.py\nUse `x\ny` here.\n\n{FENCED}", "+"),
    "a fence that names its file": (f"```edit:a/b.py\n{BLOCK}```\n", "+"),
    "a fence of tildes that names its file": (f"~~~edit:a/b.py\n{BLOCK}~~~\n", "+"),
    "a fence that names its file with a blank": (f"```edit:a b.py\n{BLOCK}```\n", "-"),
    "a fence that names its file behind a language": (f'```python title="a/b.py"\n{BLOCK}```\n', "-"),
    "a fence that is its path": (f"```a/b.py\n{BLOCK}```\n", "+"),
    "a heading of a diff in an HTML comment": ("<!--\n--- a/a.py\n+++ b/a.py\n-->\n@@ -1 +1 @@\n-x\n+y\n", ""),
    "a diff": (DIFF.format("y"), "+"),
    "a diff with two hunks": (DIFF.format("y") + "@@ -9 +9 @@\n-z\n+w\n", "++"),
    "a patch": (PATCH.format("y"), "+"),
}  # fmt: skip


def verdicts(text: str, **about: Any) -> str:
    """What becomes of each row: `-` hidden, `+` not."""
    rows = apply_response(comment_of(text, **about), FILES.get).rows
    return "".join("-" if row.code is not None and row.code.value == "hidden-block" else "+" for row in rows)


@pytest.mark.parametrize(("text", "expected"), TABLES.values(), ids=TABLES)
def test_rows(text: str, expected: str) -> None:
    assert verdicts(text) == expected


def test_a_suggestion_is_shown_among_the_lines_that_it_changes() -> None:
    lines = ThreadLines(1, 1, "4be1d02c3a9f7e5d8b6a4c2e0f1d3b5a7c9e8f60")
    fence = "```suggestion\ny\nz\n```\n"
    assert verdicts(f"Better:\n\n{fence}", path="a.py", thread_lines=lines) == "+"
    assert verdicts(f"y\nz\n<!--\n{fence}-->\n", path="a.py", thread_lines=lines) == "-"
    assert verdicts(f"{fence}\n<!--\n{fence}-->\n", path="a.py", thread_lines=lines) == "+-"


def test_advice() -> None:
    def reasons(text: str) -> list[str]:
        return [problem.message for problem in apply_response(comment_of(text), FILES.get).problems]

    assert reasons(PATCH.format("<Button>Go</Button>")) == [
        "GitHub does not show lines 3-5 as written; put the block in a code fence"
    ]
    assert reasons(f"<!-- a.py -->\n{FENCED}") == [
        "GitHub does not show the line with the path of the block at lines 3-7; "
        "write the path on the line above the block"
    ]


COMMIT = "4be1d02c3a9f7e5d8b6a4c2e0f1d3b5a7c9e8f60"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"base: {COMMIT}\n\na.py\n{BLOCK}", COMMIT),
        (f"Hello [you](z)\n\nbase: {COMMIT}\n\n1. a.py\n{FENCED}", COMMIT),
        (f"<!--\nbase: {COMMIT}\n-->\na.py\n{BLOCK}", None),
    ],
)
def test_a_base_counts_if_it_is_shown(text: str, expected: str | None) -> None:
    assert apply_response(comment_of(text), FILES.get).base == expected


@pytest.mark.parametrize(
    ("text", "page", "expected"),
    [
        ("/apply 1-3", "<p>/apply 1-3</p>", True),
        ("/apply 1\r\nmore", "<p>/apply 1<br>more</p>", True),
        ("/apply 1-3", "<p>/apply 1</p>", False),
        ("/apply 1", "", False),
    ],
)
def test_a_command_is_shown_by_the_first_line_of_the_page(text: str, page: str, expected: bool) -> None:
    assert shows_first_line(text, page) is expected


ROWS = st.sampled_from(
    [BLOCK, FENCED, PATCH.format("y z"), DIFF.format("y <b>z</b>"), OLD.format("`y"), OLD.format("<!--")]
)
NAMES = st.sampled_from(("a.py", "<!--", "-->", "b.py"))
MIXED = st.one_of(LINE, LINE, ROWS.map(lambda row: f"a.py\n{row}"), ROWS, NAMES)


@given(st.lists(MIXED, min_size=1, max_size=9), st.booleans())
def test_a_row_that_is_shown_has_its_letters_on_the_page_in_order(parts: list[str], has_footnotes: bool) -> None:
    text = "\n".join(parts)
    page = body_html(text, has_footnotes=has_footnotes)
    rows = [(block.line_number, block.end_line) for block in parse_response(text).blocks]
    hidden, shown, at = hidden_lines(text, rows, page), letters(text_of(page)), 0
    for first, last in rows:
        if hidden.isdisjoint(range(first, last + 1)):
            row = letters("".join(text.split("\n")[first - 1 : last]))
            found = shown.find(row, at)
            assert found >= 0, row
            at = found + len(row)


# pages of others


def page_of(line: str, code: str) -> str:
    return f"<p>{line}</p><pre>{escape(code)}</pre>"


LIES: dict[str, str] = {
    "nothing": "",
    "another text": "<p>Hello</p>",
    "an attribute": f'<p title="{letters(BLOCK)}">Hello</p>',
    "a comment": f"<!-- {BLOCK} -->",
    "a script": f"<script>{BLOCK}</script>",
    "a formula that never ends": "<math-renderer>" + page_of("a.py", BLOCK),
    "behind a tag that never ends": "<p>Hello</p><a title='>" + page_of("a.py", BLOCK),
    "one line too few": page_of("a.py", OLD.format("")),
    "one line too many": page_of("a.py", OLD.format("y\nz")),
    "in another order": page_of("Hello", BLOCK) + "<p>a.py</p>",
}


def test_a_page_that_has_the_block_shows_it() -> None:
    assert verdicts(f"a.py\n{BLOCK}", page=page_of("a.py", BLOCK)) == "+"


@pytest.mark.parametrize("page", LIES.values(), ids=LIES)
def test_a_page_without_the_block_hides_it(page: str) -> None:
    assert verdicts(f"a.py\n{BLOCK}", page=page) == "-"


HOSTILE: dict[str, str] = {
    "elements in elements": "<div>" * 50_000,
    "elements that never end": "<b>x" * 50_000,
    "tags that never end": "<a " * 100_000,
    "attributes that never end": "<a b='" * 100_000,
    "attributes": f"<a {'b=c ' * 100_000}>",
    "values": "<a" + ' b="c"' * 100_000 + ">",
    "comments that never end": "<!--" * 100_000,
    "signs": "<" * 300_000,
    "ends": "</p>" * 50_000,
    "fences": '<pre lang="x">' * 50_000,
    "lines": "x\n" * 200_000,
}


@pytest.mark.parametrize("page", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.long(after=1)
def test_a_hostile_page_is_read_at_once(page: str) -> None:
    assert len(page) < LONGEST_PAGE
    assert verdicts(f"a.py\n{BLOCK}" * 20, page=page) == "-" * 20


HARD: dict[str, Callable[[int], str]] = {
    **RESPONSES,
    "quotes of every depth": lambda n: staircase(lambda indent: ">" * len(indent) + "x\n", n, "\n"),
    "items of every depth": lambda n: staircase(lambda indent: indent + "- x\n", n, "\n"),
    "items in items on one line, then blank lines": lambda n: "- " * (n // 4) + "x\n" + "\n" * (n // 2),
    "a tag that never ends": lambda n: "<div\n" + fill("a=b\n", n),
    "tags that end late": lambda n: fill("<div\n" + "a=b\n" * 30 + ">\n", n),
    "a tag in mid-line that never ends": lambda n: "x <a\n" + fill("a=b\n", n),
    "an attribute that never ends": lambda n: '<div a="\n' + fill("x\n", n),
    "attributes that never end": lambda n: fill('x <a b="\n', n),
    "tags on one line": lambda n: fill("<a b='c'>", n),
    "tags left open on one line": lambda n: fill("x <a ", n),
    "brackets on one line": lambda n: fill("![a](b [", n),
    "brackets": lambda n: fill("[", n),
    "open images on one line": lambda n: fill("![", n),
    "links on one line": lambda n: fill("[a](", n),
    "definitions": lambda n: fill("[x]: #\n", n),
    "runs of every length": lambda n: "".join("`" * size + " " for size in range(1, int((2 * n) ** 0.5))),
    "runs of one length": lambda n: fill("` ", n),
    "escapes": lambda n: fill("\\`", n),
    "hidden elements of every name": lambda n: "".join(f"<a{number} hidden>\n" for number in range(n // 16)),
    "rows": lambda n: "a|b\n-|-\n" + fill("a|b\n", n),
    "scripts": lambda n: fill("<script>\nx\n</script>\n", n),
    "carriage returns between text": lambda n: fill("x\r", n),
}


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in RESPONSES else name for name in HARD]
)
def test_comparing_takes_calls_in_proportion(name: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        text = HARD[name](size)
        page = body_html(text)
        return lambda: hidden_lines(text, [], page)

    assert growth(work, 4_096) <= FLAT


def test_a_row_of_equal_lines_is_compared_with_a_page_of_such_lines_at_once() -> None:
    lines = "x\n" * 15_000
    patch = PATCH.format("x" + "\n+x" * 5_000)
    assert verdicts(f"{lines}\n<!--\n{patch}-->\n", page=f"<p>{lines}</p>") == "-"


def test_equal_rows_take_calls_in_proportion() -> None:
    def work(size: int) -> Callable[[], Any]:
        text = "a.py\n" + BLOCK * (size // len(BLOCK))
        rows = [(first, first + 4) for first in range(2, text.count("\n"), 5)]
        page = body_html(text)
        return lambda: read_page(page) and hidden_lines(text, rows, page)

    assert growth(work, 4_096) <= FLAT
