"""Find the settings in force, and the front matter of a response.

On a person's machine, each setting comes from the first place that sets it. For a pull request, settings come from
`.editblocks.yml` of its base branch, limited by the action's inputs and by the default branch.

An input can only make a setting stricter. A value that loosens a protection also has to be set on the default branch:
anyone who can push can point a pull request at a branch of their own. Table: docs/reference/settings.md, "on GitHub".

Environment variables also carry the inputs of the action: the name is `EDITBLOCKS_` and the key in capitals. Nothing
is guessed or ignored: an unknown key or a wrong value raises `ConfigError`. An empty text means "not set", because
GitHub passes an input that was left out as an empty text.

Front matter is the YAML at the start of a response: `base`, `title`, `format`, `author`, each optional. A first line
`---` may also be a horizontal rule in a pasted chat answer, so it opens front matter only if a key follows.
Page: docs/reference/command-line.md, "front matter".
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from editblocks.config.table import BY_KEY, FILE_KEYS, INPUTS, TABLE, Setting
from editblocks.core.characters import quote, show_text
from editblocks.core.errors import ConfigError, ConfigTextError, PolicyError
from editblocks.core.outcome import FrontMatter
from editblocks.core.phrases import did_you_mean, nearest_word
from editblocks.core.settings import CEILINGS, POLICY_FILE, Policy, Settings
from editblocks.parsing.parse import FORMAT_NAMES
from editblocks.paths.policy import is_workflow
from editblocks.report.commit_message import title_fault

if TYPE_CHECKING:
    from editblocks.config.yaml_reader import Value

_INPUT = "input"
_PREFIX = "EDITBLOCKS_"
_SWITCH = "disabled"  # the only name with that prefix that is not a setting
_WORKFLOWS = "workflows are never edited"
_FRONT_KEYS = ("base", "title", "format", "author")
_FRONT_ENDS = ("---", "...")
_LONGEST_AUTHOR = 100
_FRONT_KEY_LINE = re.compile(r"""["']?[A-Za-z_][A-Za-z0-9_-]*["']?[ \t]*:(?!//)""")
_FRONT_BASE = re.compile("[0-9a-f]{7,64}", re.IGNORECASE | re.ASCII)

# The settings of one place, as fields of `Settings`, and a function from a key to its name there, as in `--matching`.
Layer = tuple[Mapping[str, Any], Callable[[str], str]]


def local_policy(
    options: Mapping[str, Any], environ: Mapping[str, str], in_file: Layer, *, writes: bool, trusts_file: bool
) -> Policy:
    """Return the settings of a run on a person's machine, each from the first place that sets it. Raises `ConfigError`.

    Settings for pull requests are checked and then ignored. A person allows protected paths by `--allow-protected`;
    `allow-protected` in the file is in force only if `trusts_file`. A note names each path that is ignored.
    """
    flags = {each.name: each.check(options[each.name], f"--{each.key}") for each in TABLE if options.get(each.name)}
    workflow = next(filter(is_workflow, flags.get("allow_protected", ())), None)
    if workflow is not None:
        raise ConfigError(f"--allow-protected names {workflow}, and workflows are never edited; change it by hand")
    environment = values_from_environment(environ, may_raise_limits=True)
    layers: list[Layer] = [(flags, lambda key: f"--{key}"), (environment, variable), in_file]
    values: dict[str, Any] = {"mode": "check"}
    if writes:
        values["mode"] = "apply"
    rows: list[tuple[str, str, str]] = []
    for setting in TABLE:
        if setting.applies_in in ("github", "workflow"):
            continue
        trusted_layers = layers
        if setting.applies_in == "file" and not trusts_file:
            trusted_layers = layers[:1]
        for layer, name_of in trusted_layers:
            if setting.name in layer:
                values[setting.name] = value = layer[setting.name]
                if value != setting.default:
                    rows.append((setting.key, as_text(value), name_of(setting.key)))
                break
    notes = []
    file_values, _ = in_file
    for path in file_values.get("allow_protected", ()):
        if path in values.get("allow_protected", ()):
            continue
        if is_workflow(path):
            notes.append(_not_in_force("allow-protected", path, _WORKFLOWS))
        else:
            notes.append(_not_in_force("allow-protected", path, "here, use the option --allow-protected"))
    return Policy(Settings()._replace(**values), rows, tuple(notes))


def layer_of_file(data: bytes | None, name: str, branch: str = "") -> Layer:
    """Return the settings in `data`, the bytes of a file called `name`. Raises `ConfigError`."""
    where = _named(name, branch)
    values = read_policy(data, branch, name) if data else {}
    return values, lambda _key: where


def policy_from(
    base: str | None, default: str | None, inputs: Mapping[str, Any], *, branch: str, default_branch: str
) -> Policy:
    """Combine the settings of both branches and the inputs. Raises `PolicyError` for a file that cannot be used.

    `base` and `default` are the texts of `.editblocks.yml` on `branch`, the base of the pull request, and on
    `default_branch`; None if there is no such file. `inputs` comes from `values_from_environment`.
    """
    notes: list[str] = []
    in_file = read_policy(base or "", branch)
    if branch != default_branch:
        of_default = read_policy(default or "", default_branch)
        in_file = _limited_by_default(in_file, of_default, notes)
        for setting in TABLE:
            if setting.guards and setting.name in of_default:
                value = of_default[setting.name]
                in_file[setting.name] = setting.merge(in_file.get(setting.name, value), value)
    kept_inputs = dict(inputs)
    for setting in TABLE:
        name = setting.name
        if setting.loosens and name in kept_inputs:
            value = kept_inputs[name]
            if setting.merge(in_file.get(name, setting.default), value) != value:
                del kept_inputs[name]
                why = f"an input cannot loosen a rule; also set it in {POLICY_FILE}"
                notes.append(_not_in_force(setting.key, value, why))
    workflows = filter(is_workflow, in_file.get("allow_protected", ()))
    notes += [_not_in_force("allow-protected", path, _WORKFLOWS) for path in workflows]
    return _merge(((_named(POLICY_FILE, branch), in_file), (_INPUT, kept_inputs)), tuple(notes))


def _limited_by_default(in_file: Mapping[str, Any], default: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return the settings of the base branch as far as the default branch allows; `notes` says what is ignored."""
    kept = dict(in_file)
    for setting in TABLE:
        name = setting.name
        if name in in_file and (setting.loosens or setting.applies_in == "file" or name in CEILINGS):
            most = default.get(name, setting.default)
            if name in CEILINGS:
                most = max(most, setting.default)
            kept[name] = setting.merge(in_file[name], most)
            if kept[name] != in_file[name]:
                allowed = as_text(kept[name]) or "nothing"
                why = f"the default branch limits it to {allowed}"
                notes.append(f"{setting.key}: {as_text(in_file[name])} is ignored: {why}")
    return kept


def _merge(places: Sequence[tuple[str, Mapping[str, Any]]], notes: tuple[str, ...]) -> Policy:
    """Combine the settings of the file and the inputs. The origin in a row is the place that set exactly this value."""
    merged: dict[str, Any] = {}
    rows: list[tuple[str, str, str]] = []
    for setting in TABLE:
        name = setting.name
        set_values = {place: values[name] for place, values in places if name in values}
        if not set_values:
            continue
        merged[name] = value = reduce(setting.merge, set_values.values())
        if value != setting.default and setting.applies_in != "workflow":
            origins = [place for place in set_values if set_values[place] == value] or set_values
            rows.append((setting.key, as_text(value), ", ".join(origins)))
        if name == "paths" and len(set_values) > 1 and set_values[_INPUT] != setting.default:
            # A path has to match both.
            merged["input_paths"] = set_values[_INPUT]
            rows.append((setting.key, as_text(set_values[_INPUT]), _INPUT))
    return Policy(Settings()._replace(**merged), rows, notes)


def read_policy(text: str | bytes, branch: str = "", name: str = POLICY_FILE) -> dict[str, Any]:
    """Return only the fields of `Settings` that the file sets: nothing in it is guessed or ignored.

    `branch` and `name` say where it is, for messages. Raises `ConfigError`. editblocks.schema.json holds the same rules
    for editors.
    """
    from editblocks.config.yaml_reader import read_yaml  # loads PyYAML, so only where there is a file

    try:
        if isinstance(text, bytes):
            text = text.decode()
        found = read_yaml(text, name, _checked)
        return {key.replace("-", "_"): value for key, (_, value) in found.items()}
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        reason = f"byte 0x{error.object[error.start]:02x} is not UTF-8; convert the file"
    except ConfigTextError as error:
        line = error.line
        reason = error.reason
    raise PolicyError(f"{_named(f'{name} line {line}', branch)}: {reason}", branch)


def _checked(key: str, value: "Value") -> Any:
    if key not in FILE_KEYS:
        if key in BY_KEY:
            raise ConfigError(f"`{key}` is an input of the workflow and not a key of this file; remove it")
        raise ConfigError(f"unknown key {quote(key)}; {did_you_mean(key, FILE_KEYS, quote)}")
    if value == "" and key != "commit-prefix":
        raise ConfigError(f"{key} has no value; write one, or leave the key out")
    return BY_KEY[key].check(value, key)


def values_from_environment(
    environ: Mapping[str, str], name_of: Callable[[str], str] | None = None, *, may_raise_limits: bool = False
) -> dict[str, Any]:
    """Return only the fields of `Settings` that the environment sets.

    `name_of` returns the name of a key for messages, by default the variable's. `may_raise_limits`: limits may be above
    their defaults. An input may not raise a limit, as a stranger's comment would cost more.
    """
    name_of = name_of or variable
    chosen: dict[str, Any] = {}
    for name, text in environ.items():
        key = name.removeprefix(_PREFIX).lower().replace("_", "-")
        if not name.startswith(_PREFIX) or key == _SWITCH:
            continue
        if key not in BY_KEY:
            advice = "`editblocks init --print` shows them all"
            if near := nearest_word(key, (*INPUTS, _SWITCH)):
                advice = f"did you mean {name_of(near)}?"
            raise ConfigError(f"{show_text(name_of(key))} is not a setting; {advice}")
        setting = BY_KEY[key]
        if setting.applies_in == "file":
            advice = "name the paths in .editblocks.yml on the default branch"
            raise ConfigError(f"{name_of(key)} is not an input; {advice}")
        if text:
            if setting.name in CEILINGS and not may_raise_limits:
                setting = setting._replace(accepts=range(1, setting.default + 1))
            chosen[setting.name] = setting.check(_value(setting, text), name_of(key))
    return chosen


def _value(setting: Setting, text: str) -> object:
    """Return the value that YAML would have for the text. Trailers may hold commas, so only line ends split them."""
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
    return _PREFIX + key.upper().replace("-", "_")


def _named(name: str, branch: str) -> str:
    """A settings file, for people: `.editblocks.yml on main`; `branch` is empty for a file that is not on a branch."""
    if not branch:
        return show_text(name)
    return f"{show_text(name)} on {show_text(branch)}"


def _not_in_force(key: str, value: str, why: str) -> str:
    return f"{key}: {show_text(value)} is ignored: {why}"


def as_text(value: Any) -> str:
    """A value as people write it."""
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


# front matter


def read_front_matter(text: str, name: str, warn: Callable[[str], None] | None = None) -> FrontMatter | None:
    """Read the front matter at the start of a response; None if it has none.

    `name` is what messages call the response. Raises `ConfigTextError` for anything that cannot be used, except a
    title that may not be the subject of a commit: it is left out, and `warn` is called with a line about it.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    bare = [line.rstrip(" \t\r") for line in lines]
    first_below = next(filter(None, bare[1:]), "")
    if bare[0] != "---" or not _FRONT_KEY_LINE.match(first_below):
        return None
    stop = next((number for number, line in enumerate(bare) if number > 0 and line in _FRONT_ENDS), None)
    if stop is None:
        reason = "`---` opens front matter that does not end"
        advice = "put `---` below its last key, or remove line 1 if it is only a horizontal rule"
        raise ConfigTextError(name, 1, f"{reason}; {advice}")
    from editblocks.config.yaml_reader import read_yaml  # loads PyYAML, so only where there is front matter

    entries = read_yaml("\n".join(lines[1:stop]), name, _checked_front_key, first_line=2)
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


def _checked_front_key(key: str, value: "Value") -> str:
    """Return the value of a key as text; an empty text means "not set". Raises `ConfigError` for a wrong value."""
    if key not in _FRONT_KEYS:
        raise ConfigError(f"unknown key {quote(key)}; {did_you_mean(key, _FRONT_KEYS, quote)}")
    if key == "base" and type(value) is int:  # a commit id may have no letters
        value = str(value)
    if not isinstance(value, str):
        raise ConfigError(f"`{key}` is not text; put its value in quotes")
    if key == "base" and value and not _FRONT_BASE.fullmatch(value):
        raise ConfigError(f"`base` is {quote(value)}; write 7 to 64 hex digits of a commit")
    if key == "format" and value and value not in FORMAT_NAMES:
        raise ConfigError(f"`format` is {quote(value)}; {did_you_mean(value, FORMAT_NAMES, quote)}")
    if key == "author" and len(value) > _LONGEST_AUTHOR:
        raise ConfigError(f"`author` has {len(value):,} characters; write {_LONGEST_AUTHOR} at most")
    if key == "base":
        return value.lower()
    return value
