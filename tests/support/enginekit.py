"""Small helpers for whole plans."""

from support.responses import block

BOM = "\ufeff".encode()


def no_file(_path: str) -> None:
    """Read a file of a tree that has no files."""


def entries(directory: str) -> dict[str, str]:
    """List a directory of a tree whose only file is `a.py`."""
    return {"": {"a.py": "100644"}}.get(directory, {})


FAIL, GOOD = block("missing\n", "y\n"), block("x\n", "y\n")
