"""Paths inside a repository as bytes and back: UTF-8 in any locale, as git itself takes them."""

from __future__ import annotations

import os


def to_bytes(path: str) -> bytes:
    """The bytes of a path; a lone surrogate stands for a byte that is no UTF-8."""
    return path.encode("utf-8", "surrogateescape")


def to_text(name: bytes) -> str:
    """The path of these bytes."""
    return name.decode("utf-8", "surrogateescape")


def to_argument(text: str) -> str:
    """An argument of a process whose bytes are UTF-8 also where the locale's are not."""
    return os.fsdecode(to_bytes(text))
