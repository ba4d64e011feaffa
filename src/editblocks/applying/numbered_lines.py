"""Line numbers that a model copied from a listing into its new text, and not into the old one (amendment A12)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Mismatch

_NUMBERED = r"[ \t]*([0-9]{1,7})(?: ?[|│→:] ?|\t)(.*)\Z"  # `12 | x`, `    12→x`, `12:x`, as `cat -n` and editors write


def numbered(added: Sequence[str], searched: Sequence[str]) -> Mismatch | None:
    """Refuse new lines that each begin with a number, one more than the line above, if the rest is searched text.

    A table or a list of numbers is text of its own: without its numbers it gives none of the old lines back.
    """
    matches = [re.match(_NUMBERED, line) for line in added]
    found = [(int(match[1]), match[2].strip(" \t")) for match in matches if match is not None]
    if not found or len(found) < len(added):
        return None
    if any(below != above + 1 for (above, _), (below, _) in pairwise(found)):
        return None
    old = {line.strip(" \t") for line in searched if any(map(str.isalnum, line))}
    if not any(rest in old for _, rest in found):
        return None
    what = f"each new line begins with a line number ({found[0][0]} to {found[-1][0]})"
    return Mismatch(ReasonCode.MALFORMED, what, "leave the numbers out", can_be_mended=True)
