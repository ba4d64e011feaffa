"""The line with which an answer begins if it corrects blocks of an earlier one: `fixes: 2048812345, blocks 2,5`.

Rules: docs/reference/action.md, "joined rounds".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editblocks.core.errors import ConfigError
from editblocks.core.phrases import ranges
from editblocks.core.selection import Selection
from editblocks.core.typed import NamedTuple

_LINES = 10  # a greeting may stand above it
_LONGEST = 400
UNREADABLE = "the line `fixes:` does not end as in `fixes: 2048812345, blocks 2,5`"
_ADDRESS = r"https?://[^\s`*,]*\#(?:issuecomment-|discussion_r|pullrequestreview-)(?P<number>[0-9]{1,20})"
_NAME = rf"{_ADDRESS}|(?!https?:)(?:[0-9]{{1,20}}|[^\s`*,()]*[./][^\s`*,()]*)"  # prose says `Fixes: the totals`
_FIXES = (
    rf"[ \t]*(?:\*\*)?`?(?i:fixes):(?:\*\*)?[ \t]*`?(?P<name>{_NAME})`?"
    r"(?P<rest>|[ \t,(]+(?i:blocks?)\b.*?)`?(?:\*\*)?[ \t]*\r?\Z"
)
_NUMBERS = r"[ \t,(]+(?i:blocks?):?[ \t]+#?([0-9]+(?:(?:[ \t]*(?:,|-|and)[ \t]*)+#?[0-9]+)*)[).]?"
_OPENS = r"[ \t]*(?:`{3}|~{3}|<|«{3}|-{3,}|\*{3} |diff --git |@@)"


class Fixes(NamedTuple):
    """Which response an answer corrects: the number of a comment, or a path; and which blocks, none if not said."""

    name: str
    numbers: frozenset[int] = frozenset()
    is_unreadable: bool = False  # something about blocks follows that cannot be read

    def __str__(self) -> str:
        several = "s" * (len(self.numbers) > 1)
        blocks = f", block{several} {ranges(sorted(self.numbers))}" if self.numbers else ""
        line = f"fixes: {self.name}{blocks}"
        return line if len(line) <= _LONGEST else f"fixes: {self.name}"


def line_for(name: str, numbers: Sequence[int]) -> str:
    """The line for these blocks of a response; nothing for a name that could not be read back."""
    wanted = Fixes(name, frozenset(numbers))
    line = str(wanted)
    return line if (found := read_fixes(line)) is not None and found.name == name else ""


def read_fixes(text: str) -> Fixes | None:
    """What `fixes:` says, if that is one of the first ten lines and no block or fence began before; None without it.

    `text` has no front matter.
    """
    top = text[: _LINES * _LONGEST]
    if not re.search("(?i)fixes:", top):
        return None
    for line in top.split("\n")[:_LINES]:
        if len(line) <= _LONGEST and (match := re.match(_FIXES, line)):
            numbers = _numbers(match["rest"])
            return Fixes(match["number"] or match["name"], numbers or frozenset(), is_unreadable=numbers is None)
        if re.match(_OPENS, line):
            return None
    return None


def _numbers(rest: str) -> frozenset[int] | None:
    """The blocks that the rest of the line names, none if it is empty; None if it cannot be read."""
    match = re.fullmatch(_NUMBERS, rest)
    if not rest or match is None:
        return None if rest else frozenset()
    try:
        return Selection.read(re.sub("[ \t#]", "", re.sub(r"(?:,|[ \t])*and", ",", match[1]))).numbers
    except ConfigError:
        return None
