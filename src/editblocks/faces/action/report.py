"""What a run of the action leaves behind: outputs, job summary, report, log.

Rules: docs/reference/action.md, "outputs".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from editblocks import __version__
from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Refusal
from editblocks.faces.action.runner import Runner
from editblocks.faces.common.terminal import BROKEN, FINE
from editblocks.hosts.github.carry_out import Report
from editblocks.hosts.github.cases import command_prefix
from editblocks.hosts.github.commands import is_command_like
from editblocks.hosts.github.publish import Desk, Published, rendered
from editblocks.hosts.github.state import branch_refusal
from editblocks.report.diff import unified_diff
from editblocks.report.escape import code_span, cut_middle, text, visible
from editblocks.report.next_commands import choosing_command, next_commands
from editblocks.report.status.markdown import prompt, suggestions
from editblocks.report.status.next_step import main_command, usable_prefix
from editblocks.report.tools.annotations import PER_STEP, marks, workflow_commands
from editblocks.report.tools.findings import WARNING, Finding
from editblocks.report.tools.json import document, dumps
from editblocks.report.tools.tool_report import Report as ToolReport
from editblocks.report.view import FAILED, OutcomeView

SUMMARY_CHARACTERS = 225_000  # 900 kB if all of them were the longest; GitHub drops a summary above 1 MiB
_PATH_LIMIT = 60  # a line of the log has 200 characters
MOST_FAULTS = 4  # lines of their own; the runner shows ten errors of a step, and there are marks as well
_ON_LINES = frozenset({"pull_request", "push"})  # events whose job may mark lines of files
# Refusals that fail the job whatever the response came from.
_ALWAYS = {ReasonCode(word) for word in "publish-failed self-check unavailable internal bad-config".split()}
# The file, or its pull request, is not there any more as it was: nothing is left that somebody could repair.
_OVERTAKEN = {ReasonCode.SOURCE_EDITED, ReasonCode.CLOSED}
# Of several responses, what somebody has to look at first.
_WORST_FIRST = [State(word) for word in "refused failed stale partial checked undone applied nothing".split()]


class Reporter:
    """Tells the runner what became of an event."""

    def __init__(self, runner: Runner, desk: Desk, report: Report) -> None:
        self._runner = runner
        self._desk = desk
        self._state, self._rules, self._event = desk.state, desk.rules, desk.state.event
        self._report = report
        self._results = [(result, OutcomeView(result.outcome)) for result in report.results]
        self._explanations = [file.explanation for file in report.skipped_files]

    def tell(self) -> int:
        """Write everything about the outcomes, or why there is none; gives the exit code."""
        if not self._results:
            self._tell_nothing()
            return self._fail(self._report.faults)
        self._log()
        self._runner.output(self._outputs())  # first, so that nothing can lose the commit
        room = SUMMARY_CHARACTERS // len(self._results)
        parts = [part for result, view in self._results for part in self._shown(result, view, room)]
        explanations = map(text, self._explanations)
        self._runner.summary("\n\n".join(filter(None, (*parts, *explanations, self._circumstances()))))
        paths = [self._save(view, number) for number, (_, view) in enumerate(self._results)]
        self._runner.output({"report-path": str(paths[0])})
        found = (self._fault(result, view) for result, view in self._results)
        return self._fail([*filter(None, found), *self._report.faults])

    def _tell_nothing(self) -> None:
        """Report why there is no outcome, and the commit that an earlier run made."""
        done = self._report.commit
        reasons = self._explanations or [self._report.reason]
        for line in reasons:
            self._runner.log(line)
        values = {"result": (State.APPLIED if done else State.NOTHING).value, "commit-sha": done or ""}
        self._runner.output({**values, **self._place()})
        is_command = self._event.comment is not None and is_command_like(self._event.comment.body)
        if done or self._explanations or is_command:
            self._runner.summary("\n\n".join(map(text, reasons)))

    def _log(self) -> None:
        for result in self._report.results:
            outcome, source = result.outcome, result.outcome.response.source
            state = State.UNDONE if outcome.state is State.UNDONE else _state(result)
            self._runner.log(f"{state.value}: {source.uri or source.path or source.id}")
            if outcome.refusal is not None:
                self._runner.log(_line(outcome.refusal))
            if outcome.unresolved is not None:
                self._runner.log(f"the commit that may be on the branch is {outcome.unresolved}")
        for line in (*self._explanations, *self._report.warnings):
            self._runner.log(line)

    def _fail(self, faults: Sequence[str]) -> int:
        """One line for each fault, and marks on the lines that are about them, no more than the runner shows."""
        for line in faults[:MOST_FAULTS]:
            self._runner.error(line)
        for line in faults[MOST_FAULTS:]:
            self._runner.log(line)
        if self._event.event in _ON_LINES:
            all_marks = [mark for _, view in self._results for mark in marks(view)]
            for file in self._report.skipped_files:
                if not file.is_kept:
                    place = file.path, (1, 1)
                    all_marks.append((Finding(file.code, WARNING, visible(file.explanation), place), place))
            for command in workflow_commands(all_marks, PER_STEP - min(len(faults), MOST_FAULTS)):
                self._runner.command(command)
        return BROKEN if faults else FINE

    def _outputs(self) -> Mapping[str, str]:
        outcomes = [result.outcome for result in self._report.results]
        states = {_state(result) for result in self._report.results}
        commits = [outcome.commit for outcome in outcomes if outcome.commit is not None]
        commit = commits[-1] if commits else self._report.commit
        counts = [outcome.result.counts for outcome in outcomes]
        return {
            "result": next(state for state in _WORST_FIRST if state in states).value,
            "commit-sha": commit or "",
            "head-sha": outcomes[-1].head or "",
            "applied-count": str(sum(count["applied"] for count in counts)),
            "failed-count": str(sum(count["failed"] for count in counts)),
            **self._place(),
        }

    def _place(self) -> Mapping[str, str]:
        fragment = self._report.address
        url = self._state.address(fragment) if fragment is not None else ""
        return {"review-url": url, "pr-number": str(self._event.number or "")}

    def _shown(self, result: Published, view: OutcomeView, room: int) -> Sequence[str]:
        shown, asking = rendered(self._desk, result, room), prompt(view)
        return shown, asking if asking not in shown else "", suggestions(view)

    def _circumstances(self) -> str:
        """What the run cost, and every setting that is not the default, with where it comes from."""
        rows = self._rules.rows
        shown = [f"{code_span(f'{key}: {value}')} ({code_span(origin)})" for key, value, origin in rows]
        cost = f"editblocks {__version__}, {self._desk.reader.api.requests} requests to GitHub."
        settings = f"{cost} Settings other than the defaults: {', '.join(shown) or 'none'}."
        return "\n\n".join((settings, *map(text, self._rules.notes)))

    def _save(self, view: OutcomeView, number: int) -> Path:
        name = "editblocks" if not number else f"editblocks-{number + 1}"
        pull = self._event.number
        target = {
            "kind": "commit" if pull is None else "pull-request",
            "server": self._state.site.server or None,
            "repository": self._event.repository,
            "pull_request": pull,
            "ref": f"refs/heads/{self._state.pull.branch}",
        }
        prefix = usable_prefix(view, command_prefix(self._state, self._rules))
        report = ToolReport(
            view,
            command="action",
            mode="partial" if self._rules.settings.partial else "all-or-nothing",
            target=target,
            version=__version__,
            following=[*self._reply(view), *next_commands(view)],
            has_texts=True,
            choosing=choosing_command(view) if prefix is None else f"{prefix}apply ",
        )
        self._runner.save(f"{name}.patch", unified_diff(view.outcome.result))
        return self._runner.save(f"{name}.json", dumps(document(report)).encode())

    def _reply(self, view: OutcomeView) -> Sequence[str]:
        """The line to reply with on the pull request, if one would do something."""
        prefix = usable_prefix(view, command_prefix(self._state, self._rules))
        command = main_command(view, prefix) if prefix is not None and view.is_open else None
        return [] if command is None else [command[0]]

    def _fault(self, result: Published, view: OutcomeView) -> str:
        """Why the job fails for an outcome, "" if it does not: for a response file, also if it is not applied."""
        outcome, refusal = view.outcome, view.outcome.refusal
        if refusal is not None and refusal.code in _ALWAYS:
            return _line(refusal)
        if self._event.comment is not None or (refusal is not None and refusal.code in _OVERTAKEN):
            return ""
        if result.race.is_rewound:
            return ""  # another run applied it, so this one has nothing to complain of
        path = cut_middle(outcome.response.source.path or "", _PATH_LIMIT)
        if not outcome.result.rows and refusal is None:
            return f"{ReasonCode.NO_BLOCKS.value}: {path} holds no edit block; write one, or remove the file"
        failed = (row.code.value for row in view.rows if row.word == FAILED and row.code is not None)
        if not outcome.ok and (code := next(failed, "")):
            done = "the others were committed" if outcome.state is State.PARTIAL else "nothing was committed"
            return f"{code}: {path}: {view.counts_text}, {done}; repair the file and push it again"
        if refusal is None and outcome.state is State.CHECKED and self._event.number is None:
            refusal = branch_refusal(self._state.pull)  # which no pull request could change
        if refusal is None or refusal.code is ReasonCode.FORK:
            return ""
        return _line(refusal, f"{path} was not applied, ")


def _state(result: Published) -> State:
    is_done = result.known is not None or result.outcome.state is State.UNDONE
    return State.APPLIED if is_done else result.outcome.state


def _line(refusal: Refusal, before: str = "") -> str:
    return f"{refusal.code.value}: {before}{refusal.reason}"
