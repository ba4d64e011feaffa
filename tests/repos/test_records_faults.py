"""Disks that are full, broken or read-only while a record is written: one sentence, and nothing changed."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from support.gitkit import git
from support.killkit import IDENTITY, PLAN, SCENES, folder_state, leftovers, make, nothing, prepare, write
from support.posix import limits_file_size
from support.project import TESTS
from support.repositories import open_sealed

from editblocks.core.errors import EditBlocksError, RepoError
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.worktree import Disk, WorktreeRepo

NUMBERS = [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS]


def fault(number: int, fatal: int, *, for_good: bool = False) -> tuple[Callable[[str, str], None], list[str]]:
    """An effect that fails once, the `fatal`-th time, or from then on, and the effects that were heard."""
    heard: list[str] = []

    def effect(name: str, path: str) -> None:
        heard.append(f"{name} {path}")
        if len(heard) == fatal or (for_good and len(heard) > fatal):
            raise OSError(number, os.strerror(number))

    return effect, heard


def message(act: Callable[[], object]) -> str | None:
    try:
        act()
    except EditBlocksError as error:
        return error.message
    return None


@pytest.mark.long
@pytest.mark.parametrize("number", NUMBERS, ids=errno.errorcode.get)
@pytest.mark.parametrize("scene", ["apply", "undo", "redo"])
def test_s20_a_fault_at_any_effect_changes_nothing(tmp_path: Path, scene: str, number: int) -> None:
    root = make(tmp_path / "root")
    prepare(scene, root)
    before = folder_state(root)
    for fatal in range(1, 60):
        effect, heard = fault(number, fatal)
        said = message(partial(SCENES[scene], root, effect))
        if said is None:
            break
        assert os.strerror(number).lower() in said, heard[-1]
        assert "\n" not in said
        assert (folder_state(root), leftovers(root)) == (before, []), heard[-1]
    assert fatal > 15
    assert folder_state(root) != before


@pytest.mark.parametrize("scene", ["apply", "undo", "redo"])
@pytest.mark.long
def test_s20_a_disk_that_stays_broken_is_repaired_by_the_next_start(tmp_path: Path, scene: str) -> None:
    """What cannot be put back either is put back when it can be."""
    states = []
    for fatal in range(1, 60):
        root = make(tmp_path / str(fatal))
        prepare(scene, root)
        before = folder_state(root)
        effect, _ = fault(errno.EIO, fatal, for_good=True)
        said = message(partial(SCENES[scene], root, effect))
        if said is None:
            break
        repo = WorktreeRepo(root)
        repo.recover()
        assert (folder_state(root) == before or repo.recoveries[0].finished, leftovers(root)) == (True, [])
        states.append(folder_state(root))
    assert len(states) > 15


@pytest.mark.parametrize("scene", ["commit", "index"])
@pytest.mark.long(after=1)
def test_s20_what_git_could_not_follow_and_nobody_put_back_is_taken_back_by_the_next_start(
    tmp_path: Path, scene: str
) -> None:
    """The disk is full from the moment on when the files are new and git is to take them."""
    root = make(tmp_path / "root")
    before, staged = folder_state(root), git(root, "ls-files", "--stage")
    heard: list[str] = []

    def effect(name: str, path: str) -> None:
        heard.append("asked" if name == "git" and "replaced" in heard else name.replace("place", "placed"))
        if "asked" in heard:
            raise RepoError("git: disk full") if name == "git" else OSError(errno.ENOSPC, "no space left on device")

    said = message(partial(SCENES[scene], root, effect)) or ""
    assert said.startswith("git: disk full; the old bytes of ")
    assert said.endswith(" cannot be put back; look at these files")
    assert folder_state(root) != before
    WorktreeRepo(root).recover()
    assert (folder_state(root), leftovers(root), git(root, "ls-files", "--stage")) == (before, [], staged)


SMALL = """
import resource, sys
from functools import partial
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from editblocks.core.errors import RepoError
from editblocks.repos.stores.worktree import Disk, WorktreeRepo
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    WorktreeRepo(sys.argv[2]).write({"README.md": b"small\\n", "src/app.py": b"x" * 100_000}, "")
except RepoError as error:
    print(error.message)
"""


@limits_file_size
def test_s20_a_file_size_limit_is_named(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    before = folder_state(root)
    command = [sys.executable, "-c", SMALL, str(TESTS), str(root), "4096"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "src/app.py cannot be written: file too large; nothing was changed\n"
    assert (folder_state(root), leftovers(root)) == (before, [])


@pytest.mark.long
def test_the_old_bytes_are_not_put_over_somebody_elses(tmp_path: Path) -> None:
    """A fault at the very end, and a person who was faster than the repair."""
    root = make(tmp_path / "root")

    def effect(name: str, path: str) -> None:
        if name == "sync":
            (root / "src/app.py").write_bytes(b"theirs\n")
            raise OSError(errno.EIO, "input/output error")

    with pytest.raises(RepoError, match=r"; the old bytes of src/app\.py cannot be put back; look at these files"):
        write(root, effect)
    assert (root / "src/app.py").read_bytes() == b"theirs\n"
    repo = WorktreeRepo(root)
    repo.recover()
    assert str(repo.recoveries[0]).endswith("is now rolled back; left alone, because they changed since: src/app.py")


def test_a_git_folder_that_cannot_hold_a_record_is_one_sentence(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    before = folder_state(root)
    (root / ".git/editblocks").write_bytes(b"theirs\n")
    with pytest.raises(RepoError, match=r"editblocks/lock cannot be taken: not a directory; nothing was changed"):
        write(root, nothing)
    assert folder_state(root) == before


@pytest.mark.parametrize("fatal", [1, 3, 5, 9, 14])
@pytest.mark.long
def test_a_commit_whose_record_fails_leaves_branch_index_and_files(tmp_path: Path, fatal: int) -> None:
    root = make(tmp_path / "root")
    before = folder_state(root)
    effect, heard = fault(errno.ENOSPC, fatal)
    repo = CheckoutRepo(root, repository=open_sealed(root, person=IDENTITY), disk=Disk(effect))
    for path in PLAN:
        repo.read(path)
    with pytest.raises(RepoError, match="no space left on device"):
        repo.write(PLAN, "Apply 4 edit blocks\n")
    assert (folder_state(root), leftovers(root), len(heard) >= fatal) == (before, [], True)
