"""The settings of a hook: environment, `.editblocks.yml`, default.

The file is that of the working tree, and of a server the one on its default branch. Without file and variables nothing
is loaded but the standard library, and nothing that reads settings: a commit waits for its hook. Page:
docs/reference/settings.md, "on your machine".
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError, reason_of
from editblocks.core.settings import Settings
from editblocks.faces.common.locations import read_start

FILE = ".editblocks.yml"  # config.policy has it too, and more than a hook may load where there is no such file
PREFIX = "EDITBLOCKS_"
_ENOUGH = 64 * 1024 + 1  # one byte over the limit of policy_text


def hook_settings(root: Path, environ: Mapping[str, str] = os.environ, *, writes: bool = False) -> Settings:
    """The settings of a hook in the working tree at `root`. Raises `ConfigError`.

    A hook that writes nothing says what GitHub would, so that `allow-protected` counts; for one that `writes` it does
    not, as for `apply`.
    """
    return settings_from_data(read_file(root / FILE, FILE), environ, writes=writes)


def settings_from_data(
    data: bytes | None, environ: Mapping[str, str] = os.environ, branch: str = "", *, writes: bool = False
) -> Settings:
    """What holds for a hook with these bytes of `.editblocks.yml`, None without; `branch` is where they were found."""
    if data is None and not any(name.startswith(PREFIX) for name in environ):
        return Settings(mode="apply" if writes else "check")
    from editblocks.faces.common.settings import merged_settings

    return merged_settings(data, environ, branch, writes=writes)


def read_file(path: Path, name: str, *, follow: bool = False) -> bytes | None:
    """The bytes of a regular file, as many as matter; None if there is none. Of a link only where `follow` says so."""
    shown = show_text(name)

    def no_file(kind: str) -> ConfigError:
        return ConfigError(f"{shown} is {kind}; put a file with the settings there")

    try:
        return read_start(path, _ENOUGH, no_file, follow=follow)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{shown} cannot be read: {reason_of(error)}; repair the file or its permissions") from error
