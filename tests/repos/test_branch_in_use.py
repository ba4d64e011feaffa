"""A branch that a working tree is on, or goes back to when git has finished there, is not moved under it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git, line
from support.repositories import open_sealed

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError
from editblocks.repos.git.branch_in_use import refuse_in_use
from editblocks.repos.git.command import Mode
from editblocks.repos.git.commits import Identity
from editblocks.repos.git.process import start
from editblocks.repos.git.repository import open_repository
from editblocks.repos.stores.commit_repo import ObjectsRepo

SHOP = {"a.py": (FILE, b"1\n")}
REBASE = "{ref} is being rebased at {place}; finish that rebase or abort it first"
BISECT = "{ref} is where the bisect at {place} began; end that with git bisect reset first"


@pytest.fixture
def shop(shop: Path) -> Path:
    """Three commits on `main`, which is checked out, `older` at the second."""
    for number in (2, 3):
        gitkit.commit(shop, "main", {"a.py": (FILE, b"%d\n" % number)})
    git(shop, "reset", "--quiet", "--hard")
    git(shop, "branch", "older", "HEAD~1")
    return shop


def stop(place: Path, *command: str) -> None:
    """Run a git command that is meant to stop half-way."""
    done = subprocess.run(["git", *command], cwd=place, env=gitkit.ISOLATED, capture_output=True, check=False)
    assert done.returncode, command


def linked(shop: Path) -> Path:
    place = shop.parent / "linked"
    git(shop, "worktree", "add", "--quiet", str(place), "-b", "linked")
    return place


def rebase(shop: Path) -> Path:
    stop(shop, "rebase", "--exec", "false", "HEAD~2")
    return shop


def rebase_of_a_stack(shop: Path) -> Path:
    stop(shop, "rebase", "--update-refs", "--exec", "false", "HEAD~2")
    return shop


def rebase_by_patches(shop: Path) -> Path:
    git(shop, "branch", "side", "HEAD~2")
    gitkit.commit(shop, "side", {"a.py": (FILE, b"theirs\n")})
    stop(shop, "rebase", "--apply", "side")
    return shop


def rebase_in_a_linked_working_tree(shop: Path) -> Path:
    return rebase(linked(shop))


def bisect(shop: Path) -> Path:
    git(shop, "bisect", "start", "HEAD", "HEAD~2")
    return shop


def bisect_in_a_linked_working_tree(shop: Path) -> Path:
    return bisect(linked(shop))


IN_USE = [
    (rebase, "main", REBASE),
    (rebase_by_patches, "main", REBASE),
    (rebase_in_a_linked_working_tree, "linked", REBASE),
    (bisect, "main", BISECT),
    (bisect_in_a_linked_working_tree, "linked", BISECT),
]
STACKS = tuple(map(int, line(Path(), "version").split()[2].split(".")[:2])) >= (2, 38)  # git rebase --update-refs
if STACKS:
    IN_USE.append((rebase_of_a_stack, "older", REBASE))


@pytest.mark.parametrize(
    ("begin", "branch", "words"),
    [pytest.param(*row, id=row[0].__name__, marks=() if row[0] is rebase else pytest.mark.long) for row in IN_USE],
)
def test_git_is_not_done_with_the_branch(shop: Path, begin: Callable[[Path], Path], branch: str, words: str) -> None:
    place = begin(shop)
    assert line(place, "branch", "--show-current") == "", "HEAD is detached, so the list of working trees has no branch"
    before = git(shop, "for-each-ref")
    with pytest.raises(Refused) as caught:
        ObjectsRepo(open_sealed(shop), branch=branch, identity=Identity("Mona", "mona@example.com"))
    assert caught.value.message == words.format(ref=f"refs/heads/{branch}", place=place)
    assert caught.value.code is ReasonCode.BRANCH_REFUSED
    stop(shop, "branch", "--force", branch, "HEAD")  # as git has it
    assert git(shop, "for-each-ref") == before
    refuse_in_use(open_repository(shop, Mode.ISOLATED), "refs/heads/other")


MAIN, REBASED, BISECTED = "refs/heads/main", "is being rebased at {git}; finish", "is where the bisect at {git} began"
STATES = [  # the files that git left, what is said of refs/heads/main (None: it can be moved)
    ({"rebase-merge/head-name": b"refs/heads/main\n"}, REBASED),
    ({"rebase-merge/head-name": b"refs/heads/main"}, REBASED),
    ({"rebase-merge/head-name": b"refs/heads/other\n"}, None),
    ({"rebase-merge/head-name": b"refs/heads/main2\n"}, None),
    ({"rebase-merge/head-name": b"detached HEAD\n"}, None),
    ({"rebase-merge/head-name": b""}, "may be the branch of {git}/rebase-merge/head-name, which names none; look"),
    ({"rebase-merge/head-name": b"\0\n \n"}, "may be the branch of {git}/rebase-merge/head-name, which names none"),
    ({"rebase-merge/msgnum": b"1\n"}, None),
    ({"rebase-merge": b""}, None),
    ({"rebase-apply/head-name": b"refs/heads/main\n"}, REBASED),
    ({"rebase-apply/applying": b""}, None),
    ({"rebase-merge/update-refs": b"refs/heads/main\n%s\n%s\n" % (b"a" * 40, b"b" * 40)}, REBASED),
    ({"BISECT_START": b"main\n"}, BISECTED),
    ({"BISECT_START": b"refs/heads/main\n"}, BISECTED),
    ({"BISECT_START": b"%s\n" % (b"a" * 40)}, None),
    ({"BISECT_START": b"other\n"}, None),
    ({"worktrees": b""}, None),
    ({"worktrees/w/rebase-merge/head-name": b"refs/heads/main\n"}, "is being rebased at {git}/worktrees/w; finish"),
    ({"worktrees/w/BISECT_START": b"main\n", "worktrees/w/gitdir": b"/srv/w/.git\n"}, "is where the bisect at /srv/w "),
    ({"worktrees/w/BISECT_START": b"main\n", "worktrees/w/gitdir": b"../../w/.git\n"}, BISECTED.replace("}", "}/w")),
    ({"worktrees/w/gitdir": b"/srv/shop/.git\n"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("files", "words"), STATES)
def test_what_git_left_says(tmp_path: Path, files: dict[str, bytes], words: str | None) -> None:
    bare = gitkit.make_repository(tmp_path / "bare", {}, bare=True)
    (bare / "HEAD").write_text("ref: refs/heads/elsewhere\n")
    for name, data in files.items():
        (bare / name).parent.mkdir(parents=True, exist_ok=True)
        (bare / name).write_bytes(data)
    repository = open_repository(bare, Mode.ISOLATED, launch=start)
    said = ""
    try:
        refuse_in_use(repository, MAIN)
    except Refused as refused:
        said = refused.message
    assert said.startswith(f"{MAIN} {words.format(git=bare)}") if words else said == "", said


def test_a_rebase_that_began_meanwhile_keeps_its_commits(shop: Path) -> None:
    git(shop, "checkout", "--quiet", "--detach")
    repo = ObjectsRepo(open_sealed(shop), branch="main", identity=Identity("Mona", "mona@example.com"))
    before = line(shop, "rev-parse", "main")
    stop(shop, "rebase", "--exec", "false", "HEAD~2", "main")
    with pytest.raises(Refused, match="refs/heads/main is being rebased at"):
        repo.write({"a.py": b"4\n"}, "no")
    assert line(shop, "rev-parse", "main") == before


def test_once_it_is_over_the_branch_is_free_again(shop: Path) -> None:
    rebase(shop)
    git(shop, "rebase", "--abort")
    git(shop, "checkout", "--quiet", "--detach")
    repo = ObjectsRepo(open_sealed(shop), branch="main", identity=Identity("Mona", "mona@example.com"))
    assert repo.write({"a.py": b"4\n"}, "yes") == line(shop, "rev-parse", "main")


def test_what_cannot_be_read_stops_it(shop: Path) -> None:
    (shop / ".git/BISECT_START").mkdir()
    with pytest.raises(RepoError, match="BISECT_START cannot be read: is a directory; nothing was changed"):
        refuse_in_use(open_repository(shop, Mode.ISOLATED), "refs/heads/older")
