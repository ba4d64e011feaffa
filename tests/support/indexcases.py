"""A small repository and its index, for tests of `apply --index`."""

import os
from collections.abc import Mapping
from pathlib import Path

from support.gitkit import EXECUTABLE, FILE, SUBMODULE, SUBMODULE_ID, Entry, git, read_folder
from support.repositories import open_sealed

from editblocks.repos.git.repository import Mode
from editblocks.repos.stores.checkout import IndexedRepo

SHOP: Mapping[str, Entry] = {
    "bin/run": (EXECUTABLE, b"#!/bin/sh\necho 1\n"),
    "src/app.py": (FILE, b"x = 1\n"),
    "src/other.py": (FILE, b"y = 1\n"),
}
Contents = Mapping[str, bytes | None]


def status(path: Path) -> list[str]:
    return git(path, "status", "--porcelain", "--untracked-files=all").decode().splitlines()


def staged(path: Path) -> dict[str, bytes]:
    rows = git(path, "ls-files", "--stage", "-z").split(b"\0")[:-1]
    return {os.fsdecode(row.partition(b"\t")[2]): row.partition(b"\t")[0] for row in rows}


def state(path: Path) -> tuple[dict[str, Entry], list[str], dict[str, bytes]]:
    """Everything that a refused write must leave unchanged: files, status and index.

    Asserts that no lock and no temporary index is left in `.git`.
    """
    odd = [place.name for place in (path / ".git").iterdir() if place.suffix in {".lock", ".index"}]
    assert odd == []
    return read_folder(path), status(path), staged(path)


def planned(path: Path, contents: Contents) -> IndexedRepo:
    repo = IndexedRepo(path, repository=open_sealed(path, mode=Mode.USER))
    repo.prefetch(contents)
    for name in contents:
        repo.read(name)
    return repo


def submodule(path: Path) -> None:
    git(path, "update-index", "--add", "--cacheinfo", f"{SUBMODULE},{SUBMODULE_ID.decode()},lib")
    (path / "lib").mkdir()
