"""What a result says of its call: by its switches, and by the words of its first lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from editblocks.formats.outcomes import Outcome, outcome_of, outcome_of_both

FAILED, SUCCEEDED, UNCLEAR = Outcome.FAILED, Outcome.SUCCEEDED, Outcome.UNCLEAR

# A text, and what it says: alone, from a program that names errors, and beside a switch that says success.
WORDS: dict[str, tuple[str, Outcome, Outcome, Outcome]] = {
    "nothing": ("", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "None of Python": ("None", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "none of several": ("None of the edits were applied", FAILED, FAILED, UNCLEAR),
    "time": ("Timeout", FAILED, FAILED, UNCLEAR),
    "counts": ("3 applied, 0 failed", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "other words": ("x", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "success": ("Successfully modified file: /k/a.py (1 replacements).", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "ok": ("OK", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "names of files": ("The file /k/not/error.py and no-error.py were updated", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "quotes": ("Replaced \"not\" and 'failed' by `error`", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "a quote in a failure": ("old_str 'updated' does not appear in it", FAILED, FAILED, UNCLEAR),
    "no errors": ("Edited 1 file with no errors or warnings", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "no output": ("Tool ran without output or errors", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "tags": ("<operation>modified</operation>", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "lines of the file": ("Edited a.py:\n1: if not x:\n2\terror()", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "a diff": ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-not", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "success, and a denial": ("The text was replaced, but not formatted", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "success, and a denial below": ("Updated a.py\nThe tests were not run", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "a denial, and success": ("Error handling updated in cart.py", UNCLEAR, UNCLEAR, UNCLEAR),
    "errors": ("Errors are now written to the log", UNCLEAR, UNCLEAR, UNCLEAR),
    "a denial far below": ("Updated it\na\nb\nnot formatted", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "success that is denied": ("The file could not be changed", FAILED, FAILED, UNCLEAR),
    "denied, with code below": ("It did not match:\n# added", FAILED, FAILED, UNCLEAR),
    "no occurrence": ("0 occurrences found for old_string", FAILED, FAILED, UNCLEAR),
    "a curved apostrophe": ("I can\u2019t find it", FAILED, FAILED, UNCLEAR),
    "Roo Code: details": ("<error_details>\nNo sufficiently similar match", FAILED, FAILED, FAILED),
    "Roo Code: unable": ("Unable to apply diff to file: /k/a.py\n\n<error_details>", FAILED, FAILED, FAILED),
    "Roo Code: not there": ("File does not exist at path: /k/a.py", FAILED, FAILED, UNCLEAR),
    "Roo Code: some": ("Some operations failed:\nOperation 1: Found 2 matches", FAILED, FAILED, UNCLEAR),
    "Roo Code: rejected": ("Changes were rejected by the user.", FAILED, FAILED, UNCLEAR),
    "Roo Code: modified": ('{"path": "a.py", "operation": "modified", "notice": "do not"}', *(SUCCEEDED,) * 3),
    "Codex: hook": ("Command blocked by PreToolUse hook: frozen. Command: x", FAILED, FAILED, UNCLEAR),
    "Codex: guardian": ("This action was rejected due to unacceptable risk.", FAILED, FAILED, UNCLEAR),
    "Codex: texts": ('Wall time: 0.1 seconds\nOutput:\n[{"type": "text", "text": "Error: no"}]', *(FAILED,) * 3),
    "Codex: an object": ('Wall time: 0.1 seconds\nOutput:\n{"error": "no match"}', *(FAILED,) * 3),
    "a string of JSON": ('"Error: no"', FAILED, FAILED, FAILED),
    "JSON that is deep": ("[" * 100_000, UNCLEAR, SUCCEEDED, SUCCEEDED),
    "lists that are deep": ('[[[[[["Error: no"]]]]]]', UNCLEAR, SUCCEEDED, SUCCEEDED),
    "what is no JSON": ("{x}", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "Kimi: rejected": ("<system>ERROR: The tool call is rejected by the user.</system>", FAILED, FAILED, FAILED),
    "Kimi: success": ("<system>File successfully overwritten.</system>", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "LangChain: rejected": ("User rejected the tool call for `edit` with id c", FAILED, FAILED, FAILED),
    "Desktop Commander: text": ('Search content not found. The closest match was "updated"', FAILED, FAILED, UNCLEAR),
    "Desktop Commander: count": ("Expected 1 occurrences but found 3 in a.py", FAILED, FAILED, UNCLEAR),
    "SWE-agent: nothing done": ("OBSERVATION:\nNo replacement was performed", FAILED, FAILED, UNCLEAR),
    "Codex: output": ("Output: Error: no", FAILED, FAILED, FAILED),
    "a person changed it": ("The user made the following updates to your content:", *(SUCCEEDED,) * 3),
}


@pytest.mark.parametrize(("text", "alone", "named", "switched"), WORDS.values(), ids=WORDS)
def test_words(text: str, alone: Outcome, named: Outcome, switched: Outcome) -> None:
    assert outcome_of({}, text) is alone
    assert outcome_of({}, text, names_errors=True) is named
    assert outcome_of({"is_error": False}, [{"type": "text", "text": text}]) is switched


SWITCHES: dict[str, tuple[dict[str, Any], Outcome]] = {
    "is_error": ({"is_error": True}, FAILED),
    "is_error, as text": ({"is_error": "true"}, FAILED),
    "no is_error": ({"is_error": False}, SUCCEEDED),
    "no is_error, as text": ({"is_error": "false"}, SUCCEEDED),
    "isError": ({"isError": True}, FAILED),
    "no isError": ({"isError": False}, SUCCEEDED),
    "isError null": ({"isError": None}, UNCLEAR),
    "success": ({"success": True}, SUCCEEDED),
    "no success": ({"success": False}, FAILED),
    "ok": ({"ok": True}, SUCCEEDED),
    "success as a text": ({"success": "true"}, SUCCEEDED),
    "another success": ({"success": "x"}, UNCLEAR),
    "exit code": ({"exit_code": 1}, FAILED),
    "exit code 0": ({"exit_code": 0}, SUCCEEDED),
    "exit code in metadata": ({"metadata": {"exit_code": 2}}, FAILED),
    "exit code 0 in metadata": ({"metadata": {"exit_code": 0}}, SUCCEEDED),
    "error": ({"error": "x"}, FAILED),
    "error null": ({"error": None}, UNCLEAR),
    "status": ({"status": "failed"}, FAILED),
    "status success": ({"status": "Success"}, SUCCEEDED),
    "two that differ": ({"success": True, "is_error": True}, FAILED),
}


@pytest.mark.parametrize(("result", "expected"), SWITCHES.values(), ids=SWITCHES)
def test_switches(result: dict[str, Any], expected: Outcome) -> None:
    assert outcome_of(result, None) is expected
    assert outcome_of({}, result) is expected
    assert outcome_of({}, json.dumps(result)) is expected


def test_an_item_that_is_complete_may_be_of_a_failure() -> None:
    assert outcome_of({"status": "completed"}, "x") is UNCLEAR


PAIRS = {
    "a failure": (FAILED, SUCCEEDED, FAILED),
    "a failure that is clear": (UNCLEAR, FAILED, FAILED),
    "a success that is clear": (UNCLEAR, SUCCEEDED, SUCCEEDED),
    "neither": (UNCLEAR, UNCLEAR, UNCLEAR),
}


@pytest.mark.parametrize(("one", "other", "expected"), PAIRS.values(), ids=PAIRS)
def test_two_results_of_one_call(one: Outcome, other: Outcome, expected: Outcome) -> None:
    assert outcome_of_both(one, other) is expected
    assert outcome_of_both(other, one) is expected
