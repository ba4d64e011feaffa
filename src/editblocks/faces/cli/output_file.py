"""`--output FILE`: which files it may replace, and which it appends to.

Page: docs/reference/command-line.md, "what is printed".
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from editblocks.core.errors import RepoError, UsageError, reason_of
from editblocks.core.outcome import Response
from editblocks.faces.cli.request import Request
from editblocks.faces.common.locations import is_git_folder, path_below

_MOST_LINKS = 40  # as many as Linux follows


@contextmanager
def begun(request: Request, name: str, responses: Sequence[Response]) -> Iterator[BinaryIO]:
    """The file of this name, to be written.

    It is begun beside its place, so that nothing is done whose result cannot be told, and takes the place
    at the end, unless something else is there by then. What is no file, or open already, is written to as it is.
    Raises `UsageError` for a place where something would be lost by that, and `RepoError`.
    """
    number = _descriptor(name)
    if number is None:
        _refuse_precious(request, name, responses)
    is_file = number is None and not _is_stream(name)
    with _replace_file(name) if is_file else _open_existing(name, number) as file:
        yield file


@contextmanager
def explain_errors(name: str) -> Iterator[None]:
    """Raise `RepoError` where `name` cannot be written, with the system's own words."""
    try:
        yield
    except OSError as error:
        raise RepoError(f"{name} cannot be written: {reason_of(error)}; give --output another place") from error


@contextmanager
def _open_existing(name: str, number: int | None) -> Iterator[BinaryIO]:
    """Open an existing stream to append; `number` is the descriptor that the name stands for."""
    with explain_errors(name):
        if number is not None:
            os.write(number, b"")  # fails if it is open for reading alone
        fd = os.open(name, os.O_WRONLY | os.O_APPEND) if number is None else os.dup(number)
        file = os.fdopen(fd, "wb")
    with _close(name, file):
        yield file


@contextmanager
def _replace_file(name: str) -> Iterator[BinaryIO]:
    """Write a new file that replaces `name` at the end, unless somebody else has written there meanwhile."""
    place = Path(os.path.realpath(name))  # through a link, as a shell writes
    temp = place.with_name(f".editblocks-{secrets.token_hex(8)}")
    before = _state(name)
    try:
        with explain_errors(name):
            file = temp.open("xb")
        with _close(name, file):
            yield file
        with explain_errors(name):
            if _state(name) != before:
                raise RepoError(_changed_message(name))
            if before is not None:
                shutil.copymode(place, temp)
            temp.replace(place)
    finally:
        temp.unlink(missing_ok=True)


@contextmanager
def _close(name: str, file: BinaryIO) -> Iterator[None]:
    """Flush and close the file at the end; an error is explained."""
    try:
        yield
    finally:
        with explain_errors(name):
            file.close()


def _changed_message(name: str) -> str:
    return (
        f"{name} changed while the result of this command was made, so the result is not in it; "
        "give --output another place"
    )


def _state(name: str) -> tuple[int, ...] | None:
    """The identity and version of a file; None if there is none."""
    status = _stat(name)
    return None if status is None else (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _stat(name: str) -> os.stat_result | None:
    with explain_errors(name):
        try:
            return Path(name).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None  # whether it can come to be shows when it is begun


def _is_stream(name: str) -> bool:
    """Whether a path is of no regular file, or of one that another process holds open."""
    status = _stat(name)
    is_special = status is not None and not stat.S_ISREG(status.st_mode)
    return is_special or any(hop.parts[1:2] == ("proc",) for hop in _hops(name))


def _descriptor(name: str) -> int | None:
    """The descriptor of this process that a path stands for, as /dev/stdout does: to open it anew could empty it."""
    own = {os.path.realpath(folder) for folder in ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")}
    numbers = (hop for hop in _hops(name) if str(hop.parent) in own and hop.name.isdecimal())
    return next((int(hop.name) for hop in numbers if os.path.lexists(hop)), None)


def _hops(name: str) -> Iterator[Path]:
    """A path, and what each link at its end names in turn; the folders are resolved."""
    for _ in range(_MOST_LINKS):
        folder, last = os.path.split(name)
        hop = Path(os.path.realpath(folder or os.curdir), last)
        yield hop
        if not hop.is_symlink():
            return
        name = str(hop.parent / hop.readlink())


def _refuse_precious(request: Request, name: str, responses: Sequence[Response]) -> None:
    """Raise `UsageError` for a place whose contents are what the call is about, or git's own, or kept by a person."""
    place, status = Path(os.path.realpath(name)), _stat(name)
    is_file = status is not None and stat.S_ISREG(status.st_mode)
    named = [source for source in request.sources if source != "-" and Path(source).exists()]
    if is_file and any(place.samefile(source) for source in named):
        raise UsageError(f"--output names the response {name} itself; give it another place")
    if is_file and request.config and place.samefile(request.config):
        raise UsageError(f"--output names {name}, where settings are read from; give it another place")
    if _is_gits(Path(name).absolute()) or _is_gits(place):
        raise UsageError(f"--output {name} is in git's own folder; give it another place")
    _refuse_paths(request, name, place, responses)
    if is_file and status is not None and not status.st_mode & stat.S_IWUSR:
        raise UsageError(f"--output {name} is read-only; make it writable, or give it another place")


def _refuse_paths(request: Request, name: str, place: Path, responses: Sequence[Response]) -> None:
    from editblocks.faces.cli.list_paths import parsed_response
    from editblocks.faces.common.settings import FILE

    paths = {path for each in (name, str(place)) if (path := path_below(request.root, each)) is not None}
    if FILE in map(str.lower, paths):
        raise UsageError(f"--output names {FILE}, where settings are read from; give it another place")
    mentioned = paths & {block.file_path for each in responses for block in parsed_response(each).blocks}
    if mentioned:
        raise UsageError(f"--output names {min(mentioned)}, which a block is for; give it another place")


def _is_gits(place: Path) -> bool:
    """Whether git keeps its own files there: also of a bare repository, and of another worktree."""
    return ".git" in map(str.lower, place.parts) or any(map(is_git_folder, (place, *place.parents)))
