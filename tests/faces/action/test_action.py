"""One comment through the whole action: who may, what is committed, what is said, and what happens twice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import (
    APP,
    APP_NEW,
    FAILS,
    FITS,
    NEW,
    OLD,
    UNCLOSED,
    act,
    block,
    marker_of,
    payload,
    pull_request,
    reactions,
)
from support.hub import Hub, PullRequest, hub
from support.hub.model import Rule

from editblocks import __version__
from editblocks.report.page.render import read_result, render_page

PARENT_AND_BODY = "--format=%P%n%an%n%ae%n%B"


def head_lines(h: Hub, pull: PullRequest) -> list[str]:
    return h.world.store.git("log", "-1", PARENT_AND_BODY, h.world.head(pull)).decode().splitlines()


def test_a_writers_comment_becomes_one_commit_and_one_review(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "monalisa", FITS), tmp_path)
        after = h.world.head(pull)
        assert (done.code, done.errors) == (0, [])
        assert h.world.files(after) == h.world.files(before) | {"app.py": ("100755", APP_NEW)}
        parent, name, email, subject, *message = head_lines(h, pull)
        comment = pull.comments[0].id
        url = f"https://github.com/octocat/Hello-World/pull/1#issuecomment-{comment}"
        assert (parent, name, subject) == (before, "github-actions[bot]", "Apply 1 edit block")
        assert email == "41898282+github-actions[bot]@users.noreply.github.com"
        assert message[-6:-1] == [
            f"Edit-Blocks-Source: {url}",
            message[-5],
            f"Edit-Blocks-Base: {before}",
            "Edit-Blocks-Selected: all",
            "Edit-Blocks-Applied-By: monalisa",
        ]
        review = pull.reviews[0]
        marker = marker_of(review)
        assert (marker.state.value, marker.head, marker.commit) == ("applied", before, after)
        assert message[-5] == f"Edit-Blocks-Digest: {marker.digest}"
        assert (len(pull.reviews), review.state, review.commit_id) == (1, "COMMENTED", before)
        assert reactions(pull) == ["rocket"]
        assert done.outputs == {
            "result": "applied",
            "commit-sha": after,
            "head-sha": before,
            "applied-count": "1",
            "failed-count": "0",
            "report-path": str(*(done.folder / "temp").glob("editblocks-*/editblocks.json")),
            "review-url": f"https://github.com/octocat/Hello-World/pull/1#pullrequestreview-{review.id}",
            "pr-number": "1",
        }
        assert "Applied 1 edit block" in done.summary
        cost = f"editblocks {__version__}, 11 requests to GitHub."
        assert done.summary.endswith(f"\n\n{cost} Settings that differ from the defaults: none.\n")


def test_the_summary_names_the_settings(tmp_path: Path) -> None:
    with hub() as h:
        done = act(h, h.comment(pull_request(h), "octocat", FITS), tmp_path, {"mode": "check", "max-blocks": "9"})
        assert (
            "Settings that differ from the defaults: `mode: check` (`input`), `max-blocks: 9` (`input`)."
            in done.summary
        )


@pytest.mark.long
def test_the_summary_lists_what_the_response_would_have_run(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        body = f"{FITS}\n```bash\ngit rm old.py\nmkdir -p new\n```\n"
        done = act(h, h.comment(pull, "octocat", body), tmp_path)
        listed = "```text\ndestructive  git rm old.py\ninfo         mkdir -p new\n```"
        assert f"<summary>Shell suggestions, never run</summary>\n\n{listed}\n\n</details>\n\n" in done.summary
        counted = "2 shell suggestions, 1 destructive, never run (job summary)"
        assert counted in done.summary
        assert counted in pull.reviews[0].body
        assert "mkdir" not in pull.reviews[0].body


@pytest.mark.long
def test_the_report_and_the_patch_lie_in_the_temporary_folder(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, "hubot", FITS), tmp_path)
        report = json.loads(Path(done.outputs["report-path"]).read_text("utf-8"))
        assert (report["command"], report["written"], report["target"]["pull_request"]) == ("action", False, 1)
        patch = Path(done.outputs["report-path"]).with_suffix(".patch").read_text("utf-8")
        assert "-    result = 0\n+    result = sum(items)\n" in patch
        assert report["next"][0] == "/apply"
        page = render_page(read_result(Path(done.outputs["report-path"]).read_bytes()), {})
        assert f"{h.html_url}/octocat/Hello-World/blob/{report['target']['head']}/" in page
        assert "+    result = sum(items)\n" in report["blocks"][0]["diff"]


def as_default_branch(h: Hub) -> PullRequest:
    pull = pull_request(h, head="develop")
    h.world.repository.default_branch = "develop"
    return pull


def as_protected(h: Hub) -> PullRequest:
    pull = pull_request(h)
    h.world.repository.protection[pull.head_ref] = Rule()
    return pull


def as_queued(h: Hub) -> PullRequest:
    pull = pull_request(h)
    pull.queued = True
    return pull


def as_fork(h: Hub) -> PullRequest:
    return pull_request(h, author="hubot", fork=h.world.fork("hubot"))


def as_orphan(h: Hub) -> PullRequest:
    pull = as_fork(h)
    pull.head_repository = None
    return pull


# who or what stands in the way · pull request · author · inputs · result · refusal in the status · reactions
NotWritten = tuple[str, Callable[[Hub], PullRequest], str, dict[str, str], str, str, list[str]]
NOT_WRITTEN: list[NotWritten] = [
    ("a reader", pull_request, "hubot", {}, "checked", "hubot has read access, applying needs write", ["eyes"]),
    ("a stranger", pull_request, "mallory", {}, "checked", "mallory has read access", ["eyes"]),
    ("a bot", pull_request, "dependabot[bot]", {}, "checked", "is a bot", ["eyes"]),
    ("below maintain", pull_request, "monalisa", {"permission": "maintain"}, "checked", "needs maintain", ["eyes"]),
    ("below admin", pull_request, "monalisa", {"permission": "admin"}, "checked", "needs admin", ["eyes"]),
    ("mode check", pull_request, "octocat", {"mode": "check"}, "checked", "This workflow only checks", ["eyes"]),
    ("a default branch", as_default_branch, "octocat", {}, "refused", "is the default branch", ["confused"]),
    ("a protected branch", as_protected, "octocat", {}, "refused", "is protected", ["confused"]),
    ("a merge queue", as_queued, "octocat", {}, "refused", "in the merge queue", ["confused"]),
    ("a fork", as_fork, "octocat", {}, "refused", "never writes to a fork", ["confused"]),
    ("a fork that is gone", as_orphan, "octocat", {}, "refused", "The fork no longer exists", ["confused"]),
]  # fmt: skip


@pytest.mark.parametrize("row", NOT_WRITTEN, ids=[row[0] for row in NOT_WRITTEN])
@pytest.mark.long
def test_what_is_only_checked(tmp_path: Path, row: NotWritten) -> None:
    claim, make, author, inputs, result, words, left = row
    with hub() as h:
        pull = make(h)
        before = h.world.head(pull)
        done = act(h, h.comment(pull, author, FITS), tmp_path, inputs)
        assert (done.code, done.outputs["result"], done.outputs["commit-sha"]) == (0, result, ""), claim
        assert h.world.head(pull) == before
        assert not [name for name in h.names if "git/" in name or name.startswith("mutation")]
        assert [words in review.body.replace("`", "") for review in pull.reviews] == [True], pull.reviews[0].body
        assert reactions(pull) == left


@pytest.mark.long
def test_an_app_that_speaks_for_a_person_is_only_checked(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, "octocat", FITS, app="helper"), tmp_path)
        assert done.outputs["result"] == "checked"
        assert "octocat wrote through an app" in pull.reviews[0].body.replace("`", "")
        assert "is a bot" not in pull.reviews[0].body


ROLES = [("admin", "admin", True), ("maintain", "admin", False), ("maintain", "maintain", True),
         ("maintain", "write", True), ("write", "write", True), ("write", "maintain", False),
         ("triage", "write", False), ("read", "write", False), ("none", "write", False)]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("role", "least", "allowed"), ROLES)
def test_a_role_reaches_a_permission(tmp_path: Path, role: str, least: str, allowed: bool) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.world.repository.roles["monalisa"] = role
        done = act(h, h.comment(pull, "monalisa", FITS), tmp_path, {"permission": least})
        assert done.outputs["result"] == ("applied" if allowed else "checked")


NO_YES: list[tuple[str, dict[str, Any]]] = [
    ("404", {"status": 404}),
    ("403", {"status": 403}),
    ("500 for ever", {"status": 500, "times": 9}),
    ("no answer at all", {"drop": True, "times": 9}),
    ("an unknown word", {"alter": lambda body: body | {"permission": "owner"}}),
    ("a missing word", {"alter": lambda body: {"role_name": body["role_name"]}}),
    ("somebody else's permission", {"alter": lambda body: body | {"user": body["user"] | {"id": 1}}}),
    ("nobody's permission", {"alter": lambda body: body | {"user": None}}),
    ("HTML", {"status": 200, "body": b"<html>", "times": 9}),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "fault"), NO_YES, ids=[row[0] for row in NO_YES])
def test_a_permission_that_cannot_be_read_is_none(tmp_path: Path, claim: str, fault: dict[str, Any]) -> None:
    with hub() as h:
        pull = pull_request(h)
        before = h.world.head(pull)
        h.fault("GET collaborators/*/permission", **fault)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "checked"), claim
        assert h.world.head(pull) == before
        body = pull.reviews[0].body.replace("`", "")
        assert "GitHub did not say what access octocat has; run the job again" in body
        assert "unknown access" not in body


@pytest.mark.long
def test_the_author_association_is_never_read(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "hubot", FITS)
        payload(event)["comment"]["author_association"] = "OWNER"
        payload(event)["sender"] = payload(event)["repository"]["owner"]
        assert act(h, event, tmp_path).outputs["result"] == "checked"


FAILING = [
    ("a text that is not there", FAILS, "no-match", "1"),
    ("one that fits and one that does not", FITS + "\n" + FAILS, "no-match", "1"),
    ("a block that was cut off", UNCLOSED, "unclosed", "1"),
    ("a path outside", block("../app.py", OLD, "x"), "unsafe-path", "1"),
    ("git's own folder", block(".git/config", "a", "b"), "unsafe-path", "1"),
    ("a workflow", block(".github/workflows/ci.yml", "", "on: push"), "not-allowed", "1"),
    ("no file of that name", block("apps.py", OLD, "x"), "file-not-found", "1"),
]


@pytest.mark.parametrize(("claim", "body", "code", "count"), FAILING, ids=[row[0] for row in FAILING])
@pytest.mark.long
def test_a_block_that_fails_stops_everything(tmp_path: Path, claim: str, body: str, code: str, count: str) -> None:
    with hub() as h:
        pull = pull_request(h)
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "octocat", body), tmp_path)
        assert (done.code, done.outputs["result"], done.outputs["failed-count"]) == (0, "failed", count), claim
        assert h.world.head(pull) == before
        assert [code in review.body for review in pull.reviews] == [True]
        assert reactions(pull) == ["confused"]
        assert not [name for name in h.names if "permission" in name or "git/" in name]


@pytest.mark.long
def test_partial_commits_what_is_ready(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, "octocat", FITS + "\n" + FAILS), tmp_path, {"partial": "true"})
        assert (done.code, done.outputs["result"]) == (0, "partial")
        assert (done.outputs["applied-count"], done.outputs["failed-count"]) == ("1", "1")
        assert h.world.files(h.world.head(pull))["app.py"] == ("100755", APP_NEW)
        assert "Edit-Blocks-Selected: 1" in head_lines(h, pull)


@pytest.mark.long
def test_a_comment_with_crlf_keeps_the_files_line_ends(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, {"app.py": APP, "dos.txt": b"one\r\ntwo\r\n"})
        body = (FITS + block("dos.txt", "two", "2")).replace("\n", "\r\n")
        done = act(h, h.comment(pull, "octocat", body), tmp_path)
        files = h.world.files(h.world.head(pull))
        assert done.outputs["result"] == "applied"
        assert (files["app.py"][1], files["dos.txt"][1]) == (APP_NEW, b"one\r\n2\r\n")


@pytest.mark.long
def test_new_files_folders_and_odd_names(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        body = block("`a/b c/caf\u00e9.md`", "", "# Caf\u00e9") + block("app.py", OLD, NEW)
        done = act(h, h.comment(pull, "octocat", body), tmp_path, {"commit-prefix": "fix: "})
        assert done.outputs["result"] == "applied", done.log
        assert h.world.files(h.world.head(pull))["a/b c/caf\u00e9.md"] == ("100644", "# Caf\u00e9\n".encode())
        assert head_lines(h, pull)[3] == "fix: Apply 2 edit blocks"


@pytest.mark.long
def test_blocks_that_are_in_the_branch_already_make_no_commit(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, {"app.py": APP_NEW})
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (0, "nothing", before)
        assert "Nothing to do" in pull.reviews[0].body
        assert reactions(pull) == []


NOTHING: list[tuple[str, Callable[[Any], object]]] = [
    ("an edited comment", lambda payload: payload.update(action="edited")),
    ("a plain issue", lambda payload: payload["issue"].pop("pull_request")),
    ("a closed pull request", lambda payload: payload["issue"].update(state="closed")),
    ("words only", lambda payload: payload["comment"].update(body="a <<<<< b")),
    ("quoted blocks", lambda payload: payload["comment"].update(body=FITS.replace("\n", "\n> "))),
    ("our own status", lambda payload: payload["comment"].update(body=f"<!-- editblocks:status -->\n{FITS}")),
]


@pytest.mark.parametrize(("claim", "change"), NOTHING, ids=[row[0] for row in NOTHING])
@pytest.mark.long
def test_nothing_to_do(tmp_path: Path, claim: str, change: Callable[[Any], object]) -> None:
    with hub() as h:
        event = h.comment(pull_request(h), "octocat", FITS)
        change(payload(event))
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs, done.names) == (0, {"result": "nothing"}, []), claim


@pytest.mark.long
def test_a_pull_request_that_was_closed_meanwhile_gets_nothing(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        pull.state = "merged"
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], pull.reviews, reactions(pull)) == (0, "nothing", [], [])


@pytest.mark.long
def test_reactions_can_be_turned_off(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path, {"reactions": "false"})
        assert done.outputs["result"] == "applied"
        assert not [name for name in done.names if "reactions" in name]


@pytest.mark.long
def test_the_policy_may_turn_reactions_off(tmp_path: Path) -> None:
    with hub() as h:
        h.world.commit({".editblocks.yml": b"reactions: false\n"}, "Policy", "main")
        pull = pull_request(h)
        assert act(h, h.comment(pull, "octocat", FITS), tmp_path).outputs["result"] == "applied"
        assert reactions(pull) == []


@pytest.mark.long
def test_reactions_are_best_effort(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault("* issues/comments/*/reactions*", status=403, times=99)
        assert act(h, h.comment(pull, "octocat", FITS), tmp_path).outputs["result"] == "applied"
