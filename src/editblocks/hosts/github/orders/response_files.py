"""Find the response files in a commit and make a request of each: every file is a source of its own.

A request is about the file's content at one commit. If a push during the run changes or removes the file, the request
ends, as that push has a run of its own. Rules: docs/reference/action.md, "response files".
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from editblocks.config.front_matter import read_front_matter
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigTextError, RepoError, UnreadableFile
from editblocks.core.model import ApplyResult, Problem
from editblocks.core.outcome import Outcome, Response, Signature, Source
from editblocks.hosts.github.orders.case import Case
from editblocks.hosts.github.orders.commits import not_reverted, revert_of
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.pull.context import Head
from editblocks.parsing.notes import UNREAD, UNREAD_PATCH
from editblocks.parsing.parse import parse_response
from editblocks.paths import check_syntax
from editblocks.paths.attributes import is_lfs_pointer
from editblocks.paths.response_files import is_read_as_response
from editblocks.report.escape import cut_middle
from editblocks.repos.files.tree_modes import DIRECTORY
from editblocks.repos.github.client import MAX_REQUESTS
from editblocks.repos.stores.github_repo import GitHubRepo
from editblocks.run.flow import ApplyRequest
from editblocks.text.source_text import SourceText

MOST_FILES = 50  # in one run; one request reads them all
A_FILE = 12  # requests that a run must have left to start with another file
_PREFIX = "file-"
_PATH_LIMIT = 60  # a line of the log has 200 characters
_ANEW = "change it to have it read anew"
_REPAIRS = {
    ReasonCode.BINARY: "save it as UTF-8 text",
    ReasonCode.ENCODING: "save it as UTF-8 text",
    ReasonCode.NOT_A_FILE: "commit the text itself",
    ReasonCode.TOO_LARGE: "split it",
    ReasonCode.UNSAFE_PATH: "rename the file",
}


class ResponseFile(NamedTuple):
    """One file as a response. `problem` is why it cannot be read; the response's text is empty then."""

    response: Response
    problem: Problem | None = None


class SkippedFile(NamedTuple):
    """A response file of the head that this run leaves alone.

    `code` names the reason in reports. `explanation` says what was done earlier and what a person may do now.
    `is_kept`: the settings keep the file. `commit`: the one on the branch that holds its blocks.
    """

    path: str
    code: str
    explanation: str
    is_kept: bool = False
    commit: str | None = None


def source_id(path: str) -> str:
    """The id of a response file in markers and trailers."""
    return f"{_PREFIX}{sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def file_requests(host: GitHubHost) -> Iterator[ApplyRequest | Outcome | SkippedFile]:
    """Yield a request for each response file of the head, in order of name; for an unreadable file, its outcome.

    A file that was applied before is yielded as a `SkippedFile`. Raises `RepoError`.
    """
    if not host.context.pull.is_open:
        host.nothing_to_do_reason = "closed: the pull request is not open, nothing was checked"
        return
    patterns = ", ".join(host.settings.response_files) or "they are off"
    host.nothing_to_do_reason = f"nothing to do: no response file ({patterns})"
    files = _files_of_head(host)
    yield from _unreported_requests(host, {file.response.source.id for file in files})
    for number, file in enumerate(files):
        if host.api.requests > MAX_REQUESTS - A_FILE or _is_cut_off(host):
            why = f"as a run asks GitHub {MAX_REQUESTS} times at most, and has {host.api.requests}; run the job again"
            host.faults.append(_left(len(files) - number, why))
            return
        yield from _request_of(host, file)


def find_file(host: GitHubHost, source: str, digest: str) -> ResponseFile | None:
    """Find the response file that a marker or a commit names: as it is in the head, else as it was applied.

    Raises `RepoError`.
    """
    file = _file_at(host, host.context.pull.head, source)
    if file is not None:
        return file
    same = (each for each in host.context.bot_commits if (each.source, each.digest) == (source, digest))
    commit = next(reversed(tuple(same)), None)
    file = _file_at(host, commit.parent, source) if commit is not None else None
    return file if file is not None and file.response.digest == digest else None


def file_to_delete(host: GitHubHost, response: Response) -> str | None:
    """The path to delete when the response is applied; None if the settings keep the file."""
    return response.source.path if host.settings.after_apply == "delete" else None


def is_there(repo: GitHubRepo, response: Response) -> bool:
    """Whether the file of a response is unchanged in `repo`; True if it came from no file. Raises `RepoError`."""
    path = response.source.path
    if path is None or response.blob is None:
        return True
    repo.prefetch([path.rpartition("/")[0]])
    return repo.oid(path) == response.blob


def refuse_changed_file(repo: GitHubRepo, response: Response) -> None:
    """Raise `RepoError` (`source-edited`) if the response came from a file that is changed or gone in `repo`."""
    if not is_there(repo, response):
        path = response.source.path
        reason = f"{path} was changed or removed during the run; what was pushed has a run of its own"
        raise RepoError(reason, ReasonCode.SOURCE_EDITED)


def _request_of(host: GitHubHost, file: ResponseFile) -> Iterator[ApplyRequest | Outcome | SkippedFile]:
    """Yield what to do with one file of the head."""
    case = _open_case(host, file.response)
    if file.problem is not None:
        result = ApplyResult(problems=(file.problem,))
        yield Outcome(file.response, result, State.FAILED, host.context.pull.head.commit, refusal=host.policy_fault)
    elif case.known_commit is None:
        yield case.request
    else:
        skipped = _skipped_file(host, case)
        if case.unreported is not None and host.task.number is not None:
            yield case.request  # its status is missing
        case.known_commit = skipped.commit
        yield skipped


def _open_case(host: GitHubHost, response: Response) -> Case:
    settings, task = host.settings, host.task
    request = ApplyRequest(
        response,
        settings,
        allow_partial=settings.partial,
        signature=Signature(task.author.login, None, settings.trailers),
        needs_command=settings.trigger == "command" and settings.mode == "apply",
        removes=file_to_delete(host, response),
        refusal=host.policy_fault,
    )
    # a known bot that pushed the file itself may push the result, too; other events prove no such right
    could_push = task.author.is_bot and task.author.id != 0 and task.is_push
    return host.look_back(host.open_case(request, is_allowed=could_push))


def _is_cut_off(host: GitHubHost) -> bool:
    """Whether the file before ended with `unavailable`: no requests or time left, or GitHub did not answer."""
    outcome = host.case.outcome if host.case else None
    return outcome is not None and outcome.refusal is not None and outcome.refusal.code is ReasonCode.UNAVAILABLE


def _unreported_requests(host: GitHubHost, there: set[str]) -> Iterator[ApplyRequest]:
    """Yield requests for files that a run applied and deleted, but did not report before it was cut off."""
    if host.task.number is None or host.settings.mode == "check":  # also where the policy cannot be used
        return
    in_statuses = {post.source: post.marker.commit for post in host.context.statuses if post.marker}
    newest = {commit.source: commit for commit in not_reverted(host.context.bot_commits)}
    for source, commit in newest.items():
        if not source.startswith(_PREFIX) or source in there or in_statuses.get(source) == commit.commit:
            continue
        file = _file_at(host, commit.parent, source)
        if file is not None and file.problem is None and file.response.digest == commit.digest:
            case = _open_case(host, file.response)
            if case.unreported is not None:
                yield case.request


# files that are left alone, with the reason: else who pushes one again would not learn why nothing happens


def _skipped_file(host: GitHubHost, case: Case) -> SkippedFile:
    """Explain why the response file of a case is skipped: it was applied before (`case.known_commit`)."""
    path, commit = case.request.response.source.path or "", (case.known_commit or "")[:7]
    shown, is_kept = cut_middle(path, _PATH_LIMIT), host.settings.after_apply == "keep"
    unread = _unread(case.request.response)
    away = f"delete it once {unread}, is written as blocks in another file" if unread else "delete it"
    anew = f"{away}, or {_ANEW}"
    if is_kept:
        anew = f"{_ANEW}, with {unread}" if unread else _ANEW
    back = revert_of(case.request.response, host.context.bot_commits)
    if case.body and case.post is not None and case.post.state is State.UNDONE:
        word = f"reply `{host.reply}apply of {case.status.id}` to apply it again, or {away}" if host.reply else anew
        return SkippedFile(path, State.UNDONE.value, f"{shown} was undone in {commit}, so nothing was done; {word}")
    if back is not None:
        what = f"{shown} was applied in {back[0].commit[:7]} and undone since, so nothing was done"
        return SkippedFile(path, State.UNDONE.value, f"{what}; {anew}")
    is_lost = host.context.has_lost(case.known_commit)
    where = f"{commit}, which is no commit of this pull request any more" if is_lost else commit
    what = f"{shown} was applied already, in {where}, and is not applied twice; {anew}"
    return SkippedFile(path, ReasonCode.ALREADY_APPLIED.value, what, is_kept, None if is_lost else case.known_commit)


def _unread(response: Response) -> str:
    """Name the part of the file that is not read as blocks and would be lost with the file; empty if there is none."""
    front = response.front
    length, lines = (0, 0) if front is None else (front.length, front.lines)
    notes = parse_response(response.text[length:], first_line=lines + 1).notes
    note = next((note for note in notes if note.code in UNREAD), None)
    if note is None:
        return ""
    what = "its patch" if note.code == UNREAD_PATCH else "what is nearly a marker"
    return f"{what} (line {note.line_number}), which is not read"


# what a commit holds


def _files_of_head(host: GitHubHost) -> list[ResponseFile]:
    repo = host.repo_at(host.context.pull.head)
    paths = _paths(host, repo)
    if len(paths) > MOST_FILES:
        host.faults.append(_left(len(paths) - MOST_FILES, f"as a run takes {MOST_FILES}; push again after this one"))
    paths = paths[:MOST_FILES]
    if paths:
        repo.prefetch(paths)
    return [_read(host, repo, path) for path in paths]


def _file_at(host: GitHubHost, head: Head, source: str) -> ResponseFile | None:
    repo = host.repo_at(head)
    path = next((path for path in _paths(host, repo) if source_id(path) == source), None)
    if path is None:
        return None
    repo.prefetch([path])
    return _read(host, repo, path)


def _paths(host: GitHubHost, repo: GitHubRepo) -> list[str]:
    """The paths that match the setting `response-files`, in order of name; no directories."""
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
    except ConfigTextError as error:
        problem = Problem(1, error.line, error.line, error.code, error.reason)
    else:
        return ResponseFile(Response(text, source, front=front, blob=blob))
    return ResponseFile(Response("", source, blob=blob), problem)


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
