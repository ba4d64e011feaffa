"""What earlier commits of ours record. A record counts only if planning the same blocks again gives the same content.

Rules: docs/reference/action.md, "exactly once".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Refusal
from editblocks.core.selection import Selection
from editblocks.core.settings import CEILINGS
from editblocks.hosts.github.orders.command_target import bot_commits_since, commits_not_reverted, revert_of
from editblocks.hosts.github.pull.context import BotCommit, Context, commits_for
from editblocks.hosts.github.pull.event import Comment
from editblocks.report.commit_message import read_trailers
from editblocks.run.flow import ApplyRequest

CANDIDATES = 3  # commits with the trailers of one response whose content is compared

DONE_BY_OTHER_RUN = Refusal(ReasonCode.HEAD_MOVED, "another run committed these blocks meanwhile", "look at its status")

Proof = Callable[[Context, BotCommit, ApplyRequest], bool]


class Records:
    """Our own commits in a context. `verify_commit`: a commit holds what the request makes of its parent, no more."""

    def __init__(self, verify_commit: Proof) -> None:
        self._verify_commit = verify_commit
        self._verdicts: dict[str, bool] = {}

    def verified(
        self, context: Context, request: ApplyRequest, word: Comment | None, known: BotCommit | None
    ) -> BotCommit | None:
        """The commit that was made for this request on this word; trailers and signatures alone prove nothing.

        `known` is one that was found before.
        """
        for bot_commit in bot_commits_since(word, request.response, context.bot_commits)[:CANDIDATES]:
            if (known and bot_commit.commit == known.commit) or self._verify_commit(
                context, bot_commit, self.with_committed(context, request, before=bot_commit)
            ):
                return bot_commit
        return None

    @staticmethod
    def already_reverted(context: Context, request: ApplyRequest, word: Comment | None) -> str | None:
        """The commit that was made for this response and taken back since the word: who wants it says so anew."""
        back = revert_of(request.response, context.bot_commits)
        return back[0] if back is not None and (word is None or word.created_at <= back[1]) else None

    @staticmethod
    def done_by_other_run(before: Context, now: Context, request: ApplyRequest) -> Refusal | None:
        """Whether another run has committed the same response meanwhile, be it undone by now or not."""
        known = {bot_commit.commit for bot_commit in before.bot_commits}
        if all(bot_commit.commit in known for bot_commit in commits_for(request.response, now.bot_commits)):
            return None
        return DONE_BY_OTHER_RUN

    def with_committed(
        self, context: Context, request: ApplyRequest, *, before: BotCommit | None = None, gone: BotCommit | None = None
    ) -> ApplyRequest:
        """The request without the blocks that commits of ours hold.

        `before`: those before this one alone; `gone`: one that was just taken back. One that a `git revert` names
        counts for none.
        """
        request, left = replace(request, committed={}), CANDIDATES
        for source, digest, bot_commit in commits_not_reverted(context.bot_commits):
            if before is not None and bot_commit.commit == before.commit:
                break
            is_gone = bot_commit.commit in context.reverted or (gone is not None and bot_commit.commit == gone.commit)
            select = _blocks_of_commit(bot_commit.text)
            if is_gone or select is None or (source, digest) != (request.response.source.id, request.response.digest):
                continue
            if left and self._holds(context, bot_commit, request, select):
                request = replace(
                    request, committed={**request.committed, **_blocks_by_commit(select, bot_commit.commit)}
                )
            left = max(0, left - 1)
        return request

    def _holds(self, context: Context, bot_commit: BotCommit, request: ApplyRequest, select: Selection) -> bool:
        """Whether a commit holds these blocks of a response; each commit is looked at once."""
        if bot_commit.commit not in self._verdicts:
            taken = replace(
                request, select=None if select.every else select, allow_partial=True, chosen_at=None, skip=frozenset()
            )
            self._verdicts[bot_commit.commit] = self._verify_commit(context, bot_commit, taken)
        return self._verdicts[bot_commit.commit]


def _blocks_of_commit(message: str) -> Selection | None:
    """The blocks that a commit of ours holds; None if its trailer was too long to say so."""
    selected = (read_trailers(message) or {}).get("selected")
    return None if selected is None else Selection.read(selected)


def _blocks_by_commit(select: Selection, commit: str) -> Mapping[int, str]:
    numbers = range(1, CEILINGS["max_blocks"] + 1) if select.every else select.numbers
    return dict.fromkeys(numbers, commit)
