"""What is no result of ours is refused by a sentence; what is one makes a page, whatever is in it."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import pagekit
from support.json_outcomes import OUTCOMES, VALIDATOR

from editblocks.faces.cli.explain import meanings
from editblocks.report.page import render
from editblocks.report.page.render import NotOurs, looks_like_a_result, read_result, render_page
from editblocks.report.view import OutcomeView

RESULT = pagekit.result_of(pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP))

Change = Callable[[dict[str, Any]], object]
FAULTS: tuple[tuple[Change, str], ...] = (
    (lambda it: it.pop("schema_version"), "is not a result of editblocks"),
    (lambda it: it.update(schema_version=True), "was made by another version"),
    (lambda it: it.update(schema_version=2), "was made by another version"),
    (lambda it: it.pop("blocks"), "is not a result that editblocks wrote: its top level is not as the schema says"),
    (lambda it: it["blocks"][0].pop("ok"), "$.blocks[0] is not as the schema says"),
    (lambda it: it["blocks"][1].update(path=5), "$.blocks[1].path is not"),
    (lambda it: it["blocks"][1].update(ok=1), "$.blocks[1].ok is not"),
    (lambda it: it["blocks"][1].update(lines_added=True), "$.blocks[1].lines_added is not"),
    (lambda it: it["blocks"][1].update(lines_added=-1), "$.blocks[1].lines_added is not"),
    (lambda it: it["blocks"][0].update(status="lost"), "$.blocks[0].status is not"),
    (lambda it: it["blocks"][0].update(similarity=float("nan")), "is not JSON that can be read"),
    (lambda it: it["target"].update(head="main"), "$.target.head is not"),
    (lambda it: it["tool"].update(name="other"), "$.tool.name is not"),
    (lambda it: it["summary"]["by_code"].update(lost="x"), "$.summary.by_code"),
    (lambda it: it.update(outcome="empty"), "$.blocks is not"),
    (lambda it: it["blocks"][0].update(ok=False), "$.blocks[0].ok is not"),
    (lambda it: it["blocks"][0].update(status="failed"), "$.blocks[0]"),
    (lambda it: it["blocks"][3].update(status="applied"), "$.blocks[3]"),
    (lambda it: it.update(blocks=it["blocks"] * 1_667), "has 10002 blocks, the limit is"),
)


@pytest.mark.long(after=15)
@pytest.mark.parametrize(
    ("change", "words"), FAULTS, ids=[f"{number} {words}" for number, (_, words) in enumerate(FAULTS)]
)
def test_what_is_no_result_of_ours(change: Change, words: str) -> None:
    result = deepcopy(RESULT)
    change(result)
    with pytest.raises(NotOurs) as refused:
        read_result(json.dumps(result).encode())
    assert words in str(refused.value)


@pytest.mark.parametrize("name", OUTCOMES)
def test_what_we_write_can_be_read(name: str) -> None:
    result = pagekit.result_of(OutcomeView(OUTCOMES[name]))
    assert read_result(json.dumps(result).encode()) == result


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"{", b'"x"', b"[" * 200_000, b"1" * 10_000])
def test_what_is_no_json_of_ours(data: bytes) -> None:
    with pytest.raises(NotOurs):
        read_result(data)


def test_a_result_that_is_far_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "MOST_BYTES", 100)
    with pytest.raises(NotOurs, match="is over the limit of 100 bytes"):
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
_FLOATS = st.floats().filter(lambda value: not value.is_integer())  # 1.0 is an integer for JSON Schema alone
_VALUES = st.one_of(st.none(), st.booleans(), st.integers(-3, 10**30), _FLOATS, _TEXT, st.just([]), st.just({}))


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
