"""Golden pages: `tests/cases/<format>/<name>.md`, each a claim, its reason, and the proof.

# claim
prose
## before: `path` flags…      any number; flags: crlf, bom, no-newline, escapes (\\x00 …), mode 100755
## base: `path` flags…        any number: files of the commit that the `base:` line of the response names
## options                    `key: value` lines, below
## response                   in a tilde fence
## after: `path` flags…       only for files that change; flag absent
## report                     one line per result: `N PATH: STATUS: STRATEGY-or-CODE`; its details are indented below it

Options:
- `partial`, `matching`, `context-path`, `three-way: no`.
- `thread-lines: 2-3`: the lines of the context file that the review thread is about, numbered as in the base;
  ` LEFT` after the numbers means the old side of the diff.
- `page: yes`: the response is a comment that GitHub renders.
- `base: unknown`: the base is not in the history of the branch. `base-commit: 4be1d02`: the base of a response that
  cannot name one.
- `only: SELECTOR`: write the selected blocks that fit. `tree: yes`: the directories of the branch can be listed.
- Policy: `paths`, `deny-paths`, `allow-protected`, `response-files`, `formats` (separated by `, `), `suspicious-text`,
  `placeholders`, `removals`, `whole-files`.
- `reasons`, `picks`, `response-notes` (each `yes`) add details to the report.
- `twice`, `crlf`, `embedded` (each `no`, with a reason in the prose) skip a test derived from the page.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.comments_on_github import hidden_lines_of
from support.planned import planned
from support.project import CASES

from editblocks import ApplyResult, Candidate, Difference, EditResult, EditStatus, Problem, Settings
from editblocks.core.blocks import ThreadLines
from editblocks.core.selection import Selection
from editblocks.paths.tree import Entries

THREAD_COMMIT = "4be1d02c3a9f7e5d8b6a4c2e0f1d3b5a7c9e8f60"
REGULAR_FILE, DIRECTORY, LINK = "100644", "040000", "120000"
SHOWS = frozenset({"reasons", "picks", "response-notes"})
LEAVES_OUT = frozenset({"twice", "crlf", "embedded"})
WORDS = frozenset({"suspicious-text", "placeholders", "removals", "whole-files"})
POLICY = frozenset({"paths", "deny-paths", "allow-protected", "response-files", "formats", *WORDS})
_OTHERS = (
    "partial",
    "matching",
    "page",
    "context-path",
    "thread-lines",
    "three-way",
    "base",
    "base-commit",
    "only",
    "tree",
)
OPTIONS = SHOWS | LEAVES_OUT | POLICY | {*_OTHERS}
_HEADING = re.compile(r"## (before|base|after|options|response|report)(?:: `([^`]+)`)?(.*)\Z")


@dataclass
class Case:
    """One golden page. In `after`, None is a file that the response deletes."""

    name: str
    claim: str = ""
    prose: str = ""
    before: dict[str, bytes] = field(default_factory=dict)
    base: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes | None] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    response: str = ""
    report: str = ""

    @property
    def select(self) -> Selection | None:
        """The blocks that the option `only` selects; None without that option."""
        return Selection.read(self.options["only"]) if "only" in self.options else None

    @property
    def settings(self) -> Settings:
        """The settings that the options of the page describe."""
        options = self.options
        values: dict[str, Any] = {}
        for key in POLICY & options.keys():
            values[key.replace("-", "_")] = options[key] if key in WORDS else tuple(options[key].split(", "))
        matching, merges = options.get("matching", "standard"), options.get("three-way") != "no"
        return Settings(matching=matching, three_way=merges)._replace(**values)

    @property
    def thread_lines(self) -> ThreadLines | None:
        """The lines that the review thread is about; None without `thread-lines`."""
        if "thread-lines" not in self.options:
            return None
        lines, _, side = self.options["thread-lines"].partition(" ")
        first, _, last = lines.partition("-")
        return ThreadLines(int(first), int(last), THREAD_COMMIT, side == "LEFT")

    @property
    def shows(self) -> frozenset[str]:
        """The options of the page that add details to its report."""
        return SHOWS & self.options.keys()

    @property
    def writes_what_is_ready(self) -> bool:
        """Whether the other blocks are written when one fails."""
        return "partial" in self.options or "only" in self.options

    @property
    def expected(self) -> dict[str, bytes]:
        """Every file that must exist once the response is written."""
        files = {**self.before, **self.after}
        return {path: data for path, data in files.items() if data is not None}


def all_cases(folder: str = "") -> list[Case]:
    """Every page below `tests/cases/<folder>`."""
    return [read_case(path) for path in sorted((CASES / folder).rglob("*.md"))]


def read_case(path: Path) -> Case:
    """Read one page. Raises `AssertionError` for anything that is not part of the format."""
    lines = path.read_bytes().decode("utf-8").split("\n")
    case = Case(str(path.relative_to(CASES).with_suffix("")))
    assert lines[0].startswith("# "), f"{path}: the first line is the claim"
    case.claim = lines[0][2:]
    position = 1
    while position < len(lines):
        line = lines[position]
        position += 1
        if found := _HEADING.match(line):
            text, position = _fence(path, lines, position)
            _take(case, found[1], found[2] or "", found[3].split(), text)
        else:
            assert not line.startswith("#"), f"{path}:{position}: unknown heading: {line}"
            case.prose += line + "\n"
    assert case.response, f"{path}: there is no response"
    assert case.report, f"{path}: there is no report"
    return case


def _fence(path: Path, lines: list[str], position: int) -> tuple[str, int]:
    """Return the text of the first fence at or after line `position`, and the index of the line after it."""
    while not lines[position].strip():
        position += 1
    opening = re.match(r"(`{3,}|~{3,})", lines[position])
    assert opening, f"{path}:{position + 1}: a fence is missing"
    stop = lines.index(opening[1], position + 1)
    return "".join(line + "\n" for line in lines[position + 1 : stop]), stop + 1


def _take(case: Case, part: str, path: str, flags: list[str], text: str) -> None:
    if part == "options":
        case.options = dict(line.split(": ", 1) for line in text.splitlines())
        assert case.options.keys() <= OPTIONS, f"{case.name}: unknown option: {case.options.keys() - OPTIONS}"
    elif part == "response":
        case.response = text
    elif part == "report":
        case.report = text
    elif part == "after" and "absent" in flags:
        case.after[path] = None
    else:
        files = case.before if part == "before" else case.base if part == "base" else case.after
        files[path] = _bytes(text, flags)
        if "mode" in flags:
            case.modes[path] = flags[flags.index("mode") + 1]


def _bytes(text: str, flags: list[str]) -> bytes:
    if "no-newline" in flags:
        text = text[:-1]
    if "crlf" in flags:
        text = text.replace("\n", "\r\n")
    data = text.encode("utf-8")
    if "escapes" in flags:
        data = data.decode("unicode_escape").encode("latin-1")
    return b"\xef\xbb\xbf" + data if "bom" in flags else data


def plan(case: Case, response: str, files: Mapping[str, bytes], base: Mapping[str, bytes] | None = None) -> ApplyResult:
    """Plan `response` on `files` with the options of the page. `base` defaults to the base files of the page."""
    options, known = case.options, case.base if base is None else base
    return planned(
        response,
        files.get,
        entries=entries(files, case.modes) if "tree" in options else None,
        settings=case.settings,
        context_path=options.get("context-path"),
        thread_lines=case.thread_lines,
        read_base=lambda _: None if options.get("base") == "unknown" else known.get,
        base=options.get("base-commit"),
        select=case.select,
        link_target=lambda path: files[path].decode() if case.modes.get(path) == LINK else None,
        hidden_lines=hidden_lines_of(response) if "page" in options else None,
    )


def entries(files: Mapping[str, bytes], modes: Mapping[str, str]) -> Entries:
    """Return a function that lists a directory of `files` like `Repo.entries`: name → mode."""
    listed: dict[str, dict[str, str]] = {}
    for path in files:
        name, mode = path, modes.get(path, REGULAR_FILE)
        while name:
            directory, _, leaf = name.rpartition("/")
            listed.setdefault(directory, {})[leaf] = mode
            name, mode = directory, DIRECTORY
    return lambda directory: listed.get(directory, {})


def report(result: ApplyResult, shows: Collection[str] = ()) -> str:
    """Format a result like the `report` of a page. `shows` are the options that add details."""
    lines = [line for row in result.rows for line in _row(row, shows)]
    if "response-notes" in shows:
        lines.append(f"response-notes: {' '.join(note.code for note in result.notes) or 'none'}")
    return "".join(line + "\n" for line in lines)


def _row(row: EditResult | Problem, shows: Collection[str]) -> list[str]:
    if isinstance(row, Problem):
        details = [f"  lines: {row.line_number}-{row.end_line}", f"  message: {row.message}"]
        return [f"{row.number} {row.file_path or '-'}: failed: {row.code.value}", *details]
    what = row.strategy if row.status is EditStatus.APPLIED else row.code.value if row.code else ""
    chosen = ", chosen" if row.chosen else ""
    lines = [f"{row.block.number} {row.file_path}: {row.status.value}: {what}{chosen}"]
    if "reasons" in shows and row.reason:
        lines.append(f"  reason: {row.reason}")
    if row.candidates:
        lines.append("  candidates: " + " ".join(_place(place, shows) for place in row.candidates))
    if (difference := row.first_difference) is not None:
        part = f" {difference.section}" if difference.section else ""
        lines.append(f"  difference: {difference.line}:{difference.column}{part}")
        lines += _both_sides(difference) if "reasons" in shows else []
    if row.notes:
        lines.append("  notes: " + " ".join(note.code for note in row.notes))
    return lines


def _both_sides(difference: Difference) -> list[str]:
    """The expected line and the actual line, marked `-` and `+` as in a diff."""
    there = "  (the file ends)" if difference.actual is None else f"  + {difference.actual}"
    return [f"  - {difference.expected}", there]


def _place(place: Candidate, shows: Collection[str]) -> str:
    pick = f" ({place.pick or 'no pick'})" if "picks" in shows else ""
    return f"{place.start_line}-{place.end_line}{pick}"
