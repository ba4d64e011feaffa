"""A branch that a working tree is on, or goes back to when git has finished there, is not moved under it."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support import gitkit
from support.gitkit import FILE, git, line
from support.repositories import open_sealed

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused
from editblocks.repos.git.repository import Mode, open_repository, start
from editblocks.repos.stores.objects import ObjectsRepo

SHOP = {"a.py": (FILE, b"1\n")}


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
    (rebase, "main"),
    (rebase_by_patches, "main"),
    (rebase_in_a_linked_working_tree, "linked"),
    (bisect, "main"),
    (bisect_in_a_linked_working_tree, "linked"),
]
STACKS = tuple(map(int, line(Path(), "version").split()[2].split(".")[:2])) >= (2, 38)  # git rebase --update-refs
if STACKS:
    IN_USE.append((rebase_of_a_stack, "older"))


@pytest.mark.parametrize(
    ("begin", "branch"),
    [pytest.param(*row, id=row[0].__name__, marks=() if row[0] is rebase else pytest.mark.long) for row in IN_USE],
)
def test_git_is_not_done_with_the_branch(shop: Path, begin: Callable[[Path], Path], branch: str) -> None:
    place = begin(shop)
    assert line(place, "branch", "--show-current") == "", "HEAD is detached, so the list of working trees has no branch"
    before = git(shop, "for-each-ref")
    with pytest.raises(Refused) as caught:
        ObjectsRepo(open_sealed(shop, person=("Mona", "mona@example.com")), branch=branch)
    assert caught.value.message.startswith(f"branch {branch} is in use: cannot force update the branch '{branch}'")
    assert caught.value.message.endswith(f"at '{place}'; run apply there without --branch, or choose another branch")
    assert caught.value.code is ReasonCode.BRANCH_REFUSED
    stop(shop, "branch", "--force", branch, "HEAD")  # as git has it
    assert git(shop, "for-each-ref") == before


def test_a_rebase_that_began_meanwhile_keeps_its_commits(shop: Path) -> None:
    git(shop, "checkout", "--quiet", "--detach")
    repo = ObjectsRepo(open_sealed(shop, person=("Mona", "mona@example.com")), branch="main")
    before = line(shop, "rev-parse", "main")
    stop(shop, "rebase", "--exec", "false", "HEAD~2", "main")
    with pytest.raises(Refused, match="branch main is in use"):
        repo.write({"a.py": b"4\n"}, "no")
    assert line(shop, "rev-parse", "main") == before


def test_a_push_between_two_questions_is_not_taken_back(shop: Path) -> None:
    """A branch is asked where it is, and then whether it is in use."""
    git(shop, "checkout", "--quiet", "--detach")

    def launch(
        command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float
    ) -> CompletedProcess[bytes]:
        if "branch" in command:
            git(shop, "update-ref", "refs/heads/older", "main")
        return start(command, environment, stdin, seconds)

    ObjectsRepo(open_repository(shop, Mode.ISOLATED, launch=launch), branch="older")
    assert line(shop, "rev-parse", "older") == line(shop, "rev-parse", "main")


def test_once_it_is_over_the_branch_is_free_again(shop: Path) -> None:
    rebase(shop)
    git(shop, "rebase", "--abort")
    git(shop, "checkout", "--quiet", "--detach")
    repo = ObjectsRepo(open_sealed(shop, person=("Mona", "mona@example.com")), branch="main")
    assert repo.write({"a.py": b"4\n"}, "yes") == line(shop, "rev-parse", "main")
