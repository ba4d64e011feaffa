"""Check response files in hooks, which read only the index; and `editblocks hook apply`, which applies staged ones.

The user waits for this during a commit or push (docs/internals/performance.md, "start"), so the YAML parser is loaded
only for a response file with front matter. What `apply` changes is not staged: the user reviews and stages it. Each
response file is applied in full or not at all, and only to files without unstaged changes.
Pages: docs/reference/hooks.md and docs/reference/pre-commit.md.
"""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path, PurePath

from editblocks.core.codes import State
from editblocks.core.errors import ConfigTextError, Refused, UnreadableFile
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Response, Source, WrittenFile, unreadable
from editblocks.core.phrases import for_people, plural
from editblocks.core.settings import Settings
from editblocks.faces.reading import find_root, front_matter, here, hook_settings
from editblocks.faces.terminal import BROKEN, FINE, NOT_OK, code_for, columns, message, show, show_wrapped
from editblocks.paths.policy import is_read_as_response
from editblocks.report import short
from editblocks.report.escape import shell_word, visible
from editblocks.report.view import OutcomeView
from editblocks.report.wrapping import wrapped
from editblocks.repos.git.index import staged_names
from editblocks.repos.git.repository import Mode, Repository, may_have_records, open_repository
from editblocks.repos.stores.checkout import AsStagedRepo
from editblocks.repos.stores.objects import IndexRepo
from editblocks.repos.tree_modes import from_system
from editblocks.run import ApplyRequest, Version, plan, settle
from editblocks.text.source_text import SourceText

# The template of the advice for a file on disk. In all templates `{file}` is the path from the current directory of the
# user, `{path}` the path from the top of the repository, and `{command}` the command that shows more.
_ON_DISK = "next: editblocks {command} {file}"


def pre_commit(files: Sequence[str]) -> int:
    """Check the response files in `files`, by default all that the commit adds or changes. Return the exit code."""
    root = find_root(here())
    repository = open_repository(root, Mode.HOOK)
    settings = hook_settings(root)
    paths = _responses(repository, settings, files, "checked")
    repo = IndexRepo(repository, max_file_bytes=settings.max_file_bytes)
    failed = check(paths, repo, settings, repository, lambda outcome: _template(repository, outcome))
    if failed and not files:  # a user names files outside a commit; pre-commit names files, and reports the end itself
        what = f"{failed} of {plural(len(paths), 'response file')} cannot be applied"
        show_wrapped(f"nothing is committed: {what}; repair what failed, git add it, then commit again\n")
    return code_for(not failed)


def _template(repository: Repository, outcome: Outcome) -> str:
    """Return the template of the advice. For a failed file it must work after git has deleted a temporary index."""
    if outcome.result.ok:
        return "next: editblocks apply {file}"
    if PurePath(os.environ.get("GIT_INDEX_FILE") or "index").name != "index":
        return _ON_DISK  # `git commit -a` and `git commit FILE` use a temporary index
    path = outcome.response.source.path or ""
    if repository.git.ask("ls-files", "--modified", "-z", "--", path):
        return "it differs on disk; next: git add {file}"
    return "next: editblocks {command} --staged {file}"


def check(
    paths: Sequence[str],
    repo: Version,
    settings: Settings,
    repository: Repository,
    template_for: Callable[[Outcome], str],
) -> int:
    """Plan response files, and print the result of each (on a server only failures). Return how many fail."""
    is_server = repository.git.mode is Mode.RECEIVE
    repo.prefetch(paths)
    failed = 0
    for path in paths:
        outcome = _plan_file(path, repo, settings, repository)
        if outcome is None:
            message(f"{path} is not staged, so it was not checked; git add it first")
            continue
        if not outcome.result.ok:
            failed += 1
        if not is_server or not outcome.result.ok:
            show(_result_text(outcome, template_for(outcome)))
    return failed


def apply_staged(files: Sequence[str]) -> int:
    """Apply the response files in `files`, by default all that the commit adds or changes. Return the exit code."""
    root = find_root(here())
    repository = open_repository(root, Mode.HOOK)
    settings = hook_settings(root, writes=True)
    changed = set[str]()
    paths = _responses(repository, settings, files, "applied")
    return max([_apply(path, repository, settings, changed) for path in paths], default=FINE)


def _apply(path: str, repository: Repository, settings: Settings, changed: set[str]) -> int:
    """Apply one response file, print the result, and return the exit code.

    `changed` holds the paths that this run has already changed, and is updated.
    """
    repo: AsStagedRepo  # the last one that was opened

    def open_repo() -> AsStagedRepo:
        nonlocal repo
        repo = AsStagedRepo(repository, settings.max_file_bytes, changed)
        repo.recover()
        for recovery in repo.recoveries:
            message(str(recovery))
        return repo

    repo = open_repo()
    try:
        repo.refuse_unstaged([path])
    except Refused as error:
        show_wrapped(visible(f"{path}: nothing written: {for_people(error.code, error.message)}") + "\n")
        return BROKEN
    outcome = _plan_file(path, repo, settings, repository)
    if outcome is None:
        message(f"{path} is not staged, so it was not applied; git add it first")
        return FINE
    if outcome.result.ok:
        response_file = None if settings.after_apply == "keep" else path
        request = _request_for(outcome.response, settings, repository)._replace(response_file=response_file)
        outcome = settle(request, None, open_repo, commits=False)
    if outcome.written:
        show_wrapped(_sentence_about_write(outcome, path, repo.record_id))
        return NOT_OK
    if outcome.refusal is not None:
        show_wrapped(f"{visible(path)}: {short.verdict(OutcomeView(outcome))}\n")
        return BROKEN
    show(_result_text(outcome, _ON_DISK))
    return code_for(outcome.ok)


def _sentence_about_write(outcome: Outcome, path: str, record_id: str | None) -> str:
    """Return a sentence: what was written, and what to do next.

    After the hook, pre-commit restores unstaged changes in these files. The hook cannot see them.
    """
    view = OutcomeView(outcome)
    done = short.verdict(view)
    if not outcome.result.contents:
        done = "removed, because nothing was left to apply"
    elif outcome.removed_file is not None:
        done += ", then removed"
    line = f"{visible(path)}: {done}; look at the change, then git add what you want of it, and commit again"
    if record_id:
        line += f"; undo with: editblocks undo {record_id}"
    return f"{short.notes(view)}{line}\n"


def _responses(repository: Repository, settings: Settings, files: Sequence[str], verb: str) -> list[str]:
    """Return the response files in `files`, by default in all files that the commit adds or changes, sorted by name.

    Prints a message for each file in `files` that is not a response file: it was not `verb`, for example "checked".
    """
    patterns = settings.response_files
    expected = ", ".join(patterns) or "response files are off"
    paths = {path for path in files or staged_names(repository.git) if is_read_as_response(path, patterns)}
    for path in files:
        if path not in paths:
            message(f"{path} is not a response file ({expected}), so it was not {verb}")
    return sorted(paths)


def _plan_file(path: str, repo: Version, settings: Settings, repository: Repository) -> Outcome | None:
    """Plan the response file at `path` in `repo`. Return None if it does not exist."""
    source = Source(path, "file", path=path)
    try:
        data = repo.read(path)
        if data is None:
            return None
        text = SourceText.decode(data, path).text()
        front = None
        if len(data) <= settings.max_response_bytes:  # a longer file is not parsed; the engine reports its length
            front = front_matter(text, path)
    except (UnreadableFile, ConfigTextError) as error:
        return Outcome(Response("", source), ApplyResult(problems=(unreadable(error),)), State.FAILED, repo.head)
    response = Response(text, source, front=front)
    return plan(_request_for(response, settings, repository), repo)


def _request_for(response: Response, settings: Settings, repository: Repository) -> ApplyRequest:
    """Return the request for one response, with the undo records of the repository."""
    return ApplyRequest(response, settings, written=partial(_written_before, repository, response))


def _written_before(repository: Repository, response: Response) -> Sequence[WrittenFile]:
    """Return the files as earlier applies of this response left them. A server has no records."""
    if repository.git.mode is Mode.RECEIVE or not may_have_records(repository.git_dir):
        return ()
    from editblocks.repos.records import written_files  # loaded late, because a hook has to start fast

    return written_files(repository, response)


def _result_text(outcome: Outcome, template: str) -> str:
    """Return the rows of failed blocks with the differing lines, the notes, and a summary with the advice."""
    width = columns(sys.stdout)
    view = OutcomeView(outcome)
    rows = short.short_rows(view, full=True, quiet=True, width=width)
    summary = short.short_summary(view)
    advice = _advice(outcome, template)
    if advice:
        summary = f"{summary}; {advice}"
    return f"{rows}{wrapped(short.notes(view) + summary, width)}\n"


def _advice(outcome: Outcome, template: str) -> str:
    """Return what to do about a response file; `template` if there is a command for it."""
    result = outcome.result
    path = outcome.response.source.path or ""
    if not result.rows:
        return "add one, or remove the file"
    if not outcome.response.text:
        return "repair the file, then git add it"
    if result.ok and not result.contents:
        return "nothing is left to apply"
    command = "retry" if outcome.retry_blocks else "check"
    return template.format(command=command, file=file_from_here(path), path=shell_word(path))


def file_from_here(path: str) -> str:
    """Return a path from the top of the repository as a shell word for the directory in which git was started.

    Git runs hooks at the top, and sets GIT_PREFIX to the subdirectory in which git was started.
    """
    start = from_system(os.environ.get("GIT_PREFIX") or os.curdir)
    relative = Path(os.path.relpath(find_root(here()) / path, start)).as_posix()
    if relative.startswith("-"):
        relative = f"./{relative}"
    return shell_word(relative)
