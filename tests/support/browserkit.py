"""What tests of the report page say to the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Opened: TypeAlias = Any  # a page of Playwright, which may not be there
Open: TypeAlias = Callable[..., Opened]

# Of the rules of axe, those of WCAG 2.2 A and AA, and what is good practice.
_RUN_AXE = """async () => {
  const found = await axe.run(document, {runOnly: [
    "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]});
  return found.violations.map(each => [each.impact, each.id, each.nodes.slice(0, 3).map(node => node.html)]);
}"""


def faults(page: Opened, axe: str) -> list[Any]:
    """What axe calls serious or critical."""
    page.evaluate(axe)
    return [each for each in page.evaluate(_RUN_AXE) if each[0] in ("serious", "critical")]


def focused(page: Opened) -> str:
    """The id of what has the focus."""
    return str(page.evaluate("document.activeElement.id"))


def shown(page: Opened, selector: str = "article") -> list[str]:
    """The ids of what can be seen."""
    return [each.get_attribute("id") for each in page.query_selector_all(selector) if each.is_visible()]


def announced(page: Opened) -> str:
    """What a screen reader was told last, once there is something."""
    page.wait_for_function("document.getElementById('live').textContent")
    return str(page.inner_text("#live"))


def overflow(page: Opened) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.scrollingElement.scrollWidth - innerWidth"))


def background(page: Opened) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))
