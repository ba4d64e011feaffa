"""The page as a browser's parser reads it: complete, each block once, nothing foreign as markup, nothing loaded."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import pytest
from support import pagekit
from support.json_outcomes import OUTCOMES, VALIDATOR
from support.project import ROOT

from editblocks.core.errors import RepoError
from editblocks.core.outcome import Source
from editblocks.core.settings import Settings
from editblocks.faces.cli.explain import meanings
from editblocks.report.page.lines import shown
from editblocks.report.page.render import BUDGET, Layout, render_page
from editblocks.report.view import OutcomeView

FOREIGN = ("script", "img", "iframe", "object", "embed", "link", "base", "video", "audio")
SVG = "{http://www.w3.org/2000/svg}"


def parsed(page: str) -> Element:
    """The document that a browser makes of it. Raises for what no browser should have to repair."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    root: Element = parser.parse(page)
    return root


def text_of(element: Element) -> str:
    return "".join(element.itertext())


def found(root: Element, name: str, **attributes: str) -> list[Element]:
    wanted = {key.replace("_", "-").removesuffix("-"): value for key, value in attributes.items()}
    return [each for each in root.iter(name) if wanted.items() <= each.attrib.items()]


@pytest.fixture(scope="module")
def shop() -> Element:
    return parsed(pagekit.shop_page())


def test_the_same_result_gives_the_same_page() -> None:
    assert pagekit.shop_page() == pagekit.shop_page()


PAGES: dict[str, Callable[[], str]] = {
    **{name: partial(pagekit.page_of, OutcomeView(outcome)) for name, outcome in OUTCOMES.items()},
    "the shop": pagekit.shop_page,
    "hostile": pagekit.hostile_page,
    "20 blocks": lambda: pagekit.page_of(pagekit.outcome_of(*pagekit.many(20))),
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.long
def test_a_page_is_whole_and_holds_nothing_foreign(name: str) -> None:
    page = PAGES[name]()
    root = parsed(page)
    articles = found(root, "article")
    assert [each.get("id") for each in articles] == list(dict.fromkeys(each.get("id") for each in articles))
    ids = [each.get("id") for each in root.iter() if each.get("id")]
    assert len(ids) == len(set(ids))
    for link in found(root, "a"):
        href = link.get("href", "")
        assert href.startswith("https://github.com/acme/shop/") or (href[:1] == "#" and href[1:] in ids)
    for reference in ("aria-labelledby", "aria-describedby", "data-copy"):
        assert {each.get(reference) for each in root.iter() if each.get(reference)} <= set(ids)
    assert [foreign for foreign in FOREIGN for _ in root.iter(foreign)] == ["script"]
    pictures = [each.get("aria-label") or each.get("class") for each in root.iter(f"{SVG}svg")]
    assert pictures == ["editblocks", "share"][: 1 + bool(articles)]
    assert not [
        each.attrib for each in root.iter() if any(key.startswith("on") or key == "style" for key in each.attrib)
    ]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00-\x08\x0e-\x1f]", page)


def test_only_our_style_and_script_count() -> None:
    root = parsed(pagekit.hostile_page())
    [policy] = found(root, "meta", http_equiv="Content-Security-Policy")
    [style], [script] = found(root, "style"), found(root, "script")
    hashes = [b64encode(sha256(text_of(each).encode()).digest()).decode() for each in (style, script)]
    assert policy.get("content") == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; base-uri 'none'; "
        "form-action 'none'"
    )
    head = list(found(root, "head")[0])
    assert head.index(policy) < head.index(style)


def test_what_the_shop_page_says(shop: Element) -> None:
    blocks = {each.get("id"): re.sub(r"\s+", " ", text_of(each)) for each in found(shop, "article")}
    assert list(blocks) == ["b4", "b5", "b1", "b2", "b3", "b6"]
    assert "Block 1 ✓ ready lines 19-20 exact answer line 5" in blocks["b1"]
    assert "removed − return sum(item.price for item in self.items)" in blocks["b1"]
    assert "9 unchanged lines, 10-18" in blocks["b1"]
    assert "indentation, 4 more spaces ⚠ confidence medium" in blocks["b2"]
    assert "Lines 5-6, in get_cart 3 4def get_cart(cart_id): 5 cart = load(cart_id)" in blocks["b4"]
    assert "Lines 16-17, in refund 14class Refunds: 15" in blocks["b4"]
    assert "/apply 4@16" in blocks["b4"]
    assert "line 4 of the block differs from tests/test_cart.py:9 at column 22" in blocks["b5"]
    assert "the closest text of the file, in " not in blocks["b5"]
    assert text_of(found(shop, "h1")[0]) == "2 of 6 blocks need attention"
    counts = re.sub(r"\s+", " ", text_of(found(shop, "p", class_="counts")[0]))
    assert counts == (
        "✓ 3 ready – 1 skipped ✗ 2 failed in 5 files; nothing written; the blocks that fit would change +11 −2"
    )
    assert [each.attrib for each in shop.iter(f"{SVG}rect") if "class" in each.attrib] == [
        {"class": "ready", "x": "0", "width": "3", "height": "1"},
        {"class": "skipped", "x": "3", "width": "1", "height": "1"},
        {"class": "failed", "x": "4", "width": "2", "height": "1"},
    ]
    assert text_of(found(shop, "pre", id="retry-prompt")[0]).startswith("2 of your 6 edit blocks")
    assert "destructive" in text_of(found(shop, "section", aria_labelledby="shell")[0])
    headings = [text_of(each) for each in found(shop, "h2")]
    assert ("src/cart.py 2 blocks, +4 −2" in headings, "src/pricing/tax.py new file, +7" in headings) == (True, True), (
        headings
    )
    assert "Apply what fits /apply ready Copy" in text_of(found(shop, "p", class_="cmd next")[0])
    others = [text_of(each) for each in found(shop, "p", class_="cmd other look")]
    assert others == ["Or: editblocks apply - --only ready Copy", "Or: editblocks retry - Copy"]
    assert [text_of(each) for each in found(shop, "dt")] == ["ambiguous", "no-match", "already-applied"]


FITS = pagekit.block("a.py", "a\n", "b\n")
MISSES = pagekit.block("a.py", "z\n", "y\n")
HEADLINES = (
    ("all", FITS, "Everything fits", "Apply"),
    ("one of two", FITS + MISSES, "1 of 2 blocks needs attention", "Apply what fits"),
    ("none of two", MISSES + MISSES, "2 of 2 blocks need attention", "Next"),
)


@pytest.mark.parametrize("row", HEADLINES, ids=[row[0] for row in HEADLINES])
def test_the_headline_says_what_to_know_first(row: tuple[str, str, str, str]) -> None:
    _, answer, headline, first_step = row
    layout = Layout(pagekit.result_of(pagekit.outcome_of(answer, {"a.py": b"a\n"})))
    assert (layout.headline, layout.first_step) == (headline, first_step)


def test_the_headline_of_what_is_written() -> None:
    result = pagekit.result_of(pagekit.outcome_of(FITS, {"a.py": b"a\n"}))
    assert Layout({**result, "written": True}).headline == "Everything is applied"


def test_several_formats_are_named() -> None:
    result = pagekit.result_of(pagekit.outcome_of(FITS, {"a.py": b"a\n"}))
    assert Layout(result).formats == ""
    result["sources"][0]["formats"].append("v4a")
    assert Layout(result).formats == "diff-fenced, v4a"


def test_the_lines_around_a_long_place_keep_their_numbers() -> None:
    lines = [f"x{number}\n" for number in range(25)]
    answer = pagekit.block("a.py", "".join(lines), "y\n")
    result = pagekit.result_of(pagekit.outcome_of(answer, {"a.py": "".join(["a\n", *lines, *lines]).encode()}))
    [first, second] = Layout(result).blocks[0].places
    numbers = [line.old for run in first.runs for line in run.lines]
    assert numbers == [1, *range(2, 22), 27, 28]
    assert [run.is_folded for run in second.runs] == [True, False]


def test_the_mark_of_the_page_is_that_of_the_docs() -> None:
    [mark, _] = found(parsed(pagekit.shop_page()), f"{SVG}svg")
    assert mark.get("aria-label") == "editblocks"
    inside = files("editblocks.report.page") / "templates" / "mark.svg"
    assert inside.read_bytes() == (ROOT / "docs" / "img" / "mark.svg").read_bytes()


BEHIND = pagekit.block("a.py", "z\n", "y\n") + pagekit.block("a.py", "b\n", "c\n")


def test_what_waits_for_a_failed_block_counts_as_its_head_says() -> None:
    layout = Layout(
        pagekit.result_of(pagekit.outcome_of(BEHIND, {"a.py": b"a\nb\n"}, Source("r.md", "file", path="r.md")))
    )
    sums = "in 1 file; nothing written; the blocks that fit would change +1 −1"
    assert (layout.counts, layout.sums) == ("1 not tried, 1 failed", sums)
    assert layout.commands[0] == "editblocks apply r.md --only 2"


def test_a_run_that_removed_a_file_only_has_written() -> None:
    result = pagekit.result_of(pagekit.outcome_of(pagekit.block("a.py", "a\n", "b\n"), {"a.py": b"b\n"}))
    assert Layout(result).sums == "in 1 file; nothing written"
    assert Layout({**result, "written": True}).sums == "in 1 file; written, +0 −0"
    empty = Layout({**result, "blocks": []})
    assert (empty.counts, empty.headline) == ("0 blocks", "No block")


def test_links_lead_to_the_head(shop: Element) -> None:
    addresses = {text_of(each): each.get("href", "") for each in found(shop, "a")}
    head = f"https://github.com/acme/shop/blob/{pagekit.HEAD}"
    assert addresses["lines 19-20"] == f"{head}/src/cart.py#L19-L20"
    assert addresses["Lines 10-11"] == f"{head}/src/api.py#L10-L11"


def test_headings_go_down_in_steps(shop: Element) -> None:
    levels = [
        int(each.tag[1]) for each in shop.iter() if isinstance(each.tag, str) and re.fullmatch("h[1-6]", each.tag)
    ]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def marked(page: str, tag: str) -> Iterator[str]:
    for each in parsed(page).iter(tag):
        yield text_of(each)


def test_the_characters_that_differ_are_marked() -> None:
    answer = pagekit.block("a.py", "call(first, second)\nx = 1\n", "call(first, third)\ny + 22 / other\n")
    page = pagekit.page_of(pagekit.outcome_of(answer, {"a.py": b"call(first, second)\nx = 1\n"}))
    assert (list(marked(page, "del")), list(marked(page, "ins"))) == (["second"], ["third"])


def test_hidden_characters_are_boxes() -> None:
    assert (
        shown("a\u202eb<\t\x1b") == "a<span class=hidden-char>U+202E</span>b&lt;\t<span class=hidden-char>U+001B</span>"
    )


def test_a_block_with_two_readings_shows_the_first() -> None:
    answer = pagekit.block("a.py", "a\n=======\n", "b\n")
    result = pagekit.result_of(pagekit.outcome_of(answer, {"a.py": b"x\n"}))
    assert result["blocks"][0]["diff"] == "@@ -1 +1,2 @@\n-a\n+=======\n+b\n"


def test_a_long_line_is_cut_and_has_no_marks() -> None:
    long = "x" * 20_000
    answer = pagekit.block("a.py", f"{long}1\n", f"{long}2\n")
    page = pagekit.page_of(pagekit.outcome_of(answer, {"a.py": f"{long}1\n".encode()}))
    assert "x" * 10_001 not in page
    assert list(marked(page, "ins")) == []


@pytest.mark.long
def test_two_hundred_blocks_fit_the_budget() -> None:
    page = pagekit.page_of(pagekit.outcome_of(*pagekit.many(200)))
    assert len(page.encode()) < BUDGET
    assert 'id="left-out"' not in page


LADDER = (
    "",
    "leaves out unchanged lines.",
    "leaves out unchanged lines and the changes of blocks that fit.",
    "leaves out unchanged lines and the changes of all blocks.",
    "leaves out unchanged lines and the changes of all blocks and the places of blocks.",
)


@pytest.mark.long
def test_what_is_too_much_is_left_out_and_named() -> None:
    result, pages = pagekit.result_of(pagekit.outcome_of(*pagekit.many(20))), list[str]()
    for words in LADDER:
        size = len(pages[-1].encode()) - 1 if pages else BUDGET
        pages.append(render_page(result, meanings(), budget=size))
        assert len(pages[-1].encode()) <= size
        root = parsed(pages[-1])
        left_out = [text_of(each) for each in found(root, "p", id="left-out")]
        assert [words in text for text in left_out] == [True] * bool(words)
        assert len(found(root, "article")) == 20
    with pytest.raises(RepoError, match="would be over 2 MB even if it showed no change"):  # nothing else is left out
        render_page(result, meanings(), budget=len(pages[-1].encode()) - 1)
    assert [page.count("unchanged lines, ") > 0 for page in pages] == [True, False, False, False, False]
    changes = [page.count('class="run"') for page in pages]
    assert changes[0] == changes[1] > changes[2] > changes[3] == changes[4] == 0


HUGE: dict[str, Callable[[dict[str, Any]], object]] = {
    "a reason": lambda result: result["blocks"][3].update(reason="x" * BUDGET),
    "a reason of characters that are boxes": lambda result: result["blocks"][3].update(
        reason="\u202e" * (BUDGET // 30)
    ),
    "a retry prompt": lambda result: result.update(retry_prompt="x" * BUDGET),
    "commands": lambda result: result.update(next=["x" * 1000] * (BUDGET // 1000)),
    "a note": lambda result: result["notes"].append({"code": "merged", "message": "x" * BUDGET}),
    "many notes": lambda result: result["notes"].extend([{"code": "merged", "message": "x" * 90}] * (BUDGET // 100)),
    "a name": lambda result: result["sources"][0].update(author="x" * BUDGET),
}


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.long(after=1)
def test_no_page_is_larger_than_the_budget(name: str) -> None:
    result = pagekit.result_of(pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP))
    HUGE[name](result)
    with pytest.raises(RepoError, match="would be over 2 MB"):
        render_page(result, meanings())


@pytest.mark.long
def test_many_places_are_left_out() -> None:
    result = pagekit.result_of(pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP))
    block = result["blocks"][3]
    block["candidates"] = [{**block["candidates"][0], "text": "x" * 8_000} for _ in range(300)]
    page = render_page(result, meanings())
    assert "and the places of blocks." in page
    assert len(page.encode()) <= BUDGET


@pytest.mark.long
def test_long_lines_stay_within_the_budget() -> None:
    answer, files = pagekit.many(200, 6_000)
    settings = Settings(mode="check", max_response_bytes=100_000_000)
    assert len(pagekit.page_of(pagekit.outcome_of(answer, files, settings=settings)).encode()) <= BUDGET


@pytest.mark.parametrize("path", ["a/../b", "./a", "a//b", "a b/c#d?e", "a"])
def test_the_address_of_a_path(path: str) -> None:
    result = pagekit.result_of(pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP))
    result["blocks"][0]["path"] = path
    href = Layout(result).blocks[0].href
    encoded = path.replace(" ", "%20").replace("#", "%23").replace("?", "%3F")
    is_usual = path in ("a b/c#d?e", "a")
    assert href == (f"https://github.com/acme/shop/blob/{pagekit.HEAD}/{encoded}#L19-L20" if is_usual else None)


def test_a_result_without_texts_says_so() -> None:
    result = pagekit.result_of(pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP), has_texts=False)
    root = parsed(render_page(result, meanings()))
    assert "without the text of its blocks" in text_of(found(root, "p", id="no-texts")[0])
    assert "line 4 of the block differs" in text_of(found(root, "article", id="b5")[0])


def test_an_address_that_a_browser_would_run_is_no_link() -> None:
    view = pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP, Source("text", "comment", uri="javascript:alert(1)"))
    assert Layout(pagekit.result_of(view)).source_href is None


def test_the_texts_follow_the_schema() -> None:
    for view in (pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP), pagekit.outcome_of(*pagekit.hostile())):
        result: dict[str, Any] = json.loads(json.dumps(pagekit.result_of(view)))
        assert [error.message for error in VALIDATOR.iter_errors(result)] == []
