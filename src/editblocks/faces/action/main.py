"""The run step of action.yml: one event in, an outcome for every response out. Exit code 0, or 2 if the job must fail.

A proposal that does not fit turns nothing red; only what somebody has to look at does: a response file that
does not fit, a configuration that cannot be used, a server that says no, a bug of ours.
Rules: docs/reference/action.md, "faults and exit codes", and docs/internals/security.md, "the action".
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, TextIO
from urllib.parse import urlsplit

from editblocks.config.environment import values_from_environment
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ApiError, ConfigError, EditBlocksError, RepoError, Trouble
from editblocks.core.outcome import Outcome
from editblocks.faces.action.report import Reporter
from editblocks.faces.action.runner import Job, Runner
from editblocks.faces.common.exit_codes import FINE, Boundary
from editblocks.faces.common.package import own_version
from editblocks.hosts.github.orders.comments import requests
from editblocks.hosts.github.orders.commits import as_committed
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.orders.publishing import publish
from editblocks.hosts.github.orders.response_files import SkippedFile, file_requests, refuse_changed_file
from editblocks.hosts.github.orders.sources import task_of_replay
from editblocks.hosts.github.orders.undo import UndoTask, revert
from editblocks.hosts.github.pull.context import Head
from editblocks.hosts.github.pull.event import Replay, Task, decide
from editblocks.hosts.github.pull.pull_request import PullRequest
from editblocks.report.status.links import Links
from editblocks.repos.github.client import GitHubApi
from editblocks.run.flow import ApplyRequest

NO_SOURCE = "issuecomment-0"  # until a request names one


def main(
    environ: Mapping[str, str] = os.environ,
    stream: TextIO | None = None,
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.time,
) -> int:
    """Carry out the event of this job. `clock` counts seconds since 1970, as rate limits do."""
    runner = Runner(environ, stream or sys.stdout, environ.get("EDITBLOCKS_TOKEN", ""))
    runner.mask()
    with Boundary(runner.error, runner.log) as boundary:
        boundary.exit_code = _carry_out(environ, runner, sleep, clock)
    return boundary.exit_code


def _carry_out(
    environ: Mapping[str, str], runner: Runner, sleep: Callable[[float], None], clock: Callable[[], float]
) -> int:
    job = Job.of(environ)
    try:
        inputs, task = _event_task(environ, runner, job)
    except ConfigError:
        runner.output({"result": State.REFUSED.value})
        raise
    if task is None:
        runner.log("nothing to do: no edit block and no command in a new comment on an open pull request")
        runner.output({"result": State.NOTHING.value})
        return FINE
    with closing(GitHubApi(inputs["token"], job.api, sleep=sleep, clock=clock)) as api:
        try:
            if isinstance(task, Replay):
                task = task_of_replay(api, task)
            return _Run(runner, api, job, task, inputs).serve()
        finally:
            runner.log(f"{api.requests} requests to GitHub")


def _event_task(environ: Mapping[str, str], runner: Runner, job: Job) -> tuple[Mapping[str, Any], Task | Replay | None]:
    """The settings of the workflow, and the task of the event. Raises `ConfigError` for its author to correct."""
    inputs = values_from_environment(environ, _input)
    replay = tuple(str(inputs.get(name) or "") for name in ("pr_number", "comment_id"))
    task = decide(job.event, runner.event(), (replay[0], replay[1]))
    if task is not None and not inputs.get("token"):
        raise ConfigError("the input token is empty; leave it out, or pass one that may write contents")
    return inputs, task


def _input(key: str) -> str:
    """The name of a setting as the author of a workflow writes it."""
    return f"input `{key}`"


class _Run:
    """One task with everything that takes part in it."""

    def __init__(self, runner: Runner, api: GitHubApi, job: Job, task: Task, inputs: Mapping[str, Any]) -> None:
        self.runner, self.api, self.job, self.inputs = runner, api, job, inputs
        self.outcomes: list[Outcome] = []
        self.passed: list[SkippedFile] = []
        self._look_at(task)

    def _look_at(self, task: Task) -> None:
        job, self.task = self.job, task
        pull = PullRequest(self.api, task, f"users.noreply.{urlsplit(job.server).hostname}")
        links = Links(job.server, task.repository, task.number or 0, NO_SOURCE, job.run_id, job.docs)
        self.host = GitHubHost(pull, inputs=self.inputs, links=links, version=own_version())

    def serve(self) -> int:
        """Carry out every request, then report to the runner, even if a status could not be written."""
        is_there = self._find_pull()
        reporter = Reporter(self.runner, self.api, self.host, self.task, self.passed)
        if not is_there:
            return reporter.tell_nothing()
        try:
            for request in self._requests():
                if isinstance(request, SkippedFile):
                    self.passed.append(request)
                else:
                    self._take(request)
        except EditBlocksError as error:
            outcome = self.host.case.outcome if self.host.case else None
            if outcome is not None and outcome not in self.outcomes:
                self.outcomes.append(outcome)
            if self.outcomes:
                reporter.tell(self.outcomes, self.host.repo)
            commit = next((each.commit for each in reversed(self.outcomes) if each.commit is not None), None)
            if commit is not None:
                raise RepoError(f"the commit is {commit}; its status could not be written: {error.message}") from error
            raise
        return reporter.tell(self.outcomes, self.host.repo) if self.outcomes else reporter.tell_nothing()

    def _find_pull(self) -> bool:
        """After a push, find the open pull request of this branch; False if the branch was deleted."""
        if self.task.number is not None:
            return True
        try:
            pulls = self.host.context.pulls
        except RepoError as error:
            if error.code is not ReasonCode.CLOSED:
                raise
            self.host.nothing_to_do_reason = f"{error.code.value}: {error.message}"
            return False
        if pulls:
            self._look_at(replace(self.task, number=pulls[0]))
        return True

    def _requests(self) -> Iterator[ApplyRequest | Outcome | UndoTask | SkippedFile]:
        if self.task.comment is not None:
            yield from requests(self.host)
        else:
            yield from file_requests(self.host)

    def _take(self, request: ApplyRequest | Outcome | UndoTask) -> None:
        if isinstance(request, Outcome):
            outcome: Outcome | None = request
        elif isinstance(request, UndoTask):
            outcome = revert(self.host, request)
        elif (unreported := self.host.current.unreported) is not None:
            outcome = self.host.settle(request)
            outcome = as_committed(outcome, unreported) if outcome.refusal is None else outcome
        else:
            outcome = self.host.settle(request, lambda repo: refuse_changed_file(repo, request.response))
        if outcome is not None:
            self._publish(outcome)
            self.outcomes.append(outcome)

    def _publish(self, outcome: Outcome) -> None:
        repo = self.host.repo
        if outcome.written and repo is not None and repo.head == outcome.commit and self.task.comment is None:
            self.host.pull.advance(Head(repo.head, repo.tree))
        try:
            publish(self.host, outcome)
        except ApiError as error:
            # GitHub gives some runs of a push a token that only reads: the job itself says how it went
            if self.task.comment is not None or error.trouble is not Trouble.REFUSED:
                raise
            self.host.warnings.append(f"the status could not be written: {error.message}")
