"""What a push contains: the new commit of each ref, and the response files that it adds.

New is what no ref on the other side has: a pending response that was fetched and is pushed to another branch is
nobody's fault. Looked at are the trees that the refs end with; commits on the way there are history.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editblocks.core.errors import ConfigError
from editblocks.paths.response_files import folders_of, is_read_as_response
from editblocks.repos.files.names import to_text
from editblocks.repos.files.tree_modes import DIRECTORY, MAX_FILE_BYTES
from editblocks.repos.git.command import is_object_id, printable
from editblocks.repos.git.commit_files import CommitFiles
from editblocks.repos.git.repository import Repository


@dataclass(frozen=True, slots=True)
class Push:
    """One ref: its name on the other side, and its ids after and before; None for nothing."""

    ref: str
    new: str | None
    old: str | None


@dataclass(frozen=True, slots=True)
class PushedCommit:
    """A commit that a ref is to have, and the response files that come with it, in order of name."""

    ref: str
    commit: str
    paths: tuple[str, ...]


def read_sent(data: bytes) -> list[Push]:
    """The lines of pre-push: name here, new id, name there, old id. Raises `ConfigError` for any other line."""
    # from the right: the first is as somebody typed it, such as `HEAD@{1 day ago}`
    return [_push(number, row.rsplit(" ", 3), (2, 1, 3)) for number, row in _rows(data)]


def read_received(data: bytes) -> list[Push]:
    """The lines of pre-receive: old id, new id, name. Raises `ConfigError` for any other line."""
    return [_push(number, row.split(" "), (2, 1, 0)) for number, row in _rows(data)]


def tips(repository: Repository, pushes: Sequence[Push], patterns: Sequence[str], known: str) -> Iterator[PushedCommit]:
    """Each commit with response files that are new to the other side, once.

    `known` is the option of rev-list that stands for all that the other side has: `--remotes` or `--all`. Refs that
    are deleted and tags of no commit have none. Raises `RepoError`.
    """
    commits = _commits(repository, [push.new for push in pushes if push.new])
    files = {commit: _files(repository, commit, patterns) for commit in set(commits.values())}
    seen: set[tuple[str, str]] = set()
    for push in pushes:
        commit = commits.get(push.new or "")
        there = files[commit] if commit else []
        if commit is None or not there:
            continue
        new = _changed_paths(repository, commit, push.old, folders_of(patterns), known)
        paths = [path for path in there if path in new and (commit, path) not in seen]
        seen.update((commit, path) for path in paths)
        if paths:
            yield PushedCommit(push.ref, commit, tuple(paths))


def _rows(data: bytes) -> Iterator[tuple[int, str]]:
    for number, row in enumerate(data.split(b"\n"), 1):
        if row:
            yield number, to_text(row)


def _push(number: int, fields: Sequence[str], order: tuple[int, int, int]) -> Push:
    if len(fields) <= max(order) or not all(is_object_id(fields[at]) for at in order[1:]):
        row = printable(" ".join(fields))
        raise ConfigError(f"line {number} of standard input is `{row}`, which names no ref with its ids; git writes it")
    ref, new, old = (fields[at] for at in order)
    return Push(ref, new if new.strip("0") else None, old if old.strip("0") else None)


def _commits(repository: Repository, ids: Sequence[str]) -> dict[str, str]:
    """The commit that each id stands for, through tags; those of blobs and trees stand for none."""
    asked = "".join(f"{object_id}^{{commit}}\n" for object_id in ids)
    answers = repository.git.ask("cat-file", "--batch-check=%(objectname)", stdin=asked.encode("ascii")) if ids else b""
    rows = answers.decode("ascii").splitlines()
    return {object_id: row for object_id, row in zip(ids, rows, strict=True) if is_object_id(row)}


def _files(repository: Repository, commit: str, patterns: Sequence[str]) -> list[str]:
    """The response files in the tree of a commit."""
    files = CommitFiles(repository.git, commit, MAX_FILE_BYTES)
    paths = (
        f"{folder}/{name}"
        for folder in folders_of(patterns)
        for name, mode in files.entries(folder).items()
        if mode != DIRECTORY
    )
    return sorted(path for path in paths if is_read_as_response(path, patterns))


def _changed_paths(
    repository: Repository, commit: str, old: str | None, folders: Sequence[str], known: str
) -> set[str]:
    """The paths that commits change which the other side does not have, of merges what differs from every parent.

    An old value that was never fetched is left out (`--ignore-missing`), and so are the files of a submodule.
    """
    has = [f"^{old}"] if old else []
    commits = repository.git.ask("rev-list", "--ignore-missing", commit, *has, "--not", known, "--", *folders)
    if not commits:
        return set()
    options = ("--stdin", "--root", "--no-commit-id", "--name-only", "-r", "-c", "-z", "--no-renames", "--no-ext-diff")
    names = repository.git.ask("diff-tree", *options, "--", *folders, stdin=commits)
    return {to_text(name) for name in names.split(b"\0")}
