"""Hints are true of any two texts, and cost work in proportion."""

import html
import unicodedata
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.callkit import calls

from editblocks.core import explain
from editblocks.matching.diagnose import hints


# Folds of our own, for what the hints say: by kind, on whole lines.
def unescaped(line: str) -> str:
    while (found := html.unescape(line)) != line:
        line = found
    return line


def looks(line: str) -> str:
    table = {**dict.fromkeys(map(ord, "‘’"), "'"), **dict.fromkeys(map(ord, "“”"), '"'), 0x430: "a"}
    return unicodedata.normalize("NFKC", line).translate({**table, **dict.fromkeys(map(ord, "–—"), "-")})


ORACLES: dict[str, Callable[[str], str]] = {
    "HTML entities": unescaped,
    "invisible characters": lambda line: "".join(char for char in line if unicodedata.category(char) != "Cf"),
    "Unicode normal form": lambda line: unicodedata.normalize("NFC", line),
    "look-alike characters": looks,
    "quotes": lambda line: line.translate({ord('"'): "'"}),
    "white space": lambda line: "".join(line.replace("\t", " ").split(" ")),
    "backslashes": lambda line: line.replace("\\", ""),
    "letter case": str.lower,
    "Markdown marks": lambda line: line.translate(dict.fromkeys(map(ord, "_*`"))),
}
PIECES = [
    *("a", "B", "b", "x1", "é", "e\u0301", "\u0430", '"', "“", "'", "’", "-", "--", "–", "—", " ", "  ", "\t", "\xa0"),
    *("&lt;", "<", "&amp;", "&amp;lt;", "&", "\\", "\\\\", '\\"', "_", "__", "`", "\u200b", "...", "…"),
]
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), min_size=1, max_size=3)


def folded(lines: Sequence[str], kinds: Sequence[str]) -> str:
    for kind in (kind for kind in ORACLES if kind in kinds):
        lines = [ORACLES[kind](line) for line in lines]
    return "\n".join(lines)


@given(LINES, LINES)
@example(["x1&"], ["x1&amp;"])
@example(['""a', '""a'], ['""a', "\"'a"])
def test_a_hint_about_any_two_texts_is_true(search: list[str], window: list[str]) -> None:
    assert_true(search, window)


OTHERWISE = {
    "a": ["A", "\u0430", "a\u200b"],
    '"': ["“", "”", '\\"', "&quot;", "&#34;"],
    "'": ["’", "&#39;"],
    "-": ["–", "—"],
    " ": ["  ", "\t", "\xa0", "&nbsp;"],
    "é": ["e\u0301"],
    "<": ["&lt;", "&amp;lt;"],
    "\\": ["\\\\"],
    "_": ["", "__"],
}


@given(st.lists(st.sampled_from([*OTHERWISE, "b", "1"]), max_size=12), st.data())
def test_what_is_spelled_otherwise_is_found(letters: list[str], data: st.DataObject) -> None:
    spelled = [data.draw(st.sampled_from([letter, *OTHERWISE.get(letter, ())])) for letter in letters]
    search, window = ["line", "x" + "".join(spelled)], ["line", "x" + "".join(letters)]
    is_said = assert_true(search, window)
    assert is_said == (search != window)


def assert_true(search: list[str], window: list[str]) -> bool:
    """Whether a hint about spelling is given; if so, it is true."""
    spelled = next((hint for hint in hints(search, ["new"], window, []) if hint.kind == "spelled"), None)
    if spelled is None:
        return False
    assert explain.hint(spelled)[0].isprintable()
    assert folded(search, spelled.words) in folded(window, spelled.words)
    ours, theirs = spelled.pieces
    assert ours != theirs
    assert ours in "\n".join(search)
    assert theirs in "\n".join(window)
    return True


HOSTILE: dict[str, Callable[[int], tuple[list[str], list[str]]]] = {
    "the same short line": (lambda n: (["x"] * n + ["y"], ["x"] * n + ["Y"])),
    "the same short line, never the last": (lambda n: (["x"] * n + ["y"], ["x"] * 2 * n)),
    "every line in every way": (lambda n: (["“&amp;\u200b e\u0301 \t \\\\ A __x__"] * n, ['"&   é \\ a x'] * n)),
    "ampersands": (lambda n: (["&" + "amp;" * 900 + "x"] * (n // 100), ["&x"] * (n // 100))),
    "marks": (lambda n: (["a" + "\u0301\u0316" * 900] * (n // 100), ["a" + "\u0316\u0301" * 900] * (n // 100))),
    "numbers": (lambda n: ([f"{number}: x" for number in range(n)], ["x"] * n)),
    "dots": (lambda n: (["..."] * n, ["x"] * n)),
    "a patch": (lambda n: (["+"] * n + ["-a"], ["x"] * n)),
}


@pytest.mark.long
@pytest.mark.parametrize("family", HOSTILE.values(), ids=HOSTILE)
def test_the_work_is_linear(family: Callable[[int], tuple[list[str], list[str]]]) -> None:
    def work(size: int) -> int:
        search, window = family(size)
        return calls(lambda: list(hints(search, search, window, [("b.py", [*window, *search, *search])])))

    assert work(1000) <= 2.2 * work(500)
