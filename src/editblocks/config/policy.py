"""The settings of a pull request: `.editblocks.yml` of its base branch, limited by the action's inputs and by the
default branch.

An input can only make a setting stricter. A value that loosens a protection counts only if the default branch has it
too: anyone who can push can point a pull request at a branch of their own. Table: docs/reference/settings.md, "on
GitHub".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from editblocks.config.environment import Policy
from editblocks.config.table import BY_KEY, FILE_KEYS, TABLE, Setting
from editblocks.config.yaml_reader import MAX_BYTES, Value, read_yaml
from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError, ConfigTextError, PolicyError
from editblocks.core.settings import CEILINGS, Settings
from editblocks.core.wrong_values import did_you_mean
from editblocks.paths import is_workflow

FILE = ".editblocks.yml"
INPUT = "input"
_SHOWN = 60  # characters of a wrong key
_UNTOLD = frozenset(setting.name for setting in TABLE if setting.counts == "workflow")
_LETS_THROUGH = tuple(setting for setting in TABLE if setting.loose)


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
    """Return only the fields of `Settings` that the file sets: nothing in it is guessed or ignored.

    `branch` and `name` say where it is, for messages. Raises `ConfigError`. editblocks.schema.json holds the same rules
    for editors.
    """
    try:
        found = read_yaml(text, name, _checked)
    except ConfigTextError as error:
        raise _error(name, branch, error.line, error.reason) from None
    return {key.replace("-", "_"): value for key, (_, value) in found.items()}


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


def policy_from(
    base: str | None, default: str | None, inputs: Mapping[str, Any], *, branch: str, default_branch: str
) -> Policy:
    """Combine the settings of both branches and the inputs. Raises `ConfigError` for a file that cannot be used.

    `base` and `default` are the texts of `.editblocks.yml` on `branch`, the base of the pull request, and on
    `default_branch`; None if there is no such file. `inputs` comes from `config.environment.values_from_environment`.
    """
    notes: list[str] = []
    in_file = {} if base is None else read_policy(base, branch)
    if branch != default_branch:
        of_default = {} if default is None else read_policy(default, default_branch)
        in_file = _as_far_as(in_file, of_default, notes)
        for setting in TABLE:
            if setting.guards and (value := of_default.get(setting.name)) is not None:
                in_file[setting.name] = _both(setting, in_file.get(setting.name, value), value)
    asked = dict(inputs)
    for setting in _LETS_THROUGH:
        if asked.get(setting.name) == setting.loose != in_file.get(setting.name):
            del asked[setting.name]
            why = f"an input alone loosens nothing, {FILE} has to say it too"
            notes.append(f"{setting.key}: {setting.loose} is not in force: {why}")
    notes += [
        f"allow-protected: {show_text(path)} is not in force: workflows are never edited"
        for path in in_file.get("allow_protected", ())
        if is_workflow(path)
    ]
    merged = _merge(in_file, asked)
    where = f"{FILE} on {show_text(branch)}"
    origins = {
        name: INPUT if name == "input_paths" else _origin(value, in_file.get(name), asked.get(name), where)
        for name, value in merged.items()
        if name not in _UNTOLD and value != getattr(Settings(), name)
    }
    return Policy(replace(Settings(), **merged), origins, tuple(notes))


def _as_far_as(in_file: Mapping[str, Any], default: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return the settings of the base branch, without values that are looser than the default branch allows."""
    kept = dict(in_file)
    for path in in_file.get("allow_protected", ()):
        if path not in default.get("allow_protected", ()):
            kept["allow_protected"] = tuple(other for other in kept["allow_protected"] if other != path)
            notes.append(f"allow-protected: {show_text(path)} is not in force: the default branch does not name it")
    for setting in _LETS_THROUGH:
        if in_file.get(setting.name) == setting.loose != default.get(setting.name):
            kept[setting.name] = setting.default
            notes.append(f"{setting.key}: {setting.loose} is not in force: the default branch does not say so")
    for name in CEILINGS:
        most = max(getattr(Settings(), name), default.get(name, 0))
        if in_file.get(name, 0) > most:
            kept[name] = most
            key = name.replace("_", "-")
            notes.append(f"{key}: {in_file[name]} is not in force: the default branch allows {most}")
    return kept


def _merge(in_file: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Combine the settings of the file and the inputs, in the order of the fields."""
    merged: dict[str, Any] = {}
    for setting in TABLE:
        name = setting.name
        if name in in_file and name in asked:
            merged[name] = _both(setting, in_file[name], asked[name])
            if name == "paths":
                merged["input_paths"] = asked[name]
        elif name in in_file or name in asked:
            merged[name] = in_file.get(name, asked.get(name))
    return merged


def _both(setting: Setting, in_file: Any, asked: Any) -> Any:
    return setting.merge(in_file, asked) if setting.merge else in_file


def _origin(value: Any, in_file: Any, asked: Any, where: str) -> str:
    """Return where a value comes from: the place that set exactly this value, or both."""
    if value == in_file and value != asked:
        return where
    return INPUT if value == asked and value != in_file else f"{where}, {INPUT}"
