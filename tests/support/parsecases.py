"""Short descriptions of the rows of a parsed response."""

from support.responses import block

from editblocks import EditBlock, ParseResult, Problem

OPEN, DIV, CLOSE = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"
X = block("x\n", "y\n")
NAMELESS = block("x\n", "y\n", "")


def rows(parsed: ParseResult) -> list[str]:
    """For each row, `number path lines: old -> new`, or a reason code in place of the texts. Line ends become `/`."""
    found: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    found.sort(key=lambda row: row.number)
    return [
        f"{row.number} {row.file_path or '-'} {row.line_number}-{row.end_line}: "
        + (f"{row.old_lines} -> {row.new_lines}" if isinstance(row, EditBlock) else row.code.value).replace("\n", "/")
        for row in found
    ]
