"""Which git, in which environment: what every call begins with, and how it ends."""

import os
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support import gitkit
from support.gitkit import FILE, git, line
from support.repositories import open_sealed
from support.shop import CHANGE, CHANGED, IDENTITY, TREE, each_mode, sealed

from editblocks.core.errors import RepoError
from editblocks.repos.git.repository import (
    Git,
    Mode,
    check_version,
    find_git,
    printable,
    scrub_environment,
)
from editblocks.repos.stores.objects import ObjectsRepo

OURS = "GIT_TERMINAL_PROMPT GIT_ASKPASS GIT_PAGER GIT_LITERAL_PATHSPECS GIT_NO_REPLACE_OBJECTS GIT_NO_LAZY_FETCH"
OURS += " GIT_OPTIONAL_LOCKS GIT_ALLOW_PROTOCOL"
ISOLATED_TOO = "GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL"
USER_TOO = "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE"
HOOK_TOO = "GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_PREFIX"
RECEIVE_TOO = "GIT_DIR GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES"
FOREIGN = f"{USER_TOO} {HOOK_TOO} {RECEIVE_TOO} GIT_SSH GIT_TRACE GIT_EXEC_PATH GIT_PUSH_OPTION_0 GIT_PYTHON_TRACE"
SCRUBBED = [(Mode.ISOLATED, ISOLATED_TOO), (Mode.USER, USER_TOO), (Mode.HOOK, HOOK_TOO), (Mode.RECEIVE, RECEIVE_TOO)]


@pytest.mark.parametrize(("mode", "kept"), SCRUBBED)
def test_only_the_variables_of_the_mode_are_left(mode: Mode, kept: str) -> None:
    environ = dict.fromkeys(f"{FOREIGN} {OURS}".split(), "theirs") | {"PATH": "/bin", "HOME": "/home/x"}
    environ["XDG_CONFIG_HOME"] = "/home/x/.config"
    scrubbed = scrub_environment(environ, mode)
    assert {name for name in scrubbed if name.startswith("GIT_")} == set(f"{OURS} {kept}".split())
    assert "theirs" not in {scrubbed[name] for name in OURS.split()}
    assert (scrubbed["LC_ALL"], scrubbed["PATH"]) == ("C", "/bin")
    assert (scrubbed["HOME"], "XDG_CONFIG_HOME" in scrubbed) == (
        (os.devnull, False) if mode is Mode.ISOLATED else ("/home/x", True)
    )
    assert scrub_environment(scrubbed, mode) == scrubbed
    assert environ["GIT_DIR"] == "theirs"


def test_git_is_never_taken_from_the_repository_or_a_relative_place(tmp_path: Path) -> None:
    repository, tools = tmp_path / "repository", tmp_path / "tools"
    for place in (repository / "bin", tools):
        place.mkdir(parents=True)
        (place / "git").write_text("#!/bin/sh\n")
        (place / "git").chmod(0o755)
    (tmp_path / "shortcut").symlink_to(repository / "bin")
    search = os.pathsep.join(["", ".", "bin", str(repository / "bin"), str(tmp_path / "shortcut"), str(tools)])
    assert find_git(search, repository) == str(tools / "git")
    with pytest.raises(RepoError, match="git was not found; install"):
        find_git(str(repository / "bin"), repository)


VERSIONS = [
    ("git version 2.34.0\n", None),
    ("git version 2.39.5 (Apple Git-154)\n", None),
    ("git version 3.0.rc1.windows.1\n", None),
    ("git version 2.33.9\n", "git 2.33 is too old; install git 2.34 or newer"),
    ("git version 1.99.0\n", "git 1.99 is too old"),
    ("\x1b[31mno", "says \\x1b[31mno; install"),
    ("", "says nothing; install"),
]


@pytest.mark.parametrize(("said", "complaint"), VERSIONS)
def test_the_version_of_git(said: str, complaint: str | None) -> None:
    found = None
    try:
        check_version("git", lambda *_: CompletedProcess((), 0, said.encode(), b""))
    except RepoError as error:
        found = error.message
    assert (found is None) if complaint is None else (complaint in (found or ""))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        (" a\nb\r\n", "a\\nb"),
        ("\x1b[2J", "\\x1b[2J"),
        ("caf\u00e9 \u202e", "caf\\xe9 \\u202e"),
        ("a\\b", "a\\b"),
        ("x" * 300, "x" * 197 + "..."),
    ],
)
def test_foreign_text_is_one_short_line_of_ascii(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.long
def test_a_call_that_never_ends_is_ended(checkout: Path) -> None:
    slow = Git(checkout, Mode.ISOLATED, seconds=0.2)
    with pytest.raises(RepoError, match=r"git wait did not finish within 0\.2 s"):
        slow.ask("wait", options=["alias.wait=!sleep 2"])


def test_a_call_that_fails_says_why(checkout: Path) -> None:
    with pytest.raises(RepoError, match="git cat-file failed: Not a valid object name nope; nothing was written"):
        Git(checkout, Mode.ISOLATED).ask("cat-file", "blob", "nope")


def test_a_command_line_that_is_too_long_is_one_sentence(checkout: Path) -> None:
    with pytest.raises(RepoError, match="cannot be started: argument list too long"):
        Git(checkout, Mode.ISOLATED).ask("rev-parse", "x" * 3_000_000)


def test_bytes_go_in_and_out_unchanged(bare: Path) -> None:
    data = bytes(range(256)) * 1000 + b"\r\n\n\n"
    repository = Git(bare, Mode.ISOLATED, git_dir=bare)
    object_id = repository.ask("hash-object", "-w", "--stdin", stdin=data).decode().strip()
    assert repository.ask("cat-file", "blob", object_id) == data


def test_importing_the_stores_loads_no_vendor() -> None:
    code = "import sys, editblocks.repos.stores.objects\n"
    code += "print([name for name in ('git', 'gitdb', 'github', 'yaml') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


HOSTILE = {
    "GIT_DIR": "other.git",
    "GIT_WORK_TREE": "other",
    "GIT_OBJECT_DIRECTORY": "other.git/objects",
    "GIT_INDEX_FILE": "other.git/index",
    "GIT_NAMESPACE": "other",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.bare",
    "GIT_CONFIG_VALUE_0": "nonsense",
    "GIT_CEILING_DIRECTORIES": "/",
    "GIT_TRACE": "trace.log",
}


@each_mode
def test_variables_of_others_lead_nowhere(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> None:
    other = gitkit.make_repository(tmp_path / "other.git", {"README.md": (FILE, b"other\n")}, bare=True)
    before = gitkit.snapshot(other)
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, str(tmp_path / value) if "other" in value or "trace" in value else value)
    repo = ObjectsRepo(open_sealed(bare, mode=mode, person=IDENTITY), branch="main")
    assert repo.read("README.md") == TREE["README.md"][1]
    repo.write(CHANGE, "here")
    assert gitkit.read_tree(bare, "main") == CHANGED
    assert gitkit.snapshot(other) == before
    assert not (tmp_path / "trace.log").exists()


def test_replaced_objects_do_not_count(bare: Path) -> None:
    real = line(bare, "rev-parse", "main")
    fake = gitkit.commit(bare, "fake", {"README.md": (FILE, b"fake\n")})
    git(bare, "replace", real, fake)
    repo = sealed(bare, branch="main")
    assert repo.read("README.md") == TREE["README.md"][1]
    repo.write(CHANGE, "on the real one")
    assert gitkit.line(bare, "--no-replace-objects", "rev-parse", "main^") == real
