"""`editblocks hook leftovers`: find edit blocks in staged files.

Files are read from the index, never from the working tree, and nothing is written. Markers are allowed in response
files, and in files with the pragma of `leftovers`. Page: docs/reference/pre-commit.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.settings import CEILINGS
from editblocks.faces.common.reading import find_root, here, hook_settings
from editblocks.faces.common.terminal import FINE, code_for, message, show_wrapped
from editblocks.parsing.leftovers import hook_needles, leftovers, sentence
from editblocks.parsing.parse import FORMATS
from editblocks.paths.policy import is_response_file
from editblocks.report.escape import visible
from editblocks.repos.git.repository import Git, Mode, open_repository
from editblocks.repos.git.trees import read_blobs
from editblocks.repos.index import staged_entries, staged_holding, staged_names

# `git grep` finds the few files with one of these words, so only those are read.
NEEDLES = hook_needles(FORMATS)

LIMIT = CEILINGS["max_file_bytes"]  # the highest value that the setting allows, because files are only searched
_AT_ONCE = 16  # files in memory at the same time
_SNIFFED = 8000  # git's own rule: buffer_is_binary() looks for a NUL in the first 8000 bytes


def main(files: Sequence[str]) -> int:
    """Search these files, by default all that the commit adds or changes. Return the exit code."""
    root = find_root(here())
    git = open_repository(root, Mode.HOOK).git
    if files:
        known = staged_entries(git, files)
        for path in files:
            if path not in known:
                message(f"{path} is not staged, so it was not searched; git add it first")
    paths = staged_holding(git, NEEDLES, files or staged_names(git))
    if not paths:
        return FINE
    patterns = hook_settings(root).response_files
    lines = list(_findings(git, [path for path in paths if not is_response_file(path, patterns)]))
    show_wrapped("".join(lines))
    return code_for(not lines)


def _findings(git: Git, paths: Sequence[str]) -> Iterator[str]:
    """Yield a line for each of these staged files that contains an edit block. Binary files are skipped."""
    ids = [(path, entry.oid) for path, entry in sorted(staged_entries(git, paths).items())]
    for start in range(0, len(ids), _AT_ONCE):
        blobs = read_blobs(git, dict(ids[start : start + _AT_ONCE]), LIMIT)
        for path, data in sorted(blobs.items()):
            if not isinstance(data, bytes):
                what = data.what if isinstance(data, UnreadableFile) else data.message
                message(f"{what}; it was not searched for edit blocks")
                continue
            if b"\0" in data[:_SNIFFED]:
                continue
            blocks = leftovers(data.decode("utf-8", "replace"))
            if blocks:
                first = min(marker_lines[0] for marker_lines in blocks)
                row = f"{path}:{first}: failed: {ReasonCode.LEFTOVER.value}: {sentence(blocks, path)}"
                yield f"{visible(row)}\n"
