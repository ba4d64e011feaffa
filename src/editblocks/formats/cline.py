"""`cline`: a SEARCH/REPLACE block with two other literals, `------- SEARCH` and `+++++++ REPLACE`.

A model that mixes the two forms ends a block of one with the closer of the other; each is read for the other where the
block has no closer of its own.
"""

from __future__ import annotations

from editblocks.formats.markers import Marker
from editblocks.formats.search_replace import CLOSER as SEARCH_REPLACE_CLOSER
from editblocks.formats.search_replace import SEARCH_REPLACE

OPENER = Marker("------- SEARCH", "SEARCH>")
CLOSER = Marker("+++++++ REPLACE")

CLINE = SEARCH_REPLACE._replace(
    names=("cline",),
    opener=OPENER,
    closer=CLOSER,
    words=(OPENER.text, CLOSER.text),
    name=lambda _: "cline",
    other_closer=SEARCH_REPLACE_CLOSER,
)
