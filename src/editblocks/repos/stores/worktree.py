"""A store for the files below a directory, with or without git. The command line reads and writes it.

Links are never followed, and `.git` is never entered. A file is replaced only if it still has the bytes that were read.
Rules: docs/internals/security.md, working tree.
"""

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import HeadMoved, Refused, UnreadableFile
from editblocks.core.outcome import Origin
from editblocks.report.escape import shell_word
from editblocks.repos.directory import (
    HAS_DIR_FD,
    Folder,
    Listing,
    LoadedFile,
    explain_errors,
    is_directory,
    load,
    mode_of,
    mode_of_file,
    open_directory,
    refuse_read_only,
)
from editblocks.repos.file_swap import Effect, Staging, nothing, prune
from editblocks.repos.git.commits import earlier_files
from editblocks.repos.git.index import IndexView, ignore_rules
from editblocks.repos.git.repository import OpenRepository, Repository, git_folder
from editblocks.repos.records import FileChange, Records, Step, is_unfinished, locked_records
from editblocks.repos.tree_modes import (
    FILE,
    MAX_FILE_BYTES,
    SPECIAL,
    SUBMODULE,
    Contents,
    file_state,
    is_git_name,
    is_inside,
    refuse_clash,
)

if TYPE_CHECKING:
    from editblocks.repos.undo import Recovery


class Disk(NamedTuple):
    """How files are changed: `before_effect` runs before each system call and may raise; for `dir_fd` see `Folder`."""

    before_effect: Effect = nothing
    dir_fd: bool = HAS_DIR_FD
    clock: Callable[[], float] = time.time


DISK = Disk()


class WorktreeRepo:
    """The regular files below `root`. Modes are kept; a new file gets 0644 as far as the umask allows it.

    A directory is taken for a submodule if it contains `.git`, or if it is one in the index. If `root` is the top of a
    repository, writes are recorded there for undo. `repository` is that repository if it is open already, or a function
    that opens it when it is needed. Files that git ignores are not read, except those in `allow_ignored`; None allows
    all.
    """

    listings = 100  # see applying.files.Tree
    kind = "files"  # the kind of its records, see `Record`
    branch: str | None = None  # the branch that a write moves; none here

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        repository: Repository | OpenRepository | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
        disk: Disk = DISK,
        allow_ignored: Collection[str] | None = None,
    ) -> None:
        self.head: str | None = None  # None, because files on disk belong to no commit
        self.record_id: str | None = None  # the id of the last write, for undo
        self.ignored_path: str | None = None  # the ignored file because of which the last write cannot be undone
        self.recoveries: list[Recovery] = []  # the results of interrupted writes
        self._root = Path(root)
        self._index = IndexView(self._root, repository)
        self._limit = max_file_bytes
        self._disk = disk
        self._allow_ignored = allow_ignored
        self._seen: dict[str, bytes | None] = {}  # the bytes that were read; None: there was no file
        self._ignore_rules: dict[str, str | None] = {}  # cached answers of git; None: the path is not ignored

    def prefetch(self, paths: Iterable[str]) -> None:
        """Ask git in one call which of these files it ignores. Files on disk need no prefetch."""
        if self._allow_ignored is not None:
            self.ignored(paths)

    def ignored(self, paths: Iterable[str]) -> Mapping[str, str]:
        """Return the paths that git ignores with their rules (`applying.files.Tree.ignored`). Raises `RepoError`."""
        all_paths = list(paths)
        missing = [path for path in all_paths if path not in self._ignore_rules and is_inside(path)]
        # git ignores no file of the index, and most paths are there: a process of git less
        unknown = [path for path in missing if not self._index.tracks(path)]
        if unknown and self._index.repository is not None:
            new_rules = ignore_rules(self._index.repository.git, unknown)
            self._ignore_rules.update((path, new_rules.get(path)) for path in unknown)
        rules = ((path, self._ignore_rules.get(path)) for path in all_paths)
        return {path: rule for path, rule in rules if rule is not None}

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file at `path`, or None if it is missing. Raises `UnreadableFile` and `RepoError`."""
        self._refuse_ignored(path)
        with self._open(path) as top:
            file = self._load(top, path)
        data = None
        if file is not None:
            self._refuse_filtered(path)
            data = file.data
        self._seen[path] = data
        return data

    def entries(self, directory: str) -> Mapping[str, str]:
        """Return the names in `directory` with git's modes, without `.git`, with submodules that are not on disk."""
        staged = self._index.names(directory)
        place = directory or "."
        with self._open(place) as top:
            if self._index.submodule_at(directory) or not is_directory(top, directory):
                return staged
            with open_directory(top, directory) as folder:
                on_disk = sorted(name for name in folder.names() if not is_git_name(name))
        names_on_disk = frozenset(on_disk)

        def mode(folder: Folder, name: str) -> str:
            if staged.get(name) == SUBMODULE or name not in names_on_disk:
                return staged[name]
            return mode_of(folder, name) or SPECIAL  # SPECIAL if it was deleted after it was listed

        def modes(names: Sequence[str]) -> list[str]:
            with self._open(place) as top, open_directory(top, directory) as folder:
                return [mode(folder, name) for name in names]

        return Listing((*staged, *on_disk), modes)

    def link_target(self, path: str) -> str | None:
        with suppress(OSError, ValueError):
            return str((self._root / path).readlink())
        return None

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """Return a reader of a commit in the history of HEAD (`applying.files.Tree.at`). Line ends are as in git."""
        repository = self._index.repository
        if repository is None:
            return None
        return earlier_files(repository, commit, self.head or "HEAD", self._limit)

    def write(
        self, contents: Contents, message: str, modes: Mapping[str, str] | None = None, origin: Origin | None = None
    ) -> str | None:
        """Change all of `contents` or nothing. `message` is for stores with commits, `modes` is for new files, and
        `origin` is recorded for undo.

        Raises `HeadMoved` if a file no longer has the bytes that were read, or if an interrupted write had to be
        recovered first; `Refused` if there can be no file at a path; `RepoError` for a read-only file or if the system
        fails. Afterwards `record_id` is the id for undo, or None.
        """
        self.record_id = None
        self.ignored_path = None
        with self._open(next(iter(contents), ".")) as top, self._locked() as records:
            if self._recover(top, records):  # the plan was made while only some of the files were new
                raise HeadMoved(f"{self.recoveries[-1]}; try again")
            present = {path: self._current_file(top, path) for path in contents}
            refuse_clash(contents)
            changes = list(_changes(contents, present, modes or {}))
            if not changes:
                return None
            with self._prepare_index(changes):
                staging = Staging(top, self._disk.before_effect)
                try:
                    if records:
                        # Ignored files may hold secrets, and must not get into a ref.
                        self.ignored_path = next(iter(self.ignored(change.path for change in changes)), None)
                        if self.ignored_path is None:
                            records.begin(changes, self.kind, self._disk.clock(), origin)
                    staging.put(changes, present)
                    commit = self._update_index_and_branch(changes, message)
                    prune(top, [change.path for change in changes if change.new is None])
                    self._finish(records)
                except BaseException as error:
                    if self._must_stay():
                        self._finish(records)
                    else:
                        staging.undo(error)
                        if records:
                            records.forget()
                    raise
        self._seen.update(contents)
        return commit

    @property
    def keeps_undo(self) -> bool:
        """Whether writes are recorded for undo, because there is a repository."""
        return self._index.repository is not None

    def recover(self) -> None:
        """Finish or roll back interrupted writes. Called before anything is read; the results are in `recoveries`."""
        if is_unfinished(git_folder(self._root)):
            with self._open(".") as top, self._locked() as records:
                self._recover(top, records)

    # Steps that stores/checkout.py overrides to change index and branch together with the files.

    @contextmanager
    def _prepare_index(self, changes: Sequence[FileChange]) -> Iterator[None]:
        """Prepare changes of index and branch. Raises `Refused` if they are not possible."""
        del changes
        yield

    def _update_index_and_branch(self, changes: Sequence[FileChange], message: str) -> str | None:
        """Change index and branch after the files were written. Return the id of the commit, or None."""
        del changes, message
        return None

    def _must_stay(self) -> bool:
        """Whether index or branch have changed, so that after an error the files must stay new."""
        return False

    def _finish(self, records: Records | None) -> None:
        """Mark the record of a write as done, and set `record_id`."""
        self.record_id = records.finish(Step.DONE) if records else None

    def _recover(self, top: Folder, records: Records | None) -> bool:
        """Finish or roll back interrupted writes. Return whether there were any."""
        if records is None or not records.unfinished():
            return False
        from editblocks.repos.undo import Swap  # rarely needed

        done = Swap(records, top, self._disk.before_effect).recover()
        self.recoveries += done
        return bool(done)

    def _locked(self) -> AbstractContextManager[Records | None]:
        """Return a context with the locked records of the repository at the root, or with None without a repository."""
        repository = self._index.repository
        if repository is None:
            return nullcontext()
        return locked_records(repository)

    def _current_file(self, top: Folder, path: str) -> LoadedFile | None:
        """Return bytes and status of the file to replace. Raises `HeadMoved` if the bytes differ from what was read."""
        try:
            file = self._load(top, path)
        except UnreadableFile as problem:
            if path in self._seen:
                raise HeadMoved(f"{path} has changed since it was read; try again ({problem.message})") from problem
            raise Refused(problem.message, problem.code) from problem
        if path in self._seen and (file and file.data) != self._seen[path]:
            raise HeadMoved(f"{path} changed since it was read; try again")
        return file

    def _refuse_ignored(self, path: str) -> None:
        """Raise `UnreadableFile` for a file that git ignores: no reviewer sees a change, and git cannot undo it."""
        allowed = self._allow_ignored
        if allowed is None or path in allowed or _is_attributes(path):
            return
        rule = self.ignored([path]).get(path)
        if rule is not None:
            advice = f"change it by hand, or allow it with --allow-protected {shell_word(path)}"
            raise UnreadableFile(ReasonCode.NOT_ALLOWED, f"git ignores {path} ({rule})", advice)

    def _refuse_filtered(self, path: str) -> None:
        """Raise `UnreadableFile` for a file that git converts by a filter or the like."""
        name = None if _is_attributes(path) else self._index.filter_of(path)
        if name is not None:
            what = f"{path} has the attribute {name}, so git would store it differently"
            raise UnreadableFile(ReasonCode.FILTERED, what, "edit it by hand")

    def _load(self, top: Folder, path: str) -> LoadedFile | None:
        self._index.refuse_submodule(path)
        file = load(top, path, self._limit)
        if file is None:
            self._index.refuse_left_out(path)
        return file

    @contextmanager
    def _open(self, path: str) -> Iterator[Folder]:
        with explain_errors(path, "read"), Folder.top(self._root, self._disk.dir_fd) as top:
            yield top


def _changes(
    contents: Contents, present: Mapping[str, LoadedFile | None], modes: Mapping[str, str]
) -> Iterator[FileChange]:
    for path, data in contents.items():
        file = present[path]
        old_data = None
        mode = modes.get(path, FILE)
        if file is not None:
            old_data, status = file
            mode = mode_of_file(status)
        if data != old_data:
            refuse_read_only(path, file)
            yield FileChange(path, file_state(mode, old_data), file_state(mode, data))


def _is_attributes(path: str) -> bool:
    return path.rpartition("/")[2] == ".gitattributes"
