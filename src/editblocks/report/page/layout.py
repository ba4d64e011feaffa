"""Decide what a page shows of a JSON result, and what it leaves out if the result is too large."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from editblocks.core.phrases import count_words, join_parts, named_lines, plural
from editblocks.report.escape import url_path
from editblocks.report.page.lines import LineRun, Painter, unchanged
from editblocks.report.status.links import line_fragment
from editblocks.report.view import APPLIED, COUNTED, FAILED, NOT_TRIED, READY, SKIPPED

ICONS = {READY: "✓", APPLIED: "✓", FAILED: "✗", SKIPPED: "–", NOT_TRIED: "…"}
_CONTEXT = "unchanged lines"
_FITTING = "the changes of blocks that fit"
_EVERY = "the changes of all blocks"
_PLACES = "the places of blocks"
# The parts to leave out, step by step, until the page is small enough.
STEPS = ((), (_CONTEXT,), (_CONTEXT, _FITTING), (_CONTEXT, _EVERY), (_CONTEXT, _EVERY, _PLACES))
_ADDRESS = re.compile(r"https?://[A-Za-z0-9._~:/%\[\]#-]+", re.ASCII)
_SAFE_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", re.ASCII)
_ALL = (0, 1 << 30)  # lines


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
        return word_of(self.data)

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
    """A whole page. `left_out` is one of `STEPS`."""

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

    @property
    def counts(self) -> str:
        return counts_of(self.result)

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
    def shares(self) -> Mapping[str, int]:
        """The number of blocks for each word, such as `failed`."""
        return _counts(self.result)

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
    def source(self) -> Mapping[str, Any]:
        return next(iter(self.result["sources"]), {})

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
    def codes(self) -> list[str]:
        """The reason codes that occur, each once."""
        return list(dict.fromkeys(block.data["code"] for block in self.blocks if block.data["code"]))

    @property
    def has_texts(self) -> bool:
        return any("diff" in block.data for block in self.blocks)

    @property
    def commands(self) -> list[str]:
        return list(self.result.get("next", []))

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
    words = [word_of(block) for block in result["blocks"]]
    return {word: words.count(word) for word in COUNTED if word in words}


def _urgency(block: ShownBlock) -> int:
    """Return a sort key: failed blocks come first, then those that were not tried because of them."""
    if block.is_ok:
        return 2
    return int(block.word != FAILED)


def word_of(block: Mapping[str, Any]) -> str:
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
