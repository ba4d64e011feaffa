"""Whether a result says that its call failed: by its switches, or by the words of its first sentence."""

import json
from typing import Any

import pytest

from editblocks.parsing.transcripts import has_failed

# A text, and whether it says so where no switch says anything.
WORDS: dict[str, tuple[str, bool]] = {
    "nothing": ("", False),
    "None of Python": ("None", False),
    "none of several": ("None of the edits were applied", True),
    "time": ("Timeout", True),
    "counts": ("3 applied, 0 failed", False),
    "other words": ("x", False),
    "success": ("Successfully modified file: /k/a.py (1 replacements).", False),
    "ok": ("OK", False),
    "names of files": ("The file /k/not/error.py and no-error.py were updated", False),
    "quotes": ("Replaced \"not\" and 'failed' by `error`", False),
    "a quote in a failure": ("old_str 'updated' does not appear in it", True),
    "no errors": ("Edited 1 file with no errors or warnings", False),
    "no output": ("Tool ran without output or errors", False),
    "tags": ("<operation>modified</operation>", False),
    "lines of the file": ("Edited a.py:\n1: if not x:\n2\terror()", False),
    "a numbered line, and words below": ("1\tif x:\nnot x", False),
    "a diff": ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-not", False),
    "success, and a denial": ("The text was replaced, but not formatted", True),
    "success, and a denial below": ("Updated a.py\nThe tests were not run", False),
    "a denial, and success": ("Error handling updated in cart.py", True),
    "errors": ("Errors are now written to the log", True),
    "a denial far below": ("Updated it\na\nb\nnot formatted", False),
    "success that is denied": ("The file could not be changed", True),
    "denied, with code below": ("It did not match:\n# added", True),
    "no occurrence": ("0 occurrences found for old_string", True),
    "a curved apostrophe": ("I can\u2019t find it", True),
    "Roo Code: details": ("<error_details>\nNo sufficiently similar match", True),
    "Roo Code: unable": ("Unable to apply diff to file: /k/a.py\n\n<error_details>", True),
    "Roo Code: not there": ("File does not exist at path: /k/a.py", True),
    "Roo Code: some": ("Some operations failed:\nOperation 1: Found 2 matches", True),
    "Roo Code: rejected": ("Changes were rejected by the user.", True),
    "Roo Code: modified": ('{"path": "a.py", "operation": "modified", "notice": "do not"}', False),
    "Codex: hook": ("Command blocked by PreToolUse hook: frozen. Command: x", True),
    "Codex: guardian": ("This action was rejected due to unacceptable risk.", True),
    "Codex: texts": ('Wall time: 0.1 seconds\nOutput:\n[{"type": "text", "text": "Error: no"}]', True),
    "Codex: an object": ('Wall time: 0.1 seconds\nOutput:\n{"error": "no match"}', True),
    "a string of JSON": ('"Error: no"', True),
    "a string of JSON that begins with a line break": ('"\\nError: no"', True),
    "JSON that is deep": ("[" * 100_000, False),
    "lists that are deep": ('[[[[[["Error: no"]]]]]]', False),
    "lists that are not too deep": ('[[[["Error: no"]]]]', True),
    "texts of a list": ('["Error", "Updated a.py"]', True),
    "what is no JSON": ("{x}", False),
    "Kimi: rejected": ("<system>ERROR: The tool call is rejected by the user.</system>", True),
    "Kimi: success": ("<system>File successfully overwritten.</system>", False),
    "LangChain: rejected": ("User rejected the tool call for `edit` with id c", True),
    "Desktop Commander: text": ('Search content not found. The closest match was "updated"', True),
    "Desktop Commander: count": ("Expected 1 occurrences but found 3 in a.py", True),
    "SWE-agent: nothing done": ("OBSERVATION:\nNo replacement was performed", True),
    "Codex: output": ("Output: Error: no", True),
    "a person changed it": ("The user made the following updates to your content:", False),
    "a person changed a failure": ("The user made the following updates to your content:\n@@ -1 +1 @@\n-error", False),
    "not there": ("String to replace not found in file.", True),
    "no further action": ("The edit was made. No further action is needed.", False),
    "could not": ("edit: could not apply the hunk", True),
    "a dash": ("Error - no match", True),
    "a word with a dash": ("Error-handling improved", True),
    "MCP: a number": ("MCP error -32602: no", True),
    "the name of a tool": ("edit_file failed: no match", True),
    "tests": ("Tests failed: 0", True),
    "a fence": ("```python\nraise ValueError\n```", False),
    "a line of a diff": ("-error", True),
    "no errors, as a count": ("Errors: 0", True),
    "failed, as a count": ("Failed: 0, passed: 3", True),
    "opencode: diagnostics": ("Edit applied successfully.\n\nLSP errors detected, please fix:", False),
    "OpenHands: advice": ("The file /w/a.py has been edited.\nMake sure it has no duplicate lines", False),
    "Claude Code: advice": ("The file /k/a.py has been updated. (no need to read it)", False),
    "a success that is false": ("{'success': False, 'message': 'x'}", True),
    "a success that is false, with words": ('{"success": false, "message": "x"}\nSee above', True),
    "an object that says false": ('{"edited": false, "reason": "x"}', False),
    "a tag that says false": ("<success>false</success>", True),
    "success is 0": ("updated=0", False),
    "applied 0": ("Applied 0 of 2 edits", True),
    "1 of 2": ("1 of 2 hunks applied", False),
    "2 of 2": ("2 of 2 hunks applied", False),
    "before": ("Read it before it is edited", False),
    "must be": ("The old text must be unique to be replaced", True),
    "modified since": ("File has been modified since read", True),
    "exists": ("File already exists. Set overwrite", True),
    "reverted": ("Edited, then reverted", False),
    "instead": ("The user edited it instead of applying yours", False),
    "success below other words": ("1\n\nUpdated a.py", False),
    "nothing but no errors": ("No errors", False),
    "a long exit code": (f"Exit code: {'1' * 5000}\nUpdated a.py", True),
    "a number first": ("404: file not found", False),
    "a quote only": ("'Error: no'", False),
    "a quote above other words": ("'Error: no'\nx", False),
    "a name of a file only": ("src/error.py", False),
    "an error, with words below": ("Error\nno", True),
}


@pytest.mark.parametrize(("text", "is_failed"), WORDS.values(), ids=WORDS)
def test_words(text: str, is_failed: bool) -> None:
    assert has_failed({}, text) is is_failed
    assert has_failed({}, [{"type": "text", "text": text}]) is is_failed


SWITCHES: dict[str, tuple[dict[str, Any], bool]] = {
    "is_error": ({"is_error": True}, True),
    "is_error, as text": ({"is_error": "true"}, True),
    "no is_error": ({"is_error": False}, False),
    "no is_error, as text": ({"is_error": "false"}, False),
    "isError": ({"isError": True}, True),
    "no isError": ({"isError": False}, False),
    "isError null": ({"isError": None}, False),
    "success": ({"success": True}, False),
    "no success": ({"success": False}, True),
    "no success, as text": ({"success": "false"}, True),
    "ok": ({"ok": True}, False),
    "success as a text": ({"success": "true"}, False),
    "another success": ({"success": "x"}, False),
    "exit code": ({"exit_code": 1}, True),
    "exit code 0": ({"exit_code": 0}, False),
    "exit code in metadata": ({"metadata": {"exit_code": 2}}, True),
    "exit code 0 in metadata": ({"metadata": {"exit_code": 0}}, False),
    "error": ({"error": "x"}, True),
    "error null": ({"error": None}, False),
    "status": ({"status": "failed"}, True),
    "status success": ({"status": "Success"}, False),
    "exit code 0, as text": ({"exit_code": "0"}, False),
    "below value": ({"type": "json", "value": {"success": False}}, True),
    "below structuredContent": ({"structuredContent": {"ok": False}}, True),
    "two that differ": ({"success": True, "is_error": True}, True),
}


@pytest.mark.parametrize(("result", "is_failed"), SWITCHES.values(), ids=SWITCHES)
def test_switches(result: dict[str, Any], is_failed: bool) -> None:
    assert has_failed(result, None) is is_failed
    assert has_failed({}, result) is is_failed
    assert has_failed({}, json.dumps(result)) is is_failed


def test_an_exit_code_above_another_part() -> None:
    assert has_failed({}, ["Exit code: 1", "Updated a.py"])
    assert not has_failed({}, ["Exit code: 0", "Updated a.py"])


@pytest.mark.parametrize("words", ["Error: no", "The edit was not made"])
def test_a_switch_says_more_than_words(words: str) -> None:
    assert not has_failed({"is_error": False}, words)
    assert not has_failed({}, f"Exit code: 0\n{words}")


@pytest.mark.parametrize("words", ["aborted by user", "patch rejected: x", "The user denied this operation."])
def test_some_words_say_more_than_a_switch(words: str) -> None:
    assert has_failed({"is_error": False}, words)
    assert has_failed({}, f"Exit code: 0\n{words}")
