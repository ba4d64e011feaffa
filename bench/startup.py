"""C1, C2 and H3: the time of commands in a new process, against a Python that does nothing."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from time import perf_counter

from bench.measure import Row, Stopwatch, compare, race, timed

ROUNDS = 25
PROJECT = Path(__file__).parents[1]
FILES, BLOCKS = 1_000, 5


def rows(_peers: Path | None) -> Iterator[Row]:
    """Yield the rows; each run is a new interpreter, isolated as in production."""
    nothing = process("-I", "-c", "pass")
    with tempfile.TemporaryDirectory() as folder:
        top = answered(Path(folder))
        what = f"one response of {BLOCKS} blocks, a repository of {FILES:,} files"
        check = process("-I", "-m", "editblocks", "check", "answer.md", top=top)
        yield Row("C1", f"check, {what}", compare(check, nothing, ROUNDS), 7.0)
        yield Row("C2", f"apply, {what}", race(applying(top), timed(nothing), ROUNDS), 8.0)
    version = process("-I", "-m", "editblocks", "--version")
    yield Row("C2", "--version", compare(version, nothing, ROUNDS), 3.0)
    yield Row("H3", "import editblocks", compare(process("-I", "-c", "import editblocks"), nothing, ROUNDS), 2.5)


def process(*arguments: str, environ: Mapping[str, str] | None = None, top: Path | None = None) -> Callable[[], object]:
    """Return a function that runs this Python once, in the folder `top`."""
    command: Sequence[str] = (sys.executable, *arguments)
    env = {**os.environ, **(environ or {})}
    return lambda: subprocess.run(command, check=True, cwd=top, env=env, stdout=subprocess.DEVNULL)


def answered(top: Path) -> Path:
    """Create a repository of many committed files, and in it an answer with a block for some of them."""
    for number in range(FILES):
        (top / f"part{number:04}.py").write_text(before(number), "utf-8")
    for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message=x")):
        git = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", *command)
        subprocess.run(git, cwd=top, check=True)
    blocks = (
        f"part{number:04}.py\n```python\n<<<<<<< SEARCH\nvalue = {number}\n=======\nvalue = {number}0\n"
        ">>>>>>> REPLACE\n```\n\n"
        for number in range(BLOCKS)
    )
    (top / "answer.md").write_text("".join(blocks), "utf-8")
    return top


def before(number: int) -> str:
    """Return the text of a file before a block changes it."""
    return f"# part {number}\nvalue = {number}\n"


def applying(top: Path) -> Stopwatch:
    """Return a stopwatch around one `apply`. Each run first restores the files, which is not timed.

    Each run has a different answer, because for a repeated answer `apply` first looks at what it wrote before.
    """
    apply = process("-I", "-m", "editblocks", "apply", "answer.md", top=top)
    text = (top / "answer.md").read_text("utf-8")
    rounds = count(1)

    def run() -> float:
        (top / "answer.md").write_text(f"{text}This is answer {next(rounds)}.\n", "utf-8")
        for number in range(BLOCKS):
            (top / f"part{number:04}.py").write_text(before(number), "utf-8")
        start = perf_counter()
        apply()
        return perf_counter() - start

    return run
