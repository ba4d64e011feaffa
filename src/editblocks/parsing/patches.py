"""Find the patches and diffs in a response, and tell those that ask for an edit from those that only show one.

A patch is read as a whole after its last line. Inside it, fences, openers and tags have no effect of their own. The
table in docs/reference/formats/unified.md says which diffs ask for an edit. Lines are 0-based.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from editblocks.core.blocks import EditBlock, Note, ParsedRow
from editblocks.formats.grammar import Format, Located, not_enabled
from editblocks.formats.hunks import (
    BEGIN_PATCH,
    END_PATCH,
    GIT,
    HUNK,
    IN_SCRIPT,
    NONE,
    UNIFIED,
    V4A,
    PatchText,
    is_extended,
    may_continue_diff,
    raw_name,
)
from editblocks.formats.markers import Kind, Marker, Token, indent_of
from editblocks.parsing.containers import Container, Containers, closes, is_listing
from editblocks.parsing.file_of_block import path_of_fence
from editblocks.parsing.notes import UNREAD_PATCH, NoteCollector
from editblocks.parsing.path_line import KNOWN_NAMES, clean_path, clear_path, path_of_changed_file

# Why a diff is not read, and what to do about it.
_NO_FILE = "names no file; write `--- a/path` and `+++ b/path` above it"
_BELOW = "follows other lines in its fence; put it in a fence of its own"
_NO_HUNK = "has no `@@`; write one above each change"
_ALTERED_HUNK = "has an altered `@@` line; begin it with `@@`, indented like the names"
_NO_THREAD = "is not in a review thread; send edit blocks"
# The lines above a here-document, the only command that may be in them, and a change of the folder.
_DOCUMENT = r"(?:.*\n)?(.*?)(?<!<)<<-?[ \t]*['\"]?\w+['\"]?[ \t]*\Z"
_COMMAND = r"[ \t]*(?:<command>)?[ \t]*(?:\$ )?(?:(?:ba|z)?sh -l?c ['\"])?(?:apply_?patch)?[ \t]*\Z"
_FOLDER = r"[ \t]*(?:<command>)?[ \t]*(?:\$ )?cd[ \t]"
_MARKUP = " \t>*_`\\"  # quotes, emphasis, code and escapes
_MOST_ABOVE = 16  # lines between `diff --git` and the names
_MOST_BELOW = 16  # lines from a line that lost its sign to the next line with a sign


class Region:
    """A patch that is still open."""

    is_stray = False  # an operation outside a patch
    located: Located | None = None  # the file of hunks without names

    def __init__(self, start: int, indent: str, form: Format, fences: Sequence[Container], token: int) -> None:
        self.start = start
        self.indent = indent
        self.format = form
        self.fences = fences  # around it, the outermost first
        self.index = token  # index of its first token
        # Outside a fence: the first line that was not yet checked for the end of the patch.
        self.checked_stop = start + 1


class Patches:
    """Finds the patches to read, and collects notes about the others."""

    def __init__(
        self,
        containers: Containers,
        note_collector: NoteCollector,
        enabled_formats: Collection[Format],
        first_line: int,
        crlf: Sequence[int],
    ) -> None:
        self._lines = containers.lines
        self._containers = containers
        self._note_collector = note_collector
        self._enabled_formats = enabled_formats
        self._first_line = first_line
        self._crlf = crlf  # per line: 1 if it ended in CR LF, else 0
        self._unread_patches: list[tuple[int, Container | None, str]] = []  # line, outer fence, reason
        self._first_unnamed: int | None = None  # the line of the first hunk without a file, outside of a diff fence

    def begin(self, token: Token, index: int, stop: int) -> Region | None:
        """Return the patch that begins with a line; None if none does. `stop` is the line of the next token."""
        line = token.line
        if token.kind is Kind.HUNK:
            return self._hunk(line, index)
        if token.kind is Kind.NEW_NAME:
            return self._new_name(line, index)
        if token.kind is Kind.GIT_DIFF:
            below = self._text_of(line + 1) if line + 1 < stop else ""
            rest = below.removeprefix(token.indent)
            if below.startswith(token.indent) and (is_extended(rest) or rest.startswith("--- ")):
                return self._begin(line, index)
            return None
        region = self._open(line, V4A, index)
        region.is_stray = token.kind is Kind.PATCH_HEADER
        return region

    def _new_name(self, line: int, index: int) -> Region | None:
        names = self._names(line - 1)
        if names is None:
            return None
        _, new_name = names
        fence = self._containers.fence
        if fence is None:
            needs_no_hunk = new_name == NONE
        else:
            needs_no_hunk = fence.holds_diff or (not fence.info and self._is_first(fence, line - 1))
        indent = indent_of(self._lines[line])
        if needs_no_hunk:
            return self._begin(self._section_start(line + 1, indent), index)
        below = self._text_of(line + 1)
        if below.startswith(indent + HUNK) or not any(map(_is_file, names)):
            return None
        first_sign = below.lstrip(_MARKUP)[:1]
        if first_sign == "@":
            self._note_unread(line - 1, _ALTERED_HUNK)
        elif first_sign in ("-", "+"):
            self._note_unread(line - 1, _NO_HUNK)
        return None

    def _hunk(self, line: int, index: int) -> Region | None:
        """Return the diff that begins with a hunk. Without names, the lines around a diff fence may name its file."""
        start = self._section_start(line, indent_of(self._lines[line]))
        if start < line:
            return self._begin(start, index)
        fence = self._containers.fence
        if fence is None or (fence.info and not fence.holds_diff):
            # A diff whose names are indented otherwise has a row or a note.
            is_named = any(map(_is_file, self._names(line - 2) or ()))
            if self._first_unnamed is None and not is_named and self._lines[line].lstrip(" \t").startswith("@@ -"):
                self._first_unnamed = line
            return None
        if fence.shows_patch:
            return None
        located = None
        if fence.holds_diff:
            located = path_of_fence(self._containers, fence)
        if located is None:
            self._note_unread(line, _NO_FILE)
        elif is_listing(indent_of(self._lines[line]), self._containers.innermost):
            self._note_collector.note_listing(line)
            fence.shows_patch = True
        else:
            region = self._open(line, UNIFIED, index)
            region.located = located
            return region
        return None

    def _section_start(self, below: int, indent: str) -> int:
        """The first line of the diff section with names above line `below`, or above a blank line; `below` if none."""
        start = below
        last = below - 1
        is_blank = below > 2 and not self._lines[last].strip(" \t")
        if is_blank and self._names(below - 3) is not None:
            last -= 1
        for line in range(last, max(last - _MOST_ABOVE, self._containers.row_stop - 1, -1), -1):
            text = self._lines[line]
            if text.startswith(indent + GIT):
                return line
            if text.startswith((f"{indent}--- ", f"{indent}+++ ")) and raw_name(text[len(indent) :]):
                start = line
            elif not (text.startswith(indent) and is_extended(text[len(indent) :])):
                break
        return start

    def _begin(self, start: int, index: int) -> Region | None:
        """Return the diff that begins at line `start`; None, and a note, if it does not ask for an edit."""
        fence = self._containers.fence
        text = self._lines[start]
        names = self._names(start)
        names_file = names is None or any(map(_is_file, names))
        if fence is not None and is_listing(indent_of(text), self._containers.innermost):
            if not fence.shows_patch:
                self._note_collector.note_listing(start)
            fence.shows_patch = True
        elif names_file and (fence is None or fence.holds_diff or self._is_first(fence, start)):
            return self._open(start, UNIFIED, index)
        else:
            reason = _BELOW if names_file else _NO_FILE
            self._note_unread(start, reason)
        return None

    def _open(self, start: int, form: Format, index: int) -> Region:
        fences = self._containers.fences
        for fence in fences:
            fence.holds_edit = True
        return Region(start, indent_of(self._lines[start]), form, fences, index)

    def begins_at(self, token: Token) -> bool:
        """Whether this hunk is the first one of a diff that names its file."""
        return token.kind is Kind.HUNK and self._names(token.line - 2) is not None

    def end_at(self, region: Region, token: Token) -> int | None:
        """The first line after the open patch, if this token shows that it ends; None if it continues."""
        is_shallow = len(token.indent) <= len(region.indent)
        if is_shallow and any(closes(token, fence) for fence in region.fences):
            return token.line
        if region.format is V4A:
            is_own = region.is_stray or token.indent == region.indent
            if token.kind is END_PATCH and is_own:
                return token.line + 1
            if token.kind is BEGIN_PATCH and is_own:
                return token.line
            return None
        if region.fences:
            return None
        return self._end_by_shape(region, token.line + 1)

    def _end_by_shape(self, region: Region, stop: int) -> int | None:
        """The end of a diff outside a fence: the first line that cannot belong to it, even if it lost its sign."""
        size = len(region.indent)
        for line in range(region.checked_stop, stop):
            text = self._lines[line]
            may_continue = text.startswith(region.indent) and may_continue_diff(text[size:])
            if text.strip(" \t") and not may_continue and not self._has_signs_below(region, line, stop):
                return line
        region.checked_stop = stop
        return None

    def _has_signs_below(self, region: Region, line: int, stop: int) -> bool:
        """Whether a removed or added line follows soon after a line, before any blank line and any file name."""
        for below in self._lines[line + 1 : min(line + _MOST_BELOW, stop)]:
            rest = below.removeprefix(region.indent)
            if not below.strip(" \t") or rest.startswith(("--- ", "+++ ")):
                return False
            if rest.startswith(("-", "+")):
                return True
        return False

    def end(
        self, region: Region, stop: int, ended_by: Kind | Marker | None, most_rows: int
    ) -> tuple[list[ParsedRow], int]:
        """Read a patch that ends before line `stop`: return its rows, without numbers, and the line after its last one.

        `ended_by` is the kind of line that ended it, None for the end of the text. Reading ends after `most_rows`.
        """
        if not region.fences and region.format is UNIFIED:
            stop = self._end_by_shape(region, stop) or stop
        text = PatchText(
            self._lines[region.start : stop],
            region.start + self._first_line,
            region.indent,
            region.format.names[0],
            is_fenced=bool(region.fences),
            most_rows=most_rows,
            crlf=bytes(self._crlf[region.start : stop]),
        )
        if region.format not in self._enabled_formats:
            fault = not_enabled(f"`{text.raw[0].strip()}`", text.first_line)
            return [text.problem(0, len(text.raw), fault, None)], stop
        if region.format is V4A and self._is_in_script(region.start):
            return [text.problem(0, len(text.raw), IN_SCRIPT, None)], stop
        if region.format is V4A:
            return _read_v4a(text, region, ended_by), stop
        return self._read_diff(text, region, stop, ended_by)

    def _is_in_script(self, start: int) -> bool:
        """Whether a patch is a here-document of a command that does more than `apply_patch`, or changes the folder."""
        above = "\n".join(self._lines[max(start - 2, 0) : start])
        document = re.match(_DOCUMENT, above)
        if document is None:
            return False
        return re.match(_COMMAND, document[1]) is None or re.match(_FOLDER, above) is not None

    def _read_diff(
        self, text: PatchText, region: Region, stop: int, ended_by: Kind | Marker | None
    ) -> tuple[list[ParsedRow], int]:
        from editblocks.formats.unified import Diff

        located = region.located
        path = None if located is None else located.path
        diff = Diff(text, path, is_cut=ended_by is None and stop == len(self._lines))
        rows = [_with_path_source(row, located) for row in diff.read()]
        if not text.is_fenced:
            stop = region.start + diff.stop
        return rows, stop

    def _text_of(self, line: int) -> str:
        """The text of a line; "" if there is no such line."""
        return "".join(self._lines[line : line + 1])

    def _note_unread(self, line: int, reason: str) -> None:
        """Record a patch that is not read, for a note: at most one for each fence."""
        fences = self._containers.fences
        if not (fences and fences[-1].shows_patch):
            outer = fences[0] if len(fences) > 1 else None
            self._unread_patches.append((line, outer, reason))
        if fences:
            fences[-1].shows_patch = True

    def _names(self, line: int) -> tuple[str, str] | None:
        """The names in the lines `---` and `+++` at `line` and below; None if there are none."""
        old = self._lines[max(line, 0)]
        new = self._lines[line + 1]
        indent = indent_of(new)
        if not (old.startswith(f"{indent}--- ") and new.startswith(f"{indent}+++ ")):
            return None
        names = raw_name(old[len(indent) :]), raw_name(new[len(indent) :])
        if not all(names):
            return None
        return names

    def _is_first(self, fence: Container, line: int) -> bool:
        """Whether a patch is the first thing in a fence, which then needs no diff language."""
        return line <= fence.line + 20 and not "".join(self._lines[fence.line + 1 : line]).strip(" \t")

    def take_fence(self, fence: Container) -> None:
        """Record a fence that ended without a row: a suggestion, or a diff without hunks below a path line."""
        if fence.holds_edit or fence.shows_patch:
            return
        above = self._text_of(fence.line - 1)
        is_named = path_of_changed_file(above) is not None or clear_path(above) is not None
        is_suggestion = fence.language == "suggestion"
        if is_suggestion or (fence.holds_diff and is_named):
            reason = _NO_THREAD if is_suggestion else _NO_HUNK
            self._unread_patches.append((fence.line, next(iter(self._containers.fences), None), reason))

    def notes(self) -> Iterator[Note]:
        """Yield a note about the patches that were not read, without samples in an outer fence that has no block."""
        patches = self._unread_patches
        unread = sorted((line, reason) for line, outer, reason in patches if outer is None or outer.holds_edit)
        if not unread and self._first_unnamed is not None:
            unread = [(self._first_unnamed, _NO_FILE)]
        if not unread:
            return
        line, reason = unread[0]
        noun = "diff"
        if all(reason is _NO_THREAD for _, reason in unread):
            noun = "suggestion"
        what = f"a {noun} that is"
        if len(unread) > 1:
            what = f"the first of {len(unread):,} {noun}s that are"
        line_number = line + self._first_line
        yield Note(UNREAD_PATCH, f"line {line_number} begins {what} not read, because it {reason}", line_number)


def _is_file(name: str) -> bool:
    """Whether a name in a patch is more than a bare word, such as `expected`."""
    return "/" in name or "." in name or name in KNOWN_NAMES


def _read_v4a(text: PatchText, region: Region, ended_by: Kind | Marker | None) -> list[ParsedRow]:
    from editblocks.formats.v4a import read_patch, without_patch

    if region.is_stray:
        return [without_patch(text)]
    by_fence = ended_by not in (None, END_PATCH, BEGIN_PATCH)
    return [_with_clean_paths(row) for row in read_patch(text, is_ended=ended_by is END_PATCH, by_fence=by_fence)]


def _with_clean_paths(row: ParsedRow) -> ParsedRow:
    """The row of a patch with cleaned paths: without quotes and `./`, with slashes for backslashes."""
    if not row.file_path:
        return row
    cleaned = clean_path(row.file_path)
    row = row._replace(file_path=cleaned.path)
    if cleaned.cleaned:
        row = row._replace(notes=(Note("path-cleaned", f"the path was read as {cleaned.path}"), *row.notes))
    if isinstance(row, EditBlock) and row.new_path:
        return row._replace(new_path=clean_path(row.new_path).path)
    return row


def _with_path_source(row: ParsedRow, located: Located | None) -> ParsedRow:
    """The row of a hunk whose file is named by the lines around, with the source and the notes of that path."""
    if located is None or row.file_path != located.path:
        return row
    if not isinstance(row, EditBlock):
        return row
    notes = (*located.notes, *row.notes)
    return row._replace(path_source=located.source, notes=notes)
