"""Edit calls that agents write as JSON or tags: known by their keys, so that none is lost in silence.

They are not read yet: each is a failed row. What is a call and what is talk is said in docs/reference/formats.md,
"reading". A schema, a log or a REST answer has other keys, or values of other kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from editblocks.core.typed import NamedTuple
from editblocks.formats.patch_lines import BEGIN_PATCH
from editblocks.parsing.path_line import is_stand_in

PATH_KEYS = frozenset(
    "path file_path filePath file filename filepath target_file targetFile target_filepath absolute_path uri "
    "notebook_path".split()
)
TEXT_KEYS = frozenset(
    "content contents text file_text new_string newString new_str new_text newText old_string oldString old_str "
    "old_text oldText code code_edit replacement replacements replace edits diff patch insert_text new_source "
    "new_contents body".split()
)
_PAIRS = (
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
)
_LISTED_PAIRS = (*_PAIRS, ("old", "new"))
_COMMANDS = frozenset("str_replace create insert undo_edit".split())
_WHOLE = frozenset("content contents new_contents".split())
_WHOLE_BESIDE = frozenset("mode overwrite".split())
_PATCHES = frozenset("input patch patchText patch_text arguments cmd command script".split())
_OPERATIONS = frozenset("create_file update_file delete_file".split())
_MOVES = frozenset("rename_file move_file move_path delete_file delete_path remove_file".split())
_MOVED = frozenset("source source_path old_path".split())
_EDITS = ("edit", "write", "replace", "patch", "insert")  # in the name of a tool that changes files
_NAMES = ("name", "tool", "tool_name", "toolName", "recipient_name")
_INPUTS = ("input", "arguments", "args", "params", "parameters", "tool_input", "toolInput")
_WITHIN = frozenset(  # where calls are looked for: everything else in an object is data
    "tool_calls toolCalls tool_uses calls output messages parts content message payload choices candidates "
    "functionCall function operation".split()
)
_DEEPEST = 64
# Keys by which JSON that does not parse shows that it was to edit something.
_SHOWS = (
    r"""["'](?:old_string|new_string|oldString|newString|old_str|new_str|old_text|new_text|oldText|newText|file_text"""
    r"""|code_edit|new_source)\\*["'][ \t]*:|\*\*\* Begin Patch"""
)


class Call(NamedTuple):
    """A call that edits: the name of its tool, and its file; "" for each that is not said."""

    name: str
    path: str


def shows_edit(text: str) -> bool:
    """Whether a text that is no JSON was meant for an edit call."""
    return re.search(_SHOWS, text) is not None


def calls_in(value: object, name: str = "", depth: int = 0) -> Iterator[Call]:
    """Yield the edit calls of a JSON value. `name`: what the object around it says the tool is called."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for each in value:
            yield from calls_in(each, name, depth + 1)
        return
    if not isinstance(value, dict):
        return
    own = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    arguments = next((value[key] for key in _INPUTS if key in value), None)
    if own and arguments is not None:
        yield from _named(own, arguments, depth)
        return
    if (call := call_of(value, name)) is not None:
        yield call
        return
    for key, inner in value.items():
        if key in _WITHIN:
            yield from calls_in(inner, "", depth + 1)


def _named(name: str, arguments: object, depth: int) -> Iterator[Call]:
    """The call of a tool with its arguments, which may be JSON in a text."""
    if isinstance(arguments, str):
        if BEGIN_PATCH.text in arguments:
            yield Call(name, "")
            return
        import json  # most answers have no call

        try:
            yield from calls_in(json.loads(arguments), name, depth + 1)
        except (ValueError, RecursionError):
            if shows_edit(arguments):
                yield Call(name, "")
        return
    yield from calls_in(arguments, name, depth + 1)


def call_of(keys: Mapping[str, object], name: str) -> Call | None:
    """The call that an object with these keys is; None for talk, and for a call that only reads or runs something."""
    texts = {key: value for key, value in keys.items() if isinstance(value, str)}
    path = next((value for key, value in texts.items() if key in PATH_KEYS), "")
    if _is_stand_in(path) or any(keys.get(key) is True for key in ("dryRun", "dry_run", "preview")):
        return None
    is_call = _has_shape(keys, texts, path) or (bool(name) and _is_named(keys, texts, path, name.lower()))
    if not (is_call or any(_holds_patch(keys.get(key)) for key in _PATCHES)):
        return None
    return Call(name or texts.get("command", ""), path or next((texts[key] for key in _MOVED if key in texts), ""))


def _has_shape(keys: Mapping[str, object], texts: Mapping[str, str], path: str) -> bool:
    """Whether the keys alone say that it edits."""
    if _has_pair(texts, _PAIRS):
        return True
    if not path:
        return False
    if texts.get("command") in _COMMANDS or texts.get("type") in _OPERATIONS:
        return True
    if {"code_edit", "new_source", "diff"} & texts.keys():
        return True
    for key in ("edits", "replacements"):
        listed = keys.get(key)
        pairs = listed if isinstance(listed, list) else ()
        if any(isinstance(each, dict) and _has_pair(each, _LISTED_PAIRS) for each in pairs):
            return True
    # `path` and `content` are the two commonest words of other JSON: alone they are a call, with more they are data.
    beside = keys.keys() - PATH_KEYS - _WHOLE_BESIDE
    return bool(beside) and beside <= _WHOLE and beside <= texts.keys()


def _holds_patch(value: object) -> bool:
    """Whether a value is a patch, or a command that has one, in one text or in the words of a list."""
    words = value if isinstance(value, list) else [value]
    return any(isinstance(word, str) and BEGIN_PATCH.text in word for word in words)


def _has_pair(texts: Mapping[str, object], pairs: tuple[tuple[str, str], ...]) -> bool:
    """Whether there is an old and a new text; a schema has objects in their place."""
    return any(isinstance(texts.get(old), str) and isinstance(texts.get(new), str) for old, new in pairs)


def _is_named(keys: Mapping[str, object], texts: Mapping[str, str], path: str, name: str) -> bool:
    """Whether a tool of this name edits, with these keys."""
    if name in _MOVES:
        return bool(path) or bool(_MOVED & texts.keys())
    if not path:
        return False
    has_text = any(isinstance(keys.get(key), (str, list)) for key in TEXT_KEYS)
    return has_text or any(word in name for word in _EDITS)


def _is_stand_in(path: str) -> bool:
    bare = path.removeprefix("/")
    return is_stand_in(bare) or any(sign in path for sign in "<>{…") or path in ("...", "file_path", "filename")
