"""The run step of action.yml: one event in, an outcome for every response out. Exit code 0, or 2 if the job must fail.

A proposal that does not fit turns nothing red; only what somebody has to look at does: a response file that
does not fit, a configuration that cannot be used, a server that says no, a bug of ours.
Rules: docs/reference/action.md, "faults and exit codes", and docs/internals/security.md, "the action".
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, TextIO
from urllib.parse import urlsplit

from editblocks import __version__
from editblocks.config.environment import values_from_environment
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigError, EditBlocksError, RepoError
from editblocks.faces.action.report import Reporter
from editblocks.faces.action.runner import Job, Runner
from editblocks.faces.common.terminal import FINE, exit_code_of
from editblocks.hosts.github.comments import handle_comment
from editblocks.hosts.github.event import Task, decide
from editblocks.hosts.github.finding import task_of_replay
from editblocks.hosts.github.host import GitHubHost
from editblocks.hosts.github.pull_request import PullRequest
from editblocks.hosts.github.sources import handle_files
from editblocks.report.status.links import Links
from editblocks.repos.github.client import GitHubApi

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

    def complain(code: ReasonCode, sentence: str) -> None:
        runner.error(f"{code.value}: {sentence}")

    return exit_code_of(lambda: _carry_out(environ, runner, sleep, clock), complain, runner.log)


def _carry_out(
    environ: Mapping[str, str], runner: Runner, sleep: Callable[[float], None], clock: Callable[[], float]
) -> int:
    job = Job(environ)
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
            if task.replay is not None:
                task = task_of_replay(api, task, task.replay)
            return _serve(runner, task, lambda task: _host(api, job, task, inputs))
        finally:
            runner.log(f"{api.requests} requests to GitHub")


def _event_task(environ: Mapping[str, str], runner: Runner, job: Job) -> tuple[Mapping[str, Any], Task | None]:
    """The settings of the workflow, and the task of the event. Raises `ConfigError` for its author to correct."""
    inputs = values_from_environment(environ, lambda key: f"input `{key}`")
    replay = (str(inputs.get("pr_number") or ""), str(inputs.get("comment_id") or ""))
    task = decide(job.event, runner.event(), replay)
    if task is not None and not inputs.get("token"):
        raise ConfigError("the input token is empty; leave it out, or pass one that may write contents")
    return inputs, task


def _host(api: GitHubApi, job: Job, task: Task, inputs: Mapping[str, Any]) -> GitHubHost:
    pull = PullRequest(api, task, f"users.noreply.{urlsplit(job.server).hostname}")
    links = Links(job.server, task.repository, task.number or 0, NO_SOURCE, job.run_id, job.docs)
    return GitHubHost(pull, inputs=inputs, links=links, version=__version__)


def _serve(runner: Runner, task: Task, host_of: Callable[[Task], GitHubHost]) -> int:
    """Carry out the task, then report to the runner, even if a status could not be written."""
    host = host_of(task)
    try:
        if task.number is None and host.context.pulls:  # after a push to the branch of a pull request
            host = host_of(task._replace(number=host.context.pulls[0]))
        (handle_files if task.comment is None else handle_comment)(host)
    except EditBlocksError as error:
        if error.code is ReasonCode.CLOSED and not host.outcomes:  # the branch is gone
            host.nothing_to_do_reason = f"{error.code.value}: {error.message}"
            return Reporter(runner, host).tell()
        if host.outcomes:
            Reporter(runner, host).tell()
        commit = next((each.commit for each in reversed(host.outcomes) if each.commit is not None), None)
        if commit is None:
            raise
        raise RepoError(f"the commit is {commit}; its status could not be written: {error.message}") from error
    return Reporter(runner, host).tell()
