"""The one place where requests to GitHub leave: PyGithub's requester, with its own way of sending.

PyGithub's typed objects and its GraphQL calls all go through `requestJsonAndCheck`. Its own way of sending follows
moves of writes, waits for ever while the answer is 202, takes other 3xx for answers and HTML for JSON, and knows no
deadline. Nothing is repeated here. Rules: docs/reference/action.md, "faults and exit codes".
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

import github.Requester
from github import Auth, GithubException
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass

from editblocks.core.errors import RepoError
from editblocks.core.typed import NamedTuple

SECONDS = 15.0  # from a request to the last byte of its answer, a move of it apart
MAX_ANSWER_BYTES = 32 * 1024 * 1024  # unpacked
# https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
MOVED = {301, 302, 307, 308}
MAX_MOVES = 3
ANSWERED = {200, 201, 204}  # 202 is none yet
API_VERSION = "2022-11-28"
USER_AGENT = "editblocks"
PAGE_ROWS = 100
MAX_REQUESTS, MAX_SECONDS = 60, 300.0
LAST_REQUESTS, LAST_SECONDS = 4, 60.0

# What goes wrong in a network, and what an answer of another shape leads to. `OSError` is the base of what the library
# requests raises: time-outs, resets, unknown host names.
FAULTS = (OSError, LookupError, TypeError, ValueError, AttributeError, RuntimeError)


class Budget:
    """How many requests and how much time a run has; `requests` is how many have left so far."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._deadline = clock() + MAX_SECONDS
        self._most_requests = MAX_REQUESTS
        self.requests = 0

    def take(self) -> None:
        """Count a request. Raises `RepoError` if the run has used up its requests or its time."""
        if self.requests >= self._most_requests:
            raise overdrawn(f"the run needs more than {MAX_REQUESTS} requests")
        if not self.has_time(0.0):
            raise overdrawn(f"the run takes longer than {MAX_SECONDS:.0f} seconds")
        self.requests += 1

    def has_time(self, seconds: float) -> bool:
        return self._clock() + seconds < self._deadline

    def extend(self) -> None:
        """Allow a few more requests and some more time, so that a run that used up its own can still write a status."""
        self._most_requests = max(self._most_requests, self.requests + LAST_REQUESTS)
        self._deadline = max(self._deadline, self._clock() + LAST_SECONDS)


def overdrawn(reason: str) -> RepoError:
    """No `ApiError`, as GitHub was not asked."""
    return RepoError(f"{reason}; run the job again later, or send fewer blocks at once")


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: Mapping[str, str]  # names are in small letters
    content: bytes  # unpacked


class Requester(github.Requester.Requester):
    """The API at `url`. The token goes nowhere else. `seconds`: the time for one request."""

    def __init__(self, token: str, url: str, budget: Budget, *, seconds: float = SECONDS) -> None:
        super().__init__(
            auth=Auth.Token(token),
            base_url=url.rstrip("/"),
            timeout=int(SECONDS),
            user_agent=USER_AGENT,
            per_page=PAGE_ROWS,
            verify=True,
            retry=0,
            pool_size=1,
            seconds_between_requests=0,
            seconds_between_writes=0,
            lazy=True,
            api_version=API_VERSION,
        )
        # text from a server in the log could pass for a runner command
        for name in ("github", "requests", "urllib3"):
            vendor = logging.getLogger(name)
            vendor.handlers = [logging.NullHandler()]
            vendor.propagate = False
        self._budget = budget
        self._seconds = seconds
        self._may_send = False
        self._token = token
        self._connect()

    def close(self) -> None:
        self._session.close()

    @contextmanager
    def one_request(self) -> Iterator[None]:
        """Allow one request, its moves included: PyGithub asks again where an answer lacks what is read of it."""
        self._may_send = True
        try:
            yield
        finally:
            self._may_send = False

    def requestJsonAndCheck(  # noqa: N802 - the name that PyGithub's objects call
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        input: Any | None = None,  # noqa: A002
        *_: Any,
        **__: Any,
    ) -> tuple[dict[str, Any], Any]:
        """Send a request; give the headers and the JSON of its answer. Raises `GithubException`, or one of `FAULTS`."""
        answer = self._ask(verb, url, parameters, headers, input)
        data = _json(answer)
        # GraphQL gives its errors with status 200
        if answer.status not in ANSWERED or (isinstance(data, dict) and "errors" in data):
            raise GithubException(answer.status, data, dict(answer.headers))
        return dict(answer.headers), data

    def requestJson(  # noqa: N802
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        input: Any | None = None,  # noqa: A002
        *_: Any,
        **__: Any,
    ) -> tuple[int, dict[str, Any], str]:
        """As `requestJsonAndCheck`, but the caller judges the status."""
        answer = self._ask(verb, url, parameters, headers, input)
        return answer.status, dict(answer.headers), answer.content.decode("utf-8", "replace")

    def _ask(
        self,
        verb: str,
        url: str,
        parameters: Mapping[str, Any] | None,
        headers: Mapping[str, str] | None,
        content: object,
    ) -> Answer:
        """Send a request, a read also to where it was moved on this server."""
        if not self._may_send:
            raise ValueError("the answer lacks a field, and PyGithub would ask for it")
        self._may_send = False
        sent = {**(headers or {}), "User-Agent": USER_AGENT, "X-GitHub-Api-Version": API_VERSION}
        sent["Authorization"] = f"token {self._token}"
        body = None
        if content is not None:
            body = json.dumps(content)
            sent["Content-Type"] = "application/json"
        place = self._place(url)
        if parameters:
            place = self.add_parameters_to_url(place, dict(parameters))
        answer = self._send(verb, place, sent, body)
        for _ in range(MAX_MOVES):
            if verb != "GET" or answer.status not in MOVED:
                break
            there = urljoin(place, answer.headers.get("location", ""))
            if there == place or not self._is_here(urlsplit(there)):
                break
            place = there
            answer = self._send(verb, place, sent, body)
        return answer

    def _place(self, url: str) -> str:
        """The whole address of a path of the API, or of an address in an answer. Raises `ValueError` for others."""
        if url.startswith("/"):
            return self.base_url + url
        if not self._is_here(urlsplit(url)):
            raise ValueError("an address of another server")
        return url

    def _is_here(self, place: SplitResult) -> bool:
        own = urlsplit(self.base_url)
        return _server(place) == _server(own) and place.username is None

    def _send(self, verb: str, url: str, headers: Mapping[str, str], body: str | None) -> Answer:
        """Send one request in a thread of its own.

        A time-out of `requests` runs anew with every byte, and the look-up of a name has none.
        """
        self._budget.take()
        session = self._session
        answers: list[Answer] = []
        faults: list[Exception] = []

        def exchange() -> None:
            try:
                with session.request(
                    verb, url, headers=headers, data=body, stream=True, timeout=self._seconds, allow_redirects=False
                ) as response:
                    content = _read(response.iter_content(65_536))
                    names = {name.lower(): value for name, value in response.headers.items()}
                    answers.append(Answer(response.status_code, names, content))
            except FAULTS as error:
                faults.append(error)

        thread = Thread(target=exchange, daemon=True)
        thread.start()
        thread.join(self._seconds)
        if thread.is_alive():
            self._connect()  # the thread holds the old connection
            raise TimeoutError
        if faults:
            raise faults[0]
        return answers[0]

    def _connect(self) -> None:
        # The sessions of PyGithub know proxies and certificates, and pass over .netrc files.
        kind = HTTPSRequestsConnectionClass if self.scheme == "https" else HTTPRequestsConnectionClass
        self._session = kind(self.hostname, retry=0).session


def _server(place: SplitResult) -> tuple[str, str | None, int | None]:
    """What makes two addresses those of one server; `urlsplit` gives scheme and host in small letters."""
    return place.scheme, place.hostname, place.port or {"https": 443, "http": 80}.get(place.scheme)


def _read(chunks: Iterator[bytes]) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > MAX_ANSWER_BYTES:
            raise ValueError("an answer of more than 32 MiB")
    return bytes(content)


def _json(answer: Answer) -> Any:
    try:
        return json.loads(answer.content) if answer.content else None
    except ValueError:
        if answer.status in ANSWERED:
            raise
        return None  # the page of a proxy
