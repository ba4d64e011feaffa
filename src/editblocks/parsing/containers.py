"""Follow the fences, tags, actions and headings around blocks, which determine the path of a block.

Rules: docs/reference/rules.md, reading. A fence line inside a block is content, so the reader passes only fence lines
outside blocks to this module.
"""

import re
from collections.abc import Sequence

from editblocks.formats.grammar import Located
from editblocks.formats.markers import END_ACTION, FILE_ACTION, BoltTag, Kind, Marker, Token, read_tag
from editblocks.parsing.path_line import LONGEST_PATH_LINE, clear_path, find_path, is_file_like

DEEPEST = 8
DEEPER = 3  # columns: how much deeper a marker may be than its fence, or a heading than the one whose section it ends
_LONGEST = 2 * LONGEST_PATH_LINE  # characters of a text that may name a file: every block looks at it
_ACTION_ENDS: frozenset[Kind | Marker] = frozenset({END_ACTION, Kind.END_ARTIFACT, FILE_ACTION, Kind.OTHER_ACTION})
CONTAINERS: frozenset[Kind | Marker] = _ACTION_ENDS | {Kind.FENCE, Kind.TAG, Kind.HEADING, Kind.EDIT_ACTION}
_DIFF_LANGUAGES = frozenset({"diff", "git-diff", "patch", "udiff"})
# The language of a fence, in `{.diff .numberLines}`, `diff:src/app.py`, `suggestion:-0+1`.
_LANGUAGE = r"(?:\{ *\.?)?([a-z-]*)(?![a-z0-9_.])"
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
    located: Located | None = None  # of an action: the file that the last path line in it named
    is_inner: bool = False  # it is in another fence, so it is only a sample
    names_inside: bool = False  # a block in it took its path from a line inside
    holds_edit: bool = False  # an edit is in it, or it is in a cut-off edit: as a whole it is not an edit
    shows_patch: bool = False  # it has a patch that gets a note instead of rows
    calls_stop = 0  # the first line after the last tool call in it
    refused_stop = 0  # the first line after those in which calls beside blocks were refused
    first_row: int = 0  # the number of the first row in it
    is_closed: bool = False  # by a closing line
    stop: int | None = None  # the closing line, or the end of the text; None if something else ended it

    def __init__(self, line: int, column: int, mark: str = "", length: int = 0, info: str = "") -> None:
        self.line = line
        self.column = column  # how far it is indented
        self.mark = mark  # the character of a fence, or the name of its tag
        self.length = length
        self.info = info

    @property
    def file_path(self) -> str | None:
        """The file of an action or an `edit:path` fence, "" if it names none; None for other fences and samples."""
        if not self.mark:
            return (self.tag and self.tag.file_path) or ""
        if self.is_inner or not self.info.startswith("edit:"):
            return None
        return self.info.removeprefix("edit:").strip(" \t")

    @property
    def language(self) -> str:
        """The language of a fence in lower case, without braces and without what follows it."""
        match = re.match(_LANGUAGE, self.info.strip(" \t").lower())
        return "" if match is None else match[1]

    @property
    def first_word(self) -> str:
        """The first word of the info string, in lower case."""
        return self.info.partition(" ")[0].lower()

    @property
    def holds_diff(self) -> bool:
        """Whether the language of a fence is a diff."""
        return self.language in _DIFF_LANGUAGES


class Containers:
    """The containers that are open at the next line, and what is known of the lines above."""

    def __init__(self, lines: Sequence[str], thread_path: str | None) -> None:
        self.lines = lines
        self.thread_path = thread_path  # the file of the review thread
        # Fences and at most one action, the outermost first. `_set` derives the next four fields from it.
        self.open: list[Container] = []
        self.fences: list[Container] = []
        self.fence: Container | None = None
        self.action: Container | None = None
        self.innermost: Container | None = None  # an action may be in a fence, or contain one
        self.openings: set[int] = set()  # 0-based lines
        self.closings: dict[int, int] = {}  # closing line → its opening line
        self.heading: Token | None = None  # the `### File: path` line of the current section, outside fences
        self.ended: list[Container] = []  # containers that just ended, for the reader to handle, the outermost first
        self.unclosed: list[int] = []  # lines of fences that ended only because an equal one opened
        self.row_stop = 0  # the first line after the previous row
        self.previous_path: Located | None = None  # the path that the previous row passes on
        self._checked_stop = 0  # lines looked at for headings that end a section

    @property
    def section(self) -> Token | None:
        """The `File:` heading of the current section: in the innermost fence that has one, or in the text around."""
        return next((each.heading for each in reversed(self.open) if each.heading), self.heading)

    def stop_of(self, fence: Container) -> int:
        """The line at which a fence ended; if no line closed it, the line that opened another container."""
        if fence.stop is not None:
            return fence.stop
        if self.innermost is None:
            return fence.line + 1
        return self.innermost.line

    def is_fence_line(self, line: int) -> bool:
        """Whether a fence opened or closed at this 0-based line."""
        return line in self.openings or line in self.closings

    def end_row(self, stop: int, path: Located | None = None) -> None:
        """Record that a row ends before line `stop` and passes on `path`. Its lines are never headings."""
        self.row_stop = stop
        self.previous_path = path
        self._checked_stop = max(self._checked_stop, stop)

    def take(self, token: Token) -> None:
        """Handle a line outside blocks that begins or ends a container."""
        if token.kind is Kind.FENCE:
            mark = token.word[0]
            info = token.word[1:]
            if mark == "`" and self.fences and self.fences[0].mark == "~":
                return  # models put a Markdown file between tildes, because it contains back-ticks
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
        self.ended += self.open[depth:]
        self._set(self.open[:depth])

    def leave_all(self) -> None:
        """End all open containers at the end of the text."""
        for fence in self.fences:
            fence.stop = len(self.lines)
        self._drop(0)

    def _close(self, token: Token, mark: str) -> bool:
        """Close the nearest fence that a line can close, and everything inside it; return whether there is one."""
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
        """Open a fence. If an equal one is open, it was never closed, and it ends here."""
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
        """Look at the text before line `stop` for a line that ends the section of the current `File:` heading."""
        if self.heading is not None and not self.fences:
            for line in self.lines[max(self._checked_stop, self.heading.line + 1) : stop]:
                if _ends_section(line, self.heading):
                    self.heading = None
                    break
        self._checked_stop = stop


def _ends_section(line: str, heading: Token) -> bool:
    """Whether a line ends the section of `heading`: a heading of its level or above, or a line with a new path."""
    match = re.match(_MARKDOWN_HEADING, line)
    if match is not None and len(match[2]) <= heading.length:
        return width(match[1]) <= width(heading.indent) + DEEPER
    if match is None and not line.lstrip(" \t").startswith(("*", "`")):
        return False
    path = clear_path(line)
    own = find_path(heading.word)
    if path is None or own is None or not is_file_like(path):
        return False
    return own.path.rpartition("/")[2] != path.rpartition("/")[2]


def closes(token: Token, fence: Container) -> bool:
    if token.kind is Kind.TAG:
        return token.word.partition(" ")[0] == f"/{fence.mark}"
    return token.kind is Kind.FENCE and token.word == fence.mark and token.length >= fence.length


def is_transparent(line: str) -> bool:
    """Whether a line is a tag that only folds or groups text, or belongs to a tool call: never a path, and skipped."""
    return "<" in line and re.match(_TRANSPARENT, line) is not None


def is_listing(indent: str, container: Container | None) -> bool:
    """Whether a marker in a container is indented like a line of code."""
    return container is not None and width(indent) > container.column + DEEPER


def width(indent: str) -> int:
    """The columns of white space; a tab extends to the next multiple of 4, as in Markdown."""
    return len(indent.expandtabs(4))
