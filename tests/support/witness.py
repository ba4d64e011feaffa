"""A second witness of what was written to a repository: GitPython, which reads trees, commits and refs by itself.

Git reads what git wrote, so a mistake in what we ask of it could pass unseen. What git says is compared with this.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import git
from support import gitkit
from support.gitkit import Entry


class CommitSeen(NamedTuple):
    """A commit as GitPython reads it; a person is `name <address>`."""

    id: str
    parents: tuple[str, ...]
    author: str
    committer: str
    message: str


def read_tree(path: Path, rev: str) -> dict[str, Entry]:
    """Mode and bytes of everything in the tree of `rev`: as git reads it and, to the byte, as GitPython does."""
    tree = gitkit.read_tree(path, rev)
    with git.Repo(path) as repo:
        assert _entries(repo.commit(rev).tree) == tree
    return tree


def read_commit(path: Path, rev: str) -> CommitSeen:
    """What the commit `rev` says of itself."""
    with git.Repo(path) as repo:
        commit = repo.commit(rev)
        parents = tuple(parent.hexsha for parent in commit.parents)
        author, committer = (f"{person.name} <{person.email}>" for person in (commit.author, commit.committer))
        return CommitSeen(commit.hexsha, parents, author, committer, str(commit.message))


def read_record(path: Path, ref: str) -> dict[str, Entry]:
    """Everything in the tree of the tag that a ref names, as GitPython reads it."""
    with git.Repo(path) as repo:
        tag = git.TagReference(repo, ref, check_path=False).tag
        assert tag is not None
        tree = tag.object
        assert isinstance(tree, git.Tree)
        return _entries(git.Tree(repo, tree.binsha, tree.tree_id << 12, path=""))  # a tag's tree has no path


def refs(path: Path) -> dict[str, str]:
    """The id that each ref names, by its full name."""
    with git.Repo(path) as repo:
        return {str(ref.path): ref.object.hexsha for ref in git.Reference.iter_items(repo)}


def history(path: Path) -> list[str]:
    """The commits that a program which draws all of the history shows."""
    with git.Repo(path) as repo:
        return [commit.hexsha for commit in repo.iter_commits("--all")]


def _entries(tree: git.Tree) -> dict[str, Entry]:
    """Everything in a tree by its path; a submodule's bytes are the id of its commit."""
    entries: dict[str, Entry] = {}
    for item in tree.traverse():
        assert isinstance(item, (git.Tree, git.Blob, git.Submodule))
        if isinstance(item, git.Blob):
            entries[str(item.path)] = (f"{item.mode:06o}", item.data_stream.read())
        elif isinstance(item, git.Submodule):
            entries[str(item.path)] = (f"{item.mode:06o}", item.hexsha.encode())
    return entries
