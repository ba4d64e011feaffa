"""What is said of a text that is nearly there."""

import pytest

from editblocks.core import explain
from editblocks.core.mismatch import Hint
from editblocks.matching.diagnose import hints, other_spellings, part_of_a_line, text_hints

FAR = "x" * 4097
MARKS = "\u0301" * 31


def words(
    search: list[str], replace: list[str], window: list[str] | None, others: list[tuple[str, list[str]]]
) -> list[str]:
    """The hints as a message shows them."""
    return [", ".join(filter(None, explain.hint(hint))) for hint in hints(search, replace, window or [], others)]


# search, window, what is said after "SEARCH differs only in "
SPELLED: dict[str, tuple[list[str], list[str], str]] = {
    "typographic quotes": (
        ["a = 1", "b = “c”"],
        ["a = 1", 'b = "c"'],
        'look-alike characters: U+201C “ where the file has `"`',
    ),
    "an apostrophe in the file": (["it's"], ["it’s"], "look-alike characters: `'` where the file has U+2019 ’"),
    "quotes and no-break spaces, the first two named": (
        ["a\xa0= “b”"],
        ['a = "b"'],
        "look-alike characters: U+00A0 where the file has a space",
    ),
    "the same pair twice is one": (
        ["a – b – c"],
        ["a - b - c"],
        "look-alike characters: U+2013 – where the file has `-`",
    ),
    "a minus sign": (["a − 1"], ["a - 1"], "look-alike characters: U+2212 − where the file has `-`"),
    "full-width forms": (["f（x"], ["f(x"], "look-alike characters: U+FF08 （ where the file has `(`"),
    "an ellipsis": (["wait…"], ["wait..."], "look-alike characters: U+2026 … where the file has `.`"),
    "a Cyrillic letter": (["p\u0430ss"], ["pass"], "look-alike characters: U+0430 \u0430 where the file has `a`"),
    "a Greek letter in the file": (
        ["KEY"],
        ["\u039aEY"],
        "look-alike characters: `K` where the file has U+039A \u039a",
    ),
    "a sign that only the file has": (
        ["a = 1"],
        ["a = 1\u200b"],
        "invisible characters: nothing where the file has U+200B",
    ),
    "an Ogham space": (["a\u1680b"], ["a b"], "look-alike characters: U+1680 where the file has a space"),
    "a backtick stays out of code spans": (
        ["a ｀"],
        ["a `"],
        "look-alike characters: U+FF40 ｀ where the file has a backtick",
    ),
    "tab for spaces": (["if x:", "    y = 1"], ["if x:", "\ty = 1"], "white space: 4 spaces where the file has a tab"),
    "one space there, two here": (["a =  1"], ["a = 1"], "white space: 2 spaces where the file has a space"),
    "spaces at the end": (["a", "b "], ["a", "b"], "white space: a space where the file has nothing"),
    "tabs and spaces mixed": ([" \ta"], ["\t\ta"], "white space: a space a tab where the file has 2 tabs"),
    "a long mixture is cut": (
        [" \t" * 3 + "a"],
        ["a"],
        "white space: a space a tab a space a tab where the file has nothing",
    ),
    "very many are cut too": ([" " * 30 + "a"], ["a"], "white space: 30 spaces where the file has nothing"),
    "a zero-width space": (["a b\u200bc"], ["a bc"], "invisible characters: U+200B where the file has nothing"),
    "several": (["\u200d\u200da"], ["a"], "invisible characters: U+200D where the file has `a`"),
    "a byte order mark in the file": (["a"], ["\ufeffa"], "invisible characters: nothing where the file has U+FEFF"),
    "entities": (["a &lt; b &amp;&amp; c"], ["a < b && c"], "HTML entities: `&lt;` where the file has `<`"),
    "an entity in the file, escaped once more": (
        ["x &amp;amp;lt; y"],
        ["x &lt; y"],
        "HTML entities: `&amp;amp;lt;` where the file has `&lt;`",
    ),
    "numbers of characters": (["it&#39;s"], ["it's"], "HTML entities: `&#39;` where the file has `'`"),
    "entities that no one knows": (
        ["a &nonsense; “"],
        ['a &nonsense; "'],
        'look-alike characters: U+201C “ where the file has `"`',
    ),
    "an entity of a line end": (["a&#10;B"], ["a&#10;b"], "letter case: `B` where the file has `b`"),
    "an entity of a no-break space": (
        ["a&nbsp;b"],
        ["a b"],
        "HTML entities and look-alike characters: `&nbsp;` where the file has a space",
    ),
    "doubled backslashes": ([r"a\\n"], [r"a\n"], "backslashes: 2 backslashes where the file has a backslash"),
    "escaped quotes": ([r"f(\"a\")"], ['f("a")'], "backslashes: a backslash where the file has nothing"),
    "backslashes lost": ([r"a\d"], [r"a\\d"], "backslashes: a backslash where the file has 2 backslashes"),
    "a letter in two pieces": (
        ["cafe\u0301"],
        ["café"],
        "Unicode normal form (NFC, NFD): `e` where the file has U+00E9 é",
    ),
    "a syllable in three": (
        ["x \u1112\u1161\u11ab"],
        ["x 한"],
        "Unicode normal form (NFC, NFD): U+1112 ᄒ where the file has U+D55C 한",
    ),
    "another sign for the same": (
        ["5 \u212b"],
        ["5 Å"],
        "Unicode normal form (NFC, NFD): U+212B Å where the file has U+00C5 Å",
    ),
    "letter case": (["Select a"], ["SELECT A"], "letter case: `e` where the file has `E`"),
    "marks that Markdown took": (
        ["def init(self)"],
        ["def __init__(self)"],
        "Markdown marks: nothing where the file has `__`",
    ),
    "quotes and white space": (
        ["  a = “b"],
        ['\ta = "b'],
        "look-alike characters and white space: 2 spaces where the file has a tab",
    ),
    "three kinds": (
        ["A\u200b  b“"],
        ['a b"'],
        "invisible characters, look-alike characters, white space and letter case: `A` where the file has `a`",
    ),
    "a letter with a mark, in a line of signs": (
        ["É" + "-" * 31],
        ["é" + "-" * 31],
        "letter case: U+00C9 É where the file has U+00E9 é",
    ),
    "a window that is wider": (["b", "C"], ["a", "b", "c", "d"], "letter case: `C` where the file has `c`"),
}


@pytest.mark.parametrize(("search", "window", "said"), SPELLED.values(), ids=SPELLED)
def test_what_alone_is_spelled_otherwise(search: list[str], window: list[str], said: str) -> None:
    assert words(search, ["new"], window, []) == [f"SEARCH differs only in {said}"]


NOTHING: dict[str, tuple[list[str], list[str] | None]] = {
    "no window": (["a = “b”"], None),
    "an empty window": (["a = “b”"], []),
    "a shorter window": (["a = 1", "B"], ["a = 1"]),
    "it is there": (["a = 1"], ["a = 1"]),
    "another word": (["a = “b”"], ['a = "c"']),
    "another dash, and another word": (["a – b"], ["a - c"]),
    "a line more": (["A", "b"], ["a", "x", "b"]),
    "signs alone": (["{ }"], ["{}"]),
    "an entity of a line break": (["a&#10;b"], ["a", "b"]),
    "two lines of signs": (["{ }", "( )"], ["{}", "()"]),
    "a long line of blanks": (["A" + " " * 4096], ["a"]),
    "31 lines through a letter": (["A" + "\u0334" * 31], ["a" + "\u0334" * 31]),
    "a long line": ([f"A{FAR}"], [f"a{FAR}"]),
    "a long line in the window": (["A"], ["a", FAR]),
    "a window that is much wider": (["A"], ["a", *["x" * 100] * 50]),
    "blank lines": (["", " "], ["\t", ""]),
    "no text": ([], ["a"]),
}


@pytest.mark.parametrize(("search", "window"), NOTHING.values(), ids=NOTHING)
def test_nothing_is_said_of(search: list[str], window: list[str] | None) -> None:
    assert words(search, ["new"], window, []) == []


def numbered(span: str) -> list[str]:
    return [f"every line of SEARCH begins with a number ({span}), leave line numbers out"]


def patch(marks: str) -> list[str]:
    return [f"SEARCH reads like a patch (lines begin with {marks}), leave its columns out"]


# search, window
FORMS: dict[str, tuple[list[str], list[str] | None, list[str]]] = {
    "a number and a colon": (["12: a = 1", "13: b"], ["a = 1", "b"], numbered("12 to 13")),
    "a number and a bar": (["12 | a = 1", "", "14 | b"], ["a = 1", "", "b"], numbered("12 to 14")),
    "cat -n": (["     9\ta = 1", "    10\t\tb"], ["a = 1", "\tb"], numbered("9 to 10")),
    "an arrow": ([" 12→a = 1"], ["a = 1"], numbered("12")),
    "a box": ([" 12│ a = 1"], ["a = 1"], numbered("12")),
    "numbered blank lines": (["1: a", "2:", "3: b"], ["a", "", "b"], numbered("1 to 3")),
    "nothing is close": (["1: a", "2: b"], None, numbered("1 to 2")),
    "the file says something else": (["1: a", "2: b"], ["c"], numbered("1 to 2")),
    "one number, nothing is close": (["404: not found"], None, []),
    "two numbers": (["1: 2: a"], ["2: a"], numbered("1")),
    "the same number twice": (["1: a", "1: b"], None, []),
    "a number, and a form feed more": (["1: a\f"], ["a"], []),
    "a number, and a letter more": (["1: aX"], ["a"], []),
    "a number, and a form feed less": (["1: a"], ["a\f"], []),
    "a number, and a letter less": (["1: a"], ["aX"], []),
    "a number, and a blank more": (["1: a "], ["\ta"], numbered("1")),
    "numbers that do not rise": (["2: a", "1: b"], None, []),
    "the file has numbers too": (["1: a", "2: b"], ["1: c", "2: d"], []),
    "not every line": (["1: a", "b"], ["a", "b"], []),
    "not a form feed": (["1: a", "\f", "2: b"], ["a", "\f", "b"], []),
    "not a letter": (["1: a", "X", "2: b"], ["a", "X", "b"], []),
    "numbers without text": (["1:", "2:"], ["", ""], numbered("1 to 2")),
    "numbers in the text": (["12 a", "13 b"], ["a", "b"], []),
    "the old side of a patch": (["-a = 1", "+a = 2", " b"], ["a = 1", "b"], patch("- and +")),
    "a hunk": (["@@ -1,2 +1,2 @@", " a", "-b", "+c"], ["x"], patch("@@, - and +")),
    "a hunk without numbers": (["@@", " a"], None, patch("@@")),
    "both sides, nothing is close": (["-a", "+b"], None, patch("- and +")),
    "no newline at the end": (["-a", "\\ No newline at end of file"], ["a"], patch("-")),
    "only a minus, and the file has none": (["-a", "-b"], ["a", "b"], patch("-")),
    "only a plus, and the file has none": (["+a", "+b"], ["a", "b"], patch("+")),
    "a list": (["- a", "- b"], ["- a", "- c"], []),
    "a list, nothing is close": (["- a", "  - b"], None, []),
    "a list with both": (["- a", "+ b"], ["- a", "+ c"], []),
    "a file of patches": (["@@ -1 +1 @@", "-a"], ["@@ -2 +2 @@", "-a"], []),
    "the old side, and the file has columns": (["-ab", "+cd", " ef"], ["ab", "ef", "+x"], patch("- and +")),
    "a hunk, and the file has columns": (["@@ -1 +1 @@", "-ab", " ef"], ["ab", "ef", "+x"], patch("@@ and -")),
    "both sides are there, and the file has columns": (["-ab", "+cd"], ["ab", "cd", "+x"], patch("- and +")),
    "another column": (["-a", "+b", "X"], ["a", "X"], []),
    "only a plus, and the file says something else": (["+a", "+b"], ["c"], []),
    "only a minus, and the file says something else": (["-a", "-b"], ["c"], []),
    "a line of the file with a minus": (["-a", "+b"], ["x", "-c"], []),
    "a line of the file with a hunk": (["-a", "+b"], ["x", "@@ -1 +1 @@"], []),
    "a line of the file with a column": (["-a", "+b"], ["x", "+c"], []),
    "not every line has a column": (["-a", "+b", "c"], ["a", "c"], []),
    "variables of a class": (["@@count = 0", " @@names"], None, []),
    "a patch of blank lines": (["-", "- "], ["", ""], []),
}


@pytest.mark.parametrize(("search", "window", "said"), FORMS.values(), ids=FORMS)
def test_what_does_not_belong_to_the_text(search: list[str], window: list[str] | None, said: list[str]) -> None:
    assert words(search, ["new"], window, []) == said


LOOSE = ", or use --matching loose"

# search, replace, window
ELIDED: dict[str, tuple[list[str], list[str], list[str] | None, list[str]]] = {
    "dots": (["a", "  ...", "b"], ["c"], ["a", "x", "b"], ["line 2 of the block is `...`, write every line out"]),
    "as many in both": (["a", "…"], ["c", "..."], None, [f"line 2 of the block is `…`, write every line out{LOOSE}"]),
    "after a sign": (["# ..."], ["// …"], None, [f"line 1 of the block is `...`, write every line out{LOOSE}"]),
    "between signs": (
        ["<!-- ... -->", "{/* … */}"],
        [],
        None,
        ["line 1 of the block is `...`, write every line out"],
    ),
    "the file has that line": (["def f():", "    ..."], ["x"], ["def g():", "  ..."], []),
    "the file has one of them": (
        ["...", "# ..."],
        ["x"],
        ["..."],
        ["line 2 of the block is `...`, write every line out"],
    ),
    "with words": (["# ... the rest"], ["x"], None, ["line 1 of the block is `# ... the rest`, write every line out"]),
    "words": (
        ["a", "  # ... existing code ...", "b"],
        ["# ..."],
        ["a", "x", "b"],
        ["line 2 of the block is `# ... existing code ...`, write every line out"],
    ),
    "a name in capitals that the file holds": (["# ... existing JSX", "b"], ["x"], ["# ... existing JSX"], []),
    "a name in capitals": (
        ["# ... existing JSX", "b"],
        ["x"],
        ["x"],
        ["line 1 of the block is `# ... existing JSX`, write every line out"],
    ),
    "dots and a form feed in the file": (
        ["...", "b"],
        ["x"],
        ["...\f"],
        ["line 1 of the block is `...`, write every line out"],
    ),
    "dots and a letter in the file": (
        ["...", "b"],
        ["x"],
        ["...X"],
        ["line 1 of the block is `...`, write every line out"],
    ),
    "a heading": (["# other methods", "b"], ["x"], ["x"], []),
    "words below a comment": (["# a", "# unchanged", "b"], ["x"], ["x"], []),
    "words above a comment": (["b", "# unchanged", "# a"], ["x"], ["x"], []),
    "words in the first line": (
        ["# unchanged", "b"],
        ["x"],
        ["x"],
        ["line 1 of the block is `# unchanged`, write every line out"],
    ),
    "words in the last line": (
        ["b", "# unchanged"],
        ["x"],
        ["x"],
        ["line 2 of the block is `# unchanged`, write every line out"],
    ),
    "dots in both, and words": (
        ["...", "# unchanged"],
        ["...", "..."],
        ["x"],
        ["line 1 of the block is `...`, write every line out"],
    ),
    "words that the file holds": (["# ... existing code ...", "b"], ["x"], ["# ... existing code ..."], []),
    "words in a long line": (["a", f"# ... existing code ...{' ' * 200}.", "b"], ["x"], ["a"], []),
    "other dots": (["....", "..", "#"], ["x"], None, []),
}


# search, window, whether only blank lines differ
BLANK_LINES: dict[str, tuple[list[str], list[str], bool]] = {
    "before": (["", "a = 1"], ["b = 1", "a = 1"], True),
    "after": (["a = 1", "", ""], ["a = 1", "", "b = 1"], True),
    "both": (["", "a = 1", ""], ["b = 1", "a = 1", "c = 1"], True),
    "each in another place": (["", "a = 1", ""], ["", "a = 1", "b", "a = 1", ""], True),
    "one that the file has not": (["a = 1", "", "b = 1"], ["a = 1", "b = 1"], True),
    "one that the text has not": (["a = 1", "b = 1"], ["a = 1", " ", "b = 1"], True),
    "one for two": (["a = 1", "b = 1", "", "c = 1"], ["", "a = 1", "b = 1", "", "", "c = 1"], True),
    "there": (["", "a = 1"], ["", "a = 1"], False),
    "there, with blanks in them": (["a", " ", "b"], ["a", " ", "b"], False),
    "a form feed before": (["\f", "a = 1"], ["b = 1", "a = 1"], False),
    "a letter before": (["X", "a = 1"], ["b = 1", "a = 1"], False),
    "another difference too": (["a = 1", "", "b = 1"], ["a = 1", "b = 2"], False),
    "another line between": (["a = 1", "", "b = 1"], ["a = 1", "x", "b = 1"], False),
    "one line": (["a"], ["", "b"], False),
}


@pytest.mark.parametrize(("search", "window", "is_said"), BLANK_LINES.values(), ids=BLANK_LINES)
def test_blank_lines_as_the_only_difference(search: list[str], window: list[str], is_said: bool) -> None:
    said = "SEARCH differs only in blank lines, copy those of the file"
    assert words(search, ["new"], window, []) == [said] * is_said


PARTS: dict[str, tuple[list[str], list[str], tuple[int, int] | None]] = {
    "in the middle": (["key: b"], ["x", "{a, key: b, c}"], (2, 0)),
    "at the start, indented": (["  key: b"], ["key: bc"], (1, 0)),
    "in two lines": (["key: b"], ["key: bc", "x", "a key: b"], (1, 1)),
    "a whole line, but for white space": (["key: b"], ["    key: b "], None),
    "three letters": (["a: b1"], ["{a: b1, c}"], None),
    "signs": (["=> { ("], ["x => { ("], None),
    "two lines": (["key: b", "c"], ["key: b", "c, d"], None),
    "not there": (["key: b"], ["key:  b"], None),
    "no line": ([], ["key: b"], None),
    "four letters": (["a: b12"], ["{a: b12}"], (1, 0)),
    "a form feed before it": (["\fkey: b"], ["{key: b}"], None),
    "a letter before it": (["Xkey: b"], ["{key: b}"], None),
    "a form feed in the line": (["key: b"], ["key: b\f"], (1, 0)),
    "a letter in the line": (["key: b"], ["key: bX"], (1, 0)),
}


@pytest.mark.parametrize(("search", "lines", "place"), PARTS.values(), ids=PARTS)
def test_a_text_inside_a_longer_line_names_the_line(
    search: list[str], lines: list[str], place: tuple[int, int] | None
) -> None:
    expected = place and Hint("part", (place[0], place[0]), more=place[1])
    assert part_of_a_line(search, lines) == expected


# a text that may be a part of a line, lines of the file, the line of the escaped text, the first quotes
OF_A_PART: dict[str, tuple[str, list[str], int | None, tuple[str, str] | None]] = {
    "escaped": ("a\\nb", ["x", "a", "b"], 2, None),
    "escaped, below a blank line": ("a\\nb", ["", "a", "b"], 2, None),
    "escaped, at two places": ("a\\nb", ["a", "b", "a", "b"], None, None),
    "escaped quotes and tabs": (r"f(\"a\t\")", ["x", 'f("a\t")'], 2, None),
    "an escaped carriage return": (r"a\r\nb", ["a", "b"], 1, None),
    "quotes": ("“a”", ["x", 'y "a"'], None, ("“", '"')),
    "quotes at the first of two places": ("“a", ["'a", '"a'], None, ("“", "'")),
    "quotes in the first of two lines": ("“a\nb", ['"a', "b"], None, ("“", '"')),
    "quotes in the third line": ("a\nb\n c“", ["a", "b", ' c"'], None, ("“", '"')),
    "quotes below a line break": ("\n“a", ["x", '"a'], None, ("“", '"')),
    "only quotes": ("“”", ['""'], None, None),
    "the same text": ("“a”", ["“a”"], None, None),
    "another text": ("“a", ['"b'], None, None),
}


@pytest.mark.parametrize(("text", "lines", "escaped", "quotes"), OF_A_PART.values(), ids=OF_A_PART)
def test_hints_on_a_text_that_may_be_a_part_of_a_line(
    text: str, lines: list[str], escaped: int | None, quotes: tuple[str, str] | None
) -> None:
    expected = []
    if escaped is not None:
        expected.append(Hint("escaped", (escaped, escaped)))
    if quotes:
        expected.append(Hint("spelled", words=("quotes",), pieces=quotes))
    assert list(text_hints(text, lines)) == expected


@pytest.mark.parametrize(("size", "is_said"), [(14, True), (15, False)])
def test_a_window_has_at_most_eight_times_the_text_and_a_line(size: int, is_said: bool) -> None:
    said = "SEARCH differs only in letter case: `A` where the file has `a`"
    assert words(["Ab"], [], ["ab", "x" * 4096, "y" * size], []) == [said] * is_said


SPELLINGS: dict[str, tuple[list[str], list[list[str]]]] = {
    "plain": (["a < b", "&"], []),
    "an entity": (["a &lt; b", "c"], [["a < b", "c"]]),
    "an entity that no one knows": (["&nonsense;"], []),
    "composed": (["caf\u00e9"], [["cafe\u0301"]]),
    "decomposed": (["cafe\u0301"], [["caf\u00e9"]]),
    "an entity of an accent": (["caf&eacute;"], [["caf\u00e9"]]),
    "both": (["\u00e9 &amp;"], [["\u00e9 &"], ["e\u0301 &amp;"]]),
    "a long line": ([f"&lt;{FAR}"], []),
    "many marks": ([f"&lt;e{MARKS}"], []),
    "30 marks": ([f"&lt;e{MARKS[1:]}"], [[f"<e{MARKS[1:]}"], [f"&lt;\u00e9{MARKS[2:]}"]]),
    "a line of 4096 characters": ([f"&lt;{FAR[5:]}"], [[f"<{FAR[5:]}"]]),
}


@pytest.mark.parametrize(("search", "spellings"), SPELLINGS.values(), ids=SPELLINGS)
def test_other_spellings_of_a_text(search: list[str], spellings: list[list[str]]) -> None:
    assert list(other_spellings(search)) == spellings


@pytest.mark.parametrize(("search", "replace", "window", "said"), ELIDED.values(), ids=ELIDED)
def test_lines_that_stand_for_others(
    search: list[str], replace: list[str], window: list[str] | None, said: list[str]
) -> None:
    assert words(search, replace, window, []) == said


# search, window, the hint
LINES: dict[str, tuple[list[str], list[str], Hint | None]] = {
    "blank lines": (["a", "b", "", "c"], ["a", "b", "c"], Hint("blank-lines")),
    "a line with a form feed is not blank": (["a", "b", "", "..."], ["a", "\f", "b", "..."], None),
    "nor one of a single letter": (["a", "b", "", "..."], ["a", "X", "b", "..."], None),
    "a line that stands for others": (["a", "..."], ["a"], Hint("stand-in", (2, 2), ("...",))),
    "one with a form feed": (["# unchanged\f", "a"], ["# unchanged"], Hint("stand-in", (1, 1), ("# unchanged\f",))),
    "line numbers": (["3: a", "4: b"], ["a", "b"], Hint("numbered", (3, 4))),
}


@pytest.mark.parametrize(("search", "window", "hint"), LINES.values(), ids=LINES)
def test_the_lines_of_a_hint(search: list[str], window: list[str], hint: Hint | None) -> None:
    assert list(hints(search, [], window, [])) == ([] if hint is None else [hint])


def same(where: str) -> list[str]:
    return [f"the same text is at {where}, name that file if you mean it"]


TWO = ["def f():", "    pass"]
ELSEWHERE: dict[str, tuple[list[str], list[tuple[str, list[str]]], list[str]]] = {
    "in another file": (TWO, [("b.py", ["x"]), ("src/api.py", ["x", *TWO, "y"])], same("src/api.py:2-3")),
    "a single line": (["return x"], [("a.py", ["return x"])], same("a.py:1")),
    "twice in a file": (TWO, [("a.py", [*TWO, *TWO])], same("a.py:1-2 and 1 more place")),
    "in three places": (TWO, [("a.py", ["", *TWO, "", *TWO]), ("b.py", TWO)], same("a.py:2-3 and 2 more places")),
    "places that overlap": (["abcd"] * 2, [("a.py", ["abcd"] * 5)], same("a.py:1-2 and 3 more places")),
    "only exactly": (TWO, [("a.py", ["def f():", "  pass"]), ("b.py", ["def f(): ", "    pass"])], []),
    "only together": (TWO, [("a.py", ["def f():", "", "    pass"])], []),
    "only whole lines": (["f(1)x"], [("a.py", ["f(1)xy", "xf(1)x"])], []),
    "a name that hides something": (["return x"], [("a\u202eb.py", ["return x"])], same("aU+202Eb.py:1")),
    "a function and its brace": (["def f() {", "}"], [("a.py", ["def f() {", "}"])], same("a.py:1-2")),
    "a brace": (["}"], [("a.py", ["}"])], []),
    "a rule": (["-----"], [("a.py", ["-----"])], []),
    "blank lines": ([""], [("a.py", [""])], []),
    "no other file": (TWO, [], []),
}


@pytest.mark.parametrize(("search", "others", "said"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_the_text_in_another_file(search: list[str], others: list[tuple[str, list[str]]], said: list[str]) -> None:
    assert words(search, ["new"], None, others) == said


def test_the_most_useful_comes_first() -> None:
    search = ["1: A …", "2: ..."]
    assert words(search, [], ["1: a …", "2: ..."], [("b.py", search)])[:2] == [
        *same("b.py:1-2"),
        "SEARCH differs only in letter case: `A` where the file has `a`",
    ]
