"""GitPython's objects in place of a store: which files each stands for, and what is none."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import git
import pytest
from support import gitkit
from support.gitkit import FILE

from editblocks import ReasonCode, Response, apply_response, retry_prompt
from editblocks.core.errors import RepoError
from editblocks.repos.stores.objects import CommitReader, IndexRepo, ObjectsRepo

FIRST, SECOND, ON_DISK = (b"VERSION = %d\n" % number for number in (1, 2, 3))


def answer(old: bytes) -> str:
    """One block that fits where `old` is all of the file."""
    return f"app.py\n<<<<<<< SEARCH\n{old.decode()}=======\nVERSION = 9\n>>>>>>> REPLACE\n"


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[git.Repo]:
    """Two commits, the first with two tags and a branch; the file on disk is neither, and `draft.py` not tracked."""
    path = gitkit.make_repository(tmp_path_factory.mktemp("gitpython") / "shop", {"app.py": (FILE, FIRST)})
    gitkit.git(path, "branch", "old")
    gitkit.git(path, "tag", "light")
    gitkit.git(path, "tag", "-a", "-m", "first", "v1")
    gitkit.git(path, "update-ref", "refs/remotes/origin/old", "HEAD")
    gitkit.commit(path, "main", {"app.py": (FILE, SECOND), "src/tax.py": (FILE, b"RATE = 19\n")})
    gitkit.git(path, "reset", "--quiet", "--hard")
    path.joinpath("app.py").write_bytes(ON_DISK)
    path.joinpath("draft.py").write_bytes(b"DRAFT = True\n")
    with git.Repo(path) as opened:
        yield opened


VERSIONS: dict[str, tuple[Callable[[git.Repo], Any], bytes]] = {
    "the working tree of a repository": (lambda repo: repo, ON_DISK),
    "HEAD": (lambda repo: repo.head, SECOND),
    "a branch": (lambda repo: repo.heads["old"], FIRST),
    "the active branch": (lambda repo: repo.active_branch, SECOND),
    "a branch of a remote": (lambda repo: repo.references["origin/old"], FIRST),
    "a tag": (lambda repo: repo.tags["light"], FIRST),
    "an annotated tag": (lambda repo: repo.tags["v1"], FIRST),
    "the object of a tag": (lambda repo: repo.tags["v1"].tag, FIRST),
    "a commit": (lambda repo: repo.head.commit.parents[0], FIRST),
}


@pytest.mark.parametrize(("of", "data"), VERSIONS.values(), ids=VERSIONS.keys())
def test_an_object_stands_for_its_version(repo: git.Repo, of: Callable[[git.Repo], Any], data: bytes) -> None:
    result = apply_response(answer(data), of(repo))
    assert (result.ok, result.contents) == (True, {"app.py": b"VERSION = 9\n"})
    [row] = apply_response(answer(b"VERSION = 0\n"), of(repo)).results
    assert row.code is ReasonCode.NO_MATCH


def test_a_working_tree_has_what_git_does_not_track(repo: git.Repo) -> None:
    block = "draft.py\n<<<<<<< SEARCH\nDRAFT = True\n=======\nDRAFT = False\n>>>>>>> REPLACE\n"
    assert apply_response(block, repo).ok
    assert [row.code for row in apply_response(block, repo.head.commit).rows] == [ReasonCode.FILE_NOT_FOUND]


def test_a_bare_repository_is_at_head(repo: git.Repo, tmp_path: Path) -> None:
    with repo.clone(tmp_path / "bare.git", bare=True) as bare:
        assert apply_response(answer(SECOND), bare).ok
        assert apply_response(answer(FIRST), bare.tags["v1"]).ok


def test_a_linked_working_tree_has_files_and_a_head_of_its_own(repo: git.Repo, tmp_path: Path) -> None:
    repo.git.worktree("add", "--quiet", "--detach", tmp_path / "linked", "v1")
    with git.Repo(tmp_path / "linked") as linked:
        assert apply_response(answer(FIRST), linked).ok
        assert apply_response(answer(FIRST), linked.head).ok


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_repository_without_a_commit_has_no_file(tmp_path: Path, object_format: str) -> None:
    gitkit.git(tmp_path, "init", "--quiet", "--bare", f"--object-format={object_format}", ".")
    with git.Repo(tmp_path) as empty:
        assert [row.code for row in apply_response(answer(FIRST), empty).rows] == [ReasonCode.FILE_NOT_FOUND]
        with pytest.raises(RepoError, match="no commit `HEAD`"):
            apply_response(answer(FIRST), empty.head)


def test_git_reads_what_gitpython_cannot(tmp_path: Path) -> None:
    path = gitkit.make_repository(tmp_path / "shop", {"app.py": (FILE, FIRST)}, object_format="sha256")
    (path / "app.py").write_bytes(ON_DISK)
    with git.Repo(path) as repo:
        assert apply_response(answer(ON_DISK), repo).ok
        assert apply_response(answer(FIRST), repo.head).ok
        assert apply_response(answer(FIRST), repo.active_branch).ok
        with pytest.raises(ValueError, match="reference"):
            _ = repo.head.commit


def test_a_base_is_merged_from_the_history(repo: git.Repo) -> None:
    first = repo.head.commit.parents[0].hexsha
    [note] = apply_response(Response(answer(b"VERSION = 5\n"), base="0" * 40), repo.head.commit).notes
    assert note.code == "base-unknown"
    assert apply_response(Response(answer(SECOND), base=first), repo.head.commit).notes == ()


def test_a_prompt_shows_the_same_files(repo: git.Repo) -> None:
    commit = repo.head.commit.parents[0]
    wrong = answer(b"VERSION = 0\n")
    prompt = retry_prompt(apply_response(wrong, commit), commit)
    assert f"at {commit.hexsha[:7]}" in prompt
    assert "\nVERSION = 1\n" in prompt
    assert "\nVERSION = 3\n" in retry_prompt(apply_response(wrong, repo), repo)


NO_VERSIONS: dict[str, tuple[Callable[[git.Repo], Any], str]] = {
    "a file": (lambda repo: repo.head.commit.tree / "app.py", "a git.Blob is not a repository and not a revision"),
    "a tree": (lambda repo: repo.head.commit.tree, "a git.Tree is not a repository and not a revision"),
    "the index": (lambda repo: repo.index, "a git.IndexFile is not a repository and not a revision"),
    "git itself": (lambda repo: repo.git, "a git.Git is not a repository and not a revision"),
}


@pytest.mark.parametrize(("of", "words"), NO_VERSIONS.values(), ids=NO_VERSIONS.keys())
def test_any_other_object_is_refused(repo: git.Repo, of: Callable[[git.Repo], Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        apply_response(answer(FIRST), of(repo))


class ShopRepo(git.Repo):
    """What a program makes of it."""


def test_a_class_of_its_own_is_a_repository_too(repo: git.Repo) -> None:
    with ShopRepo(repo.working_dir) as own:
        assert apply_response(answer(ON_DISK), own).ok


# stores that are opened by hand


def test_stores_take_a_repository_and_a_revision(repo: git.Repo) -> None:
    commit = repo.head.commit.parents[0]
    for rev in (commit, repo.heads["old"], repo.tags["v1"], commit.hexsha, "old"):
        assert CommitReader(repo, rev).head == commit.hexsha
    assert ObjectsRepo(repo, branch="old").read("app.py") == FIRST
    assert IndexRepo(repo).read("app.py") == SECOND


def test_a_store_says_what_is_neither(repo: git.Repo) -> None:
    with pytest.raises(TypeError, match="a Commit is not a repository"):
        CommitReader(cast("Any", repo.head.commit))
    with pytest.raises(TypeError, match="a int is not a repository"):
        CommitReader(cast("Any", 1))
    with pytest.raises(TypeError, match="a Repo is not a revision"):
        CommitReader(repo, cast("Any", repo))
    with pytest.raises(RepoError, match="there is no commit"):
        CommitReader(repo, repo.head.commit.tree.hexsha)


def test_nobody_loads_gitpython_for_it() -> None:
    code = "import sys; from editblocks import apply_response; apply_response('', {}.get); print('git' in sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
