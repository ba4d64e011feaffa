"""Shell commands that a response suggests: shown to people, never run (docs/reference/formats.md, shell)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

MOST = 20
LONGEST = 200  # characters
SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console"})
_PROMPT = "$ "


class Suggestions:
    """Commands with the 0-based lines at which they stand first."""

    def __init__(self) -> None:
        self._commands: dict[str, int] = {}

    def add(self, line: int, command: str) -> None:
        """Take one command."""
        command = command[:LONGEST]
        self._commands[command] = min(line, self._commands.get(command, line))

    def add_lines(self, first: int, lines: Sequence[str]) -> None:
        """Take the commands of a shell fence, or of an action that runs something."""
        for command in commands(lines):
            self.add(first, command)

    def in_order(self) -> tuple[str, ...]:
        """Each command once, in the order of the response, as many and as much of them as people read."""
        ordered = sorted(self._commands, key=self._commands.__getitem__)
        return tuple(dict.fromkeys(_printable(command) for command in ordered))[:MOST]


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
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in command)[:LONGEST]
