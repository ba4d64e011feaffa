"""The version of this package, also where nothing is installed."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import editblocks


def own_version() -> str:
    """What is installed; in the action's own tree, what `pyproject.toml` says; else `unknown`."""
    try:
        return version("editblocks")
    except PackageNotFoundError:
        return version_in(Path(editblocks.__file__).parents[2] / "pyproject.toml") or "unknown"


def version_in(project: Path) -> str | None:
    """The version that a `pyproject.toml` names, None if there is none."""
    try:
        text = project.read_text("utf-8")
    except OSError:
        return None
    match = re.search(r'^version = "([0-9A-Za-z.+-]+)"$', text, re.MULTILINE)
    return match[1] if match else None
