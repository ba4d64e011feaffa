"""A1 and A3: how long a comment on GitHub waits for the action: the real steps of `action.yml` against a fake GitHub.

A runner fetches the action and its packages anew for every job, so nothing is compiled yet. Each round therefore gets
a copy of the sources without compiled files, and the real pip installs the packages from a folder of wheels, which the
ratio leaves out. The fake (tests/support/hub) answers at once; the real response times of GitHub come on top.
"""

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from bench.hooks import BLOCK, BLOCKS
from bench.measure import Row, Times, compare, timed
from bench.startup import PROJECT, process

ROUNDS, ROUNDS_LARGE = 25, 5
TARGET = 110.0  # times a Python that does nothing: 2.3 seconds where that takes 21 ms
PARTS = ("action.yml", "hooks", "src", "requirements-action.txt")


class Waited(NamedTuple):
    """Seconds of one job; the first three add up to the run step."""

    before: float  # until the first request
    requests: float  # from the first request to the last
    after: float  # from the last request to the end
    install: float

    @property
    def run(self) -> float:
        return self.before + self.requests + self.after


def rows(_peers: Path | None) -> Iterator[Row]:
    """Yield the row of the gate, then the row of a comment that becomes a commit with a status."""
    nothing = process("-I", "-c", "pass")
    with tempfile.TemporaryDirectory() as folder:
        gate = process("-I", "-S", str(PROJECT / "hooks" / "gate.py"), environ=comment_without_blocks(Path(folder)))
        yield Row("A1", "gate of the action, a comment without blocks", compare(gate, nothing, ROUNDS), 4.0)
    with tempfile.TemporaryDirectory() as folder:
        yield commented(Path(folder))


def comment_without_blocks(folder: Path) -> Mapping[str, str]:
    """Return the environment of a job for a comment that has no block."""
    event = {"action": "created", "issue": {"state": "open", "pull_request": {}}, "comment": {"body": "Thanks!"}}
    (folder / "event.json").write_text(json.dumps(event), "utf-8")
    return {
        "GITHUB_EVENT_NAME": "issue_comment",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_OUTPUT": str(folder / "output"),
    }


def commented(folder: Path) -> Row:
    """Measure the run step for one comment; the first round is a warm-up."""
    wheels, lock = packed(folder / "wheels")
    waited: list[Waited] = []
    starts: list[float] = []
    start = timed(process("-I", "-c", "pass"))
    for number in range(ROUNDS_LARGE + 1):
        starts.append(median(start() for _ in range(ROUNDS_LARGE)))
        waited.append(one_comment(folder / str(number), wheels, lock))
    parts = Waited(*(median(each[1:]) for each in zip(*waited, strict=True)))
    remark = (
        f"{parts.run:.2f} s, {parts.before:.2f} before the first request, {parts.after:.2f} after the last; "
        f"installing {parts.install:.2f} s"
    )
    times = Times(median(each.run for each in waited[1:]), median(starts[1:]))
    return Row("A3", f"action, a comment of {BLOCKS} blocks to its status", times, TARGET, remark=remark)


def packed(folder: Path) -> tuple[Path, str]:
    """Pack wheels of the packages that the action needs, as installed here. Return their folder and a lock file."""
    sys.path.append(str(PROJECT / "tests"))  # for `support`
    from importlib.metadata import PackageNotFoundError, distribution

    from support.wheelhouse import pack_wheels

    names = re.findall(r"^([a-z0-9-]+)==", PROJECT.joinpath("requirements-action.txt").read_text("utf-8"), re.MULTILINE)
    here = []
    for name in dict.fromkeys(names):
        try:
            here.append(distribution(name))
        except PackageNotFoundError:
            continue  # needed only on another system or an older Python
    pack_wheels([each.name for each in here], folder)
    digests = " ".join(f"--hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}" for wheel in sorted(folder.iterdir()))
    return folder, "".join(f"{each.name}=={each.version} {digests}\n" for each in here)


def one_comment(folder: Path, wheels: Path, lock: str) -> Waited:
    """Run one job from its event to its end. Raises RuntimeError if the comment was not applied and answered."""
    from support.composite import run_action
    from support.hub import hub

    root = folder / "action"
    for part in PARTS:
        if (source := PROJECT / part).is_dir():
            shutil.copytree(source, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            root.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root)
    (root / "requirements-action.txt").write_text(lock, "utf-8")
    with hub() as h:
        pull = h.world.pull_request({"cart.py": b"".join(b"item_%d = %d\n" % (n, n) for n in range(100))})
        event = h.comment(pull, "monalisa", "".join(BLOCK.format(n=n) for n in range(BLOCKS)))
        seen: list[float] = []

        def note() -> None:
            seen.append(perf_counter())

        h.fault("*", times=1_000, before=note, after=note)
        environ = {**os.environ, **h.job_env(event, folder / "job")}
        run = run_action(root, environ=environ, token=h.world.token.value, wheels=wheels)
        end = perf_counter()
        if run.outputs["result"] != "applied" or len(pull.reviews) != 1:
            raise RuntimeError(f"the comment was not applied:\n{run.log}")
    start = end - run.steps["run"].seconds
    return Waited(seen[0] - start, seen[-1] - seen[0], end - seen[-1], run.steps["install"].seconds)
