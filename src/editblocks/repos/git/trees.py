"""Read trees and blobs from git: many directories with one listing, many blobs with one process.

Blobs are read by id, so no git filter changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from editblocks.core.errors import EditBlocksError, RepoError, UnreadableFile
from editblocks.repos.files.tree_modes import (
    TreeEntry,
    file_mode,
    id_digits,
    is_inside,
    prefixes,
    to_bytes,
    to_text,
    too_large,
)
from editblocks.repos.git.command import ANY_STATUS, Git
from editblocks.repos.git.repository import Repository

_ARGUMENT_BYTES = 65_536  # far below the limit for a command line on any system

Loaded = bytes | EditBlocksError  # the bytes, or why there are none


class CommitFiles:
    """The files of `commit` (a full id; None: there are no files). Files above `limit` bytes are not loaded.

    Directories are listed on first access; `prefetch` and `list_above` list many in one call.
    """

    def __init__(self, git: Git, commit: str | None, limit: int) -> None:
        self._git = git
        self._commit = commit
        self._limit = limit
        self._listings: dict[str, dict[str, TreeEntry]] = {}
        self._blobs: dict[str, Loaded] = {}

    def prefetch(self, paths: Iterable[str]) -> None:
        """Read these files and list their directories with as few calls of git as possible."""
        wanted = [path for path in paths if path not in self._blobs and is_inside(path)]
        self.list_above(wanted)
        ids: dict[str, str] = {}
        for path in wanted:
            with suppress(UnreadableFile):  # `read` raises it again
                entry = self.entry(path) if file_mode(path, self.mode_at) else None
                if entry is not None:
                    ids[path] = entry.oid
        self._blobs.update(read_blobs(self._git, ids, self._limit))

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file at `path`, or None if it is missing. Raises `UnreadableFile` and `RepoError`."""
        self.list_above([path])
        if file_mode(path, self.mode_at) is None:
            return None
        if path not in self._blobs:
            self.prefetch([path])
        return loaded_bytes(self._blobs[path])

    def entries(self, directory: str) -> Mapping[str, str]:
        if directory and not is_inside(directory):
            return {}
        self._list([directory])
        return {name: entry.mode for name, entry in self._listings.get(directory, {}).items()}

    def list_above(self, paths: Iterable[str]) -> None:
        """List all parent directories of these paths in one call. Raises `UnreadableFile` for an invalid path."""
        self._list(["", *(parent for path in paths for parent in prefixes(path)[:-1])])

    def entry(self, path: str) -> TreeEntry | None:
        directory, _, name = path.rpartition("/")
        self._list([directory])
        return self._listings.get(directory, {}).get(name)

    def mode_at(self, path: str) -> str | None:
        entry = self.entry(path)
        return entry and entry.mode

    def _list(self, directories: Iterable[str]) -> None:
        """List those of these directories (full paths, "" is the root) that are not listed yet."""
        missing = dict.fromkeys(directory for directory in directories if directory not in self._listings)
        if self._commit is None or not missing:
            return
        self._listings.update((directory, {}) for directory in missing)
        command = ("ls-tree", "-z", "--full-tree", self._commit)
        outputs: list[bytes] = []
        if "" in missing:
            outputs.append(self._git.ask(*command))
        for chunk in chunks([f"{directory}/" for directory in missing if directory]):
            # Without -t git leaves a directory out of its parent's listing if one of its children is listed too.
            outputs.append(self._git.ask(*command, "-t", "--", *chunk))
        for head, path in rows(b"".join(outputs)):
            mode, _, object_id = head.split()
            directory, _, name = path.rpartition("/")
            if directory in self._listings:
                self._listings[directory][name] = TreeEntry(mode, object_id)


def earlier_files(
    repository: Repository, name: str, head: str | None, limit: int
) -> Callable[[str], bytes | None] | None:
    """Return a function that reads files of commit `name` (hex digits), or None if it is not in the history of `head`.

    The function raises `UnreadableFile` for a blob that git does not have; callers then use only the files of `head`.
    """
    commit = _ancestor(repository.git, name, head)
    if commit is None:
        return None
    files = CommitFiles(repository.git, commit, limit)

    def read(path: str) -> bytes | None:
        try:
            return files.read(path)
        except RepoError as error:  # a partial clone lacks the blob, and it is not worth a fetch
            raise UnreadableFile(error.code, error.message) from error

    return read


def _ancestor(git: Git, name: str, head: str | None) -> str | None:
    """Return the full id of the only commit whose id starts with `name`, if it is `head` or an ancestor, else None."""
    digits = id_digits(name)
    if digits is None or head is None:
        return None
    # `rev-parse NAME` would also find a branch called `deadbee`; --disambiguate looks only at object ids
    ids = git.ask("rev-parse", f"--disambiguate={digits}")
    if not ids:
        return None
    objects = [row.split() for row in git.ask("cat-file", "--batch-check", stdin=ids).decode("ascii").splitlines()]
    commits = [object_id for object_id, kind, *_ in objects if kind == "commit"]
    if len(commits) != 1:
        return None
    if git.run("merge-base", "--is-ancestor", commits[0], head, ok_statuses=ANY_STATUS).status:
        return None
    return commits[0]


def read_blobs(git: Git, wanted: Mapping[str, str], limit: int) -> dict[str, Loaded]:
    """Return the bytes of the blobs in `wanted` (path → id). A blob that is missing or above `limit` gets an error."""
    loaded: dict[str, Loaded] = {}
    if not wanted:
        return loaded
    sizes: dict[str, int] = {}
    requests = "".join(f"{object_id}\n" for object_id in wanted.values()).encode("ascii")
    answers = git.ask("cat-file", "--batch-check", stdin=requests).splitlines()
    for path, answer in zip(wanted, answers, strict=True):
        _, kind, *size = answer.split()  # `ID blob SIZE`, or `ID missing`
        if kind != b"blob":
            reason = f"the bytes of {path} are not in this repository (partial clone?); fetch them, or run git fsck"
            loaded[path] = RepoError(reason)
        elif int(size[0]) > limit:
            loaded[path] = too_large(path, int(size[0]), limit)
        else:
            sizes[path] = int(size[0])
    if not sizes:
        return loaded
    requests = "".join(f"{wanted[path]}\n" for path in sizes).encode("ascii")
    output = git.ask("cat-file", "--batch", "--buffer", stdin=requests)
    stop = 0
    for path, length in sizes.items():
        start = output.index(b"\n", stop) + 1
        loaded[path] = output[start : start + length]
        stop = start + length + 1
    return loaded


def loaded_bytes(loaded: Loaded) -> bytes:
    """Return the bytes, or raise the error that explains why there are none."""
    if isinstance(loaded, EditBlocksError):
        raise loaded
    return loaded


def rows(output: bytes) -> Iterator[tuple[str, str]]:
    """Yield head and path of each row `head TAB path NUL`."""
    for row in output.split(b"\0")[:-1]:
        head, _, path = row.partition(b"\t")
        yield head.decode("ascii"), to_text(path)


def chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    """Split a list of paths into parts that fit on a command line."""
    part: list[str] = []
    size = 0
    for path in paths:
        size += len(to_bytes(path)) + 2
        if part and size > _ARGUMENT_BYTES:
            yield part
            part = []
            size = 0
        part.append(path)
    if part:
        yield part
