"""Read single values of GitHub's answers; a value of another shape is a `TypeError` or a `ValueError`."""

from __future__ import annotations

import re

_OID = re.compile("[0-9a-f]{40}")


def text(value: object) -> str:
    """Return a value that has to be text."""
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return value


def matching(pattern: re.Pattern[str], value: object) -> str:
    """Return a name that has to match."""
    name = text(value)
    if not pattern.fullmatch(name):
        raise ValueError("a name that GitHub does not give")
    return name


def is_oid(value: object) -> bool:
    """Whether a value is the id of a git object, 40 hex digits."""
    return isinstance(value, str) and _OID.fullmatch(value) is not None


def oid(value: object) -> str:
    """Return a value that has to be the id of a git object."""
    return matching(_OID, value)
