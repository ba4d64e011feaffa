"""Run a composite action as the Actions runner does, with the real bash.

    run = run_action(root, environ=h.job_env(event, tmp_path), inputs={"mode": "check"}, token=h.world.token.value)
    assert run.outputs["result"] == "checked" and run.steps["install"].outcome == "success"

Only `run` steps in bash and the `${{ }}` of `hub/expressions.py` are implemented. Anything else raises `NotSupported`;
nothing is guessed. Steps start in `GITHUB_WORKSPACE`. `PATH` has the interpreter from which this environment was made
(without its packages) and the system's commands. `hub/workflows.py` decides which jobs of a workflow run.

`wheels` names a folder of wheels for the real pip. Without it, one thing is replaced: in the step that runs
`pip install`, `python3` links the packages of the test environment into the folder after `--target`.
"""

import os
import shlex
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from support.hub import Event, Hub
from support.hub.expressions import NotSupported, as_text, condition, expand
from support.hub.runner import Command, parse_commands, parse_outputs
from support.hub.workflows import jobs

STEP_KEYS = {"id", "name", "if", "shell", "run", "env", "working-directory"}


@dataclass(slots=True)
class Step:
    """The result of a step. `outcome` is success, failure or skipped."""

    outcome: str
    log: str = ""
    seconds: float = 0.0
    outputs: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Run:
    """The result of the action. Secrets in `log` are not masked, so that a test can see a leaked token."""

    steps: dict[str, Step] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    summary: str = ""

    @property
    def ok(self) -> bool:
        """Whether all steps succeeded or were skipped."""
        return all(step.outcome != "failure" for step in self.steps.values())

    @property
    def log(self) -> str:
        """The output of all steps."""
        return "".join(step.log for step in self.steps.values())


def run_action(
    root: Path,
    *,
    environ: Mapping[str, str],
    inputs: Mapping[str, str] | None = None,
    token: str = "",
    wheels: Path | None = None,
) -> Run:
    """Run the `action.yml` in `root`. Raises `NotSupported`.

    `environ` has the `GITHUB_*` variables of the job, and `RUNNER_TEMP`: an empty folder that no other run uses.
    """
    action = yaml.safe_load(root.joinpath("action.yml").read_text("utf-8"))
    if action["runs"]["using"] != "composite":
        raise NotSupported(f"runs.using: {action['runs']['using']}")
    temp = Path(environ["RUNNER_TEMP"])
    job = {**environ, "GITHUB_ACTION_PATH": str(root), "HOME": str(temp), "PATH": system_path(temp)}
    names = _names(job, action.get("inputs") or {}, inputs or {}, token)
    run = Run()
    for number, raw in enumerate(action["runs"]["steps"]):
        _check_keys(raw)
        name = raw.get("id", f"__{number}")
        wanted = run.ok and condition(raw.get("if", "'always'"), names)  # every `if:` implies success()
        step = run.steps[name] = _run_step(raw, names, job, wheels, run) if wanted else Step("skipped")
        names[f"steps.{name}.outcome"] = step.outcome
        names |= {f"steps.{name}.outputs.{key}": value for key, value in step.outputs.items()}
    run.outputs = {name: expand(spec["value"], names) for name, spec in (action.get("outputs") or {}).items()}
    return run


def run_workflow(root: Path, text: str, *, h: Hub, event: Event, folder: Path, **options: Any) -> list[Run]:
    """Run a workflow for an event: for each step that uses `…/editblocks@…`, run the action in `root`.

    The token has the `permissions:` of the job. `options` are those of `hub.workflows.jobs`. A job whose `if:` is false
    gives no run.
    """
    wanted = [job for job in jobs(text, event, **options) if job.wanted]
    uses = [(job, use) for job in wanted for use in job.uses if "/editblocks@" in use.name]
    return [
        run_action(
            root,
            environ={**h.job_env(event, folder / str(number)), **_of_action(use.name)},
            inputs=use.inputs,
            token=h.job_token(event, job).value,
        )
        for number, (job, use) in enumerate(uses)
    ]


def _of_action(name: str) -> dict[str, str]:
    """The variables that describe an action to its steps.

    https://docs.github.com/en/actions/reference/workflows-and-actions/variables#default-environment-variables
    """
    repository, _, ref = name.partition("@")
    return {"GITHUB_ACTION_REPOSITORY": repository, "GITHUB_ACTION_REF": ref}


def _names(job: Mapping[str, str], declared: Any, given: Mapping[str, str], token: str) -> dict[str, str]:
    """The names that expressions may use: `github`, `runner`, and the inputs with their defaults."""
    if unknown := set(given) - set(declared):
        raise NotSupported(f"unexpected inputs: {', '.join(sorted(unknown))}")  # the real runner only warns
    names = {
        "github.action_path": job["GITHUB_ACTION_PATH"],
        "github.token": token,
        "github.workspace": job["GITHUB_WORKSPACE"],
        "runner.temp": job["RUNNER_TEMP"],
    }
    defaults = {name: expand(as_text((spec or {}).get("default", "")), names) for name, spec in declared.items()}
    return names | {f"inputs.{name}": given.get(name, default) for name, default in defaults.items()}


def _check_keys(raw: Mapping[str, Any]) -> None:
    if unknown := set(raw) - STEP_KEYS:
        raise NotSupported(f"step keys: {', '.join(sorted(unknown))}")
    if raw.get("shell") != "bash" or "run" not in raw:
        raise NotSupported("a step that is not a bash script")


def _run_step(raw: Any, names: Mapping[str, str], job: Mapping[str, str], wheels: Path | None, run: Run) -> Step:
    temp = Path(job["RUNNER_TEMP"])
    files = {name: temp / f"_{name.lower()}_{len(run.steps)}" for name in ("OUTPUT", "ENV", "PATH", "STEP_SUMMARY")}
    for path in files.values():
        path.touch()
    environ = {**job, **{f"GITHUB_{name}": str(path) for name, path in files.items()}}
    environ |= {name: expand(as_text(value), names) for name, value in (raw.get("env") or {}).items()}
    environ |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)} if wheels else {}
    if "pip install" in raw["run"] and wheels is None:
        environ["PATH"] = os.pathsep.join((str(linker(temp / "_linker")), environ["PATH"]))
    script = temp / f"_step_{len(run.steps)}.sh"
    script.write_text(expand(raw["run"], names), "utf-8")
    folder = expand(raw.get("working-directory", job["GITHUB_WORKSPACE"]), names)
    # https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    start = time.monotonic()
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=folder, env=environ, timeout=120, check=False, **pipes)
    step = Step("failure" if done.returncode else "success", done.stdout.decode("utf-8", "replace"))
    step.seconds = time.monotonic() - start
    if files["ENV"].stat().st_size or files["PATH"].stat().st_size:
        raise NotSupported("a step wrote to GITHUB_ENV or GITHUB_PATH")
    step.outputs, problem = parse_outputs(files["OUTPUT"].read_text("utf-8"))
    if problem:
        step.outcome, step.log = "failure", f"{step.log}unable to process file command 'output': {problem}\n"
    run.commands += parse_commands(step.log)
    run.summary += files["STEP_SUMMARY"].read_text("utf-8")
    return step


def linker(folder: Path) -> Path:
    """Make a folder with a `python3` that acts like `pip install --target`, but links the installed packages."""
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    entries = " ".join(f"{shlex.quote(path)}/*" for path in sorted(packages))
    script = f'#!/bin/sh\nwhile [ "$1" != --target ]; do shift; done\nmkdir -p "$2" && ln -s {entries} "$2/"\n'
    folder.mkdir()
    folder.joinpath("python3").write_text(script)
    folder.joinpath("python3").chmod(0o755)
    return folder


def system_path(temp: Path) -> str:
    """A PATH: a new folder with the `python3` that this virtual environment is based on, then the system's folders."""
    folder = temp / "_bin"
    folder.mkdir()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folder.joinpath("python3").symlink_to(Path(sys.base_prefix, "bin", version))
    return os.pathsep.join((str(folder), *os.defpath.split(os.pathsep)))
