"""Git's index: what is staged in it, what is not on disk, and how files are staged.

Files are staged in a copy of the index first, and then the same entries in the real index, under git's own lock. A
failure in the copy leaves the real index unchanged. The caller must hold the lock of the working tree.

Names are taken literally. For many names git lists the whole index, because it compares every entry with every name.
"""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError, SelfCheckFailed, UnreadableFile
from editblocks.repos.directory import explain_errors
from editblocks.repos.git.commits import chunks, read_whole_blobs, rows
from editblocks.repos.git.repository import ANY_STATUS, Git, OpenRepository, Repository, repository_at
from editblocks.repos.tree_modes import (
    DIRECTORY,
    SUBMODULE,
    Contents,
    FileState,
    TreeEntry,
    is_inside,
    list_directory,
    path_error,
    prefixes,
    to_bytes,
    to_text,
)

_FEW = 500
_FAILED = 128
_SKIPPED = "S"  # git ls-files -t: an entry with the skip-worktree bit, which git does not look for on disk
_CONVERTING_ATTRIBUTES = ("filter", "ident", "working-tree-encoding")
_FILTERS = r"^filter\..*\.(clean|process|required)$"
_PLAIN = ("core.ignoreStat=false",)  # otherwise git would assume that a new entry is unchanged
# Plain names whatever the user's configuration says, and also files that an attribute marks as binary.
_GREP = (
    *("grep", "--cached", "--files-with-matches", "-z", "--text", "--fixed-strings"),
    *("--no-textconv", "--no-color", "--no-recurse-submodules", "--full-name"),
)
_STAGED = ("--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", "--no-ext-diff", "--no-textconv")


class IndexView:
    """The index of the repository at `root`, if there is one; it may be given open, or as a function that opens it.

    It knows what is not on disk: a submodule that was not fetched is an empty directory or missing, and files left out
    by a sparse checkout must not be created again, as `git add` refuses them.
    """

    def __init__(self, root: Path, repository: Repository | OpenRepository | None = None) -> None:
        self._root = root
        self._given = repository

    @cached_property
    def repository(self) -> Repository | None:
        """The repository if there is one, opened on first use. Raises what `repository_at` raises."""
        if callable(self._given):
            return self._given()
        return self._given or repository_at(self._root)

    def filter_of(self, path: str) -> str | None:
        """Return the attribute by which git converts `path`, if `info/attributes` exists; the engine checks others."""
        if self.repository is None or not (self.repository.common_dir / "info/attributes").is_file():
            return None
        return next((name for _, name in _filtered(self.repository.git, [path])), None)

    def tracks(self, path: str) -> bool:
        """Return whether `path` is in the index."""
        return to_bytes(path) in self._tracked

    def names(self, directory: str) -> Mapping[str, str]:
        """Return the submodules in `directory`, and its subdirectories that contain submodules, with git's modes."""
        return list_directory(self._submodules, directory)

    def submodule_at(self, path: str) -> str | None:
        """Return the submodule that `path` is or is in, or None."""
        if not is_inside(path):
            return None
        return next((name for name in prefixes(path) if name in self._submodules), None)

    def refuse_submodule(self, path: str) -> None:
        """Raise `UnreadableFile` if `path` is a submodule or is in one."""
        submodule = self.submodule_at(path)
        if submodule is not None:
            raise path_error(path, submodule, SUBMODULE)

    def refuse_left_out(self, path: str) -> None:
        """Raise `UnreadableFile` if sparse-checkout left out `path`, which is not on disk, or files below it."""
        # not common_dir: each linked working tree has its own patterns
        if self.repository is None or not os.path.lexists(self.repository.git_dir / "info/sparse-checkout"):
            return
        left_out = [name for name, mode in self._not_on_disk.items() if mode != SUBMODULE]
        if path in left_out:
            what = f"{path} is left out of this working tree by git sparse-checkout"
            raise UnreadableFile(ReasonCode.NOT_A_FILE, what, "bring it in with git sparse-checkout add")
        if any(name.startswith(f"{path}/") for name in left_out):
            raise path_error(path, path, DIRECTORY)

    @cached_property
    def _submodules(self) -> Mapping[str, str]:
        return {path: mode for path, mode in self._not_on_disk.items() if mode == SUBMODULE}

    @cached_property
    def _not_on_disk(self) -> Mapping[str, str]:
        """The modes of submodules and of files with the skip-worktree bit, by path."""
        modes: dict[str, str] = {}
        for row in self._rows:  # most are of plain files
            mode = row[2:8]
            if mode == b"160000" or row[:1] == b"S":
                modes[to_text(row.partition(b"\t")[2])] = mode.decode("ascii")
        return modes

    @cached_property
    def _tracked(self) -> frozenset[bytes]:
        return frozenset(row.partition(b"\t")[2] for row in self._rows)

    @cached_property
    def _rows(self) -> list[bytes]:
        """The rows of the index, `TAG MODE ID STAGE<TAB>PATH`; a path in conflict has several. There may be many."""
        if self.repository is None:
            return []
        return self.repository.git.ask("ls-files", "-t", "--stage", "-z").split(b"\0")[:-1]


def staged_names(git: Git) -> list[str]:
    """Return the files that the next commit adds or changes, sorted by name."""
    return sorted(to_text(name) for name in git.ask("diff", *_STAGED).split(b"\0")[:-1])


def staged_holding(git: Git, words: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Return, sorted, those of `paths` whose staged file contains one of `words`, without files in conflict."""
    command = [*_GREP, *(option for word in words for option in ("-e", word)), "--"]
    answers = []
    if len(paths) > _FEW:
        answers.append(git.run(*command, ok_statuses=(0, 1, _FAILED)))
    if not answers or answers[0].returncode == _FAILED:  # a partial clone lacks some blobs of the index
        answers = [git.run(*command, *part, ok_statuses=(0, 1)) for part in chunks(list(filter(is_inside, paths)))]
    names = {to_text(name) for answer in answers for name in answer.stdout.split(b"\0")[:-1]}
    return sorted(names.intersection(paths))


def staged_entries(git: Git, paths: Sequence[str]) -> dict[str, TreeEntry]:
    """Return the index entries of those of `paths` that are in the index, of any kind."""
    return {path: entry for path, entry, *_ in _index_rows(git, paths)}


def unstaged(git: Git, paths: Sequence[str]) -> set[str]:
    """Return those of `paths` that differ between the index and the disk."""
    return {path for path, status in _statuses(git, paths) if status[1] != " "}


def ignore_rules(git: Git, paths: Iterable[str]) -> dict[str, str]:
    """Return the rule for each of `paths` that git ignores, such as `.gitignore line 3: .venv/`.

    Files that are in the index are not ignored.
    """
    all_paths = list(paths)
    names = _nul_ended(f"./{path}" for path in all_paths)  # with `./` no name is taken for a pattern
    git = git.with_environment({"GIT_LITERAL_PATHSPECS": "0"})  # check-ignore fails if it is set
    answer = git.run("check-ignore", "--verbose", "-z", "--stdin", stdin=names, ok_statuses=(0, 1, _FAILED))
    if answer.returncode == _FAILED:
        # git stops at the first path that is beyond a symbolic link or in a submodule. Such paths are not ignored.
        middle = len(all_paths) // 2
        if not middle:
            return {}
        return {**ignore_rules(git, all_paths[:middle]), **ignore_rules(git, all_paths[middle:])}
    rules = {}
    fields = [to_text(field) for field in answer.stdout.split(b"\0")[:-1]]
    for source, number, pattern, name in zip(fields[::4], fields[1::4], fields[2::4], fields[3::4], strict=True):
        if not pattern.startswith("!"):  # the last matching rule says that the file is not ignored
            place = source.removeprefix(f"{git.directory}/")
            rules[name.removeprefix("./")] = f"{place} line {number}: {pattern}"
    return rules


@contextmanager
def next_index(repository: Repository, option: str = "--commit") -> "Iterator[NextIndex]":
    """Yield a temporary copy of the index. Raises `RepoError` if the real index stays locked."""
    _wait_for_lock(repository)
    from shutil import copy2  # a check stages nothing
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        # copy2 keeps the modification time: git rereads files that are as new as the index
        with explain_errors(".git/index", "copied"), suppress(FileNotFoundError):
            copy2(repository.git_dir / "index", folder)
        yield NextIndex(repository, Path(folder, "index"), option)


class NextIndex:
    """A copy of the index in which files are staged. `option` is the user's option that needs it, for messages."""

    def __init__(self, repository: Repository, copy: Path, option: str) -> None:
        self._repository = repository
        self._real = repository.git.with_environment(_no_filters(repository.git))
        self._git = self._real.with_environment({"GIT_INDEX_FILE": str(copy)})
        self._option = option
        self._entries: dict[str, TreeEntry | None] = {}  # entries staged in the copy; None removes the file

    @property
    def is_installed(self) -> bool:
        """Whether the real index has the entries staged in the copy. False if git fails."""
        if not self._entries:
            return False
        try:
            staged = staged_entries(self._real, list(self._entries))
        except RepoError:
            return False
        return all(staged.get(path) == entry for path, entry in self._entries.items())

    def refuse_unclean(self, on_disk: Mapping[str, bool]) -> None:
        """Raise `Refused` unless each file is the same in HEAD, in the index and on disk, and no git filter changes it.

        `on_disk` maps each path to whether the file exists. Contents are compared, because git's cached times and
        sizes of files may be out of date.
        """
        consequence = "the whole file would be part of this commit; commit it separately first"
        for path, _ in self._checked_statuses(on_disk, consequence):
            raise _dirty(f"{path} has changes that are not committed; commit or stash them first")

    def refuse_unstaged(self, on_disk: Mapping[str, bool]) -> None:
        """Raise `Refused` unless each file is the same in the index and on disk. Else like `refuse_unclean`."""
        consequence = "the whole file would be staged, not only the change; git add it first"
        for path, status in self._checked_statuses(on_disk, consequence):
            if "U" in status or status in ("AA", "DD"):
                raise Refused(f"{path} is in conflict; resolve it and stage it first", ReasonCode.PATH_CONFLICT)
            if status[1] != " ":
                raise _dirty(f"{path} has unstaged changes; git add it, or stash what is not staged")

    def unstaged(self, paths: Sequence[str]) -> set[str]:
        """Return those of `paths` that differ between the index and the disk."""
        return unstaged(self._git, paths)

    def _checked_statuses(self, on_disk: Mapping[str, bool], consequence: str) -> Iterator[tuple[str, str]]:
        """Like `_statuses`, but raise `Refused` for files with a git filter, untracked and skip-worktree files."""
        for path, name in _filtered(self._git, on_disk):
            reason = f"{path} has the attribute {name}, so git would store it differently"
            raise Refused(f"{reason}; apply without {self._option}", ReasonCode.FILTERED)
        index_rows = list(_index_rows(self._git, list(on_disk)))
        tags = {path: tag for path, _, tag, _ in index_rows}
        for path, is_there in on_disk.items():
            if is_there and path not in tags:
                raise _dirty(f"{path} is not tracked by git, so {consequence}")
            if tags.get(path) == _SKIPPED:
                raise _dirty(f"{path} has the skip-worktree bit; clear it with git update-index --no-skip-worktree")
        plain = {path: entry for path, entry, _, stage in index_rows if stage == "0"}
        self._git.ask("update-index", "-z", "--index-info", stdin=_index_info(plain), options=_PLAIN)
        yield from _statuses(self._git, list(on_disk))

    def stage(self, contents: Contents) -> dict[str, FileState | None]:
        """Stage these files from disk in the copy, and return mode and bytes of each as git stores it.

        Raises `SelfCheckFailed` if the stored bytes differ from `contents` in more than line ends.
        """
        self._git.ask("update-index", "--add", "--remove", "-z", "--stdin", stdin=_nul_ended(contents), options=_PLAIN)
        entries = staged_entries(self._git, list(contents))
        blobs = read_whole_blobs(self._git, {path: entry.oid for path, entry in entries.items()})
        files: dict[str, FileState | None] = {}
        for path, data in contents.items():
            stored = blobs.get(path)
            files[path] = None if stored is None else (entries[path].mode, stored)
            if _text(stored) != _text(data):
                reason = f"git would store {path} differently from the plan; apply without {self._option}"
                raise SelfCheckFailed(reason)
        self._entries = {path: entries.get(path) for path in contents}
        return files

    def stage_in_real_index(self, contents: Contents) -> None:
        """Stage these files from disk in the real index."""
        if contents:
            self.stage(contents)
            self.install()

    def is_committed(self, paths: Sequence[str]) -> bool:
        """Whether each of `paths` is the same in HEAD and in the copy."""
        command = ("diff-index", "--cached", "--quiet", "--no-ext-diff", "HEAD", "--")
        answers = (self._git.run(*command, *part, ok_statuses=ANY_STATUS) for part in chunks(paths))
        return all(answer.returncode == 0 for answer in answers)

    def install(self) -> None:
        """Stage the entries of the copy in the real index, in one step under git's lock. Raises `RepoError`."""
        removal = TreeEntry("0", self._repository.null_id)
        entries = {path: entry or removal for path, entry in self._entries.items()}
        try:
            _wait_for_lock(self._repository)
            self._real.ask("update-index", "-z", "--index-info", stdin=_index_info(entries))
        except RepoError as error:
            if not self.is_installed:
                reason = f"the index cannot be written: {error.message}"
                if self._option == "--commit":
                    reason = f"{reason}; the commit was made; once the index can be written, run git reset"
                raise RepoError(reason) from error
        for part in chunks([path for path, entry in self._entries.items() if entry]):
            self._real.run("add", "--refresh", "--", *part, ok_statuses=ANY_STATUS)  # so that git need not look again


def _index_rows(git: Git, paths: Sequence[str]) -> Iterator[tuple[str, TreeEntry, str, str]]:
    """Yield path, entry, tag and stage of each row of the index whose path is one of `paths`."""
    wanted = set(paths)
    parts: Iterable[list[str]] = [[]]
    if len(paths) <= _FEW:
        parts = chunks(list(filter(is_inside, paths)))
    for part in parts:
        for head, path in rows(git.ask("ls-files", "-v", "--stage", "-z", "--", *part)):
            if path in wanted:
                tag, mode, oid, stage = head.split()
                yield path, TreeEntry(mode, oid), tag, stage


def _statuses(git: Git, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield path and status (two letters, as in `git status`) of those of `paths` that have uncommitted changes."""
    command = ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all")
    for part in chunks(paths):
        for row in git.ask(*command, "--", *part, options=_PLAIN).split(b"\0")[:-1]:
            yield to_text(row[3:]), row[:2].decode("ascii")


def _filtered(git: Git, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each path that git converts on staging by more than line ends, and the attribute that causes it."""
    fields = git.ask("check-attr", "-z", "--stdin", *_CONVERTING_ATTRIBUTES, stdin=_nul_ended(paths)).split(b"\0")
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if value not in (b"unspecified", b"unset"):
            yield to_text(path), to_text(name)


def _no_filters(git: Git) -> dict[str, str]:
    """Return environment variables with which git runs no filters.

    It would run them when it writes an index, because it then reads all files that are as new as the index.
    """
    keys = os.fsdecode(git.run("config", "-z", "--name-only", "--get-regexp", _FILTERS, ok_statuses=(0, 1)).stdout)
    variables = {}
    for number, key in enumerate(keys.split("\0")[:-1]):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    return {"GIT_CONFIG_COUNT": str(len(variables) // 2), **variables}


def _wait_for_lock(repository: Repository) -> None:
    """Wait until no other git process locks the index. Raises `RepoError` if the lock stays."""
    lock = repository.git_dir / "index.lock"
    deadline = time.monotonic() + repository.lock_seconds
    while os.path.lexists(lock):
        if time.monotonic() >= deadline:
            raise RepoError(f"{lock} exists; remove it if no other git process is running")
        time.sleep(0.05)


def _nul_ended(names: Iterable[str]) -> bytes:
    """Return names in the form that git reads with `-z`."""
    return to_bytes("".join(f"{name}\0" for name in names))


def _index_info(entries: Mapping[str, TreeEntry]) -> bytes:
    """Return the input of `git update-index -z --index-info`."""
    return _nul_ended(f"{entry.mode} {entry.oid}\t{path}" for path, entry in entries.items())


def _dirty(reason: str) -> Refused:
    return Refused(reason, ReasonCode.DIRTY_FILE)


def _text(data: bytes | None) -> bytes | None:
    return None if data is None else data.replace(b"\r\n", b"\n")
