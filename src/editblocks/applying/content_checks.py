"""Check that the lines which a block adds are visible, complete, and within the size limit.

`block_too_large` needs no file. `checked_content` knows the place: a check of new lines belongs there. A placeholder
such as `# ... existing code ...` deletes code if it is written as it is. `notes_on_placement` yields notes on blocks
that fit but deserve a look: at what they replace, and at lines that are probably a mistake. Notes change no verdict.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from editblocks.applying.files import OTHER_MEANS, FilePlan, too_large
from editblocks.core.blocks import EditBlock, Note, section_lines
from editblocks.core.characters import SURROGATE, code_point, find_added, may_hold_invisible, why_hidden
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.model import Written
from editblocks.core.phrases import blocks, cut
from editblocks.core.settings import Settings
from editblocks.formats.markers import indent_of
from editblocks.matching.ladder import Placement
from editblocks.matching.placeholder_lines import (
    leaves_lines_out,
    may_stand_for_others,
    stands_for_others,
    words_say_omitted,
)
from editblocks.text.languages import file_kind
from editblocks.text.source_text import SourceText, find_in

_BLOCK_BYTES = 256 * 1024
_LINE_BYTES = 64 * 1024
_BYTES_A_CHARACTER = 4  # bytes of UTF-8, at most
_NUMBERED = r"[ \t]*([0-9]{1,7})(?: ?[|│→:] ?|\t)(.*)\Z"  # `12 | x`, `    12→x`, `12:x`, as `cat -n` and editors write
_NO_BREAK = r"[ \t]*([\u00a0\u2007\u202f])[ \t\u00a0\u2007\u202f]*\S"  # no-break spaces, then text
# In these files, the line that ends a heredoc must begin at column 1. The same holds for scripts without an ending.
_WITH_HEREDOCS = frozenset({".sh", ".bash", ".zsh", ".ksh", ".pl", ".pm", ".rb", ".tf"})
_HEREDOC = r"(?<!<)<<(?![<~-])[ \t]*[\"'\\]?([A-Za-z_]\w*)"  # `<<-` and `<<~` allow an indented end
_IMPORT = (
    r"[ \t]*(?:(?:@?import|from|use|using|require(?:_once)?|#?[ \t]*include(?:_once)?|source)"
    r"|(?:const|let|var|local)\b.*\brequire)\b"
)
_ABOVE = 50  # lines above the place in which a heredoc may begin
_IMPORTS = 200  # lines that are searched for imports
_LONGEST_IMPORT = 1_000  # characters
_BESIDE = 5  # lines between a place and a copy of its new function
_REWRITTEN = 0.8
_FEWEST_LINES = 10  # any change rewrites a shorter file, which needs no note


def block_too_large(block: EditBlock) -> Mismatch | None:
    """Return why a block exceeds a size limit; None if it does not. Its markers and old lines are part of its size."""
    if len(block.raw_block) * _BYTES_A_CHARACTER <= _LINE_BYTES:
        return None
    data = block.raw_block.encode("utf-8", "surrogatepass")
    if len(data) > _BLOCK_BYTES:
        what = f"the block has more than {_BLOCK_BYTES // 1024} KiB"
    elif max(map(len, data.split(b"\n"))) > _LINE_BYTES:
        what = f"a line of the block has more than {_LINE_BYTES // 1024} KiB"
    else:
        return None
    return Mismatch(ReasonCode.TOO_LARGE, what, "split it", is_fixable=True)


def checked_content(block: EditBlock, file: FilePlan, placement: Placement, settings: Settings) -> Placement | Mismatch:
    """Refuse the lines that the block adds, or return its placement with notes on what deserves a look.

    The checks, in order: line numbers, hidden text and halves of characters, placeholders, size. Line numbers and
    placeholders are compared with SEARCH, hidden text with the lines of the file that are replaced, which differ from
    SEARCH with loose matching. A new check compares those lines: `file.lines_of_change(*placement.change)`. An edit
    inside a line makes the whole line new.
    """
    text = file.text or SourceText()
    added = placement.added
    mismatch = _line_numbers(added, block.search)
    if mismatch is not None:
        return mismatch
    added_text = "\n".join(["", *added])
    hidden = None
    if may_hold_invisible(added_text):  # kept lines were read as UTF-8, and hide no more than before
        hidden = _hidden_text(file.lines_of_change(*placement.change), is_refused=settings.suspicious_text == "refuse")
        if isinstance(hidden, Mismatch):
            return hidden
    stand_in = None
    if placement.strategy == "replace-file" or may_stand_for_others(added_text):
        stand_in = _placeholder(block, placement, text, is_refused=settings.placeholders == "refuse")
        if isinstance(stand_in, Mismatch):
            return stand_in
    if file.size + len(added_text) * _BYTES_A_CHARACTER > settings.max_file_bytes:
        size = file.size_after(file.lines_of_change(*placement.change))
        if size > settings.max_file_bytes:
            return Mismatch(ReasonCode.TOO_LARGE, too_large(block.file_path, size, settings), OTHER_MEANS)
    found = (hidden, *notes_on_placement(block, text, placement), stand_in)
    notes = [note for note in found if isinstance(note, Note)]
    return placement._replace(notes=(*placement.notes, *notes))


def _line_numbers(added: Sequence[str], searched: str) -> Mismatch | None:
    """Refuse new text with line numbers that a model copied from a listing, if the old text has none.

    That is the case if each new line begins with a number, one more than the line above, and without its number at
    least one new line is an old line. A numbered table or list has no such line.
    """
    if not all(line.lstrip()[:1].isdigit() for line in added):
        return None
    matches = [re.match(_NUMBERED, line) for line in added]
    lines = [(int(match[1]), match[2].strip()) for match in matches if match is not None]
    if len(lines) < len(added):
        return None
    if any(below != above + 1 for (above, _), (below, _) in pairwise(lines)):
        return None
    old = {line.strip() for line in section_lines(searched) if any(map(str.isalnum, line))}
    if not any(rest in old for _, rest in lines):
        return None
    what = f"each new line begins with a line number ({lines[0][0]} to {lines[-1][0]})"
    return Mismatch(ReasonCode.MALFORMED, what, "leave the numbers out")


def _hidden_text(written: Written, *, is_refused: bool) -> Mismatch | Note | None:
    """Refuse or note a character that no reader sees. Refuse a lone surrogate, which cannot be written at all."""
    new = "\n".join(written.new)
    half = re.search(SURROGATE, new)
    if half is not None:
        lines = new[: half.end()].split("\n")
        where = f"U+{ord(half[0]):04X} at line {len(lines)}, column {len(lines[-1])}"
        what = f"the new text has {where}, which is half a character (a lone surrogate)"
        return Mismatch(ReasonCode.ENCODING, what, "remove it", is_fixable=True)
    hidden = find_added("\n".join(written.old), new)
    if hidden is None:
        return None
    if is_refused:
        return Mismatch(ReasonCode.HIDDEN_TEXT, why_hidden(*hidden), "remove it")
    return Note(ReasonCode.HIDDEN_TEXT.value, f"{why_hidden(*hidden)}; check that it belongs there")


def _placeholder(
    block: EditBlock, placement: Placement, text: SourceText, *, is_refused: bool
) -> Mismatch | Note | None:
    """Refuse a line that is certainly a placeholder, and note the first line that may be one.

    A line of SEARCH, or of a file that is replaced as a whole, is never a placeholder. `text` is the file to change.
    """
    lines = text.lines
    added, removed = placement.counts
    lost = removed > added
    removes = removed > 0 or not lines
    is_whole = placement.strategy == "replace-file"
    first = lines[max(0, placement.start - 1) : placement.start] or [""]
    last = lines[placement.stop : placement.stop + 1] or [""]
    around = [*first, *text.with_kept(placement.new), *last]
    replaced = lines if is_whole else section_lines(block.search)
    searched = {line.strip() for line in replaced}
    possible = ""
    for index, line in enumerate(placement.new):
        if isinstance(line, int) or line.strip() in searched:
            continue
        bare = line.strip()
        above = around[index]
        below = around[index + 2]
        stands = stands_for_others(line, above, below, block.file_path, lost=lost, removes=removes)
        is_sure = stands is True
        if placement.strategy == "create":  # nothing can be lost in a new file
            is_sure = is_sure and words_say_omitted(line)
        elif is_whole:
            is_sure = is_sure or leaves_lines_out(line, above, below, lost=lost)
        if is_sure:
            if is_refused:
                what = f"the new text has `{cut(bare)}` in place of real lines"
                return Mismatch(ReasonCode.PLACEHOLDER, what, "write every line")
            possible = bare
            break
        if stands is not None:
            possible = possible or bare
    if not possible:
        return None
    return Note("placeholder", f"the new text has `{cut(possible)}`: check whether it leaves lines out")


def notes_on_placement(block: EditBlock, text: SourceText, placement: Placement) -> Iterator[Note]:
    """Yield notes on how much of the file the block replaces, where it inserts, and what its new lines hold."""
    added = placement.added
    count = len(text.lines)
    _, removed = placement.counts
    if placement.strategy == "replace-file":
        written = f"what {blocks(text.applied)} wrote, and " if text.applied else ""
        yield Note("rewrites-file", f"replaces {written}the whole file; lines lost: {removed} of {count}")
        return  # the notes below are about a part of a file
    if count >= _FEWEST_LINES and removed > _REWRITTEN * count:
        yield Note("rewrites-file", f"replaces {removed * 100 // count} % of the file")
    if block.format == "edit-v2" and placement.start and not (block.anchor or block.old_lines or block.splits):
        what = "the block has no line above its new lines, but it does not insert them at the start of the file"
        yield Note("not-at-start", what)
    yield from _no_break_spaces(added, text.lines)
    kind = file_kind(block.file_path)
    if kind in _WITH_HEREDOCS or "." not in kind:
        yield from _shifted_heredoc(text, placement)
    double = _import_beside(added, text.lines, placement) or _function_beside(added, text.lines, placement)
    if double:
        yield Note("lines-there", f"the file already has {double} next to this place; check whether you want it twice")


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
    """Yield a note if the last line of a heredoc is new and indented, so that the heredoc does not end there."""
    above = range(max(0, placement.start - _ABOVE), placement.start)
    lines = (*above, *placement.new)
    word = ""  # the end word of the heredoc that is open here
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
    """Return the first new import that is already among the imports next to the place; "" if there is none."""
    wanted = [line for line in added if _is_import(line)]
    if not wanted:
        return ""
    above = lines[max(0, placement.start - _IMPORTS) : placement.start]
    below = lines[placement.stop : placement.stop + _IMPORTS]
    around = {*_imports(below), *_imports(above[::-1])}
    return next((f"`{cut(line.strip())}`" for line in wanted if line in around), "")


def _imports(lines: Sequence[str]) -> Iterator[str]:
    """Yield the imports that `lines` begin with, and the blank lines between them."""
    for line in lines:
        if line.strip() and not _is_import(line):
            return
        yield line


def _is_import(line: str) -> bool:
    # A megabyte of blanks would take quadratic time.
    return len(line) <= _LONGEST_IMPORT and re.match(_IMPORT, line) is not None


def _function_beside(added: Sequence[str], lines: Sequence[str], placement: Placement) -> str:
    """Return the first line of a new function, or of other indented lines, that is already near the place; or ""."""
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
    """Return the end of the lines below `start` that are indented deeper, without blank lines at the end."""
    depth = len(indent_of(lines[start]))
    stop = start + 1
    for number in range(start + 1, len(lines)):
        if lines[number].strip():
            if len(indent_of(lines[number])) <= depth:
                break
            stop = number + 1
    return stop
