"""Which line was meant to close a block that is cut off, or to part one: it does neither, and it is named."""

import pytest

from editblocks import parse_response

SEARCH, EDIT, GUILLEMETS = ">>>>>>> REPLACE", ">>>>>>>", "»»» EDIT END"
PLUSES = "+++++++ REPLACE"
NEW_FILE, ACTION = ">>>>>>> NEW_FILE", "</boltAction>"
OPENED = {
    SEARCH: "a.py\n<<<<<<< SEARCH\nx\n=======\ny\n",
    PLUSES: "a.py\n------- SEARCH\nx\n=======\ny\n",
    EDIT: "a.py\n<<<<<<< EDIT\n-------\nx\n=======\ny\n-------\n",
    GUILLEMETS: "a.py\n««« EDIT\nx\n═══════ REPL\ny\n",
    NEW_FILE: "a.py\n<<<<<<< NEW_FILE\ny\n",
    ACTION: '<boltAction type="file" filePath="a.py">\ny\n',
}
NEARLY: dict[str, tuple[str, ...]] = {
    SEARCH: (
        ">>>>>>> replace", ">>>>>>>REPLACE", ">>>>>>>\u00a0REPLACE", ">>>> REPLACE", ">>>>>>>>>> REPLACE",
        ">>>>>>> REPLACED", ">>>>>>> REPLCAE", ">>>>>>> REPLACE a.py", ">>>>>>> REPLACE```", ">>>>>>> REPLACE.",
        ">>>>>>> END", ">>>>>>> END REPLACE", ">>>>>>> EDIT", ">>>>>>> SEARCH", ">>>>>>> UPDATE", ">>>>>>> a.py",
        ">>>>>>>", ">>>>>>", ">>>>", ">>>>>>> NEW_FILE", "»»» EDIT END",
        "**>>>>>>> REPLACE**", "`>>>>>>> REPLACE`", "> >>>>>>> REPLACE", "&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE",
        "> > > > > > > REPLACE",
    ),
    PLUSES: (
        "+++++++ replace", "+++++++REPLACE", "+++++ REPLAC", "++++++++++ REPLACE", "+++++++ REPLACE a.py", "+++++++",
        "**+++++++ REPLACE**", "> +++++++ REPLACE", "++++++++ REPLACE.", ">>>>>>> replace", ">>>>>>>> REPLACE",
        ">>>>>>>",
    ),
    EDIT: (
        ">>>>>>> EDIT", ">>>>>>> END EDIT", ">>>>>>> EDIT END", ">>>>>>> END", ">>>>>>> REPLACE", ">>>>>>> edit",
        ">>>>>>> a.py", ">>>>", ">>>>>>>>>>", ">>>>>>>.", ">>>>>>>```", "`>>>>>>>`", ">>>>>>>\u00a0", "»»» EDIT",
        "»»» EDIT END", "»»»»»»»", "&gt;&gt;&gt;&gt;&gt;&gt;&gt;",
    ),
    GUILLEMETS: (
        "»»» EDIT", "»»» END", "»»» END EDIT", "»»» EDITEND", "»»» EDIT_END", "»»» edit end", "»» EDIT END", "»»»",
        "»»»» EDIT END", "»»»EDIT END", "»»»\u00a0EDIT END", "»»» EDIT\u00a0END", "»»» REPL", "»»» EDIT END.",
        "`»»» EDIT END`", ">>>>>>> EDIT END", ">>>>>>> REPLACE", ">>>>>>>",
    ),
    NEW_FILE: (
        ">>>>>>> NEWFILE", ">>>>>>> NEW FILE", ">>>>>>> new_file", ">>>>>>> END", ">>>>>>> END_FILE", ">>>>>>> FILE",
        ">>>>>>> END NEW_FILE", ">>>>>>> NEW_FILE END", ">>>> NEW_FILE", ">>>>>>> REPLACE", ">>>>>>>",
        "> > > > > > > NEW_FILE",
    ),
    ACTION: (
        "</boltaction>", "</boltAction", "</bolt>", "</BoltFile>", "y</boltAction>", "```</boltAction>",
        "</boltAction>;",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("closer", "line"), [(closer, line) for closer, lines in NEARLY.items() for line in lines])
def test_the_line_that_nearly_closes_a_block_is_named(closer: str, line: str) -> None:
    text = f"{OPENED[closer]}{line}\nThat is all.\n"
    parsed = parse_response(text)
    shown = text[: text.index(f"{line}\nThat")].count("\n") + 1
    quoted = line if "`" in line else f"`{line}`"
    [problem] = parsed.problems
    assert (problem.code.value, parsed.blocks) == ("unclosed", ())
    assert problem.message.endswith(
        f": line {shown} is {quoted}; write `{closer}` there, on a line of its own, indented like the opener"
    )


@pytest.mark.parametrize("closer", list(OPENED))
def test_a_closer_with_other_indentation_is_named(closer: str) -> None:
    [problem] = parse_response(f"{OPENED[closer]}  {closer}\n").problems
    line = OPENED[closer].count("\n") + 1
    assert f": line {line} is indented otherwise; write `{closer}` there, on a line of its own" in problem.message


UNTOLD: dict[str, tuple[str, str]] = {
    "nothing": (SEARCH, "return x\n"),
    "a shift": (SEARCH, "a >> b\n>> c\n>>> d\n"),
    "an end of templates": (SEARCH, "  >>>>::value\n"),
    "a quote in a quote": (SEARCH, ">>>> so they said\n"),
    "a deep quote": (SEARCH, "> > > > so they said\n"),
    "a prompt": (GUILLEMETS, ">>> edit\n>>> end\n"),
    "a sample of another length": (SEARCH, "<<<<<<<<< SEARCH\n=========\n>>>>>>>>> REPLACE\n"),
    "a sample of another format": (EDIT, "««« EDIT\n═══════ REPL\n»»» EDIT END\n"),
    "a nested sample": (NEW_FILE, "<<<<<<<<< EDIT\n<<<<<<< HEAD\n>>>>>>> topic\n>>>>>>>>>\n"),
    "a sample of dashes": (SEARCH, "------- SEARCH\n=======\n+++++++ REPLACE.\n"),
    "a delimiter": (PLUSES, "++++\n"),
    "two strings that are joined": (PLUSES, "++ replace x y\n"),
    "a quoted sample": (NEW_FILE, "> <<<<<<< SEARCH\n> >>>>>>> REPLACE\n"),
    "one without spaces": (SEARCH, "><<<<<<< SEARCH\n>>>>>>>> REPLACE\n"),
    "a git conflict": (SEARCH, "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> edit\n"),
    "an action in a page": (
        ACTION,
        '<boltAction type="shell">\nls\n  y</boltAction>\n<boltAction type=x>z</boltAction>\n',
    ),
    "another tag": (ACTION, "</action>\n</BoltIcon>\n>>>>>>> REPLACE\n"),
    "a closing tag in other blocks": (SEARCH, "</boltAction>\n"),
}


@pytest.mark.parametrize(("closer", "text"), UNTOLD.values(), ids=UNTOLD)
def test_what_does_not_look_like_a_closer(closer: str, text: str) -> None:
    problem = parse_response(OPENED[closer] + text).problems[0]
    assert (problem.line_number, problem.code.value) == (OPENED[closer].count("\n", 0, 9) + 1, "unclosed")
    assert problem.message.endswith("; probably cut off, ask for it again")


def test_the_first_one_counts() -> None:
    text = f"{OPENED[EDIT]}>>>>>>> EDIT\n\n>>>>>>> END\n"
    [problem] = parse_response(text).problems
    assert ": line 8 is `>>>>>>> EDIT`; write" in problem.message


def test_a_long_line_is_shown_in_part() -> None:
    [problem] = parse_response(f"{OPENED[EDIT]}>>>>>>> EDIT {'x' * 100}\n").problems
    assert ": line 8 is `>>>>>>> EDIT xxxxxxxxxxxxxxxxxxxxxxxxxx…`; write `>>>>>>>` there" in problem.message


PARTED_BY_NOTHING = ("====", "======= REPLACE", "  =======", "═══════", "x")


@pytest.mark.parametrize("line", PARTED_BY_NOTHING)
def test_what_is_no_divider_parts_no_block(line: str) -> None:
    [problem] = parse_response(f"a.py\n<<<<<<< SEARCH\nx\n{line}\ny\n>>>>>>> REPLACE\n").problems
    assert (problem.code.value, problem.message) == (
        "no-divider",
        "no `=======` between lines 2 and 6; put it between the old and the new lines",
    )
