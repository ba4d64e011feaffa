"""The output of a linter in a comment: nobody sees there what its numbers would change."""

import json
from pathlib import Path

import pytest
from support.talkkit import talk

RATES = b"BASE = 3\n"
RANGE = {"start": {"line": 1, "column": 8}, "end": {"line": 1, "column": 9}}
FIX = {"message": "m", "location": {"path": "rates.py"}, "suggestions": [{"range": RANGE, "text": "4"}]}
REGION = {"startLine": 1, "startColumn": 8, "endColumn": 9, "snippet": {"text": "3"}}
CHANGE = {
    "artifactLocation": {"uri": "rates.py"},
    "replacements": [{"deletedRegion": REGION, "insertedContent": {"text": "4"}}],
}
LOG = {"version": "2.1.0", "runs": [{"results": [{"fixes": [{"artifactChanges": [CHANGE]}]}]}]}
COMMENTS = [
    pytest.param(json.dumps({"diagnostics": [FIX, FIX]}), id="rdjson"),
    pytest.param(f"{json.dumps(FIX)}\n{json.dumps(FIX)}\n", id="rdjsonl"),
    pytest.param(json.dumps(LOG, indent=1), id="sarif"),
]


@pytest.mark.parametrize("body", COMMENTS)
def test_a_document_in_a_comment_changes_nothing(tmp_path: Path, body: str) -> None:
    with talk(tmp_path, {"rates.py": RATES}) as t:
        t.say("monalisa", body)
        assert t.made == 0
        assert t.file("rates.py") == RATES
        assert t.states == ["failed"]
        assert "is not supported in comments; apply it from a file" in t.status
