"""Requests to GitHub: one at a time, counted and timed; every failure becomes an `ApiError` here.

A run that has used up its requests or its time gets a `RepoError` instead of an answer.

`patiently` repeats a failed step; a REST write goes through `send`, which sends once. No decision depends on the text
of an error message, which is only quoted, but one: a limit may say so in words alone.
Rules: docs/reference/action.md, "faults and exit codes".
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from editblocks.core.errors import ApiError, ConfigError, RepoError, Trouble
from editblocks.repos.github.connection import Answer, Connection

T = TypeVar("T")
Pick = Callable[[Any], T]  # reads an answer; an exception in it means that the answer cannot be used

_ADDRESS = re.compile(r"(?:https://[A-Za-z0-9._-]+|http://localhost)(?::[1-9][0-9]{0,4})?(?:/[^\s?#]*)?", re.ASCII)
_LIMIT = re.compile("rate limit|abuse detection", re.IGNORECASE)
_OID = re.compile("[0-9a-f]{40}")
PAUSES = (1.0, 3.0)
MAX_REQUESTS, MAX_SECONDS, MAX_WAIT = 60, 300.0, 120.0
LAST_REQUESTS, LAST_SECONDS = 4, 60.0
SECONDARY_LIMIT_WAIT = 60.0  # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
SAID_LIMIT = 70  # a line of the log has 200 characters, and the advice comes last

# By the status; by `type` of a GraphQL error, or `extensions.code` if the server rejects the query before it runs.
_TROUBLES: Mapping[int | str, Trouble] = {
    **dict.fromkeys((401, 403, "FORBIDDEN", "INSUFFICIENT_SCOPES"), Trouble.REFUSED),
    **dict.fromkeys((404, 410, "NOT_FOUND"), Trouble.MISSING),
    **dict.fromkeys((409, 422), Trouble.CONFLICT),
    **dict.fromkeys((429, "RATE_LIMITED"), Trouble.RETRY),
    **dict.fromkeys(("undefinedField", "undefinedType", "argumentNotAccepted"), Trouble.UNSUPPORTED),
}
_RUN_AGAIN = "run the job again"
_REPORT = "run the job again, and report it if it stays"
_ADVICE = {
    Trouble.RETRY: _RUN_AGAIN,
    Trouble.CONFLICT: "look at the branch and its rules, then send the blocks again",
    Trouble.MISSING: "check that the token may see this repository",
    Trouble.UNSUPPORTED: "this server is too old for it",
    Trouble.BROKEN: _REPORT,
    Trouble.REFUSED: "give the job contents: write and pull-requests: write",
}


class GitHubApi:
    """The API at `url` for one run. `requests` is how many were sent so far; `what` names one in errors."""

    def __init__(self, token: str, url: str, *, sleep: Callable[[float], None], clock: Callable[[], float]) -> None:
        if not _ADDRESS.fullmatch(url):
            raise ConfigError("GITHUB_API_URL is no https address; let the runner set it")
        for name in ("requests", "urllib3"):  # text from a server in the log could pass for a runner command
            vendor = logging.getLogger(name)
            vendor.handlers, vendor.propagate = [logging.NullHandler()], False
        self._connection = Connection(token, url)
        self._sleep = sleep
        self._clock = clock
        self._deadline = clock() + MAX_SECONDS
        self._most_requests = MAX_REQUESTS
        self._seconds_waited = 0.0
        self.requests = 0

    def close(self) -> None:
        self._connection.close()

    def get(self, path: str, what: str, pick: Pick[T], *, media: str = "") -> T:
        """Send a REST read; repeat it up to twice if it fails with `Trouble.RETRY`. `media`: the type to ask for."""

        def ask() -> T:
            return self._ask(lambda: self._connection.send("GET", path, None, media), what, pick)

        return self.patiently(ask)

    def find(self, path: str, what: str, pick: Pick[T], *, media: str = "") -> T | None:
        """As `get`; None if GitHub does not find it."""
        return unless_missing(lambda: self.get(path, what, pick, media=media))

    def send(self, verb: str, path: str, body: Mapping[str, object] | None, what: str, pick: Pick[T]) -> T:
        """Send a REST request once."""
        return self._ask(lambda: self._connection.send(verb, path, body), what, pick)

    def query(self, text: str, variables: Mapping[str, object], what: str, pick: Pick[T]) -> T:
        """Send a GraphQL read; repeat it up to twice if it fails with `Trouble.RETRY`. `pick` reads its `data`."""
        return self.patiently(lambda: self._graphql(text, variables, what, pick))

    def mutate(self, text: str, variables: Mapping[str, object], what: str) -> None:
        """Send a GraphQL write once."""
        self._graphql(text, variables, what, dict)

    def patiently(
        self, step: Callable[[], T], again: Callable[[], None] = lambda: None, trouble: Trouble = Trouble.RETRY
    ) -> T:
        """Run `step`; repeat it up to twice while it fails with `trouble`, and call `again` after every wait."""
        for pause in PAUSES:
            try:
                return step()
            except ApiError as error:
                if error.trouble is not trouble or not self._may_rest(error.wait or pause):
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

    def _graphql(self, text: str, variables: Mapping[str, object], what: str, pick: Pick[T]) -> T:
        return self._ask(lambda: self._connection.query(text, variables), what, lambda answer: pick(answer["data"]))

    def _ask(self, ask: Callable[[], Answer], what: str, pick: Pick[T]) -> T:
        """Send a request. Every failure of the server or of the network becomes an `ApiError` here."""
        if self.requests >= self._most_requests:
            raise _overdrawn(f"the run needs more than {MAX_REQUESTS} requests")
        if self._clock() >= self._deadline:
            raise _overdrawn(f"the run takes longer than {MAX_SECONDS:.0f} seconds")
        self.requests += 1
        try:
            answer = ask()
            if not _is_refused(answer):
                return pick(answer.data)
        except OSError as error:  # the base of what the library requests raises: time-outs, resets, unknown host names
            reason = f"GitHub did not answer ({what}, {type(error).__name__}); {_RUN_AGAIN}"
            raise ApiError(Trouble.RETRY, reason) from None
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            # not JSON, or not the documented shape
            reason = f"GitHub's answer cannot be used ({what}, {type(error).__name__}); {_REPORT}"
            raise ApiError(Trouble.BROKEN, reason) from None
        raise _refusal(answer, what, self._clock())


def _is_refused(answer: Answer) -> bool:
    """Whether an answer is an error, which GraphQL gives with status 200."""
    return not 200 <= answer.status < 300 or (isinstance(answer.data, dict) and "errors" in answer.data)


def _refusal(answer: Answer, what: str, now: float) -> ApiError:
    status, headers = answer.status, answer.headers
    data = answer.data if isinstance(answer.data, dict) else {}
    rows = data.get("errors") if "message" not in data else None
    errors = [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []
    kinds = [_kind(each) for each in errors]
    said = " ".join(str((errors[0] if errors else data).get("message") or "").split())
    trouble, wait = _trouble(status, kinds), 0.0
    is_spent = headers.get("x-ratelimit-remaining") == "0"
    is_asked = is_spent or "retry-after" in headers or _LIMIT.search(said) is not None
    if status == 429 or "RATE_LIMITED" in kinds or (status == 403 and is_asked):
        trouble, wait = Trouble.RETRY, _limit_wait(headers, is_spent, now)
    advice = "the token is not valid any more; pass a current one" if status == 401 else _ADVICE[trouble]
    # shortened but not escaped: the code that shows it escapes it
    message = said[:SAID_LIMIT]
    no = f"GitHub refused ({what}, {'GraphQL' if status == 200 and errors else status})"
    reason = f'{no}: "{message}"; {advice}' if message else f"{no}; {advice}"
    return ApiError(trouble, reason, wait=wait, server_message=message)


def _kind(error: Mapping[str, Any]) -> str | None:
    extensions = error.get("extensions")
    kind = error.get("type") or (extensions.get("code") if isinstance(extensions, dict) else None)
    return None if kind is None else str(kind)


def _trouble(status: int, kinds: Sequence[str | None]) -> Trouble:
    # without a kind: "Something went wrong while executing your query", the 5xx of GraphQL
    troubles = {Trouble.RETRY if kind is None else _TROUBLES.get(kind, Trouble.CONFLICT) for kind in kinds}
    if troubles:
        return troubles.pop() if len(troubles) == 1 else Trouble.CONFLICT
    return Trouble.RETRY if status >= 500 else _TROUBLES.get(status, Trouble.BROKEN)


def _limit_wait(headers: Mapping[str, str], is_spent: bool, now: float) -> float:
    """Seconds to wait: what the server asks for, else until the limit resets, else a minute."""
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdecimal():
        return float(after)
    return max(1.0, float(reset) - now + 1) if is_spent and reset.isdecimal() else SECONDARY_LIMIT_WAIT


def _overdrawn(reason: str) -> RepoError:
    """No `ApiError`, as GitHub was not asked."""
    return RepoError(f"{reason}; run the job again later, or send fewer blocks at once")


def unless_missing(step: Callable[[], T]) -> T | None:
    """The answer of `step`; None if it fails with `Trouble.MISSING`."""
    try:
        return step()
    except ApiError as error:
        if error.trouble is not Trouble.MISSING:
            raise
        return None


# single values of answers; a value of another shape is a `TypeError` or a `ValueError`


def text(value: object) -> str:
    """A value that has to be text."""
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return value


def matching(pattern: re.Pattern[str], value: object) -> str:
    """A name that has to match."""
    if not pattern.fullmatch(text(value)):
        raise ValueError("a name that GitHub does not give")
    return text(value)


def is_oid(value: object) -> bool:
    """Whether a value is the id of a git object, 40 hex digits."""
    return isinstance(value, str) and _OID.fullmatch(value) is not None


def oid(value: object) -> str:
    """A value that has to be the id of a git object."""
    return matching(_OID, value)
