"""Short ways to write a response, and to describe the result of a plan."""

from editblocks import ApplyResult, EditStatus, Problem


def block(old: str, new: str, path: str = "a.py", size: int = 7, indent: str = "") -> str:
    """A path line (none if `path` is empty) and a SEARCH/REPLACE block. `old` and `new` are lines with line ends."""
    name = f"{path}\n" if path else ""
    markers = ("<" * size + " SEARCH\n", old, "=" * size + "\n", new, ">" * size + " REPLACE\n")
    inside = "".join(markers).splitlines(keepends=True)
    return name + "".join(indent + line if line.strip() else line for line in inside)


def verdicts(result: ApplyResult) -> list[str]:
    """Each row, in order, with its strategy or reason code: `a.py exact`, `a.py no-match`, `- stray-marker`."""
    rows = []
    for row in result.rows:
        if isinstance(row, Problem):
            rows.append(f"{row.file_path or '-'} {row.code.value}")
        else:
            what = row.strategy if row.status is EditStatus.APPLIED else row.code.value if row.code else None
            rows.append(f"{row.file_path} {what}")
    return rows
