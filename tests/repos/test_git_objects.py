"""Object ids computed here against git's own, for every kind of entry and every kind of change."""

from collections.abc import Mapping
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, LINK, SUBMODULE, SUBMODULE_ID
from support.gitkit import Entry as File

from editblocks.core.errors import SelfCheckFailed
from editblocks.repos.tree_modes import TreeEntry, TreeListing, blob_id, object_id, tree_after, tree_id

NUMBERS = count()
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git hash-object -t tree /dev/null
TREE: Mapping[str, File] = {
    "a": (FILE, b"a\n"),
    "a.b": (FILE, b"sorts before a/\n"),
    "a0": (FILE, b"sorts after a/\n"),
    "run": (EXECUTABLE, b"#!/bin/sh\n"),
    "link": (LINK, b"a"),
    "lib": (SUBMODULE, SUBMODULE_ID),
    "d/a": (FILE, b""),
    "d/e/f": (FILE, b"\xff\x00"),
    "d.e": (FILE, b"x"),
    "d0": (FILE, b"x"),
    "caf\u00e9/\u5b57": (FILE, b"x"),
    "odd/\udcff\n": (FILE, b"x"),
}


class Directories:
    """The trees of a commit, by their ids, as an API would list them."""

    def __init__(self, path: Path, rev: str) -> None:
        self.path = path
        self.root = gitkit.line(path, "rev-parse", f"{rev}^{{tree}}")
        self.asked: list[str] = []

    def __call__(self, oid: str) -> TreeListing:
        self.asked.append(oid)
        rows = gitkit.git(self.path, "ls-tree", "-z", oid).split(b"\0")[:-1]
        parts = [(row.split(b"\t", 1)[1], row.split(b"\t", 1)[0].split()) for row in rows]
        return {
            name.decode("utf-8", "surrogateescape"): TreeEntry(head[0].decode(), head[2].decode())
            for name, head in parts
        }


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> Directories:
    return Directories(gitkit.make_repository(tmp_path_factory.mktemp("objects") / "r", TREE, bare=True), "main")


def test_ids_of_blobs() -> None:
    # git hash-object --stdin, as in git's own documentation
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"test content\n") == "d670460b4b4aece5915caf5c68d12f560a9fe3e4"


def test_ids_of_trees(directories: Directories) -> None:
    assert tree_id({}) == EMPTY_TREE == object_id("tree", b"")
    assert tree_id(directories(directories.root)) == directories.root


def test_only_the_directories_on_the_way_are_asked_for(directories: Directories) -> None:
    directories.asked.clear()
    tree_after(directories, directories.root, {"d/e/f": TreeEntry(FILE, blob_id(b"new"))})
    assert len(directories.asked) == 3


CHANGES = st.dictionaries(
    st.sampled_from([*TREE, "new", "n/e/w", "n/ew", "d/new", "d/e/new", "a.c"]), st.none() | st.binary(max_size=4)
)


def _mode(path: str) -> str:
    old = TREE.get(path, (FILE, b""))[0]
    return old if old == EXECUTABLE else FILE


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(changes=CHANGES)
def test_a_changed_tree_is_the_one_that_git_makes(
    changes: Mapping[str, bytes | None], directories: Directories
) -> None:
    tree = dict(TREE)
    entries: dict[str, TreeEntry | None] = {}
    for path, data in changes.items():
        entries[path] = None if data is None else TreeEntry(_mode(path), blob_id(data))
        tree.pop(path, None)
        if data is not None:
            tree[path] = (_mode(path), data)
    branch = f"expected-{next(NUMBERS)}"
    gitkit.commit(directories.path, branch, tree)
    expected = gitkit.line(directories.path, "rev-parse", f"{branch}^{{tree}}")
    assert tree_after(directories, directories.root, entries) == expected


@pytest.mark.parametrize("path", ["a/x", "link/x", "lib/x", "run/x/y"])
def test_a_path_through_a_file_is_refused(directories: Directories, path: str) -> None:
    with pytest.raises(SelfCheckFailed):
        tree_after(directories, directories.root, {path: TreeEntry(FILE, blob_id(b"x"))})


@pytest.mark.parametrize("entry", [TreeEntry("what", "0" * 40), TreeEntry(FILE, "no id")])
def test_an_entry_that_is_none_is_no_tree(entry: TreeEntry) -> None:
    with pytest.raises(ValueError, match=r"invalid literal|non-hexadecimal"):
        tree_id({"x": entry})
