"""`editblocks hook leftovers`: are there edit-block markers in files that are to be committed?

Files are read as they are staged, never from the working tree, and nothing is written. Response files may hold
markers, and so may a file that says so by the pragma of `leftovers`. Page: docs/reference/pre-commit.md.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, UnreadableFile, UsageError
from editblocks.core.settings import CEILINGS
from editblocks.faces.common.exit_codes import FINE, NOT_OK
from editblocks.faces.common.hook_settings import hook_settings
from editblocks.faces.common.terminal import message, show
from editblocks.parsing.leftovers import leftovers, sentence
from editblocks.paths import is_response_file
from editblocks.report.escape import visible
from editblocks.repos.files.names import from_system
from editblocks.repos.git.command import Git, Mode
from editblocks.repos.git.repository import open_repository
from editblocks.repos.git.trees import Loaded, read_blobs
from editblocks.repos.index.staged_files import staged_entries, staged_holding, staged_names

# Every opener holds one of these, so that git can say which few files there are to be read.
NEEDLES = ("<<<<< SEARCH", "<<<<< ORIGINAL", "<<<<< EDIT", "<<<<< NEW_FILE", "««« EDIT", "<boltAction")

LIMIT = CEILINGS["max_file_bytes"]  # a file is only looked through here, so the highest of all limits holds
_AT_ONCE = 16  # files that are held in memory
_SNIFFED = 8000  # git's own rule: buffer_is_binary() looks for a NUL in the first 8000 bytes
_HELP = """\
usage: editblocks hook leftovers [-- FILES...]

Look for edit blocks that were left in staged files, as a whole with opener and
closer. FILES are paths from the top of the repository, as pre-commit passes
them; without any, all files that the commit adds or changes. A file that shows
blocks says so on any line: editblocks: allow-markers

example:
  editblocks hook leftovers -- src/cart.py
"""


def main(argv: Sequence[str]) -> int:
    """Look through the files that `argv` names, what follows `editblocks hook leftovers`; the exit code.

    Raises `UsageError` for usage and `RepoError` for git.
    """
    if list(argv) in (["-h"], ["--help"]):
        show(_HELP)
        return FINE
    named = _operands(argv)
    root = _top(Path(os.path.curdir).absolute())
    git = open_repository(root, Mode.HOOK).git
    if named:
        known = staged_entries(git, named)
        for path in (path for path in named if path not in known):
            message(f"{path} is not staged, so it was not searched; git add it first")
    names = staged_holding(git, NEEDLES, named or staged_names(git))
    lines = _findings(root, git, names) if names else []
    show("".join(lines))
    return NOT_OK if lines else FINE


def _findings(root: Path, git: Git, paths: Sequence[str]) -> list[str]:
    """A line for each of these staged files in which a block was left; response files may hold blocks."""
    patterns = hook_settings(root).response_files
    entries = staged_entries(git, [path for path in paths if not is_response_file(path, patterns)])
    ids = [(path, entry.oid) for path, entry in sorted(entries.items())]
    lines = []
    for start in range(0, len(ids), _AT_ONCE):
        loaded = read_blobs(git, dict(ids[start : start + _AT_ONCE]), LIMIT)
        lines += [line for path, data in sorted(loaded.items()) if (line := _line(path, data))]
    return lines


def _top(start: Path) -> Path:
    """The top of the repository around `start`; faces.request knows it too, and loads far more than this needs."""
    return next((place for place in (start, *start.parents) if (place / ".git").exists()), start)


def _operands(argv: Sequence[str]) -> list[str]:
    """Operands as paths from the top: behind `--` any name, before it none that could be an option."""
    at = argv.index("--") if "--" in argv else len(argv)
    stray = next((word for word in argv[:at] if word.startswith("-")), None)
    if stray is not None:
        raise UsageError(f"hook leftovers has no option `{stray}`; for a file of that name write -- before it")
    return [from_system(name).removeprefix("./") for name in (*argv[:at], *argv[at + 1 :])]


def _line(path: str, data: Loaded) -> str:
    """What is said of a file, a whole line or nothing. One that is no text is git's to keep, not ours to read."""
    if isinstance(data, EditBlocksError):
        what = data.what if isinstance(data, UnreadableFile) else data.message
        message(f"{what}; it was not searched for edit blocks")
        return ""

    blocks = () if b"\0" in data[:_SNIFFED] else leftovers(data.decode("utf-8", "replace"))
    if not blocks:
        return ""
    first = min(block[0] for block in blocks)
    row = f"{path}:{first}: failed: {ReasonCode.LEFTOVER.value}: {sentence(blocks, path)}"
    return f"{visible(row)}\n"
