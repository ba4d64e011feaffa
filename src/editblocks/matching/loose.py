"""The levels of `matching: loose`, in the order in which they are tried where the others and a merge find nothing."""

from __future__ import annotations

from editblocks.matching import elided, fuzzy, syntax

LEVELS = (elided.propose, syntax.propose, fuzzy.propose)
