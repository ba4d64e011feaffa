"""The files as a response's author saw them, with the blocks that were applied since: what a block is merged from.

Rules: docs/reference/formats.md, "three-way".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from editblocks.applying.decide import place_block
from editblocks.applying.options import PlacementOptions
from editblocks.applying.reading import Read, TextFiles
from editblocks.core.errors import UnreadableFile
from editblocks.core.model import EditBlock, Mismatch
from editblocks.core.settings import Settings
from editblocks.matching.ladder import Placement, Strategy
from editblocks.text.source_text import SourceText

_OID_DIGITS = (40, 64)  # SHA-1 and SHA-256
_SHORTENED = re.compile("[0-9a-f]{7,39}")  # the id of a commit


class BaseVersion:
    """The files of one commit, read when they are first asked for."""

    def __init__(self, commit: str, open_commit: Callable[[str], Read | None], settings: Settings) -> None:
        self.commit, self._settings = commit, settings
        self.is_unknown = False  # asked for, and no commit that the branch comes from
        self._open = open_commit
        self._files: TextFiles | None = None
        self._texts: dict[str, SourceText | None] = {}
        self._earlier_blocks: dict[str, list[tuple[EditBlock, Sequence[Strategy], bool]]] = {}  # and not done here yet

    @property
    def unknown(self) -> str:
        """Why nothing is merged. A shortened id is shown as it is, because it may name another commit."""
        shown, digits = self.commit[:12] + "…" * (len(self.commit) > 12), len(self.commit)
        if _SHORTENED.fullmatch(self.commit):  # GitHub is asked with full ids alone, and a store may know several
            return f"the base {shown} cannot be looked up by {digits} digits, so nothing is merged; write all 40"
        if digits > 40 and digits not in _OID_DIGITS:
            return f"the base {shown} has {digits} digits, and an id has 40, so nothing is merged; write those"
        return f"the base {shown} is no commit that this branch comes from, so nothing is merged"

    def follow(self, block: EditBlock, strategies: Sequence[Strategy], *, is_old: bool = False) -> None:
        """Note a block that was applied to the file on the branch; `is_old`: by an earlier run."""
        self._earlier_blocks.setdefault(block.file_path, []).append((block, strategies, is_old))

    def text(self, path: str) -> SourceText | None:
        """The file after the blocks so far; None if there is no such file, or if one of them did not fit.

        Raises `RepoError` if the commit cannot be read.
        """
        text = self._texts[path] if path in self._texts else self._base_text(path)
        for block, strategies, is_old in self._earlier_blocks.pop(path, ()):
            placement = None if text is None else place_block(block, text, PlacementOptions(strategies))
            if text is not None and isinstance(placement, Placement):
                text.splice(placement.start, placement.stop, placement.new)
            elif isinstance(placement, Mismatch) and not is_old:
                text = None
        self._texts[path] = text
        return text

    def _base_text(self, path: str) -> SourceText | None:
        if self._files is None and not self.is_unknown:
            read = self._open(self.commit)
            self.is_unknown = read is None
            self._files = None if read is None else TextFiles(read, None, self._settings)
        try:
            data = None if self._files is None else self._files.read(path)
            return None if data is None or len(data) > self._settings.max_file_bytes else SourceText.decode(data, path)
        except UnreadableFile:
            return None
