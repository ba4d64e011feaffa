"""Hints."""

from __future__ import annotations

LOOKS = "SEARCH differs only in look-alike characters: "
SPACE = "SEARCH differs only in white space: "
