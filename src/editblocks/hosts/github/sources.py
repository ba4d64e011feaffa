"""The responses of a pull request: the files of its head, and the one that a status, a commit or a replay names.

Every response file is a source of its own, and a request is about its content at one commit. If a push during the run
changes or removes the file, the request ends, as that push has a run of its own. Rules: docs/reference/action.md,
"response files".
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from itertools import islice

from editblocks.config.front_matter import read_front_matter
from editblocks.core.characters import quote
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigError, ConfigTextError, UnreadableFile
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Refusal, Response, Source, unreadable
from editblocks.hosts.github.cases import Case, SkippedFile, SourceResponse
from editblocks.hosts.github.context import Head, Post, newest_statuses
from editblocks.hosts.github.event import COMMENT, PREFIXES, REPLY, REVIEW, Comment, Task, comment_from, own_part
from editblocks.hosts.github.exactly_once import not_reverted, revert_of
from editblocks.hosts.github.host import GitHubHost
from editblocks.hosts.github.publishing import carry_out, refusal_code, report
from editblocks.parsing.fixes import read_fixes
from editblocks.paths.attributes import is_lfs_pointer
from editblocks.paths.policy import folders_of, is_read_as_response
from editblocks.paths.syntax import check_syntax
from editblocks.report.escape import cut_middle
from editblocks.repos.files.tree_modes import DIRECTORY
from editblocks.repos.github.client import MAX_REQUESTS, GitHubApi
from editblocks.repos.stores.github_repo import GitHubRepo
from editblocks.text.source_text import SourceText

PAGES = 9  # pages of older reviews, 50 each, that are searched for statuses
MOST_FILES = 50  # in one run; one request reads them all
A_FILE = 12  # requests that a run must have left to start with another file
MOST_ROUNDS = 9  # answers that are planned together
_OVER = {State.APPLIED: "all", State.PARTIAL: "what fits", State.NOTHING: "all"}
_PREFIX = "file-"
_PATH_LIMIT = 60  # a line of the log has 200 characters


def known_statuses(host: GitHubHost) -> tuple[Post, ...]:
    """Return our status for each source, the newest first, also from older pages of reviews. Raises `RepoError`."""
    posts = list(host.context.posts)
    for page in islice(host.pull.review_pages(host.context), 1, PAGES + 1):
        posts += reversed(page)
    return newest_statuses(posts)


def find_source(host: GitHubHost, source: str, digest: str) -> SourceResponse | None:
    """Find the response that a marker or a commit names; None if it is gone. `digest`: of its text at the check."""
    kind = next((kind for kind, prefix in PREFIXES.items() if source.startswith(prefix)), None)
    if kind is None:
        return _find_file(host, source, digest)
    comment = _read_comment(host.api, host.task, kind, int(source.removeprefix(PREFIXES[kind])))
    if comment is not None and kind == REVIEW:
        comment = host.pull.now(comment)
    if comment is None:
        return None
    found = with_earlier(host, SourceResponse(host.response_of(comment), comment))
    if kind != REVIEW and found.response.digest != digest:
        # REST does not say whether a comment came by e-mail: the text that was checked may be a part of it
        part = replace(comment, body=own_part(comment.body, via_email=True))
        return with_earlier(host, SourceResponse(host.response_of(part), part)) if part != comment else found
    return found


def with_earlier(host: GitHubHost, source: SourceResponse) -> SourceResponse:
    """Join a source with the one that its line `fixes:` names; if that cannot be, its result will say why.

    Rules: docs/reference/action.md, "joined rounds". Raises `RepoError`.
    """
    response = source.response
    said = read_fixes(response.body)
    if said is None:
        return source
    name, posts = quote(said.name), host.context.posts if host.task.number is None else known_statuses(host)
    ids = {_source_id(said.name), *(f"{prefix}{said.name}" for prefix in PREFIXES.values())} - {response.source.id}
    post = next((post for post in posts if post.source in ids), None)
    marker = post.marker if post is not None else None
    if post is None or marker is None:
        is_file = response.source.path is not None and host.task.number is None
        earlier = _file_at(host, host.context.head, _source_id(said.name)) if is_file else None
        if earlier is None or earlier.problem is not None or earlier.response.source.id == response.source.id:
            return _alone(source, f"there is no check of {name} here")
        return _joined(host, source, earlier)
    earlier = find_source(host, marker.source, marker.digest)
    if earlier is None:
        return _alone(source, f"{name} cannot be found any more")
    if post.state in _OVER:
        return _alone(source, f"{_OVER[post.state]} of {name} is in the branch already")
    if marker.next not in {None, response.source.id}:
        return _alone(source, f"{name} was corrected by another answer already")
    if not post.is_untouched or earlier.response.digest != marker.digest or earlier.problem is not None:
        return _alone(source, f"{name} was edited after its check")
    if len(earlier.response.rounds) >= MOST_ROUNDS:
        return _alone(source, f"{name} is round {MOST_ROUNDS}, and no more are joined; post all blocks again")
    if marker.next is None and not _may_correct(host, source, earlier):
        return _alone(source, f"{name} is somebody else's, and its blocks wait for people who may apply them")
    return _joined(host, source, earlier)


def _may_correct(host: GitHubHost, source: SourceResponse, earlier: SourceResponse) -> bool:
    """Whether the author of `source` may have the blocks of `earlier` looked at with the own ones."""
    if source.comment is None:  # whoever pushes a file can push the other one as well
        return True
    author, task = source.comment.author, host.task
    if earlier.comment is not None and earlier.comment.author.id == author.id:
        return True
    return author.id == task.author.id and not task.author.is_bot and host.role_refusal(host.pull.role()) is None


def _joined(host: GitHubHost, source: SourceResponse, earlier: SourceResponse) -> SourceResponse:
    def changed() -> Refusal | None:
        now = find_source(host, earlier.response.source.id, earlier.response.digest)
        if now is not None and now.response.digest == earlier.response.digest:
            return None
        what = f"{quote(earlier.response.source.name)}, which this answer corrects, changed after the check"
        return Refusal(ReasonCode.SOURCE_EDITED, what, "post the blocks again")

    host.checks[source.response.source.id] = changed
    return source._replace(response=replace(source.response, earlier=earlier.response))


def _alone(source: SourceResponse, reason: str) -> SourceResponse:
    return source._replace(response=replace(source.response, unjoined=reason))


def task_of_replay(api: GitHubApi, task: Task, number: int) -> Task:
    """Find the comment, reply or review of a replay, whose author's permission counts. Raises `ConfigError`."""
    for kind in (COMMENT, REPLY, REVIEW):
        comment = _read_comment(api, task, kind, number)
        if comment is not None and kind == REPLY and comment.thread is None:
            raise ConfigError(f"comment-id: {number} begins a thread; give the number of its review")
        if comment is not None and not comment.has_our_marker:
            return replace(task, author=comment.author, comment=comment, replay=None)
    raise ConfigError(f"comment-id: pull request {task.number} has no comment or review {number}; look at its address")


def _read_comment(api: GitHubApi, task: Task, kind: str, number: int) -> Comment | None:
    """Read a comment by its number; None if this pull request has none. Raises `RepoError`."""
    kinds = {COMMENT: "issues/comments", REVIEW: f"pulls/{task.number}/reviews", REPLY: "pulls/comments"}
    path = f"/repos/{task.repository}/{kinds[kind]}/{number}"
    comment, where = api.find(
        path, "reading a comment", lambda answer: (comment_from(answer, kind), str(answer["html_url"]))
    ) or (None, "")
    return comment if f"/pull/{task.number}#" in where else None


def handle_files(host: GitHubHost) -> None:
    """Carry out each response file of the head, in order of name. Raises `RepoError`."""
    if not host.context.is_open:
        host.nothing_to_do_reason = "closed: the pull request is not open, nothing was checked"
        return
    patterns = ", ".join(host.settings.response_files) or "they are off"
    host.nothing_to_do_reason = f"nothing to do: no response file ({patterns})"
    there = [with_earlier(host, file) for file in _files_at(host, host.context.head)]
    _report_deleted(host, {file.response.source.id for file in there})
    corrected = {each.source.id for file in there for each in file.response.rounds[1:]}
    files = [file for file in there if file.response.source.id not in corrected]
    for number, file in enumerate(files):
        is_cut_off = host.outcomes and refusal_code(host.outcomes[-1]) is ReasonCode.UNAVAILABLE
        if is_cut_off or host.api.requests > MAX_REQUESTS - A_FILE:
            why = f"as a run asks GitHub {MAX_REQUESTS} times at most, and has {host.api.requests}; run the job again"
            host.faults.append(_left(len(files) - number, why))
            return
        _handle_file(host, file)


def _find_file(host: GitHubHost, source: str, digest: str) -> SourceResponse | None:
    """Find the response file that a marker or a commit names: as it is in the head, else as it was applied."""
    file = _file_at(host, host.context.head, source)
    if file is not None:
        return with_earlier(host, file)
    same = [each for each in host.context.bot_commits if (each.source, each.digest) == (source, digest)]
    file = _file_at(host, same[-1].parent, source) if same else None
    file = with_earlier(host, file) if file is not None else None
    return file if file is not None and file.response.digest == digest else None


def _handle_file(host: GitHubHost, file: SourceResponse) -> None:
    response, case = file.response, _open_case(host, file)
    if case.has_gone_on:
        host.nothing_to_do_reason = f"nothing to do: {response.source.path} went on in a comment, which corrects it"
        return
    if file.problem is not None:
        result = ApplyResult(problems=(file.problem,))
        report(host, case, Outcome(response, result, State.FAILED, host.context.head.commit, refusal=host.policy_fault))
    elif case.known_commit is None:
        carry_out(host, case)
    else:
        skipped = _skipped_file(host, case, case.known_commit)
        if case.unreported is not None and host.task.number is not None:
            carry_out(host, case)  # its status is missing
        if skipped.code != ReasonCode.ALREADY_APPLIED.value or host.context.has_lost(case.known_commit):
            case.known_commit = None
        host.skipped_files.append(skipped)


def _open_case(host: GitHubHost, file: SourceResponse) -> Case:
    task, needs_command = host.task, host.settings.trigger == "command"
    request = host.request(file, refusal=None, needs_command=needs_command)
    # a known bot that pushed the file itself may push the result, too; other events prove no such right
    could_push = task.author.is_bot and task.author.id != 0 and task.is_push
    return host.look_back(host.open_case(request, None, is_allowed=could_push))


def _report_deleted(host: GitHubHost, there: set[str]) -> None:
    """Report the files that a run applied and deleted before it was cut off."""
    if host.task.number is None or host.settings.mode == "check":  # also where the policy cannot be used
        return
    reported = {post.marker.commit for post in newest_statuses(host.context.posts) if post.marker}
    newest = {commit.source: commit for commit in not_reverted(host.context.bot_commits)}
    for source, commit in newest.items():
        if not source.startswith(_PREFIX) or source in there or commit.commit in reported:
            continue
        file = _file_at(host, commit.parent, source)
        if file is not None and file.problem is None and file.response.digest == commit.digest:
            case = _open_case(host, file)
            if case.unreported is not None:
                carry_out(host, case)


def _skipped_file(host: GitHubHost, case: Case, known: str) -> SkippedFile:
    """Explain why a file is skipped: else who pushes it again would not learn why nothing happens."""
    response, post, is_kept = case.request.response, case.post, host.settings.after_apply == "keep"
    path, commit, anew = response.source.path or "", known[:7], "change it to have it read anew"
    shown, advice = cut_middle(path, _PATH_LIMIT), anew if is_kept else f"delete it, or {anew}"
    is_undone = post is not None and post.is_untouched and post.state is State.UNDONE
    if is_undone and host.command_prefix:
        advice = f"reply `{host.command_prefix}apply of {case.status.id}` to apply it again, or delete it"
    if is_undone or revert_of(response, host.context.bot_commits) is not None:
        what = f"was undone in {commit}" if is_undone else f"was applied in {commit} and undone since"
        return SkippedFile(path, State.UNDONE.value, f"{shown} {what}, so nothing was done; {advice}")
    where = f"{commit}, which is no commit of this pull request any more" if host.context.has_lost(known) else commit
    what = f"{shown} was applied already, in {where}, and is not applied twice"
    return SkippedFile(path, ReasonCode.ALREADY_APPLIED.value, f"{what}; {advice}", is_kept)


def _files_at(host: GitHubHost, head: Head, source: str | None = None) -> list[SourceResponse]:
    """The response files of a commit, in order of name, or the one whose id is `source`."""
    repo = host.repo_at(head)
    paths = [path for path in _paths(host, repo) if source in {None, _source_id(path)}]
    if len(paths) > MOST_FILES:
        host.faults.append(_left(len(paths) - MOST_FILES, f"as a run takes {MOST_FILES}; push again after this one"))
    paths = paths[:MOST_FILES]
    if paths:
        repo.prefetch(paths)
    return [_read(host, repo, path) for path in paths]


def _file_at(host: GitHubHost, head: Head, source: str) -> SourceResponse | None:
    return next(iter(_files_at(host, head, source)), None)


def _paths(host: GitHubHost, repo: GitHubRepo) -> list[str]:
    """The paths that match the setting `response-files`, in order of name; no directories."""
    patterns = host.settings.response_files
    folders = folders_of(patterns)
    if folders:
        repo.prefetch(folders)
    rows = {f"{folder}/{name}": mode for folder in folders for name, mode in repo.entries(folder).items()}
    return sorted(path for path in rows if rows[path] != DIRECTORY and is_read_as_response(path, patterns))


def _read(host: GitHubHost, repo: GitHubRepo, path: str) -> SourceResponse:
    source, blob = Source(_source_id(path), "file", path=path), repo.oid(path)
    try:
        text = _text(repo, path, host.settings.max_response_bytes)
        front = read_front_matter(text, path, host.warnings.append)
    except (UnreadableFile, ConfigTextError) as error:
        return SourceResponse(Response("", source, blob=blob), problem=unreadable(error))
    return SourceResponse(Response(text, source, front=front, blob=blob))


def _source_id(path: str) -> str:
    """The id of a response file in markers and trailers."""
    return f"{_PREFIX}{sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


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


def _left(count: int, why: str) -> str:
    files = "1 response file was" if count == 1 else f"{count} response files were"
    return f"{ReasonCode.UNAVAILABLE.value}: {files} not looked at, {why}"
