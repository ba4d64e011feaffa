"""What leaves for GitHub and what counts as an answer: a server that misbehaves in each way, one test a way.

The hub is a server that behaves; `Bad` says whatever it is told to. No test sleeps: waits are noted, and a slow server
waits on an event that the end of the test sets.
"""

import gzip
import json
import logging
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any, NamedTuple

import pytest
from github.GitRef import GitRef
from github.IssueComment import IssueComment
from support.hub import Hub, hub

from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.repos.github.client import API_VERSION, MAX_MOVES, MAX_REQUESTS, USER_AGENT, GitHubApi

NAME = "octocat/Hello-World"
REPO = f"/repos/{NAME}"
REF = f"{REPO}/git/ref/heads/main"
COMMENTS = f"{REPO}/issues/1/comments"
TOKEN = "ghs_of_this_job"
NOW = 1_800_000_000.0  # 15 January 2027, 08:00:00 UTC
SHA = "1" * 40
FINE: dict[str, Any] = {"ref": "refs/heads/main", "url": REF, "object": {"sha": SHA, "type": "commit", "url": REF}}
PAGE = b"<html>Bad gateway"


class Said(NamedTuple):
    """An answer: what of it is not set is that of a server that behaves. `stream` writes the body itself."""

    status: int = 200
    body: object = FINE
    headers: Mapping[str, str] = {}
    stream: "Callable[[Bad], None] | None" = None
    is_dropped: bool = False


class Bad(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: "Server"

    def serve(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.log.append((f"{self.command} {self.path}", dict(self.headers.items()), content))
        said = self.server.answer(self.path, len(self.server.log))
        if said.is_dropped:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        body = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
        self.send_response(said.status)
        for name, value in said.headers.items():
            self.send_header(name, value)
        if said.stream is not None:
            self.close_connection = True
            self.end_headers()
            with suppress(OSError):
                said.stream(self)
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = serve  # noqa: N815 - the names that the base class calls

    def log_message(self, *_: object) -> None:
        """Quiet: the log is `Server.log`."""


class Server(ThreadingHTTPServer):
    """`answer` is asked with the path and the number of each request; `is_over` is set when the test ends."""

    daemon_threads = True

    def __init__(self, answer: Callable[[str, int], Said]) -> None:
        self.answer = answer
        self.log: list[tuple[str, dict[str, str], bytes]] = []
        self.is_over = threading.Event()
        super().__init__(("localhost", 0), Bad)

    def server_bind(self) -> None:
        """Without the look-up of a domain name that the base class adds."""
        TCPServer.server_bind(self)

    def handle_error(self, *_: object) -> None:
        """A client may hang up."""

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.log]

    @property
    def url(self) -> str:
        return f"http://localhost:{self.server_address[1]}"


class Talk(NamedTuple):
    server: Server
    api: GitHubApi
    waits: list[float]

    def ref(self) -> str:
        """Read the branch: the id of its commit."""
        repository = self.api.repository(NAME)
        return self.api.read("reading the branch", lambda: repository.get_git_ref("heads/main").object.sha)

    def comment(self) -> int:
        """Post a comment: its number."""
        issue = self.api.repository(NAME).get_issue(1)
        return self.api.send_once("answering", lambda: issue.create_comment("Hello").id)

    def failure(self, ask: Callable[[], object]) -> ApiError:
        with pytest.raises(ApiError) as caught:
            ask()
        return caught.value


@contextmanager
def talk(answer: Said | Callable[[str, int], Said], *, seconds: float = 15.0, path: str = "") -> Iterator[Talk]:
    """A server that answers so, and our client of it, whose clock stands still."""
    server = Server((lambda *_: answer) if isinstance(answer, Said) else answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.005,), daemon=True)
    thread.start()
    waits: list[float] = []
    url = server.url + path
    with closing(GitHubApi(TOKEN, url, sleep=waits.append, clock=lambda: NOW, seconds=seconds)) as api:
        try:
            yield Talk(server, api, waits)
        finally:
            server.is_over.set()
            server.shutdown()
            thread.join()
            server.server_close()


# what is sent


def test_a_request_carries_the_token_the_version_and_no_more() -> None:
    with talk(Said()) as t:
        assert t.ref() == SHA
        name, headers, content = t.server.log[0]
    assert (name, content) == (f"GET {REF}", b"")
    assert set(headers) == {
        "Host", "User-Agent", "Accept", "Accept-Encoding", "Connection", "Authorization", "X-GitHub-Api-Version",
    }  # fmt: skip
    assert headers["Authorization"] == f"token {TOKEN}"
    assert headers["X-GitHub-Api-Version"] == API_VERSION
    assert headers["User-Agent"] == USER_AGENT


def test_no_name_or_password_of_the_machine_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine localhost login hubot password secret\n", "utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with talk(Said()) as t:
        assert t.ref() == SHA
        assert t.server.log[0][1]["Authorization"] == f"token {TOKEN}"


def test_a_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with talk(Said()) as proxy:
        monkeypatch.setenv("http_proxy", proxy.server.url)
        monkeypatch.setenv("no_proxy", "")
        api = GitHubApi(TOKEN, "http://localhost:9", sleep=lambda _: None, clock=lambda: NOW)
        with closing(api):
            api.read("reading the branch", lambda: api.repository(NAME).get_git_ref("heads/main").object.sha)
        assert proxy.server.names == [f"GET http://localhost:9{REF}"]


def test_nothing_is_logged(capfd: pytest.CaptureFixture[str]) -> None:
    """Text from a server in the log could pass for a runner command."""
    with talk(Said(404, {"message": "::add-mask::x"})) as t:
        for name in ("github", "github.Requester", "requests", "urllib3", "urllib3.connectionpool"):
            logging.getLogger(name).error("::add-mask::x")
            logging.getLogger(name).debug("::add-mask::x")
        t.failure(t.ref)
    assert capfd.readouterr() == ("", "")


# moves


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_read_follows_a_move_on_the_server(status: int) -> None:
    there = "/repositories/7/git/ref/heads/main?a=b"
    with talk(lambda path, _: Said() if path == there else Said(status, {}, {"Location": there})) as t:
        assert t.ref() == SHA
        assert t.server.names == [f"GET {REF}", f"GET {there}"]
        assert (t.api.requests, t.waits) == (2, [])
        assert {headers["Authorization"] for _, headers, _ in t.server.log} == {f"token {TOKEN}"}


def test_an_upper_case_host_is_the_same_host() -> None:
    def answer(path: str, _: int) -> Said:
        return Said() if path == "/x" else Said(301, {}, {"Location": f"HTTP://LOCALHOST:{port}/x"})

    with talk(answer) as t:
        port = t.server.server_address[1]
        assert (t.ref(), len(t.server.log)) == (SHA, 2)


ELSEWHERE = [
    "http://127.0.0.1:{port}/x", "http://localhost:9/x", "https://localhost:{port}/x", "//example.com/x",
    "http://localhost:{port}@example.com/x", "http://me@localhost:{port}/x", "", REF, "http://localhost:x/", "http://[x",
]  # fmt: skip


@pytest.mark.parametrize("there", ELSEWHERE)
def test_a_move_elsewhere_or_nowhere_is_an_error(there: str) -> None:
    def answer(_: str, __: int) -> Said:
        return Said(301, FINE, {"Location": there.format(port=port)})

    with talk(answer) as t:
        port = t.server.server_address[1]
        assert t.failure(t.ref).trouble is Trouble.BROKEN
        assert t.server.names == [f"GET {REF}"]


def test_moves_in_a_circle_end_and_each_is_counted() -> None:
    with talk(lambda path, _: Said(301, FINE, {"Location": "/a" if path == "/b" else "/b"})) as t:
        error = t.failure(t.ref)
        assert (error.trouble, "301" in error.message) == (Trouble.BROKEN, True)
        assert t.server.names == [f"GET {REF}", "GET /b", "GET /a", "GET /b"]
        assert t.api.requests == 1 + MAX_MOVES


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_write_is_not_sent_on(status: int) -> None:
    with talk(Said(status, {"id": 7}, {"Location": "/x"})) as t:
        assert t.failure(t.comment).trouble is Trouble.BROKEN
        assert t.server.names == [f"POST {COMMENTS}"]


def test_where_something_was_made_is_no_move() -> None:
    with talk(Said(201, {"id": 7}, {"Location": "/x"})) as t:
        assert (t.comment(), len(t.server.log)) == (7, 1)


def test_moves_count_for_the_limit_of_a_run() -> None:
    with talk(lambda path, _: Said() if path == "/x" else Said(301, {}, {"Location": "/x"})) as t:
        for _ in range(MAX_REQUESTS // 2):
            t.ref()
        with pytest.raises(RepoError, match="more than 60 requests"):
            t.ref()
        assert t.api.requests == len(t.server.log) == MAX_REQUESTS


# what is no answer


@pytest.mark.parametrize("status", [203, 206, 300, 303, 304])
def test_a_status_that_is_no_answer_is_an_error(status: int) -> None:
    with talk(Said(status, FINE)) as t:
        assert t.failure(t.ref).trouble is Trouble.BROKEN
        assert len(t.server.log) == 1


def test_an_answer_that_is_never_ready_is_an_error() -> None:
    with talk(Said(202, FINE)) as t:
        error = t.failure(t.ref)
        assert (error.trouble, t.waits, len(t.server.log)) == (Trouble.RETRY, [1.0, 3.0], 3)
        assert t.failure(t.comment).trouble is Trouble.RETRY
        assert len(t.server.log) == 4


BROKEN: list[tuple[str, object]] = [
    ("HTML", PAGE), ("half of an object", b'{"object": {'), ("nothing", b""), ("null", b"null"), ("a list", []),
    ("no text", b'"\xff"'), ("too deep", b"[" * 100_000), ("a field of another kind", {"object": {"sha": 5}}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "body"), BROKEN, ids=[claim for claim, _ in BROKEN])
def test_an_answer_of_another_shape_is_an_error(claim: str, body: object) -> None:
    with talk(Said(200, body)) as t:
        assert t.failure(t.ref).trouble is Trouble.BROKEN, claim
        assert len(t.server.log) == 1


def test_errors_with_status_200_are_errors() -> None:
    with talk(Said(200, {**FINE, "data": {}, "errors": [{"type": "NOT_FOUND", "message": "gone"}]})) as t:
        for ask in (t.ref, lambda: t.api.query("query { x }", {}, "reading the pull request", dict)):
            error = t.failure(ask)
            assert (error.trouble, error.server_message) == (Trouble.MISSING, "gone")


def test_the_page_of_a_proxy_says_nothing() -> None:
    with talk(Said(502, PAGE)) as t:
        error = t.failure(t.ref)
        assert (error.trouble, error.server_message, len(t.server.log)) == (Trouble.RETRY, "", 3)


def test_a_field_that_is_missing_is_not_asked_for() -> None:
    """PyGithub would send a request for it to the `url` of the answer."""

    def answer(path: str, _: int) -> Said:
        return Said(200, {"merge_base_commit": {"sha": SHA, "url": f"{REPO}/commits/x"}, "url": REPO})

    with talk(answer) as t:
        compare = t.api.repository(NAME).compare
        error = t.failure(lambda: t.api.read("comparing", lambda: compare(SHA, SHA).merge_base_commit.commit.sha))
        assert (error.trouble, len(t.server.log)) == (Trouble.BROKEN, 1)


def test_an_address_of_another_server_in_an_answer_is_not_asked() -> None:
    with talk(Said()) as t:
        ref = GitRef(t.api.requester, url="http://127.0.0.1:9/x")
        assert t.failure(lambda: t.api.read("reading", lambda: ref.ref)).trouble is Trouble.BROKEN
        assert t.server.log == []


def test_nothing_leaves_without_a_step() -> None:
    with talk(Said()) as t, pytest.raises(ValueError, match="PyGithub would send"):
        t.api.requester.requestJsonAndCheck("GET", REF)


# time and size


def drip(handler: Bad) -> None:
    """Write a byte a moment for as long as the test takes."""
    while not handler.server.is_over.wait(0.01):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def drip_heads(handler: Bad) -> None:
    handler.wfile.write(b"X-Slow: ")
    drip(handler)


class SlowHead(Bad):
    def end_headers(self) -> None:
        """The head does not end."""
        drip_heads(self)


@pytest.mark.parametrize("headers", [{}, {"Content-Length": "10000000"}, {"Transfer-Encoding": "chunked"}])
@pytest.mark.long(after=1)
def test_a_server_that_sends_a_byte_a_moment_has_no_more_time_than_others(headers: dict[str, str]) -> None:
    with talk(Said(200, None, headers, drip), seconds=0.1) as t:
        error = t.failure(t.ref)
        assert (error.trouble, "TimeoutError" in error.message, len(t.server.log)) == (Trouble.RETRY, True, 3)


@pytest.mark.long
def test_a_head_that_does_not_end_is_no_answer() -> None:
    with talk(Said(), seconds=0.1) as t:
        t.server.RequestHandlerClass = SlowHead
        assert t.failure(t.ref).trouble is Trouble.RETRY


def test_after_a_slow_answer_the_next_one_counts() -> None:
    with talk(lambda _, number: Said(stream=drip) if number == 1 else Said(), seconds=0.1) as t:
        assert (t.ref(), t.waits) == (SHA, [1.0])


def hang(handler: Bad) -> None:
    handler.server.is_over.wait()


def test_a_server_that_does_not_answer_a_write_is_asked_once() -> None:
    with talk(Said(201, stream=hang), seconds=0.1) as t:
        assert (t.failure(t.comment).trouble, len(t.server.log)) == (Trouble.RETRY, 1)


def zipped(times: int) -> bytes:
    return gzip.compress(b'{"a": "') + gzip.compress(bytes(1024 * 1024)) * times


def test_an_answer_is_read_up_to_32_mib() -> None:
    """400 MB of JSON take 400 kB on their way."""
    with talk(Said(200, zipped(400), {"Content-Encoding": "gzip"})) as t:
        error = t.failure(t.ref)
        assert (error.trouble, "cannot be used" in error.message, len(t.server.log)) == (Trouble.BROKEN, True, 1)


def test_an_answer_that_is_zipped_is_an_answer() -> None:
    body = gzip.compress(json.dumps(FINE).encode())
    with talk(Said(200, body, {"Content-Encoding": "gzip"})) as t:
        assert t.ref() == SHA


def test_a_write_whose_answer_was_lost_is_sent_once() -> None:
    with talk(Said(is_dropped=True)) as t:
        error = t.failure(t.comment)
        assert (error.trouble, t.server.names, t.waits) == (Trouble.RETRY, [f"POST {COMMENTS}"], [])


def test_a_write_on_a_connection_that_the_server_has_left_is_sent_once() -> None:
    """A connection that is kept may be gone by then, and a library may send the request once more by itself."""
    with talk(lambda _, number: Said(is_dropped=number > 1)) as t:
        t.ref()
        assert t.failure(t.comment).trouble is Trouble.RETRY
        assert t.server.names == [f"GET {REF}", f"POST {COMMENTS}"]


def test_a_read_whose_answer_was_lost_is_sent_three_times() -> None:
    with talk(Said(is_dropped=True)) as t:
        assert (t.failure(t.ref).trouble, len(t.server.log), t.waits) == (Trouble.RETRY, 3, [1.0, 3.0])


# limits

DATE = "Fri, 15 Jan 2027 08:00:07 GMT"
SPENT = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": f"{NOW + 9:.0f}"}
LIMIT = {"message": "API rate limit exceeded for installation."}
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
ABUSE = {"message": "You have triggered an abuse detection mechanism. Please wait a few minutes before you try again."}
RIGHT = {"message": "Resource not accessible by integration"}

LIMITS: list[tuple[str, Said, float]] = [
    ("429, in seconds", Said(429, {}, {"Retry-After": "7"}), 7.0),
    ("429, a date", Said(429, {}, {"Retry-After": DATE}), 7.0),
    ("429, a date of the past", Said(429, {}, {"Retry-After": "Fri, 15 Jan 2027 07:00:00 GMT"}), 1.0),
    ("429, neither", Said(429, {}, {"Retry-After": "soon"}), 60.0),
    ("429 alone", Said(429, {}), 60.0),
    ("429, at once", Said(429, {}, {"Retry-After": "0"}), 1.0),
    ("403, in seconds", Said(403, RIGHT, {"Retry-After": "7"}), 7.0),
    ("403, a date", Said(403, {}, {"Retry-After": DATE}), 7.0),
    ("403, the limit of the hour", Said(403, LIMIT, SPENT), 10.0),
    ("403, a secondary limit in words", Said(403, SECONDARY), 60.0),
    ("403, abuse in words", Said(403, ABUSE), 60.0),
    ("503, in seconds", Said(503, {}, {"Retry-After": "7"}), 7.0),
    ("503, a date", Said(503, PAGE, {"Retry-After": DATE}), 7.0),
    ("503 alone", Said(503, PAGE), 1.0),
    ("RATE_LIMIT", Said(200, {"errors": [{"type": "RATE_LIMIT"}]}, SPENT), 10.0),
    ("RATE_LIMITED", Said(200, {"errors": [{"type": "RATE_LIMITED"}]}), 60.0),
]


@pytest.mark.parametrize(("claim", "said", "wait"), LIMITS, ids=[claim for claim, _, _ in LIMITS])
def test_a_limit_is_waited_for(claim: str, said: Said, wait: float) -> None:
    with talk(lambda _, number: said if number == 1 else Said()) as t:
        assert (t.ref(), t.waits) == (SHA, [wait]), claim


def test_a_missing_right_is_no_limit_although_the_limit_is_used_up() -> None:
    with talk(Said(403, RIGHT, SPENT)) as t:
        assert (t.failure(t.ref).trouble, t.waits, len(t.server.log)) == (Trouble.REFUSED, [], 1)


# lists


def rows(t: Talk) -> list[int]:
    pages = t.api.pages("looking for an answer", f"{COMMENTS}?since=x", IssueComment, lambda row: row.id)
    return [number for page in pages for number in page]


def following(there: str) -> dict[str, str]:
    return {"Link": f'<{there}>; rel="next", <http://localhost:9/x>; rel="last"'}


def test_pages_are_read_to_their_end() -> None:
    def answer(path: str, _: int) -> Said:
        if path == "/two":
            return Said(200, [{"id": 3}])
        return Said(200, [{"id": 1}, {"id": 2}], following(f"{t.server.url}/two"))

    with talk(answer) as t:
        assert rows(t) == [1, 2, 3]
        assert t.server.names == [f"GET {COMMENTS}?since=x&per_page=100", "GET /two"]


BAD_PAGES: list[tuple[str, Said]] = [
    ("no answer", Said(502, PAGE)), ("null", Said(200, None)), ("an object", Said(200, {"items": []})),
    ("a row that is none", Said(200, [5])), ("empty, with more behind", Said(200, [], following("/three"))),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "said"), BAD_PAGES, ids=[claim for claim, _ in BAD_PAGES])
def test_a_list_without_its_last_page_is_an_error(claim: str, said: Said) -> None:
    with talk(lambda path, _: said if path == "/two" else Said(200, [{"id": 1}], following("/two"))) as t:
        assert t.failure(lambda: rows(t)).trouble in {Trouble.BROKEN, Trouble.RETRY}, claim


def test_a_next_page_on_another_server_is_an_error() -> None:
    with talk(Said(200, [{"id": 1}], following("http://127.0.0.1:9/two"))) as t:
        assert (t.failure(lambda: rows(t)).trouble, len(t.server.log)) == (Trouble.BROKEN, 1)


def test_pages_that_do_not_end_end_with_the_requests_of_a_run() -> None:
    with talk(Said(200, [{"id": 1}], following("/more"))) as t:
        with pytest.raises(RepoError, match="more than 60 requests"):
            rows(t)
        assert len(t.server.log) == MAX_REQUESTS


# a server that behaves


@pytest.fixture(name="h")
def _hub() -> Iterator[Hub]:
    with hub(prefix="/api/v3") as running:
        yield running


def test_an_enterprise_server_has_both_addresses(h: Hub) -> None:
    api = GitHubApi(h.world.token.value, h.api_url, sleep=lambda _: None, clock=lambda: NOW)
    with closing(api):
        sha = api.read("reading the branch", lambda: api.repository(NAME).get_git_ref("heads/main").object.sha)
        data = api.query("query Who { viewer { login } }", {}, "asking", dict)
    assert (sha, data["viewer"]["login"]) == (h.world.branch("main"), "github-actions[bot]")
    assert [request.path for request in h.log] == [f"/api/v3{REF}", "/api/graphql"]
