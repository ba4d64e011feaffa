"""Plan `/apply suggestions`: those of all open review threads as one response.

Rules: docs/reference/action.md, "all suggestions in one commit".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from editblocks.core.outcome import SUGGESTIONS, Refusal, Response, Source
from editblocks.formats.suggestion import SUGGESTION
from editblocks.hosts.github.cases import (
    Plan,
    Step,
    already,
    answered,
    plan_source,
    refused,
    request_for,
    signature,
)
from editblocks.hosts.github.commands import Command
from editblocks.hosts.github.event import NO_PAGE, Comment, hidden_lines_of, holds_suggestion
from editblocks.hosts.github.state import Fact, GitHubState, Place, Question, Rules, SourceResponse, Suggestion
from editblocks.report.status import answers


def plan_suggestions(
    state: GitHubState, rules: Rules, comment: Comment, command: Command, refusal: Refusal | None
) -> Step:
    """Plan `/apply suggestions`: those of every open review thread as one response, committed as far as they fit."""
    if refusal is not None:
        return refused(state, refusal.what, refusal.advice, refusal.code)
    if not reads_suggestions(rules):
        return refused(state, "the setting formats leaves suggestions out here", "name `suggestion` there")
    post = state.status_at(Place.of(comment.source, comment))
    if post is not None and post.commit is not None:
        return Plan(already(post.commit), commit=post.commit, address=post.address)
    if state.suggestions is None:
        return Question(Fact.SUGGESTIONS)
    chosen = suggestions_of(command, comment, state.suggestions)
    if not chosen:
        return answered(state, answers.answer(state.to, "no-suggestion", words=command.words))
    source = SourceResponse(response_of(state, comment, chosen))
    fault = NO_PAGE if source.response.hidden_lines is None else None
    authors = {each.author for each in chosen}
    author = authors.pop() if len(authors) == 1 else None
    request = request_for(state, rules, source, refusal=fault, needs_command=False)._replace(
        settings=rules.settings._replace(formats=SUGGESTION.names),  # other blocks in these comments wait for a command
        allow_partial=True,
        signature=signature(state, rules, author),
    )
    return plan_source(state, request, comment, command, is_allowed=True)


def suggestions_of(command: Command, comment: Comment, found: Iterable[Suggestion]) -> list[Suggestion]:
    """Those that a command means: as they read when it was given, of one author if it names one."""
    chosen = [each for each in found if each.written_at < comment.created_at]
    if command.author:
        wanted = _without_bot(command.author)
        chosen = [each for each in chosen if _without_bot(each.author.login) == wanted]
    return [each for each in chosen if holds_suggestion(each.part)]


def response_of(state: GitHubState, comment: Comment, chosen: Sequence[Suggestion]) -> Response:
    """One response of several suggestions, which the comment with the command asked for."""
    logins = {each.author.login for each in chosen}
    author = logins.pop() if len(logins) == 1 else None
    source = Source(comment.source, SUGGESTIONS, uri=state.address(comment.source), author=author)
    response = Response.of([each.part for each in chosen], source)
    return response._replace(hidden_lines=hidden_lines_of(response.parts))


def reads_suggestions(rules: Rules) -> bool:
    """Whether the setting `formats` lets suggestions count."""
    return not rules.settings.formats or bool({*SUGGESTION.names} & {*rules.settings.formats})


def _without_bot(login: str) -> str:
    """In GraphQL, the login of a bot lacks what REST puts behind it."""
    return login.lower().removesuffix("[bot]")
