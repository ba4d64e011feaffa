"""When a run writes its result over the status that it finds: one rule."""

from typing import NamedTuple

import pytest
from support.actionkit import FITS
from support.plankit import DONE, comment, state, status

from editblocks.core.codes import State
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Response, Source
from editblocks.core.settings import Settings
from editblocks.hosts.github.cases import Case
from editblocks.hosts.github.event import read_command
from editblocks.hosts.github.publish import SourceResult, may_replace
from editblocks.hosts.github.state import Post
from editblocks.run import ApplyRequest

BLOCKS = comment(FITS, 1)
COMMENT = state(BLOCKS).response_of(BLOCKS)
FILE = Response("", Source("file-1", "file", path=".edits/a.md"))
COMMITS = [digit * 40 for digit in "123"]  # oldest first
GONE = "9" * 40  # a force-push has removed it


def post(head: str, result: State = State.CHECKED, commit: str | None = None) -> Post:
    found = status(BLOCKS, result, 2, commit)
    return found._replace(body=str(found.marker._replace(head=head)))


FIRST, SECOND = post(COMMITS[0]), post(COMMITS[1])
TAKEN = post(COMMITS[1], State.PARTIAL, DONE)


class Row(NamedTuple):
    claim: str
    known: Post | None  # at the start of the run
    found: Post
    replaces: bool
    head: str = COMMITS[1]  # that the run has checked
    response: Response = COMMENT
    command: str = ""
    state: State = State.CHECKED


ROWS = [
    Row("nobody has written since", FIRST, FIRST, True),
    Row("a command, and nobody has written since", FIRST, FIRST, True, command="/skip 1"),
    Row("a check, another run committed", FIRST, TAKEN, False),
    Row("a command, another run committed", FIRST, TAKEN, False, command="/skip 1"),
    Row("the same event was delivered twice", None, SECOND, False),
    Row("a commit", FIRST, TAKEN, True, command="/apply", state=State.APPLIED),
    Row("a revert", FIRST, TAKEN, True, command="/undo", state=State.UNDONE),
    Row("a file at a newer head", FIRST, SECOND, True, COMMITS[2], FILE),
    Row("a file at a newer head, first status", None, SECOND, True, COMMITS[2], FILE),
    Row("a file at the same head", FIRST, SECOND, False, COMMITS[1], FILE),
    Row("a file at an older head", None, SECOND, False, COMMITS[0], FILE),
    Row("a file, the other head is gone", FIRST, post(GONE), True, COMMITS[1], FILE),
    Row("a file, this head is gone", FIRST, SECOND, False, GONE, FILE),
    Row("a file and a command", FIRST, SECOND, False, COMMITS[2], FILE, "/skip 1"),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.claim for row in ROWS])
def test_may_replace(row: Row) -> None:
    command = read_command(row.command) if row.command else None
    case = Case(ApplyRequest(row.response, Settings()), post=row.known, command=command)
    outcome = Outcome(row.response, ApplyResult(), row.state, row.head, written=row.state is State.APPLIED)
    assert may_replace(SourceResult(case, outcome), row.found, COMMITS) is row.replaces
