"""Take the pictures in docs/img; run it with `PYTHONPATH=tests python -m support.page_pictures`.

They show an answer about a small shop: its status, on a page that looks like GitHub's, and its report page.
"""

import re
import shutil
import tempfile
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options
from playwright.sync_api import Browser, sync_playwright
from support import pagekit
from support.project import ROOT
from support.report_outcomes import LINKS

from editblocks.report.status.links import Page
from editblocks.report.status.markdown import status

FOLDER = ROOT / "docs" / "img"
PICTURES = {"report-light.png": ("light", ""), "report-dark.png": ("dark", "snn")}  # name: colours, keys to press
STYLE = """
body { margin: 0; padding: 16px; background: #f6f8fa; color: #1f2328; font: 14px/1.5 sans-serif; width: 900px }
section { background: #fff; border: 1px solid #d1d9e0; border-radius: 6px }
header { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; color: #59636e }
header b { color: #1f2328 }
article { padding: 0 16px 8px }
h3 { font-size: 18px; margin: 16px 0 }
a { color: #0969da; text-decoration: none }
table { border-collapse: collapse }
th, td { border: 1px solid #d1d9e0; padding: 5px 12px }
code { font-size: 12px; background: #eff1f3; border-radius: 5px; padding: 2px 5px }
pre { background: #f6f8fa; border-radius: 6px; padding: 12px; line-height: 1.4 }
pre code { background: none; padding: 0; display: block }
ins, del { display: block; text-decoration: none }
ins { background: #dafbe1; color: #116329 }
del { background: #ffebe9; color: #82071e }
sub { color: #59636e; vertical-align: baseline }
details { margin: 12px 0 }
"""


def status_page() -> str:
    """An HTML page with the status of the answer about the shop."""
    view = pagekit.outcome_of(pagekit.ANSWER, pagekit.SHOP)
    text = status(view, Page("1.0.0", links=LINKS, branch="fix-cart", prefix="/"))
    article = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    article = article.replace("<details>", "<details open>", 1)
    article = re.sub(r'<pre lang="diff">.*?</pre>', _coloured, article, flags=re.DOTALL)
    header = "<header><b>github-actions</b> bot reviewed</header>"
    body = f"<section>{header}<article>{article}</article></section>"
    return f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style>{body}'


def _coloured(diff: re.Match[str]) -> str:
    """The HTML of a diff with its added and removed lines marked up as `ins` and `del`."""
    return re.sub(r"(?m)(?:^|(?<=<code>))([-+].*)\n", _line, diff[0])


def _line(found: re.Match[str]) -> str:
    tag = "ins" if found[1].startswith("+") else "del"
    return f"<{tag}>{found[1]}</{tag}>"


def take_status(browser: Browser) -> None:
    """Take the picture of the status in its full height."""
    page = browser.new_page(viewport={"width": 940, "height": 400})
    page.set_content(status_page())
    page.screenshot(path=FOLDER / "status.png", full_page=True)


def take_report(browser: Browser, folder: Path) -> None:
    """Take the pictures of the report page."""
    path = folder / "page.html"
    path.write_text(pagekit.shop_page(), "utf-8")
    for name, (scheme, keys) in PICTURES.items():
        page = browser.new_page(viewport={"width": 1100, "height": 1080})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
        page.goto(path.as_uri())
        for key in keys:
            page.keyboard.press(key)
        page.screenshot(path=FOLDER / name)


def main() -> None:
    """Take the pictures with Debian's chromium and fonts-noto-color-emoji. Look at them before you commit them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        take_status(browser)
        take_report(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
