"""Settings from names and texts: the environment of a command, and the inputs of the action, which come by it.

A key is a field of `Settings` with `-` for `_`; in the environment it is `EDITBLOCKS_` and the key in
capitals. Nothing is guessed and nothing ignored: an unknown key or a value that does not fit raises
`ConfigError`. An empty text means "not set", as GitHub passes an input that was left out.
On somebody's own machine several places speak, and the first that says something holds: `layered`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from editblocks.config.policy import Policy
from editblocks.config.values import CHOICES, LISTS, MOST_INLINE_COMMENTS, choice, items, line, number
from editblocks.core.errors import ConfigError
from editblocks.core.settings import Settings
from editblocks.core.wrong_values import did_you_mean

PREFIX = "EDITBLOCKS_"
NO_SETTINGS = frozenset({"disabled", "live-token"})  # names of that prefix that mean something else
FILE_ONLY = "allow-protected"
NO_KEYS = frozenset({"input-paths"})

_DEFAULTS = Settings()
_ALL = tuple(field.name.replace("_", "-") for field in fields(Settings))
KEYS = tuple(key for key in _ALL if key not in {FILE_ONLY, *NO_KEYS})
_IDS = {"pr-number": 10**9 - 1, "comment-id": 10**18 - 1}


@dataclass(frozen=True, slots=True)
class Layer:
    """What one place says: fields of `Settings`. `named`: what a person calls a key there, as in `--matching`."""

    values: Mapping[str, Any]
    named: Callable[[str], str]


def merge_layers(layers: Sequence[Layer], fixed: Mapping[str, Any]) -> Policy:
    """Each setting as the first layer has it that says anything of it, with its origin. `fixed` goes before all."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name in (each.name for each in fields(Settings) if each.name not in fixed):
        layer = next((layer for layer in layers if name in layer.values), None)
        if layer is not None:
            values[name] = layer.values[name]
            if values[name] != getattr(_DEFAULTS, name):
                origins[name] = layer.named(name.replace("_", "-"))
    return Policy(replace(_DEFAULTS, **values, **fixed), origins)


def settings_from_environment(environ: Mapping[str, str]) -> Settings:
    """Read every `EDITBLOCKS_<KEY>`. Raises `ConfigError` with the name that was probably meant."""
    return replace(_DEFAULTS, **values_from_environment(environ))


def values_from_environment(
    environ: Mapping[str, str], shown: Callable[[str], str] | None = None, ceilings: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """The fields of `Settings` that are set there, and no others: what somebody asked for (see `policy`).

    `shown` names a key in messages, the variable if it is left out. `ceilings`: what a limit may be raised to.
    """
    named = {name: value for name, value in environ.items() if name.startswith(PREFIX)}
    values = {_key(name): value for name, value in named.items() if _key(name) not in NO_SETTINGS}
    return values_from(values, shown or variable, ceilings)


def settings_from(values: Mapping[str, str], shown: Callable[[str], str] = str) -> Settings:
    """Read keys with their texts. `shown` turns a key into what the person wrote, for messages."""
    return replace(_DEFAULTS, **values_from(values, shown))


def values_from(
    values: Mapping[str, str], shown: Callable[[str], str] = str, ceilings: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """The fields of `Settings` that `values` sets, as `settings_from` reads them."""
    chosen: dict[str, Any] = {}
    for key, text in values.items():
        if key == FILE_ONLY:
            raise ConfigError(f"{shown(key)} is no input; name the paths in .editblocks.yml on the default branch")
        if key not in KEYS:
            raise ConfigError(f"{shown(key)} is no setting; {did_you_mean(key, KEYS, shown)}")
        if text:
            chosen[key.replace("-", "_")] = _value(key, text, shown(key), ceilings or {})
    return chosen


def _value(key: str, text: str, shown: str, ceilings: Mapping[str, int]) -> str | int | bool | tuple[str, ...]:
    default = getattr(_DEFAULTS, key.replace("-", "_"))
    if key in CHOICES:
        return choice(text, CHOICES[key], shown)
    if key in LISTS:
        return items(key, _split(key, text), lambda _: shown)
    if isinstance(default, bool):
        return choice(text, ("true", "false"), shown) == "true"
    if key in _IDS:
        return number(_digits(text), 1, _IDS[key], shown, text)
    if key == "inline-comments":
        return number(_digits(text), 0, MOST_INLINE_COMMENTS, shown, text)
    if isinstance(default, int):  # whoever raises a limit decides how much a stranger's comment may cost
        return number(_digits(text), 1, ceilings.get(key.replace("-", "_"), default), shown, text)
    return line(key, text, shown)


def _digits(text: str) -> int | None:
    return int(text) if re.fullmatch("0|[1-9][0-9]{0,17}", text) else None


def _split(key: str, text: str) -> list[str]:
    """The items of a list: one a line, or with commas between them on a single line. A trailer may hold a comma."""
    mark = "\n" if "\n" in text.strip() or key == "trailers" else ","
    return [item for item in map(str.strip, text.split(mark)) if item]


def _key(name: str) -> str:
    return name.removeprefix(PREFIX).lower().replace("_", "-")


def variable(key: str) -> str:
    """The name of a key in the environment."""
    return PREFIX + key.upper().replace("-", "_")
