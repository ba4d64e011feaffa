"""Read untrusted YAML as plain values: one map of words, numbers and lists of them, from the events of PyYAML's parser.

Everything else is refused, not ignored: maps in maps, anchors, aliases, tags, merge keys, several documents. A plain
`true`, `false` or whole number of at most 9 digits becomes that value; everything else, such as `on`, `1:30`, `007` or
a date, stays text. Rules: docs/reference/command-line.md, "front matter".
"""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

import yaml
from yaml import events as kinds

from editblocks.core.characters import SURROGATE, show_text
from editblocks.core.errors import ConfigError, ConfigTextError

MAX_BYTES = 64 * 1024
MAX_EVENTS = 5_000

Scalar: TypeAlias = "str | bool | int"
Value: TypeAlias = "Scalar | list[Scalar]"
Checked = TypeVar("Checked")

_NUMBER = re.compile("0|-?[1-9][0-9]{0,8}", re.ASCII)


class YamlFault(Exception):
    """An error at character `index` of the text."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index
        self.message = message


def read_yaml(
    text: str, name: str, check: Callable[[str, Value], Checked], first_line: int = 1
) -> dict[str, tuple[int, Checked]]:
    """Read one document of at most 64 KiB. Return the line (1-based) and the value of each key.

    `name` is what messages call the text, `first_line` the number of its first line; `check` returns the value of a key
    as it is used, or raises `ConfigError`. Raises `ConfigTextError` for anything that is refused, and nothing else.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        reason = f"there are {size:,} bytes of YAML, the limit is {MAX_BYTES:,}; shorten it"
        raise ConfigTextError(name, first_line, reason)
    try:
        found = _read_map(_events(text))
    except YamlFault as fault:
        raise ConfigTextError(name, first_line + text.count("\n", 0, fault.index), fault.message) from None
    checked: dict[str, tuple[int, Checked]] = {}
    for key, (index, value) in found.items():
        line = first_line + text.count("\n", 0, index)  # YAML also counts other characters as line ends
        try:
            checked[key] = line, check(key, value)
        except ConfigError as error:
            raise ConfigTextError(name, line, error.message) from None
    return checked


def _events(text: str) -> Iterator[kinds.Event]:
    """Yield the events inside the one document. Raises `YamlFault` for a text that is not plain, or too long."""
    index = documents = 0
    try:
        for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader), 1):
            index = _index(event)
            documents += isinstance(event, kinds.DocumentStartEvent)
            if count > MAX_EVENTS:
                raise YamlFault(index, f"there are more than {MAX_EVENTS:,} keys and values up to here; shorten it")
            if documents > 1:
                raise YamlFault(index, "a second document begins; keep one")
            if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
                reason = "aliases, anchors and tags (`*`, `&`, `!`) are not read; put the value in quotes"
                raise YamlFault(index, reason)
            if isinstance(event, (kinds.NodeEvent, kinds.CollectionEndEvent)):
                yield event
    except yaml.reader.ReaderError as error:
        raise YamlFault(error.position, f"U+{error.character:04X} does not belong in YAML; remove it") from None
    except yaml.MarkedYAMLError as error:
        if mark := error.problem_mark or error.context_mark:
            index = mark.index
        raise YamlFault(index, _no_yaml(error.problem)) from None
    except (ValueError, OverflowError):  # numbers that the parser does not check, as in `\U00110000` and `%YAML 1.999…`
        raise YamlFault(index, _no_yaml("a number here or below is too large")) from None


def _index(event: kinds.Event) -> int:
    if event.start_mark is None:
        return 0
    return event.start_mark.index


def _no_yaml(problem: str | None) -> str:
    what = "this cannot be read as YAML"
    if problem:
        what = f"{what} ({problem[:100]})"
    return f"{what}; put a value with odd characters in quotes"


def _read_map(events: Iterator[kinds.Event]) -> dict[str, tuple[int, Value]]:
    """The index and the value of each key of one document. Raises `YamlFault`, and nothing else."""
    found: dict[str, tuple[int, Value]] = {}
    first = next(events, None)
    if isinstance(first, kinds.MappingStartEvent):
        while not isinstance(event := next(events), kinds.MappingEndEvent):
            key = _scalar(event)
            index = _index(event)
            if not isinstance(key, str) or key == "<<":
                raise YamlFault(index, f"the key `{str(key).lower()}` is not text; write a word before the colon")
            if key in found:
                raise YamlFault(index, f"the key `{show_text(key[:60])}` is given twice; keep one")
            found[key] = index, _value(next(events), events)
    elif first is not None and (not isinstance(first, kinds.ScalarEvent) or first.value):
        raise YamlFault(_index(first), "there is no key; write lines such as `key: value`")
    for _ in events:  # read on: a second document raises `YamlFault`
        pass
    return found


def _value(event: kinds.Event, events: Iterator[kinds.Event]) -> Value:
    if not isinstance(event, kinds.SequenceStartEvent):
        return _scalar(event)
    items = []
    while not isinstance(item := next(events), kinds.SequenceEndEvent):
        items.append(_scalar(item))
    return items


def _scalar(event: kinds.Event) -> Scalar:
    if not isinstance(event, kinds.ScalarEvent):
        raise YamlFault(_index(event), "there is a list or map where a single value belongs; write one value")
    text: str = event.value
    if re.search(SURROGATE, text):
        reason = "half a character (a lone surrogate) is written as `\\u`; write the whole character"
        raise YamlFault(_index(event), reason)
    if event.implicit[0] and text in ("true", "false"):
        return text == "true"
    if event.implicit[0] and _NUMBER.fullmatch(text):
        return int(text)
    return text
