"""Requests to GitHub: one at a time, counted and timed; every failure becomes an `ApiError` here.

A run that has used up its requests or its time gets a `RepoError` instead of an answer.

Only PyGithub's requester is used: its typed objects send extra requests, and its own retry repeats a POST. Here
`patiently` repeats a failed step; a REST write goes through `send`, which sends once. No decision depends on the text
of an error message; it is only quoted. Rules: docs/reference/action.md, "faults and exit codes".
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from github import Auth, Github, GithubException, RateLimitExceededException

from editblocks.core.errors import ApiError, ConfigError, RepoError, Trouble
from editblocks.repos.github.queries import for_older_server

T = TypeVar("T")
Headers = Mapping[str, str]

PAUSES = (1.0, 3.0)
MAX_REQUESTS, MAX_SECONDS, MAX_WAIT = 60, 300.0, 120.0
LAST_REQUESTS, LAST_SECONDS = 4, 60.0
SECONDARY_LIMIT_WAIT = 60.0  # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
SAID_LIMIT, REASON_LIMIT = 100, 184  # a line of the log has 200 characters, and the advice comes last

_TROUBLES = {
    401: Trouble.REFUSED,
    403: Trouble.REFUSED,
    404: Trouble.MISSING,
    409: Trouble.CONFLICT,
    410: Trouble.MISSING,
    422: Trouble.CONFLICT,
    429: Trouble.RETRY,
}
# `type` of a GraphQL error, or `extensions.code` if the server rejects the query before it runs
_GRAPHQL_TROUBLES = {
    "FORBIDDEN": Trouble.REFUSED,
    "INSUFFICIENT_SCOPES": Trouble.REFUSED,
    "NOT_FOUND": Trouble.MISSING,
    "RATE_LIMITED": Trouble.RETRY,
    "undefinedField": Trouble.UNSUPPORTED,
    "undefinedType": Trouble.UNSUPPORTED,
    "argumentNotAccepted": Trouble.UNSUPPORTED,
}
_RUN_AGAIN = "run the job again"
_REPORT = "run the job again, and report it if it stays"
_ADVICE = {
    Trouble.RETRY: _RUN_AGAIN,
    Trouble.CONFLICT: "look at the branch and its rules, then send the blocks again",
    Trouble.MISSING: "check that the token may see this repository",
    Trouble.UNSUPPORTED: "this server is too old for it",
    Trouble.BROKEN: _REPORT,
    Trouble.REFUSED: "give the job contents: write and pull-requests: write, see the branch's rules",
}
_ADVICE_FOR_READS = {
    **_ADVICE,
    Trouble.CONFLICT: _REPORT,
    Trouble.REFUSED: "let the token read this repository and its pull requests, then run the job again",
}


class GitHubApi:
    """The API at `url` (GITHUB_API_URL) for one run. `requests` is the number of requests sent so far."""

    def __init__(self, token: str, url: str, *, sleep: Callable[[float], None], clock: Callable[[], float]) -> None:
        if not _is_address(url):
            raise ConfigError("GITHUB_API_URL is no https address; let the runner set it")
        _silence()
        self._requester = Github(
            auth=Auth.Token(token),
            base_url=url,
            timeout=15,
            per_page=100,
            lazy=True,
            seconds_between_requests=0,
            seconds_between_writes=0,
            retry=0,
        ).requester
        self._sleep = sleep
        self._clock = clock
        self._deadline = clock() + MAX_SECONDS
        self._most_requests = MAX_REQUESTS
        self._seconds_waited = 0.0
        self._is_older = False
        self.requests = 0

    def close(self) -> None:
        """Close the connection."""
        self._requester.close()

    def get(self, path: str, what: str, pick: Callable[[Any], T]) -> T:
        """Send a REST read; repeat it up to twice if it fails with `Trouble.RETRY`. `pick` reads the answer."""
        return self.patiently(lambda: self.send("GET", path, None, what, pick))

    def find(self, path: str, what: str, pick: Callable[[Any], T]) -> T | None:
        """As `get`; None if GitHub does not find it."""
        try:
            return self.get(path, what, pick)
        except ApiError as error:
            if error.trouble is Trouble.MISSING:
                return None
            raise

    def send(self, verb: str, path: str, body: Mapping[str, object] | None, what: str, pick: Callable[[Any], T]) -> T:
        """Send a REST request once. `what` names it in errors; `pick` reads the answer."""
        ask = self._requester.requestJsonAndCheck
        return self._ask(lambda: ask(verb, path, input=body), what, pick, writes=verb != "GET")

    def query(self, text: str, variables: Mapping[str, object], what: str, pick: Callable[[Any], T]) -> T:
        """Send a GraphQL read; repeat it up to twice if it fails with `Trouble.RETRY`. `pick` reads its `data`.

        If the server does not know a field, this and all later queries leave out the newer fields.
        """
        try:
            spoken = for_older_server(text) if self._is_older else text
            return self.patiently(lambda: self._graphql(spoken, variables, what, pick))
        except ApiError as error:
            if error.trouble is not Trouble.UNSUPPORTED or self._is_older:
                raise
        self._is_older = True
        return self.query(text, variables, what, pick)

    def mutate(self, text: str, variables: Mapping[str, object], what: str) -> None:
        """Send a GraphQL write once."""
        self._graphql(text, variables, what, dict, writes=True)

    def patiently(self, step: Callable[[], T], again: Callable[[], None] = lambda: None) -> T:
        """Run `step`; repeat it up to twice while it fails with `Trouble.RETRY`, and call `again` after every wait."""
        for pause in PAUSES:
            try:
                return step()
            except ApiError as error:
                if error.trouble is not Trouble.RETRY or not self._may_rest(error.wait or pause):
                    raise
                self.rest(error.wait or pause)
            again()
        return step()

    def rest(self, seconds: float) -> None:
        """Wait this long. Raises `RepoError` if the run has not enough time left."""
        if not self._may_rest(seconds):
            raise _overdrawn(f"GitHub asks for a wait of {seconds:.0f} seconds, more than a run may take")
        self._seconds_waited += seconds
        self._sleep(seconds)

    def last_words(self) -> None:
        """Allow a few more requests and some more time, so that a run that used up its own can still write a status."""
        self._most_requests = max(self._most_requests, self.requests + LAST_REQUESTS)
        self._deadline = max(self._deadline, self._clock() + LAST_SECONDS)

    def _may_rest(self, seconds: float) -> bool:
        return self._seconds_waited + seconds <= MAX_WAIT and self._clock() + seconds < self._deadline

    def _graphql(
        self, text: str, variables: Mapping[str, object], what: str, pick: Callable[[Any], T], *, writes: bool = False
    ) -> T:
        ask = self._requester.graphql_query
        return self._ask(lambda: ask(text, dict(variables)), what, lambda answer: pick(answer["data"]), writes=writes)

    def _ask(self, ask: Callable[[], tuple[Any, Any]], what: str, pick: Callable[[Any], T], *, writes: bool) -> T:
        """Send a request. Every failure of PyGithub or of the network becomes an `ApiError` here."""
        if self.requests >= self._most_requests:
            raise _overdrawn(f"the run needs more than {MAX_REQUESTS} requests")
        if self._clock() >= self._deadline:
            raise _overdrawn(f"the run takes longer than {MAX_SECONDS:.0f} seconds")
        self.requests += 1
        try:
            return pick(ask()[1])
        except GithubException as error:
            raise _refusal(error, what, self._clock(), writes) from None
        except OSError as error:  # the base of what the library requests raises: time-outs, resets, unknown host names
            reason = f"GitHub did not answer ({what}, {type(error).__name__}); {_RUN_AGAIN}"
            raise ApiError(Trouble.RETRY, reason) from None
        except (LookupError, TypeError, ValueError, AttributeError, AssertionError, RuntimeError) as error:
            # not JSON, not the documented shape, or a redirect to another host, which PyGithub does not follow
            reason = f"GitHub's answer cannot be used ({what}, {type(error).__name__}); {_REPORT}"
            raise ApiError(Trouble.BROKEN, reason) from None


def _is_address(url: str) -> bool:
    try:
        address = urlsplit(url)
        is_safe = address.scheme == "https" or address.hostname == "localhost"
        return bool(address.hostname) and address.port != 0 and is_safe
    except ValueError:  # unclosed brackets, or a port that is not a number
        return False


def _silence() -> None:
    """Silence the loggers of PyGithub and urllib3: text from a server in the log could pass for a runner command."""
    for name in ("github", "urllib3"):
        vendor = logging.getLogger(name)
        vendor.handlers = [logging.NullHandler()]
        vendor.propagate = False


def _refusal(error: GithubException, what: str, now: float, writes: bool) -> ApiError:
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    errors = _graphql_errors(error.data)
    trouble, wait = _trouble(error, errors), 0.0
    if _is_limit(error, errors, headers):
        trouble, wait = Trouble.RETRY, _limit_wait(headers, now)
    advice = (_ADVICE if writes else _ADVICE_FOR_READS)[trouble]
    if error.status == 401:
        advice = "the token is not valid any more; pass a current one"
    message = _message_of(next(iter(errors), error.data))
    no = f"GitHub refused ({what}, {'GraphQL' if error.status == 400 and errors else error.status})"
    room = REASON_LIMIT - len(f'{no}: ""; {advice}')
    reason = f'{no}: "{message[:room]}"; {advice}' if message else f"{no}; {advice}"
    return ApiError(trouble, reason, wait=wait, server_message=message)


def _trouble(error: GithubException, errors: Sequence[Mapping[str, Any]]) -> Trouble:
    kinds = {_graphql_trouble(each) for each in errors}
    if kinds:
        return next(iter(kinds)) if len(kinds) == 1 else Trouble.CONFLICT
    return Trouble.RETRY if error.status >= 500 else _TROUBLES.get(error.status, Trouble.BROKEN)


def _is_limit(error: GithubException, errors: Sequence[Mapping[str, Any]], headers: Headers) -> bool:
    if error.status == 429 or any(each.get("type") == "RATE_LIMITED" for each in errors):
        return True
    asks = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    return error.status == 403 and (asks or isinstance(error, RateLimitExceededException))


def _limit_wait(headers: Headers, now: float) -> float:
    """Seconds to wait: what the server asks for, else until the limit resets, else a minute."""
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdecimal():
        return float(after)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(1.0, float(reset) - now + 1)
    return SECONDARY_LIMIT_WAIT


def _graphql_errors(data: object) -> list[Mapping[str, Any]]:
    errors = data.get("errors") if isinstance(data, dict) and "message" not in data else None
    return [each for each in errors if isinstance(each, dict)] if isinstance(errors, list) else []


def _graphql_trouble(error: Mapping[str, Any]) -> Trouble:
    extensions = error.get("extensions")
    kind = error.get("type") or (extensions.get("code") if isinstance(extensions, dict) else None)
    if kind is None:  # "Something went wrong while executing your query": the 5xx of GraphQL
        return Trouble.RETRY
    return _GRAPHQL_TROUBLES.get(str(kind), Trouble.CONFLICT)


def _message_of(error: object) -> str:
    """GitHub's error message, shortened but not escaped: the code that shows it escapes it."""
    message = error.get("message") if isinstance(error, Mapping) else None
    return " ".join(message.split())[:SAID_LIMIT] if isinstance(message, str) else ""


def _overdrawn(reason: str) -> RepoError:
    """The error of a run without requests or time left. Not an `ApiError`: GitHub was not asked and did not answer."""
    return RepoError(f"{reason}; run the job again later, or send fewer blocks at once")
