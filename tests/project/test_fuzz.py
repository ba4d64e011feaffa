"""Inputs that once failed, and a few mutated ones: `python -m support.fuzz` tries many."""

from pathlib import Path

import pytest
from support.fuzz.__main__ import fuzz, smallest
from support.fuzz.targets import TARGETS
from support.project import DATA

FOUND = sorted((DATA / "fuzz").glob("*/*"))


@pytest.mark.parametrize("place", FOUND, ids=lambda place: f"{place.parent.name}-{place.name}")
def test_what_once_failed_holds_now(place: Path) -> None:
    TARGETS[place.parent.name].check(place.read_bytes().decode("utf-8", "surrogatepass"))


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_mutated_inputs_break_no_rule(name: str) -> None:
    tried = fuzz(TARGETS[name], 2000, seed=1)
    assert [(find.kind, find.text) for find in tried.finds] == []
    assert (tried.runs, tried.kinds > 10) == (2000, True)


def fails_with_two_signs(text: str) -> None:
    assert text.count("<") < 2


def test_a_failure_is_found_once_and_made_small() -> None:
    target = TARGETS["reader"]._replace(check=fails_with_two_signs)
    tried = fuzz(target, 50, seed=1)
    [find] = tried.finds
    assert find.text == "<<"
    assert smallest(fails_with_two_signs, find._replace(text="a<\nb\n<\n")) == "<<"


@pytest.mark.long
def test_the_same_seed_gives_the_same_inputs() -> None:
    kinds = {fuzz(TARGETS["settings"], 300, seed=2).kinds for _ in range(2)}
    assert len(kinds) == 1
