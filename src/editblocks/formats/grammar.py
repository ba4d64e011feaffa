"""A format: its marker lines, and how the lines between them are read.

The reader finds openers, separators and closers; a grammar only looks at the lines of its own block.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Note, Split
from editblocks.core.codes import ReasonCode
from editblocks.formats.markers import LONGEST, Marker, Token

MOST_CANDIDATES = 16
CUT_OFF = "probably cut off, ask for it again"
SEND_EACH = "send each change as a block of its own"
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
    """The path of a block, and the source that named it: one of P1 to P8 in docs/reference/rules.md."""

    path: str
    source: str
    weak: bool = False
    inside_fence: bool = False
    notes: tuple[Note, ...] = ()
    origin: str = ""  # for a path that P6 or P7 took from an earlier block: the source that named it there
    in_action: bool = False
    thread_path: str | None = None  # the path of source P8, used if the weak path is not


class Frame(NamedTuple):
    """A closed block. `lines` go from opener to closer, without the opener's indentation.

    `separators` are all candidates, in order, before one is chosen. Token lines are 0-based, in the response;
    `first_line` is the number that messages use for line 0.
    """

    lines: Sequence[str]
    opener: Token
    separators: Sequence[Token]
    closer: Token
    path: str
    first_line: int = 1

    def line_number(self, token: Token) -> int:
        return token.line + self.first_line

    def text(self, start: Token, stop: Token) -> str:
        """Return the section between two marker lines."""
        return join(self.lines[start.line - self.opener.line + 1 : stop.line - self.opener.line])

    def variants(self, usual_closer: Marker) -> tuple[Note, ...]:
        """Return a note for each unusual marker: an alternative word, another length, or another format's closer."""
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
                line_number = self.line_number(token)
                notes.append(Note("marker-variant", f"line {line_number}{what}", line_number))
        return tuple(notes)


class Unmarked(NamedTuple):
    """A format whose blocks are not found by an opener and a closer alone: patches, suggestions, whole files."""

    names: tuple[str, ...]
    are_always_rows: bool = False  # whole files are always rows, and not only if there are no other rows
    markers: tuple[Marker, ...] = ()  # an opener and a closer, if the format has them
    gate_needles: tuple[str, ...] = ()  # each block contains one of these texts; empty if the markers are enough
    hook_needles: tuple[str, ...] = ()  # each opener that hooks look for contains one of these texts


class Grammar(NamedTuple):
    """A format with an opener and a closer, as the reader sees it."""

    names: tuple[str, ...]  # in results and front matter; several if the name depends on the place of the path line
    opener: Marker
    separators: tuple[Marker, ...]  # the lines that separate the parts of a block, in their order
    closer: Marker
    sections: tuple[str, ...]  # what `BlockProgress.section` calls the parts: one more than separators
    words: tuple[str, str]  # the opener and the closer in messages that count them: `3 SEARCH, 2 REPLACE`
    read: Callable[[Frame], tuple[Split, ...] | Fault]  # return all readings of a closed block, or a fault
    name: Callable[[Located], str]  # choose one of `names` for a block, by the source of its path
    holds_conflicts: bool = False  # its divider is also git's: between `<<<<<<<` and `>>>>>>>` it is text
    other_closer: Marker | None = None  # closes a block of this format without a closer of its own, and vice versa
    header: str = ""  # the line below the opener begins with this, if another format has the same opener
    finish: Callable[[Frame, EditBlock], EditBlock] | None = None  # adds the facts of this format to a checked block

    @property
    def markers(self) -> tuple[Marker, ...]:
        return (self.opener, *self.separators, self.closer)


Format = Grammar | Unmarked


def other_length(length: int) -> str:
    """Return the advice to send a block with longer or shorter markers, so that lines of `length` signs are text."""
    if length == 0:  # a fixed marker has no other length
        return SEND_EACH
    other = length - 1 if length == LONGEST else length + 1
    return f"send it with {other}-character markers"


@lru_cache(maxsize=256)  # blocks name the same few files again and again
def is_markup(path: str) -> bool:
    """Whether files of this name often contain lines like markers: in markup, `=====` underlines headings."""
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        return extension.lower() in _MARKUP_EXTENSIONS
    return name in _MARKUP_NAMES


def join(lines: Sequence[str]) -> str:
    """Join lines to a text in which each line ends with `\\n`."""
    if not lines:
        return ""
    return "\n".join(lines) + "\n"


def not_enabled(what: str, line: int) -> Fault:
    """Return the fault of a block in a format that is not enabled. `what` names the block, which begins at `line`."""
    what = f"{what} (line {line}) is in a format that is not enabled here"
    return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "ask for one that `format` or `formats` allows")
