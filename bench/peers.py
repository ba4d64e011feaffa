"""Other projects' parsers, timed in processes of their own, since their packages stay out of this environment."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.measure import Stopwatch

INSTALL = "python -m venv DIR && DIR/bin/pip install --no-deps aider-chat, then --peers DIR"
_AIDER = Path(__file__).with_name("peer_aider.py")


@contextmanager
def aider_parser(peers: Path, text: str, blocks: int) -> Iterator[Stopwatch]:
    """A stopwatch around aider's parser on `text`, in which it has to find that many blocks.

    `peers` is a virtual environment. Raises RuntimeError if aider cannot be run there, or finds another
    number of blocks, since the comparison would mean nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        response = Path(folder) / "response.md"
        response.write_bytes(text.encode())
        command = (str(peers / "bin" / "python"), "-I", str(_AIDER), str(response))
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
            if _answer(process) != ["ready"]:
                raise RuntimeError(f"aider's parser cannot be loaded in {peers}; what is missing stands above")
            yield lambda: _ask(process, blocks)
            process.communicate()


def _ask(process: subprocess.Popen[str], blocks: int) -> float:
    """Have the text parsed once more: the seconds it took."""
    if process.stdin is not None:
        process.stdin.write("again\n")
        process.stdin.flush()
    seconds, found = _answer(process)
    if int(found) != blocks:
        raise RuntimeError(f"aider reads {found} blocks where there are {blocks}")
    return float(seconds)


def _answer(process: subprocess.Popen[str]) -> list[str]:
    return process.stdout.readline().split() if process.stdout is not None else []
