"""Blocks of tool calls, made by hand, and short ways to plan them and to read the result."""

from collections.abc import Mapping

from editblocks import ApplyResult, EditBlock, ParseResult, Settings
from editblocks.applying.engine import Options, apply_parsed
from editblocks.applying.files import Read, Tree
from editblocks.core.blocks import ToolCall
from editblocks.core.selection import Selection

JSON = ToolCall(is_literal=True)
TAGS = ToolCall()
RUN = ToolCall(is_literal=True, was_run=True)


def whole_lines(text: str) -> str:
    """Return the text with LF as line end, also after the last line."""
    lines = text.replace("\r\n", "\n")
    return lines if not lines or lines.endswith("\n") else f"{lines}\n"


def replace(old: str, new: str, call: ToolCall = JSON, path: str = "a.py") -> EditBlock:
    """A call that replaces `old` by `new`; with an empty `old`, it creates the file."""
    action = "" if old else "create"
    return _row("tool-replace", action, path, call._replace(old=old, new=new))


def write(text: str, action: str = "write", call: ToolCall = JSON, path: str = "a.py") -> EditBlock:
    """A call that writes a whole file, or a snippet, as `action` says."""
    return _row("tool-write", action, path, call._replace(new=text))


def insert(line: int, text: str, call: ToolCall = JSON, path: str = "a.py") -> EditBlock:
    """A call that inserts lines after the line with number `line`."""
    return _row("tool-insert", "insert-at", path, call._replace(line=line, new=text))


def _row(name: str, action: str, path: str, call: ToolCall) -> EditBlock:
    old = whole_lines(call.old)
    new = whole_lines(call.new)
    return EditBlock(1, path, name, 1, 1, old_lines=old, new_lines=new, raw_block=old + new, action=action, call=call)


def rows(*blocks: EditBlock) -> tuple[EditBlock, ...]:
    """The blocks with numbers and line numbers from 1."""
    return tuple(
        block._replace(number=number, line_number=number, end_line=number) for number, block in enumerate(blocks, 1)
    )


def plan(
    blocks: tuple[EditBlock, ...] | list[EditBlock] | EditBlock,
    tree: Mapping[str, bytes] | Read | Tree,
    settings: Settings | None = None,
    only: str = "",
    base: str | None = None,
) -> ApplyResult:
    """Plan the blocks on a tree. `only` selects some of them."""
    blocks = [blocks] if isinstance(blocks, EditBlock) else blocks
    read = tree.get if isinstance(tree, Mapping) else tree
    options = Options(select=Selection.read(only)) if only else None
    return apply_parsed(ParseResult(rows(*blocks), base=base), read, settings, options)


def verdict(result: ApplyResult, index: int = 0) -> str:
    """The strategy of a row, or its reason code if it is not applied."""
    row = result.results[index]
    return row.strategy or (row.code.value if row.code else "")


def after(result: ApplyResult, before: bytes | None, path: str = "a.py") -> bytes | None:
    """The content of a file after the plan. `before` is returned if the plan does not change it."""
    return result.contents.get(path, before)
