"""What a person should look at although the block landed: these notes change no verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editblocks.landed import Landed
from editblocks.model import EditBlock, Note
from editblocks.patterns import regex
from editblocks.text import SourceText

REWRITTEN = 0.8
_LONGEST = 200  # characters of a line that may be a placeholder: nobody writes longer ones
FEWEST_LINES = 10  # a short file is rewritten by any change; nobody needs to hear so
_SIGN = r"(?:#|//|/\*|<!--|--|;|%|\{/\*)"
_WORDS = (
    r"(?:the )?(?:rest of (?:the |your |this )?\w+|(?:existing|remaining|other|previous) (?:code|\w+)|\w+ unchanged)"
)
_PLACEHOLDER = regex(
    rf"(?:{_SIGN}[ \t]*)?(?:\.\.\.|…)(?:[ \t]*{_WORDS}.*)?[ \t]*(?:\*/\}}?|-->)?\Z"
    rf"|{_SIGN}[ \t]*(?:\.\.\.|…)?[ \t]*\(?{_WORDS}\b.*\Z",
    re.IGNORECASE,
)


def remarks(block: EditBlock, landed: Landed, before: SourceText) -> Iterator[Note]:
    """Notes about a block that landed on `before`, a text without lines if it creates the file."""
    count = len(before.lines)
    if count >= FEWEST_LINES and landed.removed > REWRITTEN * count:
        yield Note("rewrites-file", f"replaces {landed.removed * 100 // count} % of the file")
    if block.format == "edit-v2" and landed.start and not (block.anchor or block.old_lines or block.splits):
        yield Note(
            "not-at-start", "nothing stands before the new lines in the block, yet they are not the file's first"
        )
    searched = block.search
    for line in landed.added:
        text = " ".join(line[:_LONGEST].split())
        if _PLACEHOLDER.match(text) and line.strip(" \t") not in searched:
            yield Note("placeholder", f"the replacement says `{line.strip()[:40]}`: write every line out")
            return
