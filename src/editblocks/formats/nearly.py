"""The line that was probably meant to close a block that is cut off.

It closes nothing: what does is said by `markers` alone. A person or a model who is told of it sees what to mend.
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.formats.markers import Kind
from editblocks.patterns import regex

_SHOWN = 40  # characters of the line
_DRESS = r"[ \t]*(?:>[ \t])?[^\w<>«»&+]{0,4}"  # Markdown, a comment sign, a quote
_WORD = r"[^\w<>«»]{0,3}(?:end|edit|repl|updat|new|file|search|orig)"
_ENDS = regex(
    rf"(?i){_DRESS}(?:>{{4,20}}(?:{_WORD}|\W{{0,4}}\Z)|>{{5,9}} [^ \t]|>>> (?:EDIT END|END EDIT)"
    rf"|»{{2,9}}(?:{_WORD}|\W{{0,4}}\Z)|[<«]{{3,9}} ?(?:edit )?(?:end|repl|updat)|\+{{5,9}} REPLACE"
    r"|(?:&gt;){4,9}|(?:&raquo;){2,9})"
)
_BEGINS = regex(rf"(?:[ \t]*>{{1,4}})?{_DRESS}(?:<{{5,20}}|«{{3,9}})")
_TAG_ENDS = regex(r"(?i)</[ \t]?bolt(?:action|file|edit)?\b")
_TAG_BEGINS = regex(r"(?i)<boltaction\b")


def nearly_closing(lines: Sequence[str], closer: str) -> int | None:
    """The index of the first line that looks like `closer` and ends nothing that began before, or None."""
    is_tag = closer == Kind.END_BOLT.value
    begins, ends = (_TAG_BEGINS.search, _TAG_ENDS.search) if is_tag else (_BEGINS.match, _ENDS.match)
    depth = 0
    for number, line in enumerate(lines):
        if ends(line):
            if not depth and not (is_tag and begins(line)):
                return number
            depth = max(0, depth - 1)
        elif begins(line):
            depth += 1
    return None


def what_nearly_closes(line: str, closer: str) -> str:
    """How `line`, which `nearly_closing` found, differs from `closer`."""
    found = line.strip(" \t")
    if found == closer:
        return "indented otherwise"
    shown = found if len(found) <= _SHOWN else f"{found[: _SHOWN - 1]}…"
    return shown if "`" in shown else f"`{shown}`"
