"""Plan the response files of a branch: docs/reference/action.md, "response files"."""

from __future__ import annotations

from collections.abc import Iterator

from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode, State
from editblocks.hosts.github.cases import Case, Plan, Step, command_prefix, open_case, request_for
from editblocks.hosts.github.history import not_reverted, revert_of
from editblocks.hosts.github.state import (
    FILE_PREFIX,
    Fact,
    GitHubState,
    Question,
    Rules,
    SourceResponse,
)
from editblocks.report.escape import cut_middle

PATH_LIMIT = 60  # a line of the log has 200 characters


def plan_files(state: GitHubState, rules: Rules) -> Step:
    """Plan each response file of the head, and those that a run applied, deleted and did not report."""
    if not state.pull.is_open:
        return Plan("closed: the pull request is not open, nothing was checked")
    if state.files is None:
        return Question(Fact.FILES)
    cases: list[Case] = []
    for question in _unreported_files(state, rules, {file.response.source.id for file in state.files}):
        if question not in state.sources:
            return question
        file = state.sources[question]
        if file is None or file.problem is not None:
            continue
        case = _plan_file(state, rules, file)
        if isinstance(case, Question):
            return case
        if case.done.unreported is not None:
            cases.append(case)
    for file in state.files:
        case = _plan_file(state, rules, file)
        if isinstance(case, Question):
            return case
        cases.append(case)
    patterns = ", ".join(rules.settings.response_files) or "response files are off"
    return Plan(f"nothing to do: no response file ({patterns})", cases=tuple(cases))


def _plan_file(state: GitHubState, rules: Rules, file: SourceResponse) -> Case | Question:
    request = request_for(state, rules, file, needs_command=rules.settings.trigger == "command")
    case = open_case(state, request, None)
    if isinstance(case, Question):
        return case
    if file.problem is not None:
        return case._replace(problem=file.problem)
    if case.done.commit is None:
        return case
    return case._replace(skipped=_why_skipped(state, rules, case, case.done.commit))


def _unreported_files(state: GitHubState, rules: Rules, there: set[str]) -> Iterator[Question]:
    """Yield the files that a run applied and deleted before it was cut off. `there`: those of the head."""
    if state.event.number is None or rules.settings.mode == "check":  # also where the policy cannot be used
        return
    reported = {post.marker.commit for post in state.pull.statuses.values()}
    newest_commits = {commit.source: commit for commit in not_reverted(state.pull.bot_commits)}
    for source, commit in newest_commits.items():
        if source.startswith(FILE_PREFIX) and source not in there and commit.commit not in reported:
            yield Question(Fact.SOURCE, source, commit.digest)


def _why_skipped(state: GitHubState, rules: Rules, case: Case, done: str) -> Note:
    """Explain why a file is skipped: else who pushes it again would not learn why nothing happens."""
    response = case.request.response
    shown = cut_middle(response.source.path or "", PATH_LIMIT)
    commit = done[:7]
    change = "change anything in it to have it read again"
    is_kept = rules.settings.after_apply == "keep"
    advice = change if is_kept else f"delete it, or {change}"
    if case.post is not None and case.post.is_untouched and case.post.state is State.UNDONE:
        prefix = command_prefix(state, rules)
        if prefix is not None:
            advice = f"reply `{prefix}apply of {case.post.id}` to apply it again, or delete it"
        return Note(State.UNDONE.value, f"{shown} was undone in {commit}, so nothing was done; {advice}")
    if revert_of(response, state.pull.bot_commits) is not None:
        what = f"{shown} was applied in {commit} and undone since"
        return Note(State.UNDONE.value, f"{what}, so nothing was done; {advice}")
    if state.pull.has_lost(done):
        commit = f"{commit}, which is no longer a commit of this pull request"
    what = f"{shown} was already applied in {commit}, so it is not applied again"
    return Note(ReasonCode.ALREADY_APPLIED.value, f"{what}; {advice}")
