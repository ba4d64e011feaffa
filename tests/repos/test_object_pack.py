"""Trees and tags that git stores without a commit: it has what is handed over, whatever the format of its ids."""

from pathlib import Path

import pytest
from support.gitkit import EXECUTABLE, FILE, git

from editblocks.core.errors import RepoError
from editblocks.repos.git.repository import Repository, open_repository
from editblocks.repos.records import NewObjects

# The head of an object has four bits of the size, then seven a byte.
SIZES = (0, 1, 15, 16, 2047, 2048, 262_143, 262_144)
FILES = {
    **{f"sizes/{size}": (FILE, b"x" * size) for size in SIZES},
    "run": (EXECUTABLE, b"#!/bin/sh\n"),
    "a.b": (FILE, b"sorts before a/\n"),
    "a/deep/er/file": (FILE, b"same\n"),
    "a0": (FILE, b"same\n"),
    "caf\udce9\n": (FILE, b"\0\xff"),
}

TAG = "object {}\ntype tree\ntag topic\ntagger editblocks <> 1795089600 +0000\n\nwords\n"


@pytest.fixture(params=["sha1", "sha256"])
def repository(tmp_path: Path, request: pytest.FixtureRequest) -> Repository:
    git(tmp_path, "init", "--quiet", f"--object-format={request.param}")
    return open_repository(tmp_path)


def test_git_has_what_was_stored(repository: Repository, tmp_path: Path) -> None:
    objects = NewObjects(repository)
    tree = objects.add_tree(FILES)
    tag = objects.add("tag", TAG.format(tree).encode())
    objects.store()
    git(tmp_path, "update-ref", "refs/editblocks/test", tag)
    assert git(tmp_path, "fsck", "--strict") == b""
    assert git(tmp_path, "cat-file", "tag", tag) == TAG.format(tree).encode()
    rows = git(tmp_path, "ls-tree", "-r", "-z", tree).split(b"\0")[:-1]
    assert sorted(row.partition(b"\t")[2].decode("utf-8", "surrogateescape") for row in rows) == sorted(FILES)
    for row in rows:
        head, _, name = row.partition(b"\t")
        mode, _, oid = head.decode().split()
        expected = FILES[name.decode("utf-8", "surrogateescape")]
        assert (mode, git(tmp_path, "cat-file", "blob", oid)) == expected
    assert git(tmp_path, "show", "refs/editblocks/test:a0") == b"same\n"


def test_no_file_at_all_is_the_empty_tree(repository: Repository, tmp_path: Path) -> None:
    objects = NewObjects(repository)
    tree = objects.add_tree({})
    objects.store()
    assert git(tmp_path, "ls-tree", tree) == b""


def test_what_git_cannot_store_is_said(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / ".git/objects").rename(tmp_path / ".git/away")
    (tmp_path / ".git/objects").write_text("no folder")
    objects = NewObjects(repository)
    objects.add_tree(FILES)
    with pytest.raises(RepoError, match=r"^git cannot store the change: .*; nothing was written$"):
        objects.store()
