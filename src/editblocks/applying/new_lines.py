"""Notes on a block that fits but deserves a look: on what it replaces, and on lines that probably came by mistake.

They change no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editblocks.core.blocks import EditBlock, Note
from editblocks.core.characters import code_point
from editblocks.core.phrases import blocks
from editblocks.matching.indentation import indent_of
from editblocks.matching.ladder import Placement
from editblocks.matching.placeholder_lines import cut
from editblocks.text.languages import file_kind
from editblocks.text.line_index import find_in
from editblocks.text.source_text import SourceText

_NO_BREAK = r"[ \t]*([\u00a0\u2007\u202f])[ \t\u00a0\u2007\u202f]*\S"  # such spaces, and then text
# Files in which the line that ends a heredoc must begin at column 1; so it must in scripts whose names have no ending.
_WITH_HEREDOCS = frozenset({".sh", ".bash", ".zsh", ".ksh", ".pl", ".pm", ".rb", ".tf"})
_HEREDOC = r"(?<!<)<<(?![<~-])[ \t]*[\"'\\]?([A-Za-z_]\w*)"  # `<<-` and `<<~` allow an indented end
_IMPORT = (
    r"[ \t]*(?:(?:@?import|from|use|using|require(?:_once)?|#?[ \t]*include(?:_once)?|source)"
    r"|(?:const|let|var|local)\b.*\brequire)\b"
)
_ABOVE = 50  # lines above the place in which a heredoc may begin
_IMPORTS = 200  # lines of imports that are looked at
_LONGEST_IMPORT = 1_000  # characters
_BESIDE = 5  # lines between a place and a copy of its new function
_REWRITTEN = 0.8
_FEWEST_LINES = 10  # a short file is rewritten by any change; nobody needs to hear so


def notes_on_placement(
    block: EditBlock, text: SourceText, placement: Placement, added: Sequence[str]
) -> Iterator[Note]:
    """Yield notes on how much of the file the block replaces, where it inserts, and what its new lines `added` hold."""
    count = len(text.lines)
    removed = placement.stop - placement.start - (len(placement.new) - len(added))
    if placement.strategy == "replace-file":
        written = f"what {blocks(text.applied)} wrote, and " if text.applied else ""
        yield Note("rewrites-file", f"replaces {written}the whole file; lines lost: {removed} of {count}")
        return  # the notes below are about a part of a file
    if count >= _FEWEST_LINES and removed > _REWRITTEN * count:
        yield Note("rewrites-file", f"replaces {removed * 100 // count} % of the file")
    if block.format == "edit-v2" and placement.start and not (block.anchor or block.old_lines or block.splits):
        what = "the block names no line before the new ones, but they are not inserted at the start of the file"
        yield Note("not-at-start", what)
    yield from _no_break_spaces(added, text.lines)
    kind = file_kind(block.file_path)
    if kind in _WITH_HEREDOCS or "." not in kind:
        yield from _shifted_heredoc(text, placement)
    there = _import_beside(added, text.lines, placement) or _function_beside(added, text.lines, placement)
    if there:
        yield Note("lines-there", f"the file already has {there} next to this place; check whether you want it twice")


def _no_break_spaces(added: Sequence[str], lines: Sequence[str]) -> Iterator[Note]:
    """Yield a note if a new line is indented with no-break spaces, and no line of the file is."""
    for number, line in enumerate(added, 1):
        match = None if line.isascii() else re.match(_NO_BREAK, line)
        if match is not None:
            if not any(re.match(_NO_BREAK, old) for old in lines):
                where = f"new line {number} is indented with {code_point(match[1])}, a no-break space"
                yield Note("no-break-space", f"{where}; check whether spaces are meant")
            return


def _shifted_heredoc(text: SourceText, placement: Placement) -> Iterator[Note]:
    """Yield a note if the line that should end a heredoc is new and indented, so that it does not end it."""
    above = range(max(0, placement.start - _ABOVE), placement.start)
    lines = (*above, *placement.new)
    word = ""  # that ends the heredoc which the lines so far began
    shifted = ""
    for line, each in zip(text.with_kept(lines), lines, strict=True):
        if not word:
            match = re.search(_HEREDOC, line)
            if match is not None:
                word = match[1]
        elif line == word:
            word = ""
            shifted = ""
        elif isinstance(each, str) and line.strip(" \t") == word:
            shifted = word
    if shifted:
        what = f"the line `{shifted}` is indented, so it does not end the here-document `<<{shifted}`"
        yield Note("heredoc-end", f"{what}; check whether it should begin in column 1")


def _import_beside(added: Sequence[str], lines: Sequence[str], placement: Placement) -> str:
    """The first new import that the file has in the lines of imports around the place; "" if it has none."""
    wanted = [line for line in added if _is_import(line)]
    if not wanted:
        return ""
    above = lines[max(0, placement.start - _IMPORTS) : placement.start]
    below = lines[placement.stop : placement.stop + _IMPORTS]
    around = {*_imports(below), *_imports(above[::-1])}
    return next((f"`{cut(line.strip())}`" for line in wanted if line in around), "")


def _imports(lines: Sequence[str]) -> Iterator[str]:
    """Yield the imports that `lines` begin with; blank lines may stand between them."""
    for line in lines:
        if line.strip() and not _is_import(line):
            return
        yield line


def _is_import(line: str) -> bool:
    if len(line) > _LONGEST_IMPORT:  # a megabyte of blanks would take quadratic time
        return False
    return re.match(_IMPORT, line) is not None


def _function_beside(added: Sequence[str], lines: Sequence[str], placement: Placement) -> str:
    """The first line of a function, or of another line with all that is indented below it, if it already exists."""
    start = 0
    while start < len(added):
        stop = _end_of_body(added, start)
        size = stop - start
        if size > 1 and any(map(str.isalnum, added[start])):
            above = lines[max(0, placement.start - size - _BESIDE) : placement.start]
            below = lines[placement.stop : placement.stop + size + _BESIDE]
            whole = added[start:stop]
            if any(next(find_in(whole, part), None) is not None for part in (above, below)):
                return f"`{cut(added[start].strip())}` and the lines in it"
        start = stop
    return ""


def _end_of_body(lines: Sequence[str], start: int) -> int:
    """Where the lines end that are indented deeper than line `start`, without blank lines at the end."""
    depth = len(indent_of(lines[start]))
    stop = start + 1
    for number in range(start + 1, len(lines)):
        if lines[number].strip():
            if len(indent_of(lines[number])) <= depth:
                break
            stop = number + 1
    return stop
