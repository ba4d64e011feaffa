"""The first step of the action: what counts as work, and that it says so with nothing but the event file."""

import ast
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hub import hub
from support.posix import make_fifo
from support.project import HOOKS

from editblocks.core.errors import ConfigError, RepoError
from editblocks.hosts.github.event import Verb, decide

GATE = HOOKS / "gate.py"
BLOCK = "app.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"

Json = dict[str, Any]


def payload(**changes: Any) -> Json:
    """A comment with a block on an open pull request; `part__key` changes a value within a part."""
    event: Json = {
        "action": "created",
        "issue": {"number": 1, "state": "open", "pull_request": {"url": "x"}},
        "comment": {"id": 1, "body": BLOCK},
    }
    return changed(event, changes)


def on_pull(action: str, **changes: Any) -> Json:
    """What reviews, replies and new heads have in common."""
    return changed({"action": action, "pull_request": {"number": 1, "state": "open"}}, changes)


def reply(**changes: Any) -> Json:
    return on_pull("created", comment={"id": 2, "in_reply_to_id": 1, "body": BLOCK, **changes})


def changed(event: Json, changes: Json) -> Json:
    for name, value in changes.items():
        part, _, key = name.partition("__")
        if key:
            event[part][key] = value
        else:
            event[part] = value
    return event


def run(tmp_path: Path, event: str, content: bytes | None, **environ: str) -> tuple[int, str, str]:
    """Exit code, what was printed, and what was put into the output file."""
    file, output = tmp_path / "event.json", tmp_path / "output"
    if content is not None:
        file.write_bytes(content)
    names = {"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": str(file), "GITHUB_OUTPUT": str(output), **environ}
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(GATE)],
        env={**os.environ, **names},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout, output.read_text("ascii") if output.exists() else ""


OURS = f"<!-- editblocks:status v1 -->\n{BLOCK}"
BY_HAND = {"EDITBLOCKS_PR_NUMBER": "1", "EDITBLOCKS_COMMENT_ID": "2"}
WORK: list[tuple[str, str, object, bool]] = [
    ("a new comment with a block", "issue_comment", payload(), True),
    ("a line end of the web editor", "issue_comment", payload(comment__body="a\r\n<<<<< SEARCH\r\n"), True),
    ("a format that is refused by name", "issue_comment", payload(comment__body="*** Begin Patch\n"), True),
    ("a diff that names a file", "issue_comment", payload(comment__body="--- a/x\n+++ b/x\n@@ -1 +1 @@\n"), True),
    ("a closer that is left over", "issue_comment", payload(comment__body="x\n>>>>>>> REPLACE\n"), True),
    ("a fence for edits", "issue_comment", payload(comment__body="``` edit:a.py\n"), True),
    ("a command", "issue_comment", payload(comment__body="/apply 1-3"), True),
    ("a command in capitals", "issue_comment", payload(comment__body="/UNDO\r\n"), True),
    ("the long form", "issue_comment", payload(comment__body="/edits help"), True),
    ("words only", "issue_comment", payload(comment__body="Looks good to me"), False),
    ("a word that was edited", "issue_comment", payload(comment__body="Edit: the typo is gone"), False),
    ("four angle brackets", "issue_comment", payload(comment__body="a <<<< b"), False),
    ("a command below", "issue_comment", payload(comment__body="please\n/apply"), False),
    ("a command behind a blank", "issue_comment", payload(comment__body=" /apply"), False),
    ("a quoted command", "issue_comment", payload(comment__body="> /apply"), False),
    ("a command of another bot", "issue_comment", payload(comment__body="/rebase"), False),
    ("an empty comment", "issue_comment", payload(comment__body=""), False),
    ("a comment without a body", "issue_comment", payload(comment__body=None), False),
    ("our own status", "issue_comment", payload(comment__body=OURS), False),
    ("an edited comment", "issue_comment", payload(action="edited"), False),
    ("a deleted comment", "issue_comment", payload(action="deleted"), False),
    ("a plain issue", "issue_comment", payload(issue={"state": "open"}), False),
    ("a closed pull request", "issue_comment", payload(issue__state="closed"), False),
    ("a command on it", "issue_comment", payload(issue__state="closed", comment__body="/undo"), True),
    ("a comment of nothing", "issue_comment", payload(comment=None), False),
    ("an issue of nothing", "issue_comment", payload(issue=[]), False),
    ("a review", "pull_request_review", on_pull("submitted", review={"body": BLOCK}), True),
    ("a review without a body", "pull_request_review", on_pull("submitted", review={"body": None}), True),
    ("a review of ours", "pull_request_review", on_pull("submitted", review={"body": OURS}), False),
    ("a review that was edited", "pull_request_review", on_pull("edited", review={"body": BLOCK}), False),
    ("a review of a merged one", "pull_request_review", on_pull("submitted", pull_request={"state": "closed"}), False),
    (
        "a command in a review of it",
        "pull_request_review",
        on_pull("submitted", pull_request={"state": "closed"}, review={"body": "/apply"}),
        True,
    ),
    (
        "a block in a thread of it",
        "pull_request_review_comment",
        on_pull("created", pull_request={"state": "closed"}, comment={"in_reply_to_id": 1, "body": BLOCK}),
        False,
    ),
    ("a reply with a block", "pull_request_review_comment", reply(), True),
    ("a reply with a suggestion", "pull_request_review_comment", reply(body="```suggestion\na\n```\n"), True),
    ("a comment with a suggestion", "issue_comment", payload(comment__body="```suggestion\na\n```\n"), False),
    ("a reply with a command", "pull_request_review_comment", reply(body="/apply"), True),
    ("a reply with words", "pull_request_review_comment", reply(body="why?"), False),
    ("a reply of ours", "pull_request_review_comment", reply(body=OURS), False),
    ("what begins a thread", "pull_request_review_comment", reply(in_reply_to_id=None), False),
    ("a new pull request", "pull_request", on_pull("opened"), True),
    ("a new head", "pull_request", on_pull("synchronize"), True),
    ("one that is open again", "pull_request", on_pull("reopened"), True),
    ("a label", "pull_request", on_pull("labeled"), False),
    ("a pull request that is closed", "pull_request", on_pull("closed", pull_request={"state": "closed"}), False),
    ("a push", "push", {"ref": "refs/heads/topic", "deleted": False}, True),
    ("a tag", "push", {"ref": "refs/tags/v1", "deleted": False}, False),
    ("a branch that goes", "push", {"ref": "refs/heads/topic", "deleted": True}, False),
    ("by hand, without numbers", "workflow_dispatch", {"inputs": {}}, False),
    ("another event", "issues", payload(), False),
    ("no event", "", payload(), False),
    ("no object", "issue_comment", [payload()], False),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "event", "content", "work"), WORK, ids=[row[0] for row in WORK])
def test_what_is_work(tmp_path: Path, claim: str, event: str, content: object, work: bool) -> None:
    expected = (0, "", f"work={'true' if work else 'false'}\n")
    assert run(tmp_path, event, json.dumps(content).encode()) == expected, claim


@pytest.mark.parametrize("numbers", [BY_HAND, {}, *({name: value} for name, value in BY_HAND.items())], ids=len)
@pytest.mark.long(after=2)
def test_a_number_makes_it_work_by_hand(tmp_path: Path, numbers: dict[str, str]) -> None:
    blank = dict.fromkeys(BY_HAND, "")
    expected = "work=true\n" if numbers else "work=false\n"  # one alone is a mistake, which the run step names
    assert run(tmp_path, "workflow_dispatch", b"{}", **{**blank, **numbers}) == (0, "", expected)


def link(path: Path) -> None:
    (path / "real.json").write_text(json.dumps(payload()), "utf-8")
    (path / "event.json").symlink_to(path / "real.json")


def pipe(path: Path) -> None:
    make_fifo(path / "event.json")


def large(path: Path) -> None:
    with (path / "event.json").open("wb") as file:
        file.truncate(25 * 1024 * 1024 + 1)


BAD: list[tuple[str, Callable[[Path], object], str]] = [
    ("no file", Path.exists, "GITHUB_EVENT_PATH cannot be read (FileNotFoundError); let the runner write it"),
    ("a folder", lambda path: (path / "event.json").mkdir(), "GITHUB_EVENT_PATH"),
    ("a symbolic link", link, "GITHUB_EVENT_PATH cannot be read (OSError); let the runner write it"),
    ("a pipe", pipe, "GITHUB_EVENT_PATH is not a regular file of at most 25 MB; let the runner write it"),
    ("too large", large, "GITHUB_EVENT_PATH is not a regular file of at most 25 MB; let the runner write it"),
    ("no JSON", lambda path: (path / "event.json").write_bytes(b"{"), "GITHUB_EVENT_PATH is not JSON"),
    ("no UTF-8", lambda path: (path / "event.json").write_bytes(b'"\xff\xfe'), "GITHUB_EVENT_PATH is not JSON"),
    ("deep JSON", lambda path: (path / "event.json").write_bytes(b"[" * 200_000), "GITHUB_EVENT_PATH is not JSON"),
]


@pytest.mark.parametrize(("claim", "prepare", "message"), BAD, ids=[row[0] for row in BAD])
@pytest.mark.long(after=2)
def test_a_file_that_cannot_be_used(
    tmp_path: Path, claim: str, prepare: Callable[[Path], object], message: str
) -> None:
    prepare(tmp_path)
    code, said, output = run(tmp_path, "issue_comment", None)
    assert (code, output) == (2, ""), claim
    assert said.startswith(f"::error::{message}")
    assert said.count("\n") == 1


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    code, said, _ = run(tmp_path, "issue_comment", b"{}", GITHUB_OUTPUT=str(tmp_path / "none" / "output"))
    assert (code, said) == (
        2,
        "::error::GITHUB_OUTPUT cannot be written (FileNotFoundError); let the runner set it\n",
    )


def test_the_event_that_gives_foreign_code_a_token_is_refused(tmp_path: Path) -> None:
    code, said, output = run(tmp_path, "pull_request_target", json.dumps(payload()).encode())
    assert (code, output) == (2, "")
    assert "pull_request_target runs foreign code with a write token; use issue_comment" in said


def test_it_imports_next_to_nothing(tmp_path: Path) -> None:
    """What makes the step fast is what it does not load; a set of modules, not a time."""
    code = (
        "import sys; before = set(sys.modules)\n"
        f"exec(compile(open({str(GATE)!r}).read(), 'gate.py', 'exec'), {{'__name__': 'gate'}})\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    heavy = {"dataclasses", "enum", "re", "pathlib", "typing", "subprocess", "urllib", "editblocks", "yaml", "github"}
    loaded = set(done.stdout.split())
    assert "json" in loaded
    assert not loaded & (heavy - {"re", "enum"})  # json itself needs those two


# It may say yes too often, never no where the run step has something to do.

has_work: Callable[..., bool] = runpy.run_path(str(GATE))["has_work"]
LINES = (
    *("app.py", "a", "", "```", "``` edit:a.py", "~~~edit:a.py", "Edit: a typo", "### File: a.py", "base: abcdef1"),
    *("<<<<<<< SEARCH", "<<<<<<<<< ORIGINAL", "<<<<< NEW_FILE", "<<<<<<< EDIT", "««« EDIT", "<<<< SEARCH"),
    *("=======", "-------", "═══════ REPL", ">>>>>>> REPLACE", ">>>>> UPDATED", ">>>>>>> NEW_FILE", ">>>>>>>"),
    *("»»» EDIT END", '<boltAction type="file" filePath="a.py">', "<BOLTACTION", "</boltAction>", "<boltArtifact>"),
    *(
        "*** Begin Patch",
        "🟧🟧🟧 EDIT",
        "----- SEARCH",
        "@@ -1 +1 @@",
        "```suggestion",
        "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH",
        "\\<\\<\\<\\<\\< SEARCH",
        "———- SEARCH",
        "––––– SEARCH",
        "««««««« SEARCH",
        "«««< SEARCH",
    ),
    *("/apply", "/Apply ready", "/skip\xa05", "/retry", "/undo", "/edits xyz", "/applyfoo", "> /apply", " /undo"),
    "<!-- editblocks:status v1 x -->",
)
BODIES = st.builds(str.join, st.sampled_from(("\n", "\r\n", "\r")), st.lists(st.sampled_from(LINES), max_size=4))
ACTIONS = ("created", "edited", "submitted", "opened", "synchronize", "reopened", "closed", "deleted")


def test_an_old_python_can_read_it_and_say_that_it_is_too_old() -> None:
    source = GATE.read_text("utf-8")
    assert ast.parse(source, feature_version=(3, 6)).body
    assert "from __future__" not in source  # which Python 3.6 refuses for annotations


@pytest.fixture(scope="module")
def payloads() -> Json:
    """GitHub's own example of every event that is read."""
    with hub() as h:
        pull = h.world.pull_request({"app.py": b"a\n"}, author="monalisa")
        review = h.world.review(pull, "octocat", "", [("app.py", 1, "?")])
        events = [
            h.comment(pull, "monalisa", BLOCK),
            h.review_events(pull, review),
            h.reply(pull, "monalisa", BLOCK, to=pull.review_comments[0]),
            h.pull_event(pull),
            h.push(pull.head_ref, {"b": b""}),
            h.dispatch("octocat", comment_id=7),
        ]
        return {event.name: json.dumps(event.payload) for event in events}


EVENTS = (
    *("issue_comment", "pull_request_review", "pull_request_review_comment"),
    *("pull_request", "push", "workflow_dispatch"),
)


def has_task(event: str, content: object, numbers: tuple[str, str]) -> bool:
    try:
        return decide(event, content, numbers) is not None
    except RepoError:
        return False  # no payload of that event
    except ConfigError:
        return True  # and somebody has to be told


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_is_a_task_as_it_comes(payloads: Json, event: str) -> None:
    content = json.loads(payloads[event])
    assert has_task(event, content, ("1", "2"))
    assert has_work(event, content, ("1", "2"))


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(
    event=st.sampled_from(EVENTS),
    action=st.sampled_from((*ACTIONS, None)),
    state=st.sampled_from(("open", "open", "closed")),
    body=BODIES,
    first=st.booleans(),
    ref=st.sampled_from(("refs/heads/x", "refs/tags/x")),
    numbers=st.sampled_from((("1", "2"), ("", "2"), ("1", ""))),
)
def test_it_says_yes_wherever_the_run_step_has_a_task(
    *, payloads: Json, event: str, action: str | None, state: str, body: str, first: bool, ref: str, numbers: Any
) -> None:
    content = json.loads(payloads[event])
    content |= {"action": action} if action else {}
    content |= {"ref": ref, "deleted": first} if event == "push" else {}
    for part in ("issue", "pull_request"):
        if part in content:
            content[part]["state"] = state
    for part in ("comment", "review"):
        if part in content:
            content[part]["body"] = body
    if first and event == "pull_request_review_comment":
        del content["comment"]["in_reply_to_id"]
    assert has_work(event, content, numbers) or not has_task(event, content, numbers)


@pytest.mark.long
@settings(max_examples=400, deadline=None)
@given(body=BODIES)
def test_it_says_yes_to_every_text_that_is_answered(payloads: Json, body: str) -> None:
    content = json.loads(payloads["issue_comment"])
    content["comment"]["body"] = body
    assert has_work("issue_comment", content) or not has_task("issue_comment", content, ("", ""))


@pytest.mark.parametrize("event", ["issue_comment", "pull_request_review_comment"])
@pytest.mark.parametrize("line", LINES)
def test_it_says_yes_to_every_line_that_is_answered(payloads: Json, line: str, event: str) -> None:
    content = json.loads(payloads[event])
    content["comment"]["body"] = line
    assert has_work(event, content) or not has_task(event, content, ("", ""))


def test_the_gate_knows_every_command() -> None:
    commands = set(runpy.run_path(str(HOOKS / "gate.py"))["COMMANDS"])
    assert commands == {"/edits", *(f"/{verb}" for verb in get_args(Verb) if verb != "help")}
