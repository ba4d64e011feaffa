"""What is no result of ours is refused by a sentence; what is one makes a page, whatever is in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import pagekit
from support.json_outcomes import VALIDATOR

from editblocks.faces.cli.explain import meanings
from editblocks.report.page import read
from editblocks.report.page.read import NotOurs, looks_like_a_result, read_result
from editblocks.report.page.render import render_page

RESULT = pagekit.result_of(pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP))

Change = Callable[[dict[str, Any]], object]
FAULTS: tuple[tuple[Change, str], ...] = (
    (lambda it: it.pop("schema_version"), "is no result of editblocks"),
    (lambda it: it.update(schema_version=True), "has a version"),
    (lambda it: it.update(schema_version=2), "has a version"),
    (lambda it: it.pop("blocks"), "is no result as editblocks writes it: it has no `blocks`"),
    (lambda it: it["blocks"][0].pop("ok"), "`blocks`, number 1, has no `ok`"),
    (lambda it: it["blocks"][1].update(path=5), "`path` of `blocks`, number 2, is another kind of value"),
    (lambda it: it["blocks"][1].update(ok=1), "is another kind of value"),
    (lambda it: it["blocks"][1].update(lines_added=True), "is another kind of value"),
    (lambda it: it["blocks"][1].update(lines_added=-1), "has a value that is not allowed there"),
    (lambda it: it["blocks"][0].update(status="lost"), "has a value that is not allowed there"),
    (lambda it: it["blocks"][0].update(similarity=float("nan")), "has a value that is not allowed there"),
    (lambda it: it["target"].update(head="main"), "`head` of `target` is another kind of value"),
    (lambda it: it["tool"].update(name="other"), "has a value that is not allowed there"),
    (lambda it: it["summary"]["by_code"].update(lost="x"), "a member of `by_code` of `summary`"),
    (lambda it: it["blocks"].reverse(), "its blocks are not numbered from 1"),
    (lambda it: it.update(blocks=it["blocks"] * 1_667), "has 10002 blocks, and no response that is read has more"),
)


@pytest.mark.long(after=15)
@pytest.mark.parametrize(("change", "words"), FAULTS, ids=[words for _, words in FAULTS])
def test_what_is_no_result_of_ours(change: Change, words: str) -> None:
    result = deepcopy(RESULT)
    change(result)
    with pytest.raises(NotOurs) as refused:
        read_result(json.dumps(result).encode())
    assert words in str(refused.value)


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"{", b'"x"', b"[" * 200_000, b"1" * 10_000])
def test_what_is_no_json_of_ours(data: bytes) -> None:
    with pytest.raises(NotOurs):
        read_result(data)


def test_a_result_that_is_far_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MOST_BYTES", 100)
    with pytest.raises(NotOurs, match="has over 100 bytes"):
        read_result(json.dumps(RESULT).encode())


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ('{"schema_version": 1', True),
        ('\ufeff \n{ "tool": {}, "schema_version": 1', True),
        ("prose with {}", False),
        ('{"a": 1}', False),
        ('Here: {"schema_version": 1', False),
    ],
)
def test_how_a_result_begins(text: str, is_one: bool) -> None:
    assert looks_like_a_result(text) is is_one


_TEXT = st.text(st.characters(exclude_categories=()), max_size=12)
_VALUES = st.one_of(st.none(), st.booleans(), st.integers(-3, 10**30), st.floats(), _TEXT, st.just([]), st.just({}))


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in members for place in [(*path, key), *_places(item, (*path, key))]]


@given(st.sampled_from(_places(RESULT)), _VALUES)
def test_a_changed_result_is_refused_or_makes_a_page(place: tuple[Any, ...], value: Any) -> None:
    result = deepcopy(RESULT)
    inner: Any = result
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    data = json.dumps(result).encode()
    try:
        taken = read_result(data)
    except NotOurs:
        assert place[0] == "blocks" or not VALIDATOR.is_valid(json.loads(data))
        return
    page = render_page(taken, meanings())
    assert page.encode("utf-8", "replace").startswith(b"<!DOCTYPE html>")
