"""docs/reference/reasons.md has a heading for every rule, with example, reason and remedy, and no other."""

from __future__ import annotations

import re

import pytest
from support.project import DOCS

from editblocks.report.tools.sarif import RULES

PAGE = (DOCS / "reference/reasons.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_there_is_a_heading_for_every_code_and_no_other() -> None:
    assert sorted(re.findall("^### (.*)$", PAGE, re.MULTILINE)) == sorted(RULES)


@pytest.mark.parametrize("code", RULES)
def test_every_code_has_an_example_a_reason_and_a_remedy(code: str) -> None:
    parts = re.fullmatch(
        r"\n```text\n(.+)\n```\n\n\*\*Why\.\*\* ((?:.+\n)+?)\*\*What to do\.\*\* ((?:.+\n)+)\n?", SECTIONS[code]
    )
    assert parts is not None
    message = parts[1]
    assert message.startswith(f"{code}: ")
    assert not message.endswith(".")
