"""A conversation on one pull request of the hub: write comments, run the action on them, and look at the result."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import APP, APP_NEW, FAILS, FITS, Done, act, block, commits, pull_request
from support.hub import Event, Hub, PullRequest, hub
from support.hub.model import Comment, ReviewComment

from editblocks.report.status.links import StatusMarker, read_marker
from editblocks.report.status.replies import REPLY_LIMIT, read_reply

NOTES = b"one\nthe second line\nthree\n"
FILES = {"app.py": APP, "notes.txt": NOTES}
NOTE = block("notes.txt", "one\nthe second line", "one\nthe line in between\nand one more of them")
BOTH = FITS + "\n" + NOTE  # two blocks in two files, both fit
MIXED = FITS + "\n" + FAILS  # the second one does not


@dataclass
class Talk:
    """One pull request and the runs of the action on it. Every run gets `inputs`."""

    h: Hub
    folder: Path
    pull: PullRequest
    inputs: Mapping[str, str] = field(default_factory=dict)
    start: str = ""
    last: Event | None = None

    def __post_init__(self) -> None:
        self.start = self.h.world.head(self.pull)

    # speaking

    def say(self, author: str, body: str, app: str | None = None, **options: Any) -> Done:
        """Write a comment, and run the action for it."""
        return self.run(self.h.comment(self.pull, author, body, app), **options)

    def run(self, event: Event, **options: Any) -> Done:
        """Run the action for an event."""
        self.last = event
        return act(self.h, event, self.folder, {**self.inputs, **options.pop("inputs", {})}, **options)

    def again(self) -> Done:
        """Run the action for the last event once more."""
        assert self.last is not None
        return self.run(self.last)

    # looking

    @property
    def made(self) -> int:
        """How many commits the branch has gained since the conversation began."""
        return commits(self.h, self.pull, self.start)

    @property
    def head(self) -> str:
        return self.h.world.head(self.pull)

    def file(self, path: str) -> bytes | None:
        """The bytes of a file on the branch, None if there is no such file."""
        found = self.h.world.files(self.head).get(path)
        return found[1] if found else None

    @property
    def is_applied(self) -> bool:
        """Whether the block for app.py is on the branch."""
        return self.file("app.py") == APP_NEW

    @property
    def statuses(self) -> list[StatusMarker]:
        """The markers of the bot's statuses: first those in reviews, then those in inline comments, oldest first."""
        posts = [*self.pull.reviews, *self.pull.review_comments]
        ours = (post for post in posts if post.author is self.h.world.bot and not post.deleted)
        return [marker for post in ours if (marker := read_marker(post.body)) is not None]

    @property
    def states(self) -> list[str]:
        return [marker.state.value for marker in self.statuses]

    @property
    def status(self) -> str:
        """The text of the only status in a review."""
        (body,) = (each.body for each in self.pull.reviews if read_marker(each.body) is not None)
        return body

    @property
    def answers(self) -> list[str]:
        """The bot's short answers without their first line, the marker. Asserts that the markers are right."""
        remarks: list[Comment | ReviewComment] = [*self.pull.comments, *self.pull.review_comments]
        ours = [each.body for each in remarks if each.author is self.h.world.bot and read_marker(each.body) is None]
        found = [body for body in ours if body.startswith("<!-- editblocks:answer")]
        there = {f"issuecomment-{each.id}" for each in self.pull.comments}
        there |= {f"discussion_r{each.id}" for each in self.pull.review_comments}
        there |= {f"pullrequestreview-{each.id}" for each in self.pull.reviews}
        assert [body for body in found if len(body) > REPLY_LIMIT or read_reply(body) not in there] == []
        return [body.partition("\n")[2] for body in found]

    @property
    def reactions(self) -> list[str]:
        """The reactions to the last comment that is not an answer of the bot."""
        theirs = [each for each in self.pull.comments if not each.body.startswith("<!-- editblocks:")]
        return [each.content for each in theirs[-1].reactions]


@contextmanager
def talk(
    folder: Path, files: Mapping[str, bytes] | None = None, inputs: Mapping[str, str] | None = None, **options: Any
) -> Iterator[Talk]:
    """Open a pull request of monalisa, by default with two files. `maddie` has the role triage."""
    with hub() as h:
        h.world.repository.roles[h.world.user("maddie").login] = "triage"
        yield Talk(h, folder, pull_request(h, files or FILES, **options), inputs or {})


def some(table: Iterable[Any], *fast: str, spread: bool = False) -> list[Any]:
    """The rows of a table as pytest parameters. Rows that are not named in `fast` are marked `long`.

    The name of a row is its text, or the name of its function; for a tuple, that of the first column.
    `spread` makes each column a separate parameter.
    """
    named = [(_phrase(row), row) for row in table]
    assert set(fast) <= {phrase for phrase, _ in named}
    marks = {phrase: () if phrase in fast else (pytest.mark.long,) for phrase, _ in named}
    return [pytest.param(*(row if spread else [row]), id=phrase, marks=marks[phrase]) for phrase, row in named]


def _phrase(row: Any) -> str:
    first = row[0] if isinstance(row, tuple) else row
    return first if isinstance(first, str) else str(first.__name__)
