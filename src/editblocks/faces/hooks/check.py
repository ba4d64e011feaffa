"""Response files in a hook: what would become of their blocks, and the lines that say so; `hook pre-commit`.

Whoever commits or pushes waits for this (docs/internals/performance.md, "start"): only a response file with front
matter pays for a YAML parser. `pre_commit` reads the index alone. Page: docs/reference/hooks.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath

from editblocks.core.codes import State
from editblocks.core.errors import ConfigTextError, UnreadableFile
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Response, Source, unreadable
from editblocks.core.phrases import plural
from editblocks.core.settings import Settings
from editblocks.faces.common.locations import find_root, here
from editblocks.faces.common.reading import front_matter, hook_settings
from editblocks.faces.common.terminal import code_for, columns, message, show, show_wrapped
from editblocks.paths.policy import is_read_as_response
from editblocks.report.escape import shell_word
from editblocks.report.terminal.short import notes, short_rows, short_summary
from editblocks.report.terminal.styling import wrapped
from editblocks.report.view import OutcomeView
from editblocks.repos.files.tree_modes import from_system
from editblocks.repos.git.command import Mode
from editblocks.repos.git.repository import Repository, open_repository
from editblocks.repos.index.staged_files import staged_names
from editblocks.repos.stores.objects import IndexRepo
from editblocks.run.flow import ApplyRequest, Version, plan
from editblocks.text.source_text import SourceText

# What to do next: `{file}` is the path from where people stand, `{path}` that from the top; `{command}` tells more.
ON_DISK = "next: editblocks {command} {file}"


def pre_commit(named: Sequence[str]) -> int:
    """Check the response files that are named, or all that the commit adds or changes; the exit code."""
    root = find_root(here())
    repository = open_repository(root, Mode.HOOK)
    settings = hook_settings(root)
    paths = responses(repository, settings, named, "checked")
    repo = IndexRepo(repository, max_file_bytes=settings.max_file_bytes)
    failed = check(paths, repo, settings, lambda outcome: _next(repository, outcome))
    if failed and not named:  # who named files started no commit by that, or has pre-commit say how it ended
        of = f"{failed} of {plural(len(paths), 'response file')}"
        show_wrapped(
            f"nothing is committed: {of} cannot be applied; repair what failed, git add it, then commit again\n"
        )
    return code_for(not failed)


def _next(repository: Repository, outcome: Outcome) -> str:
    """The next command to show. For a file that fails, it must work after git has thrown a temporary index away."""
    if outcome.result.ok:
        return "next: editblocks apply {file}"
    if PurePath(os.environ.get("GIT_INDEX_FILE") or "index").name != "index":
        return ON_DISK  # `git commit -a` and `git commit FILE` have an index that is thrown away with the commit
    path = outcome.response.source.path or ""
    if repository.git.ask("ls-files", "--modified", "-z", "--", path):
        return "it differs on disk; next: git add {file}"
    return "next: editblocks {command} --staged {file}"


def responses(repository: Repository, settings: Settings, named: Sequence[str], done: str) -> list[str]:
    """The response files among `named`, or of all files that the commit adds or changes if it is empty, in name order.

    For each named file that is no response file, a message says that it was not `done`, such as "checked".
    """
    patterns = settings.response_files
    expected = ", ".join(patterns) or "response files are off"
    paths = {path for path in named or staged_names(repository.git) if is_read_as_response(path, patterns)}
    for path in named:
        if path not in paths:
            message(f"{path} is not a response file ({expected}), so it was not {done}")
    return sorted(paths)


def check(
    paths: Sequence[str], repo: Version, settings: Settings, advice: Callable[[Outcome], str], *, quiet: bool = False
) -> int:
    """Plan response files and print the result of each, if `quiet` only of those that fail. Returns how many fail."""
    repo.prefetch(paths)
    failed = 0
    for path in paths:
        outcome = plan_file(path, repo, settings)
        if outcome is None:
            message(f"{path} is not staged, so it was not checked; git add it first")
            continue
        failed += not outcome.result.ok
        if not (quiet and outcome.result.ok):
            show(lines(outcome, advice(outcome)))
    return failed


def plan_file(path: str, repo: Version, settings: Settings) -> Outcome | None:
    """Plan the response file at `path` in `repo`; None if it is not there."""
    source = Source(path, "file", path=path)
    try:
        data = repo.read(path)
        if data is None:
            return None
        text = SourceText.decode(data, path).text()
        front = None
        if len(data) <= settings.max_response_bytes:  # a longer one stays whole, so that the engine sees its length
            front = front_matter(text, path)
    except (UnreadableFile, ConfigTextError) as error:
        return Outcome(Response("", source), ApplyResult(problems=(unreadable(error),)), State.FAILED, repo.head)
    return plan(ApplyRequest(Response(text, source, front=front), settings), repo)


def lines(outcome: Outcome, advice: str) -> str:
    """The rows that fail, with the lines that differ, notes, then a line that sums up and says what to do."""
    width = columns(sys.stdout)
    view = OutcomeView(outcome)
    rows = short_rows(view, full=True, quiet=True, width=width)
    summary = short_summary(view)
    next_step = _advice(outcome, advice)
    if next_step:
        summary = f"{summary}; {next_step}"
    return f"{rows}{wrapped(notes(view) + summary, width)}\n"


def _advice(outcome: Outcome, advice: str) -> str:
    result = outcome.result
    path = outcome.response.source.path or ""
    if not result.rows:
        return "add one, or remove the file"
    if not outcome.response.text:
        return "repair the file, then git add it"
    if result.ok and not result.contents:
        return "nothing is left to apply"
    command = "retry" if outcome.retry_blocks else "check"
    return advice.format(command=command, file=file_from_here(path), path=shell_word(path))


def file_from_here(path: str) -> str:
    """A path from the top, as a word of a command that works in the folder where git was started.

    Git starts hooks at the top; GIT_PREFIX names the folder below it in which git itself was started.
    """
    start = from_system(os.environ.get("GIT_PREFIX") or os.curdir)
    seen = Path(os.path.relpath(find_root(here()) / path, start)).as_posix()
    if seen.startswith("-"):
        seen = f"./{seen}"
    return shell_word(seen)
