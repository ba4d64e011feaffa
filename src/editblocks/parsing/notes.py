"""What a response says besides its blocks: lines that are nearly markers, quotes, patches, shell commands.

No more is kept than people read: of each kind of note the first ones, and how many more there were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from editblocks.core.model import Note
from editblocks.formats.markers import Kind, Token
from editblocks.parsing.containers import Fence
from editblocks.parsing.patches import DIFF_WORDS, UNIFIED, Patch, fence_word
from editblocks.parsing.path_line import find_path
from editblocks.parsing.shell_suggestions import Suggestions

NEAR_MARKER = "near-marker"  # the codes of notes
UNREAD_PATCH = "unread-patch"
UNREAD = (UNREAD_PATCH, NEAR_MARKER)  # codes of notes about what may be an edit, and is not read
MOST_NOTES = 100  # of a kind
_DIFF, _SUGGESTION = "unified diff", "suggestion"
_PLACES = 3  # named in a note
_BEFORE = 40  # characters of what stands before an opener


@dataclass(slots=True)
class Margin:
    """Notes and suggestions so far. Lines are 0-based here; `first_line` is what people call line 0."""

    first_line: int
    notes: list[Note] = field(default_factory=list)
    suggestions: Suggestions = field(default_factory=Suggestions)
    _more: list[int] = field(default_factory=list)  # the first line that is nearly a marker and not noted; their number
    _openers_in_quotes: list[int] = field(default_factory=list)  # the first opener in a quote, and how many there are
    _quote_end: int | None = None  # the line behind the last quoted block, as far as seen
    _first_patch: int | None = None  # a line that begins a hunk or a suggestion
    _shown: list[tuple[str, int, int | None, Fence | None]] = field(
        default_factory=list
    )  # patches, and the fence around

    def take(self, token: Token, line: str) -> None:
        """Take in a line of text that is no marker and no container, and what it is."""
        shown = token.line + self.first_line
        if token.kind is Kind.NEAR:
            self._note_marker(shown, f"is no marker{_as_it_holds(line)}; write `{token.word}`")
        elif token.kind is Kind.NEAR_END and token.word != Kind.END_BOLT.value:
            message = f"closes nothing{_as_it_holds(line)}; a closer is `{token.word}`, alone on its line"
            self._note_marker(shown, message)
        elif token.kind is Kind.PREFIXED:
            before = token.word[:_BEFORE]
            quoted = before if "`" in before else f"`{before}`"
            self._note_marker(shown, f"is no marker, as {quoted} stands before it; paste the lines without that")
        elif token.kind is Kind.COMMAND:
            self.suggestions.add(token.line, token.word)
        elif token.kind is Kind.QUOTED:
            _count(self._openers_in_quotes, token.line)
            self._quote_end = token.line + 1
        elif token.kind is Kind.HUNK and line.lstrip(" \t").startswith("@@ -"):
            self._take_patch(token.line)

    def take_fence(self, fence: Fence, stop: int, lines: Sequence[str], outer: Fence | None) -> None:
        """Take in a fence that was closed at line `stop`; `outer` is the outermost one that is still open."""
        inside = lines[fence.line + 1 : stop]
        self.suggestions.add_fence(fence, inside)
        word = fence_word(fence.info) if fence.info else ""
        name = ""
        if word == _SUGGESTION:
            self._take_patch(fence.line)
            name = "" if fence.holds_block else _SUGGESTION
        elif (fence.shows_patch and not fence.holds_section) or _is_named_picture(fence, word, lines, inside):
            name = _DIFF
        if name:
            self._shown.append((name, fence.line, min(stop + 1, len(lines)), outer))

    def _take_patch(self, line: int) -> None:
        self._first_patch = line if self._first_patch is None else min(line, self._first_patch)

    def note_patch(self, line: int) -> None:
        """A patch in no fence that may only show something."""
        self._shown.append((_DIFF, line, None, None))

    def note_listing(self, line: int) -> None:
        """A marker that is indented like a line of code."""
        self._note_marker(line + self.first_line, "is indented like a listing in its fence, so it is no marker")

    def note_closer(self, token: Token) -> None:
        """The closer of edit-v2, which is prose where no block is open; or its block has lost the opener."""
        self._note_marker(token.line + self.first_line, f"closes no block; the opener must be `{Kind.OPEN_V2.value}`")

    def _note_marker(self, shown: int, what: str) -> None:
        if len(self.notes) < MOST_NOTES:
            self.notes.append(Note(NEAR_MARKER, f"line {shown} {what}", shown))
        else:
            _count(self._more, shown)

    def forget(self, shown: int) -> None:
        """A line is a row and needs no note."""
        self.notes = [note for note in self.notes if note.line_number != shown]

    def is_quoted(self, line: int, lines: Sequence[str]) -> bool:
        """Whether it is a line of a quoted block: without a space behind `>`, its closer looks like a longer one."""
        if self._quote_end is None:
            return False
        while self._quote_end < line and lines[self._quote_end].lstrip(" \t").startswith(">"):
            self._quote_end += 1
        return self._quote_end == line

    def all_notes(self, unclosed: Sequence[int], lines: Sequence[str], *, has_rows: bool) -> Iterator[Note]:
        """The notes, and what is known only at the end: open fences, quoted blocks, patches."""
        yield from self.notes
        if self._more:
            first, count = self._more
            yield Note(NEAR_MARKER, f"{count:,} more lines are no markers, the first of them is line {first}", first)
        if has_rows:
            yield from self._unclosed_fences(unclosed)
        if self._openers_in_quotes:
            first, count = self._openers_in_quotes
            message = f"{count:,} quoted block{'s were' if count > 1 else ' was'} not read"
            yield Note("quoted-block", f"{message}; paste without `> ` to use", first + self.first_line)
        if has_rows:
            yield from self._patch_notes(lines)
        elif self._first_patch is not None:
            shown = self._first_patch + self.first_line
            message = f"line {shown} begins a patch, which is not read; ask for SEARCH/REPLACE blocks"
            yield Note(NEAR_MARKER, message, shown)

    def _unclosed_fences(self, unclosed: Sequence[int]) -> Iterator[Note]:
        for line in unclosed[:MOST_NOTES]:
            shown = line + self.first_line
            message = f"the fence at line {shown} was not closed before an equal one opened"
            yield Note("fence-unclosed", message, shown)
        if left := unclosed[MOST_NOTES:]:
            shown = left[0] + self.first_line
            message = f"{len(left):,} more fences were not closed, the first of them opened at line {shown}"
            yield Note("fence-unclosed", message, shown)

    def _patch_notes(self, lines: Sequence[str]) -> Iterator[Note]:
        """A note for each kind of patch, but for those in a fence without a block, which shows them."""
        for name in (_DIFF, _SUGGESTION):
            places = sorted(
                (start, Patch(start, UNIFIED).stop(lines, len(lines)) if stop is None else stop)
                for kind, start, stop, outer in self._shown
                if kind == name and (outer is None or outer.holds_block)
            )
            if places:
                are = f"are a {name}, which is" if len(places) == 1 else f"are {name}s, which are"
                named = [f"{start + self.first_line}-{stop - 1 + self.first_line}" for start, stop in places[:_PLACES]]
                message = f"lines {_list_places(named, len(places))} {are} not read; ask for SEARCH/REPLACE blocks"
                yield Note(UNREAD_PATCH, message, places[0][0] + self.first_line)


def _is_named_picture(fence: Fence, word: str, lines: Sequence[str], inside: Sequence[str]) -> bool:
    """Whether lines with `+` and `-` alone stand in a diff fence below a line that names a file."""
    if word not in DIFF_WORDS or fence.holds_block or not fence.line:
        return False
    named = find_path(lines[fence.line - 1])
    return named is not None and not named.weak and any(line.lstrip(" \t")[:1] in ("+", "-") for line in inside)


def _list_places(shown: list[str], count: int) -> str:
    left = count - len(shown)
    last = f"{left:,} more place{'s' if left > 1 else ''}" if left else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last


def _count(counter: list[int], line: int) -> None:
    """Count a line in a list of the first one and of how many there are."""
    counter[:] = [line, 1] if not counter else [counter[0], counter[1] + 1]


def _as_it_holds(line: str) -> str:
    """Why a line that looks like a marker is none, where that cannot be seen."""
    unseen = next((character for character in line.strip(" \t") if not character.isprintable()), None)
    return f", as it holds U+{ord(unseen):04X}" if unseen else ""
