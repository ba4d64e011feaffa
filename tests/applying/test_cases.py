"""Every golden page, and what must hold for every page: twice, CRLF, in pieces, byte for byte."""

import itertools
import random
from dataclasses import replace

import pytest
from support import golden
from support.golden import plan
from support.planned import files_after
from support.responses import verdicts

from editblocks import ApplyResult, EditResult, EditStatus, ParseResult, parse_response
from editblocks.parsing.parse import StreamParser

CASES = golden.all_cases()


def written(case: golden.Case, result: ApplyResult, files: dict[str, bytes]) -> dict[str, bytes]:
    """The files after a run in the case's mode."""
    return files_after(files, result) if result.ok or case.writes_what_is_ready else files


def crlf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def crlf_files(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: crlf(data) for path, data in files.items()}


PLANNED: dict[str, ApplyResult] = {}


def as_written(case: golden.Case) -> ApplyResult:
    """What becomes of the page itself, planned once: values do not change."""
    if case.name not in PLANNED:
        PLANNED[case.name] = plan(case, case.response, case.before)
    return PLANNED[case.name]


def rows(case: golden.Case, result: ApplyResult) -> list[str]:
    return [line for line in golden.report(result, case.shows).splitlines() if not line.startswith("  notes")]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=[case.name for case in CASES])


def test_the_page_holds(case: golden.Case) -> None:
    result = plan(case, case.response, case.before)
    assert golden.report(result, case.shows) == case.report
    assert written(case, result, case.before) == case.expected


@pytest.mark.long
def test_twice_changes_nothing_more(case: golden.Case) -> None:
    once = written(case, as_written(case), case.before)
    if case.options.get("twice") == "no":
        assert "second run" in case.prose
        return
    assert written(case, plan(case, case.response, once), once) == once


@pytest.mark.long
def test_crlf_gives_the_same_rows_and_the_same_change(case: golden.Case) -> None:
    if case.options.get("crlf") == "no":
        assert "line end" in case.prose
        return
    expected = rows(case, as_written(case))
    for which in ("response", "files", "both"):
        response = case.response if which == "files" else case.response.replace("\n", "\r\n")
        files = case.before if which == "response" else crlf_files(case.before)
        base = case.base if which == "response" else crlf_files(case.base)
        result = plan(case, response, files, base)
        after = written(case, result, files)
        assert rows(case, result) == expected, which
        # A new file is written with LF whatever the response had; every other file keeps its own ends.
        for path, data in case.expected.items():
            before = case.before.get(result.renamed.get(path, path), b"")
            is_converted = which != "response" and before.removeprefix(b"\xef\xbb\xbf")
            assert after[path] == (crlf(data) if is_converted else data), which


@pytest.mark.long
def test_every_place_that_is_offered_can_be_chosen(case: golden.Case) -> None:
    asked = as_written(case)
    for row in asked.results:
        for place in row.candidates:
            if place.pick is not None:
                chosen = plan(picking(case, place.pick), case.response, case.before)
                [found] = [each for each in chosen.results if each.block.number == row.block.number]
                found = found.trial or found  # the block before it still fails, unless it is left out, too
                assert found.ok, (place.pick, found.reason)
                assert found.chosen or found.status is EditStatus.SKIPPED


def picking(case: golden.Case, pick: str) -> golden.Case:
    """The page with this place chosen, instead of one that it chooses itself."""
    number, _, _ = pick.partition("@")
    parts = case.options.get("only", "ready").split(",")
    selector = ",".join([pick, *(part for part in parts if not part.startswith(f"{number}@"))])
    return replace(case, options={**case.options, "only": selector})


@pytest.mark.long
def test_bytes_outside_the_spans_stay(case: golden.Case) -> None:
    result = as_written(case)
    assert set(result.contents) <= {path for row in result.results for path in row.block.paths}
    for path, data in files_after({}, result).items():
        assert data != case.before.get(path)
        before = case.before.get(result.renamed.get(path, path), b"")
        applied = [row for row in result.results if row.file_path == path and row.strategy]
        spans = [row.span for row in applied if row.span]
        if spans and len(spans) == len(applied):
            old = before.split(b"\n")
            first, last = min(start for start, _ in spans), max(stop for _, stop in spans)
            rest = b"\n".join(old[last:])
            assert data.startswith(b"".join(line + b"\n" for line in old[:first]))
            assert data.endswith((rest, *with_newline(rest)) if is_newline_added(applied) else rest)


def is_newline_added(rows: list[EditResult]) -> bool:
    """Whether edit-v3 put a newline behind the last line, wherever its change stands."""
    return any(note.code == "final-newline-added" for row in rows for note in row.notes)


def with_newline(rest: bytes) -> tuple[bytes, bytes]:
    return rest + b"\n", rest + b"\r\n"


@pytest.mark.long
def test_in_pieces_it_reads_alike(case: golden.Case) -> None:
    whole = parse_response(case.response)
    for text in (case.response, case.response.replace("\n", "\r\n")):
        ends = {number + 1 for number, char in enumerate(text) if char == "\n"}
        dice = random.Random(case.name)  # noqa: S311
        places = {dice.randrange(len(text) + 1) for _ in range(200)}
        assert fed(pieces(text, ends)) == fed(pieces(text, ends | places)) == whole


@pytest.mark.long
def test_a_character_at_a_time_it_reads_alike(case: golden.Case) -> None:
    assert fed(list(case.response)) == parse_response(case.response)


def pieces(text: str, places: set[int]) -> list[str]:
    """The text cut at all `places`."""
    edges = sorted({0, len(text), *places})
    return [text[start:stop] for start, stop in itertools.pairwise(edges)]


WRAPPERS = {
    "behind prose": "Here is what I would do.\n\n{}\n\nDone, as asked.\n",
    "in details": "<details>\n<summary>Changes</summary>\n\n{}\n</details>\n",
}


@pytest.mark.long
def test_what_stands_around_a_response_changes_nothing(case: golden.Case) -> None:
    for name, wrapper in WRAPPERS.items():
        check_same(case, wrapper.replace("{}", case.response), name)
    lines = case.response.splitlines(keepends=True)
    indented = "".join(f"    {line}" if line.strip() else line for line in lines)
    check_same(case, f"1. Do this:\n\n{indented}", "in a list item")


@pytest.mark.long
def test_a_quoted_response_is_not_acted_on(case: golden.Case) -> None:
    quoted = "".join(f"> {line}" for line in case.response.splitlines(keepends=True))
    assert plan(case, quoted, case.before).rows == ()


def check_same(case: golden.Case, response: str, name: str) -> None:
    """The same verdicts and the same files, whatever the numbers of the lines."""
    if case.options.get("embedded") == "no":
        assert case.prose
        return
    expected, found = as_written(case), plan(case, response, case.before)
    assert verdicts(found) == verdicts(expected), name
    assert found.contents == expected.contents, name


def fed(chunks: list[str]) -> ParseResult:
    parser = StreamParser()
    for chunk in chunks:
        parser.feed(chunk)
    return parser.close()


def test_moving_on_a_page_is_read_strictly() -> None:
    assert len({case.claim for case in CASES}) == len(CASES)
