"""Files below a directory, with or without git: what the command line reads and writes.

Links are followed nowhere, git's own folder is never entered, and a file is replaced only while it
still holds the bytes that were read. Rules: docs/security.md, working tree.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from editblocks.codes import ReasonCode
from editblocks.errors import HeadMoved, Refused, RepoError, UnreadableFile
from editblocks.repos.folders import HAS_DIR_FD, Folder, is_link, opened
from editblocks.repos.staging import Effect, Staging
from editblocks.repos.tree import (
    DIRECTORY,
    EXECUTABLE,
    FILE,
    MAX_FILE_BYTES,
    SPECIAL,
    SUBMODULE,
    SYMLINK,
    components,
    file_mode,
    is_git_name,
    is_inside,
    prefixes,
    refuse_clash,
    too_large,
)


def _nothing(effect: str, path: str) -> None:
    """Let every effect happen."""


class WorktreeRepo:
    """The regular files below `root`. Modes are kept; a new file gets 0644 as far as the umask allows it.

    A directory that holds a `.git` of its own counts as a submodule, and so does what is neither
    file, directory nor link. `before_effect` hears of each effect before it happens and may raise.
    """

    listings = 20  # see run.Repo

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
        dir_fd: bool = HAS_DIR_FD,
        before_effect: Effect = _nothing,
    ) -> None:
        self._root = Path(root)
        self._limit = max_file_bytes
        self._dir_fd = dir_fd
        self._effect = before_effect
        self._seen: dict[str, bytes | None] = {}  # digests of what was read; None: there was no file

    @property
    def head(self) -> str | None:
        """None: a working tree is at no commit."""
        return None

    def prefetch(self, paths: Iterable[str]) -> None:
        """Nothing is far away."""

    def read(self, path: str) -> bytes | None:
        """The bytes of the file at `path`, None if there is none. Raises `UnreadableFile` and `RepoError`."""
        with self._open(path) as top:
            found = self._load(top, path)
        self._seen[path] = _digest(found)
        return found[0] if found else None

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names in `directory` with git's modes, git's own folder left out."""
        with self._open(directory or ".") as top:
            if not _is_directory(top, directory):
                return {}
            with opened(top, directory.split("/") if directory else ()) as folder:
                modes = {name: _mode(folder, name) for name in sorted(folder.names()) if not is_git_name(name)}
        return {name: SUBMODULE if mode == SPECIAL else mode for name, mode in modes.items() if mode is not None}

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """A reader of a commit in the history of HEAD, as `run.Repo.at`; None where `root` is no top of a repository.

        It gives what was committed then, with line ends as git stores them.
        """
        from editblocks.repos.commit_files import earlier_files
        from editblocks.repos.repository import repository_at

        repository = repository_at(self._root)
        return None if repository is None else earlier_files(repository, commit, "HEAD", self._limit)

    def write(self, contents: Mapping[str, bytes | None], message: str) -> None:
        """Change all of `contents` or nothing; `message` is for stores that have commits.

        Raises `HeadMoved` if a file no longer holds what was read, `Refused` where no file can be,
        and `RepoError` if the system fails.
        """
        del message
        with self._open(next(iter(contents), ".")) as top:
            present = {path: self._present(top, path) for path in contents}
            refuse_clash(contents)
            staging = Staging(top, self._effect)
            try:
                for path, data in contents.items():
                    before, status = present[path]
                    if data != before:
                        with _explained(path, "written"):
                            staging.add(path, data, before, status)
                with _explained(", ".join(contents), "written"):
                    staging.commit()
            except BaseException:
                staging.undo()
                raise
        self._seen.update((path, _hash(data)) for path, data in contents.items())

    @contextmanager
    def _open(self, path: str) -> Iterator[Folder]:
        with _explained(path, "read"):
            top = Folder.top(self._root, self._dir_fd)
            try:
                yield top
            finally:
                top.close()

    def _load(self, top: Folder, path: str) -> tuple[bytes, os.stat_result] | None:
        """Bytes and status of the file at `path`, or None; the bytes are those of exactly this status."""
        if file_mode(path, lambda prefix: _mode_at(top, prefix)) is None:
            return None
        *parents, name = components(path)
        with opened(top, parents) as folder, os.fdopen(folder.open(name, os.O_RDONLY), "rb") as file:
            status = os.fstat(file.fileno())
            refuse_odd(path, status, self._limit)
            return file.read(self._limit + 1), status

    def _present(self, top: Folder, path: str) -> tuple[bytes, os.stat_result] | tuple[None, None]:
        """Bytes and status that are to be replaced, held against what was read."""
        try:
            found = self._load(top, path)
        except UnreadableFile as problem:
            if path in self._seen:
                raise HeadMoved(f"{path} is no longer what was read; plan again ({problem.message})") from problem
            raise Refused(problem.message, problem.code) from problem
        if path in self._seen and _digest(found) != self._seen[path]:
            raise HeadMoved(f"{path} changed since it was read; plan again")
        return found or (None, None)


def refuse_odd(path: str, status: os.stat_result, limit: int) -> None:
    """Raise `UnreadableFile` if what was opened is not one plain file of at most `limit` bytes with one name."""
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFile(ReasonCode.NOT_A_FILE, f"{path} is no regular file; name one")
    if status.st_nlink > 1:
        reason = f"{path} has {status.st_nlink} names (hard links), and an edit would part them; copy it first"
        raise UnreadableFile(ReasonCode.NOT_A_FILE, reason)
    if status.st_size > limit:
        raise too_large(path, status.st_size, limit)


def _is_directory(top: Folder, path: str) -> bool:
    if not path:
        return True
    return is_inside(path) and all(_mode_at(top, prefix) == DIRECTORY for prefix in prefixes(path))


def _mode_at(top: Folder, path: str) -> str | None:
    *parents, name = components(path)
    with opened(top, parents) as folder:
        return _mode(folder, name)


def _mode(folder: Folder, name: str) -> str | None:
    try:
        status = folder.stat(name)
    except FileNotFoundError:
        return None
    if is_link(status):
        return SYMLINK
    if stat.S_ISDIR(status.st_mode):
        return SUBMODULE if _holds_repository(folder, name) else DIRECTORY
    if not stat.S_ISREG(status.st_mode):
        return SPECIAL
    return EXECUTABLE if status.st_mode & stat.S_IXUSR else FILE


def _holds_repository(folder: Folder, name: str) -> bool:
    """Whether a directory has a `.git` of its own: the folder of a clone, or the file of a submodule or worktree."""
    try:
        with opened(folder, (name,)) as below:
            below.stat(".git")
    except (FileNotFoundError, PermissionError):  # what may not be searched fails when it is read, not when listed
        return False
    return True


def _digest(found: tuple[bytes, os.stat_result] | None) -> bytes | None:
    return _hash(found[0]) if found else None


def _hash(data: bytes | None) -> bytes | None:
    return None if data is None else sha256(data).digest()


@contextmanager
def _explained(path: str, what: str) -> Iterator[None]:
    """Turn what the system says into one sentence."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise RepoError(f"{path} cannot be {what}: {reason}; nothing was changed") from error
