"""Read settings from texts: the environment of a command, which also carries the inputs of the action.

In the environment a key is `EDITBLOCKS_` and the key in capitals. Nothing is guessed and nothing ignored: an unknown
key or a value that does not fit raises `ConfigError`. An empty text means "not set", as GitHub passes an input that was
left out. On a person's own machine settings come from several places; `local_policy` uses the first that has a value.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from editblocks.config.table import BY_KEY, INPUTS, Setting
from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError
from editblocks.core.phrases import nearest_word
from editblocks.core.settings import CEILINGS

PREFIX = "EDITBLOCKS_"
SWITCH = "disabled"  # the one name with that prefix that is no setting


def values_from_environment(
    environ: Mapping[str, str], shown: Callable[[str], str] | None = None, *, raises: bool = False
) -> dict[str, Any]:
    """Return only the fields of `Settings` that the environment sets (see `policy`).

    `shown` returns the name of a key for messages, by default the variable's. `raises`: whether limits may be above
    their defaults; an input may not, as a stranger's comment would cost more.
    """
    shown = shown or variable
    chosen: dict[str, Any] = {}
    for name, text in environ.items():
        key = name.removeprefix(PREFIX).lower().replace("_", "-")
        if not name.startswith(PREFIX) or key == SWITCH:
            continue
        if key not in BY_KEY:
            advice = "`editblocks init --print` shows them all"
            if near := nearest_word(key, (*INPUTS, SWITCH)):
                advice = f"did you mean {shown(near)}?"
            raise ConfigError(f"{show_text(shown(key))} is not a setting; {advice}")
        setting = BY_KEY[key]
        if setting.counts == "file":
            raise ConfigError(f"{shown(key)} is not an input; name the paths in .editblocks.yml on the default branch")
        if text:
            if setting.name in CEILINGS and not raises:
                setting = setting._replace(accepts=range(1, setting.default + 1))
            chosen[setting.name] = setting.check(_value(setting, text), shown(key))
    return chosen


def _value(setting: Setting, text: str) -> object:
    """The text as the value that YAML would have for it. Trailers may hold commas, so they are split by line alone."""
    if isinstance(setting.default, tuple):
        items = text.split(",")
        if "\n" in text.strip() or setting.key == "trailers":
            items = text.split("\n")
        return [item for item in map(str.strip, items) if item]
    if isinstance(setting.default, bool):
        return {"true": True, "false": False}.get(text, text)
    if not isinstance(setting.default, str) and re.fullmatch("0|[1-9][0-9]{0,17}", text):
        return int(text)
    return text


def variable(key: str) -> str:
    """Return the name of a key in the environment."""
    return PREFIX + key.upper().replace("-", "_")


def as_text(value: Any) -> str:
    """A value as people write it."""
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
