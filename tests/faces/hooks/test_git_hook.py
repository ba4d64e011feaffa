"""hooks/pre-commit, started by git itself: every way to commit, what it needs, and what it never touches."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git, line
from support.hookkit import (
    CART,
    FITS,
    HOOK,
    MISSED,
    READY,
    SCRIPTS,
    STALE,
    STOPPED,
    TREE,
    Changes,
    block,
    commit_files,
    response,
    search_path,
    set_module_traps,
    set_program_traps,
    shape,
    stage,
    write,
)


@pytest.fixture
def hooked(checkout: Path) -> Path:
    """The checkout with hooks/pre-commit as its hook."""
    hook = checkout / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(HOOK.read_bytes())
    hook.chmod(0o755)
    return checkout


def commit(path: Path, *args: str, stdin: bytes = b"", **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run `git commit`, with the environment's own scripts on PATH; the hook's output is on stderr."""
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS), **environ}
    command = ["git", "commit", "--quiet", "-m", "x", *args]
    return subprocess.run(command, cwd=path, env=environment, input=stdin, capture_output=True, check=False)


def test_the_hook_can_be_executed() -> None:
    assert os.access(HOOK, os.X_OK)


def test_a_response_that_fits_is_committed(hooked: Path) -> None:
    write(hooked, ".edits/a.md", FITS)
    done = commit(hooked)
    assert (done.returncode, done.stderr.decode()) == (0, READY)
    assert git(hooked, "show", "HEAD:.edits/a.md") == FITS
    assert git(hooked, "show", "HEAD:cart.py") == CART


@pytest.mark.long
def test_a_response_that_does_not_fit_stops_the_commit(hooked: Path) -> None:
    write(hooked, ".edits/a.md", STALE)
    head = line(hooked, "rev-parse", "HEAD")
    done = commit(hooked)
    assert (done.returncode, shape(done.stderr)) == (1, MISSED + STOPPED)
    assert line(hooked, "rev-parse", "HEAD") == head


def change_both(path: Path, staged: bytes, unstaged: bytes) -> None:
    write(path, ".edits/a.md", staged)
    write(path, ".edits/a.md", unstaged, add=False)


WAYS: list[tuple[str, bytes, bytes, Sequence[str], bytes, bool]] = [
    ("what is staged counts, not the file on disk", FITS, STALE, (), b"", True),
    ("the file on disk helps nothing", STALE, FITS, (), b"", False),
    ("commit -a takes the file on disk", FITS, STALE, ("-a",), b"", False),
    ("commit -a, the other way round", STALE, FITS, ("-a",), b"", True),
    ("commit FILE takes the file on disk", FITS, STALE, (".edits/a.md",), b"", False),
    ("commit FILE leaves other staged files out", STALE, STALE, ("cart.py", "--allow-empty"), b"", True),
    ("commit -p takes the chosen part", FITS, FITS + b"\n" * 20 + STALE, ("-p",), b"y\n", False),
    ("commit -p leaves the other part", FITS, FITS + b"\n" * 20 + STALE, ("-p",), b"n\n", True),
    ("amended", STALE, STALE, ("--amend",), b"", False),
    ("the hooks are left out", STALE, STALE, ("--no-verify",), b"", True),
]


@pytest.mark.parametrize(("claim", "staged", "unstaged", "args", "answers", "made"), WAYS, ids=[row[0] for row in WAYS])
@pytest.mark.long
def test_every_way_to_commit(
    hooked: Path, *, claim: str, staged: bytes, unstaged: bytes, args: Sequence[str], answers: bytes, made: bool
) -> None:
    change_both(hooked, staged, unstaged)
    head = line(hooked, "rev-parse", "HEAD")
    done = commit(hooked, *args, stdin=answers)
    assert (done.returncode, line(hooked, "rev-parse", "HEAD") != head) == (0 if made else 1, made), done.stderr


@pytest.mark.long
@pytest.mark.parametrize(("data", "made"), [(FITS, True), (STALE, False)])
def test_a_linked_working_tree(hooked: Path, tmp_path: Path, data: bytes, made: bool) -> None:
    git(hooked, "worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    write(hooked, ".edits/a.md", FITS if data == STALE else STALE)  # the other index says the opposite
    write(tmp_path / "linked", ".edits/a.md", data)
    assert (commit(tmp_path / "linked").returncode == 0) is made


@pytest.mark.parametrize(("data", "made"), [(FITS, True), (STALE, False)])
@pytest.mark.long
def test_a_submodule(checkout: Path, tmp_path: Path, data: bytes, made: bool) -> None:
    main = gitkit.make_repository(tmp_path / "main", {"README.md": (FILE, b"x\n")})
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(checkout), "lib")
    git(main / "lib", "config", "core.hooksPath", str(HOOK.parent))
    write(main / "lib", ".edits/a.md", data)
    assert (commit(main / "lib").returncode == 0) is made


@pytest.mark.long
@pytest.mark.parametrize(("data", "made"), [(FITS, True), (STALE, False)])
def test_hooks_path_and_a_commit_from_below(checkout: Path, data: bytes, made: bool) -> None:
    git(checkout, "config", "core.hooksPath", str(HOOK.parent))
    write(checkout, ".edits/a.md", data)
    assert (commit(checkout / "a").returncode == 0) is made


@pytest.mark.parametrize(("search", "made"), [("b", True), ("c", False)])
@pytest.mark.long
def test_a_file_that_a_sparse_checkout_leaves_out(hooked: Path, search: str, made: bool) -> None:
    git(hooked, "sparse-checkout", "set", "--cone", "--sparse-index", ".edits")
    assert not (hooked / "a").exists()
    write(hooked, ".edits/a.md", block(search, "d", "a/b"))
    assert (commit(hooked).returncode == 0) is made


@pytest.mark.parametrize(("data", "made"), [(FITS, True), (STALE, False)])
@pytest.mark.long
def test_a_merge_that_is_committed_by_hand(hooked: Path, data: bytes, made: bool) -> None:
    """What a merge brings along is checked on what it makes of both sides."""
    git(hooked, "switch", "-q", "-c", "topic")
    commit_files(hooked, response(data))
    git(hooked, "switch", "-q", "main")
    commit_files(hooked, {"a/b": (FILE, b"c\n")})
    git(hooked, "reset", "-q", "--hard")
    git(hooked, "merge", "-q", "--no-commit", "topic")
    assert (commit(hooked).returncode == 0) is made


POLICIES = [
    ("another folder", b"response-files: ['docs/answers/*.md']\n", {}, (False, True)),
    ("none", b"response-files: []\n", {}, (True, True)),
    (
        "the environment goes before the file",
        b"response-files: []\n",
        {"EDITBLOCKS_RESPONSE_FILES": ".edits/*.md"},
        (True, False),
    ),
    ("a file that may not be edited", b"deny-paths: [cart.py]\n", {}, (True, False)),
    ("a limit", b"max-response-bytes: 20\n", {}, (True, False)),
]


@pytest.mark.parametrize(("claim", "policy", "environ", "made"), POLICIES, ids=[row[0] for row in POLICIES])
@pytest.mark.long
def test_the_settings_of_the_working_tree_hold(
    hooked: Path, *, claim: str, policy: bytes, environ: dict[str, str], made: tuple[bool, bool]
) -> None:
    write(hooked, ".editblocks.yml", policy)
    (hooked / "docs").mkdir()
    write(hooked, "docs/answers/x.md", STALE)
    assert (commit(hooked, stdin=b"", **environ).returncode == 0) is made[0], claim
    git(hooked, "rm", "-q", "-r", "--cached", "docs")
    write(hooked, ".edits/a.md", FITS if b"files" not in policy else STALE)
    assert (commit(hooked, stdin=b"", **environ).returncode == 0) is made[1], claim


HOSTILE = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "touch sprung; true",
    "GIT_CONFIG_KEY_1": "diff.external",
    "GIT_CONFIG_VALUE_1": "touch sprung",
    "GIT_EXTERNAL_DIFF": "touch sprung; true",
    "GIT_DIFF_OPTS": "--unified=x",
    "GIT_GLOB_PATHSPECS": "1",
    "GIT_ICASE_PATHSPECS": "1",
    "GIT_OBJECT_DIRECTORY": "/nonexistent",
    "GIT_NAMESPACE": "x",
}


@pytest.mark.long
def test_s23_hostile_variables_change_nothing(hooked: Path) -> None:
    write(hooked, ".edits/a.md", STALE)
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS), **HOSTILE}
    done = subprocess.run([HOOK], cwd=hooked, env=environment, capture_output=True, check=False)
    assert (done.returncode, shape(done.stdout), done.stderr) == (1, MISSED + STOPPED, b"")
    assert not (hooked / "sprung").exists()


NOTHING: list[tuple[str, Changes]] = [
    ("another file", {"cart.py": (FILE, b"")}),
    ("a deleted response", {".edits/old.md": None}),
]


@pytest.mark.parametrize(("claim", "changes"), NOTHING, ids=[row[0] for row in NOTHING])
def test_h1_without_a_staged_response_no_python_is_started(
    hooked: Path, tmp_path: Path, claim: str, changes: Changes
) -> None:
    stage(hooked, {".edits/old.md": (FILE, FITS)})
    git(hooked, "commit", "-qm", "x", "--no-verify")
    set_program_traps(tmp_path / "traps", tmp_path / "sprung")
    trapped = search_path(tmp_path / "traps")
    stage(hooked, changes)
    done = commit(hooked, PATH=trapped)
    assert (done.returncode, done.stderr, (tmp_path / "sprung").exists()) == (0, b"", False), claim
    stage(hooked, response(FITS))
    commit(hooked, PATH=trapped)
    assert (tmp_path / "sprung").read_text() == "editblocks\n"


def test_it_can_be_switched_off_and_says_so(hooked: Path) -> None:
    write(hooked, ".edits/a.md", STALE)
    done = commit(hooked, EDITBLOCKS_DISABLED="1")
    assert (done.returncode, done.stderr) == (0, b"editblocks: EDITBLOCKS_DISABLED is 1, so nothing was checked\n")


def folder_with(path: Path, **programs: str) -> str:
    """A folder of small shell scripts and git, to be the whole PATH."""
    path.mkdir()
    for name, script in programs.items():
        (path / name).write_text(f"#!/bin/sh\n{script}\n")
        (path / name).chmod(0o755)
    found = subprocess.run(["sh", "-c", "command -v git"], env=gitkit.ISOLATED, capture_output=True, check=True)
    (path / "git").symlink_to(found.stdout.decode().strip())
    return str(path)


@pytest.mark.long
@pytest.mark.parametrize("name", ["python3", "python"])
def test_without_a_script_on_path_the_module_is_run(hooked: Path, tmp_path: Path, name: str) -> None:
    write(hooked, ".edits/a.md", STALE)
    done = commit(hooked, PATH=folder_with(tmp_path / "bin", **{name: f"exec '{sys.executable}' \"$@\""}))
    assert (done.returncode, shape(done.stderr)) == (1, MISSED + STOPPED)


@pytest.mark.long
def test_what_is_missing_is_said(hooked: Path, tmp_path: Path) -> None:
    write(hooked, ".edits/a.md", FITS)
    done = commit(hooked, PATH=folder_with(tmp_path / "bin", python3="exit 1"))
    assert (done.returncode, done.stderr.decode()) == (
        1,
        "editblocks: response files are staged, but no editblocks is on PATH to check them; "
        "put it there, or commit once with EDITBLOCKS_DISABLED=1\n",
    )


@pytest.mark.long
def test_a_git_that_fails_stops_the_hook(checkout: Path, tmp_path: Path) -> None:
    environment = {**gitkit.ISOLATED, "GIT_DIR": str(tmp_path / "none")}
    done = subprocess.run([HOOK], cwd=checkout, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr != b"") == (2, True)


@pytest.mark.long
def test_s23_a_git_dir_from_elsewhere_is_refused_by_the_hook(checkout: Path, tmp_path: Path) -> None:
    other = gitkit.make_repository(tmp_path / "other", TREE)
    stage(other, response(FITS))
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS), "GIT_DIR": str(other / ".git")}
    done = subprocess.run([HOOK], cwd=checkout, env=environment, capture_output=True, check=False)
    assert (done.returncode, b"GIT_DIR points outside the repository" in done.stderr) == (2, True)


@pytest.mark.long
@pytest.mark.parametrize("front", [b"", b"---\nbase: 4be1d02\n---\n"], ids=["", "with YAML to read"])
def test_s2_modules_at_the_top_of_the_repository_are_not_imported(hooked: Path, tmp_path: Path, front: bytes) -> None:
    set_module_traps(hooked, tmp_path / "sprung")
    write(hooked, "--config=x", b"x\n")
    git(hooked, "add", "-A")
    write(hooked, ".edits/a.md", front + FITS)
    done = commit(hooked, PYTHONPATH=".", PYTHONSTARTUP="yaml.py")
    assert (done.returncode, done.stderr.decode()) == (0, READY)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.long
def test_s2_programs_at_the_top_of_the_repository_are_not_run(hooked: Path, tmp_path: Path) -> None:
    set_program_traps(hooked, tmp_path / "sprung")
    write(hooked, ".edits/a.md", FITS)
    done = commit(hooked, PATH=search_path("."))
    assert (done.returncode, b"no editblocks is on PATH" in done.stderr) == (1, True)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.long
def test_r17_the_hook_writes_nothing(hooked: Path) -> None:
    write(hooked, ".edits/a.md", STALE)
    (hooked / "cart.py").touch()  # a stat that differs makes git refresh the index, where it may
    before = gitkit.snapshot(hooked)
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    done = subprocess.run([HOOK], cwd=hooked, env=environment, capture_output=True, check=False)
    assert (done.returncode, gitkit.snapshot(hooked) == before) == (1, True)
