"""Fences, tags and headings around blocks: they tell which path belongs to a block.

Rules: docs/reference/formats.md, containers. A fence line inside a block is content, so the reader tells this
module about fence lines in text only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from editblocks.formats.grammar import Located
from editblocks.formats.markers import BoltTag, Kind, Token, read_tag
from editblocks.parsing.path_line import LONGEST_PATH_LINE, find_path, is_file_like

DEEPEST = 8
_LONGEST = 2 * LONGEST_PATH_LINE  # of what may name a file: it is looked at for every block
ACTION_ENDS = frozenset({Kind.END_BOLT, Kind.END_ARTIFACT, Kind.OPEN_FILE, Kind.OTHER_ACTION})
CONTAINERS = frozenset({Kind.FENCE, Kind.TAG, Kind.HEADING, Kind.EDIT_ACTION}) | ACTION_ENDS
_MARKDOWN_HEADING = re.compile(r"([ \t]*)(#{1,6})[ \t]")
_DEEPER = 3  # columns that a heading may stand deeper than the one whose section it ends
_TRANSPARENT = re.compile(r"</?(?:details|summary|boltArtifact)\b", re.IGNORECASE)


class Heading(NamedTuple):
    """A `### File: path` line in force."""

    level: int
    text: str  # what follows `File:`
    line: int
    column: int


@dataclass(slots=True)
class Fence:
    """An open fence; `mark` is its character or tag name, `column` how far it is indented."""

    mark: str
    length: int
    column: int
    line: int
    info: str
    heading: Heading | None = None
    names_inside: bool = False  # a block in it took its path from a line inside
    holds_block: bool = False
    holds_section: bool = False  # a patch in it is a row
    shows_patch: bool = False  # one in it is none, and is noted
    is_inner: bool = False  # in another fence, which shows it rather than says it
    first_row: int = 0  # the number that the first row in it has

    @property
    def file_path(self) -> str | None:
        """The file of an `edit:path` fence; None for an ordinary fence, or a sample inside one."""
        asks = self.info.startswith("edit:") and not self.is_inner
        return self.info.removeprefix("edit:").strip(" \t") if asks else None


@dataclass(slots=True)
class Action:
    """An open `<boltAction type="edit">`."""

    line: int
    column: int
    tag: BoltTag | None
    fence: Fence | None  # the fence it stands in
    located: Located | None = None  # what a path line inside named last
    first_row: int = 0  # the number that the first row in it has

    @property
    def file_path(self) -> str:
        """The file that its tag names, or nothing."""
        return (self.tag.file_path if self.tag else None) or ""


@dataclass(slots=True)
class Containers:
    """The stack of open fences, and what is left of closed ones."""

    fences: list[Fence] = field(default_factory=list)
    action: Action | None = None
    openings: set[int] = field(default_factory=set)  # 0-based lines
    closings: dict[int, int] = field(default_factory=dict)  # closing line → its opening line
    heading: Heading | None = None
    closed: list[tuple[Fence, int]] = field(default_factory=list)  # fences, and the lines that closed them
    left: list[Fence | Action] = field(default_factory=list)  # for the reader to look at
    unclosed: list[int] = field(default_factory=list)  # fences dropped because an equal one opened
    _seen: int = 0  # lines looked at for headings that end a section

    @property
    def innermost(self) -> Fence | None:
        """The fence the next line stands in."""
        return self.fences[-1] if self.fences else None

    @property
    def is_in_fence(self) -> bool:
        """Whether the innermost container is a fence: an action may stand in one, or hold one."""
        return bool(self.fences) and (self.action is None or self.action.fence is not self.fences[-1])

    @property
    def section(self) -> Heading | None:
        """The `File:` heading in force here: of the fence, or of the text around."""
        headings = [fence.heading for fence in reversed(self.fences) if fence.heading]
        return headings[0] if headings else self.heading

    @property
    def container(self) -> Fence | Action | None:
        """What the next line stands in."""
        return self.innermost if self.is_in_fence else self.action

    def holds(self, container: Fence | Action) -> bool:
        """Whether this very fence or action is still open."""
        return container is self.action or any(fence is container for fence in self.fences)

    def is_fence_line(self, line: int) -> bool:
        """Whether a fence opened or closed at this 0-based line."""
        return line in self.openings or line in self.closings

    def take(self, token: Token) -> None:
        """Take in a line in text that begins or ends a container."""
        if token.kind is Kind.HEADING:
            self._take_heading(Heading(token.length, token.word[:_LONGEST], token.line, width(token.indent)))
        elif token.kind is Kind.EDIT_ACTION:
            self._end_action()
            self.action = Action(token.line, width(token.indent), read_tag(token.word), self.innermost)
        elif token.kind in ACTION_ENDS:
            self._end_action()
        elif token.kind is Kind.TAG:
            tag, _, info = token.word.partition(" ")
            self._take_run(token, tag.lstrip("/"), info, is_bare=tag.startswith("/"), may_open=not tag.startswith("/"))
        else:
            self._take_run(token, token.word[0], token.word[1:], is_bare=len(token.word) == 1, may_open=True)

    def _end_action(self) -> None:
        if self.action is not None:
            outer = self.action.fence
            self._drop_fences(0 if outer is None else self.fences.index(outer) + 1)
            self._drop_action()

    def _drop_fences(self, depth: int) -> None:
        """Leave all fences but the outer `depth` ones, and with them an action that stands in one."""
        if self.action is not None and self.action.fence in self.fences[depth:]:
            self._drop_action()
        self.left.extend(reversed(self.fences[depth:]))
        del self.fences[depth:]

    def _drop_action(self) -> None:
        if self.action is not None:
            self.left.append(self.action)
        self.action = None

    def leave_all(self, stop: int) -> None:
        """The text is over at line `stop`, and everything that is open with it."""
        self.closed.extend((fence, stop) for fence in self.fences)
        self._drop_fences(0)
        self._drop_action()

    def _take_heading(self, heading: Heading) -> None:
        if self.fences:
            self.fences[-1].heading = heading
        else:
            self.heading = heading

    def _take_run(self, token: Token, mark: str, info: str, is_bare: bool, may_open: bool) -> None:
        if is_bare:
            for depth in range(len(self.fences) - 1, -1, -1):
                fence = self.fences[depth]
                if fence.mark == mark and fence.length <= token.length:
                    self.closings[token.line] = fence.line
                    self.closed.append((fence, token.line))
                    self._drop_fences(depth)
                    return
        else:
            self._drop_equal(mark, token.length)
        if may_open and len(self.fences) < DEEPEST:
            column, is_inner = width(token.indent), bool(self.fences)
            self.fences.append(Fence(mark, token.length, column, token.line, info[:_LONGEST], is_inner=is_inner))
            self.openings.add(token.line)

    def _drop_equal(self, mark: str, length: int) -> None:
        """A fence that opens with an info string while an equal one is open: the old one was never closed."""
        for depth, fence in enumerate(self.fences):
            if fence.mark == mark and fence.length == length:
                self.unclosed.append(fence.line)
                self._drop_fences(depth)
                return

    def pass_text(self, lines: Sequence[str], stop: int) -> None:
        """Note that text went on to line `stop` (0-based, not included): a heading may end the section."""
        if self.heading is not None and not self.fences:
            for line in lines[max(self._seen, self.heading.line + 1) : stop]:
                if self._ends_section(line, self.heading):
                    self.heading = None
                    break
        self._seen = stop

    @staticmethod
    def _ends_section(line: str, heading: Heading) -> bool:
        """Whether a line ends the section: a heading of its level or above, or a line that only names another file."""
        match = _MARKDOWN_HEADING.match(line)
        if match is not None and len(match[2]) <= heading.level:
            return width(match[1]) <= heading.column + _DEEPER
        named = find_path(line) if match is not None or line.lstrip(" \t")[:1] in ("*", "`") else None
        own = find_path(heading.text)
        if named is None or named.weak or own is None or not is_file_like(named.path):
            return False
        return own.path.rpartition("/")[2] != named.path.rpartition("/")[2]

    def pass_block(self, stop: int) -> None:
        """Note that a block ended before line `stop`: a comment sign in it is no heading."""
        self._seen = stop


def is_transparent(line: str) -> bool:
    """A tag that only folds or groups what follows; never a path, and stepped over."""
    return _TRANSPARENT.match(line.lstrip(" \t")) is not None


def width(indent: str) -> int:
    """Columns of white space; a tab goes on to the next multiple of 4, as in Markdown."""
    return len(indent.expandtabs(4))
