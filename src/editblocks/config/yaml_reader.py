"""Read untrusted YAML as plain values: PyYAML's safe loader, behind a guard that looks at every event first.

Everything beyond text, numbers, lists and maps is refused, not ignored: anchors, aliases, tags, merge
keys, several documents. A plain `true`, `false` or whole number of at most 9 digits becomes that value;
everything else, such as `on`, `1:30`, `007` or a date, stays text. Rules: docs/reference/command-line.md, "front
matter".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import yaml
from yaml import events as kinds

from editblocks.core.errors import ConfigTextError

MAX_BYTES = 64 * 1024
MAX_DEPTH = 12
MAX_EVENTS = 5_000

Value: TypeAlias = "str | bool | int | list[Value] | dict[str, Value]"
Place: TypeAlias = "tuple[str | int, ...]"

_SURROGATE = re.compile("[\ud800-\udfff]")
_TOO_DEEP = f"lists and maps are nested more than {MAX_DEPTH} deep; write them flatter"
_BOOL, _INT = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:int"


class YamlText(NamedTuple):
    """The value of a YAML text. `lines`: the 1-based line of each key and item, by the path to it, as `("paths", 0)`.

    An empty text has the value "".
    """

    value: Value
    lines: Mapping[Place, int]


class _Loader(yaml.SafeLoader):
    """The safe loader in pure Python, as the one in C can crash on deep nesting; few plain words are more than text."""

    yaml_implicit_resolvers: dict[str, object] = {}  # noqa: RUF012 - as PyYAML has it

    def fetch_flow_collection_start(self, token: object) -> None:
        # The scanner reads up to 1,024 characters ahead of its events, and checks all open brackets each time.
        if self.flow_level >= MAX_DEPTH:
            raise _Fault(self.index, _TOO_DEEP)
        super().fetch_flow_collection_start(token)


_Loader.add_implicit_resolver(_BOOL, re.compile("true|false"), "tf")
_Loader.add_implicit_resolver(_INT, re.compile("(?:0|-?[1-9][0-9]{0,8})$", re.ASCII), "-0123456789")


def read_yaml(text: str, name: str, first_line: int = 1) -> YamlText:
    """Read one document of at most 64 KiB. `name` is what messages call it, `first_line` the number of its first line.

    Raises `ConfigTextError` for anything that is refused, and nothing else whatever the text.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        reason = f"there are {size:,} bytes of YAML, the limit is {MAX_BYTES:,}; shorten it"
        raise ConfigTextError(name, first_line, reason)
    lines: dict[Place, int] = {}
    try:
        _guard(text)
        node = yaml.compose(text, Loader=_Loader)
        value = _value(node, (), lines) if node else ""
    except _Fault as fault:
        line = first_line + text.count("\n", 0, fault.index)
        raise ConfigTextError(name, line, fault.message) from None
    # YAML also counts other characters as line ends
    return YamlText(value, {place: first_line + text.count("\n", 0, index) for place, index in lines.items()})


class _Fault(Exception):
    """An error at character `index` of the text."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index
        self.message = message


def _guard(text: str) -> None:
    """Raise `_Fault` for a text of which the loader would make more than plain values, or at too great a cost."""
    index = depth = documents = 0
    try:
        for count, event in enumerate(yaml.parse(text, Loader=_Loader), 1):
            index = event.start_mark.index if event.start_mark else 0
            depth += isinstance(event, kinds.CollectionStartEvent) - isinstance(event, kinds.CollectionEndEvent)
            documents += isinstance(event, kinds.DocumentStartEvent)
            message = _refusal(event, count, depth, documents)
            if message:
                raise _Fault(index, message)
    except yaml.reader.ReaderError as error:
        raise _Fault(error.position, f"U+{error.character:04X} does not belong in YAML; take it out") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Fault(mark.index if mark else index, _no_yaml(error.problem)) from None
    except (ValueError, OverflowError):  # numbers that the parser does not check, as in `\U00110000` and `%YAML 1.999…`
        raise _Fault(index, _no_yaml("a number here or below is too large")) from None


def _refusal(event: kinds.Event, count: int, depth: int, documents: int) -> str:
    if count > MAX_EVENTS:
        return f"there are more than {MAX_EVENTS:,} keys, values and brackets up to here; shorten it"
    if depth > MAX_DEPTH:
        return _TOO_DEEP
    if documents > 1:
        return "a second document begins; keep one"
    if isinstance(event, kinds.AliasEvent):
        return "aliases (`*name`) are not read; write the value out, or put it in quotes"
    if getattr(event, "anchor", None) is not None:
        return "anchors (`&name`) are not read; leave it out, or put the value in quotes"
    if getattr(event, "tag", None) is not None:
        return "tags (`!name`) are not read; leave it out, or put the value in quotes"
    return ""


def _no_yaml(problem: str | None) -> str:
    detail = f" ({problem[:100]})" if problem else ""
    return f"this cannot be read as YAML{detail}; put a value with odd characters in quotes"


def _value(node: yaml.Node, place: Place, lines: dict[Place, int]) -> Value:
    """The value of a node that the guard let pass; the index of each key and item goes into `lines`."""
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if isinstance(node, yaml.SequenceNode):
        lines.update(((*place, at), item.start_mark.index) for at, item in enumerate(node.value))
        return [_value(item, (*place, at), lines) for at, item in enumerate(node.value)]
    known: dict[str, Value] = {}
    for key_node, value_node in node.value:
        key = _key(key_node, known)
        below = (*place, key)
        lines[below] = key_node.start_mark.index
        known[key] = _value(value_node, below, lines)
    return known


def _key(node: yaml.Node, known: Mapping[str, Value]) -> str:
    index = node.start_mark.index
    if not isinstance(node, yaml.ScalarNode):
        raise _Fault(index, "a list or map is no key; write a word before the colon")
    key = _scalar(node)
    if not isinstance(key, str):
        raise _Fault(index, f"the key `{node.value}` is no text; put it in quotes")
    if key == "<<":
        raise _Fault(index, "merge keys (`<<`) are not read; write the keys out")
    if key in known:
        raise _Fault(index, f"the key `{key[:60]}` was given before; keep one")
    return key


def _scalar(node: yaml.ScalarNode) -> str | bool | int:
    text: str = node.value
    if _SURROGATE.search(text):
        raise _Fault(node.start_mark.index, "half a character is written as `\\u`; write the character itself")
    if node.tag == _BOOL:
        return text == "true"
    return int(text) if node.tag == _INT else text
