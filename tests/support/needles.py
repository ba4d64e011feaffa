"""Writes what the gate of the action and the conditions of the workflows search for, by the formats.

After a change of a format: `python -m support.needles` in `tests/`; a test compares what is committed.
"""

from __future__ import annotations

import re
from pathlib import Path

from support.project import ROOT

from editblocks.formats.needles import of_answers
from editblocks.parsing.parse import FORMATS

GATE = ROOT / "hooks" / "gate.py"
WITH_CONDITION = (ROOT / "examples/workflow.yml", ROOT / "examples/organisation.yml")
NEEDLES = of_answers(FORMATS)
_BODY = "github.event.comment.body"
_MARKERS = re.compile(r"MARKERS = \(\n.*?\n\)\n", re.DOTALL)
_CONDITION = re.compile(r"startsWith\(github\.event\.comment\.body, '/'\).*?(?=\n *\|\| \(\(contains)", re.DOTALL)


def markers() -> str:
    """The tuple of the gate, in small letters and in ASCII."""
    rows = "".join(f"    {_literal(needle.lower())},\n" for needle in NEEDLES)
    return f"MARKERS = (\n{rows})\n"


def _literal(text: str) -> str:
    """The text as Python writes it, in the quotes that the formatter chooses."""
    literal = ascii(text)
    return literal if '"' in text else f'"{literal[1:-1]}"'


def condition() -> str:
    """The condition of a workflow, two needles a line."""
    first, *others = (f"contains({_BODY}, '{needle}')" for needle in NEEDLES)
    lines = [f"startsWith({_BODY}, '/') || {first}"]
    lines += [f"      || {' || '.join(others[at : at + 2])}" for at in range(0, len(others), 2)]
    return "\n".join(lines)


def written(path: Path) -> str:
    """The text of a file, with the needles as they should be."""
    text = path.read_text("utf-8")
    if path == GATE:
        return _MARKERS.sub(lambda _: markers(), text)
    return _CONDITION.sub(lambda _: condition(), text)


if __name__ == "__main__":
    for each in (GATE, *WITH_CONDITION):
        each.write_text(written(each), "utf-8")
