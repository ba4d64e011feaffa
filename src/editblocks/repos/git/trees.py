"""Trees and blobs as git prints them: one listing for many directories, one process for many blobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from editblocks.core.errors import EditBlocksError, RepoError
from editblocks.repos.files.names import to_bytes, to_text
from editblocks.repos.files.tree_modes import EXECUTABLE, FILE, TreeEntry, prefixes, too_large
from editblocks.repos.git.command import Git

_ARGUMENT_BYTES = 65_536  # far below what any system takes on one command line


class Listings:
    """The directories of one commit, listed when first asked for."""

    def __init__(self, git: Git, commit: str | None) -> None:
        self._git = git
        self._commit = commit
        self._listings: dict[str, dict[str, TreeEntry]] = {}

    def list(self, directories: Iterable[str]) -> None:
        """List these directories (full paths, "" is the root) that were not listed yet, most of them in one call."""
        missing = dict.fromkeys(directory for directory in directories if directory not in self._listings)
        if self._commit is None or not missing:
            return
        self._listings.update((directory, {}) for directory in missing)
        if "" in missing:
            self._take(["ls-tree", "-z", "--full-tree", self._commit])
        for chunk in chunks([directory for directory in missing if directory]):
            # -t, because a directory whose child is asked for is else left out of its parent's list
            self._take(["ls-tree", "-z", "-t", "--full-tree", self._commit, "--", *(f"{name}/" for name in chunk)])

    def entry(self, path: str) -> TreeEntry | None:
        """What stands at `path`, or None. Its parents count as listed only if they are directories."""
        directory, _, name = path.rpartition("/")
        return self.names(directory).get(name)

    def names(self, directory: str) -> Mapping[str, TreeEntry]:
        """The entries of one directory, empty if it is none."""
        if directory not in self._listings:
            self.list([directory])
        return self._listings.get(directory, {})

    def _take(self, command: Sequence[str]) -> None:
        for head, path in rows(self._git.ask(*command)):
            mode, _, object_id = head.split()
            directory, _, name = path.rpartition("/")
            if directory in self._listings:
                self._listings[directory][name] = TreeEntry(_plain_mode(mode), object_id)


def parents(paths: Iterable[str]) -> list[str]:
    """The root and every directory above `paths`, each once. Raises as `tree.components` does."""
    return list(dict.fromkeys(["", *(parent for path in paths for parent in prefixes(path)[:-1])]))


Loaded = bytes | EditBlocksError  # the bytes, or why there are none


def read_blobs(git: Git, wanted: Mapping[str, str], limit: int) -> dict[str, Loaded]:
    """The bytes of blobs by path, from ids by path, in two calls: sizes first, so that no huge one is loaded."""
    loaded: dict[str, Loaded] = {}
    small: dict[str, str] = {}
    sizes = git.ask("cat-file", "--batch-check", stdin=_id_lines(wanted.values())).splitlines() if wanted else []
    for (path, object_id), row in zip(wanted.items(), sizes, strict=True):
        size = _blob_size(row)
        if size is None:
            reason = f"the bytes of {path} are not in this repository (partial clone?); fetch them, or run git fsck"
            loaded[path] = RepoError(reason)
        elif size > limit:
            loaded[path] = too_large(path, size, limit)
        else:
            small[path] = object_id
    if small:
        output = git.ask("cat-file", "--batch", "--buffer", stdin=_id_lines(small.values()))
        loaded.update(zip(small, _blobs(output, len(small)), strict=True))
    return loaded


def rows(output: bytes) -> Iterator[tuple[str, str]]:
    """Split NUL-ended rows of `head TAB path`."""
    for row in output.split(b"\0")[:-1]:
        head, _, path = row.partition(b"\t")
        yield head.decode("ascii"), to_text(path)


def chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    """Cut a list of paths so that each part fits on a command line."""
    part: list[str] = []
    size = 0
    for path in paths:
        size += len(to_bytes(path)) + 2
        if part and size > _ARGUMENT_BYTES:
            yield part
            part, size = [], 0
        part.append(path)
    if part:
        yield part


def _id_lines(object_ids: Iterable[str]) -> bytes:
    return "".join(f"{object_id}\n" for object_id in object_ids).encode("ascii")


def _blobs(output: bytes, count: int) -> Iterator[bytes]:
    start = 0
    for _ in range(count):
        stop = output.index(b"\n", start)
        size = _blob_size(output[start:stop]) or 0
        start = stop + 1 + size + 1
        yield output[stop + 1 : start - 1]


def _blob_size(row: bytes) -> int | None:
    """The size in an answer `ID blob SIZE` of git cat-file, None for any other answer."""
    _, *rest = row.decode("ascii", "replace").split()
    return int(rest[1]) if len(rest) == 2 and rest[0] == "blob" else None


def _plain_mode(mode: str) -> str:
    """Git's own rule: old trees hold 100664 and the like, and only the owner's execute bit counts."""
    if not mode.startswith("100"):
        return mode
    return EXECUTABLE if int(mode, 8) & 0o100 else FILE
