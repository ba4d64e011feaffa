"""What a message says of a word or a value that cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches


def did_you_mean(word: str, known: tuple[str, ...], shown: Callable[[str], str] = str) -> str:
    """What a message advises for a word that is not known: the nearest one, else the list. `shown` as above."""
    close = get_close_matches(word, known, 1)
    return f"did you mean {shown(close[0])}?" if close else f"use one of {', '.join(map(shown, known))}"
