"""Read settings from texts: the environment of a command, which also carries the inputs of the action.

In the environment a key is `EDITBLOCKS_` and the key in capitals. Nothing is guessed and nothing ignored: an unknown
key or a value that does not fit raises `ConfigError`. An empty text means "not set", as GitHub passes an input that was
left out. On a person's own machine settings come from several places; `local_policy` uses the first that has a value.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from editblocks.config.table import BY_KEY, INPUTS, TABLE, Setting
from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError
from editblocks.core.phrases import nearest_word
from editblocks.core.settings import CEILINGS, Policy, Settings
from editblocks.paths.policy import is_workflow

# The settings of one place, as fields of `Settings`, and what names a key there, such as `--matching`.
Layer = tuple[Mapping[str, Any], Callable[[str], str]]
PREFIX = "EDITBLOCKS_"
SWITCH = "disabled"  # the one name with that prefix that is no setting


def local_policy(
    options: Mapping[str, Any], environ: Mapping[str, str], in_file: Layer, *, writes: bool, trusts_file: bool = False
) -> Policy:
    """The settings of a call on somebody's machine: each from the first place that has it. Raises `ConfigError`.

    What is about pull requests is read, and means nothing here. `--allow-protected` is a person's own word: what the
    file allows counts only if `trusts_file`, and a note for each path says so.
    """
    flags = {each.name: each.check(options[each.name], f"--{each.key}") for each in TABLE if options.get(each.name)}
    workflow = next(filter(is_workflow, flags.get("allow_protected", ())), None)
    if workflow is not None:
        raise ConfigError(f"--allow-protected names {workflow}, and workflows are never edited; change it by hand")
    environment = values_from_environment(environ, raises=True)
    layers: list[Layer] = [(flags, lambda key: f"--{key}"), (environment, variable), in_file]
    values, rows = dict[str, Any](), list[tuple[str, str, str]]()
    for setting in TABLE:
        trusted = layers[:1] if setting.counts == "file" and not trusts_file else layers
        layer = next((layer for layer in trusted if setting.name in layer[0]), None)
        if layer is not None and setting.counts not in ("github", "workflow"):
            said, named = layer
            values[setting.name] = value = said[setting.name]
            if value != setting.default:
                rows.append((setting.key, as_text(value), named(setting.key)))
    notes = [
        f"allow-protected: {show_text(path)} is not in force: "
        + ("workflows are never edited" if is_workflow(path) else "here it takes the option --allow-protected")
        for path in in_file[0].get("allow_protected", ())
        if path not in values.get("allow_protected", ())
    ]
    return Policy(Settings()._replace(**values, mode="apply" if writes else "check"), rows, tuple(notes))


def layer_of_file(data: bytes | None, name: str, branch: str = "") -> Layer:
    """The settings in the bytes of a file that is called `name`. Raises `ConfigError`."""
    if not data:
        return {}, str
    from editblocks.config.policy import read_policy  # where there is a file

    where = f"{show_text(name)} on {show_text(branch)}" if branch else show_text(name)
    return read_policy(data, branch, name), lambda _: where


def values_from_environment(
    environ: Mapping[str, str], shown: Callable[[str], str] | None = None, *, raises: bool = False
) -> dict[str, Any]:
    """Return only the fields of `Settings` that the environment sets (see `policy`).

    `shown` returns the name of a key for messages, by default the variable's. `raises`: whether limits may be above
    their defaults; an input may not, as a stranger's comment would cost more.
    """
    shown, chosen = shown or variable, dict[str, Any]()
    for name, text in environ.items():
        key = name.removeprefix(PREFIX).lower().replace("_", "-")
        if not name.startswith(PREFIX) or key == SWITCH:
            continue
        if key not in BY_KEY:
            near = nearest_word(key, (*INPUTS, SWITCH))
            advice = f"did you mean {shown(near)}?" if near else "`editblocks init --print` shows them all"
            raise ConfigError(f"{show_text(shown(key))} is no setting; {advice}")
        setting = BY_KEY[key]
        if setting.counts == "file":
            raise ConfigError(f"{shown(key)} is no input; name the paths in .editblocks.yml on the default branch")
        if text:
            if setting.name in CEILINGS and not raises:
                setting = setting._replace(accepts=range(1, setting.default + 1))
            chosen[setting.name] = setting.check(_value(setting, text), shown(key))
    return chosen


def _value(setting: Setting, text: str) -> object:
    """The text as the value that YAML would have for it. Trailers may hold commas, so they are split by line alone."""
    if isinstance(setting.default, tuple):
        mark = "\n" if "\n" in text.strip() or setting.key == "trailers" else ","
        return [item for item in map(str.strip, text.split(mark)) if item]
    if isinstance(setting.default, bool):
        return {"true": True, "false": False}.get(text, text)
    is_number = not isinstance(setting.default, str) and re.fullmatch("0|[1-9][0-9]{0,17}", text)
    return int(text) if is_number else text


def variable(key: str) -> str:
    """Return the name of a key in the environment."""
    return PREFIX + key.upper().replace("-", "_")


def as_text(value: Any) -> str:
    """A value as people write it."""
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
