"""Where symbolic links end: docs/internals/security.md, "paths"; hostile targets."""

from collections.abc import Sequence

import pytest

from editblocks.applying.plans import SymbolicLinks
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.settings import Settings
from editblocks.paths.syntax import PathError
from editblocks.paths.tree import SYMLINK
from editblocks.repos.directory import Listing

DIRECTORY, FILE = "040000", "100644"

# the links of a tree whose folders are `docs` and `docs/deep`, and where `CLAUDE.md` ends
ENDS: dict[str, tuple[dict[str, str], str]] = {
    "a file": ({"CLAUDE.md": "docs/ai.md"}, "docs/ai.md"),
    "a file that is not there": ({"CLAUDE.md": "docs/none.md"}, "docs/none.md"),
    "blank names and dots": ({"CLAUDE.md": ".//docs/./ai.md"}, "docs/ai.md"),
    "a link to a link": ({"CLAUDE.md": "docs/b", "docs/b": "deep/ai.md"}, "docs/deep/ai.md"),
    "below a link": ({"CLAUDE.md": "b/ai.md", "b": "docs/deep"}, "docs/deep/ai.md"),
    "a link to a link two folders down": ({"CLAUDE.md": "docs/deep/b", "docs/deep/b": "../ai.md"}, "docs/ai.md"),
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


def tree(links: dict[str, str]) -> SymbolicLinks:
    listings: dict[str, dict[str, str]] = {"": {"docs": DIRECTORY}, "docs": {"ai.md": FILE, "deep": DIRECTORY}}
    for link in links:
        folder, _, name = link.rpartition("/")
        listings.setdefault(folder, {})[name] = SYMLINK
    return SymbolicLinks(lambda folder: listings.get(folder, {}), links.get)


@pytest.mark.parametrize(("links", "end"), ENDS.values(), ids=ENDS)
def test_a_link_ends(links: dict[str, str], end: str) -> None:
    assert tree(links).inside("CLAUDE.md") == end


# the links of a tree, the file that is to be changed, the link that protects it and where that leads
PROTECTED: dict[str, tuple[dict[str, str], str, tuple[str, str] | None]] = {
    "the target": ({"CLAUDE.md": "docs/ai.md"}, "docs/ai.md", ("CLAUDE.md", "docs/ai.md")),
    "below the target": ({"CLAUDE.md": "docs"}, "docs/deep/x", ("CLAUDE.md", "docs")),
    "beside the target": ({"CLAUDE.md": "docs/ai.md"}, "docs/b.md", None),
    "a longer name": ({"CLAUDE.md": "docs/ai.md"}, "docs/ai.md2", None),
    "a link in the folder of the file": ({"docs/CLAUDE.md": "ai.md"}, "docs/ai.md", ("docs/CLAUDE.md", "docs/ai.md")),
    "a link in a folder around": (
        {"docs/CLAUDE.md": "deep/ai.md"},
        "docs/deep/ai.md",
        ("docs/CLAUDE.md", "docs/deep/ai.md"),
    ),
    "a link two folders down": (
        {"docs/deep/CLAUDE.md": "ai.md"},
        "docs/deep/ai.md",
        ("docs/deep/CLAUDE.md", "docs/deep/ai.md"),
    ),
    "a link in another folder": ({"docs/deep/CLAUDE.md": "../ai.md"}, "docs/ai.md", None),
    "the second of two links": (
        {"AGENTS.md": "docs/b.md", "CLAUDE.md": "docs/ai.md"},
        "docs/ai.md",
        ("CLAUDE.md", "docs/ai.md"),
    ),
    "a name that is not protected": ({"b": "docs/ai.md"}, "docs/ai.md", None),
    "a link that leads out": ({"CLAUDE.md": "../x"}, "docs/ai.md", None),
    "a file at the root": ({"CLAUDE.md": "x"}, "x", ("CLAUDE.md", "x")),
}


@pytest.mark.parametrize(("links", "path", "found"), PROTECTED.values(), ids=PROTECTED)
def test_what_a_protected_link_leads_to(links: dict[str, str], path: str, found: tuple[str, str] | None) -> None:
    expected = None
    if found is not None:
        what = f"{found[0]} is a link to {found[1]}, so {path} is protected as well"
        expected = PathError("E_PROTECTED", what, "change it by hand, or allow it with --allow-protected")
    assert tree(links).refusal(path, Settings()) == expected
    assert tree(links).refusal(path, Settings(allow_protected=(path,))) is None


def test_a_file_with_a_protected_name_is_no_link() -> None:
    listings = {"": {"CLAUDE.md": FILE, "docs": DIRECTORY}, "docs": {"ai.md": FILE}}
    links = SymbolicLinks(lambda folder: listings.get(folder, {}), lambda _: "docs/ai.md")
    assert links.refusal("docs/ai.md", Settings()) is None


def test_a_refused_link_names_where_it_leads() -> None:
    refused = Mismatch(ReasonCode.NOT_A_FILE, "CLAUDE.md is a link", "x")
    there = refused._replace(what="CLAUDE.md is a link to docs/ai.md", advice="edit docs/ai.md")
    assert tree({"CLAUDE.md": "docs/ai.md"}).with_target("CLAUDE.md", refused) == there
    assert tree({"CLAUDE.md": "../x"}).with_target("CLAUDE.md", refused) == refused


def test_only_names_in_protected_places_are_asked_for_their_modes() -> None:
    """`check` looked at each of 1,000 files in the folder of a block, which was a fifth of its time."""
    asked: list[str] = []

    def modes(names: Sequence[str]) -> list[str]:
        asked.extend(names)
        return [FILE for _ in names]

    listing = Listing(["CLAUDE.md", *(f"part{number}.py" for number in range(1000))], modes)
    assert SymbolicLinks(lambda _: listing, lambda _: None).refusal("part1.py", Settings()) is None
    assert asked == ["CLAUDE.md"]
