"""Files below a directory, with or without git: what the command line reads.

Links are followed nowhere, and git's own folder is never entered. Rules: docs/internals/security.md, working tree.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.report.escape import shell_word
from editblocks.repos.files.directory import (
    HAS_DIR_FD,
    Folder,
    Found,
    Listing,
    explain_errors,
    is_directory,
    load,
    mode_of,
    open_below,
)
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES, SPECIAL, SUBMODULE, is_git_name
from editblocks.repos.git.repository import Repository
from editblocks.repos.git.trees import earlier_files
from editblocks.repos.index.staged_files import IndexView


class WorktreeFiles:
    """The regular files below `root`, for reading.

    A directory that holds a `.git` of its own counts as a submodule, and so does what the index calls one. `repository`
    is the one whose top `root` is, if it is open already. Files that git ignores are not read, but for those in
    `allow_ignored`; None allows all.
    """

    listings = 100  # see applying.files.Tree
    head: str | None = None  # a working tree is at no commit

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        repository: Repository | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
        dir_fd: bool = HAS_DIR_FD,
        allow_ignored: Collection[str] | None = None,
    ) -> None:
        self._root = Path(root)
        self._index = IndexView(self._root, repository)
        self._limit = max_file_bytes
        self._dir_fd = dir_fd
        self._seen: dict[str, bytes | None] = {}  # what was read; None: there was no file
        self._allow_ignored = allow_ignored
        self._ignore_rules: dict[str, str | None] = {}  # of the paths that git was asked about; None: not ignored

    def prefetch(self, paths: Iterable[str]) -> None:
        """Ask git once which of these files it ignores; nothing else is far away."""
        if self._allow_ignored is not None:
            self.ignore_rules(paths)

    def ignore_rules(self, paths: Iterable[str]) -> Mapping[str, str]:
        """The rule of each of these files that git ignores and does not track. Raises `RepoError`."""
        asked = list(paths)
        missing = [path for path in asked if path not in self._ignore_rules]
        rules = self._index.ignore_rules(missing)
        self._ignore_rules.update((path, rules.get(path)) for path in missing)
        return {path: rule for path in asked if (rule := self._ignore_rules[path]) is not None}

    def read(self, path: str) -> bytes | None:
        """The bytes of the file at `path`, None if there is none. Raises `UnreadableFile` and `RepoError`."""
        self._refuse_ignored(path)
        with self._open(path) as top:
            file = self._load(top, path)
        if file is not None and not path.endswith(".gitattributes") and (name := self._index.filter_of(path)):
            what = f"{path} has the attribute {name}, which changes it on its way to git"
            raise UnreadableFile(ReasonCode.FILTERED, what, "edit it by hand")
        data = file and file[0]
        self._seen[path] = data
        return data

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names in `directory` with git's modes, git's own folder left out, submodules not on disk among them."""
        staged, place = self._index.names(directory), directory or "."
        with self._open(place) as top:
            if self._index.submodule_at(directory) or not is_directory(top, directory):
                return staged
            with open_below(top, _parts(directory)) as folder:
                found = sorted(name for name in folder.names() if not is_git_name(name))

        def mode(name: str) -> str:
            if staged.get(name) == SUBMODULE or name not in on_disk:
                return staged[name]
            with self._open(place) as top, open_below(top, _parts(directory)) as folder:
                return mode_of(folder, name) or SPECIAL  # it was there just now

        on_disk = frozenset(found)
        return Listing((*staged, *found), mode)

    def ignored(self, paths: Iterable[str]) -> Iterable[str]:
        """Those that git ignores (`applying.files.Tree.ignored`). Raises `RepoError`."""
        return self.ignore_rules(paths)

    def link_target(self, path: str) -> str | None:
        """Where a link leads to (`applying.files.Tree.link_target`)."""
        with suppress(OSError, ValueError):
            return str((self._root / path).readlink())
        return None

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """A reader of a commit in the history of HEAD (`applying.files.Tree.at`), with line ends as git stores them."""
        repository = self._index.repository
        return None if repository is None else earlier_files(repository, commit, self.head or "HEAD", self._limit)

    def _refuse_ignored(self, path: str) -> None:
        """Raise `UnreadableFile` for a file that git ignores: a reviewer never sees it, and git cannot restore it."""
        allowed = self._allow_ignored
        if allowed is None or path in allowed or path.endswith(".gitattributes"):
            return
        rule = self.ignore_rules([path]).get(path)
        if rule is not None:
            advice = f"change it by hand, or allow it with --allow-protected {shell_word(path)}"
            raise UnreadableFile(ReasonCode.NOT_ALLOWED, f"git ignores {path} ({rule})", advice)

    def _load(self, top: Folder, path: str) -> Found | None:
        self._index.refuse_submodule(path)
        file = load(top, path, self._limit)
        if file is None:
            self._index.refuse_left_out(path)
        return file

    @contextmanager
    def _open(self, path: str) -> Iterator[Folder]:
        with explain_errors(path, "read"), Folder.top(self._root, self._dir_fd) as top:
            yield top


def _parts(directory: str) -> Sequence[str]:
    return directory.split("/") if directory else ()
