"""The files as they were when a person began to choose: what is shown and what is written are the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from editblocks.core.errors import UnreadableFile
from editblocks.run.flow import Repo


class Snapshot:
    """A `run.flow.Repo` that reads each file of another one once."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._seen: dict[str, bytes | UnreadableFile | None] = {}

    @property
    def head(self) -> str | None:
        """The commit that is read, None where there is none."""
        return self._repo.head

    @property
    def listings(self) -> int:
        """See `run.flow.Repo`."""
        return self._repo.listings

    def prefetch(self, paths: Iterable[str]) -> None:
        """Learn which paths will be read; those that were are not fetched again."""
        self._repo.prefetch([path for path in paths if path not in self._seen])

    def read(self, path: str) -> bytes | None:
        """What was there when this path was read first. Raises `UnreadableFile` and `RepoError`."""
        if path not in self._seen:
            self._seen[path] = _read_or_error(self._repo, path)
        data = self._seen[path]
        if isinstance(data, UnreadableFile):
            raise data
        return data

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names in `directory` with git's modes."""
        return self._repo.entries(directory)

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """A reader of an earlier commit."""
        return self._repo.at(commit)

    def write(self, contents: Mapping[str, bytes | None], message: str) -> str | None:
        """Write through, which the other one refuses if a file has changed since."""
        return self._repo.write(contents, message)

    def changed(self, fresh: Repo, paths: Iterable[str]) -> str | None:
        """The first of `paths` that holds other bytes in `fresh` than were read here, None if none does."""
        return next((path for path in paths if not _are_alike(self._seen.get(path), _read_or_error(fresh, path))), None)


def _read_or_error(repo: Repo, path: str) -> bytes | UnreadableFile | None:
    try:
        return repo.read(path)
    except UnreadableFile as problem:
        return problem


def _are_alike(old: bytes | UnreadableFile | None, new: bytes | UnreadableFile | None) -> bool:
    if isinstance(old, UnreadableFile) or isinstance(new, UnreadableFile):
        return isinstance(old, UnreadableFile) and isinstance(new, UnreadableFile) and old.code is new.code
    return old == new
