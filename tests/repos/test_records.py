"""What is kept of the writes to a working tree: its ids, its lock, and what is taken from strangers."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.faults import races
from support.gitkit import EXECUTABLE, FILE, Entry, git, line, make_repository, read_folder
from support.killkit import folder_state
from support.project import TESTS
from support.records import interrupt, kept
from support.repositories import open_sealed

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, Refused, RepoError
from editblocks.repos.git.repository import Mode, git_folder
from editblocks.repos.records import KEPT, PREFIX, FileChange, Record, Records, Step, locked_records
from editblocks.repos.stores.worktree import Disk, WorktreeRepo
from editblocks.repos.undo import choose, history, undo_write

SHOP: Mapping[str, Entry] = {"README.md": (FILE, b"# Shop\n"), "src/app.py": (FILE, b"x = 1\n")}
NOON = 1795089600.0  # 2026-11-19T12:00:00Z


def apply(root: Path, contents: Mapping[str, bytes | None], clock: float = NOON) -> str | None:
    repo = WorktreeRepo(root, disk=Disk(clock=lambda: clock))
    repo.write(contents, "")
    return repo.record_id


CHANGES = [
    FileChange("a.py", (FILE, b"1\n"), (FILE, b"2\n")),
    FileChange("new/caf\udce9\n", None, (FILE, b"\0\xff\r\n")),
    FileChange("gone", (EXECUTABLE, b""), None),
]


def test_what_was_kept_is_read_again(shop: Path) -> None:
    records = Records(open_sealed(shop))
    record = records.begin(CHANGES, "files", NOON)
    assert sorted(records.load(record)) == sorted(CHANGES)
    again = Records(open_sealed(shop)).all()
    assert again == [record]
    assert (record.id, record.step, record.kind, record.time) == ("20261119-1", Step.APPLYING, "files", int(NOON))
    assert git(shop, "fsck", "--strict", "--no-dangling") == b""  # the tag of the next step is there beforehand


def _raw(shop: Path, name: str, record: str, *rows: str) -> None:
    """A ref of somebody else's making; each row is `MODE PATH`, and its bytes are `x`. No record: a tree."""
    blob = line(shop, "rev-parse", "HEAD:README.md")
    made = _tree(shop, {row.partition(" ")[2]: (row.partition(" ")[0], blob) for row in rows})
    if record:
        tag = f"object {made}\ntype tree\ntag {name}\ntagger x <> 1 +0000\n\n{record}"
        (shop.parent / "record").write_text(tag)
        made = line(shop, "hash-object", "-t", "tag", "-w", str(shop.parent / "record"))
    git(shop, "update-ref", f"{PREFIX}{name}", made)


def _tree(shop: Path, entries: Mapping[str, tuple[str, str]]) -> str:
    index = {**os.environ, "GIT_INDEX_FILE": str(shop.parent / "made.index")}
    (shop.parent / "made.index").unlink(missing_ok=True)
    lines = "".join(f"{mode} {oid}\t{path}\n" for path, (mode, oid) in entries.items())
    subprocess.run(
        ["git", "-C", str(shop), "update-index", "--index-info"], input=lines.encode(), env=index, check=True
    )
    return subprocess.run(
        ["git", "-C", str(shop), "write-tree"], env=index, check=True, capture_output=True, text=True
    ).stdout.strip()


OURS = (
    '{"step": "done", "begun": 1, "changed": 1, "kind": "files", "worktree": ".", "time": 1795089600, "commit": "",'
    ' "origin": {"answer": "", "blocks": {}}}'
)


@pytest.mark.parametrize("name", ["topic", "20261119-0", "2026111-1", "20261119-1/x"])
def test_a_ref_that_is_none_of_ours_is_passed_over(shop: Path, name: str) -> None:
    _raw(shop, name, OURS, "100644 before/README.md")
    assert history(shop) == []


NO_RECORDS = [
    "",
    "something else",
    "[]",
    "[" * 100_000,
    "\udcff",
    OURS[:-1],
    OURS.replace('"step": "done", ', ""),
    OURS.replace("done", "gone"),
    OURS.replace('"done"', "[]"),
    OURS.replace('"begun": 1', '"begun": "1"'),
    OURS.replace('"begun": 1', '"begun": -1'),
    OURS.replace('"begun": 1', '"begun": 1e99'),
    OURS.replace('"changed": 1', '"changed": true'),
    OURS.replace("files", "all"),
    OURS.replace('"."', "null"),
    OURS.replace('"commit": ""', '"commit": "--all"'),
    OURS.replace('"commit": ""', '"commit": 1'),
    OURS.replace('"answer": ""', '"answer": 1'),
    OURS.replace('"answer": "", ', '"answer": "", "more": 1, '),
    OURS.replace('"blocks": {}', '"blocks": []'),
    OURS.replace('"blocks": {}', '"blocks": {"a": "1"}'),
    OURS.replace('"blocks": {}', '"blocks": {"a": [1]}'),
    OURS.replace('"commit": ""', '"commit": "", "id": "x"'),
    OURS.replace('"commit": ""', '"commit": "", "tip": "x"'),
]


@pytest.mark.parametrize("record", NO_RECORDS)
@pytest.mark.long(after=1)
def test_a_record_that_cannot_be_read_is_none(shop: Path, record: str) -> None:
    """A repository may come with refs that somebody else made, or an older version of this program."""
    apply(shop, {"README.md": b"1\n"})
    _raw(shop, "20261119-7", record.encode("utf-8", "surrogatepass").decode("latin-1"), "100644 before/README.md")
    assert [record.id for record, _ in history(shop)] == ["20261119-1"]
    with pytest.raises(Refused, match="there is no apply `20261119-7` here; see editblocks undo --list"):
        undo_write(shop, "20261119-7")
    assert undo_write(shop, None).id == "20261119-1"
    assert apply(shop, {"README.md": b"2\n"}) == "20261119-8", "its name stays its own"


@pytest.mark.parametrize("kind", ["commit", "tree", "blob", "tag of a commit", "too large"])
def test_what_is_no_tag_of_a_tree_is_no_record(shop: Path, kind: str) -> None:
    """Somebody else made it, or an earlier version, which kept commits and then trees."""
    made = {
        "commit": line(shop, "rev-parse", "HEAD"),
        "tree": line(shop, "rev-parse", "HEAD^{tree}"),
        "blob": line(shop, "rev-parse", "HEAD:README.md"),
    }
    if kind in made:
        git(shop, "update-ref", f"{PREFIX}20261119-1", made[kind])
    elif kind == "too large":
        _raw(shop, "20261119-1", OURS + " " * 4 * 1024 * 1024, "100644 before/README.md")
    else:
        git(shop, "-c", "user.name=x", "-c", "user.email=x@example.org", "tag", "-a", "-m", OURS, "x", "HEAD")
        git(shop, "update-ref", f"{PREFIX}20261119-1", "refs/tags/x")
    assert history(shop) == []


@pytest.mark.parametrize("act", [history, lambda shop: apply(shop, {"README.md": b"2\n"})], ids=["list", "apply"])
def test_a_tag_that_git_has_lost_is_said(shop: Path, act: Callable[[Path], object]) -> None:
    """Without it nobody knows whether a write is under way, so nothing is written."""
    apply(shop, {"README.md": b"1\n"})
    tag = line(shop, "rev-parse", f"{PREFIX}20261119-1")
    (shop / ".git/objects" / tag[:2] / tag[2:]).unlink()
    words = f"missing object {tag} for {PREFIX}20261119-1; nothing was written"
    with pytest.raises(RepoError, match=f"^git for-each-ref failed: {words}$"):
        act(shop)
    assert (shop / "README.md").read_bytes() == b"1\n"


def test_records_are_in_no_history_and_git_is_content_with_them(shop: Path) -> None:
    """Amendment D: `git log --all`, and what draws the history, show nothing of ours."""
    before = git(shop, "log", "--all", "--oneline")
    apply(shop, {"README.md": None, "src/app.py": b"x = 2\n", "new/a": b"1\n"})
    undo_write(shop, None)
    undo_write(shop, None, redo=True)
    assert git(shop, "log", "--all", "--oneline") == before == git(shop, "log", "--all", "--oneline", "--reflog")
    assert line(shop, "cat-file", "-t", f"{PREFIX}20261119-1^{{}}") == "tree"
    every = git(shop, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").decode().split()
    assert every.count("commit") == len(before.splitlines())
    assert git(shop, "fsck", "--strict", "--no-dangling") == b""
    git(shop, "gc", "--quiet", "--prune=now")
    assert git(shop, "fsck", "--strict") == b""
    assert git(shop, "show", f"{PREFIX}20261119-1:before/README.md") == b"# Shop\n"
    undo_write(shop, None)
    assert git(shop, "status", "--porcelain") == b""


UNUSABLE = [
    ("120000 after/link", "link is 120000 there"),
    ("100644 after/../x", "not a path inside the repository"),
    ("160000 before/lib", "lib is 160000 there"),
]


@pytest.mark.parametrize(("row", "words"), UNUSABLE[::2])
def test_what_no_write_of_ours_could_be_is_not_used(shop: Path, row: str, words: str) -> None:
    """A repository may come with refs that somebody else made."""
    _raw(shop, "20261119-1", OURS, row)
    before = read_folder(shop)
    with pytest.raises(RepoError, match=r"refs/editblocks/apply/20261119-1 cannot be used: .*update-ref -d") as caught:
        undo_write(shop, None)
    assert words in caught.value.message
    assert read_folder(shop) == before
    [(_, problem)] = history(shop)
    assert isinstance(problem, RepoError)


def test_bytes_that_git_has_lost_are_said(shop: Path) -> None:
    apply(shop, {"README.md": b"1\n"})
    blob = line(shop, "rev-parse", f"{PREFIX}20261119-1:after/README.md")
    (shop / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(RepoError, match=r"cannot be used: the bytes of after/README\.md are not in this repository"):
        undo_write(shop, None)
    assert (shop / "README.md").read_bytes() == b"1\n"


STEPS = {"d": Step.DONE, "u": Step.UNDONE}
CHOICES = [  # the steps of the writes, whose last changes came in this order, too; undo takes, redo takes
    ("d", 1, None),
    ("u", None, 1),
    ("ddd", 3, None),
    ("ddu", 2, 3),
    ("duu", 1, 3),
    ("uuu", None, 3),
    ("dud", 3, 2),
    ("", None, None),
]


@pytest.mark.parametrize(("steps", "undoes", "redoes"), CHOICES)
def test_which_write_is_meant(steps: str, undoes: int | None, redoes: int | None) -> None:
    records = [Record(f"20261121-{n}", STEPS[step], n, n, "files", ".", "") for n, step in enumerate(steps, 1)]
    for redo, expected in ((False, undoes), (True, redoes)):
        if expected is None:
            with pytest.raises(EditBlocksError, match="see editblocks undo --list") as caught:
                choose(records, None, redo)
            assert caught.value.code is ReasonCode.BAD_COMMAND
        else:
            assert choose(records, None, redo).begun == expected


@pytest.mark.long
def test_redo_writes_again_what_was_undone_last(shop: Path) -> None:
    for number in (1, 2, 3):
        apply(shop, {f"{number}.txt": b"new\n"})
    undo_write(shop, "20261119-1")
    assert [undo_write(shop, None).id for _ in range(2)] == ["20261119-3", "20261119-2"]
    assert [undo_write(shop, None, redo=True).id for _ in range(3)] == ["20261119-2", "20261119-3", "20261119-1"]


def test_a_new_write_ends_the_redo_of_older_ones(shop: Path) -> None:
    apply(shop, {"README.md": b"1\n"})
    undo_write(shop, None)
    apply(shop, {"src/app.py": b"x = 2\n"})
    assert kept(shop) == {"20261119-2": "done"}
    with pytest.raises(EditBlocksError, match="nothing to redo"):
        undo_write(shop, None, redo=True)


def test_files_that_are_as_before_already_are_passed_over(shop: Path) -> None:
    apply(shop, {"README.md": b"1\n", "src/app.py": b"x = 2\n"})
    git(shop, "restore", "README.md")
    result = undo_write(shop, None)
    assert [change.path for change in result.changes or ()] == ["src/app.py"]
    assert git(shop, "status", "--porcelain") == b""


@pytest.mark.long
def test_ids_count_the_writes_of_a_day(shop: Path) -> None:
    times = [NOON, NOON, NOON + 86_400, NOON, NOON + 86_400]
    ids = [apply(shop, {"README.md": b"%d\n" % number}, clock) for number, clock in enumerate(times)]
    assert ids == ["20261119-1", "20261119-2", "20261120-1", "20261119-3", "20261120-2"]
    assert undo_write(shop, None).id == "20261120-2", "the last one, whatever the clock said"


def test_a_write_that_changes_nothing_is_not_kept(shop: Path) -> None:
    repo = WorktreeRepo(shop)
    repo.write({"README.md": b"# Shop\n", "none": None}, "")
    assert (repo.record_id, kept(shop)) == (None, {})


@pytest.mark.long
def test_undo_and_redo_each_way(shop: Path) -> None:
    before = read_folder(shop)
    apply(shop, {"README.md": None, "src/app.py": b"x = 2\n", "new/a": b"1\n"})
    after = read_folder(shop)
    assert undo_write(shop, None).changes
    assert read_folder(shop) == before
    undo_write(shop, None, redo=True)
    assert read_folder(shop) == after


def test_a_folder_without_a_repository_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert apply(tmp_path / "plain", {"a": b"1\n"}) is None
    assert not (tmp_path / "plain/.git").exists()
    with pytest.raises(EditBlocksError, match="is not the top of a git repository") as caught:
        undo_write(tmp_path / "plain", None)
    assert caught.value.code is ReasonCode.BAD_CONFIG


@pytest.mark.long
def test_a_linked_working_tree_has_writes_of_its_own(shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "linked"))
    first, second = apply(shop, {"README.md": b"1\n"}), apply(tmp_path / "linked", {"README.md": b"2\n"})
    assert (first, second) == ("20261119-1", "20261119-2")
    assert undo_write(shop, None).id == first
    assert ((shop / "README.md").read_bytes(), (tmp_path / "linked/README.md").read_bytes()) == (b"# Shop\n", b"2\n")
    assert kept(shop) == {first: "undone", second: "done"}
    assert git(shop, "fsck", "--no-dangling") == b""
    git(shop, "worktree", "remove", "--force", str(tmp_path / "linked"))


@pytest.mark.parametrize("text", ["gitdir: \n", "gitdir: none\n", "odd\n", "gitdir: \0\n", "x" * 70_000])
def test_a_git_file_that_names_nothing_is_no_repository(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    assert git_folder(tmp_path) is None


@pytest.mark.long
def test_old_writes_go_when_there_are_many(shop: Path) -> None:
    for number in range(KEPT + 3):
        apply(shop, {"README.md": b"%d\n" % number})
    names = kept(shop)
    assert (len(names), "20261119-1" in names, f"20261119-{KEPT + 3}" in names) == (KEPT, False, True)


HOLDER = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from editblocks.repos.git.repository import open_repository
from editblocks.repos.records import locked_records
with locked_records(open_repository(Path(sys.argv[2]))):
    print(os.getpid(), flush=True)
    sys.stdin.read()
"""


def locked_write(root: Path) -> None:
    WorktreeRepo(root, repository=open_sealed(root, mode=Mode.USER, lock_seconds=0.1)).write({"README.md": b"2\n"}, "")


def locked_undo(root: Path) -> None:
    undo_write(root, None, lock_seconds=0.1)


@pytest.mark.long
@pytest.mark.parametrize("act", [locked_write, locked_undo])
def test_the_lock_of_another_process_is_waited_for_and_named(shop: Path, act: Callable[[Path], None]) -> None:
    apply(shop, {"README.md": b"1\n"})
    command = [sys.executable, "-c", HOLDER, str(TESTS), str(shop)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdin
        holder.stdout.readline()
        before = read_folder(shop)
        with pytest.raises(RepoError, match=r"another editblocks is writing here \(.*editblocks/lock\); try again"):
            act(shop)
        assert read_folder(shop) == before
        holder.stdin.close()
    assert apply(shop, {"README.md": b"2\n"}) == "20261119-2"


@pytest.mark.long
def test_a_lock_whose_owner_was_killed_is_free(shop: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(TESTS), str(shop)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        holder.stdout.readline()
        holder.kill()
    WorktreeRepo(shop, repository=open_sealed(shop, mode=Mode.USER)).write({"README.md": b"2\n"}, "")
    assert (shop / "README.md").read_bytes() == b"2\n"


@pytest.mark.long(minutes=True)
@pytest.mark.table(parts=2)
@pytest.mark.parametrize("kind", ["files", "index", "commit"])
@pytest.mark.parametrize(("processes", "writes"), [(2, 8), pytest.param(4, 40, marks=pytest.mark.long)])
def test_s19_processes_at_once_are_one_after_another(tmp_path: Path, kind: str, processes: int, writes: int) -> None:
    root = make_repository(tmp_path / "root", races.SHOP)
    races.race(root, kind, processes, writes)
    assert len(kept(root)) == min(KEPT, processes * writes)


# Somebody else's hand in the records.


def link_for_the_folder(shop: Path) -> None:
    (shop / ".git/editblocks").rename(shop.parent / "away")
    (shop / ".git/editblocks").symlink_to(shop.parent / "away")


def link_for_the_lock(shop: Path) -> None:
    (shop / ".git/editblocks/lock").unlink()
    (shop / ".git/editblocks/lock").symlink_to(shop / "README.md")


STRANGERS = [link_for_the_folder, link_for_the_lock]


@pytest.mark.parametrize("make", STRANGERS)
@pytest.mark.long
def test_a_lock_that_is_not_as_we_left_it_is_not_used(shop: Path, make: Callable[[Path], None]) -> None:
    apply(shop, {"README.md": b"1\n"})
    make(shop)
    with pytest.raises(RepoError, match=r"\.git/editblocks"):
        undo_write(shop, None)
    assert (shop / "README.md").read_bytes() == b"1\n"


PROTECTED: Mapping[str, bytes | None] = {"action.yml": b"runs:\n", "README.md": b"1\n"}


@pytest.mark.long
def test_files_that_decide_what_runs_are_written_on_a_persons_word_alone(shop: Path) -> None:
    """A repository may come with records that somebody else made."""
    apply(shop, PROTECTED)
    words = r"20261119-1 changed .* file .*action\.yml; to {0} it all the same, name it: editblocks undo 20261119-1"
    with pytest.raises(EditBlocksError, match=words.format("undo")) as caught:
        undo_write(shop, None)
    assert caught.value.code is ReasonCode.NOT_ALLOWED
    assert (shop / "action.yml").exists()
    undo_write(shop, "20261119-1")
    assert not (shop / "action.yml").exists()
    with pytest.raises(EditBlocksError, match=words.format("redo") + " --redo"):
        undo_write(shop, None, redo=True)
    undo_write(shop, "20261119-1", redo=True)
    assert (shop / "action.yml").read_bytes() == b"runs:\n"


@pytest.mark.long
def test_an_interrupted_write_of_such_a_file_waits_for_that_word(shop: Path) -> None:
    before = read_folder(shop)
    apply(shop, PROTECTED)
    interrupt(shop, "20261119-1")
    (shop / "README.md").write_bytes(b"# Shop\n")
    for act in (WorktreeRepo(shop).recover, lambda: apply(shop, {"README.md": b"2\n"}), lambda: undo_write(shop, None)):
        with pytest.raises(EditBlocksError, match="to undo it all the same, name it: editblocks undo 20261119-1"):
            act()
    done = undo_write(shop, "20261119-1")
    assert (done.changes, [it.finished for it in done.recoveries]) == (None, [False])
    assert read_folder(shop) == before


def test_the_lock_is_there_only_as_long_as_it_is_held(shop: Path) -> None:
    repository = open_sealed(shop)
    with (
        locked_records(repository),
        pytest.raises(RepoError, match="another editblocks is writing here"),
        locked_records(repository),
    ):
        raise AssertionError
    with locked_records(repository) as records:
        assert records.all() == []


READ_ONLY = [("src/app.py", False), ("src/app.py", True), ("new.txt", False), ("README.md", True)]


@pytest.mark.parametrize(("path", "redo"), READ_ONLY)
@pytest.mark.long
def test_s20_a_read_only_file_is_neither_undone_nor_written_again(shop: Path, path: str, redo: bool) -> None:
    apply(shop, {"src/app.py": b"x = 2\n", "README.md": None, "new.txt": b"1\n"})
    if redo:
        undo_write(shop, None)
    (shop / path).chmod(0o444)
    before = folder_state(shop), kept(shop)
    with pytest.raises(RepoError, match=f"^{path} is read-only, so nothing was changed; make it writable first$"):
        undo_write(shop, None, redo=redo)
    assert (folder_state(shop), kept(shop)) == before
    (shop / path).chmod(0o644)
    undo_write(shop, None, redo=redo)
