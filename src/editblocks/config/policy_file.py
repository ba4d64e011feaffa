"""Read `.editblocks.yml` as fields of `Settings`: nothing in it is guessed or ignored.

Anything that cannot be used raises `ConfigError` with its line and, for a file on a branch, the branch.
Page: docs/reference/settings.md, "the file". editblocks.schema.json holds the same rules for editors.
"""

from __future__ import annotations

from typing import Any

from editblocks.config.table import BY_KEY, FILE_KEYS
from editblocks.config.yaml_reader import MAX_BYTES, Value, read_yaml
from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError, ConfigTextError, PolicyError
from editblocks.core.wrong_values import did_you_mean

FILE = ".editblocks.yml"
_SHOWN = 60


def policy_text(data: bytes, branch: str = "", name: str = FILE) -> str:
    """Decode the file for `read_policy`. `branch` and `name` say where it is, for messages. Raises `ConfigError`."""
    if len(data) > MAX_BYTES:
        where = f"{show_text(name)}{_on(branch)}"
        raise PolicyError(f"{where} has over {MAX_BYTES:,} bytes, which is the limit; shorten it", branch)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        reason = f"byte 0x{data[error.start]:02x} is not UTF-8; convert the file"
        raise _error(name, branch, number, reason) from None


def read_policy(text: str, branch: str = "", name: str = FILE) -> dict[str, Any]:
    """Return only the fields of `Settings` that the file sets. `branch` and `name` say where it is, for messages."""
    try:
        found = read_yaml(text, name)
    except ConfigTextError as error:
        raise _error(name, branch, error.line, error.reason) from None
    values: dict[str, Any] = {}
    for key, (line, value) in found.items():
        try:
            values[key.replace("-", "_")] = _checked(key, value)
        except ConfigError as error:
            raise _error(name, branch, line, error.message) from None
    return values


def _checked(key: str, value: Value) -> Any:
    if key not in FILE_KEYS:
        if key in BY_KEY:
            raise ConfigError(f"`{key}` is an input of the workflow and no key of this file; take it out")
        advice = did_you_mean(key, FILE_KEYS, lambda word: f"`{word}`")
        raise ConfigError(f"unknown key `{show_text(key[:_SHOWN])}`; {advice}")
    if value == "" and key != "commit-prefix":
        raise ConfigError(f"{key} has no value; write one, or leave the key out")
    return BY_KEY[key].check(value, key)


def _error(name: str, branch: str, line: int, reason: str) -> ConfigError:
    return PolicyError(f"{show_text(name)} line {line}{_on(branch)}: {reason}", branch)


def _on(branch: str) -> str:
    return f" on {show_text(branch)}" if branch else ""
