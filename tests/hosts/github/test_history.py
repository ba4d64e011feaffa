"""Whether a request was carried out before: one rule, from our statuses and our commits."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from support.actionkit import FITS
from support.plankit import DONE, OCTOCAT, comment, commit, pull, state, status

from editblocks.core.codes import State
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.hosts.github.cases import EarlierCommit, earlier_commit_for
from editblocks.hosts.github.event import Comment, Task
from editblocks.hosts.github.state import BotCommit, Post
from editblocks.run import ApplyRequest

BLOCKS = comment(FITS, 1)
WORD = comment("/apply", 5)
ALL = commit(BLOCKS, 2)
FIRST = commit(BLOCKS, 6, selected="1")
REVERT = commit(BLOCKS, 3, commit="d" * 40, digest="", undoes=ALL.digest, selected="")
APPLIED = status(BLOCKS, State.APPLIED, 2, DONE)
UNDONE = status(BLOCKS, State.UNDONE, 3, REVERT.commit)
ONE = Selection(numbers=frozenset({1}))


class Row(NamedTuple):
    claim: str
    event: Comment  # that caused the run
    post: Post | None
    commits: Sequence[BotCommit]
    done: EarlierCommit
    select: Selection | None = None
    needs_command: bool = False


ROWS = [
    Row("nothing is there", BLOCKS, None, (), EarlierCommit()),
    Row("our status names a commit", BLOCKS, APPLIED, (), EarlierCommit(DONE)),
    Row("somebody else edited that status", BLOCKS, APPLIED._replace(is_untouched=False), (), EarlierCommit()),
    Row("a commit that no status names", BLOCKS, None, [ALL], EarlierCommit(DONE, ALL)),
    Row("the same by event, status undone", BLOCKS, UNDONE, [ALL, REVERT], EarlierCommit(REVERT.commit)),
    Row("reverted, and the status is lost", BLOCKS, None, [ALL, REVERT], EarlierCommit(DONE)),
    Row("reverted before a new command", WORD, UNDONE, [ALL, REVERT], EarlierCommit()),
    Row("a command for what is applied", WORD, APPLIED, [ALL], EarlierCommit(DONE)),
    Row("a command that only checks", WORD, APPLIED, [ALL], EarlierCommit(), needs_command=True),
    Row("some blocks, older commit", WORD, APPLIED, [ALL], EarlierCommit(), ONE),
    Row("some blocks, by this command", WORD, None, [FIRST], EarlierCommit(FIRST.commit, FIRST), ONE),
    Row(
        "the same, and its status says so",
        WORD,
        status(BLOCKS, State.PARTIAL, 6, DONE),
        [FIRST],
        EarlierCommit(DONE),
        ONE,
    ),
    Row("other blocks, after the command", WORD, None, [FIRST._replace(selected="2")], EarlierCommit(), ONE),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.claim for row in ROWS])
def test_earlier_commit_for(row: Row) -> None:
    event = Task("issue_comment", "octocat/shop", 5, 3, OCTOCAT, row.event)
    response = state(BLOCKS).response_of(BLOCKS)
    request = ApplyRequest(response, Settings(), row.select, needs_command=row.needs_command)
    there = pull([row.post] if row.post else [], row.commits)
    assert earlier_commit_for(request, row.post, event, there) == row.done
