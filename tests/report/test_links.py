"""Addresses are built from ids and hex digits; a marker is read only as it was written."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import report_outcomes as outcomes

from editblocks.core.codes import State
from editblocks.core.digests import response_digest
from editblocks.core.outcome import Source
from editblocks.report.status.links import Links, StatusMarker, marker, read_marker
from editblocks.report.view import OutcomeView

BLOB = f"https://github.com/acme/shop/blob/{outcomes.HEAD}"
BLOBS = (
    ("src/cart.py", None, f"{BLOB}/src/cart.py"),
    ("src/cart.py", (41, 47), f"{BLOB}/src/cart.py#L41-L47"),
    ("src/cart.py", (88, 88), f"{BLOB}/src/cart.py#L88"),
    ("a b)](x#y?z", None, f"{BLOB}/a%20b%29%5D%28x%23y%3Fz"),
    ("\u00e9", None, f"{BLOB}/%C3%A9"),
    ("../x", None, None),
    ("a/./b", None, None),
    ("/etc", None, None),
    ("", None, None),
)


@pytest.mark.parametrize(("path", "lines", "address"), BLOBS)
def test_blob(path: str, lines: tuple[int, int] | None, address: str | None) -> None:
    assert outcomes.LINKS.blob(outcomes.HEAD, path, lines) == address


@pytest.mark.parametrize("oid", ["main", "4be1d02", "", outcomes.HEAD.upper(), f"{outcomes.HEAD}\n"])
def test_what_is_no_commit_has_no_address(oid: str) -> None:
    assert outcomes.LINKS.blob(oid, "a.py") is None
    assert outcomes.LINKS.commit(oid) is None


def test_other_addresses() -> None:
    assert outcomes.LINKS.response(None) == "https://github.com/acme/shop/pull/128#issuecomment-2048812345"
    assert outcomes.LINKS.run == "https://github.com/acme/shop/actions/runs/981"
    assert (
        outcomes.LINKS.docs_page("reference/action.md#checks")
        == "https://github.com/octo-org/editblocks/blob/v1/docs/reference/action.md#checks"
    )
    bare = replace(outcomes.LINKS, run_id=None, docs="")
    assert (bare.run, bare.docs_page("reference/reasons.md")) == (None, None)
    assert (
        Links("http://localhost:8080", "a/b", 1, "discussion_r7").response(None)
        == "http://localhost:8080/a/b/pull/1#discussion_r7"
    )


FILE = Links("https://github.com", "acme/shop", 128, "file-0123456789abcdef", path=".edits/cart #1.md")
PULL = "https://github.com/acme/shop/pull/128"
RESPONSES = (
    (outcomes.LINKS, outcomes.HEAD, 31, f"{PULL}#issuecomment-2048812345"),
    (FILE, outcomes.HEAD, None, f"{BLOB}/.edits/cart%20%231.md"),
    (FILE, outcomes.HEAD, 31, f"{BLOB}/.edits/cart%20%231.md#L31"),
    (FILE, None, None, PULL),
    (replace(FILE, path="../x"), outcomes.HEAD, None, PULL),
    (replace(FILE, path=None), outcomes.HEAD, None, PULL),
)


@pytest.mark.parametrize(("links", "head", "line", "address"), RESPONSES)
def test_a_response_file_is_shown_as_it_was_read(
    links: Links, head: str | None, line: int | None, address: str
) -> None:
    assert links.response(head, line) == address


BROKEN = (
    ("server", "javascript:alert(1)"),
    ("server", "https://github.com/\n"),
    ("repository", "acme/shop)"),
    ("repository", "acme"),
    ("source", "issuecomment-"),
    ("source", "issuecomment-1)"),
)  # fmt: skip


@pytest.mark.parametrize(("field", "value"), BROKEN)
def test_a_part_that_breaks_out_is_refused(field: str, value: str) -> None:
    parts = {"server": "https://github.com", "repository": "acme/shop", "source": "issuecomment-1", "docs": ""}
    parts[field] = value
    with pytest.raises(ValueError, match=field):
        Links(parts["server"], parts["repository"], 1, parts["source"], docs=parts["docs"])


@pytest.mark.parametrize("docs", ["", "docs", 'https://example.com/">', "javascript:alert(1)", "https://a b"])
def test_a_page_that_has_no_address_is_left_out(docs: str) -> None:
    links = replace(outcomes.LINKS, docs=docs)
    assert links.docs_page("reference/reasons.md") is None


def test_the_marker_of_an_outcome_is_read_back() -> None:
    made = outcomes.fine(state=State.APPLIED, commit=outcomes.COMMIT)
    line = marker(OutcomeView(made))
    assert line == (
        f"<!-- editblocks:status v1 source=issuecomment-2048812345 digest={response_digest(made.response)}"
        f" head={outcomes.HEAD} state=applied commit={outcomes.COMMIT} -->"
    )
    expected = StatusMarker(
        "issuecomment-2048812345", response_digest(made.response), outcomes.HEAD, State.APPLIED, outcomes.COMMIT
    )
    for text in (line, f"{line}\n### Applied", f"{line}\r\n### Applied"):
        assert read_marker(text) == expected


@given(
    state=st.sampled_from(State),
    digest=st.text("0123456789abcdef", min_size=64, max_size=64),
    commit=st.one_of(st.none(), st.text("0123456789abcdef", min_size=40, max_size=40)),
    head=st.one_of(st.none(), st.text("0123456789abcdef", min_size=64, max_size=64)),
    source=st.from_regex(r"[a-z0-9_-]{1,60}", fullmatch=True),
    skip=st.frozensets(st.integers(1, 500)),
)
def test_every_marker_is_read_back(
    *, state: State, digest: str, commit: str | None, head: str | None, source: str, skip: frozenset[int]
) -> None:
    made = StatusMarker(source, digest, head, state, commit, skip)
    assert read_marker(str(made)) == made


GOOD = f"<!-- editblocks:status v1 source=issuecomment-1 digest={'a' * 64} head={'b' * 40} state=failed -->"
FOREIGN = (
    "",
    "### Applied",
    f" {GOOD}",
    f"\n{GOOD}",
    f"{GOOD} ",
    f"{GOOD}x",
    GOOD.replace("v1", "v2"),
    GOOD.replace("failed", "redone"),
    GOOD.replace("failed", "failed skip=0"),
    GOOD.replace("failed", "failed skip=1,"),
    GOOD.replace("failed", "failed skip=1, 2"),
    GOOD.replace("failed", "failed skip="),
    GOOD.replace("a" * 64, "a" * 63),
    GOOD.replace("a" * 64, "A" * 64),
    GOOD.replace("b" * 40, "b" * 41),
    GOOD.replace("source=issuecomment-1 ", ""),
    GOOD.replace("issuecomment-1", "issue\u202ecomment"),
    GOOD.replace("state=failed", "state=failed extra=1"),
    GOOD.replace(" ", "  "),
    f"> {GOOD}",
)


@pytest.mark.parametrize("text", FOREIGN)
def test_anything_else_is_no_marker(text: str) -> None:
    assert read_marker(GOOD) is not None
    assert read_marker(text) is None


@pytest.mark.parametrize("name", ["", "a b", "x -->", "a" * 61, "UPPER", "file:a.md"])
def test_a_source_that_cannot_be_named_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be named"):
        marker(OutcomeView(outcomes.outcome(source=Source(name, "comment"))))
