"""The version of this package, also where nothing is installed."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def own_version() -> str:
    """What is installed; in the action's own tree, what `pyproject.toml` says."""
    try:
        return version("editblocks")
    except PackageNotFoundError:
        project = Path(__file__).parents[3].joinpath("pyproject.toml").read_text("utf-8")
        found = re.search(r'^version = "([0-9A-Za-z.+-]+)"$', project, re.MULTILINE)
        return found[1] if found else "unknown"
