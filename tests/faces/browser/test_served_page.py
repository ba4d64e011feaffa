"""The page of `report --serve` in a real browser: its buttons apply, without script too, and no other page's do."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from support.applykit import CHANGE, CREATE, MISS, NEW_CART, TAX, block, changed, make_shop
from support.browserkit import faults, overflow

from editblocks.faces.cli.arguments import parse
from editblocks.faces.cli.report import ResponsePages, Server

pytestmark = pytest.mark.long

TWICE = b"def a():\n    return 1\n\n\ndef b():\n    return 1\n"
ANSWER = CHANGE + MISS + CREATE + block("src/api.py", "    return 1\n", "    return 2\n")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shop = make_shop(tmp_path, monkeypatch)
    (shop / "src/api.py").write_bytes(TWICE)
    (tmp_path / "reply.md").write_text(ANSWER)
    return shop


@pytest.fixture
def server(shop: Path) -> Iterator[Server]:
    assert shop.is_dir()
    options = parse(["report", "../reply.md", "--serve"])
    assert options is not None
    with Server(ResponsePages(options, b"")) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Any]:
    """The page; at the end it has complained of nothing, and asked for nothing but itself."""
    yield from opened(browser, server)


@pytest.fixture
def plain(browser: Any, server: Server) -> Iterator[Any]:
    """The same without script."""
    yield from opened(browser, server, java_script_enabled=False)


def opened(browser: Any, server: Server, **options: Any) -> Iterator[Any]:
    context = browser.new_context(**options)
    page, complaints, requests = context.new_page(), list[str](), list[str]()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(server.url)
    yield page
    context.close()
    # a refusal is told on the console as well
    assert [each for each in complaints if not each.startswith("Failed to load resource: ")] == []
    assert [url for url in requests if not url.startswith(server.url)] == []


def test_a_block_is_applied_with_its_button(page: Any, shop: Path) -> None:
    page.click("text=Apply block 1")
    assert page.inner_text("#news").startswith("applied 1 of 4 blocks to 1 file, +1 -1; ")
    assert changed(shop) == {"src/cart.py": NEW_CART, "src/api.py": TWICE}
    page.click("text=Apply block 4 at line 6")
    assert changed(shop)["src/api.py"] == TWICE[:-2] + b"2\n"


def test_blocks_are_applied_without_script(plain: Any, shop: Path) -> None:
    assert plain.input_value("#only") == "1,3"
    plain.press("#only", "Enter")
    assert plain.inner_text("#news").startswith("applied 2 of 4 blocks to 2 files, +2 -1; ")
    assert changed(shop) == {"src/cart.py": NEW_CART, "src/tax.py": TAX, "src/api.py": TWICE}


def test_what_is_typed_is_no_key(page: Any, shop: Path) -> None:
    page.fill("#only", "")
    page.type("#only", "src/fjunks?.py")
    assert page.input_value("#only") == "src/fjunks?.py"
    page.click("#apply button")
    assert "no block changes" in page.inner_text("h1")
    assert changed(shop) == {"src/api.py": TWICE}
    page.click("text=Look at the page as it is now")
    assert page.input_value("#only") == "1,3"


def test_a_second_tab_is_told(page: Any, shop: Path) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    page.click("text=Apply block 1")
    other.click("text=Apply block 3")
    assert "has changed since this page was made" in other.inner_text("h1")
    assert changed(shop) == {"src/cart.py": NEW_CART, "src/api.py": TWICE}


_STRANGER = """<!DOCTYPE html><title>x</title><form id="f" method="post" action="{url}apply">
<input name="plan" value="{plan}"><input name="only" value="1"></form><iframe src="{url}"></iframe>"""


def test_another_page_cannot_even_if_it_knows_everything(page: Any, shop: Path, server: Server) -> None:
    """The browser names it as the origin of the form, and shows nothing of ours in its frame."""
    plan = page.get_attribute("[name=plan]", "value")
    stranger = page.context.new_page()

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(_STRANGER.format(url=server.url, plan=plan).encode())

        def log_message(self, *arguments: Any) -> None:
            """Nothing is logged."""

    with HTTPServer(("127.0.0.1", 0), Stranger) as other:
        thread = threading.Thread(target=other.serve_forever, args=(0.01,))
        thread.start()
        stranger.goto(f"http://127.0.0.1:{other.server_address[1]}/")
        framed = stranger.frames[1].content()
        stranger.evaluate("document.getElementById('f').submit()")
        stranger.wait_for_url(f"{server.url}apply")
        other.shutdown()
        thread.join()
    assert "Apply block" not in framed
    assert stranger.inner_text("h1") == "this does not come from the page of editblocks, so nothing was done"
    assert changed(shop) == {"src/api.py": TWICE}


def test_it_has_room_on_a_narrow_screen(page: Any) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    assert overflow(page) == 0


def test_axe_finds_no_serious_fault(page: Any, axe: str, browser: Any, server: Server) -> None:
    context = browser.new_context(bypass_csp=True)
    checked = context.new_page()
    checked.goto(server.url)
    assert faults(checked, axe) == []
    checked.goto(f"{server.url}x")
    assert faults(checked, axe) == []
    context.close()
