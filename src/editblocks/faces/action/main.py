"""The run step of action.yml. It handles one event. The exit code is 0, or 2 if the job must fail.

A comment whose blocks do not fit does not fail the job. The job fails only if somebody has to act: for a response file
that does not fit, an invalid configuration, a refusal by the server, or a bug of ours.
Rules: docs/reference/action.md, "faults and exit codes", and docs/internals/security.md, "the action".
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, TextIO

from editblocks.config.policy import values_from_environment
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigError, EditBlocksError, RepoError
from editblocks.faces.action.report import Reporter
from editblocks.faces.action.runner import Runner, site_from
from editblocks.faces.common.terminal import FINE, exit_code_of
from editblocks.hosts.github.carry_out import carry_out
from editblocks.hosts.github.event import Task, decide
from editblocks.hosts.github.plan import plan_run
from editblocks.hosts.github.publish import Reactions, RunContext
from editblocks.hosts.github.reading import answer, read_state
from editblocks.hosts.github.state import Question, Site, rules_in_force
from editblocks.repos.github.client import GitHubApi


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


def _run(environ: Mapping[str, str], runner: Runner, sleep: Callable[[float], None], clock: Callable[[], float]) -> int:
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


def _serve(runner: Runner, api: GitHubApi, event: Task, site: Site, inputs: Mapping[str, Any]) -> int:
    """Read, plan and carry out; then report to the runner, even if a status could not be written."""
    try:
        reader, state = read_state(api, event, site)
    except EditBlocksError as error:
        if error.code is not ReasonCode.CLOSED:
            raise
        runner.log(f"{error.code.value}: {error.message}")  # for example, the branch was deleted
        runner.output({"result": State.NOTHING.value})
        return FINE
    rules = rules_in_force(state.pull, inputs)
    while isinstance(step := plan_run(state, rules), Question):
        state = answer(reader, state, rules, step)
    context = RunContext(reader, state, rules, Reactions(reader, is_wanted=rules.settings.reactions))
    report = carry_out(step, context)
    exit_code = Reporter(runner, context, report).write()
    if report.error is None:
        return exit_code
    commits = [result.outcome.commit for result in report.results if result.outcome.commit is not None]
    if not commits:
        raise report.error
    raise RepoError(f"the commit is {commits[-1]}; its status could not be written: {report.error.message}")
