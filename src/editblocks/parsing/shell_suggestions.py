"""Shell commands that a response suggests: shown to people, never run (docs/reference/formats.md, shell)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from editblocks.parsing.containers import Fence

MOST = 20
LONGEST = 200  # characters
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console"})
_PROMPT = "$ "


@dataclass(slots=True)
class Suggestions:
    """Commands with the 0-based lines at which they stand first: those that may be shown, and not many more."""

    commands: dict[str, int] = field(default_factory=dict)
    _limit: int | None = None  # from this line on, none can be among those that are shown

    def add(self, line: int, command: str) -> None:
        """Take one command."""
        if self._limit is not None and line >= self._limit:
            return
        command = command[:LONGEST]
        self.commands[command] = min(line, self.commands.get(command, line))
        if len(self.commands) == 2 * MOST:
            self.commands = dict(self._by_line()[:MOST])
            self._limit = max(self.commands.values())

    def _by_line(self) -> list[tuple[str, int]]:
        return sorted(self.commands.items(), key=lambda each: each[1])

    def add_lines(self, first: int, lines: Sequence[str]) -> None:
        """Take the commands of a shell fence, or of an action that runs something."""
        for command in commands(lines):
            self.add(first, command)

    def add_fence(self, fence: Fence, lines: Sequence[str]) -> None:
        """Take the commands of a fence that holds no block, if its info string names a shell."""
        if not fence.holds_block and fence.info.split(" ")[0].lower() in _SHELLS:
            self.add_lines(fence.line, lines)

    def in_order(self) -> tuple[str, ...]:
        """Each command once, in the order of the response, as many and as much of them as people read."""
        return tuple(dict.fromkeys(_printable(command) for command, _ in self._by_line()))[:MOST]


def commands(lines: Sequence[str]) -> Iterator[str]:
    """The commands of a listing: where lines begin with a prompt, only those; comments are none."""
    stripped: Iterator[str] = (line.strip(" \t") for line in lines)
    if any(line.lstrip(" \t").startswith(_PROMPT) for line in lines):
        stripped = _behind_prompts(stripped)
    command = ""
    for line in stripped:
        if line.startswith("#") and not command:
            continue
        if line.endswith("\\"):
            command += line[:-1].rstrip(" \t") + " "
            continue
        if command + line:
            yield command + line
        command = ""
    if command.strip():
        yield command.strip()


def _behind_prompts(lines: Iterable[str]) -> Iterator[str]:
    """The lines behind a prompt, with those that they are continued on; the rest is what the commands printed."""
    goes_on = False
    for line in lines:
        if line.startswith(_PROMPT) or goes_on:
            yield line.removeprefix(_PROMPT)
            goes_on = line.endswith("\\")


def _printable(command: str) -> str:
    text = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in command)
    return text[:LONGEST]
