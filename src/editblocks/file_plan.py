"""One file while its blocks are planned: the bytes it had, the text it will have, and the proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editblocks.errors import SelfCheckFailed
from editblocks.line_map import LineMap
from editblocks.text import SourceText


@dataclass(slots=True)
class FilePlan:
    """A file as the blocks so far leave it; `text` None: it does not exist."""

    path: str
    original: bytes | None
    before: SourceText
    text: SourceText | None
    lines: LineMap
    size: int  # bytes of the text as it is now
    last_end: str = ""  # what a block put behind the last line

    @classmethod
    def of(cls, path: str, data: bytes | None) -> FilePlan:
        """Begin with the bytes that are there. Raises `UnreadableFile` if they are no text."""
        text = None if data is None else SourceText.decode(data, path)
        before = text or SourceText()
        return cls(path, data, before, text, LineMap(len(before.lines)), len(data or b""))

    def size_after(self, start: int, stop: int, new: Sequence[str | int]) -> int:
        """How many bytes the text would have after `splice` with the same arguments, give or take line ends."""
        text = self.text or SourceText()
        old = sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in text.lines[start:stop])
        kept = (text.lines[line] if isinstance(line, int) else line for line in new)
        return self.size - old + sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in kept)

    def splice(self, start: int, stop: int, new: Sequence[str | int]) -> bool:
        """Change lines `start:stop` of the text as it is now (see `SourceText.splice`); say whether a byte changes."""
        text = (self.text or SourceText()).splice(start, stop, new)
        if text == self.text:
            return False
        self.size = self.size_after(start, stop, new)
        self.text = text
        self.lines.splice(start, stop, new)
        return True

    def end_last_line(self) -> bool:
        """Put a newline behind a last line that has none; say whether that was so."""
        if self.text is None or not self.text.ends or self.text.ends[-1]:
            return False
        self.last_end = self.text.commonest_end
        self.text = self.text.with_last_end(self.last_end)
        self.size += len(self.last_end)
        return True

    def changed_bytes(self) -> bytes | None:
        """The new bytes, proved; None if they are the old ones. Raises `SelfCheckFailed`."""
        if self.text is None:
            return None
        data = self.text.encode()
        if data == self.original:
            return None
        self._prove(self.text, data)
        return data

    def _prove(self, text: SourceText, data: bytes) -> None:
        """Hold the result against the original, apart from how it was made (docs/formats.md, "self-check")."""
        faults = (*self._line_faults(text), *self._byte_faults(text, data))
        if faults:
            raise SelfCheckFailed(
                f"the result for {self.path} {faults[0]}; nothing was written, report it with the log"
            )

    def _line_faults(self, text: SourceText) -> Iterator[str]:
        origins = list(self.lines)
        if len(origins) != len(text.lines):
            yield f"would have had {len(text.lines)} lines instead of {len(origins)}"
            return
        last = -1
        for line, origin in enumerate(origins):
            if origin is None:
                continue
            old_end = self.before.ends[origin]
            # The old last line gains an end when lines come to follow it: its own end was empty.
            if self.before.lines[origin] != text.lines[line] or (old_end and old_end != text.ends[line]):
                yield f"would have touched line {origin + 1}, which no block names"
            if origin <= last:
                yield f"would have moved line {origin + 1}"
            last = origin

    def _byte_faults(self, text: SourceText, data: bytes) -> Iterator[str]:
        old, origins = self.before.with_last_end(self.last_end), list(self.lines)
        shorter = min(len(origins), len(old.lines))
        head = next((line for line in range(shorter) if origins[line] != line), shorter)
        tail = next((line for line in range(shorter) if origins[-1 - line] != len(old.lines) - 1 - line), shorter)
        start = len(old.lines) - tail
        if not data.startswith(SourceText(old.lines[:head], old.ends[:head], old.bom).encode()):
            yield "would have changed bytes before its first block"
        if not data.endswith(SourceText(old.lines[start:], old.ends[start:]).encode()):
            yield "would have changed bytes after its last block"
        # A lone carriage return or BOM may now stand where it reads as an end or a BOM: the bytes are right.
        again = SourceText.of(data.decode("utf-8"))
        if again.text() != text.text() or len(again.lines) != len(text.lines):
            yield "would not have read back"
