"""The settings of a hook: environment, `.editblocks.yml`, default.

Without file and variables nothing that reads settings is loaded, as a commit waits for its hook. Page:
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

    `allow-protected` of the file counts unless the hook `writes`: one that does not says what GitHub would.
    """
    return settings_from_data(read_file(root / FILE, FILE), environ, writes=writes)


def settings_from_data(
    data: bytes | None, environ: Mapping[str, str] = os.environ, branch: str = "", *, writes: bool = False
) -> Settings:
    """The same for these bytes of `.editblocks.yml`; `branch` is where they were found."""
    if data is None and not any(name.startswith(PREFIX) for name in environ):
        return Settings(mode="apply" if writes else "check")
    from editblocks.faces.common.settings import merged_settings

    return merged_settings(data, environ, branch, writes=writes)


def read_file(path: Path, name: str, *, follow: bool = False) -> bytes | None:
    """The bytes of a regular file, as many as matter; None if there is none. `follow`: also of a link."""
    shown = show_text(name)
    no_file = f"{shown} is {{}}; put a file with the settings there"
    try:
        return read_start(path, _ENOUGH, lambda kind: ConfigError(no_file.format(kind)), follow=follow)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{shown} cannot be read: {reason_of(error)}; repair the file or its permissions") from error
