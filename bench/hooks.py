"""H1 and H2: how long a commit waits for the hook. E1: from a response to a commit, against git with the same patch.

H1 and H2 run `hooks/pre-commit` as git does, as a separate process at the top of a working tree, against a Python that
does nothing. On our side, E1 is one process, which starts git only for what it cannot do itself. On git's side, it is
the processes of `git apply --cached` and `git commit`. Both must make the same tree.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from bench.applying import SETTINGS, check, described
from bench.commit import PERSON, file_path, opened
from bench.edits import Workload, w1, w2, w3, w4
from bench.measure import Row, Stopwatch, compare, race
from bench.startup import PROJECT, process
from editblocks import apply_response
from editblocks.faces.cli.init import texts
from editblocks.report.diff import unified_diff
from editblocks.repos.git.repository import Git, Mode
from editblocks.repos.stores.objects import ObjectsRepo

ROUNDS, ROUNDS_LARGE = 25, 5
FILES = 10_000
TO_COMMIT = {"W1": 1.25, "W2": 1.5, "W3": 2.5, "W4": 1.25}
BLOCKS = 5
BLOCK = "cart.py\n```python\n<<<<<<< SEARCH\nitem_{n} = {n}\n=======\nitem_{n} = {n}{n}\n>>>>>>> REPLACE\n```\n\n"


def rows(_peers: Path | None) -> Iterator[Row]:
    """Yield the rows of the hook, then one row of E1 for each of the four workloads."""
    nothing = process("-I", "-c", "pass")
    with tempfile.TemporaryDirectory() as folder:
        other, ours = (repository(Path(folder) / name) for name in ("other", "ours"))
        stage(other, {"notes.txt": "one more\n"})
        yield Row("H1", "hook, nothing staged for it", compare(hook(other), nothing, ROUNDS), 1.0)
        (other / ".editblocks.yml").write_text(texts()[".editblocks.yml"], "utf-8")
        yield Row("H1", "the same after `editblocks init`", compare(hook(other), nothing, ROUNDS), 1.0)
        stage(ours, {".edits/cart.md": "".join(BLOCK.format(n=n) for n in range(BLOCKS))})
        yield Row("H2", f"hook, one response of {BLOCKS} blocks", compare(hook(ours), nothing, ROUNDS), 7.0)
    for make in (w1, w2, w3, w4):
        yield to_commit(make())


def repository(path: Path) -> Path:
    """Create a working tree with one committed file of a hundred lines."""
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    stage(path, {"cart.py": "".join(f"item_{n} = {n}\n" for n in range(100))})
    commit(path)
    return path


def stage(top: Path, files: dict[str, str]) -> None:
    """Write files, and stage them."""
    for name, text in files.items():
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text(text, "utf-8")
    git(top, "add", "--", *files)


def git(top: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git in `top` without the machine's settings, and return its output."""
    return Git(top, Mode.ISOLATED).ask(*arguments, stdin=stdin)


def commit(top: Path) -> None:
    """Commit what is staged."""
    who = ("-c", f"user.name={PERSON['NAME']}", "-c", f"user.email={PERSON['EMAIL']}")
    git(top, *who, "commit", "--quiet", "--message=x")


def hook(top: Path) -> Callable[[], object]:
    """Return a function that runs the hook as git does, with this Python and this editblocks first in PATH."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    environ = {**os.environ, "PATH": path, "GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": ""}
    command = (str(PROJECT / "hooks" / "pre-commit"),)
    return lambda: subprocess.run(command, cwd=top, env=environ, check=True, stdout=subprocess.DEVNULL)


def to_commit(work: Workload) -> Row:
    """Measure E1: this project commits the response to a branch, and git commits the same patch."""
    with tempfile.TemporaryDirectory() as folder:
        top = filled(Path(folder) / "repository", work)
        base = git(top, "rev-parse", "HEAD").decode().strip()
        result = apply_response(work.response, work.encoded().get, settings=SETTINGS)
        check(work, result)
        patch = unified_diff(result)
        rounds = ROUNDS if work.name == "W1" else ROUNDS_LARGE
        times = race(by_us(top, base, work), by_git(top, base, patch), rounds)
        trees = {git(top, "rev-parse", f"{name}^{{tree}}") for name in ("refs/bench/ours", "refs/bench/git")}
    if len(trees) != 1:
        raise RuntimeError(f"{work.name}: git and editblocks come to different trees")
    return Row("E1", f"{described(work)}, in a repository with {FILES:,} more files", times, TO_COMMIT[work.name])


def filled(path: Path, work: Workload) -> Path:
    """Create a working tree with the files of a workload among many others, all committed."""
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    others = {file_path(number): f"number = {number}\n" for number in range(FILES)}
    for name, text in (*others.items(), *work.files.items()):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, "utf-8")
    git(path, "add", ".")
    commit(path)
    return path


def by_us(top: Path, base: str, work: Workload) -> Stopwatch:
    """Return a stopwatch around parsing the response, planning it on a branch and committing it there."""

    def run() -> float:
        git(top, "update-ref", "refs/heads/work", base)
        start = perf_counter()
        repo = ObjectsRepo(opened(top), branch="work")
        result = apply_response(work.response, repo, SETTINGS)
        repo.write(result.contents, "Apply edit blocks")
        seconds = perf_counter() - start
        git(top, "update-ref", "refs/bench/ours", "refs/heads/work")
        return seconds

    return run


def by_git(top: Path, base: str, patch: bytes) -> Stopwatch:
    """Return a stopwatch around applying the patch to the index and committing that."""

    def run() -> float:
        git(top, "update-ref", "refs/heads/main", base)
        git(top, "read-tree", "--reset", base)
        git(top, "update-index", "-q", "--refresh")
        start = perf_counter()
        git(top, "apply", "--cached", "-", stdin=patch)
        commit(top)
        seconds = perf_counter() - start
        git(top, "update-ref", "refs/bench/git", "refs/heads/main")
        return seconds

    return run
