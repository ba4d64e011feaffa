"""What a hook starts and what it opens: counted by git's own trace, and seen by the system where strace is there."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git
from support.hookkit import (
    FITS,
    SCRIPTS,
    STALE,
    TREE,
    commit_files,
    git_as,
    put_hook,
    response,
    search_path,
    stage,
    write,
)
from support.project import HOOKS

from editblocks.faces.cli.init import texts


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return gitkit.make_repository(tmp_path / "server", TREE, bare=True)


@pytest.fixture
def clone(tmp_path: Path, server: Path) -> Path:
    git(tmp_path, "clone", "--quiet", str(server), "clone")
    return tmp_path / "clone"


def started(folder: Path, path: Path, *args: str) -> int:
    """How many processes of git take part in one command: each leaves a file in `folder`. Ours is not started."""
    folder.mkdir()
    programs = folder.with_name(f"{folder.name}-programs")
    programs.mkdir()
    write(programs, "editblocks", b"#!/bin/sh\nexit 1\n", add=False)
    (programs / "editblocks").chmod(0o755)
    done = git_as(path, *args, GIT_TRACE2_EVENT=str(folder), PATH=search_path(programs))
    assert done.returncode == 0, done
    return len(list(folder.iterdir()))


# What `editblocks init` writes names every key in a comment.
POLICIES = {"no policy": None, "a policy of comments": texts()[".editblocks.yml"].encode()}


def set_policy(clone: Path, policy: str) -> None:
    data = POLICIES[policy]
    if data is not None:
        assert b"\n#response-files: " in data
        commit_files(clone, {".editblocks.yml": (FILE, data)})
        git(clone, "push", "-q", "origin", "HEAD")
        git(clone, "reset", "-q", "--hard")  # what is committed is on disk, too


@pytest.mark.parametrize("policy", POLICIES)
def test_h1_a_commit_without_a_response_costs_one_git(clone: Path, tmp_path: Path, policy: str) -> None:
    set_policy(clone, policy)
    commands = []
    for hooks in ("without", "with"):
        stage(clone, {"cart.py": (FILE, hooks.encode())})
        commands.append(started(tmp_path / hooks, clone, "commit", "-qm", "x"))
        put_hook(clone / ".git", "pre-commit")
    without, with_hook = commands
    assert with_hook - without == 1


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("place", "name"), [("clone", "pre-push"), ("server", "pre-receive")])
@pytest.mark.long(after=1)
def test_h1_a_push_without_a_response_costs_one_git(
    clone: Path, server: Path, tmp_path: Path, *, place: str, name: str, policy: str
) -> None:
    set_policy(clone, policy)
    reads_policy = name == "pre-receive" and POLICIES[policy] is not None  # which is in git alone there
    counts = []
    for hooks in ("without", "with"):
        commit_files(clone, {"cart.py": (FILE, hooks.encode())})
        counts.append(started(tmp_path / hooks, clone, "push", "-q", "origin", "HEAD"))
        put_hook({"clone": clone / ".git", "server": server}[place], name)
    assert counts[1] - counts[0] == 1 + reads_policy


# Every call that takes a path and changes what is there, and the flags by which an open does.
_CHANGES = re.compile(
    r"(?:^|\s)(?:creat|mkdir|mkdirat|mknod|mknodat|rename|renameat|renameat2|link|linkat|symlink|symlinkat|unlink|"
    r"unlinkat|rmdir|truncate|chmod|fchmodat|chown|lchown|fchownat|utime|utimes|utimensat|setxattr|removexattr)\("
)
_OPENS = re.compile(r"open(?:at|at2)?\((?:AT_FDCWD, |\d+, )?\"([^\"]*)\".*(?:O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND)")
_FINE = ("/dev/null", "/dev/tty")


def changes(log: str, temporary: str) -> list[str]:
    """The calls of a trace that succeeded, change something, and not below `temporary`."""
    found = []
    for call in log.splitlines():
        opened = _OPENS.search(call)
        if re.search(r"= -1 |<unfinished|\+\+\+|---", call) or not (opened or _CHANGES.search(call)):
            continue
        if opened and (opened[1] in _FINE or opened[1].startswith(temporary)):
            continue
        found.append(call)
    return found


@pytest.fixture
def traced(tmp_path: Path) -> Sequence[str]:
    """The start of a command line under strace."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not there; install it to see what a hook opens for writing")
    return ("strace", "-f", "-qq", "-e", "trace=%file", "-o", str(tmp_path / "trace"))


def prepared(name: str, path: Path, data: bytes) -> bytes:
    """What git writes to a hook about a new branch with this response file, or nothing once it is staged."""
    if name == "pre-commit":
        write(path, ".edits/a.md", data)
        return b""
    new, old, ref = gitkit.commit(path, "aside", {**TREE, **response(data)}), "0" * 40, "refs/heads/topic"
    git(path, "update-ref", "-d", "refs/heads/aside")
    return (f"{ref} {new} {ref} {old}\n" if name == "pre-push" else f"{old} {new} {ref}\n").encode()


@pytest.mark.parametrize("name", ["pre-commit", "pre-push", "pre-receive"])
@pytest.mark.parametrize(("data", "code"), [(FITS, 0), (STALE, 1)], ids=["fits", "does not fit"])
@pytest.mark.long
def test_r17_nothing_is_opened_for_writing(
    clone: Path, server: Path, tmp_path: Path, *, traced: Sequence[str], name: str, data: bytes, code: int
) -> None:
    top = server if name == "pre-receive" else clone
    sent = prepared(name, top, data)
    (tmp_path / "temporary").mkdir()
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS), "TMPDIR": str(tmp_path / "temporary")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # what Python keeps beside the modules that it compiled is its own
    command = [*traced, str(HOOKS / name)]
    done = subprocess.run(command, cwd=top, env=environment, input=sent, capture_output=True, check=False)
    assert done.returncode == code, done
    log = (tmp_path / "trace").read_text()
    assert "cat-file" in log
    assert changes(log, str(tmp_path / "temporary")) == []


def test_the_filter_of_the_trace_sees_what_it_should() -> None:
    log = """\
1 openat(AT_FDCWD, "/x/.git/index", O_RDONLY) = 3
1 openat(AT_FDCWD, "/dev/null", O_WRONLY) = 3
1 openat(AT_FDCWD, "/tmp/t/a", O_RDWR|O_CREAT|O_EXCL, 0600) = 3
1 openat(AT_FDCWD, "/x/.git/index.lock", O_RDWR|O_CREAT|O_EXCL, 0666) = 3
1 openat(AT_FDCWD, "/x/no", O_WRONLY) = -1 ENOENT (No such file or directory)
1 rename("/x/a", "/x/b") = 0
1 unlink("/x/none") = -1 ENOENT (No such file or directory)
1 access("/x/y", W_OK) = 0
"""
    assert [call.split('"')[1] for call in changes(log, "/tmp/t")] == ["/x/.git/index.lock", "/x/a"]
