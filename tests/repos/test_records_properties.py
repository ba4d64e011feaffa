"""Any sequence of apply, undo and redo, with foreign edits in between: no byte is lost, modes come back exactly."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.gitkit import FILE, make_repository
from support.killkit import folder_state

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, Refused, RepoError
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.repos.undo import undo_write

NAMES = ["a", "b", "dir/c", "dir/deep/d"]
DATA = st.sampled_from([None, b"", b"1\n", b"2\n", b"\0\xff\r"])
APPLY = st.tuples(st.just("apply"), st.dictionaries(st.sampled_from(NAMES), DATA, min_size=1))
EDIT = st.tuples(st.just("edit"), st.sampled_from(NAMES), DATA)
CHMOD = st.tuples(st.just("chmod"), st.sampled_from(NAMES), st.sampled_from([0o644, 0o600, 0o755, 0o444]))
TURN = st.sampled_from([("undo",), ("redo",)])
STEPS = st.lists(st.one_of(APPLY, EDIT, CHMOD, TURN, TURN), max_size=14)
Files = dict[str, tuple[bytes, int]]


def files(root: Path) -> Files:
    found = {name: root / name for name in NAMES}
    return {name: (it.read_bytes(), it.stat().st_mode & 0o7777) for name, it in found.items() if it.is_file()}


def act(root: Path, step: Sequence[object]) -> str | None:
    """Carry out one step; the id of the entry that it made or turned, or why it is refused."""
    match step:
        case ("apply", dict(contents)):
            repo = WorktreeRepo(root)
            try:
                repo.write(contents, "")
            except RepoError as error:  # a file is read-only
                return error.code
            return repo.record_id
        case ("edit", str(name), bytes(data)):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).unlink(missing_ok=True)
            (root / name).write_bytes(data)
        case ("edit", str(name), _):
            (root / name).unlink(missing_ok=True)
        case ("chmod", str(name), int(mode)):
            if (root / name).exists():
                (root / name).chmod(mode)
        case (way,):
            try:
                return undo_write(root, None, redo=way == "redo").id
            except (Refused, RepoError) as error:
                return error.code
    return None


@pytest.mark.long
@settings(deadline=None)
@given(STEPS)
def test_nothing_is_ever_lost(steps: Sequence[Sequence[object]]) -> None:
    """Each undo gives what was there before that apply, each redo what was there after it, or nothing changes."""
    with tempfile.TemporaryDirectory() as folder:
        root = make_repository(Path(folder) / "root", {"a": (FILE, b"1\n"), "dir/c": (FILE, b"2\n")})
        sides: dict[str, tuple[Files, Files]] = {}
        for step in steps:
            before, state = files(root), folder_state(root)
            name = act(root, step)
            after = files(root)
            if name in (ReasonCode.DIRTY_FILE, ReasonCode.BAD_COMMAND, ReasonCode.UNAVAILABLE):
                assert folder_state(root) == state, "what is refused changes nothing"
            elif step[0] == "apply" and name is not None:
                changed = {path for path in NAMES if before.get(path) != after.get(path)}
                sides[name] = only(before, changed), only(after, changed)
            elif name is not None:
                check_turn(step[0] == "redo", sides[name], before, after)
        assert [place.name for place in root.rglob(".editblocks-*")] == []


def only(found: Files, names: set[str]) -> Files:
    return {name: found[name] for name in names if name in found}


def check_turn(redo: bool, sides: tuple[Files, Files], before: Files, after: Files) -> None:
    goal, other = (sides[1], sides[0]) if redo else sides
    names = {*goal, *other}
    assert {name: data for name, (data, _) in only(after, names).items()} == {n: d for n, (d, _) in goal.items()}
    assert {name: it for name, it in after.items() if name not in names} == {
        name: it for name, it in before.items() if name not in names
    }
    for name in names & goal.keys():
        # a file that was there keeps the mode that a person may have given it; one that comes back has git's
        assert after[name][1] == (before[name][1] if name in before else 0o755 if goal[name][1] & 0o100 else 0o644)


MODES = [(mode, data) for mode in (0o644, 0o755, 0o600, 0o640, 0o664, 0o2755) for data in (b"2\n", None)]
KEPT = [(mode, data) for mode, data in MODES if data or mode in (0o644, 0o755)]  # what comes back has git's mode


@pytest.mark.parametrize(
    ("mode", "new"), [*KEPT[:2], *(pytest.param(*each, marks=pytest.mark.long) for each in KEPT[2:])]
)
@pytest.mark.long(after=1)
def test_undo_restores_bytes_and_modes_exactly(tmp_path: Path, mode: int, new: bytes | None) -> None:
    root = make_repository(tmp_path / "root", {"deep/er/a": (FILE, b"\xff\r\n1")})
    (root / "deep/er/a").chmod(mode)
    before = folder_state(root)
    contents: Mapping[str, bytes | None] = {"deep/er/a": new, "made/for/this": b"1\n"}
    repo = WorktreeRepo(root)
    repo.write(contents, "")
    after = folder_state(root)
    for _ in range(2):
        undo_write(root, repo.record_id)
        assert folder_state(root) == before
        undo_write(root, repo.record_id, redo=True)
        assert folder_state(root) == after


@pytest.mark.long
def test_a_directory_that_somebody_uses_stays(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "root", {"a": (FILE, b"1\n")})
    WorktreeRepo(root).write({"made/b": b"1\n", "made/er/c": b"1\n"}, "")
    (root / "made/theirs").write_bytes(b"theirs\n")
    undo_write(root, None)
    assert sorted(folder_state(root)) == ["a", "made", "made/theirs"]


def replaced_by_a_link(root: Path) -> None:
    (root / "new").unlink()
    (root / "new").symlink_to("a")


def given_a_second_name(root: Path) -> None:
    (root / "other").hardlink_to(root / "new")


def in_a_directory_that_is_a_link(root: Path) -> None:
    (root / "dir").rename(root / "away")
    (root / "dir").symlink_to("away")


CHANGES = [replaced_by_a_link, given_a_second_name, in_a_directory_that_is_a_link]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.long
def test_a_file_that_is_not_as_the_apply_left_it_is_not_taken_back(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    root = make_repository(tmp_path / "root", {"a": (FILE, b"1\n"), "dir/b": (FILE, b"1\n")})
    WorktreeRepo(root).write({"a": b"2\n", "new": b"1\n", "dir/b": b"2\n"}, "")
    change(root)
    before = folder_state(root)
    with pytest.raises(EditBlocksError, match=r"(new|dir/b) changed since 2\d+-1, so nothing was undone") as caught:
        undo_write(root, None)
    assert caught.value.code is ReasonCode.DIRTY_FILE
    assert folder_state(root) == before
