"""The diff of a pull request, and which of its lines may have a comment."""

import re
from collections.abc import Mapping
from typing import Any

from support.hub.store import FileDiff, Store

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def changes(store: Store, base: str | None, head: str) -> list[FileDiff]:
    """The files that changed from the merge base with `base` to `head`."""
    start = store.merge_base(base, head) if base else None
    return store.diff(start, head) if start else []


def commentable(patch: str, side: str) -> list[set[int]]:
    """For each hunk, the lines that may have a comment: RIGHT for context and added lines, LEFT for deleted ones."""
    hunks: list[set[int]] = []
    old = new = 0
    for line in patch.split("\n"):
        if found := HUNK.match(line):
            old, new = int(found[1]), int(found[3])
            hunks.append(set())
        elif line.startswith(("+", " ", "-")):
            sign = line[0]
            if side == "RIGHT" and sign != "-":
                hunks[-1].add(new)
            elif side == "LEFT" and sign == "-":
                hunks[-1].add(old)
            old, new = old + (sign != "+"), new + (sign != "-")
    return hunks


def anchor(item: Mapping[str, Any], file: FileDiff | None) -> tuple[str, str]:
    """Return the hunk of an inline comment (`path`, `line`, …), and GitHub's error message ("" if it is valid)."""
    if file is None or file.patch is None:
        return "", "Path could not be resolved"
    if "line" not in item:
        return "", "Pull request review thread position is invalid"
    start, line = item.get("start_line"), item["line"]
    problems = []
    if start is not None and start >= line:
        # https://github.com/ubuntu/WSL/pull/244
        problems.append("Pull request review thread start line must precede the end line.")
    hunks = commentable(file.patch, item.get("side", "RIGHT"))
    number = next((at for at, lines in enumerate(hunks) if line in lines), None)
    if number is None:
        problems.append("Pull request review thread line must be part of the diff")
    if start is not None and (number is None or start not in hunks[number]):
        problems.append("Pull request review thread start line must be part of the same hunk as the line.")
    return _hunk(file.patch, number or 0), ", ".join(problems)


def _hunk(patch: str, number: int) -> str:
    return re.split(r"(?m)^(?=@@ )", patch)[number + 1].rstrip("\n")
