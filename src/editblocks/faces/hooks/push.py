"""`editblocks hook pre-push` and `pre-receive`: check whether the response files in a push fit the pushed commits.

Only response files from commits that the receiving repository lacks are checked, so nobody is blamed for a file that
was fetched and is pushed to another branch. Only the tree of each pushed tip is checked. A server uses the policy of
its own default branch, whatever is pushed. Page: docs/reference/hooks.md.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from editblocks.core.errors import ConfigError, RepoError, UnreadableFile, UsageError, reason_of
from editblocks.core.outcome import Outcome
from editblocks.core.phrases import plural
from editblocks.core.settings import POLICY_FILE, Settings
from editblocks.faces.hooks.check import check
from editblocks.faces.reading import POLICY_BYTES, find_root, here, hook_settings, settings_from_data
from editblocks.faces.terminal import FINE, NOT_OK, show_wrapped
from editblocks.paths.policy import folders_of, response_paths
from editblocks.report.escape import visible
from editblocks.repos.git.commits import CommitFiles
from editblocks.repos.git.repository import (
    Mode,
    Repository,
    is_object_id,
    open_repository,
    printable,
    ref_value,
    symbolic_ref,
)
from editblocks.repos.stores.objects import CommitReader
from editblocks.repos.tree_modes import MAX_FILE_BYTES, to_text

_MOST_BYTES = 64 * 1024 * 1024  # of standard input: about 400,000 refs in one push
_SHORT = 12  # hex digits of a commit in a command: seven may be ambiguous in a large repository

Push = tuple[str, str | None, str | None]  # a ref of the receiver, its new id and its old id; None: no such ref
Tip = tuple[str, str, list[str]]  # a ref, its new commit, and the paths of response files to check in it


def pre_push(_: Sequence[str]) -> int:
    """Check the commits to be pushed that are on no remote yet. Return the exit code."""
    pushes = _pushes("pre-push", old_at=3)  # a line: local ref, new id, remote ref, old id
    root = find_root(here())
    settings = hook_settings(root)
    repository = open_repository(root, Mode.HOOK)
    tips = _tips(repository, pushes, settings.response_files)
    return max([_check(repository, tip, settings) for tip in tips], default=FINE)


def pre_receive(_: Sequence[str]) -> int:
    """Check a push that a server is receiving. Return the exit code. An exception also refuses the push."""
    pushes = _pushes("pre-receive", old_at=0)  # a line: old id, new id, ref
    repository = open_repository(here(), Mode.RECEIVE)
    _refuse_foreign_quarantine(repository)
    try:
        settings = _policy(repository)
    except ConfigError:
        # A broken policy refuses only pushes with response files. Otherwise nobody could push its repair.
        if any(_tips(repository, pushes, Settings().response_files)):
            raise
        return FINE
    tips = _tips(repository, pushes, settings.response_files)
    return max([_check(repository, tip, settings) for tip in tips], default=FINE)


def _check(repository: Repository, tip: Tip, settings: Settings) -> int:
    """Check the response files of one commit against its tree, and print the results; on a server only failures."""
    ref, commit, paths = tip
    is_server = repository.git.mode is Mode.RECEIVE
    short = commit[:_SHORT]

    def template_for(outcome: Outcome) -> str:
        if outcome.result.ok:
            return ""
        return f"next: git show {short}:{{path}} | editblocks {{command}} --rev {short} -"

    repo = CommitReader(repository, commit, max_file_bytes=settings.max_file_bytes)
    failed = check(paths, repo, settings, repository, template_for)
    if not failed:
        return FINE
    verdict = "is refused" if is_server else "is not pushed"
    what = f"{failed} of {plural(len(paths), 'response file')} cannot be applied there"
    show_wrapped(f"{visible(ref)} at {commit[:7]} {verdict}: {what}; commit the repair on top, then push again\n")
    return NOT_OK


def _tips(repository: Repository, pushes: Sequence[Push], patterns: Sequence[str]) -> Iterator[Tip]:
    """Yield each pushed commit that has response files new to the receiver, with the first ref that points to it.

    Skips deleted refs, and tags of blobs or trees. Raises `RepoError`.
    """
    commits = _commits(repository, [new for _, new, _ in pushes if new])
    olds = [old for _, _, old in pushes if old]
    refs = {commits[new]: ref for ref, new, _ in reversed(pushes) if new in commits}
    for commit, ref in reversed(refs.items()):
        files = response_paths(CommitFiles(repository.git, commit, MAX_FILE_BYTES).entries, patterns)
        if files:
            changed = _changed_paths(repository, commit, olds, folders_of(patterns))
            paths = [path for path in files if path in changed]
            if paths:
                yield ref, commit, paths


def _commits(repository: Repository, ids: Sequence[str]) -> dict[str, str]:
    """Return the commit of each id, also through tags. Ids of blobs and trees are left out."""
    if not ids:
        return {}
    requests = "".join(f"{object_id}^{{commit}}\n" for object_id in ids)
    answers = repository.git.ask("cat-file", "--batch-check=%(objectname)", stdin=requests.encode("ascii"))
    rows = answers.decode("ascii").splitlines()
    return {object_id: row for object_id, row in zip(ids, rows, strict=True) if is_object_id(row)}


def _changed_paths(repository: Repository, commit: str, olds: Sequence[str], folders: Sequence[str]) -> set[str]:
    """Return the paths in `folders` changed by commits that the receiver lacks; for a merge, relative to all parents.

    Old ids that were never fetched are ignored (`--ignore-missing`). Files in submodules are not included.
    """
    known = "--all" if repository.git.mode is Mode.RECEIVE else "--remotes"
    without_olds = "".join(f"^{old}\n" for old in olds).encode("ascii")
    words = ("--ignore-missing", commit, "--not", known, "--stdin", "--", *folders)
    commits = repository.git.ask("rev-list", *words, stdin=without_olds)
    if not commits:
        return set()
    options = ("--stdin", "--root", "--no-commit-id", "--name-only", "-r", "-c", "-z", "--no-renames", "--no-ext-diff")
    names = repository.git.ask("diff-tree", *options, "--", *folders, stdin=commits)
    return {to_text(name) for name in names.split(b"\0")}


def _policy(repository: Repository) -> Settings:
    """Return the settings of the default branch. Environment variables are ignored, as the pusher may control them."""
    head = ref_value(repository, "HEAD")
    if head is None:
        return settings_from_data(None, {})
    branch = (symbolic_ref(repository, "HEAD") or head[:7]).removeprefix("refs/heads/")
    try:
        data = CommitFiles(repository.git, head, POLICY_BYTES).read(POLICY_FILE)
    except UnreadableFile as error:
        raise ConfigError(f"{error.message} (on {branch})") from error
    return settings_from_data(data, {}, branch)


def _refuse_foreign_quarantine(repository: Repository) -> None:
    """Raise `RepoError` if the directory for new objects is outside this repository."""
    place = os.environ.get("GIT_OBJECT_DIRECTORY")
    objects = (repository.common_dir / "objects").resolve()
    if place and objects not in (Path(place).resolve(), *Path(place).resolve().parents):
        raise RepoError(f"GIT_OBJECT_DIRECTORY points outside the repository at {repository.git_dir}; unset it")


def _pushes(stage: str, *, old_at: int) -> list[Push]:
    """Parse the lines that git wrote to standard input. The new id is field 1, the ref field 2, the old id `old_at`."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(f"{stage} reads the lines that git writes to it; let git start it")
    try:
        data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    except OSError as error:
        raise RepoError(f"standard input cannot be read: {reason_of(error)}; let git start {stage}") from error
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"standard input is over the limit of {_MOST_BYTES:,} bytes; push fewer refs at once")
    pushes = list[Push]()
    for number, row in enumerate(to_text(data).split("\n"), 1):
        if not row:
            continue
        fields = row.rsplit(" ", 3)  # from the right, because a local ref may contain spaces: `HEAD@{1 day ago}`
        is_complete = len(fields) > max(2, old_at)
        if not is_complete or not is_object_id(fields[1]) or not is_object_id(fields[old_at]):
            what = f"line {number} of standard input is `{printable(row)}`, which does not name a ref with its ids"
            raise ConfigError(f"{what}; let git write these lines")
        pushes.append((fields[2], _id_or_none(fields[1]), _id_or_none(fields[old_at])))
    return pushes


def _id_or_none(object_id: str) -> str | None:
    """Return an id that git wrote, or None for the id of zeros, which means "no object"."""
    return object_id if object_id.strip("0") else None
