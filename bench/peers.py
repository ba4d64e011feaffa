"""Run other projects' code in separate processes, because their packages stay out of this environment."""

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
    """The result of a task, and the seconds that it took."""

    seconds: float
    result: Any


class Peer(NamedTuple):
    """A process that runs the script for a peer, such as bench/peer_aider.py."""

    name: str

    process: subprocess.Popen[str]

    def ask(self, task: str, *arguments: object) -> Answer:
        """Let the process do a task, and return its answer. Raises RuntimeError if the process ends instead."""
        if self.process.stdin is not None:
            self.process.stdin.write(f"{json.dumps([task, *arguments])}\n")
            self.process.stdin.flush()
        answer = self.answer()
        if answer is None:
            raise RuntimeError(f"{self.name} stopped during {task}; see its error above")
        return Answer(*answer)

    def answer(self) -> Any:
        """Read the next line of JSON; None at the end of the output."""
        line = "" if self.process.stdout is None else self.process.stdout.readline()
        return json.loads(line) if line else None


@contextmanager
def aider(peers: Path) -> Iterator[Peer]:
    """Start aider in the virtual environment `peers`. Raises RuntimeError if it cannot be loaded there."""
    with _running("aider", peers) as peer:
        yield peer


@contextmanager
def mpatch(peers: Path) -> Iterator[Peer]:
    """Start mpatch in the virtual environment `peers`. Raises RuntimeError if it cannot be loaded there."""
    with _running("mpatch", peers) as peer:
        yield peer


@contextmanager
def _running(name: str, peers: Path) -> Iterator[Peer]:
    command = (str(peers / "bin" / "python"), "-I", str(Path(__file__).with_name(f"peer_{name}.py")))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        peer = Peer(name, process)
        if peer.answer() != "ready":
            raise RuntimeError(f"{name} cannot be loaded in {peers}; see its error above")
        yield peer
        process.communicate()


@contextmanager
def aider_parser(peers: Path, text: str, blocks: int) -> Iterator[Stopwatch]:
    """Yield a stopwatch around aider's parser on `text`.

    The stopwatch raises RuntimeError unless aider finds `blocks` blocks, since the comparison would mean nothing.
    """
    with aider(peers) as peer:

        def parse() -> float:
            seconds, found = peer.ask("parse", text)
            if found != blocks:
                raise RuntimeError(f"aider reads {found} blocks where there are {blocks}")
            return seconds

        yield parse
