"""A limit on the work of searching for one text: a hostile response gets no hint instead of a long wait."""

from __future__ import annotations

from dataclasses import dataclass

STEPS_A_BLOCK = 2_000_000
STEPS_A_RESPONSE = 20_000_000
LINES_A_RESPONSE = 2_000_000


@dataclass(slots=True)
class Budget:
    """What one response may still spend: character steps, and lines that are merged with a base."""

    left: int = STEPS_A_RESPONSE
    merged_lines: int = LINES_A_RESPONSE
