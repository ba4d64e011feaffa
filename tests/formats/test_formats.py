"""Every format: what is written is read again; names, order and balance of its markers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.formatcases import SAMPLES, WRITERS, Parts, expected
from support.responses import block

from editblocks import EditBlock, Problem, parse_response
from editblocks.formats.grammar import Grammar
from editblocks.parsing.parse import FORMAT_NAMES, FORMATS, formats_named

LINES = [
    "x = 1",
    "",
    "    return x",
    "\tend",
    "}",
    "# a comment",
    "  - item",
    "``` py",
    "<p>",
    "> quoted",
    "base: abcdef1",
    "a.py",
]
ODD = ["======", "---", "------", "<<<<", ">>>>>>", "=" * 10, "<!-- open", "### File: z.py", "«««", "═══", "</details>"]
TEXT = st.lists(st.sampled_from(LINES + ODD), max_size=5).map(lambda lines: "".join(f"{line}\n" for line in lines))
WRAPPED: dict[str, str] = {
    "plain": "Here it is:\n\npkg/a.md\n{}",
    "fence": "pkg/a.md\n```python\n{}```\n",
    "path inside": "```\npkg/a.md\n{}```\n",
    "tilde fence, longer": "`pkg/a.md`:\n\n~~~~~\n{}~~~~~\n",
    "tag": "pkg/a.md\n<source>python\n{}</source>\n",
    "details": "<details>\n<summary>More</summary>\n\npkg/a.md\n{}</details>\n",
    "heading": "### File: pkg/a.md\n\nSome words.\n\n{}\nAnd more.\n",
    "info string": "```md:pkg/a.md\n{}```\n",
    "edit fence": "```edit:pkg/a.md\n{}```\n",
    "edit action": '<boltAction filePath="pkg/a.md" type="edit">\n{}</boltAction>\n',
    "path line in an action": "<boltAction type='edit'>\npkg/a.md\n{}</boltAction>\n",
    "unclosed fence": "pkg/a.md\n```\n{}",
}


def parts(found: EditBlock) -> Parts:
    return found.anchor, found.old_lines, found.new_lines, found.trailing_anchor


PAIRS = [
    (name, wrapped)
    for name in sorted(WRITERS)
    for wrapped in sorted(WRAPPED)
    if name != "bolt-file" or "action" not in wrapped  # an action in an action is none
]
FOUR = st.tuples(TEXT, TEXT, TEXT, TEXT)


@given(FOUR, st.sampled_from(PAIRS), st.booleans())
def test_a_block_is_read_as_it_was_written(sections: Parts, pair: tuple[str, str], crlf: bool) -> None:
    name, wrapped = pair
    response = WRAPPED[wrapped].format(WRITERS[name](*sections))
    parsed = parse_response(response.replace("\n", "\r\n") if crlf else response)
    assert parsed.problems == ()
    [found] = parsed.blocks
    assert (found.file_path, parts(found)) == ("pkg/a.md", expected(name, *sections))
    assert parsed.unbalanced == ""


@given(FOUR, st.sampled_from(["edit-v2", "edit-v3", "new-file", "diff", "cline", "roo"]))
def test_a_block_in_a_list_loses_the_indentation_of_its_item(sections: Parts, name: str) -> None:
    written = WRITERS[name](*sections).splitlines(True)
    item = "".join(f"   {line}" if line.strip() else line for line in ["`pkg/a.md`\n", *written])
    [found] = parse_response(f"1. First:\n\n{item}").blocks
    assert parts(found) == expected(name, *sections)


NAMES = {
    "diff": "a.py\n```\n{}```\n",
    "diff-fenced": "```\na.py\n{}```\n",
    "edit-fence": "```edit:a.py\n{}```\n",
    "file-section": "### File: a.py\n{}",
    "bolt-edit": '<boltAction type="edit">\na.py\n{}</boltAction>\n',
}


@pytest.mark.parametrize(("name", "wrapped"), NAMES.items(), ids=NAMES)
def test_a_search_replace_block_is_named_for_where_its_path_stands(name: str, wrapped: str) -> None:
    once = block("x\n", "y\n", "")
    assert [found.format for found in parse_response(wrapped.format(once + once)).blocks] == [name, name]


@pytest.mark.parametrize("wrapped", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("name", ["cline", "roo"])
def test_a_block_of_another_dialect_has_one_name_wherever_its_path_stands(name: str, wrapped: str) -> None:
    once = WRITERS[name]("", "x\n", "y\n", "")
    assert [found.format for found in parse_response(wrapped.format(once + once)).blocks] == [name, name]


HINTS = {
    "a number": (":start_line:7\n", 7),
    "blanks": (":start_line: \t7 \t\n", 7),
    "zeros in front": (":start_line:007\n", 7),
    "an end that differs": (":start_line:7\n:end_line:99\n", 7),
    "a rule": (":start_line:7\n-------\n", 7),
    "the largest": (":start_line:999999999\n", 999_999_999),
    "no header": ("", None),
    "too large": (f":start_line:{'9' * 5000}\n", "malformed"),
    "negative": (":start_line:-7\n", "malformed"),
    "other digits": (":start_line:\u0667\n", "malformed"),
    "a remark": (":start_line:7 or so\n", "malformed"),
}


@pytest.mark.parametrize(("header", "expected"), HINTS.values(), ids=HINTS)
def test_the_number_of_a_line_is_a_hint(header: str, expected: int | str | None) -> None:
    parsed = parse_response(block(f"{header}x\n", "y\n"))
    rows = [*(each.line_hint for each in parsed.blocks), *(each.code.value for each in parsed.problems)]
    assert (rows, [each.old_lines for each in parsed.blocks]) == (
        [expected],
        [] if expected == "malformed" else ["x\n"],
    )


def test_every_name_belongs_to_one_format() -> None:
    assert len(FORMAT_NAMES) == len(set(FORMAT_NAMES))
    assert formats_named(FORMAT_NAMES) == FORMATS
    assert [grammar.names for grammar in formats_named(["editor-diff", "diff", "edit-v2"])] == [
        FORMATS[0].names,
        ("edit-v2",),
    ]


@pytest.mark.parametrize("opener", SAMPLES)
@pytest.mark.parametrize("cut", [False, True], ids=["closed", "cut off"])
def test_a_format_that_was_not_asked_for_is_said(opener: str, cut: bool) -> None:
    text = SAMPLES[opener]
    text = text[: text.rindex("\n", 0, -1) + 1] if cut else text
    others = [each for each in FORMATS if not isinstance(each, Grammar) or (each.header or each.opener.text) != opener]
    [problem] = parse_response(text, others).problems
    assert isinstance(problem, Problem)
    assert problem.code.value == "unsupported-format"
    assert problem.message.startswith(f"`{opener}` (line ")


OUT_OF_ORDER = {
    "one rule": ("x\n-------\ny\n=======\nz\n", "------- ======= at lines 4, 6"),
    "a divider alone": ("x\n=======\nz\n", "======= at line 4"),
    "two dividers": ("x\n-------\n=======\n=======\nz\n", "------- ======= ======= at lines 4, 5, 6"),
    "the divider first": ("=======\n-------\nx\n-------\n", "======= ------- ------- at lines 3, 4, 6"),
    "the divider last": ("-------\nx\n-------\n=======\n", "------- ------- ======= at lines 3, 5, 6"),
}


@pytest.mark.parametrize(("inside", "found"), OUT_OF_ORDER.values(), ids=OUT_OF_ORDER)
def test_separators_out_of_order(inside: str, found: str) -> None:
    [problem] = parse_response(f"a.py\n<<<<<<< EDIT\n{inside}>>>>>>>\n").problems
    assert problem.code.value == "malformed"
    assert problem.message == (
        f"expected ------- ======= ------- in this order, found {found}; write all three, even if a part is empty"
    )


BALANCE = {
    "nothing": ("", ""),
    "one of each": (block("x\n", "y\n"), ""),
    "an opener too many": (block("x\n", "y\n")[:-16] + 2 * block("x\n", "y\n"), "3 SEARCH, 2 REPLACE"),
    "a closer too many": (block("x\n", "y\n") + "text\n>>>>>>> REPLACE\n", "1 SEARCH, 2 REPLACE"),
    "a doubled closer": (block("x\n", "y\n") + ">>>>>>> REPLACE\n", ""),
    "two formats": ("a.py\n<<<<<<< EDIT\n\n««« EDIT\n", "1 EDIT, 0 >>>>>>>, 1 ««« EDIT, 0 »»» EDIT END"),
    "a new file": ("a.py\n<<<<<<< NEW_FILE\nx\n", "1 <<<<<<< NEW_FILE, 0 >>>>>>> NEW_FILE"),
    "an action": ('<boltAction type="file" filePath="a">\nx\n', "1 <boltAction>, 0 </boltAction>"),
    "an action on its line": ('<boltAction type="file" filePath="a">x</boltAction>\n', ""),
}


@pytest.mark.parametrize(("text", "said"), BALANCE.values(), ids=BALANCE)
def test_openers_and_closers_that_do_not_balance_are_counted(text: str, said: str) -> None:
    assert parse_response(text).unbalanced == said


def test_blocks_by_file() -> None:
    text = block("a\n", "b\n") + block("c\n", "d\n", "b.py") + block("e\n", "f\n")
    found = parse_response(text).by_file
    assert [(path, [each.number for each in blocks]) for path, blocks in found.items()] == [
        ("a.py", [1, 3]),
        ("b.py", [2]),
    ]


def test_two_hundred_blocks_over_twenty_files() -> None:
    text = "".join(block(f"x{n}\n", f"y{n}\n", f"pkg/file{n % 20}.py") + "\n" for n in range(200))
    parsed = parse_response(text)
    assert (len(parsed.blocks), parsed.problems, len(parsed.by_file)) == (200, (), 20)
    assert [each.old_lines for each in parsed.by_file["pkg/file7.py"]] == [f"x{n}\n" for n in range(7, 200, 20)]


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_lines_of_ten_thousand_characters(name: str) -> None:
    line = "x" * 9_999 + "\n"
    text = "pkg/a.md\n" + WRITERS[name]("", line, line.upper(), "")
    [found] = parse_response(text).blocks
    assert (found.search + found.replace).count(line.upper()) == 1
