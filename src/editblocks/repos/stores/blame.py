"""Which commit last changed a line: what a person wants to know when a block no longer fits.

It is a courtesy, so whatever git cannot say is None and never stops a run.
"""

from __future__ import annotations

from pathlib import Path

from editblocks.core.errors import RepoError, UnreadableFile
from editblocks.matching.align import kept_lines
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES, is_inside
from editblocks.repos.git.command import ANY_STATUS, Git, is_object_id
from editblocks.repos.git.repository import Repository, open_repository, ref_value
from editblocks.repos.git.trees import CommitFiles
from editblocks.repos.stores.worktree import WorktreeRepo

SECONDS = 10.0  # a long history of a large file is not worth waiting for
SUBJECT_LENGTH = 72

_COMMAND = (
    *("blame", "--porcelain", "--encoding=UTF-8", "--no-textconv"),
    "--ignore-revs-file=",  # an empty name takes back what blame.ignoreRevsFile has git look through
)
_MARK_THE_END = ("blame.showRoot=false",)  # else the oldest commit of a shallow history looks like any other


Summary = tuple[str, str, str]  # a commit (full id), its author's day (YYYY-MM-DD) and its subject: foreign text


def last_change(root: Path, revision: str | None, path: str, line: int) -> Summary | None:
    """The commit that last changed line `line` (1-based) of `path` in the commit `revision` (a full id).

    Its subject has at most 72 characters, and whoever shows it has to escape them.
    Without a revision it is a line of the file on disk. None if that line is not committed as it stands; if
    there is no such line, file, commit, or repository whose top is `root`; where the history is cut off (shallow
    clone); and whenever git fails or takes too long.
    """
    try:
        repository = open_repository(root, seconds=SECONDS)
        commit = revision or ref_value(repository, "HEAD")
        if commit is None or not is_object_id(commit) or not is_inside(path):
            return None
        place = line if revision else _line_in(repository, commit, path, root, line)
        return None if place is None or place < 1 else _blame(repository.git, commit, path, place)
    except (RepoError, UnreadableFile):
        return None


def _line_in(repository: Repository, commit: str, path: str, root: Path, line: int) -> int | None:
    """Where a line of the file on disk stands in `commit`: git would run filters over the file to tell."""
    committed = CommitFiles(repository.git, commit, MAX_FILE_BYTES).read(path)
    present = WorktreeRepo(root, repository=repository).read(path)
    if committed is None or present is None:
        return None
    place = kept_lines(_lines(committed), _lines(present)).get(line - 1)
    return None if place is None else place + 1


def _lines(data: bytes) -> list[str]:
    return [line.removesuffix("\r") for line in data.decode("latin-1").split("\n")]  # one character for every byte


def _blame(git: Git, commit: str, path: str, line: int) -> Summary | None:
    command = (*_COMMAND, f"-L{line},{line}", commit, "--", path)
    answer = git.run(*command, options=_MARK_THE_END, ok_statuses=ANY_STATUS)
    if answer.status:
        return None
    # `ID LINE LINE COUNT`, then `key value` lines, then a TAB and the line itself (git-blame, the porcelain format)
    first, *rows = answer.output.partition(b"\n\t")[0].decode("utf-8", "replace").split("\n")
    fields = {key: value for key, _, value in (row.partition(" ") for row in rows)}
    changed = first.partition(" ")[0]
    head = git.ask("cat-file", "commit", changed).partition(b"\n\n")[0]
    if "boundary" in fields and b"\nparent " in head:
        return None  # the oldest commit of a shallow clone: the line may be older
    day = git.ask("log", "-1", "--no-show-signature", "--date=short", "--format=%ad", changed).decode().strip()
    subject = fields["summary"].strip()
    short = subject if len(subject) <= SUBJECT_LENGTH else f"{subject[: SUBJECT_LENGTH - 1]}…"
    return changed, day or "1970-01-01", short
