"""What GitPython reads of commits, refs and records that we wrote; and where it cannot do git's work for us.

Trees of every store are read by it as well: `support.witness.read_tree`, in the contract of the stores.
"""

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import git
import pytest
from support import gitkit, witness
from support.checkoutkit import MESSAGE, PLAN, planned, sealed
from support.gitkit import EXECUTABLE, FILE, Entry, line
from support.pages import read, section, table
from support.records import kept
from support.repositories import open_sealed
from support.shop import IDENTITY
from support.shop import sealed as bare_store
from support.witness import CommitSeen

from editblocks.core.errors import EditBlocksError, HeadMoved, RepoError, UnreadableFile
from editblocks.repos.records import PREFIX
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.objects import ObjectsRepo
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.repos.undo import undo_write

TREE: Mapping[str, Entry] = {"README.md": (FILE, b"# Shop\n"), "bin/run": (EXECUTABLE, b"#!/bin/sh\n")}
SUBJECT = "Apply 2 edit blocks\n\n  caf\u00e9 \U0001f7e7\n"

# commits and refs


def test_a_commit_on_a_branch(bare: Path) -> None:
    head = line(bare, "rev-parse", "main")
    commit = bare_store(bare, branch="main").write({"README.md": b"# Store\n", "bin/run": None}, SUBJECT)
    person = "Hubot <hubot@example.com>"
    assert witness.read_commit(bare, "main") == CommitSeen(str(commit), (head,), person, person, SUBJECT)
    assert witness.refs(bare) == {"refs/heads/main": commit}
    assert witness.history(bare) == [commit, head]


def test_author_and_committer_are_two_people(bare: Path) -> None:
    repository = open_sealed(bare, person=IDENTITY)
    author = {"GIT_AUTHOR_NAME": "Zo\u00eb Q", "GIT_AUTHOR_EMAIL": "zoe@example.com"}
    repository = repository._replace(git=repository.git.with_environment(author))
    ObjectsRepo(repository, branch="main").write({"README.md": b"# Store\n"}, SUBJECT)
    seen = witness.read_commit(bare, "main")
    assert (seen.author, seen.committer) == ("Zo\u00eb Q <zoe@example.com>", "Hubot <hubot@example.com>")


def test_the_first_commit_and_a_new_branch(tmp_path: Path) -> None:
    gitkit.git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", ".")
    first = bare_store(tmp_path, branch="main").write({"a.py": b"1\n"}, SUBJECT)
    second = bare_store(tmp_path, branch="deep/topic").write({"a.py": b"2\n"}, SUBJECT)
    assert witness.read_commit(tmp_path, "main").parents == ()
    assert witness.read_commit(tmp_path, "deep/topic").parents == (first,)
    assert witness.refs(tmp_path) == {"refs/heads/main": first, "refs/heads/deep/topic": second}


def test_a_commit_in_a_checkout_leaves_nothing_to_do(shop: Path) -> None:
    head = line(shop, "rev-parse", "HEAD")
    commit = planned(sealed(shop), PLAN).write(PLAN, MESSAGE)
    person = f"{gitkit.NAME} <{gitkit.EMAIL}>"
    assert witness.read_commit(shop, "HEAD") == CommitSeen(str(commit), (head,), person, person, MESSAGE)
    assert witness.read_tree(shop, "HEAD") == gitkit.read_folder(shop)
    with git.Repo(shop) as repo:
        assert not repo.is_dirty(untracked_files=True)
        assert repo.index.diff("HEAD") == []
        assert str(repo.active_branch) == "main"


# records of undo


def test_the_record_of_a_write(shop: Path) -> None:
    head = line(shop, "rev-parse", "HEAD")
    repo = WorktreeRepo(shop)
    repo.write({"README.md": b"# Store\n", "src/app.py": None, "new/caf\udce9": b"\0\xff"}, "")
    name = f"{PREFIX}{repo.record_id}"
    files = witness.read_record(shop, name)
    assert files == {
        "before/README.md": (FILE, b"# Shop\n"),
        "before/src/app.py": (FILE, b"x = 1\n"),
        "after/README.md": (FILE, b"# Store\n"),
        "after/new/caf\udce9": (FILE, b"\0\xff"),
    }
    assert set(witness.refs(shop)) == {"refs/heads/main", name}
    assert witness.history(shop) == [head]  # a record is no commit


def test_the_record_of_an_undo_still_holds_both_sides(shop: Path) -> None:
    repo = WorktreeRepo(shop)
    repo.write({"README.md": b"# Store\n"}, "")
    name = f"{PREFIX}{repo.record_id}"
    written = witness.read_record(shop, name)
    undo_write(shop, None)
    files = witness.read_record(shop, name)
    assert kept(shop) == {str(repo.record_id): "undone"}
    for side in ("before/README.md", "after/README.md"):
        assert files[side] == written[side]
    assert witness.read_tree(shop, "HEAD") == gitkit.read_folder(shop)


# where it cannot do git's work: docs/internals/design.md, "GitPython"

CHANGE: Mapping[str, bytes | None] = {"src/app.py": b"x = 2\n"}
HOOKS = ("pre-commit", "commit-msg", "post-commit")


class Limit(NamedTuple):
    """What is so in a repository, what GitPython makes of it, and what we do."""

    prepare: Callable[[Path], object]
    gitpython: Callable[[Path], object]
    ours: Callable[[Path], object]


def nothing(_: Path) -> None:
    """A repository as it is."""


def git_does(*command: str) -> Callable[[Path], object]:
    return lambda shop: gitkit.git(shop, *command)


def with_sha256(shop: Path) -> None:
    tree = gitkit.read_tree(shop, "HEAD")
    shutil.rmtree(shop)
    gitkit.make_repository(shop, tree, object_format="sha256")


def with_other_names(shop: Path) -> None:
    (shop / "caf\udce9.txt").write_bytes(b"latin\n")
    gitkit.git(shop, "add", ".")


def with_untracked_cache(shop: Path) -> None:
    gitkit.git(shop, "update-index", "--force-untracked-cache")
    gitkit.git(shop, "config", "core.untrackedCache", "true")
    gitkit.git(shop, "status")


def with_file_to_add(shop: Path) -> None:
    (shop / "later.py").write_bytes(b"later = 1\n")
    gitkit.git(shop, "add", "--intent-to-add", "later.py")


def with_programs(shop: Path) -> None:
    """Hooks and a monitor that leave a trace."""
    for name in (*(f"hooks/{hook}" for hook in HOOKS), "monitor"):
        program = shop / ".git" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho {program.name} >> '{shop}/.git/ran'\n")
        program.chmod(0o755)


def with_monitor(shop: Path) -> None:
    with_programs(shop)
    gitkit.git(shop, "config", "core.fsmonitor", str(shop / ".git/monitor"))


def commits(shop: Path) -> None:
    """GitPython stages a file and commits it."""
    (shop / "src/app.py").write_bytes(b"x = 2\n")
    with git.Repo(shop) as repo:
        repo.index.add(["src/app.py"])
        repo.index.commit("x")


def raises(error: type[Exception], words: str) -> Callable[[Path], None]:
    def act(shop: Path) -> None:
        with pytest.raises(error, match=words):
            commits(shop)

    return act


def finds_no_branch(shop: Path) -> None:
    with git.Repo(shop) as repo, pytest.raises(ValueError, match="Failed to parse reference"):
        _ = repo.head.commit


def drops_the_cache(shop: Path) -> None:
    assert b"UNTR" in (shop / ".git/index").read_bytes()
    commits(shop)
    assert b"UNTR" not in (shop / ".git/index").read_bytes()


def makes_somebody_up(shop: Path) -> None:
    commits(shop)
    with git.Repo(shop) as repo:
        assert repo.head.commit.author.email


def runs_hooks(shop: Path) -> None:
    commits(shop)
    assert tuple((shop / ".git/ran").read_text().split()) == HOOKS


def runs_the_monitor(shop: Path) -> None:
    with git.Repo(shop) as repo:
        assert not repo.is_dirty()
    assert "monitor" in (shop / ".git/ran").read_text().split()


def commits_an_empty_file(shop: Path) -> None:
    commits(shop)
    assert gitkit.read_tree(shop, "HEAD")["later.py"] == (FILE, b"")


def writes_one_name_twice(shop: Path) -> None:
    (shop / "README.md").unlink()
    (shop / "README.md").mkdir()
    (shop / "README.md/x").write_bytes(b"1\n")
    with git.Repo(shop) as repo:
        repo.index.add(["README.md/x"])
        repo.index.commit("x")
    tree = gitkit.git(shop, "ls-tree", "HEAD").decode()
    assert re.findall(r"\tREADME.md(.*)", tree) == ["", ""]


def loses_a_commit(shop: Path) -> None:
    with git.Repo(shop) as repo:
        ours = repo.head.commit
        theirs = gitkit.commit(shop, "main", {"README.md": (FILE, b"theirs\n")})
        git.Commit.create_from_tree(repo, ours.tree, "ours", [ours], head=True)
    assert theirs not in gitkit.git(shop, "rev-list", "HEAD").decode()


def we_commit(shop: Path) -> None:
    """One file changes, nothing of the repository runs, and git is content."""
    tree = gitkit.read_tree(shop, "HEAD")
    has_cache = b"UNTR" in (shop / ".git/index").read_bytes()
    planned(sealed(shop), CHANGE).write(CHANGE, MESSAGE)
    assert gitkit.read_tree(shop, "HEAD") == {**tree, "src/app.py": (FILE, b"x = 2\n")}
    assert not (shop / ".git/ran").exists()
    assert (b"UNTR" in (shop / ".git/index").read_bytes()) == has_cache
    gitkit.git(shop, "fsck", "--strict")


def we_raise(
    error: type[EditBlocksError], contents: Mapping[str, bytes | None], meanwhile: Callable[[Path], object] = nothing
) -> Callable[[Path], None]:
    def act(shop: Path) -> None:
        repo = CheckoutRepo(shop)
        meanwhile(shop)
        head = line(shop, "rev-parse", "HEAD")
        with pytest.raises(error):
            planned(repo, contents).write(contents, MESSAGE)
        assert line(shop, "rev-parse", "HEAD") == head

    return act


def they_push(shop: Path) -> None:
    gitkit.commit(shop, "main", {"README.md": (FILE, b"theirs\n")})


LIMITS = {
    "a repository with sha256": Limit(with_sha256, finds_no_branch, we_commit),
    "an index of version 4": Limit(
        git_does("update-index", "--index-version", "4"), raises(AssertionError, "index version 4"), we_commit
    ),
    "a split index": Limit(
        git_does("update-index", "--split-index"), raises(ValueError, "Invalid repository path"), we_commit
    ),
    "a sparse index": Limit(
        git_does("sparse-checkout", "set", "--cone", "--sparse-index", "src"),
        raises(ValueError, "Invalid repository path"),
        we_commit,
    ),
    "the untracked cache": Limit(with_untracked_cache, drops_the_cache, we_commit),
    "names that are not UTF-8": Limit(with_other_names, raises(UnicodeDecodeError, "utf-8"), we_commit),
    "no identity to commit with": Limit(
        git_does("config", "user.useConfigOnly", "true"), makes_somebody_up, we_raise(RepoError, CHANGE)
    ),
    "hooks": Limit(with_programs, runs_hooks, we_commit),
    "`core.fsmonitor`": Limit(with_monitor, runs_the_monitor, we_commit),
    "`git add --intent-to-add`": Limit(with_file_to_add, commits_an_empty_file, we_commit),
    "a folder where a file was": Limit(
        nothing, writes_one_name_twice, we_raise(UnreadableFile, {"README.md/x": b"1\n"})
    ),
    "a branch that moved meanwhile": Limit(nothing, loses_a_commit, we_raise(HeadMoved, CHANGE, they_push)),
}
PAGE = section(read("docs/internals/design.md"), "GitPython")
[VERSION] = re.findall(r"GitPython (\d+\.\d+\.\d+) ", PAGE)


@pytest.mark.long
@pytest.mark.skipif(git.__version__ != VERSION, reason=f"the page is about GitPython {VERSION}")
@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS.keys())
def test_what_it_cannot_do_and_we_can(shop: Path, limit: Limit) -> None:
    limit.prepare(shop)
    copy = shop.parent / "copy"
    shutil.copytree(shop, copy, symlinks=True)
    limit.ours(copy)
    limit.gitpython(shop)


def test_the_page_has_these_rows() -> None:
    rows = [row[0] for row in table(PAGE, "")]
    assert rows[:-1] == list(LIMITS)
    assert rows[-1] == "a commit among 20,000 files"  # measured
