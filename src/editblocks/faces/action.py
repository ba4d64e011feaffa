"""The run step of action.yml. It handles one event, and the exit code is 0, or 2 if the job must fail.

A comment whose blocks do not fit does not fail the job. The job fails only if somebody has to act: for a response file
that does not fit, an invalid configuration, a refusal by the server, or a bug of ours.

The runner executes commands found in any line of the log, and reads outputs from any line of a file. So all text goes
through `Runner`, and nothing else is printed or appended. GITHUB_ENV and GITHUB_PATH are never opened.
Rules: docs/reference/action.md, "faults and exit codes" and "outputs", and docs/internals/security.md, "the action".
"""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TextIO

from editblocks import __version__
from editblocks.config.policy import values_from_environment
from editblocks.core.characters import cut_middle
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigError, EditBlocksError, RepoError
from editblocks.core.outcome import Refusal
from editblocks.faces.reading import start_of
from editblocks.faces.terminal import BROKEN, FINE, exit_code_of
from editblocks.hosts.github.carry_out import RunReport, carry_out
from editblocks.hosts.github.cases import Case, command_prefix
from editblocks.hosts.github.event import Task, decide, is_command_like
from editblocks.hosts.github.plan import PATH_LIMIT, plan_run
from editblocks.hosts.github.publish import Reactions, RunContext, SourceResult, rendered
from editblocks.hosts.github.reading import ask, read_state
from editblocks.hosts.github.state import Question, Site, branch_refusal
from editblocks.report.diff import unified_diff
from editblocks.report.escape import code_span, log_line, text, url_server, visible, workflow_data
from editblocks.report.findings import PER_STEP, WARNING, Finding, LineMark, marks, workflow_commands
from editblocks.report.json import Report, document, dumps
from editblocks.report.next_commands import choosing_command, next_commands
from editblocks.report.status.markdown import prompt, suggestions
from editblocks.report.status.next_step import main_command, usable_prefix
from editblocks.report.view import FAILED, OutcomeView
from editblocks.repos.github.client import GitHubApi

MAX_EVENT_BYTES = 25 * 1024 * 1024
_SUMMARY_CHARACTERS = 225_000  # at most 900 kB in UTF-8; GitHub drops a summary above 1 MiB
_MOST_FAULTS = 4  # shown as errors; the runner shows ten errors of a step, and annotations on lines are errors too
_ON_LINES = frozenset({"pull_request", "push"})  # events whose job may annotate lines of files
# Refusals that fail the job for comments as well as for response files.
_ALWAYS = {ReasonCode(word) for word in "publish-failed self-check unavailable internal bad-config".split()}
# The file or its pull request has changed since, so there is nothing left to repair.
_CHANGED_SINCE = {ReasonCode.SOURCE_EDITED, ReasonCode.CLOSED}
# The output `result` names the first of these states that a response has.
_WORST_FIRST = [State(word) for word in "refused failed stale partial checked undone applied nothing".split()]
_RESULTS = {State.UNDONE: State.APPLIED}  # states that the output `result` reports as another state
_VALUE = re.compile(r"[0-9A-Za-z:./_#~ -]{0,256}", re.ASCII)
_COMMAND = re.compile(r"::(?:error|warning) [ -~]*", re.ASCII)
_CREDENTIALS = re.compile(r"x-access-token:[^@\s]*@")
_HOST = re.compile(r"https?://[^/]+.*", re.DOTALL)  # GitHub Enterprise Server may use http and a port
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", re.ASCII)
_RUN = re.compile("[0-9]{1,18}")
_REF = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)


def main(
    environ: Mapping[str, str] = os.environ,
    stream: TextIO | None = None,
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.time,
) -> int:
    """Handle the event of this job and return the exit code. `clock` returns seconds since 1970."""
    runner = Runner(environ, stream or sys.stdout, environ.get("EDITBLOCKS_TOKEN", ""))
    runner.mask()

    def complain(code: ReasonCode, sentence: str) -> None:
        runner.error(f"{code.value}: {sentence}")

    return exit_code_of(lambda: _run(environ, runner, sleep, clock), complain, runner.log)


def _run(
    environ: Mapping[str, str], runner: "Runner", sleep: Callable[[float], None], clock: Callable[[], float]
) -> int:
    site = site_from(environ)
    try:
        inputs = values_from_environment(environ, lambda key: f"input `{key}`")
        replay = (str(inputs.get("pr_number") or ""), str(inputs.get("comment_id") or ""))
        event = decide(environ.get("GITHUB_EVENT_NAME", ""), runner.event(), replay)
        if event is not None and not inputs.get("token"):
            raise ConfigError("the input `token` is empty; leave it out, or pass a token with `contents: write`")
    except ConfigError:  # the author of the workflow has to correct it
        runner.output({"result": State.REFUSED.value})
        raise
    if event is None:
        runner.log("nothing to do: no edit block and no command in a new comment on an open pull request")
        runner.output({"result": State.NOTHING.value})
        return FINE
    url = environ.get("GITHUB_API_URL", "https://api.github.com")
    with closing(GitHubApi(inputs["token"], url, sleep=sleep, clock=clock)) as api:
        try:
            return _serve(runner, api, event, site, inputs)
        finally:
            runner.log(f"{api.requests} requests to GitHub")


def site_from(environ: Mapping[str, str]) -> Site:
    """Return the facts about the job from the environment. Raises `ConfigError` if the server URL is not valid."""
    server = environ.get("GITHUB_SERVER_URL", "https://github.com")
    if not _HOST.fullmatch(server):
        raise ConfigError("GITHUB_SERVER_URL is not an address; let the runner set it")
    server = url_server(server)
    repository = environ.get("GITHUB_ACTION_REPOSITORY", "")
    ref = environ.get("GITHUB_ACTION_REF", "")
    docs = ""
    if _REPOSITORY.fullmatch(repository) and _REF.fullmatch(ref):
        docs = f"{server}/{repository}/blob/{ref}/docs"
    run = environ.get("GITHUB_RUN_ID", "")
    run_id = int(run) if _RUN.fullmatch(run) else None
    return Site(server, docs, run_id, __version__)


def _serve(runner: "Runner", api: GitHubApi, event: Task, site: Site, inputs: Mapping[str, Any]) -> int:
    """Read, plan and carry out; then report to the runner, even if a status could not be written."""
    try:
        reader, state = read_state(api, event, site, inputs)
    except EditBlocksError as error:
        if error.code is not ReasonCode.CLOSED:
            raise
        runner.log(f"{error.code.value}: {error.message}")  # for example, the branch was deleted
        runner.output({"result": State.NOTHING.value})
        return FINE
    while isinstance(step := plan_run(state), Question):
        state = ask(reader, state, step)
    context = RunContext(reader, state, Reactions(reader, is_wanted=state.settings.reactions))
    report = carry_out(step, context)
    exit_code = _Reporter(runner, context, report).write()
    if report.error is None:
        return exit_code
    commits = [result.outcome.commit for result in report.results if result.outcome.commit is not None]
    if not commits:
        raise report.error
    raise RepoError(f"the commit is {commits[-1]}; its status could not be written: {report.error.message}")


class _Reporter:
    """Reports the results of an event to the runner."""

    def __init__(self, runner: "Runner", context: RunContext, report: RunReport) -> None:
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
        warnings = [line for file in self._context.state.files or () for line in file.warnings]
        warnings += [line for result in self._report.results for line in result.warnings]
        for line in (*self._explanations, *warnings):
            self._runner.log(line)

    def _summarise(self) -> None:
        """Write the job summary: the full status of each response, explanations of skipped ones, and the settings."""
        parts: list[str] = []
        room = _SUMMARY_CHARACTERS // len(self._results)
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
        policy = self._context.state.policy
        rows = [f"{code_span(f'{key}: {value}')} ({code_span(origin)})" for key, value, origin in policy.rows]
        cost = f"editblocks {__version__}, {self._context.reader.api.requests} requests to GitHub."
        parts.append(f"{cost} Settings that differ from the defaults: {', '.join(rows) or 'none'}.")
        parts += map(text, policy.notes)
        self._runner.summary("\n\n".join(filter(None, parts)))

    def _fail(self, faults: Sequence[str]) -> int:
        """Print faults and annotations, no more than the runner shows, and return the exit code."""
        for line in faults[:_MOST_FAULTS]:
            self._runner.error(line)
        for line in faults[_MOST_FAULTS:]:
            self._runner.log(line)
        if self._event.event_name in _ON_LINES:
            all_marks = [mark for _, view in self._results for mark in marks(view)]
            all_marks += [mark for case in self._report.skipped for mark in _marks_of_skipped(case)]
            for command in workflow_commands(all_marks, PER_STEP - min(len(faults), _MOST_FAULTS)):
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
        prefix = usable_prefix(view, command_prefix(state))
        following = next_commands(view)
        choosing = choosing_command(view)
        if prefix is not None:
            choosing = f"{prefix}apply "
            command, _ = main_command(view, prefix)
            if command and view.is_open:
                following.insert(0, command)
        mode = "partial" if state.settings.partial else "all-or-nothing"
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


class Runner:
    """One step of a job. `secret` is removed from everything that is written."""

    def __init__(self, environ: Mapping[str, str], stream: TextIO, secret: str) -> None:
        self._environ = environ
        self._stream = stream
        self._secret = secret
        self._folder: Path | None = None

    def mask(self) -> None:
        """Tell the runner to hide the secret in all later lines of the job's log."""
        if self._secret:
            self._stream.write(f"::add-mask::{workflow_data(self._secret)}\n")

    def log(self, text: str) -> None:
        """Print `text` as one line that the runner cannot take for a command."""
        self._stream.write(f"{log_line(self.without_secrets(text))}\n")

    def error(self, text: str) -> None:
        """Print one line that the runner shows as an error of the job."""
        self._stream.write(f"::error::{workflow_data(log_line(self.without_secrets(text)))}\n")

    def command(self, line: str) -> None:
        """Print a command for the runner, built and escaped by `report.findings`."""
        line = self.without_secrets(line)
        if not _COMMAND.fullmatch(line):
            raise RepoError("a workflow command has a form that the runner does not read; report this with the log")
        self._stream.write(f"{line}\n")

    def without_secrets(self, text: str) -> str:
        """Return `text` with the secret, and tokens in git URLs, replaced by `***`."""
        if self._secret:
            text = text.replace(self._secret, "***")
        return _CREDENTIALS.sub("x-access-token:***@", text)

    def event(self) -> object:
        """Return the JSON of the event file. Raises `RepoError` if it is missing, not a regular file, or too large."""
        odd = RepoError("the event file is not a regular file of at most 25 MB; let the runner write it")
        try:
            data = start_of(self._path("GITHUB_EVENT_PATH"), MAX_EVENT_BYTES + 1, lambda _: odd, follow=False)
            if len(data) > MAX_EVENT_BYTES:
                raise odd
            return json.loads(data)
        except OSError as error:
            what = f"the event file cannot be read ({type(error).__name__})"
            raise RepoError(f"{what}; let the runner write it") from None
        except (ValueError, RecursionError):
            raise RepoError("the event file is not JSON; let the runner write it") from None

    def output(self, values: Mapping[str, str]) -> None:
        """Set outputs. A value with characters that are not allowed is left empty, and a line of the log says so."""
        lines = ""
        for name, value in values.items():
            if _VALUE.fullmatch(value):
                lines += f"{name}={value}\n"
            else:
                lines += f"{name}=\n"
                self.log(f"the output {name} was left empty: its value has characters that the runner may misread")
        self._append("GITHUB_OUTPUT", lines)

    def summary(self, text: str) -> None:
        """Add Markdown to the job summary."""
        self._append("GITHUB_STEP_SUMMARY", self.without_secrets(text) + "\n")

    def save(self, name: str, data: bytes) -> Path:
        """Write a file without the secret to a new folder, because earlier steps may have left links in RUNNER_TEMP."""
        if self._secret:
            data = data.replace(self._secret.encode(), b"***")
        try:
            if self._folder is None:
                self._folder = Path(mkdtemp(prefix="editblocks-", dir=self._path("RUNNER_TEMP")))
            path = self._folder / name
            path.write_bytes(data)
        except OSError as error:
            raise RepoError(f"{name} cannot be written to RUNNER_TEMP ({type(error).__name__})") from None
        return path

    def _append(self, variable: str, text: str) -> None:
        try:
            with self._path(variable).open("a", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise RepoError(f"{variable} cannot be written ({type(error).__name__}); let the runner set it") from None

    def _path(self, variable: str) -> Path:
        value = self._environ.get(variable, "")
        if not value:
            raise RepoError(f"{variable} is not set; editblocks action runs inside a workflow only")
        return Path(value)
