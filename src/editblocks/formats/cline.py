"""`cline`: a SEARCH/REPLACE block with two other literals, `------- SEARCH` and `+++++++ REPLACE`.

A model that mixes the two forms ends a block of one with the closer of the other; each is read for the other where the
block has no closer of its own.
"""

from __future__ import annotations

from editblocks.formats.markers import Kind
from editblocks.formats.search_replace import SEARCH_REPLACE

CLINE = SEARCH_REPLACE._replace(
    names=("cline",),
    opener=Kind.OPEN_CL,
    closer=Kind.END_CL,
    words=(Kind.OPEN_CL.value, Kind.END_CL.value),
    name=lambda _: "cline",
    other_closer=Kind.END_SR,
)
