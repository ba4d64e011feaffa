"""`apply --commit` when something goes wrong in between."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support import gitkit
from support.checkoutkit import IDENTITY, MESSAGE, PLAN, SHOP, planned, sealed, state, status
from support.gitkit import FILE, git, line, read_folder, read_tree
from support.repositories import open_sealed

from editblocks.core.errors import HeadMoved, Refused, RepoError, SelfCheckFailed
from editblocks.repos.git.repository import start
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.worktree import Disk

# What goes wrong in between.


class Disturbed:
    """git, with something happening before or after the first call of a command."""

    def __init__(self, command: str, happen: Callable[[], None], *, after: bool = False) -> None:
        self._command, self._happen, self._after = command, happen, after
        self._is_done = False

    def __call__(
        self, argv: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float
    ) -> CompletedProcess[bytes]:
        found = self._command in argv and not self._is_done
        self._is_done = self._is_done or found
        if found and not self._after:
            self._happen()
        answer = start(argv, environment, stdin, seconds)
        if found and self._after:
            self._happen()
        return answer


def disturbed(path: Path, command: str, happen: Callable[[], None], *, after: bool = False) -> CheckoutRepo:
    launch = Disturbed(command, happen, after=after)
    return CheckoutRepo(path, repository=open_sealed(path, launch=launch, person=IDENTITY))


MOVE = "editblocks: apply"  # what git writes into the log of the branch when it moves
STEPS = (
    "check-attr",
    "status",
    "update-index",
    "-v",
    "cat-file",
    "fast-import",
    "diff-tree",
    "unpack-objects",
    "update-ref",
    MOVE,
)  # ls-files -v


def interrupted() -> None:
    raise KeyboardInterrupt


def broken() -> None:
    raise RepoError("git status failed: made up; nothing was written")


STOPS = [
    pytest.param(step, after, happen, id=f"{happen.__name__}-{'after' if after else 'before'}-{step}", marks=marks)
    for step in STEPS
    for after in (False, True)
    for happen in (interrupted, broken)
    for marks in [() if (after and happen is interrupted) or step == MOVE else pytest.mark.long]
]


@pytest.mark.parametrize(("step", "after", "happen"), STOPS)
@pytest.mark.long
def test_s19_a_stop_at_any_step_leaves_all_old_or_all_new(
    shop: Path, step: str, after: bool, happen: Callable[[], None]
) -> None:
    before = state(shop)
    repo = planned(disturbed(shop, step, happen, after=after), PLAN)
    moved = step == MOVE and after
    if moved and happen is broken:
        assert repo.write(PLAN, MESSAGE) == line(shop, "rev-parse", "main")
    else:
        with pytest.raises((KeyboardInterrupt, RepoError)):
            repo.write(PLAN, MESSAGE)
    if not moved:
        assert state(shop) == before
    assert status(shop) == []
    assert read_folder(shop) == read_tree(shop, "main")


PUSHED = [
    pytest.param(step, same_file, id=f"{step}-{'the same' if same_file else 'another'} file", marks=marks)
    for step in STEPS
    if step != MOVE
    for same_file in (False, True)
    for marks in [() if same_file or step in {"check-attr", "fast-import"} else pytest.mark.long]
]


@pytest.mark.parametrize(("step", "same_file"), PUSHED)
@pytest.mark.long
def test_a_commit_by_somebody_else_in_between_is_neither_lost_nor_overwritten(
    shop: Path, step: str, same_file: bool
) -> None:
    name = "src/app.py" if same_file else "theirs.txt"
    theirs: list[str] = []

    def push() -> None:
        if not theirs:
            theirs.append(gitkit.commit(shop, "main", {name: (FILE, b"theirs\n")}))

    repo = planned(disturbed(shop, step, push), PLAN)
    with pytest.raises((HeadMoved, Refused)):
        repo.write(PLAN, MESSAGE)
    assert line(shop, "rev-parse", "main") == theirs[0]
    assert read_folder(shop) == SHOP
    assert git(shop, "diff", "--name-only", "--", "bin", "README.md") == b""


def test_s19_a_lock_of_somebody_else_is_named_and_left_alone(shop: Path) -> None:
    lock = shop / ".git/index.lock"
    lock.write_bytes(b"theirs")
    with pytest.raises(RepoError, match=r"index\.lock exists; remove it if no other git process is running"):
        sealed(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert (lock.read_bytes(), (shop / "README.md").read_bytes()) == (b"theirs", b"# Shop\n")


@pytest.mark.long
def test_a_lock_that_goes_away_is_waited_for(shop: Path) -> None:
    lock = shop / ".git/index.lock"
    lock.write_bytes(b"theirs")
    release = subprocess.Popen(["sh", "-c", f"sleep 0.2; rm {lock}"])
    repository = open_sealed(shop, lock_seconds=60, person=IDENTITY)
    assert CheckoutRepo(shop, repository=repository).write({"README.md": b"x\n"}, MESSAGE)
    assert (release.wait(), lock.exists(), status(shop)) == (0, False, [])


def test_an_index_that_cannot_be_written_is_said(shop: Path) -> None:
    def lock() -> None:
        (shop / ".git/index.lock").write_bytes(b"theirs")

    repo = planned(disturbed(shop, MOVE, lock, after=True), PLAN)
    with pytest.raises(
        RepoError, match=r"index\.lock exists; .*; the commit was made; once the index can be written, run git reset"
    ):
        repo.write(PLAN, MESSAGE)
    (shop / ".git/index.lock").unlink()
    git(shop, "reset", "--quiet")
    assert (status(shop), read_tree(shop, "main")) == ([], read_folder(shop))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="nothing here is as good as a full disk")
def test_s20_a_branch_that_moved_although_its_log_is_full_is_a_commit(shop: Path) -> None:
    """Git writes the log of HEAD when the branch has moved, and calls that a failure of both."""
    (shop / ".git/logs/refs/heads").mkdir(parents=True, exist_ok=True)
    (shop / ".git/logs/HEAD").unlink(missing_ok=True)
    (shop / ".git/logs/HEAD").symlink_to("/dev/full")
    assert sealed(shop).write(PLAN, MESSAGE) == line(shop, "rev-parse", "main")
    assert (status(shop), read_folder(shop)) == ([], read_tree(shop, "main"))


def test_a_switch_to_another_branch_in_between_is_seen(shop: Path) -> None:
    git(shop, "branch", "topic")
    repo = planned(sealed(shop), PLAN)
    git(shop, "switch", "--quiet", "topic")
    with pytest.raises(HeadMoved):
        repo.write(PLAN, MESSAGE)
    assert line(shop, "rev-parse", "topic") == line(shop, "rev-parse", "main")


@pytest.mark.long
def test_files_that_somebody_changed_meanwhile_are_not_put_back(shop: Path) -> None:
    def edit() -> None:
        (shop / "src/app.py").write_bytes(b"theirs\n")

    repo = planned(disturbed(shop, "diff-tree", edit), PLAN)
    commit = repo.write(PLAN, MESSAGE)
    assert read_tree(shop, commit or "")["src/app.py"] == (FILE, b"x = 2\n")
    assert (shop / "src/app.py").read_bytes() == b"theirs\n"

    def edit_and_break() -> None:
        (shop / "src/other.py").write_bytes(b"theirs too\n")
        broken()

    repo = planned(disturbed(shop, "diff-tree", edit_and_break), {"src/other.py": None})
    with pytest.raises(RepoError, match=r"; the old bytes of src/other\.py cannot be put back; look at these files"):
        repo.write({"src/other.py": b"ours\n"}, MESSAGE)
    assert (shop / "src/other.py").read_bytes() == b"theirs too\n"


def test_text_that_is_not_the_planned_one_is_never_committed(shop: Path) -> None:
    def edit() -> None:
        (shop / "src/app.py").write_bytes(b"theirs\n")

    before = line(shop, "rev-parse", "main")
    repo = planned(disturbed(shop, "--add", edit), PLAN)
    with pytest.raises((SelfCheckFailed, RepoError)) as caught:
        repo.write(PLAN, MESSAGE)
    assert "git would store src/app.py differently from the plan" in str(caught.value)
    assert line(shop, "rev-parse", "main") == before
    assert (shop / "src/app.py").read_bytes() == b"theirs\n"


@pytest.mark.long
@pytest.mark.parametrize("effect", ["write", "replace"])
def test_s20_a_full_disk_leaves_everything_as_it_was(shop: Path, effect: str) -> None:
    def full(name: str, path: str) -> None:
        if (name, path) == (effect, "deep/er/new.py"):
            raise OSError(28, "No space left on device")

    before = state(shop)
    repo = CheckoutRepo(shop, repository=open_sealed(shop, person=IDENTITY), disk=Disk(full))
    with pytest.raises(RepoError, match="no space left on device"):
        planned(repo, PLAN).write(PLAN, MESSAGE)
    assert state(shop) == before


@pytest.mark.long
@pytest.mark.parametrize("signs", [True, False])
def test_the_users_signing_setting_is_kept(shop: Path, tmp_path: Path, signs: bool) -> None:
    signer = tmp_path / "signer"
    signer.write_text("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho 'made-up signature'\n")
    signer.chmod(0o755)
    Path(os.environ["HOME"], ".gitconfig").write_text(
        f"[user]\nname = Hubot\nemail = hubot@example.com\n[commit]\ngpgSign = {signs}\n[gpg]\nprogram = {signer}\n"
    )
    commit = CheckoutRepo(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert (b"made-up signature" in git(shop, "cat-file", "commit", commit or "")) is signs
    assert status(shop) == []
