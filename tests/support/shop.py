"""A small repository and one change of it, for tests of the stores in git."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.gitkit import EXECUTABLE, FILE, Entry
from support.repositories import open_sealed

from editblocks.repos.git.repository import Launch, Mode, start
from editblocks.repos.stores.objects import ObjectsRepo

IDENTITY = ("Hubot", "hubot@example.com")
TREE: Mapping[str, Entry] = {
    "README.md": (FILE, b"# Shop\n"),
    "bin/run": (EXECUTABLE, b"#!/bin/sh\n"),
    "src/app.py": (FILE, b"x = 1\r\n"),
}
CHANGE: Mapping[str, bytes | None] = {"README.md": b"# Store\n", "src/new.py": b"", "bin/run": None}
CHANGED: Mapping[str, Entry] = {
    "README.md": (FILE, b"# Store\n"),
    "src/app.py": TREE["src/app.py"],
    "src/new.py": (FILE, b""),
}

each_mode = pytest.mark.parametrize("mode", [Mode.ISOLATED, Mode.USER])


def sealed(
    place: Path,
    rev: str | None = None,
    *,
    branch: str | None = None,
    mode: Mode = Mode.ISOLATED,
    launch: Launch = start,
    **options: Any,
) -> ObjectsRepo:
    """Open a commit of a repository, by default without the machine's git configuration. Does not wait for locks."""
    return ObjectsRepo(open_sealed(place, mode, launch=launch, person=IDENTITY), rev, branch=branch, **options)
