"""The site shows every page of the documentation, and its links lead somewhere."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath
from xml.etree.ElementTree import Element

import cmarkgfm
import html5lib
import pytest
from cmarkgfm.cmark import Options
from support import site
from support.pages import FENCE
from support.project import DOCS, EXAMPLES

PAGES = {page.place: page for page in site.pages()}
NAV = list(site.leaves(site.navigation(list(PAGES))))


def test_every_page_is_in_the_navigation_once() -> None:
    """Golden pages are reached from the page that shows them."""
    with_a_place = [place for place in PAGES if not place.startswith("cases/")]
    assert sorted(NAV) == sorted(with_a_place)


def test_every_page_of_the_documentation_is_shown() -> None:
    shown = {page.source for page in PAGES.values()}
    assert {f"docs/{path.relative_to(DOCS).as_posix()}" for path in DOCS.rglob("*.md")} <= shown
    assert {f"examples/{path.name}" for path in EXAMPLES.iterdir()} <= shown


def slug(heading: str) -> str:
    """The anchor that the site gives to a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#{1,6} (.+)$", FENCE.sub("", text), re.MULTILINE)
    slugs = {slug(re.sub(r"\]\([^)]*\)", "", heading)) for heading in headings}
    return slugs | set(re.findall('<a id="([a-z-]+)">', text))


def links(place: str) -> Iterator[tuple[str, str]]:
    """Place and anchor of every link of a page within the site."""
    for target in site.targets(PAGES[place].text):
        if "://" not in target:
            name, _, anchor = target.partition("#")
            yield normpath(f"{place}/../{name}") if name else place, anchor


@pytest.mark.parametrize("place", PAGES)
def test_links_of_the_site_lead_somewhere(place: str) -> None:
    for target, anchor in links(place):
        is_picture = target.startswith("img/") and (DOCS / target).exists()
        assert target in PAGES or target == "report.html" or is_picture, target
        assert not anchor or anchor in anchors(PAGES[target].text), (target, anchor)


# The site as it is built


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    site.write(folder)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", str(folder / "mkdocs.yml")]
    plain = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=folder, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def html(text: str) -> Element:
    tree: Element = html5lib.parse(text, namespaceHTMLElements=False)
    return tree


def parts(root: Element) -> Counter[tuple[str, str]]:
    """What tells whether a page was read alike: headings, items, cells and code, with their texts."""
    found = ((each.tag, "".join(each.itertext())) for each in root.iter() if each.tag in SHOWN)
    return Counter((tag, re.sub(r"[\s¶]+", "", text)) for tag, text in found)


SHOWN = {"h1", "h2", "h3", "h4", "li", "th", "td", "pre"}


@pytest.mark.long
def test_a_page_of_the_site_shows_what_github_shows(built: Path) -> None:
    for place, page in PAGES.items():
        on_github = html(cmarkgfm.github_flavored_markdown_to_html(page.text, Options.CMARK_OPT_UNSAFE))
        article = html((built / place).with_suffix(".html").read_text("utf-8")).find(".//article")
        assert article is not None, place
        lost, added = parts(on_github) - parts(article), parts(article) - parts(on_github)
        assert (dict(lost), dict(added)) == ({}, {}), place


@pytest.mark.long
def test_the_site_loads_nothing_from_elsewhere(built: Path) -> None:
    loaded = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=["']?(https?:)?//[^\s"'>]+""")
    for path in built.rglob("*.html"):
        assert [found[0] for found in loaded.finditer(path.read_text("utf-8"))] == [], path.name
