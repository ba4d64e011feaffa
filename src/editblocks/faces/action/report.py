"""What a run of the action leaves behind: outputs, job summary, report, log.

Rules: docs/reference/action.md, "outputs".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from editblocks.config.environment import Policy
from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Outcome, Refusal
from editblocks.faces.action.runner import Runner
from editblocks.faces.common.exit_codes import BROKEN, FINE
from editblocks.faces.common.package import own_version
from editblocks.hosts.github.commands import is_command_like
from editblocks.hosts.github.context import branch_refusal
from editblocks.hosts.github.host import GitHubHost, SkippedFile
from editblocks.hosts.github.publishing import render
from editblocks.report.diff import unified_diff
from editblocks.report.escape import code_span, cut_middle, text, visible
from editblocks.report.next_commands import next_commands
from editblocks.report.status.details import prompt, suggestions
from editblocks.report.tools.annotations import PER_STEP, WARNING, Annotation, marks, workflow_commands
from editblocks.report.tools.json import Target, dumps, results
from editblocks.report.view import FAILED, OutcomeView

SUMMARY_CHARACTERS = 225_000  # 900 kB if all of them were the longest; GitHub drops a summary above 1 MiB
_PATH_LIMIT = 60  # a line of the log has 200 characters
_ASKED_SHOWN = 80  # characters of a command
MOST_FAULTS = 4  # lines of their own; the runner shows ten errors of a step, and there are marks as well
_ON_LINES = frozenset({"pull_request", "push"})  # events whose job may mark lines of files
_ALREADY = "already applied as {}; post the blocks again if they were taken out since"
_ALWAYS = frozenset(
    {
        ReasonCode.PUBLISH_FAILED,
        ReasonCode.SELF_CHECK,
        ReasonCode.UNAVAILABLE,
        ReasonCode.INTERNAL,
        ReasonCode.BAD_CONFIG,
    }
)
# The file, or its pull request, is not there any more as it was: nothing is left that somebody could repair.
_OVERTAKEN = frozenset({ReasonCode.SOURCE_EDITED, ReasonCode.CLOSED})
# Of several responses, what somebody has to look at first.
_WORST_FIRST = (
    State.REFUSED,
    State.FAILED,
    State.STALE,
    State.PARTIAL,
    State.CHECKED,
    State.UNDONE,
    State.APPLIED,
    State.NOTHING,
)


class Reporter:
    """Tells the runner what became of the task of a host."""

    def __init__(self, runner: Runner, host: GitHubHost) -> None:
        self._runner = runner
        self._host = host
        self._task = host.task

    def tell(self) -> int:
        """Write everything about the outcomes, at least one; gives the exit code."""
        outcomes, repo = self._host.outcomes, self._host.repo
        for outcome in outcomes:
            self._log(outcome)
        for line in (*(file.explanation for file in self._host.skipped_files), *self._host.warnings):
            self._runner.log(line)
        if repo is not None and repo.fast_forward:
            self._runner.log(
                "this server knows no updateRefs: the branch was moved by a fast-forward (docs/internals/security.md)"
            )
        self._runner.output(self._outputs(outcomes))  # first, so that nothing can lose the commit
        self._runner.summary(self._summary(outcomes))
        paths = [self._save(outcome, number) for number, outcome in enumerate(outcomes)]
        self._runner.output({"report-path": str(paths[0])})
        return self._fail([*filter(None, map(self._fault, outcomes)), *self._host.faults], outcomes)

    def tell_nothing(self) -> int:
        """Report a run without an outcome: why, and the commit that an earlier run made."""
        case = self._host.case
        done = case.known_commit if case is not None else self._host.done
        reasons = [file.explanation for file in self._host.skipped_files] or [
            _ALREADY.format(done[:7]) if done else self._host.nothing_to_do_reason
        ]
        for line in reasons:
            self._runner.log(line)
        values = {"result": (State.APPLIED if done else State.NOTHING).value, "commit-sha": done or ""}
        self._runner.output({**values, "review-url": self._review_url(), "pr-number": self._number})
        asked = self._command_author()
        if asked or done or self._host.skipped_files:
            shown = "\n\n".join(map(text, reasons))
            self._runner.summary(f"{asked}: {shown}" if asked else shown)
        return self._fail(self._host.faults, ())

    def _command_author(self) -> str:
        """The command of this run; empty without one."""
        comment = self._task.comment
        if comment is None or not is_command_like(comment.body):
            return ""
        line = code_span(comment.body.splitlines()[0], limit=_ASKED_SHOWN)
        return f"{line} by {code_span(comment.author.login)}"

    def _fail(self, faults: Sequence[str], outcomes: Sequence[Outcome]) -> int:
        """One line for each fault, and marks on the lines that are about them, no more than the runner shows."""
        shown = faults if len(faults) <= MOST_FAULTS else faults[: MOST_FAULTS - 1]
        for line in shown:
            self._runner.error(line)
        if len(faults) > len(shown):
            self._runner.error(f"{len(faults) - len(shown)} more faults; the log has them all")
        for line in faults[len(shown) :]:
            self._runner.log(line)
        if self._task.event in _ON_LINES:
            all_marks = [mark for outcome in outcomes for mark in marks(OutcomeView(outcome))]
            all_marks += [_mark(file) for file in self._host.skipped_files if not file.is_kept]
            for command in workflow_commands(all_marks, PER_STEP - min(len(faults), MOST_FAULTS)):
                self._runner.command(command)
        return BROKEN if faults else FINE

    @property
    def _number(self) -> str:
        return str(self._task.number or "")

    def _log(self, outcome: Outcome) -> None:
        source = outcome.response.source
        state = outcome.state if outcome.state is State.UNDONE else self._state(outcome)
        self._runner.log(f"{state.value}: {source.uri or source.path or source.id}")
        if outcome.refusal is not None:
            self._runner.log(f"{outcome.refusal.code.value}: {outcome.refusal.reason}")
        if outcome.unresolved is not None:
            self._runner.log(f"the commit that may be on the branch is {outcome.unresolved}")

    def _state(self, outcome: Outcome) -> State:
        case = self._host.case
        is_done = case is not None and case.known_commit is not None and case.outcome is outcome
        return State.APPLIED if is_done or outcome.state is State.UNDONE else outcome.state

    def _outputs(self, outcomes: Sequence[Outcome]) -> Mapping[str, str]:
        case = self._host.case
        states = {self._state(outcome) for outcome in outcomes}
        commits = [outcome.commit for outcome in outcomes if outcome.commit is not None]
        commit = commits[-1] if commits else (case.known_commit if case is not None else None)
        counts = [outcome.result.counts for outcome in outcomes]
        return {
            "result": next(state for state in _WORST_FIRST if state in states).value,
            "commit-sha": commit or "",
            "head-sha": outcomes[-1].head or "",
            "applied-count": str(sum(count["applied"] for count in counts)),
            "failed-count": str(sum(count["failed"] for count in counts)),
            "review-url": self._review_url(),
            "pr-number": self._number,
        }

    def _summary(self, outcomes: Sequence[Outcome]) -> str:
        room = SUMMARY_CHARACTERS // len(outcomes)
        parts = [part for outcome in outcomes for part in self._shown(outcome, room)]
        explanations = (text(file.explanation) for file in self._host.skipped_files)
        return "\n\n".join(filter(None, (*parts, *explanations, self._circumstances())))

    def _shown(self, outcome: Outcome, room: int) -> Sequence[str]:
        view = OutcomeView(outcome)
        shown, asking = render(self._host, outcome, room), prompt(view)
        return shown, asking if asking not in shown else "", suggestions(view)

    def _circumstances(self) -> str:
        """What the run cost, and every setting that is not the default, with where it comes from."""
        ruling = self._host.ruling
        rows = ruling.rows if isinstance(ruling, Policy) else ()
        shown = [f"{code_span(f'{key}: {value}')} ({code_span(origin)})" for key, value, origin in rows]
        notes = [f"\n\n{text(note)}" for note in ruling.notes] if isinstance(ruling, Policy) else []
        return (
            f"editblocks {own_version()}, {self._host.api.requests} requests to GitHub."
            f" Settings other than the defaults: {', '.join(shown) or 'none'}.{''.join(notes)}"
        )

    def _save(self, outcome: Outcome, number: int) -> Path:
        name = "editblocks" if not number else f"editblocks-{number + 1}"
        settings, pull = self._host.settings, self._task.number
        kind = "commit" if pull is None else "pull-request"
        target = Target(kind, self._task.repository, pull, f"refs/heads/{self._host.context.branch}")
        view = OutcomeView(outcome)
        document = results(
            view,
            command="action",
            mode="partial" if settings.partial else "all-or-nothing",
            target=target,
            version=own_version(),
            following=next_commands(view),
        )
        self._runner.save(f"{name}.patch", unified_diff(outcome.result))
        return self._runner.save(f"{name}.json", dumps(document).encode())

    def _fault(self, outcome: Outcome) -> str:
        job_fault = _fault_of_any(outcome)
        if job_fault or self._task.comment is not None:
            return job_fault
        case = self._host.case
        if case is not None and case.is_rewound and case.outcome is outcome:
            return ""  # another run applied it, so this one has nothing to complain of
        return _fault_of_file(outcome, branch_refusal(self._host.context) if self._task.number is None else None)

    def _review_url(self) -> str:
        fragment = self._host.case.status.address if self._host.case is not None else None
        return self._host.address(fragment) if fragment is not None else ""


def _mark(file: SkippedFile) -> Annotation:
    return Annotation(file.path, 1, 1, WARNING, file.code, visible(file.explanation))


def _fault_of_any(outcome: Outcome) -> str:
    """Why the job fails whatever the response came from, "" if it does not."""
    refusal = outcome.refusal
    return _line(refusal) if refusal is not None and refusal.code in _ALWAYS else ""


def _fault_of_file(outcome: Outcome, is_closed_to_us: Refusal | None) -> str:
    """Why the job fails for a response file that was looked at for itself, "" if it is fine.

    `is_closed_to_us` is why nothing may be written to its branch, where no pull request could change that.
    """
    refusal, path = outcome.refusal, cut_middle(outcome.response.source.path or "", _PATH_LIMIT)
    if refusal is not None and refusal.code in _OVERTAKEN:
        return ""
    if not outcome.result.rows and refusal is None:
        return f"{ReasonCode.NO_BLOCKS.value}: {path} holds no edit block; write one, or remove the file"
    if not outcome.ok and (code := _first_code(outcome)):
        done = "the others were committed" if outcome.state is State.PARTIAL else "nothing was committed"
        return f"{code}: {path}: {OutcomeView(outcome).counts_text}, {done}; repair the file and push it again"
    if refusal is None and outcome.state is State.CHECKED:
        refusal = is_closed_to_us
    if refusal is None or refusal.code is ReasonCode.FORK:
        return ""
    return _line(refusal, f"{path} was not applied, ")


def _first_code(outcome: Outcome) -> str:
    failed = (row for row in OutcomeView(outcome).rows if row.word == FAILED)
    return next((row.code.value for row in failed if row.code is not None), "")


def _line(refusal: Refusal, before: str = "") -> str:
    return f"{refusal.code.value}: {before}{refusal.reason}"
