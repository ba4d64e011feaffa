"""What the GitHub repository needs of a client, without knowing the client: `hosts/github/client/api.py` has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Api(Protocol):
    """Requests that raise `ApiError`, or another `RepoError` once the run has used up its requests or its time.

    `what` names the request for people ("reading the pull request"). `pick` takes what is wanted out
    of the decoded answer; if it raises `KeyError`, `TypeError` or `ValueError`, the answer is broken.
    """

    def get(self, path: str, what: str, pick: Callable[[Any], T]) -> T:
        """A REST read, repeated a few times."""

    def send(self, verb: str, path: str, body: Mapping[str, object] | None, what: str, pick: Callable[[Any], T]) -> T:
        """A REST write, sent once."""

    def query(self, text: str, variables: Mapping[str, object], what: str, pick: Callable[[Any], T]) -> T:
        """A GraphQL read, repeated a few times; `pick` gets the answer's `data`."""

    def mutate(self, text: str, variables: Mapping[str, object], what: str) -> None:
        """A GraphQL write, sent once."""

    def patiently(self, step: Callable[[], T], again: Callable[[], None]) -> T:
        """Take `step`, a few times while it fails with `Trouble.RETRY`; `again` is called after every wait."""

    def rest(self, seconds: float) -> None:
        """Sleep. Raises `RepoError` when the run has no time left."""
