"""A conversation on one pull request of the hub: what was said, what came of it, what stands there now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import APP, APP_NEW, FAILS, FITS, Done, act, block, commits, pull_request
from support.hub import Event, Hub, PullRequest, hub
from support.hub.model import Comment, ReviewComment

from editblocks.report.status.answers import LIMIT, read_answer
from editblocks.report.status.links import Marker, read_marker

NOTES = b"one\nthe second line\nthree\n"
FILES = {"app.py": APP, "notes.txt": NOTES}
NOTE = block("notes.txt", "one\nthe second line", "one\nthe line in between\nand one more of them")
BOTH = FITS + "\n" + NOTE  # two blocks in two files, both fit
MIXED = FITS + "\n" + FAILS  # the second one does not


@dataclass
class Talk:
    """One pull request and the runs of the action on it; `inputs` are those of every run."""

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
        """Somebody writes a comment, and the action runs."""
        return self.run(self.h.comment(self.pull, author, body, app), **options)

    def run(self, event: Event, **options: Any) -> Done:
        """The action runs for an event."""
        self.last = event
        return act(self.h, event, self.folder, {**self.inputs, **options.pop("inputs", {})}, **options)

    def again(self) -> Done:
        """The last event is delivered once more."""
        assert self.last is not None
        return self.run(self.last)

    # looking

    @property
    def made(self) -> int:
        """How many commits the branch has got."""
        return commits(self.h, self.pull, self.start)

    @property
    def head(self) -> str:
        return self.h.world.head(self.pull)

    def file(self, path: str) -> bytes | None:
        """The bytes of a file on the branch."""
        found = self.h.world.files(self.head).get(path)
        return found[1] if found else None

    @property
    def is_applied(self) -> bool:
        """Whether the block for app.py is on the branch."""
        return self.file("app.py") == APP_NEW

    @property
    def statuses(self) -> list[Marker]:
        """Our statuses, reviews and replies, oldest first of each kind."""
        posts = [*self.pull.reviews, *self.pull.review_comments]
        ours = (post for post in posts if post.author is self.h.world.bot and not post.deleted)
        return [marker for post in ours if (marker := read_marker(post.body)) is not None]

    @property
    def states(self) -> list[str]:
        return [marker.state.value for marker in self.statuses]

    @property
    def status(self) -> str:
        """The text of the only status."""
        (body,) = (each.body for each in self.pull.reviews if read_marker(each.body) is not None)
        return body

    @property
    def answers(self) -> list[str]:
        """Our short answers without their markers, which are checked here."""
        remarks: list[Comment | ReviewComment] = [*self.pull.comments, *self.pull.review_comments]
        ours = [each.body for each in remarks if each.author is self.h.world.bot and read_marker(each.body) is None]
        found = [body for body in ours if body.startswith("<!-- editblocks:answer")]
        there = {f"issuecomment-{each.id}" for each in self.pull.comments}
        there |= {f"discussion_r{each.id}" for each in self.pull.review_comments}
        there |= {f"pullrequestreview-{each.id}" for each in self.pull.reviews}
        assert [body for body in found if len(body) > LIMIT or read_answer(body) not in there] == []
        return [body.partition("\n")[2] for body in found]

    @property
    def reactions(self) -> list[str]:
        """What stands below the last comment that is no answer of ours."""
        theirs = [each for each in self.pull.comments if not each.body.startswith("<!-- editblocks:")]
        return [each.content for each in theirs[-1].reactions]


@contextmanager
def talk(
    folder: Path, files: Mapping[str, bytes] | None = None, inputs: Mapping[str, str] | None = None, **options: Any
) -> Iterator[Talk]:
    """A pull request of monalisa's with two files. `maddie` may triage."""
    with hub() as h:
        h.world.repository.roles[h.world.user("maddie").login] = "triage"
        yield Talk(h, folder, pull_request(h, files or FILES, **options), inputs or {})


def some(table: Iterable[Any], *fast: str, spread: bool = False) -> list[Any]:
    """The rows of a table as parameters; those that are not named are for the long profile.

    The name of a row is the phrase that it begins with, or is. `spread`: a parameter for each column.
    """
    named = [(_phrase(row), row) for row in table]
    assert set(fast) <= {phrase for phrase, _ in named}
    marks = {phrase: () if phrase in fast else (pytest.mark.long,) for phrase, _ in named}
    return [pytest.param(*(row if spread else [row]), id=phrase, marks=marks[phrase]) for phrase, row in named]


def _phrase(row: Any) -> str:
    first = row[0] if isinstance(row, tuple) else row
    return first if isinstance(first, str) else str(first.__name__)
