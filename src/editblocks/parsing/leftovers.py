"""Edit blocks that were left in an ordinary file: marker lines that nobody wants there.

Only an opener with its closer counts, of any format that is read. A lone line of `=` underlines a heading, and what
git leaves of a conflict is git's to find: neither is a block. Page: docs/reference/pre-commit.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from editblocks.formats.grammar import Grammar
from editblocks.formats.markers import Kind, Token, read_tag, scan
from editblocks.parsing.parse import FORMATS

PRAGMA = "editblocks: allow-markers"

_MOST_NAMED = 6  # lines in a message
_GRAMMARS: dict[Kind, Grammar] = {grammar.opener: grammar for grammar in FORMATS}
_CLOSERS: dict[Kind, Kind] = {
    **{opener: grammar.closer for opener, grammar in _GRAMMARS.items()},
    Kind.EDIT_ACTION: Kind.END_BOLT,  # it holds blocks of another format
}


@dataclass(slots=True)
class _Open:
    """An opener that was seen, and the lines since then that may part its block."""

    token: Token
    separators: list[int] = field(default_factory=list)


def leftovers(text: str) -> tuple[tuple[int, ...], ...]:
    """The marker lines (1-based) of each block in `text`, in order of their closers; nothing if the pragma is there.

    The pragma counts on any line that is not part of a block, so that no block can excuse itself.
    """
    whole = text.removeprefix("\ufeff").replace("\r\n", "\n")
    blocks = tuple(_blocks(scan(whole if whole.endswith("\n") else f"{whole}\n", 1)))
    return () if blocks and PRAGMA in whole and _is_allowed(whole, blocks) else blocks


def sentence(blocks: Sequence[Sequence[int]], path: str) -> str:
    """What is wrong, where, and what to do, for the blocks that were found in the file at `path`."""
    lines = sorted({line for block in blocks for line in block})
    what = "block" if len(blocks) == 1 else "blocks"
    return f"edit-block markers at {_name_lines(lines)} of {path}; apply or remove the {what}"


def _blocks(tokens: Sequence[Token]) -> Iterator[tuple[int, ...]]:
    """Pair each closer with the nearest opener above it that it can close."""
    opened: dict[Kind, _Open] = {}
    for token in tokens:
        if token.kind in _CLOSERS:
            if _ends_here(token):
                yield (token.line,)
            else:
                opened[token.kind] = _Open(token)
            continue
        for kind in [kind for kind in opened if _CLOSERS[kind] is token.kind]:
            block = opened.pop(kind)
            yield (block.token.line, *block.separators, token.line)
        for kind, block in opened.items():
            if kind in _GRAMMARS and token.kind in _GRAMMARS[kind].separators and token.length == block.token.length:
                block.separators.append(token.line)


def _ends_here(token: Token) -> bool:
    """Whether an action is over on the line of its tag."""
    tag = read_tag(token.word) if token.kind in (Kind.OPEN_FILE, Kind.EDIT_ACTION) else None
    return tag is not None and tag.ends_here


def _is_allowed(whole: str, blocks: Sequence[Sequence[int]]) -> bool:
    inside = {line for block in blocks for line in range(block[0], block[-1] + 1)}
    return any(PRAGMA in line and number not in inside for number, line in enumerate(whole.split("\n"), 1))


def _name_lines(lines: Sequence[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    shown = list(map(str, lines if len(lines) <= _MOST_NAMED else lines[: _MOST_NAMED - 1]))
    last = shown.pop() if len(lines) <= _MOST_NAMED else f"{len(lines) - len(shown)} more"
    return f"lines {', '.join(shown)} and {last}"
