"""The text of `.editblocks.yml` as fields of `Settings`: nothing in it is guessed or ignored.

Whatever cannot be used raises `ConfigError` with its line and, of a file on a branch, the name of that.
Page: docs/action.md, "policy".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from editblocks.errors import ConfigError, ConfigTextError
from editblocks.paths.characters import shown
from editblocks.setting_values import (
    CHOICES,
    LISTS,
    MOST_INLINE_COMMENTS,
    choice,
    did_you_mean,
    items,
    line,
    number,
    quoted,
)
from editblocks.settings import CEILINGS, Settings
from editblocks.yaml_values import Value, YamlText, read_yaml

FILE = ".editblocks.yml"
INPUTS_ONLY = ("token", "pr-number", "comment-id")
NO_KEYS = (*INPUTS_ONLY, "input-paths")
KEYS = tuple(key for key in (each.name.replace("_", "-") for each in fields(Settings)) if key not in NO_KEYS)

_DEFAULTS = Settings()
_SHOWN = 60


def read_policy(text: str, branch: str = "") -> dict[str, Any]:
    """The fields of `Settings` that the file sets, and no others. `branch`: where it was found, for messages."""
    try:
        read = read_yaml(text, FILE)
    except ConfigTextError as error:
        raise _error(error.line, error.reason, branch) from None
    if read.value == "":
        return {}
    if not isinstance(read.value, dict):
        raise _error(1, "there is no key; write lines as in `mode: check`", branch)
    return {key.replace("-", "_"): _checked(key, value, read, branch) for key, value in read.value.items()}


def _checked(key: str, value: Value, read: YamlText, branch: str) -> str | int | bool | tuple[str, ...]:
    """One value, an error with its line."""
    index = -1  # of the item that was looked at last

    def item(at: int) -> str:
        nonlocal index
        index = at
        return key

    try:
        return _value(key, value, item)
    except ConfigError as error:
        place = (key,) if index < 0 else (key, index)
        raise _error(read.lines[place], error.message, branch) from None


def _value(key: str, value: Value, item: Callable[[int], str]) -> str | int | bool | tuple[str, ...]:
    if key not in KEYS:
        raise ConfigError(_unknown(key))
    if value == "" and key != "commit-prefix":
        raise ConfigError(f"{key} has no value; write one, or leave the key out")
    if key in LISTS:
        return items(key, _texts(key, value, item), item)
    if isinstance(getattr(_DEFAULTS, key.replace("-", "_")), bool):
        return _flag(key, value)
    if key == "inline-comments" or key.startswith("max-"):
        least, most = (0, MOST_INLINE_COMMENTS) if key == "inline-comments" else (1, CEILINGS[key.replace("-", "_")])
        if isinstance(value, bool) or not isinstance(value, int):
            raise ConfigError(f"{key} is {_written(value)}; write a number from {least} to {most}, without quotes")
        return number(value, least, most, key, str(value))
    if not isinstance(value, str):
        raise ConfigError(f"{key} is {_written(value)}, which is no text; write one word, or put it in quotes")
    return choice(value, CHOICES[key], key) if key in CHOICES else line(key, value, key)


def _unknown(key: str) -> str:
    if key in INPUTS_ONLY:
        return f"`{key}` is an input of the workflow and no key of this file; take it out"
    return f"unknown key `{shown(key[:_SHOWN])}`; {did_you_mean(key, KEYS, lambda word: f'`{word}`')}"


def _texts(key: str, value: Value, item: Callable[[int], str]) -> list[str]:
    if not isinstance(value, list):
        raise ConfigError(f"{key} is {_written(value)}, which is no list; put it in brackets, as in `[a, b]`")
    texts = []
    for at, text in enumerate(value):
        if not isinstance(text, str):
            raise ConfigError(f"{item(at)} has {_written(text)}, which is no text; put it in quotes")
        texts.append(text)
    return texts


def _flag(key: str, value: Value) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{key} is {_written(value)}; write true or false, without quotes")
    return value


def _written(value: Value) -> str:
    """A value in a message, as people write it."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a map"
    return quoted(str(value).lower() if isinstance(value, bool) else str(value))


def _error(line_number: int, reason: str, branch: str) -> ConfigError:
    where = f" on {shown(branch)}" if branch else ""
    return ConfigError(f"{FILE} line {line_number}{where}: {reason}")
