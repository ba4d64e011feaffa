"""The prompt for a model whose answer holds no edit block: what was expected, with an example for one of its files."""

from __future__ import annotations

import re
from itertools import islice

from editblocks.core.errors import UnreadableFile
from editblocks.core.settings import Settings
from editblocks.paths import Entries, check_policy, check_syntax, check_tree
from editblocks.prompts.files import Read, fence
from editblocks.prompts.paragraphs import EXAMPLE, REMINDER
from editblocks.report.without_blocks import what_it_is
from editblocks.text.source_text import SourceText

_NAME = re.compile(r"(?<![\w./@+-])(?:\./)?([\w@+-][\w.@+-]{0,99}(?:/[\w.@+-]{1,100}){0,20})(?<!\.)")
_MARKERS = ("<<<<<", "=====", ">>>>>", "-----")
_MOST_NAMES = 50  # how many names are looked up
_LONGEST_LINE = 120


def no_blocks_prompt(text: str, read: Read, entries: Entries, settings: Settings, *, max_chars: int = 6000) -> str:
    """Write a prompt that makes a model send its answer again as SEARCH/REPLACE blocks.

    `text` is the answer. The example is for the first file that it names and that blocks may change. `read` and
    `entries` access the files (see `apply_response`); what they raise is raised, except `UnreadableFile`.
    At most `max_chars` characters, which must be 500 or more, without a last line end.
    """
    wanted = (
        f"Your answer holds no edit block, so nothing could be applied: {what_it_is(text)}.\n"
        "Send the same changes again as SEARCH/REPLACE blocks."
    )
    closing = "Answer with the blocks, as plain text."
    whole = "\n\n".join((wanted, _example(text, read, entries, settings), REMINDER, closing))
    return whole if len(whole) <= max_chars else "\n\n".join((wanted, EXAMPLE, closing))


def _example(text: str, read: Read, entries: Entries, settings: Settings) -> str:
    """Return an example block for a line of a file that the answer names; a general example if there is none."""
    path = _first_file(text, entries, settings)
    first_line = None if path is None else _first_line(path, read)
    if first_line is None:
        return EXAMPLE
    number, line = first_line
    block = fence(f"{path}\n<<<<<<< SEARCH\n{line}\n=======\nthe new lines\n>>>>>>> REPLACE\n")
    return f"A block that changes line {number} of {path} looks like this:\n{block}"


def _first_file(text: str, entries: Entries, settings: Settings) -> str | None:
    """Return the first file that the text names, that exists, and that blocks may change."""
    paths = (match[1] for match in _NAME.finditer(text))
    names = dict.fromkeys(name for name in paths if "." in name or "/" in name)
    for path in islice(names, _MOST_NAMES):
        if not (check_syntax(path, "edit") or check_policy(path, settings) or check_tree(path, "edit", entries)):
            return path
    return None


def _first_line(path: str, read: Read) -> tuple[int, str] | None:
    """Return number and text of the first line with a word that does not look like a marker; None if it is too long."""
    try:
        lines = SourceText.decode(read(path) or b"", path).lines
    except UnreadableFile:
        return None
    for number, line in enumerate(lines, 1):
        if any(map(str.isalnum, line[:_LONGEST_LINE])) and not line.lstrip(" \t").startswith(_MARKERS):
            return (number, line) if len(line) <= _LONGEST_LINE else None
    return None
