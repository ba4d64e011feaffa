"""Read files from a tree as text, and hold the plan of each. A self-check compares its result with the original."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from io import BytesIO
from itertools import islice
from typing import Protocol

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import SelfCheckFailed, UnreadableFile
from editblocks.core.model import Written
from editblocks.core.settings import Settings
from editblocks.paths.attributes import filtered_attribute, is_lfs_pointer
from editblocks.paths.tree import REGULAR, Entries, join
from editblocks.text.source_text import BOM, SourceText

Read = Callable[[str], "bytes | None"]
OTHER_MEANS = "edit it another way"


class Tree(Protocol):
    """The files of one version."""

    def prefetch(self, paths: Iterable[str]) -> None:
        """Announce which paths will be read, so that they can be fetched together. May do nothing."""

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a regular file, None if it does not exist. Raises `UnreadableFile` and `RepoError`."""

    def entries(self, directory: str) -> Mapping[str, str]:
        """Return the names in `directory` ("" is the root) with their git modes; empty if it is not a directory.

        A working tree has 000000 for what git does not track, such as a FIFO.
        """

    def link_target(self, path: str) -> str | None:
        """Return the target of the symbolic link at `path`, as it is stored; None if it is not known."""

    def ignored(self, paths: Iterable[str]) -> Iterable[str]:
        """Return those of `paths` that git ignores and does not track."""

    @property
    def listings(self) -> int:
        """How many directories may be listed just for a hint: fewer if each costs a request."""

    def at(self, commit: str) -> Read | None:
        """Return a function that reads the files of an earlier commit and raises as `read` does.

        None if the text is not a commit id (7 to 64 hex digits), if the id is unknown or ambiguous, or if the commit is
        neither the head nor in its history. Raises `RepoError`.
        """


def too_large(path: str, size: int, settings: Settings) -> str:
    """Why a file is too large to edit, or would become too large; sizes in bytes."""
    return f"{path} has {size:,} bytes, the limit is {settings.max_file_bytes:,} (max-file-bytes)"


class TextFiles:
    """Files that `read` returns. `entries` lists directories; None if only bytes can be read."""

    def __init__(self, read: Read, entries: Entries | None, settings: Settings) -> None:
        self._read = read
        self._entries = entries
        self._settings = settings

    def read(self, path: str) -> bytes | None:
        """Read a path. Raises `TypeError` if it comes as a `str`, which has lost the line ends of the file."""
        data: object = self._read(path)
        if data is None or isinstance(data, bytes):
            return data
        what = f"read({path!r}) returned {type(data).__name__}"
        raise TypeError(f"{what}; return bytes, or None if there is no such file")

    def check(self, path: str, data: bytes) -> None:
        """Raise `UnreadableFile` if the bytes may not be edited as text."""
        self.check_size(path, data)
        self.check_filter(path, data)

    def check_filter(self, path: str, data: bytes = b"") -> None:
        """Raise `UnreadableFile` if git stores other bytes at the path than people see."""
        advice = "edit it by hand in a checkout"
        if is_lfs_pointer(data):
            raise UnreadableFile(ReasonCode.FILTERED, f"{path} is a Git LFS pointer", advice)
        if self._entries is not None and (name := filtered_attribute(path, self._attributes)):
            what = f"{path} has the attribute {name}, which changes it on checkout"
            raise UnreadableFile(ReasonCode.FILTERED, what, advice)

    def plan(self, path: str) -> "FilePlan":
        """Return the plan of a file, without changes. Raises `UnreadableFile` if the file cannot be read."""
        data = self.read(path)
        try:
            if data is not None:
                self.check(path, data)
        except UnreadableFile as fault:
            return FilePlan(path, data, fault)
        return FilePlan(path, data)

    def check_size(self, path: str, data: bytes) -> None:
        """Raise `UnreadableFile` if there are too many bytes."""
        if len(data) > self._settings.max_file_bytes:
            raise UnreadableFile(ReasonCode.TOO_LARGE, too_large(path, len(data), self._settings), OTHER_MEANS)

    def _attributes(self, directory: str) -> bytes | None:
        """Return the `.gitattributes` of a directory, without changes of this response."""
        name = ".gitattributes"
        if self._entries is None or self._entries(directory).get(name) not in REGULAR:
            return None
        return self.read(join(directory, name))


class FilePlan:
    """A file after the blocks so far. `text` is None if there is no file, or if `fault` says why it is not editable.

    `path` is where it is now, `old_path` where it is on the branch, with the bytes `original`.
    """

    def __init__(self, path: str, original: bytes | None, fault: UnreadableFile | None = None) -> None:
        self.path = path
        self.old_path = path
        self.original = original
        self.fault = fault
        self.text: SourceText | None = None
        if original is not None and fault is None:
            try:
                self.text = SourceText.decode(original, path)
            except UnreadableFile as error:
                self.fault = error
        self.size = len(original or b"")  # bytes of the text as it is now
        self.lines_before = len(self.lines)
        self._was_bare = False  # it ended without a newline before the last change
        self._may_lose_its_end = False  # a patch said that it ends without a newline

    @cached_property
    def before(self) -> SourceText:
        """The text on the branch."""
        return SourceText.decode(self.original or b"")

    @property
    def lines(self) -> list[str]:
        """The lines as they are now; none if there is no text."""
        return [] if self.text is None else self.text.lines

    def lines_of_change(self, start: int, stop: int, new: Sequence[str | int], _ends: Sequence[str] = ()) -> Written:
        """Return the lines that `splice` would replace, and the lines that it would write."""
        text = self.text or SourceText()
        return Written(tuple(self.lines[start:stop]), tuple(text.with_kept(new)))

    def size_after(self, written: Written) -> int:
        """About how many bytes the text has after a change of lines; line ends may differ."""
        return self.size - _bytes(written.old) + _bytes(written.new)

    def splice(
        self, start: int, stop: int, new: Sequence[str | int], ends: Sequence[str] = (), section: int = 0
    ) -> Written | None:
        """Change lines `start:stop` of the text as it is now (see `SourceText.splice`); None if no byte changes."""
        text = self.text or SourceText()
        text.begin(section)
        self._was_bare = text.ends[-1:] == [""]
        old = tuple(self.lines[start:stop])
        if not text.splice(start, stop, new, ends) and self.text is not None:
            return None
        written = Written(old, tuple(text.lines[start : start + len(new)]))
        self.size = self.size_after(written)
        self.text = text
        return written

    def begin_with_crlf(self) -> None:
        """Let the lines of a new file end in CR LF."""
        self.text = self.text or SourceText()
        self.text.commonest_end = "\r\n"

    def end_last_line(self, ends: tuple[str, str]) -> bool:
        """Add or drop the newline at the very end, as `EditBlock.ends` asks. Returns whether that changed the file."""
        text = self.text
        before, after = ends
        is_asked_for = before != after or (after == "no" and self._was_bare)
        if text is None or not text.ends or not is_asked_for:
            return False
        self.size -= len(text.ends[-1])
        if after:
            self._may_lose_its_end = True
            is_changed = text.drop_last_end()
        else:
            is_changed = text.end_last_line()
        self.size += len(text.ends[-1])
        return is_changed

    @property
    def applied(self) -> list[int]:
        """The blocks whose changes the text holds."""
        return [] if self.text is None else self.text.applied

    @property
    def is_there(self) -> bool:
        """Whether there is such a file now, whatever it holds."""
        return self.text is not None or self.fault is not None

    def result(self) -> bytes | None:
        """Return the bytes of the file, after a self-check; None if there is no file. Raises `SelfCheckFailed`."""
        if self.text is None:
            return self.original
        data = self.text.encode()
        if data == self.original:
            return data
        fault = self._fault(self.text, data)
        if fault:
            raise SelfCheckFailed(f"the result for {self.path} {fault}; nothing was written, report it with the log")
        return data

    def _fault(self, text: SourceText, data: bytes) -> str:
        """Compare the bytes with the original, however they were made: docs/reference/rules.md, "applying".

        The number of lines must be as planned, and every kept line must have the same bytes and order as before.
        Return what is wrong; "" if nothing is wrong.
        """
        bom = BOM.encode()
        before = self.original or b""
        if before.startswith(bom):
            if not data.startswith(bom):
                return "would have lost its byte order mark"
            before = before.removeprefix(bom)
            data = data.removeprefix(bom)
        old = BytesIO(before)
        new = BytesIO(data)
        below = 0  # the kept lines above end here, in the original
        line = 0  # and here, in the new bytes
        for now, head, count in text.origins.runs():
            if head < below:
                return f"would have moved line {head + 1}"
            kept = list(islice(old, head - below, head - below + count))
            written = list(islice(new, now - line, now - line + count))
            below = head + count
            line = now + count
            is_same = len(kept) == len(written) == count and kept[:-1] == written[:-1]
            if not is_same or not self._is_kept(kept[-1], written[-1]):
                return f"would have touched lines {head + 1}-{below}, which no block names"
        count = line + sum(1 for _ in new)
        planned = len(text.origins.keys)
        if count != planned:
            return f"would have had {count} lines instead of {planned}"
        return ""

    def _is_kept(self, old: bytes, new: bytes) -> bool:
        """Whether the line `new` is the kept line `old`.

        The last line of a file gains a newline if lines are added after it, and loses its newline if a patch says so.
        """
        if old == new:
            return True
        if not old.endswith(b"\n"):
            return new in (old + b"\n", old + b"\r\n")
        return self._may_lose_its_end and not new.endswith(b"\n") and old in (new + b"\n", new + b"\r\n")


def _bytes(lines: Sequence[str]) -> int:
    return len("\n".join(lines).encode("utf-8", "surrogatepass")) + bool(lines)
