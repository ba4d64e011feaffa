"""Plan the response files of a branch: docs/reference/action.md, "response files"."""

from __future__ import annotations

from editblocks.core.codes import ReasonCode, State
from editblocks.hosts.github.cases import (
    ApplyFiles,
    Case,
    FileStep,
    SkippedFile,
    Step,
    Stop,
    command_prefix,
    open_case,
    request_for,
)
from editblocks.hosts.github.history import not_reverted, revert_of
from editblocks.hosts.github.state import (
    FILE_PREFIX,
    Fact,
    GitHubState,
    Question,
    Rules,
    SourceResponse,
    newest_statuses,
)
from editblocks.report.escape import cut_middle

_PATH_LIMIT = 60  # a line of the log has 200 characters


def plan_files(state: GitHubState, rules: Rules) -> Step:
    """Plan each response file of the head, and those that a run applied, deleted and did not report."""
    if not state.pull.is_open:
        return Stop("closed: the pull request is not open, nothing was checked")
    if state.files is None:
        return Question(Fact.FILES)
    steps: list[FileStep] = []
    deleted = _unreported_files(state, rules, {file.response.source.id for file in state.files})
    if isinstance(deleted, Question):
        return deleted
    for file in (*deleted, *state.files):
        step = _plan_file(state, rules, file)
        if isinstance(step, Question):
            return step
        if file not in deleted or step.case.unreported is not None:
            steps.append(step)
    patterns = ", ".join(rules.settings.response_files) or "they are off"
    return ApplyFiles(tuple(steps), f"nothing to do: no response file ({patterns})")


def _plan_file(state: GitHubState, rules: Rules, file: SourceResponse) -> FileStep | Question:
    event, needs_command = state.event, rules.settings.trigger == "command"
    request = request_for(state, rules, file, refusal=None, needs_command=needs_command)
    # a known bot that pushed the file itself may push the result, too; other events prove no such right
    could_push = event.author.is_bot and event.author.id != 0 and event.is_push
    case = open_case(state, request, None, is_allowed=could_push)
    if isinstance(case, Question):
        return case
    if file.problem is not None or case.done is None:
        return FileStep(case, file)
    return FileStep(case, file, _skipped_file(state, rules, case, case.done))


def _unreported_files(state: GitHubState, rules: Rules, there: set[str]) -> list[SourceResponse] | Question:
    """The files that a run applied and deleted before it was cut off."""
    if state.event.number is None or rules.settings.mode == "check":  # also where the policy cannot be used
        return []
    reported = {post.marker.commit for post in newest_statuses(state.pull.posts) if post.marker}
    newest_commits = {commit.source: commit for commit in not_reverted(state.pull.bot_commits)}
    found: list[SourceResponse] = []
    for source, commit in newest_commits.items():
        if not source.startswith(FILE_PREFIX) or source in there or commit.commit in reported:
            continue
        question = Question(Fact.SOURCE, source, commit.digest, commit.parent)
        if question not in state.sources:
            return question
        file = state.sources[question]
        if file is not None and file.problem is None:
            found.append(file)
    return found


def _skipped_file(state: GitHubState, rules: Rules, case: Case, done: str) -> SkippedFile:
    """Explain why a file is skipped: else who pushes it again would not learn why nothing happens."""
    response, post, is_kept = case.request.response, case.post, rules.settings.after_apply == "keep"
    path, commit, anew = response.source.path or "", done[:7], "change it to have it read anew"
    shown, advice = cut_middle(path, _PATH_LIMIT), anew if is_kept else f"delete it, or {anew}"
    is_undone = post is not None and post.is_untouched and post.state is State.UNDONE
    prefix = command_prefix(state, rules)
    if is_undone and prefix:
        advice = f"reply `{prefix}apply of {case.post.id if case.post else ''}` to apply it again, or delete it"
    if is_undone or revert_of(response, state.pull.bot_commits) is not None:
        what = f"was undone in {commit}" if is_undone else f"was applied in {commit} and undone since"
        return SkippedFile(path, State.UNDONE.value, f"{shown} {what}, so nothing was done; {advice}")
    is_lost = state.pull.has_lost(done)
    where = f"{commit}, which is no commit of this pull request any more" if is_lost else commit
    what = f"{shown} was applied already, in {where}, and is not applied twice"
    return SkippedFile(path, ReasonCode.ALREADY_APPLIED.value, f"{what}; {advice}", is_kept)
