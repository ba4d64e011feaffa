"""A repository opened as tests want it: nothing of this machine counts, and nobody's lock is waited for."""

from __future__ import annotations

import os
from pathlib import Path

from editblocks.repos.git.command import Launch, Mode, start
from editblocks.repos.git.repository import Repository, open_repository


def open_sealed(
    place: str | os.PathLike[str], mode: Mode = Mode.ISOLATED, *, launch: Launch = start, lock_seconds: float = 0
) -> Repository:
    """The repository at `place`."""
    return open_repository(Path(place), mode, launch=launch, lock_seconds=lock_seconds)
