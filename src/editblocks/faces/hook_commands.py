"""What a hook puts into a command that somebody is to paste: paths from where they stand, quoted for their shell."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from editblocks.faces.places import find_root, here
from editblocks.report.escape import is_hidden
from editblocks.repos.names import from_system, to_bytes


def file_from_here(path: str) -> str:
    """`path`, which is from the top, as a word of a command for those who started git.

    Git starts hooks at the top, and leaves in GIT_PREFIX from which folder below it was started itself.
    """
    start = from_system(os.environ.get("GIT_PREFIX") or os.curdir)
    seen = Path(os.path.relpath(find_root(here()) / path, start)).as_posix()
    return quoted(f"./{seen}" if seen.startswith("-") else seen)


def quoted(word: str) -> str:
    """`word` for a shell. What a terminal must not see are its bytes, in the quotes that bash and zsh have for that."""
    if not any(map(is_hidden, word)):
        return shlex.quote(word)
    return f"$'{''.join(map(_escaped, word))}'"


def _escaped(char: str) -> str:
    if is_hidden(char):
        return "".join(f"\\x{byte:02x}" for byte in to_bytes(char))
    return f"\\{char}" if char in "\\'" else char
