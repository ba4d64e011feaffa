"""Which repository, which commit, which branch; and that a commit is exactly its plan."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, git, line
from support.shop import CHANGE, CHANGED, TREE, sealed

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import HeadMoved, Refused, RepoError, SelfCheckFailed
from editblocks.repos.git.commits import check_commit, chunks
from editblocks.repos.git.repository import Mode, open_repository, resolve_commit, start


def nothing(path: Path) -> Path:
    return path / "nothing"


def file(path: Path) -> Path:
    return path / "README.md"


def below(path: Path) -> Path:
    return path / "src"


def inside_git(path: Path) -> Path:
    return path / ".git"


def plain(path: Path) -> Path:
    (path.parent / "plain").mkdir()
    return path.parent / "plain"


def bare_in_a_checkout(path: Path) -> Path:
    """A stranger could commit one; git's own safe.bareRepository is about these."""
    gitkit.make_repository(path / "src/evil", TREE, bare=True)
    return path / "src/evil/refs"


def with_a_line_break(path: Path) -> Path:
    return path.rename(path.with_name("line\nbreak"))


def with_a_broken_configuration(path: Path) -> Path:
    """Git can open no repository then, so another folder would not help."""
    (path / ".git/config").write_text("[core\n")
    return path


PLACES = [
    (nothing, "there is no such folder"),
    (file, "there is no such folder"),
    (below, "it lies below the top of a repository"),
    (inside_git, "it is in a .git folder"),
    (with_a_line_break, "there is a line break in its path; rename the folder"),
    (with_a_broken_configuration, "bad config line 1 in file .git/config; run git status there, and repair what it"),
    (plain, ": .git; name the top folder of the repository"),
    (bare_in_a_checkout, ""),
]


@pytest.mark.parametrize(("place", "words"), PLACES)
def test_a_place_that_is_no_repository_is_one_sentence(
    checkout: Path, place: Callable[[Path], Path], words: str
) -> None:
    with pytest.raises(RepoError) as caught:
        open_repository(place(checkout), Mode.ISOLATED)
    assert words in caught.value.message
    assert (caught.value.code, "\n" in caught.value.message) == (ReasonCode.BAD_CONFIG, False)


def test_repositories_that_can_be_used(checkout: Path, bare: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked tree"
    git(checkout, "worktree", "add", "-q", "--detach", str(linked))
    found = {path: open_repository(path, Mode.ISOLATED) for path in (checkout, bare, linked)}
    assert [repository.top for repository in found.values()] == [checkout, None, linked]
    assert [repository.common_dir for repository in found.values()] == [checkout / ".git", bare, checkout / ".git"]
    assert {repository.object_format for repository in found.values()} == {"sha1"}


NO_COMMIT = [
    "",
    "-x",
    "--all",
    "--output=x",
    "nope",
    "HEAD:README.md",
    "HEAD^{tree}",
    "main..main",
    "a\nb",
    "HEAD\0",
    "0" * 40,
    "@{-9}",
]


@pytest.mark.parametrize("rev", NO_COMMIT)
def test_what_names_no_commit_is_one_sentence(bare: Path, rev: str) -> None:
    with pytest.raises(RepoError) as caught:
        sealed(bare, rev)
    assert (caught.value.code, "\n" in caught.value.message) == (ReasonCode.BAD_CONFIG, False)


@pytest.mark.parametrize("rev", ["HEAD", "main", "refs/heads/main", "v1", "main~0", "@"])
def test_what_names_a_commit(bare: Path, rev: str) -> None:
    git(bare, "tag", "-a", "-m", "one", "v1", "main")
    assert resolve_commit(open_repository(bare, Mode.ISOLATED), rev) == line(bare, "rev-parse", "main")


@pytest.mark.parametrize(
    "branch", ["", "-x", "a..b", "x.lock", "a\rb", "refs/heads/main", "a b", "@{-1}", "x/", "HEAD^", "HEAD"]
)
@pytest.mark.long
def test_what_is_no_branch_is_one_sentence(bare: Path, branch: str) -> None:
    with pytest.raises(RepoError) as caught:
        sealed(bare, branch=branch)
    assert (caught.value.code, "\n" in caught.value.message) == (ReasonCode.BAD_CONFIG, False)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.long
def test_a_repository_without_a_commit_gets_its_first(tmp_path: Path, object_format: str) -> None:
    path = tmp_path / "empty.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", f"--object-format={object_format}", str(path))
    assert sealed(path).head is None
    with pytest.raises(RepoError, match="no branch other, and no commit to create it from"):
        sealed(path, branch="other")
    repo = sealed(path, branch="main")
    assert (repo.head, repo.read("README.md"), dict(repo.entries(""))) == (None, None, {})
    commit = repo.write({"a/README.md": b"first\n"}, "begin")
    assert commit == line(path, "rev-parse", "main")
    assert line(path, "log", "--format=%P%s") == "begin"
    assert gitkit.read_tree(path, "main") == {"a/README.md": (FILE, b"first\n")}
    assert sealed(path, branch="other").makes_branch_at == commit


@pytest.mark.long
def test_a_first_commit_does_not_overwrite_anothers(tmp_path: Path) -> None:
    path = tmp_path / "empty.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(path))
    repo = sealed(path, branch="main")
    theirs = gitkit.commit(path, "main", TREE)
    with pytest.raises(HeadMoved):
        repo.write(CHANGE, "begin")
    assert line(path, "rev-parse", "main") == theirs


@pytest.mark.long
def test_the_branch_of_an_empty_checkout_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "work")
    with pytest.raises(Refused, match="is in use"):
        sealed(tmp_path / "work", branch="main").write(CHANGE, "begin")


OWNED = [
    "fatal: detected dubious ownership in repository at '/srv/shop'\nTo add an exception, call:\n\n\tgit config\n",
    "fatal: unsafe repository ('/srv/shop' is owned by someone else)\nTo add an exception, call:\n",
]


@pytest.mark.parametrize("words", OWNED)
@pytest.mark.long
def test_a_repository_of_somebody_else_is_told_from_none_at_all(bare: Path, words: str) -> None:
    def launch(
        command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float
    ) -> CompletedProcess[bytes]:
        answer = start(command, environment, stdin, seconds)
        return CompletedProcess(command, 128, b"", words.encode()) if "rev-parse" in command else answer

    with pytest.raises(
        RepoError, match="belongs to somebody else, so git does not use it; if you trust it: git config"
    ):
        open_repository(bare, launch=launch)


@pytest.mark.long
def test_a_branch_that_is_checked_out_meanwhile_is_refused(bare: Path, tmp_path: Path) -> None:
    git(bare, "branch", "topic", "main")
    repo, before = sealed(bare, branch="topic"), line(bare, "rev-parse", "topic")
    git(bare, "worktree", "add", "-q", "--no-checkout", str(tmp_path / "linked"), "topic")
    with pytest.raises(Refused, match="is in use"):
        repo.write(CHANGE, "no")
    assert line(bare, "rev-parse", "topic") == before


@pytest.mark.long
def test_a_shallow_clone_is_written_like_any_other(bare: Path, tmp_path: Path) -> None:
    gitkit.commit(bare, "main", {"README.md": (FILE, b"second\n")})
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{bare}", "shallow.git")
    shallow = tmp_path / "shallow.git"
    repo = sealed(shallow, branch="main")
    assert repo.read("README.md") == b"second\n"
    repo.write(CHANGE, "on the shallow tip")
    assert gitkit.read_tree(shallow, "main") == CHANGED
    with pytest.raises(RepoError, match="there is no commit `main~2`"):
        sealed(shallow, "main~2")


@pytest.mark.long
def test_a_sha256_repository_is_written_like_any_other(tmp_path: Path) -> None:
    path = gitkit.make_repository(tmp_path / "long.git", TREE, bare=True, object_format="sha256")
    repo = sealed(path, branch="main")
    repo.prefetch(CHANGE)
    commit = repo.write(CHANGE, "long ids")
    assert (len(commit or ""), gitkit.read_tree(path, "main")) == (64, CHANGED)


@pytest.mark.long
def test_many_directories_are_listed_in_parts(tmp_path: Path) -> None:
    paths = [f"{'long' * 20}-{number}/{'name' * 20}/file" for number in range(500)]
    path = gitkit.make_repository(tmp_path / "wide.git", {name: (FILE, name.encode()) for name in paths}, bare=True)
    repo = sealed(path)
    repo.prefetch(paths)
    assert [repo.read(name) for name in paths] == [name.encode() for name in paths]
    parts = list(chunks(paths))
    assert (len(parts), [name for part in parts for name in part]) == (2, paths)


@pytest.mark.long
def test_an_alternate_store_is_read(bare: Path, tmp_path: Path) -> None:
    """A path with every character that means something in git's list of alternates."""
    place = tmp_path / 'odd:"name" \\ here'
    place.mkdir()
    git(place, "clone", "-q", "--bare", "--shared", str(bare), "clone.git")
    repo = sealed(place / "clone.git", branch="main")
    repo.write(CHANGE, "borrowed")
    assert gitkit.read_tree(place / "clone.git", "main") == CHANGED


PLANNED: Mapping[str, tuple[str, bytes] | None] = {
    "README.md": (FILE, b"# Store\n"),
    "src/new.py": (FILE, b""),
    "bin/run": None,
}
SPOILED: Mapping[
    str, Mapping[str, tuple[str, bytes] | None]
] = {  # what a bug between planning and writing would look like
    "bytes": {**PLANNED, "README.md": (FILE, b"# Stare\n")},
    "mode": {**PLANNED, "README.md": (EXECUTABLE, b"# Store\n")},
    "a path less": {"README.md": PLANNED["README.md"]},
    "a path more": {**PLANNED, "more": (FILE, b"")},
    "deleted": {**PLANNED, "src/new.py": None},
    "not deleted": {**PLANNED, "bin/run": TREE["bin/run"]},
    "parent": PLANNED,
    "no parent": PLANNED,
}


@pytest.mark.parametrize("seam", SPOILED)
@pytest.mark.long
def test_s04_a_commit_that_is_not_the_plan_is_caught(bare: Path, seam: str) -> None:
    parent = line(bare, "rev-parse", "main")
    commit = sealed(bare, branch="main").write(CHANGE, "as planned")
    repository = open_repository(bare, Mode.ISOLATED)
    check_commit(repository, parent, PLANNED, str(commit))
    wrong = {"parent": "0" * 40, "no parent": None}.get(seam, parent)
    with pytest.raises(SelfCheckFailed) as caught:
        check_commit(repository, wrong, SPOILED[seam], str(commit))
    assert caught.value.code is ReasonCode.SELF_CHECK


@pytest.mark.long
def test_a_linked_working_tree_can_write_to_another_branch(checkout: Path, tmp_path: Path) -> None:
    git(checkout, "branch", "topic")
    git(checkout, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    sealed(tmp_path / "linked", branch="topic").write(CHANGE, "from the side")
    assert gitkit.read_tree(checkout, "topic") == CHANGED
