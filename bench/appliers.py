"""Compare programs that apply diffs and blocks, on the same cases: `python -m bench appliers`.

Each applier works in a git repository on the cases of bench/applier_cases.py. The verdict depends on the bytes in that
folder and beside it, and on whether the applier reports success:

right: success, with bytes that the case allows. refused: failure, and every byte is unchanged. half: failure, but bytes
have changed. damaged: success, and only line ends or the end of the file are not right. wrong: anything else.

If a case allows no result, only a refusal is right. The time is the median of one call, including the start of a
process if the applier needs one.

Two workers share the cases. Each has its own folder, in memory if the machine has `MEMORY`, and its own process of
each peer. Every applier gets the case in a new folder.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple, TextIO, cast

from bench.applier_cases import ROOT, SEED, SETS, Case, cases
from bench.measure import Row, aligned
from bench.peers import INSTALL, aider
from editblocks import apply_response
from editblocks.repos.git.repository import Mode, scrub_environment
from editblocks.repos.stores.worktree import WorktreeRepo

CASES = 20  # of each set
WORKERS = 2
MEMORY = Path("/dev/shm")  # noqa: S108 - the folders in it have random names
SLOW = (("rotten", "mpatch"), ("several files", "mpatch"))  # a call takes a second
VERDICTS = ("right", "refused", "wrong", "damaged", "half")
PEERS = ("patch -p1", "mpatch", "purepatch", "llm-patch-tool", "aider")  # may be missing
_PEERS = Path(__file__).with_name("peer_appliers.py")
_FILES_OF_GIT = ("config", "hooks/pre-commit")
Snapshot = Mapping[str, bytes]
Run = Callable[[Case, str, Path], tuple[float, bool]]  # case, answer, folder → seconds, success


class Applier(NamedTuple):
    """The name of an applier, and the form that it reads: `diff` or `blocks`."""

    name: str
    form: str


TASKS = {
    Applier("mpatch", "diff"): "mpatch",
    Applier("mpatch", "blocks"): "mpatch",
    Applier("purepatch", "diff"): "purepatch diff",
    Applier("purepatch", "blocks"): "purepatch blocks",
    Applier("llm-patch-tool", "blocks"): "llm-patch-tool",
}


class Ends(NamedTuple):
    """The verdicts on an applier for the cases of a set, and the seconds of each call."""

    verdicts: Counter[str]
    times: list[float]


class Share(NamedTuple):
    """The cases of one worker: of the first `each` cases of a set, every `parts`-th one, starting at `part`."""

    each: int
    seed: int = SEED
    part: int = 0
    parts: int = 1

    def cases(self, name: str) -> Iterator[tuple[int, Case]]:
        """Yield the cases of a set with their numbers."""
        return islice(enumerate(cases(name, self.seed)), self.part, self.each, self.parts)

    def is_left_out(self, name: str, applier: Applier, number: int) -> bool:
        """Whether a slow applier skips a case: of more than CASES, it gets two of fifty, one for each worker."""
        return self.each > CASES and (name, applier.name) in SLOW and number % 50 > 1


Table = dict[tuple[str, Applier], Ends]


def rows(peers: Path | None, count: int = CASES, seed: int = SEED) -> Iterator[Row]:
    """Print a line for each set and applier, and yield a row for each form that this project reads.

    No block may be written wrongly. Some diffs may, because their lines also occur in another place, where `git apply`
    writes them as well: the target is at most as many wrong diffs as `git apply` has.
    """
    shares = [Share(count, seed, part, WORKERS) for part in range(WORKERS)]
    with ProcessPoolExecutor(WORKERS) as pool:
        found = added(list(pool.map(_work, shares, [peers] * WORKERS)))
    lines: list[tuple[str, ...]] = [("set", "applier", "form", *VERDICTS, "ms")]
    bad: Counter[tuple[str, str]] = Counter()
    for (name, applier), (verdicts, times) in found.items():
        ms = f"{1000 * median(times):.2f}"
        lines.append((name, *applier, *(str(verdicts[word]) for word in VERDICTS), ms))
        bad[applier.name, applier.form] += verdicts["wrong"] + verdicts["damaged"] + verdicts["half"]
    sys.stdout.write(f"{aligned(lines)}\n\n")
    names = {applier.name for _, applier in found}
    if missing := [name for name in PEERS if name not in names]:
        sys.stdout.write(f"left out: {', '.join(missing)}; {INSTALL}\n\n")
    for form in ("diff", "blocks"):
        most = bad["git apply", form]
        yield Row("appliers", f"wrong, damaged or half written, {form}", None, most, number=bad["editblocks", form])


def added(tables: Sequence[Table]) -> Table:
    """Merge the tables of all workers."""
    whole: Table = {}
    for key in dict.fromkeys(key for table in tables for key in table):
        ends = [table[key] for table in tables if key in table]
        whole[key] = Ends(sum((one.verdicts for one in ends), Counter()), [time for one in ends for time in one.times])
    return whole


def _work(share: Share, peers: Path | None) -> Table:
    """Judge all appliers on the share of one worker, in its own process."""
    folder = MEMORY if MEMORY.is_dir() else None
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder))).resolve()
        runs = runs_of_ours()
        runs[Applier("git apply", "diff")] = _git()
        runs[Applier("git apply --3way", "diff")] = _git("--3way")
        if shutil.which("patch"):
            runs[Applier("patch -p1", "diff")] = _patch
        if peers is not None:
            runs |= stack.enter_context(_peers(peers))
            runs |= _aider(peers, stack)
        return {(name, applier): ends for name in SETS for applier, ends in judge(name, runs, root, share).items()}


def runs_of_ours() -> dict[Applier, Run]:
    """Return this project as two appliers, for diffs and for blocks."""
    return {Applier("editblocks", form): _ours for form in ("diff", "blocks")}


def judge(name: str, runs: Mapping[Applier, Run], root: Path, share: Share) -> Mapping[Applier, Ends]:
    """Run each applier on the cases of a set that it can read, and return the verdicts and times."""
    found = {applier: Ends(Counter(), []) for applier in runs}
    for number, case in share.cases(name):
        before: Snapshot = {}
        for applier, run in runs.items():
            answer = (case.diff if applier.form == "diff" else case.blocks).replace(ROOT, str(root))
            is_for_others = applier.name == "purepatch" and applier.form == "blocks" and not case.pieces
            if not answer or is_for_others or share.is_left_out(name, applier, number):
                continue
            lay_out(case, root)
            before = before or snapshot(root)
            if applier.name == "git apply --3way":
                _process(["git", "add", "-A"], "", root / "work")
            seconds, is_ok = run(case, answer, root / "work")
            verdict = verdict_of(case, before, snapshot(root), is_ok)
            found[applier].verdicts[verdict] += 1
            found[applier].times.append(seconds)
            if applier.name == "editblocks" and verdict not in ("right", "refused"):
                sys.stderr.write(f"{verdict}, {applier.form}: {name}, {case.way}\n{answer}\n")
    return {applier: ends for applier, ends in found.items() if ends.times}


def lay_out(case: Case, root: Path) -> None:
    """Empty `root`, and write the files of a case into a new repository, `root/work`, and beside it."""
    for path in root.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    work = root / "work"
    for folder in ("objects", "refs/heads", "hooks"):
        (work / ".git" / folder).mkdir(parents=True)
    (work / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for name, target in case.links.items():
        (work / name).symlink_to(target)
    for name, words in case.files.items():
        file = Path(os.path.normpath(work / name))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(words.encode())


def snapshot(root: Path) -> Snapshot:
    """Return every file in `root`, by its path relative to `root/work`; of `.git`, only its configuration and hook."""
    found: dict[str, bytes] = {}
    for folder, folders, names in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
            names += [f".git/{name}" for name in _FILES_OF_GIT]
        for name in names:
            path = Path(folder, name)
            if path.is_file() or path.is_symlink():
                key = os.path.relpath(path, root / "work")
                found[key] = bytes(path.readlink()) if path.is_symlink() else path.read_bytes()
    return found


def verdict_of(case: Case, before: Snapshot, after: Snapshot, is_ok: bool) -> str:
    """See the docstring of the module."""
    if not is_ok:
        return "refused" if after == before else "half"
    right = [{**before, **{path: words.encode() for path, words in files.items()}} for files in case.right]
    if after in right:
        return "right"
    return "damaged" if any(_bare(after) == _bare(one) for one in right) else "wrong"


def _bare(files: Snapshot) -> Mapping[str, list[bytes]]:
    return {path: data.rstrip().split(b"\n") if b"\r" not in data else data.replace(b"\r", b"").rstrip().split(b"\n")
            for path, data in files.items()}  # fmt: skip


def _ours(_case: Case, answer: str, folder: Path) -> tuple[float, bool]:
    """Plan, and write if every block fits, as in docs/reference/python.md."""
    start = perf_counter()
    fenced = f"```diff\n{answer}```\n" if answer.startswith("--- ") else answer
    repo = WorktreeRepo(folder)
    result = apply_response(fenced, repo)
    if result.ok:
        repo.write(result.contents, "", result.modes)
    return perf_counter() - start, result.ok


def _process(command: list[str], answer: str, folder: Path) -> tuple[float, bool]:
    environment = scrub_environment(os.environ, Mode.ISOLATED)
    start = perf_counter()
    done = subprocess.run(
        command, input=answer.encode(), capture_output=True, check=False, env=environment, cwd=folder, timeout=60
    )
    return perf_counter() - start, done.returncode == 0


def _git(*options: str) -> Run:
    """Return a function that runs git-apply(1), which writes all or nothing; for --3way, the files must be staged."""
    return lambda _case, answer, folder: _process(["git", "apply", *options], answer, folder)


def _patch(_case: Case, answer: str, folder: Path) -> tuple[float, bool]:
    """Run patch(1) with --batch, as its manual asks of programs, and without files for rejects and backups."""
    options = ["-p1", "--batch", "--forward", "--silent", "--reject-file=-", "--no-backup-if-mismatch"]
    return _process(["patch", *options], answer, folder)


def _aider(peers: Path, stack: ExitStack) -> dict[Applier, Run]:
    """Return aider as an applier of SEARCH/REPLACE blocks; nothing if it is not installed in `peers`."""
    try:
        peer = stack.enter_context(aider(peers))
    except RuntimeError:
        return {}

    def run(case: Case, answer: str, folder: Path) -> tuple[float, bool]:
        done = peer.ask("apply_in", str(folder), answer, list(case.files))
        return done.seconds, done.result

    return {Applier("aider", "blocks"): run}


@contextmanager
def _peers(peers: Path) -> Iterator[dict[Applier, Run]]:
    """Start the script of the peers, and yield the appliers of TASKS that are installed in `peers`."""
    command = (str(peers / "bin" / "python"), "-I", str(_PEERS))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        asks, answers = cast(TextIO, process.stdin), cast(TextIO, process.stdout)

        def ask(request: object) -> Any:
            if request is not None:
                asks.write(f"{json.dumps(request)}\n")
                asks.flush()
            return json.loads(answers.readline())

        def run(task: str) -> Run:
            def work(case: Case, answer: str, folder: Path) -> tuple[float, bool]:
                fenced = f"```diff\n{answer}```\n" if task == "mpatch" and answer.startswith("--- ") else answer
                seconds, is_ok = ask([task, str(folder), fenced, case.pieces])
                return seconds, is_ok

            return work

        installed = ask(None)
        yield {applier: run(task) for applier, task in TASKS.items() if applier.name in installed}
        process.communicate()
