"""What the index says: which files are staged, which of them hold some words, and what is in git but not on disk.

Names are those of `git add`, taken literally. Few of them are passed on; of many, git is asked about the whole
index, because each entry of it would be held against each name. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.repos.files.directory import explain_errors
from editblocks.repos.files.tree_modes import (
    DIRECTORY,
    SUBMODULE,
    TreeEntry,
    is_inside,
    list_directory,
    obstacle,
    prefixes,
    to_text,
)
from editblocks.repos.git.command import Git
from editblocks.repos.git.repository import Repository, git_folder, repository_at
from editblocks.repos.git.trees import chunks, rows

_FEW = 500
_FAILED = 128
SKIPPED = "S"  # git ls-files -t: an entry that is not looked for on disk
# Whatever the user's configuration says: plain names, and no file that an attribute calls binary passed over.
_GREP = ("grep", "--cached", "--files-with-matches", "-z", "--text", "--fixed-strings")
_GREP_OPTIONS = ("--no-textconv", "--no-color", "--no-recurse-submodules", "--full-name")
_STAGED = ("--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", "--no-ext-diff", "--no-textconv")


def staged_names(git: Git) -> list[str]:
    """The files that the commit adds or changes, in name order."""
    return sorted(to_text(name) for name in git.ask("diff", *_STAGED).split(b"\0")[:-1])


def index_rows(git: Git, paths: Sequence[str]) -> Iterator[tuple[str, str, str, str, str]]:
    """Tag, mode, id, stage and path of each index entry whose path is one of `paths`."""
    wanted = set(paths)
    for part in _parts(paths):
        for head, path in rows(git.ask("ls-files", "-v", "--stage", "-z", "--", *part)):
            if path in wanted:
                tag, mode, oid, stage = head.split()
                yield tag, mode, oid, stage, path


def staged_entries(git: Git, paths: Sequence[str]) -> dict[str, TreeEntry]:
    """The index entries of those of `paths` that are in the index, whatever they are."""
    return {path: TreeEntry(mode, oid) for _, mode, oid, _, path in index_rows(git, paths)}


def staged_holding(git: Git, words: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Those of `paths` that are staged as a regular file, not in conflict, which holds one of `words`; sorted."""
    parts = list(_parts(paths))
    outputs = [_grep(git, words, part) for part in parts]
    if parts == [[]] and outputs == [None]:
        outputs = [_grep(git, words, part) for part in _path_batches(paths)]
    names = {to_text(name) for output in outputs for name in (output or b"").split(b"\0")[:-1]}
    return sorted(names.intersection(paths))


def _grep(git: Git, words: Sequence[str], part: Sequence[str]) -> bytes | None:
    """What git prints; of the whole index None where that fails, as in a partial clone without other files' blobs."""
    patterns = [option for word in words for option in ("-e", word)]
    ok_statuses = (0, 1) if part else (0, 1, _FAILED)
    answer = git.run(*_GREP, *_GREP_OPTIONS, *patterns, "--", *part, ok_statuses=ok_statuses)
    return None if answer.status == _FAILED else answer.output


def _parts(paths: Sequence[str]) -> Iterator[list[str]]:
    """The names for one call of git each; one empty list stands for the whole index."""
    return iter([[]]) if len(paths) > _FEW else _path_batches(paths)


def _path_batches(paths: Sequence[str]) -> Iterator[list[str]]:
    return chunks(list(filter(is_inside, paths)))


class IndexView:
    """The index of `repository`, or of the one whose top is `root`, if there is one that can be used.

    A submodule that was not fetched is an empty directory, or not on disk at all. What a sparse checkout leaves out
    is not to be edited or made anew: `git add` refuses it too. Git is asked once for all of them.
    """

    def __init__(self, root: Path, repository: Repository | None = None) -> None:
        self._root = root
        self._repository = repository

    @cached_property
    def repository(self) -> Repository | None:
        """The repository, opened if it was not handed over."""
        if self._repository is not None or git_folder(self._root) is None:
            return self._repository
        return repository_at(self._root)

    @cached_property
    def attributes(self) -> bytes | None:
        """Git's own attributes, which are in no directory of the working tree; None if there are none."""
        if self.repository is None or not self.repository.attributes.is_file():
            return None
        with explain_errors(".git/info/attributes", "read"):
            return self.repository.attributes.read_bytes()

    def names(self, directory: str) -> Mapping[str, str]:
        """The submodules in `directory`, and the directories on the way to others, with git's modes."""
        return list_directory(self._submodules, directory)

    def submodule_at(self, path: str) -> str | None:
        """The submodule that `path` is, or is below."""
        names = prefixes(path) if is_inside(path) else []
        return next((name for name in names if name in self._submodules), None)

    def refuse_left_out(self, path: str) -> None:
        """Raise `UnreadableFile` if `path`, where nothing is on disk, is left out, or a directory of what is."""
        _, left_out = self._not_on_disk
        if path in left_out:
            what = f"{path} is left out of this working tree by git sparse-checkout"
            raise UnreadableFile(ReasonCode.NOT_A_FILE, what, "bring it in with git sparse-checkout add")
        if any(name.startswith(f"{path}/") for name in left_out):
            raise obstacle(path, path, DIRECTORY)

    @property
    def _submodules(self) -> Mapping[str, str]:
        return self._not_on_disk[0]

    @cached_property
    def _not_on_disk(self) -> tuple[Mapping[str, str], frozenset[str]]:
        """Submodules with their mode, and the files that git does not look for on disk."""
        output = self.repository.git.ask("ls-files", "-t", "--stage", "-z") if self.repository else b""
        # `TAG MODE ID STAGE<TAB>PATH`; most rows are of plain files, and there may be very many
        listed = [row for row in output.split(b"\0") if row[2:8] == b"160000" or row[:1] == b"S"]
        paths = [(row[2:8], to_text(row.partition(b"\t")[2])) for row in listed]
        submodules = [path for mode, path in paths if mode == b"160000"]
        return dict.fromkeys(submodules, SUBMODULE), frozenset(path for _, path in paths).difference(submodules)
