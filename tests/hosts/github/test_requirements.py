"""What is published, and where: requirements S3, S5-S8, S13 and S15, through a whole run.

The number of a requirement is in the name of each test of it, here and elsewhere. What concerns people, text, pages and
the machine is in the other `test_requirements_*.py`.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import APP, APP_NEW, FAILS, FITS, block
from support.hub.model import Rule
from support.project import TESTS
from support.requirementkit import COMMANDS, Speak, refs, review, say, two_sources
from support.talkkit import NOTES, Talk, some, talk


def test_every_requirement_has_a_test() -> None:
    texts = (path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    names = (name for text in texts for name in re.findall(r"^def test(_s[0-9_s]+)_", text, re.MULTILINE))
    assert {int(number) for name in names for number in re.findall("s([0-9]+)", name)} == set(range(1, 26))


# S3: a refused path under every selection

REFUSED = ("../out.py", ".git/config", ".github/workflows/ci.yml", "CLAUDE.md", "a/.GIT /hooks/x", "/etc/passwd",
           ".edits/next.md", "link.txt")  # fmt: skip


@pytest.mark.parametrize("path", [REFUSED[0], REFUSED[2], *(pytest.param(p, marks=pytest.mark.long) for p in REFUSED)])
@pytest.mark.long
def test_s03_a_refused_path_is_written_under_no_selection(tmp_path: Path, path: str) -> None:
    with talk(tmp_path, {"app.py": APP, "notes.txt": NOTES}) as t:
        t.h.world.commit({"link.txt": b"notes.txt"}, "Link", t.pull.head_ref, modes={"link.txt": "120000"})
        start, before = t.head, t.h.world.files(t.head)
        new = block(path, "notes.txt" if path == "link.txt" else "", "x")
        done = t.say("octocat", FITS + new)
        assert (done.outputs["result"], t.head) == ("failed", start), "the whole source is refused"
        for words in ("/apply", "/apply 2", "/apply 1-2", f"/apply {path}", "/apply 2@1"):
            t.say("octocat", words)
            assert t.head == start, words
        t.say("octocat", "/apply ready")
        assert t.h.world.files(t.head) == before | {"app.py": ("100755", APP_NEW)}
        t.say("octocat", "/apply 2")
        assert t.h.world.files(t.head) == before | {"app.py": ("100755", APP_NEW)}


# S5: the head moves or goes back under a command

MOVING: dict[str, tuple[Speak, bytes]] = {
    "blocks": (say(FITS), APP_NEW),
    "/apply": (say("/apply"), APP_NEW),
    "/undo": (say("/undo"), APP),
    "a review": (review, APP_NEW),
}


def waiting(t: Talk, command: str) -> None:
    """What is there before the command: for `/undo` a commit, for `/apply` a check."""
    if command == "/undo":
        t.say("octocat", FITS)
    elif command == "/apply":
        t.say("hubot", FITS)


@pytest.mark.parametrize("command", MOVING)
@pytest.mark.long
def test_s05_a_push_in_between_is_kept(tmp_path: Path, command: str) -> None:
    with talk(tmp_path) as t:
        waiting(t, command)
        speak, data = MOVING[command]
        event, theirs = speak(t, "octocat"), list[str]()
        t.h.fault("mutation updateRefs", before=lambda: theirs.append(t.h.world.push(t.pull, {"theirs.txt": b"x\n"})))
        t.run(event)
        assert t.h.world.contains(theirs[0], t.head)
        assert (t.file("theirs.txt"), t.file("app.py")) == (b"x\n", data)


@pytest.mark.long
@pytest.mark.parametrize("command", MOVING)
def test_s05_a_rewind_in_between_is_not_undone(tmp_path: Path, command: str) -> None:
    with talk(tmp_path) as t:
        keep = t.head
        secret = t.h.world.push(t.pull, {"secret.txt": b"a password\n"})
        waiting(t, command)
        event = MOVING[command][0](t, "octocat")
        t.h.fault("mutation updateRefs", before=lambda: t.h.world.reset(t.pull.head_ref, keep))
        t.run(event)
        assert (t.h.world.contains(secret, t.head), t.file("secret.txt")) == (False, None)


# S6: once, whatever is lost and delivered again


@pytest.mark.parametrize(
    "fault",
    [pytest.param({"drop": True}, id="a time-out"), pytest.param({"status": 502}, id="502", marks=pytest.mark.long)],
)
@pytest.mark.parametrize("command", MOVING)
@pytest.mark.long
def test_s06_one_commit_for_each_word(tmp_path: Path, command: str, fault: dict[str, Any]) -> None:
    with talk(tmp_path) as t:
        waiting(t, command)
        event, before = MOVING[command][0](t, "octocat"), t.made
        t.h.fault("POST git/commits", effect=True, **fault)
        t.h.fault("mutation updateRefs", effect=True, **fault)
        t.h.fault("* pulls/*/reviews*", effect=True, **fault)
        for each in (event, *event.also, event):
            t.run(each)
            t.h.world.push(t.pull, {"theirs.txt": t.head.encode()})
        pushed = 2 + len(event.also)
        assert (t.made - before - pushed, t.file("app.py")) == (1, MOVING[command][1])
        assert len({marker.source for marker in t.statuses}) == len(t.statuses)


# S7: what is closed stays closed

GUARDED = (".github/x", ".husky/x", ".githooks/x", ".circleci/x", ".buildkite/x", ".claude/x", ".cursor/x", ".vscode/x",
           ".idea/x", ".devcontainer/x", ".gitconfig", ".lfsconfig", ".mailmap", ".git-blame-ignore-revs",
           ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", ".gitlab-ci.yml", ".travis.yml", "Jenkinsfile",
           "azure-pipelines.yml", ".mcp.json", ".editblocks.yml", "CODEOWNERS", "docs/CODEOWNERS", "a/.gitattributes",
           "a/.gitmodules", "a/action.yml", "a/action.yaml", "a/CLAUDE.md", "a/AGENTS.md", "a/GEMINI.md", "a/.envrc",
           "a/.npmrc", "a/.yarnrc.yml", ".GitHub/x", "a/claude.MD")  # fmt: skip


@pytest.mark.long
def test_s07_what_only_the_pull_request_allows_is_refused(tmp_path: Path) -> None:
    """Its head, the branch that it was pointed at and the workflow's inputs say yes; the default branch does not."""
    policy = "allow-protected:\n" + "".join(f"  - {path}\n" for path in GUARDED if "workflows" not in path)
    with talk(tmp_path, base="main") as t:
        world = t.h.world
        world.commit({".editblocks.yml": policy.encode()}, "Loose", "loose", parent=world.branch("main"))
        world.push(t.pull, {".editblocks.yml": policy.encode()})
        t.pull.base_ref, start = "loose", t.head
        done = t.say("octocat", "".join(block(path, "", "x") for path in GUARDED))
        assert (done.outputs["result"], done.outputs["failed-count"]) == ("failed", str(len(GUARDED)))
        assert t.status.count("not-allowed") >= len(GUARDED)
        for words in ("/apply", "/apply ready", "/apply 1", f"/apply {GUARDED[0]}"):
            t.say("octocat", words)
        assert t.head == start


# S8: one block that fails


@pytest.mark.parametrize("speak", [say(FITS + FAILS), say(f"/apply\n\n{FITS}{FAILS}"), review], ids=["", "/apply", "r"])
@pytest.mark.long(after=2)
def test_s08_one_block_that_fails_leaves_every_ref(tmp_path: Path, speak: Speak) -> None:
    with talk(tmp_path) as t:
        event = t.h.review(t.pull, "octocat", FAILS, [("app.py", 2, FITS)]) if speak is review else speak(t, "octocat")
        before = refs(t)
        done = t.run(event)
        assert (done.outputs["result"], refs(t), t.states) == ("failed", before, ["failed"])
        assert t.h.requests("POST git/trees") == []


# S13: branches that are left alone


def forked(t: Talk) -> None:
    t.pull.head_repository = t.h.world.fork("zoe")


def gone(t: Talk) -> None:
    t.pull.head_repository = None


def default(t: Talk) -> None:
    t.h.world.repository.default_branch = t.pull.head_ref


def protected(t: Talk) -> None:
    t.h.world.repository.protection[t.pull.head_ref] = Rule()


PLACES = (forked, gone, default, protected)
LEFT = [
    pytest.param(place, command, marks=() if (number + more) % 4 == 0 else pytest.mark.long)
    for number, place in enumerate(PLACES)
    for more, command in enumerate(("blocks", "/apply", "/undo", "a review", "a reply"))
]


@pytest.mark.long
@pytest.mark.parametrize(("place", "command"), LEFT)
def test_s13_a_branch_of_others_is_never_written(tmp_path: Path, place: Callable[[Talk], None], command: str) -> None:
    with two_sources(tmp_path) as t:
        event = COMMANDS[command](t, "octocat")
        place(t)
        before = refs(t)
        done = t.run(event, token=t.h.world.token)
        assert (done.code, refs(t)) == (0, before), done.log
        assert [name for name in done.names if "git/" in name or name.startswith("mutation")] == []
        assert t.pull.state == "open"


def test_s13_a_branch_that_becomes_protected_in_between_is_left(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        before = t.head
        rule = {t.pull.head_ref: Rule()}
        t.h.fault("mutation updateRefs", before=lambda: t.h.world.repository.protection.update(rule))
        done = t.say("octocat", FITS)
        assert (done.code, t.head, t.states) == (2, before, ["refused"])


# S15: links and submodules

LINKS = {"link": "120000", "folder": "120000", "module": "160000"}
ODD: dict[str, str] = {
    "edit a link": block("link", "notes.txt", "/etc/passwd"),
    "replace a link": block("link", "", "x"),
    "write through a link": block("folder/new.txt", "", "x"),
    "edit through a link": block("folder/app.py", "    result = 0", "    result = 1"),
    "edit a submodule": block("module", "x", "y"),
    "write into a submodule": block("module/new.txt", "", "x"),
    "make a file of a submodule": block("module", "", "x"),
    "delete a link": "--- a/link\n+++ /dev/null\n",
}


@pytest.mark.long
@pytest.mark.parametrize("claim", some(ODD, "edit a link", "write through a link", "edit a submodule"))
def test_s15_a_link_and_a_submodule_stay_as_they_are(tmp_path: Path, claim: str) -> None:
    with talk(tmp_path) as t:
        git, index = t.h.world.store.git, str(tmp_path / "index")
        git("read-tree", t.head, index=index)
        for name, mode in LINKS.items():
            blob = git("hash-object", "-w", "--stdin", data=b"notes.txt" if name == "link" else b".").decode().strip()
            oid = t.head if mode == "160000" else blob
            git("update-index", "--add", "--cacheinfo", f"{mode},{oid},{name}", index=index)
        tree = git("write-tree", index=index).decode().strip()
        octocat = t.h.world.person(t.h.world.octocat)
        head = t.h.world.store.new_commit(tree, [t.head], "Odd", author=octocat, committer=octocat)
        t.h.world.reset(t.pull.head_ref, head)
        done = t.say("octocat", ODD[claim])
        for words in ("/apply 1", "/apply ready"):
            t.say("octocat", words)
        assert (t.head, done.outputs.get("commit-sha", "")) == (head, ""), done.log
