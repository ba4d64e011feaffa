"""Measure work by counting calls instead of time, so that the same input gives the same number on every machine."""

import sys
from collections.abc import Callable


def calls(function: Callable[[], object]) -> int:
    """Count the calls of Python and C functions that `function` makes until it returns. Its exceptions pass through."""
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
