"""A checkout with regular and executable files, for tests of commits made there."""

from collections.abc import Mapping
from pathlib import Path

from support import gitkit
from support.gitkit import EXECUTABLE, FILE, Entry, git, read_folder
from support.records import kept
from support.repositories import open_sealed

from editblocks.repos.stores.checkout import CheckoutRepo

IDENTITY = (gitkit.NAME, gitkit.EMAIL)
SHOP: Mapping[str, Entry] = {
    "README.md": (FILE, b"# Shop\n"),
    "bin/run": (EXECUTABLE, b"#!/bin/sh\n"),
    "src/app.py": (FILE, b"x = 1\n"),
    "src/other.py": (FILE, b"y = 1\n"),
}
MESSAGE = "Apply 1 edit block\n\n  indented, and a # line\n# kept\n\nEdit-Blocks-Digest: 00\n"


def sealed(path: Path) -> CheckoutRepo:
    return CheckoutRepo(path, repository=open_sealed(path, person=IDENTITY))


def planned(repo: CheckoutRepo, contents: Mapping[str, bytes | None]) -> CheckoutRepo:
    """Return `repo` after it has read the files in `contents`, as planning does."""
    repo.prefetch(contents)
    for path in contents:
        repo.read(path)
    return repo


def status(path: Path) -> list[str]:
    return git(path, "status", "--porcelain", "--untracked-files=all").decode().splitlines()


def state(path: Path) -> tuple[dict[str, Entry], list[str], str, bytes]:
    """Everything that a failed write must leave unchanged: files, status, refs with the reflog, and index.

    Asserts that editblocks left no temporary file, lock or unfinished write in `.git`.
    """
    odd = [name for name in (path / ".git").iterdir() if "editblocks-" in name.name or name.suffix == ".lock"]
    left = [place.name for place in (path / ".git").glob("editblocks/*") if place.name != "lock"]
    assert odd + left + [step for step in kept(path).values() if step != "committed"] == []
    refs = git(path, "for-each-ref", "refs/heads", "refs/tags").decode() + git(path, "reflog", "--format=%H").decode()
    return read_folder(path), status(path), refs, git(path, "ls-files", "--stage")


# Changes that make a commit impossible: it is refused before anything is written.


def changed(shop: Path) -> None:
    (shop / "src/app.py").write_bytes(b"x = 3\n")


def staged(shop: Path) -> None:
    changed(shop)
    git(shop, "add", "src/app.py")


PLAN: Mapping[str, bytes | None] = {"src/app.py": b"x = 2\n", "deep/er/new.py": b"z = 1\n", "README.md": None}
