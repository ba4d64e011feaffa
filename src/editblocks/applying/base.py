"""The files of an earlier commit: of the base that an answer names, or of the one that a suggestion was written on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editblocks.applying.files import Read, TextFiles
from editblocks.applying.placing import place_block
from editblocks.core.blocks import EditBlock
from editblocks.core.codes import FINE_CODES
from editblocks.core.errors import UnreadableFile
from editblocks.core.settings import Settings
from editblocks.core.typed import NamedTuple
from editblocks.matching.ladder import Budget, Placement, PlacementOptions, Strategy
from editblocks.text.source_text import SourceText

_SHOWN_DIGITS = 12  # of a commit id


class _AppliedBlock(NamedTuple):
    """A block that was applied to the file on the branch, and that the file of this version has yet to follow."""

    block: EditBlock
    strategies: Sequence[Strategy]
    is_old: bool  # by an earlier run


class BaseVersion:
    """The files of one commit, read when they are first asked for."""

    def __init__(self, commit: str, open_commit: Callable[[str], Read | None], settings: Settings) -> None:
        self.commit = commit
        self.is_unknown = False  # asked for, and no commit that the branch comes from
        self._settings = settings
        self._open = open_commit
        self._files: TextFiles | None = None
        self._texts: dict[str, SourceText | None] = {}
        self._old_paths: dict[str, str] = {}  # of files that the response renames
        self._applied: dict[str, list[_AppliedBlock]] = {}

    @property
    def unknown(self) -> str:
        """Why nothing is merged. GitHub is asked with full ids alone, and a shortened one may name several commits."""
        shown = self.commit
        if len(shown) > _SHOWN_DIGITS:
            shown = f"{shown[:_SHOWN_DIGITS]}…"
        rule = "on GitHub, write all 40 digits"
        return f"the base {shown} is no commit that this branch comes from ({rule}), so nothing is merged"

    def follow(self, block: EditBlock, strategies: Sequence[Strategy], *, is_old: bool = False) -> None:
        """Note a block that was applied to the file on the branch; `is_old`: by an earlier run."""
        if block.thread_lines is None:  # those are lines of a commit of their own
            self._applied.setdefault(block.file_path, []).append(_AppliedBlock(block, strategies, is_old))

    def text(self, path: str) -> SourceText | None:
        """The file after the blocks so far; None if there is no such file, or if one of them did not fit.

        Raises `RepoError` if the commit cannot be read.
        """
        if path not in self._texts:
            self._texts[path] = self._read(path)
        for applied in self._applied.pop(path, ()):
            text = self._texts[path]
            if text is None:
                break
            placement = place_block(applied.block, text, PlacementOptions(Budget(), applied.strategies))
            if isinstance(placement, Placement):
                text.begin(applied.block.section)
                text.splice(*placement.change)
            elif not (applied.is_old or placement.code in FINE_CODES):
                self._texts[path] = None
        return self._texts[path]

    def take_away(self, path: str, new_path: str = "") -> None:
        """Let the file go on under a new name, or not at all."""
        applied = self._applied.pop(path, [])
        if new_path:
            self._old_paths[new_path] = self._old_paths.get(path, path)
            self._applied[new_path] = applied
            self._texts.pop(new_path, None)
            if path in self._texts:
                self._texts[new_path] = self._texts[path]
        self._texts[path] = None

    def _read(self, path: str) -> SourceText | None:
        path = self._old_paths.get(path, path)
        if self._files is None and not self.is_unknown:
            read = self._open(self.commit)
            if read is None:
                self.is_unknown = True
            else:
                self._files = TextFiles(read, None, self._settings)
        if self._files is None:
            return None
        try:
            data = self._files.read(path)
            if data is None or len(data) > self._settings.max_file_bytes:
                return None
            return SourceText.decode(data, path)
        except UnreadableFile:
            return None
