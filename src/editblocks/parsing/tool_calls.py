"""Edit calls that agents write as JSON or tags: known by their keys, so that none is lost in silence.

They are not read yet: each is a failed row. What is a call and what is talk is said in docs/reference/formats.md,
"reading". A schema, a log or a REST answer has other keys, or values of other kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from editblocks.core.blocks import Problem
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import CUT_OFF, OTHER_FORM, Fault, Located
from editblocks.formats.markers import Token
from editblocks.formats.patch_lines import BEGIN_PATCH
from editblocks.parsing.containers import Container, Containers
from editblocks.parsing.file_of_block import path_of_whole_file
from editblocks.parsing.path_line import is_stand_in
from editblocks.parsing.rows import Rows

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
_DEEPEST = 64  # levels of JSON
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
        if not isinstance(listed, list):
            continue
        if any(isinstance(each, dict) and _has_pair(each, _LISTED_PAIRS) for each in listed):
            return True
    # `path` and `content` are the two commonest words of other JSON: alone they are a call, with more they are data.
    beside = keys.keys() - PATH_KEYS - _WHOLE_BESIDE
    return bool(beside) and beside <= _WHOLE and beside <= texts.keys()


def _holds_patch(value: object) -> bool:
    """Whether a value is a patch, or a command that has one, in one text or in the words of a list."""
    words = [value]
    if isinstance(value, list):
        words = value
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


_JSON_FENCES = frozenset(("json", "jsonc", "jsonl", "tool_call", "tool_use", "tool_code", ""))
_TAG_FENCES = frozenset(("xml", ""))
_DATA_FILES = (".json", ".jsonl", ".jsonc", ".json5", ".ipynb")  # a fence below such a path is that file
# lines from a key up to where its JSON, or its tag, begins
_FARTHEST = 400
_FARTHEST_TAG = 12
_JSON_PIECES = r'"(?:[^"\\\x00-\x1f]|\\.)*"|([{\[])|([}\]])|(?:[ \t,:]|true|false|null|-?[0-9][0-9.eE+-]*)+'
_OPENER = r"[ \t]*<(?:(?:[A-Za-z]+:)?(invoke)[ \t]+name=\"([^\"<>]*)\"|(function)=([\w.-]+)|([A-Za-z_][\w-]*))>"
_PARAMETER = r"<(?:[A-Za-z]+:)?parameter(?:[ \t]+name=\"([^\"<>]+)\"[^<>]*|=([\w.-]+))>(.*?)</(?:[A-Za-z]+:)?parameter>"
_CHILD = r"<([A-Za-z_]\w*)>(.*?)</\1>"
_BEGUN = rf"<(?:{'|'.join(sorted(TEXT_KEYS))})>|\b(?:name=\"|parameter=)(?:{'|'.join(sorted(TEXT_KEYS))})\b"
_NO_CALLS = frozenset(  # tags around blocks that are read, and tools that change nothing
    "file args diff content files replace_in_file apply_diff read_file list_files search_files execute_command "
    "attempt_completion new_task details summary tool_call tool_use function_calls function_call".split()
)


class Region:
    """Lines from `start` on that may be a call; `next` is the first one that was not looked at."""

    depth = 0
    is_faulty = False  # it is no JSON
    is_over = False

    def __init__(self, start: int, closing_tag: str = "", name: str = "") -> None:
        self.start = self.next = start
        self.closing_tag = closing_tag  # "" for JSON
        self.name = name  # of the tool, as the tag says it

    def advance(self, lines: Sequence[str], stop: int) -> None:
        """Look at the lines up to `stop`, not included, as far as the region goes."""
        while self.next < stop and not self.is_over:
            self._take(lines[self.next])
            self.next += 1

    def _take(self, line: str) -> None:
        if self.closing_tag:
            self.is_over = line.strip(" \t").endswith(self.closing_tag)
            return
        at = 0
        for match in re.finditer(_JSON_PIECES, line):
            if match.start() != at:
                break
            at = match.end()
            self.depth += bool(match[1]) - bool(match[2])
            if self.depth <= 0 or self.depth > _DEEPEST:
                break
        is_whole = at == len(line) or not line[at:].strip(" \t")
        self.is_faulty = not is_whole or self.depth > _DEEPEST
        self.is_over = self.is_faulty or self.depth <= 0


class CallRegions:
    """The calls of one answer, and the one that may be open."""

    def __init__(self, containers: Containers, rows: Rows) -> None:
        self._containers = containers
        self._rows = rows
        self._lines = containers.lines
        self.open: Region | None = None
        self._seen = 0  # the first line that no region held

    def take(self, token: Token) -> None:
        """Take in a line of text with a key that names a file: a call may stand around it."""
        if token.line < self._seen or self._containers.fences or self._containers.action is not None:
            return
        region = self._begin(token.line)
        if region is None:
            return
        region.advance(self._lines, token.line + 1)
        self.open = region
        if region.is_over:
            self._end(region)

    def holds(self, region: Region, token: Token) -> bool:
        """Whether a line belongs to the call that is open; else that is over."""
        region.advance(self._lines, token.line)
        if region.is_over:
            self._end(region)
        return self.open is not None

    def end(self) -> None:
        """The text is over."""
        region = self.open
        if region is not None:
            region.advance(self._lines, len(self._lines))
            self._end(region)

    def _begin(self, line: int) -> Region | None:
        """The call that may stand around a line with a key: JSON from the first column on, or a tag above."""
        first = max(self._containers.row_stop, self._seen)
        if self._lines[line].lstrip(" \t").startswith("<"):
            return next(filter(None, map(self._tag_at, range(line, max(first, line - _FARTHEST_TAG) - 1, -1))), None)
        for start in range(line, max(first, line - _FARTHEST) - 1, -1):
            if self._lines[start].startswith(("{", "[")):
                return Region(start)
        return None

    def _tag_at(self, line: int) -> Region | None:
        """The region that the opening tag of a call begins."""
        match = re.match(_OPENER, self._lines[line])
        if match is None or (match[5] and (match[5] in _NO_CALLS or self._lines[line].strip(" \t") != f"<{match[5]}>")):
            return None
        return _region_of(match, line)

    def _end(self, region: Region) -> None:
        self.open = None
        self._seen = region.next
        lines = self._lines[region.start : region.next]
        if region.closing_tag:
            rows = _tag_rows(lines, region)
        else:
            rows = _json_rows("\n".join(lines), is_cut=not region.is_over, is_faulty=region.is_faulty)
        if self._add(region.start, region.next, rows):
            self._containers.end_row(region.next)

    def left(self) -> None:
        """The calls in the fences that were just left."""
        for fence in self._containers.left:
            word = fence.info.partition(" ")[0].lower()
            may_hold = fence.mark and not (fence.holds_block or fence.shows_patch or fence.is_inner)
            if not may_hold or fence.first_row != self._rows.next_number or word not in _JSON_FENCES | _TAG_FENCES:
                continue
            stop = self._containers.stop_of(fence)
            inside = self._lines[fence.line + 1 : stop]
            text = "\n".join(inside).strip(" \t\n")
            if text[:1] in ("{", "[") and word in _JSON_FENCES and not self._is_file(fence):
                rows = list(_json_rows(text, is_cut=not fence.is_closed, is_faulty=False))
            elif text[:1] == "<" and word in _TAG_FENCES:
                rows = list(_tags_in(inside))
            else:
                continue
            if self._add(fence.line, stop + fence.is_closed, rows):
                fence.holds_block = True

    def _is_file(self, fence: Container) -> bool:
        """Whether a line names the file that the fence shows."""
        located = path_of_whole_file(self._containers, fence)
        return isinstance(located, Located) and located.path.endswith(_DATA_FILES)

    def _add(self, start: int, stop: int, found: Iterator[Fault | Call] | Sequence[Fault | Call]) -> bool:
        """Add a row for each call or fault; say whether there was any."""
        first = start + self._rows.first_line
        last = stop - 1 + self._rows.first_line
        count = self._rows.next_number
        for each in found:
            if isinstance(each, Call):
                tool = f"the tool call `{each.name}`"
                if not each.name:
                    tool = "the tool call"
                what = f"{tool} at line {first} is not read"
                fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, what, OTHER_FORM)
                path = each.path or None
            else:
                fault = Fault(each.code, each.what.format(line=first), each.advice)
                path = None
            self._rows.seal()
            row = Problem(self._rows.next_number, first, last, *fault, path, is_beside=True)
            self._rows.add(row)
        return self._rows.next_number > count


_NO_JSON = Fault(ReasonCode.MALFORMED, "the tool call at line {line} is no JSON", OTHER_FORM)
_CUT_JSON = Fault(ReasonCode.UNCLOSED, "the tool call at line {line} is cut off", CUT_OFF)


def _json_rows(text: str, *, is_cut: bool, is_faulty: bool) -> Iterator[Fault | Call]:
    """The calls of JSON values, one after the other; a fault if what does not parse shows an edit."""
    if is_faulty:
        if shows_edit(text):
            yield _NO_JSON
        return
    import json  # most answers have none

    decoder = json.JSONDecoder(parse_int=str, parse_float=str)
    at = 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            if shows_edit(text[at:]):
                fault = _CUT_JSON if is_cut else _NO_JSON
                yield fault
            return
        yield from calls_in(value)
        while at < len(text) and text[at] in " \t\n\r,":
            at += 1


def _tag_rows(lines: Sequence[str], region: Region) -> Iterator[Fault | Call]:
    """The call of a region of tags; a fault if it has no end, and a text was begun."""
    text = "\n".join(lines)
    if region.is_over:
        call = call_of(_values(text, lines[1:]), region.name)
        if call is not None:
            yield call
    elif re.search(_BEGUN, text):
        yield Fault(ReasonCode.UNCLOSED, f"the tool call `{region.name}` at line {{line}} has no end", CUT_OFF)


def _tags_in(lines: Sequence[str]) -> Iterator[Fault | Call]:
    """The calls in a fence of tags."""
    start = 0
    while start < len(lines):
        match = re.match(_OPENER, lines[start])
        if match is None or match[5] in _NO_CALLS:
            start += 1
            continue
        region = _region_of(match, start)
        region.advance(lines, len(lines))
        yield from _tag_rows(lines[start : region.next], region)
        start = region.next


def _region_of(opener: re.Match[str], line: int) -> Region:
    """The region that a tag opens; its closing tag ends a line, whatever stands before a colon in the tag's name."""
    if opener[5]:
        return Region(line, f"</{opener[5]}>", opener[5])
    return Region(line, f"{opener[1] or opener[3]}>", opener[2] or opener[4] or "")


def _values(text: str, below: Sequence[str]) -> dict[str, str]:
    """The parameters of a call in tags; `below` are its lines without the first, which is the tag of a call."""
    named = {name or other: value for name, other, value in re.findall(_PARAMETER, text, re.DOTALL)}
    return named or dict(re.findall(_CHILD, "\n".join(below), re.DOTALL))
