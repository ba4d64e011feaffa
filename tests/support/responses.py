"""Short ways to write a response, and to say what became of it."""

from __future__ import annotations

from editblocks import ApplyResult, EditStatus, Problem


def block(old: str, new: str, path: str = "a.py", size: int = 7, indent: str = "") -> str:
    """A path line (none if `path` is empty) and one SEARCH/REPLACE block; sections are lines with their ends."""
    name = f"{path}\n" if path else ""
    markers = ("<" * size + " SEARCH\n", old, "=" * size + "\n", new, ">" * size + " REPLACE\n")
    inside = "".join(markers).splitlines(keepends=True)
    return name + "".join(indent + line if line.strip() else line for line in inside)


def verdicts(result: ApplyResult) -> list[str]:
    """For each row, in order, what became of it: `a.py exact`, `a.py no-match`, `- stray-marker`."""
    rows = []
    for row in result.rows:
        if isinstance(row, Problem):
            rows.append(f"{row.file_path or '-'} {row.code.value}")
        else:
            what = row.strategy if row.status is EditStatus.APPLIED else row.code.value if row.code else None
            rows.append(f"{row.file_path} {what}")
    return rows
