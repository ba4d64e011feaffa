"""One response as it is reported to other tools: its outcome, what was asked for, and what would mend it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from editblocks.core.selection import without
from editblocks.report.tools.fixes import Fix
from editblocks.report.view import OutcomeView, source_name

FINE, NOT_OK, BROKEN = 0, 1, 2  # what the run exits with: docs/reference/command-line.md, "exit codes"


@dataclass(frozen=True, slots=True)
class Report:
    """What every format is made from. `command` and `mode` are words of `results.schema.json`.

    `following` are the commands that a person may type next. `path` is the response file as blocks would call it;
    None if it is none of the repository. `fixes` are those of `fixes.fixes`, by block. `target` is what the blocks were
    checked against: `kind` (worktree, index, commit, pull-request or memory), `repository`, `pull_request`, `ref`.
    """

    view: OutcomeView
    command: str = "check"
    mode: str = "all-or-nothing"
    target: Mapping[str, object] = field(default_factory=dict)
    version: str = ""
    following: Sequence[str] = ()
    path: str | None = None
    fixes: Mapping[int, Fix] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What to call the response: its path, or where it came from. Foreign text."""
        return self.path or source_name(self.view.outcome.response.source)

    @property
    def chosen(self) -> OutcomeView:
        """The view without the failures of blocks that nobody chose, as the exit code counts it."""
        outcome = self.view.outcome
        return OutcomeView(replace(outcome, result=without(outcome.result, outcome.not_selected)))

    @property
    def exit_code(self) -> int:
        """What a run with this response alone exits with."""
        if self.view.outcome.refusal is not None:
            return BROKEN
        return FINE if self.view.outcome.ok else NOT_OK
