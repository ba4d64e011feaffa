"""Lines that are nearly markers, and quotes: what a response says besides its blocks, and what a broken block lacks.

No such line closes or parts a block: what does is said by `markers` alone. A person or a model who is told of it sees
what to mend.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editblocks.core.blocks import Note
from editblocks.formats.markers import Kind, Token

NEAR_MARKER = "near-marker"  # the codes of notes
UNREAD_PATCH = "unread-patch"
UNREAD = (UNREAD_PATCH, NEAR_MARKER)  # codes of notes about what may be an edit, and is not read
MOST_NOTES = 100  # of a kind
_BEFORE = 40  # characters of what stands before an opener
_SHOWN = 40  # characters of the line
_CUT_OPENER = r"[ \t]*(?:<{5,9}|«{3})[ \t]*([A-Z_]*)"
_OPENING_WORDS = ("SEARCH", "ORIGINAL", "EDIT", "NEW_FILE")
_OTHER_OPENERS = ("*** Begin Patch", *(f"{'-' * size} SEARCH" for size in range(5, 10)), "<boltAction type=")
_SIGNS = 4  # characters that may stand for themselves: `*** ` and `<bol`
_DIVIDER = r"(?i)[=═]{3,20}(?:\W{0,3}\Z|\W{0,3}REPL)"
_CLOSER = (
    r"(?i)(?:> ){4,20}(?:repl|updat|new)|(?:> |[*_`]{1,3})?(?:>{4,20}|\+{5,20}|»{2,20}|(?:&gt;){4,20})"
    r"(?:[^\w<>«»]{0,3}(?:end|edit|repl|updat|new|file|search|orig)|\W{0,4}\Z|(?<=>{5}) [^ \t])"
)
_SAMPLE = r"[ \t]*(?:>[> \t]*)?(?:<{5}|«{3}|-{5,9} SEARCH|<boltA)"
_NEARLY = {  # by the first character of a marker
    "=": _DIVIDER,
    "═": _DIVIDER,
    ">": _CLOSER,
    "»": _CLOSER,
    "+": _CLOSER,
    "<": r"(?i).*</bolt(?:action|file|edit)?\b",
}


class Margin:
    """Notes so far. Lines are 0-based here; `first_line` is what people call line 0."""

    def __init__(self, lines: Sequence[str], first_line: int) -> None:
        self._lines = lines
        self._first_line = first_line
        self._near_markers: list[tuple[int, str]] = []  # shown lines, and what is said about them
        self._openers_in_quotes: list[int] = []
        self._quote_end: int | None = None  # the line behind the last quoted block, as far as seen

    def take(self, token: Token) -> None:
        """Take in a line of text that is no marker and no container, and what it is."""
        shown, line = token.line + self._first_line, self._lines[token.line]
        if token.kind is Kind.NEAR:
            self._note_marker(shown, f"is no marker{_as_it_holds(line)}; write `{token.word}`")
        elif token.kind is Kind.NEAR_END and token.word != Kind.END_BOLT.value:
            message = f"closes nothing{_as_it_holds(line)}; a closer is `{token.word}`, alone on its line"
            self._note_marker(shown, message)
        elif token.kind is Kind.PREFIXED:
            before = token.word[:_BEFORE]
            quoted = before if "`" in before else f"`{before}`"
            self._note_marker(shown, f"is no marker, as {quoted} stands before it; paste the lines without that")
        elif token.kind is Kind.QUOTED:
            self._openers_in_quotes.append(token.line)
            self._quote_end = token.line + 1

    def note_listing(self, line: int) -> None:
        """A marker that is indented like a line of code."""
        self._note_marker(line + self._first_line, "is indented like a listing in its fence, so it is no marker")

    def note_closer(self, token: Token) -> None:
        """The closer of edit-v2, which is prose where no block is open; or its block has lost the opener."""
        self._note_marker(token.line + self._first_line, f"closes no block; the opener must be `{Kind.OPEN_V2.value}`")

    def _note_marker(self, shown: int, what: str) -> None:
        self._near_markers.append((shown, f"line {shown} {what}"))

    def forget(self, shown: int) -> None:
        """A line is a row and needs no note."""
        self._near_markers = [each for each in self._near_markers if each[0] != shown]

    def is_quoted(self, line: int) -> bool:
        """Whether it is a line of a quoted block: without a space behind `>`, its closer looks like a longer one."""
        if self._quote_end is None:
            return False
        while self._quote_end < line and self._lines[self._quote_end].lstrip(" \t").startswith(">"):
            self._quote_end += 1
        return self._quote_end == line

    def notes(self, unclosed: Sequence[int]) -> Iterator[Note]:
        """The notes, and what is known only at the end: `unclosed` fences, quoted blocks."""
        yield from _first_of(NEAR_MARKER, self._near_markers, "lines are no markers, the first of them is")
        shown = [line + self._first_line for line in unclosed]
        fences = [(line, f"the fence at line {line} was not closed before an equal one opened") for line in shown]
        yield from _first_of("fence-unclosed", fences, "fences were not closed, the first of them opened at")
        if count := len(self._openers_in_quotes):
            message = f"{count:,} quoted block{'s were' if count > 1 else ' was'} not read"
            line = self._openers_in_quotes[0] + self._first_line
            yield Note("quoted-block", f"{message}; paste without `> ` to use", line)


def _first_of(code: str, messages: Sequence[tuple[int, str]], others: str) -> Iterator[Note]:
    """Notes for the first lines, and one for the others."""
    yield from (Note(code, message, line) for line, message in messages[:MOST_NOTES])
    if left := messages[MOST_NOTES:]:
        yield Note(code, f"{len(left):,} more {others} line {left[0][0]}", left[0][0])


def _as_it_holds(line: str) -> str:
    """Why a line that looks like a marker is none, where that cannot be seen."""
    unseen = next((character for character in line.strip(" \t") if not character.isprintable()), None)
    return f", as it holds U+{ord(unseen):04X}" if unseen else ""


def is_cut_opener(line: str) -> bool:
    """Whether a line is the beginning of an opener: as the last one of a text, it is where that was cut off."""
    text = line.strip(" \t")
    if text.startswith(("<<<<<", "«««")):
        match = re.fullmatch(_CUT_OPENER, line)
        return match is not None and any(word.startswith(match[1]) and word != match[1] for word in _OPENING_WORDS)
    is_named = len(text) > _SIGNS and any(char.isalpha() for char in text)  # `-----` is a rule
    return is_named and any(opener.startswith(text) and opener != text for opener in _OTHER_OPENERS)


def shortened(text: str) -> str:
    """Return as much of a line as a message shows."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def say_near_marker(lines: Sequence[str], marker: str, first: int) -> str | None:
    """What to do about the first line that may be meant for `marker`, if no block or conflict begins above it.

    `first` is the number of the first of `lines`.
    """
    pattern = _NEARLY.get(marker[0])
    for number, line in enumerate(lines if pattern else (), first):
        if re.match(_SAMPLE, line):
            return None
        if pattern and re.match(pattern, line.strip(" \t")):
            part = shortened(line.strip(" \t"))
            what = "indented otherwise" if part == marker else part if "`" in part else f"`{part}`"
            return f"line {number} is {what}; write `{marker}` there, on a line of its own, indented like the opener"
    return None
