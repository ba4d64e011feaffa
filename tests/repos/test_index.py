"""What only the staged tree can do wrong: other indexes, conflicts, half-staged files, hook variables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git, line
from support.repositories import open_sealed

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, UnreadableFile
from editblocks.repos.git.repository import Mode
from editblocks.repos.stores.objects import IndexRepo


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository whose commit, index and working tree hold three versions of README.md."""
    path = gitkit.make_repository(tmp_path / "checkout", {"README.md": (FILE, b"committed\n"), "a/b": (FILE, b"b\n")})
    (path / "README.md").write_bytes(b"staged\n")
    git(path, "add", "README.md")
    (path / "README.md").write_bytes(b"edited\n")
    return path


def test_the_staged_bytes_are_read_and_nothing_is_written(checkout: Path) -> None:
    before = gitkit.snapshot(checkout)
    repo = IndexRepo(open_sealed(checkout, mode=Mode.ISOLATED))
    repo.prefetch(["README.md", "a/b", "none"])
    assert (repo.read("README.md"), repo.read("a/b"), repo.read("none")) == (b"staged\n", b"b\n", None)
    assert dict(repo.entries("")) == {"README.md": FILE, "a": "040000"}
    assert repo.head == line(checkout, "rev-parse", "HEAD")
    assert gitkit.snapshot(checkout) == before


def test_the_index_before_the_first_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "work")
    work = tmp_path / "work"
    assert dict(IndexRepo(open_sealed(work, mode=Mode.ISOLATED)).entries("")) == {}
    (work / "new.txt").write_bytes(b"new\n")
    git(work, "add", "new.txt")
    repo = IndexRepo(open_sealed(work, mode=Mode.ISOLATED))
    assert (repo.head, repo.read("new.txt")) == (None, b"new\n")


def test_a_file_in_conflict_is_not_read(checkout: Path) -> None:
    blob = line(checkout, "rev-parse", "HEAD:a/b")
    rows = "".join(f"100644 {blob} {stage}\ta/b\n" for stage in (1, 2, 3))
    git(checkout, "update-index", "--index-info", stdin=f"0 {'0' * 40}\ta/b\n{rows}".encode())
    repo = IndexRepo(open_sealed(checkout, mode=Mode.ISOLATED))
    repo.prefetch(["a/b", "README.md"])
    assert (repo.read("README.md"), dict(repo.entries("a"))) == (b"staged\n", {"b": FILE})
    with pytest.raises(UnreadableFile, match="a/b is in conflict in the index; resolve it") as caught:
        repo.read("a/b")
    assert caught.value.code is ReasonCode.PATH_CONFLICT


def test_a_file_over_the_limit_is_not_loaded(checkout: Path) -> None:
    repo = IndexRepo(open_sealed(checkout, mode=Mode.ISOLATED), max_file_bytes=6)
    assert repo.read("a/b") == b"b\n"
    with pytest.raises(UnreadableFile) as caught:
        repo.read("README.md")
    assert caught.value.code is ReasonCode.TOO_LARGE


@pytest.mark.parametrize("relative", [True, False])
def test_a_hook_reads_the_index_of_its_commit(checkout: Path, monkeypatch: pytest.MonkeyPatch, relative: bool) -> None:
    """`git commit -a` and `git commit FILE` use an index of their own, and tell hooks by GIT_INDEX_FILE."""
    other = checkout / ".git/next-index-1.lock"
    git(checkout, "read-tree", "HEAD", env={"GIT_INDEX_FILE": str(other)})
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock" if relative else str(other))
    monkeypatch.setenv("GIT_DIR", ".git" if relative else str(checkout / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", "." if relative else str(checkout))
    monkeypatch.setenv("GIT_PREFIX", "a/")
    assert IndexRepo(open_sealed(checkout, mode=Mode.HOOK)).read("README.md") == b"committed\n"
    assert IndexRepo(open_sealed(checkout, mode=Mode.ISOLATED)).read("README.md") == b"staged\n"
    assert IndexRepo(open_sealed(checkout, mode=Mode.USER)).read("README.md") == b"staged\n"


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"])
def test_a_hook_variable_that_leads_elsewhere_is_refused(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    with pytest.raises(RepoError, match=f"{name} points outside the repository at .*; unset it"):
        IndexRepo(open_sealed(checkout, mode=Mode.HOOK))
    assert IndexRepo(open_sealed(checkout, mode=Mode.USER)).read("README.md") == b"staged\n"


def test_a_linked_working_tree_has_an_index_of_its_own(checkout: Path, tmp_path: Path) -> None:
    git(checkout, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    assert IndexRepo(open_sealed(tmp_path / "linked", mode=Mode.ISOLATED)).read("README.md") == b"committed\n"


HOOK = """#!/bin/sh
exec '{python}' -c '
from editblocks.repos.git.repository import Mode
from editblocks.repos.git.repository import open_repository
from editblocks.repos.stores.objects import IndexRepo
from pathlib import Path
import sys
print(IndexRepo(open_repository(Path("."), Mode.HOOK)).read("README.md"), "git" in sys.modules)
' > '{seen}'
"""
COMMITS = [
    (["commit", "-qm", "x"], b"staged\n"),
    (["commit", "-qam", "x"], b"edited\n"),
    (["commit", "-qm", "x", "README.md"], b"edited\n"),
    (["-C", "a", "commit", "-qm", "x"], b"staged\n"),
    (["commit", "-q", "--amend", "-m", "x"], b"staged\n"),
]


@pytest.mark.long
@pytest.mark.parametrize(("command", "seen"), COMMITS)
def test_the_hook_of_a_real_commit(checkout: Path, tmp_path: Path, command: list[str], seen: bytes) -> None:
    hook = checkout / ".git/hooks/pre-commit"
    hook.write_text(HOOK.format(python=sys.executable, seen=tmp_path / "seen"))
    hook.chmod(0o755)
    environment = {**gitkit.ISOLATED, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    subprocess.run(["git", *command], cwd=checkout, env=environment, check=True)
    assert (tmp_path / "seen").read_text() == f"{seen!r} False\n"
    assert git(checkout, "show", "HEAD:README.md") == seen


def test_a_tab_in_another_name_is_no_row(checkout: Path) -> None:
    blob = line(checkout, "rev-parse", "HEAD:a/b")
    odd = ["x\tnew.txt", f"y\n100755 {blob} 0\tforged.txt", "z\tforged/b"]
    for name in odd:
        git(checkout, "update-index", "--add", "-z", "--index-info", stdin=f"100644 {blob} 0\t{name}\0".encode())
    repo = IndexRepo(open_sealed(checkout, mode=Mode.ISOLATED))
    assert [repo.read(path) for path in ("new.txt", "forged.txt", "forged/b", "x\tnew.txt")] == [
        None,
        None,
        None,
        b"b\n",
    ]
    assert set(repo.entries("")) == {"README.md", "a", odd[0], odd[1], "z\tforged"}
    assert dict(repo.entries("forged")) == {}
