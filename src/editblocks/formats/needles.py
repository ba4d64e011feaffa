"""Texts that a cheap look searches for, so that most files and comments need not be read: all by the formats.

The hook for leftovers lets git search for those of openers. The first step of the action (`hooks/gate.py`) and the
conditions of the workflows hold those of answers as text, which `tests/support/needles.py` writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.formats.grammar import Format, Grammar, Unmarked
from editblocks.formats.markers import Marker
from editblocks.formats.scanner import ALTERED, NOT_READ


def of_openers(formats: Sequence[Format]) -> tuple[str, ...]:
    """Return texts of which each opener holds one, and hardly any other line does."""
    found = [needle for each in formats for opener in each.markers[:1] for needle in opener.needles]
    for each in formats:
        if isinstance(each, Unmarked):
            found += each.opener_needles
    return tuple(dict.fromkeys(found))


def of_answers(formats: Sequence[Format]) -> tuple[str, ...]:
    """Return texts of which each text holds one that has a block, or a line that is said to be nearly one."""
    found: list[str] = []
    for each in formats:
        if isinstance(each, Grammar):
            found += (needle for marker in each.markers for needle in _in_answers(marker))
            found += _altered(each.opener)
        else:
            found += each.needles
    return tuple(dict.fromkeys((*found, NOT_READ.partition(" ")[0])))


def _in_answers(marker: Marker) -> Iterator[str]:
    """What a line holds that is this marker, or nearly. A row of common signs alone says nothing."""
    if marker.is_tag:
        yield "boltAction"
    elif not marker.is_common:
        yield marker.run
    else:
        yield from (f"{marker.sign * 2} {word}" for word in marker.plain_words)


def _altered(opener: Marker) -> Iterator[str]:
    """What is left of an opener whose signs were changed on the way."""
    for way in ALTERED.get(opener.sign, ()):
        for needle in way.needles:
            if opener.is_common:
                yield from (f"{needle} {word}" for word in opener.plain_words)
            else:
                yield needle
