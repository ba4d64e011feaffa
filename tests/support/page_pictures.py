"""The pictures of the report page in docs/img; `PYTHONPATH=tests python -m support.page_pictures` takes them anew."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from support import pagekit
from support.project import ROOT

FOLDER = ROOT / "docs" / "img"
PICTURES = {"report-light.png": ("light", ""), "report-dark.png": ("dark", "snn")}  # name: colours, keys to press


def main() -> None:
    """Take them with Debian's chromium; look at them before you commit them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        path.write_text(pagekit.shop_page(), "utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (scheme, keys) in PICTURES.items():
            page = browser.new_page(viewport={"width": 1100, "height": 1080})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
            page.goto(path.as_uri())
            for key in keys:
                page.keyboard.press(key)
            page.screenshot(path=FOLDER / name)
        browser.close()


if __name__ == "__main__":
    main()
