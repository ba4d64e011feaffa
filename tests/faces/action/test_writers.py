"""Two writers on one branch at the same time, and somebody who pushes and force-pushes meanwhile.

Nothing is lost: a commit of ours stands on what the branch was at that moment, so it drops nobody's. Nothing is
brought back: what a force-push took away is in no commit of ours that comes later.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from support.actionkit import Done, act, block
from support.hub import Event, Hub, PullRequest, hub

from editblocks.report.status.links import StatusMarker, read_marker

pytestmark = pytest.mark.long  # one of each kind is in the fast profile: hosts/github, faces/action

ROUNDS = 3  # times that a plan is made
WRITERS = ("octocat", "monalisa")


@dataclass
class Branch:
    """A branch on which several act at once; every move of it is written down.

    `moves` are those of the action, from where to where.
    """

    hub: Hub
    pull: PullRequest
    folder: Path
    moves: list[tuple[str, str]] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)  # commits that a force-push took away
    numbers: Iterator[int] = field(default_factory=count)
    old: str = ""

    def __post_init__(self) -> None:
        # the hub answers one request at a time, and calls these within
        self.hub.fault("mutation updateRefs", times=1 << 30, before=self._before, after=self._after)

    def _before(self) -> None:
        self.old = self.head

    def _after(self) -> None:
        if self.head != self.old:
            self.moves.append((self.old, self.head))

    @property
    def head(self) -> str:
        return self.hub.world.head(self.pull)

    def push(self) -> None:
        """The third person pushes a file of their own."""
        self.hub.world.push(self.pull, {"third.txt": b"%d\n" % next(self.numbers)})
        self.old = self.head  # it may be the request to move the branch that this comes before

    def rewind(self) -> None:
        """The third person takes the last commit away, whoever made it."""
        commit = self.hub.world.store.commit(self.head)
        assert commit is not None
        if commit.message.startswith("Amazing new feature"):
            return
        self.taken.append(self.head)
        self.hub.world.reset(self.pull.head_ref, commit.parents[0])
        self.old = self.head

    def change(self, writer: int) -> Event:
        """A writer's blocks: a line of a file that both change, and a file of their own."""
        files, number = self.hub.world.files(self.head), next(self.numbers)
        own, line = f"writer{writer}.txt", files["both.txt"][1].decode().splitlines()[writer * 8]
        old = files[own][1].decode().strip()
        body = block("both.txt", line, f"line {writer} is {number}") + block(own, old, f"value {number}")
        return self.hub.comment(self.pull, WRITERS[writer], body)

    def run_both(self, events: list[Event]) -> list[Done]:
        """Both runs at once."""
        with ThreadPoolExecutor(len(events)) as pool:
            return list(pool.map(lambda event: act(self.hub, event, self.folder), events))

    def marker(self, event: Event) -> StatusMarker:
        """The only status of an event's comment."""
        comment = event.payload["comment"]
        assert isinstance(comment, dict)
        found = [marker for each in self.pull.reviews if (marker := read_marker(each.body))]
        (marker,) = (each for each in found if each.source == f"issuecomment-{comment['id']}")
        return marker


@contextmanager
def branch(folder: Path) -> Iterator[Branch]:
    files = {f"writer{number}.txt": b"value\n" for number in (0, 1)}
    files["both.txt"] = b"".join(b"line %d\n" % number for number in range(12))
    with hub() as h:
        yield Branch(h, h.world.pull_request(files, author="monalisa"), folder)


def check(b: Branch, events: list[Event], runs: list[Done], since: int) -> None:
    """Whatever happened: each commit stands on what was there, and each comment has one, or a status that says no."""
    store, moves = b.hub.world.store, b.moves[since:]
    for old, new in moves:
        commit = store.commit(new)
        assert commit is not None
        assert commit.parents == (old,), "somebody's commit was dropped, or brought back"
    made = []
    for event, done in zip(events, runs, strict=True):
        state, commit_id = done.outputs["result"], done.outputs["commit-sha"]
        assert (done.code, state in {"applied", "stale", "failed"}) == (0, True), done.log
        marker = b.marker(event)
        assert (marker.state.value, marker.commit or "") == (state, commit_id), done.log
        assert (state == "applied") == bool(commit_id)
        made += [commit_id] if commit_id else []
    assert sorted(made) == sorted(new for _, new in moves)
    for taken in b.taken:
        assert not b.hub.world.contains(taken, b.head)


# Every 48 rounds the third person does each deed before each of the requests; fifty are one part of a table of 200.
PROFILES = [
    pytest.param(range(4), id="a few rounds"),
    *(
        pytest.param(range(start, start + 50), marks=[pytest.mark.long, pytest.mark.table(parts=4)], id=f"from {start}")
        for start in range(0, 200, 50)
    ),
]


@pytest.mark.parametrize("rounds", PROFILES)
def test_two_writers_at_once(tmp_path: Path, rounds: range) -> None:
    with branch(tmp_path) as b:
        for _ in rounds:
            events, since, before = [b.change(0), b.change(1)], len(b.moves), b.hub.names.count("mutation updateRefs")
            runs = b.run_both(events)
            check(b, events, runs, since)
            assert [done.outputs["result"] for done in runs] == ["applied", "applied"]
            assert (
                b.hub.names.count("mutation updateRefs") - before <= ROUNDS
            )  # one of them is at once, one in the next


@pytest.mark.parametrize("rounds", PROFILES)
def test_two_writers_and_somebody_who_pushes_and_rewinds(tmp_path: Path, rounds: range) -> None:
    """The third person is at work in every round, each time before another request of theirs."""
    with branch(tmp_path) as b:
        for number in rounds:
            events, since = [b.change(0), b.change(1)], len(b.moves)
            before = b.hub.names.count("mutation updateRefs")
            deed = b.rewind if number % 3 == 2 else b.push
            fault = b.hub.fault("*", nth=1 + number * 7 % 16, before=deed)
            runs = b.run_both(events)
            b.hub.faults.remove(fault)
            check(b, events, runs, since)
            assert b.hub.names.count("mutation updateRefs") - before <= ROUNDS * len(events)


@pytest.mark.parametrize("rounds", PROFILES)
def test_two_words_for_one_comment(tmp_path: Path, rounds: range) -> None:
    """A reader's blocks, and two writers who want them at the same time: there is one commit, on what is there."""
    with branch(tmp_path) as b:
        for number in rounds:
            old = b.hub.world.files(b.head)["writer0.txt"][1].decode().strip()
            said = b.hub.comment(b.pull, "hubot", block("writer0.txt", old, f"value {next(b.numbers)}"))
            act(b.hub, said, tmp_path)
            words = [b.hub.comment(b.pull, writer, "/apply") for writer in WRITERS]
            since, deed = len(b.moves), b.rewind if number % 3 == 2 else b.push
            fault = b.hub.fault("*", nth=1 + number * 5 % 20, before=deed)
            runs = b.run_both(words)
            b.hub.faults.remove(fault)
            assert {done.code for done in runs} == {0}, [done.log for done in runs]
            assert len(b.moves) - since <= 1 + (deed == b.rewind)
            for old_head, new in b.moves[since:]:
                commit = b.hub.world.store.commit(new)
                assert commit is not None
                assert commit.parents == (old_head,)
            assert not [taken for taken in b.taken if b.hub.world.contains(taken, b.head)]
            assert b.marker(said).state.value in {"applied", "checked", "stale", "failed"}
