"""Write the check run of an outcome; needs the setting `check-run: true` and a token with `checks: write`.

A failure here does not fail the run, as the status says the same. Rules: docs/reference/action.md, "what the status
says".
"""

from __future__ import annotations

from editblocks.core.errors import RepoError
from editblocks.core.outcome import Outcome
from editblocks.report.tools.annotations import Annotation, check_run
from editblocks.report.view import OutcomeView
from editblocks.repos.github.client import GitHubApi

NAME = "editblocks"
A_REQUEST = 50  # https://docs.github.com/en/rest/checks/runs#create-a-check-run
_LEVELS = {"error": "failure", "warning": "warning"}


def write_check_run(api: GitHubApi, repository: str, outcome: Outcome) -> bool:
    """Put a check run on the new commit, or else on the checked head; False if it could not be written."""
    head = outcome.commit or outcome.head
    if head is None:
        return False
    run = check_run(OutcomeView(outcome))
    request: dict[str, object] = {
        "name": NAME,
        "head_sha": head,
        "external_id": outcome.response.source.id,
        "status": "completed",
        "conclusion": run.conclusion,
    }
    verb, path = "POST", f"/repos/{repository}/check-runs"
    shown = [_annotation(mark) for mark in run.annotations]
    try:
        for start in range(0, max(1, len(shown)), A_REQUEST):
            annotations = shown[start : start + A_REQUEST]
            body = {**request, "output": {"title": run.title, "summary": run.summary, "annotations": annotations}}
            number = api.send(verb, path, body, "writing the check run", lambda answer: int(answer["id"]))
            verb, path, request = "PATCH", f"/repos/{repository}/check-runs/{number}", {}
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
