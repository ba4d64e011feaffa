"""Ctrl-C right after a call of the system: Python raises it before the next step, which could not note the call yet."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import FrameType

import pytest
from support.killkit import SCENES, folder_state, leftovers, make, nothing, prepare, write
from support.records import kept

from editblocks.repos.records import is_unfinished
from editblocks.repos.stores.worktree import WorktreeRepo

OURS = str(Path("editblocks", "repos"))
CALLS = ["unlink", "mkdir", "open", "fsync", "fchmod"]


@contextmanager
def interrupted(call: str, number: int) -> Iterator[list[str]]:
    """Raise `KeyboardInterrupt` right after the `number`-th such call of our stores; where it was is added."""
    calls, at = count(1), list[str]()

    def profile(frame: FrameType, event: str, arg: object) -> None:
        is_one = event == "c_return" and getattr(arg, "__name__", "") == call and OURS in frame.f_code.co_filename
        if is_one and not at and next(calls) == number:
            at.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}")
            raise KeyboardInterrupt

    sys.setprofile(profile)
    try:
        yield at
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("call", ["replace", *(pytest.param(it, marks=pytest.mark.long) for it in CALLS)])
@pytest.mark.parametrize("scene", ["apply", pytest.param("undo", marks=pytest.mark.long)])
@pytest.mark.long
def test_s19_an_interrupt_after_any_call_leaves_all_old_or_all_new(tmp_path: Path, scene: str, call: str) -> None:
    model = make(tmp_path / "model")
    prepare(scene, model)
    before = folder_state(model)
    SCENES[scene](model, nothing)
    sides = before, folder_state(model)
    for number in range(1, 200):
        root = make(tmp_path / str(number))
        prepare(scene, root)
        with interrupted(call, number) as at:
            if _ends(scene, root):
                break
        assert folder_state(root) in sides or is_unfinished(root / ".git"), at
        WorktreeRepo(root).recover()
        state, steps = folder_state(root), list(kept(root).values())
        assert (state in sides, leftovers(root)) == (True, []), at
        assert steps == ([] if scene == "apply" and state == before else [_step(scene, state == before)]), at
    assert number > 1


def _ends(scene: str, root: Path) -> bool:
    try:
        SCENES[scene](root, nothing)
    except KeyboardInterrupt:
        return False
    return True


def _step(scene: str, is_old: bool) -> str:
    return "undone" if (scene == "undo") is not is_old else "done"


@pytest.mark.parametrize("path", ["src/app.py", "new/deep/file.txt"])
def test_a_file_that_somebody_puts_there_before_it_is_replaced_is_theirs(tmp_path: Path, path: str) -> None:
    root = make(tmp_path / "root")
    before = folder_state(root)

    def interrupt(effect: str, at: str) -> None:
        if (effect, at) == ("replace", path):
            (root / "theirs").write_bytes(b"theirs\n")
            (root / "theirs").replace(root / path)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(root, interrupt)
    assert (root / path).read_bytes() == b"theirs\n"
    others = {name: state for name, state in folder_state(root).items() if name in before and name != path}
    assert others == {name: state for name, state in before.items() if name != path}
    assert leftovers(root) == []
