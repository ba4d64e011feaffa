"""Which lines of a replacement stand for others: docs/reference/rules.md, "placeholders".

What is no such line matters most.
"""

import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

import editblocks
from editblocks import EditResult, Settings, apply_response, retry_prompt
from editblocks.matching.placeholder_lines import stands_for_others

FILE = "def f():\n    a = 1\n    b = 2\n    return a\n"
SURE = (
    "# ... existing code ...", "#...existing code...", "# … existing code …", "... existing code ...",
    "# (same as before)", "# unchanged", "# (unchanged)", "# remains unchanged", "// rest of the function",
    "<!-- ... -->", "/* ... */", "{/* ... */}", "(* ... *)", "{# ... #}", "# ...", "// ...", "-- ...", "; ...", "% ...",
    "# [...]", "# TODO: keep existing logic", "# Keep all existing methods", "# existing code here",
    "# ... existing test case ...", "// ... rest of the case ...",
    "// ... remaining methods", "# remaining methods...", "# ... other imports", "# other imports ...",
    "{/* ... existing JSX ... */}", "/* rest of your styles */", "-- rest of the query", "# snip",
    "% ... rest of the document ...",
    "# [rest of the code remains unchanged]", "// ... (rest of the code remains the same)", "# rest unchanged",
    "// The rest of the class stays the same", "# ... implementation ...", "# ... keep the rest of the file as is",
    "# Everything else stays the same", "// ...rest of component", "# code omitted for brevity", "# <existing code>",
    "# ... rest of __init__ ...", "// ... all other routes remain the same", "# ... no changes here",
    "# ... existing tests for foo ...", "# --- existing code ---", "# Other existing methods remain unchanged",
    "# [Previous implementation remains the same]", "\t# ... rest of the existing functions remain unchanged ...",
    "pass  # rest of the method unchanged", "...  # existing code", '""" ... existing code ... """',
    "# remainder unchanged", "# keep the rest as is", "# code above unchanged", "# remainder of the function",
    "# implementation continues as before", "# continue with existing implementation", "# same as original",
    "# Rest of code here", "# ... same as above ...", "# Previous code remains here",
    "# insert existing code here", "; rest of the function", "# . . .", "# ⋮", "# ⋮ existing code ⋮",
)  # fmt: skip
PERHAPS = (
    "y = 2  # ... existing code ...", "c()  // rest of the function", "timeout = 5  # same as before",
    "# No changes.", "# original code", "# leave as is", "# (truncated)", "# etc.", '"""Existing implementation."""',
    "...", "…", "    ...", "# remaining columns", "# Other methods", "# The rest",
)  # fmt: skip
NONE = (
    "x = ...", "def f(): ...", "# the rest is history", "print('...')", "remaining = 3", "existing code", "....",
    "# see the docs", "return rest", "# same as above", "# existing", "# The original function",
    "# Existing session case",
    "# Do what the browsers do, despite standards...", "# ... and do it!", "# ... Clean up.", "...  # code goes here",
    "... @property", "...     Parameters", "# ...plus our unbound method...", "# Error cases...", "# ......",
    "#    ,...",
    "# More tests", "# Other people's code", "# " + "existing " * 30 + "code ...", "x = 1  # unchanged", "#", "",
    "...rest", "...rest,", "...$rest,", "...args", "    ...previous,", "...other.items,", "...remaining[0],",
    "...rest()",
    "...rest: Props,", "... rest", "...@rest;", "...existing}", "...omitted)", "...unchanged!",
    "# ... " + "the " * 48, "x = 1  # ...", "x = 1  # the default", '"""..."""', "print('# existing code ')",
)  # fmt: skip


def row(search: str, replace: str, *, path: str = "a.py", file: str = FILE, placeholders: str = "refuse") -> EditResult:
    text = f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"
    [result] = apply_response(text, {path: file.encode()}.get, settings=Settings(placeholders=placeholders)).results
    return result


def verdict(result: EditResult) -> str:
    return "refused" if result.code else "noted" if any(n.code == "placeholder" for n in result.notes) else "taken"


LINES = [
    *((line, "refused") for line in SURE),
    *((line, "noted") for line in PERHAPS),
    *((line, "taken") for line in NONE),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_lines_that_stand_for_others(line: str, expected: str) -> None:
    assert verdict(row("    b = 2\n", f"    b = 3\n{line}\n")) == expected


CREATED = {
    "# ...": "noted",
    "// ...": "noted",
    "...": "noted",
    "# .....": "taken",
    "# other imports": "noted",
    "...rest,": "taken",
    "# ... existing code ...": "refused",
    "# rest of the function": "refused",
    "... existing code ...": "refused",
}


@pytest.mark.parametrize(("line", "expected"), CREATED.items())
def test_in_a_new_file_only_words_are_refused(line: str, expected: str) -> None:
    text = f"b.py\n<<<<<<< SEARCH\n=======\na = 1\n{line}\n>>>>>>> REPLACE\n"
    [result] = apply_response(text, lambda _: None).results
    assert verdict(result) == expected


@pytest.mark.parametrize("line", [*SURE, *PERHAPS])
def test_where_they_are_meant_a_note_says_it(line: str) -> None:
    assert verdict(row("    b = 2\n", f"    b = 3\n{line}\n", placeholders="warn")) == "noted"


def among(*lines: str) -> str:
    return "".join(f"    {line}\n" for line in lines)


# SEARCH, REPLACE, and what becomes of the block
PLACES: dict[str, tuple[str, str, str]] = {
    "SEARCH holds it": ("    return a\n# unchanged\n", "    return b\n# unchanged\n", "taken"),
    "SEARCH holds it, indented otherwise": ("    return a\n# unchanged\n", "    return b\n    # unchanged\n", "taken"),
    "a comment above": (among("b = 2"), among("# returned", "# unchanged", "b = 3"), "noted"),
    "a comment below": (among("b = 2"), among("# unchanged", "# by f", "b = 3"), "noted"),
    "dots in a comment": (among("b = 2"), among("# a", "# ...", "# z", "b = 3"), "noted"),
    "dots and words in a comment": (among("b = 2"), among("# ... existing code ...", "# and more", "b = 3"), "refused"),
    "in a comment of several lines": (among("b = 2"), "/*\n * ... existing code ...\n */\n", "refused"),
    "prose in a comment of several lines": (among("b = 2"), "/**\n * Unchanged.\n * ...\n */\n", "noted"),
    "a heading": (among("b = 2"), among("# other variables", "b = 3"), "noted"),
    "a heading in place of one line": (among("b = 2"), among("# other variables"), "noted"),
    "a heading, and lines are lost": (among("a = 1", "b = 2"), among("# other variables"), "refused"),
    **{
        f"{line}, and lines are lost": (among("a = 1", "b = 2"), among(line), "refused")
        for line in (
            "# original code",
            "# leave as is",
            "# (truncated)",
            "# etc.",
            "# .....",
            "# no changes below",
            "# continue with the rest",
            "# and so on",
        )
    },
    "a heading in what is only added": (among("b = 2"), among("b = 2", "# Existing logic"), "noted"),
    "what is only added, with dots": (among("b = 2"), among("b = 2", "# ... existing code ..."), "refused"),
    "perhaps, and then surely": (among("b = 2"), among("...", "# ... existing code ..."), "refused"),
    "surely, and then surely": (among("b = 2"), among("# ... existing code ...", "b = 3", "# ..."), "refused"),
    "twice perhaps": (among("b = 2"), among("...", "b = 3", "..."), "noted"),
}


@pytest.mark.parametrize(("search", "replace", "expected"), PLACES.values(), ids=PLACES)
def test_where_it_stands_counts(search: str, replace: str, expected: str) -> None:
    assert verdict(row(search, replace, file=FILE + "# unchanged\n")) == expected


# what people and models write where they show a whole file, and leave the rest out
LEFT_OUT = (
    "(unchanged code below)", "# unchanged code below", "# lines 3-30 unchanged",
    "# existing lines 10-30 remain the same", "# Remaining code unchanged from original", "# ... keep everything else",
    "... keep everything else", "# The remaining functions stay exactly as they were", "# leave the rest as it is",
    "(rest of file as in the original)", "// no changes to the rest of this file", "# same as original from here",
    "# nothing else changes", "/* previous code remains */", "(file continues as before)", "# 28 more lines",
    "# 28 lines", "# continued below", "⋯", "# ⋯", "pass  # leave the rest as it is", "[lines 3 to 30]",
    "# the rest goes here", "# nothing below changes", "# the rest is left alone, it stays", "<!-- as before -->",
    "The rest is kept as it was.", "...", "# ...", "existing code here",
)  # fmt: skip
WRITTEN = (
    "# keep the order", "# the same rule as for b", "# 28 lines are enough for everyone", "continue", "b = 5",
    "previous = changes", "# the existing users", "rest = same", "print(existing)", "# " + "unchanged " * 15,
)  # fmt: skip


def whole(lines: list[str], file: bytes) -> EditResult:
    text = "a.py\n````\n" + "".join(f"{line}\n" for line in lines) + "````\n"
    [result] = apply_response(text, {"a.py": file}.get, Settings(whole_files="all")).results
    return result


@pytest.mark.parametrize("line", [*LEFT_OUT, *WRITTEN])
def test_a_whole_file_that_gets_shorter(line: str) -> None:
    expected = "refused" if line in LEFT_OUT else "taken"
    assert verdict(whole(["a = 2", "", line], b"a = 1\n" * 30)) == expected
    assert (
        verdict(whole(["a = 2", line, "", "b = 3"], f"a = 1\n{line}\nb = 2\nc = 3\nd = 4\ne = 5\n".encode())) == "taken"
    )


@pytest.mark.parametrize("lines", [["Nothing below changes.", "", "a = 2"], ["a = 2", "", "Nothing below changes."]])
def test_a_sentence_at_the_start_or_end_of_a_whole_file_is_a_paragraph(lines: list[str]) -> None:
    reason = "the new text has `Nothing below changes.` in place of real lines; write every line"
    assert whole(lines, b"a = 1\n" * 30).reason == reason


def test_a_line_of_the_file_may_be_indented_otherwise() -> None:
    file = b"# unchanged\n" + b"a = 1\n" * 30
    assert verdict(whole(["a = 2", "    # unchanged"], file)) == "taken"


def test_a_whole_file_that_gets_longer_may_hold_these_words() -> None:
    assert verdict(whole(["a = 2", "# nothing else changes", "b = 3"], b"a = 1\n")) == "taken"


def test_prose_in_a_whole_file_that_gets_shorter() -> None:
    lines = ['"""It says what is left out:', "the result is unchanged", "in what it returns.", '"""']
    assert verdict(whole(lines, b"a = 1\n" * 30)) == "taken"


# path, line, what becomes of it
KINDS = [
    ("a.md", "# ... existing code ...", "noted"),
    ("a.md", "# Unchanged", "noted"),
    ("docs/A.MD", "... rest of the file ...", "noted"),
    ("a.md", "<!-- ... -->", "refused"),
    ("a.md", "<!-- rest of the page -->", "refused"),
    ("a.rst", "# ...", "noted"),
    ("Makefile", "# ... other rules ...", "refused"),
]


@pytest.mark.parametrize(("path", "line", "expected"), KINDS)
def test_prose_has_other_comments(path: str, line: str, expected: str) -> None:
    assert verdict(row("    b = 2\n", f"    b = 3\n\n{line}\n", path=path)) == expected


def test_the_comment_next_to_it_may_be_the_file_s() -> None:
    assert verdict(row("    b = 2\n", "    # unchanged\n", file=FILE.replace("    a = 1\n", "    # a\n"))) == "noted"
    assert verdict(row("    b = 2\n", "    # unchanged\n", file=FILE.replace("    return a\n", "    # a\n"))) == "noted"
    assert verdict(row("b\n", "# unchanged\n", file="# a\nb\n")) == "noted"


def test_a_new_file_may_leave_nothing_out() -> None:
    text = "a.py\n<<<<<<< SEARCH\n=======\n# ... existing code ...\n>>>>>>> REPLACE\n"
    [result] = apply_response(text, dict[str, bytes]().get).results
    assert result.reason == "the new text has `# ... existing code ...` in place of real lines; write every line"


def test_a_long_line_is_cut() -> None:
    found = row("    b = 2\n", "    # ... the rest of the existing implementation remains unchanged ...\n")
    assert found.reason is not None
    assert found.reason.startswith("the new text has `# ... the rest of the existing implemen…` in place")


def test_the_retry_prompt_asks_for_every_line_where_that_is_the_only_fault() -> None:
    text = "a.py\n<<<<<<< SEARCH\n    b = 2\n=======\n    # ... existing code ...\n>>>>>>> REPLACE\n"
    read = {"a.py": FILE.encode()}.get
    for fresh in (False, True):
        prompt = retry_prompt(apply_response(text, read), read, fresh=fresh)
        assert "Your replacement leaves lines out. Write every line." in prompt


# Comments in the standard library and in packages that do stand for lines which are left out, in examples mostly
MEANT = {
    ("test_float.py", "# ..."),  # a table of numbers, cut in the middle
    ("test_descr.py", "// ..."),  # an example in a comment
    ("renderer.py", "# ..."),  # an example in a docstring of markdown-it-py
    ("_generated.py", "# ..."),  # examples in docstrings of Playwright
}
_SUFFIXES = frozenset({".py", ".pyi", ".pyx", ".c", ".h", ".js", ".css", ".html", ".sh", ".toml", ".cfg", ".ps1"})
_STEP = 16  # of the files in the fast profile


def sources() -> Iterator[Path]:
    """The standard library's and the installed packages' files, each once, in order."""
    found: set[Path] = set()
    for root in {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")}:
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name not in ("site-packages", "dist-packages", "__pycache__")]
            found.update(Path(folder, name) for name in names if Path(name).suffix in _SUFFIXES)
    ours = Path(editblocks.__file__).parent
    yield from sorted(path for path in found if ours not in path.parents)


def false_alarms(files: list[Path]) -> Iterator[str]:
    for path in files:
        lines = path.read_text("utf-8", "replace").split("\n")
        for index, line in enumerate(lines):
            text = line.strip()
            if text and not text[0].isalnum() and (path.name, text) not in MEANT and len(line) <= 200:
                above, below = "".join(lines[max(0, index - 1) : index]), "".join(lines[index + 1 : index + 2])
                if stands_for_others(line, above, below, path.name, lost=False):
                    yield f"{path}:{index + 1}: {text}"


@pytest.mark.long
def test_no_line_of_real_sources_is_refused_a_sample() -> None:
    files = list(sources())[::_STEP]
    assert len(files) > 50
    assert list(false_alarms(files)) == []


@pytest.mark.long
def test_no_line_of_real_sources_is_refused() -> None:
    files = list(sources())
    assert len(files) > 1_000
    assert list(false_alarms(files)) == []
