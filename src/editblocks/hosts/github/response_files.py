"""The response files of a commit, and their texts: docs/reference/action.md, "response files"."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from editblocks.config.front_matter import read_front_matter
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigTextError, UnreadableFile
from editblocks.core.outcome import Response, Source, unreadable
from editblocks.core.settings import Settings
from editblocks.core.typed import NamedTuple
from editblocks.hosts.github.state import FILE_PREFIX, SourceResponse
from editblocks.paths.attributes import is_lfs_pointer
from editblocks.paths.policy import folders_of, is_read_as_response
from editblocks.paths.syntax import check_syntax
from editblocks.repos.files.tree_modes import DIRECTORY
from editblocks.repos.stores.github_repo import GitHubRepo
from editblocks.text.source_text import SourceText

MOST_FILES = 50  # in one run; one request reads them all


class Found(NamedTuple):
    """The response files of a commit, and what is to be said about them."""

    files: tuple[SourceResponse, ...]
    warnings: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()  # these fail the job


def files_at(repo: GitHubRepo, settings: Settings) -> Found:
    """The response files of a commit, in order of name."""
    paths, warnings = _paths(repo, settings), list[str]()
    faults: tuple[str, ...] = ()
    if len(paths) > MOST_FILES:
        faults = (left_out(len(paths) - MOST_FILES, f"as a run takes {MOST_FILES}; push again after this one"),)
    files = _read(repo, settings, paths[:MOST_FILES], warnings)
    return Found(files, tuple(warnings), faults)


def file_at(repo: GitHubRepo, settings: Settings, source: str) -> SourceResponse | None:
    """The response file whose id is `source`."""
    paths = [path for path in _paths(repo, settings) if id_of_file(path) == source]
    return next(iter(_read(repo, settings, paths, [])), None)


def _paths(repo: GitHubRepo, settings: Settings) -> list[str]:
    """The paths that match the setting `response-files`, in order of name; no directories."""
    patterns = settings.response_files
    folders = folders_of(patterns)
    if folders:
        repo.prefetch(folders)
    rows = {f"{folder}/{name}": mode for folder in folders for name, mode in repo.entries(folder).items()}
    return sorted(path for path in rows if rows[path] != DIRECTORY and is_read_as_response(path, patterns))


def _read(
    repo: GitHubRepo, settings: Settings, paths: Sequence[str], warnings: list[str]
) -> tuple[SourceResponse, ...]:
    if paths:
        repo.prefetch(paths)
    return tuple(_read_one(repo, path, settings.max_response_bytes, warnings) for path in paths)


def _read_one(repo: GitHubRepo, path: str, limit: int, warnings: list[str]) -> SourceResponse:
    source, blob = Source(id_of_file(path), "file", path=path), repo.oid(path)
    try:
        text = _text(repo, path, limit)
        front = read_front_matter(text, path, warnings.append)
    except (UnreadableFile, ConfigTextError) as error:
        return SourceResponse(Response("", source, blob=blob), problem=unreadable(error))
    return SourceResponse(Response(text, source, front=front, blob=blob))


def id_of_file(path: str) -> str:
    """The id of a response file in markers and trailers."""
    return f"{FILE_PREFIX}{sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _text(repo: GitHubRepo, path: str, limit: int) -> str:
    if (error := check_syntax(path, "edit")) is not None:
        raise UnreadableFile(ReasonCode.UNSAFE_PATH, error.what, error.advice)
    data = repo.read(path) or b""
    if len(data) > limit:
        what = f"{path} has {len(data):,} bytes, the limit is {limit:,} (max-response-bytes)"
        raise UnreadableFile(ReasonCode.TOO_LARGE, what, "split it")
    if is_lfs_pointer(data):
        raise UnreadableFile(ReasonCode.FILTERED, f"{path} is a Git LFS pointer", "keep response files out of Git LFS")
    return SourceText.decode(data, path).text()


def left_out(count: int, why: str) -> str:
    files = "1 response file was" if count == 1 else f"{count} response files were"
    return f"{ReasonCode.UNAVAILABLE.value}: {files} not looked at, {why}"
