"""Judge what a suggested shell command would do to files, for a person who may run it. Nothing here is ever run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editblocks.report.escape import cut_end

SUGGESTIONS = 20  # shown at most, 200 characters of each: limits of the JSON result, which all reports share
COMMAND_LIMIT = 200

# Removes, overwrites, or fetches and executes. `git mv` refuses to overwrite, `mv` does not.
_DESTRUCTIVE = r"""(?x)
      (?:^|[\s;&|(`])(?:sudo|rm|rmdir|unlink|shred|truncate|dd|mv|cp|install|tee|eval|exec|source|xargs|mkfs\S*)(?:\s|$)
    | \bgit\s+(?:-\S+\s+)*(?:rm|clean|reset|checkout|restore|switch|push|stash|rebase|filter-\S+)(?:\s|$)
    | >
    | \|\s*(?:\S*/)?(?:ba|z|da|k|fi)?sh\b
    | \|\s*(?:\S*/)?(?:python|perl|ruby|node|php)
    | \s-(?:delete|exec|execdir)\b
    | \s(?:-i|--in-place|--force)\b
"""
_GIT_MV = r"git\s+mv(?:\s+-k)?(?:\s+[^\s;&|><$`-][^\s;&|><$`]*){2,}\s*"


def is_destructive(command: str) -> bool:
    """Whether a command removes, overwrites, or fetches and executes; errs on the side of yes."""
    return re.fullmatch(_GIT_MV, command) is None and re.search(_DESTRUCTIVE, command) is not None


def suggestions(commands: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first commands of a response, each cut to its limit, with its risk: `info` or `destructive`.

    The whole command is judged, also where less of it is shown.
    """
    return [(cut_end(command, COMMAND_LIMIT), _risk(command)) for command in commands[:SUGGESTIONS]]


def _risk(command: str) -> str:
    return "destructive" if is_destructive(command) else "info"
