"""One file while its blocks are planned: the bytes it had, the text it will have, and the proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from io import BytesIO

from editblocks.core.errors import SelfCheckFailed
from editblocks.text.source_text import BOM, SourceText


class FilePlan:
    """A file after the blocks so far; `text` None: it does not exist. Raises `UnreadableFile` if it is no text."""

    def __init__(self, path: str, original: bytes | None) -> None:
        self.path, self.original = path, original
        self.text = None if original is None else SourceText.decode(original, path)
        self.size = len(original or b"")  # bytes of the text as it is now

    @cached_property
    def before(self) -> SourceText:
        """The text on the branch."""
        return SourceText.decode(self.original or b"")

    def size_after(self, start: int, stop: int, new: Sequence[str | int]) -> int:
        """About how many bytes the text has after `splice` with these arguments; line ends may differ."""
        text = self.text or SourceText()
        return self.size - _bytes(text.lines[start:stop]) + _bytes(text.with_kept(new))

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
        self.size += len(self.text.ends[-1])
        return True

    def changed_bytes(self) -> bytes | None:
        """The new bytes, after the self-check; None if nothing changed. Raises `SelfCheckFailed`."""
        data = None if self.text is None else self.text.encode()
        if self.text is None or data is None or data == self.original:
            return None
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
        old, new = (BytesIO(each.removeprefix(bom)).readlines() for each in (self.original or b"", data))
        if len(new) != len(text.origins.keys):
            yield f"would have had {len(new)} lines instead of {len(text.origins.keys)}"
        last = 0
        for now, head, count in text.origins.runs():
            if head < last:
                yield f"would have moved line {head + 1}"
            last = head + count
            was, is_now = old[head:last], new[now : now + count]
            if last == len(old) and is_now[-1:] in ([was[-1] + b"\n"], [was[-1] + b"\r\n"]):
                is_now[-1] = was[-1]  # the last line gains an end when lines come to follow it
            if was != is_now:
                yield f"would have touched lines {head + 1}-{last}, which no block names"


def _bytes(lines: Sequence[str]) -> int:
    return len("\n".join(lines).encode("utf-8", "surrogatepass")) + bool(lines)
