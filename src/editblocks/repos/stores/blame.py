"""Which commit last changed a line: a courtesy, so whatever git cannot say is None and never stops a run."""

from __future__ import annotations

from pathlib import Path

from editblocks.core.errors import RepoError, UnreadableFile
from editblocks.matching.align import kept_lines
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES, is_inside
from editblocks.repos.git.command import Git, is_object_id
from editblocks.repos.git.repository import Repository, open_repository, ref_value
from editblocks.repos.git.trees import CommitFiles
from editblocks.repos.stores.worktree import WorktreeRepo

SECONDS = 10.0  # a long history of a large file is not worth waiting for
SUBJECT_LENGTH = 72

# An empty name takes back what blame.ignoreRevsFile has git look through.
_COMMAND = ("blame", "--porcelain", "--encoding=UTF-8", "--no-textconv", "--ignore-revs-file=")
_MARK_THE_END = ("blame.showRoot=false",)  # else the oldest commit of a shallow history looks like any other

Summary = tuple[str, str, str]  # a commit (full id), its author's day (YYYY-MM-DD) and its subject: foreign text


def last_change(root: Path, revision: str | None, path: str, line: int) -> Summary | None:
    """The commit that last changed line `line` (1-based) of `path` in the commit `revision` (a full id).

    Its subject has at most 72 characters, and whoever shows it has to escape them. Without a revision it is a line of
    the file on disk. None if that line is not committed as it stands, or where the history is cut off (shallow clone).
    """
    try:
        repository = open_repository(root, seconds=SECONDS)
        commit = revision or ref_value(repository, "HEAD")
        if commit is None or not is_object_id(commit) or not is_inside(path):
            return None
        place = line if revision else _line_in(repository, commit, path, root, line)
        return _blame(repository.git, commit, path, place) if place > 0 else None
    except (RepoError, UnreadableFile):
        return None


def _line_in(repository: Repository, commit: str, path: str, root: Path, line: int) -> int:
    """Where a line of the file on disk stands in `commit`, else 0: git would run filters over the file to tell."""
    committed = CommitFiles(repository.git, commit, MAX_FILE_BYTES).read(path) or b""
    present = WorktreeRepo(root, repository=repository).read(path) or b""
    # one character for every byte
    old, new = (data.replace(b"\r\n", b"\n").decode("latin-1").split("\n") for data in (committed, present))
    return kept_lines(old, new).get(line - 1, -1) + 1


def _blame(git: Git, commit: str, path: str, line: int) -> Summary | None:
    answer = git.ask(*_COMMAND, f"-L{line},{line}", commit, "--", path, options=_MARK_THE_END)
    changed = answer.partition(b" ")[0].decode("ascii")
    # `ID LINE LINE COUNT`, then `key value` lines, then a TAB and the line itself (git-blame, the porcelain format)
    fields = answer.partition(b"\n\t")[0].split(b"\n")
    if b"boundary" in fields and b"\nparent " in git.ask("cat-file", "commit", changed).partition(b"\n\n")[0]:
        return None  # the oldest commit of a shallow clone: the line may be older
    subject = next(field[8:] for field in fields if field.startswith(b"summary ")).decode("utf-8", "replace").strip()
    day = git.ask("log", "-1", "--no-show-signature", "--date=short", "--format=%ad", changed).decode().strip()
    short = subject if len(subject) <= SUBJECT_LENGTH else f"{subject[: SUBJECT_LENGTH - 1]}…"
    return changed, day or "1970-01-01", short
