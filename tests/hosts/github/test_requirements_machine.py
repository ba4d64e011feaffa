"""What runs, how long, what a killed process leaves, what is asked again, what is pinned: S2, S14, S19, S24 and S25."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import gitkit
from support.actionkit import APP_NEW, FITS, Clock, block, pull_request
from support.composite import run_action
from support.hostile_responses import OPEN, RESPONSES
from support.hub import hub
from support.project import ROOT
from support.scenes import SCENES
from support.talkkit import FILES, some, talk

from editblocks import apply_response

# S2: nothing of the head is executed, imported, checked out or used as configuration

SPRUNG = '#!/bin/sh\necho "$0" >> {0}\n'
MODULE = "open({0!r}, 'a').write(__file__)\n"
PROGRAMS = ("git", "python3", "sh", "hooks/pre-commit", "hooks/post-commit", ".git/hooks/pre-commit",
            ".git/hooks/post-checkout", ".git/hooks/reference-transaction", ".githooks/pre-commit")  # fmt: skip
MODULES = ("yaml.py", "github.py", "json.py", "sitecustomize.py", "usercustomize.py", "conftest.py", "editblocks.py",
           "src/editblocks/__init__.py", "hooks/run.py", "hooks/gate.py", "setup.py", "pip/__main__.py")  # fmt: skip
CONFIG = """\
[core]
	repositoryformatversion = 0
	fsmonitor = {0}
	hooksPath = hooks
	pager = {0}
	sshCommand = {0}
	editor = {0}
	attributesFile = .gitattributes
[filter "x"]
	clean = {0}
	smudge = {0}
	process = {0}
	required = true
[diff "x"]
	textconv = {0}
	command = {0}
[credential]
	helper = !{0}
[alias]
	log = !{0}
[include]
	path = ../.gitconfig
"""
HEAD: dict[str, bytes] = {
    "app.py": FILES["app.py"],
    ".gitattributes": b"*.txt filter=x diff=x\n",
    ".gitmodules": b'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c id\n',
    ".editblocks.yml": b"mode: check\ndeny-paths: ['**']\n",
    "action.yml": b"runs: {using: composite, steps: [{run: exit 1, shell: bash}]}\n",
    "requirements-action.txt": b"evil\n",
    "pip.conf": b"[global]\nindex-url = http://localhost:1\n",
    "pyvenv.cfg": b"home = .\n",
    "x.pth": b"import os; os._exit(9)\n",
}
AUDIT = """
import os, sys
told = []
def hook(event, args):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn", "os.startfile"):
        told.append(f"{event} {args!r}")
    elif event in ("open", "import") and any(isinstance(arg, str) and arg.startswith(sys.argv[1]) for arg in args):
        told.append(f"{event} {args!r}")
sys.path.insert(0, sys.argv[2])
from editblocks.faces.action import main
sys.addaudithook(hook)
code = main()
print("TOLD", told)
sys.exit(code)
"""


def checkout(folder: Path, sprung: Path) -> None:
    """A working tree of the head with a trap at every place where one might be looked for."""
    files = {name: data.decode() for name, data in HEAD.items()}
    files |= {name: SPRUNG.format(sprung) for name in PROGRAMS}
    files |= {name: MODULE.format(str(sprung)) for name in MODULES}
    files |= {".git/config": CONFIG.format(sprung.parent / "trap"), ".git/HEAD": "ref: refs/heads/main\n"}
    for name, text in {**files, "../trap": SPRUNG.format(sprung)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


@pytest.mark.long
@pytest.mark.parametrize("body", [FITS, pytest.param(f"/apply\n\n{FITS}", marks=pytest.mark.long)])
def test_s02_nothing_of_the_head_runs_or_counts(tmp_path: Path, body: str) -> None:
    with hub() as h:
        pull = pull_request(h, HEAD)
        environ = h.job_env(h.comment(pull, "monalisa", body), tmp_path / "job")
        workspace = Path(environ["GITHUB_WORKSPACE"])
        checkout(workspace, tmp_path / "sprung")
        hostile = {
            name: str(workspace)
            for name in ("PYTHONPATH", "HOME", "GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG_GLOBAL", "PIP_CONFIG_FILE")
        }
        run = run_action(ROOT, environ=environ | hostile, token=h.world.token.value)
        assert (run.ok, run.outputs["result"], (tmp_path / "sprung").exists()) == (True, "applied", False), run.log
        # a filter on app.py would be one of the head; that of *.txt is looked at and not started
        assert h.world.files(h.world.head(pull))["app.py"] == ("100755", APP_NEW)


@pytest.mark.long
def test_s02_the_run_starts_no_program_and_opens_nothing_of_the_workspace(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, HEAD)
        environ = h.action_env(h.comment(pull, "monalisa", FITS), tmp_path / "job")
        workspace = Path(environ["GITHUB_WORKSPACE"])
        checkout(workspace, tmp_path / "sprung")
        command = [sys.executable, "-I", "-c", AUDIT, str(workspace), str(ROOT / "src")]
        done = subprocess.run(
            command, cwd=workspace, env={**environ, "PATH": str(workspace)}, capture_output=True, text=True, check=False
        )
        assert (done.returncode, "TOLD []" in done.stdout) == (0, True), done.stdout + done.stderr
        assert h.world.files(h.world.head(pull))["app.py"] == ("100755", APP_NEW)


# S14: hostile text of 1 MiB. Its time grows in proportion: applying/test_complexity.py counts it in calls

MIB = 1 << 20
CHILD = """
import re, sys
from pathlib import Path
from editblocks.faces.cli.main import main
code = main([sys.argv[1], "-"])
print("PEAK", re.search("VmHWM: *\\t *([0-9]+) kB", Path("/proc/self/status").read_text())[1], file=sys.stderr)
sys.exit(code)
"""


def peak(command: str, text: str, folder: Path) -> int:
    """What a process that reads this response takes at most, all of it, in KiB.

    From /proc, not from `getrusage`: what that calls the largest is, for a process that was started without
    a copy of its parent, the parent's size where that was larger.
    """
    (folder / "a.py").write_bytes(b"x\n" * 1000)
    child = [sys.executable, "-c", CHILD, command]
    done = subprocess.run(child, cwd=folder, input=text.encode(), capture_output=True, check=False)
    assert done.returncode == (0 if command == "retry" else 1), done.stderr
    return int(done.stderr.rpartition(b"PEAK ")[2])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, int]:
    """What a command takes for a response of one line."""
    folder = tmp_path_factory.mktemp("small")
    return {command: peak(command, "hello\n", folder) for command in ("check", "retry")}


@pytest.mark.long
@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.table(parts=4)
def test_s14_a_mebibyte_takes_40_mebibytes_more_than_a_line(
    family: str, tmp_path: Path, small: Mapping[str, int]
) -> None:
    text = RESPONSES[family](MIB)[:MIB]
    result = apply_response(text, {"a.py": b"x\n" * 1000}.get)
    assert (len(result.rows) <= 500, len(result.notes) <= 500) == (True, True)
    for command, least in small.items():
        assert peak(command, text, tmp_path) - least < 40 * 1024


@pytest.mark.parametrize("text", [OPEN, block("a.py", "x", "y")], ids=["openers", "blocks"])
def test_s14_a_report_has_no_more_rows_than_a_policy_allows(text: str) -> None:
    result = apply_response(text * 2_001, {"a.py": b"x\n"}.get)
    assert [row.code.value for row in result.problems] == ["too-large"]
    assert (result.results, "more blocks than max-blocks allows (500)" in result.problems[0].message) == ((), True)


LONGEST = {
    "an unclosed block": f"a.py\n{OPEN}" + "x\n" * 30_000,
    "openers": OPEN * 4_000,
    "a command": "/apply " + "9-" * 30_000,
    "a command of controls": "/apply " + "\x00\x1b[2J" * 2_500,
}


@pytest.mark.parametrize("claim", some(LONGEST, "an unclosed block"))
@pytest.mark.long
def test_s14_the_longest_comment_is_answered_in_few_requests(tmp_path: Path, claim: str) -> None:
    with talk(tmp_path) as t:
        clock = Clock()
        done = t.say("octocat", LONGEST[claim][:65_536], clock=clock)
        assert (done.code, t.made, len(done.names) < 12, clock.waits) == (0, 0, True, [])
        assert [
            len(text) for text in (*t.answers, *(review.body for review in t.pull.reviews)) if len(text) > 60_000
        ] == []


# S19: a process that is killed

KILLED = """
import os, sys
from pathlib import Path
from editblocks.repos.stores.worktree import Disk, WorktreeRepo
left = [int(sys.argv[2])]
def die(effect, path):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), 9)
repo = WorktreeRepo(sys.argv[1], disk=Disk(die))
for path in ("app.py", "notes.txt"):
    repo.read(path)
new = sys.argv[3].encode()
repo.write(dict.fromkeys(("app.py", "notes.txt", "deep/new.txt"), new), "")
print("done")
"""
OLD_TEXT = "alpha = 1\nbeta = 2\ngamma = 3\n"
NEW_TEXT = "alpha = 1\nbeta = 20\ndelta = 4\ngamma = 3\n"
CHANGED = ("app.py", "notes.txt")
RESPONSE = "".join(block(name, OLD_TEXT.rstrip(), NEW_TEXT.rstrip()) for name in CHANGED)
RESPONSE += block("deep/new.txt", "", NEW_TEXT.rstrip())


@pytest.mark.parametrize("effect", [1, 14, 16, *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 30))])
@pytest.mark.long
def test_s19_a_kill_leaves_whole_files_and_the_next_run_finishes(tmp_path: Path, effect: int) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "index.lock").write_bytes(b"theirs")
    for name in CHANGED:
        (root / name).write_text(OLD_TEXT)
    command = [sys.executable, "-c", KILLED, str(root), str(effect), NEW_TEXT]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout) in {(-9, b""), (0, b"done\n")}, done.stderr
    names = (*CHANGED, "deep/new.txt")
    left = {(root / name).read_text() for name in names if (root / name).exists()}
    assert left <= {OLD_TEXT, NEW_TEXT}, "a torn file"
    (tmp_path / "response.md").write_text(RESPONSE)
    again = [sys.executable, "-m", "editblocks", "apply", "../response.md"]
    done = subprocess.run(again, cwd=root, env=gitkit.ISOLATED, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    assert [(root / name).read_text() for name in names] == [NEW_TEXT] * 3
    assert (root / "index.lock").read_bytes() == b"theirs"


# S24: what is sent again, and when a run ends

WRITES = ("POST git/trees", "POST git/commits", "mutation updateRefs", "POST pulls/*/reviews", "POST issues/*/comments",
          "POST pulls/*/comments/*/replies")  # fmt: skip
LOST: list[dict[str, Any]] = [{"drop": True, "effect": True}, {"status": 502, "effect": True}]
SHORT = {"apply", "help", "help in a thread", "review", "review that fails", "reply"}


@pytest.mark.parametrize("scene", [pytest.param(n, marks=() if n in SHORT else pytest.mark.long) for n in SCENES])
@pytest.mark.long
def test_s24_an_answer_that_is_lost_makes_nothing_twice(tmp_path: Path, scene: str) -> None:
    for number, fault in enumerate(LOST):
        with hub() as h:
            stage = SCENES[scene].set_up(h, tmp_path / str(number))
            for at in WRITES:
                h.fault(at, **fault)
            clock = Clock()
            done = stage.run(clock)
            left = stage.left()
            assert left.is_single, (done.log, left)
            assert (left.commits, list(left.states)) == (SCENES[scene].commits, list(SCENES[scene].states)), done.log
            assert clock.now - Clock().now < 300


@pytest.mark.long
@pytest.mark.parametrize("scene", [pytest.param(n, marks=() if n == "apply" else pytest.mark.long) for n in SCENES])
@pytest.mark.parametrize("headers", [{"Retry-After": "7"}, {"Retry-After": "600"}, {}], ids=["7 s", "600 s", "none"])
@pytest.mark.table(parts=2)
def test_s24_a_limit_is_waited_for_or_said(tmp_path: Path, scene: str, headers: Mapping[str, str]) -> None:
    with hub() as h:
        stage, clock = SCENES[scene].set_up(h, tmp_path), Clock()
        for at in ("POST *", "PUT *", "mutation *"):
            h.fault(at, status=429, headers=headers)
        done = stage.run(clock)
        assert clock.now - Clock().now < 300
        assert stage.left().is_single
        assert done.code == 2 or stage.left().states or stage.left().answers, "a status or a failed job"
        assert headers.get("Retry-After") != "7" or max(clock.waits, default=7.0) >= 7.0


# S25: what is pinned

WORKFLOWS = sorted(p for folder in ("examples", ".github/workflows", "docs") for p in (ROOT / folder).glob("*.y*ml"))
TEXTS = [*WORKFLOWS, ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "action.yml"]
USES = re.compile(r"^\s*(?:- )?uses: +(\S+)(.*)$", re.MULTILINE)
LOCK = (ROOT / "requirements-action.txt").read_text("utf-8")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_s25_what_a_workflow_uses_is_pinned_to_a_commit(path: Path) -> None:
    loose = [
        name for name, _ in USES.findall(path.read_text("utf-8")) if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)
    ]
    # `./` and `$/` are this very repository.
    assert [name for name in loose if not name.startswith(("./", "$/"))] == []


def test_s25_every_wheel_has_a_hash_and_floors_hold() -> None:
    entries = [entry for entry in re.split(r"\n(?=[a-z])", LOCK) if "==" in entry]
    assert len(entries) > 5
    assert [entry for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", entry)] == []
    assert not re.search(r"(?m)^(?:-e|git\+|https?:|--index-url|--extra-index-url|--trusted-host)", LOCK)
    floors = {"pygithub": (2, 10), "requests": (2, 32, 4), "pyyaml": (6, 0, 1)}
    locked = {name: tuple(map(int, version.split("."))) for name, version in re.findall(r"(?m)^(\S+)==([0-9.]+)", LOCK)}
    assert [name for name, floor in floors.items() if locked[name] < floor] == []
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert all(floor in project for floor in ('"PyGithub>=2.10,<3"', '"PyYAML>=6.0.1"'))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_s25_a_workflow_grants_what_its_job_needs_and_no_more(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    if "jobs" not in workflow:
        return
    granted = [workflow.get("permissions")] + [job.get("permissions", {}) for job in workflow["jobs"].values()]
    assert granted[0] == {}
    if path.name == "code-scanning.yml":  # it only reads the files and uploads what it found
        assert granted[1:] == [{"contents": "read", "security-events": "write"}]
    elif path.name == "release.yml":  # one job each attests, publishes without a password, and makes the release
        assert granted[1:] == [
            {"contents": "read", "id-token": "write", "attestations": "write"},
            {"id-token": "write"},
            {"contents": "write"},
        ]
    else:
        assert set().union(*granted[1:]) <= {"contents", "pull-requests"}
    assert "pull_request_target" not in json.dumps(workflow.get("on", workflow.get(True)))


def test_s25_everything_else_is_checked_before_a_release() -> None:
    script = (ROOT / ".ci/lint").read_text("utf-8")
    assert "\n.ci/lint\n" in (ROOT / ".ci/run").read_text("utf-8")
    assert all(
        f"\n{command}" in script for command in ("zizmor --offline --persona=auditor", "check-jsonschema ", "mypy\n")
    )
