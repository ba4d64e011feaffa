"""Faults for blocks in formats that are known but not read yet, or not asked for: each becomes a failed row."""

from __future__ import annotations

from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault

OTHER_FORM = "ask for SEARCH/REPLACE blocks"


def unsupported_format(what: str, first: int, last: int) -> Fault:
    """Return the fault of a block whose format is known but not read. Lines are 1-based."""
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    return Fault(ReasonCode.UNSUPPORTED_FORMAT, f"{what} ({where}) is not read yet", OTHER_FORM)


def not_asked_for(opener: str, line: int) -> Fault:
    """Return the fault of a block whose format the caller left out."""
    where = f"`{opener}` (line {line}) is not of the formats that are read here"
    return Fault(ReasonCode.UNSUPPORTED_FORMAT, where, "ask for one that `format` or `formats` names")
