"""`editblocks hook pre-push` and `pre-receive`: do the response files in a push fit the commits that are pushed?

Started by `hooks/pre-push` here and by `hooks/pre-receive` on a server, where the new objects lie in quarantine and
the policy is that of the server's own default branch, whatever is pushed. Nothing is written. Page:
docs/reference/hooks.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from editblocks.core.errors import ConfigError, RepoError, UnreadableFile, UsageError, reason_of
from editblocks.core.phrases import plural
from editblocks.core.settings import Settings
from editblocks.faces.common.exit_codes import FINE, NOT_OK
from editblocks.faces.common.hook_settings import FILE, hook_settings, settings_from_data
from editblocks.faces.common.locations import find_root, here
from editblocks.faces.common.terminal import show
from editblocks.faces.hooks.check import advice_for_push, lines, plan, refuse_option
from editblocks.faces.hooks.pushed_refs import PushedCommit, read_received, read_sent, tips
from editblocks.report.escape import visible
from editblocks.repos.git.command import ANY_STATUS, Mode
from editblocks.repos.git.commit_files import CommitFiles
from editblocks.repos.git.repository import Repository, open_repository, ref_value
from editblocks.repos.stores.commit_repo import ObjectsRepo

_POLICY_BYTES = 64 * 1024  # docs/internals/security.md, "policy"
_MOST_BYTES = 64 * 1024 * 1024  # of standard input: some 400,000 refs in one push
_OPERANDS = 2  # git names the remote and its address


def pre_push(operands: Sequence[str]) -> int:
    """Check what is about to be pushed, by the lines of standard input; the exit code.

    `operands` are what git says of the remote, which makes no difference: what any remote has is not new. Raises
    `ConfigError` and `RepoError`.
    """
    if len(list(map(refuse_option, operands))) > _OPERANDS:
        raise UsageError("pre-push takes the name of a remote and its address; let git start it")
    pushes = read_sent(_standard_input("pre-push"))
    root = find_root(here())
    settings = hook_settings(root)
    repository = open_repository(root, Mode.HOOK)
    new_tips = tips(repository, pushes, settings.response_files, "--remotes") if settings.response_files else ()
    codes = [_check(tip, repository, settings) for tip in new_tips]
    return max(codes, default=FINE)


def pre_receive(operands: Sequence[str]) -> int:
    """Check what a server is about to take, by the lines of standard input; the exit code.

    Raises `ConfigError` and `RepoError`, by which the push is refused as well.
    """
    if operands:
        raise UsageError(f"pre-receive takes no `{operands[0]}`; let git start it")
    pushes = read_received(_standard_input("pre-receive"))
    root = here()
    repository = open_repository(root, Mode.RECEIVE)
    _check_quarantine(repository)
    try:
        settings = _policy(repository)
    except ConfigError:
        # Nobody could repair that policy if it stopped every push: it stops those which it is there for.
        if any(tips(repository, pushes, Settings().response_files, "--all")):
            raise
        return FINE
    new_tips = tips(repository, pushes, settings.response_files, "--all") if settings.response_files else ()
    codes = [_check(tip, repository, settings) for tip in new_tips]
    return max(codes, default=FINE)


def _check(tip: PushedCommit, repository: Repository, settings: Settings) -> int:
    """Plan the response files of one commit on its tree, and print what is not fine; on a server, nothing else."""
    limit = settings.max_file_bytes
    repo = ObjectsRepo(repository, tip.commit, max_file_bytes=limit)
    repo.prefetch(tip.paths)
    failed, words = 0, advice_for_push(tip.commit)
    for path in tip.paths:
        outcome = plan(path, repo, settings, words)
        if outcome is None:
            continue
        failed += not outcome.result.ok
        if repository.git.mode is Mode.HOOK or not outcome.result.ok:
            show(lines(outcome, words))
    if not failed:
        return FINE
    show(_refusal(tip, failed, "is refused" if repository.git.mode is Mode.RECEIVE else "is not pushed"))
    return NOT_OK


def _refusal(tip: PushedCommit, failed: int, verdict: str) -> str:
    where = f"{visible(tip.ref)} at {tip.commit[:7]}"
    of = f"{failed} of {plural(len(tip.paths), 'response file')}"
    return f"{where} {verdict}: {of} cannot be applied there; commit the repair on top, then push again\n"


def _policy(repository: Repository) -> Settings:
    """The settings of the default branch alone, because whoever pushes may control the environment."""
    head = ref_value(repository, "HEAD")
    if head is None:
        return settings_from_data(None, {})
    branch = os.fsdecode(repository.git.run("symbolic-ref", "--short", "HEAD", ok_statuses=ANY_STATUS).output).strip()
    try:
        data = CommitFiles(repository.git, head, _POLICY_BYTES).read(FILE)
    except UnreadableFile as error:
        raise ConfigError(f"{error.message} (on {branch or head[:7]})") from error
    return settings_from_data(data, {}, branch or head[:7])


def _check_quarantine(repository: Repository) -> None:
    """Raise `RepoError` if the folder of the new objects is none of this repository's."""
    place, objects = os.environ.get("GIT_OBJECT_DIRECTORY"), (repository.common_dir / "objects").resolve()
    if place and objects not in (Path(place).resolve(), *Path(place).resolve().parents):
        raise RepoError(f"GIT_OBJECT_DIRECTORY leads out of the repository at {repository.git_dir}; unset it")


def _standard_input(stage: str) -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(f"{stage} reads the lines that git writes to it; let git start it")
    try:
        data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    except OSError as error:
        raise RepoError(f"standard input cannot be read: {reason_of(error)}; let git start {stage}") from error
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"standard input has over {_MOST_BYTES:,} bytes, which is the limit; push fewer refs at once")
    return data
