"""One file while its blocks are planned: the bytes it had, the text it will have, and the proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editblocks.core.errors import SelfCheckFailed
from editblocks.text.source_text import BOM, SourceText

Run = tuple[int, int, int]  # of original lines: where it begins now, where it began, and its length


@dataclass(slots=True)
class FilePlan:
    """A file after the blocks so far; `text` None: it does not exist."""

    path: str
    original: bytes | None
    before: SourceText
    text: SourceText | None
    size: int  # bytes of the text as it is now
    last_end: str = ""  # what a block put behind the last line

    @classmethod
    def of(cls, path: str, data: bytes | None) -> FilePlan:
        """Start from the bytes of the file. Raises `UnreadableFile` if they are not text."""
        text = None if data is None else SourceText.decode(data, path)
        return cls(path, data, SourceText() if text is None else text.copy(), text, len(data or b""))

    def size_after(self, start: int, stop: int, new: Sequence[str | int]) -> int:
        """About how many bytes the text has after `splice` with these arguments; line ends may differ."""
        lines = [] if self.text is None else self.text.lines
        kept = [lines[line] if isinstance(line, int) else line for line in new]
        return self.size - _bytes(lines[start:stop]) + _bytes(kept)

    def splice(self, start: int, stop: int, new: Sequence[str | int]) -> bool:
        """Change lines `start:stop` of the text as it is now (see `SourceText.splice`); say whether a byte changes."""
        text = SourceText() if self.text is None else self.text
        size = self.size_after(start, stop, new)
        is_changed = text.splice(start, stop, new) or self.text is None
        if is_changed:
            self.size, self.text = size, text
        return is_changed

    def end_last_line(self) -> bool:
        """Add a missing newline at the very end. Returns whether one was missing."""
        if self.text is None or not self.text.end_last_line():
            return False
        self.last_end = self.text.ends[-1]
        self.size += len(self.last_end)
        return True

    def changed_bytes(self) -> bytes | None:
        """The new bytes, after the self-check; None if nothing changed. Raises `SelfCheckFailed`."""
        if self.text is None:
            return None
        data = self.text.encode()
        if data == self.original:
            return None
        self._prove(self.text, data)
        return data

    def _prove(self, text: SourceText, data: bytes) -> None:
        """Compare the result with the original, whatever made it: docs/reference/formats.md, "self-check"."""
        runs = list(text.origins.runs())
        faults = (*self._line_faults(text, runs), *self._byte_faults(text, data, runs))
        if faults:
            raise SelfCheckFailed(
                f"the result for {self.path} {faults[0]}; nothing was written, report it with the log"
            )

    def _line_faults(self, text: SourceText, runs: Sequence[Run]) -> Iterator[str]:
        """Every kept line has the same text, the same line end, and the same order as in the original."""
        if len(text.origins) != len(text.lines) or len(text.ends) != len(text.lines):
            yield f"would have had {len(text.lines)} lines instead of {len(text.origins)}"
            return
        last = 0
        for now, head, count in runs:
            if head < last:
                yield f"would have moved line {head + 1}"
            last = head + count
            if self.before.lines[head:last] != text.lines[now : now + count]:
                yield f"would have touched lines {head + 1}-{last}, which no block names"
            old, new = self.before.ends[head:last], text.ends[now : now + count]
            # The old last line gains an end when lines come to follow it: its own end was empty.
            if old != new and (old[:-1] != new[:-1] or old[-1]):
                yield f"would have changed a line end in lines {head + 1}-{last}, which no block names"

    def _byte_faults(self, text: SourceText, data: bytes, runs: Sequence[Run]) -> Iterator[str]:
        """All above the first change and below the last is the original, byte for byte, and decodes again."""
        old = self.before
        head, tail = self._unchanged_ends(text, runs)
        if not data.startswith(SourceText(old.lines[:head], old.ends[:head], old.bom).encode()):
            yield "would have changed bytes before its first block"
        start = len(old.lines) - tail
        if not data.endswith(
            SourceText(old.lines[start:], old.ends[start:]).encode() + self.last_end.encode() * (tail > 0)
        ):
            yield "would have changed bytes after its last block"
        # A lone carriage return or BOM may now stand where it reads as an end or a BOM: the bytes are right.
        *whole, last = data.decode("utf-8").split("\n")
        if len(whole) + bool(last if whole else last.removeprefix(BOM)) != len(text.lines):
            yield "would not have read back"

    def _unchanged_ends(self, text: SourceText, runs: Sequence[Run]) -> tuple[int, int]:
        """How many lines at the start and at the end are unchanged."""
        if not runs:
            return 0, 0
        now, head, count = runs[0]
        first = count if now == head == 0 else 0
        now, head, count = runs[-1]
        is_end = now + count == len(text.lines) and head + count == len(self.before.lines)
        return first, count if is_end else 0


def _bytes(lines: Sequence[str]) -> int:
    return len("\n".join(lines).encode("utf-8", "surrogatepass")) + bool(lines)
