"""Write the page from templates, with one style, one script, and a content policy that allows only these two."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

from editblocks.core.characters import cut_middle, name_hidden
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.report.page.layout import ICONS, STEPS, Layout
from editblocks.report.page.lines import shown

BUDGET = 2_000_000  # bytes
_LONGEST_PATH = 120


class Served(NamedTuple):
    """The form of a page from the local server, with which blocks can be applied.

    `plan` identifies the plan that the page shows. `fitting` are the blocks that can be applied, `chosen` is the
    selector of all of them, and `news` says what was written last.
    """

    plan: str
    fitting: frozenset[int]
    chosen: str
    news: str = ""


def render_page(
    result: Mapping[str, Any], meanings: Mapping[str, str], served: Served | None = None, budget: int = BUDGET
) -> str:
    """Write the page of a JSON result, as `tools.json.document` makes it or `read_result` reads it.

    `meanings` explains the reason codes. If the page has more than `budget` bytes, parts are left out, and the page
    names them. The same result gives the same page. Raises `RepoError` (`too-large`) if it is still too large then.
    """
    template = _environment().get_template("page.html")
    for left_out in STEPS:
        page = template.render(page=Layout(result, left_out), meanings=meanings, served=served)
        if len(page.encode("utf-8", "replace")) <= budget:
            return page
    reason = "the page would be over 2 MB even if it showed no change; look at the blocks with `editblocks check`"
    raise RepoError(reason, ReasonCode.TOO_LARGE)


def render_message(sentence: str, *, link: bool = True) -> str:
    """Write a page of the local server that holds one sentence; with `link`, also a link to the response's page."""
    template = _environment().get_template("message.html")
    return template.render(sentence=sentence, link=link)


def _finish(value: object) -> object:
    """Escape the value of a template's expression, with its hidden characters shown by name."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return shown(value)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_read), autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_finish
    )
    style = _read("page.css").strip()
    script = _read("page.js").strip()
    environment.globals |= {
        "style": Markup(style),  # noqa: S704 - ours
        "script": Markup(script),  # noqa: S704 - ours
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "icons": ICONS,
        "mark": Markup(_read("mark.svg").strip()),  # noqa: S704 - ours
    }
    environment.filters |= {"short_path": partial(cut_middle, limit=_LONGEST_PATH), "plain": name_hidden}
    return environment


def _read(name: str) -> str:
    return (files("editblocks.report.page") / "templates" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
