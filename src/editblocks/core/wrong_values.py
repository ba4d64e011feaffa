"""What a message says of a word or a value that cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from editblocks.core.characters import show_text

_SHOWN = 60


def did_you_mean(word: str, known: tuple[str, ...], shown: Callable[[str], str] = str) -> str:
    """What a message advises for a word that is not known: the nearest one, else the list. `shown` as above."""
    close = get_close_matches(word, known, 1)
    return f"did you mean {shown(close[0])}?" if close else f"use one of {', '.join(map(shown, known))}"


def quote(text: str) -> str:
    """A wrong value on one line, with nothing invisible in it, cut."""
    text = show_text(text[: _SHOWN + 1])
    return f"`{text if len(text) <= _SHOWN else f'{text[: _SHOWN - 3]}...'}`"
