"""Send requests to GitHub, one step at a time, and turn every failure into an `ApiError`.

A step is a call of PyGithub that sends one request. It also reads the fields it needs from the response, so a response
of an unexpected shape is a failure of that step. `what` names the step in errors. If a run has used up its requests or
its time, a step raises `RepoError`. `send_once` sends a request once, as every write must; `read` repeats a failed
read; `with_retries` repeats any failed step.

PyGithub sends through `Requester`, because its own code follows redirects of writes, waits forever while the status is
202, accepts other 3xx responses, takes HTML for JSON, and has no deadline.

No decision depends on the text of an error message, with one exception: only the text distinguishes a rate limit from
a missing permission. Rules: docs/reference/action.md, "faults and exit codes".
"""

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timezone
from email.utils import parsedate_to_datetime
from functools import partial
from threading import Thread
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urljoin, urlsplit

import github.Requester
from github import Auth, BadAttributeException, GithubException, IncompletableObject
from github.GithubObject import GithubObject
from github.Repository import Repository
from requests import Response, Session

from editblocks.core.errors import ApiError, ConfigError, RepoError, Trouble

T = TypeVar("T")
ListedObject = TypeVar("ListedObject", bound=GithubObject)

SECONDS = 15.0  # from sending a request to the last byte of the response; a redirect is a request of its own
MAX_ANSWER_BYTES = 32 * 1024 * 1024  # after decompression
# https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
MOVED = {301, 302, 307, 308}
MAX_MOVES = 3
ANSWERED = {200, 201, 204}  # 202 means that the response is not ready yet
API_VERSION = "2022-11-28"
USER_AGENT = "editblocks"
PAGE_ROWS = 100
MAX_REQUESTS = 60  # per run
MAX_SECONDS = 300.0  # per run
LAST_REQUESTS = 4
LAST_SECONDS = 60.0
PAUSES = (1.0, 3.0)
STALE_READS = 3
MAX_WAIT = 120.0
SECONDARY_LIMIT_WAIT = 60.0  # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
MAX_QUOTE = 70  # so that the advice at the end still fits into the 200 characters of a log line

_ADDRESS = re.compile(r"(?:https://[A-Za-z0-9._-]+|http://localhost)(?::[1-9][0-9]{0,4})?(?:/[^\s?#]*)?", re.ASCII)
_LIMIT = re.compile("rate limit|abuse detection", re.IGNORECASE)
_LIMIT_KINDS = {"RATE_LIMIT", "RATE_LIMITED"}
_NEXT = re.compile(r'<([^<>]*)>[^<>,]*;\s*rel="?next"?')
_OID = re.compile("[0-9a-f]{40}")

# Exceptions for network failures and for responses of an unexpected shape. `OSError` is the base class of what the
# library requests raises: time-outs, resets, unknown host names.
_FAULTS = (OSError, LookupError, TypeError, ValueError, AttributeError, RuntimeError)

# Keys are HTTP statuses, and for GraphQL the `type` of an error, or its `extensions.code` if the query was not run.
_TROUBLES: Mapping[int | str, Trouble] = {
    **dict.fromkeys((401, 403, "FORBIDDEN", "INSUFFICIENT_SCOPES"), Trouble.REFUSED),
    **dict.fromkeys((404, 410, "NOT_FOUND"), Trouble.MISSING),
    **dict.fromkeys((409, 422), Trouble.CONFLICT),
    **dict.fromkeys((202, 429, *range(500, 600), *_LIMIT_KINDS, ""), Trouble.RETRY),
    **dict.fromkeys(("undefinedField", "undefinedType", "argumentNotAccepted"), Trouble.UNSUPPORTED),
}
_RUN_AGAIN = "run the job again"
_REPORT = "run the job again, and report the error if it comes back"
# Advice for an HTTP status comes before advice for a kind of trouble.
_ADVICE: Mapping[int | Trouble, str] = {
    401: "the token is no longer valid; pass a current one",
    Trouble.RETRY: _RUN_AGAIN,
    Trouble.CONFLICT: "look at the branch and its rules, then send the blocks again",
    Trouble.MISSING: "check that the token may see this repository",
    Trouble.UNSUPPORTED: "this server is too old for it",
    Trouble.BROKEN: _REPORT,
    Trouble.REFUSED: "the job needs contents: write and pull-requests: write",
}


class GitHubApi:
    """GitHub's API at `url`, for one run. `seconds` is the time-out of a request."""

    def __init__(
        self,
        token: str,
        url: str,
        *,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
        seconds: float = SECONDS,
    ) -> None:
        if not _ADDRESS.fullmatch(url):
            raise ConfigError("GITHUB_API_URL is not an https address; let the runner set it")
        self.requester = Requester(token, url, clock, seconds)
        self._sleep = sleep
        self._clock = clock
        self._seconds_waited = 0.0

    def close(self) -> None:
        self.requester.close()

    @property
    def requests(self) -> int:
        """The number of requests sent so far."""
        return self.requester.requests

    def repository(self, name: str) -> Repository:
        """Return the repository `owner/name` without sending a request."""
        return Repository(self.requester, {}, {"full_name": name, "url": f"/repos/{name}"}, completed=True)

    def send_once(self, what: str, step: Callable[[], T]) -> T:
        """Run `step` once. Raises `ApiError` for every failure of the server, the network or PyGithub."""
        try:
            with self.requester.one_request():
                return step()
        except OSError as error:
            reason = f"GitHub did not answer ({what}, {type(error).__name__}); {_RUN_AGAIN}"
            raise ApiError(Trouble.RETRY, reason) from None
        except (BadAttributeException, IncompletableObject, *_FAULTS) as error:
            # not JSON, or not the documented shape
            reason = f"GitHub's answer cannot be used ({what}, {type(error).__name__}); {_REPORT}"
            raise ApiError(Trouble.BROKEN, reason) from None
        except GithubException as error:
            raise _refusal(error, what, self._clock()) from None

    def with_retries(
        self, step: Callable[[], T], before_retry: Callable[[], None] = lambda: None, trouble: Trouble = Trouble.RETRY
    ) -> T:
        """Run `step`; if it fails with `trouble`, repeat it up to twice, calling `before_retry` before each try."""
        for pause in PAUSES:
            try:
                return step()
            except ApiError as error:
                wait = error.wait or pause
                if error.trouble is not trouble or not self._may_wait(wait):
                    raise
                self.wait(wait)
            before_retry()
        return step()

    def read(self, what: str, step: Callable[[], T]) -> T:
        """Run a step that only reads, and repeat it if it fails with `Trouble.RETRY`."""
        return self.with_retries(lambda: self.send_once(what, step))

    def read_until(self, step: Callable[[], T], is_final: Callable[[T], object]) -> T:
        """Run `step` until `is_final` accepts the result, at most three times, because reads may lag behind writes."""
        for _ in range(STALE_READS - 1):
            value = step()
            if is_final(value):
                return value
            self.wait(1.0)
        return step()

    def find(self, what: str, step: Callable[[], T]) -> T | None:
        """Like `read`, but return None if GitHub finds nothing."""
        return unless_missing(lambda: self.read(what, step))

    def pages(
        self, what: str, url: str, kind: type[ListedObject], pick: Callable[[ListedObject], T]
    ) -> Iterator[list[T]]:
        """Yield the pages of a REST list. `pick` is applied to each row.

        PyGithub's own `PaginatedList` takes null for an empty list, and an empty page for the last one.
        """
        separator = "&" if "?" in url else "?"
        next_url = f"{url}{separator}per_page={PAGE_ROWS}"
        while next_url:
            page, next_url = self.read(what, partial(self._page, next_url, kind, pick))
            yield page

    def query(self, text: str, variables: Mapping[str, object], what: str, pick: Callable[[Any], T]) -> T:
        """Send a GraphQL query, and repeat it up to twice if it fails with `Trouble.RETRY`. `pick` reads its `data`."""
        return self.read(what, lambda: pick(self._graphql(text, variables)))

    def mutate(self, text: str, variables: Mapping[str, object], what: str) -> None:
        """Send a GraphQL mutation once."""
        self.send_once(what, lambda: dict(self._graphql(text, variables)))

    def wait(self, seconds: float) -> None:
        """Sleep for `seconds`. Raises `RepoError` if the run does not have that much time left."""
        if not self._may_wait(seconds):
            raise _used_up(f"GitHub asks for a wait of {seconds:.0f} seconds, more than a run may take")
        self._seconds_waited += seconds
        self._sleep(seconds)

    def _may_wait(self, seconds: float) -> bool:
        return self._seconds_waited + seconds <= MAX_WAIT and self.requester.has_time(seconds)

    def _graphql(self, text: str, variables: Mapping[str, object]) -> Any:
        return self.requester.graphql_query(text, dict(variables))[1]["data"]

    def _page(self, url: str, kind: type[ListedObject], pick: Callable[[ListedObject], T]) -> tuple[list[T], str]:
        """Return the rows of a page, and the URL of the next page, which is empty after the last one."""
        headers, rows = self.requester.requestJsonAndCheck("GET", url)
        if not isinstance(rows, list):
            raise TypeError(f"{type(rows).__name__} instead of a list")
        page = [pick(kind(self.requester, headers, row)) for row in rows]
        following = _NEXT.search(headers.get("link", ""))
        if following is None:
            return page, ""
        if not rows:
            raise ValueError("an empty page that is not the last one")
        return page, following[1]


class HttpResponse(NamedTuple):
    """An HTTP response."""

    status: int
    headers: dict[str, str]  # names in lower case
    content: bytes  # decompressed


class Requester(github.Requester.Requester):
    """Sends all requests, and sends the token only to the server of `url`. Repeats nothing.

    `requests` is the number of requests sent so far. Their number and the time of a run are limited.
    """

    def __init__(self, token: str, url: str, clock: Callable[[], float], seconds: float) -> None:
        super().__init__(
            auth=Auth.Token(token),
            base_url=url.rstrip("/"),
            timeout=int(SECONDS),
            user_agent=USER_AGENT,
            per_page=PAGE_ROWS,
            verify=True,
            retry=0,
            pool_size=1,
            lazy=True,
        )
        # No logging: text from the server could look like a workflow command to the runner.
        for name in ("github", "requests", "urllib3"):
            vendor = logging.getLogger(name)
            vendor.handlers = [logging.NullHandler()]
            vendor.propagate = False
        self._headers = {
            "Authorization": f"token {token}",
            "User-Agent": USER_AGENT,
            "X-GitHub-Api-Version": API_VERSION,
        }
        self._clock = clock
        self._deadline = clock() + MAX_SECONDS
        self._most_requests = MAX_REQUESTS
        self.requests = 0
        self._seconds = seconds
        self._may_send = False
        self._session = _session()

    def close(self) -> None:
        self._session.close()

    def has_time(self, seconds: float) -> bool:
        return self._clock() + seconds < self._deadline

    def allow_status_requests(self) -> None:
        """Allow a few more requests and some more time, so that a run at its limit can still write a status."""
        self._most_requests = max(self._most_requests, self.requests + LAST_REQUESTS)
        self._deadline = max(self._deadline, self._clock() + LAST_SECONDS)

    @contextmanager
    def one_request(self) -> Iterator[None]:
        """Allow one request and its redirects. PyGithub would send more to complete an object that lacks a field."""
        self._may_send = True
        try:
            yield
        finally:
            self._may_send = False

    def requestJsonAndCheck(self, *args: Any, **kwargs: Any) -> tuple[dict[str, Any], Any]:  # noqa: N802 - PyGithub's
        """Send a request, and return headers and JSON of the response. Raises `GithubException` or one of `_FAULTS`."""
        status, headers, content = self._ask(*args, **kwargs)
        data = None
        try:
            if content:
                data = json.loads(content)
        except ValueError:
            if status in ANSWERED:
                raise  # with another status it may be the error page of a proxy
        has_errors = isinstance(data, dict) and "errors" in data  # GraphQL reports errors with status 200
        if status not in ANSWERED or has_errors:
            raise GithubException(status, data, headers)
        return headers, data

    def requestJson(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, Any], str]:  # noqa: N802 - PyGithub's
        """Like `requestJsonAndCheck`, but return any status, and the content as text."""
        status, headers, content = self._ask(*args, **kwargs)
        return status, headers, content.decode("utf-8", "replace")

    def _ask(
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        input: Any | None = None,  # noqa: A002 - PyGithub's name
    ) -> HttpResponse:
        """Send a request. Redirects of a GET are followed if they stay on the same server."""
        if not self._may_send:
            raise ValueError("GitHub's answer lacks a field, and PyGithub would send a request for it")
        self._may_send = False
        if url.startswith("/"):
            url = self.base_url + url
        elif _server(url) != _server(self.base_url):
            raise ValueError("an address of another server")
        if parameters:
            url = self.add_parameters_to_url(url, parameters)
        all_headers = {**(headers or {}), **self._headers}
        response = self._send(verb, url, all_headers, input)
        for _ in range(MAX_MOVES):
            if verb != "GET" or response.status not in MOVED:
                break
            target = urljoin(url, response.headers.get("location", ""))
            if target == url or _server(target) != _server(url):
                break
            url = target
            response = self._send(verb, url, all_headers, input)
        return response

    def _send(self, verb: str, url: str, headers: Mapping[str, str], body: Any) -> HttpResponse:
        """Send one request. Raises `RepoError` if the run has used up its requests or its time.

        A separate thread sends it, because the time-out of `requests` starts again with every byte, and a DNS look-up
        has no time-out.
        """
        if self.requests >= self._most_requests:
            raise _used_up(f"the run needs more than {MAX_REQUESTS} requests")
        if not self.has_time(0.0):
            raise _used_up(f"the run takes longer than {MAX_SECONDS:.0f} seconds")
        self.requests += 1
        session = self._session
        outcomes: list[HttpResponse | Exception] = []

        def exchange() -> None:
            try:
                with session.request(
                    verb, url, headers=headers, json=body, stream=True, timeout=self._seconds, allow_redirects=False
                ) as response:
                    outcomes.append(_read_whole(response))
            except _FAULTS as error:
                outcomes.append(error)

        thread = Thread(target=exchange, daemon=True)
        thread.start()
        thread.join(self._seconds)
        if thread.is_alive():
            self._session = _session()  # the thread still uses the old one
            raise TimeoutError
        outcome = outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def _session() -> Session:
    session = Session()
    session.auth = lambda request: request  # so that requests does not read a .netrc file
    return session


def _server(address: str) -> tuple[str, str | None, int | None, str | None]:
    """Return scheme, host, port and user of a URL, which are equal for URLs of the same server."""
    parts = urlsplit(address)
    port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, parts.hostname, port, parts.username


def _read_whole(response: Response) -> HttpResponse:
    content = bytearray()
    for chunk in response.iter_content(65_536):
        content += chunk
        if len(content) > MAX_ANSWER_BYTES:
            raise ValueError("an answer of more than 32 MiB")
    headers = {name.lower(): value for name, value in response.headers.items()}
    return HttpResponse(response.status_code, headers, bytes(content))


def _used_up(reason: str) -> RepoError:
    """Return the error of a run at its limit. Not an `ApiError`, because no request was sent."""
    return RepoError(f"{reason}; run the job again later, or send fewer blocks at once")


def _refusal(error: GithubException, what: str, now: float) -> ApiError:
    headers = error.headers or {}
    data = error.data if isinstance(error.data, dict) else {}
    errors = _graphql_errors(data)
    kinds = [_kind(each) for each in errors]
    first = errors[0] if errors else data
    message = " ".join(str(first.get("message") or "").split())
    trouble = _TROUBLES.get(error.status, Trouble.BROKEN)
    if errors:
        troubles = {_TROUBLES.get(kind, Trouble.CONFLICT) for kind in kinds}
        trouble = troubles.pop() if len(troubles) == 1 else Trouble.CONFLICT
    status = "GraphQL" if errors and error.status == 200 else error.status
    wait = 0.0
    # `x-ratelimit-remaining: 0` is no proof: the last request of the hour may fail for lack of a permission.
    is_forbidden_limit = error.status == 403 and ("retry-after" in headers or _LIMIT.search(message) is not None)
    if is_forbidden_limit or error.status == 429 or not _LIMIT_KINDS.isdisjoint(kinds):
        trouble = Trouble.RETRY
        wait = _limit_wait(headers, now)
    elif error.status == 503:
        wait = _retry_after(headers, now) or 0.0
    advice = _ADVICE.get(error.status) or _ADVICE[trouble]
    quote = message[:MAX_QUOTE]  # escaped where it is shown
    reason = f"GitHub refused ({what}, {status})"
    if quote:
        reason = f'{reason}: "{quote}"'
    return ApiError(trouble, f"{reason}; {advice}", wait=wait, server_message=quote)


def _graphql_errors(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the errors of a GraphQL response. A REST response may have `errors` too, but always with a `message`."""
    rows = data.get("errors")
    if "message" in data or not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, dict)]


def _kind(error: Mapping[str, Any]) -> str:
    """Return the kind of a GraphQL error. It is empty for "Something went wrong while executing your query"."""
    kind = error.get("type")
    extensions = error.get("extensions")
    if not kind and isinstance(extensions, dict):
        kind = extensions.get("code")
    return str(kind or "")


def _limit_wait(headers: Mapping[str, str], now: float) -> float:
    """Return how many seconds to wait: as the server asks for, else until the limit resets, else a minute."""
    seconds = _retry_after(headers, now)
    if seconds is not None:
        return seconds
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(1.0, float(reset) - now + 1)
    return SECONDARY_LIMIT_WAIT


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that `Retry-After` asks for; the header holds seconds or a date."""
    after = headers.get("retry-after", "")
    if after.isdecimal():
        return float(after)
    try:
        moment = parsedate_to_datetime(after)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(1.0, moment.timestamp() - now)


def unless_missing(step: Callable[[], T]) -> T | None:
    """Return the result of `step`, or None if it fails with `Trouble.MISSING`."""
    try:
        return step()
    except ApiError as error:
        if error.trouble is not Trouble.MISSING:
            raise
        return None


# Checks of single values in responses. They raise `TypeError` or `ValueError` for an unexpected value.


def as_text(value: object) -> str:
    """Return `value`, which must be text."""
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return value


def matching(pattern: re.Pattern[str], value: object) -> str:
    """Return `value`, which must be text that `pattern` matches in full."""
    name = as_text(value)
    if not pattern.fullmatch(name):
        raise ValueError("a name that is not valid on GitHub")
    return name


def is_oid(value: object) -> bool:
    """Whether a value is the id of a git object: 40 hex digits."""
    return isinstance(value, str) and _OID.fullmatch(value) is not None


def oid(value: object) -> str:
    """Return `value`, which must be the id of a git object."""
    return matching(_OID, value)
