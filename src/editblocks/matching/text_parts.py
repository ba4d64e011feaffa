"""Find a text that may be a part of a line, and write another in its place: every other byte stays.

Old and new text come with `\\n` as their only line break, and fit any line break of the file. Rules:
docs/reference/formats/tool-calls.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from editblocks.matching.align import kept_lines
from editblocks.text.source_text import BOM, SourceText, split_lines


class TextPart(NamedTuple):
    """A part of a file's text, from a line and column to another (0-based); the end is past its last character.

    A part that ends with a line break ends in the first column of the line below. But a text that fits the end of a
    file only as if the file had a last line break ends with the last character of the file.
    """

    offset: int  # in the text with `\n` as its only line break; only good for comparing with other offsets
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def start(self) -> tuple[int, int]:
        return self.line, self.column

    @property
    def end(self) -> tuple[int, int]:
        return self.end_line, self.end_column

    @property
    def stop(self) -> int:
        """The line after the last line of which it has a character."""
        if self.end_column > 0 or self.end_line == self.line:
            return self.end_line + 1
        return self.end_line


TextChange = tuple[TextPart, str]  # a part, and what is written in its place


def comparable(text: str) -> str:
    """The text with `\\n` as its only line break, without the BOM that was copied from the start of a file."""
    return text.removeprefix(BOM).replace("\r\n", "\n")


def find_parts(text: str, source: SourceText) -> Iterator[TextPart]:
    """Yield every part of the file that reads `text`, including overlapping ones, from the top."""
    breaks = text.count("\n")
    width = len(text) - text.rfind("\n") - 1
    last = len(source.lines) - 1
    for offset, line, column in source.starts(text):
        end_line = line + breaks
        end_column = width
        if not breaks:
            end_column = column + width
        if end_line > last and not source.ends[last]:
            end_line = last
            end_column = len(source.lines[last])
        part = TextPart(offset, line, column, end_line, end_column)
        if part.start != part.end:  # skip a match of nothing but the line break that the last line lacks
            yield part


def one_after_the_other(parts: Iterable[TextPart]) -> Iterator[TextPart]:
    """Yield the parts that remain if each begins at the end of the one before it, or later."""
    end = (0, 0)
    for part in parts:
        if part.start >= end:
            end = part.end
            yield part


def written_parts(
    parts: Iterable[TextPart], old: str, new: str, around: Iterator[TextPart]
) -> Iterator[tuple[TextPart, TextPart]]:
    """Yield each of `parts`, which read `old`, that is inside one of `around`, which read `new`; with that part."""
    if old not in new:
        return
    following = next(around, None)
    last: TextPart | None = None  # the last of `around` that begins before `part`, or with it
    for part in parts:
        while following is not None and following.offset <= part.offset:
            last = following
            following = next(around, None)
        if last is not None and part.offset + len(old) <= last.offset + len(new):
            yield part, last


def is_surely_written(part: TextPart, outer: TextPart, source: SourceText) -> bool:
    """Whether `outer`, which reads like the new text, was written around `part`, and is not other text that is alike.

    If `part` begins a line, `outer` must begin one as well, and the same for their ends. In `if x: log()` above
    `run()`, nobody can tell whether a call has made `log()\\nrun()` of `run()`.
    """
    begins_alike = part.column > 0 or outer.column == 0
    ends_alike = is_up_to_line_end(outer, source) or not is_up_to_line_end(part, source)
    return begins_alike and ends_alike


def is_up_to_line_end(part: TextPart, source: SourceText) -> bool:
    """Whether the part ends with the end of a line, with or without the line break."""
    return part.end_column == 0 or part.end_column == len(source.lines[part.end_line])


def is_at_end(part: TextPart, source: SourceText) -> bool:
    """Whether the part ends at the end of the file."""
    last = len(source.lines) - 1
    return part.end_line > last or (not source.ends[last] and part.end == (last, len(source.lines[last])))


def ends_line(part: TextPart, source: SourceText) -> bool:
    """Whether a line break follows the part."""
    line = part.end_line
    return line < len(source.lines) and part.end_column == len(source.lines[line]) and source.ends[line] != ""


def holds_whole_lines(part: TextPart, source: SourceText) -> bool:
    """Whether the part is whole lines, without the last line break."""
    return part.column == 0 and part.end_column == len(source.lines[part.end_line])


def end_like_the_file(part: TextPart, new: str, source: SourceText) -> str:
    """Return the new text of a part at the end of the file, so that the file ends with a line break if it did before.

    A blank line keeps its line break, as it would vanish without one.
    """
    above = source.lines[part.line][: part.column]
    if source.ends[-1]:
        text = above + new
        if text == "" or text.endswith("\n"):
            return new
        return new + "\n"
    bare = new.removesuffix("\n")
    last_line = (above + bare).rpartition("\n")[2]
    if last_line == "":
        return new
    return bare


def rewrite(
    source: SourceText, changes: Iterable[TextChange]
) -> tuple[int, int, tuple[str | int, ...], tuple[str, ...]]:
    """Return the arguments of `SourceText.splice` for these changes, which are in order. Kept lines keep their bytes.

    A file may have a million places of a space, so no list of the changes is made.
    """
    new: list[str | int] = []
    ends: list[str] = []
    first = -1
    below = -1  # the line after the lines that are in `new`
    for _, group in groupby(_with_groups(changes), key=itemgetter(0)):
        start, stop, text = _rewritten(source, map(itemgetter(1), group))
        if first < 0:
            first = start
        else:
            new += range(below, start)
            ends += source.ends[below:start]
        lines, line_ends = split_lines(text)
        new += _with_kept(source, (start, stop), lines, line_ends)
        ends += line_ends
        below = stop
    return first, below, tuple(new), tuple(ends)


def _with_groups(changes: Iterable[TextChange]) -> Iterator[tuple[int, TextChange]]:
    """Yield each change with a number that is the same for changes which have a line in common."""
    group = 0
    last = -1
    for change in changes:
        if change[0].line > last:
            group += 1
        last = change[0].end_line
        yield group, change


def _rewritten(source: SourceText, group: Iterable[TextChange]) -> tuple[int, int, str]:
    """Return the lines that a group of changes rewrites (half-open), and their new text with line ends."""
    pieces = []
    start = -1
    line = 0
    column = 0
    for part, new in group:
        if start < 0:
            start = part.line
        pieces.append(source.lines[part.line][column : part.column])
        pieces.append(_with_ends(source, part, new))
        line = part.end_line
        column = part.end_column
    text = "".join(pieces)
    is_whole = column == 0 and (text == "" or text.endswith("\n"))
    if line == len(source.lines) or is_whole:
        return start, line, text
    return start, line + 1, text + source.lines[line][column:] + source.ends[line]


def _with_ends(source: SourceText, part: TextPart, new: str) -> str:
    """Return the new text with the line breaks of the part, in order; if there are more, with the file's commonest."""
    first, *others = new.split("\n")
    ends = source.ends[part.line : part.end_line]
    pieces = [first]
    for index, line in enumerate(others):
        end = ""
        if index < len(ends):
            end = ends[index]
        pieces.append(end or source.commonest_end)
        pieces.append(line)
    return "".join(pieces)


def _with_kept(
    source: SourceText, span: tuple[int, int], lines: Sequence[str], ends: Sequence[str]
) -> Iterator[str | int]:
    """Yield the lines that replace a span; for a kept line, its index. The last line of a file may gain an end."""
    start, stop = span
    kept = kept_lines(source.lines[start:stop], lines)
    last = len(lines) - 1
    for index, (line, end) in enumerate(zip(lines, ends, strict=True)):
        if index not in kept:
            yield line
            continue
        old_line = start + kept[index]
        old_end = source.ends[old_line]
        gains_end = not old_end and index < last
        if old_end == end or gains_end:
            yield old_line
        else:
            yield line
