"""Paths inside a repository as bytes and back: UTF-8 in any locale, as git itself takes them."""

from __future__ import annotations

import os


def to_bytes(path: str) -> bytes:
    """The bytes of a path; a lone surrogate stands for a byte that is no UTF-8."""
    return path.encode("utf-8", "surrogateescape")


def to_text(name: bytes) -> str:
    """The path of these bytes."""
    return name.decode("utf-8", "surrogateescape")


def to_system(text: str) -> str:
    """A name or an argument as Python wants it here: where the locale is not UTF-8, the same bytes, escaped."""
    return os.fsdecode(to_bytes(text))


def from_system(name: str) -> str:
    """The path that a name on this system stands for."""
    return to_text(os.fsencode(name))
