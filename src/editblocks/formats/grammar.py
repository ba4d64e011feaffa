"""A format: its marker lines, and how the lines between them are read.

A format is a frozen `Grammar` in a module of this package, and one name in `parsing.parse.GRAMMARS`. What the scan
finds, what only resembles it, and what hooks and workflows look for follow from its markers; what else it may need is
listed in `formats/__init__.py`. The reader finds openers, separators and closers; the grammar never looks at anything
outside its own frame.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Note, Split
from editblocks.core.codes import ReasonCode
from editblocks.formats.markers import LONGEST, Marker, Token

MOST_CANDIDATES = 16
CUT_OFF = "probably cut off, ask for it again"
SEND_BOTH = "send both again in full"
OTHER_FORM = "ask for SEARCH/REPLACE blocks"
_MARKUP_EXTENSIONS = frozenset("md markdown mdx rst txt adoc asciidoc org textile tex wiki diff patch".split())
_MARKUP_NAMES = frozenset("README CHANGES CHANGELOG NEWS TODO LICENSE".split())


class Fault(NamedTuple):
    """Why a block cannot be read: what is wrong, and what to do."""

    code: ReasonCode
    what: str
    advice: str = ""


class Located(NamedTuple):
    """The path of a block, and which of the sources P1 to P8 of docs/reference/rules.md named it."""

    path: str
    source: str
    weak: bool = False
    inside_fence: bool = False
    notes: tuple[Note, ...] = ()
    origin: str = ""  # the source that first named a path that P6 or P7 passed on
    in_action: bool = False


class Frame(NamedTuple):
    """A closed block. `lines` go from opener to closer, without the opener's indentation.

    `separators` are all candidates in reading order, before one is chosen. Token lines are 0-based, in the response;
    `first_line` is the number of the line with index 0 in messages.
    """

    lines: Sequence[str]
    opener: Token
    separators: Sequence[Token]
    closer: Token
    path: str
    first_line: int = 1

    def shown(self, token: Token) -> int:
        """Return the line number of `token` for messages."""
        return token.line + self.first_line

    def text(self, start: Token, stop: Token) -> str:
        """Return the section between two marker lines."""
        return join(self.lines[start.line - self.opener.line + 1 : stop.line - self.opener.line])

    def variants(self, usual_closer: Marker) -> tuple[Note, ...]:
        """Return a note for each unusual marker: an old word, another length, or the closer of another format."""
        notes = []
        for token in (self.opener, *self.separators[:1], self.closer):
            what = ""
            if token.length != self.opener.length:
                what = f" has {token.length} characters, the block's first line has {self.opener.length}"
            marker = token.kind
            if isinstance(marker, Marker) and token.word in marker.words[1:]:
                what = f": `{token.word}` was read as {marker.words[0]}"
            elif isinstance(marker, Marker) and token is self.closer and marker is not usual_closer:
                what = f": `{marker.literal(token.length)}` was read as `{usual_closer.literal(token.length)}`"
            if what:
                shown = self.shown(token)
                notes.append(Note("marker-variant", f"line {shown}{what}", shown))
        return tuple(notes)


class Unmarked(NamedTuple):
    """A format whose blocks are not known by an opener and a closer alone: patches, suggestions, whole files."""

    names: tuple[str, ...]
    is_asked_for: bool = False  # a whole file is a row wherever it stands, and not only without other rows
    markers: tuple[Marker, ...] = ()  # an opener and a closer, if it has some
    needles: tuple[str, ...] = ()  # texts of which each block holds one, if its markers do not say it
    opener_needles: tuple[str, ...] = ()  # texts of which each opener holds one that hooks look for


class Grammar(NamedTuple):
    """A format with an opener and a closer, as the reader sees it."""

    names: tuple[str, ...]  # in results and front matter; several if the name depends on where the path line is
    opener: Marker
    separators: tuple[Marker, ...]  # the lines that separate the parts of a block, in their order
    closer: Marker
    sections: tuple[str, ...]  # what `BlockProgress.section` calls the parts: one more than separators
    words: tuple[str, str]  # opener and closer in counts: `3 SEARCH, 2 REPLACE`
    read: Callable[[Frame], tuple[Split, ...] | Fault]  # all readings of a closed block, or why there is none
    name: Callable[[Located], str]  # which of `names` a block gets, by where its path was found
    holds_conflicts: bool = False  # its divider is git's as well: between `<<<<<<<` and `>>>>>>>` it is text
    other_closer: Marker | None = None  # either closes blocks that lack the other one
    header: str = ""  # how the line below the opener begins, if that tells it from another format
    finish: Callable[[Frame, EditBlock], EditBlock] | None = None  # adds what only this format says, once it is checked

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Its marker lines, in their order."""
        return (self.opener, *self.separators, self.closer)


Format = Grammar | Unmarked


def other_length(length: int) -> str:
    """Return the advice to write the markers of a block so that marker lines of `length` can be its text."""
    other = length - 1 if length == LONGEST else length + 1
    return f"send it with {other}-character markers"


@lru_cache(maxsize=256)  # blocks name the same few files again and again
def is_markup(path: str) -> bool:
    """Whether files of this name often hold lines like markers: in markup, `=====` underlines headings."""
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        return extension.lower() in _MARKUP_EXTENSIONS
    return name in _MARKUP_NAMES


def join(lines: Sequence[str]) -> str:
    """Join lines to a section string, in which each line ends with `\\n`."""
    if not lines:
        return ""
    return "\n".join(lines) + "\n"


def not_asked_for(what: str, line: int) -> Fault:
    """Return the fault of a block of a format that is left out. `what` stands at line `line` of the response."""
    what = f"{what} (line {line}) is in a format that is not enabled here"
    return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "ask for one that `format` or `formats` allows")
