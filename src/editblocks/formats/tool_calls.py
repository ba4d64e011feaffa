"""`tool-replace`, `tool-write`, `tool-insert`, `tool-file`: the edits that agents write as JSON and tags.

    {"file_path": …, "old_string": …, "new_string": …}

A call is recognized by its keys. Rules: docs/reference/formats/tool-calls.md. This module has the keys, and what is
needed to notice a call before it is read; `call_reader.py` reads it.
"""

import re

from editblocks.formats.grammar import Unmarked

REPLACE = "tool-replace"
WRITE = "tool-write"
INSERT = "tool-insert"
FILE = "tool-file"
PATH_KEYS = tuple(
    "path file_path filePath file filename filepath target_file targetFile target_filepath absolute_path absolutePath "
    "uri notebook_path".split()
)
TEXT_KEYS = frozenset(
    "content contents text file_text new_string newString new_str new_text newText old_string oldString old_str "
    "old_text oldText code code_edit replacement replacements replace edits diff patch insert_text new_source "
    "new_contents body".split()
)
NAME_KEYS = ("name", "tool", "tool_name", "toolName", "recipient_name")
ID_KEYS = ("call_id", "tool_use_id", "toolCallId", "id")  # the first one that a call has is its id
INPUT_KEYS = ("input", "arguments", "args", "params", "parameters", "tool_input", "toolInput")  # next to a tool's name
# The statuses of a call that was not made, or failed.
FAILED_STATUSES = frozenset(
    "failed failure error denied declined rejected incomplete cancelled canceled output-error output-denied".split()
)
MOVED_KEYS = ("source", "source_path", "old_path")  # the old path of a renamed file
# Patterns in the names of tools that edit, and of other tools that change files.
EDITORS = "(?i:(?<![dmpr])edit|write|replace|(?<!dis)patch|insert|apply[_ -]?diff)"
FILE_TOOLS = "(?i:(?:create|save|delete|move|rename)[_ -]?(?:new[_ -]?|text[_ -]?)?file)"
EDITOR_COMMANDS = ("str_replace", "create", "insert", "undo_edit", "view")  # at `command`, but not of a shell
SHELL_KEYS = ("command", "cmd", "script")
PAIR_LISTS = ("edits", "replacements")
JSON_LISTS = (*PAIR_LISTS, "operations")  # in tags, their texts are JSON
# Tools with tags of their own. `<replace_in_file>` and `<apply_diff>` are not here: they may contain blocks.
TOOL_TAGS = ("write_to_file", "insert_content", "search_and_replace", "edit_file")
_ALL_KEYS = "|".join(sorted({*PATH_KEYS, *MOVED_KEYS, *SHELL_KEYS, *TEXT_KEYS}))
# The prefix of a tag name: a namespace, or the mark of DeepSeek.
TAG_PREFIX = r"(?:[A-Za-z][\w.-]{0,29}:|\uff5cDSML\uff5c)?"
# Signs of a call in a place where calls are not read, such as the middle of a line: a key of an edit's text, or a tag.
TEXT_KEYS_OF_EDITS = tuple("old_string oldString old_str old_text oldText file_text code_edit insert_text".split())
_TEXT_KEY = f"(?:{'|'.join(TEXT_KEYS_OF_EDITS)})"
TEXTS_INSIDE = (
    rf'"(?:{_TEXT_KEY}\\*"[ \t]*(?::[ \t]*\\*"|>)|content">)',
    rf"<(?:{_TEXT_KEY}>|(?:{'|'.join(TOOL_TAGS)})>[ \t]*(?:\n|\Z))",
    f"={_TEXT_KEY}>",
)
# Every text with a call in JSON, even a broken one, matches one of these. Each begins with a literal, fast to find.
SIGNS_OF_JSON = (
    rf'"(?:{_ALL_KEYS})\\*"',
    rf"'(?:{'|'.join(sorted(TEXT_KEYS))})'",
    r"\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File: )",
    rf"\([ \t\r\n]*(?:{'|'.join(PATH_KEYS)})=[\"']",  # arguments in Python
    r"<<<<<<< SEARCH\\n",
    '"apply_patch"',
    rf'"(?:{"|".join(NAME_KEYS)})\\*"[ \t\r\n]*:[ \t\r\n]*\\*"[\w.:/ -]{{0,80}}(?:{EDITORS}|{FILE_TOOLS})',
)
_SIGNS = (*SIGNS_OF_JSON, rf"</{TAG_PREFIX}(?:parameter|arg_value|{'|'.join(PATH_KEYS)})>")
# Each call that edits contains one of these: a path key with the sign that ends it in JSON or tags, the end of a key
# in a string of JSON, a path attribute of a tag, or a text key that is not an ordinary word.
_NEEDLES = (
    *(key + end for end in ('"', ">") for key in (*PATH_KEYS, *MOVED_KEYS)),
    '\\":',
    "arg_key>",
    *(f"{name}={quote}" for name in ("path", "file", "from") for quote in "\"'"),
    *(key for key in sorted(TEXT_KEYS) if key.startswith(("old", "new", "file_", "code_"))),
)


TOOL_CALLS = Unmarked(
    names=(REPLACE, WRITE, INSERT, FILE),
    gate_needles=_NEEDLES,
    hook_needles=('invoke name="', *(f"<{tag}>" for tag in TOOL_TAGS)),
)


def may_hold_calls(text: str) -> bool:
    """Whether a text may contain a call, in JSON or in tags."""
    return any(sign.lstrip("\\")[0] in text and re.search(sign, text) for sign in _SIGNS)
