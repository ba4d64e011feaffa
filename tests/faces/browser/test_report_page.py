"""The report page in a real browser: keys, filter, copying, no script, colours, a narrow screen, and what axe finds."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from support import pagekit
from support.browserkit import Open, announced, background, faults, focused, overflow, shown

pytestmark = pytest.mark.long

ALL = ["b4", "b5", "b1", "b2", "b3", "b6"]
TODO = ["b4", "b5"]
WHITE, DARK = "rgb(255, 255, 255)", "rgb(14, 18, 23)"
COPYING = ("clipboard-read", "clipboard-write")


@cache
def _many(count: int) -> str:
    return pagekit.page_of(pagekit.outcome_of(*pagekit.many(count)))


PAGES: Mapping[str, Callable[[], str]] = {
    "the shop": pagekit.shop_page,
    "1 block": lambda: _many(1),
    "20 blocks": lambda: _many(20),
    "200 blocks": lambda: _many(200),
    "hostile": pagekit.hostile_page,
}


def test_keys_go_from_block_to_block(open_page: Open) -> None:
    page = open_page(pagekit.shop_page())
    seen = []
    for key in "jjjjknnpp":
        page.keyboard.press(key)
        seen.append(focused(page))
    assert seen == ["b4", "b5", "b1", "b2", "b1", "b1", "b1", "b5", "b4"]
    assert page.get_attribute("nav a[aria-current]", "href") == "#b4"
    page.keyboard.press("k")
    assert (focused(page), announced(page)) == ("b4", "no further block")


def test_the_filter_by_key_and_by_mouse(open_page: Open) -> None:
    page = open_page(pagekit.shop_page())
    page.keyboard.press("f")
    assert (shown(page), announced(page)) == (TODO, "blocks that need attention")
    page.keyboard.press("k")
    assert focused(page) == "b5"
    page.check("#f-all")
    assert shown(page) == ALL
    page.keyboard.press("f")  # on a radio button, single keys still count
    assert shown(page) == TODO


def test_the_list_of_keys_and_its_switch(open_page: Open) -> None:
    page = open_page(pagekit.shop_page())
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("j")  # not behind the list
    page.uncheck("#shortcuts")
    page.keyboard.press("Escape")
    assert not page.is_visible("#help")
    page.keyboard.press("f")
    assert shown(page) == ALL
    page.click("#keys")
    page.check("#shortcuts")
    page.click("#help button")
    page.keyboard.press("Control+f")
    assert shown(page) == ALL
    page.keyboard.press("f")
    assert shown(page) == TODO


def test_the_switch_of_the_keys_is_remembered(open_page: Open) -> None:
    page = open_page(pagekit.shop_page())
    for is_on in (False, True):
        page.click("#keys")
        page.set_checked("#shortcuts", is_on)
        for _ in range(3):  # Chromium stores it in another process, which a page that is loaded at once may overtake
            page.reload()
            if page.is_checked("#shortcuts") is is_on:
                break
        page.keyboard.press("f")
        assert shown(page) == (TODO if is_on else ALL)


def test_what_is_folded_is_printed(open_page: Open) -> None:
    page = open_page(pagekit.shop_page(), java_script_enabled=False)
    heights = "Array.from(document.querySelectorAll('article details'), each => each.getBoundingClientRect().height)"
    folded = page.evaluate(heights)
    page.emulate_media(media="print")
    assert all(after > before for before, after in zip(folded, page.evaluate(heights), strict=True))


def test_the_list_of_files_leaves_room_on_a_narrow_screen(open_page: Open) -> None:
    page = open_page(_many(200), viewport={"width": 320, "height": 640})
    assert not page.is_visible("nav")
    page.check("#menu")
    assert page.evaluate("document.querySelector('nav').getBoundingClientRect().height") < 320


@pytest.mark.parametrize("name", ["the shop", "1 block", "20 blocks"])
def test_a_change_is_on_the_first_screen_of_a_telephone(open_page: Open, name: str) -> None:
    page = open_page(PAGES[name](), viewport={"width": 400, "height": 800})
    rows = page.evaluate("[...document.querySelectorAll('.diff .row')].map(row => row.getBoundingClientRect().bottom)")
    assert sum(bottom < 800 for bottom in rows) >= 3


def test_the_heading_of_a_file_stays_and_folds(open_page: Open) -> None:
    page = open_page(_many(20), reduced_motion="reduce")
    heading = page.locator(".file summary").first
    page.evaluate("document.getElementById('b3').scrollIntoView()")
    assert round(heading.bounding_box()["y"]) == 0
    below = page.evaluate("document.getElementById('b3').getBoundingClientRect().top")
    assert heading.bounding_box()["height"] <= below
    heading.click()
    assert not page.is_visible("#b3 h3")
    page.keyboard.press("n")
    assert (focused(page), page.is_visible("#b3 h3")) == ("b7", True)


def test_search(open_page: Open) -> None:
    page = open_page(pagekit.shop_page())
    for words, wanted in (
        ("TAX_FOR", ["b1", "b3"]),
        ("tests/test", ["b5"]),
        ("ambiguous", ["b4"]),
        ("nothing", ["b6"]),
    ):
        page.keyboard.press("/")
        page.fill("#search", words)
        assert shown(page) == wanted
        assert announced(page) == f"{len(wanted)} of 6 blocks"
        links = [
            each.get_attribute("href") for each in page.query_selector_all("nav a[href^='#b']") if each.is_visible()
        ]
        assert links == [f"#{name}" for name in wanted]
        assert len([each for each in page.query_selector_all(".file") if each.is_visible()]) == len(wanted)
        page.focus("#main")
    page.keyboard.press("j")
    assert focused(page) == "b6"
    page.fill("#search", "")
    assert shown(page) == ALL


def test_the_first_command_is_copied(open_page: Open) -> None:
    page = open_page(pagekit.shop_page(), permissions=COPYING)
    page.click("button.main")
    page.wait_for_function("navigator.clipboard.readText().then(text => text === '/apply ready')")


def test_the_tab_key_reaches_everything(open_page: Open) -> None:
    page = open_page(pagekit.shop_page())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert focused(page) == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "src/api.py 1 block"
    for _ in range(2):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.href").endswith("src/api.py#L5-L6")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_copying(open_page: Open) -> None:
    page = open_page(pagekit.shop_page(), permissions=COPYING)
    page.keyboard.press("c")
    assert announced(page) == "copied"
    prompt = page.evaluate("navigator.clipboard.readText()")
    assert prompt == page.evaluate("document.getElementById('retry-prompt').textContent")
    assert prompt.startswith("2 of your 6 edit blocks could not be applied")
    page.click("[data-copy=c4-10]")
    page.wait_for_function("navigator.clipboard.readText().then(text => text === '/apply 4@10')")


@pytest.mark.parametrize("takes", [True, False])
def test_a_browser_that_does_not_let_a_page_copy(open_page: Open, takes: bool) -> None:
    page = open_page(pagekit.shop_page())
    page.evaluate(
        "takes => { navigator.clipboard.writeText = () => Promise.reject(new Error('no'));"
        " document.execCommand = () => takes; }",
        takes,
    )
    page.click("[data-copy=c4-5]")
    ends = "copied" if takes else "the browser does not let this page copy; the text is selected, so press Ctrl+C"
    assert announced(page) == ends
    assert page.evaluate("getSelection().toString()") == "/apply 4@5"


def test_without_a_prompt_there_is_nothing_to_copy(open_page: Open) -> None:
    page = open_page(_many(1))
    page.keyboard.press("c")
    assert announced(page) == "there is no retry prompt"


def test_complete_without_script(open_page: Open) -> None:
    page = open_page(pagekit.shop_page(), java_script_enabled=False)
    assert shown(page) == ALL
    page.check("#f-todo")
    assert shown(page) == TODO
    page.check("#c-dark")
    page.click("a[href='#b5']")
    assert page.url.endswith("#b5")
    assert "assert cart.total() == Decimal" in page.inner_text("#b5")
    assert "/apply 4@16" in page.inner_text("#b4")
    assert shown(page, "button") == []
    assert not page.is_visible("#help")


def test_side_by_side(open_page: Open) -> None:
    page = open_page(pagekit.shop_page(), viewport={"width": 1280, "height": 900})

    def corner(selector: str) -> tuple[int, int]:
        box = page.query_selector(selector).bounding_box()
        return round(box["x"]), round(box["y"])

    gone, come = "#b2 .d", "#b2 .a"
    assert (corner(gone)[0], corner(gone)[1] < corner(come)[1]) == (corner(come)[0], True)
    page.keyboard.press("s")
    assert (corner(gone)[0] < corner(come)[0], corner(gone)[1]) == (True, corner(come)[1])
    rows = [corner(f"#b1 .a:nth-of-type({number})")[1] for number in (2, 3, 4)]
    assert rows == sorted(set(rows))
    assert corner("#b1 .d")[1] == rows[0]
    page.keyboard.press("u")
    assert corner(gone)[0] == corner(come)[0]


def test_light_and_dark(open_page: Open) -> None:
    for scheme, color in (("light", WHITE), ("dark", DARK)):
        page = open_page(pagekit.shop_page(), color_scheme=scheme)
        assert background(page) == color
        for choice, other in (("#c-dark", DARK), ("#c-light", WHITE), ("#c-auto", color)):
            page.check(choice)
            assert background(page) == other


@pytest.mark.parametrize("name", ["the shop", "hostile", "20 blocks"])
@pytest.mark.parametrize("view", ["#v-unified", "#v-split"])
def test_a_narrow_screen_scrolls_down_only(open_page: Open, name: str, view: str) -> None:
    page = open_page(PAGES[name](), viewport={"width": 320, "height": 640})
    page.check("#menu")
    page.check(view)
    for each in page.query_selector_all("article summary"):
        each.click()
    assert overflow(page) == 0
    cut = page.evaluate(
        "[...document.querySelectorAll('article *')].filter(each => each.scrollWidth > each.clientWidth + 1"
        " && getComputedStyle(each).display !== 'inline' && !each.matches('.sr-only')).map(each => each.outerHTML)"
    )
    assert cut == []


def test_on_paper(open_page: Open) -> None:
    page = open_page(pagekit.shop_page())
    page.emulate_media(media="print")
    assert shown(page) == ALL
    assert not page.is_visible("nav")
    assert not page.is_visible(".bar")


def test_an_address_of_a_block(open_page: Open) -> None:
    page = open_page(pagekit.shop_page(), fragment="#b5")
    assert page.get_attribute("nav a[aria-current]", "href") == "#b5"
    page.keyboard.press("k")
    assert focused(page) == "b4"


def test_what_is_foreign_does_nothing(open_page: Open) -> None:
    page = open_page(pagekit.hostile_page())  # which fails for a dialog, a request, or a word on the console
    assert page.evaluate("document.scripts.length") == 1
    assert "U+202E" in page.inner_text("#b1")
    assert "alert(1)" in page.inner_text("#b1")


INJECTED = (
    "<script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">",
    "<style>body{background:red}</style>",
    '<p style="position:fixed">x</p>',
    "<iframe src='data:text/html,x'></iframe>",
)


@pytest.mark.parametrize("injected", INJECTED)
def test_even_what_got_in_would_do_nothing(open_page: Open, injected: str) -> None:
    page = open_page(pagekit.shop_page().replace("<h1>", f"{injected}<h1>"), may_complain=True)
    page.wait_for_load_state("networkidle")
    assert page.title() == "3 ready, 1 skipped, 2 failed - editblocks"
    assert background(page) == WHITE
    assert page.evaluate("[...document.querySelectorAll('p')].every(p => getComputedStyle(p).position === 'static')")


LOOKS: Mapping[str, Mapping[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "narrow": {"viewport": {"width": 320, "height": 640}},
}


LOOKED_AT = (
    ("the shop", "light"),
    ("the shop", "dark"),
    ("the shop", "narrow"),
    ("hostile", "narrow"),
    ("1 block", "light"),
    ("20 blocks", "dark"),
    ("200 blocks", "light"),
)


@pytest.mark.parametrize(("name", "look"), LOOKED_AT)
def test_axe_finds_no_serious_fault(open_page: Open, axe: str, name: str, look: str) -> None:
    page = open_page(PAGES[name](), **LOOKS[look])
    assert faults(page, axe) == []


def test_axe_finds_no_serious_fault_in_the_list_of_keys(open_page: Open, axe: str) -> None:
    page = open_page(pagekit.shop_page())
    page.keyboard.press("s")
    page.keyboard.press("?")
    assert faults(page, axe) == []
