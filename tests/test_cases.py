"""Every golden page, and what must hold for every page: twice, CRLF, in pieces, byte for byte."""

from __future__ import annotations

import golden
import pytest

from editblocks import ApplyResult, ParseResult, Settings, apply_response, parse_response
from editblocks.parse import StreamParser

CASES = golden.all_cases()


def plan(case: golden.Case, response: str, files: dict[str, bytes]) -> ApplyResult:
    settings = Settings(matching=case.options.get("matching", "standard"))
    return apply_response(response, files.get, settings=settings, context_path=case.options.get("context-path"))


def written(case: golden.Case, result: ApplyResult, files: dict[str, bytes]) -> dict[str, bytes]:
    """The files after a run in the case's mode."""
    return {**files, **result.contents} if result.ok or "partial" in case.options else files


def crlf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def crlf_files(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: crlf(data) for path, data in files.items()}


def rows(result: ApplyResult) -> list[str]:
    return [line for line in golden.report(result).splitlines() if not line.startswith("  notes")]


@pytest.fixture(params=CASES, ids=[case.name for case in CASES])
def case(request: pytest.FixtureRequest) -> golden.Case:
    found = request.param
    assert isinstance(found, golden.Case)
    return found


def test_the_page_holds(case: golden.Case) -> None:
    result = plan(case, case.response, case.before)
    assert golden.report(result) == case.report
    assert written(case, result, case.before) == case.expected


def test_twice_changes_nothing_more(case: golden.Case) -> None:
    once = written(case, plan(case, case.response, case.before), case.before)
    again = plan(case, case.response, once)
    assert case.options.get("twice") == "no" or not again.ok or again.contents == {}


@pytest.mark.parametrize("which", ["response", "files", "both"])
def test_crlf_gives_the_same_rows_and_the_same_change(case: golden.Case, which: str) -> None:
    if case.options.get("crlf") == "no":
        assert "line end" in case.prose
        return
    response = case.response if which == "files" else case.response.replace("\n", "\r\n")
    files = case.before if which == "response" else crlf_files(case.before)
    result = plan(case, response, files)
    after = written(case, result, files)
    assert rows(result) == rows(plan(case, case.response, case.before))
    # A new file is written with LF whatever the response had; every other file keeps its own ends.
    for path, data in case.expected.items():
        is_converted = which != "response" and case.before.get(path, b"").removeprefix(b"\xef\xbb\xbf")
        assert after[path] == (crlf(data) if is_converted else data)


def test_bytes_outside_the_spans_stay(case: golden.Case) -> None:
    result = plan(case, case.response, case.before)
    assert set(result.contents) <= {row.file_path for row in result.results}
    for path, data in result.contents.items():
        assert data != case.before.get(path)
        original = case.before.get(path, b"")
        spans = [row.span for row in result.results if row.file_path == path and row.strategy and row.span]
        rows_here = [row for row in result.results if row.file_path == path]
        if any(note.code == "final-newline-added" for row in rows_here for note in row.notes):
            assert data.endswith(b"\n") and not original.endswith(b"\n")
            data = data.removesuffix(b"\n").removesuffix(b"\r")  # the one byte, or two, that edit-v3 adds elsewhere
        if spans and len(spans) == sum(row.strategy is not None for row in result.results if row.file_path == path):
            old = original.split(b"\n")
            first = min(start for start, _ in spans)
            last = max(stop for _, stop in spans)
            assert data.startswith(b"".join(line + b"\n" for line in old[:first]))
            assert data.endswith(b"\n".join(old[last:]))


def test_in_pieces_it_reads_alike(case: golden.Case) -> None:
    whole = parse_response(case.response)
    assert fed(case.response.splitlines(keepends=True)) == whole
    assert fed(list(case.response)) == whole
    assert fed(list(case.response.replace("\n", "\r\n"))) == whole


def fed(chunks: list[str]) -> ParseResult:
    parser = StreamParser()
    for chunk in chunks:
        parser.feed(chunk)
    return parser.close()


def test_moving_on_a_page_is_read_strictly() -> None:
    assert len({case.claim for case in CASES}) == len(CASES)
