"""Faults between the client and the hub, at chosen requests.

`Fault("POST git/trees", status=502)` answers the first such request with 502 and does not execute it. With
`effect=True` the request is executed first, so that only its answer is lost. `before` and `after` are called around
the execution, for example to move a branch during the run. `alter` rewrites the JSON of the answer. `at` is a name as
in `Hub.names`, with `*` as in a shell: `query Context`, `mutation updateRefs`, `* pulls/*/reviews`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from support.hub.past import Past


@dataclass(slots=True)
class Fault:
    """What goes wrong at the `nth` to `nth + times - 1`-th request called `at` (1-based)."""

    at: str
    nth: int = 1
    times: int = 1
    status: int | None = None  # answer with this instead
    body: Any = None  # the body of that answer: JSON, or raw bytes; None: a message in GitHub's form
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False  # close the connection without an answer
    effect: bool = False  # whether the request is executed anyway
    before: Callable[[], object] | None = None
    after: Callable[[], object] | None = None
    alter: Callable[[Any], Any] | None = None
    past: Past | None = None  # answer from an earlier state of the world (`Hub.lag`)
    seen: int = 0

    def strikes(self, name: str) -> bool:
        """Count a request named `name`, and return whether the fault happens to it."""
        if not fnmatchcase(name, self.at):
            return False
        self.seen += 1
        return self.nth <= self.seen < self.nth + self.times

    @property
    def replaces(self) -> bool:
        """Whether the client does not get the hub's own answer."""
        return self.drop or self.status is not None
