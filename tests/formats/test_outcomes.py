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
    "time": ("Timeout", UNCLEAR, UNCLEAR, SUCCEEDED),
    "counts": ("3 applied, 0 failed", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "other words": ("x", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "success": ("Successfully modified file: /k/a.py (1 replacements).", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "ok": ("OK", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "names of files": ("The file /k/not/error.py and no-error.py were updated", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "quotes": ("Replaced \"not\" and 'failed' by `error`", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "a quote in a failure": ("old_str 'updated' does not appear in it", UNCLEAR, UNCLEAR, SUCCEEDED),
    "no errors": ("Edited 1 file with no errors or warnings", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "no output": ("Tool ran without output or errors", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "tags": ("<operation>modified</operation>", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "lines of the file": ("Edited a.py:\n1: if not x:\n2\terror()", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "a diff": ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-not", UNCLEAR, UNCLEAR, SUCCEEDED),
    "success, and a denial": ("The text was replaced, but not formatted", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "success, and a denial below": ("Updated a.py\nThe tests were not run", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "a denial, and success": ("Error handling updated in cart.py", UNCLEAR, UNCLEAR, SUCCEEDED),
    "errors": ("Errors are now written to the log", UNCLEAR, UNCLEAR, SUCCEEDED),
    "a denial far below": ("Updated it\na\nb\nnot formatted", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "success that is denied": ("The file could not be changed", FAILED, FAILED, UNCLEAR),
    "denied, with code below": ("It did not match:\n# added", UNCLEAR, UNCLEAR, SUCCEEDED),
    "no occurrence": ("0 occurrences found for old_string", UNCLEAR, UNCLEAR, SUCCEEDED),
    "a curved apostrophe": ("I can\u2019t find it", FAILED, FAILED, UNCLEAR),
    "Roo Code: details": ("<error_details>\nNo sufficiently similar match", FAILED, FAILED, UNCLEAR),
    "Roo Code: unable": ("Unable to apply diff to file: /k/a.py\n\n<error_details>", FAILED, FAILED, UNCLEAR),
    "Roo Code: not there": ("File does not exist at path: /k/a.py", UNCLEAR, UNCLEAR, SUCCEEDED),
    "Roo Code: some": ("Some operations failed:\nOperation 1: Found 2 matches", FAILED, FAILED, UNCLEAR),
    "Roo Code: rejected": ("Changes were rejected by the user.", FAILED, FAILED, UNCLEAR),
    "Roo Code: modified": ('{"path": "a.py", "operation": "modified", "notice": "do not"}', *(SUCCEEDED,) * 3),
    "Codex: hook": ("Command blocked by PreToolUse hook: frozen. Command: x", FAILED, FAILED, UNCLEAR),
    "Codex: guardian": ("This action was rejected due to unacceptable risk.", FAILED, FAILED, UNCLEAR),
    "Codex: texts": (
        'Wall time: 0.1 seconds\nOutput:\n[{"type": "text", "text": "Error: no"}]',
        FAILED,
        FAILED,
        UNCLEAR,
    ),
    "Codex: an object": ('Wall time: 0.1 seconds\nOutput:\n{"error": "no match"}', FAILED, FAILED, FAILED),
    "a string of JSON": ('"Error: no"', FAILED, FAILED, UNCLEAR),
    "JSON that is deep": ("[" * 100_000, UNCLEAR, UNCLEAR, SUCCEEDED),
    "lists that are deep": ('[[[[[["Error: no"]]]]]]', UNCLEAR, UNCLEAR, SUCCEEDED),
    "lists that are not too deep": ('[[[["Error: no"]]]]', FAILED, FAILED, UNCLEAR),
    "texts of a list": ('["Error", "Updated a.py"]', FAILED, FAILED, UNCLEAR),
    "what is no JSON": ("{x}", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "Kimi: rejected": ("<system>ERROR: The tool call is rejected by the user.</system>", FAILED, FAILED, UNCLEAR),
    "Kimi: success": ("<system>File successfully overwritten.</system>", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "LangChain: rejected": ("User rejected the tool call for `edit` with id c", FAILED, FAILED, UNCLEAR),
    "Desktop Commander: text": (
        'Search content not found. The closest match was "updated"',
        UNCLEAR,
        UNCLEAR,
        SUCCEEDED,
    ),
    "Desktop Commander: count": ("Expected 1 occurrences but found 3 in a.py", UNCLEAR, UNCLEAR, SUCCEEDED),
    "SWE-agent: nothing done": ("OBSERVATION:\nNo replacement was performed", FAILED, FAILED, UNCLEAR),
    "Codex: output": ("Output: Error: no", FAILED, FAILED, UNCLEAR),
    "a person changed it": ("The user made the following updates to your content:", *(SUCCEEDED,) * 3),
    "a person changed a failure": (
        "The user made the following updates to your content:\n@@ -1 +1 @@\n-error",
        *(SUCCEEDED,) * 3,
    ),
    "not there": ("String to replace not found in file.", UNCLEAR, UNCLEAR, SUCCEEDED),
    "no further action": ("The edit was made. No further action is needed.", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "could not": ("edit: could not apply the hunk", FAILED, FAILED, UNCLEAR),
    "a dash": ("Error - no match", FAILED, FAILED, UNCLEAR),
    "a word with a dash": ("Error-handling improved", UNCLEAR, UNCLEAR, SUCCEEDED),
    "MCP: a number": ("MCP error -32602: no", FAILED, FAILED, UNCLEAR),
    "the name of a tool": ("edit_file failed: no match", FAILED, FAILED, UNCLEAR),
    "tests": ("Tests failed: 0", UNCLEAR, UNCLEAR, SUCCEEDED),
    "a fence": ("```python\nraise ValueError\n```", UNCLEAR, UNCLEAR, SUCCEEDED),
    "a line of a diff": ("-error", UNCLEAR, UNCLEAR, SUCCEEDED),
    "no errors, as a count": ("Errors: 0", UNCLEAR, UNCLEAR, SUCCEEDED),
    "failed, as a count": ("Failed: 0, passed: 3", UNCLEAR, UNCLEAR, SUCCEEDED),
    "opencode: diagnostics": ("Edit applied successfully.\n\nLSP errors detected, please fix:", *(SUCCEEDED,) * 3),
    "OpenHands: advice": ("The file /w/a.py has been edited.\nMake sure it has no duplicate lines", *(SUCCEEDED,) * 3),
    "Claude Code: advice": ("The file /k/a.py has been updated. (no need to read it)", UNCLEAR, SUCCEEDED, SUCCEEDED),
    "a success that is false": ("{'success': False, 'message': 'x'}", UNCLEAR, UNCLEAR, SUCCEEDED),
    "a success that is false, with words": (
        '{"success": false, "message": "x"}\nSee above',
        UNCLEAR,
        UNCLEAR,
        SUCCEEDED,
    ),
    "an object that says false": ('{"edited": false, "reason": "x"}', UNCLEAR, UNCLEAR, SUCCEEDED),
    "a tag that says false": ("<success>false</success>", UNCLEAR, UNCLEAR, SUCCEEDED),
    "success is 0": ("updated=0", UNCLEAR, UNCLEAR, SUCCEEDED),
    "applied 0": ("Applied 0 of 2 edits", UNCLEAR, UNCLEAR, SUCCEEDED),
    "1 of 2": ("1 of 2 hunks applied", UNCLEAR, UNCLEAR, SUCCEEDED),
    "2 of 2": ("2 of 2 hunks applied", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "before": ("Read it before it is edited", UNCLEAR, UNCLEAR, SUCCEEDED),
    "must be": ("The old text must be unique to be replaced", UNCLEAR, UNCLEAR, SUCCEEDED),
    "modified since": ("File has been modified since read", UNCLEAR, UNCLEAR, SUCCEEDED),
    "exists": ("File already exists. Set overwrite", UNCLEAR, UNCLEAR, SUCCEEDED),
    "reverted": ("Edited, then reverted", UNCLEAR, UNCLEAR, SUCCEEDED),
    "instead": ("The user edited it instead of applying yours", UNCLEAR, UNCLEAR, SUCCEEDED),
    "success below other words": ("1\n\nUpdated a.py", SUCCEEDED, SUCCEEDED, SUCCEEDED),
    "nothing but no errors": ("No errors", UNCLEAR, UNCLEAR, SUCCEEDED),
    "a long exit code": (f"Exit code: {'1' * 5000}\nUpdated a.py", FAILED, FAILED, FAILED),
    "a number first": ("404: file not found", UNCLEAR, UNCLEAR, SUCCEEDED),
    "a quote only": ("'Error: no'", UNCLEAR, UNCLEAR, SUCCEEDED),
    "a quote above other words": ("'Error: no'\nx", UNCLEAR, UNCLEAR, SUCCEEDED),
    "a name of a file only": ("src/error.py", UNCLEAR, UNCLEAR, SUCCEEDED),
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
    "exit code 0, as text": ({"exit_code": "0"}, SUCCEEDED),
    "below value": ({"type": "json", "value": {"success": False}}, FAILED),
    "below structuredContent": ({"structuredContent": {"ok": False}}, FAILED),
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
