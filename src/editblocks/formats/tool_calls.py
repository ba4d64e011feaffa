"""`tool-replace`, `tool-write`, `tool-insert`, `tool-file`: the edits that agents write as JSON and tags.

    {"file_path": …, "old_string": …, "new_string": …}

A call is known by its keys. Rules: docs/reference/formats.md, "tool calls".
"""

from editblocks.formats.grammar import Unmarked

TOOL_CALLS = Unmarked(names=("tool-replace", "tool-write", "tool-insert", "tool-file"))
