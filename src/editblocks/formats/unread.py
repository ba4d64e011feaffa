"""Formats that are known but not read yet: said, never half-read.

A block of such a format is passed over as a whole, so that markers inside it are not taken for
blocks of another format, and becomes one `unsupported-format` row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from editblocks.codes import ReasonCode
from editblocks.formats.grammar import Fault, Frame, Sections
from editblocks.formats.markers import Kind, Token

_ACTION_TYPE = re.compile(r"\stype=(?:\"(?:edit|file)\"|'(?:edit|file)')")


@dataclass(frozen=True, slots=True)
class Unread:
    """A grammar that refuses every block, but knows where one ends."""

    OPENER: Kind
    CLOSER: Kind
    first: str  # the opener as people write it
    last: str  # the closer
    SEPARATORS: tuple[Kind, ...] = ()
    HOLDS_CONFLICTS: bool = False

    def name(self, _path_source: str, _inside_fence: bool) -> str | None:
        """None: results name a format only where a block of it was read."""
        return None

    def closer_line(self, _length: int) -> str:
        """The closer in its usual length."""
        return self.last

    def separator_line(self, _length: int) -> str:
        """Nothing parts a block that is not read."""
        return ""

    def refusal(self, opener_line: int) -> Fault | None:
        """The one sentence every block of this format gets."""
        return unsupported(self.first, opener_line)

    def read(self, frame: Frame) -> Sections | Fault:
        """The same, for a block that was closed."""
        return unsupported(self.first, frame.shown(frame.opener))


UNREAD = (
    Unread(Kind.OPEN_V2, Kind.END_V2, "<<<<<<< EDIT", ">>>>>>>"),
    Unread(Kind.OPEN_NEW, Kind.END_NEW, "<<<<<<< NEW_FILE", ">>>>>>> NEW_FILE"),
    Unread(Kind.OPEN_V3, Kind.END_V3, "««« EDIT", "»»» EDIT END"),
    Unread(Kind.OPEN_BOLT, Kind.END_BOLT, "<boltAction>", "</boltAction>"),
)


def unsupported(opener: str, line: int) -> Fault:
    """The row of a block whose format is known and not read."""
    message = f"`{opener}` (line {line}) is not read yet; ask for SEARCH/REPLACE blocks"
    return Fault(ReasonCode.UNSUPPORTED_FORMAT, message)


def is_edit_action(token: Token) -> bool:
    """Whether a `<boltAction …>` line is meant to change a file, rather than to run something."""
    return _ACTION_TYPE.search(token.word) is not None
