"""Write the outputs, the job summary, the report file and the log of a run of the action.

Rules: docs/reference/action.md, "outputs".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from editblocks import __version__
from editblocks.core.characters import cut_middle
from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Refusal
from editblocks.faces.action.runner import Runner
from editblocks.faces.common.terminal import BROKEN, FINE
from editblocks.hosts.github.carry_out import RunReport
from editblocks.hosts.github.cases import Case, command_prefix
from editblocks.hosts.github.event import is_command_like
from editblocks.hosts.github.plan import PATH_LIMIT
from editblocks.hosts.github.publish import RunContext, SourceResult, rendered
from editblocks.hosts.github.state import branch_refusal
from editblocks.report.diff import unified_diff
from editblocks.report.escape import code_span, text, visible
from editblocks.report.json import document, dumps
from editblocks.report.next_commands import choosing_command, next_commands
from editblocks.report.status.markdown import prompt, suggestions
from editblocks.report.status.next_step import main_command, usable_prefix
from editblocks.report.tools.annotations import PER_STEP, LineMark, marks, workflow_commands
from editblocks.report.tools.findings import WARNING, Finding, Report
from editblocks.report.view import FAILED, OutcomeView

SUMMARY_CHARACTERS = 225_000  # at most 900 kB in UTF-8; GitHub drops a summary above 1 MiB
MOST_FAULTS = 4  # shown as errors; the runner shows ten errors of a step, and annotations on lines are errors too
_ON_LINES = frozenset({"pull_request", "push"})  # events whose job may annotate lines of files
# Refusals that fail the job for comments as well as for response files.
_ALWAYS = {ReasonCode(word) for word in "publish-failed self-check unavailable internal bad-config".split()}
# The file or its pull request has changed since, so there is nothing left to repair.
_CHANGED_SINCE = {ReasonCode.SOURCE_EDITED, ReasonCode.CLOSED}
# The output `result` names the first of these states that a response has.
_WORST_FIRST = [State(word) for word in "refused failed stale partial checked undone applied nothing".split()]
_RESULTS = {State.UNDONE: State.APPLIED}  # states that the output `result` reports as another state


class Reporter:
    """Reports the results of an event to the runner."""

    def __init__(self, runner: Runner, context: RunContext, report: RunReport) -> None:
        self._runner = runner
        self._context = context
        self._event = context.state.event
        self._report = report
        self._results = [(result, OutcomeView(result.outcome)) for result in report.results]
        self._explanations = [case.skipped.message for case in report.skipped if case.skipped is not None]

    def write(self) -> int:
        """Report all outcomes, or why there are none, and return the exit code."""
        if not self._results:
            self._report_no_outcomes()
            return self._fail(self._report.faults)
        self._log()
        self._runner.output(self._outputs())  # first, so that no later error can lose the commit
        self._summarise()
        paths = [self._save(view, number) for number, (_, view) in enumerate(self._results, 1)]
        self._runner.output({"report-path": str(paths[0])})
        faults = (self._fault(result, view) for result, view in self._results)
        return self._fail([*filter(None, faults), *self._report.faults])

    def _report_no_outcomes(self) -> None:
        """Report why there are no outcomes, and the commit that an earlier run made, if any."""
        commit = self._report.commit
        state = State.APPLIED if commit else self._report.state
        reasons = self._explanations or [self._report.reason]
        for line in reasons:
            self._runner.log(line)
        self._runner.output({"result": state.value, "commit-sha": commit or "", **self._place()})
        is_command = self._event.comment is not None and is_command_like(self._event.comment.body)
        if commit or self._explanations or is_command:
            self._runner.summary("\n\n".join(map(text, reasons)))

    def _log(self) -> None:
        for result, view in self._results:
            outcome = view.outcome
            source = outcome.response.source
            self._runner.log(f"{_state(result).value}: {source.uri or source.path or source.id}")
            if outcome.refusal is not None:
                self._runner.log(_line(outcome.refusal))
            if outcome.unresolved is not None:
                self._runner.log(f"it is not known whether commit {outcome.unresolved} is on the branch")
        warnings = [line for result in self._report.results for line in result.warnings]
        for line in (*self._explanations, *self._context.state.warnings, *warnings):
            self._runner.log(line)

    def _summarise(self) -> None:
        """Write the job summary: the full status of each response, explanations of skipped ones, and the settings."""
        parts: list[str] = []
        room = SUMMARY_CHARACTERS // len(self._results)
        for result, view in self._results:
            status = rendered(self._context, result, room)
            retry = prompt(view)
            parts.append(status)
            if retry not in status:
                parts.append(retry)
            parts.append(suggestions(view))
            parts += map(text, result.warnings)
        parts += map(text, self._explanations)
        # The number of requests, and every setting that is not the default, with its origin.
        rules = self._context.rules
        rows = [f"{code_span(f'{key}: {value}')} ({code_span(origin)})" for key, value, origin in rules.rows]
        cost = f"editblocks {__version__}, {self._context.reader.api.requests} requests to GitHub."
        parts.append(f"{cost} Settings that differ from the defaults: {', '.join(rows) or 'none'}.")
        parts += map(text, rules.notes)
        self._runner.summary("\n\n".join(filter(None, parts)))

    def _fail(self, faults: Sequence[str]) -> int:
        """Print faults and annotations, no more than the runner shows, and return the exit code."""
        for line in faults[:MOST_FAULTS]:
            self._runner.error(line)
        for line in faults[MOST_FAULTS:]:
            self._runner.log(line)
        if self._event.event_name in _ON_LINES:
            all_marks = [mark for _, view in self._results for mark in marks(view)]
            all_marks += [mark for case in self._report.skipped for mark in _marks_of_skipped(case)]
            for command in workflow_commands(all_marks, PER_STEP - min(len(faults), MOST_FAULTS)):
                self._runner.command(command)
        return BROKEN if faults else FINE

    def _outputs(self) -> Mapping[str, str]:
        outcomes = [result.outcome for result in self._report.results]
        states = {_state(result) for result in self._report.results}
        worst = min(states, key=_WORST_FIRST.index)
        commit = self._report.commit or ""
        for outcome in outcomes:
            commit = outcome.commit or commit
        return {
            "result": _RESULTS.get(worst, worst).value,
            "commit-sha": commit,
            "head-sha": outcomes[-1].head or "",
            "applied-count": str(sum(outcome.result.counts["applied"] for outcome in outcomes)),
            "failed-count": str(sum(outcome.result.counts["failed"] for outcome in outcomes)),
            **self._place(),
        }

    def _place(self) -> Mapping[str, str]:
        address = ""
        if self._report.address is not None:
            address = self._context.state.address(self._report.address)
        return {"review-url": address, "pr-number": str(self._event.number or "")}

    def _save(self, view: OutcomeView, number: int) -> Path:
        """Save the result as JSON and as a patch. Return the path of the JSON file."""
        name = "editblocks"
        if number > 1:
            name = f"editblocks-{number}"
        state = self._context.state
        prefix = usable_prefix(view, command_prefix(state, self._context.rules))
        following = next_commands(view)
        choosing = choosing_command(view)
        if prefix is not None:
            choosing = f"{prefix}apply "
            reply_command = main_command(view, prefix) if view.is_open else None
            if reply_command is not None:
                following.insert(0, reply_command.line)
        mode = "partial" if self._context.rules.settings.partial else "all-or-nothing"
        kind = "commit" if self._event.number is None else "pull-request"
        report = Report(
            view,
            command="action",
            mode=mode,
            target={
                "kind": kind,
                "server": state.site.server or None,
                "repository": self._event.repository,
                "pull_request": self._event.number,
                "ref": f"refs/heads/{state.pull.branch}",
            },
            version=__version__,
            following=following,
            has_texts=True,
            choosing=choosing,
        )
        self._runner.save(f"{name}.patch", unified_diff(view.outcome.result))
        return self._runner.save(f"{name}.json", dumps(document(report)).encode())

    def _fault(self, result: SourceResult, view: OutcomeView) -> str:
        """Return why the job fails for an outcome, or "". A response file also fails it if it is not applied."""
        outcome = view.outcome
        refusal = outcome.refusal
        if refusal is not None and refusal.code in _ALWAYS:
            return _line(refusal)
        if self._event.comment is not None or result.refusal_code in _CHANGED_SINCE:
            return ""
        if result.is_rewound:
            return ""  # another run applied it
        path = cut_middle(outcome.response.source.path or "", PATH_LIMIT)
        if not outcome.result.rows and refusal is None:
            return f"{ReasonCode.NO_BLOCKS.value}: {path} holds no edit block; write one, or remove the file"
        codes = [row.code.value for row in view.rows if row.word == FAILED and row.code is not None]
        if not outcome.ok and codes:
            done = "the others were committed" if outcome.state is State.PARTIAL else "nothing was committed"
            return f"{codes[0]}: {path}: {view.counts_text}, {done}; repair the file and push it again"
        if refusal is None and outcome.state is State.CHECKED and self._event.number is None:
            refusal = branch_refusal(self._context.state.pull)
        if refusal is None or refusal.code is ReasonCode.FORK:
            return ""
        return _line(refusal, f"{path} was not applied, ")


def _marks_of_skipped(case: Case) -> Iterator[LineMark]:
    """Yield a warning for a skipped response file, except for one that is kept after it was applied."""
    note = case.skipped
    path = case.request.response.source.path or ""
    is_kept = case.request.settings.after_apply == "keep"
    if note is not None and not (is_kept and note.code == ReasonCode.ALREADY_APPLIED.value):
        place = (path, (1, 1))
        yield Finding(note.code, WARNING, visible(note.message), place), place


def _state(result: SourceResult) -> State:
    """Return the state of a result; `APPLIED` if another run made the commit."""
    if result.other_commit is not None and result.outcome.state is not State.UNDONE:
        return State.APPLIED
    return result.outcome.state


def _line(refusal: Refusal, before: str = "") -> str:
    return f"{refusal.code.value}: {before}{refusal.reason}"
