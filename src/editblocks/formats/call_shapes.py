"""Recognize the edit that a tool call asks for by its keys: a table of shapes, tried in order, and their readers.

A call has a shape if it has all keys that the shape requires, with values of the right type. Rules:
docs/reference/formats/tool-calls.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, ParsedRow, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.formats.call_strings import (
    BESIDE_COMMAND,
    CODE_KEY,
    FOLDER_KEYS,
    PATCH_KEYS,
    edits_key,
    is_operation,
    patch_key,
    read_diff,
    read_operation,
    read_patch,
    read_shell,
    refuse_edits,
    shell_key,
)
from editblocks.formats.calls import SEND_AGAIN, Call, clean_path
from editblocks.formats.grammar import Fault
from editblocks.formats.json_scan import JsonObject, looks_like_edit, objects_in
from editblocks.formats.tool_calls import FILE, INSERT, MOVED_KEYS, PAIR_LISTS, PATH_KEYS, REPLACE, SHELL_KEYS, WRITE

PAIRS = (
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
)
LISTED_PAIRS = (*PAIRS, ("old", "new"))
DRY_RUNS = ("dryRun", "dry_run", "preview")
# Keys that never change the edit, in any call.
WITHOUT_EFFECT = frozenset(
    "explanation instruction instructions description display_description reason thought summary title "
    "security_risk modified_by_user ai_proposed_content line_count task_progress id call_id status type index "
    "caller".split()
)
_REPLACE_ALL_KEYS = ("replace_all", "replaceAll", "allow_multiple", "allowMultiple")
_COUNT_KEY = "expected_replacements"
_MOVE_KEYS = tuple(zip(MOVED_KEYS, ("destination", "destination_path", "new_path"), strict=True))
_LINE_KEYS = ("insert_line", "line")
_NOT_WHOLE = ("append", "prepend", "insert")  # words in names of tools whose text is not the whole file


class Shape(NamedTuple):
    """A row of the table: the keys that a call must have, the other keys it may have, and how to read it."""

    fits: Callable[[Call], bool]
    read: Callable[[Call], Iterable[ParsedRow]]
    format_name: str = REPLACE  # the format of the row if the call cannot be read: what to ask the model for
    supported_keys: frozenset[str] | None = None  # besides those of the path; None: any key
    values: Mapping[str, tuple[object, ...]] = {}  # keys that are supported with these values only
    is_weak: bool = False  # its keys are common: without a tool name, a call may have no other key
    names_file: bool = True  # a key of the call names the file; without that key, it is not a call
    may_lack_path: bool = False  # without the path it is still a call, refused as `no-path`: its other keys say enough


def shape_of(call: Call) -> Shape | None:
    """The first row of the table that a call fits; None if it is not an edit, or an unknown one."""
    shape = next((each for each in SHAPES if each.fits(call)), None)
    if shape is None or (shape.names_file and not call.path and not shape.may_lack_path):
        return None
    is_bare = not call.name
    if shape.is_weak and is_bare and (call.has_nulls or _unknown_key(call, shape) is not None):
        return None
    return shape


def rows_of(call: Call, shape: Shape) -> Iterable[ParsedRow]:
    """The rows of a call of this shape: its edits, or the problem that it is refused for."""
    fault = _fault_of(call, shape)
    if fault is not None:
        return (call.problem(fault, shape.format_name),)
    return shape.read(call)


def _fault_of(call: Call, shape: Shape) -> Fault | None:
    """The first reason to refuse a call; None if there is none."""
    if call.flaw:
        return Fault(ReasonCode.MALFORMED, call.flaw, SEND_AGAIN)
    if shape.names_file and not call.path:
        return Fault(ReasonCode.NO_PATH, "the call names no file", 'add "file_path"')
    if len({path for _, path in call.paths}) > 1:
        named = " and ".join(f"{path} (`{key}`)" for key, path in call.paths)
        return Fault(ReasonCode.NO_PATH, f"the call names {named}", "name one file")
    unknown = _unknown_key(call, shape, *WITHOUT_EFFECT, *DRY_RUNS)
    if unknown is not None:
        what = f"key `{unknown}` is not supported; it may change what is meant"
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "ask for the call without it")
    for key, values in shape.values.items():
        if key in call.values and not _is_one_of(call, key, values):
            what = f"this value of key `{key}` is not supported; it may change what is meant"
            return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "ask for the call without it")
    return None


def _unknown_key(call: Call, shape: Shape, *others: str) -> str | None:
    if shape.supported_keys is None:
        return None
    supported = {*shape.supported_keys, *shape.values, *others}
    if shape.names_file:
        supported.update(PATH_KEYS)
    return next((key for key in call.values if key not in supported), None)


def _is_one_of(call: Call, key: str, values: tuple[object, ...]) -> bool:
    if isinstance(values[0], bool):
        return call.switch(key) in values
    return call.values[key] in values


def _text_keys(call: Call, pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The keys of old texts, and the keys of new texts, that a call has."""
    old = [key for key, _ in pairs if call.has_text(key)]
    new = [key for _, key in pairs if call.has_text(key)]
    return old, new


def _has_pair(pairs: Sequence[tuple[str, str]]) -> Callable[[Call], bool]:
    old_keys = " ".join(old for old, _ in pairs)
    new_keys = " ".join(new for _, new in pairs)
    return lambda call: call.has_text(old_keys) and call.has_text(new_keys)


def _one_pair(pairs: Sequence[tuple[str, str]]) -> Callable[[Call], Iterable[ParsedRow]]:
    """Return a reader of calls with one old and one new text, whose keys must be one of `pairs`."""

    def read(call: Call) -> Iterable[ParsedRow]:
        old, new = _text_keys(call, pairs)
        if len(old) == len(new) == 1 and (old[0], new[0]) in pairs:
            return (_pair_row(call, old[0], new[0]),)
        named = ", ".join(f"`{key}`" for key in (*old, *new))
        return (call.malformed(f"the keys {named} are not a pair of old and new text"),)

    return read


def _pair_row(call: Call, old_key: str, new_key: str, *, is_every: bool = False) -> ParsedRow:
    for key in _REPLACE_ALL_KEYS:
        switch = call.switch(key)
        if isinstance(switch, Fault):
            return call.problem(switch)
        is_every = is_every or switch
    count = None
    if _COUNT_KEY in call.values:
        count = call.integer(_COUNT_KEY)
    if count == 0 or isinstance(count, Fault):
        return call.malformed(f"{_COUNT_KEY} must be a whole number above 0")
    old = call.text(old_key)
    new = call.text(new_key)
    action = ""
    if not old:
        action = "create"
        if is_every or count not in (None, 1):
            return call.malformed("the call asks for several places, but its old text is empty")
    is_literal = not call.is_text or {old_key, new_key} <= call.literal
    value = ToolCall(old, new, is_every, count, is_literal=is_literal, keys=(call.path_key, old_key, new_key))
    return call.block(REPLACE, action, value, old, new)


def _replace_by_command(call: Call) -> Iterator[ParsedRow]:
    if "new_str" in call.values and not call.has_text("new_str"):
        yield call.malformed("new_str must be a string")
    else:
        yield _pair_row(call, "old_str", "new_str")


def _within(keys: str, shape: Shape) -> tuple[Callable[[Call], bool], Callable[[Call], Iterable[ParsedRow]]]:
    """Return `fits` and `read` for calls in which one of `keys` holds an object of `shape`, or a list of them."""

    def elements_of(call: Call) -> list[object]:
        values = (call.values.get(key) for key in keys.split())
        value = next((each for each in values if isinstance(each, (list, JsonObject))), [])
        if isinstance(value, JsonObject):
            return [value]
        return value

    def inner_of(call: Call, element: object) -> Call | None:
        """The element as a call; None if it does not have the shape."""
        if isinstance(element, JsonObject) and shape.fits(call.inner(element)):
            return call.inner(element)
        return None

    def fits(call: Call) -> bool:
        return any(inner_of(call, each) is not None for each in elements_of(call))

    def read(call: Call) -> Iterator[ParsedRow]:
        for each in elements_of(call):
            inner = inner_of(call, each)
            if inner is None:
                yield call.malformed(f"an element of `{keys.split(maxsplit=1)[0]}` is not an edit")
            else:
                yield from rows_of(inner, shape)

    return fits, read


def _text_row(call: Call, keys: str, action: str, format_name: str = WRITE) -> ParsedRow:
    """The row of a call with one text, at one of `keys`, which are separated by blanks."""
    text_keys = [key for key in keys.split() if call.has_text(key)]
    if len(text_keys) > 1:
        names = " and ".join(f"`{key}`" for key in text_keys)
        return call.malformed(f"{names} both have a text", format_name)
    key = text_keys[0]
    text = call.text(key)
    is_literal = not call.is_text or key in call.literal
    value = ToolCall(new=text, is_literal=is_literal, keys=(call.path_key, "", key))
    return call.block(format_name, action, value, new=text)


def _insert(call: Call, line_key: str, keys: str) -> Iterator[ParsedRow]:
    """Yield the row of a text that is inserted after a line. Roo's `line` inserts before that line; 0 is the end."""
    line = call.integer(line_key)
    if isinstance(line, Fault):
        yield call.problem(line, INSERT)
        return
    if line_key == "line":
        line -= 1
    row = _text_row(call, keys, "insert-at", INSERT)
    if isinstance(row, EditBlock) and row.call is not None:
        path_key, _, text_key = row.call.keys
        row = row._replace(call=row.call._replace(line=line, keys=(path_key, line_key, text_key)))
    yield row


def _rename(call: Call) -> Iterator[ParsedRow]:
    keys = [key for pair in _MOVE_KEYS for key in pair if key in call.values]
    if len(keys) > 2:
        named = ", ".join(f"`{key}`" for key in keys)
        yield call.malformed(f"the keys {named} are more than an old and a new path", FILE)
        return
    old_key, new_key = keys
    moved = call._replace(outer_path=(old_key, call.text(old_key)))
    row = moved.block(FILE, "rename", ToolCall(keys=(old_key, "", new_key)))
    yield row._replace(new_path=clean_path(call.text(new_key)))


def _delete(call: Call) -> Iterator[ParsedRow]:
    yield call.block(FILE, "delete-file", ToolCall(keys=(call.path_key, "", "")))


def _refusal(what: str, advice: str) -> Callable[[Call], Iterable[ParsedRow]]:
    fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, what, advice)
    return lambda call: (call.problem(fault)._replace(needs_person=True),)


def _is_incomplete(call: Call) -> bool:
    """Whether a call has only keys of an edit, but lacks a text that the edit needs."""
    if call.name and "edit" not in call.tool and "replace" not in call.tool:
        return False
    if not call.values.keys() <= _EDIT_KEYS:
        return False
    if call.text("command") in ("str_replace", "create", "insert") or _has_plain_value(call, _EDIT_TEXTS):
        return True
    for key in PAIR_LISTS:
        elements = map(call.inner, objects_in(call.values.get(key)))
        if looks_like_edit(call.text(key)) or any(_has_plain_value(each, _LISTED_TEXTS) for each in elements):
            return True
    return False


def _has_plain_value(call: Call, keys: Iterable[str]) -> bool:
    """Whether one of these keys has a plain value; in a schema, the values are objects."""
    return any(not isinstance(call.values[key], (JsonObject, list)) for key in keys if key in call.values)


def _read_incomplete(call: Call) -> Iterator[ParsedRow]:
    yield call.malformed("the call is not a whole edit: it needs an old and a new text, or the text of a file")


def _one_text(keys: str, action: str) -> Callable[[Call], Iterable[ParsedRow]]:
    return lambda call: (_text_row(call, keys, action),)


def _command(word: str, *groups: str) -> Callable[[Call], bool]:
    return lambda call: call.values.get("command") == word and _has(call, groups)


def _keys(*groups: str) -> Callable[[Call], bool]:
    return lambda call: _has(call, groups)


def _named(names: str, *groups: str) -> Callable[[Call], bool]:
    wanted = frozenset(names.split())
    return lambda call: call.tool in wanted and _has(call, groups)


def _has(call: Call, groups: Sequence[str]) -> bool:
    """Whether one key of each group has a text; a line number may be any value, so that a wrong one gets a message."""
    return all(call.has_text(group) or (group in _LINE_KEYS and group in call.values) for group in groups)


def _is_whole(call: Call) -> bool:
    return call.has_text(_CONTENT_KEYS) and not any(word in call.tool for word in _NOT_WHOLE)


def _is_move(call: Call) -> bool:
    is_named = call.tool in ("rename_file", "move_file", "move_path")
    return is_named and any(call.has_text(old) and call.has_text(new) for old, new in _MOVE_KEYS)


def _key_set(keys: str) -> frozenset[str]:
    return frozenset(keys.split())


def _keys_of(pairs: Iterable[tuple[str, str]]) -> frozenset[str]:
    return frozenset(key for pair in pairs for key in pair)


_CONTENT_KEYS = "content contents new_contents"
_SHELL_CALL_KEYS = BESIDE_COMMAND.union(SHELL_KEYS, FOLDER_KEYS, (CODE_KEY,))
_INSERT_TEXT_KEYS = "insert_text new_str"
_PLACES_KEYS = frozenset((*_REPLACE_ALL_KEYS, _COUNT_KEY))  # they say how many places are meant
_EDIT_TEXTS = _keys_of(PAIRS) | {"file_text", "insert_text"}
_LISTED_TEXTS = _keys_of(LISTED_PAIRS)
_EDIT_KEYS = _EDIT_TEXTS.union(
    PATH_KEYS, PAIR_LISTS, _PLACES_KEYS, WITHOUT_EFFECT, ("command", "view_range", "insert_line")
)
# An element of a list.
_PAIR = Shape(_has_pair(LISTED_PAIRS), _one_pair(LISTED_PAIRS), REPLACE, _PLACES_KEYS | _LISTED_TEXTS)
_SEARCH = Shape(
    _keys("search", "replace"),
    lambda call: (_pair_row(call, "search", "replace", is_every=True),),
    REPLACE,
    _key_set("search replace"),
    {"use_regex": (False,), "ignore_case": (False,)},
)
_refuse_cells = _refusal("notebook cells are not edited", "ask for a replace call on the text of the .ipynb")
_has_operations, _read_operations = _within("operations", _SEARCH)
_OPERATION = Shape(is_operation, read_operation, "v4a", _key_set("type diff"))
SHAPES = (
    Shape(_command("undo_edit"), _refusal("undo calls are not supported", "use editblocks undo")),
    Shape(
        _command("str_replace", "old_str"),
        _replace_by_command,
        REPLACE,
        _key_set("command old_str new_str"),
        may_lack_path=True,
    ),
    Shape(
        _command("create", "file_text"),
        _one_text("file_text", "create"),
        WRITE,
        _key_set("command file_text"),
        may_lack_path=True,
    ),
    Shape(
        _command("insert", "insert_line", _INSERT_TEXT_KEYS),
        lambda call: _insert(call, "insert_line", _INSERT_TEXT_KEYS),
        INSERT,
        _key_set(f"command insert_line {_INSERT_TEXT_KEYS}"),
        may_lack_path=True,
    ),
    Shape(_keys("notebook_path", "new_source"), _refuse_cells),
    Shape(_named("edit_notebook_file"), _refuse_cells),
    Shape(lambda call: shell_key(call) != "", read_shell, "v4a", _SHELL_CALL_KEYS, names_file=False),
    Shape(
        lambda call: patch_key(call) != "", read_patch, "v4a", frozenset((*PATCH_KEYS, *FOLDER_KEYS)), names_file=False
    ),
    Shape(*_within("operation", _OPERATION), "v4a", _key_set("operation"), names_file=False),
    Shape(
        *_within("edits replacements", _PAIR),
        REPLACE,
        _key_set("edits replacements").union(PATH_KEYS),
        {"mode": ("edit",)},
        names_file=False,
    ),
    # Tags only: in JSON, each operation of Roo replaces one place, but no key says so.
    Shape(lambda call: call.is_text and _has_operations(call), _read_operations, REPLACE, _key_set("operations")),
    Shape(_has_pair(PAIRS), _one_pair(PAIRS), REPLACE, _PLACES_KEYS | _keys_of(PAIRS), may_lack_path=True),
    _SEARCH._replace(fits=_named("search_and_replace", "search", "replace")),
    Shape(_keys("code_edit"), _one_text("code_edit", "snippet"), WRITE, _key_set("code_edit")),
    Shape(_named("insert_edit_into_file edit_file", "code"), _one_text("code", "snippet"), WRITE, _key_set("code")),
    Shape(_keys("diff"), read_diff, REPLACE, _key_set("diff patch")),
    # A file in a list of changes has these keys too, among others.
    Shape(lambda call: call.has_text("patch") and call.path != "", read_diff, REPLACE, _key_set("patch"), is_weak=True),
    Shape(
        _named("insert_content", "line", "content"),
        lambda call: _insert(call, "line", "content"),
        INSERT,
        _key_set("line content"),
    ),
    Shape(_named("delete_file delete_path remove_file"), _delete, FILE, frozenset()),
    Shape(_is_move, _rename, FILE, _keys_of(_MOVE_KEYS), {"overwrite": (False,)}, names_file=False),
    Shape(_named("create_file create_new_file", "content"), _one_text("content", "create"), WRITE, _key_set("content")),
    Shape(
        _is_whole,
        _one_text(_CONTENT_KEYS, "write"),
        WRITE,
        _key_set(_CONTENT_KEYS),
        {"mode": ("write", "overwrite", "create"), "overwrite": (True, False)},
        is_weak=True,
    ),
    Shape(_is_incomplete, _read_incomplete),
    Shape(
        lambda call: edits_key(call) != "",
        refuse_edits,
        supported_keys=frozenset(PATCH_KEYS),
        is_weak=True,
        names_file=False,
    ),
)
