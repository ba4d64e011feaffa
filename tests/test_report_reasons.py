"""docs/reasons.md has a heading for every code, an example, the reason and the remedy; and no other heading."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editblocks.codes import ReasonCode

PAGE = (Path(__file__).parents[1] / "docs" / "reasons.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_there_is_a_heading_for_every_code_and_no_other() -> None:
    assert sorted(re.findall("^### (.*)$", PAGE, re.MULTILINE)) == sorted(code.value for code in ReasonCode)


@pytest.mark.parametrize("code", ReasonCode)
def test_every_code_has_an_example_a_reason_and_a_remedy(code: ReasonCode) -> None:
    parts = re.fullmatch(
        r"\n```text\n(.+)\n```\n\n\*\*Why\.\*\* ((?:.+\n)+?)\*\*What to do\.\*\* ((?:.+\n)+)\n?", SECTIONS[code.value]
    )
    assert parts is not None
    message = parts[1]
    assert message.startswith(f"{code.value}: ")
    assert not message.endswith(".")
