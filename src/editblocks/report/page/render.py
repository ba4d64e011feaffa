"""Check a JSON result from outside, decide what its page shows, and write the page.

The page may only use one style and one script of ours. If it is too large, parts are left out, and the page names them.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
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
from editblocks.core.phrases import count_words, join_parts, named_lines, plural
from editblocks.core.settings import CEILINGS
from editblocks.report.escape import cut_end, url_path
from editblocks.report.page.lines import LineRun, Painter, shown, unchanged
from editblocks.report.status.links import line_fragment
from editblocks.report.view import APPLIED, COUNTED, FAILED, NOT_TRIED, READY, SKIPPED

MOST_BYTES = 64 * 1024 * 1024  # of a result from outside
BUDGET = 2_000_000  # bytes of a page
_HOW_TO_MAKE = "make one with `editblocks check --format json --texts`"
_MOST_NAMED = 200  # characters of the place of a fault
_LONGEST_PATH = 120
_ICONS = {READY: "✓", APPLIED: "✓", FAILED: "✗", SKIPPED: "–", NOT_TRIED: "…"}
_CONTEXT = "unchanged lines"
_FITTING = "the changes of blocks that fit"
_EVERY = "the changes of all blocks"
_PLACES = "the places of blocks"
# The parts to leave out, step by step, until the page is small enough.
_STEPS = ((), (_CONTEXT,), (_CONTEXT, _FITTING), (_CONTEXT, _EVERY), (_CONTEXT, _EVERY, _PLACES))
_ADDRESS = re.compile(r"https?://[A-Za-z0-9._~:/%\[\]#-]+", re.ASCII)
_SAFE_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", re.ASCII)
_ALL = (0, 1 << 30)  # lines


class NotOurs(ValueError):
    """The text is not a result that this version can show. The message is for people."""


class Served(NamedTuple):
    """The form of a page from the local server, with which blocks can be applied.

    `plan` identifies the plan that the page shows. `fitting` are the blocks that can be applied, `chosen` is the
    selector of all of them, and `news` says what was written last.
    """

    plan: str
    fitting: frozenset[int]
    chosen: str
    news: str = ""


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


def render_page(
    result: Mapping[str, Any], meanings: Mapping[str, str], served: Served | None = None, budget: int = BUDGET
) -> str:
    """Write the page of a JSON result, as `json.document` makes it or `read_result` reads it.

    `meanings` explains the reason codes. The page has at most `budget` bytes; `RepoError` (`too-large`) is raised if
    that is impossible. The same result gives the same page.
    """
    template = _environment().get_template("page.html")
    for left_out in _STEPS:
        page = template.render(page=Layout(result, left_out), meanings=meanings, served=served)
        if len(page.encode("utf-8", "replace")) <= budget:
            return page
    reason = "the page would be over 2 MB even if it showed no change; look at the blocks with `editblocks check`"
    raise RepoError(reason, ReasonCode.TOO_LARGE)


def render_message(sentence: str, *, link: bool = True) -> str:
    """Write a page of the local server that holds one sentence; with `link`, also a link to the response's page."""
    template = _environment().get_template("message.html")
    return template.render(sentence=sentence, link=link)


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
        "icons": _ICONS,
        "mark": Markup(_read("mark.svg").strip()),  # noqa: S704 - ours
    }
    environment.filters |= {"short_path": partial(cut_middle, limit=_LONGEST_PATH), "plain": name_hidden}
    return environment


def _finish(value: object) -> object:
    """Escape the value of a template's expression, with its hidden characters shown by name."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return shown(value)


def _read(name: str) -> str:
    return (files("editblocks.report.page") / "templates" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


class ShownPlace(NamedTuple):
    """A candidate place of a block, with its lines and those around it. `data` is its object in the result."""

    data: Mapping[str, Any]
    href: str | None
    runs: Sequence[LineRun]

    @property
    def title(self) -> str:
        """A heading such as `Lines 5-6`."""
        return named_lines((self.data["start_line"], self.data["end_line"])).capitalize()


class ShownBlock(NamedTuple):
    """A block as the page shows it. `data` is its object in the result."""

    data: Mapping[str, Any]
    href: str | None
    where: str  # `lines 19-20`; empty if the lines are not known
    runs: Sequence[LineRun]
    closest: Sequence[LineRun]
    places: Sequence[ShownPlace]

    @property
    def word(self) -> str:
        return _word_of(self.data)

    @property
    def is_ok(self) -> bool:
        return bool(self.data["ok"])

    @property
    def has_place(self) -> bool:
        """Whether the line numbers in its diff are those of the file."""
        has_lines = self.data["location"] is not None or self.data.get("estimated_line") is not None
        return self.data["status"] == "applied" and (has_lines or self.data["operation"] in ("create", "delete-file"))

    @property
    def is_new(self) -> bool:
        return bool(self.data["operation"] == "create")

    @property
    def short(self) -> str:
        """Its text in the list of files: its line, or why it failed."""
        if self.data["code"] and self.word != NOT_TRIED:
            return str(self.data["code"])
        lines = _lines_of(self.data)
        if lines:
            return f"line {lines[0]}"
        if self.is_new:
            return "new file"
        return str(self.data["operation"])


class ShownFile(NamedTuple):
    """The blocks of one file, the failed ones first."""

    path: str
    blocks: Sequence[ShownBlock]

    @property
    def is_ok(self) -> bool:
        return all(block.is_ok for block in self.blocks)

    @property
    def sums(self) -> str:
        """A summary such as `2 blocks, +4 −2` or `new file, +24`."""
        added, removed = _line_sums(block.data for block in self.blocks if block.data["status"] == "applied")
        signs = " ".join(f"{sign}{count}" for sign, count in (("+", added), ("−", removed)) if count)
        what = plural(len(self.blocks), "block")
        if len(self.blocks) == 1 and self.blocks[0].is_new:
            what = "new file"
        return join_parts(", ", what, signs)


class Layout:
    """A whole page. `left_out` is one of `_STEPS`.

    `shares` is the number of blocks for each word, such as `failed`; `codes` are the reason codes that occur.
    """

    def __init__(self, result: Mapping[str, Any], left_out: Sequence[str] = ()) -> None:
        self.result = result
        self.left_out = left_out
        self._painter = Painter()
        self.blocks = [self._block(data) for data in result["blocks"]]
        by_path: dict[str, list[ShownBlock]] = {}
        for block in self.blocks:
            by_path.setdefault(block.data["path"] or "", []).append(block)
        files = [ShownFile(path, sorted(blocks, key=_urgency)) for path, blocks in by_path.items()]
        self.files = sorted(files, key=lambda file: _urgency(file.blocks[0]))
        self.todo = sum(not block.is_ok for block in self.blocks)
        self.counts = counts_of(result)
        self.shares = _counts(result)
        self.source: Mapping[str, Any] = next(iter(result["sources"]), {})
        self.codes = list(dict.fromkeys(block["code"] for block in result["blocks"] if block["code"]))
        self.has_texts = any("diff" in block for block in result["blocks"])
        self.commands = list(result.get("next", []))

    @property
    def headline(self) -> str:
        """The heading: what a person has to know first."""
        if not self.blocks:
            return "No block"
        if self.todo:
            verb = "needs" if self.todo == 1 else "need"
            return f"{self.todo} of {plural(len(self.blocks), 'block')} {verb} attention"
        if self.result["written"]:
            return "Everything is applied"
        return "Everything fits"

    @property
    def sums(self) -> str:
        """A sentence: how many files there are, how many lines change, and whether that is written."""
        written = [block for block in self.result["blocks"] if block["written"]]
        fitting = [block for block in self.result["blocks"] if _is_fitting(block)]
        written_lines = "nothing written"
        if written or self.result["written"]:
            written_lines = f"written, {_signs(written)}"
        parts = [f"in {plural(len(self.files), 'file')}", written_lines]
        if fitting:
            parts.append(f"the blocks that fit would change {_signs(fitting)}")
        return "; ".join(parts)

    @property
    def refusal(self) -> str:
        """Why the run was stopped, as `code: reason`; empty if it was not."""
        refusal = self.result.get("refusal")
        if not isinstance(refusal, dict) or not {"code", "reason"} <= refusal.keys():
            return ""
        return f"{refusal['code']}: {refusal['reason']}"

    @property
    def source_href(self) -> str | None:
        """The address of the response, if a browser may open it."""
        uri = self.source.get("uri")
        return uri if uri and _ADDRESS.fullmatch(uri) else None

    @property
    def formats(self) -> str:
        """The formats of the blocks, if there are several."""
        formats = self.source.get("formats", [])
        if len(formats) < 2:
            return ""
        return ", ".join(formats)

    @property
    def first_step(self) -> str:
        """What the first command does."""
        if not any(map(_is_fitting, self.result["blocks"])):
            return "Next"
        return "Apply what fits" if self.todo else "Apply"

    def _block(self, data: Mapping[str, Any]) -> ShownBlock:
        path = data["path"] or ""
        lines = _lines_of(data)
        location = data["location"]
        place = location and (location["start_line"], location["end_line"])
        if data["status"] != "applied":
            place = _ALL  # the block is not placed, so nothing of it is folded
        runs: Sequence[LineRun] = ()
        closest: Sequence[LineRun] = ()
        is_left_out = _EVERY in self.left_out or (_FITTING in self.left_out and data["ok"])
        if not is_left_out:
            with_context = _CONTEXT not in self.left_out
            runs = self._painter.runs(data.get("diff", ""), path, place, with_context=with_context)
            closest = self._painter.runs(data.get("closest_diff", ""), path, _ALL, with_context=with_context)
        places: Sequence[ShownPlace] = ()
        if data["status"] != "applied" and _PLACES not in self.left_out:
            places = [self._place(candidate, path) for candidate in data["candidates"]]
        where = named_lines(lines) if lines else ""
        return ShownBlock(data, self._href(path, lines), where, runs, closest, places)

    def _place(self, data: Mapping[str, Any], path: str) -> ShownPlace:
        """Make a place with up to two lines above and below it. A place that other blocks would make has no address."""
        lines = (data["start_line"], data["end_line"])
        above = data.get("above", [])
        texts = [*above, *data["text"].split("\n")] if "text" in data else above
        hunks = unchanged(lines[0] - len(above), texts) + unchanged(lines[1] + 1, data.get("below", []))
        runs = self._painter.runs(hunks, path, lines, with_context=True)
        return ShownPlace(data, None if data.get("after") else self._href(path, lines), runs)

    def _href(self, path: str, lines: tuple[int, int] | None) -> str | None:
        """Return the address of lines in the head, on the server that the response came from; None if unknown."""
        target = self.result["target"]
        server = target.get("server", "")
        repository = target.get("repository", "")
        head = target.get("head")
        is_known = _ADDRESS.fullmatch(server) and _SAFE_REPOSITORY.fullmatch(repository)
        if not (is_known and head and path) or self.result["written"]:
            return None
        if any(part in ("", ".", "..") for part in path.split("/")):
            return None
        return f"{server}/{repository}/blob/{head}/{url_path(path)}{line_fragment(lines)}"


def counts_of(result: Mapping[str, Any]) -> str:
    """Return `3 ready, 1 skipped, 2 failed`."""
    return count_words(_counts(result)) or plural(0, "block")


def _counts(result: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the number of blocks for each word, as on the terminal."""
    words = [_word_of(block) for block in result["blocks"]]
    return {word: words.count(word) for word in COUNTED if word in words}


def _urgency(block: ShownBlock) -> int:
    """Return a sort key: failed blocks come first, then those that were not tried because of them."""
    if block.is_ok:
        return 2
    return int(block.word != FAILED)


def _word_of(block: Mapping[str, Any]) -> str:
    """Return the word for the state of a block: applied, ready, skipped, not tried or failed."""
    if block["code"] == "earlier-failure":
        return NOT_TRIED
    return str(block.get("verdict") or block["status"])


def _is_fitting(block: Mapping[str, Any]) -> bool:
    """Whether a block is not written yet and could be, if it is chosen by its number."""
    return not block["written"] and bool(block["status"] == "applied" or block.get("fits_without"))


def _lines_of(data: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the lines of the head that a block is about, 1-based; None if they are not known."""
    location = data["location"]
    if location and location["start_line"] <= location["end_line"]:
        return location["start_line"], location["end_line"]
    line = data.get("estimated_line")
    if line:
        return line, line
    closest = next((place for place in data["candidates"] if not place.get("after")), None)
    if closest is not None and data["code"] in ("no-match", "stale"):
        return closest["start_line"], closest["end_line"]
    return None


def _line_sums(blocks: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Return how many lines these blocks add, and how many they remove."""
    pairs = [(block.get("lines_added", 0), block.get("lines_removed", 0)) for block in blocks]
    return sum(added for added, _ in pairs), sum(removed for _, removed in pairs)


def _signs(blocks: Iterable[Mapping[str, Any]]) -> str:
    """Return the sum of the lines that these blocks add and remove: `+4 −2`."""
    added, removed = _line_sums(blocks)
    return f"+{added} −{removed}"
