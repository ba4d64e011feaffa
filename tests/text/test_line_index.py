"""What is known of the lines of a text is true of them after any change; an index finds what a search finds."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from editblocks.text.source_text import MOST_STARTS, Form, LineMap, SourceText, right_stripped, stripped

LINE = st.sampled_from(["", " ", "a", "b", " a", "a ", "\tb", "c"])
TEXT = st.lists(LINE, max_size=10)
# start, length of what goes, new lines (None: a line of the old ones is kept)
SPLICE = st.tuples(st.integers(0, 12), st.integers(0, 4), st.lists(st.none() | LINE, max_size=4))
Splice = tuple[int, int, list[str | None]]


def of(lines: Sequence[str]) -> SourceText:
    return SourceText(lines, ["\n"] * len(lines))


def splice(text: SourceText, origins: list[int | None], how: Splice) -> None:
    """Change the text, and in `origins` the plain way which line of the first text each line is."""
    start = min(how[0], len(text.lines))
    stop = min(start + how[1], len(text.lines))
    kept = iter(range(start, stop))
    new = [line if line is not None else next(kept, "none left") for line in how[2]]
    if text.splice(start, stop, new):
        origins[start:stop] = [origins[line] if isinstance(line, int) else None for line in new]


@given(TEXT, st.lists(SPLICE, max_size=5), st.lists(LINE, min_size=1, max_size=3), st.integers(0, 5))
@example(["a"] * 5, [(1, 1, ["a"])], ["a"], 0)
@example(["a", "b"], [(1, 0, ["a", "b"]), (2, 0, ["c"])], ["a", "b"], 1)
@example(["a", "b", "c"], [(0, 2, ["b", "a"])], ["b"], 0)
@example(["a"], [(0, 1, ["a", None])], ["a"], 0)
@example(["a"] * 70, [(1, 1, ["b"])], ["a"], 0)
def test_after_any_splice_a_text_is_as_if_it_was_read_like_that(
    lines: list[str], splices: list[Splice], search: list[str], indexed_after: int
) -> None:
    plain, indexed = of(lines), of(lines)
    origins: list[int | None] = list(range(len(lines)))
    bare = [line.strip(" \t") for line in search]
    searches: list[tuple[Form, list[str]]] = [
        (None, search),
        (right_stripped, [line.rstrip(" \t") for line in search]),
        (stripped, bare),
    ]
    for text in (plain, indexed):
        text.begin(1)
    for number, how in enumerate(splices):
        for form, wanted in searches:  # what is known of a search must not outlive a splice
            for text in (plain, indexed):
                assert text.count((str(form), *wanted), text.places(wanted, form)) >= 0
        if number == indexed_after:
            indexed.index(["a"])
        splice(plain, origins.copy(), how)
        splice(indexed, origins, how)
    indexed.index(bare)
    assert indexed.lines == plain.lines
    for text in (plain, indexed):
        for form, wanted in searches:
            lines_now = list(map(form or str, text.lines))
            runs = [at for at in range(len(lines_now)) if lines_now[at : at + len(wanted)] == wanted]
            assert list(text.places(wanted, form)) == runs
            assert text.count((str(form), *wanted), text.places(wanted, form)) == len(runs)
        assert (len(text.ends), text.encode()) == (len(text.lines), of(text.lines).encode())
    written = [line for line, origin in enumerate(origins) if origin is None]
    assert (len(plain.added), [line for line, added in enumerate(plain.added) if added]) == (len(origins), written)
    assert [indexed.origins.original_line(line) for line in range(len(origins))] == origins
    assert [head for _, first, count in indexed.origins.runs() for head in range(first, first + count)] == [
        origin for origin in origins if origin is not None
    ]


MANY = MOST_STARTS + 1
OFTEN: dict[str, tuple[list[str], list[str], list[int]]] = {
    "a line that is everywhere": (["}"] * MANY, ["}", "}"], list(range(MANY - 1))),
    "a rare line among them": (["}"] * MANY + ["x"] + ["}"] * MANY, ["}", "x", "}"], [MANY - 1]),
    "a line that is nowhere": (["}"] * MANY, ["}", "y"], []),
    "longer than the file": (["x"], ["x", "x"], []),
    "over the end": (["a", "x"], ["x", "a"], []),
    "over the start": (["x", "a"], ["a", "x"], []),
}


@pytest.mark.parametrize(("lines", "search", "places"), OFTEN.values(), ids=OFTEN)
def test_rare_and_common_lines(lines: list[str], search: list[str], places: list[int]) -> None:
    text = of(lines)
    assert text.index(["nowhere"]).starts(["nowhere"]) == []
    assert list(text.places(search)) == places
    text.index(search)
    assert list(text.places(search)) == places


def test_many_lines_written_at_one_place_are_searched_as_a_whole() -> None:
    text = of(["a", "z"])
    assert text.index(["new"]).places("new", MOST_STARTS) == []
    for _ in range(MANY):
        text.splice(1, 1, ["new", "line"])
    assert text.index().places("new", MOST_STARTS) is None
    assert list(text.places(["new", "line"])) == list(range(1, 2 * MANY, 2))


RUNS: dict[str, tuple[int, list[tuple[int, int, tuple[str | int, ...]]], list[tuple[int, int, int]]]] = {
    "untouched": (9, [], [(0, 0, 9)]),
    "nothing": (0, [], []),
    "a line replaced": (9, [(4, 5, ("x",))], [(0, 0, 4), (5, 5, 4)]),
    "a line out": (9, [(4, 5, ())], [(0, 0, 4), (4, 5, 4)]),
    "lines in": (9, [(4, 4, ("x", "y"))], [(0, 0, 4), (6, 4, 5)]),
    "all replaced": (2, [(0, 2, ("x",))], []),
    "the ends replaced": (5, [(0, 1, ("x",)), (4, 5, ())], [(1, 1, 3)]),
}


@pytest.mark.parametrize(("count", "splices", "runs"), RUNS.values(), ids=RUNS)
def test_runs_of_the_original(
    count: int, splices: list[tuple[int, int, tuple[str | int, ...]]], runs: list[tuple[int, int, int]]
) -> None:
    lines = LineMap(count)
    for how in splices:
        lines.splice(*how)
    assert list(lines.runs()) == runs
