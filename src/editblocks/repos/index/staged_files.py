"""Which files are staged, and which of them hold one of some words: git looks through thousands in one process.

Names are those of `git add`, taken literally. Few of them are passed on; of many, git is asked about the whole
index, because each entry of it would be held against each name. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.repos.files.names import to_text
from editblocks.repos.files.tree_modes import SUBMODULE, TreeEntry, is_inside
from editblocks.repos.git.command import Git
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


def staged_submodules(git: Git) -> list[str]:
    """The submodules in the index, whether they were fetched or not."""
    listed = git.ask("ls-files", "--stage", "-z").split(b"\0")
    return [to_text(row.partition(b"\t")[2]) for row in listed if row.startswith(SUBMODULE.encode())]


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
