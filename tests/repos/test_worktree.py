"""What only a working tree can do wrong: links, odd files, races, full disks, half-written files."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import read_folder
from support.posix import give_away, is_root, limits_file_size, make_fifo

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, HeadMoved, Refused, RepoError, UnreadableFile
from editblocks.paths.tree import check_tree
from editblocks.repos.directory import Listing, refuse_special_file
from editblocks.repos.stores.worktree import Disk, WorktreeRepo
from editblocks.repos.tree_modes import EXECUTABLE, FILE

each_way = pytest.mark.parametrize("dir_fd", [True, False], ids=["dir_fd", "lstat"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src/app.py").write_bytes(b"x = 1\n")
    (root / "README.md").write_bytes(b"# Shop\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/app.py").write_bytes(b"secret\n")
    return root


def fifo(root: Path) -> None:
    make_fifo(root / "odd")


def hard_link(root: Path) -> None:
    (root / "odd").hardlink_to(root / "README.md")


def link(root: Path) -> None:
    (root / "odd").symlink_to("README.md")


def dangling(root: Path) -> None:
    (root / "odd").symlink_to("nowhere")


def loop(root: Path) -> None:
    (root / "odd").symlink_to("odd")


def clone(root: Path) -> None:
    (root / "odd/.git").mkdir(parents=True)


def linked_clone(root: Path) -> None:
    (root / "odd").mkdir()
    (root / "odd/.git").write_text("gitdir: ../.git/worktrees/odd\n")


@each_way
@pytest.mark.parametrize("make", [fifo, hard_link, link, dangling, loop, clone, linked_clone])
def test_what_is_no_plain_file_is_neither_read_nor_written(
    root: Path, dir_fd: bool, make: Callable[[Path], None]
) -> None:
    make(root)
    before = read_folder(root)
    repo = WorktreeRepo(root, disk=Disk(dir_fd=dir_fd))
    with pytest.raises(UnreadableFile) as caught:
        repo.read("odd")
    assert caught.value.code is ReasonCode.NOT_A_FILE
    with pytest.raises(Refused) as refused:
        repo.write({"README.md": b"changed\n", "odd": b"changed\n"}, "")
    assert refused.value.code is ReasonCode.NOT_A_FILE
    assert read_folder(root) == before


SUBMODULE, SPECIAL = "odd is a submodule; edit it in its own repository", "odd is not a regular file; name one"


def test_a_name_is_looked_at_when_its_mode_is_asked_for(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    for name in ("kept.py", "later.py", "gone.py"):
        (shop / name).write_text("x = 1\n")
    names = WorktreeRepo(shop).entries("")
    assert (list(names), len(names), "kept.py" in names, "other.py" in names) == (
        ["gone.py", "kept.py", "later.py"], 3, True, False,
    )  # fmt: skip
    (shop / "later.py").chmod(0o755)
    (shop / "gone.py").unlink()
    assert dict(names) == {"gone.py": "000000", "kept.py": FILE, "later.py": EXECUTABLE}
    (shop / "kept.py").unlink()
    assert names["kept.py"] == FILE  # it is looked at once


def test_the_modes_of_a_whole_folder_are_read_together() -> None:
    """To open the folder anew for each of 5,000 names took two thirds of the time of a hint about a wrong path."""
    reads: list[Sequence[str]] = []

    def read(names: Sequence[str]) -> list[str]:
        reads.append(names)
        return [FILE for _ in names]

    listing = Listing(["a", "b", "c"], read)
    assert listing["b"] == FILE
    assert dict(listing.items()) == {"a": FILE, "b": FILE, "c": FILE}
    assert dict(listing.items()) == {"a": FILE, "b": FILE, "c": FILE}
    assert reads == [["b"], ["a", "c"]]


@pytest.mark.parametrize(
    ("make", "mode", "said"),
    [
        (fifo, "000000", SPECIAL),
        (clone, "160000", SUBMODULE),
        (linked_clone, "160000", SUBMODULE),
    ],
)
def test_what_is_neither_file_directory_nor_link_is_called_what_it_is(
    root: Path, make: Callable[[Path], None], mode: str, said: str
) -> None:
    make(root)
    entries = WorktreeRepo(root).entries
    assert (entries("")["odd"], entries("odd")) == (mode, {})
    for path in ("odd", "odd/below"):
        error = check_tree(path, "create", entries)
        assert error is not None
        assert (error.message, error.code) == (said, ReasonCode.NOT_A_FILE)


def test_what_is_opened_is_looked_at_once_more(root: Path) -> None:
    """Between looking at a name and opening it, somebody may have put something else there."""
    fifo(root)
    with pytest.raises(UnreadableFile, match="odd is not a regular file"):
        refuse_special_file("odd", (root / "odd").stat(), 1)


FILTERED = {
    "a filter": ("src/*.py filter=crypt\n", "", "filter"),
    "an encoding": ("app.py working-tree-encoding=UTF-16\n", "", "working-tree-encoding"),
    "a macro of the tree": ("*.py secret\n", "[attr]secret filter=crypt\n", "filter"),
    "a macro of its own": ("[attr]secret ident\n*.py secret\n", "", "ident"),
    "another file": ("README.md filter=crypt\n", "", None),
    "what is no conversion": ("* text eol=lf -filter\n", "", None),
    "less than the tree": ("* -filter\n", "*.py filter=crypt\n", None),  # whoever plans reads the tree's
}


@each_way
@pytest.mark.parametrize("claim", FILTERED)
@pytest.mark.long(after=2)
def test_s22_gits_own_attributes_count(root: Path, claim: str, *, dir_fd: bool) -> None:
    own, tree, name = FILTERED[claim]
    gitkit.git(root, "init", "--quiet")
    (root / ".git/info/attributes").write_text(own)
    (root / ".gitattributes").write_text(tree)
    repo = WorktreeRepo(root, disk=Disk(dir_fd=dir_fd))
    assert repo.read(".gitattributes") == tree.encode()
    if name is None:
        assert repo.read("src/app.py") == b"x = 1\n"
        return
    with pytest.raises(UnreadableFile) as caught:
        repo.read("src/app.py")
    said = f"src/app.py has the attribute {name}, so git would store it differently; edit it by hand"
    assert (caught.value.code, caught.value.message) == (ReasonCode.FILTERED, said)


@pytest.mark.parametrize("make", [make_fifo, os.mkdir])
def test_attributes_that_are_no_file_are_not_waited_for(root: Path, make: Callable[[Path], None]) -> None:
    gitkit.git(root, "init", "--quiet")
    (root / ".git/info/attributes").unlink(missing_ok=True)
    make(root / ".git/info/attributes")
    assert WorktreeRepo(root).read("src/app.py") == b"x = 1\n"


def test_gits_own_folder_is_hidden_and_closed(root: Path) -> None:
    gitkit.git(root, "init", "--quiet")
    repo = WorktreeRepo(root)
    assert ".git" not in repo.entries("")
    assert repo.entries(".git") == {}
    with pytest.raises(UnreadableFile):
        repo.read(".git/config")


def swap_parent(root: Path) -> None:
    (root / "src").rename(root / "away")
    (root / "src").symlink_to(root.parent / "outside")


def swap_parent_for_a_twin(root: Path) -> None:
    (root / "src").rename(root / "away")
    (root / "src").mkdir()
    (root / "src/app.py").write_bytes(b"x = 1\n")


def swap_leaf(root: Path) -> None:
    (root / "src/app.py").unlink()
    (root / "src/app.py").symlink_to(root.parent / "outside/app.py")


def edit(root: Path) -> None:
    (root / "src/app.py").write_bytes(b"x = 2\n")


def edit_same_size_in_place(root: Path) -> None:
    with (root / "src/app.py").open("r+b") as file:
        file.write(b"y")


def delete(root: Path) -> None:
    (root / "src/app.py").unlink()


def make_directory(root: Path) -> None:
    (root / "src/app.py").unlink()
    (root / "src/app.py").mkdir()


MEANWHILE = [swap_parent, swap_parent_for_a_twin, swap_leaf, edit, edit_same_size_in_place, delete, make_directory]


@each_way
@pytest.mark.parametrize("meanwhile", [case for case in MEANWHILE if case is not swap_parent_for_a_twin])
def test_a_change_after_reading_stops_the_write(root: Path, dir_fd: bool, meanwhile: Callable[[Path], None]) -> None:
    repo = WorktreeRepo(root, disk=Disk(dir_fd=dir_fd))
    assert repo.read("src/app.py") == b"x = 1\n"
    meanwhile(root)
    before = read_folder(root)
    with pytest.raises(HeadMoved):
        repo.write({"README.md": b"changed\n", "src/app.py": b"x = 3\n"}, "")
    assert read_folder(root) == before
    assert (root.parent / "outside/app.py").read_bytes() == b"secret\n"


@each_way
@pytest.mark.parametrize("effect", ["fsync", "replace"])
@pytest.mark.parametrize("meanwhile", MEANWHILE)
def test_a_change_while_writing_stops_the_write_or_comes_too_late(
    root: Path, dir_fd: bool, effect: str, meanwhile: Callable[[Path], None]
) -> None:
    """Right before the rename itself nobody can look any more; even then nothing outside is touched."""
    after: list[Mapping[str, object]] = []

    def disturb(name: str, path: str) -> None:
        if (name, path) == (effect, "README.md" if effect == "replace" else "src/app.py") and not after:
            meanwhile(root)
            after.append(read_folder(root))

    repo = WorktreeRepo(root, disk=Disk(disturb, dir_fd=dir_fd))
    planned = {"README.md": b"changed\n", "src/app.py": b"x = 3\n"}
    for path in planned:
        repo.read(path)
    with pytest.raises(EditBlocksError):
        repo.write(planned, "")
    left = {name: entry for name, entry in read_folder(root).items() if ".editblocks-" not in name}
    assert left == {name: entry for name, entry in after[0].items() if ".editblocks-" not in name}
    assert (root.parent / "outside/app.py").read_bytes() == b"secret\n"
    assert [place.name for place in (root.parent / "outside").iterdir()] == ["app.py"]


def failure(repo: WorktreeRepo, contents: Mapping[str, bytes | None]) -> RepoError | None:
    try:
        repo.write(contents, "")
    except RepoError as error:
        return error
    return None


@each_way
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS], ids=errno.errorcode.get)
@pytest.mark.long(after=2)
def test_s20_a_fault_at_any_effect_leaves_everything_as_it_was(root: Path, dir_fd: bool, number: int) -> None:
    """Fail the n-th effect for n = 1, 2 … until a run passes without a fault."""
    before = read_folder(root)
    contents = {"src/app.py": b"x = 2\n", "new/deep/file.txt": b"new\n", "README.md": None, "src/other.py": b""}
    for fatal in range(1, 100):
        seen: list[str] = []

        def fail(effect: str, path: str, fatal: int = fatal, seen: list[str] = seen) -> None:
            seen.append(effect)
            if len(seen) == fatal:
                raise OSError(number, os.strerror(number))

        error = failure(WorktreeRepo(root, disk=Disk(fail, dir_fd=dir_fd)), contents)
        if error is None:
            break
        assert os.strerror(number).lower() in error.message
        assert "\n" not in error.message
        assert read_folder(root) == before
    assert fatal > 15
    assert read_folder(root).keys() == {"src/app.py", "new/deep/file.txt", "src/other.py"}


def test_what_cannot_be_put_back_is_named(root: Path) -> None:
    seen: list[str] = []

    def fail(effect: str, path: str) -> None:
        seen.append(effect)
        if effect == "sync" or (effect == "create" and "sync" in seen):
            raise OSError(errno.EIO, "input/output error")

    with pytest.raises(RepoError, match=r"old bytes of src/app\.py cannot be put back"):
        WorktreeRepo(root, disk=Disk(fail)).write({"src/app.py": b"x = 2\n"}, "")
    assert (root / "src/app.py").read_bytes() == b"x = 2\n"


CHILD = """
import resource, sys
from editblocks.core.errors import RepoError
from editblocks.paths.tree import check_tree
from editblocks.repos.directory import Listing, refuse_special_file
from editblocks.repos.tree_modes import EXECUTABLE, FILE
from editblocks.repos.stores.worktree import Disk, WorktreeRepo
repo = WorktreeRepo(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    repo.write({"README.md": b"small\\n", "src/app.py": b"x" * 100_000}, "")
except RepoError as error:
    print(error.message)
"""


@limits_file_size
def test_s20_a_file_size_limit_leaves_no_torn_file(root: Path) -> None:
    before = read_folder(root)
    done = subprocess.run([sys.executable, "-c", CHILD, str(root)], capture_output=True, text=True, check=True)
    assert done.stdout == "src/app.py cannot be written: file too large; nothing was changed\n"
    assert read_folder(root) == before


MODES = [0o644, 0o755, 0o600, 0o640, 0o775, 0o2755]


@pytest.mark.parametrize("mode", MODES, ids=oct)
def test_a_replaced_file_keeps_its_mode_and_owner(root: Path, mode: int) -> None:
    place = root / "src/app.py"
    if is_root():
        give_away(place, 1)  # root can see that a file is not given to root
    place.chmod(mode)
    before = place.stat()
    WorktreeRepo(root).write({"src/app.py": b"x = 2\n"}, "")
    after = place.stat()
    assert (after.st_mode, after.st_uid, after.st_gid, after.st_nlink) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
        1,
    )
    assert after.st_ino != before.st_ino


@pytest.mark.parametrize("mode", [0o444, 0o555, 0o400, 0o466], ids=oct)
@pytest.mark.parametrize("data", [b"x = 2\n", None], ids=["changed", "deleted"])
def test_s20_a_read_only_file_is_named_and_nothing_is_changed(root: Path, mode: int, data: bytes | None) -> None:
    (root / "src/app.py").chmod(mode)
    before = read_folder(root)
    with pytest.raises(RepoError) as caught:
        WorktreeRepo(root).write({"new.txt": b"new\n", "src/app.py": data}, "")
    assert str(caught.value) == "src/app.py is read-only, so nothing was changed; make it writable first"
    assert read_folder(root) == before


def test_a_read_only_file_that_stays_as_it_is_is_in_nobodys_way(root: Path) -> None:
    (root / "src/app.py").chmod(0o444)
    same = (root / "src/app.py").read_bytes()
    WorktreeRepo(root).write({"new.txt": b"new\n", "src/app.py": same}, "")
    assert (root / "new.txt").read_bytes() == b"new\n"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o644), (0o027, 0o640)])
def test_a_new_file_follows_the_umask(root: Path, umask: int, mode: int) -> None:
    old = os.umask(umask)
    try:
        WorktreeRepo(root).write({"new/file.txt": b"new\n"}, "")
    finally:
        os.umask(old)
    assert (root / "new/file.txt").stat().st_mode & 0o7777 == mode
    assert (root / "new").stat().st_mode & 0o7777 == 0o777 & ~umask


def test_a_file_over_the_limit_is_not_loaded(root: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"README\.md has 7 bytes, the limit is 6") as caught:
        WorktreeRepo(root, max_file_bytes=6).read("README.md")
    assert caught.value.code is ReasonCode.TOO_LARGE


@pytest.mark.parametrize("place", ["none", "README.md", "loop"])
def test_a_root_that_is_no_directory_is_one_sentence(root: Path, place: str) -> None:
    (root / "loop").symlink_to("loop")
    with pytest.raises(RepoError) as caught:
        WorktreeRepo(root / place).read("x")
    assert "\n" not in caught.value.message


def test_the_root_may_be_reached_over_a_link(root: Path) -> None:
    (root.parent / "shortcut").symlink_to(root)
    assert WorktreeRepo(root.parent / "shortcut").read("src/app.py") == b"x = 1\n"


def test_only_directories_that_a_deletion_emptied_are_removed(root: Path) -> None:
    (root / "a/b/c").mkdir(parents=True)
    (root / "a/b/c/file").write_bytes(b"")
    (root / "a/keep").write_bytes(b"")
    WorktreeRepo(root).write({"a/b/c/file": None}, "")
    assert sorted(place.name for place in (root / "a").iterdir()) == ["keep"]


def test_a_name_that_the_system_refuses_is_one_sentence(root: Path) -> None:
    with pytest.raises(RepoError, match="file name too long"):
        WorktreeRepo(root).read("x" * 300)
