"""What a response without blocks is instead."""

import pytest

from editblocks.report.short import what_it_is

KINDS = {
    "": "it is empty",
    " \n\n": "it is empty",
    '{"path": "a.py"}\n': "it is JSON",
    "[1, 2]": "it is JSON",
    '[{"role": "user", "content": "x"}]': "it is a session without a successful edit",
    '{"type": "x", "message": {}}\n{"type": "y"}\n': "it is a session without a successful edit",
    '\ufeff[{"role": "user"}]': "it is a session without a successful edit",
    '{"a": 1}\n{"b": 2}\n': "it is plain text",
    '{"a": 1}\n{"b": 2,}\n': "it is plain text",
    "[1] shows that\n": "it is plain text",
    "[" * 100_000: "it is plain text",
    "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n": "it is a git merge conflict",
    "<think>\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n</think>\nNo.\n": "it is plain text",
    "a.py\n```python\nx = 1\n```\n": "it is code without SEARCH/REPLACE markers",
    'So:\n```json\n{"a": 1}\n```\n': "it is code without SEARCH/REPLACE markers",
    "```\n[1]\n```\n~~~JSON5\n\n{a: 1}\n~~~\n": "it is code without SEARCH/REPLACE markers",
    '```json\n{"old_string": 1,}\n```\n': "it is code without SEARCH/REPLACE markers",
    '```json\n{"a": 1': "it is code without SEARCH/REPLACE markers",
    "```json\n1\n```\n": "it is code without SEARCH/REPLACE markers",
    '```json\n{"a": 1}\n```\n```\nx = 1\n```\n': "it is code without SEARCH/REPLACE markers",
    '{"a": 1,}\n': "it is plain text",
    "[1] is shown in [2]": "it is plain text",
    "[{'a': 1}]": "it is plain text",
    "Nothing has to change.\n": "it is plain text",
    "<edit><old>a</old></edit>\n": "it is plain text",
    "Write <<<<<<< and >>>>>>> around it.\n": "it is plain text",
}


@pytest.mark.parametrize(("text", "kind"), KINDS.items(), ids=range(len(KINDS)))
def test_what_it_is(text: str, kind: str) -> None:
    assert what_it_is(text) == kind
