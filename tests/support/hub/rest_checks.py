"""Check runs of the REST API: an app writes its own, 50 annotations a request."""

from __future__ import annotations

from typing import Any

from support.hub import shapes
from support.hub.answers import Answer, Call, invalid, no_access, not_found
from support.hub.model import CheckRun

MAX_TITLE, MAX_MESSAGE = 255, 65_536  # "The maximum size is 255 characters", "… 64 KB"


def create(call: Call) -> Answer:
    """https://docs.github.com/en/rest/checks/runs#create-a-check-run

    "The Checks API only looks for pushes in the repository where the check suite or check run were created."
    """
    head = call.body["head_sha"]
    if call.world.store.commit(head) is None:
        raise invalid("CheckRun", "head_sha", f"No commit found for SHA: {head}")
    run = CheckRun(call.world.next_id(), call.body["name"], head, call.viewer, call.world.tick())
    _fill(call, run)
    call.repository.check_runs.append(run)
    return Answer(201, shapes.check_run(call, run))


def update(call: Call) -> Answer:
    """https://docs.github.com/en/rest/checks/runs#update-a-check-run: "annotations are appended to the list"."""
    run = _find(call)
    if run.app is not call.viewer:  # "GitHub Apps can only edit check runs they have created"
        raise no_access()
    _fill(call, run)
    return Answer(200, shapes.check_run(call, run))


def list_annotations(call: Call) -> Answer:
    """https://docs.github.com/en/rest/checks/runs#list-check-run-annotations"""
    run = _find(call)
    return call.page([shapes.annotation(call, run, item) for item in run.annotations])


def _fill(call: Call, run: CheckRun) -> None:
    body: dict[str, Any] = call.body or {}
    output = body.get("output", {})
    for item in output.get("annotations", ()):
        _check_annotation(item)
    names = ("name", "details_url", "external_id", "status", "conclusion", "started_at", "completed_at")
    for name in (each for each in names if each in body):
        setattr(run, name, body[name])
    for name in (each for each in ("title", "summary", "text") if each in output):
        setattr(run, name, output[name])
    run.annotations += output.get("annotations", ())
    if run.conclusion:  # "Providing `conclusion` will automatically set the `status` parameter to `completed`."
        run.status = "completed"
        run.completed_at = run.completed_at or call.world.tick()


def _check_annotation(item: dict[str, Any]) -> None:
    problems = {
        "start_line": item["start_line"] < 1 or item["start_line"] > item["end_line"],
        # "Annotations only support `start_column` and `end_column` on the same line."
        "start_column": "start_column" in item and item["start_line"] != item["end_line"],
        "title": len(item.get("title", "")) > MAX_TITLE,
        "message": len(item["message"].encode()) > MAX_MESSAGE,
    }
    for name in (each for each, wrong in problems.items() if wrong):
        raise invalid("CheckRun", f"annotations.{name}", f"{name} is not right")


def _find(call: Call) -> CheckRun:
    number = int(call.params["check_run_id"])
    found = next((run for run in call.repository.check_runs if run.id == number), None)
    if found is None:
        raise not_found()
    return found
