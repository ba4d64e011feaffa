"""A store in memory, for the demo, dry runs, documentation and tests."""

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha1

from editblocks.core.errors import HeadMoved
from editblocks.core.outcome import Origin
from editblocks.repos.tree_modes import (
    DIRECTORY,
    FILE,
    MODES,
    SYMLINK,
    Contents,
    file_mode,
    id_digits,
    list_directory,
    modes_for,
)

# A write: the new bytes of each path (None deletes), the message, and the id (None if the store has no head).
Commit = tuple[Contents, str, str | None]


class MemoryRepo:
    """Files in a dictionary. `modes` holds the modes other than 100644, including those of links and submodules.

    `head` is a commit id, or None for a store without commits; every write is kept in `commits` in both cases. `write`
    raises `HeadMoved` if the files changed after the first read since the last write. `earlier` maps the ids of commits
    before the head to their files.
    """

    listings = 20  # see applying.files.Tree

    def __init__(
        self,
        files: Mapping[str, bytes],
        modes: Mapping[str, str] | None = None,
        head: str | None = None,
        *,
        earlier: Mapping[str, Mapping[str, bytes]] | None = None,
    ) -> None:
        self.files = dict(files)
        self.modes = {path: mode for path, mode in (modes or {}).items() if path in files}
        unknown = set(self.modes.values()) - (MODES - {DIRECTORY})
        if unknown:
            raise ValueError(f"not a file mode in git: {sorted(unknown)}")
        self.commits: list[Commit] = []
        self.head = head
        self._version = 0
        self._seen: int | None = None
        self._past = {commit: (dict(old), dict(self.modes)) for commit, old in (earlier or {}).items()}
        self._change({}, "")

    def prefetch(self, paths: Iterable[str]) -> None:
        """Do nothing, because all files are in memory."""

    def read(self, path: str) -> bytes | None:
        self._begin_reading()
        if file_mode(path, self._mode_at) is None:
            return None
        return self.files[path]

    def entries(self, directory: str) -> Mapping[str, str]:
        self._begin_reading()
        return list_directory({path: self.modes.get(path, FILE) for path in self.files}, directory)

    def ignored(self, _paths: Iterable[str]) -> Iterable[str]:
        return ()  # all files here are tracked

    def link_target(self, path: str) -> str | None:
        if self.modes.get(path) != SYMLINK:
            return None
        return self.files[path].decode("utf-8", "surrogateescape")

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """Return a function that reads any earlier version of this store (`applying.files.Tree.at`)."""
        digits = id_digits(commit)
        versions = [version for id_, version in self._past.items() if digits and id_.startswith(digits)]
        if len(versions) != 1:
            return None
        files, modes = versions[0]
        return lambda path: files[path] if file_mode(path, lambda at: _mode(files, modes, at)) else None

    def write(
        self, contents: Contents, message: str, modes: Mapping[str, str] | None = None, origin: Origin | None = None
    ) -> str | None:
        """Change all of `contents` or nothing, and append a `Commit` to `commits` if anything changes."""
        del origin  # only stores with undo need it
        seen = self._seen
        self._seen = None  # the next plan reads the files again
        if seen not in {None, self._version}:
            raise HeadMoved("the files changed since they were read; try again")
        modes_for(contents, self._mode_at)
        changes = {path: data for path, data in contents.items() if self.files.get(path) != data}
        if not changes:
            return None
        new_modes = {path: mode for path, mode in (modes or {}).items() if path not in self.files}
        self._change(changes, message, new_modes)
        self.commits.append((changes, message, self.head))
        return self.head

    def push(self, contents: Contents) -> None:
        """Change files as another process would, so that a write planned before this raises `HeadMoved`."""
        self._version += 1
        self._change(contents, "")

    def _begin_reading(self) -> None:
        if self._seen is None:
            self._seen = self._version

    def _mode_at(self, path: str) -> str | None:
        return _mode(self.files, self.modes, path)

    def _change(self, contents: Contents, message: str, modes: Mapping[str, str] | None = None) -> None:
        for path, data in contents.items():
            if data is None:
                self.files.pop(path, None)
                self.modes.pop(path, None)
            else:
                self.files[path] = data
                mode = (modes or {}).get(path)
                if mode:
                    self.modes[path] = mode
        if self.head is not None:
            if contents:
                self.head = _next_id(self.head, contents, message)
            self._past[self.head] = (dict(self.files), dict(self.modes))


def _mode(files: Mapping[str, bytes], modes: Mapping[str, str], path: str) -> str | None:
    """Return the mode at `path` in a version; directories are implied."""
    if path in files:
        return modes.get(path, FILE)
    return DIRECTORY if any(name.startswith(f"{path}/") for name in files) else None


def _next_id(head: str, contents: Contents, message: str) -> str:
    """Return the id of the next commit, which depends on all earlier ones, as in git."""
    text = repr((head, message, sorted(contents.items())))
    return sha1(text.encode("utf-8", "backslashreplace"), usedforsecurity=False).hexdigest()
