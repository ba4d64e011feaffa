"""A limit on the work of searching: a hostile response gets no hint rather than a long wait."""

from __future__ import annotations

from dataclasses import dataclass

STEPS_A_BLOCK = 2_000_000
STEPS_A_RESPONSE = 20_000_000
LINES_A_RESPONSE = 2_000_000


@dataclass(slots=True)
class Budget:
    """What one response may still use: `left` character steps, and lines to merge with a base."""

    left: int = STEPS_A_RESPONSE
    merged_lines: int = LINES_A_RESPONSE
