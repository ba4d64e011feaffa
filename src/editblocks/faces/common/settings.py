"""The settings of a call on somebody's machine: flag, environment, `.editblocks.yml`, default.

The first of them that says something of a key holds; what cannot be used ends the call, also where another goes
before it. Page: docs/reference/settings.md, "on your machine".
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editblocks.config.environment import Layer, Policy, merge_layers, values_from_environment, variable
from editblocks.config.table import BY_KEY, TABLE
from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError
from editblocks.core.settings import Settings
from editblocks.faces.common.hook_settings import FILE, read_file
from editblocks.paths import is_workflow

if TYPE_CHECKING:
    import argparse

# about pull requests and their people: read everywhere, and without a meaning here
ON_GITHUB = frozenset(setting.name for setting in TABLE if setting.counts in ("github", "workflow"))


def policy_for(options: argparse.Namespace, root: Path | None, environ: Mapping[str, str] = os.environ) -> Policy:
    """The settings of this call, with the origin of each that is not the default.

    `root` is where `.editblocks.yml` may be; without, there is none. Only `apply` writes, whatever `mode` says: that is
    about pull requests, and `apply` is a person's own word. So is `--allow-protected`: what the file allows
    is not in force, and a note for each path says so. Raises `ConfigError`.
    """
    flags, in_file = _flags(options), _file(options, root)
    in_vain = dict.fromkeys(in_file.values.get("allow_protected", ()))
    environment = _environment({} if getattr(options, "isolated", False) else environ)
    layers = (flags, _here(environment), _here(in_file, without=("allow_protected",)))
    policy = merge_layers(layers, {"mode": "apply" if options.command == "apply" else "check"})
    notes = [_not_in_force(path) for path in in_vain if path not in policy.settings.allow_protected]
    return policy._replace(notes=tuple(notes))


def merged_settings(data: bytes | None, environ: Mapping[str, str], branch: str, *, writes: bool) -> Settings:
    """What holds for a hook: see `hook_settings`. Raises `ConfigError`."""
    in_file = _read(data, FILE, branch)
    layers = (_here(_environment(environ)), _here(in_file, without=("allow_protected",) if writes else ()))
    return merge_layers(layers, {"mode": "apply" if writes else "check"}).settings


def _flags(options: argparse.Namespace) -> Layer:
    values: dict[str, Any] = {}
    if getattr(options, "matching", None):
        values["matching"] = options.matching
    if getattr(options, "partial", False):
        values["partial"] = True
    if getattr(options, "allow_protected", None):
        paths = BY_KEY["allow-protected"].check(options.allow_protected, lambda _: "--allow-protected")
        workflow = next(filter(is_workflow, paths), None)
        if workflow is not None:
            raise ConfigError(f"--allow-protected names {workflow}, and workflows are never edited; change it by hand")
        values["allow_protected"] = paths
    return Layer(values, lambda key: f"--{key}")


def _environment(environ: Mapping[str, str]) -> Layer:
    return Layer(values_from_environment(environ, raises=True), variable)


def _file(options: argparse.Namespace, root: Path | None) -> Layer:
    """The settings in the file that was named, or in the one at `root`; empty if there is none."""
    config, isolated = getattr(options, "config", None), getattr(options, "isolated", False)
    if config is None:
        return _read(None if root is None or isolated else read_file(root / FILE, FILE), FILE)
    if isolated:
        raise ConfigError("--config names a file and --isolated reads none; leave one of them out")
    data = read_file(Path(config), config, follow=True) if config else None
    if data is None:
        raise ConfigError(f"--config: there is no {show_text(config) or 'file without a name'}; name one with settings")
    return _read(data, config)


def _read(data: bytes | None, name: str, branch: str = "") -> Layer:
    if not data:
        return Layer({}, str)
    from editblocks.config.policy_file import policy_text, read_policy  # and with them PyYAML, where there is a file

    text = policy_text(data, branch, name)
    where = f"{show_text(name)} on {show_text(branch)}" if branch else show_text(name)
    return Layer(read_policy(text, branch, name), lambda _: where)


def _here(layer: Layer, without: Iterable[str] = ()) -> Layer:
    """The settings of a layer that have a meaning outside GitHub."""
    left_out = ON_GITHUB.union(without)
    return layer._replace(values={name: value for name, value in layer.values.items() if name not in left_out})


def _not_in_force(path: str) -> str:
    advice = "workflows are never edited" if is_workflow(path) else "here it takes the option --allow-protected"
    return f"allow-protected: {show_text(path)} is not in force: {advice}"
