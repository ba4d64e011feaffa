"""`editblocks context`: print files, summaries and a task for a chat with a model.

Files that a model should not see are refused. Page: docs/reference/command-line.md, "files for a chat".
"""

import argparse
import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from editblocks.applying.files import TextFiles
from editblocks.applying.plans import nearest
from editblocks.core.characters import code_point, find_added, quote
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, LevelUnavailable, RepoError, UnreadableFile, UsageError
from editblocks.core.phrases import line_range, plural
from editblocks.core.settings import Settings
from editblocks.faces.reading import copy, decode, path_below, root_of, stdin_bytes
from editblocks.faces.terminal import FINE, message, print_text, say_wrapped
from editblocks.paths.policy import is_secret
from editblocks.paths.syntax import check_syntax
from editblocks.prompts.context import Context, PackedFile, context_messages, context_text, kit
from editblocks.prompts.files import Definition, definitions
from editblocks.repos.git.index import ignore_rules
from editblocks.repos.git.repository import is_in_git_folder, repository_at
from editblocks.repos.stores.objects import CommitReader
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.text.source_text import SourceText

MOST_CHARACTERS = 400_000
LONG_FILE = 16_000  # characters
A_TOKEN = 4  # characters, about
_MOST_TASK = 4 * MOST_CHARACTERS  # bytes; a character has four at most
_MOST_BYTES = 8 * 1024 * 1024  # of all files; of more, even the signatures would be too long for a model
_WITH_LINES = re.compile(r"(.+):([0-9]{1,7})(?:-([0-9]{1,7}))?", re.DOTALL | re.ASCII)

Span = tuple[int, int]  # 0-based, half-open


def main(options: argparse.Namespace) -> int:
    """Print or copy the text or the messages, and print their size on stderr. If a file is refused, do nothing else."""
    if not (options.files or options.read or options.summary):
        raise UsageError("no file is named; name those to change, as in `editblocks context src/cart.py`")
    task = ""
    if options.task is not None:
        task = _task(options.task)
    files = FilePacker(root_of(options.root), options.rev)
    edit = files.parts([_name_and_lines(name) for name in options.files])
    read = files.whole(options.read)
    summaries = files.summaries(options.summary)
    context = Context(edit, read, summaries, files.base(edit), task)
    chosen = kit(options.format, commands=not options.no_shell)
    if options.messages:
        messages = context_messages(context, chosen)
        text = json.dumps(messages, ensure_ascii=False, indent=2)
        size = sum(len(each["content"]) for each in messages)
    else:
        text = context_text(context, chosen)
        size = len(text)
    _refuse_size(size, options.budget)
    if options.clipboard:
        copy(text)
    else:
        print_text(text)
    _warn(context)
    counts = f"{plural(len(edit), 'file')} to edit, {len(read)} to read, {len(summaries)} summarised"
    copied = ", copied to the clipboard" if options.clipboard else ""
    say_wrapped(f"{counts}: {size:,} characters, about {_tokens(size):,} tokens{copied}\n")
    return FINE


def _name_and_lines(name: str) -> tuple[str, Span | None]:
    """Split `src/cart.py:120-180` into name and lines. An end like this always means lines."""
    match = _WITH_LINES.fullmatch(name)
    if match is None:
        return name, None
    return match[1], (int(match[2]) - 1, int(match[3] or match[2]))


def _task(given: str) -> str:
    """Return the task, which is read from stdin for `-`. Raises `UsageError`, `ConfigError` and `RepoError`."""
    data = stdin_bytes(_MOST_TASK + 1, "task") if given == "-" else os.fsencode(given)
    if len(data) > _MOST_TASK:
        raise ConfigError(f"the task is over the limit of {_MOST_TASK:,} bytes; shorten it", ReasonCode.TOO_LARGE)
    if not data.strip():
        raise UsageError("the task is empty; say what to do, or leave --task out and say it in the next message")
    return decode(data, "the task")


def _tokens(size: int) -> int:
    """Return about how many tokens so many characters are, rounded up."""
    return (size + A_TOKEN - 1) // A_TOKEN


def _refuse_size(size: int, budget: int | None) -> None:
    """Raise `ConfigError` if the text has too many characters, or more tokens than `--budget`."""
    limit = ""
    if size > MOST_CHARACTERS:
        limit = f"the limit is {MOST_CHARACTERS:,}"
    elif budget is not None and _tokens(size) > budget:
        limit = f"about {_tokens(size):,} tokens, --budget is {budget:,}"
    if limit:
        advice = "leave files out, or show less with --summary or FILE:FIRST-LAST"
        raise ConfigError(f"this has {size:,} characters, {limit}; {advice}", ReasonCode.TOO_LARGE)


def _warn(context: Context) -> None:
    for file in (*context.edit, *context.read):
        if file.size > LONG_FILE:
            advice = "show a part, as in FILE:120-180, or signatures with --summary"
            message(f"{file.path} has {file.size:,} characters, about {_tokens(file.size):,} tokens; {advice}")
    for file in (*context.edit, *context.read, *context.summaries):
        hidden = find_added("", "\n".join(file.lines))
        if hidden is not None:
            char, line, column = hidden
            what = f"{code_point(char)} at line {line}, column {column} of {file.path}"
            message(f"{what} is visible to the model but not to readers; check that it belongs there")


class FilePacker:
    """Reads files of the commit `rev` or of the working tree. Each file is shown once, where it is first named.

    Names are relative to the current directory. Raises `UnreadableFile` or `UsageError` for a file that must not be
    shown, and `RepoError` for a missing one.
    """

    def __init__(self, root: Path, rev: str | None = None) -> None:
        self.root = root
        self.repository = repository_at(root)
        if rev is None and is_in_git_folder(root.resolve()):
            what = f"{root} is in a .git folder or a bare repository, without files"
            raise UsageError(f"{what}; name a commit with --rev")
        self._at_commit = None if rev is None else CommitReader(self.repository or root, rev)
        self._repo = self._at_commit or WorktreeRepo(root, repository=self.repository)
        self._files = TextFiles(self._repo.read, self._repo.entries, Settings())
        self._data: dict[str, bytes] = {}
        self._size = 0  # bytes of all files

    def whole(self, names: Sequence[str]) -> list[PackedFile]:
        """Return these files with all their lines."""
        return self._read([self._path(name) for name in names])

    def summaries(self, names: Sequence[str]) -> list[PackedFile]:
        """Return these files with only their signatures."""
        return [self._summary(file) for file in self.whole(names)]

    def parts(self, names: Sequence[tuple[str, Span | None]]) -> list[PackedFile]:
        """Return files with the given ranges of lines, None for the whole file; a name may have several ranges."""
        asked: dict[str, list[Span | None]] = {}
        for name, lines in names:
            asked.setdefault(self._path(name), []).append(lines)
        return [self._part(file, asked[file.path]) for file in self._read(list(asked))]

    def base(self, files: Sequence[PackedFile]) -> str | None:
        """Return the commit in which these files are as they are shown; None, with a warning, if there is none."""
        if not files:
            return None
        if self._at_commit is not None:
            return self._at_commit.head
        if self.repository is None:
            message(f"{self.root} is not a git repository, so the text has no `base:` line")
            return None
        commit = self.repository.head
        read = self._repo.at(commit) if commit else None
        if commit is None or read is None:
            message("there is no commit yet, so the text has no `base:` line")
            return None
        for file in files:
            if not self._is_unchanged(file.path, read):
                what = f"{file.path} differs from {commit[:7]}"
                message(f"{what}, so the text has no `base:` line; commit first if others also work on this")
                return None
        return commit

    def _is_unchanged(self, path: str, read: Callable[[str], bytes | None]) -> bool:
        """Whether `read`, of a commit, returns the same lines for this file as those that are shown."""
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
            advice = "leave it out, or copy it into the chat yourself if it holds none"
            raise UnreadableFile(ReasonCode.NOT_ALLOWED, what, advice)
        return path

    def _read(self, paths: Sequence[str]) -> list[PackedFile]:
        paths = [path for path in dict.fromkeys(paths) if path not in self._data]
        self._repo.prefetch(paths)
        files = [self._read_whole(path) for path in paths]
        if self._at_commit is None and self.repository is not None and paths:
            ignored = list(ignore_rules(self.repository.git, paths))
            if ignored:
                what = f"git ignores {ignored[0]}"
                raise UnreadableFile(ReasonCode.NOT_ALLOWED, what, "leave it out, or add it to git first")
        return files

    def _read_whole(self, path: str) -> PackedFile:
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

    def _part(self, file: PackedFile, asked: Sequence[Span | None]) -> PackedFile:
        if None in asked:
            return file
        ranges = [span for span in asked if span is not None]
        for start, stop in ranges:
            if start >= stop > 0:
                raise UsageError(f"{file.path}:{start + 1}-{stop} ends before it begins; write FILE:FIRST-LAST")
            if not 0 <= start < stop <= len(file.lines):
                where = f"{file.path}:{line_range((start + 1, stop))}"
                raise UsageError(f"{where} is not in the file, which has {plural(len(file.lines), 'line')}")
        functions = list[Definition]()
        try:
            functions = definitions(file.lines, file.path)
        except LevelUnavailable as error:
            message(f"of {file.path}, only the lines that you name are shown: {error.message}")
        packed = _merge_ranges(each for span in ranges for each in enclosing(functions, *span))
        return PackedFile(file.path, file.lines, packed)

    def _summary(self, file: PackedFile) -> PackedFile:
        try:
            signatures = outline(definitions(file.lines, file.path))
        except LevelUnavailable as error:
            raise ConfigError(f"{file.path} cannot be summarised: {error.message}") from error
        if not signatures:
            advice = f"show it whole with --read {file.path}, or leave it out"
            message(f"no function, class or type was found in {file.path}, so its summary would be empty; {advice}")
        return PackedFile(file.path, file.lines, signatures)


def _with_lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def outline(found: Iterable[Definition]) -> list[Span]:
    """Return the lines of all signatures, as sorted ranges that neither touch nor overlap."""
    return _merge_ranges((definition.start, definition.body) for definition in found)


def enclosing(found: Iterable[Definition], start: int, stop: int) -> list[Span]:
    """Return lines `start:stop`, extended to whole functions and types, and the signatures of classes around them."""
    ranges = [(start, stop)]
    for each in found:
        if each.start < stop and start < each.stop:
            last = each.body if each.is_class else each.stop
            ranges.append((each.start, last))
    return _merge_ranges(ranges)


def _merge_ranges(ranges: Iterable[Span]) -> list[Span]:
    """Return the line ranges in order, with those that touch or overlap joined."""
    result: list[Span] = []
    for start, stop in sorted(ranges):
        if result and start <= result[-1][1]:
            first, last = result[-1]
            result[-1] = (first, max(last, stop))
        else:
            result.append((start, stop))
    return result
