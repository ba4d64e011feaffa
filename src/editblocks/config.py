"""Settings from names and texts: the environment today, a configuration file later.

A key is a field of `Settings` with `-` for `_`; in the environment it is `EDITBLOCKS_` and the key in
capitals. Nothing is guessed and nothing ignored: an unknown key or a value that does not fit raises
`ConfigError`. An empty text means "not set", as GitHub passes an input that was left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any

from editblocks.errors import ConfigError
from editblocks.settings import MATCHING, Settings

PREFIX = "EDITBLOCKS_"
NO_SETTINGS = frozenset({"disabled", "live-token"})  # names of that prefix that mean something else

CHOICES: Mapping[str, tuple[str, ...]] = {
    "mode": ("apply", "check"),
    "permission": ("write", "maintain", "admin"),
    "matching": MATCHING,
}
_COMMIT_PREFIX = re.compile(r"[a-z0-9()!:/ -]{0,20}")
_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")
_DEFAULTS = Settings()
KEYS = tuple(field.name.replace("_", "-") for field in fields(Settings))


def settings_from_environment(environ: Mapping[str, str]) -> Settings:
    """Read every `EDITBLOCKS_<KEY>`. Raises `ConfigError` with the name that was probably meant."""
    named = {name: value for name, value in environ.items() if name.startswith(PREFIX)}
    values = {_key(name): value for name, value in named.items() if _key(name) not in NO_SETTINGS}
    return settings_from(values, _variable)


def settings_from(values: Mapping[str, str], shown: Callable[[str], str] = str) -> Settings:
    """Read keys with their texts. `shown` turns a key into what the person wrote, for messages."""
    chosen: dict[str, Any] = {}
    for key, text in values.items():
        if key not in KEYS:
            raise ConfigError(f"{shown(key)} is no setting; {did_you_mean(key, KEYS, shown)}")
        if text:
            chosen[key.replace("-", "_")] = _value(key, text, shown(key))
    return replace(_DEFAULTS, **chosen)


def _value(key: str, text: str, shown: str) -> str | int | bool:
    default = getattr(_DEFAULTS, key.replace("-", "_"))
    if key in CHOICES:
        return _choice(text, CHOICES[key], shown)
    if isinstance(default, bool):
        return _choice(text, ("true", "false"), shown) == "true"
    if isinstance(default, int):
        return _limit(text, default, shown)
    pattern, rule = (_TOKEN, "visible ASCII") if key == "token" else (_COMMIT_PREFIX, "[a-z0-9()!:/ -], 20 at most")
    if not pattern.fullmatch(text):
        raise ConfigError(f"{shown} has characters that do not belong there; use {rule}")
    return text


def _choice(text: str, choices: tuple[str, ...], shown: str) -> str:
    if text not in choices:
        raise ConfigError(f"{shown} is `{text}`; {did_you_mean(text, choices)}")
    return text


def _limit(text: str, default: int, shown: str) -> int:
    """A limit can only be lowered: whoever raises one decides how much a stranger's comment may cost."""
    number = int(text) if re.fullmatch("[0-9]{1,9}", text) else 0
    if not 1 <= number <= default:
        raise ConfigError(f"{shown} is `{text}`; use a number from 1 to {default}")
    return number


def did_you_mean(word: str, known: tuple[str, ...], shown: Callable[[str], str] = str) -> str:
    """What a message advises for a word that is not known: the nearest one, else the list. `shown` as above."""
    close = get_close_matches(word, known, 1)
    return f"did you mean {shown(close[0])}?" if close else f"use one of {', '.join(map(shown, known))}"


def _key(variable: str) -> str:
    return variable.removeprefix(PREFIX).lower().replace("_", "-")


def _variable(key: str) -> str:
    return PREFIX + key.upper().replace("-", "_")
