"""Whether a line is hidden on the page, held against the renderer that GitHub wrote and a browser's parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import Element

import cmarkgfm
import html5lib
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_responses import FLAT, RESPONSES, fill, growth, staircase

from editblocks.hosts.github.page import Page, hidden_lines

WORD = "EDITQ"
S = f"««« {WORD}"  # the line that is asked about


def hides(text: str) -> bool:
    """Whether the line of the text that holds the word is hidden."""
    lines = text.split("\n")
    return Page(lines).hides(next(number for number, line in enumerate(lines) if WORD in line))


MUST_HIDE: dict[str, str] = {
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

# A reader sees these, and nobody has to know Markdown that well to say so: refused.
IN_DOUBT: dict[str, str] = {
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


@pytest.mark.parametrize("text", [*MUST_HIDE.values(), *IN_DOUBT.values()], ids=[*MUST_HIDE, *IN_DOUBT])
def test_hidden(text: str) -> None:
    assert hides(text)


@pytest.mark.parametrize("text", MUST_SHOW.values(), ids=MUST_SHOW)
def test_shown(text: str) -> None:
    assert not hides(text)
    assert is_seen(text, WORD)


def test_a_tag_of_many_indented_lines_is_read_once() -> None:
    lines = ["<div>", "<a", *["        x" * 9] * 9, "text"]
    assert Page(lines).hides(len(lines) - 1)


def test_lines_may_be_asked_in_any_order() -> None:
    lines = ["<!--", "a", "-->", "b"]
    page = Page(lines)
    assert [page.hides(number) for number in (3, 1, 3, 0)] == [False, True, False, True]


def test_a_line_is_not_judged_by_what_follows() -> None:
    lines = ["text `", "b"]
    page = Page(lines)
    assert not page.hides(1)
    lines += ["<!--", "c"]
    assert page.hides(3)


EXTENSIONS = ("table", "autolink", "strikethrough", "tasklist", "tagfilter")
# What GitHub takes away of elements that it does not know is their tags: their text stays.
UNKNOWN = re.compile(
    r"(?i)</?(?:template|svg|math|select|datalist|object|video|audio|canvas|dialog|rp|progress|meter|noscript|head)\b"
)


def pages(text: str) -> Iterator[str]:
    """The HTML of the text as GitHub renders it, with footnotes or without."""
    for footnotes in (0, Options.CMARK_OPT_FOOTNOTES):
        options = Options.CMARK_OPT_UNSAFE | footnotes
        page = cmarkgfm.markdown_to_html_with_extensions(text, options, list(EXTENSIONS))
        yield UNKNOWN.sub(lambda found: "</span" if found[0][1] == "/" else "<span", page)


def shown_text(node: Element) -> Iterator[str]:
    """The text of an element; a comment's tag is no string."""
    if isinstance(node.tag, str):
        yield node.text or ""
        for child in node:
            yield from shown_text(child)
    yield node.tail or ""


def is_seen(text: str, word: str) -> bool:
    """Whether the word is text that a browser shows, on every kind of page."""
    trees = (html5lib.parse(f"<!doctype html><body>{page}", namespaceHTMLElements=False) for page in pages(text))
    return all(word in "".join(shown_text(tree)) for tree in trees)


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
    lines = [*above, asked, *below]
    text = "\r\n".join(lines) + "\r\n"
    assert Page(lines).hides(len(above)) or is_seen(text, WORD)


@pytest.mark.long
@given(st.lists(LINE, min_size=1, max_size=30), ASKED, st.lists(LINE, max_size=9))
def test_what_a_long_page_does_not_show_is_hidden(above: list[str], asked: str, below: list[str]) -> None:
    lines = [*above, asked, *below]
    text = "\r\n".join(lines) + "\r\n"
    assert Page(lines).hides(len(above)) or is_seen(text, WORD)


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


FENCED = st.builds(in_fence, st.sampled_from(("```", "````")), st.just(""), CODES)
PARTS = st.one_of(
    FENCED,
    st.builds(lambda codes: ["- item", "", *in_fence("```", "  ", codes)], CODES),
    st.builds(lambda codes: ["1. item", *in_fence("```", "   ", codes)], CODES),
    st.builds(lambda codes: ["12. item", "", *in_fence("````", "    ", codes)], CODES),
    st.builds(lambda codes: ["*   item", *in_fence("```", "    ", codes)], CODES),
    st.builds(lambda codes: ["1.  a", "    - b", *in_fence("```", "      ", codes)], CODES),
    st.builds(lambda codes: ["<details><summary>x</summary>", "", *codes, "", "</details>"], FENCED),
    st.builds(lambda codes: ["src/a.py", *edit_v3(codes)], PLAIN_CODES),
    st.builds(lambda codes: ["<!--", "  note `", "", "-->", *edit_v3(codes)], PLAIN_CODES),
    st.builds(lambda prose, codes: [*prose, "", *edit_v3(codes)], PROSE, PLAIN_CODES),
)


@given(st.lists(st.tuples(PROSE, PARTS).map(lambda part: [*part[0], "", *part[1], ""]), min_size=1, max_size=5))
def test_ordinary_answers_are_shown(parts: list[list[str]]) -> None:
    lines = [line for part in parts for line in part]
    page = Page(lines)
    assert [number for number, line in enumerate(lines) if WORD in line and page.hides(number)] == []


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
def test_reading_a_page_takes_calls_in_proportion(name: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        lines = HARD[name](size).split("\n")
        return lambda: Page(lines).hides(len(lines) - 1)

    assert growth(work, 4_096) <= FLAT


@given(st.lists(LINE, min_size=1, max_size=9))
def test_a_text_that_hides_nothing_is_known_at_once(lines: list[str]) -> None:
    page = Page(lines)
    expected = {number for number in range(1, len(lines) + 1) if page.hides(number - 1)}
    assert hidden_lines("\r\n".join(lines)) == expected
