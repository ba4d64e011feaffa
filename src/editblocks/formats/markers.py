"""The markers of formats, and the kinds of other lines that matter, such as fences and headings.

A marker is a whole line: white space, a literal, trailing blanks (docs/reference/rules.md, markers). Each format
defines its own markers; `scanner` finds them all.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

SHORTEST = 5
LONGEST = 9
USUAL = 7
WORD_ENDS = r"(?:\b|(?=_{1,3}[ \t]*\Z))"  # also before Markdown emphasis at the end of a line
END = "</boltAction>"
SIGNS_THAT_NEED_A_WORD = "-=+*#_~"  # prose and code often repeat these signs in a row


class Kind(str, Enum):
    """The kinds of lines that are not markers of a format."""

    OPEN_OTHER = "the opener of a format that editblocks does not read"
    CONFLICT_START = "<<<<<<< HEAD"
    CONFLICT_END = ">>>>>>> branch"
    FENCE = "```"
    TAG = "<source>"
    HEADING = "### File: path"
    EDIT_ACTION = '<boltAction type="edit">'
    OTHER_ACTION = "<boltAction>"
    BAD_ACTION = "<boltAction that is no tag"
    END_ARTIFACT = "</boltArtifact>"
    BASE = "base: commit"
    QUOTED = "> <<<<<<< SEARCH"
    ESCAPED = "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH"
    NEAR = "<<<< search"
    NEAR_END = ">>>>>>> replace"
    HUNK = "@@ -1 +1 @@"  # or any other line that begins with `@@`
    GIT_DIFF = "diff --git a/x b/x"
    NEW_NAME = "+++ b/x"
    PATCH_HEADER = "*** Update File: path"
    PREFIXED = "assistant: <<<<<<< SEARCH"
    THOUGHT = "<think>"
    END_THOUGHT = "</think>"
    COMMAND = "a line with `git rm …`"
    JSON = '{"file_path": …'
    CALL_INSIDE = 'so {"file_path": …'
    CALL = '<invoke name="Edit">'
    CALL_VALUE = "<path>a.py</path>"
    CALL_END = "</invoke>"
    QUOTED_EDIT = "> +++ b/x"
    QUOTED_CALL = '> <invoke name="Edit">'


class Marker:
    """A marker line of a format, compared by identity.

    `text` is the usual spelling: seven signs, then perhaps a word. `SHORTEST` to `LONGEST` signs are read too, and
    `others` are accepted instead of the word. Of a marker that `is_fixed`, only `text` itself is read, and it may have
    any number of signs. If all markers of a format begin with the same sign, fixed or not, it must be one of
    `SIGNS_THAT_NEED_A_WORD`: any other sign alone is taken for the next opener, so that a misspelt closer below a
    separator gets no advice. `near_pattern` is a pattern for lines that are probably meant as this marker. It must
    match `text` too, also with lines below it. A fixed opener or closer needs it, because the notes of `like_opener`
    and `like_closer` advise seven signs, which are not read.
    """

    def __init__(self, text: str, *others: str, is_fixed: bool = False, near_pattern: str = "") -> None:
        self.text = text
        self.sign = text[0]
        self.is_fixed = is_fixed
        self.is_tag = text.startswith(("<bolt", "</bolt"))  # it may have attributes, so `scanner` reads it
        self.near_pattern = near_pattern
        word = text.lstrip(self.sign).strip(" ")
        self.words: tuple[str, ...] = ()
        if word:
            self.words = (word, *others)

    @property
    def plain_words(self) -> tuple[str, ...]:
        """Its words, without those that only add a `>`, such as `SEARCH>`."""
        return tuple(word for word in self.words if not word.endswith(">"))

    @property
    def needs_word(self) -> bool:
        """Whether a row of its sign is not enough to know it, because ordinary text often has such rows."""
        return self.sign in SIGNS_THAT_NEED_A_WORD

    @property
    def is_bare(self) -> bool:
        """Whether it has no word. Outside a block, such a line is prose: an underline, a rule, a quote."""
        return not self.words

    def literal(self, length: int) -> str:
        """Return the line with `length` signs; a fixed marker as it is."""
        if self.is_fixed:
            return self.text
        return self.sign * length + self.text[USUAL:]

    def lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield each spelling of the line, its number of signs (0 for a fixed marker) and its word."""
        if self.is_fixed:
            yield self.text, 0, self.words[0]
            return
        for length in range(SHORTEST, LONGEST + 1):
            for word in self.words or ("",):
                yield f"{self.sign * length} {word}".rstrip(" "), length, word

    @property
    def pattern(self) -> str:
        """A pattern of the line without outer blanks. A row of a common sign must not be the end of a longer row."""
        pattern = rf"{re.escape(self.sign)}{{{SHORTEST},{LONGEST}}}"
        if self.is_fixed:
            pattern = re.escape(self.text)
        if self.needs_word:
            pattern = rf"(?<!{re.escape(self.sign)}){pattern}"
        if self.words and not self.is_fixed:
            pattern = rf"{pattern} (?:{'|'.join(self.words)})"
        return pattern

    @property
    def run(self) -> str:
        """The signs that every spelling contains: five, or all of a fixed marker."""
        if self.is_fixed:
            return self.text.partition(" ")[0]
        return self.sign * SHORTEST

    @property
    def hook_needles(self) -> tuple[str, ...]:
        """For hooks: each spelling of the line contains one of these texts, which other text rarely contains."""
        if self.is_tag:
            return (self.text.partition(" ")[0],)
        if self.is_fixed:
            return (self.text,)
        return tuple(f"{self.run} {word}" for word in self.plain_words) or (self.run,)


def like_opener(marker: Marker) -> Iterator[tuple[str, str]]:
    """Yield patterns of lines that are nearly this opener, each with the right spelling.

    For a rare sign, the patterns are loose. Two to four common signs also begin comments and options, so the rest of
    such a line must be exactly like the marker.
    """
    if marker.near_pattern:
        yield marker.near_pattern, marker.text
        return
    sign = re.escape(marker.sign)
    for word in marker.plain_words:
        usual = f"{marker.sign * USUAL} {word}"
        if marker.needs_word:
            yield rf"{sign}{{2,4}} {{1,3}}{word}>?\Z|{sign}{{5,20}}[^\w{sign}]{{0,3}}(?i:{word})>?\Z", usual
            yield rf"{sign}{{5,9}} {word} [^ \t]+\Z|[*_]{{1,3}}{sign}{{5,20}} {word}{WORD_ENDS}", usual
        else:
            yield rf"[*_]{{0,3}}{sign}{{3,20}}[^\w<>]{{0,3}}(?i:{_loose_pattern(word)}){WORD_ENDS}", usual


def like_closer(marker: Marker) -> Iterator[str]:
    """Yield patterns of lines that are nearly this closer. A closer without a word has none: its signs may be prose."""
    if marker.near_pattern:
        yield marker.near_pattern
        return
    sign = re.escape(marker.sign)
    for word in marker.plain_words:
        if marker.needs_word:
            yield rf"{sign}{{2,4}} {{1,3}}{word}\Z|{sign}{{5,20}}[^\w{sign}]{{0,3}}(?i:{word})\b"
        else:
            yield rf"{sign}{{4,20}}[^\w<>]{{0,3}}(?i:{_loose_pattern(word)})\b"


def _loose_pattern(word: str) -> str:
    """A pattern of a word, with a blank, `_`, `-` or nothing between its parts."""
    return word.replace("_", "[ _-]?")


DIVIDER = Marker("=======")
RULE = Marker("-------")
FILE_ACTION = Marker('<boltAction type="file">', is_fixed=True)
END_ACTION = Marker(END, is_fixed=True)


class Token(NamedTuple):
    """A line that may matter. `line` is its 0-based index; `length` is its number of marker or fence characters."""

    kind: Kind | Marker
    line: int = 0
    indent: str = ""
    length: int = 0
    word: str = ""  # the literal after the marker characters, a fence's info string, a heading's path …


class BoltTag(NamedTuple):
    """An opening tag. `file_path` is None without that attribute; `rest` is the text after the tag on its line."""

    type: str
    file_path: str | None
    rest: str

    @property
    def ends_here(self) -> bool:
        """Whether the action is closed on the line of its tag."""
        return END in self.rest


def indent_of(line: str) -> str:
    """The leading spaces and tabs of a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]


_VALUE = r"[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)'|([^ \t\"'<>=/]+))"
_BOLT_TAG = rf"<boltAction((?:[ \t]+[A-Za-z_-]+{_VALUE}){{0,32}})[ \t]*>(.*)\Z"
_ATTRIBUTE = rf"([A-Za-z_-]+){_VALUE}"


def read_tag(line: str) -> BoltTag | None:
    """Read a `<boltAction` line; None if the tag is not closed, or has more than 32 attributes or no type."""
    match = re.match(_BOLT_TAG, line)
    if match is None:
        return None
    attributes = {name.lower(): "".join(values) for name, *values in re.findall(_ATTRIBUTE, match[1])}
    kind = attributes.get("type")
    if kind is None:
        return None
    return BoltTag(kind, attributes.get("filepath"), match[match.re.groups].strip(" \t"))
