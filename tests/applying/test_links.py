"""Where symbolic links end: docs/internals/security.md, "paths"; hostile targets."""

from __future__ import annotations

import pytest

from editblocks.applying.plans import Links
from editblocks.paths.tree import SYMLINK

DIRECTORY, FILE = "040000", "100644"

# the links of a tree whose folders are `docs` and `docs/deep`, and where `CLAUDE.md` ends
ENDS: dict[str, tuple[dict[str, str], str]] = {
    "a file": ({"CLAUDE.md": "docs/ai.md"}, "docs/ai.md"),
    "a file that is not there": ({"CLAUDE.md": "docs/none.md"}, "docs/none.md"),
    "blank names and dots": ({"CLAUDE.md": ".//docs/./ai.md"}, "docs/ai.md"),
    "a link to a link": ({"CLAUDE.md": "docs/b", "docs/b": "deep/ai.md"}, "docs/deep/ai.md"),
    "below a link": ({"CLAUDE.md": "b/ai.md", "b": "docs/deep"}, "docs/deep/ai.md"),
    "up from where a link ends": ({"CLAUDE.md": "b/../ai.md", "b": "docs/deep"}, "docs/ai.md"),
    "the root": ({"CLAUDE.md": "."}, ""),
    "out": ({"CLAUDE.md": "../ai.md"}, ""),
    "out and in again": ({"CLAUDE.md": "../here/docs/ai.md"}, ""),
    "out by a link": ({"CLAUDE.md": "docs/b", "docs/b": "../../ai.md"}, ""),
    "from the root of the machine": ({"CLAUDE.md": "/docs/ai.md"}, ""),
    "nowhere": ({"CLAUDE.md": ""}, ""),
    "itself": ({"CLAUDE.md": "CLAUDE.md"}, ""),
    "a circle": ({"CLAUDE.md": "b", "b": "CLAUDE.md"}, ""),
    "a circle that grows": ({"CLAUDE.md": "CLAUDE.md/x"}, ""),
    "a long way": ({"CLAUDE.md": "a/" * 100_000}, ""),
}


@pytest.mark.parametrize(("links", "end"), ENDS.values(), ids=ENDS)
def test_a_link_ends(links: dict[str, str], end: str) -> None:
    listings: dict[str, dict[str, str]] = {"": {"docs": DIRECTORY}, "docs": {"ai.md": FILE, "deep": DIRECTORY}}
    for link in links:
        folder, _, name = link.rpartition("/")
        listings[folder][name] = SYMLINK
    assert Links(lambda folder: listings.get(folder, {}), links.get).inside("CLAUDE.md") == end
