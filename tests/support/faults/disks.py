"""Write to disks that become full: tmpfs file systems with little free space, mounted only for one process.

`many` starts `python -m support.faults.disks COUNT SEED` in its own mount namespace, where it may mount.
"""

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

SPACE = "size=16m,nr_inodes=4000"  # enough for any write
OWN = ("unshare", "--map-root-user", "--mount")
_SCENES = ("apply", "undo", "commit", "index")
_PAGES, _INODES = 45, 60  # the free space is less than this, which is about what a write needs


class Room(NamedTuple):
    """A scene of `killkit`, and the free memory pages and inodes of its disk."""

    scene: str
    pages: int
    inodes: int


def many(count: int, number: int) -> str:
    """Try `count` disks, in another process. Return a sentence about how the writes ended. `number` is the seed."""
    if not can_mount():
        return "left out: unshare may not mount here"
    command = [*OWN, sys.executable, "-m", "support.faults.disks", str(count), str(number)]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def can_mount() -> bool:
    """Whether a process here may create a mount namespace."""
    return shutil.which(OWN[0]) is not None and subprocess.run([*OWN, "true"], check=False).returncode == 0


def write_to_full_disks(count: int, number: int) -> str:
    """Write to `count` disks with random free space, and return a sentence about how the writes ended."""
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
    """The files after a write with enough space."""
    root = make(folder / scene)
    prepare(scene, root)
    SCENES[scene](root, nothing)
    return folder_state(root)


def fill(folder: Path, room: Room, new: object) -> str:
    """Write to a disk with little space. Return `done`, `refused`, or `repaired` (by the next process)."""
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
    """Shrink the disk so that it has only this free space left."""
    if sys.platform == "win32":
        raise NotImplementedError
    now = os.statvfs(disk)
    size = (now.f_blocks - now.f_bfree + room.pages) * now.f_frsize
    _run("mount", "-o", f"remount,size={size},nr_inodes={now.f_files - now.f_ffree + room.inodes}", str(disk))


def message(root: Path, scene: str) -> str | None:
    """Run the write of a scene, and return its error message; None if it succeeds."""
    try:
        SCENES[scene](root, nothing)
    except EditBlocksError as error:
        return error.message
    return None


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    print(write_to_full_disks(int(sys.argv[1]), int(sys.argv[2])))
