"""What a page shows of a JSON result, and what is left out where all of it would be too much."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import Any

from editblocks.core.characters import is_hidden
from editblocks.core.phrases import count_words, line_range, percent, plural
from editblocks.core.typed import NamedTuple
from editblocks.report.escape import cut_middle, url_path
from editblocks.report.page.lines import LONGEST_LINE, Painter, Run
from editblocks.report.view import COUNTED

ICONS = {"ready": "✓", "applied": "✓", "failed": "✗", "skipped": "–"}
_CONTEXT, _FITTING, _EVERY = "unchanged lines", "the changes of blocks that fit", "the changes of all blocks"
_PLACES = "the places of blocks"
# what is left out until the page is small enough
STEPS = ((), (_CONTEXT,), (_CONTEXT, _FITTING), (_CONTEXT, _EVERY), (_CONTEXT, _EVERY, _PLACES))
_LEAST_BLOCK, _LEAST_LINE, _LEAST_TEXT, _LEAST_BOX = 400, 50, 5, 30  # bytes of their markup
_NOT_WHOLE = frozenset(
    "id path new_path files_modified sha256 head base commit diff closest_diff anchor_preview old_preview new_preview "
    "expected actual".split()
)
_ADDRESS = re.compile(r"https?://[A-Za-z0-9._~:/%\[\]#-]+", re.ASCII)
_SAFE_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", re.ASCII)
_LONGEST_PATH = 120
_ALL = (0, 1 << 30)  # lines
_READ_ONCE = {"stdin": "standard input", "clipboard": "the clipboard"}


class Block(NamedTuple):
    """A block as it is shown; `data` is its member of the result."""

    data: Mapping[str, Any]
    href: str | None
    where: str
    runs: Sequence[Run]
    closest: Sequence[Run]

    @property
    def word(self) -> str:
        return word_of(self.data)

    @property
    def is_ok(self) -> bool:
        return bool(self.data["ok"])

    @property
    def icon(self) -> str:
        return ICONS[self.word]

    @property
    def has_place(self) -> bool:
        """Whether the numbers of its change are lines of the file."""
        has_lines = self.data["location"] is not None or self.data["estimated_line"] is not None
        return self.data["status"] == "applied" and (has_lines or self.data["operation"] in ("create", "delete-file"))

    @property
    def is_new(self) -> bool:
        return bool(self.data["operation"] == "create")

    @property
    def alike(self) -> str:
        """How like the closest text is, in words."""
        similarity = self.data.get("similarity")
        if similarity is None or self.data["code"] not in ("no-match", "stale"):
            return ""
        return f"closest text {percent(similarity)} alike"

    @property
    def short(self) -> str:
        """What the list of files says of it: its line, or why it failed."""
        lines = _lines_of(self.data)
        if not self.data["code"]:
            return f"line {lines[0]}" if lines else "new file" if self.is_new else str(self.data["operation"])
        return str(self.data["code"])


class File(NamedTuple):
    """The blocks of one file, in their order."""

    path: str
    blocks: Sequence[Block]

    @property
    def is_ok(self) -> bool:
        return all(block.is_ok for block in self.blocks)

    @property
    def sums(self) -> str:
        """`2 blocks, +4 −2`, or `new file, +24`."""
        fitting = [block.data for block in self.blocks if block.data["status"] == "applied"]
        added, removed = (sum(data.get(name, 0) for data in fitting) for name in ("lines_added", "lines_removed"))
        signs = " ".join(f"{sign}{count}" for sign, count in (("+", added), ("−", removed)) if count)
        what = "new file" if [block.is_new for block in self.blocks] == [True] else plural(len(self.blocks), "block")
        return ", ".join(filter(None, (what, signs)))


class Layout:
    """A whole page; `left_out` are the words of one of `STEPS`."""

    def __init__(self, result: Mapping[str, Any], left_out: Sequence[str] = ()) -> None:
        self.result, self.left_out = result, left_out
        self._painter = Painter()
        self.blocks = [self._block(data) for data in result["blocks"]]
        by_path: dict[str, list[Block]] = {}
        for block in self.blocks:
            by_path.setdefault(block.data["path"] or "", []).append(block)
        self.files = [File(path, blocks) for path, blocks in by_path.items()]
        self.todo = sum(not block.is_ok for block in self.blocks)

    @property
    def counts(self) -> str:
        return counts_of(self.result)

    @property
    def sums(self) -> str:
        """How many files there are, what the change does, and whether that is written."""
        files, blocks = plural(len(self.files), "file"), [block.data for block in self.blocks]
        written = _signs(block for block in blocks if block["written"])
        written = written or ("+0 −0" if self.result["written"] else "")
        fitting = _signs(filter(_is_fitting, blocks))
        if not fitting:
            return f"in {files}; written, {written}" if written else f"in {files}; nothing written"
        done, more = (f"written, {written};", " more") if written else ("nothing written yet,", "")
        return f"in {files}; {done} {fitting}{more} if what fits is applied"

    @property
    def refusal(self) -> str:
        """Why the run was stopped: `code: reason`; empty if it was not."""
        refusal = self.result.get("refusal")
        is_known = isinstance(refusal, dict) and {"code", "reason"} <= refusal.keys()
        return f"{refusal['code']}: {refusal['reason']}" if is_known and refusal else ""

    @property
    def source(self) -> Mapping[str, Any]:
        return dict(self.result["sources"][0]) if self.result["sources"] else {}

    @property
    def source_href(self) -> str | None:
        """Where the response is, if that is an address a browser may open."""
        uri = self.source.get("uri")
        return uri if uri and _ADDRESS.fullmatch(uri) else None

    @property
    def formats(self) -> str:
        return ", ".join(self.source.get("formats", []))

    @property
    def codes(self) -> list[str]:
        """The codes that occur, each once."""
        return list(dict.fromkeys(block.data["code"] for block in self.blocks if block.data["code"]))

    @property
    def has_texts(self) -> bool:
        return any("diff" in block.data for block in self.blocks)

    @cached_property
    def read_once(self) -> str:
        """Where an answer came from that no command can read again; empty for all others."""
        return _READ_ONCE.get(self.source.get("kind", ""), "")

    @property
    def commands(self) -> list[str]:
        return [] if self.read_once else list(self.result.get("next", []))

    def _block(self, data: Mapping[str, Any]) -> Block:
        lines, location = _lines_of(data), data["location"]
        where = (data["path"] or "no file") + (f":{line_range(lines)}" if lines else "")
        place = (location["start_line"], location["end_line"]) if location else None
        if data["status"] != "applied":
            place = _ALL  # its change is not in a file
        is_shown, with_context = _is_shown(data, self.left_out), _CONTEXT not in self.left_out
        runs, closest = (
            self._painter.runs(
                data.get(name, "") if is_shown else "", data["path"] or "", own, with_context=with_context
            )
            for name, own in (("diff", place), ("closest_diff", _ALL))
        )
        if _PLACES in self.left_out:
            data = {**data, "candidates": [], "candidates_total": 0}
        elif self.read_once:
            data = {**data, "candidates": [{**place, "command": ""} for place in data["candidates"]]}
        return Block(data, self._href(data["path"], lines), where, runs, closest)

    def _href(self, path: str | None, lines: tuple[int, int] | None) -> str | None:
        """The address of a block's lines in the head, on the server that its response came from."""
        target = self.result["target"]
        server, repository, head = target.get("server", ""), target.get("repository", ""), target.get("head")
        is_known = _ADDRESS.fullmatch(server) and _SAFE_REPOSITORY.fullmatch(repository)
        if not (is_known and head and path) or self.result["written"]:
            return None
        if any(part in ("", ".", "..") for part in path.split("/")):
            return None
        fragment = "" if lines is None else f"#L{lines[0]}" + (f"-L{lines[1]}" if lines[1] > lines[0] else "")
        return f"{server}/{repository}/blob/{head}/{url_path(path)}{fragment}"


def least_size(result: Mapping[str, Any], left_out: Sequence[str]) -> int:
    """So many bytes the page has at the very least: whoever knows that need not make it."""
    signs = "-+" if _CONTEXT in left_out else "-+ "
    shown = (block for block in result["blocks"] if _is_shown(block, left_out))
    diffs = (block.get(name, "") for block in shown for name in ("diff", "closest_diff"))
    lines = (line for diff in diffs for line in diff.split("\n") if line and line[0] in signs)
    size = _LEAST_BLOCK * len(result["blocks"]) + _size(result, {"candidates"} if _PLACES in left_out else set())
    return size + sum(_LEAST_LINE + min(len(line), LONGEST_LINE) for line in lines)


def _size(value: object, unseen: Set[str]) -> int:
    """The characters of all texts that are shown whole; `unseen` are members that are not, besides those never are."""
    if isinstance(value, str):
        hidden = (
            0
            if value.isprintable()
            else sum(n for char, n in Counter(value).items() if char not in "\n\t" and is_hidden(char))
        )
        return _LEAST_TEXT + len(value) + _LEAST_BOX * hidden
    if isinstance(value, Mapping):
        return sum(_size(item, unseen) for name, item in value.items() if name not in unseen and name not in _NOT_WHOLE)
    return sum(_size(item, unseen) for item in value) if isinstance(value, list) else 0


def _is_shown(block: Mapping[str, Any], left_out: Sequence[str]) -> bool:
    """Whether the change of a block is."""
    return _EVERY not in left_out and not (_FITTING in left_out and block["ok"])


def counts_of(result: Mapping[str, Any]) -> str:
    """`3 ready, 1 skipped, 2 failed`."""
    words = [word_of(block) for block in result["blocks"]]
    return count_words({word: words.count(word) for word in COUNTED if word in words}) or plural(0, "block")


def word_of(block: Mapping[str, Any]) -> str:
    """What became of a block, in the word that its head has."""
    return str(block.get("verdict") or block["status"])


def _is_fitting(block: Mapping[str, Any]) -> bool:
    """Whether a block that is not written can be, when it is chosen by its number."""
    return not block["written"] and bool(block["status"] == "applied" or block.get("fits_without"))


def _lines_of(data: Mapping[str, Any]) -> tuple[int, int] | None:
    """The lines of the head that a block is about, 1-based; None if they are not known."""
    location, line = data["location"], data["estimated_line"]
    if location and location["start_line"] <= location["end_line"]:
        return location["start_line"], location["end_line"]
    if line:
        return line, line
    close = [place for place in data["candidates"] if not place.get("after")][:1]
    if data["code"] in ("no-match", "stale") and close:
        return close[0]["start_line"], close[0]["end_line"]
    return None


def _signs(blocks: Iterable[Mapping[str, Any]]) -> str:
    """`+4 −2`: what these blocks change together; nothing without any."""
    pairs = [(block.get("lines_added", 0), block.get("lines_removed", 0)) for block in blocks]
    return f"+{sum(added for added, _ in pairs)} −{sum(removed for _, removed in pairs)}" if pairs else ""


def short_path(path: str) -> str:
    """A path of any length in little room."""
    return cut_middle(path, _LONGEST_PATH)
