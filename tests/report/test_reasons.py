"""docs/reference/reasons.md has an item for every rule, with an anchor and a remedy, and no other."""

import re

import pytest
from support.project import DOCS

from editblocks.faces.cli.explain import NOTE, rows_of
from editblocks.report.findings import RULES

PAGE = (DOCS / "reference/reasons.md").read_text(encoding="utf-8")
ROWS = {row.code: row for row in rows_of(PAGE) if row.group != NOTE}


def test_there_is_an_anchor_for_every_code_and_no_other() -> None:
    anchors = re.findall(r'^- <a id="([a-z-]+)"></a>`([a-z-]+)`: ', PAGE, re.MULTILINE)
    assert sorted(anchors) == sorted((code, code) for code in RULES)


@pytest.mark.parametrize("code", RULES)
def test_every_code_has_a_reason_and_a_remedy(code: str) -> None:
    row = ROWS[code]
    assert row.meaning
    assert not row.meaning.endswith(".")
    assert row.remedy.endswith(".")
