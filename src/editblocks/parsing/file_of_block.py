"""Find the file that a block changes: try the sources P1 to P8 of docs/reference/rules.md in order, the first one wins.

There is no search by base name, no similarity and no case folding: a block changes the file that it names, or no file.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault, Located
from editblocks.formats.markers import FILE_ACTION, Token, read_tag
from editblocks.parsing.containers import Container, Containers, is_transparent
from editblocks.parsing.path_line import (
    LONGEST_PATH_LINE,
    PATH_IN_COMMENT,
    PathLine,
    clean_path,
    clear_path,
    find_path,
    is_file_like,
    is_item,
    is_plain_path,
    path_in_info,
    path_of_changed_file,
    paths_within,
)

LINES_ABOVE_IN_FENCE = 3
BLANKS_ABOVE = 2
FARTHEST = 20  # lines: paths are close, and passing 100,000 fence lines for every block would take quadratic time
_FULL_PATH = "write the full path on the line above"


def locate(containers: Containers, opener: Token) -> Located | Fault:
    """Find the file of the block that `opener` begins."""
    if opener.kind is FILE_ACTION:
        tag = read_tag(opener.word)
        if tag is None or not tag.file_path:
            advice = 'write `<boltAction type="file" filePath="path">`'
            return Fault(ReasonCode.NO_PATH, "the action names no file", advice)
        return _to_located(clean_path(tag.file_path), "P1")
    fence = containers.innermost
    if fence is not None and not fence.mark:
        fence = None
    located = _alone_above(containers, opener.line, fence) or _Search(containers, opener.line, fence).find()
    if isinstance(located, Fault) or containers.action is None:
        return located
    return located._replace(in_action=True)


def _alone_above(containers: Containers, opener: int, fence: Container | None) -> Located | None:
    """Find the file in the usual layout: a path line right above the fence of the block (P4). Saves 20 % of reading."""
    if fence is None or fence.line + 1 != opener or fence.line < 2 or len(containers.open) > 1:
        return None
    before, path = containers.lines[fence.line - 2 : fence.line]
    is_plain = not before.strip(" \t") and len(path) <= LONGEST_PATH_LINE and (not fence.info or fence.info.isalnum())
    if not is_plain or not is_plain_path(path):
        return None
    return Located(path, "P4")


def path_of_fence(containers: Containers, fence: Container) -> Located | None:
    """The file that the lines around a fence name clearly (P3, P4, P5, P8), for content that names no file itself."""
    search = _Search(containers, fence.line, fence)
    for source, path_line in search.around():
        if not path_line.weak:
            return _to_located(path_line, source)
    changed = path_of_changed_file(search.nearest or "")
    if changed is not None:
        return _to_located(changed, "P4")
    located = search.thread()
    if isinstance(located, Fault):
        return None
    return located


def path_of_whole_file(containers: Containers, fence: Container) -> Located | Fault | None:
    """The file of a fence with a whole file: named by its info string (P3) or by the line right above it (P4)."""
    search = _Search(containers, fence.line, fence, blanks=1)
    for source, path_line in search.around():
        if source != "P5" and not path_line.weak:
            return search.locate_unless_contradicted(source, path_line)
    return None


def mentions_file(containers: Containers, fence: Container) -> bool:
    """Whether the nearest line above a fence, or its first line, mentions a file, although no path line names it."""
    above = _Search(containers, fence.line, fence, blanks=FARTHEST).nearest or ""
    inside = containers.lines[fence.line + 1 : fence.line + 1 + FARTHEST]
    if paths_within(above) or path_in_first_line(inside) is not None:
        return True
    named = find_path(above)
    return named is not None and (not named.weak or "/" in named.path)


def path_in_first_line(lines: Sequence[str]) -> str | None:
    """The file that the first line with text clearly names; None if it names none."""
    first = next((line for line in lines if line.strip(" \t")), "")
    path = clear_path(first)
    if path is None or not is_file_like(path):
        return None
    return path


class _Search:
    """The search for the file of a block at line `opener`; P4 may have at most `blanks` blank lines below it."""

    def __init__(
        self, containers: Containers, opener: int, fence: Container | None, blanks: int = BLANKS_ABOVE
    ) -> None:
        self._containers = containers
        self._lines = containers.lines
        self._opener = opener
        self._fence = fence
        self._blanks = blanks
        self._action = containers.action
        # The lines above the fence that may name its file: from the opening of the action around it, if there is one.
        self._stop = opener
        if fence is not None:
            self._stop = fence.line
        self._action_start = 0
        if self._action is not None:
            self._action_start = self._action.line + 1
        self._start = 0
        if self._action_start <= self._stop:
            self._start = self._action_start

    def find(self) -> Located | Fault:
        fence = self._fence
        paths_above = list(self._paths_above_opener())
        path_above = next((each for each in paths_above if not each.weak), None)
        if named := list(self._paths_of_containers()):
            return self._from_names(named, path_above)
        if path_above is not None:
            return self._from_line(path_above)
        weak = [("P2", path_line) for path_line in paths_above[:1]]
        if fence is None or not fence.names_inside:
            for source, path_line in self.around():
                if not path_line.weak:
                    return self.locate_unless_contradicted(source, path_line)
                weak.append((source, path_line))
        elif (heading := self._containers.section) is not None and self._containers.previous_path is not None:
            named_above = _path_of_heading(heading).path
            previous_path = self._containers.previous_path.path
            if named_above != previous_path:
                return _fault_of_two_names(named_above, previous_path)
        if (earlier_path := self._path_of_action() or self._path_of_previous_row()) is not None:
            return earlier_path
        last = self.thread()
        if weak:
            source, path_line = weak[0]
            located = _to_located(path_line, source, inside=source == "P2" and fence is not None)
            if isinstance(last, Fault):
                return located
            return located._replace(thread_path=last.path)
        return last

    def _paths_of_containers(self) -> Iterator[str]:
        """Yield the paths in the tag of the action and in the info strings of the fences around the block (P1)."""
        if self._action is not None and (tag := self._action.tag) is not None:
            if tag.file_path:
                yield tag.file_path
            elif clear_path(tag.rest) is not None:
                yield tag.rest
        for fence in self._containers.fences:
            if fence.info.startswith("edit:"):
                yield fence.info.removeprefix("edit:").strip(" \t")

    def _from_names(self, named: Sequence[str], path_above: PathLine | None) -> Located | Fault:
        if not all(named):
            return Fault(ReasonCode.NO_PATH, "the info string `edit:` names no file", "write `edit:path`")
        names = [clean_path(name) for name in named]
        path = names[0].path
        for each in names:
            if each.path != path:
                return _fault_of_two_names(path, each.path)
        inner = [path_above]
        if self._fence is not None:
            inner += (path_line for source, path_line in self.around() if source != "P5" and not path_line.weak)
        other = _other_file(path, [each.path for each in inner if each is not None and is_file_like(each.path)])
        if other is not None:
            return _fault_of_two_names(path, other)
        return _to_located(names[-1], "P1")

    def _paths_above_opener(self) -> Iterator[PathLine]:
        """Yield the paths above the opener (P2), nearest first: in three lines of a fence or action, or in one."""
        fence = self._fence
        row_stop = self._containers.row_stop
        if fence is None and self._action is None:
            line = self._nearest_above(self._opener, row_stop)
            heading = self._containers.heading
            path_line = find_path(line or "")
            if path_line is not None and (heading is None or line != self._lines[heading.line]):
                yield path_line
            return
        start = self._action_start
        if fence is not None:
            start = fence.line + 1
        above = range(self._opener - 1, max(start, row_stop) - 1, -1)
        lines = (n for n in above if self._lines[n].strip(" \t") and not is_transparent(self._lines[n]))
        for number in islice(lines, LINES_ABOVE_IN_FENCE):
            if fence is not None and fence.heading is not None and fence.heading.line == number:
                return  # a heading names all blocks below, not only the next one
            if (path_line := find_path(self._lines[number])) is not None:
                yield path_line

    def _from_line(self, path_line: PathLine) -> Located:
        located = _to_located(path_line, "P2", inside=self._fence is not None)
        if self._fence is not None:
            self._fence.names_inside = True
        elif (heading := self._containers.heading) is not None and _path_of_heading(heading).path != path_line.path:
            self._containers.heading = None  # the text has moved on to another file
        if self._action is not None:
            self._action.located = located
        return located

    def _path_of_action(self) -> Located | None:
        """The path of an earlier block in the same action (P6)."""
        if self._action is None or self._action.located is None:
            return None
        used = self._action.located
        return used._replace(source="P6", origin=used.origin or used.source, notes=())

    def around(self) -> Iterator[tuple[str, PathLine]]:
        """Yield what the sources P3 to P5 name."""
        if (fence := self._fence) is not None:
            if fence.heading is not None:
                yield "P5", _path_of_heading(fence.heading)
            info = path_in_info(fence.info)
            if info is not None and "/" in info.path:
                yield "P3", info
            if (path_line := find_path(self.nearest or "")) is not None:
                yield "P4", path_line
            if info is not None:
                yield "P3", info
        if (heading := self._containers.section) is not None:
            yield "P5", _path_of_heading(heading)

    def locate_unless_contradicted(self, source: str, path_line: PathLine) -> Located | Fault:
        """The file of a path line; a fault if another file is named just as clearly."""
        other = self._contradiction(source, path_line.path)
        if other:
            return _fault_of_two_names(path_line.path, other)
        return _to_located(path_line, source)

    def _contradiction(self, source: str, path: str) -> str | None:
        """Another file that is named just as clearly; None if there is none.

        A path in the info string is compared with the one on the line above the fence, and vice versa; the path of a
        heading is compared with paths in the line nearest to the block.
        """
        above = self.nearest or ""
        if source == "P5":
            names = paths_within(above)
            if (used := self._path_of_action()) is not None:
                names.append(used.path)
            return _other_file(path, names)
        fence = self._fence
        # An info string with only a language does not contradict a path above the fence.
        if fence is None or (source == "P4" and set(fence.info).isdisjoint(" \t:=/")):
            return None
        others = [clear_path(above)]
        if (info := path_in_info(fence.info)) is not None:
            others.append(info.path)
        return _other_file(path, filter(None, others))

    def _path_of_previous_row(self) -> Located | None:
        """The path of the previous row, if only blank, fence or `...` lines are between (P7)."""
        previous = self._containers.previous_path
        containers = self._containers
        if previous is None:
            return None
        crosses_fence = False
        for number in range(self._opener - 1, containers.row_stop - 1, -1):
            if containers.is_fence_line(number):
                crosses_fence = True
            elif self._lines[number].strip(" \t") not in ("", "..."):
                return None
        notes: tuple[Note, ...] = ()
        if crosses_fence:
            message = f"no line holds only the path of its file; used {previous.path}, as for the block before"
            notes = (Note("path-carried", message),)
        return previous._replace(source="P7", origin=previous.origin or previous.source, notes=notes, in_action=False)

    def thread(self) -> Located | Fault:
        """The file of the review thread (P8); a fault if there is none, or if the text above mentions another file."""
        path = self._containers.thread_path
        if path is None:
            return Fault(ReasonCode.NO_PATH, "no line holds only the path of its file", _FULL_PATH)
        others = (name for name in self._named_above() if name != path and not path.endswith(f"/{name}"))
        if (other := next(others, None)) is not None:
            return Fault(ReasonCode.NO_PATH, f"the thread is about {path}, and {other} is named above", _FULL_PATH)
        return Located(path, "P8", notes=(Note("path-from-thread", f"the thread is about {path}"),))

    def _named_above(self) -> Iterator[str]:
        """Yield the file of the previous block, and the files that the lines since then name or introduce."""
        if self._containers.previous_path is not None:
            yield self._containers.previous_path.path
        nearest = self.nearest
        number = self._stop - 1
        while number >= max(self._start, self._containers.row_stop, self._stop - FARTHEST):
            line = self._lines[number]
            may_introduce = line == nearest or line.rstrip(" \t*").endswith(":")
            if (path := clear_path(line)) is not None:
                yield path
            elif may_introduce and not line.lstrip(" \t").startswith(">"):
                yield from paths_within(line)
            number = self._containers.closings.get(number, number) - 1

    @cached_property
    def nearest(self) -> str | None:
        """The nearest line above the block or its fence that may name a file."""
        return self._nearest_above(self._stop, self._start)

    def _nearest_above(self, line: int, boundary: int) -> str | None:
        """The nearest line above `line` with text, if few blank lines are between; fence lines are skipped.

        A line inside an earlier, closed fence is only used if it is the only line of that fence.
        """
        blanks = 0
        opening = None
        for number in range(line - 1, max(boundary, line - FARTHEST) - 1, -1):
            text = self._lines[number]
            if len(text) > 2 * LONGEST_PATH_LINE:
                return text  # too long for a path, and every block would look at it
            if not text.strip(" \t"):
                blanks += 1
                if blanks > self._blanks:
                    return None
            elif self._containers.is_fence_line(number):
                opening = self._containers.closings.get(number)
            elif not is_transparent(text):
                start = number
                if opening is not None:
                    start = opening + 1
                is_alone = number - start < FARTHEST and not "".join(self._lines[start:number]).strip(" \t")
                if is_alone and not self._is_one_of_several(number):
                    return text
                return None
        return None

    def _is_one_of_several(self, line: int) -> bool:
        """Whether the line is the last of several paths, in a list or below each other, so that the file is unclear."""
        text = self._lines[line]
        above = self._lines[line - 1] if line else ""
        is_apart = not above.strip(" \t")
        if is_apart:
            above = self._lines[line - 2] if line > 1 else ""
        named = find_path(above)
        own = find_path(text)
        if named is None or own is None or is_item(above) != is_item(text):
            return False
        if is_item(text):
            return True
        is_bare_path = not named.weak and above.strip() == named.path
        return is_bare_path and not is_apart and named.path != own.path


def _path_of_heading(heading: Token) -> PathLine:
    """The path of a `File:` heading. A path of several words may be a sentence, so that it is weak."""
    path_line = find_path(heading.word) or PathLine(heading.word, weak=True)
    return path_line._replace(weak=path_line.weak and " " in path_line.path)


def _to_located(path_line: PathLine, source: str, *, inside: bool = False) -> Located:
    notes: tuple[Note, ...] = ()
    if path_line.cleaned:
        notes = (Note("path-cleaned", f"the path was read as {path_line.path}"),)
    if path_line.in_comment and not inside:
        hidden = Note(PATH_IN_COMMENT, "the file is named in an HTML comment, which a rendered page does not show")
        notes = (*notes, hidden)
    return Located(path_line.path, source, path_line.weak, inside, notes)


def _other_file(path: str, others: Iterable[str]) -> str | None:
    """The first of `others` with another file name than `path`."""
    name = path.rpartition("/")[2]
    return next((other for other in others if other.rpartition("/")[2] != name), None)


def _fault_of_two_names(one: str, other: str) -> Fault:
    return Fault(ReasonCode.NO_PATH, f"two lines name different files, {one} and {other}", "keep one")
