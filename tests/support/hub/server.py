"""The HTTP server of the hub: tokens, routes, faults, checks of requests and answers, and a log of all requests."""

import json
import re
import socket
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from support.hub import oas, routes
from support.hub.answers import DOCS, Answer, ApiError, Call
from support.hub.faults import Fault
from support.hub.graphql import Query
from support.hub.model import Token
from support.hub.past import Past
from support.hub.views import Viewer
from support.hub.world import World

Connection = socket.socket | tuple[bytes, socket.socket]
Plan = Query | tuple[oas.Operation, dict[str, str]] | None
# https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api: 1,000 an hour for GITHUB_TOKEN
RATE = {
    "x-ratelimit-limit": "1000",
    "x-ratelimit-remaining": "999",
    "x-ratelimit-reset": "4102444800",
    "x-ratelimit-resource": "core",
    "x-github-request-id": "0400:1F2E:3D4C:5B6A:00000001",
}


@dataclass(slots=True)
class Request:
    """A request in the log. `name` is short: `POST git/trees`, `query Context`, `mutation updateRefs`."""

    name: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    status: int = 0  # 0: the connection was dropped
    answer: Any = None


class Hub:
    """A running fake GitHub. `bad_requests` and `bad_answers` must be empty at the end."""

    def __init__(self, path: Path, prefix: str = "", html_url: str = "https://github.com") -> None:
        self.world = World(path / "store.git")
        self.log: list[Request] = []
        self.faults: list[Fault] = []
        self.bad_requests: list[str] = []
        self.bad_answers: list[str] = []
        self.html_url = html_url
        self.prefix = prefix  # of API paths; "/api/v3" imitates an Enterprise server
        self._lock = threading.RLock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.005,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """`http://localhost:PORT`; localhost is the only host with which the client uses plain http."""
        return f"http://localhost:{self._server.server_address[1]}"

    @property
    def api_url(self) -> str:
        """The value of GITHUB_API_URL."""
        return self.url + self.prefix

    @property
    def graphql_url(self) -> str:
        """The value of GITHUB_GRAPHQL_URL: `/graphql`, or `/api/graphql` on an Enterprise server."""
        return f"{self.url}{self.prefix.removesuffix('/v3')}/graphql"

    @property
    def names(self) -> list[str]:
        """The names of all requests so far, in order."""
        return [request.name for request in self.log]

    def requests(self, name: str) -> list[Request]:
        """All requests with this name."""
        return [request for request in self.log if request.name == name]

    def fault(self, at: str, **options: Any) -> Fault:
        """Add a `Fault`, and return it."""
        fault = Fault(at, **options)
        self.faults.append(fault)
        return fault

    def lag(self, at: str, reads: int = 1, *, nth: int = 1, only: str | None = None) -> Fault:
        """Let the next `reads` requests called `at` get the current state of the world, even if it changes before.

        `only="refs"` freezes only branches and heads, `only="pulls"` only reviews, comments and states.
        """
        return self.fault(at, nth=nth, times=reads, past=Past.of(self.world, only))

    def close(self) -> None:
        """Stop listening, close all connections, and end the git process of the store."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server.hang_up()
        self.world.store.close()

    def answer(self, request: Request) -> tuple[Answer, bool]:
        """The answer to a request, and whether to drop the connection instead of sending it."""
        with self._lock:
            name, plan = self._plan(request)
            request.name = name
            self.log.append(request)
            struck = [fault for fault in self.faults if fault.strikes(name)]
            for fault in struck:
                if fault.before:
                    fault.before()
            spoiled = next((fault for fault in struck if fault.replaces), None)
            answer = Answer(500) if spoiled and not spoiled.effect else self._at_some_time(request, plan, struck)
            for fault in struck:
                if fault.after:
                    fault.after()
                if fault.alter:
                    answer = Answer(answer.status, fault.alter(answer.body), answer.headers)
            if spoiled:
                answer = _spoil(spoiled)
            drop = spoiled is not None and spoiled.drop
            request.status, request.answer = 0 if drop else answer.status, answer.body
            return answer, drop

    def _plan(self, request: Request) -> tuple[str, Plan]:
        """The name of a request, and what answers it: a query, an operation, or None if there is no such endpoint."""
        if request.path == urlsplit(self.graphql_url).path and request.method == "POST":
            query = Query(request.body)
            return query.name, query
        path = request.path.removeprefix(self.prefix) if request.path.startswith(self.prefix) else ""
        found = oas.find(request.method, self._by_name(path))
        if found is None or found[0].name not in routes.ROUTES:
            return f"{request.method} {request.path}", None
        return found[0].name, found

    def _by_name(self, path: str) -> str:
        """Turn `/repositories/{id}/…`, to which GitHub redirects requests with a former name, into `/repos/…`."""
        hit = re.match(r"/repositories/(\d+)(?=/|$)", path)
        known = [repo for repo in self.world.repositories if hit and repo.id == int(hit[1])]
        return f"/repos/{known[0].full_name}{path[hit.end() :]}" if hit and known else path

    def _at_some_time(self, request: Request, plan: Plan, struck: Sequence[Fault]) -> Answer:
        """Execute a request, or answer a read from an earlier state if one of the faults says so."""
        past = next((fault.past for fault in struck if fault.past), None)
        if past is None:
            return self._take_effect(request, plan)
        assert request.name.startswith(("GET ", "query ")), f"{request.name} is no read"
        with past.again(self.world):
            return self._take_effect(request, plan)

    def _take_effect(self, request: Request, plan: Plan) -> Answer:
        scheme, _, value = request.headers.get("authorization", "").partition(" ")
        token = self.world.tokens.get(value) if scheme.lower() in {"token", "bearer"} else None
        if token is None:
            # https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api
            return ApiError(401, "Bad credentials").answer
        if isinstance(plan, Query):
            return self._graphql(plan, token)
        if plan is None:
            self.bad_requests.append(f"{request.name}: the hub has no such endpoint")
            return ApiError(404, "Not Found").answer
        return self._moved(request, plan[1]) or self._rest(request, *plan, token)

    def _graphql(self, query: Query, token: Token) -> Answer:
        answer = query.answer(Viewer(self.world, token, self.html_url))
        self.bad_requests += [f"{query.name}: {problem}" for problem in query.problems]
        self.bad_answers += [f"{query.name}: {problem}" for problem in query.gaps]
        return answer

    def _moved(self, request: Request, params: Mapping[str, str]) -> Answer | None:
        """https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects"""
        name = f"{params.get('owner')}/{params.get('repo')}"
        repo = next((each for each in self.world.repositories if name in each.former_names), None)
        if repo is None:
            return None
        rest = request.path.removeprefix(f"{self.prefix}/repos/{name}")
        location = f"{self.api_url}/repositories/{repo.id}{rest}"
        return Answer(301, {"message": "Moved Permanently", "url": location}, {"Location": location})

    def _rest(self, request: Request, operation: oas.Operation, params: Mapping[str, str], token: Token) -> Answer:
        problems = oas.request_problems(operation, request.query, request.body)
        if problems:
            self.bad_requests += [f"{operation.name}: {problem}" for problem in problems]
            return ApiError(422, f"Invalid request. {'; '.join(problems)}", []).answer
        call = Call(
            world=self.world,
            token=token,
            name=operation.name,
            params=params,
            query=request.query,
            body=request.body,
            api_url=self.api_url,
            html_url=self.html_url,
            media=request.headers.get("accept", ""),
        )
        answer = routes.answer(call)
        wrong = oas.answer_problems(operation, answer.status, answer.body)
        self.bad_answers += [f"{operation.name} {answer.status}: {problem}" for problem in wrong]
        return answer


def _spoil(fault: Fault) -> Answer:
    body = fault.body
    if body is None and fault.status is not None and fault.status >= 400:
        sentence = HTTPStatus(fault.status).phrase
        body = {"message": sentence, "documentation_url": DOCS, "status": str(fault.status)}
    return Answer(fault.status or 0, body, fault.headers)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.open: set[Connection] = set()
        super().__init__(("localhost", 0), _Handler)

    def server_bind(self) -> None:
        """Bind without looking up the domain name, which the base class does."""
        TCPServer.server_bind(self)

    def process_request(self, request: Connection, client_address: object) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Connection) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close the connections that clients keep alive, so that their threads end."""
        for connection in tuple(self.open):
            if isinstance(connection, socket.socket):
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, *_: object) -> None:
        """Ignore a client that hangs up. Any other error is a bug of the hub and fails the test."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            self.hub.bad_answers.append(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # buffered: head and body go out in one packet, because a second one would wait 40 ms
    disable_nagle_algorithm = True
    server: _Server

    def serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        url = urlsplit(self.path)
        request = Request(
            name="",
            method=self.command,
            path=url.path,
            query=dict(parse_qsl(url.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=json.loads(raw) if raw else None,
        )
        answer, drop = self.server.hub.answer(request)
        if drop:
            self.close_connection = True
            return
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        body = b"" if answer.body is None else answer.body
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(answer.status)
        given = {name.lower(): value for name, value in answer.headers.items()}
        headers = {"content-type": "application/json; charset=utf-8", **RATE, **given}
        for name, value in headers.items():
            self.send_header(name, value)
        if answer.status not in {204, 304}:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if answer.status not in {204, 304}:
            self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Print nothing: the log is `Hub.log`."""


for _verb in ("GET", "POST", "PUT", "PATCH", "DELETE"):
    setattr(_Handler, f"do_{_verb}", _Handler.serve)  # the names that the base class calls
