"""Response files over the hub: every event that brings one, and what becomes of it, of the branch and of the job."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import (
    APP,
    APP_NEW,
    FAILS,
    FITS,
    OTHER,
    Done,
    act,
    block,
    commits,
    marker_of,
    payload,
    pull_request,
    states,
)
from support.hub import Hub, PullRequest, hub
from support.hub.model import Rule
from support.talkkit import some

from editblocks.core.codes import State

A, B = ".edits/a.md", ".edits/b.md"
OTHER_FITS = block("notes.txt", "two", "2")
FILES: Mapping[str, bytes] = {"app.py": APP, "notes.txt": b"one\ntwo\n"}
KEEP = b"after-apply: keep\n"


def source(path: str) -> str:
    return f"file-{sha256(path.encode()).hexdigest()[:16]}"


def opened(h: Hub, *texts: str, policy: bytes = b"", **options: object) -> PullRequest:
    """A pull request of monalisa's with `.edits/a.md`, `.edits/b.md` …"""
    if policy:
        h.world.commit({".editblocks.yml": policy}, "Policy")
    named = {f".edits/{name}.md": text.encode() for name, text in zip("abcdef", texts, strict=False)}
    return pull_request(h, {**FILES, **named}, **options)


def content(h: Hub, pull: PullRequest) -> dict[str, bytes]:
    return {path: data for path, (_, data) in h.world.files(h.world.head(pull)).items()}


def messages(h: Hub, pull: PullRequest, count: int) -> list[str]:
    log = h.world.store.git("log", "-z", f"-{count}", "--format=%B", h.world.head(pull)).decode()
    return log.split("\0")[:count]


def writes(done: Done) -> list[str]:
    return [name for name in done.names if name.startswith(("POST", "PUT", "PATCH", "DELETE", "mutation"))]


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
    "query Reviews",
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
        assert f"::error file=app.py,line=3,endLine=3,title=no-match::block 1 of {B}: " in done.log


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
STAYS = "the response file stays, as not all of it is read"
DELETE = f"{STAYS}; write the rest as blocks in another file, then delete this one\n"


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
        lines = DIFF.count("\n")
        first = FITS.count("\n") + 2
        unread = (
            f"lines {first}-{first + lines - 1} are a unified diff, which is not read; ask for SEARCH/REPLACE blocks"
        )
        assert (unread in pull.reviews[0].body, DELETE in pull.reviews[0].body) == (True, True)
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
def test_a_file_with_blocks_to_come_is_not_to_be_deleted(
    tmp_path: Path, text: str, inputs: dict[str, str], author: str, state: str
) -> None:
    with hub() as h:
        pull = pull_request(h, FILES)
        event = h.push(pull.head_ref, {A: f"{text}\n{DIFF}".encode()}, author).also[0]
        done = act(h, event, tmp_path, inputs)
        assert (states(pull), A in content(h, pull)) == ([state], True), done.log
        assert (f"- {STAYS}\n" in pull.reviews[0].body, "delete this one" in pull.reviews[0].body) == (True, False)
        assert f"title=unread-patch::{STAYS}\n" in done.log


@pytest.mark.long
def test_a_file_whose_last_block_is_left_out_may_be_deleted(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, f"{FITS}\n{FAILS}\n{DIFF}")
        act(h, h.pull_event(pull), tmp_path)
        act(h, h.comment(pull, "octocat", "/skip 2"), tmp_path)
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (content(h, pull)["app.py"], DELETE in pull.reviews[0].body) == (APP_NEW, True), done.log


@pytest.mark.long
def test_a_file_that_holds_a_format_that_is_refused_stays(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, f"{FITS}\n*** Begin Patch\n*** End Patch\n", policy=b"partial: true\n")
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


# files that cannot be read

LONG = b"a" * 1_048_577
UNREADABLE: list[tuple[str, bytes, str, str]] = [
    ("a symbolic link", b"../app.py", "120000", "not-a-file: .edits/a.md: 1 failed"),
    ("a pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "100644", "filtered: "),
    ("too large", LONG, "100644", "too-large: "),
    ("not UTF-8", b"fine\n\xff\n", "100644", "encoding: "),
    ("binary", b"a\0b", "100644", "binary: "),
    ("front matter", b"---\ntitel: x\n---\n" + FITS.encode(), "100644", "bad-config: "),
    ("a base that is none", b"---\nbase: main\n---\n" + FITS.encode(), "100644", "bad-config: "),
    ("a block that cannot be read", FITS.encode().replace(b">>>>>>> REPLACE", b""), "100644", "unclosed: "),
    ("no block", b"Nothing but words.\n", "100644", "no-blocks: .edits/a.md holds no edit block; write one"),
    ("empty", b"", "100644", "no-blocks: "),
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("claim", "data", "mode", "said"), some(UNREADABLE, "a symbolic link", "front matter", "no block", spread=True)
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, claim: str, data: bytes, mode: str, said: str) -> None:
    """And it keeps no other file from being applied."""
    with hub() as h:
        pull = h.world.pull_request({**FILES, A: data, B: OTHER_FITS.encode()}, modes={A: mode}, author="monalisa")
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, len(done.errors)) == (2, 1), claim
        assert done.errors[0].startswith(said)
        assert A in done.errors[0]
        assert states(pull) == ["nothing" if "no-blocks" in said else "failed", "applied"]
        assert (content(h, pull)[A], B in content(h, pull)) == (data, False)
        assert said.startswith("no-blocks") or "::error file=.edits/a.md,line=" in done.log


UNREADABLE_NEXT: list[tuple[str, bytes, str, str]] = [
    (".edits/ .md", FITS.encode(), "has U+0020 at the edge of a name; rename the file", "rename the file."),
    (A, b"a\0b", "text", "save it as UTF-8 text."),
    (A, LONG, "split it", "split it."),
]


@pytest.mark.long
@pytest.mark.parametrize(("path", "data", "reason", "step"), UNREADABLE_NEXT, ids=[row[3] for row in UNREADABLE_NEXT])
def test_what_to_do_with_a_file_that_cannot_be_read(
    tmp_path: Path, path: str, data: bytes, reason: str, step: str
) -> None:
    """No model wrote a block wrong, so none is asked again."""
    with hub() as h:
        pull = pull_request(h, {**FILES, path: data})
        act(h, h.pull_event(pull), tmp_path)
        assert (f"{reason} |" in pull.reviews[0].body, f"\n**Next:** {step}" in pull.reviews[0].body) == (True, True)


def test_the_place_of_wrong_front_matter_is_marked(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, "---\ntitle: x\nbase: main\n---\n" + FITS)
        done = act(h, h.pull_event(pull), tmp_path)
        assert "::error file=.edits/a.md,line=3,endLine=3,title=bad-config::`base` is `main`" in done.log
        assert "`base` is `main`; write 7 to 64 hex digits of a commit" in pull.reviews[0].body


def test_other_files_and_folders_are_none(tmp_path: Path) -> None:
    with hub() as h:
        named = [
            ".edits/a.txt",
            ".edits/.md",
            ".edits/deep/a.md",
            ".edits/folder.md/a.md",
            "edits/a.md",
            "a.md",
            ".edits/A.MD",
        ]
        pull = pull_request(h, {"app.py": APP, **dict.fromkeys(named, FITS.encode())})
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], writes(done)) == (0, "nothing", [])


@pytest.mark.long
def test_patterns_of_the_policy(tmp_path: Path) -> None:
    with hub() as h:
        h.world.commit({".editblocks.yml": b'response-files: ["docs/edits/*.txt", ".edits/*.md"]\n'}, "Policy")
        pull = pull_request(h, {**FILES, "docs/edits/z.txt": FITS.encode(), A: OTHER_FITS.encode()})
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull)) == (0, ["applied", "applied"]), done.log
        assert set(content(h, pull)) == {"README.md", ".editblocks.yml", "app.py", "notes.txt"}


def test_no_response_writes_the_next(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, block(B, "", "more"))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), B in content(h, pull)) == (2, ["failed"], False)
        assert done.errors[0].startswith("not-allowed: .edits/a.md: ")


@pytest.mark.long
def test_more_than_a_run_takes(tmp_path: Path) -> None:
    with hub() as h:
        files = {f".edits/{number:02}.md": f"{FAILS}\n{number}".encode() for number in range(51)}
        pull = pull_request(h, {"app.py": APP, **files})
        done = act(h, h.pull_event(pull), tmp_path)
        assert done.code == 2
        assert "::error::" in done.log
        assert "1 response file was not looked at, as a run takes 50; push again after this one" in done.log
        assert "response files were not looked at, as a run asks GitHub 60 times at most, and has " in done.log
        assert len([line for line in done.log.splitlines() if line.startswith("::error")]) == 10
        assert len(done.names) <= 60


@pytest.mark.long
def test_what_one_run_cannot_do_the_next_one_does(tmp_path: Path) -> None:
    """A run has 60 requests; files that it did not come to are said to be left."""
    with hub() as h:
        names = [f"f{number}.py" for number in range(9)]
        blocks = {f".edits/{name}.md": block(name, "value = 1", "value = 2").encode() for name in names}
        pull = pull_request(h, {**dict.fromkeys(names, b"value = 1\n"), **blocks})
        event = h.pull_event(pull)
        first = act(h, event, tmp_path)
        assert (first.code, len(first.names)) == (2, 57)
        assert "3 response files were not looked at, as a run asks GitHub 60 times at most, and has 57; " in first.log
        again = act(h, event, tmp_path)
        assert again.code == 0, again.log
        left = content(h, pull)
        assert [left[name] for name in names] == [b"value = 2\n"] * 9
        assert not [path for path in left if path.startswith(".edits/")]
        assert states(pull) == ["applied"] * 9


# who may


SENDERS: list[tuple[str, str, int, str]] = [
    ("admin", "octocat", 0, "applied"),
    ("write", "monalisa", 0, "applied"),
    ("a bot", "dependabot[bot]", 0, "applied"),
    ("read", "hubot", 2, "checked"),
    ("a stranger", "mallory", 2, "checked"),
]


@pytest.mark.parametrize(("claim", "login", "code", "result"), SENDERS, ids=[row[0] for row in SENDERS])
@pytest.mark.long
def test_who_pushed_is_asked_for(tmp_path: Path, claim: str, login: str, code: int, result: str) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        done = act(h, h.pull_event(pull, "synchronize", login, before=h.world.head(pull)), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (code, result, [result]), claim
        assert (A in content(h, pull)) == (result != "applied")
        assert ("GET collaborators/{username}/permission" in done.names) == (login != "dependabot[bot]")
        assert not code or done.errors[0].startswith(f"not-permitted: {A} was not applied, {login} has read access")


def test_a_permission_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        h.fault("GET collaborators/*/permission", status=500, times=99)
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (2, ["checked"], True)


def test_a_sender_that_is_gone_is_nobody(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        event = h.pull_event(pull)
        payload(event)["sender"] = None
        done = act(h, event, tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (2, ["checked"], True)


def test_without_a_right_to_review_the_job_says_it(tmp_path: Path) -> None:
    """A token that may write contents alone: the commit is made, and the missing review fails nothing."""
    with hub() as h:
        pull = opened(h, FITS)
        token = h.world.new_token("actions", h.world.bot, ("contents",))
        done = act(h, h.pull_event(pull), tmp_path, token=token)
        assert (done.code, done.outputs["result"], states(pull), A in content(h, pull)) == (0, "applied", [], False)
        assert "the status could not be written: GitHub refused" in done.log


@pytest.mark.long
@pytest.mark.parametrize("activity", ["opened", "reopened"])
def test_a_bot_that_pushed_nothing_is_no_writer(tmp_path: Path, activity: str) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        done = act(h, h.pull_event(pull, activity, "stale[bot]"), tmp_path)
        assert (done.code, done.outputs["result"], A in content(h, pull)) == (2, "checked", True)


def test_a_token_that_only_reads_fails_the_job(tmp_path: Path) -> None:
    """As the runs that Dependabot sets off have it: https://docs.github.com/en/code-security/dependabot/working-with-dependabot/automating-dependabot-with-github-actions"""
    with hub() as h:
        pull = opened(h, FITS)
        done = act(
            h,
            h.pull_event(pull, "synchronize", "dependabot[bot]", h.world.head(pull)),
            tmp_path,
            token=h.world.read_token,
        )
        assert (done.code, done.outputs["result"], states(pull), A in content(h, pull)) == (2, "refused", [], True)
        assert done.errors[0].startswith("publish-failed: GitHub refused (writing the tree, 403)")


def test_a_protected_head_is_only_checked(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        h.world.repository.protection[pull.head_ref] = Rule()
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (2, ["refused"], True)
        assert done.errors[0].startswith("branch-refused: .edits/a.md was not applied, feature-1 is protected; ")


# what a policy changes


def test_mode_check_commits_nothing(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, FAILS)
        done = act(h, h.pull_event(pull), tmp_path, {"mode": "check"})
        assert (done.code, states(pull), set(writes(done))) == (
            2, ["checked", "failed"], {"POST pulls/{pull_number}/reviews"},
        )  # fmt: skip
        assert [error.partition(":")[0] for error in done.errors] == ["no-match"]


def test_a_policy_that_cannot_be_read_fails_the_job(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, policy=b"mod: check\n")
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (2, ["refused"], True)
        assert done.errors[0].startswith("bad-config: .editblocks.yml line 1 on main: unknown key `mod`")


def test_trigger_command_waits_for_somebody(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        inputs = {"trigger": "command"}
        done = act(h, h.pull_event(pull), tmp_path, inputs)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "checked", ["checked"])
        assert "/apply" in pull.reviews[0].body
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path, inputs)
        assert (done.outputs["result"], states(pull)) == ("applied", ["applied"]), done.log
        assert (content(h, pull)["app.py"], A in content(h, pull)) == (APP_NEW, False)
        assert "Edit-Blocks-Applied-By: octocat" in messages(h, pull, 1)[0]


@pytest.mark.long
def test_a_kept_file_is_applied_once(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, policy=KEEP)
        before = h.world.head(pull)
        event = h.pull_event(pull)
        first = act(h, event, tmp_path)
        assert (first.code, first.outputs["result"]) == (0, "applied")
        assert content(h, pull)[A] == FITS.encode()
        again = act(h, event, tmp_path)
        assert (again.code, again.outputs["result"], writes(again)) == (0, "applied", []), again.log
        h.world.push(pull, {"app.py": APP})  # somebody takes it back by hand: the file says nothing new
        last = act(h, h.pull_event(pull, "synchronize", before=before), tmp_path)
        assert (last.code, writes(last), content(h, pull)["app.py"]) == (0, [], APP)
        assert states(pull) == ["applied"]


@pytest.mark.long
def test_a_kept_file_that_is_changed_is_another_one(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, policy=KEEP)
        act(h, h.pull_event(pull), tmp_path)
        h.world.push(pull, {A: OTHER_FITS.encode()})
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied"])
        assert content(h, pull)["notes.txt"] == b"one\n2\n"


# forks


@pytest.mark.parametrize(("text", "code", "result"), [(FITS, 0, "refused"), (FAILS, 2, "failed")])
def test_a_fork_gets_a_summary(tmp_path: Path, text: str, code: int, result: str) -> None:
    with hub() as h:
        fork = h.world.fork()
        pull = h.world.pull_request({**FILES, A: text.encode()}, author="hubot", fork=fork)
        event = h.pull_event(pull)
        assert event.reads_only
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], writes(done), pull.reviews) == (code, result, [], [])
        assert ("git apply" in done.summary) == (code == 0)
        assert ("::error file=.edits/a.md" in done.log) == (code == 2)
        assert "no status: the token of a pull request from a fork only reads" in done.log


# pushes


@pytest.mark.long
def test_a_push_to_a_branch_without_a_pull_request(tmp_path: Path) -> None:
    with hub() as h:
        event = h.push("feature", {**FILES, A: FITS.encode()})
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], done.outputs["pr-number"]) == (0, "applied", ""), done.log
        head = h.world.branch("feature")
        assert (done.outputs["commit-sha"], done.outputs["review-url"]) == (head, "")
        assert A not in h.world.files(head or "")
        assert done.names[0] == "query Branch"
        assert len(done.names) == 10
        assert act(h, event, tmp_path).outputs["result"] == "nothing"


def test_a_push_that_does_not_fit(tmp_path: Path) -> None:
    with hub() as h:
        done = act(h, h.push("feature", {**FILES, A: FAILS.encode()}), tmp_path)
        assert (done.code, done.outputs["result"], writes(done)) == (2, "failed", [])
        assert "::error file=.edits/a.md,line=3" in done.log


@pytest.mark.long
def test_a_push_to_the_branch_of_a_pull_request_uses_its_status(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h)
        event = h.push(pull.head_ref, {A: FITS.encode()})
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], done.outputs["pr-number"]) == (0, "applied", "1")
        assert states(pull) == ["applied"]
        assert done.names[:2] == ["query Branch", "query Context"]
        [synchronize] = event.also
        again = act(h, synchronize, tmp_path)
        assert (again.code, again.outputs["result"], states(pull)) == (0, "nothing", ["applied"])


def test_a_push_with_nothing_to_do(tmp_path: Path) -> None:
    with hub() as h:
        alone = act(h, h.push("feature", FILES), tmp_path)
        assert (alone.outputs["result"], alone.names) == ("nothing", ["query Branch", "query Objects"])
        pull = opened(h)
        asked = act(h, h.push(pull.head_ref, OTHER), tmp_path)
        assert asked.names == ["query Branch", "query Context", "query Objects"]


CLOSED = [
    ("main", "main is the default branch"),
    ("stable", "stable is protected"),
    ("gh-readonly-queue/main/pr-1-abc", "the merge queue made this branch"),
]


@pytest.mark.parametrize(("branch", "said"), CLOSED)
@pytest.mark.parametrize("mode", some(["apply", "check"], "apply"))
@pytest.mark.long
def test_branches_that_are_not_written_to(tmp_path: Path, branch: str, said: str, mode: str) -> None:
    """An unapplied response file fails the job there, whether it fits or not."""
    with hub() as h:
        h.world.repository.protection["stable"] = Rule()
        done = act(h, h.push(branch, {**FILES, A: FITS.encode()}), tmp_path, {"mode": mode})
        assert (done.code, writes(done)) == (2, [])
        assert done.errors[0].startswith(f"branch-refused: {A} was not applied, {said}")
        done = act(h, h.push(branch, {A: FAILS.encode()}), tmp_path, {"mode": mode})
        assert (done.code, done.errors[0].partition(":")[0], writes(done)) == (2, "no-match", [])


def test_what_is_applied_already_is_fine_on_the_default_branch_where_files_are_kept(tmp_path: Path) -> None:
    with hub() as h:
        h.world.commit({".editblocks.yml": KEEP}, "Policy")
        done = act(h, h.push("main", {**FILES, "app.py": APP_NEW, A: FITS.encode()}), tmp_path)
        assert (done.code, done.outputs["result"], writes(done)) == (0, "nothing", [])


def test_a_branch_that_is_gone_again(tmp_path: Path) -> None:
    with hub() as h:
        event = h.push("feature", {**FILES, A: FITS.encode()})
        h.world.delete_branch("feature")
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], done.errors) == (0, "nothing", [])
        assert "closed: the branch feature is gone; nothing was done" in done.log


def test_a_branch_that_goes_during_the_run(tmp_path: Path) -> None:
    with hub() as h:
        event = h.push("feature", {**FILES, A: FITS.encode()})
        h.fault("GET collaborators/*/permission", before=lambda: h.world.delete_branch("feature"))
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], h.world.branch("feature")) == (0, "refused", None)
        assert "closed: the branch feature is gone; nothing was done" in done.log


@pytest.mark.long
def test_the_head_that_is_there_counts_not_the_one_that_was_pushed(tmp_path: Path) -> None:
    with hub() as h:
        first = h.push("feature", {**FILES, A: FITS.encode()})
        h.push("feature", OTHER)
        done = act(h, first, tmp_path)
        files = h.world.files(h.world.branch("feature") or "")
        assert (done.outputs["result"], files["app.py"][1], "other.txt" in files) == ("applied", APP_NEW, True)


@pytest.mark.long
def test_a_branch_that_was_rewound_keeps_nothing(tmp_path: Path) -> None:
    with hub() as h:
        h.push("feature", FILES)
        before = h.world.branch("feature") or ""
        event = h.push("feature", {A: FITS.encode()})
        h.fault("POST git/trees", before=lambda: h.world.reset("feature", before))
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], h.world.branch("feature")) == (0, "stale", before)


# races

STEPS = ["query Objects", "GET collaborators/*/permission", "query Live", "POST git/trees", "mutation updateRefs"]
LAST = some(STEPS, "mutation updateRefs")


@pytest.mark.long
@pytest.mark.parametrize("at", LAST)
def test_a_push_during_the_run_is_built_upon(tmp_path: Path, at: str) -> None:
    with hub() as h:
        pull = opened(h, FITS, OTHER_FITS)
        h.fault(at, before=lambda: h.world.push(pull, OTHER))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied", "applied"]), done.log
        left = content(h, pull)
        assert (left["app.py"], left["notes.txt"], left["other.txt"]) == (APP_NEW, b"one\n2\n", b"theirs\n")
        assert not {A, B} & set(left)


@pytest.mark.parametrize("at", LAST)
@pytest.mark.long
def test_a_push_between_two_files(tmp_path: Path, at: str) -> None:
    with hub() as h:
        pull = opened(h, FITS, OTHER_FITS)
        h.fault("POST pulls/*/reviews", after=lambda: h.world.push(pull, OTHER))
        h.fault(at, nth=3, before=lambda: h.world.push(pull, {"third.txt": b"3\n"}))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull)) == (0, ["applied", "applied"]), done.log
        assert (content(h, pull)["notes.txt"], "other.txt" in content(h, pull)) == (b"one\n2\n", True)


@pytest.mark.parametrize("at", LAST[1:])
@pytest.mark.parametrize("data", [OTHER_FITS.encode(), None], ids=["changed", "removed"])
@pytest.mark.long
def test_a_file_that_is_another_one_by_then_is_left_to_the_next_run(
    tmp_path: Path, at: str, data: bytes | None
) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        before = h.world.head(pull)
        h.fault(at, before=lambda: h.world.push(pull, {A: data}))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "stale", []), done.log
        assert (commits(h, pull, before), content(h, pull)["app.py"], content(h, pull).get(A)) == (1, APP, data)
        assert "source-edited: .edits/a.md was changed or removed during the run" in done.log


@pytest.mark.parametrize("at", LAST[2:])
@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.long
def test_two_runs_at_the_same_time(tmp_path: Path, at: str, is_told: bool) -> None:
    """The other one commits between two requests of this one, and has or has not yet written its status."""
    with hub() as h:
        pull = opened(h, FITS)
        before, event = h.world.head(pull), h.pull_event(pull)
        other = act(h, event, tmp_path)
        made, review = h.world.head(pull), pull.reviews.pop()
        h.world.reset(pull.head_ref, before)

        def overtake() -> None:
            h.world.reset(pull.head_ref, made)
            pull.reviews.extend([review] if is_told else [])

        h.fault(at, before=overtake)
        done = act(h, event, tmp_path)
        assert [(each.code, each.outputs["result"]) for each in (done, other)] == [(0, "applied")] * 2, done.log
        assert done.outputs["commit-sha"] == other.outputs["commit-sha"] == h.world.head(pull)
        assert states(pull) == ["applied"] * is_told


def test_a_pull_request_that_is_closed_meanwhile(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        h.fault("query Live", before=lambda: setattr(pull, "state", "closed"))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], A in content(h, pull)) == (0, "refused", True)
        event = h.pull_event(opened(h, FITS))
        h.world.pull_requests[-1].state = "closed"
        late = act(h, event, tmp_path)
        assert (late.code, late.outputs["result"], late.names) == (0, "nothing", ["query Context"])


@pytest.mark.parametrize("step", some(["POST pulls/*/reviews", *STEPS[2:]], "POST pulls/*/reviews"))
@pytest.mark.parametrize("effect", [True, False])
@pytest.mark.long
def test_a_run_that_could_not_finish_is_finished_by_the_next(tmp_path: Path, step: str, effect: bool) -> None:
    """Also where the file is gone by then, as the commit that removed it was made."""
    with hub() as h:
        pull = opened(h, FITS)
        before, event = h.world.head(pull), h.pull_event(pull)
        h.fault(step, drop=True, effect=effect, times=99)
        act(h, event, tmp_path)
        h.faults.clear()
        done = act(h, event, tmp_path)
        assert done.code == 0, done.log
        assert (commits(h, pull, before), states(pull), A in content(h, pull)) == (1, ["applied"], False)
        assert marker_of(pull.reviews[0]).commit == h.world.head(pull)
        last = act(h, event, tmp_path)
        assert (last.names, len(pull.reviews)) == (["query Context", "query Objects"], 1)


@pytest.mark.long
def test_a_status_that_the_first_look_does_not_show_is_edited(tmp_path: Path) -> None:
    """Reads lag behind writes: the status of the last push may be missing among the reviews."""
    with hub() as h:
        pull = opened(h, FAILS)
        h.lag("query Context", reads=2, only="pulls")
        act(h, h.pull_event(pull), tmp_path)
        h.world.push(pull, {A: FITS.encode()})
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (0, ["applied"], False), done.log


@pytest.mark.long
def test_whoever_comes_later_is_not_asked_about_a_commit_that_is_made(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path)
        pull.reviews.clear()
        done = act(h, h.pull_event(pull, sender="hubot"), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied"])
        assert done.outputs["commit-sha"] == h.world.head(pull)


@pytest.mark.long
def test_a_forged_trailer_about_a_file_is_not_believed(tmp_path: Path) -> None:
    """Anybody who can push can write one; it neither keeps a file from being applied nor makes a status."""
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path)
        [ours], start = messages(h, pull, 1), h.world.branch("main")
        twin = h.world.pull_request({**FILES, A: FITS.encode()}, author="monalisa", head="twin")
        h.world.commit({A: None, "app.py": b"theirs\n"}, ours, "twin", author="github-actions[bot]", signed=True)
        done = act(h, h.pull_event(twin, "synchronize", before=start), tmp_path)
        assert (done.code, done.outputs["result"], twin.reviews, writes(done)) == (0, "nothing", [], [])
        h.world.push(twin, {A: FITS.encode(), "app.py": APP})
        done = act(h, h.pull_event(twin, "synchronize", before=start), tmp_path)
        assert (done.outputs["result"], content(h, twin)["app.py"]) == ("applied", APP_NEW)


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("query Context", {"status": 502}),
    ("query Objects", {"status": 404}),
    ("GET collaborators/*/permission", {"status": 403}),
    ("query Live", {"status": 404}),
    ("POST git/trees", {"status": 409}),
    ("POST git/commits", {"status": 422}),
    ("mutation updateRefs", {"status": 500}),
    ("mutation updateRefs", {"status": 502, "effect": True}),
    ("query Reviews", {"status": 429}),
    ("POST pulls/*/reviews", {"status": 502, "effect": True}),
    ("POST pulls/*/reviews", {"status": 200, "body": b'{"id":', "effect": True}),
]


@pytest.mark.parametrize(("at", "fault"), FAULTS, ids=[f"{at}-{fault['status']}" for at, fault in FAULTS])
@pytest.mark.parametrize("times", [1, 99])
@pytest.mark.long
def test_no_fault_makes_it_twice_or_in_silence(tmp_path: Path, at: str, fault: dict[str, Any], times: int) -> None:
    with hub() as h:
        pull = opened(h, FITS, OTHER_FITS)
        before, event = h.world.head(pull), h.pull_event(pull)
        h.fault(at, times=times, **fault)
        first = act(h, event, tmp_path)
        made, left = commits(h, pull, before), {A, B} & set(content(h, pull))
        assert (made, len(states(pull)) <= 2) == (2 - len(left), True)
        assert first.code == 2 or states(pull) == ["applied", "applied"], first.log
        h.faults.clear()
        again = act(h, event, tmp_path)
        assert (again.code, commits(h, pull, before), states(pull)) == (0, 2, ["applied", "applied"]), again.log


# commands about a file


@pytest.mark.long
def test_undo_brings_the_file_back_and_the_next_run_stays_quiet(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        before = h.world.head(pull)
        act(h, h.pull_event(pull), tmp_path)
        undone = act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        assert (undone.code, undone.outputs["result"], states(pull)) == (0, "applied", ["undone"]), undone.log
        assert h.world.files(h.world.head(pull)) == h.world.files(before)
        quiet = act(h, h.pull_event(pull, "synchronize", before=before), tmp_path)
        assert (quiet.code, quiet.outputs["result"], writes(quiet)) == (0, "nothing", []), quiet.log
        assert ".edits/a.md was undone in " in quiet.log
        again = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (again.outputs["result"], states(pull), A in content(h, pull)) == ("applied", ["applied"], False)


@pytest.mark.parametrize("files", [False, True], ids=["alone", "after another push"])
@pytest.mark.long
def test_undo_where_nobody_can_see_a_status(tmp_path: Path, files: bool) -> None:
    """The trailers alone keep an automatic run from doing it again."""
    with hub() as h:
        pull = opened(h, FITS)
        before = h.world.head(pull)
        act(h, h.pull_event(pull), tmp_path)
        act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        pull.reviews.clear()
        if files:
            h.world.push(pull, OTHER)
        done = act(h, h.pull_event(pull, "synchronize", before=before), tmp_path)
        assert (done.code, content(h, pull)["app.py"], A in content(h, pull)) == (0, APP, True), done.log


@pytest.mark.long
def test_undo_holds_when_its_commit_is_long_ago(tmp_path: Path) -> None:
    """Fifty commits are looked at; the status remembers it after that."""
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path)
        act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        for number in range(51):
            h.world.push(pull, {"other.txt": b"%d\n" % number})
        done = act(h, h.pull_event(pull, "synchronize"), tmp_path)
        assert (done.code, done.outputs["result"], writes(done)) == (0, "nothing", []), done.log


@pytest.mark.long
def test_apply_names_the_status_of_a_file(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, OTHER_FITS)
        act(h, h.pull_event(pull), tmp_path, {"trigger": "command"})
        assert states(pull) == ["checked", "checked"]
        several = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert several.outputs["result"] == "nothing"
        lines = pull.comments[-1].body
        assert all(f"/apply of {review.id}" in lines for review in pull.reviews)
        for word in ("", "pullrequestreview-"):
            review = next(each for each in pull.reviews if marker_of(each).state is State.CHECKED)
            done = act(h, h.comment(pull, "octocat", f"/apply of {word}{review.id}"), tmp_path)
            assert (done.code, done.outputs["result"]) == (0, "applied"), done.log
        assert states(pull) == ["applied", "applied"]
        assert not {A, B} & set(content(h, pull))


@pytest.mark.long
def test_a_word_about_a_file_that_was_changed_does_not_count(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        inputs = {"trigger": "command"}
        act(h, h.pull_event(pull), tmp_path, inputs)
        h.world.push(pull, {A: OTHER_FITS.encode()})
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path, inputs)
        assert (done.outputs["result"], states(pull), A in content(h, pull)) == ("stale", ["stale"], True), done.log
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path, inputs)
        assert (done.outputs["result"], content(h, pull)["notes.txt"]) == ("applied", b"one\n2\n")


@pytest.mark.long
@pytest.mark.parametrize("data", [b"\xff", None], ids=["unreadable", "gone"])
def test_a_word_about_a_file_that_cannot_be_had(tmp_path: Path, data: bytes | None) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path, {"trigger": "command"})
        h.world.push(pull, {A: data})
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (done.code, h.world.head(pull)) == (0, before), done.log
        assert ("encoding: " in pull.reviews[0].body) or "cannot be found any more" in pull.comments[-1].body


@pytest.mark.long
def test_part_of_a_file_by_a_word(tmp_path: Path) -> None:
    """The file stays for what is left, and goes with it."""
    with hub() as h:
        pull = opened(h, f"{FITS}\n{OTHER_FITS}")
        act(h, h.pull_event(pull), tmp_path, {"trigger": "command"})
        part = act(h, h.comment(pull, "octocat", "/apply 1"), tmp_path)
        assert (part.outputs["result"], A in content(h, pull)) == ("partial", True), part.log
        rest = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (rest.outputs["result"], A in content(h, pull)) == ("applied", False), rest.log
        assert (content(h, pull)["app.py"], content(h, pull)["notes.txt"]) == (APP_NEW, b"one\n2\n")


def test_a_word_about_what_is_there_already_takes_nothing_away(tmp_path: Path) -> None:
    """The other block was not asked for, and is still wanted."""
    with hub() as h:
        pull = opened(h, f"{FITS}\n{OTHER_FITS}")
        h.world.push(pull, {"app.py": APP_NEW})
        act(h, h.pull_event(pull), tmp_path, {"trigger": "command"})
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "octocat", "/apply 1"), tmp_path, {"trigger": "command"})
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (0, "checked", before), done.log


@pytest.mark.long
def test_a_block_that_people_leave_out_goes_with_the_file(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, f"{FITS}\n{FAILS}")
        act(h, h.pull_event(pull), tmp_path)
        act(h, h.comment(pull, "octocat", "/skip 2"), tmp_path)
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
        assert (done.code, content(h, pull)["app.py"], A in content(h, pull)) == (0, APP_NEW, False), done.log
        quiet = act(h, h.pull_event(pull), tmp_path)
        assert (quiet.code, quiet.outputs["result"]) == (0, "nothing")


# what the log says


def test_no_file_writes_a_command_into_the_log(tmp_path: Path) -> None:
    names = ["::error::x.md", "%0A::set-output name=a::b.md", "a\n::stop-commands::x.md", "b\u202e.md", "c,line=9.md"]
    with hub() as h:
        pull = pull_request(h, {"app.py": APP, **{f".edits/{name}": FAILS.encode() for name in names}})
        done = act(h, h.pull_event(pull), tmp_path)
        assert done.code == 2
        lines = done.log.splitlines()
        commands = [line for line in lines if line.startswith("::")]
        assert all(
            line.startswith(("::add-mask::", "::error::", "::error file=", "::error title=")) for line in commands
        )
        assert not any("stop-commands::x" in line or "set-output name=a::" in line for line in lines)
        assert done.log.isascii()
