"""The text of `.editblocks.yml` as fields of `Settings`: nothing in it is guessed or ignored.

Whatever cannot be used raises `ConfigError` with its line and, of a file on a branch, the name of that.
Page: docs/reference/settings.md, "the file". editblocks.schema.json says the same to editors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from editblocks.config.values import (
    CHOICES,
    LISTS,
    MOST_INLINE_COMMENTS,
    choice,
    items,
    line,
    number,
)
from editblocks.config.yaml_reader import MAX_BYTES, Value, YamlText, read_yaml
from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError, ConfigTextError, PolicyError
from editblocks.core.settings import CEILINGS, Settings
from editblocks.core.wrong_values import did_you_mean, quote

FILE = ".editblocks.yml"
INPUTS_ONLY = ("token", "pr-number", "comment-id")
NO_KEYS = (*INPUTS_ONLY, "input-paths")
KEYS = tuple(key for key in (each.name.replace("_", "-") for each in fields(Settings)) if key not in NO_KEYS)

_DEFAULTS = Settings()
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class _Place:
    """What messages call the file."""

    name: str
    branch: str

    def error(self, line_number: int, reason: str) -> ConfigError:
        return PolicyError(f"{show_text(self.name)} line {line_number}{self._on_branch}: {reason}", self.branch)

    def error_of_all(self, reason: str) -> ConfigError:
        return PolicyError(f"{show_text(self.name)}{self._on_branch} {reason}", self.branch)

    @property
    def _on_branch(self) -> str:
        return f" on {show_text(self.branch)}" if self.branch else ""


def policy_text(data: bytes, branch: str = "", name: str = FILE) -> str:
    """The bytes of the file as `read_policy` takes them. `branch`, `name`: where they are from, for messages."""
    place = _Place(name, branch)
    if len(data) > MAX_BYTES:
        raise place.error_of_all(f"has over {MAX_BYTES:,} bytes, which is the limit; shorten it")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line_number = data.count(b"\n", 0, error.start) + 1
        raise place.error(line_number, f"byte 0x{data[error.start]:02x} is not UTF-8; convert the file") from None


def read_policy(text: str, branch: str = "", name: str = FILE) -> dict[str, Any]:
    """The fields of `Settings` that the file sets, and no others. `branch`, `name`: where it is, for messages."""
    place = _Place(name, branch)
    try:
        read = read_yaml(text, name)
    except ConfigTextError as error:
        raise place.error(error.line, error.reason) from None
    if read.value == "":
        return {}
    if not isinstance(read.value, dict):
        raise place.error(1, "there is no key; write lines as in `mode: check`")
    return {key.replace("-", "_"): _check_value(key, value, read, place) for key, value in read.value.items()}


def _check_value(key: str, value: Value, read: YamlText, place: _Place) -> str | int | bool | tuple[str, ...]:
    """One value, an error with its line."""
    index = -1  # of the item that was looked at last

    def item(at: int) -> str:
        nonlocal index
        index = at
        return key

    try:
        return _value(key, value, item)
    except ConfigError as error:
        way = (key,) if index < 0 else (key, index)
        raise place.error(read.lines[way], error.message) from None


def _value(key: str, value: Value, item: Callable[[int], str]) -> str | int | bool | tuple[str, ...]:
    if key not in KEYS:
        raise ConfigError(_unknown_key(key))
    if value == "" and key != "commit-prefix":
        raise ConfigError(f"{key} has no value; write one, or leave the key out")
    if key in LISTS:
        return items(key, _texts(key, value, item), item)
    if isinstance(getattr(_DEFAULTS, key.replace("-", "_")), bool):
        return _flag(key, value)
    if key == "inline-comments" or key.startswith("max-"):
        least, most = (0, MOST_INLINE_COMMENTS) if key == "inline-comments" else (1, CEILINGS[key.replace("-", "_")])
        if isinstance(value, bool) or not isinstance(value, int):
            raise ConfigError(f"{key} is {_as_yaml(value)}; write a number from {least} to {most}, without quotes")
        return number(value, least, most, key, str(value))
    if not isinstance(value, str):
        raise ConfigError(f"{key} is {_as_yaml(value)}, which is no text; write one word, or put it in quotes")
    return choice(value, CHOICES[key], key) if key in CHOICES else line(key, value, key)


def _unknown_key(key: str) -> str:
    if key in INPUTS_ONLY:
        return f"`{key}` is an input of the workflow and no key of this file; take it out"
    return f"unknown key `{show_text(key[:_SHOWN])}`; {did_you_mean(key, KEYS, lambda word: f'`{word}`')}"


def _texts(key: str, value: Value, item: Callable[[int], str]) -> list[str]:
    if not isinstance(value, list):
        raise ConfigError(f"{key} is {_as_yaml(value)}, which is no list; put it in brackets, as in `[a, b]`")
    texts = []
    for at, text in enumerate(value):
        if not isinstance(text, str):
            raise ConfigError(f"{item(at)} has {_as_yaml(text)}, which is no text; put it in quotes")
        texts.append(text)
    return texts


def _flag(key: str, value: Value) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{key} is {_as_yaml(value)}; write true or false, without quotes")
    return value


def _as_yaml(value: Value) -> str:
    """A value in a message, as people write it."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a map"
    return quote(str(value).lower() if isinstance(value, bool) else str(value))
