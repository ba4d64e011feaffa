"""Which files are response files: for the Action, for commands and for hooks the same ones."""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.paths.globs import matches


def is_read_as_response(path: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern of the setting `response-files` means `path`; its star stands for a letter at least.

    What no block may write is wider, see `paths.is_response_file`: every spelling that some system takes for one.
    """
    return any(matches(pattern, path) and len(path) >= len(pattern) for pattern in patterns)


def folders_of(patterns: Sequence[str]) -> list[str]:
    """The folders that hold response files, each once: a pattern names one, and an ending."""
    return list(dict.fromkeys(pattern.rpartition("/")[0] for pattern in patterns))
