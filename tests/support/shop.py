"""A little repository, one change of it: what the tests of git's stores are about."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pytest
from support.gitkit import EXECUTABLE, FILE, Entry

from editblocks.repos.git.command import Mode
from editblocks.repos.git.commits import Identity
from editblocks.repos.git.process import through_gitpython, through_subprocess
from editblocks.repos.stores.commit_repo import ObjectsRepo

IDENTITY = Identity("Hubot", "hubot@example.com")
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

sealed = partial(ObjectsRepo, mode=Mode.ISOLATED, identity=IDENTITY)
each_mode = pytest.mark.parametrize("mode", [Mode.ISOLATED, Mode.USER])
each_launch = pytest.mark.parametrize("launch", [through_gitpython, through_subprocess])
