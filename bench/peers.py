"""Other projects' code, run in processes of their own, since their packages stay out of this environment."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.measure import Stopwatch

INSTALL = (
    "python -m venv DIR && DIR/bin/pip install --no-deps --ignore-requires-python "
    "aider-chat diff-match-patch llm-patch-tool mpatch purepatch, then --peers DIR"
)


class Answer(NamedTuple):
    """What came out of a task, and the seconds of processor time it took."""

    seconds: float
    result: Any


class Peer(NamedTuple):
    """A process that does the tasks of a peer's script, such as bench/peer_aider.py."""

    name: str

    process: subprocess.Popen[str]

    def ask(self, task: str, *arguments: object) -> Answer:
        """Have a task done. Raises RuntimeError if that ends the process."""
        if self.process.stdin is not None:
            self.process.stdin.write(f"{json.dumps([task, *arguments])}\n")
            self.process.stdin.flush()
        answer = self.answer()
        if answer is None:
            raise RuntimeError(f"{self.name} stopped while it was to {task}; why stands above")
        return Answer(*answer)

    def answer(self) -> Any:
        """The next line; None if there is none."""
        line = "" if self.process.stdout is None else self.process.stdout.readline()
        return json.loads(line) if line else None


@contextmanager
def aider(peers: Path) -> Iterator[Peer]:
    """Aider out of `peers`, a virtual environment. Raises RuntimeError if it cannot be run there."""
    with _running("aider", peers) as peer:
        yield peer


@contextmanager
def mpatch(peers: Path) -> Iterator[Peer]:
    """The same for mpatch."""
    with _running("mpatch", peers) as peer:
        yield peer


@contextmanager
def _running(name: str, peers: Path) -> Iterator[Peer]:
    command = (str(peers / "bin" / "python"), "-I", str(Path(__file__).with_name(f"peer_{name}.py")))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        peer = Peer(name, process)
        if peer.answer() != "ready":
            raise RuntimeError(f"{name} cannot be loaded in {peers}; what is missing stands above")
        yield peer
        process.communicate()


@contextmanager
def aider_parser(peers: Path, text: str, blocks: int) -> Iterator[Stopwatch]:
    """A stopwatch around aider's parser on `text`, in which it has to find that many blocks.

    Raises RuntimeError if it finds another number, since the comparison would mean nothing.
    """
    with aider(peers) as peer:

        def parse() -> float:
            seconds, found = peer.ask("parse", text)
            if found != blocks:
                raise RuntimeError(f"aider reads {found} blocks where there are {blocks}")
            return seconds

        yield parse
