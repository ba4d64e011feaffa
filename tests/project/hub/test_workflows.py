"""Which jobs an event starts: the documented workflow and the reusable one, event by event."""

from collections.abc import Callable
from typing import Any

import pytest
from support.hub import Event, Hub, events
from support.hub.expressions import NotSupported, condition, evaluate
from support.hub.model import PullRequest
from support.hub.workflows import jobs

ONE = """
name: editblocks
on:
  issue_comment: {types: [created]}
  pull_request: {paths: [".edits/**"]}
  pull_request_review: {types: [submitted]}
  push: {branches: [main, "release/*"]}
  workflow_dispatch: {inputs: {comment-id: {type: string}}}
permissions: {}
jobs:
  editblocks:
    if: >-
      vars.EDITBLOCKS_DISABLED != '1' && (github.event_name != 'issue_comment' || (github.event.issue.pull_request
      && (startsWith(github.event.comment.body, '/') || contains(github.event.comment.body, '<<<<<'))))
    runs-on: ubuntu-latest
    timeout-minutes: 6
    permissions: {contents: write, pull-requests: write, checks: read}
    concurrency:
      group: editblocks-${{ github.event.issue.number || github.event.pull_request.number }}
      cancel-in-progress: false
    steps:
      - uses: OWNER/editblocks@0123456789012345678901234567890123456789  # v1.0.0
        with: {comment-id: "${{ inputs.comment-id }}", partial: true}
"""
CALLED = """
on: {workflow_call: {inputs: {mode: {type: string, default: check}}, secrets: {app-key: {required: false}}}}
permissions: {}
jobs:
  editblocks:
    if: github.event.issue.pull_request && !contains(github.event.comment.body, 'skip')
    permissions: {contents: write, pull-requests: write, checks: write}
    runs-on: ubuntu-latest
    steps: [{uses: OWNER/editblocks@v1, with: {mode: "${{ inputs.mode }}", token: "${{ secrets.app-key }}"}}]
"""
CALLER = """
on: [issue_comment]
permissions: {}
jobs:
  call:
    permissions: {contents: write, pull-requests: write}
    uses: ORG/.github/.github/workflows/editblocks.yml@0123456789012345678901234567890123456789
    with: {mode: apply}
"""


Make = Callable[[Hub, PullRequest], Event]
STARTS: tuple[tuple[str, Make, bool | None], ...] = (
    ("a command", lambda h, pr: h.comment(pr, "octocat", "/apply"), True),
    ("a block", lambda h, pr: h.comment(pr, "octocat", "x\n<<<<<<< SEARCH"), True),
    ("talk", lambda h, pr: h.comment(pr, "octocat", "fine"), False),
    ("an issue", lambda h, pr: events.on_plain_issue(h.comment(pr, "octocat", "/apply")), False),
    ("a review", lambda h, pr: h.review(pr, "octocat", "x"), True),
    ("an answer", lambda h, pr: h.reply(pr, "hubot", "x", to=pr.review_comments[0]), None),
    ("a response file", lambda h, pr: h.pull_event(pr), True),
    ("a branch nobody named", lambda h, pr: h.push(pr.head_ref, {"x": b""}), None),
    ("a release", lambda h, _: h.push("release/1", {"x": b""}, parent=h.world.branch("main")), True),
    ("by hand", lambda h, _: h.dispatch("octocat", comment_id=7), True),
)


@pytest.mark.parametrize(("make", "wanted"), [row[1:] for row in STARTS], ids=[row[0] for row in STARTS])
@pytest.mark.long(after=2)
def test_what_starts_the_documented_job(h: Hub, make: Make, wanted: bool | None) -> None:
    pr = h.world.pull_request({".edits/x.md": b"1\n"})
    h.world.review(pr, "octocat", "", [(".edits/x.md", 1, "?")])
    event = make(h, pr)
    found = jobs(ONE, event, changed=[".edits/x.md"])
    assert [job.wanted for job in found] == ([] if wanted is None else [wanted])
    assert [
        job.wanted for job in jobs(ONE, event, changed=[".edits/x.md"], variables={"EDITBLOCKS_DISABLED": "1"})
    ] == [False for _ in found]


def test_paths_and_types_are_looked_at(h: Hub) -> None:
    pr = h.world.pull_request({"x": b""})
    assert jobs(ONE, h.pull_event(pr), changed=["x", "a/.edits/x"]) == []
    assert len(jobs(ONE, h.pull_event(pr, "reopened"), changed=["x", ".edits/a/b"])) == 1
    deleted: Any = events.issue_comment(h.world, pr, h.world.say(pr, "octocat", "/apply"), "deleted")
    assert jobs(ONE, deleted) == []


def test_what_the_job_gets(h: Hub) -> None:
    pr = h.world.pull_request({"x": b""})
    (job,) = jobs(ONE, h.comment(pr, "octocat", "/apply"))
    assert (job.group, sorted(job.permissions)) == ("editblocks-1", ["contents", "pull_requests"])
    assert job.uses[0].inputs == {"comment-id": "", "partial": "true"}
    (by_hand,) = jobs(ONE, h.dispatch("octocat", comment_id=7))
    assert by_hand.uses[0].inputs["comment-id"] == "7"
    assert h.job_token(h.comment(pr, "octocat", "x"), job).permissions == {"contents", "pull_requests"}
    fork = h.world.pull_request({"x": b""}, author="hubot", fork=h.world.fork("hubot"))
    assert h.job_token(h.review(fork, "hubot", "x"), job) is h.world.read_token


def test_a_reusable_workflow_gets_no_more_than_its_caller(h: Hub) -> None:
    event = h.comment(h.world.pull_request({"x": b""}), "octocat", "/apply")
    (call,) = jobs(CALLER, event)
    (job,) = jobs(CALLED, event, caller=call)
    assert (job.wanted, sorted(job.permissions)) == (True, ["contents", "pull_requests"])
    assert job.uses[0].inputs == {"mode": "apply", "token": ""}
    (quiet,) = jobs(CALLED, h.comment(h.world.pull_requests[0], "octocat", "/skip 1"), caller=call)
    assert quiet.wanted is False


APP_TOKEN = """
on: issue_comment
jobs:
  one:
    permissions: {}
    runs-on: ubuntu-latest
    steps:
      - {id: app, if: "vars.APP_ID", uses: actions/create-github-app-token@v2, with: {app-id: "${{ vars.APP_ID }}"}}
      - {uses: OWNER/editblocks@v1, with: {token: "${{ steps.app.outputs.token }}"}}
"""


def test_what_other_actions_give_is_told_to_the_reader(h: Hub) -> None:
    event = h.comment(h.world.pull_request({"x": b""}), "octocat", "/apply")
    (job,) = jobs(APP_TOKEN, event, variables={"APP_ID": "7"}, more={"steps.app.outputs.token": "ghs_x"})
    assert [dict(use.inputs) for use in job.uses] == [{"app-id": "7"}, {"token": "ghs_x"}]
    (other,) = jobs(APP_TOKEN, event, more={"steps.app.outputs.token": ""})
    assert [use.name for use in other.uses] == ["OWNER/editblocks@v1"]
    with pytest.raises(NotSupported):
        jobs(APP_TOKEN, event)


NOT_SUPPORTED = (
    ONE.replace("runs-on", "strategy"),
    ONE.replace("permissions: {contents: write, pull-requests: write, checks: read}", "permissions: write-all"),
    ONE.replace("types: [created]", "labels: [x]"),
    ONE.replace("vars.EDITBLOCKS_DISABLED", "env.EDITBLOCKS_DISABLED"),
    ONE.replace("vars.EDITBLOCKS_DISABLED", "always()"),
    ONE.replace("name: editblocks", "env: {}"),
)


@pytest.mark.parametrize("text", NOT_SUPPORTED)
@pytest.mark.long(after=2)
def test_whatever_is_not_understood_is_an_error(h: Hub, text: str) -> None:
    event = h.comment(h.world.pull_request({"x": b""}), "octocat", "/apply")
    with pytest.raises(NotSupported):
        jobs(text, event)


EVENT = {"comment": {"body": "/Apply\r\n<<<<<", "line": None, "id": 3}, "labels": ["Bug", "x"], "draft": False}
EXPRESSIONS: tuple[tuple[str, object], ...] = (
    ("github.event.comment.body", "/Apply\r\n<<<<<"),
    ("github.event.comment.nothing", None),
    ("github.event.nothing.at.all", None),
    ("startsWith(github.event.comment.body, '/apply')", True),
    ("endsWith(github.event.comment.body, '>')", False),
    ("contains(github.event.comment.body, '<<<<<')", True),
    ("contains(github.event.labels, 'bug')", True),
    ("contains(github.event.nothing, 'x')", False),
    ("startsWith(github.event.nothing, '')", True),
    ("github.event.draft == false", True),
    ("github.event.draft == 'false'", False),
    ("github.event.nothing == ''", True),
    ("github.event.comment.id == 3", True),
    ("github.event.comment.id == '3'", True),
    ("github.event.comment == 'x'", False),
    ("!(github.event.draft || github.event.comment.line)", True),
    ("'it''s (not) a && b' == 'IT''S (NOT) A && B'", True),
    ("github.event.comment.line || github.event.comment.id", 3),
    ("false && github.event.draft || 'c'", "c"),
)


@pytest.mark.parametrize(("text", "value"), EXPRESSIONS)
def test_expressions_over_an_event(text: str, value: object) -> None:
    assert evaluate(text, {"github.event": EVENT}) == value
    assert condition(f"${{{{ {text} }}}}", {"github.event": EVENT}) is bool(value)


@pytest.mark.parametrize(
    "text",
    ["(", "a b", "'", "startsWith('a' 'b')", "contains('a', 'b', 'c')", "fromJSON('1')", "github.actor", "",
     "github.event.comment.body.x", "github.event.labels[0]", "github.event.*", "!", "1 < 2", "'a' ||", "() == 1"],
)  # fmt: skip
def test_expressions_that_are_not_understood(text: str) -> None:
    with pytest.raises(NotSupported):
        evaluate(text, {"github.event": EVENT})
