"""Shell commands that a response suggests: shown to people, never run (docs/reference/rules.md, shell suggestions)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from editblocks.core.characters import code_point, is_hidden

MOST = 20
LONGEST = 200  # characters
SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console"})
_PROMPT = "$ "
_HERE = r"(?<!<)<<-?\s*(?:'([A-Za-z_]\w*)'|\"([A-Za-z_]\w*)\"|\\?([A-Za-z_]\w*))"


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
        shown = ("".join(map(_visible, each)) for each in ordered)
        return tuple(dict.fromkeys(command[:LONGEST] for command in shown))[:MOST]


def _without_documents(lines: Sequence[str]) -> Iterator[str]:
    """The lines, but of a here-document only the command, as `cat > a.py <<'EOF' ... EOF`: the rest are no commands.

    Without the word that ends it, `<<` is taken for something else, such as a shift of bits.
    """
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        ends.setdefault(line, []).append(number)
    skip_to = 0
    for number, line in enumerate(lines):
        found = re.search(_HERE, line)
        if number < skip_to:
            continue
        word = ""
        if found is not None:
            word = next(filter(None, found.groups()))
        stops = ends.get(word, ())
        following = bisect_right(stops, number)
        if word and following < len(stops):
            skip_to = stops[following] + 1
            yield f"{line} ... {word}"
        else:
            yield line


def _visible(char: str) -> str:
    if char.isprintable() and not is_hidden(char):
        return char
    return code_point(char)


def commands(lines: Sequence[str]) -> list[str]:
    """The commands of a listing: where lines begin with a prompt, only those; comments are none."""
    text = "\n".join(line.strip(" \t") for line in lines)
    whole = re.sub(r" ?\\(?:\n|\Z)", " ", text).split("\n")  # a line that ends in a backslash goes on
    if any(line.startswith(_PROMPT) for line in whole):
        whole = [line.removeprefix(_PROMPT) for line in whole if line.startswith(_PROMPT)]
    else:
        whole = list(_without_documents(whole))
    return [line.strip(" \t") for line in whole if line.strip(" \t") and not line.startswith("#")]
