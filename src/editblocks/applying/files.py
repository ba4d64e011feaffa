"""Files: read from a tree as text; the plan of each, with its proof; and as a response's author saw them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from editblocks.applying.decide import place_block
from editblocks.core.blocks import EditBlock
from editblocks.core.codes import FINE_CODES, ReasonCode
from editblocks.core.errors import SelfCheckFailed, UnreadableFile
from editblocks.core.model import Mismatch, Written
from editblocks.core.settings import Settings
from editblocks.core.typed import Protocol
from editblocks.matching.ladder import Budget, Placement, PlacementOptions, Strategy
from editblocks.paths.attributes import filtered_attribute, is_lfs_pointer
from editblocks.paths.tree import Entries
from editblocks.text.source_text import BOM, SourceText

Read = Callable[[str], "bytes | None"]
_FEW = 3  # lines to pass one by one
OTHER_MEANS = "edit it by other means"
_NO_TEXT = SourceText()


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
        """Return where the symbolic link at `path` leads to, as it says; None if it cannot be told."""

    def ignored(self, paths: Iterable[str]) -> Iterable[str]:
        """Return those of `paths` that git ignores and does not track."""

    @property
    def listings(self) -> int:
        """How many directories may be listed just for a hint: fewer if each costs a request."""

    def at(self, commit: str) -> Read | None:
        """Return a function that reads the files of an earlier commit and raises as `read` does.

        None if the text is no commit id (7 to 64 hex digits), if the id is unknown or ambiguous, or if the commit is
        neither the head nor in its history. Raises `RepoError`.
        """


def too_large(path: str, size: int, settings: Settings) -> str:
    """Why a file is too large to edit, or would become too large; sizes in bytes."""
    return f"{path} has {size:,} bytes, the limit is {settings.max_file_bytes:,} (max-file-bytes)"


class TextFiles:
    """The files that `read` gives; `entries` lists directories, None if nothing is known but bytes."""

    def __init__(self, read: Read, entries: Entries | None, settings: Settings) -> None:
        self._read, self._entries, self._settings = read, entries, settings

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
        what = f"{path} is a Git LFS pointer" if is_lfs_pointer(data) else None
        if what is None and self._entries is not None and (name := filtered_attribute(path, self._attributes)):
            what = f"{path} has the attribute {name}, which changes it on checkout"
        if what is not None:
            raise UnreadableFile(ReasonCode.FILTERED, what, "edit it in a checkout")

    def plan(self, path: str) -> FilePlan:
        """The file as it is. Raises `UnreadableFile` if nothing can be read there."""
        data, fault = self.read(path), None
        try:
            if data is not None:
                self.check(path, data)
        except UnreadableFile as error:
            fault = error
        return FilePlan(path, data, fault)

    def check_size(self, path: str, data: bytes) -> None:
        """Raise `UnreadableFile` if there are too many bytes."""
        if len(data) > self._settings.max_file_bytes:
            raise UnreadableFile(ReasonCode.TOO_LARGE, too_large(path, len(data), self._settings), OTHER_MEANS)

    def _attributes(self, directory: str) -> bytes | None:
        """The `.gitattributes` of a directory, as no block of this response left it."""
        path = f"{directory}/.gitattributes" if directory else ".gitattributes"
        is_file = self._entries is not None and self._entries(directory).get(".gitattributes") in ("100644", "100755")
        return self.read(path) if is_file else None


class FilePlan:
    """A file after the blocks so far. `text` is None if it does not exist, or if it may not be edited as text: `fault`.

    `path` is where it is now, `old_path` where it is on the branch, with the bytes `original`.
    """

    def __init__(self, path: str, original: bytes | None, fault: UnreadableFile | None = None) -> None:
        self.path, self.old_path, self.original, self.fault = path, path, original, fault
        self.text: SourceText | None = None
        try:
            self.text = None if original is None or fault else SourceText.decode(original, path)
        except UnreadableFile as error:
            self.fault = error
        self.size = len(original or b"")  # bytes of the text as it is now
        self.lines_before = 0 if self.text is None else len(self.text.lines)
        self._was_bare = self._may_lose_its_end = False  # it ended without a newline before the last change

    @cached_property
    def before(self) -> SourceText:
        """The text on the branch."""
        return SourceText.decode(self.original or b"")

    def written(self, start: int, stop: int, new: Sequence[str | int]) -> Written:
        """The lines that such a splice replaces, and those that it puts there."""
        text = self.text or _NO_TEXT
        return Written(tuple(text.lines[start:stop]), tuple(text.with_kept(new)))

    def size_after(self, written: Written) -> int:
        """About how many bytes the text has after a change of lines; line ends may differ."""
        return self.size - _bytes(written.old) + _bytes(written.new)

    def splice(self, start: int, stop: int, new: Sequence[str | int], section: int = 0) -> Written | None:
        """Change lines `start:stop` of the text as it is now (see `SourceText.splice`); None if no byte changes."""
        text = SourceText() if self.text is None else self.text
        text.begin(section)
        self._was_bare = text.ends[-1:] == [""]
        written = self.written(start, stop, new)
        if not text.splice(start, stop, new) and self.text is not None:
            return None
        self.size, self.text = self.size_after(written), text
        return written

    def begin_with_crlf(self) -> None:
        """Let the lines of a new file end in CR LF."""
        self.text = self.text or SourceText()
        self.text.commonest_end = "\r\n"

    def end_last_line(self, ends: tuple[str, str]) -> bool:
        """Add or drop the newline at the very end, as `EditBlock.ends` asks. Returns whether that changed the file."""
        text = self.text
        stays_bare = all(ends) and self._was_bare
        if text is None or not text.ends or (ends[0] == ends[1] and not stays_bare):
            return False
        self.size -= len(text.ends[-1])
        is_changed = text.drop_last_end() if ends[1] else text.end_last_line()
        self._may_lose_its_end = self._may_lose_its_end or bool(ends[1])
        self.size += len(text.ends[-1])
        return is_changed

    @property
    def is_there(self) -> bool:
        """Whether there is such a file now, whatever it holds."""
        return self.text is not None or self.fault is not None

    def result(self) -> bytes | None:
        """Its bytes now, after the self-check; None if there is no such file. Raises `SelfCheckFailed`."""
        data = self.original if self.text is None else self.text.encode()
        if self.text is None or data is None or data == self.original:
            return data
        if fault := next(self._faults(self.text, data), None):
            raise SelfCheckFailed(f"the result for {self.path} {fault}; nothing was written, report it with the log")
        return data

    def _faults(self, text: SourceText, data: bytes) -> Iterator[str]:
        """Compare the bytes with the original, whatever made them: docs/reference/formats.md, "self-check".

        There are as many lines as were planned; every kept line has the same bytes, and the same order, as before.
        """
        bom = BOM.encode() if self.original and self.original.startswith(BOM.encode()) else b""
        if not data.startswith(bom):
            yield "would have lost its byte order mark"
        old, new = (each.removeprefix(bom) for each in (self.original or b"", data))
        planned, width = len(text.origins.keys), len(old) // (self.lines_before + 1) + 1
        last, stop = 0, 0  # the lines behind the run before, of the original and now
        old_at, at = 0, 0  # and where they begin
        for now, head, count in text.origins.runs():
            if head < last:
                yield f"would have moved line {head + 1}"
            old_at, at = _below(old, old_at, head - last, width), _below(new, at, now - stop, width)
            last, stop = head + count, now + count
            was = old[old_at : len(old) if last == self.lines_before else _below(old, old_at, count, width)]
            old_at, at, is_now = old_at + len(was), at + len(was), new[at : at + len(was)]
            is_same = was == is_now
            if is_same and not was.endswith(b"\n"):  # the last line gains an end when lines come to follow it
                end = next((end for end in (b"\n", b"\r\n") if new.startswith(end, at)), b"")
                is_same, at = bool(end) or at == len(new), at + len(end)
            elif self._may_lose_its_end and stop == planned and is_now[-1:] not in (b"", b"\n"):
                is_same = is_same or was in (is_now + b"\n", is_now + b"\r\n")
            if not is_same:
                yield f"would have touched lines {head + 1}-{last}, which no block names"
        rest = new[at:]
        size = stop + rest.count(b"\n") + (not rest.endswith(b"\n") and bool(rest))
        if size != planned:
            yield f"would have had {size} lines instead of {planned}"


def _below(data: bytes, at: int, count: int, width: int) -> int:
    """Where the line begins that is `count` lines below the one that begins at `at`; the end if there is none.

    Most lines have about `width` bytes: to jump is faster than to look at each.
    """
    while count > _FEW and at < len(data):
        stop = at + count * width * 7 // 8  # beyond it, they would have to be counted again
        passed = data.count(b"\n", at, stop)
        if passed > count:
            width = max(1, width // 2)
        elif passed == count:
            return data.rfind(b"\n", at, stop) + 1
        else:
            at, count = stop, count - passed
    for _ in range(count):
        at = data.find(b"\n", at) + 1 or len(data)
    return at


def _bytes(lines: Sequence[str]) -> int:
    return len("\n".join(lines).encode("utf-8", "surrogatepass")) + bool(lines)


class BaseVersion:
    """The files of one commit, read when they are first asked for."""

    def __init__(self, commit: str, open_commit: Callable[[str], Read | None], settings: Settings) -> None:
        self.commit, self._settings = commit, settings
        self.is_unknown = False  # asked for, and no commit that the branch comes from
        self._open = open_commit
        self._files: TextFiles | None = None
        self._texts: dict[str, SourceText | None] = {}
        self._old_paths: dict[str, str] = {}  # of files that the response renames
        self._earlier_blocks: dict[str, list[tuple[EditBlock, Sequence[Strategy], bool]]] = {}  # and not done here yet

    @property
    def unknown(self) -> str:
        """Why nothing is merged. GitHub is asked with full ids alone, and a shortened one may name several commits."""
        shown = self.commit[:12] + "…" * (len(self.commit) > 12)
        rule = "on GitHub, write all 40 digits"
        return f"the base {shown} is no commit that this branch comes from ({rule}), so nothing is merged"

    def follow(self, block: EditBlock, strategies: Sequence[Strategy], *, is_old: bool = False) -> None:
        """Note a block that was applied to the file on the branch; `is_old`: by an earlier run."""
        if block.thread_lines is None:  # those are lines of a commit of their own
            self._earlier_blocks.setdefault(block.file_path, []).append((block, strategies, is_old))

    def text(self, path: str) -> SourceText | None:
        """The file after the blocks so far; None if there is no such file, or if one of them did not fit.

        Raises `RepoError` if the commit cannot be read.
        """
        text = self._texts[path] if path in self._texts else self._base_text(path)
        for block, strategies, is_old in self._earlier_blocks.pop(path, ()):
            placement = None if text is None else place_block(block, text, PlacementOptions(Budget(), strategies))
            if text is not None and isinstance(placement, Placement):
                text.begin(block.section)
                text.splice(*placement.change)
            elif isinstance(placement, Mismatch) and not (is_old or placement.code in FINE_CODES):
                text = None
        self._texts[path] = text
        return text

    def take_away(self, path: str, new_path: str = "") -> None:
        """Let the file go on under a new name, or not at all."""
        blocks = self._earlier_blocks.pop(path, [])
        if new_path:
            self._old_paths[new_path] = self._old_paths.get(path, path)
            self._earlier_blocks[new_path] = blocks
            self._texts.pop(new_path, None)
            if path in self._texts:
                self._texts[new_path] = self._texts[path]
        self._texts[path] = None

    def _base_text(self, path: str) -> SourceText | None:
        path = self._old_paths.get(path, path)
        if self._files is None and not self.is_unknown:
            read = self._open(self.commit)
            self.is_unknown = read is None
            self._files = None if read is None else TextFiles(read, None, self._settings)
        try:
            data = None if self._files is None else self._files.read(path)
            return None if data is None or len(data) > self._settings.max_file_bytes else SourceText.decode(data, path)
        except UnreadableFile:
            return None
