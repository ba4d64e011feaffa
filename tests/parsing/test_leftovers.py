"""Which lines are left-over blocks, and which only look like some."""

import pytest

from editblocks.faces.hooks.leftovers import PRAGMA, hook_needles, leftovers, sentence
from editblocks.parsing.parse import FORMATS, GRAMMARS, scanner_of

SR = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
CLINE = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n"
V2 = "<<<<<<< EDIT\nx\n-------\na\n=======\nb\n-------\ny\n>>>>>>>\n"
V3 = "««« EDIT\na\n═══════ REPL\nb\n»»» EDIT END\n"
NEW = "<<<<<<< NEW_FILE\na\n>>>>>>> NEW_FILE\n"
BOLT = '<boltAction type="file" filePath="a.py">\na\n</boltAction>\n'

INVOKE = """\
<invoke name="Edit">
<parameter name="file_path">a.py</parameter>
<parameter name="new_string">b</parameter>
</invoke>
"""
TOOL = "<write_to_file>\n<path>a.py</path>\n<content>\nb\n</content>\n</write_to_file>\n"
JSON = '{"file_path": "a.py", "old_string": "a", "new_string": "b"}\n'

LEFT: list[tuple[str, str, tuple[tuple[int, ...], ...]]] = [
    ("SEARCH/REPLACE", f"x = 1\n{SR}", ((2, 4, 6),)),
    ("older words", "<<<<<<< ORIGINAL\na\n=======\nb\n>>>>>>> UPDATED\n", ((1, 3, 5),)),
    ("another length", "<<<<<<<<< SEARCH\na\n=======\n=========\nb\n>>>>>>>>> REPLACE\n", ((1, 4, 6),)),
    ("a length of its own for each", "<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", ((1, 5),)),
    ("dashes and pluses", CLINE, ((1, 3, 5),)),
    ("dashes and pluses, with a divider of another length", CLINE.replace("=" * 7, "=" * 8), ((1, 5),)),
    ("with the number of a line", SR.replace("a\n", ":start_line:1\n-------\na\n"), ((1, 5, 7),)),
    ("EDIT v2", V2, ((1, 3, 5, 7, 9),)),
    ("EDIT v3", V3, ((1, 3, 5),)),
    ("a new file", NEW, ((1, 3),)),
    ("an action", BOLT, ((1, 3),)),
    ("an action on one line", '<boltAction type="file" filePath="a.py">a</boltAction>\n', ((1,),)),
    ("an action around a block", f'<boltAction type="edit" filePath="a">\n{SR}</boltAction>\n', ((2, 4, 6), (1, 7))),
    ("one of each", SR + V3 + BOLT, ((1, 3, 5), (6, 8, 10), (11, 13))),
    ("indented", "".join(f"    {line}\n" for line in SR.splitlines()), ((1, 3, 5),)),
    ("in a fence", f"```\n{SR}```\n", ((2, 4, 6),)),
    ("without a divider", "<<<<<<< SEARCH\n>>>>>>> REPLACE\n", ((1, 2),)),
    ("behind an opener that has no closer", f"<<<<<<< SEARCH\n{SR}", ((2, 4, 6),)),
    ("within another", f"<<<<<<< NEW_FILE\n{SR}>>>>>>> NEW_FILE\n", ((2, 4, 6), (1, 7))),
    ("with CRLF", SR.replace("\n", "\r\n"), ((1, 3, 5),)),
    ("behind a byte order mark", f"\ufeff{SR}", ((1, 3, 5),)),
    ("at the very end", SR[:-1], ((1, 3, 5),)),
    ("in a file with bytes that are no UTF-8", f"\ufffd\n{SR}", ((2, 4, 6),)),
    ("a call", f"x\n{INVOKE}", ((2, 5),)),
    ("a call in the tag of its tool", TOOL, ((1, 6),)),
    ("two calls", INVOKE + TOOL, ((1, 4), (5, 10))),
    ("a call that holds a block", TOOL.replace("b\n", SR), ((4, 6, 8), (1, 10))),
    ("a call behind one without an end", INVOKE.replace("</invoke>\n", "") + INVOKE, ((4, 7),)),
    ("a call on one line", INVOKE.replace("\n", ""), ((1, 1),)),
    ("with the pragma in the block", SR.replace("b", PRAGMA), ((1, 3, 5),)),
    ("with half a pragma", f"editblocks: allow\n{SR}", ((2, 4, 6),)),
]


@pytest.mark.parametrize(("claim", "text", "found"), LEFT, ids=[row[0] for row in LEFT])
def test_what_is_left_over(claim: str, text: str, found: tuple[tuple[int, ...], ...]) -> None:
    assert leftovers(text) == found, claim


FINE = [
    ("a call as JSON", JSON),
    ("a call as JSON in a tag", f"<tool_call>\n{JSON}</tool_call>\n"),
    ("a call as a function", "<function=edit>\n<parameter=new_string>b</parameter>\n</function>\n"),
    ("a call of GLM", "<tool_call>edit\n<arg_key>new_string</arg_key>\n<arg_value>b</arg_value>\n</tool_call>\n"),
    ("a call without an end", INVOKE.replace("</invoke>\n", "")),
    ("a call without a text", INVOKE.replace("new_string", "offset")),
    ("a tag that no tool has", TOOL.replace("write_to_file", "entry")),
    ("nothing", ""),
    ("a heading", "Title\n=======\n\nText\n-------\n"),
    ("a rule above words", "-------\nSEARCH\n=======\nb\n+++++++ REPLACE\n"),
    ("the opener of one and the closer of another", "------- SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"),
    ("a conflict of git", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"),
    ("a conflict with its base", "<<<<<<< ours\na\n||||||| base\n=======\nb\n>>>>>>> theirs\n"),
    ("a conflict with a branch of that name", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> REPLACE\n"),
    ("a conflict without a name", "<<<<<<<\na\n=======\nb\n>>>>>>>\n"),
    ("an opener", "<<<<<<< SEARCH\na\n=======\nb\n"),
    ("a closer", "=======\nb\n>>>>>>> REPLACE\n"),
    ("a closer before the opener", ">>>>>>> REPLACE\n<<<<<<< SEARCH\n"),
    ("an opener and another's closer", "<<<<<<< SEARCH\na\n>>>>>>> NEW_FILE\n»»» EDIT END\n"),
    ("in a comment", "".join(f"# {line}\n" for line in SR.splitlines())),
    ("quoted", "".join(f"> {line}\n" for line in SR.splitlines())),
    ("in a patch", "".join(f"+{line}\n" for line in SR.splitlines())),
    ("in a string", 'x = "<<<<<<< SEARCH"\ny = ">>>>>>> REPLACE"\n'),
    ("on one line", "<<<<<<< SEARCH ======= >>>>>>> REPLACE\n"),
    ("too short", SR.replace("<<<<<<<", "<<<<").replace(">>>>>>>", ">>>>")),
    ("too long", SR.replace("<<<<<<<", "<" * 10).replace(">>>>>>>", ">" * 10)),
    ("an action that runs something", '<boltAction type="shell">\nls\n</boltAction>\n'),
    ("a here-string", "cat <<<<< SEARCHED\n"),
    ("the pragma above", f"# {PRAGMA}\n{SR}"),
    ("the pragma below, without a line end", f"{SR}{V3}<!-- {PRAGMA} -->"),
    ("the pragma between blocks", f"{SR}{PRAGMA}\n{SR}"),
]


@pytest.mark.parametrize(("claim", "text"), FINE, ids=[row[0] for row in FINE])
def test_what_is_none(claim: str, text: str) -> None:
    assert leftovers(text) == (), claim


SENTENCES = [
    (((41, 44, 47),), "edit-block markers at lines 41, 44 and 47 of a.py; apply or remove the block"),
    (((1,),), "edit-block markers at line 1 of a.py; apply or remove the block"),
    (((2, 4, 6), (1, 7)), "edit-block markers at lines 1, 2, 4, 6 and 7 of a.py; apply or remove the blocks"),
    (((1, 2, 3), (4, 5, 6)), "edit-block markers at lines 1, 2, 3, 4, 5 and 6 of a.py; apply or remove the blocks"),
    (
        ((1, 2, 3), (4, 5, 6, 7)),
        "edit-block markers at lines 1, 2, 3, 4, 5 and 2 more of a.py; apply or remove the blocks",
    ),
]


@pytest.mark.parametrize(("found", "said"), SENTENCES)
def test_the_sentence(found: tuple[tuple[int, ...], ...], said: str) -> None:
    assert sentence(found, "a.py") == said


def test_every_opener_of_every_format_is_looked_for() -> None:
    """What git searches for is in each spelling of each opener that the scan knows."""
    words = ("SEARCH", "SEARCH>", "ORIGINAL", "EDIT", "NEW_FILE")
    spelled = [f"{'<' * size} {word}" for size in range(5, 10) for word in words]
    spelled += [f"{'-' * size} SEARCH" for size in range(5, 10)]
    spelled += ["««« EDIT", '<boltAction type="file" filePath="a">', '<boltAction type="edit">']
    openers = [token for line in spelled for token in scanner_of(FORMATS).scan(f"{line}\n", 0)]
    assert {grammar.opener for grammar in GRAMMARS} <= {token.kind for token in openers}
    assert len(openers) == len(spelled)
    assert all(any(needle in line for needle in hook_needles(FORMATS)) for line in spelled)


MANY = [
    ("blocks", SR * 20_000, 20_000),
    ("openers", "<<<<<<< SEARCH\n" * 20_000, 0),
    ("closers", ">>>>>>> REPLACE\n" * 20_000, 0),
    ("openers, then one closer", "<<<<<<< SEARCH\n" * 20_000 + ">>>>>>> REPLACE\n", 1),
    ("dividers in a block", f"<<<<<<< SEARCH\n{'=' * 7}\n" + "=======\n" * 20_000 + ">>>>>>> REPLACE\n", 1),
    ("one long line", "<" * 1_000_000, 0),
]


@pytest.mark.parametrize(("claim", "text", "count"), MANY, ids=[row[0] for row in MANY])
@pytest.mark.long(after=1)
def test_a_hostile_file_ends_in_a_short_sentence(claim: str, text: str, count: int) -> None:
    found = leftovers(text)
    assert len(found) == count, claim
    assert all(len(sentence(found, "a.py")) < 120 for _ in found[:1])
