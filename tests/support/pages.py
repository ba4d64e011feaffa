"""The pages of the documentation: their fences, headings and tables."""

import re

from support.project import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")])
FENCE = re.compile(r"^(`{3,}|~{3,})([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def fences(text: str, info: str) -> list[str]:
    """The texts of all fences that open with this info string."""
    return [found[3] for found in FENCE.finditer(text) if found[2] == info]


def section(text: str, heading: str) -> str:
    """The text below a heading, up to the next heading of the same or a higher level."""
    found = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    assert found is not None, heading
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def table(text: str, first: str) -> list[list[str]]:
    """The rows of the first table whose first column has the heading `first`."""
    lines = text.split("\n")
    columns = [line.split("|")[1:2] for line in lines]
    start = next(number for number, cells in enumerate(columns) if [cell.strip(" ") for cell in cells] == [first])
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip(" ") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def code(cell: str) -> str:
    """The text of a table cell that is one code span; "" for an empty cell."""
    ticks = len(cell) - len(cell.lstrip("`"))
    inner = cell[ticks : len(cell) - ticks]
    is_padded = inner.startswith(" ") or inner.endswith(" ")
    return (inner.strip(" ") if is_padded and "`" in inner else inner).replace("\\|", "|")
