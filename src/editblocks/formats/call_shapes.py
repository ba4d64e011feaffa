"""Which edit a tool call is, by its keys: one table, tried in order, and a function for each kind of row.

A call has a shape if all the keys that the shape requires are there, with values of the right kind. Rules:
docs/reference/formats.md, "tool calls".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Note, Problem, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault
from editblocks.formats.json_scan import JsonObject, Number
from editblocks.formats.tool_calls import FILE, INSERT, PATH_KEYS, REPLACE, WRITE, Where

Row = EditBlock | Problem
PAIRS = (
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
)
LISTED_PAIRS = (*PAIRS, ("old", "new"))
_EVERY = ("replace_all", "replaceAll", "allow_multiple", "allowMultiple")
_COUNT = "expected_replacements"
_PAIR_KEYS = frozenset((*_EVERY, _COUNT))
_MOVES = (("source", "destination"), ("source_path", "destination_path"), ("old_path", "new_path"))
DRY_RUNS = ("dryRun", "dry_run", "preview")
# Keys that mean nothing for the edit, in every call.
WITHOUT_EFFECT = frozenset(
    "explanation instruction instructions description display_description reason thought summary title "
    "security_risk modified_by_user ai_proposed_content line_count id call_id status type index caller".split()
)
SEND_AGAIN = "ask for the call again"
_ASK_REPLACE = "ask for a replace call"


class Call(NamedTuple):
    """An object that may ask for an edit. Lines are numbers as people count."""

    values: Mapping[str, object]  # by key, without those that are null
    name: str  # of the tool; "" if nothing names it
    line: int
    end_line: int
    at: Where
    number: int = 0  # counts the objects of its text
    flaw: str = ""  # why it cannot be trusted, though it parses
    is_text: bool = False  # it came as tags: all its values are texts
    literal: frozenset[str] = frozenset()  # keys of values without a layout
    outer_path: tuple[str, str] = ("", "")  # of a pair: the key and the path of its call

    @property
    def paths(self) -> dict[str, str]:
        """Its paths by their keys, as they came."""
        found = {key: self.text(key) for key in PATH_KEYS if self.text(key)}
        key, path = self.outer_path
        if path and path not in found.values():
            return {key: path, **found}
        return found

    @property
    def path_key(self) -> str:
        """The key of its path; "" if it names no file."""
        return next(iter(self.paths), "")

    @property
    def path(self) -> str:
        """Its path, as it came; "" if it names no file."""
        return next(iter(self.paths.values()), "")

    def text(self, key: str) -> str:
        """The text of a key; "" if it has none."""
        value = self.values.get(key)
        if isinstance(value, str):
            return value
        return ""

    def has_text(self, keys: str) -> bool:
        """Whether one of some keys, parted by blanks, has a text."""
        return any(isinstance(self.values.get(key), str) for key in keys.split())

    def switch(self, key: str) -> bool | None:
        """The value of a switch; None if it is none."""
        value = self.values[key]
        if self.is_text:
            return {"true": True, "false": False}.get(str(value))
        return value if isinstance(value, bool) else None

    def number_at(self, key: str) -> int | None:
        """The value of a count or a line: an integer of at most nine digits; None if it is none."""
        value = self.values[key]
        digits = ""
        if isinstance(value, Number):
            digits = value.text
        elif self.is_text:
            digits = str(value)
        if re.fullmatch("[0-9]{1,9}", digits) is None:
            return None
        return int(digits)

    def problem(self, fault: Fault, format_name: str | None = None) -> Problem:
        """Return the row of a call that is not read."""
        path = clean_path(self.path) or None
        return Problem(0, self.line, self.end_line, *fault, path, format_name)

    def block(self, format_name: str, action: str, call: ToolCall, **fields: str) -> EditBlock:
        """Return the row of a call; `fields` are some of `EditBlock`."""
        path = clean_path(self.path)
        row = EditBlock(0, path, format_name, self.line, self.end_line, action=action, notes=self.path_notes())
        call = call._replace(was_run=self.at.was_run, folder=self.at.folder, session_root=self.at.session_root)
        row = row._replace(call=call, **fields)  # type: ignore[arg-type]
        return row._replace(raw_block=row.old_lines + row.new_lines)

    def path_notes(self) -> tuple[Note, ...]:
        """The note that its path was cleaned."""
        path = self.path
        cleaned = clean_path(path)
        if cleaned == path:
            return ()
        return (Note("path-cleaned", f"the path `{path}` was read as `{cleaned}`", self.line),)


def clean_path(path: str) -> str:
    """Take `file://` before an absolute path and a leading `./` off, and turn backslashes into slashes."""
    match = re.match(r"file://(?:/(?=[A-Za-z]:[/\\])|(?=/))", path)
    if match is not None:
        path = path[match.end() :]
    if "\\" in path and "/" not in path:
        path = path.replace("\\", "/")
    return path.removeprefix("./")


def whole_lines(text: str) -> str:
    """A text as lines, which each end with a line feed."""
    lines = text.replace("\r\n", "\n")
    if lines and not lines.endswith("\n"):
        lines += "\n"
    return lines


class Shape(NamedTuple):
    """A row of the table: what a call must have, what else is known, and how it becomes rows."""

    fits: Callable[[Call], bool]
    read: Callable[[Call], Iterable[Row]]
    format_name: str
    known: frozenset[str] | None = frozenset()  # all its keys but those of the path; None: whatever there is
    values: Mapping[str, tuple[object, ...]] = {}  # keys that are known with these values alone
    is_weak: bool = False  # its keys are common: it counts with a name, or without any other key
    names_file: bool = True  # it has to name a file
    may_lack_path: bool = False  # it is an edit even if it names no file


def shape_of(call: Call) -> Shape | None:
    """The first row of the table that a call fits."""
    shape = next((each for each in SHAPES if each.fits(call)), None)
    if shape is None or (shape.names_file and not call.path and not shape.may_lack_path):
        return None
    if shape.is_weak and not call.name and _unknown_key(call, shape, frozenset()) is not None:
        return None
    return shape


def rows_of(call: Call, shape: Shape) -> Iterable[Row]:
    """What a call of this shape asks for, or why it is not read."""
    fault = _fault_of(call, shape)
    if fault is not None:
        return (call.problem(fault, shape.format_name),)
    return shape.read(call)


def _fault_of(call: Call, shape: Shape) -> Fault | None:
    """The first thing that forbids to read a call."""
    if call.flaw:
        return Fault(ReasonCode.MALFORMED, call.flaw, SEND_AGAIN)
    if shape.names_file and not call.path:
        return Fault(ReasonCode.NO_PATH, "the call names no file", 'add "file_path"')
    if len(set(call.paths.values())) > 1:
        named = " and ".join(f"`{key}` {path}" for key, path in call.paths.items())
        return Fault(ReasonCode.NO_PATH, f"the call names several files: {named}", "name one")
    unknown = _unknown_key(call, shape, WITHOUT_EFFECT)
    if unknown is not None:
        what = f"key `{unknown}` is not read; it may change what is meant"
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "ask for the call without it")
    for key, values in shape.values.items():
        if key in call.values and not _is_one_of(call, key, values):
            what = f"this value of key `{key}` is not read; it may change what is meant"
            return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "ask for the call without it")
    return None


def _unknown_key(call: Call, shape: Shape, others: frozenset[str]) -> str | None:
    if shape.known is None:
        return None
    known = {*shape.known, *shape.values, *PATH_KEYS, *others}
    if others:
        known.update(DRY_RUNS)
    return next((key for key in call.values if key not in known), None)


def _is_one_of(call: Call, key: str, values: tuple[object, ...]) -> bool:
    if isinstance(values[0], bool):
        return call.switch(key) in values
    return call.values[key] in values


# --- replacing


def pair_of(call: Call, pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | Fault | None:
    """The keys of the old and the new text; None if one of both is not there, a fault if they do not match."""
    old = [key for key, _ in pairs if isinstance(call.values.get(key), str)]
    new = [key for _, key in pairs if isinstance(call.values.get(key), str)]
    if not old or not new:
        return None
    if (old[0], new[0]) in pairs and len(old) == len(new) == 1:
        return old[0], new[0]
    named = ", ".join(f"`{key}`" for key in (*old, *new))
    return Fault(ReasonCode.MALFORMED, f"the keys {named} are not one pair", SEND_AGAIN)


def _replace(call: Call, pairs: Sequence[tuple[str, str]] = PAIRS) -> Iterator[Row]:
    pair = pair_of(call, pairs)
    if pair is None:
        fault = Fault(ReasonCode.MALFORMED, "the pair lacks its old or its new text", SEND_AGAIN)
        yield call.problem(fault, REPLACE)
    elif isinstance(pair, Fault):
        yield call.problem(pair, REPLACE)
    else:
        yield _pair_row(call, *pair)


def _pair_row(call: Call, old_key: str, new_key: str, *, is_every: bool = False) -> Row:
    """The row of one old and one new text."""
    count = None
    for key in _EVERY:
        if key in call.values:
            switch = call.switch(key)
            if switch is None:
                return call.problem(Fault(ReasonCode.MALFORMED, f"{key} must be true or false", SEND_AGAIN), REPLACE)
            is_every = is_every or switch
    if _COUNT in call.values:
        count = call.number_at(_COUNT)
        if not count:
            what = f"{_COUNT} must be a number of places"
            return call.problem(Fault(ReasonCode.MALFORMED, what, SEND_AGAIN), REPLACE)
    old = call.text(old_key)
    new = call.text(new_key)
    value = ToolCall(old, new, is_every, count, keys=(call.path_key, old_key, new_key))
    value = value._replace(is_literal=not call.is_text or {old_key, new_key} <= call.literal)
    action = ""
    if not old:
        action = "create"
    return call.block(REPLACE, action, value, old_lines=whole_lines(old), new_lines=whole_lines(new))


def _replace_by_command(call: Call) -> Iterator[Row]:
    yield _pair_row(call, "old_str", "new_str")


def _search_and_replace(call: Call) -> Iterator[Row]:
    yield _pair_row(call, "search", "replace", is_every=True)


_PAIR = Shape(
    lambda _: True,
    lambda call: _replace(call, LISTED_PAIRS),
    REPLACE,
    _PAIR_KEYS | {key for pair in LISTED_PAIRS for key in pair},
)
_OPERATION_PAIR = _PAIR._replace(
    read=_search_and_replace,
    known=frozenset(("search", "replace")),
    values={"use_regex": (False,), "ignore_case": (False,)},
)


def _pairs(call: Call) -> Iterator[Row]:
    """A row for each pair of a list."""
    shape = _PAIR
    if "operations" in call.values:
        shape = _OPERATION_PAIR
    for element in _listed(call):
        if not isinstance(element, JsonObject):
            fault = Fault(ReasonCode.MALFORMED, "an element of the list is no pair", SEND_AGAIN)
            yield call.problem(fault, REPLACE)
            continue
        yield from rows_of(_inner(call, element), shape)


def _inner(call: Call, element: JsonObject) -> Call:
    """One pair of a call as a call of its own, which stands where the pair does."""
    values = {key: value for key, value in element.values.items() if value is not None}
    line = call.line
    end_line = call.end_line
    if not call.is_text and element.line + call.at.first_line > line:
        line = element.line + call.at.first_line
        end_line = element.end_line + call.at.first_line
    outer = (call.path_key, call.path)
    return Call(values, call.name, line, end_line, call.at, call.number, element.flaw, outer_path=outer)


def _listed(call: Call) -> Sequence[object]:
    lists = [call.values.get(key) for key in ("edits", "replacements", "operations")]
    return next((each for each in lists if isinstance(each, list)), ())


def _has_pairs(call: Call) -> bool:
    """Whether there is a list in which a pair stands."""
    return any(
        isinstance(each, JsonObject) and pair_of(_inner(call, each), LISTED_PAIRS) is not None for each in _listed(call)
    )


# --- whole files, insertions, deletions


def _written(call: Call, keys: str, action: str) -> Row:
    """The row of a whole file."""
    found = [key for key in keys.split() if call.has_text(key)]
    if len(found) > 1:
        what = f"the call holds several texts: {', '.join(f'`{key}`' for key in found)}"
        return call.problem(Fault(ReasonCode.MALFORMED, what, SEND_AGAIN), WRITE)
    [key] = found
    text = call.text(key)
    is_literal = not call.is_text or key in call.literal
    value = ToolCall(new=text, is_literal=is_literal, keys=(call.path_key, "", key))
    return call.block(WRITE, action, value, new_lines=whole_lines(text))


def _insert(call: Call, line_key: str, keys: str, *, is_before: bool = False) -> Row:
    """The row of a text that goes behind a line, or before it."""
    number = call.number_at(line_key)
    if number is None:
        what = f"{line_key} must be the number of a line"
        return call.problem(Fault(ReasonCode.MALFORMED, what, SEND_AGAIN), INSERT)
    if is_before:  # line 0 is the end then, which is -1 here
        number -= 1
    row = _written(call, keys, "insert-at")
    if isinstance(row, Problem) or row.call is None:
        return row._replace(format=INSERT)
    return row._replace(format=INSERT, call=row.call._replace(line=number))


def _rename(call: Call) -> Iterator[Row]:
    for old_key, new_key in _MOVES:
        if call.has_text(old_key) and call.has_text(new_key):
            moved = call._replace(outer_path=(old_key, call.text(old_key)))
            value = ToolCall(keys=(old_key, "", new_key))
            yield moved.block(FILE, "rename", value, new_path=clean_path(call.text(new_key)))
            return


def _refuse(what: str, advice: str) -> Callable[[Call], Iterable[Row]]:
    fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, what, advice)
    return lambda call: (call.problem(fault),)


# --- the table


def _command(word: str, *groups: str) -> Callable[[Call], bool]:
    return lambda call: call.values.get("command") == word and _has(call, groups)


def _named(names: str, *groups: str) -> Callable[[Call], bool]:
    wanted = frozenset(names.split())
    return lambda call: call.name.lower() in wanted and _has(call, groups)


def _keys(*groups: str) -> Callable[[Call], bool]:
    return lambda call: _has(call, groups)


def _has(call: Call, groups: Sequence[str]) -> bool:
    """Whether one key of each group has a text; a line may have any value."""
    return all((group in ("insert_line", "line") and group in call.values) or call.has_text(group) for group in groups)


def _has_pair(call: Call) -> bool:
    return pair_of(call, PAIRS) is not None


def _is_move(call: Call) -> bool:
    is_named = call.name.lower() in ("rename_file", "move_file", "move_path")
    return is_named and any(call.has_text(old) and call.has_text(new) for old, new in _MOVES)


def _known(keys: str) -> frozenset[str]:
    return frozenset(keys.split())


_WHOLE = "content contents new_contents"
SHAPES = (
    Shape(_command("undo_edit"), _refuse("an undo is not read", "use editblocks undo"), FILE, None),
    Shape(
        _command("str_replace", "old_str"),
        _replace_by_command,
        REPLACE,
        _known("command old_str new_str"),
        may_lack_path=True,
    ),
    Shape(
        _command("create", "file_text"),
        lambda call: (_written(call, "file_text", "create"),),
        WRITE,
        _known("command file_text"),
        may_lack_path=True,
    ),
    Shape(
        _command("insert", "insert_line", "insert_text new_str"),
        lambda call: (_insert(call, "insert_line", "insert_text new_str"),),
        INSERT,
        _known("command insert_line insert_text new_str"),
        may_lack_path=True,
    ),
    Shape(_has_pairs, _pairs, REPLACE, _known("edits replacements"), {"mode": ("edit",)}, names_file=False),
    Shape(_has_pair, _replace, REPLACE, _PAIR_KEYS | {key for pair in PAIRS for key in pair}, may_lack_path=True),
    Shape(
        _named("create_file create_new_file", "content"),
        lambda call: (_written(call, "content", "create"),),
        WRITE,
        _known("content"),
    ),
    Shape(
        _keys(_WHOLE),
        lambda call: (_written(call, _WHOLE, "write"),),
        WRITE,
        _known(_WHOLE),
        {"mode": ("write", "overwrite", "create"), "overwrite": (True, False)},
        is_weak=True,
    ),
    Shape(
        _is_move,
        _rename,
        FILE,
        _known(" ".join(" ".join(each) for each in _MOVES)),
        {"overwrite": (False,)},
        names_file=False,
    ),
)
