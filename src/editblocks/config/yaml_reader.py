"""Read YAML that anybody may have written, as plain values: every event of the parser is checked first, and nothing
recurses.

What YAML can do beyond text, numbers, lists and maps is refused, not ignored: anchors, aliases, tags, merge
keys, several documents. A plain `true`, `false` or whole number of at most 9 digits is what it looks like;
everything else, as `on`, `1:30`, `007` or a date, stays text. Rules: docs/reference/command-line.md, "front matter".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from editblocks.core.errors import ConfigTextError

if TYPE_CHECKING:
    from yaml.events import Event, NodeEvent, ScalarEvent

MAX_BYTES = 64 * 1024
MAX_DEPTH = 12
MAX_EVENTS = 5_000

Value: TypeAlias = "str | bool | int | list[Value] | dict[str, Value]"
Place: TypeAlias = "tuple[str | int, ...]"

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,8}", re.ASCII)  # the one spelling of its number: str() gives it back
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOO_DEEP = f"lists and maps are nested more than {MAX_DEPTH} deep; write them flatter"


@dataclass(frozen=True, slots=True)
class YamlText:
    """What a YAML text says. `lines`: where each key and item stands, 1-based, by the way to it: `("paths", 0)`.

    The text without anything in it has the value "".
    """

    value: Value
    lines: Mapping[Place, int]


def read_yaml(text: str, name: str, first_line: int = 1) -> YamlText:
    """Read one document of at most 64 KiB. `name` is what messages call it, `first_line` the number of its first line.

    Raises `ConfigTextError` for everything that is not read, and nothing else on any text.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise ConfigTextError(
            name, first_line, f"there are {size:,} bytes of YAML, the limit is {MAX_BYTES:,}; shorten it"
        )
    breaks = [match.start() for match in re.finditer("\n", text)]  # YAML counts other characters as line ends too
    builder = _Builder()
    try:
        for index, event in _events(text):
            builder.take(event, first_line + bisect_left(breaks, index))
    except _Fault as fault:
        line = first_line + bisect_left(breaks, fault.index)
        raise ConfigTextError(name, line, fault.message) from None
    return YamlText(builder.value, builder.lines)


class _Fault(Exception):
    """What is wrong at character `index` of the text."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index
        self.message = message


def _events(text: str) -> Iterator[tuple[int, Event]]:
    """The events of a text and where each begins. Raises `_Fault`."""
    import yaml

    class Loader(yaml.SafeLoader):
        """The pure Python loader (the one in C can crash on depth), which reads ahead no deeper than we do."""

        def fetch_flow_collection_start(self, token: object) -> None:
            # The scanner reads up to 1,024 characters ahead of its events, and each time looks at all open brackets.
            if self.flow_level >= MAX_DEPTH:
                raise _Fault(self.index, _TOO_DEEP)
            super().fetch_flow_collection_start(token)

    index = 0
    try:
        for event in yaml.parse(text, Loader=Loader):
            index = _index(event)
            yield index, event
    except yaml.reader.ReaderError as error:
        raise _Fault(error.position, f"U+{error.character:04X} does not belong in YAML; take it out") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Fault(mark.index if mark else index, _no_yaml(error.problem)) from None
    except (ValueError, OverflowError):  # numbers as in `\U00110000` and `%YAML 1.999…`, which it takes as they are
        raise _Fault(index, _no_yaml("a number here or below is too large")) from None


def _no_yaml(problem: str | None) -> str:
    detail = f" ({problem[:100]})" if problem else ""
    return f"this cannot be read as YAML{detail}; put a value with odd characters in quotes"


@dataclass(slots=True)
class _Open:
    """A list or map that is not complete. `key`: of a map, the one whose value comes next."""

    value: list[Value] | dict[str, Value]
    place: Place
    key: str | None = None


@dataclass(slots=True)
class _Builder:
    """Takes events one by one. `value` is complete after the last; each method may raise `_Fault`."""

    value: Value = ""
    lines: dict[Place, int] = field(default_factory=dict)
    _open: list[_Open] = field(default_factory=list)
    _events: int = 0
    _documents: int = 0

    def take(self, event: Event, line: int) -> None:
        """Take the next event, which begins in this line."""
        from yaml import events as kinds

        self._events += 1
        if self._events > MAX_EVENTS:
            raise _fault(event, f"there are more than {MAX_EVENTS:,} keys, values and brackets up to here; shorten it")
        if isinstance(event, kinds.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise _fault(event, "a second document begins; keep one")
        elif isinstance(event, kinds.CollectionEndEvent):
            self._open.pop()
        elif isinstance(event, kinds.NodeEvent):
            self._take_node(event, line)

    def _take_node(self, event: NodeEvent, line: int) -> None:
        from yaml import events as kinds

        _refuse_more_than_a_value(event)
        holder = self._open[-1] if self._open else None
        if holder is not None and isinstance(holder.value, dict) and holder.key is None:
            holder.key = _key(event, holder.value)
            place: Place = (*holder.place, holder.key)
            self.lines[place] = line
        elif isinstance(event, kinds.ScalarEvent):
            self._store(_scalar(event), line)
        else:
            if len(self._open) >= MAX_DEPTH:
                raise _fault(event, _TOO_DEEP)
            value: list[Value] | dict[str, Value] = {} if isinstance(event, kinds.MappingStartEvent) else []
            self._open.append(_Open(value, self._store(value, line)))

    def _store(self, value: Value, line: int) -> Place:
        """Put a value where it belongs and return the way to it."""
        if not self._open:
            self.value = value
            return ()
        holder = self._open[-1]
        if isinstance(holder.value, list):
            holder.value.append(value)
            place: Place = (*holder.place, len(holder.value) - 1)
            self.lines[place] = line
            return place
        key, holder.key = holder.key or "", None
        holder.value[key] = value
        return (*holder.place, key)


def _index(event: Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _fault(event: Event, message: str) -> _Fault:
    return _Fault(_index(event), message)


def _refuse_more_than_a_value(event: NodeEvent) -> None:
    from yaml import events as kinds

    if isinstance(event, kinds.AliasEvent):
        raise _fault(event, "aliases (`*name`) are not read; write the value out, or put it in quotes")
    if event.anchor is not None:
        raise _fault(event, "anchors (`&name`) are not read; leave it out, or put the value in quotes")
    if isinstance(event, (kinds.ScalarEvent, kinds.CollectionStartEvent)) and event.tag is not None:
        raise _fault(event, "tags (`!name`) are not read; leave it out, or put the value in quotes")


def _key(event: NodeEvent, known: dict[str, Value]) -> str:
    from yaml import events as kinds

    if not isinstance(event, kinds.ScalarEvent):
        raise _fault(event, "a list or map is no key; write a word before the colon")
    key = _scalar(event)
    if not isinstance(key, str):
        raise _fault(event, f"the key `{event.value}` is no text; put it in quotes")
    if key == "<<":
        raise _fault(event, "merge keys (`<<`) are not read; write the keys out")
    if key in known:
        raise _fault(event, f"the key `{key[:60]}` was given before; keep one")
    return key


def _scalar(event: ScalarEvent) -> str | bool | int:
    text: str = event.value
    if _SURROGATE.search(text):
        raise _fault(event, "half a character is written as `\\u`; write the character itself")
    if not event.implicit[0]:  # in quotes, or a block of text
        return text
    if text in ("true", "false"):
        return text == "true"
    return int(text) if _INTEGER.fullmatch(text) else text
