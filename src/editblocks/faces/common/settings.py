"""The settings of a call on somebody's machine: flag, environment, `.editblocks.yml`, default.

The first of them that says something of a key holds; what cannot be used ends the call, also where another goes
before it. Page: docs/reference/settings.md, "on your machine".
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from editblocks.config.environment import Layer, Policy, merge_layers, values_from_environment, variable
from editblocks.config.table import TABLE
from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError
from editblocks.core.settings import Settings
from editblocks.faces.common.hook_settings import FILE, read_file
from editblocks.paths import is_workflow

if TYPE_CHECKING:
    import argparse

# about pull requests and their people: read everywhere, and without a meaning here
ON_GITHUB = frozenset(setting.name for setting in TABLE if setting.counts in ("github", "workflow"))
_NOTHING: Layer = ({}, str)


def policy_for(options: argparse.Namespace, root: Path, environ: Mapping[str, str] = os.environ) -> Policy:
    """The settings of this call, with the origin of each that is not the default. Raises `ConfigError`.

    Only `apply` writes, whatever `mode` says: that is about pull requests. `--allow-protected` is a person's own word;
    what the file allows is not in force, and a note for each path says so.
    """
    flags, in_file = _flags(options), _file(options, root)
    variables = {} if options.isolated else environ
    policy = _merge(flags, variables, in_file, writes=options.command == "apply", trusts_file=False)
    notes = [
        f"allow-protected: {show_text(path)} is not in force: "
        + ("workflows are never edited" if is_workflow(path) else "here it takes the option --allow-protected")
        for path in dict.fromkeys(in_file[0].get("allow_protected", ()))
        if path not in policy.settings.allow_protected
    ]
    return policy._replace(notes=tuple(notes))


def merged_settings(data: bytes | None, environ: Mapping[str, str], branch: str, *, writes: bool) -> Settings:
    """What holds for a hook: see `hook_settings`. Raises `ConfigError`."""
    return _merge(_NOTHING, environ, _read(data, FILE, branch), writes=writes, trusts_file=not writes).settings


def _merge(flags: Layer, environ: Mapping[str, str], in_file: Layer, *, writes: bool, trusts_file: bool) -> Policy:
    """What holds of these; `trusts_file`: whether `allow-protected` of the file counts."""
    environment = values_from_environment(environ, raises=True), variable
    ignored = ON_GITHUB if trusts_file else ON_GITHUB | {"allow_protected"}
    layers = [
        ({name: value for name, value in values.items() if name not in ignored}, named)
        for values, named in (environment, in_file)
    ]
    return merge_layers((flags, *layers), {"mode": "apply" if writes else "check"})


def _flags(options: argparse.Namespace) -> Layer:
    given = [(setting, value) for setting in TABLE if (value := getattr(options, setting.name, None))]
    values = {setting.name: setting.check(value, f"--{setting.key}") for setting, value in given}
    workflow = next(filter(is_workflow, values.get("allow_protected", ())), None)
    if workflow is not None:
        raise ConfigError(f"--allow-protected names {workflow}, and workflows are never edited; change it by hand")
    return values, lambda key: f"--{key}"


def _file(options: argparse.Namespace, root: Path) -> Layer:
    """The settings in the file that was named, or in the one at `root`; empty if there is none."""
    config = options.config
    if config is None:
        return _read(None if options.isolated else read_file(root / FILE, FILE), FILE)
    data = read_file(Path(config), config, follow=True) if config else None
    if data is None:
        raise ConfigError(f"--config: there is no {show_text(config) or 'file without a name'}; name one with settings")
    return _read(data, config)


def _read(data: bytes | None, name: str, branch: str = "") -> Layer:
    if not data:
        return _NOTHING
    from editblocks.config.policy import policy_text, read_policy  # and with them PyYAML, where there is a file

    text = policy_text(data, branch, name)
    where = f"{show_text(name)} on {show_text(branch)}" if branch else show_text(name)
    return read_policy(text, branch, name), lambda _: where
