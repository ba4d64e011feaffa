"""How much work something is, counted and not timed: the same input gives the same number everywhere."""

from __future__ import annotations

import sys
from collections.abc import Callable


def calls(function: Callable[[], object]) -> int:
    """How many calls of Python and of C functions `function` makes, whether it returns or raises."""
    count = 0

    def hear(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(hear)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
