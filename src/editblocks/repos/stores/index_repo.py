"""The staged tree: what the next commit would hold, as a check in a Git hook has to see it; only read."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, UnreadableFile
from editblocks.repos.files.tree_modes import (
    DIRECTORY,
    MAX_FILE_BYTES,
    TreeEntry,
    file_mode,
    is_inside,
    to_bytes,
    to_text,
)
from editblocks.repos.git.repository import Repository, open_repository
from editblocks.repos.git.trees import Loaded, earlier_files, loaded_bytes, read_blobs


class IndexRepo:
    """The index of the repository at `place`, read once."""

    listings = 20  # see run.flow.Repo

    def __init__(self, place: str | os.PathLike[str] | Repository, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._repository = place if isinstance(place, Repository) else open_repository(Path(place))
        self._git = self._repository.git
        self.head = self._repository.head  # the commit that the staged changes are to follow, or None
        self._limit = max_file_bytes
        # `MODE ID STAGE<TAB>PATH<NUL>` a row, in the order of the paths' bytes; a path may hold a TAB too, but no NUL
        rows = (row.partition(b"\t") for row in self._git.ask("ls-files", "--stage", "-z").split(b"\0")[:-1])
        self._rows = {path: head for head, _, path in rows}
        self._paths = list(self._rows)
        self._blobs: dict[str, Loaded] = {}

    def prefetch(self, paths: Iterable[str]) -> None:
        ids = {path: entry.oid for path in paths if path not in self._blobs and (entry := self._file_at(path))}
        self._blobs.update(read_blobs(self._git, ids, self._limit))

    def read(self, path: str) -> bytes | None:
        if file_mode(path, self._mode_at) is None:
            return None
        self._entry(path)
        self.prefetch([path])
        return loaded_bytes(self._blobs[path])

    def entries(self, directory: str) -> Mapping[str, str]:
        if directory and not is_inside(directory):
            return {}
        start = to_bytes(f"{directory}/" if directory else "")
        names: dict[str, str] = {}
        for path in islice(self._paths, bisect_left(self._paths, start), None):
            if not path.startswith(start):
                break
            name, below, _ = path[len(start) :].partition(b"/")
            names[to_text(name)] = DIRECTORY if below else self._rows[path][:6].decode("ascii")
        return names

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        return earlier_files(self._repository, commit, self.head, self._limit)

    def write(self, contents: Mapping[str, bytes | None], message: str) -> str | None:
        """Raises `Refused`: a check changes nothing."""
        del contents, message
        raise Refused("the staged tree is only read; apply to the working tree instead", ReasonCode.BRANCH_REFUSED)

    def _mode_at(self, path: str) -> str | None:
        if row := self._rows.get(to_bytes(path)):
            return row[:6].decode("ascii")
        start = to_bytes(f"{path}/")
        following = self._paths[(at := bisect_left(self._paths, start)) : at + 1]
        return DIRECTORY if following and following[0].startswith(start) else None

    def _entry(self, path: str) -> TreeEntry:
        """The entry of a path that is there. Raises `UnreadableFile` for one that a merge left in conflict."""
        mode, object_id, stage = self._rows[to_bytes(path)].decode("ascii").split(" ")
        if stage != "0":
            what = f"{path} is in conflict in the index"
            raise UnreadableFile(ReasonCode.PATH_CONFLICT, what, "resolve it and stage it first")
        return TreeEntry(mode, object_id)

    def _file_at(self, path: str) -> TreeEntry | None:
        try:
            return self._entry(path) if file_mode(path, self._mode_at) else None
        except UnreadableFile:
            return None
