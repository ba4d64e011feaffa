"""What a format tells the reader: its marker lines, and how the lines between them become sections.

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
    """Why a block cannot be read: what is wrong, and what to do. `paths`: the files that its lines name, if two."""

    code: ReasonCode
    what: str
    advice: str = ""
    paths: tuple[str, ...] = ()


class Sections(NamedTuple):
    """A block as it was read. `splits`: all readings, when its dividers allow more than one."""

    anchor: str = ""
    old_lines: str = ""
    new_lines: str = ""
    trailing_anchor: str = ""
    splits: tuple[Split, ...] = ()
    notes: tuple[Note, ...] = ()


class Located(NamedTuple):
    """The file of a block, and how it was found: by one of the sources P1 to P8 of docs/reference/formats.md."""

    path: str
    source: str
    weak: bool = False
    inside_fence: bool = False
    notes: tuple[Note, ...] = ()
    origin: str = ""  # the source that named a path which P6 or P7 only handed on
    in_action: bool = False
    thread_path: str | None = None  # of a weak path: the P8 that it stands in the way of


@dataclass(frozen=True, slots=True)
class Frame:
    """A closed block: the response's lines, and where its markers stand in them.

    `separators` are all candidates in reading order, none of them settled. Token lines are 0-based;
    `first_line` is what the line with index 0 is called in messages.
    """

    lines: Sequence[str]
    opener: Token
    separators: tuple[Token, ...]
    closer: Token
    path: str
    first_line: int = 1

    def shown(self, token: Token) -> int:
        """The number people use for the line of `token`."""
        return token.line + self.first_line

    def dedent(self) -> tuple[Sequence[str], tuple[Note, ...]]:
        """The lines from opener to closer without the opener's own indentation.

        A block in a list item is indented as a whole; if one line is not, all stay as they are, with a note.
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
        """A note for each marker that is not the usual one: an old word, or a length other than the opener's."""
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
        """What results and front matter call it, by where the path stood."""

    @property
    def OPENER(self) -> Kind: ...
    @property
    def SEPARATORS(self) -> tuple[Kind, ...]:
        """The marker lines that part a block, in their order."""

    @property
    def CLOSER(self) -> Kind: ...
    @property
    def SECTIONS(self) -> tuple[str, ...]:
        """What the parts are called while the block streams in: one more than separators."""

    @property
    def WORDS(self) -> tuple[str, str]:
        """Opener and closer where they are counted: `3 SEARCH, 2 REPLACE`."""

    @property
    def HOLDS_CONFLICTS(self) -> bool:
        """Whether a git conflict inside is content, its divider included."""

    def name(self, located: Located) -> str:
        """What this block's format is called, by where its path was found."""

    def closer_line(self, length: int) -> str:
        """The line that closes a block whose opener has `length` marker characters."""

    def separator_line(self, length: int) -> str:
        """The line that parts it."""

    def read(self, frame: Frame) -> Sections | Fault:
        """Turn the lines of a closed block into sections."""


def other_length(length: int) -> int:
    """How many signs to advise for a block whose markers have `length`, so that other ones can be its text."""
    return length + 1 if length < LONGEST else length - 1


def too_many(frame: Frame) -> Fault | None:
    """Whether more lines may part the block than anybody can mean."""
    if len(frame.separators) <= MOST_CANDIDATES:
        return None
    advice = f"send it with {other_length(frame.opener.length)}-character markers"
    return Fault(ReasonCode.MALFORMED, f"{len(frame.separators)} lines may be its divider", advice)


def is_markup(path: str) -> bool:
    """Whether a file may well hold marker lines of its own: headings are underlined with `=====`."""
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        return extension.lower() in MARKUP_EXTENSIONS
    return name in MARKUP_NAMES


MARKUP_EXTENSIONS = frozenset("md markdown mdx rst txt adoc asciidoc org textile tex wiki diff patch".split())
MARKUP_NAMES = frozenset("README CHANGES CHANGELOG NEWS TODO LICENSE".split())


def join(lines: Sequence[str]) -> str:
    """Lines as a section string: each ended by `\\n`."""
    return "\n".join(lines) + "\n" if lines else ""
