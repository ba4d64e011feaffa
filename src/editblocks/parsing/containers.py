"""Fences, tags, actions and headings around blocks: they tell which path belongs to a block.

Rules: docs/reference/rules.md, reading. A fence line inside a block is content, so the reader tells this
module about fence lines in text only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editblocks.formats.grammar import Located
from editblocks.formats.markers import END_ACTION, FILE_ACTION, BoltTag, Kind, Marker, Token, read_tag
from editblocks.parsing.path_line import LONGEST_PATH_LINE, find_path, is_file_like

DEEPEST = 8
DEEPER = 3  # columns that a marker may stand deeper than its fence, or a heading than the one whose section it ends
_LONGEST = 2 * LONGEST_PATH_LINE  # of what may name a file: it is looked at for every block
_ACTION_ENDS: frozenset[Kind | Marker] = frozenset({END_ACTION, Kind.END_ARTIFACT, FILE_ACTION, Kind.OTHER_ACTION})
CONTAINERS: frozenset[Kind | Marker] = _ACTION_ENDS | {Kind.FENCE, Kind.TAG, Kind.HEADING, Kind.EDIT_ACTION}
_DIFF_WORDS = frozenset({"diff", "git-diff", "patch", "udiff"})
# The language of a fence, in `{.diff .numberLines}`, `diff:src/app.py`, `suggestion:-0+1`.
_WORD = r"(?:\{ *\.?)?([a-z-]*)(?![a-z0-9_.])"
_MARKDOWN_HEADING = r"([ \t]*)(#{1,6})[ \t]"
_TRANSPARENT = (
    r"(?i)[ \t]*(?:</?(?:(?:details|summary|boltArtifact)\b"
    r"|(?:diff|replace_in_file|apply_diff|args|file|content)>(?:<!\[CDATA\[)?[ \t]*\Z)"
    r"|(?:<!\[CDATA\[|\]\]>(?:</diff>)?)[ \t]*\Z)"
)


class Container:
    """An open fence, or an open `<boltAction type="edit">`, which has no `mark`."""

    tag: BoltTag | None = None  # of an action
    heading: Token | None = None
    located: Located | None = None  # of an action: what a path line inside named last
    is_inner: bool = False  # in another fence, which shows it rather than says it
    names_inside: bool = False  # a block in it took its path from a line inside
    holds_block: bool = False
    shows_patch: bool = False  # one in it is noted
    calls_stop = 0  # the first line behind the last tool call in it
    first_row: int = 0  # the number that the first row in it has
    is_closed: bool = False  # by a line for it
    stop: int | None = None  # the line that closed it, or the end of the text; None where something else ended it

    def __init__(self, line: int, column: int, mark: str = "", length: int = 0, info: str = "") -> None:
        self.line = line
        self.column = column  # how far it is indented
        self.mark = mark  # the character of a fence, or the name of its tag
        self.length = length
        self.info = info

    @property
    def file_path(self) -> str | None:
        """The file of an action or an `edit:path` fence; None for an ordinary fence, or a sample inside one."""
        if not self.mark:
            return (self.tag and self.tag.file_path) or ""
        if self.is_inner or not self.info.startswith("edit:"):
            return None
        return self.info.removeprefix("edit:").strip(" \t")

    @property
    def word(self) -> str:
        """The language of a fence in small letters, whatever stands behind or around it."""
        match = re.match(_WORD, self.info.strip(" \t").lower())
        return "" if match is None else match[1]

    @property
    def first_word(self) -> str:
        """The first word of the info string in small letters, as it stands."""
        return self.info.partition(" ")[0].lower()

    @property
    def holds_diff(self) -> bool:
        """Whether a fence says that it holds a diff."""
        return self.word in _DIFF_WORDS


class Containers:
    """What is open around the next line, and what stands above it."""

    def __init__(self, lines: Sequence[str], thread_path: str | None) -> None:
        self.lines = lines
        self.thread_path = thread_path  # the file of the review thread
        # Fences and at most one action, the outermost first. What of it the next line stands in is made by `_set`.
        self.open: list[Container] = []
        self.fences: list[Container] = []
        self.fence: Container | None = None
        self.action: Container | None = None
        self.innermost: Container | None = None  # an action may stand in a fence, or hold one
        self.openings: set[int] = set()  # 0-based lines
        self.closings: dict[int, int] = {}  # closing line → its opening line
        self.heading: Token | None = None  # a `### File: path` line in force
        self.left: list[Container] = []  # for the reader to look at, the outermost first
        self.unclosed: list[int] = []  # fences dropped because an equal one opened
        self.row_stop = 0  # the first line after the row before
        self.carried: Located | None = None  # the path that the row before hands on
        self._seen = 0  # lines looked at for headings that end a section

    @property
    def section(self) -> Token | None:
        """The `File:` heading in force here: of the fence, or of the text around."""
        return next((each.heading for each in reversed(self.open) if each.heading), self.heading)

    def stop_of(self, fence: Container) -> int:
        """The line that ended a fence: another one was opened there, if no line closed it."""
        if fence.stop is not None:
            return fence.stop
        if self.innermost is None:
            return fence.line + 1
        return self.innermost.line

    def is_fence_line(self, line: int) -> bool:
        """Whether a fence opened or closed at this 0-based line."""
        return line in self.openings or line in self.closings

    def end_row(self, stop: int, carried: Located | None = None) -> None:
        """A row ends before line `stop`; `carried` is the path that it hands on. A comment sign in it is no heading."""
        self.row_stop = stop
        self.carried = carried
        self._seen = max(self._seen, stop)

    def take(self, token: Token) -> None:
        """Take in a line in text that begins or ends a container."""
        if token.kind is Kind.FENCE:
            mark = token.word[0]
            info = token.word[1:]
            if mark == "`" and self.fences and self.fences[0].mark == "~":
                return  # models write a Markdown file between tildes, as it holds back-ticks
            if info or not self._close(token, mark):
                self._open(token, mark, info)
        elif token.kind is Kind.HEADING:
            heading = token._replace(word=token.word[:_LONGEST])
            if (fence := self.fence) is not None:
                fence.heading = heading
            else:
                self.heading = heading
        elif token.kind is Kind.TAG:
            tag, _, info = token.word.partition(" ")
            if tag.startswith("/"):
                self._close(token, tag[1:])
            else:
                self._open(token, tag, info)
        else:
            if (action := self.action) is not None:
                self._drop(self.open.index(action))
            if token.kind is Kind.EDIT_ACTION:
                action = Container(token.line, width(token.indent))
                action.tag = read_tag(token.word)
                self._set([*self.open, action])

    def _set(self, containers: list[Container]) -> None:
        """These are open from here on."""
        self.open = containers
        self.fences = []
        self.fence = None
        self.action = None
        self.innermost = None
        for each in containers:
            self.innermost = each
            if each.mark:
                self.fences.append(each)
                self.fence = each
            else:
                self.action = each

    def _drop(self, depth: int) -> None:
        """Leave all but the outer `depth` containers."""
        self.left += self.open[depth:]
        self._set(self.open[:depth])

    def leave_all(self) -> None:
        """The text is over, and everything that is open with it."""
        for fence in self.fences:
            fence.stop = len(self.lines)
        self._drop(0)

    def _close(self, token: Token, mark: str) -> bool:
        """Close the nearest fence that a line can close, and all in it; say whether there is one."""
        for depth in range(len(self.open) - 1, -1, -1):
            fence = self.open[depth]
            if fence.mark == mark and fence.length <= token.length:
                self.closings[token.line] = fence.line
                fence.is_closed = True
                fence.stop = token.line
                self._drop(depth)
                return True
        return False

    def _open(self, token: Token, mark: str, info: str) -> None:
        """Open a fence, which drops an equal one: that was never closed."""
        for depth, fence in enumerate(self.open):
            if fence.mark == mark and fence.length == token.length:
                self.unclosed.append(fence.line)
                self._drop(depth)
                break
        depth = len(self.fences)
        if depth < DEEPEST:
            fence = Container(token.line, width(token.indent), mark, token.length, info[:_LONGEST])
            fence.is_inner = depth > 0
            self._set([*self.open, fence])
            self.openings.add(token.line)

    def pass_text(self, stop: int) -> None:
        """Note that text went on to line `stop` (not included) below a `File:` heading: another may end its section."""
        if self.heading is not None and not self.fences:
            for line in self.lines[max(self._seen, self.heading.line + 1) : stop]:
                if _ends_section(line, self.heading):
                    self.heading = None
                    break
        self._seen = stop


def _ends_section(line: str, heading: Token) -> bool:
    """Whether a line ends the section: a heading of its level or above, or a line that only names another file."""
    match = re.match(_MARKDOWN_HEADING, line)
    if match is not None and len(match[2]) <= heading.length:
        return width(match[1]) <= width(heading.indent) + DEEPER
    if match is None and line.lstrip(" \t")[:1] not in ("*", "`"):
        return False
    named = find_path(line)
    own = find_path(heading.word)
    if named is None or named.weak or own is None or not is_file_like(named.path):
        return False
    return own.path.rpartition("/")[2] != named.path.rpartition("/")[2]


def closes(token: Token, fence: Container) -> bool:
    """Whether a line closes this fence."""
    if token.kind is Kind.TAG:
        return token.word.partition(" ")[0] == f"/{fence.mark}"
    return token.kind is Kind.FENCE and token.word == fence.mark and token.length >= fence.length


def is_transparent(line: str) -> bool:
    """A tag that only folds or groups what follows, or of a tool call; never a path, and stepped over."""
    return "<" in line and re.match(_TRANSPARENT, line) is not None


def is_listing(indent: str, container: Container | None) -> bool:
    """Whether a marker in a container is indented like a line of code."""
    return container is not None and width(indent) > container.column + DEEPER


def width(indent: str) -> int:
    """Columns of white space; a tab goes on to the next multiple of 4, as in Markdown."""
    return len(indent.expandtabs(4))
