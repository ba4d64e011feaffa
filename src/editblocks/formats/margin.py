"""What a response says besides its blocks: lines that are nearly markers, quotes, patches, shell commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from editblocks.formats.containers import Containers
from editblocks.formats.markers import Kind, Token
from editblocks.formats.patches import UNREAD_PATCH, fence_word, patch_notes
from editblocks.formats.shell import Suggestions
from editblocks.model import Note

NEAR_MARKER = "near-marker"  # the code of the note
UNREAD = (UNREAD_PATCH, NEAR_MARKER)  # codes of notes about what may be an edit, and is not read
_BEFORE = 40  # characters of what stands before an opener


@dataclass(slots=True)
class Margin:
    """Notes and suggestions so far. Lines are 0-based here; `first_line` is what people call line 0."""

    first_line: int
    notes: list[Note] = field(default_factory=list)
    suggestions: Suggestions = field(default_factory=Suggestions)
    _quoted: list[int] = field(default_factory=list)  # openers in quotes
    _quote_end: int | None = None  # the line behind the last quoted block, as far as seen
    _hunks: list[int] = field(default_factory=list)  # lines that begin a hunk of a unified diff

    def take(self, token: Token, line: str) -> None:
        """Hear of a line of text that is no marker and no container, and what it is."""
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
            self._quoted.append(token.line)
            self._quote_end = token.line + 1
        elif token.kind is Kind.HUNK:
            self._hunks.append(token.line)

    def note_listing(self, token: Token) -> None:
        """A marker that is indented like a line of code."""
        self._note_marker(token.line + self.first_line, "is indented like a listing in its fence, so it is no marker")

    def note_closer(self, token: Token) -> None:
        """The closer of edit-v2, which is prose where no block is open; or its block has lost the opener."""
        self._note_marker(token.line + self.first_line, f"closes no block; the opener must be `{Kind.OPEN_V2.value}`")

    def _note_marker(self, shown: int, what: str) -> None:
        self.notes.append(Note(NEAR_MARKER, f"line {shown} {what}", shown))

    def is_quoted(self, line: int, lines: Sequence[str]) -> bool:
        """Whether it is a line of a quoted block: without a space behind `>`, its closer looks like a longer one."""
        if self._quote_end is None:
            return False
        while self._quote_end < line and lines[self._quote_end].lstrip(" \t").startswith(">"):
            self._quote_end += 1
        return self._quote_end == line

    def all_notes(
        self, containers: Containers, lines: Sequence[str], rows: Sequence[tuple[int, int]]
    ) -> Iterator[Note]:
        """The notes, and what is known only at the end: open fences, quoted blocks, patches.

        `rows` are the lines of the blocks as people count them, first and last.
        """
        yield from self.notes
        for line in containers.unclosed if rows else ():
            shown = line + self.first_line
            message = f"the fence at line {shown} was not closed before an equal one opened"
            yield Note("fence-unclosed", message, shown)
        if count := len(self._quoted):
            message = f"{count} quoted block{'s were' if count > 1 else ' was'} not read"
            yield Note("quoted-block", f"{message}; paste without `> ` to use", self._quoted[0] + self.first_line)
        if rows:
            spans = [(first - self.first_line, last - self.first_line + 1) for first, last in rows]
            yield from patch_notes(lines, containers, sorted(set(self._hunks)), self.first_line, spans)
            return
        patches = [fence.line for fence, _ in containers.closed if fence_word(fence.info) == "suggestion"]
        if patches or self._hunks:
            shown = min((*patches[:1], *self._hunks[:1])) + self.first_line
            message = f"line {shown} begins a patch, which is not read; ask for SEARCH/REPLACE blocks"
            yield Note(NEAR_MARKER, message, shown)

    def commands(self, containers: Containers, lines: Sequence[str]) -> tuple[str, ...]:
        """The shell commands of the text, as people may want to read them."""
        for fence, stop in containers.closed:
            self.suggestions.add_fence(fence, lines[fence.line + 1 : stop])
        return self.suggestions.in_order()


def _as_it_holds(line: str) -> str:
    """Why a line that looks like a marker is none, where that cannot be seen."""
    unseen = next((character for character in line.strip(" \t") if not character.isprintable()), None)
    return f", as it holds U+{ord(unseen):04X}" if unseen else ""
