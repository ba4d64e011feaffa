"""`editblocks hook pre-commit`: do the staged response files fit the staged tree?

Started by `hooks/pre-commit` and by pre-commit. Of the files only the index is read and nothing is written, so the
verdict does not depend on what else lies in the working tree. Page: docs/reference/hooks.md.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath

from editblocks.core.phrases import plural
from editblocks.core.settings import Settings
from editblocks.faces.common.exit_codes import FINE, NOT_OK
from editblocks.faces.common.hook_settings import hook_settings
from editblocks.faces.common.locations import find_root, here
from editblocks.faces.common.terminal import message, show
from editblocks.faces.hooks.check import ON_DISK, STAGED, UNSTAGED, Advice, lines, plan, refuse_option
from editblocks.paths.response_files import folders_of, is_read_as_response
from editblocks.repos.files.names import to_text
from editblocks.repos.git.command import Git, Mode
from editblocks.repos.git.repository import Repository, open_repository
from editblocks.repos.stores.index_repo import IndexRepo


def main(operands: Sequence[str]) -> int:
    """Check the response files that are named, or all that the commit adds or changes; the exit code.

    Raises `ConfigError` and `RepoError`.
    """
    root = find_root(here())
    named = [refuse_option(operand).removeprefix("./") for operand in operands]
    settings = hook_settings(root)
    patterns = settings.response_files
    ours = sorted({path for path in named if _is_one(path, patterns)})
    if not (ours or (patterns and not named)):
        return FINE
    repository = open_repository(root, Mode.HOOK)
    paths = ours or _staged_responses(repository.git, patterns)
    failed = _check(repository, paths, settings) if paths else 0
    if failed and not named:  # who named files started no commit by that, or has pre-commit say how it ended
        of = f"{failed} of {plural(len(paths), 'response file')}"
        show(f"nothing is committed: {of} cannot be applied; git add the repair, then commit again\n")
    return NOT_OK if failed else FINE


def _check(repository: Repository, paths: Sequence[str], settings: Settings) -> int:
    """Plan each of these staged response files on the index, and print what is not fine; how many cannot be applied."""
    repo = IndexRepo(repository, max_file_bytes=settings.max_file_bytes)
    repo.prefetch(paths)
    failed = 0
    for path in paths:
        outcome = plan(path, repo, settings, STAGED)
        if outcome is None:
            message(f"{path} is not staged, so it was not checked; git add it first")
            continue
        failed += not outcome.result.ok
        show(lines(outcome, STAGED if outcome.result.ok else _words(repository, path)))
    return failed


def _words(repository: Repository, path: str) -> Advice:
    """Where whoever commits finds afterwards what was checked of `path`, so that a command tells the same of it."""
    if PurePath(os.environ.get("GIT_INDEX_FILE") or "index").name != "index":
        return ON_DISK  # `git commit -a` and `git commit FILE` have an index that is thrown away with the commit
    return UNSTAGED if repository.git.ask("ls-files", "--modified", "-z", "--", path) else STAGED


def _staged_responses(git: Git, patterns: Sequence[str]) -> list[str]:
    """Response files that the commit adds or changes, in name order; those that it deletes are none."""
    options = ("--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", "--no-ext-diff", "--no-textconv")
    names = map(to_text, git.ask("diff", *options, "--", *folders_of(patterns)).split(b"\0"))
    return sorted(name for name in names if is_read_as_response(name, patterns))


def _is_one(path: str, patterns: Sequence[str]) -> bool:
    if is_read_as_response(path, patterns):
        return True
    message(f"{path} is no response file ({', '.join(patterns) or 'they are off'}), so it was not checked")
    return False
