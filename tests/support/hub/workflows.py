"""Which jobs of a workflow an event starts, with which inputs and permissions: as much as the examples need.

    (job,) = jobs(text, h.comment(pull, "octocat", "/apply"))
    assert job.wanted and job.group == "editblocks-1" and job.permissions == {"contents", "pull_requests"}
    run_action(ROOT, environ=..., inputs=job.uses[0].inputs, token=h.job_token(event, job).value)

For a reusable workflow, call `jobs(its text, event, caller=job of the caller)`. Syntax that is not implemented raises
`NotSupported`.
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import yaml
from support.hub.expressions import Names, NotSupported, as_text, condition, expand
from support.hub.model import Event

# https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request
DEFAULT_TYPES: Mapping[str, frozenset[str]] = {"pull_request": frozenset({"opened", "synchronize", "reopened"})}
WORKFLOW_KEYS = frozenset({"name", "run-name", "on", "permissions", "jobs", "defaults"})
JOB_KEYS = frozenset(
    "name if runs-on timeout-minutes permissions cache-mode concurrency steps uses with secrets environment".split()
)
STEP_KEYS = frozenset({"id", "name", "if", "uses", "with", "run", "shell", "env"})
FILTERS = frozenset({"types", "paths", "branches"})


class Use(NamedTuple):
    """An action or a reusable workflow that a step or a job `uses`, with its inputs."""

    name: str
    inputs: Mapping[str, str]


class Job(NamedTuple):
    """A job that an event may start. `wanted`: its `if:` is true. `permissions`: what its token may write."""

    name: str
    wanted: bool
    group: str
    permissions: frozenset[str]
    uses: tuple[Use, ...]


def jobs(
    text: str,
    event: Event,
    *,
    variables: Mapping[str, str] | None = None,
    changed: Collection[str] = (),
    caller: Job | None = None,
    more: Names | None = None,
) -> list[Job]:
    """The jobs of a workflow; an empty list if the event does not trigger it.

    `changed` are the paths that `paths:` filters. `more` has the outputs of other actions:
    `{"steps.app.outputs.token": …}`.
    """
    whole: dict[Any, Any] = yaml.safe_load(text)
    if True in whole:  # YAML 1.1 reads the key `on` as a boolean
        whole["on"] = whole.pop(True)
    _known("workflow", whole, WORKFLOW_KEYS)
    if caller is None and not triggers(whole["on"], event, changed):
        return []
    names = {**contexts(event, variables or {}, _inputs(whole["on"], event, caller)), **(more or {})}
    return [_job(name, raw, whole.get("permissions"), names, caller) for name, raw in whole["jobs"].items()]


def triggers(on: Any, event: Event, changed: Collection[str] = ()) -> bool:
    """Whether an event triggers a workflow whose `on:` is `on`."""
    named: Mapping[str, Any] = on if isinstance(on, Mapping) else dict.fromkeys([on] if isinstance(on, str) else on)
    if event.name not in named:
        return False
    if event.name == "workflow_dispatch":
        return True
    wanted: Mapping[str, Any] = named[event.name] or {}
    _known(f"on.{event.name}", wanted, FILTERS)
    types = wanted.get("types") or DEFAULT_TYPES.get(event.name)
    if types and event.payload.get("action") not in types:
        return False
    if "branches" in wanted and not any(_matches(each, _branch(event)) for each in wanted["branches"]):
        return False
    return "paths" not in wanted or any(_matches(each, path) for each in wanted["paths"] for path in changed)


def contexts(event: Event, variables: Mapping[str, str], inputs: Mapping[str, Any]) -> Names:
    """The names that expressions of a job may use. In a reusable workflow, `github` is that of the caller.

    https://docs.github.com/en/actions/reference/workflows-and-actions/contexts
    """
    return {
        "github.event": event.payload,
        "github.event_name": event.name,
        "github.repository": event.repository.full_name,
        "github.repository_owner": event.repository.owner.login,
        "github.ref": event.payload.get("ref"),
        "inputs": inputs,
        "secrets": {},
        "vars": variables,
    }


def _job(name: str, raw: Mapping[str, Any], outer: Any, names: Names, caller: Job | None) -> Job:
    _known(f"jobs.{name}", raw, JOB_KEYS)
    granted = _permissions(raw.get("permissions", outer))
    group = raw.get("concurrency") or {}
    uses = [raw] if "uses" in raw else [step for step in raw.get("steps", ()) if _known("step", step, STEP_KEYS)]
    wanted = _runs(raw, names)
    return Job(
        name=name,
        wanted=wanted,
        group=expand(group if isinstance(group, str) else group.get("group", ""), names),
        # "can only be downgraded (not elevated) by the called workflow":
        # https://docs.github.com/en/actions/reference/workflows-and-actions/reusing-workflow-configurations
        permissions=granted & caller.permissions if caller else granted,
        uses=tuple(_use(each, names) for each in uses if "uses" in each and _runs(each, names)) if wanted else (),
    )


def _runs(raw: Mapping[str, Any], names: Names) -> bool:
    """Whether the `if:` of a job or a step is true."""
    return condition(raw.get("if", "'always'"), names)


def _use(raw: Mapping[str, Any], names: Names) -> Use:
    given = raw.get("with") or {}
    return Use(raw["uses"], {name: expand(as_text(value), names) for name, value in given.items()})


def _permissions(raw: Any) -> frozenset[str]:
    """What the token may write. Missing `permissions:` raise `NotSupported`: their default differs by organisation."""
    if not isinstance(raw, Mapping):
        raise NotSupported(f"permissions: {raw}")
    if unknown := set(raw.values()) - {"write", "read", "none"}:
        raise NotSupported(f"permissions: {unknown}")
    return frozenset(name.replace("-", "_") for name, level in raw.items() if level == "write")


def _inputs(on: Any, event: Event, caller: Job | None) -> Mapping[str, Any]:
    if caller is None:
        given: Any = event.payload.get("inputs")
        return given or {}
    declared: Mapping[str, Any] = (on["workflow_call"] or {}).get("inputs") or {}
    (use,) = caller.uses
    if unknown := set(use.inputs) - set(declared):
        raise NotSupported(f"inputs that are not declared: {', '.join(sorted(unknown))}")
    return {name: use.inputs.get(name, as_text((spec or {}).get("default", ""))) for name, spec in declared.items()}


def _branch(event: Event) -> str:
    """The branch that `branches:` filters: the pushed branch, or the base of the pull request."""
    pull: Any = event.payload.get("pull_request")
    return str(pull["base"]["ref"] if pull else event.payload["ref"]).removeprefix("refs/heads/")


def _matches(pattern: str, path: str) -> bool:
    """https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet"""
    if re.search(r"[?+\[\]!]", pattern):
        raise NotSupported(f"filter pattern: {pattern}")
    parts = re.split(r"(\*\*/|\*\*|\*)", pattern)
    stars = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re.fullmatch("".join(stars.get(part, re.escape(part)) for part in parts), path) is not None


def _known(where: str, raw: Mapping[str, Any], known: Collection[str]) -> bool:
    if unknown := set(raw) - set(known):
        raise NotSupported(f"{where}: {', '.join(sorted(map(str, unknown)))}")
    return True
