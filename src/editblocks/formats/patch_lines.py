"""The lines of patches: all that is needed to notice a patch, before it is read."""

from __future__ import annotations

import re

from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault, Unmarked
from editblocks.formats.markers import Marker

BEGIN_PATCH = Marker(
    "*** Begin Patch",
    is_fixed=True,
    near_pattern=r"`?\*{2,20}[^\w*\n]{0,3}(?i:begin patch)(?=`?[ \t]*(?:\n|\Z))",
)
END_PATCH = Marker("*** End Patch", is_fixed=True)
PATCH_HEADER = r"\*\*\* (?:Add|Update|Delete) File:"
HUNK = "@@"
NEW_NAME = "+++ "
GIT = "diff --git "
NONE = "/dev/null"  # the name for a file that does not exist
# Read by `v4a.py` and `unified.py`.
V4A = Unmarked(names=("v4a",), markers=(BEGIN_PATCH, END_PATCH), gate_needles=("*** ", "Begin Patch"))
UNIFIED = Unmarked(names=("unified",), gate_needles=(NEW_NAME, HUNK, GIT))
IN_SCRIPT = Fault(
    ReasonCode.UNSUPPORTED_FORMAT, "the patch is in a script with other commands", "ask only for the patch"
)
EXTENDED = (
    r"(old mode|new mode|new file mode|deleted file mode|similarity index|dissimilarity index|index|rename from"
    r"|rename to|copy from|copy to|Binary files|GIT binary patch)(?: (.*)|\Z)"
)
_TIME = (
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: [A-Z]{3,4})? \d{4}"
)
_REMARK = rf"  +(?:{_TIME})\Z| +\((?:revision \d+|working copy|nonexistent)\)\Z"
_LONGEST_REMARK = 64  # characters


def is_extended(line: str) -> bool:
    """Whether a line is an extended header line, between `diff --git` and the names."""
    return re.match(EXTENDED, line) is not None


def raw_name(line: str) -> str:
    """Return the name in a line `--- name` or `+++ name`, without a time stamp or a Subversion revision.

    Text after a tab is not part of the name. The tab may have been replaced with spaces: two or more before a time show
    this, and one may be part of the name.
    """
    name = line[4:].partition("\t")[0].rstrip(" ")
    end = name[-_LONGEST_REMARK:]
    match = re.search(_REMARK, end)
    if match is not None:
        name = name[: match.start() - len(end)]
    return name.strip(" ")


def has_time(name: str) -> bool:
    """Whether a name ends in a time after one space."""
    return re.search(f" (?:{_TIME})\\Z", name[-_LONGEST_REMARK:]) is not None


def sign_of(line: str) -> str | None:
    """Return the sign of a hunk line; "" for an empty line, None for a line without a sign."""
    if not line or line[0] in " +-":
        return line[:1]
    if line.startswith("\\ "):
        return "\\"
    return None


def may_continue_diff(line: str) -> bool:
    """Whether a line can continue a diff that is not in a fence: a hunk line, or a header line."""
    return sign_of(line) is not None or line.startswith(("@@", GIT)) or is_extended(line)
