"""The interface of a format: its marker lines, and how the lines between them become sections.


A format is one module that satisfies `Grammar`, and one name in `parsing.parse.FORMATS`. The reader finds
openers, separators and closers; the grammar never looks at anything outside its own frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Note, Split
from editblocks.formats.markers import LONGEST, Kind, Token

MOST_CANDIDATES = 16
_OLD_WORDS = {"SEARCH>": "SEARCH", "ORIGINAL": "SEARCH", "UPDATED": "REPLACE"}


CUT_OFF = "probably cut off, ask for it again"
SEND_BOTH = "send both again, complete"


class Fault(NamedTuple):
    """Why a block cannot be read: what is wrong, and what to do. `paths`: the two files that its lines name, if so."""

    code: ReasonCode
    what: str
    advice: str = ""
    paths: tuple[str, ...] = ()


class Sections(NamedTuple):
    """The sections of a block. `splits`: all readings if its dividers allow more than one, else ()."""

    anchor: str = ""
    old_lines: str = ""
    new_lines: str = ""
    trailing_anchor: str = ""
    splits: tuple[Split, ...] = ()
    notes: tuple[Note, ...] = ()


class Located(NamedTuple):
    """The path of a block, and which of the sources P1 to P8 of docs/reference/formats.md named it."""

    path: str
    source: str
    weak: bool = False
    inside_fence: bool = False
    notes: tuple[Note, ...] = ()
    origin: str = ""  # the source that first named a path that P6 or P7 passed on
    in_action: bool = False
    thread_path: str | None = None  # for a weak path: the path of source P8, used instead if the weak one is not


@dataclass(frozen=True, slots=True)
class Frame:
    """A closed block: the response's lines, and the markers in them.

    `separators` are all candidates in reading order, before one is chosen. Token lines are 0-based;
    `first_line` is the number of the line with index 0 in messages.
    """

    lines: Sequence[str]
    opener: Token
    separators: tuple[Token, ...]
    closer: Token
    path: str
    first_line: int = 1

    def shown(self, token: Token) -> int:
        """Return the line number of `token` for messages."""
        return token.line + self.first_line

    def dedent(self) -> tuple[Sequence[str], tuple[Note, ...]]:
        """Return the lines from opener to closer without the opener's indentation.

        A block in a list item is indented as a whole; if one line is not, all lines stay as they are, with a note.
        """
        inside = self.lines[self.opener.line : self.closer.line + 1]
        indent = self.opener.indent
        if not indent:
            return inside, ()
        if not all(line.startswith(indent) or not line.strip(" \t") for line in inside):
            message = "not every line is indented like the block's first, so no indentation was removed"
            return inside, (Note("indent-kept", message),)
        return [line[len(indent) :] for line in inside], ()

    def variants(self) -> tuple[Note, ...]:
        """Return a note for each unusual marker: an old word, or a length other than the opener's."""
        markers = (self.opener, *self.separators[:1], self.closer)
        odd = [marker for marker in markers if marker.word in _OLD_WORDS or marker.length != self.opener.length]
        return tuple(Note("marker-variant", self._variant(marker), self.shown(marker)) for marker in odd)

    def _variant(self, marker: Token) -> str:
        usual = _OLD_WORDS.get(marker.word)
        if usual is not None:
            return f"line {self.shown(marker)}: `{marker.word}` was read as {usual}"
        return f"line {self.shown(marker)} has {marker.length} signs, the block's first line {self.opener.length}"


class Grammar(Protocol):
    """One format, as the reader sees it: a module of this package."""

    @property
    def NAMES(self) -> tuple[str, ...]:
        """The names of the format in results and front matter; they differ by where the path line is."""

    @property
    def OPENER(self) -> Kind: ...
    @property
    def SEPARATORS(self) -> tuple[Kind, ...]:
        """The marker lines that separate the parts of a block, in their order."""

    @property
    def CLOSER(self) -> Kind: ...
    @property
    def SECTIONS(self) -> tuple[str, ...]:
        """The names of the parts while a block is still arriving: one more than separators."""

    @property
    def WORDS(self) -> tuple[str, str]:
        """Short names of opener and closer in counts: `3 SEARCH, 2 REPLACE`."""

    @property
    def HOLDS_CONFLICTS(self) -> bool:
        """Whether a git conflict inside a block, with its divider, is part of the text."""

    def name(self, located: Located) -> str:
        """Return the name of this block's format, which depends on where its path was found."""

    def closer_line(self, length: int) -> str:
        """Return the line that closes a block whose opener has `length` marker characters."""

    def separator_line(self, length: int) -> str:
        """Return the line that separates its parts; empty if there is none."""

    def read(self, frame: Frame) -> Sections | Fault:
        """Turn the lines of a closed block into sections."""


def other_length(length: int) -> int:
    """Return another length for the markers of a block, so that marker lines of `length` can be its text."""
    return length + 1 if length < LONGEST else length - 1


def too_many(frame: Frame) -> Fault | None:
    """Return a fault if the block has more than `MOST_CANDIDATES` lines that may be its divider."""
    if len(frame.separators) <= MOST_CANDIDATES:
        return None
    advice = f"send it with {other_length(frame.opener.length)}-character markers"
    return Fault(ReasonCode.MALFORMED, f"{len(frame.separators)} lines may be its divider", advice)


def is_markup(path: str) -> bool:
    """Whether files of this name often hold lines like markers: in markup, `=====` underlines headings."""
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        return extension.lower() in MARKUP_EXTENSIONS
    return name in MARKUP_NAMES


MARKUP_EXTENSIONS = frozenset("md markdown mdx rst txt adoc asciidoc org textile tex wiki diff patch".split())
MARKUP_NAMES = frozenset("README CHANGES CHANGELOG NEWS TODO LICENSE".split())


def join(lines: Sequence[str]) -> str:
    """Join lines to a section string, in which each line ends with `\\n`."""
    return "\n".join(lines) + "\n" if lines else ""
