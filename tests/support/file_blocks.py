"""Blocks that delete, rename, add and edit files, like those read from patches."""

from editblocks.core.blocks import EditBlock, ParseResult, Problem

_AT = (1, 1)  # line numbers in the response, which does not exist


def delete(path: str, lines: str = "", form: str = "v4a") -> EditBlock:
    """Delete a file. `lines` are its lines, which a unified diff shows."""
    return EditBlock(1, path, form, *_AT, old_lines=lines, raw_block=f"*** Delete File: {path}\n", action="delete-file")


def rename(path: str, new_path: str) -> EditBlock:
    """Rename a file."""
    raw = f"*** Update File: {path}\n*** Move to: {new_path}\n"
    return EditBlock(1, path, "v4a", *_AT, raw_block=raw, action="rename", new_path=new_path)


def add(path: str, lines: str) -> EditBlock:
    """Add a file with these lines."""
    return EditBlock(1, path, "v4a", *_AT, new_lines=lines, raw_block=f"*** Add File: {path}\n", action="create")


def edit(path: str, old: str, new: str) -> EditBlock:
    """Change lines of a file."""
    return EditBlock(1, path, "v4a", *_AT, old_lines=old, new_lines=new, raw_block=f"{old}{new}", action="edit")


def parsed(*rows: EditBlock | Problem, base: str | None = None) -> ParseResult:
    """The parse result of a response with these rows, numbered from 1."""
    blocks = tuple(row._replace(number=at) for at, row in enumerate(rows, 1) if isinstance(row, EditBlock))
    problems = tuple(row._replace(number=at) for at, row in enumerate(rows, 1) if isinstance(row, Problem))
    return ParseResult(blocks, problems, base=base)
