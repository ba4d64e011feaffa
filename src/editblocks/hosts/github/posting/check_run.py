"""The check run of an outcome, for those who want one: `check-run: true`, and a token with `checks: write`.

Best effort, as the status says the same. Rules: docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.errors import RepoError
from editblocks.core.outcome import Outcome
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.report.tools.annotations import Annotation, check_run

NAME = "editblocks"
A_REQUEST = 50  # https://docs.github.com/en/rest/checks/runs#create-a-check-run
_LEVELS = {"error": "failure", "warning": "warning"}


def write_check_run(api: GitHubApi, repository: str, outcome: Outcome) -> bool:
    """Put a check run on the commit that was made, or the head that was checked; False if there is none now."""
    head = outcome.commit or outcome.head
    if head is None:
        return False
    run = check_run(outcome)
    shown = [_annotation(mark) for mark in run.annotations]
    output = {"title": run.title, "summary": run.summary}
    request: dict[str, object] = {
        "name": NAME,
        "head_sha": head,
        "external_id": outcome.response.source.id,
        "status": "completed",
        "conclusion": run.conclusion,
        "output": {**output, "annotations": shown[:A_REQUEST]},
    }
    path = f"/repos/{repository}/check-runs"
    try:
        number = api.send("POST", path, request, "writing the check run", lambda answer: int(answer["id"]))
        for start in range(A_REQUEST, len(shown), A_REQUEST):
            more: Sequence[dict[str, object]] = shown[start : start + A_REQUEST]
            body = {"output": {**output, "annotations": more}}
            api.send("PATCH", f"{path}/{number}", body, "writing the check run", lambda answer: int(answer["id"]))
    except RepoError:
        return False
    return True


def _annotation(mark: Annotation) -> dict[str, object]:
    return {
        "path": mark.path,
        "start_line": mark.line,
        "end_line": mark.end_line,
        "annotation_level": _LEVELS[mark.level],
        "title": mark.title,
        "message": "\n".join((mark.message, *mark.more)),
    }
