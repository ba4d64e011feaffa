"""Read repositories with GitPython, which reads trees, commits and refs without git, to check what git says.

If git both writes and reads, a mistake in how we call it could stay hidden.
"""

from pathlib import Path
from typing import NamedTuple

import git
from support import gitkit
from support.gitkit import Entry


class CommitSeen(NamedTuple):
    """A commit as GitPython reads it. A person is `name <address>`."""

    id: str
    parents: tuple[str, ...]
    author: str
    committer: str
    message: str


def read_tree(path: Path, rev: str) -> dict[str, Entry]:
    """Mode and bytes of everything in the tree of `rev`. Asserts that git and GitPython read the same."""
    tree = gitkit.read_tree(path, rev)
    with git.Repo(path) as repo:
        assert _entries(repo.commit(rev).tree) == tree
    return tree


def read_commit(path: Path, rev: str) -> CommitSeen:
    """The commit that `rev` names."""
    with git.Repo(path) as repo:
        commit = repo.commit(rev)
        parents = tuple(parent.hexsha for parent in commit.parents)
        author, committer = (f"{person.name} <{person.email}>" for person in (commit.author, commit.committer))
        return CommitSeen(commit.hexsha, parents, author, committer, str(commit.message))


def read_record(path: Path, ref: str) -> dict[str, Entry]:
    """Mode and bytes of everything in the tree that a tag object points to. `ref` names the tag object."""
    with git.Repo(path) as repo:
        tag = git.TagReference(repo, ref, check_path=False).tag
        assert tag is not None
        tree = tag.object
        assert isinstance(tree, git.Tree)
        return _entries(git.Tree(repo, tree.binsha, tree.tree_id << 12, path=""))  # a tag's tree has no path


def refs(path: Path) -> dict[str, str]:
    """The id of the object that each ref names, by the full name of the ref."""
    with git.Repo(path) as repo:
        return {str(ref.path): ref.object.hexsha for ref in git.Reference.iter_items(repo)}


def history(path: Path) -> list[str]:
    """The ids of the commits that `git log --all` would show: those that programs draw as the whole history."""
    with git.Repo(path) as repo:
        return [commit.hexsha for commit in repo.iter_commits("--all")]


def _entries(tree: git.Tree) -> dict[str, Entry]:
    """Mode and bytes of everything in a tree, by path. The bytes of a submodule are the id of its commit."""
    entries: dict[str, Entry] = {}
    for item in tree.traverse():
        assert isinstance(item, (git.Tree, git.Blob, git.Submodule))
        if isinstance(item, git.Blob):
            entries[str(item.path)] = (f"{item.mode:06o}", item.data_stream.read())
        elif isinstance(item, git.Submodule):
            entries[str(item.path)] = (f"{item.mode:06o}", item.hexsha.encode())
    return entries
