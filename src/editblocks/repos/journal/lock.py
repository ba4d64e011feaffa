"""The lock of those who write to a working tree: a file that is not empty while somebody is at work."""

from __future__ import annotations

from pathlib import Path

FOLDER, LOCK = "editblocks", "lock"  # ours, in the git directory of a working tree


def was_used(git_dir: Path | None) -> bool:
    """Whether anything was ever written here, so that there may be records: a look at the disk instead of a process."""
    return git_dir is not None and (git_dir / FOLDER / LOCK).exists()


def is_unfinished(git_dir: Path | None) -> bool:
    """Whether a write to the working tree with this git directory was interrupted, or goes on; looks only."""
    try:
        return git_dir is not None and (git_dir / FOLDER / LOCK).stat().st_size > 0
    except OSError:
        return False
