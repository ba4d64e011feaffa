"""The settings of a pull request: `.editblocks.yml` of its base branch, limited by the inputs of the action and by
the default branch.

An input only tightens. What loosens a protection counts only if the default branch says it too: whoever can push
can turn a pull request to a branch of their own. Table: docs/reference/settings.md, "on GitHub".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from editblocks.config.policy_file import FILE, INPUTS_ONLY, read_policy
from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError
from editblocks.core.settings import CEILINGS, MATCHING, Settings
from editblocks.parsing.parse import formats_named
from editblocks.paths import is_workflow

INPUT = "input"

_DEFAULTS = Settings()
_UNTOLD = frozenset(key.replace("-", "_") for key in INPUTS_ONLY)
_STRICTEST_FIRST: Mapping[str, tuple[str | bool, ...]] = {
    "mode": ("check", "apply"),
    "trigger": ("command", "auto"),
    "permission": ("admin", "maintain", "write"),
    "matching": MATCHING,
    "suspicious_text": ("refuse", "warn"),
    "placeholders": ("refuse", "warn"),
    "partial": (False, True),
    "three_way": (False, True),
}
_LETS_THROUGH = ("suspicious_text", "placeholders")  # `warn` applies what is refused otherwise


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings that hold. `notes` name what the file asks for in vain, a line each.

    `origins` says of each field that differs from its default who set it: `.editblocks.yml on main`, `input`, or both.
    """

    settings: Settings
    origins: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[tuple[str, str, str], ...]:
        """Key, value and origin of what differs from its default. Values are foreign text, a list with commas."""
        return tuple(
            ("paths" if name == "input_paths" else name.replace("_", "-"), _text(getattr(self.settings, name)), origin)
            for name, origin in self.origins.items()
        )


def policy_from(
    base: str | None, default: str | None, inputs: Mapping[str, Any], *, branch: str, default_branch: str
) -> Policy:
    """Put together what three places say. Raises `ConfigError` for a file that cannot be used.

    `base` and `default` are the texts of `.editblocks.yml` on `branch`, which the pull request goes to, and on
    `default_branch`; None where there is no such file. `inputs` is what `config.environment.values_from_environment`
    gives.
    """
    notes: list[str] = []
    in_file = {} if base is None else read_policy(base, branch)
    if branch != default_branch:
        of_default = {} if default is None else read_policy(default, default_branch)
        in_file = _as_far_as(in_file, of_default, notes)
        guards = {name: value for name, value in of_default.items() if name in _GUARDS}
        in_file |= {name: _both(name, in_file.get(name, value), value) for name, value in guards.items()}
    asked = dict(inputs)
    for name in _LETS_THROUGH:
        if asked.get(name) == "warn" and in_file.get(name) != "warn":
            del asked[name]
            key = name.replace("_", "-")
            notes.append(f"{key}: warn is not in force: an input alone loosens nothing, {FILE} has to say it too")
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
        if name not in _UNTOLD and value != getattr(_DEFAULTS, name)
    }
    return Policy(replace(_DEFAULTS, **merged), origins, tuple(notes))


# Whoever can push can point a pull request at a branch of their own: these hold there as well
# (docs/internals/security.md).
_GUARDS = frozenset({"mode", "trigger", "permission", "partial", "paths", "deny_paths"})


def _as_far_as(in_file: Mapping[str, Any], default: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """What the base branch says, its loosening only as far as the default branch goes along."""
    kept = dict(in_file)
    for path in in_file.get("allow_protected", ()):
        if path not in default.get("allow_protected", ()):
            kept["allow_protected"] = tuple(other for other in kept["allow_protected"] if other != path)
            notes.append(f"allow-protected: {show_text(path)} is not in force: the default branch does not name it")
    for name in _LETS_THROUGH:
        if in_file.get(name) == "warn" and default.get(name) != "warn":
            kept[name] = "refuse"
            notes.append(f"{name.replace('_', '-')}: warn is not in force: the default branch does not say so")
    for name in CEILINGS:
        most = max(getattr(_DEFAULTS, name), default.get(name, 0))
        if in_file.get(name, 0) > most:
            kept[name] = most
            key = name.replace("_", "-")
            notes.append(f"{key}: {in_file[name]} is not in force: the default branch allows {most}")
    return kept


def _merge(in_file: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Both together, in the order of the fields."""
    merged: dict[str, Any] = {}
    for name in (each.name for each in fields(Settings)):
        if name in in_file and name in asked and name == "paths":
            merged["paths"], merged["input_paths"] = in_file[name], asked[name]
        elif name in in_file and name in asked:
            merged[name] = _both(name, in_file[name], asked[name])
        elif name in in_file or name in asked:
            merged[name] = in_file[name] if name in in_file else asked[name]
    return merged


def _both(name: str, in_file: Any, asked: Any) -> Any:
    if name in _STRICTEST_FIRST:
        return min(in_file, asked, key=_STRICTEST_FIRST[name].index)
    if name in CEILINGS:
        return min(in_file, asked)
    return _LISTS[name](in_file, asked) if name in _LISTS else in_file


def _formats(in_file: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    """The names of formats that both read; an empty list is all of them."""
    if not in_file or not asked:
        return in_file or asked
    common = [grammar for grammar in formats_named(in_file) if grammar in formats_named(asked)]
    if not common:
        raise ConfigError(f"formats: the input and {FILE} have none in common; name one that both do")
    names = {name for grammar in common for name in grammar.NAMES}
    return tuple(name for name in dict.fromkeys((*in_file, *asked)) if name in names)


def _common(in_file: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(item for item in in_file if item in asked)


def _either(in_file: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*in_file, *asked)))


_LISTS: Mapping[str, Callable[[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]] = {
    "formats": _formats,
    "response_files": _common,
    "deny_paths": _either,
    "ignore_authors": _either,
}


def _origin(value: Any, in_file: Any, asked: Any, where: str) -> str:
    """Who is answerable for a value: whoever said exactly this, or both."""
    if value == in_file and value != asked:
        return where
    return INPUT if value == asked and value != in_file else f"{where}, {INPUT}"


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
