"""H4: the time of pre-commit with a hook of this project, against pre-commit with a hook that does nothing.

pre-commit installs the hooks from a pinned configuration and without a network, before the measured runs. Each run is
`pre-commit run`, as `git commit` starts it, in a separate working tree. The target is that a commit waits at most 0.3 s
for a hook of ours, where pre-commit itself takes 0.24 s; `--json` has the seconds of both sides.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bench.hooks import BLOCK, BLOCKS, repository, stage
from bench.measure import Row, compare
from bench.startup import PROJECT

ROUNDS = 11
TARGET = 2.25
FILES = 5_000
LINES = 100
NOTHING = """\
repos:
  - repo: local
    hooks:
      - {id: nothing, name: nothing, entry: 'true', language: system, require_serial: true}
"""
Environment = Mapping[str, str]


def rows(_peers: Path | None) -> Iterator[Row]:
    """Yield rows for a response that fits, for one file without left-overs, and for many files without them."""
    if not (Path(sys.executable).parent / "pre-commit").exists():
        yield Row("H4", "pre-commit", None, TARGET, remark="pip install '.[test]'")
        return
    sys.path.append(str(PROJECT / "tests"))  # for `support`, which installs without a network
    from support.precommitkit import configured, environment, make_plugin, make_wheels

    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        plugin, environ = make_plugin(top / "plugin"), environment(top, make_wheels(top / "wheels"))

        def row(workload: str, hook: str, files: dict[str, str]) -> Row:
            with tempfile.TemporaryDirectory() as place:
                tree = repository(Path(place) / "tree")
                stage(tree, files)
                (Path(place) / "ours.yaml").write_bytes(configured(plugin, hook))
                (Path(place) / "nothing.yaml").write_text(NOTHING, "utf-8")
                ours, nothing = (run(tree, Path(place) / f"{name}.yaml", environ) for name in ("ours", "nothing"))
                return Row("H4", workload, compare(ours, nothing, ROUNDS), TARGET)

        response = "".join(BLOCK.format(n=n) for n in range(BLOCKS))
        yield row(f"pre-commit, a response of {BLOCKS} blocks", "editblocks-check", {".edits/a.md": response})
        yield row("pre-commit, left-overs in one file", "editblocks-leftovers", {"a.py": text(0)})
        many = {f"a{number}.py": text(number) for number in range(FILES)}
        yield row(f"pre-commit, left-overs in {FILES:,} files", "editblocks-leftovers", many)


def text(number: int) -> str:
    """Return a source file, different for each number."""
    return "".join(f"item_{number}_{line} = compute({line}, offset={number})\n" for line in range(LINES))


def run(top: Path, config: Path, environ: Environment) -> Callable[[], object]:
    """Return a function that runs pre-commit on the staged files."""
    command = (str(Path(sys.executable).parent / "pre-commit"), "run", f"--config={config}")
    return lambda: subprocess.run(command, cwd=top, env=environ, check=True, stdout=subprocess.DEVNULL)
