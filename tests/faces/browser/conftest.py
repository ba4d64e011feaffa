"""A real browser, Debian's chromium without a window, and pages opened in it.

Without it the tests skip; BROWSER_TESTS=required, as in `.ci/run`, makes that a failure. AXE_CORE names the
file axe.min.js of npm's package axe-core.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from support.browserkit import Open, Opened


def _missing(what: str) -> NoReturn:
    if os.environ.get("BROWSER_TESTS") == "required":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    if chromium is None:
        _missing("there is no chromium; apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        _missing("there is no Playwright; install editblocks[test]")
    with sync_playwright() as playwright:
        # as root, as in a container, chromium starts without its sandbox only
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe() -> str:
    path = os.environ.get("AXE_CORE", "")
    if not path:
        _missing("AXE_CORE does not name axe.min.js; npm pack axe-core has it")
    return Path(path).read_text("utf-8")


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Open a page from a file; at the end no page has complained, or asked for anything but itself."""
    contexts, complaints, requests = list[Any](), list[str](), list[str]()

    def open_(html: str, *, may_complain: bool = False, fragment: str = "", **options: Any) -> Opened:
        path = tmp_path / f"{len(contexts)}.html"
        path.write_text(html, "utf-8")
        permissions = options.pop("permissions", None)
        context = browser.new_context(**options)
        contexts.append(context)
        if permissions is not None:
            context.grant_permissions(permissions)
        page = context.new_page()
        if not may_complain:
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{path.as_uri()}{fragment}")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(tmp_path.as_uri())] == []
