"""What `apply --commit` refuses before anything is changed."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support import gitkit
from support.checkoutkit import MESSAGE, SHOP, changed, planned, sealed, staged, state
from support.gitkit import FILE, git, line, read_tree

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError
from editblocks.repos.stores.checkout import CheckoutRepo


def changed_with_an_old_time(shop: Path) -> None:
    before = (shop / "src/app.py").stat()
    (shop / "src/app.py").write_bytes(b"x = 3\n")
    os.utime(shop / "src/app.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def staged_and_taken_back(shop: Path) -> None:
    staged(shop)
    (shop / "src/app.py").write_bytes(b"x = 1\n")


def made_executable(shop: Path) -> None:
    (shop / "src/app.py").chmod(0o755)


def assumed_unchanged(shop: Path) -> None:
    git(shop, "update-index", "--assume-unchanged", "src/app.py")
    changed(shop)


def skipped(shop: Path) -> None:
    git(shop, "update-index", "--skip-worktree", "src/app.py")


def skipped_and_gone(shop: Path) -> None:
    skipped(shop)
    (shop / "src/app.py").unlink()


def untracked(shop: Path) -> None:
    git(shop, "rm", "--quiet", "--force", "--cached", "src/app.py")
    git(shop, "commit", "--quiet", "-m", "forget it")


def ignored(shop: Path) -> None:
    untracked(shop)
    (shop / ".git/info/exclude").write_text("src/app.py\n")


def intended(shop: Path) -> None:
    untracked(shop)
    git(shop, "add", "--intent-to-add", "src/app.py")


def removed_from_the_index(shop: Path) -> None:
    git(shop, "rm", "--quiet", "--force", "--cached", "src/app.py")


def in_conflict(shop: Path) -> None:
    blob = line(shop, "rev-parse", "HEAD:README.md")
    stages = "".join(f"100644 {blob} {stage}\tsrc/app.py\n" for stage in (1, 2, 3))
    git(shop, "update-index", "--index-info", stdin=f"0 {'0' * 40}\tsrc/app.py\n{stages}".encode())


def stored_with_other_line_ends(shop: Path) -> None:
    gitkit.commit(shop, "main", {"src/app.py": (FILE, b"x = 1\r\n")})
    git(shop, "reset", "--quiet", "--hard")
    (shop / ".git/info/attributes").write_text("*.py text\n")


def merging(shop: Path) -> None:
    gitkit.commit(shop, "topic", {"topic.txt": (FILE, b"1\n")})
    git(shop, "merge", "--quiet", "--no-commit", "--no-ff", "--allow-unrelated-histories", "topic")


def picking(shop: Path) -> None:
    conflict = gitkit.commit(shop, "topic", {"README.md": (FILE, b"theirs\n")})
    subprocess.run(["git", "cherry-pick", conflict], cwd=shop, env=gitkit.ISOLATED, capture_output=True, check=False)


def rebasing(shop: Path) -> None:
    detached(shop)
    (shop / ".git/rebase-merge").mkdir()


def detached(shop: Path) -> None:
    git(shop, "checkout", "--quiet", "--detach")


def filtered(shop: Path) -> None:
    (shop / ".gitattributes").write_text("src/app.py filter=never\n")
    git(shop, "config", "filter.never.clean", f"touch {shop}/../canary; cat")


def expanded(shop: Path) -> None:
    (shop / ".gitattributes").write_text("src/app.py ident\n")


DIRTY = ReasonCode.DIRTY_FILE
REFUSED: list[tuple[Callable[[Path], None], ReasonCode, str]] = [
    (changed, DIRTY, "src/app.py has changes that are not committed; commit or stash them first"),
    (changed_with_an_old_time, DIRTY, "src/app.py has changes that are not committed"),
    (staged, DIRTY, "src/app.py has changes that are not committed"),
    (staged_and_taken_back, DIRTY, "src/app.py has changes that are not committed"),
    (made_executable, DIRTY, "src/app.py has changes that are not committed"),
    (assumed_unchanged, DIRTY, "src/app.py has changes that are not committed"),
    (skipped, DIRTY, "src/app.py has the skip-worktree bit; clear it with git "),
    (skipped_and_gone, DIRTY, " update-index --no-skip-worktree"),
    (untracked, DIRTY, "src/app.py is not tracked by git"),
    (ignored, DIRTY, "src/app.py is not tracked by git"),
    (intended, DIRTY, "src/app.py has changes that are not committed"),
    (removed_from_the_index, DIRTY, "src/app.py is not tracked by git"),
    (in_conflict, DIRTY, "src/app.py has changes that are not committed"),
    (stored_with_other_line_ends, DIRTY, "src/app.py has changes that are not committed"),
    (merging, ReasonCode.BRANCH_REFUSED, "a merge is not finished in this repository; finish or abort it first"),
    (picking, ReasonCode.BRANCH_REFUSED, "a cherry-pick is not finished in this repository"),
    (rebasing, ReasonCode.BRANCH_REFUSED, "a rebase is not finished in this repository"),
    (detached, ReasonCode.BRANCH_REFUSED, "HEAD is detached, so the commit would be on no branch"),
    (filtered, ReasonCode.FILTERED, "src/app.py has the attribute filter, so git would store it differently"),
    (expanded, ReasonCode.FILTERED, "src/app.py has the attribute ident, so git would store it differently"),
]


@pytest.mark.parametrize(("make", "code", "words"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.long
def test_what_is_refused_leaves_everything_as_it_was(
    shop: Path, make: Callable[[Path], None], code: ReasonCode, words: str
) -> None:
    make(shop)
    before = state(shop)
    (shop.parent / "canary").unlink(missing_ok=True)  # our own git status may have run the filter
    plan = {"src/new.py": b"z = 1\n", "src/app.py": b"x = 2\n"}
    with pytest.raises(Refused) as caught:
        planned(sealed(shop), plan).write(plan, MESSAGE)
    assert (caught.value.code, words in caught.value.message) == (code, True), caught.value.message
    assert not (shop.parent / "canary").exists()
    assert state(shop) == before


def test_a_file_that_was_deleted_but_not_committed_is_not_made_anew(shop: Path) -> None:
    (shop / "src/app.py").unlink()
    with pytest.raises(Refused) as caught:
        planned(sealed(shop), {"src/app.py": b""}).write({"src/app.py": b"x = 2\n"}, MESSAGE)
    assert caught.value.code is DIRTY


def test_what_is_staged_in_the_way_of_a_new_file_is_kept(shop: Path) -> None:
    (shop / "docs").mkdir()
    (shop / "docs/start.md").write_bytes(b"1\n")
    git(shop, "add", "docs")
    (shop / "docs/start.md").unlink()
    (shop / "docs").rmdir()
    before = state(shop)
    with pytest.raises(Refused, match=r"docs/start\.md has changes that are not committed"):
        planned(sealed(shop), {"docs": None}).write({"docs": b"a file\n"}, MESSAGE)
    assert state(shop) == before


def test_what_is_no_plain_file_on_disk_only(shop: Path) -> None:
    (shop / "twin").hardlink_to(shop / "README.md")
    with pytest.raises(Refused) as caught:
        sealed(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert caught.value.code is ReasonCode.NOT_A_FILE


def test_a_new_file_may_be_one_that_git_ignores(shop: Path) -> None:
    (shop / ".git/info/exclude").write_text("build/\n")
    (shop / "build").mkdir()
    (shop / "build/other").write_bytes(b"ignored\n")
    sealed(shop).write({"build/new": b"1\n"}, MESSAGE)
    assert "build/new" in read_tree(shop, "main")


def test_nobody_to_commit_as(shop: Path) -> None:
    before = state(shop)
    with pytest.raises(RepoError, match="no identity to commit with: no email was given") as caught:
        CheckoutRepo(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert caught.value.code is ReasonCode.BAD_CONFIG
    assert state(shop) == before


def test_the_users_identity_and_none_of_the_users_hooks(shop: Path) -> None:
    Path(os.environ["HOME"], ".gitconfig").write_text("[user]\nname = Hubot\nemail = hubot@example.com\n")
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        hook = shop / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {shop.parent}/canary\nexit 1\n")
        hook.chmod(0o755)
    CheckoutRepo(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert line(shop, "log", "-1", "--format=%an <%ae>") == "Hubot <hubot@example.com>"
    assert not (shop.parent / "canary").exists()


def no_repository(path: Path) -> Path:
    return path


def bare(path: Path) -> Path:
    return gitkit.make_repository(path / "bare", SHOP, bare=True)


def below_the_top(path: Path) -> Path:
    return gitkit.make_repository(path / "shop", SHOP) / "src"


def gits_own_folder(path: Path) -> Path:
    return gitkit.make_repository(path / "shop", SHOP) / ".git"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (no_repository, "cannot be used as a git repository: "),
        (bare, "is a bare repository, without files to change; apply in a checkout of it"),
        (below_the_top, "it lies below the top of a repository"),
        (gits_own_folder, "is in a .git folder"),
    ],
)
@pytest.mark.long(after=2)
def test_where_no_working_tree_is(tmp_path: Path, make: Callable[[Path], Path], words: str) -> None:
    path = make(tmp_path)
    with pytest.raises(RepoError, match=words) as caught:
        sealed(path)
    assert caught.value.code is ReasonCode.BAD_CONFIG
