"""Compare the bytes that three appliers of diffs write: `python -m bench differential --cases 10000 --seed 7`.

Each drifted or rotten case of bench/applier_cases.py is given to this project, `git apply` and GNU patch. A result is a
letter, `A` for the first bytes that were written, `B` and `C` for other bytes; or it is `refused`. The table counts how
often each row of results occurs, with the letter of the right result, if any, and the reason code of this project.

One row must not occur: git and patch write the same bytes, and this project writes others. This project runs in
process. The peers read many diffs at once, for files in separate folders; a case with a reject file is refused.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench.applier_cases import SEED, Case, cases
from bench.measure import Row, aligned
from editblocks import Settings, apply_response
from editblocks.repos.git.repository import Mode, scrub_environment

CASES = 200  # of each set
BATCH = 250  # diffs for one process of a peer
NAMES = ("drifted", "rotten")
REFUSED = "refused"
_GIT = ("git", "apply", "--reject", "--whitespace=nowarn")
_PATCH = ("patch", "-p1", "--batch", "--forward", "--silent", "--no-backup-if-mismatch")
Texts = Sequence[str | None]  # of the file of each case afterwards; None: refused


class Ends(NamedTuple):
    """The file of a case after each of the three (None: refused), and why this project refuses."""

    case: Case
    ours: str | None
    git: str | None
    patch: str | None
    why: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether both peers write the same bytes, and this project writes others."""
        return None not in (self.ours, self.git) and self.git == self.patch != self.ours

    @property
    def row(self) -> tuple[str, str, str, str, str]:
        """The three results, the letter of the right result, and why this project refuses."""
        letters: dict[str, str] = {}
        for text in (self.ours, self.git, self.patch):
            if text is not None:
                letters.setdefault(text, "ABC"[len(letters)])
        cells = [REFUSED if text is None else letters[text] for text in (self.ours, self.git, self.patch)]
        right = [letters.get(file, "") for files in self.case.right for file in files.values()]
        return cells[0], cells[1], cells[2], "".join(right), self.why


def rows(_peers: Path | None, count: int = CASES, seed: int = SEED) -> Iterator[Row]:
    """Print how often each row of results occurs. Yield how often this project differs from both peers in each set."""
    if not shutil.which("patch"):
        yield Row("differential", "patch is not installed", None, 0.0)
        return
    lines: list[tuple[str, ...]] = [("set", "cases", "editblocks", "git apply", "patch", "right", "reason")]
    for name in NAMES:
        kinds: Counter[tuple[str, str, str, str, str]] = Counter()
        wrong = 0
        for ends in compared(islice(cases(name, seed), count)):
            kinds[ends.row] += 1
            wrong += ends.is_wrong
            if ends.is_wrong:
                sys.stderr.write(f"against both: {name}, {ends.case.way}\n{ends.case.diff}\n")
        lines += [(name, str(number), *row) for row, number in kinds.most_common()]
        yield Row("differential", f"{name}: other bytes than git and patch", None, 0.0, number=wrong)
    sys.stdout.write(f"{aligned(lines)}\n\n")


def compared(made: Iterator[Case], batch: int = BATCH) -> Iterator[Ends]:
    """Run the three on each case."""
    while some := list(islice(made, batch)):
        git, patch = left_by(_GIT, some), left_by(_PATCH, some)
        for case, by_git, by_patch in zip(some, git, patch, strict=True):
            text, why = ours(case)
            yield Ends(case, text, by_git, by_patch, why)


def ours(case: Case) -> tuple[str | None, str]:
    """Return the text that this project makes, or None and the reason codes if it refuses."""
    [(path, before)] = case.files.items()
    data = before.encode()
    result = apply_response(f"```diff\n{case.diff}```\n", {path: data}.get, Settings())
    if result.ok:
        return (result.contents.get(path, data) or b"").decode(), ""
    codes = {row.code.value for row in result.rows if row.code is not None}
    return None, " ".join(sorted(codes - {"earlier-failure"}))


def left_by(command: Sequence[str], made: Sequence[Case]) -> Texts:
    """Run a peer once on all cases. Return the text of each file afterwards, None if a hunk was rejected."""
    environment = scrub_environment(os.environ, Mode.ISOLATED)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        diff = "".join(_laid_out(root, number, case) for number, case in enumerate(made))
        subprocess.run(command, input=diff.encode(), cwd=root, env=environment, capture_output=True, check=False)
        return [_left(root, number, case) for number, case in enumerate(made)]


def _laid_out(root: Path, number: int, case: Case) -> str:
    """Write the file of a case into its own folder, and return the diff for that path."""
    [(path, before)] = case.files.items()
    place = root / str(number) / path
    place.parent.mkdir(parents=True)
    place.write_bytes(before.encode())
    heads = f"--- a/{path}\n+++ b/{path}\n"
    return case.diff.replace(heads, f"--- a/{number}/{path}\n+++ b/{number}/{path}\n", 1)


def _left(root: Path, number: int, case: Case) -> str | None:
    [path] = case.files
    place = root / str(number) / path
    if place.with_name(f"{place.name}.rej").exists():
        return None
    return place.read_bytes().decode()
