"""`editblocks hook apply`: apply staged response files to the working tree, and stop the commit to have it looked at.

Nothing is staged: whoever commits looks at what was applied, and adds it. Each response file is applied as a whole or
not at all, and only to files that are on disk as they are staged. Page: docs/reference/pre-commit.md.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from editblocks.core.errors import Refused
from editblocks.core.outcome import Outcome, Response
from editblocks.core.settings import Settings
from editblocks.faces.common.exit_codes import BROKEN, FINE, NOT_OK
from editblocks.faces.common.hook_settings import hook_settings
from editblocks.faces.common.locations import find_root, here
from editblocks.faces.common.terminal import message, show
from editblocks.faces.hooks.check import ON_DISK, file_from_here, lines, plan, refuse_option
from editblocks.paths.response_files import is_read_as_response
from editblocks.report.escape import visible
from editblocks.report.terminal import short
from editblocks.report.view import OutcomeView
from editblocks.repos.files.names import from_system
from editblocks.repos.git.command import Mode
from editblocks.repos.git.repository import Repository, open_repository
from editblocks.repos.index.staged_files import staged_names
from editblocks.repos.stores.staged_worktree import AsStagedRepo
from editblocks.run.flow import ApplyRequest, settle
from editblocks.run.response_file import contents_of

_MOST_NAMED = 5  # files in the command that stages them
_HELP = """\
usage: editblocks hook apply [FILES...]

Apply staged response files (.edits/*.md) to the working tree, remove them, and
exit 1, so that the change is looked at and staged. Files that are not on disk
as they are staged are left alone. FILES are paths from the top of the
repository, as pre-commit passes them; without any, all response files that the
commit adds or changes.

example:
  editblocks hook apply .edits/cart.md
"""


def main(argv: Sequence[str]) -> int:
    """Apply the response files that `argv` names, what follows `editblocks hook apply`; the exit code.

    Raises `ConfigError` for usage and configuration, and `RepoError` for git.
    """
    if list(argv) in (["-h"], ["--help"]):
        show(_HELP)
        return FINE
    named = [from_system(refuse_option(operand)).removeprefix("./") for operand in argv]
    root = find_root(here())
    repository = open_repository(root, Mode.HOOK)
    bench = Workbench(root, repository, hook_settings(root, writes=True))
    paths = [path for path in named or staged_names(repository.git) if bench.is_response(path, is_asked=bool(named))]
    return max([bench.apply(path) for path in sorted(set(paths))], default=FINE)


@dataclass(slots=True)
class Workbench:
    """The working tree at `root`, what holds for it, and what this run has changed there."""

    root: Path
    repository: Repository
    settings: Settings
    ours: set[str] = field(default_factory=set)
    last: AsStagedRepo | None = None  # the one that was opened last

    def is_response(self, path: str, *, is_asked: bool) -> bool:
        """Whether responses are read from files like `path`; one that was asked for deserves a word."""
        patterns = self.settings.response_files
        if is_read_as_response(path, patterns):
            return True
        if is_asked:
            message(f"{path} is no response file ({', '.join(patterns) or 'they are off'}), so it was not applied")
        return False

    def apply(self, path: str) -> int:
        """Apply one response file, say what became of it, and return what that means for the commit."""
        repo = self._open()
        try:
            repo.refuse_unstaged([path])
        except Refused as error:
            show(visible(f"{path}: nothing written: {error.code.value}: {error.message}") + "\n")
            return BROKEN
        outcome = plan(path, repo, self.settings, ON_DISK)
        if outcome is None:
            message(f"{path} is not staged, so it was not applied; git add it first")
            return FINE
        if outcome.result.ok:
            outcome = self._outcome(outcome.response, path)
        show(self._sentence(outcome, path))
        return BROKEN if outcome.refusal else FINE if outcome.ok and not outcome.written else NOT_OK

    def _outcome(self, response: Response, path: str) -> Outcome:
        removes = None if self.settings.after_apply == "keep" else path
        return settle(ApplyRequest(response, self.settings, removes=removes), _Gate(), self._open, sleep=time.sleep)

    def _open(self) -> AsStagedRepo:
        """The files as they are now, once a write that was interrupted has been dealt with."""
        self.last = AsStagedRepo(self.repository, self.settings.max_file_bytes, self.ours)
        self.last.recover()
        for recovery in self.last.recoveries:
            message(str(recovery))
        return self.last

    def _sentence(self, outcome: Outcome, path: str) -> str:
        """What became of a response: the lines of the check, unless something was to be written."""
        if outcome.written:
            receipt = self.last.receipt if self.last else None
            back = f"; undo with: editblocks undo {receipt}" if receipt else ""
            advice = f"look at the change, then {_staging(outcome)}, and commit again{back}"
            sentence = f"{visible(path)}: {_done_message(outcome)}; {advice}"
            return f"{short.notes(OutcomeView(outcome))}{sentence}\n"
        if outcome.refusal is not None:
            return f"{visible(path)}: {short.verdict(OutcomeView(outcome))}\n"
        return lines(outcome, ON_DISK)


class _Gate:
    """Whoever commits may change the files."""

    def refusal(self, response: Response) -> None:
        del response


def _done_message(outcome: Outcome) -> str:
    if not outcome.result.contents:
        return "removed, as nothing was left to apply"
    return f"{short.verdict(OutcomeView(outcome))}{', then removed' if outcome.removed_file else ''}"


def _staging(outcome: Outcome) -> str:
    """What stages the change, with the files if they fit into a line.

    pre-commit lays what was not staged over them once the hook has ended, which cannot know of it.
    """
    paths = list(contents_of(outcome))
    if len(paths) > _MOST_NAMED:
        return "git add what you want of it"
    return f"git add -p, or git add -- {' '.join(map(file_from_here, paths))} to stage these files whole"
