"""Which files are response files: the same rule for the Action, for commands and for hooks."""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.paths.globs import matches


def is_read_as_response(path: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern of the setting `response-files` matches `path`; its star stands for at least one character.

    Blocks may not write even more paths, see `paths.is_response_file`: every spelling that some system takes for one.
    """
    return any(matches(pattern, path) and len(path) >= len(pattern) for pattern in patterns)


def folders_of(patterns: Sequence[str]) -> list[str]:
    """Return the folders that hold response files, each once: a pattern names a folder and the form of a name."""
    return list(dict.fromkeys(pattern.rpartition("/")[0] for pattern in patterns))
