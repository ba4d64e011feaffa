"""Response files: those that a commit holds, each a source of its own, and what is to be done with them.

A file is what it is at one commit: another one at its path, or none, ends a request, and whoever pushed that has a
run of their own. Rules: docs/reference/action.md, "response files".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from editblocks.config.front_matter import read_front_matter
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigTextError, RepoError, UnreadableFile
from editblocks.core.model import ApplyResult, Problem
from editblocks.core.outcome import Outcome, Response, Signature, Source
from editblocks.hosts.github.client.api import MAX_REQUESTS
from editblocks.hosts.github.orders.command_target import commits_not_reverted
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.orders.skipped_files import SkippedFile, skipped_file
from editblocks.hosts.github.pull.context import Head
from editblocks.hosts.github.pull.event import Task
from editblocks.paths import check_syntax
from editblocks.paths.attributes import is_lfs_pointer
from editblocks.paths.response_files import is_read_as_response
from editblocks.report.commit_message import read_trailers
from editblocks.repos.files.tree_modes import DIRECTORY
from editblocks.repos.stores.github_repo import BranchTip, GitHubRepo
from editblocks.run.flow import ApplyRequest
from editblocks.text.source_text import SourceText

MOST_FILES = 50  # of a run; what is read of them comes in one request
A_FILE = 12  # requests that a run must have left to begin with one
_PREFIX = "file-"
_REPAIRS = {
    ReasonCode.BINARY: "save it as UTF-8 text",
    ReasonCode.ENCODING: "save it as UTF-8 text",
    ReasonCode.NOT_A_FILE: "commit the text itself",
    ReasonCode.TOO_LARGE: "split it",
    ReasonCode.UNSAFE_PATH: "rename the file",
}


@dataclass(frozen=True, slots=True)
class ResponseFile:
    """One file as a response; `problem` is why it cannot be read, and its text is empty then."""

    response: Response
    problem: Problem | None = None


def source_id(path: str) -> str:
    """What a response file is called in markers and trailers."""
    return f"{_PREFIX}{sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def file_requests(host: GitHubHost) -> Iterator[ApplyRequest | Outcome | SkippedFile]:
    """A request for each response file of the head, in order of name; of one that cannot be read, its outcome.

    A file that was applied before is passed over, and said so. Raises `RepoError`.
    """
    if not host.context.pull.is_open:
        host.nothing_to_do_reason = "closed: the pull request is not open, nothing was checked"
        return
    host.nothing_to_do_reason = (
        f"nothing to do: no response file ({', '.join(host.settings.response_files) or 'they are off'})"
    )
    files = _files_of_head(host)
    yield from _unreported_requests(host, {file.response.source.id for file in files})
    for number, file in enumerate(files):
        if host.api.requests > MAX_REQUESTS - A_FILE or _is_cut_off(host):
            why = f"as a run asks GitHub {MAX_REQUESTS} times at most, and has {host.api.requests}; run the job again"
            host.faults.append(_left(len(files) - number, why))
            return
        yield from _request_of(host, file, is_there=True)


def find_file(host: GitHubHost, source: str, digest: str) -> ResponseFile | None:
    """The response file that a marker or a commit names: as it stands in the head, else as it was applied.

    Raises `RepoError`.
    """
    heads = [host.context.pull.head]
    for bot_commit in reversed(host.context.bot_commits):
        trailers = read_trailers(bot_commit.text) or {}
        if (trailers.get("source"), trailers.get("digest")) == (source, digest):
            heads.append(bot_commit.parent)
            break
    for head in heads:
        file = _file_at(host, head, source)
        if file is not None and (head is heads[0] or file.response.digest == digest):
            return file
    return None


def file_to_delete(host: GitHubHost, response: Response) -> str | None:
    """The path that is removed once the response is applied."""
    return response.source.path if host.settings.after_apply == "delete" else None


def is_there(repo: GitHubRepo, response: Response) -> bool:
    """Whether `repo` has the file that a response came from, if it came from one, like that. Raises `RepoError`."""
    path = response.source.path
    if path is None or response.blob is None:
        return True
    repo.prefetch([path.rpartition("/")[0]])
    return repo.oid(path) == response.blob


def refuse_changed_file(repo: GitHubRepo, response: Response) -> None:
    """Raise `RepoError` (`source-edited`) if the response came from a file that `repo` does not have like that."""
    if not is_there(repo, response):
        path = response.source.path
        reason = f"{path} was changed or removed during the run; what was pushed has a run of its own"
        raise RepoError(reason, ReasonCode.SOURCE_EDITED)


def _request_of(
    host: GitHubHost, file: ResponseFile, *, is_there: bool
) -> Iterator[ApplyRequest | Outcome | SkippedFile]:
    """`is_there`: the file is in the head, and not only in the parent of the commit that applied it."""
    response, settings = file.response, host.settings
    request = ApplyRequest(
        response,
        settings,
        allow_partial=settings.partial,
        signature=Signature(host.task.author.login, None, settings.trailers),
        needs_command=settings.trigger == "command" and settings.mode == "apply",
        removes=file_to_delete(host, response),
        refusal=host.policy_fault,
    )
    case = host.open_case(request, asked=None, is_allowed=_could_push(host.task))
    case.is_allowed = case.is_allowed or case.bot_commit is not None  # it was made, whoever looks at it now
    if file.problem is not None:
        result = ApplyResult(problems=(file.problem,))
        yield Outcome(response, result, State.FAILED, host.context.pull.head.commit, refusal=host.policy_fault)
    elif case.known_commit is None:
        yield case.request
    else:
        before = skipped_file(host, case, response.source.path or "") if is_there else None
        if case.bot_commit is not None and (before is None or host.task.number is not None):
            yield case.request  # its status is missing
        if before is not None:
            case.known_commit = case.known_commit if before.is_done else None
            yield before


def _is_cut_off(host: GitHubHost) -> bool:
    """Whether GitHub could not be asked any more, or for too long, about the file before."""
    outcome = host.case.outcome if host.case else None
    return outcome is not None and outcome.refusal is not None and outcome.refusal.code is ReasonCode.UNAVAILABLE


def _could_push(task: Task) -> bool:
    """A bot that pushed the file could have pushed the result; one that is not known, or reopens, shows nothing."""
    return task.author.is_bot and task.author.id != 0 and task.is_push


def _unreported_requests(host: GitHubHost, there: set[str]) -> Iterator[ApplyRequest]:
    """Orders for files that are gone as a run applied them, which was cut off before it could say so."""
    if host.task.number is None or host.settings.mode == "check":  # also where the policy cannot be used
        return
    in_statuses = {post.marker.source: post.marker.commit for post in host.context.statuses if post.marker}
    newest = {
        source: (digest, bot_commit) for source, digest, bot_commit in commits_not_reverted(host.context.bot_commits)
    }
    for source, (digest, bot_commit) in newest.items():
        if not source.startswith(_PREFIX) or source in there or in_statuses.get(source) == bot_commit.commit:
            continue
        file = _file_at(host, bot_commit.parent, source)
        if file is not None and file.response.digest == digest:
            file_request = _request_of(host, file, is_there=False)
            orders = [request for request in file_request if isinstance(request, ApplyRequest)]
            if host.case is not None and host.case.bot_commit is not None:
                yield from orders


# what a commit holds


def repo_at(host: GitHubHost, head: Head) -> GitHubRepo:
    """The files of a commit, to be read."""
    context = host.context
    return GitHubRepo(
        host.api, BranchTip(host.task.repository, context.node_id, context.branch, head.commit, head.tree)
    )


def _files_of_head(host: GitHubHost) -> list[ResponseFile]:
    repo = repo_at(host, host.context.pull.head)
    paths = _paths(host, repo)
    if len(paths) > MOST_FILES:
        host.faults.append(_left(len(paths) - MOST_FILES, f"as a run takes {MOST_FILES}; push again after this one"))
    paths = paths[:MOST_FILES]
    if paths:
        repo.prefetch(paths)
    return [_read(host, repo, path) for path in paths]


def _file_at(host: GitHubHost, head: Head, source: str) -> ResponseFile | None:
    repo = repo_at(host, head)
    path = next((path for path in _paths(host, repo) if source_id(path) == source), None)
    if path is None:
        return None
    repo.prefetch([path])
    return _read(host, repo, path)


def _paths(host: GitHubHost, repo: GitHubRepo) -> list[str]:
    """Everything but directories that a pattern of the settings means, in order of name."""
    patterns = host.settings.response_files
    folders = sorted({pattern.rpartition("/")[0] for pattern in patterns})
    if folders:
        repo.prefetch(folders)
    rows = {f"{folder}/{name}": mode for folder in folders for name, mode in repo.entries(folder).items()}
    return sorted(path for path in rows if rows[path] != DIRECTORY and is_read_as_response(path, patterns))


def _read(host: GitHubHost, repo: GitHubRepo, path: str) -> ResponseFile:
    source, blob = Source(source_id(path), "file", path=path), repo.oid(path)
    try:
        text = _text(repo, path, host.settings.max_response_bytes)
        front = read_front_matter(text, path, host.warnings.append)
    except UnreadableFile as error:
        problem = Problem(1, 1, 1, error.code, error.what, _REPAIRS.get(error.code, error.advice))
        return ResponseFile(Response("", source, blob=blob), problem)
    except ConfigTextError as error:
        problem = Problem(1, error.line, error.line, error.code, error.reason)
        return ResponseFile(Response("", source, blob=blob), problem)
    return ResponseFile(Response(text, source, front=front, blob=blob))


def _text(repo: GitHubRepo, path: str, limit: int) -> str:
    error = check_syntax(path, "edit")
    if error is not None:
        raise UnreadableFile(ReasonCode.UNSAFE_PATH, error.what, error.advice)
    data = repo.read(path) or b""
    if len(data) > limit:
        what = f"{path} has {len(data):,} bytes, the limit is {limit:,} (max-response-bytes)"
        raise UnreadableFile(ReasonCode.TOO_LARGE, what, "split it")
    if is_lfs_pointer(data):
        raise UnreadableFile(ReasonCode.FILTERED, f"{path} is a Git LFS pointer", "keep response files out of Git LFS")
    return SourceText.decode(data, path).text()


def _left(count: int, why: str) -> str:
    files = "1 response file was" if count == 1 else f"{count} response files were"
    return f"{ReasonCode.UNAVAILABLE.value}: {files} not looked at, {why}"
