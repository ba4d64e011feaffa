"""One response as it is reported to other tools: its outcome, and what was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from editblocks.core.selection import without
from editblocks.report.view import OutcomeView, source_name


class Report(NamedTuple):
    """What every format is made from. `command` and `mode` are words of `results.schema.json`.

    `following` are the commands that a person may type next. `path` is the response file as blocks would call it;
    None if it is none of the repository. `target` is what the blocks were checked against: `kind` (worktree, index,
    commit, pull-request or memory), `repository`, `pull_request`, `ref`.
    """

    view: OutcomeView
    command: str = "check"
    mode: str = "all-or-nothing"
    target: Mapping[str, object] = MappingProxyType({})
    version: str = ""
    following: Sequence[str] = ()
    path: str | None = None
    meanings: Mapping[str, str] = MappingProxyType({})  # of the codes, for formats that show rules
    has_texts: bool = False  # the JSON result also holds the text of the blocks and places
    choosing: str = ""  # a command, up to where the choice of a place goes; empty if none would work

    @property
    def name(self) -> str:
        """What to call the response: its path, or where it came from. Foreign text."""
        return self.path or source_name(self.view.outcome.response.source)

    @property
    def chosen(self) -> OutcomeView:
        """The view without the failures of blocks that nobody chose, as the exit code counts it."""
        outcome = self.view.outcome
        return OutcomeView(outcome._replace(result=without(outcome.result, outcome.not_selected)))
