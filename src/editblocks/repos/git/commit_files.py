"""The files of one commit in a repository on this machine: listed and read by id, so that no filter takes part.

It is the commit that is planned on, or an earlier one that a response was written against, which counts
only if the planned one has it in its history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from editblocks.core.errors import EditBlocksError, RepoError, UnreadableFile
from editblocks.repos.files.tree_modes import TreeEntry, file_mode, is_inside
from editblocks.repos.git.command import ANY_STATUS, Git
from editblocks.repos.git.object_ids import id_digits
from editblocks.repos.git.repository import Repository
from editblocks.repos.git.trees import Listings, Loaded, parents, read_blobs


class CommitFiles:
    """The tree of `commit` (a full id; None: no file at all). Files above `limit` bytes are not loaded."""

    def __init__(self, git: Git, commit: str | None, limit: int) -> None:
        self._git = git
        self._limit = limit
        self._listings = Listings(git, commit)
        self._blobs: dict[str, Loaded] = {}

    def prefetch(self, paths: Iterable[str]) -> None:
        """Read these files and list their directories in as few calls of git as can be."""
        wanted = [path for path in paths if path not in self._blobs and is_inside(path)]
        self._listings.list(parents(wanted))
        ids = {path: entry.oid for path in wanted if (entry := self._file_at(path))}
        self._blobs.update(read_blobs(self._git, ids, self._limit))

    def read(self, path: str) -> bytes | None:
        """The bytes of the blob at `path`, None if there is nothing. Raises `UnreadableFile` and `RepoError`."""
        self._listings.list(parents([path]))
        if file_mode(path, self.mode_at) is None:
            return None
        if path not in self._blobs:
            self.prefetch([path])
        blob = self._blobs[path]
        if isinstance(blob, EditBlocksError):
            raise blob
        return blob

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names in `directory` with git's modes."""
        if directory and not is_inside(directory):
            return {}
        return {name: entry.mode for name, entry in self._listings.names(directory).items()}

    def list_above(self, paths: Iterable[str]) -> None:
        """List the directories on the way to these paths at once. Raises `UnreadableFile` for a path that is none."""
        self._listings.list(parents(paths))

    def entry(self, path: str) -> TreeEntry | None:
        """What stands at `path`, or None."""
        return self._listings.entry(path)

    def mode_at(self, path: str) -> str | None:
        """Its mode, or None."""
        entry = self.entry(path)
        return entry.mode if entry else None

    def _file_at(self, path: str) -> TreeEntry | None:
        try:
            mode = file_mode(path, self.mode_at)
        except UnreadableFile:
            return None
        return self.entry(path) if mode else None


def earlier_files(
    repository: Repository, name: str, head: str | None, limit: int
) -> Callable[[str], bytes | None] | None:
    """A reader of the commit that `name` (hex digits) means, None if it means none in the history of `head`.

    The reader raises `UnreadableFile` where git does not have the bytes either: the version is a help, and
    without it every block is judged on the head alone.
    """
    commit = _ancestor(repository.git, name, head)
    if commit is None:
        return None
    files = CommitFiles(repository.git, commit, limit)

    def read(path: str) -> bytes | None:
        try:
            return files.read(path)
        except RepoError as error:  # a partial clone: nothing is fetched for this
            raise UnreadableFile(error.code, error.message) from error

    return read


def _ancestor(git: Git, name: str, head: str | None) -> str | None:
    """The full id of the one commit whose id begins with `name`, if it is `head` or behind it."""
    digits = id_digits(name)
    if digits is None or head is None:
        return None
    # rev-parse NAME would take a branch called `deadbee` for it; this looks at the ids of objects alone
    ids = git.ask("rev-parse", f"--disambiguate={digits}")
    rows = git.ask("cat-file", "--batch-check", stdin=ids).decode("ascii").splitlines() if ids else []
    commits = [row.split()[0] for row in rows if row.split()[1] == "commit"]
    if len(commits) != 1:
        return None
    is_behind = git.run("merge-base", "--is-ancestor", commits[0], head, ok_statuses=ANY_STATUS).status == 0
    return commits[0] if is_behind else None
