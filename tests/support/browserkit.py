"""Questions that tests of the report page ask the browser."""

from collections.abc import Callable
from typing import Any, TypeAlias

Opened: TypeAlias = Any  # a page of Playwright, which may not be installed
Open: TypeAlias = Callable[..., Opened]

# Run the rules of axe for WCAG 2.2 A and AA, and for good practice.
_RUN_AXE = """async () => {
  const found = await axe.run(document, {runOnly: [
    "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]});
  return found.violations.map(each => [each.impact, each.id, each.nodes.slice(0, 3).map(node => node.html)]);
}"""


def faults(page: Opened, axe: str) -> list[Any]:
    """The violations that axe rates serious or critical. `axe` is the JavaScript source of axe."""
    page.evaluate(axe)
    return [each for each in page.evaluate(_RUN_AXE) if each[0] in ("serious", "critical")]


def focused(page: Opened) -> str:
    """The id of the element that has the focus."""
    return str(page.evaluate("document.activeElement.id"))


def shown(page: Opened, selector: str = "article") -> list[str]:
    """The ids of the visible elements that match `selector`."""
    return [each.get_attribute("id") for each in page.query_selector_all(selector) if each.is_visible()]


def announced(page: Opened) -> str:
    """Wait for an announcement to screen readers, and return its text."""
    page.wait_for_function("document.getElementById('live').textContent")
    return str(page.inner_text("#live"))


def overflow(page: Opened) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.scrollingElement.scrollWidth - innerWidth"))


def background(page: Opened) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))
