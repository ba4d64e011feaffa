"""What to send back to the model when its answer holds no edit block: what was expected, shown for one of its files."""

from __future__ import annotations

import re
from itertools import islice

from editblocks.core.errors import UnreadableFile
from editblocks.core.settings import Settings
from editblocks.paths import Entries, check_policy, check_syntax, check_tree
from editblocks.prompts.excerpts import fence
from editblocks.prompts.files import Read
from editblocks.prompts.paragraphs import EXAMPLE
from editblocks.prompts.reminder import REMINDER
from editblocks.report.without_blocks import what_it_is
from editblocks.text.source_text import SourceText

_NAME = re.compile(r"(?<![\w./@+-])(?:\./)?([\w@+-][\w.@+-]{0,99}(?:/[\w.@+-]{1,100}){0,20})(?<!\.)")
_MARKERS = ("<<<<<", "=====", ">>>>>", "-----")
_MOST_NAMES = 50  # that are looked up
_LONGEST_LINE = 120


def no_blocks_prompt(text: str, read: Read, entries: Entries, settings: Settings, *, max_chars: int = 6000) -> str:
    """Write what makes a model send its answer again as SEARCH/REPLACE blocks.

    `text` is the answer. The example is for the first file that it names and that blocks may change; `read` and
    `entries` are those of the version (see `apply_response`), and what they raise, `UnreadableFile` apart, is raised.
    At most `max_chars` characters, 500 at least, without a last line end.
    """
    wanted = (
        f"Your answer holds no edit block, so nothing could be applied: {what_it_is(text)}.\n"
        "Send the same changes again as SEARCH/REPLACE blocks."
    )
    closing = "Answer with the blocks, as plain text."
    whole = "\n\n".join((wanted, _example(text, read, entries, settings), REMINDER, closing))
    return whole if len(whole) <= max_chars else "\n\n".join((wanted, EXAMPLE, closing))


def _example(text: str, read: Read, entries: Entries, settings: Settings) -> str:
    """A block for a line that the file holds; a general one if no file of the answer has such a line."""
    path = _first_file(text, entries, settings)
    first_line = None if path is None else _first_line(path, read)
    if first_line is None:
        return EXAMPLE
    number, line = first_line
    block = fence(f"{path}\n<<<<<<< SEARCH\n{line}\n=======\nthe new lines\n>>>>>>> REPLACE\n")
    return f"A block that changes line {number} of {path} looks like this:\n{block}"


def _first_file(text: str, entries: Entries, settings: Settings) -> str | None:
    """The first file that the text names, is there, and that blocks may change."""
    paths = (match[1] for match in _NAME.finditer(text))
    names = dict.fromkeys(name for name in paths if "." in name or "/" in name)
    for path in islice(names, _MOST_NAMES):
        if not (check_syntax(path, "edit") or check_policy(path, settings) or check_tree(path, "edit", entries)):
            return path
    return None


def _first_line(path: str, read: Read) -> tuple[int, str] | None:
    """Number and text of the first line with a word that no reader would take for a marker."""
    try:
        lines = SourceText.decode(read(path) or b"", path).lines
    except UnreadableFile:
        return None
    for number, line in enumerate(lines, 1):
        if any(map(str.isalnum, line[:_LONGEST_LINE])) and not line.lstrip(" \t").startswith(_MARKERS):
            return (number, line) if len(line) <= _LONGEST_LINE else None
    return None
