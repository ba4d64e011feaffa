"""Let processes write to the same files at the same time: each write must happen exactly once and completely."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from support.gitkit import FILE, Entry, git, make_repository
from support.project import TESTS

SHOP: Mapping[str, Entry] = {"README.md": (FILE, b"# Shop\n"), "src/app.py": (FILE, b"# Shop\n")}
WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from editblocks.core.errors import EditBlocksError
from support.killkit import opened
root, kind, writes, name = Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5]
paths = ["README.md", "src/app.py"]
refused = 0
for number in range(writes):
    while True:
        try:
            repo = opened(root, kind, lock_seconds=60)
            repo.prefetch(paths)
            lines, _ = [repo.read(path) or b"" for path in paths]
            lines += b"%s %d\\n" % (name.encode(), number)
            repo.write(dict.fromkeys(paths, lines), "Apply 2 edit blocks\\n")
            break
        except EditBlocksError as error:
            refused += 1
            if refused > 100 * writes:
                sys.exit(error.message)
print(refused)
"""


def race(root: Path, kind: str, processes: int, writes: int) -> int:
    """Let each process write `writes` times. Return how often a write was refused because of another, and repeated.

    The repository must hold `SHOP`.
    """
    names = "abcd"[:processes]
    command = [sys.executable, "-c", WRITER, str(TESTS), str(root), kind, str(writes)]
    writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in names]
    said = [writer.communicate()[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * processes
    lines = (root / "README.md").read_text().splitlines()
    assert lines[0] == "# Shop"
    for name in names:
        assert [line for line in lines if line.startswith(name)] == [f"{name} {number}" for number in range(writes)]
    assert len(lines) == 1 + processes * writes
    assert (root / "src/app.py").read_bytes() == (root / "README.md").read_bytes()
    if kind == "commit":
        assert git(root, "rev-list", "--count", "HEAD") == b"%d\n" % len(lines)
        assert git(root, "status", "--porcelain") == b""
    return sum(map(int, said))


def many(count: int, _number: int) -> str:
    """Let two processes write `count` times each, half to files and half as commits, and return a sentence about it.

    The operating system decides which writes meet, so there is no seed.
    """
    summaries = []
    for kind, writes in (("files", count - count // 2), ("commit", count // 2)):
        with TemporaryDirectory() as folder:
            refused = race(make_repository(Path(folder) / "root", SHOP), kind, 2, writes)
        summaries.append(f"{2 * writes:,} writes ({kind}), {refused:,} refused and planned again")
    return f"{'; '.join(summaries)}; each happened exactly once"
