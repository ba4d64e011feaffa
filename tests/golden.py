"""Golden pages: `tests/cases/<format>/<name>.md`, each a claim, its reason, and the proof.

# claim
prose
## before: `path` flags…      any number; flags: crlf, bom, no-newline, escapes (\\x00 …), mode 100755
## options                    `key: value` lines: partial, matching, context-path, twice, crlf, embedded
## response                   in a tilde fence
## after: `path` flags…       only for files that change; flag absent
## report                     a line a row: `N PATH: STATUS: STRATEGY-or-CODE`, details indented below
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from editblocks import ApplyResult, EditResult, EditStatus, Problem

CASES = Path(__file__).parent / "cases"
_HEADING = re.compile(r"## (before|after|options|response|report)(?:: `([^`]+)`)?(.*)\Z")


@dataclass
class Case:
    """One page."""

    name: str
    claim: str = ""
    prose: str = ""
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes | None] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    response: str = ""
    report: str = ""

    @property
    def expected(self) -> dict[str, bytes]:
        """Every file as it must be if the response is written."""
        files = {**self.before, **self.after}
        return {path: data for path, data in files.items() if data is not None}


def all_cases(folder: str = "") -> list[Case]:
    """Every page below `tests/cases/<folder>`."""
    return [read_case(path) for path in sorted((CASES / folder).rglob("*.md"))]


def read_case(path: Path) -> Case:
    """Read one page; anything that is no part of the format is an error."""
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
            assert not line.startswith("#"), f"{path}:{position}: no heading of a golden page: {line}"
            case.prose += line + "\n"
    assert case.response, f"{path}: there is no response"
    assert case.report, f"{path}: there is no report"
    return case


def _fence(path: Path, lines: list[str], position: int) -> tuple[str, int]:
    """The text of the fence that begins at `position`, and where the page goes on."""
    while not lines[position].strip():
        position += 1
    opening = re.match(r"(`{3,}|~{3,})", lines[position])
    assert opening, f"{path}:{position + 1}: a fence is missing"
    stop = lines.index(opening[1], position + 1)
    return "".join(line + "\n" for line in lines[position + 1 : stop]), stop + 1


def _take(case: Case, part: str, path: str, flags: list[str], text: str) -> None:
    if part == "options":
        case.options = dict(line.split(": ", 1) for line in text.splitlines())
    elif part == "response":
        case.response = text
    elif part == "report":
        case.report = text
    elif part == "after" and "absent" in flags:
        case.after[path] = None
    else:
        (case.before if part == "before" else case.after)[path] = _bytes(text, flags)
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


def report(result: ApplyResult) -> str:
    """The report of a page: a line a row, details indented."""
    return "".join(line + "\n" for row in result.rows for line in _row(row))


def _row(row: EditResult | Problem) -> list[str]:
    if isinstance(row, Problem):
        details = [f"  lines: {row.line_number}-{row.end_line}", f"  message: {row.message}"]
        return [f"{row.number} {row.file_path or '-'}: failed: {row.code.value}", *details]
    what = row.strategy if row.status is EditStatus.APPLIED else row.code.value if row.code else ""
    lines = [f"{row.block.number} {row.file_path}: {row.status.value}: {what}"]
    if row.candidates:
        lines.append("  candidates: " + " ".join(f"{place.start_line}-{place.end_line}" for place in row.candidates))
    if (difference := row.first_difference) is not None:
        part = f" {difference.section}" if difference.section else ""
        lines.append(f"  difference: {difference.line}:{difference.column}{part}")
    if row.notes:
        lines.append("  notes: " + " ".join(note.code for note in row.notes))
    return lines
