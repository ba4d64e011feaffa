"""Writes to a disk that gets full: in memory, mounted where only this process sees it, with room for so much more.

`python -m support.faults.disks COUNT SEED` is started by `many` in a namespace of its own, in which it may mount.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from support.killkit import SCENES, agrees, folder_state, leftovers, make, nothing, once_more, prepare
from support.project import TESTS

from editblocks.core.errors import EditBlocksError

SPACE = "size=16m,nr_inodes=4000"  # enough for everything
OWN = ("unshare", "--map-root-user", "--mount")
_SCENES = ("apply", "undo", "commit", "index")
_PAGES, _INODES = 45, 60  # free at most: about what a write needs


class Room(NamedTuple):
    """What a write does, and what is free for it."""

    scene: str
    pages: int
    inodes: int


def many(count: int, number: int) -> str:
    """So many disks; how many were full before the write had come to its end."""
    if not can_mount():
        return "left out: unshare may not mount here"
    command = [*OWN, sys.executable, "-m", "support.faults.disks", str(count), str(number)]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def can_mount() -> bool:
    """Whether a process may have a namespace of its own."""
    return shutil.which(OWN[0]) is not None and subprocess.run([*OWN, "true"], check=False).returncode == 0


def write_to_full_disks(count: int, number: int) -> str:
    """Each of the disks in turn."""
    dice = Random(number)  # noqa: S311
    ends: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        news = {scene: end_of(Path(folder), scene) for scene in _SCENES}
        for _ in range(count):
            room = Room(dice.choice(_SCENES), dice.randrange(_PAGES), dice.randrange(_INODES))
            ends[fill(Path(folder), room, news[room.scene])] += 1
    return (
        f"{ends.total():,} disks, {ends['done']:,} writes had room, {ends['refused']:,} said why not and left all old, "
        f"{ends['repaired']:,} left it to the next start"
    )


def end_of(folder: Path, scene: str) -> object:
    """The files after a write with room."""
    root = make(folder / scene)
    prepare(scene, root)
    SCENES[scene](root, nothing)
    return folder_state(root)


def fill(folder: Path, room: Room, new: object) -> str:
    """A write to a disk with little room: `done`, `refused`, or `repaired` by the next start."""
    disk = folder / "disk"
    disk.mkdir(exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", SPACE, "tmpfs", str(disk))
    try:
        root = make(disk / "root")
        prepare(room.scene, root)
        old = folder_state(root)
        leave(disk, room)
        said = message(root, room.scene)
        between = folder_state(root)
        _run("mount", "-o", f"remount,{SPACE}", str(disk))
        assert said is None or "\n" not in said, (room, said)
        is_repaired = between not in (old, new) or bool(leftovers(root))
        once_more(root, room.scene)
        after = folder_state(root)
        assert after == new or (said and after == old), (room, said, after)
        state = "new" if after == new else "old"
        assert (leftovers(root), agrees(root, room.scene, state)) == ([], True), (room, said)
    finally:
        _run("umount", str(disk))
    if said is None:
        return "done"
    return "repaired" if is_repaired else "refused"


def leave(disk: Path, room: Room) -> None:
    """Make the disk so small that it has this room."""
    if sys.platform == "win32":
        raise NotImplementedError
    now = os.statvfs(disk)
    size = (now.f_blocks - now.f_bfree + room.pages) * now.f_frsize
    _run("mount", "-o", f"remount,size={size},nr_inodes={now.f_files - now.f_ffree + room.inodes}", str(disk))


def message(root: Path, scene: str) -> str | None:
    """What a write says that could not be done."""
    try:
        SCENES[scene](root, nothing)
    except EditBlocksError as error:
        return error.message
    return None


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    print(write_to_full_disks(int(sys.argv[1]), int(sys.argv[2])))
