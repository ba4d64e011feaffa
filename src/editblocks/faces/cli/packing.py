"""The files that `editblocks context` shows: found, refused where no model should see them, and cut to their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from editblocks.applying.files import TextFiles
from editblocks.applying.similar_paths import nearest
from editblocks.core.characters import quote
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, LevelUnavailable, RepoError, UnreadableFile, UsageError
from editblocks.core.phrases import join_words, line_range, plural
from editblocks.core.settings import Settings
from editblocks.faces.common.locations import is_in_git_folder, path_below
from editblocks.faces.common.terminal import message
from editblocks.paths.secrets import is_secret
from editblocks.paths.syntax import check_syntax
from editblocks.prompts.context import PackedFile
from editblocks.repos.git.repository import repository_at
from editblocks.repos.index.staged_files import ignored
from editblocks.repos.stores.objects import CommitReader
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.text.definitions import Definition, definitions, enclosing, joined, outline, touched
from editblocks.text.source_text import SourceText

Lines = tuple[int, int]  # 0-based, half-open
_MOST_NAMED = 3
_MOST_BYTES = 8 * 1024 * 1024  # of all files: a text for a model could not even hold the signatures of more


class Files:
    """The files of the commit `rev`, or of the working tree. Each is shown once, where it is named first.

    Names are relative to the current directory. What may not be shown raises `UnreadableFile`, `UsageError` or, if it
    is not there, `RepoError`.
    """

    def __init__(self, root: Path, rev: str | None = None) -> None:
        self.root, self.repository = root, repository_at(root)
        if rev is None and is_in_git_folder(root.resolve()):
            raise UsageError(f"{root} is git's own folder, without files; name a commit with --rev")
        self._at_commit = None if rev is None else CommitReader(self.repository or root, rev)
        self._repo = self._at_commit or WorktreeRepo(root, repository=self.repository)
        self._files = TextFiles(self._repo.read, self._repo.entries, Settings())
        self._data: dict[str, bytes] = {}
        self._size = 0  # of all of them

    def whole(self, names: Sequence[str]) -> list[PackedFile]:
        """All lines of these files."""
        return self._read([self._path(name) for name in names])

    def summaries(self, names: Sequence[str]) -> list[PackedFile]:
        """The signatures in these files."""
        return [self._summary(file) for file in self.whole(names)]

    def parts(self, names: Sequence[tuple[str, Lines | None]]) -> list[PackedFile]:
        """Files with the lines that were asked for, None for all; the same name may come with several ranges."""
        asked: dict[str, list[Lines | None]] = {}
        for name, lines in names:
            asked.setdefault(self._path(name), []).append(lines)
        return [self._part(file, asked[file.path]) for file in self._read(list(asked))]

    def base(self, files: Sequence[PackedFile]) -> str | None:
        """The commit that holds these files as they are shown; None, with a warning, if there is no such commit."""
        if self._at_commit is not None:
            return self._at_commit.head
        commit = self.repository.head if self.repository else None
        read = self._repo.at(commit) if commit else None
        if commit is None or read is None:
            message("there is no commit yet, so the text names no base")
            return None
        changed = [file.path for file in files if not self._is_in(read, file.path)]
        if not changed:
            return commit
        names = join_words(changed) if len(changed) <= _MOST_NAMED else f"{len(changed)} files"
        differ = "differs" if len(changed) == 1 else "differ"
        message(
            f"{names} {differ} from {commit[:7]}, so the text names no base; commit first if others work on this, too"
        )
        return None

    def _is_in(self, read: Callable[[str], bytes | None], path: str) -> bool:
        try:
            data = read(path)
        except UnreadableFile:
            return False
        return data is not None and _with_lf(data) == _with_lf(self._data[path])

    def _path(self, name: str) -> str:
        if not name:
            raise UsageError("a name is empty; name a file")
        path = path_below(self.root, name)
        if path is None:
            raise UsageError(f"{quote(name)} is not in {self.root.resolve()}; name a file in it")
        fault = check_syntax(path, "edit")
        if fault is not None:
            raise UnreadableFile(ReasonCode.UNSAFE_PATH, fault.what, fault.advice)
        if is_secret(path):
            what = f"the name of {path} says that it holds secrets"
            raise UnreadableFile(
                ReasonCode.NOT_ALLOWED, what, "leave it out, or copy it into the chat yourself if it holds none"
            )
        return path

    def _read(self, paths: Sequence[str]) -> list[PackedFile]:
        paths = [path for path in dict.fromkeys(paths) if path not in self._data]
        self._repo.prefetch(paths)
        files = [self._whole(path) for path in paths]
        if self._at_commit is None and self.repository is not None and paths:
            for path in ignored(self.repository.git, paths):
                raise UnreadableFile(
                    ReasonCode.NOT_ALLOWED, f"git ignores {path}", "leave it out, or add it to git first"
                )
        return files

    def _whole(self, path: str) -> PackedFile:
        data = self._files.read(path)
        if data is None:
            near = nearest(path, self._repo.entries)
            advice = f"did you mean {near[0]}?" if near else "check the path"
            raise RepoError(f"there is no {path}; {advice}", ReasonCode.FILE_NOT_FOUND)
        self._files.check(path, data)
        self._data[path] = data
        self._size += len(data)
        if self._size > _MOST_BYTES:
            raise ConfigError("these files have over 8 MiB together; name fewer", ReasonCode.TOO_LARGE)
        return PackedFile(path, SourceText.decode(data, path).lines)

    def _part(self, file: PackedFile, asked: Sequence[Lines | None]) -> PackedFile:
        ranges = [span for span in asked if span is not None]
        if len(ranges) < len(asked):
            return file
        for start, stop in ranges:
            if start >= stop > 0:
                raise UsageError(f"{file.path}:{start + 1}-{stop} ends before it begins; write FILE:FIRST-LAST")
            if not 0 <= start < stop <= len(file.lines):
                where, there = f"{file.path}:{line_range((start + 1, stop))}", plural(len(file.lines), "line")
                raise UsageError(f"{where} is not in the file, which has {there}")
        found = list[Definition]()
        try:
            found = definitions(file.lines, file.path)
            for start, stop in ranges:
                if not touched(found, start, stop):
                    where = f"{file.path}:{line_range((start + 1, stop))}"
                    message(f"{where} is in no function, class or type; only what you name is shown")
        except LevelUnavailable as error:
            message(f"of {file.path} no more is shown than the lines that you name: {error.message}")
        return PackedFile(file.path, file.lines, joined(each for span in ranges for each in enclosing(found, *span)))

    def _summary(self, file: PackedFile) -> PackedFile:
        try:
            signatures = outline(definitions(file.lines, file.path))
        except LevelUnavailable as error:
            raise ConfigError(f"{file.path} cannot be summarised: {error.message}") from error
        if not signatures:
            advice = f"show it whole with --read {file.path}, or leave it out"
            message(f"no function, class or type is known in {file.path}, so its summary says nothing; {advice}")
        return PackedFile(file.path, file.lines, signatures)


def _with_lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")
