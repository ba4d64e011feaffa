"""Response files of a pull request: what becomes of their blocks and of themselves."""

from hashlib import sha256
from pathlib import Path

import pytest
from support.actionkit import (
    APP_NEW,
    FAILS,
    FITS,
    act,
    block,
    commits,
    marker_of,
    pull_request,
    states,
)
from support.filecases import FILES, OTHER_FITS, A, B, content, messages, opened
from support.hub import hub
from support.talkkit import some

from editblocks.core.codes import State


def source(path: str) -> str:
    return f"file-{sha256(path.encode()).hexdigest()[:16]}"


# a pull request of the same repository


def test_the_edits_and_the_removal_are_one_commit(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, f"---\ntitle: Sum it up\n---\n{FITS}")
        before = h.world.head(pull)
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], done.errors) == (0, "applied", []), done.log
        assert content(h, pull) == {"README.md": b"# Hello\n", "app.py": APP_NEW, "notes.txt": b"one\ntwo\n"}
        assert h.world.files(h.world.head(pull))["app.py"][0] == "100755"
        assert commits(h, pull, before) == 1
        [message] = messages(h, pull, 1)
        assert message.startswith("Sum it up\n\n1 of 1 edit block, 1 file, +1 -1.\nHow: 1 exact. Removed: 1 response")
        assert f"Edit-Blocks-Source: {source(A)}\n" in message
        assert "Edit-Blocks-Applied-By: monalisa" in message
        marker = marker_of(pull.reviews[0])
        assert (marker.source, marker.state, marker.commit) == (source(A), State.APPLIED, h.world.head(pull))
        assert f"[`{A}`](https://github.com/octocat/Hello-World/blob/{before}/{A})" in pull.reviews[0].body
        assert (done.outputs["commit-sha"], done.outputs["pr-number"]) == (h.world.head(pull), "1")


REQUESTS = [
    "query Context",
    "query Objects",
    "query Objects",
    "query Objects",
    "query Objects",
    "GET collaborators/{username}/permission",
    "query Live",
    "POST git/trees",
    "POST git/commits",
    "mutation updateRefs",
    "query Live",
    "POST pulls/{pull_number}/reviews",
]


@pytest.mark.long
def test_the_requests_of_a_file_in_their_order(tmp_path: Path) -> None:
    """The 11 of a comment and one: the folder, the files in it, and whether this one is still the same are one each."""
    with hub() as h:
        assert act(h, h.pull_event(opened(h, FITS)), tmp_path).names == REQUESTS


def test_no_response_file_costs_two_requests(tmp_path: Path) -> None:
    with hub() as h:
        done = act(h, h.pull_event(pull_request(h)), tmp_path)
        assert (done.code, done.outputs["result"], done.names) == (0, "nothing", ["query Context", "query Objects"])
        assert "nothing to do: no response file (.edits/*.md)" in done.log


def test_switched_off_costs_one(tmp_path: Path) -> None:
    with hub() as h:
        done = act(h, h.pull_event(opened(h, FITS, policy=b"response-files: []\n")), tmp_path)
        assert (done.code, done.outputs["result"], done.names) == (0, "nothing", ["query Context"])


@pytest.mark.parametrize("action", some(["opened", "synchronize", "reopened"], "opened"))
def test_each_activity_that_brings_a_head(tmp_path: Path, action: str) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        done = act(h, h.pull_event(pull, action, before=h.world.branch("main")), tmp_path)
        assert (done.outputs["result"], states(pull)) == ("applied", ["applied"])


@pytest.mark.long
def test_one_commit_a_file_in_order_of_name(tmp_path: Path) -> None:
    """The second one is planned on the first one's commit: it needs what that changed."""
    with hub() as h:
        pull = opened(h, FITS, block("app.py", "    result = sum(items)", "    result = sum(map(int, items))"))
        before = h.world.head(pull)
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied", "applied"]), done.log
        assert commits(h, pull, before) == 2
        assert b"sum(map(int, items))" in content(h, pull)["app.py"]
        assert not {A, B} & set(content(h, pull))
        assert done.outputs["commit-sha"] == h.world.head(pull)
        assert len(done.names) == 12 + 9
        assert len(list((done.folder / "temp").rglob("*.json"))) == 2


@pytest.mark.long
def test_the_second_of_two_fails(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, FAILS)
        before = h.world.head(pull)
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (2, "failed", ["applied", "failed"])
        assert (commits(h, pull, before), content(h, pull)["app.py"]) == (1, APP_NEW)
        assert A not in content(h, pull)
        assert content(h, pull)[B] == FAILS.encode()
        assert done.errors == [f"no-match: {B}: 1 failed, nothing was committed; repair the file and push it again"]
        assert f"::error file={B},line=3,endLine=3,title=no-match::block 1: " in done.log
        assert "::error file=app.py,line=3,endLine=3,title=no-match::block 1: " in done.log
        assert f" ({B}:3)" in done.log


@pytest.mark.long
def test_the_first_of_two_fails_and_keeps_the_other_from_nothing(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FAILS, OTHER_FITS)
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull)) == (2, ["failed", "applied"])
        assert (content(h, pull)["notes.txt"], A in content(h, pull)) == (b"one\n2\n", True)


def test_a_file_whose_blocks_are_all_there_is_only_removed(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        h.world.push(pull, {"app.py": APP_NEW})
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied"])
        assert (content(h, pull)["app.py"], A in content(h, pull)) == (APP_NEW, False)
        assert messages(h, pull, 1)[0].startswith("Remove 1 response file\n")
        assert "### Response file removed in " in pull.reviews[0].body


DIFF = "```diff\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n```\n"
STAYS = "the response file stays, because not all of it is read; write the rest as blocks"


@pytest.mark.long
@pytest.mark.parametrize("is_there", [False, True], ids=["to apply", "only to be removed"])
def test_a_file_that_holds_a_diff_as_well_stays(tmp_path: Path, is_there: bool) -> None:
    """Nothing of it is read, so it would be lost with the file; the job and the status name its lines."""
    with hub() as h:
        pull = opened(h, f"{FITS}\n{DIFF}")
        if is_there:
            h.world.push(pull, {"app.py": APP_NEW})
        before = h.world.head(pull)
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.errors, states(pull)) == (0, [], ["nothing" if is_there else "applied"]), done.log
        assert commits(h, pull, before) == (0 if is_there else 1)
        assert (content(h, pull)["app.py"], content(h, pull)["notes.txt"]) == (APP_NEW, b"one\ntwo\n")
        assert content(h, pull)[A] == f"{FITS}\n{DIFF}".encode()
        assert "Removed: 1 response" not in messages(h, pull, 1)[0]
        first = FITS.count("\n") + 3
        why = "because it names no file; write `--- a/path` and `+++ b/path` above it"
        unread = f"line {first} begins a diff that is not read, {why}"
        assert (unread in pull.reviews[0].body, f"- {STAYS}\n" in pull.reviews[0].body) == (True, True)
        assert f"::warning file={A},line={first},endLine={first},title=unread-patch::{unread}\n" in done.log


TO_COME: dict[str, tuple[str, dict[str, str], str, str]] = {
    "a block fails": (FAILS, {}, "octocat", "failed"),
    "the others are applied": (f"{FITS}\n{FAILS}", {"partial": "true"}, "octocat", "partial"),
    "they wait for a word": (FITS, {"trigger": "command"}, "octocat", "checked"),
    "they are only checked": (FITS, {"mode": "check"}, "octocat", "checked"),
    "they wait for somebody else": (FITS, {}, "hubot", "checked"),
}


@pytest.mark.parametrize(("text", "inputs", "author", "state"), TO_COME.values(), ids=TO_COME)
@pytest.mark.long
def test_a_file_with_blocks_to_come_stays_for_them_too(
    tmp_path: Path, text: str, inputs: dict[str, str], author: str, state: str
) -> None:
    with hub() as h:
        pull = pull_request(h, FILES)
        event = h.push(pull.head_ref, {A: f"{text}\n{DIFF}".encode()}, author).also[0]
        done = act(h, event, tmp_path, inputs)
        assert (states(pull), A in content(h, pull)) == ([state], True), done.log
        assert f"- {STAYS}\n" in pull.reviews[0].body
        assert f"title=unread-patch::{STAYS}\n" in done.log


@pytest.mark.long
def test_a_file_whose_last_block_is_left_out_stays_for_what_is_not_read(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, f"{FITS}\n{FAILS}\n{DIFF}")
        act(h, h.pull_event(pull), tmp_path)
        act(h, h.comment(pull, "octocat", "/skip 2"), tmp_path)
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (content(h, pull)["app.py"], f"- {STAYS}\n" in pull.reviews[0].body) == (APP_NEW, True), done.log


@pytest.mark.long
def test_a_file_that_holds_a_format_that_is_refused_stays(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, f"{FITS}\n🟧🟧🟧 EDIT\n", policy=b"partial: true\n")
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (2, ["partial"], True)
        assert "title=unsupported-format::" in done.log


@pytest.mark.long
def test_one_that_fails_in_part_is_applied_in_part_where_the_policy_says_so(tmp_path: Path) -> None:
    """The file stays, and the next run commits nothing again: what is left fails, and the job with it."""
    with hub() as h:
        pull = opened(h, f"{FITS}\n{block('notes.txt', 'three', '3')}", policy=b"partial: true\n")
        before = h.world.head(pull)
        first = act(h, h.pull_event(pull), tmp_path)
        assert (first.code, first.outputs["result"], A in content(h, pull)) == (2, "partial", True)
        assert "no-match: .edits/a.md: 1 applied, 1 failed, the others were committed; " in first.errors[0]
        again = act(h, h.pull_event(pull, "synchronize", before=before), tmp_path)
        assert (again.code, again.outputs["result"], commits(h, pull, before)) == (2, "failed", 1)
        h.world.push(pull, {"notes.txt": b"one\ntwo\nthree\n"})
        last = act(h, h.pull_event(pull, "synchronize", before=before), tmp_path)
        assert (last.code, last.outputs["result"], len(pull.reviews)) == (0, "applied", 1), last.log
        assert (content(h, pull)["notes.txt"], A in content(h, pull)) == (b"one\ntwo\n3\n", False)
