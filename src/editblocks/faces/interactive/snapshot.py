"""The files as they were when a person began to choose: what is shown and what is written are the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from editblocks.core.errors import UnreadableFile
from editblocks.run.flow import Repo


class Snapshot:
    """A `run.flow.Repo` that reads each file of another one once."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._seen: dict[str, bytes | None] = {}
        self.head = repo.head
        self.listings = repo.listings
        self.entries: Callable[[str], Mapping[str, str]] = repo.entries
        self.at: Callable[[str], Callable[[str], bytes | None] | None] = repo.at
        self.write: Callable[[Mapping[str, bytes | None], str], str | None] = repo.write

    def prefetch(self, paths: Iterable[str]) -> None:
        """Learn which paths will be read; those that were are not fetched again."""
        self._repo.prefetch([path for path in paths if path not in self._seen])

    def read(self, path: str) -> bytes | None:
        """What was there when this path was read first. Raises `UnreadableFile` and `RepoError`."""
        if path not in self._seen:
            self._seen[path] = self._repo.read(path)
        return self._seen[path]

    def changed(self, fresh: Repo, paths: Iterable[str]) -> str | None:
        """The first of `paths` that holds other bytes in `fresh` than were read here, None if none does."""
        return next((path for path in paths if self._is_changed(fresh, path)), None)

    def _is_changed(self, fresh: Repo, path: str) -> bool:
        try:
            return fresh.read(path) != self._seen.get(path)
        except UnreadableFile:
            return True  # it could be read when it was shown
