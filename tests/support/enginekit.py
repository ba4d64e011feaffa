"""Small helpers for whole plans."""

from __future__ import annotations

from support.responses import block

BOM = "\ufeff".encode()


def no_file(_path: str) -> None:
    """A tree without files."""


def entries(directory: str) -> dict[str, str]:
    """A tree that holds `a.py` and nothing else."""
    return {"": {"a.py": "100644"}}.get(directory, {})


FAIL, GOOD = block("missing\n", "y\n"), block("x\n", "y\n")
