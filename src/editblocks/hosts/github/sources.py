"""The response files of a pull request: each is carried out, alone or with the one that it corrects.

Every response file is a source of its own, and a request is about its content at one commit. If a push during the run
changes or removes the file, the request ends, as that push has a run of its own. Rules: docs/reference/action.md,
"response files".
"""

from __future__ import annotations

from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome
from editblocks.hosts.github.cases import Case, SkippedFile, SourceResponse
from editblocks.hosts.github.context import newest_statuses
from editblocks.hosts.github.exactly_once import not_reverted, revert_of
from editblocks.hosts.github.finding import has_gone_on, with_earlier
from editblocks.hosts.github.host import GitHubHost
from editblocks.hosts.github.publishing import carry_out, refusal_code, report
from editblocks.hosts.github.response_files import PREFIX, file_at, files_at, left_out
from editblocks.report.escape import cut_middle
from editblocks.repos.github.requester import MAX_REQUESTS

A_FILE = 12  # requests that a run must have left to start with another file
_PATH_LIMIT = 60  # a line of the log has 200 characters


def handle_files(host: GitHubHost) -> None:
    """Carry out each response file of the head, in order of name. Raises `RepoError`."""
    if not host.context.is_open:
        host.nothing_to_do_reason = "closed: the pull request is not open, nothing was checked"
        return
    patterns = ", ".join(host.settings.response_files) or "they are off"
    host.nothing_to_do_reason = f"nothing to do: no response file ({patterns})"
    files = [with_earlier(host, file) for file in files_at(host, host.context.head)]
    _report_deleted(host, {file.response.source.id for file in files})
    corrected = {each.source.id for file in files for each in file.response.rounds[1:]}
    files.sort(key=lambda file: file.response.source.id in corrected)  # what corrects them goes first
    for number, file in enumerate(files):
        is_cut_off = host.outcomes and refusal_code(host.outcomes[-1]) is ReasonCode.UNAVAILABLE
        if is_cut_off or host.api.requests > MAX_REQUESTS - A_FILE:
            why = f"as a run asks GitHub {MAX_REQUESTS} times at most, and has {host.api.requests}; run the job again"
            host.faults.append(left_out(len(files) - number, why))
            return
        joined = {each.source.id for outcome in host.outcomes for each in outcome.rounds[1:]}
        if file.response.source.id not in joined:
            _handle_file(host, file)


def _handle_file(host: GitHubHost, file: SourceResponse) -> None:
    response, case = file.response, _open_case(host, file)
    if case.has_gone_on and case.post is not None and has_gone_on(host, case.post):
        host.nothing_to_do_reason = f"nothing to do: {response.source.path} went on in an answer that corrects it"
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
    task, needs_command = host.task, host.settings.trigger == "command" or file.waits
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
        if not source.startswith(PREFIX) or source in there or commit.commit in reported:
            continue
        file = file_at(host, commit.parent, source)
        if file is not None and file.problem is None and response_digest(file.response) == commit.digest:
            case = _open_case(host, with_earlier(host, file))
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
