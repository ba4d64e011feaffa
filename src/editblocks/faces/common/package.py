"""The pages and examples of this package that a command prints or writes.

They have one source, in the checkout and in the wheel: `pyproject.toml` lists under `force-include` what the wheel
holds; a checkout has the same files at its top.
"""

from __future__ import annotations

from pathlib import Path

import editblocks

FOLDER = "shipped"
_PACKAGE = Path(editblocks.__file__).parent


def read_packaged(name: str) -> str:
    """The text of a file such as `docs/reference/reasons.md`, named from the top of the checkout."""
    place = _PACKAGE / FOLDER / name
    if not place.is_file():
        place = _PACKAGE.parents[1] / name
    return place.read_text("utf-8")
