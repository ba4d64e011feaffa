"""H3 and A1: what a start costs, as processes, against a Python that does nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bench.measure import Row, compare

ROUNDS = 25
PROJECT = Path(__file__).parents[1]


def rows(_peers: Path | None) -> Iterator[Row]:
    """Each start in a new interpreter, isolated as in production."""
    nothing = process("-I", "-c", "pass")
    yield Row("H3", "import editblocks", compare(process("-I", "-c", "import editblocks"), nothing, ROUNDS), 2.5)
    with tempfile.TemporaryDirectory() as folder:
        gate = process("-I", "-S", str(PROJECT / "hooks" / "gate.py"), environ=comment_without_blocks(Path(folder)))
        yield Row("A1", "gate of the action, a comment without blocks", compare(gate, nothing, ROUNDS), 4.0)


def process(*arguments: str, environ: Mapping[str, str] | None = None) -> Callable[[], object]:
    """A piece of work: one run of this Python."""
    command: Sequence[str] = (sys.executable, *arguments)
    return lambda: subprocess.run(command, check=True, env={**os.environ, **(environ or {})})


def comment_without_blocks(folder: Path) -> Mapping[str, str]:
    """The environment of a job for a comment that holds no block."""
    event = {"action": "created", "issue": {"state": "open", "pull_request": {}}, "comment": {"body": "Thanks!"}}
    (folder / "event.json").write_text(json.dumps(event), "utf-8")
    return {
        "GITHUB_EVENT_NAME": "issue_comment",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_OUTPUT": str(folder / "output"),
    }
