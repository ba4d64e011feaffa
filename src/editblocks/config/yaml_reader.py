"""Read untrusted YAML as plain values: one map of words, numbers and lists of them; and the front matter of a response.

Only the events of PyYAML's parser are used. Maps in maps, anchors, aliases, tags, merge keys and several documents are
refused, not ignored. A plain `true`, `false` or whole number of at most 9 digits becomes that value; everything else,
such as `on`, `1:30`, `007` or a date, stays text. Front matter has the keys `base`, `title`, `format` and `author`:

    ---
    base: 4be1d02
    title: Correct cart totals
    ---

A first line `---` may also be a horizontal rule in a pasted chat answer, so it opens front matter only if a
key follows. Rules: docs/reference/command-line.md, "front matter".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

import yaml
from yaml import events as kinds

from editblocks.core.characters import quote, show_text
from editblocks.core.errors import ConfigError, ConfigTextError
from editblocks.core.outcome import FrontMatter
from editblocks.core.phrases import did_you_mean
from editblocks.parsing.parse import FORMAT_NAMES
from editblocks.report.commit_message import title_fault

MAX_BYTES = 64 * 1024
MAX_EVENTS = 5_000

Scalar: TypeAlias = "str | bool | int"
Value: TypeAlias = "Scalar | list[Scalar]"
Checked = TypeVar("Checked")

_SURROGATE = re.compile("[\ud800-\udfff]")
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
    if _SURROGATE.search(text):
        reason = "half a character (a lone surrogate) is written as `\\u`; write the whole character"
        raise YamlFault(_index(event), reason)
    if event.implicit[0] and text in ("true", "false"):
        return text == "true"
    if event.implicit[0] and _NUMBER.fullmatch(text):
        return int(text)
    return text


KEYS = ("base", "title", "format", "author")
AUTHOR_LIMIT = 100

_ENDS = ("---", "...")
_KEY = re.compile(r"""["']?[A-Za-z_][A-Za-z0-9_-]*["']?[ \t]*:(?!//)""")
_BASE = re.compile("[0-9a-f]{7,64}", re.IGNORECASE | re.ASCII)


def read_front_matter(text: str, name: str, warn: Callable[[str], None] | None = None) -> FrontMatter | None:
    """Read the front matter at the start of a response; None if it has none.

    `name` is what messages call the response. Raises `ConfigTextError` for anything that cannot be used, except a
    title that may not be the subject of a commit: it is left out, and `warn` is called with a line about it.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    bare = [line.rstrip(" \t\r") for line in lines]
    first_below = next(filter(None, bare[1:]), "")
    if bare[0] != "---" or not _KEY.match(first_below):
        return None
    stop = next((number for number, line in enumerate(bare) if number > 0 and line in _ENDS), None)
    if stop is None:
        reason = "`---` opens front matter that does not end"
        advice = "put `---` below its last key, or remove line 1 if it is only a horizontal rule"
        raise ConfigTextError(name, 1, f"{reason}; {advice}")

    entries = read_yaml("\n".join(lines[1:stop]), name, _checked, first_line=2)
    values = {key: value for key, (_, value) in entries.items() if value}
    if "title" in values and title_fault(values["title"]):
        del values["title"]
        if warn is not None:
            rule = "1 to 60 of A-Z, a-z, 0-9, space and ,.:;()/_+'-, with no address, issue or trailer"
            reason = f"the title cannot be the subject of a commit, so it is left out; use {rule}"
            line, _ = entries["title"]
            warn(ConfigTextError(name, line, reason).message)
    length = len(text) - len("\n".join(lines[stop + 1 :]))
    return FrontMatter(**values, length=length, lines=stop + 1)


def _checked(key: str, value: Value) -> str:
    """Return the value of a key as text; an empty text means "not set". Raises `ConfigError` for a wrong value."""
    if key not in KEYS:
        raise ConfigError(f"unknown key {quote(key)}; {did_you_mean(key, KEYS, quote)}")
    if key == "base" and type(value) is int:  # a commit id may have no letters
        value = str(value)
    if not isinstance(value, str):
        raise ConfigError(f"`{key}` is not text; put its value in quotes")
    if key == "base" and value and not _BASE.fullmatch(value):
        raise ConfigError(f"`base` is {quote(value)}; write 7 to 64 hex digits of a commit")
    if key == "format" and value and value not in FORMAT_NAMES:
        raise ConfigError(f"`format` is {quote(value)}; {did_you_mean(value, FORMAT_NAMES, quote)}")
    if key == "author" and len(value) > AUTHOR_LIMIT:
        raise ConfigError(f"`author` has {len(value):,} characters; write {AUTHOR_LIMIT} at most")
    if key == "base":
        return value.lower()
    return value
