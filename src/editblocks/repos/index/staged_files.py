"""Read the index: which files are staged, which of them contain given words, and what is in git but not on disk.

Names are taken literally. For many names git lists the whole index, because it compares every entry with every name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.repos.files.tree_modes import (
    DIRECTORY,
    SUBMODULE,
    TreeEntry,
    is_inside,
    list_directory,
    path_error,
    prefixes,
    to_bytes,
    to_text,
)
from editblocks.repos.git.command import Git
from editblocks.repos.git.repository import Repository, repository_at
from editblocks.repos.git.trees import chunks, rows

_FEW = 500
_FAILED = 128
_CONVERTING_ATTRIBUTES = ("filter", "ident", "working-tree-encoding")
SKIPPED = "S"  # git ls-files -t: an entry with the skip-worktree bit, which git does not look for on disk
# Plain names whatever the user's configuration says, and also files that an attribute marks as binary.
_GREP = (
    *("grep", "--cached", "--files-with-matches", "-z", "--text", "--fixed-strings"),
    *("--no-textconv", "--no-color", "--no-recurse-submodules", "--full-name"),
)
_STAGED = ("--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", "--no-ext-diff", "--no-textconv")


def staged_names(git: Git) -> list[str]:
    """Return the files that the next commit adds or changes, sorted by name."""
    return sorted(to_text(name) for name in git.ask("diff", *_STAGED).split(b"\0")[:-1])


def nul_ended(names: Iterable[str]) -> bytes:
    """Return names in the form that git reads with `-z`."""
    return to_bytes("".join(f"{name}\0" for name in names))


def index_rows(git: Git, paths: Sequence[str]) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield tag, mode, id, stage and path of each index entry whose path is one of `paths`."""
    wanted = set(paths)
    parts: Iterable[list[str]] = [[]]
    if len(paths) <= _FEW:
        parts = chunks(list(filter(is_inside, paths)))
    for part in parts:
        for head, path in rows(git.ask("ls-files", "-v", "--stage", "-z", "--", *part)):
            if path in wanted:
                tag, mode, oid, stage = head.split()
                yield tag, mode, oid, stage, path


def staged_entries(git: Git, paths: Sequence[str]) -> dict[str, TreeEntry]:
    """Return the index entries of those of `paths` that are in the index, of any kind."""
    return {path: TreeEntry(mode, oid) for _, mode, oid, _, path in index_rows(git, paths)}


def filtered(git: Git, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each path that git converts on staging by more than line ends, and the attribute that causes it."""
    fields = git.ask("check-attr", "-z", "--stdin", *_CONVERTING_ATTRIBUTES, stdin=nul_ended(paths)).split(b"\0")
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if value not in (b"unspecified", b"unset"):
            yield to_text(path), to_text(name)


def ignore_rules(git: Git, paths: Iterable[str]) -> dict[str, str]:
    """Return the rule for each of `paths` that git ignores, such as `.gitignore line 3: .venv/`.

    Files that are in the index are not ignored.
    """
    all_paths = list(paths)
    names = nul_ended(f"./{path}" for path in all_paths)  # with `./` no name is taken for a pattern
    git = git.with_environment({"GIT_LITERAL_PATHSPECS": "0"})  # check-ignore fails if it is set
    answer = git.run("check-ignore", "--verbose", "-z", "--stdin", stdin=names, ok_statuses=(0, 1, _FAILED))
    if answer.status == _FAILED:
        # git stops at the first path that is beyond a symbolic link or in a submodule. Such paths are not ignored.
        middle = len(all_paths) // 2
        if not middle:
            return {}
        return {**ignore_rules(git, all_paths[:middle]), **ignore_rules(git, all_paths[middle:])}
    rules = {}
    fields = [to_text(field) for field in answer.output.split(b"\0")[:-1]]
    for source, number, pattern, name in zip(fields[::4], fields[1::4], fields[2::4], fields[3::4], strict=True):
        if not pattern.startswith("!"):  # the last matching rule says that the file is not ignored
            place = source.removeprefix(f"{git.directory}/")
            rules[name.removeprefix("./")] = f"{place} line {number}: {pattern}"
    return rules


def staged_holding(git: Git, words: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Return, sorted, those of `paths` whose staged file contains one of `words`, without files in conflict."""
    command = [*_GREP, *(option for word in words for option in ("-e", word)), "--"]
    answers = []
    if len(paths) > _FEW:
        answers.append(git.run(*command, ok_statuses=(0, 1, _FAILED)))
    if not answers or answers[0].status == _FAILED:  # a partial clone lacks some blobs of the index
        answers = [git.run(*command, *part, ok_statuses=(0, 1)) for part in chunks(list(filter(is_inside, paths)))]
    names = {to_text(name) for answer in answers for name in answer.output.split(b"\0")[:-1]}
    return sorted(names.intersection(paths))


class IndexView:
    """The index of `repository`, by default of the repository at `root`, if there is one.

    It knows what is not on disk: a submodule that was not fetched is an empty directory or missing, and files left out
    by a sparse checkout must not be created again, as `git add` refuses them.
    """

    def __init__(self, root: Path, repository: Repository | None = None) -> None:
        self._root = root
        self._repository = repository

    @cached_property
    def repository(self) -> Repository | None:
        """The given repository, or else the one at `root`, opened on first use. Raises what `repository_at` raises."""
        return self._repository or repository_at(self._root)

    def filter_of(self, path: str) -> str | None:
        """Return the attribute by which git converts `path`, if `info/attributes` exists; the engine checks others."""
        if self.repository is None or not (self.repository.common_dir / "info/attributes").is_file():
            return None
        return next((name for _, name in filtered(self.repository.git, [path])), None)

    def names(self, directory: str) -> Mapping[str, str]:
        """Return the submodules in `directory`, and its subdirectories that contain submodules, with git's modes."""
        return list_directory(self._submodules, directory)

    def submodule_at(self, path: str) -> str | None:
        """Return the submodule that `path` is or is in, or None."""
        if not is_inside(path):
            return None
        return next((name for name in prefixes(path) if name in self._submodules), None)

    def refuse_submodule(self, path: str) -> None:
        """Raise `UnreadableFile` if `path` is a submodule or is in one."""
        submodule = self.submodule_at(path)
        if submodule is not None:
            raise path_error(path, submodule, SUBMODULE)

    def refuse_left_out(self, path: str) -> None:
        """Raise `UnreadableFile` if sparse-checkout left out `path`, which is not on disk, or files below it."""
        # not common_dir: each linked working tree has its own patterns
        if self.repository is None or not os.path.lexists(self.repository.git_dir / "info/sparse-checkout"):
            return
        left_out = [name for name, mode in self._not_on_disk.items() if mode != SUBMODULE]
        if path in left_out:
            what = f"{path} is left out of this working tree by git sparse-checkout"
            raise UnreadableFile(ReasonCode.NOT_A_FILE, what, "bring it in with git sparse-checkout add")
        if any(name.startswith(f"{path}/") for name in left_out):
            raise path_error(path, path, DIRECTORY)

    @cached_property
    def _submodules(self) -> Mapping[str, str]:
        return {path: mode for path, mode in self._not_on_disk.items() if mode == SUBMODULE}

    @cached_property
    def _not_on_disk(self) -> Mapping[str, str]:
        """The modes of submodules and of files with the skip-worktree bit, by path."""
        if self.repository is None:
            return {}
        modes: dict[str, str] = {}
        for row in self.repository.git.ask("ls-files", "-t", "--stage", "-z").split(b"\0"):
            # `TAG MODE ID STAGE<TAB>PATH`; most rows are of plain files, and there may be very many
            mode = row[2:8]
            if mode == b"160000" or row[:1] == b"S":
                modes[to_text(row.partition(b"\t")[2])] = mode.decode("ascii")
        return modes
