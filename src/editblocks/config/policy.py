"""The settings in force: on somebody's machine the first place that says one; of a pull request `.editblocks.yml` of
its base branch, limited by the action's inputs and by the default branch.

An input can only make a setting stricter. A value that loosens a protection counts only if the default branch has it
too: anyone who can push can point a pull request at a branch of their own. Table: docs/reference/settings.md, "on
GitHub".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from editblocks.config.environment import as_text, values_from_environment, variable
from editblocks.config.table import BY_KEY, FILE_KEYS, TABLE
from editblocks.core.characters import quote, show_text
from editblocks.core.errors import ConfigError, ConfigTextError, PolicyError
from editblocks.core.phrases import did_you_mean
from editblocks.core.settings import CEILINGS, POLICY_FILE, Policy, Settings
from editblocks.paths.policy import is_workflow

if TYPE_CHECKING:
    from editblocks.config.yaml_reader import Value

# The settings of one place, as fields of `Settings`, and what names a key there, such as `--matching`.
Layer = tuple[Mapping[str, Any], Callable[[str], str]]
INPUT = "input"
_WORKFLOWS = "workflows are never edited"


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
    values: dict[str, Any] = {"mode": "check"}
    if writes:
        values["mode"] = "apply"
    rows: list[tuple[str, str, str]] = []
    for setting in TABLE:
        if setting.counts in ("github", "workflow"):
            continue
        trusted = layers
        if setting.counts == "file" and not trusts_file:
            trusted = layers[:1]
        for said, named in trusted:
            if setting.name in said:
                values[setting.name] = value = said[setting.name]
                if value != setting.default:
                    rows.append((setting.key, as_text(value), named(setting.key)))
                break
    notes = []
    for path in in_file[0].get("allow_protected", ()):
        if path in values.get("allow_protected", ()):
            continue
        if is_workflow(path):
            notes.append(_not_in_force("allow-protected", path, _WORKFLOWS))
        else:
            notes.append(_not_in_force("allow-protected", path, "here, use the option --allow-protected"))
    return Policy(Settings()._replace(**values), rows, tuple(notes))


def _not_in_force(key: str, value: str, why: str) -> str:
    return f"{key}: {show_text(value)} is ignored: {why}"


def layer_of_file(data: bytes | None, name: str, branch: str = "") -> Layer:
    """The settings in the bytes of a file that is called `name`. Raises `ConfigError`."""
    if not data:
        return {}, str
    where = _named(name, branch)
    return read_policy(data, branch, name), lambda _: where


def _named(name: str, branch: str) -> str:
    """A file of settings, for people: `.editblocks.yml on main`; `branch` is empty for one that is in no branch."""
    if not branch:
        return show_text(name)
    return f"{show_text(name)} on {show_text(branch)}"


def read_policy(text: str | bytes, branch: str = "", name: str = POLICY_FILE) -> dict[str, Any]:
    """Return only the fields of `Settings` that the file sets: nothing in it is guessed or ignored.

    `branch` and `name` say where it is, for messages. Raises `ConfigError`. editblocks.schema.json holds the same rules
    for editors.
    """
    from editblocks.config.yaml_reader import read_yaml  # and with it PyYAML, where there is a file

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


def _checked(key: str, value: Value) -> Any:
    if key not in FILE_KEYS:
        if key in BY_KEY:
            raise ConfigError(f"`{key}` is an input of the workflow and not a key of this file; remove it")
        raise ConfigError(f"unknown key {quote(key)}; {did_you_mean(key, FILE_KEYS, quote)}")
    if value == "" and key != "commit-prefix":
        raise ConfigError(f"{key} has no value; write one, or leave the key out")
    return BY_KEY[key].check(value, key)


def policy_from(
    base: str | None, default: str | None, inputs: Mapping[str, Any], *, branch: str, default_branch: str
) -> Policy:
    """Combine the settings of both branches and the inputs. Raises `ConfigError` for a file that cannot be used.

    `base` and `default` are the texts of `.editblocks.yml` on `branch`, the base of the pull request, and on
    `default_branch`; None if there is no such file. `inputs` comes from `config.environment.values_from_environment`.
    """
    notes: list[str] = []
    in_file = read_policy(base or "", branch)
    if branch != default_branch:
        of_default = read_policy(default or "", default_branch)
        in_file = _as_far_as(in_file, of_default, notes)
        for setting in TABLE:
            if setting.guards and setting.name in of_default:
                value = of_default[setting.name]
                in_file[setting.name] = setting.merge(in_file.get(setting.name, value), value)
    asked = dict(inputs)
    for setting in TABLE:
        name = setting.name
        if setting.loose and name in asked:
            value = asked[name]
            if setting.merge(in_file.get(name, setting.default), value) != value:
                del asked[name]
                why = f"an input cannot loosen a rule; also set it in {POLICY_FILE}"
                notes.append(_not_in_force(setting.key, value, why))
    workflows = filter(is_workflow, in_file.get("allow_protected", ()))
    notes += [_not_in_force("allow-protected", path, _WORKFLOWS) for path in workflows]
    return _merge(((f"{POLICY_FILE} on {show_text(branch)}", in_file), (INPUT, asked)), tuple(notes))


def _as_far_as(in_file: Mapping[str, Any], default: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return the settings of the base branch, without values that are looser than the default branch allows."""
    kept = dict(in_file)
    for setting in TABLE:
        name = setting.name
        if name in in_file and (setting.loose or setting.counts == "file" or name in CEILINGS):
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
    """Combine the settings of the file and the inputs, each with the place that set exactly the value that holds."""
    merged: dict[str, Any] = {}
    rows: list[tuple[str, str, str]] = []
    for setting in TABLE:
        name = setting.name
        said = {place: values[name] for place, values in places if name in values}
        if not said:
            continue
        merged[name] = value = reduce(setting.merge, said.values())
        if value != setting.default and setting.counts != "workflow":
            origins = [place for place in said if said[place] == value] or said
            rows.append((setting.key, as_text(value), ", ".join(origins)))
        if name == "paths" and len(said) > 1 and said[INPUT] != setting.default:  # a path has to match both
            merged["input_paths"] = said[INPUT]
            rows.append((setting.key, as_text(said[INPUT]), INPUT))
    return Policy(Settings()._replace(**merged), rows, notes)
