"""Which file a block is for: the sources P1 to P8 of docs/reference/rules.md, "which file", row by row."""

import pytest
from support.planned import planned
from support.project import DOCS
from support.responses import block, verdicts

from editblocks import EditBlock, Problem, ReasonCode, UnreadableFile, parse_response
from editblocks.parsing.path_line import path_in_info

BLOCK = block("x\n", "y\n", "")
SECOND = block("y\n", "z\n", "")
TICKS = "```"


def found(text: str, context_path: str | None = None) -> list[str]:
    """For each block its path, source and format, `weak` after a path that must exist; for each problem its code."""
    parsed = parse_response(text, context_path=context_path)
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    return [
        f"{row.file_path}{' weak' * row.weak_path} {row.path_source} {row.format}"
        if isinstance(row, EditBlock)
        else row.code.value
        for row in sorted(rows, key=lambda row: row.number)
    ]


def fence(*lines: str, info: str = "") -> str:
    return f"{TICKS}{info}\n" + "".join(f"{line}\n" for line in lines) + BLOCK + f"{TICKS}\n"


P1 = {
    "info string": (fence(info="edit:a.py"), ["a.py P1 edit-fence"]),
    "it may hold spaces": (fence(info="edit: my notes"), ["my notes P1 edit-fence"]),
    "it may be no path at all": (fence(info="edit:<a>"), ["<a> P1 edit-fence"]),
    "another file above": ("b.py\n" + fence(info="edit:a.py"), ["no-path"]),
    "the same file above": ("a.py\n" + fence(info="edit:a.py"), ["a.py P1 edit-fence"]),
    "prose above": ("The change:\n" + fence(info="edit:a.py"), ["a.py P1 edit-fence"]),
    "the same path inside": (fence("a.py", info="edit:a.py"), ["a.py P1 edit-fence"]),
    "another path inside": (fence("b.py", info="edit:a.py"), ["no-path"]),
    "a weak path inside": (fence("Done", info="edit:a.py"), ["a.py P1 edit-fence"]),
    "no path in it": (fence("a.py", info="edit:"), ["no-path"]),
    "for every block in it": (
        f"{TICKS}edit:a.py\n{BLOCK}text\n{BLOCK}{TICKS}\n",
        ["a.py P1 edit-fence", "a.py P1 edit-fence"],
    ),
    "around an inner fence": (f"````edit:a.py\n{fence()}````\n", ["a.py P1 edit-fence"]),
}
P2 = {
    "in text": (f"a.py\n{BLOCK}", ["a.py P2 diff"]),
    "in text, two blank lines": (f"a.py\n\n \n{BLOCK}", ["a.py P2 diff"]),
    "in text, three blank lines": (f"a.py\n\n\n\n{BLOCK}", ["no-path"]),
    "in text, only the nearest": (f"a.py\nThis is why.\n{BLOCK}", ["no-path"]),
    "in a fence": (fence("a.py"), ["a.py P2 diff-fenced"]),
    "in a fence, with blank lines": (fence("a.py", "", "", ""), ["a.py P2 diff-fenced"]),
    "in a fence, behind two comments": (fence("a.py", "# A comment.", "# Another."), ["a.py P2 diff-fenced"]),
    "in a fence, behind three comments": (fence("a.py", "# A.", "# B.", "# C."), ["no-path"]),
    "in a fence, the nearest of two": (fence("a.py", "b.py"), ["b.py P2 diff-fenced"]),
    "in a fence, past a weak one": (fence("a.py", "Done"), ["a.py P2 diff-fenced"]),
    "in a fence, not above the block before": (
        f"{TICKS}\na.py\n{BLOCK}More.\n{BLOCK}{TICKS}\n",
        ["a.py P2 diff-fenced", "no-path"],
    ),
    "it wins over info and the line above": ("b.py\n" + fence("a.py", info="py:c.py"), ["a.py P2 diff-fenced"]),
    "a refused path is final": ("b.py\n" + fence("../a.py"), ["../a.py P2 diff-fenced"]),
    "over an empty fence": (f"a.py\n{TICKS}\n{TICKS}\n{BLOCK}", ["a.py P2 diff"]),
    "sole content of a fence": (f"{TICKS}\n\na.py\n{TICKS}\n{BLOCK}", ["a.py P2 diff"]),
    "not the last line of a fence": (f"{TICKS}\nx = 1\na.py\n{TICKS}\n{BLOCK}", ["no-path"]),
    "details are stepped over": (f"a.py\n<details>\n<summary>b.py</summary>\n\n{BLOCK}", ["a.py P2 diff"]),
    "peeled eight times at most": (f"{'# ' * 8}a.py\n{BLOCK}", ["a.py P2 diff"]),
    "not nine times": (f"{'# ' * 9}a.py\n{BLOCK}", ["# a.py weak P2 diff"]),
    "a quote is none": (f"a.py\n> b.py\n{BLOCK}", ["no-path"]),
    "it ends the section": (
        f"## File: b.py\na.py\n{BLOCK}More.\n\n{BLOCK}",
        ["a.py P2 diff", "no-path"],
    ),
    "the same path does not end it": (
        f"## File: a.py\na.py\n{BLOCK}text\n\n{BLOCK}",
        ["a.py P2 diff", "a.py P5 file-section"],
    ),
}
P3 = {
    "language and path": (fence(info="py:src/a.py"), ["src/a.py P3 diff"]),
    "language, space, path": (fence(info="py src/a.py"), ["src/a.py P3 diff"]),
    "title": (fence(info='py title="src/a b.py"'), ["src/a b.py P3 diff"]),
    "file": (fence(info="py file=a.py"), ["a.py P3 diff"]),
    "file name": (fence(info='py filename="a.py"'), ["a.py P3 diff"]),
    "file name, without quotes": (fence(info="py filename=a.py"), ["a.py P3 diff"]),
    "path": (fence(info="path=src/a.py"), ["src/a.py P3 diff"]),
    "a file name and another file above": ("b.py\n" + fence(info="py filename=a.py"), ["no-path"]),
    "another attribute is no path": (fence(info="py highlight=1-3/4.5"), ["no-path"]),
    "another attribute alone is none": (fence(info="source=a.py"), ["no-path"]),
    "another attribute gives way": ("a.py\n" + fence(info="py name=src/b.py"), ["a.py P4 diff"]),
    "one word": (fence(info="a.py"), ["a.py P3 diff"]),
    "one word gives way to the line above": ("b.py\n" + fence(info="a.py"), ["b.py P4 diff"]),
    "one word does not give way to a weak line": ("Done\n" + fence(info="a.py"), ["a.py P3 diff"]),
    "a path with a slash does not": ("a.py\n" + fence(info="src/a.py"), ["src/a.py P3 diff"]),
    "a path with a slash and another file above": ("b.py\n" + fence(info="src/a.py"), ["no-path"]),
    "a title and another file above": ("b.py\n" + fence(info='python title="a.py"'), ["no-path"]),
    "a language is no path": (fence(info="python"), ["no-path"]),
    "a version is no path": (fence(info="python3.12"), ["no-path"]),
    "an unsafe one is final": ("Prose.\n" + fence(info="py:../a.py"), ["../a.py P3 diff"]),
    "one of several in a list": (f"- a.py\n- b.py\n{fence()}", ["no-path"]),
    "the only item of a list": (f"Change:\n- b.py\n{fence()}", ["b.py P4 diff"]),
    "a heading, and prose about another file": (f"## File: b.py\nIn `lib/c.py` instead:\n{fence()}", ["no-path"]),
    "a heading, and prose about it": (f"## File: b.py\nIn `b.py`, do:\n{fence()}", ["b.py P5 file-section"]),
    "a heading, and a lower one about another file": (f"## File: b.py\n### Changes in c.py\n{fence()}", ["no-path"]),
    "it wins over the heading": (f"## File: b.py\nProse.\n{fence(info='a.py')}", ["a.py P3 diff"]),
}
P4 = {
    "above the fence": (f"a.py\n{fence()}", ["a.py P4 diff"]),
    "two blank lines": (f"a.py\n\n\n{fence()}", ["a.py P4 diff"]),
    "three blank lines": (f"a.py\n\n\n\n{fence()}", ["no-path"]),
    "never past prose": (f"a.py\nThis is why.\n{fence()}", ["no-path"]),
    "over an outer fence": (f"a.py\n````\n{fence()}````\n", ["a.py P4 diff"]),
    "inside an outer fence": (f"b.py\n````\na.py\n{fence()}````\n", ["a.py P4 diff"]),
    "over a tag": (f"a.py\n<source>\n{BLOCK}</source>\n", ["a.py P4 diff"]),
    "sole content of an earlier fence": (f"{TICKS}\na.py\n{TICKS}\n{fence()}", ["a.py P4 diff"]),
    "not the last line of one": (f"{TICKS}\nx = 1\na.py\n{TICKS}\n{fence()}", ["no-path"]),
    "not far inside one": (
        TICKS + "\n" + "\n" * 30 + "a.py\n" + TICKS + "\n" + fence(),
        ["no-path"],
    ),
    "one of several in a list": (f"- a.py\n- b.py\n{fence()}", ["no-path"]),
    "the only item of a list": (f"Change:\n- b.py\n{fence()}", ["b.py P4 diff"]),
    "a heading, and prose about another file": (f"## File: b.py\nIn `lib/c.py` instead:\n{fence()}", ["no-path"]),
    "a heading, and prose about it": (f"## File: b.py\nIn `b.py`, do:\n{fence()}", ["b.py P5 file-section"]),
    "a heading, and a lower one about another file": (f"## File: b.py\n### Changes in c.py\n{fence()}", ["no-path"]),
    "it wins over the heading": (f"## File: b.py\n\na.py\n{fence()}", ["a.py P4 diff"]),
    "a weak line": (f"Done\n{fence()}", ["Done weak P4 diff"]),
    "a weak line inside comes first": (f"Done\n{fence('Ready')}", ["Ready weak P2 diff-fenced"]),
    "a weak line yields to the heading": (f"## File: a.py\nDone\n{fence()}", ["a.py P5 file-section"]),
    "for every block of the fence": (
        f"a.py\n{TICKS}\n{BLOCK}text\n{BLOCK}{TICKS}\n",
        ["a.py P4 diff", "a.py P4 diff"],
    ),
}
P5 = {
    "a heading": (f"### File: a.py\n\nProse.\n\n{BLOCK}", ["a.py P5 file-section"]),
    "for every block below it": (
        f"### File: a.py\nProse.\n{BLOCK}More.\n{fence()}",
        ["a.py P5 file-section", "a.py P5 file-section"],
    ),
    "until a heading of its level": (f"### File: a.py\n### Other\nProse.\n{BLOCK}", ["no-path"]),
    "until a higher one": (f"### File: a.py\n# Other\nProse.\n{BLOCK}", ["no-path"]),
    "not until a lower one": (f"### File: a.py\n#### Other\nProse.\n{BLOCK}", ["a.py P5 file-section"]),
    "not until a heading in a fence": (
        f"### File: a.py\n{TICKS}\n# comment\n{TICKS}\nProse.\n{BLOCK}",
        ["a.py P5 file-section"],
    ),
    "nor a comment in a block": (
        "### File: a.py\nProse.\n" + block("# x\n", "# y\n", "") + f"Prose.\n{BLOCK}",
        ["a.py P5 file-section", "a.py P5 file-section"],
    ),
    "the next File heading takes over": (
        f"### File: a.py\nProse.\n{BLOCK}\n##### File: b.py\nProse.\n{BLOCK}",
        ["a.py P5 file-section", "b.py P5 file-section"],
    ),
    "in a fence, until it ends": (
        f"{TICKS}\n### File: a.py\nA.\nB.\nC.\n{BLOCK}{TICKS}\nProse.\n{BLOCK}",
        ["a.py P5 file-section", "no-path"],
    ),
    "in a fence, it covers that of the text": (
        f"# File: b.py\n````\n### File: a.py\nProse.\n{fence('A.', 'B.', 'C.')}````\nProse.\n{BLOCK}",
        ["a.py P5 file-section", "b.py P5 file-section"],
    ),
    "what it names is final": (f"### File: two words\nProse.\n{BLOCK}", ["two words weak P5 file-section"]),
}
P7 = {
    "the next block": (f"a.py\n{BLOCK}{BLOCK}", ["a.py P2 diff", "a.py P7 diff"]),
    "over blank lines and dots": (f"a.py\n{BLOCK}\n\n\n\n...\n{BLOCK}", ["a.py P2 diff", "a.py P7 diff"]),
    "over fence lines": (f"a.py\n{fence()}{fence()}", ["a.py P4 diff", "a.py P7 diff"]),
    "not over prose": (f"a.py\n{BLOCK}Then this.\n{BLOCK}", ["a.py P2 diff", "no-path"]),
    "in a fence that named it inside": (
        f"{TICKS}\na.py\n{BLOCK}{BLOCK}{TICKS}\n",
        ["a.py P2 diff-fenced", "a.py P7 diff-fenced"],
    ),
    "there it wins over info and the line above": (
        f"c.py\n{TICKS}py:src/b.py\na.py\n{BLOCK}{BLOCK}{TICKS}\n",
        ["a.py P2 diff-fenced", "a.py P7 diff-fenced"],
    ),
    "but not against a heading": (
        f"# File: b.py\n{TICKS}\na.py\n{BLOCK}{BLOCK}{TICKS}\n",
        ["a.py P2 diff-fenced", "no-path"],
    ),
    "a heading of the same file": (
        f"# File: a.py\n{TICKS}\na.py\n{BLOCK}{BLOCK}{TICKS}\n",
        ["a.py P2 diff-fenced", "a.py P7 diff-fenced"],
    ),
    "from a problem": (
        f"a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n{BLOCK}",
        ["no-divider", "a.py P7 diff"],
    ),
    "not from a block without a path": (f"{BLOCK}{BLOCK}", ["no-path", "no-path"]),
    "before a weak line": (f"a.py\n{BLOCK}{BLOCK}Done\n{BLOCK}", ["a.py P2 diff", "a.py P7 diff", "Done weak P2 diff"]),
    "a weak path carries as weak": (f"Done\n{BLOCK}{BLOCK}", ["Done weak P2 diff", "Done weak P7 diff"]),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(*row, id=f"{source}: {name}")
        for source, table in {"P1": P1, "P2": P2, "P3": P3, "P4": P4, "P5": P5, "P7": P7}.items()
        for name, row in table.items()
    ],
)
def test_the_first_source_that_yields_a_path_wins(text: str, expected: list[str]) -> None:
    assert found(text) == expected


FAR = "Word.\n" * 25
P8 = {
    "no other source": (f"Looks good.\n\n{BLOCK}", ["t.py P8 diff"]),
    "another source wins": (f"a.py\n{BLOCK}", ["a.py P2 diff"]),
    "a weak one too": (f"configure\n{BLOCK}", ["configure weak P2 diff"]),
    "a path of several parts too": (f"src/app.py\n{BLOCK}", ["src/app.py P2 diff"]),
    "a known file does": (f"Makefile\n{BLOCK}", ["Makefile P2 diff"]),
    "a word gives way to it where no file has that name": (f"Fixed:\n\n{BLOCK}", ["Fixed weak P2 diff"]),
    "so does one in a fence": (fence("Suggestion:"), ["Suggestion weak P2 diff-fenced"]),
    "a line above it in the fence does": (fence("a.py", "Done:"), ["a.py P2 diff-fenced"]),
    "a language does": (f"Fixed:\n{fence(info='src/a.py')}", ["src/a.py P3 diff"]),
    "so does one without a colon": (f"Done\n{BLOCK}", ["Done weak P2 diff"]),
    "in small letters it may be a file": (f"done\n{BLOCK}", ["done weak P2 diff"]),
    "after a block for the same file": (f"{BLOCK}Done\n{BLOCK}", ["t.py P8 diff", "Done weak P2 diff"]),
    "a known file with a colon does": (f"Makefile:\n{BLOCK}", ["Makefile P2 diff"]),
    "so does a word that may be one": (f"configure:\n{BLOCK}", ["configure weak P2 diff"]),
    "and one in a code span": (f"`Use`:\n{BLOCK}", ["Use weak P2 diff"]),
    "a refusal stays": (fence("b.py", info="edit:a.py"), ["no-path"]),
    "a line above a word does not count": (f"a.py\n\nUse\n{BLOCK}", ["Use weak P2 diff"]),
    "nor does a heading above one": (f"### a.py\n\nFixed:\n{fence()}", ["Fixed weak P4 diff"]),
    "nor does a word above one": (f"configure\n\nUse\n{BLOCK}", ["Use weak P2 diff"]),
    "nor does a sentence above one": (f"Looks good.\n\nUse\n{BLOCK}", ["Use weak P2 diff"]),
    "the thread's file above one": (f"t.py\n\nUse\n{BLOCK}", ["Use weak P2 diff"]),
    "a sentence above one that names another file": (f"In `a.py`:\n\nFixed\n{BLOCK}", ["Fixed weak P2 diff"]),
    "a sentence that names another file": (f"In `a.py`:\n\n{fence()}", ["a.py P4 diff"]),
    "one above a sentence": (f"As in `a.py`:\nHow about this\n{fence()}", ["no-path"]),
    "a sentence that names the thread's file": (f"In `t.py`:\n\n{fence()}", ["t.py P4 diff"]),
    "a file above a sentence": (f"a.py\n\nHow about this\n{fence()}", ["no-path"]),
    "a heading above two of them": (f"### a.py\n\nI see.\n\nHow about this?\n{BLOCK}", ["no-path"]),
    "one that was quoted": (f"> As in a.py?\n> a.py\n\nNo.\n{BLOCK}", ["t.py P8 diff"]),
    "one in a fence that is closed": (f"{TICKS}\n$ ls\na.py\n{TICKS}\nSo it is here.\n{BLOCK}", ["t.py P8 diff"]),
    "one spoken of before": (f"It came from a.py.\nI put it here.\n{BLOCK}", ["t.py P8 diff"]),
    "one that is far away": (f"a.py\n{FAR}{BLOCK}", ["t.py P8 diff"]),
    "a sentence after a block for another file": (f"a.py\n{BLOCK}And here.\n{BLOCK}", ["a.py P2 diff", "no-path"]),
}


RULES = (DOCS / "reference/rules.md").read_text(encoding="utf-8")


WORDS = {
    "no thread": (
        None,
        "if it is the new file's path, write `### File: Nit`, else write the full path on the line above",
    ),
    "a thread": (
        "t.py",
        "remove `Nit` if you mean the thread's file, t.py; or write the full path on the line above",
    ),
}


CREATES = block("", "y\n", "")


@pytest.mark.parametrize(("context_path", "advice"), WORDS.values(), ids=WORDS)
def test_what_helps_where_a_word_is_no_file(context_path: str | None, advice: str) -> None:
    result = planned(f"Nit:\n{CREATES}", {"t.py": b"x\n"}.get, context_path=context_path)
    assert [row.reason for row in result.results] == [
        f"`Nit` is not a file here, and no other line names one; {advice}"
    ]


IN_A_THREAD = {
    "a word that is no file": (f"Fixed:\n{fence()}", {}, ["t.py exact"]),
    "two blocks below it": (f"Fixed\n{BLOCK}\n{SECOND}", {}, ["t.py exact", "t.py exact"]),
    "a word that is a file": (f"Fixed:\n{BLOCK}", {"Fixed": b"x\n"}, ["Fixed exact"]),
    "a path": (f"bin/fixed\n{BLOCK}", {}, ["bin/fixed no-path"]),
    "another file, with a line": (f"a.py#L3\n{BLOCK}", {}, ["a.py#L3 no-path"]),
    "another file, with a line and a column": (f"a.py:12:3\n{fence()}", {}, ["a.py:12 no-path"]),
    "a name that is refused": (f"-x\n{BLOCK}", {}, ["-x unsafe-path"]),
    "another file named above": (f"As in `a.py`:\n\nFixed\n{BLOCK}", {}, ["Fixed no-path"]),
}


@pytest.mark.parametrize(("text", "files", "rows"), IN_A_THREAD.values(), ids=IN_A_THREAD)
def test_in_a_thread_a_word_that_is_no_file_leaves_the_file_of_the_thread(
    text: str, files: dict[str, bytes], rows: list[str]
) -> None:
    result = planned(text, {"t.py": b"x\n", "a.py": b"x\n", **files}.get, context_path="t.py")
    assert verdicts(result) == rows


def test_in_a_thread_a_word_that_names_a_link_is_that_link() -> None:
    def read(path: str) -> bytes:
        if path == "Fixed":
            raise UnreadableFile(ReasonCode.NOT_A_FILE, "Fixed is a link", "edit its target")
        return b"x\n"

    assert verdicts(planned(f"Fixed:\n{BLOCK}", read, context_path="t.py")) == ["Fixed not-a-file"]


def _nothing(_path: str) -> None:
    """There is no file."""


# a line that could be prose, and how to write it so that it names a new file
NEW_FILES = {
    "bin/run": ("put it in back-ticks", "`bin/run`"),
    "scripts/deploy:": ("put it in back-ticks", "`scripts/deploy`"),
    "notes/year plan.md": ("put it in back-ticks", "`notes/year plan.md`"),
    "# TODO": ("put it in back-ticks", "`TODO`"),
    "gradlew": ("write `### File: gradlew`", "### File: gradlew"),
    "a/b": ("write `### File: a/b`", "### File: a/b"),
}


@pytest.mark.parametrize("is_fenced", [False, True])
@pytest.mark.parametrize(("line", "words", "written"), [(line, *row) for line, row in NEW_FILES.items()], ids=NEW_FILES)
def test_how_a_new_file_is_named_for_certain(line: str, words: str, written: str, is_fenced: bool) -> None:
    body = f"{TICKS}sh\n{CREATES}{TICKS}\n" if is_fenced else CREATES
    [row] = planned(f"{line}\n{body}", _nothing).results
    advice = f"if it is the new file's path, {words}, else write the full path on the line above"
    assert row.reason == f"`{row.file_path}` is not a file here, and no other line names one; {advice}"
    assert planned(f"{written}\n{body}", _nothing).contents == {row.file_path: b"y\n"}


def test_a_block_that_edits_makes_no_file_whatever_marks_its_path() -> None:
    [row] = planned(f"bin/run\n{BLOCK}", _nothing).results
    advice = "write the full path on the line above"
    assert row.reason == f"`bin/run` is not a file here, and no other line names one; {advice}"


MODULE = "lib/q is a submodule; edit it in its own repository"
# a path that could be prose, and what the tree has at it
NAMED = {
    "a submodule": ("lib/q", "160000", "not-a-file", MODULE),
    "a file in one": ("lib/q/run", "160000", "not-a-file", MODULE),
    "a link": ("lib/q", "120000", "not-a-file", "lib/q is a symbolic link; edit its target"),
    "a directory": ("lib/q", "040000", "no-path", "`lib/q` is not a file here, and no other line names one; write the"),
    "a file above": (
        "lib/q/run",
        "100644",
        "no-path",
        "`lib/q/run` is not a file here, and no other line names one; write the",
    ),
}


@pytest.mark.parametrize(("path", "mode", "code", "reason"), NAMED.values(), ids=NAMED)
@pytest.mark.parametrize("body", [CREATES, BLOCK], ids=["creates", "edits"])
def test_what_is_there_and_is_no_file_is_what_the_line_names(
    body: str, path: str, mode: str, code: str, reason: str
) -> None:
    tree = {"": {"lib": "040000"}, "lib": {"q": mode}}
    [row] = planned(f"{path}\n{body}", _nothing, entries=lambda folder: tree.get(folder, {})).results
    assert row.code is not None
    assert row.code.value == code
    assert (row.reason or "").startswith(reason)


def test_the_thread_does_not_help_after_a_block_for_another_file() -> None:
    text = f"a.py\n{BLOCK}Nit:\n{BLOCK}"
    result = planned(text, {"t.py": b"x\n", "a.py": b"x\n"}.get, context_path="t.py")
    assert (result.results[1].reason or "").endswith("no other line names one; write the full path on the line above")


def test_the_file_of_the_thread_may_be_written_short() -> None:
    assert found(f"app.py\n\nI see.\n\n{BLOCK}", "src/app.py") == ["src/app.py P8 diff"]
    assert found(f"lib/app.py\n\nI see.\n\n{BLOCK}", "src/app.py") == ["no-path"]


@pytest.mark.parametrize(("text", "expected"), P8.values(), ids=P8)
def test_the_file_of_the_thread_comes_last(text: str, expected: list[str]) -> None:
    assert found(text, "t.py") == expected


MESSAGES = {
    "none": (BLOCK, "no line holds only the path of its file; write the full path on the line above"),
    "two": (
        fence("b.py", info="edit:a.py"),
        "two lines name different files, a.py and b.py; keep one",
    ),
    "heading and the block before": (
        f"# File: b.py\n{TICKS}\na.py\n{BLOCK}{BLOCK}{TICKS}\n",
        "two lines name different files, b.py and a.py; keep one",
    ),
    "edit: without a path": (fence(info="edit:"), "the info string `edit:` names no file; write `edit:path`"),
}


@pytest.mark.parametrize(("text", "message"), MESSAGES.values(), ids=MESSAGES)
def test_what_is_said_where_no_file_is_named(text: str, message: str) -> None:
    assert [problem.message for problem in parse_response(text).problems] == [message]


NOTES = {
    "plain": (f"a.py\n{BLOCK}", []),
    "cleaned": (f"./a.py:12\n{BLOCK}", ["path-cleaned: the path was read as a.py"]),
    "carried without a fence": (f"a.py\n{BLOCK}{BLOCK}", []),
    "carried over a fence": (
        f"a.py\n{fence()}{fence()}",
        ["path-carried: no line holds only the path of its file; used a.py, as for the block before"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), NOTES.values(), ids=NOTES)
def test_what_is_noted(text: str, expected: list[str]) -> None:
    assert [f"{note.code}: {note.message}" for note in parse_response(text).blocks[-1].notes] == expected


@pytest.mark.parametrize("line", ["Fixed:", "Fixed"])
def test_without_a_thread_a_lead_in_is_read_like_any_word(line: str) -> None:
    assert found(f"{line}\n{BLOCK}") == ["Fixed weak P2 diff"]


def test_what_is_said_where_the_thread_and_the_text_disagree() -> None:
    problems = parse_response(f"a.py\n\nLike this:\n{BLOCK}", context_path="t.py").problems
    message = "the thread is about t.py, and a.py is named above; write the full path on the line above"
    assert [problem.message for problem in problems] == [message]


def test_the_thread_is_noted() -> None:
    notes = parse_response(BLOCK, context_path="t.py").blocks[0].notes
    assert [(note.code, note.message) for note in notes] == [("path-from-thread", "the thread is about t.py")]


INFOS = {
    "": None,
    "python": None,
    "c++": None,
    "python3.12": None,
    "a.py": "a.py",
    "src/a": "src/a",
    "python:a.py": "a.py",
    "python: a.py": "a.py",
    "python a.py": "a.py",
    "python a.py more": None,
    "12:34:a.py": "a.py",
    "12:34:src/a.py": "src/a.py",
    "py title=a.py": "a.py",
    'py title="a b.py"': "a b.py",
    "py file='src/a b.py' linenos": "src/a b.py",
    "title=a.py": "a.py",
    "subtitle=a.py": None,
    "py title=none": None,
    "diff https://example.org/a.py": None,
    "{.python}": None,
}


@pytest.mark.parametrize(("info", "path"), INFOS.items())
def test_a_path_in_an_info_string(info: str, path: str | None) -> None:
    read = path_in_info(info)
    assert (read.path if read else None) == path
