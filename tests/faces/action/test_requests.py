"""What a run asks of GitHub: how often, in which order, never at the same time, and never anything it does not need."""

import sys
from pathlib import Path
from types import FrameType

import pytest
from support.actionkit import FAILS, FITS, act, block, pull_request
from support.hub import hub, query_problems

from editblocks.parsing.parse import parse_response
from editblocks.repos.github import objects

REACTION = "issues/comments/{comment_id}/reactions"
APPLIED = [
    "query Context",
    f"POST {REACTION}",
    "query Objects",
    "GET collaborators/{username}/permission",
    "query Live",
    "POST git/trees",
    "POST git/commits",
    "mutation updateRefs",
    "POST pulls/{pull_number}/reviews",
    f"POST {REACTION}",
    f"DELETE {REACTION}/{{reaction_id}}",
]


def test_the_requests_of_a_commit_in_their_order(tmp_path: Path) -> None:
    with hub() as h:
        done = act(h, h.comment(pull_request(h), "octocat", FITS), tmp_path)
        assert done.names == APPLIED
        assert f"{len(APPLIED)} requests to GitHub" in done.log, "counted where they leave"


SIZES = [(1, 11), (50, 11), (51, 11), (200, 13)]


@pytest.mark.long
@pytest.mark.parametrize(("count", "requests"), SIZES)
def test_requests_by_files(tmp_path: Path, count: int, requests: int) -> None:
    """Not more than 10 + n/50, rounded up, for n files in a few folders."""
    names = [f"src/part{number % 3}/file{number}.py" for number in range(count)]
    with hub() as h:
        pull = h.world.pull_request(dict.fromkeys(names, b"value = 1\nname = 'x'\n"), author="monalisa")
        body = "\n".join(block(name, "value = 1", "value = 2") for name in names)
        done = act(h, h.comment(pull, "monalisa", body), tmp_path)
        assert (done.outputs["result"], len(done.names)) == ("applied", requests), done.log
        assert len(h.requests("query Objects")) == requests - 10
        assert {data for name, (_, data) in h.world.files(h.world.head(pull)).items() if name in names} == {
            b"value = 2\nname = 'x'\n"
        }


@pytest.mark.long
def test_a_deep_tree_asks_no_more_than_its_objects_allow(tmp_path: Path) -> None:
    """Every file in a deep folder of its own: directories and attributes count as well, 50 a request."""
    names = [f"{'/'.join(f'{number}{level}' for level in range(10))}/x.py" for number in range(20)]
    with hub() as h:
        pull = h.world.pull_request(dict.fromkeys(names, b"value = 1\nname = 'x'\n"), author="monalisa")
        body = "\n".join(block(name, "value = 1", "value = 2") for name in names)
        done = act(h, h.comment(pull, "monalisa", body), tmp_path)
        asked = 2 + 20 * 10 * 2 + 20
        assert (done.outputs["result"], len(done.names) <= 10 + -(-asked // 50)) == ("applied", True)


def test_a_comment_is_read_twice_to_find_blocks_and_to_plan_them(tmp_path: Path) -> None:
    """A large one takes longer than most requests."""
    reads: list[int] = []

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is parse_response.__code__:
            reads.append(len(frame.f_locals["text"]))

    with hub() as h:
        event = h.comment(pull_request(h), "octocat", FITS + "\nThis text alone is read here.\n")
        sys.setprofile(count)
        try:
            act(h, event, tmp_path)
        finally:
            sys.setprofile(None)
    assert len(reads) == 2


CHECKED = [
    ("a reader", "hubot", FITS, 6),
    ("a failing block, and the diff it may be in", "octocat", FAILS, 8),
    ("a bot", "dependabot[bot]", FITS, 5),
]


@pytest.mark.parametrize(("claim", "author", "body", "most"), CHECKED, ids=[row[0] for row in CHECKED])
@pytest.mark.long(after=2)
def test_requests_of_a_check(tmp_path: Path, claim: str, author: str, body: str, most: int) -> None:
    with hub() as h:
        done = act(h, h.comment(pull_request(h), author, body), tmp_path)
        assert len(done.names) == most, claim


def test_no_request_carries_more_than_it_must(tmp_path: Path) -> None:
    with hub() as h:
        act(h, h.comment(pull_request(h), "octocat", FITS), tmp_path)
        assert set(h.requests("POST git/commits")[0].body) == {"message", "tree", "parents"}
        tree = h.requests("POST git/trees")[0].body
        assert set(tree) == {"base_tree", "tree"}
        assert [set(row) for row in tree["tree"]] == [{"path", "mode", "type", "content"}]
        review = h.requests("POST pulls/{pull_number}/reviews")[0].body
        assert (set(review), review["event"]) == ({"body", "event", "commit_id", "comments"}, "COMMENT")


@pytest.mark.long
def test_large_files_go_up_as_blobs(tmp_path: Path) -> None:
    """Above 256 KiB a file, and above 1 MiB a request, where a line end takes two characters."""
    filler = b"0123456789abcde\n" * 16_000  # 250 KiB
    files = {f"part{number}.txt": b"head\n" + filler for number in range(5)} | {"big.txt": b"head\n" + filler * 2}
    with hub() as h:
        pull = h.world.pull_request(files, author="monalisa")
        body = "\n".join(block(name, "head\n0123456789abcde", "tail\n0123456789abcde") for name in files)
        body = body.replace("0123456789abcde\n=", "=").replace("0123456789abcde\n>", ">")
        done = act(h, h.comment(pull, "monalisa", body), tmp_path)
        assert done.outputs["result"] == "applied", pull.reviews[0].body
        rows = {row["path"]: "content" in row for row in h.requests("POST git/trees")[0].body["tree"]}
        assert rows == {f"part{number}.txt": number < 3 for number in range(5)} | {"big.txt": False}
        assert h.world.files(h.world.head(pull))["big.txt"][1] == b"tail\n" + filler * 2
        last_look = max(number for number, name in enumerate(done.names) if name == "query Live")
        assert done.names[last_look + 1] == "POST git/trees"  # not before the blobs, which take their time


QUERIES = [
    objects.pull_request("Context"), objects.pull_request("Live", with_comment=True), objects.REVIEWS,
    objects.COMMENT_TEXT, objects.BRANCH, objects.UPDATE_REFS, objects.objects(1), objects.objects(150),
]  # fmt: skip


@pytest.mark.parametrize("text", QUERIES, ids=lambda text: text[:24])
def test_queries_are_what_the_schema_knows(text: str) -> None:
    assert query_problems(text) == []


@pytest.mark.long
@pytest.mark.parametrize("author", ["mallory", "octocat"])
def test_paths_that_cost_too_much_are_refused_before_they_are_asked_for(tmp_path: Path, author: str) -> None:
    """25 kB of directories that are not there."""
    body = "\n".join(block(f"{number}/{'d/' * 40}x.py", "", "b") for number in range(190))
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, author, body), tmp_path)
        assert (done.code, done.outputs["result"], len(done.names) < 10) == (0, "refused", True), done.log
        assert "query Objects" not in done.names
        assert " files and folders must be read to find the paths, " in done.log
        assert "the comment is over a limit" in pull.reviews[0].body
