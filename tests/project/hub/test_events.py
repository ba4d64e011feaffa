"""What a workflow finds in its event file; every payload is held to the official schema where it is made."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.hub import Event, Hub
from support.hub.model import PullRequest
from support.hub.store import ZERO

FILES = {"app.py": b"1\n2\n3\n"}


def payload(event: Event) -> Any:
    return event.payload


def test_a_review_and_its_inline_comments_are_one_event_each(h: Hub, pr: PullRequest) -> None:
    event = h.review(pr, "hubot", "one\r\ntwo", comments=[("app.py", 2, "a\r\n"), ("app.py", 3, "b")])
    review, first, second = payload(event), *(payload(each) for each in event.also)
    assert [event.name, *(each.name for each in event.also)] == [
        "pull_request_review", *["pull_request_review_comment"] * 2,
    ]  # fmt: skip
    assert (review["action"], review["review"]["body"], review["review"]["state"]) == (
        "submitted",
        "one\r\ntwo",
        "commented",
    )
    assert "comments" not in review["review"]
    assert (review["review"]["user"]["login"], review["sender"]["login"]) == ("hubot", "hubot")
    assert (first["comment"]["body"], first["comment"]["line"], second["comment"]["line"]) == ("a\r\n", 2, 3)
    assert {each["comment"]["pull_request_review_id"] for each in (first, second)} == {review["review"]["id"]}
    assert first["comment"]["original_commit_id"] == review["review"]["commit_id"] == h.world.head(pr)
    assert first["comment"]["diff_hunk"].startswith("@@ -0,0 +1,3 @@")
    assert "in_reply_to_id" not in first["comment"]


def test_a_review_without_a_text_has_none(h: Hub, pr: PullRequest) -> None:
    event = h.review(pr, "octocat", comments=[("app.py", 1, "only this")])
    assert (payload(event)["review"]["body"], len(event.also)) == (None, 1)


def test_an_answer_in_a_thread_makes_a_review_of_its_own(h: Hub, pr: PullRequest) -> None:
    h.review(pr, "hubot", "look", comments=[("app.py", 2, "why?")])
    asked = pr.review_comments[0]
    old = h.world.head(pr)
    h.world.push(pr, {"other": b""})
    first = h.reply(pr, "octocat", "because\r\n", to=asked)
    second = h.reply(pr, "monalisa", "I see", to=pr.review_comments[1])
    found = payload(first)["comment"]
    assert (found["in_reply_to_id"], found["path"], found["line"], found["body"]) == (
        asked.id, "app.py", 2, "because\r\n",
    )  # fmt: skip
    assert (found["original_commit_id"], found["diff_hunk"]) == (old, asked.diff_hunk)
    (around,) = first.also
    assert (around.name, payload(around)["review"]["body"]) == ("pull_request_review", None)
    assert payload(around)["review"]["id"] == found["pull_request_review_id"] != asked.review_id
    assert payload(second)["comment"]["in_reply_to_id"] == asked.id  # there are no threads below threads
    assert [[each.body for each in thread] for thread in pr.threads] == [["why?", "because\r\n", "I see"]]


def test_a_thread_whose_lines_are_gone_has_only_its_first_place(h: Hub, pr: PullRequest) -> None:
    h.review(pr, "hubot", comments=[("app.py", 2, "why?")])
    pr.review_comments[0].line = None
    found = payload(h.reply(pr, "octocat", "x", to=pr.review_comments[0]))["comment"]
    assert (found["line"], found["original_line"], found["position"]) == (None, 2, None)


PULLS: tuple[tuple[str, str | None, str], ...] = (
    ("opened", None, "monalisa"),
    ("reopened", "octocat", "octocat"),
    ("synchronize", "dependabot[bot]", "dependabot[bot]"),
)


@pytest.mark.parametrize(("action", "sender", "by"), PULLS)
def test_a_pull_request_event(h: Hub, pr: PullRequest, action: str, sender: str | None, by: str) -> None:
    found = payload(h.pull_event(pr, action, sender, h.world.branch("main")))
    assert (found["action"], found["number"], found["sender"]["login"]) == (action, pr.number, by)
    head, base = found["pull_request"]["head"], found["pull_request"]["base"]
    assert (head["ref"], head["sha"], head["repo"]["full_name"]) == (
        pr.head_ref, h.world.head(pr), "octocat/Hello-World",
    )  # fmt: skip
    assert (base["ref"], base["sha"], base["repo"]["id"]) == ("main", h.world.branch("main"), h.world.repository.id)
    assert ("before" in found) == (action == "synchronize")
    assert found["pull_request"]["url"] == f"{h.api_url}/repos/octocat/Hello-World/pulls/{pr.number}"


def test_the_head_of_a_fork_may_be_gone(h: Hub) -> None:
    pr = h.world.pull_request(FILES, author="hubot", fork=h.world.fork("hubot"))
    there = h.pull_event(pr)
    pr.head_repository = None
    gone = h.pull_event(pr)
    assert payload(there)["pull_request"]["head"]["repo"]["full_name"] == "hubot/Hello-World"
    assert payload(there)["pull_request"]["head"]["repo"]["fork"] is True
    assert payload(gone)["pull_request"]["head"]["repo"] is None
    assert payload(gone)["pull_request"]["head"]["sha"] == h.world.head(pr)


def events_of(h: Hub, pr: PullRequest) -> dict[str, Event]:
    review = h.review(pr, "octocat", "x", comments=[("app.py", 1, "y")])
    return {
        "issue_comment": h.comment(pr, "octocat", "x"),
        "pull_request_review": review,
        "pull_request_review_comment": review.also[0],
        "pull_request": h.pull_event(pr),
        "workflow_dispatch": h.dispatch("octocat", pr_number=pr.number, comment_id=pr.comments[0].id),
    }


@pytest.mark.parametrize("name", ["issue_comment", "workflow_dispatch"])
def test_on_a_fork_these_runs_may_write(h: Hub, tmp_path: Path, name: str) -> None:
    pr = h.world.pull_request(FILES, author="hubot", fork=h.world.fork("hubot"))
    event = events_of(h, pr)[name]
    assert h.action_env(event, tmp_path)["EDITBLOCKS_TOKEN"] == h.world.token.value


@pytest.mark.parametrize("name", ["pull_request_review", "pull_request_review_comment", "pull_request"])
@pytest.mark.long(after=2)
def test_on_a_fork_these_runs_can_only_read(h: Hub, tmp_path: Path, name: str) -> None:
    pr = h.world.pull_request(FILES, author="hubot", fork=h.world.fork("hubot"))
    event = events_of(h, pr)[name]
    assert h.action_env(event, tmp_path)["EDITBLOCKS_TOKEN"] == h.world.read_token.value
    own = events_of(h, h.world.pull_request(FILES))[name]
    assert h.action_env(own, tmp_path)["EDITBLOCKS_TOKEN"] == h.world.token.value


def test_a_push_tells_the_pull_request_as_well(h: Hub, pr: PullRequest) -> None:
    before = h.world.head(pr)
    event = h.push(pr.head_ref, {"app.py": None, "new": b""}, "octocat", message="Move\n\nall")
    found, (told,) = payload(event), event.also
    assert (found["ref"], found["before"], found["after"]) == (
        f"refs/heads/{pr.head_ref}", before, h.world.head(pr),
    )  # fmt: skip
    assert (found["created"], found["deleted"], found["forced"]) == (False, False, False)
    (commit,) = found["commits"]
    assert (commit["added"], commit["removed"], commit["message"]) == (["new"], ["app.py"], "Move\n\nall")
    assert (found["sender"]["login"], found["pusher"]["name"]) == ("octocat", "octocat")
    assert (told.name, payload(told)["action"], payload(told)["before"]) == ("pull_request", "synchronize", before)
    assert "pull_request" not in found


MOVES: tuple[tuple[str, Callable[[Hub], object], tuple[bool, bool, bool], int], ...] = (
    ("created", lambda h: child(h, "topic"), (True, False, False), 1),
    ("rewound", lambda h: h.world.reset("side", h.world.branch("main") or ""), (False, False, True), 0),
    ("deleted", lambda h: h.world.delete_branch("side"), (False, True, False), 0),
)


def child(h: Hub, branch: str) -> str:
    return h.world.commit({"x": b""}, "Child", branch, parent=h.world.branch("main"))


@pytest.mark.parametrize(("move", "flags", "commits"), [row[1:] for row in MOVES], ids=[row[0] for row in MOVES])
def test_what_a_push_did(h: Hub, move: Callable[[Hub], object], flags: tuple[bool, ...], commits: int) -> None:
    side = child(h, "side")
    move(h)
    branch = "topic" if flags[0] else "side"
    found = payload(h.push_event(branch, None if flags[0] else side))
    assert (found["created"], found["deleted"], found["forced"]) == flags
    assert len(found["commits"]) == commits
    assert (found["before"] == ZERO, found["after"] == ZERO) == flags[:2]
    assert (found["head_commit"] is None) == flags[1]


def test_a_workflow_started_by_hand(h: Hub, pr: PullRequest, tmp_path: Path) -> None:
    comment = h.world.say(pr, "octocat", "hello", via_email=True)
    event = h.dispatch("monalisa", comment_id=comment.id, pr_number=pr.number)
    found = json.loads(Path(h.action_env(event, tmp_path)["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    assert found["inputs"] == {"comment-id": str(comment.id), "pr-number": "1"}
    assert (found["ref"], found["sender"]["login"]) == ("refs/heads/main", "monalisa")
    assert found["repository"]["id"] == h.world.repository.id


@pytest.mark.parametrize("api", ["review", "reply", "comment"])
def test_no_trace_is_left_of_the_example(h: Hub, pr: PullRequest, api: str) -> None:
    review = h.review(pr, "octocat", "x", comments=[("app.py", 1, "y")])
    made = {"review": review, "comment": review.also[0], "reply": h.reply(pr, "hubot", "z", to=pr.review_comments[0])}
    text = json.dumps(made[api].payload)
    assert [word for word in ("Codertocat", "octo-org", "api.github.com", "/pulls/2", "/pull/2") if word in text] == []
