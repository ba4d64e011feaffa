"""What a run may ask of GitHub: the numbers of docs/reference/action.md, "budget", each with what it buys."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.actionkit import Done, act, block
from support.hub import Hub, PullRequest, hub
from support.scenes import SCENES

Make = Callable[[Hub, int], tuple[PullRequest, str]]
LIMIT = 60_000  # characters of a status
OWN = 10  # of a comment that is applied, besides the files: with the reaction that is taken back


def wide(h: Hub, count: int) -> tuple[PullRequest, str]:
    """A pull request with so many files, and a text with a block for each."""
    names = [f"src/part{number % 3}/file{number}.py" for number in range(count)]
    pull = h.world.pull_request(dict.fromkeys(names, b"value = 1\nname = 'x'\n"), author="monalisa")
    return pull, "\n".join(block(name, "value = 1", "value = 2") for name in names)


def tall(h: Hub, count: int) -> tuple[PullRequest, str]:
    """A pull request with one file, and a text with so many blocks for it."""
    pull = h.world.pull_request({"app.py": b"".join(b"line %d\n" % number for number in range(count))})
    return pull, "\n".join(block("app.py", f"line {number}", f"value {number}") for number in range(count))


# blocks, files → requests for a comment; an `/apply` of the same takes one more
SIZES: list[tuple[str, Make, int, int]] = [
    ("one block", wide, 1, OWN + 1),
    ("fifty files", wide, 50, OWN + 1),
    ("fifty-one files", wide, 51, OWN + 1),
    ("two hundred files", wide, 200, OWN + 3),
    ("two hundred blocks in one file", tall, 200, OWN + 1),
]


def is_fine(h: Hub, pull: PullRequest, start: str, done: Done) -> bool:
    """One commit, and one status that GitHub takes."""
    made = h.world.store.git("rev-list", "--count", f"{start}..{h.world.head(pull)}").decode().strip()
    (body,) = (each.body for each in pull.reviews)
    return (done.code, done.outputs["result"], made, len(body) <= LIMIT) == (0, "applied", "1", True)


@pytest.mark.parametrize(("claim", "make", "count", "most"), SIZES, ids=[row[0] for row in SIZES])
@pytest.mark.long
def test_what_a_comment_and_an_apply_cost(tmp_path: Path, claim: str, make: Make, count: int, most: int) -> None:
    for author, more in (("octocat", 0), ("hubot", 1)):
        with hub() as h:
            pull, body = make(h, count)
            start, done = h.world.head(pull), act(h, h.comment(pull, author, body), tmp_path)
            if author == "hubot":
                assert len(pull.reviews[0].body) <= LIMIT
                done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path)
            assert is_fine(h, pull, start, done), (claim, done.log)
            assert len(done.names) == most + more, (claim, done.names)


# a scene → requests at most, and when the same event comes again. What was applied, undone or answered is found at
# once; a command that only checks is carried out again, since what it checks may be another head.
AGAIN = [
    ("comment", 11, 3), ("apply", 12, 3), ("undo", 18, 3), ("skip", 7, 8), ("retry", 7, 8), ("review", 9, 3),
    ("reply", 9, 3), ("help", 5, 4), ("stranger", 5, 4), ("undo with a conflict", 15, 3),
    ("edited source", 11, 10), ("started by hand", 13, 5),
]  # fmt: skip


@pytest.mark.parametrize(("name", "first", "again"), AGAIN, ids=[row[0] for row in AGAIN])
@pytest.mark.long
def test_what_an_event_costs_at_first_and_again(tmp_path: Path, name: str, first: int, again: int) -> None:
    with hub() as h:
        stage = SCENES[name].set_up(h, tmp_path)
        names, left = stage.run().names, stage.left()
        assert len(names) <= first, names
        done = stage.run()
        assert len(done.names) <= again, done.names
        assert (done.code, stage.left()) == (0, left)
