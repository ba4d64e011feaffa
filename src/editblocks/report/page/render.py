"""Read a JSON result from outside, and write its page, which may only use one style and one script of ours."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, FunctionLoader
from jsonschema import Draft202012Validator
from markupsafe import Markup

from editblocks.core.characters import cut_middle, name_hidden
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.core.phrases import plural
from editblocks.core.settings import CEILINGS
from editblocks.report.escape import cut_end
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


MOST_BYTES = 64 * 1024 * 1024
_HOW_TO_MAKE = "make one with `editblocks check --format json --texts`"
_MOST_NAMED = 200  # characters of the place of a fault


class NotOurs(ValueError):
    """The text is not a result that this version can show. The message is for people."""


def looks_like_a_result(text: str) -> bool:
    """Whether a text is meant as a JSON result; no answer of a model begins like one."""
    return re.match(r"\ufeff?\s*\{\s*\"", text) is not None and '"schema_version"' in text


def read_result(data: bytes) -> dict[str, Any]:
    """Read the result in `data`. Raises `NotOurs`."""
    if len(data) > MOST_BYTES:
        raise NotOurs(f"is over the limit of {MOST_BYTES:,} bytes")
    try:
        result = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NotOurs("is not JSON that can be read; make it again") from error
    if not isinstance(result, dict) or result.get("schema_version") is None:
        raise NotOurs(f"is not a result of editblocks; {_HOW_TO_MAKE}")
    version = result["schema_version"]
    if type(version) is not int or version != 1:
        raise NotOurs("was made by another version of editblocks; read it with that version")
    blocks = result.get("blocks")
    if isinstance(blocks, list) and len(blocks) > CEILINGS["max_blocks"]:
        most = CEILINGS["max_blocks"]
        raise NotOurs(f"has {plural(len(blocks), 'block')}, the limit is {most:,}")
    schema = json.loads(files("editblocks.report").joinpath("results.schema.json").read_text("utf-8"))
    fault = next(Draft202012Validator(schema).iter_errors(result), None)
    if fault is not None:
        place = cut_end(fault.json_path, _MOST_NAMED)
        if place == "$":
            place = "its top level"
        raise NotOurs(f"is not a result that editblocks wrote: {place} is not as the schema says; {_HOW_TO_MAKE}")
    return result


def _refuse(constant: str) -> None:
    """Refuse `NaN` and the like, which are not JSON."""
    raise ValueError(constant)
