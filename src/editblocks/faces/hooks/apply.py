"""`editblocks hook apply`: apply staged response files to the working tree, and stop the commit for a review.

The changes are not staged: the user reviews them and stages them. Each response file is applied in full or not at all,
and only to files without unstaged changes. Page: docs/reference/pre-commit.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.errors import Refused
from editblocks.core.outcome import Outcome
from editblocks.core.phrases import for_people
from editblocks.core.settings import Settings
from editblocks.faces.common.reading import find_root, here, hook_settings
from editblocks.faces.common.terminal import BROKEN, FINE, NOT_OK, code_for, message, show, show_wrapped
from editblocks.faces.hooks.check import ON_DISK, plan_file, request_for, responses, result_text
from editblocks.report import short
from editblocks.report.escape import visible
from editblocks.report.view import OutcomeView
from editblocks.repos.git.command import Mode
from editblocks.repos.git.repository import Repository, open_repository
from editblocks.repos.stores.checkout import AsStagedRepo
from editblocks.run import settle


def main(files: Sequence[str]) -> int:
    """Apply the response files in `files`, by default all that the commit adds or changes. Return the exit code."""
    root = find_root(here())
    repository = open_repository(root, Mode.HOOK)
    settings = hook_settings(root, writes=True)
    changed = set[str]()
    paths = responses(repository, settings, files, "applied")
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
    outcome = plan_file(path, repo, settings, repository)
    if outcome is None:
        message(f"{path} is not staged, so it was not applied; git add it first")
        return FINE
    if outcome.result.ok:
        response_file = None if settings.after_apply == "keep" else path
        request = request_for(outcome.response, settings, repository)._replace(response_file=response_file)
        outcome = settle(request, None, open_repo, commits=False)
    if outcome.written:
        show_wrapped(_sentence_about_write(outcome, path, repo.record_id))
        return NOT_OK
    if outcome.refusal is not None:
        show_wrapped(f"{visible(path)}: {short.verdict(OutcomeView(outcome))}\n")
        return BROKEN
    show(result_text(outcome, ON_DISK))
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
