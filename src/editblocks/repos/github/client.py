"""What a run asks GitHub, one step at a time; every failure becomes an `ApiError` here.

A step is a call of PyGithub that sends one request; what it gives is read within it, so that an answer of another shape
is a failure of that step. `what` names it in errors. A run that has used up its requests or its time gets a `RepoError`
instead of an answer.

`patiently` repeats a failed step, and `read` one that only reads; `once` sends once, as every write has to. No decision
depends on the text of an error message, which is only quoted, but one: only words tell a limit from a missing right.
Rules: docs/reference/action.md, "faults and exit codes".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from github import BadAttributeException, GithubException, IncompletableObject
from github.GithubObject import GithubObject
from github.Repository import Repository

from editblocks.core.errors import ApiError, ConfigError, Trouble
from editblocks.repos.github.requester import FAULTS, PAGE_ROWS, SECONDS, Budget, Requester, overdrawn

T = TypeVar("T")
Row = TypeVar("Row", bound=GithubObject)

_ADDRESS = re.compile(r"(?:https://[A-Za-z0-9._-]+|http://localhost)(?::[1-9][0-9]{0,4})?(?:/[^\s?#]*)?", re.ASCII)
_LIMIT = re.compile("rate limit|abuse detection", re.IGNORECASE)
_NEXT = re.compile(r'<([^<>]*)>[^<>,]*;\s*rel="?next"?')
_OID = re.compile("[0-9a-f]{40}")
PAUSES = (1.0, 3.0)
MAX_WAIT = 120.0
SECONDARY_LIMIT_WAIT = 60.0  # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
SAID_LIMIT = 70  # a line of the log has 200 characters, and the advice comes last

# By the status; by `type` of a GraphQL error, or `extensions.code` if the server rejects the query before it runs.
_TROUBLES: Mapping[int | str, Trouble] = {
    **dict.fromkeys((401, 403, "FORBIDDEN", "INSUFFICIENT_SCOPES"), Trouble.REFUSED),
    **dict.fromkeys((404, 410, "NOT_FOUND"), Trouble.MISSING),
    **dict.fromkeys((409, 422), Trouble.CONFLICT),
    # 202: the answer is not ready yet
    **dict.fromkeys((202, 429, "RATE_LIMIT", "RATE_LIMITED"), Trouble.RETRY),
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
    """The API at `url` for one run. `seconds`: the time for one request."""

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
            raise ConfigError("GITHUB_API_URL is no https address; let the runner set it")
        self._budget = Budget(clock)
        self.requester = Requester(token, url, self._budget, seconds=seconds)
        self._sleep = sleep
        self._clock = clock
        self._seconds_waited = 0.0

    def close(self) -> None:
        self.requester.close()

    @property
    def requests(self) -> int:
        """How many requests have left so far."""
        return self._budget.requests

    def repository(self, name: str) -> Repository:
        """The repository `owner/name`, of which nothing is read."""
        return Repository(self.requester, {}, {"full_name": name, "url": f"/repos/{name}"}, completed=True)

    def read(self, what: str, step: Callable[[], T]) -> T:
        """Carry out a step that only reads; repeat it up to twice if it fails with `Trouble.RETRY`."""
        return self.patiently(lambda: self.once(what, step))

    def find(self, what: str, step: Callable[[], T]) -> T | None:
        """As `read`; None if GitHub does not find it."""
        return unless_missing(lambda: self.read(what, step))

    def pages(self, what: str, url: str, kind: type[Row], pick: Callable[[Row], T]) -> Iterator[list[T]]:
        """Yield the rows of a REST list, a page at a time, to its end.

        PyGithub's own `PaginatedList` takes null for an empty list, and an empty page for the last one.
        """
        there: str | None = f"{url}{'&' if '?' in url else '?'}per_page={PAGE_ROWS}"
        while there is not None:
            place = there
            page, there = self.read(what, lambda: self._page(place, kind, pick))  # noqa: B023 - called at once
            yield page

    def query(self, text: str, variables: Mapping[str, object], what: str, pick: Callable[[Any], T]) -> T:
        """Send a GraphQL read; repeat it up to twice if it fails with `Trouble.RETRY`. `pick` reads its `data`."""
        return self.read(what, lambda: pick(self._graphql(text, variables)))

    def mutate(self, text: str, variables: Mapping[str, object], what: str) -> None:
        """Send a GraphQL write once."""
        self.once(what, lambda: dict(self._graphql(text, variables)))

    def once(self, what: str, step: Callable[[], T]) -> T:
        """Carry out a step. Every failure of the server, of the network or of PyGithub becomes an `ApiError` here."""
        try:
            with self.requester.one_request():
                return step()
        except OSError as error:
            reason = f"GitHub did not answer ({what}, {type(error).__name__}); {_RUN_AGAIN}"
            raise ApiError(Trouble.RETRY, reason) from None
        except (BadAttributeException, IncompletableObject, *FAULTS) as error:
            # not JSON, or not the documented shape
            reason = f"GitHub's answer cannot be used ({what}, {type(error).__name__}); {_REPORT}"
            raise ApiError(Trouble.BROKEN, reason) from None
        except GithubException as error:
            raise _refusal(error, what, self._clock()) from None

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
            raise overdrawn(f"GitHub asks for a wait of {seconds:.0f} seconds, more than a run may take")
        self._seconds_waited += seconds
        self._sleep(seconds)

    def last_words(self) -> None:
        """Allow a few more requests and some more time, so that a run that used up its own can still write a status."""
        self._budget.extend()

    def _may_rest(self, seconds: float) -> bool:
        return self._seconds_waited + seconds <= MAX_WAIT and self._budget.has_time(seconds)

    def _graphql(self, text: str, variables: Mapping[str, object]) -> Any:
        return self.requester.graphql_query(text, dict(variables))[1]["data"]

    def _page(self, url: str, kind: type[Row], pick: Callable[[Row], T]) -> tuple[list[T], str | None]:
        """The rows of a page, and the address of the next one; None after the last one."""
        headers, rows = self.requester.requestJsonAndCheck("GET", url)
        if not isinstance(rows, list):
            raise TypeError(f"{type(rows).__name__} instead of a list")
        following = _NEXT.search(headers.get("link", ""))
        if following and not rows:
            raise ValueError("an empty page that is not the last one")
        page = [pick(kind(self.requester, headers, row)) for row in rows]
        return page, following[1] if following else None


def _refusal(error: GithubException, what: str, now: float) -> ApiError:
    status = error.status
    headers = error.headers or {}
    data = error.data if isinstance(error.data, dict) else {}
    rows = data.get("errors") if "message" not in data else None
    errors = [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []
    kinds = [_kind(each) for each in errors]
    said = " ".join(str((errors[0] if errors else data).get("message") or "").split())
    trouble = _trouble(status, kinds)
    wait = 0.0
    # `x-ratelimit-remaining` is 0 after the last request of the hour as well, which may lack a right
    is_limit = status == 403 and ("retry-after" in headers or _LIMIT.search(said) is not None)
    if is_limit or status == 429 or not {"RATE_LIMIT", "RATE_LIMITED"}.isdisjoint(kinds):
        trouble = Trouble.RETRY
        wait = _limit_wait(headers, now)
    elif status == 503:
        wait = _asked_wait(headers, now) or 0.0
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


def _limit_wait(headers: Mapping[str, str], now: float) -> float:
    """Seconds to wait: what the server asks for, else until the limit resets, else a minute."""
    asked = _asked_wait(headers, now)
    if asked is not None:
        return asked
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(1.0, float(reset) - now + 1)
    return SECONDARY_LIMIT_WAIT


def _asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """What `Retry-After` asks for, in seconds or as a date."""
    after = headers.get("retry-after", "")
    if after.isdecimal():
        return float(after)
    try:
        moment = parsedate_to_datetime(after)
    except (TypeError, ValueError):
        return None
    return max(1.0, moment.replace(tzinfo=moment.tzinfo or timezone.utc).timestamp() - now)


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
