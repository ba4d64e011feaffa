"""The run step of action.yml: one event in, one outcome out. Exit code 0, or 2 when the job has to fail.

A proposal that does not fit turns nothing red; only what somebody has to look at does: a configuration
that cannot be used, a server that says no, a bug of ours.
Rules: docs/action.md, "faults and exit codes", and docs/security.md, "the action".
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TextIO

from editblocks.codes import ReasonCode, State
from editblocks.config import settings_from_environment
from editblocks.errors import ConfigError, EditBlocksError, RepoError
from editblocks.faces.boundary import BROKEN, FINE, Boundary
from editblocks.faces.version import own_version
from editblocks.hosts.github import GitHubHost
from editblocks.hosts.github_api import GitHubApi
from editblocks.hosts.github_context import Context, Made
from editblocks.hosts.github_event import Task, decide
from editblocks.hosts.runner import Job, Runner
from editblocks.outcome import Outcome, Response
from editblocks.report.commands import next_commands
from editblocks.report.details import prompt, suggestions
from editblocks.report.diff import unified_diff
from editblocks.report.json import Target, dumps, results
from editblocks.report.links import Links
from editblocks.repos.github import GitHubRepo, Tip
from editblocks.run import WRITES, run, serve
from editblocks.run import decide as decide_state
from editblocks.settings import Settings

SUMMARY_CHARACTERS = 225_000  # 900 kB if all of them were the longest; GitHub drops a summary above 1 MiB
DEFAULTS = asdict(Settings())
FAILS_THE_JOB = frozenset(
    {
        ReasonCode.PUBLISH_FAILED,
        ReasonCode.SELF_CHECK,
        ReasonCode.UNAVAILABLE,
        ReasonCode.INTERNAL,
        ReasonCode.BAD_CONFIG,
    }
)


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
    settings, job = settings_from_environment(environ), Job.of(environ)
    task = decide(job.event, runner.event(), job.server)
    if task is None:
        runner.log("nothing to do: no edit block in a new comment on an open pull request")
        runner.output({"result": State.NOTHING.value})
        return FINE
    if not settings.token:
        raise ConfigError("the input token is empty; leave it out, or pass one that may write contents")
    links = Links(job.server, task.repository, task.number, task.response.source.id, job.run_id, job.docs)
    with closing(GitHubApi(settings.token, job.api, sleep=sleep, clock=clock)) as api:
        host = GitHubHost(api, task, settings, links, own_version(), proves=_proof(api, task, settings))
        return _Run(runner, api, host, task, settings, links).serve()


def _proof(api: GitHubApi, task: Task, settings: Settings) -> Callable[[Context, Made, Response], bool]:
    """Plans a response on the parent of a commit and compares the trees. What cannot be read proves nothing."""
    committing = replace(settings, mode="apply")

    def proves(context: Context, made: Made, response: Response) -> bool:
        tip = Tip(task.repository, context.node_id, context.branch, made.parent.commit, made.parent.tree)
        repo = GitHubRepo(api, tip)
        try:
            result = run(response, repo, committing)
            return decide_state(result, committing) in WRITES and repo.tree_with(result.contents) == made.tree
        except EditBlocksError:
            return False

    return proves


@dataclass(slots=True)
class _Run:
    """One task with everything that takes part in it."""

    runner: Runner
    api: GitHubApi
    host: GitHubHost
    task: Task
    settings: Settings
    links: Links
    repo: GitHubRepo | None = None

    def serve(self) -> int:
        """Serve the task, then tell the runner, also what was done before a status could not be written."""
        try:
            serve(self.host, self._open_repo, self.settings, sleep=self._rest, target=self.task.repository)
        except EditBlocksError as error:
            outcome = self.host.outcome
            if outcome is not None:
                self._tell(outcome)
            if outcome is not None and outcome.commit is not None:
                reason = f"the commit is {outcome.commit}; its status could not be written: {error.message}"
                raise RepoError(reason) from error
            raise
        finally:
            self.runner.log(f"{self.api.requests} requests to GitHub")
        return self._tell(self.host.outcome) if self.host.outcome is not None else self._tell_nothing()

    def _open_repo(self) -> GitHubRepo:
        head = self.host.tip()
        tip = Tip(self.task.repository, self.host.context.node_id, self.host.context.branch, head.commit, head.tree)
        self.repo = GitHubRepo(self.api, tip, confirm=self.host.confirm, done=self.host.made)
        return self.repo

    def _rest(self, seconds: float) -> None:
        # runs that lost the same race should not meet again
        self.api.rest(seconds + random.SystemRandom().uniform(0, 0.5))

    def _tell(self, outcome: Outcome) -> int:
        commit = outcome.commit or self.host.done
        state = State.APPLIED if self.host.done else outcome.state
        self.runner.log(f"{state.value}: {self.links.comment}")
        if outcome.refusal is not None:
            self.runner.log(f"{outcome.refusal.code.value}: {outcome.refusal.reason}")
        if outcome.unresolved is not None:
            self.runner.log(f"the commit that may be on the branch is {outcome.unresolved}")
        if self.repo is not None and self.repo.fast_forward:
            self.runner.log(
                "this server knows no updateRefs: the branch was moved by a fast-forward (docs/security.md)"
            )
        counts = outcome.result.counts
        self.runner.output(  # first, so that nothing can lose the commit
            {
                "result": state.value,
                "commit-sha": commit or "",
                "head-sha": outcome.head or "",
                "applied-count": str(counts["applied"]),
                "failed-count": str(counts["failed"]),
                "review-url": self._review_url(),
                "pr-number": str(self.task.number),
            }
        )
        shown, asking = self.host.render(outcome, SUMMARY_CHARACTERS), prompt(outcome)
        parts = (shown, asking if asking not in shown else "", suggestions(outcome), self._circumstances())
        self.runner.summary("\n\n".join(filter(None, parts)))
        self.runner.output({"report-path": str(self._save_report(outcome))})
        failed = outcome.refusal is not None and outcome.refusal.code in FAILS_THE_JOB
        if failed and outcome.refusal is not None:
            self.runner.error(f"{outcome.refusal.code.value}: {outcome.refusal.reason}")
        return BROKEN if failed else FINE

    def _circumstances(self) -> str:
        """What the run cost, and every setting that is not the default: keys and values that `config` has vetted."""
        settings = {**asdict(self.settings), "token": ""}
        shown = [f"`{name.replace('_', '-')}: {value}`" for name, value in settings.items() if value != DEFAULTS[name]]
        return (
            f"{self.api.requests} requests to GitHub. Settings other than the defaults: {', '.join(shown) or 'none'}."
        )

    def _tell_nothing(self) -> int:
        done = self.host.done
        self.runner.log(f"already applied as {done[:7]}" if done else self.host.idle)
        state = State.APPLIED if done else State.NOTHING
        values = {"result": state.value, "commit-sha": done or "", "review-url": self._review_url()}
        self.runner.output({**values, "pr-number": str(self.task.number)})
        return FINE

    def _save_report(self, outcome: Outcome) -> Path:
        ref = f"refs/heads/{self.host.context.branch}"
        target = Target("pull-request", self.task.repository, self.task.number, ref)
        mode = "partial" if self.settings.partial else "all-or-nothing"
        following = next_commands(outcome)
        document = results(
            outcome, command="action", mode=mode, target=target, version=own_version(), following=following
        )
        self.runner.save("editblocks.patch", unified_diff(outcome.result))
        return self.runner.save("editblocks.json", dumps(document).encode())

    def _review_url(self) -> str:
        review = self.host.review_id
        pull = f"{self.links.server}/{self.task.repository}/pull/{self.task.number}"
        return f"{pull}#pullrequestreview-{review}" if review is not None else ""
