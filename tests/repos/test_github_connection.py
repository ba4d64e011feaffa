"""One connection to a server: where a request goes when it was moved, and what an answer without JSON is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.hub import Hub, hub

from editblocks.repos.github.client import GitHubApi
from editblocks.repos.github.connection import Connection

REPO = "/repos/octocat/Hello-World"
BLOB: dict[str, object] = {"content": "a\n", "encoding": "utf-8"}
REF, COMMIT = f"{REPO}/git/ref/heads/main", f"{REPO}/git/commits/{'0' * 40}"
PAGE = b"<html>Bad gateway"


@pytest.fixture(name="h")
def _hub() -> Iterator[Hub]:
    with hub() as running:
        yield running


@pytest.fixture(name="connection")
def _connection(h: Hub) -> Iterator[Connection]:
    made = Connection(h.world.token.value, h.api_url)
    yield made
    made.close()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_request_that_was_moved_is_sent_there_as_it_is(h: Hub, connection: Connection, status: int) -> None:
    there = f"/repositories/{h.world.repository.id}/git/blobs"
    h.fault("POST git/blobs", status=status, headers={"Location": there})
    assert connection.send("POST", f"{REPO}/git/blobs", BLOB).status == 201
    assert [(each.path, each.body) for each in h.log] == [(f"{REPO}/git/blobs", BLOB), (there, BLOB)]
    assert {each.headers["authorization"] for each in h.log} == {f"token {h.world.token.value}"}


@pytest.mark.parametrize("place", ["http://127.0.0.1:9/x", "http://localhost:9/x", "https://localhost/x", "", REF])
def test_a_move_elsewhere_or_nowhere_is_not_followed(h: Hub, connection: Connection, place: str) -> None:
    h.fault("GET git/ref/*", status=301, headers={"Location": place}, times=9)
    assert connection.send("GET", REF).status == 301
    assert len(h.names) == 1


def test_moves_end(h: Hub, connection: Connection) -> None:
    h.fault("GET git/ref/*", status=301, headers={"Location": COMMIT}, times=9)
    h.fault("GET git/commits/*", status=301, headers={"Location": REF}, times=9)
    assert connection.send("GET", REF).status == 301
    assert len(h.names) == 3


def test_where_something_was_made_is_no_move(h: Hub, connection: Connection) -> None:
    h.fault("POST git/blobs", status=201, body={}, headers={"Location": "http://[elsewhere"})
    assert connection.send("POST", f"{REPO}/git/blobs", BLOB).data == {}


def test_the_page_of_a_proxy_says_nothing_and_counts_as_no_answer(h: Hub, connection: Connection) -> None:
    h.fault("GET git/ref/*", status=502, body=PAGE)
    h.fault("GET git/ref/*", status=200, body=PAGE, nth=2)
    assert connection.send("GET", REF)[::2] == (502, None)
    with pytest.raises(ValueError, match="Expecting value"):
        connection.send("GET", REF)


def test_no_name_or_password_of_the_machine_is_sent(
    h: Hub, connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine localhost login hubot password secret\n", "utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert connection.send("GET", REF).status == 200
    assert h.log[0].headers["authorization"] == f"token {h.world.token.value}"


@pytest.mark.parametrize(
    "message",
    [
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        "You have triggered an abuse detection mechanism. Please wait a few minutes before you try again.",
    ],
)
def test_a_limit_that_says_so_in_words_alone_is_waited_for(h: Hub, message: str) -> None:
    waits: list[float] = []
    api = GitHubApi(h.world.token.value, h.api_url, sleep=waits.append, clock=lambda: 0.0)
    h.fault("GET git/ref/*", status=403, body={"message": message})
    assert api.get(REF, "reading the branch", lambda answer: answer["ref"]) == "refs/heads/main"
    api.close()
    assert waits == [60.0]
