"""This package: its version, and the pages and examples that a command prints or writes.

They have one source, in the checkout and in the wheel: `pyproject.toml` lists under `force-include` what the wheel
holds; a checkout has the same files at its top.
"""

from __future__ import annotations

import re
from pathlib import Path

import editblocks

FOLDER = "shipped"
_PACKAGE = Path(editblocks.__file__).parent


def read_packaged(name: str) -> str:
    """The text of a file such as `docs/reference/reasons.md`, named from the top of the checkout."""
    installed = _PACKAGE / FOLDER / name
    return (installed if installed.is_file() else _PACKAGE.parents[1] / name).read_text("utf-8")


def own_version() -> str:
    """What is installed; in the action's own tree, what `pyproject.toml` says; else `unknown`."""
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and few commands need it

    try:
        return version("editblocks")
    except PackageNotFoundError:
        return version_in(_PACKAGE.parents[1] / "pyproject.toml") or "unknown"


def version_in(project: Path) -> str | None:
    """The version that a `pyproject.toml` names, None if there is none."""
    try:
        match = re.search(r'^version = "([0-9A-Za-z.+-]+)"$', project.read_text("utf-8"), re.MULTILINE)
    except OSError:
        return None
    return match[1] if match else None
