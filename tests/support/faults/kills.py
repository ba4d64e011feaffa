"""Kill a write at one of its system calls, with strace. After the next start, all files must be old or all new."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from support import gitkit
from support.killkit import PLAN, folder_state, leftovers, make, opened, staged
from support.project import TESTS

from editblocks.core.errors import HeadMoved, RepoError

STRACE = shutil.which("strace")
TWO_FILES: Mapping[str, bytes | None] = {"src/app.py": b"x = 2\n", "bin/run": b"#!/bin/bash\n"}
TRACED = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from editblocks.core.errors import EditBlocksError
from support.killkit import opened
plan = {path: text and text.encode() for path, text in json.loads(sys.argv[4]).items()}
repo = opened(Path(sys.argv[2]), sys.argv[3])
for path in plan:
    repo.read(path)
Path(sys.argv[2]).parent.joinpath("begin").exists()
try:
    repo.write(plan, "")
except EditBlocksError as error:
    print(error.message)
"""
_OF_A_PLAN = 25  # kills per plan, at random calls
_START = re.compile(r"^(vfork|fork|clone3?)\(")
_CHANGE = re.compile(
    r"^(write|rename\w*|link\w*|unlink\w*|mkdir\w*|rmdir|fsync|fchmod\w*|chmod|utime\w*|sendfile)\(|O_CREAT"
)
# Calls for memory and at exit: they change no file, and their number differs from run to run.
_OF_NO_EFFECT = ("brk", "exit_group", "madvise", "mmap", "mremap", "munmap", "rt_sigaction")
_CALL = re.compile(r"^(?:\d+ +)?([a-z_0-9]+)\(")


def traced(
    root: Path, *options: str, kind: str = "files", plan: Mapping[str, bytes | None] = TWO_FILES
) -> tuple[int, str, list[str]]:
    """Write the plan to `root` under strace, and return exit status, output and traced system calls.

    `options` are those of strace, `kind` is as in `killkit.opened`.
    """
    log = root.parent / "log"
    texts = json.dumps({path: data and data.decode() for path, data in plan.items()})
    python = [sys.executable, "-IB", "-c", TRACED, str(TESTS), str(root), kind, texts]
    command = [str(STRACE), "-y", "-o", str(log), *options, *python]
    done = subprocess.run(command, env=gitkit.ISOLATED, capture_output=True, check=False)
    lines = log.read_text("utf-8", "replace").splitlines()
    return done.returncode, done.stdout.decode() + done.stderr.decode(), lines


def calls_of_the_write(
    folder: Path, kind: str = "files", plan: Mapping[str, bytes | None] = TWO_FILES
) -> list[tuple[str, int]]:
    """The system calls of a write as (name, number), where strace numbers the calls of one name from 1.

    With the index there are thousands of calls, so only those are listed that start git or change files below the root.
    """
    root = make(folder / "model")
    status, said, lines = traced(root, kind=kind, plan=plan)
    assert (status, said) == (0, "")
    seen: dict[str, int] = {}
    calls, started = [], False
    for line in lines:
        found = _CALL.match(line)
        if found:
            seen[found[1]] = seen.get(found[1], 0) + 1
            started = started or f"{root.parent}/begin" in line
            if started and found[1] not in _OF_NO_EFFECT and (kind == "files" or _counts(line, root)):
                calls.append((found[1], seen[found[1]]))
    return calls


def _counts(line: str, root: Path) -> bool:
    return bool(_START.search(line)) or (f"{root}/" in line and bool(_CHANGE.search(line)))


def killed(root: Path, call: tuple[str, int], kind: str, plan: Mapping[str, bytes | None]) -> bool:
    """Kill a write at this call. Return false if the write did not make the call, as may happen on a busy machine."""
    name, number = call
    injected = ("-e", f"trace={name}", "-e", f"inject={name}:signal=SIGKILL:when={number}")
    status, said, _ = traced(root, *injected, kind=kind, plan=plan)
    assert status in (0, -9, 137), (call, status, said)
    return status != 0


def start_again(root: Path, kind: str) -> None:
    """Write again, up to three times, until nothing is left over.

    A git process that outlived the kill may still have a lock, or write the record late.
    """
    for _ in range(3):
        with suppress(RepoError, HeadMoved):
            repo = opened(root, kind)
            repo.recover()
            repo.write({"once-more": b"1\n"}, "")
        if (root / "once-more").exists() and not leftovers(root):
            return


def state_of(root: Path, kind: str) -> object:
    """The files and, for the kind `index`, what is staged."""
    return folder_state(root), staged(root) if kind == "index" else None


def many(count: int, number: int) -> str:
    """Kill `count` writes of random plans at random calls. Return a sentence about the states after the next start."""
    if STRACE is None:
        return "left out: strace is missing"
    dice = Random(number)  # noqa: S311
    ends: Counter[str] = Counter()
    while ends.total() < count:
        kind = dice.choice(("files", "index"))
        paths = dice.sample(sorted(PLAN), dice.randint(1, 4))
        with TemporaryDirectory() as folder:
            most = min(_OF_A_PLAN, count - ends.total())
            ends += of_a_plan(Path(folder), kind, {path: PLAN[path] for path in paths}, most, dice)
    return f"{ends.total():,} processes were killed: {ends['old']:,} left only old files, {ends['new']:,} only new"


def of_a_plan(folder: Path, kind: str, plan: Mapping[str, bytes | None], most: int, dice: Random) -> Counter[str]:
    """Kill writes of one plan at up to `most` random calls, and count which state, `old` or `new`, each left."""
    model = make(folder / "model-of-old")
    old = state_of(model, kind)
    opened(model, kind).write(plan, "")
    new = state_of(model, kind)
    calls = calls_of_the_write(folder, kind, plan)
    ends: Counter[str] = Counter()
    for name, number in dice.sample(calls, min(most, len(calls))):
        root = make(folder / f"{name}-{number}" / "root")
        if killed(root, (name, number), kind, plan):
            start_again(root, kind)
            state = state_of(root, kind)
            assert state in (old, new), (kind, plan, name, number, state)
            assert leftovers(root) == [], (kind, plan, name, number)
            ends["new" if state == new else "old"] += 1
        shutil.rmtree(root.parent)
    return ends
