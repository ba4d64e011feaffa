"""The settings of a command or a hook on somebody's machine: flag, environment, `.editblocks.yml`, default.

The first of them that says something of a key holds; what cannot be used ends the call, also where another goes
before it. The file is that of the working tree, and of a server the one on its default branch. Without file and
variables nothing is loaded but the standard library: a commit waits for its hook. Page:
docs/reference/settings.md, "on your machine".
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editblocks.core.errors import ConfigError, reason_of
from editblocks.core.settings import CEILINGS, Settings
from editblocks.faces.common.locations import kind

if TYPE_CHECKING:
    import argparse

    from editblocks.config.environment import Layer
    from editblocks.config.policy import Policy

FILE = ".editblocks.yml"  # policy_file has it too, and more than a hook may load where there is no such file
ON_GITHUB = frozenset(  # about pull requests and their people: read everywhere, and without a meaning here
    "mode trigger permission ignore_authors short_commands inline_comments reactions check_run credit trailers "
    "token pr_number comment_id".split()
)

_PREFIX = "EDITBLOCKS_"
_SWITCH = "disabled"  # EDITBLOCKS_DISABLED is read before any setting
_ENOUGH = 64 * 1024 + 1  # one byte over the limit of policy_text
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def policy_for(options: argparse.Namespace, root: Path | None, environ: Mapping[str, str] = os.environ) -> Policy:
    """The settings of this call, with the origin of each that is not the default.

    `root` is where `.editblocks.yml` may be; without, there is none. Only `apply` writes, whatever `mode` says: that is
    about pull requests, and `apply` is a person's own word. So is `--allow-protected`: what the file allows
    is not in force, and a note for each path says so. Raises `ConfigError`.
    """
    from editblocks.config.environment import merge_layers

    flags, in_file = _flags(options), _file(options, root)
    in_vain = dict.fromkeys(in_file.values.get("allow_protected", ()))
    environment = _environment({} if getattr(options, "isolated", False) else environ)
    layers = (flags, _here(environment), _here(in_file, without=("allow_protected",)))
    policy = merge_layers(layers, {"mode": "apply" if options.command == "apply" else "check"})
    notes = [_not_in_force(path) for path in in_vain if path not in policy.settings.allow_protected]
    return replace(policy, notes=tuple(notes))


def hook_settings(root: Path, environ: Mapping[str, str] = os.environ, *, writes: bool = False) -> Settings:
    """The settings of a hook in the working tree at `root`. Raises `ConfigError`.

    A hook that writes nothing says what GitHub would, so that `allow-protected` counts; for one that `writes` it does
    not, as for `apply`.
    """
    return _hook(_text_of(root / FILE, FILE), "", environ, writes=writes)


def settings_from_text(text: str | None, environ: Mapping[str, str] = os.environ, branch: str = "") -> Settings:
    """What holds for a hook that writes nothing, with this text of `.editblocks.yml`; None: there is no such file.

    `branch` is where it was found, for messages. `policy_file.policy_text` makes text of bytes. Raises `ConfigError`.
    """
    return _hook(text, branch, environ, writes=False)


def _hook(text: str | None, branch: str, environ: Mapping[str, str], *, writes: bool) -> Settings:
    mode = "apply" if writes else "check"
    if text is None and not any(name.startswith(_PREFIX) for name in environ):
        return Settings(mode=mode)
    from editblocks.config.environment import merge_layers

    in_file = _read(text or "", FILE, branch)
    layers = (_here(_environment(environ)), _here(in_file, without=("allow_protected",) if writes else ()))
    return merge_layers(layers, {"mode": mode}).settings


def _flags(options: argparse.Namespace) -> Layer:
    from editblocks.config.environment import Layer
    from editblocks.config.values import items
    from editblocks.paths import is_workflow

    values: dict[str, Any] = {}
    if getattr(options, "matching", None):
        values["matching"] = options.matching
    if getattr(options, "partial", False):
        values["partial"] = True
    if getattr(options, "allow_protected", None):
        paths = items("allow-protected", options.allow_protected, lambda _: "--allow-protected")
        workflow = next(filter(is_workflow, paths), None)
        if workflow is not None:
            raise ConfigError(f"--allow-protected names {workflow}, and workflows are never edited; change it by hand")
        values["allow_protected"] = paths
    return Layer(values, lambda key: f"--{key}")


def _environment(environ: Mapping[str, str]) -> Layer:
    from editblocks.config.environment import Layer, values_from_environment, variable

    _refuse_unknown(environ)
    return Layer(values_from_environment(environ, ceilings=CEILINGS), variable)


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    """Raise `ConfigError` for a variable of our prefix that nothing reads, with the nearest that something does."""
    from editblocks.config.environment import FILE_ONLY, KEYS, NO_SETTINGS, variable

    offered = [variable(key).removeprefix(_PREFIX) for key in (*KEYS, _SWITCH)]
    known = {*offered, *(variable(key).removeprefix(_PREFIX) for key in (FILE_ONLY, *NO_SETTINGS))}
    for name in (name.removeprefix(_PREFIX) for name in environ if name.startswith(_PREFIX)):
        word = name.upper().replace("-", "_")  # as config reads it
        if word not in known:
            from difflib import get_close_matches

            near = get_close_matches(word, offered, 1)
            advice = f"did you mean {_PREFIX}{near[0]}?" if near else "`editblocks init --print` shows them all"
            raise ConfigError(f"{_PREFIX}{_show(name)} is no setting; {advice}")


def _file(options: argparse.Namespace, root: Path | None) -> Layer:
    """The settings in the file that was named, or in the one at `root`; empty if there is none."""
    config, isolated = getattr(options, "config", None), getattr(options, "isolated", False)
    if config is None:
        text = None if root is None or isolated else _text_of(root / FILE, FILE)
        return _read(text or "", FILE)
    if isolated:
        raise ConfigError("--config names a file and --isolated reads none; leave one of them out")
    text = _text_of(Path(config), config, follow=True) if config else None
    if text is None:
        raise ConfigError(f"--config: there is no {_show(config) or 'file without a name'}; name one with settings")
    return _read(text, config)


def _read(text: str, name: str, branch: str = "") -> Layer:
    from editblocks.config.environment import Layer

    if not text:
        return Layer({}, str)
    from editblocks.config.policy_file import read_policy

    where = f"{_show(name)} on {_show(branch)}" if branch else _show(name)
    return Layer(read_policy(text, branch, name), lambda _: where)


def _here(layer: Layer, without: Iterable[str] = ()) -> Layer:
    """The settings of a layer that have a meaning outside GitHub."""
    left_out = ON_GITHUB.union(without)
    return replace(layer, values={name: value for name, value in layer.values.items() if name not in left_out})


def _not_in_force(path: str) -> str:
    from editblocks.paths import is_workflow

    advice = "workflows are never edited" if is_workflow(path) else "here it takes the option --allow-protected"
    return f"allow-protected: {_show(path)} is not in force: {advice}"


def _text_of(path: Path, name: str, *, follow: bool = False) -> str | None:
    """The text of a regular file, None if there is none. Of a link only where `follow` says so."""
    try:
        status = path.stat() if follow else path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError(f"{_show(name)} is {kind(status.st_mode)}; put a file with the settings there")
        with os.fdopen(os.open(path, os.O_RDONLY | _FLAGS | (0 if follow else _NO_FOLLOW)), "rb") as file:
            data = file.read(_ENOUGH)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(
            f"{_show(name)} cannot be read: {reason_of(error)}; repair the file or its permissions"
        ) from error
    from editblocks.config.policy_file import policy_text

    return policy_text(data, name=name)


def _show(text: str) -> str:
    from editblocks.core.characters import show_text

    return show_text(text)
